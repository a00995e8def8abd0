#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What a track has learned of its peer and its surroundings: how often line of sight is lost, how many distances are anything at all,
/// how hard the peer turns. Each starts from the configuration, which counts as so many seconds or measurements, and forgets.
struct RangeHabits: Sendable, Hashable {
  /// How long the configured rate of losses counts against what is seen, and how long what was seen counts, s.
  private static let losses = (prior: 5.0, memory: 300.0)
  /// The same for outliers, in measurements.
  private static let outliers = (prior: 20.0, memory: 1000.0)
  /// Outliers are never ruled out: part of what is configured.
  private static let fewest = 0.2
  /// The same for the acceleration: Fisher information on ln q, one over the variance of what people differ by at first.
  private static let pushes = (prior: 2.0, memory: 20.0)
  /// How far q may go from what is configured: ln of a factor. A peer that stands may walk off in the next second.
  private static let pushRange = -1.4...2.8

  /// Times that line of sight came back, and time with it, s.
  private var returns = 0.0
  private var clearTime = 0.0
  private var outlierCount = 0.0
  private var measurements = 0.0
  /// ln of the acceleration's density over the configured one.
  private var push = 0.0
  private var information = pushes.prior

  /// How often line of sight is lost, s⁻¹: by losses that ended, and the one that may be on. An outlier raises suspicion, too, but only
  /// for a moment.
  func lossRate(_ c: PeerTracker.Configuration, obstructed: Double) -> Double {
    (Self.losses.prior / c.clearTime + returns + obstructed) / (Self.losses.prior + clearTime)
  }

  func outliers(_ c: PeerTracker.Configuration) -> Double {
    max(
      c.outliers * Self.fewest,
      (Self.outliers.prior * c.outliers + outlierCount) / (Self.outliers.prior + measurements))
  }

  /// m/s² over a second
  func acceleration(_ c: PeerTracker.Configuration) -> Double { c.acceleration * exp(push / 2) }

  /// Learns from a measurement.
  ///
  /// - Parameters:
  ///   - returned: how likely line of sight came back
  ///   - clearTime: seconds in line of sight since the last measurement
  mutating func learn(from update: RangeUpdate, returned: Double, clearTime more: Double) {
    guard update.weight > 0 else { return }
    returns += returned / update.weight
    clearTime += more
    if clearTime > Self.losses.memory {
      returns *= Self.losses.memory / clearTime
      clearTime = Self.losses.memory
    }
    outlierCount += update.outlierProbability
    measurements += 1
    if measurements > Self.outliers.memory {
      outlierCount *= Self.outliers.memory / measurements
      measurements = Self.outliers.memory
    }
    let (score, fisher) = update.pushEvidence
    information = min(information + fisher, Self.pushes.memory)
    push = min(max(push + score / information, Self.pushRange.lowerBound), Self.pushRange.upperBound)
  }
}
