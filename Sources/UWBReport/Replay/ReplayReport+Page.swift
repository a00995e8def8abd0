extension ReplayReport {
  /// The page.
  ///
  /// - Parameters:
  ///   - source: what was replayed, as a title.
  ///   - provenance: how it was made.
  public func page(of source: String, provenance: [Page.Fact] = []) -> Page {
    let drawn = tracks.filter(\.isDrawn)
    var page = Page(title: source, sentence: sentence, picture: picture(of: drawn), provenance: provenance)
    var rows = drawn.map(\.rows)
    TrackRows.thin(&rows)
    page.sections = TrackRows.sections(
      of: rows, label: trackName, left: tracks.count - drawn.count, Self.charts)
    if let section = errors.section {
      page.sections.append(section)
      if let residuals = residuals(of: zip(drawn, rows).filter { $0.0.distanceErrors.count > 0 }.map(\.1)) {
        page.sections.append(residuals)
      }
    }
    page.sections.append(.init(self.source == "capture" ? "Captures and peers" : "Peers", [.table(trackTable)]))
    if let losses { page.sections.append(losses) }
    return page
  }

  private var trackName: String { source.prefix(1).uppercased() + source.dropFirst() + " and peer" }

  private static func charts(over x: PageChart.Axis) -> [PageChart] {
    let (delivered, raw, calibrated, chip) = (
      PageChart.Color.series(0), PageChart.Color.series(1), PageChart.Color.series(2), PageChart.Color.series(3)
    )
    return [
      PageChart(
        "Distance", x: x, y: .init("Distance", unit: "m"),
        series: [
          .init("chip's own", column: "chip", .dots, color: chip), .init("raw", column: "raw", .dots, color: raw),
          .init("calibrated", column: "calibrated", .dots, color: calibrated),
          .init("truth", column: "truth", isDashed: true, color: .strong),
          .init("delivered", column: "distance", .thick, color: delivered),
        ], bands: PageChart.Band.both("delivered", column: "distance", deviation: "distanceDeviation", color: delivered)
      ),
      PageChart(
        "Error of the distance", x: x, y: .init("Measured − true", unit: "m"),
        series: [
          .init("chip's own", column: "chipError", .dots, color: chip),
          .init("raw", column: "rawError", .dots, color: raw),
          .init("delivered", column: "error", .thick, color: delivered),
        ]),
      PageChart(
        "Direction", x: x, y: .init("Angle", unit: "°"),
        series: [
          .init("chip's azimuth", column: "chipAzimuth", .dots, color: chip),
          .init("true azimuth", column: "trueAzimuth", isDashed: true, color: .strong),
          .init("azimuth", column: "azimuth", .thick, color: delivered),
          .init("true elevation", column: "trueElevation", isDashed: true, color: .neutral),
          .init("elevation", column: "elevation", .thick, color: raw),
        ],
        bands: PageChart.Band.both("azimuth", column: "azimuth", deviation: "azimuthDeviation", color: delivered)
          + PageChart.Band.both("elevation", column: "elevation", deviation: "elevationDeviation", color: raw),
        note: "Azimuth is positive to the right, elevation upwards."),
      PageChart(
        "Clock", x: x, y: .init("Peer's clock less ours", unit: "ppm"),
        series: [.init("clock offset", column: "clock", color: .series(4))]),
      .signal(over: x), .lineOfSight(over: x),
      PageChart(
        "First path", x: x, y: .init("Engine's less the chip's", unit: "taps"),
        series: [.init("difference", column: "firstPath", .dots, color: .series(7))]),
    ]
  }

  private func residuals(of own: [TrackRows]) -> Page.Section? {
    guard !own.isEmpty else { return nil }
    let x = PageChart.Axis(column: "truth", "True distance", unit: "m")
    // All tracks together: a place that stands still has one distance.
    var together = PageTrack(name: "all")
    let names = ["truth", "error", "rawError", "chipError"]
    for name in names {
      together.add(name, own.flatMap { $0.values(name) }, step: 1e-4)
    }
    return .init(
      "Errors over distance",
      [
        .charts(
          PageCharts(
            x: x, tracks: [together],
            charts: [
              PageChart(
                "Error over the true distance", x: x, y: .init("Measured − true", unit: "m"),
                series: [
                  .init("chip's own", column: "chipError", .dots, color: .series(3)),
                  .init("raw", column: "rawError", .dots, color: .series(1)),
                  .init("delivered", column: "error", .dots, color: .series(0)),
                ], isSorted: true)
            ]))
      ])
  }

  // MARK: The top

  private var sentence: String {
    func plural(_ count: Int, _ word: String) -> String { "\(NumberText.count(count)) \(word)\(count == 1 ? "" : "s")" }
    let rejected = rejections.values.reduce(0) { $0.addingReportingOverflow($1).partialValue }
    let captures = Set(tracks.map(\.name.capture)).count
    let peers = Set(tracks.map(\.name.peer)).count
    let seconds = tracks.reduce(into: [String: Double]()) {
      $0[$1.name.capture ?? "", default: 0] = max($0[$1.name.capture ?? ""] ?? 0, $1.rows.seconds)
    }.values.reduce(0, +)
    var text = "\(plural(updates + rejected, "exchange")) with \(plural(peers, "peer"))"
    if captures > 1 { text += " \(source == "capture" ? "in" : "of") \(plural(captures, source))" }
    if seconds > 0 { text += " over \(Self.duration(seconds))" }
    text += " gave \(plural(updates, "update"))"
    text += rejected > 0 ? "; \(NumberText.count(rejected)) were rejected." : "."
    if let found = errors.sentence {
      text += " \(found)"
    } else if tracks.count == 1, let track = tracks.first, let mean = track.distance.meanIfAny {
      text +=
        " The distance is \(ReplayErrors.length(mean)) on average, from \(ReplayErrors.length(track.distances?.lowerBound ?? mean)) to "
      text += "\(ReplayErrors.length(track.distances?.upperBound ?? mean))."
    }
    return text
  }

  private static func duration(_ seconds: Double) -> String {
    seconds < 120
      ? "\(NumberText.significant(seconds)) s"
      : seconds < 7200 ? "\(NumberText.significant(seconds / 60)) min" : "\(NumberText.significant(seconds / 3600)) h"
  }

  private func picture(of drawn: [ReplayTrack]) -> PagePicture? {
    let degrees = 180 / Double.pi
    return PagePicture(
      peers: drawn.compactMap { track in
        guard let last = track.last else { return nil }
        var peer = PagePicture.Peer(name: track.name.text)
        (peer.distance, peer.distanceDeviation) = (last.distance, last.distanceDeviation)
        (peer.low, peer.high) = (track.distances?.lowerBound, track.distances?.upperBound)
        peer.azimuth = last.azimuth.map { $0 * degrees }
        peer.azimuthDeviation = last.azimuthDeviation.map { $0 * degrees }
        peer.trueDistance = last.trueDistance
        peer.trueAzimuth = last.trueAzimuth.map { $0 * degrees }
        guard last.azimuth != nil else { return peer }
        let (distances, azimuths) = (track.rows.values("distance"), track.rows.values("azimuth"))
        let step = max(1, azimuths.count / 300)
        peer.trail = stride(from: 0, to: azimuths.count, by: step).compactMap { place in
          azimuths[place].isFinite ? [distances[place].isFinite ? distances[place] : nil, azimuths[place]] : nil
        }
        return peer
      })
  }

  // MARK: Tables

  private var trackTable: PageTable {
    let hasTruth = tracks.contains { $0.distanceErrors.count > 0 }
    var table = PageTable(
      columns: [trackName, "Updates", "Rejected", "Distance, mean", "Stated σ, mean", "SNR, mean"]
        + (hasTruth ? ["Error, median", "Error, 90 %", "Chip's error, 90 %"] : []))
    let text = NumberText.fixed(_:decimals:unit:)
    for track in tracks + (unlisted.updates + unlisted.rejected > 0 ? [unlisted] : []) {
      var row = [
        track.name.text, NumberText.count(track.updates), NumberText.count(track.rejected),
        text(track.distance.meanIfAny, 3, "m"), text(track.deviation.meanIfAny, 3, "m"),
        text(track.snrdB.meanIfAny, 1, "dB"),
      ]
      if hasTruth {
        row += [
          text(track.distanceErrors.quantile(0.5), 3, "m"), text(track.distanceErrors.quantile(0.9), 3, "m"),
          text(track.chipErrors.quantile(0.9), 3, "m"),
        ]
      }
      table.rows.append(row)
    }
    return table
  }

  private var losses: Page.Section? {
    .losses([("Rejected exchanges", rejections), ("Skipped input", skippedInput)])
  }
}

extension Page.Section {
  /// Counts by reason; `nil` where nothing was lost.
  public static func losses(_ kinds: [(name: String, counts: [String: Int])]) -> Page.Section? {
    let tables = kinds.filter { !$0.counts.isEmpty }.map { name, counts in
      Page.Block.table(
        PageTable(
          name, columns: ["Reason", "Count"],
          rows: counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { [$0.key, NumberText.count($0.value)] }))
    }
    guard !tables.isEmpty else { return nil }
    return .init("What was lost", note: "Documentation/how-to/reasons.md explains each reason.", tables)
  }
}
