/// How the user holds the device. Antennas range best upright.
public enum DeviceOrientation: String, Sendable, Hashable, CaseIterable {
  case portrait
  case portraitUpsideDown
  case landscapeLeft
  case landscapeRight

  public var isLandscape: Bool { self == .landscapeLeft || self == .landscapeRight }
}
