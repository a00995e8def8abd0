import ArgumentParser
import UWBDSP

/// One machine's share of a capture's exchanges: every `count`-th, beginning with the `number`-th.
struct Shard: Hashable, Codable, CustomStringConvertible {
  /// From 1 to `count`.
  var number: Int
  var count: Int

  /// Reads `i/n`.
  @Sendable
  static func read(_ text: String) throws -> Shard {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let number = Int(parts[0]), let count = Int(parts[1]), OptionRange.shards.contains(count),
      (1...count).contains(number)
    else {
      throw ValidationError("Give i/n, as in 2/3: n from \(OptionRange.shards.help), i from 1 to n.")
    }
    return Shard(number: number, count: count)
  }

  /// Whether it measures the exchange at `place` in a capture, from 0 on.
  func holds(_ place: Int) -> Bool { place % count == firstPlace }

  /// Place of its first exchange.
  var firstPlace: Int { number - 1 }

  var description: String { "\(number)/\(count)" }
}
