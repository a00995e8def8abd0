import UWBDSP
import UWBPlatform

/// Learns a radio's pulse from the first CIRs of its own capture, where the profile's is wrong by some per cent.
///
/// `PulseMisfit` says whether the CIRs can tell, and whether the profile's pulse is wrong. Only then `PulseEstimation` makes one from the same
/// CIRs; it must not leave more of first paths' rises than the profile's does, but for what a hundred of them leave open. In all other
/// cases the profile stays as it is. No index of a chip is asked: a CIR's first path begins where it reaches a third of its peak, which is
/// near enough for both.
///
/// The first `PulseMisfit.mostCount` CIRs decide, one antenna of each, so that a capture gives the same pulse however its work is shared.
/// Those that counted are held.
public struct PulseLearning: Sendable {
  /// What came of it.
  public struct Outcome: Sendable, Hashable {
    /// How badly the profile's pulse fits; `nil` with too few CIRs.
    public var finding: PulseMisfit.Finding?
    /// The pulse to use instead, and how well it is known; `nil` where the profile's stays.
    public var estimate: PulseEstimation.Estimate?
  }

  private let profile: DeviceProfile
  private var tapSpacing = UWB.tap
  private var misfit: PulseMisfit?
  /// The CIRs that counted: most pulses fit, and none is estimated then.
  private var counted: [(response: ChannelImpulseResponse, signal: PulseMisfit.Signal)] = []
  /// What the learned pulse may leave of a hundred rises beyond what the profile's leaves: that much is chance.
  private static let residualDeviation = 0.1

  /// Of a radio with this profile.
  public init(_ profile: DeviceProfile) { self.profile = profile }

  /// Whether further CIRs are passed over.
  public var isFull: Bool { count >= PulseMisfit.mostCount }

  /// CIRs that counted.
  public var count: Int { misfit?.count ?? 0 }

  /// Takes the first antenna of a CIR. One of another tap spacing than the first, or of another radio's making, counts for nothing.
  public mutating func add(_ response: ChannelImpulseResponse) {
    guard !isFull, response.antennaCount > 0, response.tapCount > 0,
      EngineLimits.tapSpacing.contains(response.tapSpacing)
    else { return }
    if misfit == nil {
      tapSpacing = response.tapSpacing
      misfit = PulseMisfit(profile.pulse, tapSpacing: tapSpacing)
    }
    guard response.tapSpacing == tapSpacing else { return }
    let taps = prepared(response)
    if let signal = misfit?.add(taps) { counted.append((response, signal)) }
  }

  private func prepared(_ response: ChannelImpulseResponse) -> PreparedTaps {
    let taps = PreparedTaps(tapCount: response.tapCount)
    taps.load(response, antenna: 0)
    return taps
  }

  /// What the CIRs so far say.
  public func outcome() -> Outcome {
    let finding = misfit?.finding()
    guard finding?.isWrong == true else { return Outcome(finding: finding) }
    var estimation = PulseEstimation(near: profile.pulse, holdsOut: false)
    for (response, signal) in counted {
      // A CIR scaled to its energy weighs less the more its channel lets through where the pulse is strong: the mean would be too flat.
      estimation.add(prepared(response), firstPathTap: signal.onset, power: signal.power)
    }
    guard
      let estimate = estimation.estimate(tapSpacing: tapSpacing),
      let left = estimation.residual(of: .measured(estimate.pulse), tapSpacing: tapSpacing),
      let before = estimation.residual(of: profile.pulse, tapSpacing: tapSpacing),
      left < (1 + Self.residualDeviation) * before
    else { return Outcome(finding: finding) }
    return Outcome(finding: finding, estimate: estimate)
  }
}

extension DeviceProfile {
  /// The same radio with a measured pulse, and its model error where that is known.
  public func with(_ estimate: PulseEstimation.Estimate) -> DeviceProfile {
    var profile = self
    profile.pulse = .measured(estimate.pulse)
    profile.modelError = estimate.modelError ?? modelError
    return profile
  }

  /// The same radio with the pulse that its CIRs showed, if they did.
  ///
  /// Its model error is no smaller than the profile's: a few hundred CIRs know their pulse no better than many captures do.
  public func with(_ outcome: PulseLearning.Outcome) -> DeviceProfile {
    guard let estimate = outcome.estimate else { return self }
    var profile = with(estimate)
    profile.modelError = max(profile.modelError, modelError)
    return profile
  }
}
