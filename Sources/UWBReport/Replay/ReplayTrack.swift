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

  static let columns = [
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
  private(set) var distance = Moments()
  private(set) var deviation = Moments()
  private(set) var snrdB = Moments()
  private(set) var distanceErrors = ErrorStatistics()
  private(set) var chipErrors = ErrorStatistics()
  private(set) var last: ReplayReport.Update?
  private(set) var distances: ClosedRange<Double>?
  private(set) var rows: MinMaxDecimator
  private(set) var marks: [(name: String, isRejection: Bool, runs: MarkRuns)] = []
  var responses = ImpulseResponseRuns()
  private var times: (first: Double, last: Double, isRising: Bool)?

  init(name: Name, capacity: Int) {
    self.name = name
    isDrawn = capacity > 0
    rows = MinMaxDecimator(capacity: capacity, columns: Self.columns.count)
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
    follow(update.time)
    rows.add(update.key, Self.columns.map { $0.value(update) ?? .nan })
  }

  mutating func add(_ mark: String, isRejection: Bool, at key: MinMaxDecimator.Key) {
    if isRejection { rejected += 1 }
    guard isDrawn, key.time.isFinite else { return }
    follow(key.time)
    let place = marks.firstIndex { $0.name == mark } ?? marks.count
    if place == marks.count {
      // More kinds than a reader can tell apart.
      guard place < 16 else { return }
      marks.append((mark, isRejection, MarkRuns()))
    }
    marks[place].runs.add(key)
  }

  private mutating func follow(_ time: Double) {
    guard let known = times else {
      times = (time, time, true)
      return
    }
    times = (known.first, time, known.isRising && time >= known.last)
  }

  /// From the first to the last, s; 0 where the capture has no usable clock.
  var seconds: Double { times.map { $0.isRising ? max($0.last - $0.first, 0) : 0 } ?? 0 }

  /// Without a clock that rises, everything would stand at one place: the exchange's number then is the axis.
  var hasTimes: Bool { times.map { $0.isRising && $0.last > $0.first } ?? false }

  // MARK: For the page

  func values(_ column: String) -> [Double] {
    Self.columns.firstIndex { $0.name == column }.map { rows.values(of: $0) } ?? []
  }

  var page: PageTrack {
    var note: String?
    if rows.rowsPerRun > 1 {
      note =
        "Drawn are the lowest and the highest value of each \(NumberText.count(rows.rowsPerRun)) exchanges, so that no extreme is lost."
    }
    var track = PageTrack(name: name.text, note: note)
    let keys = rows.keys
    track.x = hasTimes ? "time" : "exchange"
    track.add("time", keys.lazy.map(\.time), step: 1e-4)
    track.add("exchange", keys.lazy.map { Double($0.exchange) }, step: 1)
    for (index, column) in Self.columns.enumerated() {
      let values = rows.values(of: index)
      if values.contains(where: { !$0.isNaN }) { track.add(column.name, values, step: column.step) }
    }
    let kinds = marks.enumerated().sorted {
      ($0.element.isRejection ? 0 : 1, $0.offset) < ($1.element.isRejection ? 0 : 1, $1.offset)
    }
    track.marks = kinds.enumerated().map { place, kind in
      let runs = kind.element.runs.runs
      return PageTrack.Mark(
        label: kind.element.name, count: kind.element.runs.count,
        color: .series(kind.element.isRejection ? 6 - place % 3 : place),
        columns: [
          "time": PageColumn(runs.lazy.map(\.first.time), step: 1e-4),
          "time_end": PageColumn(runs.lazy.map(\.last.time), step: 1e-4),
          "exchange": PageColumn(runs.lazy.map { Double($0.first.exchange) }, step: 1),
          "exchange_end": PageColumn(runs.lazy.map { Double($0.last.exchange) }, step: 1),
        ])
    }
    track.waterfall = responses.waterfall
    return track
  }

  /// Coarser, for a page of many tracks.
  mutating func halveRows() { rows.halve() }
}
