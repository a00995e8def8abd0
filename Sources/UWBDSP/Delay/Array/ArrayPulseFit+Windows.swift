// Where the first path roughly is, and each antenna's window round it.

extension ArrayPulseFit {
  /// Taps round the strongest antenna's first path in which the others may see it earlier.
  private static let searchTaps = 40
  /// Taps that no accumulator reaches.
  static let farthest = 1 << 20

  /// The earliest first path on any antenna, on the axis of antenna 0: what fades on one is there on another. All taps of
  /// the antenna with the strongest tap are searched, and the neighbourhood of what it holds on the others.
  func firstPath(
    _ taps: [PreparedTaps], _ antennaCount: Int, _ firstPathTaps: [Double]?, into estimate: inout ArrayEstimate,
    _ workspace: Workspace
  ) -> Double? {
    var best: Int?
    var strength = 0.0
    for antenna in 0..<antennaCount where taps[antenna].isUsable {
      let own = taps[antenna].peakPower / taps[antenna].noiseVariance
      if best == nil || own > strength { (best, strength) = (antenna, own) }
    }
    guard let best else { return nil }
    estimate.status = .noFirstPath
    let search = workspace.search.run(taps[best], using: workspace.searchMemory)
    guard let found = search.halfTap else { return nil }
    workspace.ambiguityVariance = search.ambiguityVariance
    let reference = Double(found) / 2 - shift(best, firstPathTaps)
    var earliest = reference
    for antenna in 0..<antennaCount where taps[antenna].isUsable && antenna != best {
      let middle = Int(
        reference + shift(antenna, firstPathTaps), rounded: .toNearestOrAwayFromZero,
        within: -Self.farthest...Self.farthest)
      let lower = max(0, middle - Self.searchTaps)
      let upper = min(taps[antenna].count, middle + Self.searchTaps)
      guard lower < upper else { continue }
      let own = workspace.search.run(taps[antenna], in: lower..<upper, using: workspace.searchMemory)
      guard let halfTap = own.halfTap else { continue }
      earliest = min(earliest, Double(halfTap) / 2 - shift(antenna, firstPathTaps))
    }
    return earliest
  }

  /// How much later antenna `antenna` counts than antenna 0, taps.
  private func shift(_ antenna: Int, _ firstPathTaps: [Double]?) -> Double {
    guard let firstPathTaps else { return 0 }
    let shift = firstPathTaps[antenna] - firstPathTaps[0]
    // No accumulator is longer.
    return abs(shift) < 1e5 ? shift : 0
  }

  /// Places every antenna's window and takes its noise; the first tap of antenna 0's.
  func place(
    _ taps: [PreparedTaps], _ antennaCount: Int, _ firstPathTaps: [Double]?, from wanted: Int, _ workspace: Workspace
  ) -> Int {
    let fit = workspace.fit
    let latest = taps[0].count - fit.windowTaps
    let first = min(max(0, wanted), latest)
    fit.begin(antennaCount: antennaCount, hasFreeShifts: firstPathTaps != nil && antennaCount > 1)
    for antenna in 0..<antennaCount {
      let shift = shift(antenna, firstPathTaps)
      let own = Int(Double(first) + shift.rounded(), within: 0...latest)
      var deviation = Double.infinity
      if taps[antenna].isUsable {
        let powers = taps[antenna].powers.pointer
        var peak: Float = 0
        for tap in own..<own + fit.windowTaps { peak = powers[tap] > peak ? powers[tap] : peak }
        let variance = paths.receiver.variance(noise: taps[antenna].noiseVariance, peak: Double(peak))
        deviation = variance > 0 ? variance.squareRoot() : .infinity
      }
      workspace.firstTaps.pointer[antenna] = own
      fit.place(antenna: antenna, deviation: deviation, shift: shift - Double(own - first))
    }
    return first
  }
}
