/// Why a session ended or could not run.
///
/// The codes keep the names and numbers of Apple's `NIError` (Nearby Interaction, "NIError.Code"), so that logs and
/// `switch` statements carry over. `invalidatedByApp` is beside them.
public struct NearbyError: Error, Sendable, Hashable {
  /// Kind of a session's error; the numbers are those of Apple's framework.
  public enum Code: Int, Sendable, Hashable, CaseIterable {
    /// This device cannot range.
    case unsupportedPlatform = -5889
    /// The configuration is not valid.
    case invalidConfiguration = -5888
    /// The session failed.
    case sessionFailed = -5887
    /// The session ran for too long.
    case resourceUsageTimeout = -5886
    /// Too many sessions run.
    case activeSessionsLimitExceeded = -5885
    /// The user does not permit ranging.
    case userDidNotAllow = -5884
    /// The configuration of the camera session does not suit.
    case invalidARConfiguration = -5883
    /// The accessory's device cannot be reached.
    case accessoryPeerDeviceUnavailable = -5882
    /// The peer cannot do what the configuration asks for.
    case incompatiblePeerDevice = -5881
    /// Too many sessions at extended range run.
    case activeExtendedDistanceSessionsLimitExceeded = -5880
    /// No failure, and none of the framework's codes: the app ended the session itself.
    case invalidatedByApp = 0

    /// The framework's codes, all of them failures.
    public static let allCases: [Code] = [
      .unsupportedPlatform, .invalidConfiguration, .sessionFailed, .resourceUsageTimeout, .activeSessionsLimitExceeded,
      .userDidNotAllow, .invalidARConfiguration, .accessoryPeerDeviceUnavailable, .incompatiblePeerDevice,
      .activeExtendedDistanceSessionsLimitExceeded,
    ]
  }

  /// Kind of the error.
  public var code: Code
  /// What happened, for a log.
  public var reason: String
  /// What was wrong with an accessory's data, where that is the cause.
  public var accessoryMessageError: AccessoryMessageError?

  /// An error of this kind, with its reason in words.
  public init(_ code: Code, _ reason: String, accessoryMessageError: AccessoryMessageError? = nil) {
    self.code = code
    self.reason = reason
    self.accessoryMessageError = accessoryMessageError
  }

  /// How a session ends that its app, or the release of its last reference, invalidated. It is no failure.
  public static let invalidatedByApp = NearbyError(.invalidatedByApp, "the app invalidated the session")

  /// Whether something went wrong: an app that answers failures with a new session looks here first.
  public var isFailure: Bool { code != .invalidatedByApp }
}

extension NearbyError {
  /// This device cannot range.
  public static var unsupportedPlatform: Code { .unsupportedPlatform }
  /// The configuration is not valid.
  public static var invalidConfiguration: Code { .invalidConfiguration }
  /// The session failed.
  public static var sessionFailed: Code { .sessionFailed }
  /// The session ran for too long.
  public static var resourceUsageTimeout: Code { .resourceUsageTimeout }
  /// Too many sessions run.
  public static var activeSessionsLimitExceeded: Code { .activeSessionsLimitExceeded }
  /// The user does not permit ranging.
  public static var userDidNotAllow: Code { .userDidNotAllow }
  /// The configuration of the camera session does not suit.
  public static var invalidARConfiguration: Code { .invalidARConfiguration }
  /// The accessory's device cannot be reached.
  public static var accessoryPeerDeviceUnavailable: Code { .accessoryPeerDeviceUnavailable }
  /// The peer cannot do what the configuration asks for.
  public static var incompatiblePeerDevice: Code { .incompatiblePeerDevice }
  /// Too many sessions at extended range run.
  public static var activeExtendedDistanceSessionsLimitExceeded: Code {
    .activeExtendedDistanceSessionsLimitExceeded
  }
}

extension NearbyError.Code {
  /// Lets `catch NearbyError.userDidNotAllow` match any error of that code.
  public static func ~= (code: Self, error: any Error) -> Bool {
    (error as? NearbyError)?.code == code
  }
}

extension NearbyError: CustomStringConvertible {
  public var description: String { "\(code) (\(code.rawValue)): \(reason)" }
}
