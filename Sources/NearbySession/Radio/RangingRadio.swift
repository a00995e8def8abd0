import UWBTypes

/// What ranges: a chip, a simulated room, a recording. `NearbyHost.attach` does the rest.
///
/// A radio ranges each link from `start` to `stop` and reports every round, the missed ones too. It needs no clock in common with the host, and may
/// report on any task. When its reports end it is gone, and sessions are suspended until a radio is attached again.
public protocol RangingRadio: Sendable {
  var capabilities: DeviceCapabilities { get }
  /// The short address that the radio always has; `nil` for one that takes a new one for each link.
  var address: DeviceAddress? { get }
  /// What the radio has to say, once.
  var reports: AsyncStream<RadioReport> { get }
  /// Ranges a link, or ranges it anew with other parameters after `stop`. An error ends the session.
  func start(_ link: RangingLink, parameters: RangingParameters) async throws
  func stop(_ link: RangingLink) async
}

/// What a radio says.
public enum RadioReport: Sendable {
  /// An exchange with timestamps and impulse responses, for the engine.
  case exchange(RangingExchange, of: RangingLink)
  /// The result of a chip that ranges by itself.
  case measured(RadioMeasurement, of: RangingLink)
  /// A round without a result: the peer was not heard.
  case missed(RangingLink)
  /// The radio is busy with something else; sessions are suspended.
  case suspended
  case resumed
  /// One link can't go on, or none can.
  case failed(String, of: RangingLink?)
}

/// A ready measurement: of a chip that ranges by itself.
public struct RadioMeasurement: Sendable, Hashable {
  /// An angle, and how good the chip thinks it is.
  public struct Angle: Sendable, Hashable {
    /// rad; azimuth positive to the right, elevation upwards
    public var value: Double
    /// rad, standard deviation
    public var deviation: Double
    /// 0 … 1; 0 says that there is no angle.
    public var figureOfMerit: Double

    public init(_ value: Double, deviation: Double = .pi / 36, figureOfMerit: Double = 1) {
      self.value = value
      self.deviation = deviation
      self.figureOfMerit = figureOfMerit
    }
  }

  /// m
  public var distance: Double?
  /// m, standard deviation
  public var distanceDeviation: Double
  public var azimuth: Angle?
  public var elevation: Angle?
  /// 0 … 1
  public var lineOfSightProbability: Double?
  /// s, on the radio's clock; `nil` takes the host's when the report arrives.
  public var time: Double?

  public init(
    distance: Double?, distanceDeviation: Double = 0.1, azimuth: Angle? = nil, elevation: Angle? = nil,
    lineOfSightProbability: Double? = nil, time: Double? = nil
  ) {
    self.distance = distance
    self.distanceDeviation = distanceDeviation
    self.azimuth = azimuth
    self.elevation = elevation
    self.lineOfSightProbability = lineOfSightProbability
    self.time = time
  }

  func measurement(of link: RangingLink, at now: Double) -> RangingMeasurement {
    var measurement = RangingMeasurement(
      exchange: 0, time: time ?? now, peer: link.peerAddress, status: .ok, distance: distance,
      distanceDeviation: distanceDeviation)
    let azimuth = azimuth.flatMap { $0.figureOfMerit > 0 ? $0 : nil }
    let elevation = elevation.flatMap { $0.figureOfMerit > 0 ? $0 : nil }
    (measurement.azimuth, measurement.azimuthDeviation) = (azimuth?.value, azimuth?.deviation)
    (measurement.elevation, measurement.elevationDeviation) = (elevation?.value, elevation?.deviation)
    if let azimuth, let elevation {
      measurement.direction = Direction.unitVector(azimuth: azimuth.value, elevation: elevation.value)
    }
    measurement.lineOfSightProbability = lineOfSightProbability
    return measurement
  }
}
