import Foundation
import TestSupport
import Testing

@testable import UWBDSP

@Suite struct PooledFirstPathTests {
  private typealias Antenna = (halfTaps: [Int], chances: [Float], shift: Double)

  private static func pool(_ antennas: [Antenna]) -> PooledFirstPath {
    let pool = PooledFirstPath(mostAntennas: antennas.count)
    for antenna in antennas { pool.add(antenna.halfTaps, chances: antenna.chances, shift: antenna.shift) }
    return pool
  }

  private static func draw(_ random: inout StatisticsRandom, shift: Double = 0) -> Antenna {
    let count = 1 + Int(random.uniform(0...7.99))
    // Peaks are more than a tap apart.
    var place = 400
    let halfTaps = (0..<count).map { _ in
      place -= 3 + Int(random.uniform(0...20))
      return place
    }
    let weights = halfTaps.map { _ in Float(exp(random.uniform(-6...0))) }
    let total = weights.reduce(0, +)
    return (halfTaps, weights.map { $0 / total }, shift)
  }

  /// The sums of the definition, each looked up anew.
  private static func naive(_ antennas: [Antenna]) -> Double? {
    func taps(_ antenna: Antenna, _ index: Int) -> Double { Double(antenna.halfTaps[index]) / 2 - antenna.shift }
    func peak(_ antenna: Antenna, near place: Double) -> Int? {
      antenna.halfTaps.indices.filter { abs(taps(antenna, $0) - place) <= 1.5 }.max {
        antenna.chances[$0] < antenna.chances[$1]
      }
    }
    var found: [(support: Double, taps: Double)] = []
    for antenna in antennas {
      for index in antenna.halfTaps.indices where antenna.chances[index] >= 0.02 {
        let place = taps(antenna, index)
        guard peak(antenna, near: place) == index else { continue }
        var (support, earliest) = (0.0, place)
        for other in antennas {
          guard let near = peak(other, near: place) else {
            support += log(0.5)
            continue
          }
          support += log(max(0.02, Double(other.chances[near])) / Double(other.chances.max() ?? 1))
          if other.chances[near] >= 0.02 { earliest = min(earliest, taps(other, near)) }
        }
        found.append((support, earliest))
      }
    }
    let most = found.map(\.support).max()
    return found.filter { $0.support == most }.map(\.taps).min()
  }

  @Test(arguments: [UInt64(911), 912]) func theSumsOfTheDefinition(seed: UInt64) {
    var random = StatisticsRandom(seed: seed)
    for count in 1...5 {
      for _ in 0..<100 {
        let antennas = (0..<count).map { _ in Self.draw(&random, shift: Double(Int(random.uniform(-9...9))) / 2) }
        let found = Self.pool(antennas).first()
        #expect(found != nil && found == Self.naive(antennas), "seed \(seed): \(antennas)")
      }
    }
  }

  /// One antenna, or several that say the same, whatever their clocks: its likeliest candidate and its variance.
  @Test func oneOpinionStands() throws {
    var random = StatisticsRandom(seed: 913)
    for _ in 0..<100 {
      let own = Self.draw(&random)
      let likeliest = try #require(own.chances.indices.max { own.chances[$0] < own.chances[$1] })
      let expected = Double(own.halfTaps[likeliest]) / 2
      let moment = own.halfTaps.indices.reduce(0.0) { sum, index in
        let taps = abs(Double(own.halfTaps[index] - own.halfTaps[likeliest])) / 2
        return sum
          + (own.chances[index] >= 0.03 && taps > 4.5 && taps <= 40 ? Double(own.chances[index]) * taps * taps : 0)
      }
      for shifts in [[0], [0, 0], [0, 12.5, -40]] as [[Double]] {
        let pool = Self.pool(
          shifts.map { shift in (own.halfTaps.map { $0 + Int(2 * shift) }, own.chances, shift) })
        #expect(pool.first() == expected)
        #expect(abs(pool.ambiguityVariance(about: expected) - moment) < 1e-9 * max(1, moment))
      }
    }
  }

  @Test func whatOneAntennaAloneDoubtsIsOutvoted() {
    // Clutter, at tap 100, that one antenna takes for the first path with little conviction.
    let clutter: Antenna = ([240, 200], [0.4, 0.6], 0)
    #expect(Self.pool([clutter]).first() == 100)
    #expect(Self.pool([clutter, ([240], [1], 0)]).first() == 120)
    // A path that fades on the other antenna, but is beyond doubt where it is seen.
    #expect(Self.pool([([240, 200], [0.05, 0.95], 0), ([240], [1], 0)]).first() == 100)
    // Peaks of one path: the earliest.
    #expect(Self.pool([([240, 200], [0.1, 0.9], 0), ([240, 198], [0.1, 0.9], 0)]).first() == 99)
  }

  @Test func withoutCandidatesThereIsNone() {
    let pool = Self.pool([([], [], 0), ([], [], 3)])
    #expect(pool.first() == nil && pool.ambiguityVariance(about: 3) == 0)
    pool.add([20], chances: [1], shift: 0)
    #expect(pool.first() == 10)
    pool.removeAll()
    #expect(pool.first() == nil)
  }
}
