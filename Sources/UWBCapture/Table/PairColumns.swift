import Foundation
import UWBTypes

/// Columns of a wide table of ranges: each a pair of radios, `a0-t2`, `A1_T0`, or an anchor alone, `anchor3`, `d_12`.
struct PairColumns: Hashable, Sendable {
  struct Pair: Hashable, Sendable {
    var column: TableColumns.Column
    var peer: DeviceAddress
    var local: DeviceAddress?
  }

  var pairs: [Pair] = []

  private static let anchors: Set<String> = [
    "a", "anchor", "d", "dist", "distance", "r", "range", "beacon", "b", "node", "n", "responder", "tof",
  ]
  private static let tags: Set<String> = ["t", "tag", "initiator", "i", "mobile", "m"]

  /// Told by names.
  init(header: [String], unit: TableUnit?) {
    for (index, name) in header.enumerated() {
      guard let pair = Self.pair(name) else { continue }
      let unit = unit ?? TableColumns.parse(name).unit
      guard let factor = unit.map({ $0.factor(as: .length) }) ?? 1 else { continue }
      pairs.append(
        Pair(
          column: TableColumns.Column(index: index, factor: factor, hasUnit: unit != nil), peer: pair.peer,
          local: pair.local))
    }
    if pairs.count < 2 || Set(pairs.map { [$0.peer, $0.local] }).count < pairs.count { pairs = [] }
  }

  /// Columns without names, after the first, which is the time: anchor by anchor, with each of its tags in turn.
  init(count: Int, unit: TableUnit?, anchors: [DeviceAddress], tags: [DeviceAddress]) {
    let factor = unit?.factor(as: .length) ?? 1
    let isPairs = !tags.isEmpty && anchors.count * tags.count == count - 1
    pairs = (1..<max(1, count)).map { index in
      let place = index - 1
      return Pair(
        column: TableColumns.Column(index: index, factor: factor, hasUnit: unit != nil),
        peer: isPairs
          ? anchors[place / tags.count]
          : anchors.count == count - 1 ? anchors[place] : DeviceAddress(rawValue: UInt64(place)),
        local: isPairs ? tags[place % tags.count] : tags.count == 1 ? tags[0] : nil)
    }
  }

  private static func pair(_ name: String) -> (peer: DeviceAddress, local: DeviceAddress?)? {
    var parts = name.lowercased().split { !($0.isLetter || $0.isNumber) }.map(String.init)
    if parts.count > 1, let last = parts.last, TableUnit.named(last) != nil { parts.removeLast() }
    // A word before the numbers, as in range_a0_t1 or dist_3.
    var word = ""
    if parts.count > 1, let first = parts.first, anchors.contains(first) {
      word = first
      parts.removeFirst()
    }
    let numbered = parts.map { part -> (kind: String, number: UInt64)? in
      let letters = part.prefix { $0.isLetter }
      guard let number = UInt64(part.dropFirst(letters.count)) else { return nil }
      return (letters.isEmpty ? word : String(letters), number)
    }
    guard let first = numbered.first ?? nil, numbered.count <= 2, anchors.contains(first.kind) || numbered.count == 2
    else { return nil }
    guard numbered.count == 2 else { return (DeviceAddress(rawValue: first.number), nil) }
    guard let second = numbered[1], anchors.contains(first.kind) || tags.contains(first.kind),
      second.kind.isEmpty || second.kind == word || anchors.contains(second.kind) || tags.contains(second.kind)
    else { return nil }
    let (peer, local) = tags.contains(first.kind) ? (second.number, first.number) : (first.number, second.number)
    return (DeviceAddress(rawValue: peer), DeviceAddress(rawValue: local))
  }
}
