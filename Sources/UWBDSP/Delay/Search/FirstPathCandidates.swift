import Numerics

/// Peaks of the filtered taps that may be the first path, and what stands before and behind each: what `FirstPathNetwork` judges them by.
///
/// Powers are compared as logarithms, so that neither the taps' scale nor the noise's counts. All bands are in taps.
package final class FirstPathCandidates {
  static let most = 32
  private static let before = [8..<24, 24..<72, 72..<264]
  private static let after = [2..<5, 5..<11, 11..<31, 31..<101, 101..<401]
  private static let (nearBefore, farBefore) = (3..<8, 264..<600)
  /// Taps round a peak that belong to the same signal.
  private static let group = -2..<61
  /// Taps and gaps beyond which it does not matter how much more it is.
  private static let far: Float = 300
  /// Power of an earlier peak that is not there, relative to the next one's.
  private static let none = Float.exp(-8)
  /// Of another candidate that adds to the variance: its least chance, and how many taps off it is, more than and at most.
  private static let leastChance = 0.03
  private static let (fitted, farthest) = (4.5, 40.0)
  /// Noise that every mean of powers is raised by.
  private static let noiseShare: Float = 0.2

  /// The strongest peak, then others, each before the last.
  @exclusivity(unchecked) package private(set) var halfTaps: [Int] = []
  /// Of each.
  @exclusivity(unchecked) package private(set) var features: [SIMD32<Float>] = []
  /// Of each, that it is the first path; empty before `judge`.
  @exclusivity(unchecked) private(set) var chances: [Float] = []
  /// Of one peak, before their logarithms are taken; 1 where there are fewer.
  private let values = AlignedBuffer<Float>(count: SIMD32<Float>.scalarCount, zero: 1)

  init() {
    halfTaps.reserveCapacity(Self.most)
    features.reserveCapacity(Self.most)
    chances.reserveCapacity(Self.most)
  }

  func removeAll() {
    chances.removeAll(keepingCapacity: true)
    halfTaps.removeAll(keepingCapacity: true)
    features.removeAll(keepingCapacity: true)
  }

  /// Takes one before all others. Where there is no more room, the weakest of those between it and the strongest gives way: scattering
  /// has many peaks, and all of them come after a stronger one.
  func append(_ halfTap: Int, _ map: FilteredPowers) {
    if halfTaps.count == Self.most {
      var weakest = 1
      for index in 2..<Self.most where map[halfTaps[index]] < map[halfTaps[weakest]] { weakest = index }
      halfTaps.remove(at: weakest)
    }
    halfTaps.append(halfTap)
  }

  /// Leaves those that fulfil `condition`, in order.
  func keep(where condition: (Int) -> Bool) { halfTaps.removeAll { !condition($0) } }

  /// - Parameters:
  ///   - noise: variance of a filtered tap.
  ///   - level: the power that every peak had to reach.
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
    let perOwn = 1 / own
    let values = values.pointer
    var count = 0
    func add(_ value: Float) {
      values[count] = value
      count &+= 1
    }
    func largest(_ band: Range<Int>) -> Float {
      max(level, map.largest(in: here + 2 * band.lowerBound..<here + 2 * band.upperBound))
    }
    func mean(_ band: Range<Int>) -> Float {
      taps.meanPower(in: here / 2 + band.lowerBound..<here / 2 + band.upperBound) ?? variance
    }
    add(own / noise)
    add(own / strongest)
    func addPower(before band: Range<Int>) {
      let power = mean(-band.upperBound..<(-band.lowerBound)) + Self.noiseShare * variance
      add(power * perOwn)
      add(power / variance)
    }
    func addLargest(before band: Range<Int>) { add(largest(-band.upperBound..<(-band.lowerBound)) * perOwn) }
    for band in Self.before {
      addPower(before: band)
      addLargest(before: band)
    }
    for band in Self.after {
      add((mean(band) + variance) * perOwn)
      add(largest(band) * perOwn)
    }
    add(1 + Float(halfTaps[0] - here) / 2)
    add(1 + Float(gapToStronger(index, map)) / 2)
    add(Float(halfTaps.count - index))
    let earlier = index + 1 < halfTaps.count ? halfTaps[index + 1] : nil
    add(1 + (earlier.map { Float(here - $0) / 2 } ?? Self.far))
    add(earlier.map { map[$0] * perOwn } ?? Self.none)
    add(1 + min(Float(here) / 2, Self.far))
    let peak = largest(Self.group)
    add(peak / strongest)
    add(own / peak)
    addLargest(before: Self.farBefore)
    addPower(before: Self.nearBefore)
    for first in stride(from: 0, to: SIMD32<Float>.scalarCount, by: 8) {
      let eight = UnsafeMutableRawPointer(values + first)
      eight.storeBytes(of: logarithms(eight.load(as: SIMD8<Float>.self)), as: SIMD8<Float>.self)
    }
    return UnsafeRawPointer(values).load(as: SIMD32<Float>.self)
  }

  /// Gives each its chance, once, and returns the likeliest. Without a network there has to be one alone.
  func judge(by network: FirstPathNetwork?) -> Int {
    guard let network, halfTaps.count > 1 else {
      chances.append(1)
      return halfTaps[0]
    }
    for _ in features { chances.append(0) }
    network.score(features, into: &chances)
    var likeliest = 0
    for index in chances.indices where chances[index] > chances[likeliest] { likeliest = index }
    // The softmax of the scores.
    let highest = chances[likeliest]
    var total: Float = 0
    for index in chances.indices {
      chances[index] = Float.exp(chances[index] - highest)
      total += chances[index]
    }
    for index in chances.indices { chances[index] /= total }
    return halfTaps[likeliest]
  }

  /// The second moment of all candidates about one at `halfTap`, taps², each with its chance.
  func ambiguityVariance(about halfTap: Int) -> Double {
    var sum = 0.0
    for index in chances.indices {
      sum += Self.moment(chance: Double(chances[index]), taps: Double(halfTaps[index] - halfTap) / 2)
    }
    return sum
  }

  /// What a candidate so many taps off adds to the variance, taps².
  ///
  /// Fits look at nearer candidates themselves. Farther and unlikelier ones are left to whoever expects outliers.
  static func moment(chance: Double, taps: Double) -> Double {
    let distance = abs(taps)
    return chance >= leastChance && distance > fitted && distance <= farthest ? chance * distance * distance : 0
  }

  /// Half taps to the nearest later candidate that is stronger; 0 where there is none.
  private func gapToStronger(_ index: Int, _ map: FilteredPowers) -> Int {
    let own = map[halfTaps[index]]
    return halfTaps[..<index].last { map[$0] > own }.map { $0 - halfTaps[index] } ?? 0
  }
}
