import Numerics
import TestSupport
import Testing
import UWBTypes

@testable import UWBTracking

@Suite struct ScalarTrackTests {
  /// The textbook's filter on 2 × 2 matrices.
  private struct Naive {
    var state: (Double, Double)
    var p: [[Double]]

    mutating func predict(_ step: Double, density q: Double) {
      state.0 += step * state.1
      let f = [[1, step], [0, 1]]
      var next = [[q * step * step * step / 3, q * step * step / 2], [q * step * step / 2, q * step]]
      for i in 0..<2 {
        for j in 0..<2 {
          for k in 0..<2 { for l in 0..<2 { next[i][j] += f[i][k] * p[k][l] * f[j][l] } }
        }
      }
      p = next
    }

    mutating func correct(_ value: Double, variance: Double) {
      let s = p[0][0] + variance
      let k = [p[0][0] / s, p[1][0] / s]
      let innovation = value - state.0
      state.0 += k[0] * innovation
      state.1 += k[1] * innovation
      let before = p
      for i in 0..<2 { for j in 0..<2 { p[i][j] = before[i][j] - k[i] * before[0][j] } }
    }
  }

  @Test func isTheTextbooksFilter() {
    var random = StatisticsRandom(seed: 1701)
    var track = ScalarTrack(3, deviation: 0.2, time: 1)
    var naive = Naive(state: (3, 0), p: [[0.04, 0], [0, 9]])
    var time = 1.0
    for _ in 0..<200 {
      let step = random.uniform(0...0.5)
      let deviation = random.uniform(0.01...0.3)
      let value = random.uniform(2...4)
      time += step
      track.predict(to: time, acceleration: 0.7)
      naive.predict(step, density: 0.49)
      let spread = (naive.p[0][0] + deviation * deviation).squareRoot()
      #expect(abs(track.distance(of: value, deviation: deviation) - abs(value - naive.state.0) / spread) < 1e-9)
      track.correct(value, deviation: deviation)
      naive.correct(value, variance: deviation * deviation)
      #expect(abs(track.value - naive.state.0) < 1e-9)
      #expect(abs(track.rate - naive.state.1) < 1e-9)
      #expect(abs(track.deviation - naive.p[0][0].squareRoot()) < 1e-9)
      #expect(track.time == time)
    }
  }

  /// Walks drawn from the filter's own model: the normalised error has variance 1, at the start and when settled.
  @Test func deviationsAreHonestOnItsOwnModel() {
    var random = StatisticsRandom(seed: 1702)
    let walks = 1500
    var early = StatisticsErrors()
    var late = StatisticsErrors()
    let acceleration = 1.3
    for _ in 0..<walks {
      var position = random.uniform(1...20)
      var rate = 3 * random.gaussian()
      var track = ScalarTrack(position + 0.1 * random.gaussian(), deviation: 0.1, time: 0)
      var time = 0.0
      for index in 0..<25 {
        let step = random.uniform(0.02...0.3)
        time += step
        // Cholesky of q·[[Δ³/3, Δ²/2], [Δ²/2, Δ]].
        let a = acceleration * (step * step * step / 3).squareRoot()
        let b = acceleration * (3 * step).squareRoot() / 2
        let c = acceleration * step.squareRoot() / 2
        let (x, y) = (random.gaussian(), random.gaussian())
        position += rate * step + a * x
        rate += b * x + c * y
        track.predict(to: time, acceleration: acceleration)
        let deviation = random.uniform(0.02...0.2)
        track.correct(position + deviation * random.gaussian(), deviation: deviation)
        if index == 1 { early.add((track.value - position) / track.deviation) }
      }
      late.add((track.value - position) / track.deviation)
    }
    #expect(StatisticsLimits.normalisedVariance(trials: walks).contains(early.meanSquare))
    #expect(StatisticsLimits.normalisedVariance(trials: walks).contains(late.meanSquare))
  }

  @Test func timeDoesNotRunBackwards() {
    var track = ScalarTrack(1, deviation: 0.1, time: 5)
    track.predict(to: 4, acceleration: 1)
    #expect(track.value == 1)
    #expect(track.deviation == 0.1)
  }

  @Test func certaintyIsNotDividedByZero() {
    var track = ScalarTrack(1, deviation: 0, time: 0)
    track.correct(2, deviation: 0)
    #expect(track.value == 1)
    #expect(track.deviation == 0)
  }

  /// A measurement far off comes to lie at the limit, by one factor on all of the covariance; one within it changes nothing.
  @Test func surprisesWidenThePrediction() {
    var random = StatisticsRandom(seed: 1702)
    for _ in 0..<200 {
      var track = ScalarTrack(0, deviation: random.uniform(0.01...0.3), time: 0)
      track.predict(to: random.uniform(0.01...1), acceleration: 0.5)
      let deviation = random.uniform(0.01...0.3)
      let value = random.uniform(-3...3)
      let before = track
      let distance = track.distance(of: value, deviation: deviation)
      track.widen(towards: value, deviation: deviation, limit: 2.5)
      guard distance > 2.5 else {
        #expect(track == before)
        continue
      }
      #expect(abs(track.distance(of: value, deviation: deviation) - 2.5) < 1e-9)
      var (narrow, wide) = (before, track)
      narrow.correct(before.value + 1, deviation: 0)
      wide.correct(track.value + 1, deviation: 0)
      #expect(abs(narrow.rate - wide.rate) < 1e-9)
    }
  }
}
