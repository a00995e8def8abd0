import Numerics

/// Crests of the filtered taps that may be the first path, and what stands before and behind each: what `FirstPathNetwork` judges them by.
///
/// Powers are compared as logarithms, so that neither the taps' scale nor the noise's counts. All bands are in taps.
package final class FirstPathCandidates {
  static let most = 32
  private static let before = [8..<24, 24..<72, 72..<264]
  private static let after = [2..<5, 5..<11, 11..<31, 31..<101, 101..<201, 201..<401]
  private static let farBefore = 264..<600
  /// Taps round a crest that belong to the same signal.
  private static let group = -2..<61
  /// Taps and gaps beyond which it does not matter how much more it is.
  private static let far: Float = 300
  /// ln of the power of an earlier crest that is not there, relative to the next one's.
  private static let none: Float = -8
  /// Noise that every mean of powers is raised by.
  private static let noiseShare: Float = 0.2

  /// The strongest crest, then others, each before the last.
  package private(set) var halfTaps: [Int] = []
  /// Of each.
  package private(set) var features: [SIMD32<Float>] = []

  init() {
    halfTaps.reserveCapacity(Self.most)
    features.reserveCapacity(Self.most)
  }

  func removeAll() {
    halfTaps.removeAll(keepingCapacity: true)
    features.removeAll(keepingCapacity: true)
  }

  /// `false` where there is no more room.
  func append(_ halfTap: Int) -> Bool {
    guard halfTaps.count < Self.most else { return false }
    halfTaps.append(halfTap)
    return true
  }

  /// - Parameter noise: variance of a filtered tap; `level`: what a crest had to reach.
  func describe(_ taps: PreparedTaps, _ map: FilteredPowers, noise: Float, level: Float) {
    for index in halfTaps.indices { features.append(description(index, taps, map, noise, level)) }
  }

  private func description(
    _ index: Int, _ taps: PreparedTaps, _ map: FilteredPowers, _ noise: Float, _ level: Float
  ) -> SIMD32<Float> {
    let here = halfTaps[index]
    let own = map[here]
    let strongest = map[halfTaps[0]]
    let variance = Float(taps.noiseVariance)
    var result = SIMD32<Float>()
    var count = 0
    func add(_ value: Float) {
      result[count] = value
      count += 1
    }
    func largest(_ band: Range<Int>) -> Float {
      max(level, map.largest(in: here + 2 * band.lowerBound..<here + 2 * band.upperBound))
    }
    func mean(_ band: Range<Int>) -> Float {
      taps.meanPower(in: here / 2 + band.lowerBound..<here / 2 + band.upperBound) ?? variance
    }
    add(.log(own / noise))
    add(.log(own / strongest))
    for band in Self.before {
      let band = -band.upperBound..<(-band.lowerBound)
      let power = mean(band) + Self.noiseShare * variance
      add(.log(power / own))
      add(.log(power / variance))
      add(.log(largest(band) / own))
    }
    for band in Self.after {
      add(.log((mean(band) + variance) / own))
      add(.log(largest(band) / own))
    }
    add(.log(1 + Float(halfTaps[0] - here) / 2))
    add(.log(1 + Float(gapToStronger(index, map)) / 2))
    add(.log(Float(halfTaps.count - index)))
    let earlier = index + 1 < halfTaps.count ? halfTaps[index + 1] : nil
    add(.log(1 + (earlier.map { Float(here - $0) / 2 } ?? Self.far)))
    add(earlier.map { .log(map[$0] / own) } ?? Self.none)
    add(.log(1 + min(Float(here) / 2, Self.far)))
    let peak = largest(Self.group)
    add(.log(peak / strongest))
    add(.log(own / peak))
    add(.log(largest(-Self.farBefore.upperBound..<(-Self.farBefore.lowerBound)) / own))
    return result
  }

  /// Half taps to the nearest later candidate that is stronger; 0 where there is none.
  private func gapToStronger(_ index: Int, _ map: FilteredPowers) -> Int {
    let own = map[halfTaps[index]]
    return halfTaps[..<index].last { map[$0] > own }.map { $0 - halfTaps[index] } ?? 0
  }
}
