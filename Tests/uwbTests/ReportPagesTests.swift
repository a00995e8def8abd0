import Foundation
import TestSupport
import Testing
import UWBCapture
import uwb

/// `--report` of every verb that has one, as a user runs it. What a browser makes of the pages is tested by `scripts/test-pages`.
@Suite("pages of --report")
struct ReportPagesTests {
  /// A page's text and the data of its charts and pictures.
  struct Written {
    let html: String
    let data: [String: Any]

    init(_ path: String) throws {
      html = try String(contentsOfFile: path, encoding: .utf8)
      let parts = html.components(separatedBy: "<script type=\"application/json\" id=\"data\">")
      try #require(parts.count == 2)
      let json = try #require(parts[1].components(separatedBy: "</script>").first)
      data = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
    }

    /// Without scripts.
    var markup: String {
      let parts = html.components(separatedBy: "<script")
      return parts[0] + parts.dropFirst().map { $0.components(separatedBy: "</script>").last ?? "" }.joined()
    }
    var groups: [[String: Any]] { data["groups"] as? [[String: Any]] ?? [] }
    var pictures: [[String: Any]] { data["pictures"] as? [[String: Any]] ?? [] }
    var titles: [String] {
      groups.flatMap { $0["charts"] as? [[String: Any]] ?? [] }.compactMap { $0["title"] as? String }
    }
    var bars: [[String: Any]] { pictures.first?["bars"] as? [[String: Any]] ?? [] }
  }

  struct Kind: Sendable, CustomTestStringConvertible {
    let arguments: [String]
    /// Of the page's text.
    var texts: [String] = []
    /// Of its charts.
    var charts: [String] = []
    var pictures = 0
    var status: Int32 = 0
    /// Times that are measured differ from run to run.
    var isRepeatable = true
    var testDescription: String { arguments.prefix(2).joined(separator: " ") }
  }

  static let kinds = [
    Kind(
      arguments: ["paths", "walk.sigmf-meta", "--output", "csv"],
      texts: ["732 impulse responses", "found in 732", "poll, antenna 0", "SHA-512", "adaptive", "radio ideal"],
      charts: ["Impulse response about the first path", "First path", "Amplitude", "Signal", "Line of sight"]),
    Kind(
      arguments: ["inspect", "walk.sigmf-meta", "--exchange", "5", "--message", "final"],
      texts: ["Exchange 5 of walk.sigmf-meta", "CIR of the final: first path", "Paths of final", "<h2>poll</h2>"],
      charts: ["Whole response", "Leading edge", "Whole response", "Leading edge"]),
    Kind(
      arguments: ["inspect", "table.csv"], texts: ["raw distance 2.000 m", "All of it, as in the terminal"], pictures: 1
    ),
    Kind(
      arguments: ["evaluate", "delay", "--paths", "0:0dB", "--channel", "awgn", "--snr", "20,30", "--trials", "5"]
        + ["--estimators", "edge-fit,peak"],
      texts: ["2 estimators on 2 channels at 20, 30 dB, 5 trials each.", "rmse_m", "least-squares fit"],
      charts: ["RMS error"]),
    Kind(
      arguments: [
        "evaluate", "delay", "--channel", "awgn", "--snr", "25", "--trials", "5", "--estimators", "edge-fit",
      ],
      texts: ["1 estimator on awgn at 25 dB", "times the bound"], pictures: 1),
    Kind(
      arguments: ["evaluate", "angle", "--snr", "10,20", "--trials", "5", "--estimators", "music"],
      texts: ["1 estimator on ula8", "direction: music"], charts: ["RMS error of azimuth"]),
    Kind(
      arguments: ["evaluate", "arena", "--families", "one-path,soft", "--trials", "8"],
      texts: ["of 2 families, 8 trials each", "crossing_ratio", "families within their limits"], pictures: 3),
    Kind(
      arguments: ["evaluate", "ranging", "walk.sigmf-meta", "other.sigmf-meta", "--cross-validate", "--walks", "2"],
      texts: ["Half of the delivered distances are within", "simulated walks: trouble", "left out in turn"],
      charts: [
        "Share of errors up to each size", "Error over its stated standard deviation",
        "Antenna delays and power bias, held out",
      ]),
    Kind(
      arguments: ["evaluate", "scenarios", "room.yaml"],
      texts: ["1 scenario, ", "1 of 2 expected events came in time", "Not all holds.", "did not come"], pictures: 2,
      status: 1),
    Kind(
      arguments: ["evaluate", "sessions", "--sessions", "5", "--rate", "20", "--seconds", "0.5"],
      texts: ["5 sessions received", "latency_p99_ms"], pictures: 1, isRepeatable: false),
    Kind(
      arguments: ["calibrate", "pulse", "walk.sigmf-meta", "--out", "pulse.json"],
      texts: ["Pulse of 732 CIRs", "phase_share"], charts: ["Pulse"]),
    Kind(
      arguments: ["calibrate", "delay", "walk.sigmf-meta", "other.sigmf-meta", "--out", "delay.json"],
      texts: ["244 distances of 2 captures.", "rms before and", "How it was chosen"],
      charts: ["Antenna delays and power bias, held out"]),
    Kind(
      arguments: ["calibrate", "angle", "walk.sigmf-meta", "--out", "angle.json"],
      texts: ["Held out, the azimuth is off by", "Gains of the antennas", "not calibrated"],
      charts: ["Error of the azimuth", "Error of the elevation"], pictures: 1),
    Kind(
      arguments: ["calibrate", "simulated", "--sites", "30", "--seed", "3"],
      texts: ["Trained on 30 simulated sites"], charts: ["Stated probability against what was so"], pictures: 1),
    Kind(arguments: ["calibrate", "first-path", "--trials", "12"], texts: ["Trained on"], pictures: 1),
    Kind(
      arguments: ["calibrate", "export", "known.json", "--to", "text"],
      texts: ["All parts of the calibration are in the exported file.", "device a0"], pictures: 1),
    Kind(
      arguments: ["simulate", "room.yaml", "--live"],
      texts: ["Room &lt;img src=x&gt;", "of 2 devices", "&lt;b&gt;anna · bert", "Half of the delivered distances"],
      charts: ["Distance", "Error of the distance", "Direction"], pictures: 1),
  ]

