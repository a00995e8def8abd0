import UWBPlatform

/// How a channel's mean power may go after its onset: a first path and dense scattering, taps after the onset,
///
///     w(t) = f·δ(t) + l·(1 − χ·exp(−u/r))·exp(−u/d),   u = t − g ≥ 0
///
/// with f = `firstPath`, l = `level`, g = `gapTaps`, χ = `softness`, r = `riseTaps`, d = `decayTaps`.
package struct OnsetProfile: Sendable, Hashable {
  /// Mean power of the first path: 1 or, for a channel that is dense from its onset, 0.
  package var firstPath: Double
  /// Mean power of the scattering, a tap.
  var level: Double
  var gapTaps: Double
  var softness: Double
  var riseTaps: Double
  var decayTaps: Double
  /// ln of the prior weight of this profile where the onset is located.
  package var logPrior: Double

  package init(
    firstPath: Double = 1, level: Double, gapTaps: Double = 0, softness: Double = 0, riseTaps: Double = 15,
    decayTaps: Double = 12, logPrior: Double
  ) {
    self.firstPath = firstPath
    self.level = level
    self.gapTaps = gapTaps
    self.softness = softness
    self.riseTaps = riseTaps
    self.decayTaps = decayTaps
    self.logPrior = logPrior
  }

  /// ρ in dB, lane by lane: how strong scattering may be over the noise.
  package static let ratiosdB = SIMD8<Float>(0, 7, 14, 21, 28, 35, 42, 49)

  /// Mean power of the scattering at `time` taps after the onset.
  package func scattering(_ time: Double) -> Double {
    let since = time - gapTaps
    guard since >= 0 else { return 0 }
    return level * (1 - softness * exp(-since / riseTaps)) * exp(-since / decayTaps)
  }

  /// R_τ over `count` taps by the midpoint rule in quarter taps: twice what the pulse's band asks for.
  package func covariance(_ table: PulseTable, onset: Double, count: Int) -> [Double] {
    let step = 0.25
    let column = AlignedBuffer<Double>(count: count, zero: 0)
    let matrix = AlignedBuffer<Double>(count: count * count, zero: 0)
    func add(at delay: Double, power: Double) {
      guard power > 0 else { return }
      table.evaluate(delay: delay, firstTap: 0, count: count, into: column.pointer)
      for row in 0..<count {
        let scaled = power * column.pointer[row]
        let target = matrix.pointer + row * count
        for index in 0..<count { target[index] += scaled * column.pointer[index] }
      }
    }
    add(at: onset, power: firstPath)
    // Scattering whose pulse peaks 8 taps and more behind the window leaves nothing in it.
    for index in 0..<Int((Double(count) + 8 - onset) / step, within: 0...1 << 16) {
      let time = (Double(index) + 0.5) * step
      add(at: onset + time, power: step * scattering(time))
    }
    return (0..<count * count).map { matrix.pointer[$0] }
  }
}
