import Testing

@testable import UWBLive

@Suite struct LiveMetricsTests {
  private var text: String {
    var state = LiveState(title: "t", kind: .replay, devices: ["a\"\\\n"])
    state.countExchange(now: 0)
    state.counts.updates = 7
    state.counts.rejected = ["noFirstPath": 2, "beyondLimits": 1]
    state.counts.seconds = 3.25
    var peer = LivePeer(name: "0001")
    peer.distance = 2.5
    state.update(peer, of: "a\"\\\n", now: 0)
    peer = LivePeer(name: "0002")
    peer.distance = .nan
    state.update(peer, of: "a\"\\\n", now: 0)
    var server = LiveServerCounts()
    server.pageClients = 4
    server.droppedLines = 5
    server.answers = [200: 6, 403: 1]
    return LiveMetrics(state: state, lines: 9, overrun: 0, server: server).text
  }

  @Test("known counts in the text format")
  func values() {
    let lines = Set(text.split(separator: "\n").map(String.init))
    for line in [
      "uwb_exchanges_total 1", "uwb_updates_total 7", #"uwb_rejected_total{reason="beyondLimits"} 1"#,
      #"uwb_rejected_total{reason="noFirstPath"} 2"#, "uwb_seconds 3.25", "uwb_ended 0.0", "uwb_lines_total 9",
      #"uwb_clients{stream="live"} 4"#, "uwb_dropped_lines_total 5", #"uwb_answers_total{status="403"} 1"#,
      #"uwb_distance_meters{device="a\"\\\n",peer="0001"} 2.5"#,
    ] {
      #expect(lines.contains(line), "\(line) is not in\n\(text)")
    }
    #expect(!text.contains("0002"))
  }

  @Test("each sample follows the help and type of its family")
  func format() {
    var family = ""
    for line in text.split(separator: "\n") {
      if line.hasPrefix("# HELP ") { family = String(line.split(separator: " ")[2]) }
      if line.hasPrefix("#") {
        #expect(line.split(separator: " ")[2] == family, "\(line)")
      } else {
        #expect(line.hasPrefix(family + " ") || line.hasPrefix(family + "{"), "\(line)")
        #expect(line.split(separator: " ").last.flatMap { Double($0) } != nil, "\(line)")
      }
    }
    #expect(text.hasSuffix("\n"))
  }
}
