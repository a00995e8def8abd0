import Numerics
import TestSupport
import Testing

@testable import UWBDSP

@Suite("correlated noise")
struct NoiseCorrelationTests {
  @Test("a correlation that no noise has is refused")
  func impossible() {
    #expect(NoiseCorrelation(lags: []) == nil)
    #expect(NoiseCorrelation(lags: [2, 0]) == nil)
    #expect(NoiseCorrelation(lags: [1, .nan]) == nil)
    // 1 + 2·0.6·cos ω falls to −0.2 at π; 1 + 2·0.4·cos ω does not.
    #expect(NoiseCorrelation(lags: [1, 0.6]) == nil)
    #expect(NoiseCorrelation(lags: [1, 0.4]) != nil)
    #expect(NoiseCorrelation(lags: [1])?.isWhite == true)
    // A DW1000's pulse with its deep undershoot is nothing's autocorrelation.
    #expect(NoiseCorrelation.matchedFilter(.dw1000) == nil)
  }

  @Test("a matched filter's noise has the pulse for its correlation and no power outside its band but the white share")
  func matchedFilter() throws {
    let noise = try #require(NoiseCorrelation.matchedFilter(.standard, whiteShare: 0.02))
    #expect(noise(0) == 1)
    // p(1 tap) of the raised cosine, β = 0.5, a tap of half a period: sinc(½)·cos(π/4)/(1 − ¼).
    let half = UWB.tap * UWB.chipRate
    let sinc = Double.sin(.pi * half) / (.pi * half)
    let expected = 0.98 * sinc * Double.cos(.pi * 0.5 * half) / (1 - half * half)
    #expect(abs(noise(1) - expected * (1 - 1.0 / 65)) < 1e-12)
    #expect(noise(1) == noise(-1))
    #expect(noise(65) == 0)
    // The band ends at 0.375 cycles a tap; the taper of 64 taps leaks 1/(2π²·64·0.1²) = 8 % of it at 0.1 cycles off the
    // middle of a sharp edge, far less off a rounded one.
    for frequency in [0.42, 0.46, 0.5] {
      #expect(abs(noise.density(2 * .pi * frequency) - 0.02) < 0.015, "\(frequency) cycles a tap")
    }
    // Power is the mean of the density.
    let steps = 512
    let mean = (0..<steps).reduce(0) { $0 + noise.density(.pi * (Double($1) + 0.5) / Double(steps)) } / Double(steps)
    #expect(abs(mean - 1) < 1e-12)
  }

  @Test("whitening turns the correlation matrix into the identity")
  func whitening() throws {
    let count = 23
    for noise in [
      try #require(NoiseCorrelation.matchedFilter(.standard)), try #require(NoiseCorrelation(lags: [1, 0.4, 0.1])),
    ] {
      let whitening = try #require(Whitening(noise, tapCount: count))
      let matrix = AlignedBuffer<Double>(count: count * count, zero: 0)
      for row in 0..<count {
        for column in 0..<count { matrix.pointer[column * count + row] = noise(row - column) }
      }
      whitening.applyToBothSides(matrix.pointer)
      for row in 0..<count {
        for column in 0..<count {
          #expect(abs(matrix.pointer[column * count + row] - (row == column ? 1 : 0)) < 1e-9, "\(row), \(column)")
        }
      }
    }
    #expect(Whitening(.white, tapCount: count) == nil)
  }

  @Test("noise that is said to be white leaves every estimate as it was, bit for bit")
  func whiteIsTheSame() {
    var generator = TrialGenerator(seed: 4)
    let trial = PathTrial.make([TrialPath(0, 0), TrialPath(3, -2)], snrdB: 25, using: &generator)
    let taps = PreparedTaps(tapCount: trial.response.tapCount)
    taps.load(trial.response, antenna: 0)
    func paths(_ noise: NoiseCorrelation) -> [PathEstimate] {
      let estimator = AdaptiveFit(ReceiverModel(noise: noise))
      var estimate = DelayEstimate()
      estimator.estimate(taps, into: &estimate, using: estimator.makeWorkspace(tapCount: taps.count))
      return estimate.paths
    }
    let plain = paths(.white)
    #expect(plain.count == 2)
    #expect(NoiseCorrelation(lags: [1]).map(paths) == plain)
  }

  @Test("with an array, too, noise is whitened that has to be: on each antenna by itself")
  func arrays() throws {
    let array = AntennaArray(
      positions: [SIMD3(0, 0, 0), SIMD3(ArrayTrials.half, 0, 0)], carrier: ArrayTrials.carrier)
    var random = StatisticsRandom(seed: 6)
    for lags in [[1], [1, 0.4]] {
      var profile = DeviceProfile.ideal
      profile.noise = try #require(NoiseCorrelation(lags: lags))
      let reception = try #require(
        ExchangeMaker(profile: profile, array: array).make(using: &random).poll.reception)
      let response = try #require(reception.impulseResponse)
      let analyser = ReceptionAnalyser(
        .init(profile: profile, array: array), tapCount: response.tapCount, antennaCount: 2,
        tapSpacing: response.tapSpacing)
      let analysis = analyser.analyse(response, ReportedAntennas(reception))
      #expect(analysis.status == .ok && analyser.isJoint == profile.noise.isWhite, "\(lags)")
      guard !analyser.isJoint else { continue }
      let estimator = AdaptiveFit(ReceiverModel(profile))
      for antenna in 0..<2 {
        let taps = PreparedTaps(tapCount: response.tapCount)
        taps.load(response, antenna: antenna)
        var estimate = DelayEstimate()
        estimator.estimate(taps, into: &estimate, using: estimator.makeWorkspace(tapCount: taps.count))
        #expect(analyser.estimates[antenna].paths == estimate.paths && !estimate.paths.isEmpty)
      }
    }
  }
}
