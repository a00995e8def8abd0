import UWBDSP

/// A family of random scenarios on which first-path estimators are scored: the radio, its pulse, channel and impairments.
///
/// Every trial draws its parameters anew from the seed.
public struct ArenaFamily: Sendable, Hashable {
  /// What a family may be used for.
  public enum Use: String, Sendable, Hashable, CaseIterable {
    /// May be used to choose settings or to train.
    case tuned
    /// Only scores.
    case scored
  }

  /// What the default estimator must reach.
  public struct Limits: Sendable, Hashable {
    /// Of the crossing's error.
    public var ratio = 1.0
    /// Share of errors beyond `ArenaEvaluation.clipTaps`.
    public var grossShare = 0.01
    /// Mean of min(z², 9), z the error over its stated deviation.
    public var score = 0.2...2.0
    /// Share of errors beyond five deviations.
    public var beyondFiveShare = 0.06
  }

  /// Name of the family.
  public let name: String
  /// What the family is used for.
  public let use: Use
  /// What the estimators are told of the radio.
  public let profile: DeviceProfile
  /// What the radios' pulses are.
  public let pulse: ArenaPulse
  /// Where the CIRs come from.
  public let channel: ArenaChannel
  /// What the receiver does to them.
  public let impairments: [ArenaImpairment]
  /// The strongest noiseless tap over the noise of a tap; uniform.
  public let snrdB: ClosedRange<Double>
  /// Taps round the first path that the estimator sees; `nil` for all.
  public let windowTaps: Int?
  /// Where the first path lies in the window, as a share of it.
  let windowShare: ClosedRange<Double>
  /// Figures that an estimator has to reach.
  public let limits: Limits
  /// Names the random draws. Families of the same draws see the same CIRs.
  let draws: String

  /// Taps of a whole CIR.
  public static let tapCount = 1016
  /// Where the first path lies in the CIR, taps.
  static let firstPathTaps = 120.0...700.0

  init(
    _ name: String, _ use: Use, _ channel: ArenaChannel, _ impairments: [ArenaImpairment] = [],
    profile: DeviceProfile = .ideal, pulse: ArenaPulse? = nil, snrdB: ClosedRange<Double> = 22...38,
    windowTaps: Int? = nil, windowShare: ClosedRange<Double> = 0.3...0.5, limits: Limits = Limits(),
    draws: String? = nil
  ) {
    self.name = name
    self.use = use
    self.profile = profile
    self.pulse = pulse ?? .exact(profile.pulse)
    self.channel = channel
    self.impairments = impairments
    self.snrdB = snrdB
    self.windowTaps = windowTaps
    self.windowShare = windowShare
    self.limits = limits
    self.draws = draws ?? name
  }

  /// The family called `name`.
  public static func named(_ name: String) -> ArenaFamily? {
    all.first { $0.name == name }
  }

  /// The family of the same draws whose CIRs are not cut; `nil` where this one's are not.
  public var uncut: ArenaFamily? {
    windowTaps == nil ? nil : Self.named(draws)
  }
}

extension ArenaFamily {
  /// All families: those that may be tuned on, then those that only score.
  public static let all: [ArenaFamily] =
    tuned + windows(of: "sv-los", .tuned, .salehValenzuela(lineOfSight: true))
    + scored + windows(of: "room", .scored, .room(blocked: false)) + [earlyRoomOtherTag]

  private static let dw1000 = ArenaPulse.misfit(.dw1000)
  private static let nearStandard = ArenaPulse.misfit(.standard)

