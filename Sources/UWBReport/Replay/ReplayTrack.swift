import UWBTypes

/// What a report keeps of one peer in one capture.
struct ReplayTrack: Sendable {
  struct Name: Sendable, Hashable {
    var capture: String?
    var peer: String

    var text: String { capture.map { "\($0) · \(peer)" } ?? peer }
  }

  /// A column of numbers, its rounding, and where it comes from. Lengths in m, angles in degrees.
  struct Column: Sendable {
    let name: String
    let step: Double
    let value: @Sendable (ReplayReport.Update) -> Double?
  }

  private static let degrees = 180 / Double.pi
  private static let length = 1e-4
  private static let angle = 0.01

  private static let columns = [
    Column(name: "distance", step: length) { $0.distance },
    Column(name: "distanceDeviation", step: length) { $0.distanceDeviation },
    Column(name: "raw", step: length) { $0.rawDistance },
    Column(name: "calibrated", step: length) { $0.calibratedDistance },
    Column(name: "chip", step: length) { $0.chipDistance },
    Column(name: "truth", step: length) { $0.trueDistance },
    Column(name: "error", step: length) { difference($0.distance, $0.trueDistance) },
    Column(name: "rawError", step: length) { difference($0.rawDistance, $0.trueDistance) },
    Column(name: "chipError", step: length) { difference($0.chipDistance, $0.trueDistance) },
    Column(name: "azimuth", step: angle) { $0.azimuth.map { $0 * degrees } },
    Column(name: "azimuthDeviation", step: angle) { $0.azimuthDeviation.map { $0 * degrees } },
    Column(name: "chipAzimuth", step: angle) { $0.chipAzimuth.map { $0 * degrees } },
    Column(name: "trueAzimuth", step: angle) { $0.trueAzimuth.map { $0 * degrees } },
    Column(name: "elevation", step: angle) { $0.elevation.map { $0 * degrees } },
    Column(name: "elevationDeviation", step: angle) { $0.elevationDeviation.map { $0 * degrees } },
    Column(name: "trueElevation", step: angle) { $0.trueElevation.map { $0 * degrees } },
    Column(name: "clock", step: 1e-3) { $0.clockOffsetPPM },
    Column(name: "snr", step: 0.1) { $0.snrdB },
    Column(name: "lineOfSight", step: 1e-3) { $0.lineOfSightProbability },
    Column(name: "firstPath", step: 0.01) { difference($0.firstPathTaps, $0.chipFirstPathTaps) },
  ]

  private static func difference(_ one: Double?, _ other: Double?) -> Double? {
    one.flatMap { one in other.map { one - $0 } }
  }

  let name: Name
  /// Whether rows are kept for drawing.
  let isDrawn: Bool
  private(set) var updates = 0
  private(set) var rejected = 0
  private(set) var distance = RunningMoments()
  private(set) var deviation = RunningMoments()
  private(set) var snrdB = RunningMoments()
  private(set) var distanceErrors = RunningErrors()
  private(set) var chipErrors = RunningErrors()
  private(set) var last: ReplayReport.Update?
  private(set) var distances: ClosedRange<Double>?
  var rows: TrackRows

  init(name: Name, capacity: Int) {
    self.name = name
    isDrawn = capacity > 0
    rows = TrackRows(
      name: name.text, columns: Self.columns.map { .init(name: $0.name, step: $0.step) }, capacity: capacity)
  }

  mutating func add(_ update: ReplayReport.Update) {
    updates += 1
    last = update
    distance.add(update.distance)
    deviation.add(update.distanceDeviation)
    snrdB.add(update.snrdB)
    if let value = update.distance, value.isFinite {
      distances = min(distances?.lowerBound ?? value, value)...max(distances?.upperBound ?? value, value)
    }
    if let truth = update.trueDistance {
      if let distance = update.distance { distanceErrors.add(distance - truth) }
      if let chip = update.chipDistance { chipErrors.add(chip - truth) }
    }
    guard isDrawn else { return }
    rows.add(update.key, Self.columns.map { $0.value(update) })
  }

  mutating func add(_ mark: String, isRejection: Bool, at key: MinMaxDecimator.Key) {
    if isRejection { rejected += 1 }
    if isDrawn { rows.mark(mark, isLoss: isRejection, at: key) }
  }
}
