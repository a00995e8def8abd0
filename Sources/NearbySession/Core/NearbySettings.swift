/// What a host lets its sessions do, and for how long. Times are in seconds; a limit that is `nil` is off.
public struct NearbySettings: Sendable, Hashable {
  /// What an exchange that failed (no first path, missing timestamps …) gives. It is no activity of the peer.
  public enum FailedMeasurements: Sendable, Hashable {
    /// An update without distance and direction.
    case deliveredAsNil
    /// No update.
    case notDelivered
  }

  /// Rates and timeouts of updates.
  public var limits = UpdateLimits()
  /// What becomes of a measurement that failed.
  public var failedMeasurements = FailedMeasurements.deliveredAsNil
  /// A peer without activity for longer is removed.
  public var timeout = 10.0
  /// A session suspended for longer is invalidated.
  public var suspensionLimit: Double? = 600
  /// A session that runs for longer without its peer is invalidated.
  public var inactivityLimit: Double? = 600
  /// Most sessions that run at once; nil for no limit.
  public var activeSessionLimit: Int? = 32
  /// Most sessions at extended range that run at once; nil for no limit.
  public var activeExtendedDistanceSessionLimit: Int? = 4
  /// The older way: an answer about permission holds until the app exits.
  public var permissionHoldsUntilExit = false
  /// Settings of camera assistance.
  public var assistance = AssistanceSettings()
  /// Ranging parameters that accessories are given.
  public var accessoryRanging = AccessoryRangingSettings()

  /// Creates one with default values.
  public init() {}
}

/// What a host puts into the configuration that it hands out for an accessory.
public struct AccessoryRangingSettings: Sendable, Hashable {
  /// Country whose rules hold.
  public var country = ShareableConfigurationData.Country.unitedStates
  /// Index of the preamble code.
  public var preambleIndex: UInt8 = 11
  /// UWB channel: 5 or 9.
  public var channel: UInt8 = 9
  /// Slots of a ranging round.
  public var slotsPerRound: UInt16 = 6
  /// Length of a slot in RSTU of 416/499.2 MHz ≈ 833 ns.
  public var slotRSTU: UInt16 = 3600
  /// 5.5 Hz, for accessories that leave it open or want to be quick.
  public var blockMilliseconds: UInt16 = 180
  /// 1.3 Hz; a whole number of rounds as well.
  public var infrequentBlockMilliseconds: UInt16 = 774
  /// Bit mask of what a ranging round holds.
  public var roundControl: UInt8 = 3
  /// Stability of the device's clock, ppm.
  public var clockStability: UInt16 = 100

  /// Creates one with default values.
  public init() {}
}

/// Whether the user lets the app range.
public enum NearbyPermission: String, Sendable, Hashable, CaseIterable {
  /// The user has not been asked.
  case undetermined
  /// The user permits ranging.
  case granted
  /// The user refused.
  case declined
}

/// Whether the app can use its sessions.
public enum ApplicationState: String, Sendable, Hashable, CaseIterable {
  /// The app is in front.
  case foreground
  /// The app is in the background: its sessions are suspended.
  case background
}
