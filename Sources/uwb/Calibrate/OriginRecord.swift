import Foundation
import UWBCapture
import UWBDSP

/// Gathers what a calibration's origin says, while captures are read.
struct OriginRecord {
  private var origin = CalibrationOrigin()
  private var local: Set<DeviceAddress> = []
  private var peers: Set<DeviceAddress> = []
  private var profiles: Set<String> = []
  private var estimators: Set<DelayMethod> = []

  /// A capture that takes part.
  ///
  /// - Throws: `CaptureError` where it can't be read.
  mutating func begin(_ path: String) throws {
    let name = path == "-" ? "-" : URL(fileURLWithPath: path).lastPathComponent
    origin.captures.append(.init(name: name, sha512: try captureHash(path), exchanges: 0))
  }

  /// How the capture is measured.
  mutating func set(_ configuration: RangingEngine.Configuration) {
    profiles.insert(configuration.profile.name)
    estimators.insert(configuration.delay)
    if let array = configuration.array { origin.antennas = array.positions }
  }

  /// One exchange of the capture that was begun last.
  mutating func add(_ exchange: RangingExchange, truth: GroundTruth?) {
    if let last = origin.captures.indices.last { origin.captures[last].exchanges += 1 }
    if let address = exchange.local { local.insert(address) }
    // A table of phase differences has the address 0 for none.
    if exchange.phaseDifferences == nil || exchange.peer.rawValue != 0 { peers.insert(exchange.peer) }
    Self.widen(&origin.powerdBm, exchange.localReceivedPowerdBm)
    Self.widen(&origin.distance, truth?.distance)
    Self.widen(&origin.azimuthDegrees, truth?.azimuth?.degrees)
    Self.widen(&origin.elevationDegrees, truth?.elevation?.degrees)
  }

  private static func widen(_ extent: inout CalibrationOrigin.Extent?, _ value: Double?) {
    guard let value, value.isFinite else { return }
    if extent == nil { extent = .init(value) } else { extent?.add(value) }
  }

  /// - Parameter delay: the estimator that was chosen among several; `nil` for the one that was in use.
  func made(board: String? = nil, delay: DelayMethod? = nil) -> CalibrationOrigin {
    func list(_ addresses: Set<DeviceAddress>) -> [String]? {
      addresses.isEmpty ? nil : addresses.sorted { $0.rawValue < $1.rawValue }.map(\.description)
    }
    var made = origin
    made.version = Uwb.configuration.version
    made.date = Self.today
    made.profile = profiles.count == 1 ? profiles.first : nil
    made.delay = (delay ?? (estimators.count == 1 ? estimators.first : nil))?.name
    made.local = list(local)
    made.peers = list(peers)
    made.board = board
    return made
  }

  /// The day, UTC: of the clock, or of `SOURCE_DATE_EPOCH` (seconds since 1970), which makes what is written repeatable.
  static var today: String {
    let epoch = ProcessInfo.processInfo.environment["SOURCE_DATE_EPOCH"].flatMap { Double($0) }
    let date = epoch.flatMap { (0...253_402_300_799).contains($0) ? Date(timeIntervalSince1970: $0) : nil } ?? Date()
    return date.formatted(.iso8601.year().month().day())
  }
}
