import Numerics
import TestSupport
import Testing

@testable import UWBDSP

@Suite struct PlaceMemoryTests {
  private static func logOdds(_ probability: Double) -> Double { Double.log(probability / (1 - probability)) }

  /// What verdicts of one place add up to is the mean of the latest ten, more or less, counted once.
  @Test func verdictsOfOnePlaceCountOnce() {
    var place = PlaceMemory(5)
    var sum = 0.0
    for index in 1...10 {
      sum += Self.logOdds(place.news(index % 2 == 0 ? 0.9 : 0.6, step: 0.1))
      place.follow(5, variance: 0.001, step: 0.1)
      let mean = (Self.logOdds(0.6) * Double((index + 1) / 2) + Self.logOdds(0.9) * Double(index / 2)) / Double(index)
      #expect(abs(sum - mean) < 1e-12)
    }
    for _ in 0..<1000 {
      sum += Self.logOdds(place.news(0.8, step: 0.1))
      place.follow(5, variance: 0.001, step: 0.1)
    }
    #expect(abs(sum - Self.logOdds(0.8)) < 1e-9)
  }

  /// A verdict that turns is heard, within two dozen exchanges.
  @Test func aChangeIsHeard() {
    var place = PlaceMemory(5)
    var sum = 0.0
    for _ in 0..<500 { sum += Self.logOdds(place.news(0.9, step: 0.1)) }
    for _ in 0..<24 { sum += Self.logOdds(place.news(0.2, step: 0.1)) }
    #expect(abs(sum - Self.logOdds(0.2)) < 0.1 * Self.logOdds(0.9) + 0.1 * abs(Self.logOdds(0.2)))
  }

  /// A peer at walking pace makes a new channel of every exchange: each verdict is a witness of its own.
  @Test func verdictsOfAWalkCountEach() {
    var place = PlaceMemory(2)
    for index in 1...40 {
      let news = place.news(0.7, step: 0.1)
      if index > 20 { #expect(abs(news - 0.7) < 1e-12) }
      place.follow(2 + 0.12 * Double(index), variance: 0.002, step: 0.1)
    }
    #expect(place.share(over: 0.1) == 1)
  }

  /// Noise is no motion, whatever its size, as long as the track knows it; nor is the device's own.
  @Test func noiseIsNoMotion() {
    for deviation in [0.001, 0.03, 0.3] {
      var random = StatisticsRandom(seed: 2520)
      var place = PlaceMemory(5)
      var moving = 0
      var device = 0.0
      for index in 0..<2000 {
        place.shift(by: 0.1)
        device += 0.1
        place.follow(5 + device + deviation * random.gaussian(), variance: deviation * deviation, step: 0.1)
        if index > 100, place.share(over: 0.1) > 0.02 { moving += 1 }
      }
      // The spread of a second's ten is beyond four variances once in thousands.
      #expect(moving <= 5, "\(deviation): \(moving)")
    }
  }
}
