// Where the first path roughly is, and each antenna's window round it.

extension ArrayPulseFit {
  /// How much stronger than its own strongest tap a signal may be elsewhere that an antenna does not hear, a power.
  private static let deafness = 10.0
  /// Taps that no accumulator reaches.
  static let farthest = 1 << 20

  /// The first path that the antennas agree on (`PooledFirstPath`), taps on the axis of antenna 0. Where none reaches the strict level, that of
  /// the antenna with the strongest tap. Antennas that hear nothing of a strong signal take no part in the fit.
  func firstPath(
    _ taps: [PreparedTaps], _ antennaCount: Int, _ firstPathTaps: [Double]?, into estimate: inout ArrayEstimate,
    _ workspace: Workspace
  ) -> Double? {
    let pool = workspace.pool
    pool.removeAll()
    var (weak, strength): (Double?, Double) = (nil, 0)
    for antenna in 0..<antennaCount {
      workspace.hears.pointer[antenna] = false
      guard taps[antenna].isUsable else { continue }
      estimate.status = .noFirstPath
      let found = workspace.search.run(taps[antenna], using: workspace.searchMemory)
      workspace.hears.pointer[antenna] = found.halfTap != nil
      guard let halfTap = found.halfTap else { continue }
      let (shift, judged) = (shift(antenna, firstPathTaps), workspace.searchMemory.judged)
      pool.add(judged.halfTaps, chances: judged.chances, shift: shift)
      let own = Self.strength(taps[antenna])
      if weak == nil || own > strength { (weak, strength) = (Double(halfTap) / 2 - shift, own) }
    }
    for antenna in 0..<antennaCount where taps[antenna].isUsable && !workspace.hears.pointer[antenna] {
      workspace.hears.pointer[antenna] = strength < Self.deafness * Self.strength(taps[antenna])
    }
    guard let first = pool.first() else { return weak }
    workspace.ambiguityVariance = pool.ambiguityVariance(about: first)
    return first
  }

  private static func strength(_ taps: PreparedTaps) -> Double { taps.peakPower / taps.noiseVariance }

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
      if workspace.hears.pointer[antenna] {
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
