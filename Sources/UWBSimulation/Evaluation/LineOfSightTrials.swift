import Numerics
import UWBDSP

/// Labelled CIRs of the eight IEEE 802.15.4a channel models, half with line of sight and half without: what the model that
/// ships is trained on, and judged on with another seed.
///
/// Each model is drawn at 15, 20, … 40 dB (the strongest noiseless tap over the noise variance of a tap), its first path
/// anywhere, by a receiver with the standard's pulse and by one with a DW1000's, each with its own default estimator of the
/// first path.
public struct LineOfSightTrials: Sendable, Hashable {
  public static let snrsdB = [15.0, 20, 25, 30, 35, 40]
  public static let profiles = [DeviceProfile.ideal, .dw1000]

  /// CIRs of each model, SNR and receiver.
  public var trialCount: Int
  public var seed: UInt64

  public init(trialCount: Int, seed: UInt64) {
    self.trialCount = trialCount
    self.seed = seed
  }

  /// Samples by channel model: `group` is the model's number, distances are 1 m and mean nothing. CIRs without a first path
  /// are left out; `missed` counts them.
  public func samples() -> (samples: [QualitySample], missed: Int) {
    var result: [QualitySample] = []
    var missed = 0
    for model in IEEE802154aModel.allCases {
      for profile in Self.profiles {
        for snr in Self.snrsdB { missed += add(model, profile, snr, to: &result) }
      }
    }
    return (result, missed)
  }

  private func add(
    _ model: IEEE802154aModel, _ profile: DeviceProfile, _ snrdB: Double, to result: inout [QualitySample]
  ) -> Int {
    let generator = DelayTrialGenerator(
      channel: .ieee802154a(model), snrdB: snrdB, pulse: profile.pulse,
      seed: seed &+ UInt64(snrdB, within: 0...1000) &* 1000 &+ UInt64(model.rawValue))
    let tapCount = generator.synthesizer.tapCount
    let taps = PreparedTaps(tapCount: tapCount)
    let stage = DelayStage.make(RangingEngine.Configuration(profile: profile), tapCount: tapCount)
    let extraction = FeatureExtraction(pulse: profile.pulse)
    let workspace = extraction.makeWorkspace()
    var estimate = DelayEstimate()
    var samples: [Complex<Float>] = []
    var missed = 0
    for index in 0..<trialCount {
      _ = generator.trial(index, into: &samples)
      taps.load(ChannelImpulseResponse(samples), antenna: 0)
      stage.estimate(taps, into: &estimate)
      guard estimate.status == .ok, let path = estimate.firstPath else {
        missed += 1
        continue
      }
      result.append(
        QualitySample(
          group: model.rawValue, features: extraction.features(of: taps, firstPath: path, using: workspace),
          distance: 1,
          isLineOfSight: model.isLineOfSight))
    }
    return missed
  }
}
