import Foundation
import NearbySession
import UWBDSP

/// What is known of each peer at one moment of a replay, as lines for people.
struct LivePeers {
  /// A peer that is gone stays that long, s of the capture's clock.
  private static let farewell = 5.0
  /// Rates are those of so many seconds.
  private static let rateWindow = 2.0
  /// Columns before the bar.
  private static let figureWidth = 65

  private struct Peer {
    var row: UpdateRow?
    var seen = 0.0
    var updates: [Double] = []
    var rejected = 0
    var gone: (time: Double, reason: String)?
  }

  private var peers: [UInt64: (address: DeviceAddress, peer: Peer)] = [:]
  private var time = 0.0
  private var updates = 0
  private var rejected = 0

  mutating func add(_ event: ReplayEvent) {
    let row = UpdateRow(event)
    time = max(time, row.time)
    var peer = peers[row.peer.rawValue]?.peer ?? Peer()
    switch row.event {
    case .update:
      updates += 1
      peer.row = row
      peer.seen = row.time
      peer.gone = nil
      peer.updates.append(row.time)
    case .rejected:
      rejected += 1
      peer.rejected += 1
      peer.seen = max(peer.seen, row.time)
    case .removed: peer.gone = (row.time, row.status)
    }
    peer.updates.removeAll { $0 < time - Self.rateWindow }
    peers[row.peer.rawValue] = (row.peer, peer)
    // A crowd that has walked by is not kept.
    if let gone = peer.gone, gone.time < time - Self.farewell { peers[row.peer.rawValue] = nil }
  }

  /// A heading, and a line a peer, `columns` wide and `rows` high at most.
  func lines(capture: String, columns: Int, rows: Int, hasColor: Bool) -> [String] {
    let shown = peers.values.filter { $0.peer.gone.map { $0.time >= time - Self.farewell } ?? true }
      .sorted { $0.address.rawValue < $1.address.rawValue }
    let longest = shown.compactMap { $0.peer.row?.distance }.max() ?? 1
    let scale = Self.scale(longest)
    var lines = [
      "\(capture)  \(text(time, 1)) s  \(shown.count) peers  \(updates) updates  \(rejected) rejected  bar to \(text(scale, 0)) m"
    ]
    for (index, entry) in shown.enumerated() {
      guard lines.count < rows || (index == shown.count - 1 && lines.count == rows) else {
        lines[lines.count - 1] = "… and \(shown.count - index + 1) more"
        break
      }
      lines.append(line(entry.address, entry.peer, scale: scale, columns: columns))
    }
    return lines.enumerated().map { index, line in
      let cut = String(line.prefix(max(columns, 1)))
      guard hasColor, index > 0, index <= shown.count else { return cut }
      let peer = shown[index - 1].peer
      if peer.gone != nil { return TextColor.dim.applied(to: cut) }
      return peer.row?.status == "outlier" ? TextColor.yellow.applied(to: cut) : cut
    }
  }

  private func line(_ address: DeviceAddress, _ peer: Peer, scale: Double, columns: Int) -> String {
    let name = "\(address)".padded(to: 16)
    if let gone = peer.gone { return "\(name)  gone: \(gone.reason)" }
    guard let row = peer.row else { return "\(name)  \(peer.rejected) rejected" }
    let distance =
      row.distance.map { "\(text($0, 2)) ± \(text(row.distanceDeviation, 2)) m" } ?? "no distance"
    let direction = row.azimuth.map { "\(Self.arrow($0)) \(text($0, 0))°" } ?? ""
    let span = max((peer.updates.last ?? 0) - (peer.updates.first ?? 0), 0)
    let rate = span > 0 ? "\(text(Double(peer.updates.count - 1) / span, 1)) Hz" : ""
    let age = "\(text(max(0, time - peer.seen), 1)) s"
    let figures =
      name + distance.indented(to: 18) + direction.indented(to: 8) + rate.indented(to: 10) + age.indented(to: 8) + "  "
    let room = max(0, min(columns - Self.figureWidth, 60))
    let share = (row.distance ?? 0) / scale
    let filled = share.isFinite ? Int((min(max(share, 0), 1) * Double(room)).rounded()) : 0
    return figures + String(repeating: "█", count: filled)
  }

  /// One event in words, where nothing is drawn in place.
  static func line(_ event: ReplayEvent) -> String {
    let row = UpdateRow(event)
    let start = "\(String(decimal: row.time, places: 3)) s  \(row.peer)  "
    guard row.event == .update else { return start + "\(row.event.rawValue): \(row.status)" }
    let distance =
      row.distance.map {
        "\(String(decimal: $0, places: 3)) ± \(String(decimal: row.distanceDeviation, places: 3)) m"
      } ?? "no distance"
    let direction = row.azimuth.map {
      "  azimuth \(String(decimal: $0, places: 1)) ± \(String(decimal: row.azimuthDeviation, places: 1))°"
    }
    return start + distance + (direction ?? "") + (row.status == "ok" ? "" : "  \(row.status)")
  }

  /// Where azimuth, positive to the right, points on a page whose top is ahead.
  static func arrow(_ degrees: Double) -> Character {
    let arrows: [Character] = ["↑", "↗", "→", "↘", "↓", "↙", "←", "↖"]
    guard degrees.isFinite, abs(degrees) <= 1e6 else { return "?" }
    let eighth = Int((degrees / 45).rounded()) % 8
    return arrows[(eighth + 8) % 8]
  }

  /// 1, 2 or 5 times a power of ten.
  private static func scale(_ longest: Double) -> Double {
    guard longest.isFinite else { return 1 }
    var power = 1.0
    while power < 1e9 {
      for step in [1.0, 2, 5] where step * power >= longest { return step * power }
      power *= 10
    }
    return power
  }

  private func text(_ value: Double?, _ places: Int) -> String { String(decimal: value, places: places) }
}
