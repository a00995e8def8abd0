import Foundation
import NearbySession

/// A session's token as an object, for code that archives it with `NSKeyedArchiver`: `DiscoveryToken` underneath.
public final class NIDiscoveryToken: NSObject, NSCopying, NSSecureCoding {
  private static let key = "token"

  /// The token as this package has it.
  public let token: DiscoveryToken

  /// The token under the name of the framework.
  public init(_ token: DiscoveryToken) {
    self.token = token
  }

  /// What the device that made the token can do.
  public var deviceCapabilities: any NIDeviceCapability { token.deviceCapabilities }

  public override func isEqual(_ object: Any?) -> Bool { (object as? NIDiscoveryToken)?.token == token }

  public override var hash: Int { token.hashValue }

  public override var description: String { token.description }

  public func copy(with zone: NSZone? = nil) -> Any { self }

  // MARK: NSSecureCoding

  /// Always true.
  public static var supportsSecureCoding: Bool { true }

  public func encode(with coder: NSCoder) {
    coder.encode(NSData(data: Data(token.encoded)), forKey: Self.key)
  }

  /// `nil` where the archive holds no token, or a damaged one.
  public init?(coder: NSCoder) {
    guard let data = coder.decodeObject(of: NSData.self, forKey: Self.key),
      let token = try? DiscoveryToken(encoded: Data(referencing: data))
    else { return nil }
    self.token = token
  }
}
