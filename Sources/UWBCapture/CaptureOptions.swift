import UWBTypes

/// What the user knows of a capture that the capture does not say: formats that say it themselves don't ask.
public struct CaptureOptions: Sendable, Hashable {
  /// What the rows of an array of two axes are.
  public enum Rows: String, Sendable, Hashable, CaseIterable {
    /// Rows are antennas of one reception, or impulse responses one after the other.
    case antennas, cirs
  }

  /// Name of the device profile, for every format.
  public var profile: String?
  /// For arrays: rows of two axes.
  public var rows: Rows
  /// For arrays: what a stored sample is multiplied by (1 / preamble count for a DW1000).
  public var scale: Float?
  /// For arrays: seconds from tap to tap.
  public var tapSpacing: Double?
  /// For arrays: the chip's own first path, taps.
  public var firstPathTaps: Double?
  /// What the columns of a table are called, and their units; naming some makes the capture one.
  public var columns = TableColumns()
  /// For tables of ranges: standard deviation of a distance, m, where no column says it.
  public var deviation: Double?
  /// For tables of ranges whose columns have no names: the radios that stand and those that move, in the columns' order.
  public var anchors: [DeviceAddress] = []
  /// The radios that move, in the columns' order.
  public var tags: [DeviceAddress] = []
  /// A stream ends, as if its writer had closed it, once this descriptor can be read from.
  public var endDescriptor: Int32?

  /// Creates one with the given values.
  public init(
    profile: String? = nil, rows: Rows = .antennas, scale: Float? = nil, tapSpacing: Double? = nil,
    firstPathTaps: Double? = nil
  ) {
    self.profile = profile
    self.rows = rows
    self.scale = scale
    self.tapSpacing = tapSpacing
    self.firstPathTaps = firstPathTaps
  }
}
