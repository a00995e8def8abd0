import ArgumentParser

/// `--snr`: ratios in decibels, separated by commas.
enum DecibelList {
  static func parse(_ list: String) throws -> [Double] {
    try list.split(separator: ",").map { text in
      guard let value = Double(text), value.isFinite, abs(value) <= 200 else {
        throw ValidationError("--snr takes decibels separated by commas; “\(text)” is not a number of them.")
      }
      return value
    }
  }
}