  private static let tuned = [
    ArenaFamily("one-path", .tuned, .onePath),
    ArenaFamily("one-path-dw1000", .tuned, .onePath, profile: .dw1000, pulse: dw1000),
    ArenaFamily("sv-los", .tuned, .salehValenzuela(lineOfSight: true)),
    ArenaFamily("sv-nlos", .tuned, .salehValenzuela(lineOfSight: false), limits: .nonLineOfSight),
    ArenaFamily("sv-outdoor", .tuned, .outdoor, limits: .nonLineOfSight),
    ArenaFamily("two-paths", .tuned, .twoPaths),
    ArenaFamily("before-cluster", .tuned, .beforeCluster(), limits: .nonLineOfSight),
    ArenaFamily(
      "sv-clutter", .tuned, .salehValenzuela(lineOfSight: true), [.clutter()], profile: .dw1000, pulse: dw1000),
    ArenaFamily("sv-bursts", .tuned, .salehValenzuela(lineOfSight: true), [.burst()], limits: .bursts),
    ArenaFamily(
      "sv-pattern", .tuned, .salehValenzuela(lineOfSight: true), [.pattern(periodTaps: 8)], profile: .dw1000,
      pulse: dw1000),
    ArenaFamily("sv-quantised", .tuned, .salehValenzuela(lineOfSight: true), [.offset, .quantisation]),
  ]

  private static let scored = [
    ArenaFamily("room", .scored, .room(blocked: false)),
    ArenaFamily("room-misfit", .scored, .room(blocked: false), pulse: nearStandard),
    ArenaFamily(
      "room-dw1000", .scored, .room(blocked: false), [.pattern(periodTaps: 8)], profile: .dw1000, pulse: dw1000),
    ArenaFamily("room-blocked", .scored, .room(blocked: true), limits: .nonLineOfSight),
    ArenaFamily(
      "room-blocked-dw1000", .scored, .room(blocked: true), profile: .dw1000, pulse: dw1000,
      limits: .dw1000NonLineOfSight),
    ArenaFamily(
      "sv-nlos-misfit", .scored, .salehValenzuela(lineOfSight: false), pulse: nearStandard, limits: .nonLineOfSight),
    ArenaFamily("soft", .scored, .softOnset, limits: .soft),
    ArenaFamily("two-paths-misfit", .scored, .twoPaths, pulse: nearStandard),
    ArenaFamily("room-clutter", .scored, .room(blocked: false), [.clutter()], profile: .dw1000, pulse: dw1000),
    ArenaFamily("room-bursts", .scored, .room(blocked: false), [.burst()], limits: .bursts),
    ArenaFamily("room-clipped", .scored, .room(blocked: false), [.clipping]),
    ArenaFamily("room-coloured", .scored, .room(blocked: false), [.colouredNoise]),
    ArenaFamily("room-gain-drift", .scored, .room(blocked: false), [.gainDrift]),
    ArenaFamily("room-other-tag", .scored, .room(blocked: false), [.otherTag()]),
    ArenaFamily("root-raised-cosine", .scored, .room(blocked: false), pulse: .rootRaisedCosine, limits: .wrongPulse),
    ArenaFamily("gaussian", .scored, .room(blocked: false), pulse: .gaussian, limits: .wrongPulse),
  ]

  /// The signal begins shortly after the CIR does, and a stronger one may follow.
  private static let earlyRoomOtherTag = ArenaFamily(
    "room-other-tag-early", .scored, .room(blocked: false), [.otherTag()], windowTaps: 256, windowShare: 0.02...0.25,
    draws: "room-other-tag")

  private static func windows(of name: String, _ use: Use, _ channel: ArenaChannel) -> [ArenaFamily] {
    [16, 32, 64].map { (taps: Int) in
      ArenaFamily("\(name)-window-\(taps)", use, channel, windowTaps: taps, draws: name)
    }
  }
}

extension ArenaFamily.Limits {
  fileprivate static let nonLineOfSight = Self(grossShare: 0.08)
  fileprivate static let dw1000NonLineOfSight = Self(grossShare: 0.12)
  fileprivate static let soft = Self(grossShare: 0.09, score: 0.2...3.5)
  fileprivate static let bursts = Self(grossShare: 0.05)
  fileprivate static let wrongPulse = Self(ratio: 1.1)
}
