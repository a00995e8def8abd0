/// What the charts over time draw of one track, in bounded memory: rows of numbers, marks, impulse responses.
struct TrackRows: Sendable {
  /// A column of numbers and its rounding.
  struct Column: Sendable {
    let name: String
    let step: Double
  }

  /// Rows that all tracks of a page have together, and bytes that all their impulse responses have before base64 (512 kB with it).
  private static let rowBudget = 49_152
  private static let responseBudget = 393_216

  let name: String
  let columns: [Column]
  private(set) var rows: MinMaxDecimator
  private(set) var marks: [(name: String, isLoss: Bool, runs: MarkRuns)] = []
  var responses = ImpulseResponseRuns()
  private var times: (first: Double, last: Double, isRising: Bool)?

  init(name: String, columns: [Column], capacity: Int) {
    self.name = name
    self.columns = columns
    rows = MinMaxDecimator(capacity: capacity, columns: columns.count)
  }

  var isEmpty: Bool { rows.rowCount == 0 && marks.isEmpty && responses.isEmpty }

  /// - Parameter values: one a column; `nil` for none.
  mutating func add(_ key: MinMaxDecimator.Key, _ values: [Double?]) {
    follow(key.time)
    rows.add(key, values.map { $0 ?? .nan })
  }

  /// - Parameter isLoss: whether it stands for what gave no row.
  mutating func mark(_ mark: String, isLoss: Bool, at key: MinMaxDecimator.Key) {
    guard key.time.isFinite else { return }
    follow(key.time)
    let place = marks.firstIndex { $0.name == mark } ?? marks.count
    if place == marks.count {
      // More kinds than a reader can tell apart.
      guard place < 16 else { return }
      marks.append((mark, isLoss, MarkRuns()))
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

  func values(_ column: String) -> [Double] {
    columns.firstIndex { $0.name == column }.map { rows.values(of: $0) } ?? []
  }

  // MARK: For the page

  var page: PageTrack {
    var note: String?
    if rows.rowsPerRun > 1 {
      note =
        "Drawn are the lowest and the highest value of each \(NumberText.count(rows.rowsPerRun)) exchanges, so that no extreme is lost."
    }
    var track = PageTrack(name: name, note: note)
    let keys = rows.keys
    track.x = hasTimes ? "time" : "exchange"
    track.add("time", keys.lazy.map(\.time), step: 1e-4)
    track.add("exchange", keys.lazy.map { Double($0.exchange) }, step: 1)
    for (index, column) in columns.enumerated() {
      let values = rows.values(of: index)
      if values.contains(where: { !$0.isNaN }) { track.add(column.name, values, step: column.step) }
    }
    let kinds = marks.enumerated().sorted {
      ($0.element.isLoss ? 0 : 1, $0.offset) < ($1.element.isLoss ? 0 : 1, $1.offset)
    }
    track.marks = kinds.enumerated().map { place, kind in
      let runs = kind.element.runs.runs
      return PageTrack.Mark(
        label: kind.element.name, count: kind.element.runs.count,
        color: .series(kind.element.isLoss ? 6 - place % 3 : place),
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

  /// Makes tracks coarse enough for the budgets of a page.
  static func thin(_ tracks: inout [TrackRows]) {
    while tracks.reduce(0, { $0 + $1.rows.rowCount }) > rowBudget,
      let most = tracks.indices.max(by: { tracks[$0].rows.rowCount < tracks[$1].rows.rowCount })
    { tracks[most].rows.halve() }
    while tracks.reduce(0, { $0 + $1.responses.byteCount }) > responseBudget,
      let most = tracks.indices.max(by: { tracks[$0].responses.byteCount < tracks[$1].responses.byteCount })
    { tracks[most].responses.halve() }
  }

  /// Linked charts over the tracks: a section for those with a clock, another for those without.
  ///
  /// - Parameters:
  ///   - label: what a track is.
  ///   - left: tracks that are not drawn.
  ///   - charts: makes them over an axis.
  static func sections(
    of tracks: [TrackRows], label: String, left: Int, _ charts: (PageChart.Axis) -> [PageChart]
  ) -> [Page.Section] {
    let drawn = tracks.filter { !$0.isEmpty }
    var note =
      "Charts share zoom and cursor. Drag across one to zoom in; hold Shift to move; double-click for all. The wheel zooms with Ctrl."
    if left > 0 { note += " The first \(tracks.count) of \(tracks.count + left) are drawn." }
    return [true, false].compactMap { isTimed in
      let own = drawn.filter { $0.hasTimes == isTimed }
      guard !own.isEmpty else { return nil }
      let axis =
        isTimed
        ? PageChart.Axis(column: "time", "Time", unit: "s", isTime: true)
        : PageChart.Axis(column: "exchange", "Exchange", unit: "")
      return Page.Section(
        isTimed ? "Over time" : "Over exchanges",
        note: isTimed
          ? note : "These captures have no clock that rises, so the exchange's number is the axis. \(note)",
        [
          .charts(
            PageCharts(
              label: label, x: axis, tracks: own.map(\.page), charts: charts(axis), isLinked: true,
              hint: "Point at a chart for its values."))
        ])
    }
  }
}

extension PageChart {
  /// Of the column `snr`.
  static func signal(over x: Axis) -> PageChart {
    PageChart(
      "Signal", x: x, y: .init("First path's SNR", unit: "dB"),
      series: [.init("SNR", column: "snr", color: .series(2))])
  }

  /// Of the column `lineOfSight`.
  static func lineOfSight(over x: Axis) -> PageChart {
    PageChart(
      "Line of sight", x: x, y: .init("Probability", unit: "0 … 1", range: -0.03...1.03),
      series: [.init("probability of line of sight", column: "lineOfSight", color: .series(5))])
  }
}
