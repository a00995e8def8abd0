import UWBTypes

/// Gathers first paths for a page: where they are in each CIR, how good, and what was lost. Memory stays bounded however many CIRs come.
public struct PathsReport: Sendable {
  /// The first path on one antenna of one CIR.
  public struct Row: Sendable {
    /// Tells captures apart.
    public var capture: String
    /// Which of the capture's CIRs it is: message, segment, antenna.
    public var series: String
    /// Number of the exchange in the capture.
    public var exchange: Int
    /// s since the capture's first exchange
    public var time: Double
    /// `nil` where a first path was found, else why not.
    public var problem: String?
    /// taps
    public var firstPathTaps: Double?
    /// Standard deviation of the first path, taps.
    public var deviationTaps: Double?
    /// The same, m.
    public var deviation: Double?
    /// First path of the chip, taps.
    public var chipFirstPathTaps: Double?
    /// In the CIR's own unit.
    public var amplitude: Double?
    /// dB
    public var snrdB: Double?
    /// 0 … 1
    public var lineOfSightProbability: Double?

    /// Nothing known but whose it is.
    public init(capture: String, series: String, exchange: Int, time: Double) {
      self.capture = capture
      self.series = series
      self.exchange = exchange
      self.time = time
    }
  }

  private static let drawnTrackLimit = 24
  private static let listedTrackLimit = 200
  private static let rowsPerTrack = 2048

  private static let columns = [
    TrackRows.Column(name: "first", step: 1e-3), .init(name: "deviation", step: 1e-3), .init(name: "chip", step: 1e-3),
    .init(name: "amplitude", step: 0.01), .init(name: "snr", step: 0.1), .init(name: "lineOfSight", step: 1e-3),
  ]

  /// What is kept of one series of CIRs.
  private struct Track {
    let name: String
    let isDrawn: Bool
    var found = 0
    var lost = 0
    var first = RunningMoments()
    var snrdB = RunningMoments()
    var deviation = RunningErrors()
    var difference = RunningMoments()
    var rows: TrackRows
    var profile = ResponseProfile()
  }

  private struct Key: Hashable {
    var capture: String
    var series: String
  }

  private var tracks: [Track] = []
  private var indices: [Key: Int] = [:]
  private var captures: Set<String> = []
  private var unlisted = 0
  private var found = 0
  private var problems: [String: Int] = [:]
  private var skippedInput: [String: Int] = [:]
  private var deviation = RunningErrors()
  private var snrdB = RunningMoments()

  /// Nothing yet.
  public init() {}

  /// Adds a CIR.
  ///
  /// - Parameters:
  ///   - tapSpacing: s
  ///   - magnitudes: of the taps in a range, NaN outside the accumulator; asked for what is kept.
  public mutating func add(_ row: Row, tapSpacing: Double, magnitudes: (Range<Int>) -> [Float]) {
    if row.problem == nil { found += 1 } else { problems[row.problem ?? "", default: 0] += 1 }
    snrdB.add(row.snrdB)
    row.deviation.map { deviation.add($0) }
    let key = Key(capture: row.capture, series: row.series)
    guard let place = indices[key] ?? begin(key) else {
      unlisted += 1
      return
    }
    Self.add(row, tapSpacing, magnitudes, to: &tracks[place])
  }

  private mutating func begin(_ key: Key) -> Int? {
    captures.insert(key.capture)
    guard tracks.count < Self.listedTrackLimit else { return nil }
    indices[key] = tracks.count
    let name = "\(key.capture) · \(key.series)"
    let isDrawn = tracks.count < Self.drawnTrackLimit
    tracks.append(
      Track(
        name: name, isDrawn: isDrawn,
        rows: TrackRows(name: name, columns: Self.columns, capacity: isDrawn ? Self.rowsPerTrack : 0)))
    return tracks.count - 1
  }

