/// How much of a calibration the data carry: nothing, a constant, or a model. The one rule for all calibrations.
///
/// Costs come from groups (pairs of devices, places, captures) that were left out while fitting. Nothing and a constant are
/// compared by their means: a constant is one number that every radio has. A model has many numbers and often many settings, of
/// which the luckiest looks good; it is taken only where it beats the better of those two by more than chance,
///
///     mean(cost of base − cost of model) > SE·(1 + 2/(groups − 1)),
///
/// SE the standard error of the paired difference, more of it where few groups estimate it. Among models the one-standard-error
/// rule chooses (`SimplestSetting`).
enum CalibrationChoice: Hashable {
  /// One of the plain settings, by index: nothing, a constant.
  case plain(Int)
  /// One of the fitted settings, by index.
  case fitted(Int)

  /// - Parameters:
  ///   - plain: for each plain setting its cost on each group.
  ///   - fitted: for each fitted setting, simplest first, the same.
  /// - Returns: `nil` without any plain setting.
  static func choose(plain: [[Double]], fitted: [[Double]]) -> CalibrationChoice? {
    guard let base = plain.indices.min(by: { mean(plain[$0]) < mean(plain[$1]) }) else { return nil }
    let usable = fitted.indices.filter { fitted[$0].allSatisfy(\.isFinite) && fitted[$0].count == plain[base].count }
    guard let place = SimplestSetting.choose(usable.map { fitted[$0] }), plain[base].count > 2 else {
      return .plain(base)
    }
    let model = usable[place]
    let gains = zip(plain[base], fitted[model]).map { $0 - $1 }
    let gain = mean(gains)
    let variance = gains.reduce(0) { $0 + ($1 - gain) * ($1 - gain) } / Double(gains.count - 1)
    let error = (variance / Double(gains.count)).squareRoot()
    return gain > error * (1 + 2 / Double(gains.count - 1)) ? .fitted(model) : .plain(base)
  }

  static func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(max(values.count, 1)) }
}
