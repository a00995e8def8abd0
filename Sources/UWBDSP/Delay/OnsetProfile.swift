import UWBPlatform

/// How a channel's mean power may go after its onset: a first path and dense scattering, taps after the onset,
///
///     w(t) = f·δ(t) + l·(1 − χ·exp(−u/r))·exp(−u/d),   u = t − g ≥ 0
///
/// with f = `firstPath`, l = `level`, g = `gapTaps`, χ = `softness`, r = `riseTaps`, d = `decayTaps`.
struct OnsetProfile: Sendable, Hashable {
  /// Mean power of the first path: 1 or, for a channel that is dense from its onset, 0.
  var firstPath = 1.0
  /// Mean power of the scattering, a tap.
  var level: Double
  var gapTaps = 0.0
  var softness = 0.0
  var riseTaps = 15.0
  var decayTaps = 12.0
  /// ln of the prior weight of this profile where the onset is located.
  var logPrior: Double

  /// The profiles that `DenseOnset` weighs against each other.
  ///
  /// A step and a soft onset (CM4 and CM8 of IEEE 802.15.4a) are rare beside a first path over scattering, weak or
  /// strong: given even odds they would push the onset ahead of every first path that stands free, by the rise of its
  /// pulse. The last is a first path that stands free before the scattering.
  static let all = [
    OnsetProfile(level: 0.6, logPrior: 0),
    OnsetProfile(level: 0.03, logPrior: 0),
    OnsetProfile(level: 1, gapTaps: 5, logPrior: -5),
    OnsetProfile(firstPath: 0, level: 1, decayTaps: 8, logPrior: -2),
    OnsetProfile(firstPath: 0, level: 1, softness: 0.86, logPrior: -7),
  ]

  /// Mean power of the scattering at `time` taps after the onset.
  func scattering(_ time: Double) -> Double {
    let since = time - gapTaps
    guard since >= 0 else { return 0 }
    return level * (1 - softness * exp(-since / riseTaps)) * exp(-since / decayTaps)
  }

  /// R_τ over `count` taps by the midpoint rule in quarter taps: twice what the pulse's band asks for.
  func covariance(_ table: PulseTable, onset: Double, count: Int) -> [Double] {
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
