/// `GET /metrics`: the text format of Prometheus, version 0.0.4.
struct LiveMetrics {
  let state: LiveState
  let lines: Int
  let overrun: Int
  let server: LiveServerCounts

  var text: String {
    var text = ""
    func family(_ name: String, _ type: String, _ help: String, _ samples: [(labels: String, value: String)]) {
      text += "# HELP uwb_\(name) \(help)\n# TYPE uwb_\(name) \(type)\n"
      for sample in samples { text += "uwb_\(name)\(sample.labels) \(sample.value)\n" }
    }
    func counter(_ name: String, _ help: String, _ value: Int) { family(name, "counter", help, [("", "\(value)")]) }
    func gauge(_ name: String, _ help: String, _ value: Double) {
      family(name, "gauge", help, [("", Self.number(value))])
    }
    func counters(_ name: String, _ help: String, _ label: String, _ values: [String: Int]) {
      family(
        name, "counter", help,
        values.sorted { $0.key < $1.key }.map { ("{\(label)=\"\(Self.escaped($0.key))\"}", "\($0.value)") })
    }
    let counts = state.counts
    counter("exchanges_total", "Exchanges read.", counts.exchanges)
    counter("updates_total", "Updates delivered.", counts.updates)
    counters("rejected_total", "Rejected exchanges by reason.", "reason", counts.rejected)
    counters("removed_total", "Peers that left, by reason.", "reason", counts.removed)
    counters("skipped_input_total", "Skipped input by reason.", "reason", counts.skipped)
    counter("lines_total", "Lines of the ndjson stream.", lines)
    gauge("seconds", "Seconds of the stream's own clock.", counts.seconds)
    gauge("ended", "1 once the stream has ended.", state.end == nil ? 0 : 1)
    family("distance_meters", "gauge", "Last distance of each peer that is there.", distances)
    family(
      "clients", "gauge", "Connected clients: pages (live) and readers of the ndjson stream (events).",
      [("{stream=\"events\"}", "\(server.lineClients)"), ("{stream=\"live\"}", "\(server.pageClients)")])
    gauge("connections", "Open connections.", Double(server.connections))
    counter("connections_total", "Connections so far.", server.accepted)
    counter("connections_refused_total", "Connections closed because there were too many.", server.refused)
    counter("connections_timed_out_total", "Connections closed because their client was too slow.", server.timedOut)
    counter("dropped_lines_total", "Lines that slow clients did not get.", server.droppedLines)
    counter("dropped_states_total", "States that slow pages did not get.", server.droppedStates)
    counter("overrun_lines_total", "Lines that came faster than the server took them.", overrun)
    counters(
      "answers_total", "Answers by HTTP status.", "status",
      Dictionary(server.answers.map { ("\($0.key)", $0.value) }, uniquingKeysWith: +))
    return text
  }

  private var distances: [(labels: String, value: String)] {
    state.deviceNames.prefix(20).flatMap { device -> [(labels: String, value: String)] in
      let peers = (state.devices[device]?.peers.values).map(Array.init) ?? []
      return peers.filter { !$0.isGone }.sorted { $0.name < $1.name }.compactMap { peer in
        guard let distance = peer.distance, distance.isFinite else { return nil }
        return (
          "{device=\"\(Self.escaped(device))\",peer=\"\(Self.escaped(peer.name))\"}", Self.number(distance)
        )
      }
    }
  }

  private static func number(_ value: Double) -> String {
    value.isFinite ? "\((value * 1e6).rounded() / 1e6)" : "NaN"
  }

  /// As the format asks of a label's value.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    for character in text.unicodeScalars {
      switch character {
      case "\\": escaped += "\\\\"
      case "\"": escaped += "\\\""
      case "\n": escaped += "\\n"
      default: escaped.unicodeScalars.append(character)
      }
    }
    return escaped
  }
}
