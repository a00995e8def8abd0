/// What impulse responses look like behind and before their first path: of each tap the median over all of them, and the range of most.
struct ResponseProfile: Sendable {
  /// Bins of 1 dB below the strongest tap.
  private static let binCount = 64

  /// Responses that count for one each; from there on every second one does, and the earlier ones half.
  private static let capacity = 4096

  /// How many came.
  private var count = 0
  private var taken = 0
  private var stride = 1
  /// ns
  private var spacing = 0.0
  /// Taps × bins.
  private var bins: [UInt32] = []

  /// Whether the next response counts; asked once for each. Of a long capture few do, evenly spread: each costs a hundred logarithms.
  mutating func takesNext() -> Bool {
    defer { count += 1 }
    guard count.isMultiple(of: stride) else { return false }
    if taken == Self.capacity {
      for place in bins.indices { bins[place] /= 2 }
      taken /= 2
      stride *= 2
      return count.isMultiple(of: stride)
    }
    return true
  }

  /// Takes a response that counts.
  ///
  /// - Parameters:
  ///   - levels: quarters of a dB below the strongest; 255 for none, as `ImpulseResponseRuns.levels` gives them.
  ///   - spacing: of taps, ns.
  mutating func add(_ levels: [UInt8], spacing: Double) {
    if bins.isEmpty { bins = [UInt32](repeating: 0, count: ImpulseResponseRuns.taps * Self.binCount) }
    taken += 1
    self.spacing = spacing
    for (tap, level) in levels.enumerated() where level != 255 {
      bins[tap * Self.binCount + Int(level) / 4] &+= 1
    }
  }

  /// dB of the middle of the bin in which so large a part of a tap's values is reached, from the strongest down.
  private func quantile(_ part: Double, tap: Int) -> Double {
    let own = bins[tap * Self.binCount..<(tap + 1) * Self.binCount]
    let all = own.reduce(0) { $0 + Int($1) }
    var sum = 0
    for (bin, count) in own.enumerated() where count > 0 {
      sum += Int(count)
      if Double(sum) >= part * Double(all) { return -(Double(bin) + 0.5) }
    }
    return .nan
  }

  /// Medians and the middle 80 %; `nil` for none.
  func track(name: String) -> PageTrack? {
    guard taken > 0 else { return nil }
    var track = PageTrack(name: name, note: "Of \(NumberText.count(count)) impulse responses.")
    let taps = 0..<ImpulseResponseRuns.taps
    track.add("delay", taps.map { Double($0 - ImpulseResponseRuns.before) * spacing }, step: 0.01)
    for (column, part) in [("high", 0.1), ("median", 0.5), ("low", 0.9)] {
      track.add(column, taps.map { quantile(part, tap: $0) }, step: 0.5)
    }
    track.lines[Self.title] = [.init("first path", x: 0, color: .series(1))]
    return track
  }

  private static let title = "Impulse response about the first path"

  static let chart = PageChart(
    title, x: .init(column: "delay", "Delay after the first path", unit: "ns"),
    y: .init("Below the strongest tap", unit: "dB"),
    series: [
      .init("strongest tenth above", column: "high", isDashed: true, color: .series(0)),
      .init("median", column: "median", .thick, color: .series(0)),
      .init("weakest tenth below", column: "low", .line, dash: [2, 4], color: .series(0)),
    ])
}
