/// A version of the accessory protocol or of an accessory's UWB part. Minor versions add to the end of a layout.
public struct AccessoryProtocolVersion: Sendable, Hashable {
  public var major: UInt16
  public var minor: UInt16

  public init(major: UInt16, minor: UInt16) {
    self.major = major
    self.minor = minor
  }
}

extension AccessoryProtocolVersion: CustomStringConvertible {
  public var description: String { "\(major).\(minor)" }
}