  private static func add(
    _ row: Row, _ tapSpacing: Double, _ magnitudes: (Range<Int>) -> [Float], to track: inout Track
  ) {
    let key = MinMaxDecimator.Key(exchange: row.exchange, time: row.time)
    if let problem = row.problem {
      track.lost += 1
      if track.isDrawn { track.rows.mark(problem, isLoss: true, at: key) }
    } else {
      track.found += 1
      track.first.add(row.firstPathTaps)
      row.deviation.map { track.deviation.add($0) }
      if let first = row.firstPathTaps, let chip = row.chipFirstPathTaps { track.difference.add(first - chip) }
    }
    track.snrdB.add(row.snrdB)
    guard track.isDrawn else { return }
    let first = row.problem == nil ? row.firstPathTaps : nil
    track.rows.add(
      key,
      [
        first, row.deviationTaps, row.chipFirstPathTaps,
        row.amplitude.flatMap { $0 > 0 ? 20 * commonLogarithm($0) : nil }, row.snrdB, row.lineOfSightProbability,
      ])
    guard let place = first ?? row.chipFirstPathTaps, place.isFinite, abs(place) < 1e6 else { return }
    var levels: [UInt8]?
    if first != nil, track.profile.takesNext() {
      let own = ImpulseResponseRuns.levels(round: place, magnitudes)
      track.profile.add(own, spacing: tapSpacing * 1e9)
      levels = own
    }
    // A chip's path is a steady guide to what is odd.
    track.rows.responses.add(
      key, value: place - (row.chipFirstPathTaps ?? 0), first: place, chip: row.chipFirstPathTaps,
      spacing: tapSpacing * 1e9, levels: levels ?? ImpulseResponseRuns.levels(round: place, magnitudes))
  }

  /// Input that a reader passed over.
  public mutating func addSkippedInput(reason: String, count: Int) { skippedInput[reason, default: 0] += count }

  // MARK: The page

  /// The page.
  ///
  /// - Parameters:
  ///   - source: what was read, as a title.
  ///   - provenance: how it was made.
  public func page(of source: String, provenance: [Page.Fact] = []) -> Page {
    let drawn = tracks.filter(\.isDrawn)
    var rows = drawn.map(\.rows)
    TrackRows.thin(&rows)
    var page = Page(title: source, sentence: sentence, provenance: provenance)
    let profiles = drawn.compactMap { track in track.profile.track(name: track.name) }
    if !profiles.isEmpty {
      page.lead = PageCharts(
        label: "Capture and CIR", x: .init("", unit: ""), tracks: profiles, charts: [ResponseProfile.chart])
    }
    page.sections = TrackRows.sections(
      of: rows, label: "Capture and CIR", left: tracks.count - drawn.count, Self.charts)
    page.sections.append(.init("Captures and their CIRs", [.table(table)]))
    if let losses = Page.Section.losses([("CIRs without a first path", problems), ("Skipped input", skippedInput)]) {
      page.sections.append(losses)
    }
    return page
  }

  private static func charts(over x: PageChart.Axis) -> [PageChart] {
    let own = PageChart.Color.series(0)
    return [
      PageChart(
        "First path", x: x, y: .init("Place in the accumulator", unit: "taps"),
        series: [
          .init("chip's own", column: "chip", .dots, color: .series(3)),
          .init("first path", column: "first", .marked, color: own),
        ], bands: PageChart.Band.both("first path", column: "first", deviation: "deviation", color: own)),
      PageChart(
        "Stated standard deviation", x: x, y: .init("Of the first path", unit: "taps"),
        series: [.init("standard deviation", column: "deviation", color: own)]),
      PageChart(
        "Amplitude", x: x, y: .init("First path's amplitude", unit: "dB"),
        series: [.init("amplitude", column: "amplitude", color: .series(1))]),
      .signal(over: x), .lineOfSight(over: x),
    ]
  }

  private var sentence: String {
    let lost = problems.values.reduce(0, +)
    let total = found + lost
    var text = "\(NumberText.count(total)) impulse response\(total == 1 ? "" : "s"), each antenna's for itself"
    if captures.count > 1 { text += " of \(captures.count) captures" }
    text += ": a first path was found in \(NumberText.count(found))"
    text += lost > 0 ? ", and in \(NumberText.count(lost)) there was none." : "."
    if let median = deviation.quantile(0.5), median > 0 {
      text +=
        " Half of them have a stated standard deviation of \(NumberText.significant(median * 1000, digits: 2)) mm or less"
      text += snrdB.meanIfAny.map { "; the SNR is \(NumberText.fixed($0, decimals: 1)) dB on average." } ?? "."
    }
    return text
  }

  private var table: PageTable {
    let text = NumberText.fixed(_:decimals:unit:)
    var table = PageTable(
      columns: [
        "Capture and CIR", "Found", "Not found", "First path, mean", "Stated σ, median", "SNR, mean",
        "Less the chip's, mean",
      ])
    for track in tracks {
      table.rows.append([
        track.name, NumberText.count(track.found), NumberText.count(track.lost), text(track.first.meanIfAny, 3, "taps"),
        text(track.deviation.quantile(0.5).map { $0 * 1000 }, 2, "mm"), text(track.snrdB.meanIfAny, 1, "dB"),
        text(track.difference.meanIfAny, 3, "taps"),
      ])
    }
    if unlisted > 0 {
      table.rows.append(["all others together", NumberText.count(unlisted), "–", "–", "–", "–", "–"])
    }
    return table
  }
}
