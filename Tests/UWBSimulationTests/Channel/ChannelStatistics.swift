import UWBDSP
import UWBSimulation

/// How a channel spreads energy over delay, as channel reports state it.
struct ChannelStatistics: Sendable, Hashable {
  /// Σ P τ / Σ P, s, from delay 0.
  let meanExcessDelay: Double
  /// Square root of the second central moment of the power over delay, s.
  let rmsDelaySpread: Double
  /// Bins whose power is at most 10 dB below the strongest.
  let pathsWithin10dB: Int
  /// The fewest bins that hold 85 % of the energy.
  let pathsFor85Percent: Int

  /// Of `paths` whose complex amplitudes are summed in bins of `binWidth` seconds, centred on its multiples.
  ///
  /// - Precondition: at least one path; no negative delay; a positive width.
  init(_ paths: [Path], binWidth: Double) {
    let last = paths.reduce(0) { max($0, $1.delay) }
    precondition(
      !paths.isEmpty && binWidth > 0 && paths.allSatisfy { $0.delay >= 0 },
      "\(paths.count) paths in bins of \(binWidth) s have no statistics")
    func bin(_ delay: Double) -> Int {
      Int(delay / binWidth, rounded: .toNearestOrAwayFromZero, within: 0...1 << 24)
    }
    var real = [Double](repeating: 0, count: bin(last) + 1)
    var imaginary = real
    for path in paths {
      let bin = bin(path.delay)
      let raw = path.amplitude.rawStorage
      real[bin] += raw.x
      imaginary[bin] += raw.y
    }
    let powers = zip(real, imaginary).map { $0 * $0 + $1 * $1 }
    var sums = (energy: 0.0, first: 0.0, second: 0.0)
    for (bin, power) in powers.enumerated() {
      let delay = Double(bin) * binWidth
      sums.energy += power
      sums.first += power * delay
      sums.second += power * delay * delay
    }
    meanExcessDelay = sums.first / sums.energy
    rmsDelaySpread = max(0, sums.second / sums.energy - meanExcessDelay * meanExcessDelay).squareRoot()
    let sorted = powers.sorted(by: >)
    pathsWithin10dB = sorted.prefix { $0 >= sorted[0] / 10 }.count
    var held = 0.0
    pathsFor85Percent =
      sorted.prefix { power in
        defer { held += power }
        return held < 0.85 * sums.energy
      }.count
  }
}
