import Testing
import UWBPlatform

@testable import UWBDSP

@Suite struct DelayPosteriorTests {
  private static let binWidth = 1 / DelayPosterior.binsPerTap

  @Test func nothingAddedSaysNothing() {
    let posterior = DelayPosterior()
    #expect(posterior.summary() == nil)
    posterior.addPeak(3, delay: 1, deviation: 0.1)
    posterior.reset(first: 100)
    #expect(posterior.summary() == nil)
  }

  @Test func onePeakIsItself() throws {
    let posterior = DelayPosterior()
    posterior.reset(first: 100)
    posterior.addPeak(-700, delay: 102.345, deviation: 0.004)
    let summary = try #require(posterior.summary())
    #expect(summary.delay == 102.345)
    #expect(summary.deviation == 0.004)
    #expect(abs(summary.logMass + 700) < 1e-12)
  }

  /// The mean would lie where hardly any mass is.
  @Test func theMedianStaysWithTheLikelierOfTwo() throws {
    let posterior = DelayPosterior()
    posterior.reset(first: 100)
    posterior.addPeak(log(0.7), delay: 104, deviation: 0.05)
    posterior.addPeak(log(0.3), delay: 102, deviation: 0.05)
    let summary = try #require(posterior.summary())
    // 0.3 + 0.7·Φ(z) = 0.5
    #expect(abs(summary.delay - (104 - 0.05 * 0.5659)) < 1e-3)
    #expect(abs(summary.logMass) < 1e-12)
    // Four fifths of 0.7·(0.05² + (0.05·0.5659)²) + 0.3·(0.05² + (2 − 0.05·0.5659)²), one of the larger peak's 0.05².
    #expect(abs(summary.deviation - 0.9674) < 1e-3)
  }

  /// By adding up the density on a fine grid.
  @Test func binsAndPeaksAddUp() throws {
    let posterior = DelayPosterior()
    posterior.reset(first: 50)
    posterior.addBin(log(0.2), onset: 0, isWide: false)
    posterior.addBin(log(0.3), onset: 16, isWide: true)
    posterior.addPeak(log(0.1), delay: 51.3, deviation: 0.08)
    posterior.addBin(log(0.4), onset: 24, isWide: false)
    let pieces: [(Double, (Double) -> Double)] = [
      (0.2, { Self.box($0, 50) }),
      (0.15, { Self.box($0, 52) }), (0.075, { Self.box($0, 52 - Self.binWidth) }),
      (0.075, { Self.box($0, 52 + Self.binWidth) }),
      (0.1, { exp(-pow(($0 - 51.3) / 0.08, 2) / 2) / (0.08 * (2 * Double.pi).squareRoot()) }),
      (0.4, { Self.box($0, 53) }),
    ]
    let step = 1e-4
    var (sum, first, second, median) = (0.0, 0.0, 0.0, 0.0)
    for index in 0..<50_000 {
      let delay = 49 + (Double(index) + 0.5) * step
      let mass = step * pieces.reduce(0) { $0 + $1.0 * $1.1(delay) }
      if sum < 0.5 && sum + mass >= 0.5 { median = delay }
      sum += mass
      first += mass * delay
      second += mass * delay * delay
    }
    let summary = try #require(posterior.summary())
    #expect(abs(sum - 1) < 1e-3 && abs(summary.logMass) < 1e-12)
    #expect(abs(summary.delay - median) < 1e-3)
    #expect(abs(summary.deviation - (second - 2 * first * median + median * median).squareRoot()) < 1e-3)
    #expect(posterior.holds(moreThan: 0.19, before: 50.5) && !posterior.holds(moreThan: 0.21, before: 50.5))
  }

  private static func box(_ delay: Double, _ centre: Double) -> Double {
    abs(delay - centre) < binWidth / 2 ? 1 / binWidth : 0
  }

  /// What comes later may weigh e¹⁰⁰⁰ times as much.
  @Test func massesFarApartDoNotOverflow() throws {
    let posterior = DelayPosterior()
    posterior.reset(first: 10)
    for (index, logMass) in [-2000.0, -1000, 0, 1000].enumerated() {
      posterior.addBin(logMass, onset: index, isWide: false)
      posterior.addPeak(logMass - 2, delay: 11, deviation: 0.01)
    }
    let summary = try #require(posterior.summary())
    #expect(abs(summary.logMass - (1000 + log(1 + exp(-2.0)))) < 1e-9)
    #expect(abs(summary.delay - (10 + 3 * Self.binWidth)) < Self.binWidth)
  }

  @Test func morePeaksThanThereIsRoomForLeaveOutTheLightest() throws {
    let posterior = DelayPosterior()
    posterior.reset(first: 10)
    for index in 0..<3 * DelayPosterior.mostPeaks {
      posterior.addPeak(index == 5 ? 0 : -20, delay: 12 + (index == 5 ? 1 : 0), deviation: 0.1)
    }
    #expect(abs(try #require(posterior.summary()).delay - 13) < 1e-3)
  }
}
