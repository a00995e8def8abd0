import UWBTypes

/// What an angle estimator finds. Its arrays keep their memory, so that one value used again and again allocates nothing.
public struct DirectionEstimate: Sendable, Hashable {
  /// Whether there is a direction, and why not.
  public var status = DirectionStatus.unusable
  /// The sources found, the first of them the one that matters most (the strongest, or the first path's).
  public var sources: [SourceDirection] = []
  /// Where the first source may be instead, best first, where the status is `ambiguous`.
  public var alternatives: [SourceDirection] = []

  /// An estimate without directions.
  public init() {}

  /// Forgets what was found; keeps the memory.
  public mutating func reset(_ status: DirectionStatus) {
    self.status = status
    sources.removeAll(keepingCapacity: true)
    alternatives.removeAll(keepingCapacity: true)
  }
}
