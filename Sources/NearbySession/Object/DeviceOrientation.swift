/// How the user holds the device. Antennas range best upright.
public enum DeviceOrientation: String, Sendable, Hashable, CaseIterable {
  /// Upright.
  case portrait
  /// Upside down.
  case portraitUpsideDown
  /// On its side, its top edge to the left.
  case landscapeLeft
  /// On its side, its top edge to the right.
  case landscapeRight

  /// Whether the device lies on its side.
  public var isLandscape: Bool { self == .landscapeLeft || self == .landscapeRight }
}
