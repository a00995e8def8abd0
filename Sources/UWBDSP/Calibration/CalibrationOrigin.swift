/// What one part of a calibration was made of: what has to fit where it is used.
///
/// Everything is optional but the captures: what a capture doesn't tell can't be recorded, and is not checked.
public struct CalibrationOrigin: Sendable, Hashable, Codable {
  /// A capture that took part.
  public struct Capture: Sendable, Hashable, Codable {
    /// The file's name without its folders.
    public var name: String
    /// SHA-512 of the file, hexadecimal; `nil` for standard input.
    public var sha512: String?
    /// Exchanges that it holds.
    public var exchanges: Int

    /// Creates one with the given values.
    public init(name: String, sha512: String?, exchanges: Int) {
      self.name = name
      self.sha512 = sha512
      self.exchanges = exchanges
    }
  }

  /// The least and the largest value that occurred.
  public struct Extent: Sendable, Hashable, Codable {
    /// The least value.
    public var least: Double
    /// The largest value.
    public var most: Double

    /// The extent of a single value.
    public init(_ value: Double) {
      (least, most) = (value, value)
    }

    /// Widens it to hold `value`.
    public mutating func add(_ value: Double) {
      least = min(least, value)
      most = max(most, value)
    }
  }

  /// Version of the program that made it.
  public var version: String?
  /// Day it was made, `2026-01-31`, UTC.
  public var date: String?
  /// Name of the radio's profile.
  public var profile: String?
  /// Name of the first-path estimator in use.
  public var delay: String?
  /// The devices that recorded, as `DeviceAddress` prints them.
  public var local: [String]?
  /// The devices that they ranged with.
  public var peers: [String]?
  /// What the caller calls the board.
  public var board: String?
  /// The receiver's antennas, m.
  public var antennas: [SIMD3<Double>]?
  /// The captures that the part was made of.
  public var captures: [Capture]
  /// Of the board that the calibration was measured on, where `BoardTrim` moved it to another with `captures`.
  public var trimmedFrom: [Capture]?
  /// Received power, dBm.
  public var powerdBm: Extent?
  /// Distance, m.
  public var distance: Extent?
  /// Azimuth, degrees.
  public var azimuthDegrees: Extent?
  /// Elevation, degrees.
  public var elevationDegrees: Extent?

  /// An origin in these captures.
  public init(captures: [Capture] = []) {
    self.captures = captures
  }

  enum CodingKeys: String, CodingKey {
    case version, date, profile, local, peers, board, captures
    case delay = "estimator"
    case trimmedFrom = "trimmed_from"
    case antennas = "antennas_m"
    case powerdBm = "power_dbm"
    case distance = "distance_m"
    case azimuthDegrees = "azimuth_deg"
    case elevationDegrees = "elevation_deg"
  }
}

/// What each part of a calibration file was made of; `nil` where the part is not there, or nobody wrote it down.
public struct CalibrationOrigins: Sendable, Hashable, Codable {
  /// Origin of the antenna delays.
  public var delay: CalibrationOrigin?
  /// Origin of the models of line of sight and range bias.
  public var quality: CalibrationOrigin?
  /// Of the phase differences in `Calibration.angle`.
  public var board: CalibrationOrigin?
  /// Of the antennas in `Calibration.angle`.
  public var antennas: CalibrationOrigin?

  /// Nothing is known.
  public init() {}
}
