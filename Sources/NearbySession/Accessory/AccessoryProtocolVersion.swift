/// A version of the accessory protocol or of an accessory's UWB part. Minor versions add to the end of a layout.
public struct AccessoryProtocolVersion: Sendable, Hashable {
  /// Major version: another one is not compatible.
  public var major: UInt16
  /// Minor version.
  public var minor: UInt16

  /// Creates one with the given values.
  public init(major: UInt16, minor: UInt16) {
    self.major = major
    self.minor = minor
  }
}

extension AccessoryProtocolVersion: CustomStringConvertible {
  public var description: String { "\(major).\(minor)" }
}
