/// Lays a replay report out as HTML that is well-formed XML too.
struct ReplayReportPage {
  let report: ReplayReport

  var html: String {
    let title = Markup.escape(report.title)
    return """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8"/>
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"/>
      <meta name="viewport" content="width=device-width, initial-scale=1"/>
      <meta name="color-scheme" content="light dark"/>
      <title>\(title)</title>
      <style>
      \(Theme.css)
      \(Self.css)
      </style>
      </head>
      <body>
      <main>
      <h1>\(title)</h1>
      \(cards)\(losses)\(errors)\(trackTable)\(trackPictures)\(settings)</main>
      </body>
      </html>

      """
  }

  private var rejected: Int { report.rejections.values.reduce(0) { $0.addingReportingOverflow($1).partialValue } }

  private var cards: String {
    var cards = [
      ("exchanges", NumberText.count(report.updates + rejected)), ("updates", NumberText.count(report.updates)),
      ("rejected", NumberText.count(rejected)),
      (
        "skipped input",
        NumberText.count(report.skippedInput.values.reduce(0) { $0.addingReportingOverflow($1).partialValue })
      ),
    ]
    if let median = report.distanceErrors.quantile(0.5) { cards.append(("median delivered error", length(median))) }
    if let tail = report.distanceErrors.quantile(0.9) { cards.append(("90 % below", length(tail))) }
    if let variance = report.normalisedErrors.variance {
      cards.append(("normalised variance", NumberText.fixed(variance, decimals: 2)))
    }
    let items = cards.map { name, value in
      "<div><b>\(Markup.escape(value))</b><span>\(Markup.escape(name))</span></div>\n"
    }
    return "<div class=\"cards\">\n" + items.joined() + "</div>\n"
  }

  private var losses: String {
    var parts = ""
    for (heading, counts) in [("Rejected exchanges", report.rejections), ("Skipped input", report.skippedInput)]
    where !counts.isEmpty {
      let rows = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { [$0.key, NumberText.count($0.value)] }
      parts += "<section><h2>\(heading)</h2>\n" + table(["reason", "count"], rows) + "</section>\n"
    }
    return parts.isEmpty ? "" : "<div class=\"pair\">\n" + parts + "</div>\n"
  }

  private var errors: String {
    guard let figure = ReplayReportPictures(report: report).errors else { return "" }
    let rows = [
      ("raw", report.rawErrors), ("calibrated", report.calibratedErrors), ("delivered", report.distanceErrors),
      ("chip's own", report.chipErrors),
    ].filter { $0.1.count > 0 }.map { name, errors in [name] + figures(errors, unit: length) }
    let angles = [("azimuth", report.azimuthErrors), ("elevation", report.elevationErrors)]
      .filter { $0.1.count > 0 }.map { name, errors in [name] + figures(errors, unit: degrees) }
    let heading = ["error", "count", "mean", "rms", "median |e|", "90 % |e|", "largest |e|"]
    return "<section><h2>Against the truth</h2>\n" + table(heading, rows + angles)
      + "<p class=\"note\">Raw is one exchange alone; calibrated, less what the calibration knows of it; delivered, tracked over the exchanges.</p>\n"
      + honesty
      + figure.element(prefix: "e", hasStyle: false) + "</section>\n"
  }

  private var honesty: String {
    let errors = report.normalisedErrors
    guard errors.count > 1, let variance = errors.variance else { return "" }
    let parts = [errors.withinOne, errors.withinTwo].map {
      NumberText.fixed(100 * Double($0) / Double(errors.count), decimals: 1) + " %"
    }
    return
      "<p>\(parts[0]) of the delivered distances are within one stated deviation of the truth (68.3 % if errors are normal), "
      + "\(parts[1]) within two (95.4 %). The error over its deviation has mean \(NumberText.fixed(errors.mean, decimals: 2)) and variance \(NumberText.fixed(variance, decimals: 2)); honest deviations give 0 and 1.</p>\n"
  }

  private func figures(_ errors: ErrorStatistics, unit: (Double) -> String) -> [String] {
    [
      NumberText.count(errors.count), unit(errors.mean), errors.rootMeanSquare.map(unit) ?? "–",
      errors.quantile(0.5).map(unit) ?? "–", errors.quantile(0.9).map(unit) ?? "–", unit(errors.largest),
    ]
  }

