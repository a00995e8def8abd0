import NearbySession
import UWBDSP

/// One event of a replay in numbers: what a row of `--output csv` and the C interface tell. Lengths in m, angles in degrees.
package struct UpdateRow: Sendable {
  package enum Event: String, Sendable, CaseIterable {
    case update, rejected, removed
  }

  /// All that `status` can be: of updates, of rejected exchanges, of removed peers.
  package static let statuses =
    ["ok", "outlier"] + MeasurementStatus.allCases.filter { $0 != .ok }.map(\.rawValue)
    + NearbyObject.RemovalReason.allCases.map(\.rawValue)

  package var event: Event
  package var exchange: Int?
  package var time: Double
  package var peer: DeviceAddress
  package var status: String
  package var distance: Double?
  package var distanceDeviation: Double?
  package var direction: SIMD3<Double>?
  package var azimuth: Double?
  package var elevation: Double?
  package var azimuthDeviation: Double?
  package var elevationDeviation: Double?
  package var directionStatus: DirectionStatus?
  package var alternativeAzimuth: Double?
  package var alternativeElevation: Double?
  package var rawDistance: Double?
  package var rawDistanceDeviation: Double?
  package var calibratedDistance: Double?
  package var calibratedDistanceDeviation: Double?
  package var rangeBias: Double?
  package var rangeBiasDeviation: Double?
  package var lineOfSightProbability: Double?
  package var firstPathTaps = FirstPaths()
  package var snrDB: Double?
  package var clockOffsetPPM: Double?
  package var clockRejections: Int?
  package var chipDistance: Double?
  package var chipRawDistance: Double?
  package var chipAzimuth: Double?
  package var chipElevation: Double?
  package var trueDistance: Double?
  package var trueAzimuth: Double?
  package var trueElevation: Double?
  package var fallback: FirstPathFallback?

  init(_ event: ReplayEvent) {
    switch event {
    case .update(let object, let tracked, let raw, let exchange):
      self.init(raw, of: exchange)
      status = tracked.isOutlier ? "outlier" : "ok"
      distance = object.distance
      distanceDeviation = object.distanceDeviation
      lineOfSightProbability = object.lineOfSightProbability
      set(direction: object.direction, by: tracked.measurement)
      if object.direction == nil { (alternativeAzimuth, alternativeElevation) = (nil, nil) }
    case .rejected(let raw, let exchange):
      self.init(raw, of: exchange)
    case .removed(let peer, let time, let reason):
      self.init(.removed, time: time, peer: peer, status: reason.rawValue)
    }
  }

  /// One exchange alone: measured, not tracked.
  package init(_ raw: RangingMeasurement, of exchange: RangingExchange) {
    self.init(.rejected, time: exchange.time, peer: exchange.peer, status: raw.status.rawValue)
    self.exchange = exchange.index
    guard raw.status == .ok else { return }
    event = .update
    distance = raw.distance
    distanceDeviation = raw.distanceDeviation
    set(direction: raw.direction, by: raw)
    directionStatus = raw.directionStatus
    alternativeAzimuth = raw.alternativeDirection?.azimuth?.degrees
    alternativeElevation = raw.alternativeDirection?.elevation?.degrees
    rawDistance = raw.rawDistance
    rawDistanceDeviation = raw.rawDistanceDeviation
    calibratedDistance = raw.calibratedDistance
    calibratedDistanceDeviation = raw.calibratedDistanceDeviation
    rangeBias = raw.rangeBias
    rangeBiasDeviation = raw.rangeBiasDeviation
    lineOfSightProbability = raw.lineOfSightProbability
    firstPathTaps = raw.firstPathTaps
    snrDB = raw.snrdB
    clockOffsetPPM = raw.clockOffsetppm
    clockRejections = raw.clockRejections.flatMap { $0 > 0 ? $0 : nil }
    chipDistance = exchange.chipReport?.distance
    chipRawDistance = exchange.chipReport?.rawDistance
    chipAzimuth = exchange.chipReport?.azimuth?.degrees
    chipElevation = exchange.chipReport?.elevation?.degrees
    trueDistance = exchange.truth?.distance
    trueAzimuth = exchange.truth?.azimuth?.degrees
    trueElevation = exchange.truth?.elevation?.degrees
    fallback = raw.fallback
  }

  private init(_ event: Event, time: Double, peer: DeviceAddress, status: String) {
    self.event = event
    self.time = time
    self.peer = peer
    self.status = status
  }

  private mutating func set(direction: SIMD3<Double>?, by measurement: RangingMeasurement) {
    self.direction = direction
    let angles = direction == nil ? nil : measurement
    azimuth = angles?.azimuth?.degrees
    elevation = angles?.elevation?.degrees
    azimuthDeviation = angles?.azimuthDeviation?.degrees
    elevationDeviation = angles?.elevationDeviation?.degrees
  }

}