  /// Names that look like markup; bert never comes within two metres of a wall of his.
  private static let room = """
    name: "<img src=x>"
    duration_s: 4
    devices:
      - {name: "<b>anna", motion: {position_m: [0, 1, 0]}, facing: {yaw_deg: 0}, sessions: [bert]}
      - {name: bert, motion: {position_m: [1, 1, -4]}, facing: {yaw_deg: 180}, sessions: ["<b>anna"]}
    expect:
      - {device: "<b>anna", peer: bert, event: started, at_s: 0}
      - {device: "<b>anna", peer: bert, event: invalidated, at_s: 2}
    """

  private static func inputs() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    for (name, seed) in [("walk", "1"), ("other", "2")] {
      #expect(try UwbProcess.run("simulate", "walk", "--out", folder.path(name), "--seed", seed).status == 0)
    }
    for (name, text) in [
      ("room.yaml", room), ("table.csv", "distance_m,peer\n2,1\n3,1\n"),
      (
        "known.json",
        #"{"version":2,"delay":{"devices":[{"address":"a0","delay_s":1e-9}],"line_of_sight":{"power_dbm":[],"bias_m":[],"deviation_m":0.1}}}"#
      ),
    ] { try text.write(toFile: folder.path(name), atomically: true, encoding: .utf8) }
    return folder
  }

  @Test("a sentence, a picture or charts, and how it was made; the same bytes again", arguments: kinds)
  func page(_ kind: Kind) throws {
    let folder = try Self.inputs()
    let files = Set(try FileManager.default.contentsOfDirectory(atPath: folder.url.path))
    let arguments = kind.arguments.map {
      files.contains($0) || $0.hasSuffix(".json") ? folder.path($0) : $0
    }
    func write() throws -> Written {
      let run = try UwbProcess.run(arguments + ["--report", folder.path("page.html")])
      #expect(run.status == kind.status, "\(run.errors)")
      return try Written(folder.path("page.html"))
    }
    let page = try write()
    let words = page.html.replacing("\u{a0}", with: " ")
    for text in kind.texts { #expect(words.contains(text), "\(text)") }
    for title in kind.charts { #expect(page.titles.contains(title), "\(title) in \(page.titles)") }
    #expect(page.pictures.count == kind.pictures)
    // The first screen: a sentence, and one of the two beneath it.
    let top = try #require(page.html.components(separatedBy: "<nav").first)
    #expect(top.contains("<p class=\"lede\">") && !top.contains("<p class=\"lede\"></p>"))
    #expect(top.contains("data-picture=\"0\"") || top.contains("data-group=\"0\""))
    for fact in ["Command", "Program"] { #expect(page.html.contains("<th scope=\"row\">\(fact)</th>"), "\(fact)") }
    #expect(page.html.contains("uwb \(kind.arguments[0]) ") && !page.html.contains("Made on"))
    for name in arguments where name.hasPrefix(folder.path("")) && !name.hasSuffix("json") {
      #expect(page.html.contains("SHA-512 \(try Self.hash(name))"), "\(name)")
    }
    #expect(!page.markup.contains("<img") && !page.markup.contains("<b>"))
    #expect(page.html.components(separatedBy: "</script>").count == 4)
    if kind.isRepeatable { #expect(try write().html == page.html) }
  }

  private static func hash(_ path: String) throws -> String { try #require(try captureHash(path)) }

  @Test("of a capture, its name and paths are text, whatever they look like")
  func hostileNames() throws {
    let folder = try TemporaryFolder()
    let name = "<img src=x onerror=alert(1)>&\"'"
    #expect(try UwbProcess.run("simulate", "still", "--out", folder.path("a")).status == 0)
    for ending in ["meta", "data"] {
      try FileManager.default.moveItem(
        atPath: folder.path("a.sigmf-\(ending)"), toPath: folder.path("\(name).sigmf-\(ending)"))
    }
    let capture = folder.path("\(name).sigmf-meta")
    for verb in [
      ["replay", capture], ["paths", capture], ["inspect", capture], ["evaluate", "ranging", capture],
      ["calibrate", "pulse", capture, "--out", folder.path("p.json")],
    ] {
      let run = try UwbProcess.run(verb + ["--report", folder.path("page.html")])
      #expect(run.status == 0, "\(run.errors)")
      let page = try Written(folder.path("page.html"))
      #expect(page.html.contains("&lt;img src=x onerror=alert(1)&gt;&amp;") && !page.markup.contains("<img"), "\(verb)")
      #expect(page.html.components(separatedBy: "</script>").count == 4)
    }
  }

  @Test("--report of simulate goes with --live, and --report-date with --report")
  func wrongUsage() throws {
    let folder = try Self.inputs()
    let live = try UwbProcess.run(
      "simulate", folder.path("room.yaml"), "--out", folder.path("x"), "--device", "bert", "--report", folder.path("p"))
    #expect(live.status == 64 && live.errors.contains("--report shows what --live prints"))
    #expect(try UwbProcess.run("paths", "x", "--report-date").status == 64)
  }

  @Test("errors of the arena stand beside the crossing's and the limit")
  func arena() throws {
    let folder = try TemporaryFolder()
    let run = try UwbProcess.run(
      "evaluate", "arena", "--families", "one-path", "--trials", "20", "--output", "ndjson", "--report",
      folder.path("p"))
    #expect(run.status == 0, "\(run.errors)")
    let row = try #require(try run.events().first)
    let bar = try #require(try Written(folder.path("p")).bars.first)
    let own = try #require(row["rms_cm"] as? Double)
    let crossing = try #require(row["crossing_cm"] as? Double)
    // The limit is 1 of the crossing's.
    for (name, expected) in [
      ("value", own), ("low", min(own, crossing)), ("high", max(own, crossing)), ("mark", crossing),
    ] {
      let drawn = try #require(bar[name] as? Double)
      #expect(abs(drawn - expected) < 0.01, "\(name)")
    }
  }
}
