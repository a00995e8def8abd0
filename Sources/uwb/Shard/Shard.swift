import ArgumentParser
import UWBDSP

/// One machine's share of a capture's exchanges: every `count`-th, beginning with the `number`-th.
struct Shard: Hashable, Codable, ExpressibleByArgument, CustomStringConvertible {
  /// From 1 to `count`.
  var number: Int
  var count: Int

  /// Reads `i/n`.
  init?(argument: String) {
    let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let number = Int(parts[0]), let count = Int(parts[1]), count >= 1, count <= 1 << 20,
      (1...count).contains(number)
    else { return nil }
    self.number = number
    self.count = count
  }

  /// Whether it measures the exchange that a capture counts as `index`.
  func holds(_ index: Int) -> Bool { index % count == number - 1 }

  var description: String { "\(number)/\(count)" }
}
