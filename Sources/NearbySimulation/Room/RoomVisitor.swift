import NearbyRoom
import NearbySession
import UWBTracking
import UWBTypes

/// An app in another process that has taken a device's place: what its radio is to range, and where the results go.
struct RoomVisitor {
  static let linkLimit = 64

  /// In the order in which they were started.
  private(set) var links: [RangingLink] = []
  private var parameters: [RangingLink: RangingParameters] = [:]
  private let process: any RangingProcess
  private let limits: UpdateLimits
  private let tell: (RoomMessage) -> Void

  /// - Parameters:
  ///   - process: measures exchanges. It is not to track: the app's host does.
  ///   - limits: of the device; a direction from a signal too weak for it is the screen side's mirror image, and no result.
  init(process: any RangingProcess, limits: UpdateLimits, tell: @escaping (RoomMessage) -> Void) {
    self.process = process
    self.limits = limits
    self.tell = tell
  }

  func parameters(of link: RangingLink) -> RangingParameters? { parameters[link] }

  mutating func start(_ link: RangingLink, _ parameters: RangingParameters) {
    guard links.count < Self.linkLimit || self.parameters[link] != nil else {
      return tell(.failed("a device of this room ranges \(Self.linkLimit) links at most", of: link))
    }
    if self.parameters.updateValue(parameters, forKey: link) == nil { links.append(link) }
  }

  mutating func stop(_ link: RangingLink) {
    guard parameters.removeValue(forKey: link) != nil else { return }
    links.removeAll { $0 == link }
    process.forget(link.peerAddress)
  }

  func miss(_ link: RangingLink) { tell(.missed(link)) }

  func take(_ exchange: RangingExchange, of link: RangingLink) {
    let measurement = process.process(exchange)
    guard measurement.status == .ok else { return miss(link) }
    var result = RadioMeasurement(
      distance: measurement.distance, distanceDeviation: measurement.distanceDeviation ?? 0.1,
      lineOfSightProbability: measurement.lineOfSightProbability, time: exchange.time)
    if !limits.isTooWeakForDirection(measurement) {
      result.azimuth = Self.angle(measurement.azimuth, measurement.azimuthDeviation)
      result.elevation = Self.angle(measurement.elevation, measurement.elevationDeviation)
    }
    tell(.measured(result, of: link))
  }

  private static func angle(_ value: Double?, _ deviation: Double?) -> RadioMeasurement.Angle? {
    value.map { RadioMeasurement.Angle($0, deviation: deviation ?? .pi / 36) }
  }
}
