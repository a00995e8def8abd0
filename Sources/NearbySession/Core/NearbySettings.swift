/// What a host lets its sessions do, and for how long. Times are in seconds; a limit that is `nil` is off.
public struct NearbySettings: Sendable, Hashable {
  /// What an exchange that failed (no first path, missing timestamps …) gives. It is no activity of the peer.
  public enum FailedMeasurements: Sendable, Hashable {
    /// An update without distance and direction.
    case deliveredAsNil
    /// No update.
    case notDelivered
  }

  public var limits = UpdateLimits()
  public var failedMeasurements = FailedMeasurements.deliveredAsNil
  /// A peer without activity for longer is removed.
  public var timeout = 10.0
  /// A session suspended for longer is invalidated.
  public var suspensionLimit: Double? = 600
  /// A session that runs for longer without its peer is invalidated.
  public var inactivityLimit: Double? = 600
  public var activeSessionLimit: Int? = 32
  public var activeExtendedDistanceSessionLimit: Int? = 4
  /// The older way: an answer about permission holds until the app exits.
  public var permissionHoldsUntilExit = false
  public var assistance = AssistanceSettings()
  public var accessoryRanging = AccessoryRangingSettings()

  public init() {}
}

/// What a host puts into the configuration that it hands out for an accessory.
public struct AccessoryRangingSettings: Sendable, Hashable {
  public var country = ShareableConfigurationData.Country.unitedStates
  public var preambleIndex: UInt8 = 11
  public var channel: UInt8 = 9
  public var slotsPerRound: UInt16 = 6
  public var slotRSTU: UInt16 = 3600
  /// 5.5 Hz, for accessories that leave it open or want to be quick.
  public var blockMilliseconds: UInt16 = 180
  /// 1.3 Hz; a whole number of rounds as well.
  public var infrequentBlockMilliseconds: UInt16 = 774
  public var roundControl: UInt8 = 3
  public var clockStability: UInt16 = 100

  public init() {}
}

/// Whether the user lets the app range.
public enum NearbyPermission: String, Sendable, Hashable, CaseIterable {
  case undetermined
  case granted
  case declined
}

/// Whether the app can use its sessions.
public enum ApplicationState: String, Sendable, Hashable, CaseIterable {
  case foreground
  case background
}
