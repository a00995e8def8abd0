/// Why a session ended or could not run.
///
/// The codes keep the names and numbers of Apple's `NIError` (Nearby Interaction, "NIError.Code"), so that logs and
/// `switch` statements carry over. `invalidatedByApp` is beside them.
public struct NearbyError: Error, Sendable, Hashable {
  public enum Code: Int, Sendable, Hashable, CaseIterable {
    case unsupportedPlatform = -5889
    case invalidConfiguration = -5888
    case sessionFailed = -5887
    case resourceUsageTimeout = -5886
    case activeSessionsLimitExceeded = -5885
    case userDidNotAllow = -5884
    case invalidARConfiguration = -5883
    case accessoryPeerDeviceUnavailable = -5882
    case incompatiblePeerDevice = -5881
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

  public var code: Code
  /// What happened, for a log.
  public var reason: String
  /// What was wrong with an accessory's data, where that is the cause.
  public var accessoryMessageError: AccessoryMessageError?

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
  public static var unsupportedPlatform: Code { .unsupportedPlatform }
  public static var invalidConfiguration: Code { .invalidConfiguration }
  public static var sessionFailed: Code { .sessionFailed }
  public static var resourceUsageTimeout: Code { .resourceUsageTimeout }
  public static var activeSessionsLimitExceeded: Code { .activeSessionsLimitExceeded }
  public static var userDidNotAllow: Code { .userDidNotAllow }
  public static var invalidARConfiguration: Code { .invalidARConfiguration }
  public static var accessoryPeerDeviceUnavailable: Code { .accessoryPeerDeviceUnavailable }
  public static var incompatiblePeerDevice: Code { .incompatiblePeerDevice }
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