  private var trackTable: String {
    guard !report.tracks.isEmpty else { return "<p>No exchange came.</p>\n" }
    var all = report.tracks
    if report.unlisted.updates + report.unlisted.rejected > 0 { all.append(report.unlisted) }
    let hasCaptures = all.contains { $0.name.capture != nil }
    let hasTruth = report.distanceErrors.count > 0
    let hasChip = report.chipErrors.count > 0
    let hasSight = all.contains { $0.lineOfSight.count > 0 }
    var heading = hasCaptures ? ["capture", "peer"] : ["peer"]
    heading += ["updates", "rejected", "delivered distance", "spread", "stated σ", "SNR"]
    if hasSight { heading.append("LOS") }
    if hasTruth { heading += ["delivered error", "rms"] }
    if hasChip { heading += ["chip's error", "rms"] }
    let rows = all.map { track in
      var row = hasCaptures ? [track.name.capture ?? "", track.name.peer] : [track.name.peer]
      row += [NumberText.count(track.updates), NumberText.count(track.rejected)]
      row += [track.distance.meanIfAny, track.distance.deviation, track.deviation.meanIfAny].map {
        $0.map(length) ?? "–"
      }
      row.append(track.snrdB.meanIfAny.map { NumberText.fixed($0, decimals: 1) + " dB" } ?? "–")
      if hasSight { row.append(track.lineOfSight.meanIfAny.map { NumberText.fixed($0, decimals: 2) } ?? "–") }
      for (isShown, errors) in [(hasTruth, track.distanceErrors), (hasChip, track.chipErrors)] where isShown {
        row += [errors.count > 0 ? length(errors.mean) : "–", errors.rootMeanSquare.map(length) ?? "–"]
      }
      return row
    }
    return "<section><h2>Peers</h2>\n" + table(heading, rows, names: hasCaptures ? 2 : 1)
      + "<p class=\"note\">Means over the track; spread is the standard deviation of the delivered distance.</p></section>\n"
  }

  private var trackPictures: String {
    let drawn = report.tracks.filter { $0.isDrawn }
    let pictures = ReplayReportPictures(report: report)
    let parts = drawn.enumerated().map { index, track in
      // Many pictures at once are hard to find one's way in: the first few are open, the rest a click away.
      let open = index < 4 ? " open=\"open\"" : ""
      let run = track.pointsPerRun(of: .distance)
      let note =
        run > 1
        ? "<p class=\"note\">Long track: of every \(NumberText.count(run)) points the lowest and the highest are drawn.</p>\n"
        : ""
      return "<details\(open)>\n<summary>\(Markup.escape(track.name.text))</summary>\n" + note
        + pictures.figure(of: track).element(prefix: "t\(index)p", hasStyle: false) + "</details>\n"
    }
    let more = report.tracks.count - drawn.count
    let note = more > 0 ? "<p class=\"note\">\(NumberText.count(more)) more are listed above but not drawn.</p>\n" : ""
    return parts.isEmpty ? "" : "<section><h2>Over time</h2>\n" + parts.joined() + note + "</section>\n"
  }

  private var settings: String {
    guard !report.settings.isEmpty else { return "" }
    return "<section><h2>Settings</h2>\n"
      + table(["setting", "value"], report.settings.map { [$0.name, $0.value] }, names: 2)
      + "</section>\n"
  }

  /// The first `names` columns hold text, the others numbers.
  private func table(_ heading: [String], _ rows: [[String]], names: Int = 1) -> String {
    func cells(_ row: [String], _ tag: String) -> String {
      row.enumerated().map { index, text in
        "<\(tag)\(index < names ? "" : " class=\"n\"")>\(Markup.escape(text))</\(tag)>"
      }.joined()
    }
    return "<div class=\"wide\"><table>\n<thead><tr>\(cells(heading, "th"))</tr></thead>\n<tbody>\n"
      + rows.map { "<tr>\(cells($0, "td"))</tr>\n" }.joined() + "</tbody>\n</table></div>\n"
  }

  private func length(_ value: Double) -> String { NumberText.fixed(value, decimals: 3) + " m" }

  private func degrees(_ value: Double) -> String { NumberText.fixed(value * 180 / .pi, decimals: 1) + "°" }

  private static let css = """
    body{margin:0;background:#fff;color:#1f2328;font:14px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue","DejaVu Sans",sans-serif}
    main{max-width:1000px;margin:0 auto;padding:16px 20px 60px}
    h1{font-size:24px;margin:12px 0;overflow-wrap:anywhere}
    h2{font-size:17px;margin:28px 0 8px}
    .uwb{display:block;max-width:100%;height:auto}
    .cards{display:flex;flex-wrap:wrap;gap:10px}
    .cards div{border:1px solid #d1d9e0;border-radius:6px;padding:8px 14px}
    .cards b{display:block;font-size:20px;font-variant-numeric:tabular-nums}
    .cards span,.note{color:#59636e;font-size:13px}
    .pair{display:flex;flex-wrap:wrap;gap:0 40px}
    .wide{overflow-x:auto}
    table{border-collapse:collapse;font-size:13px}
    th,td{padding:4px 12px 4px 0;text-align:left;border-bottom:1px solid #e4e8ec;white-space:nowrap;max-width:40em;overflow:hidden;text-overflow:ellipsis}
    th{font-weight:600;color:#59636e}
    .n{text-align:right;font-variant-numeric:tabular-nums;padding:4px 0 4px 12px}
    details{margin:8px 0;border-top:1px solid #e4e8ec;padding-top:6px}
    summary{cursor:pointer;font-weight:600;overflow-wrap:anywhere}
    @media (prefers-color-scheme:dark){
    body{background:#0d1117;color:#e6edf3}
    .cards div{border-color:#3d444d}
    .cards span,.note,th{color:#9198a1}
    th,td,details{border-color:#2a3139}
    }
    """
}
