/// What may come behind an onset: scattering after a first path, or scattering alone.
struct RiceAlternative: Sendable, Hashable {
  /// From the onset to where the scattering begins, in steps of `RiceTables`.
  let gapSteps: Int
  /// How the scattering's mean power goes on from there.
  let profile: OnsetProfile
  /// Whether a path stands at the onset.
  let hasPath: Bool

  /// Scattering that begins at once, a tap and a half behind the first path, which the pulse resolves, or far behind, and lasts for a room
  /// or for less; and a soft onset without a path. The first `coarseCount` are enough to see where ln L has its peaks.
  static let all = [
    RiceAlternative(gapTaps: 0, decayTaps: 12), RiceAlternative(gapTaps: 4.5, decayTaps: 12),
    RiceAlternative(gapTaps: 1.5, decayTaps: 12), RiceAlternative(gapTaps: 0, decayTaps: 3),
    RiceAlternative(gapTaps: 1.5, decayTaps: 3), .soft,
  ]
  static let coarseCount = 2
  /// The first ones have a path.
  static let pathCount = 5
  static let count = 6
  /// ln of how much rarer a soft onset is than each of the others.
  static let softPrior: Float = -1

  private init(gapTaps: Double, decayTaps: Double) {
    gapSteps = Int(gapTaps * Double(RiceTables.stepsPerTap))
    profile = OnsetProfile(firstPath: 0, level: 1 / decayTaps, decayTaps: decayTaps, logPrior: 0)
    hasPath = true
  }

  private init(soft profile: OnsetProfile) {
    gapSteps = 0
    self.profile = profile
    hasPath = false
  }

  private static let soft = RiceAlternative(
    soft: OnsetProfile(firstPath: 0, level: 1, softness: 0.9, riseTaps: 10, decayTaps: 12, logPrior: 0))
}
