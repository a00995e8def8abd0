import ArgumentParser
import Foundation
import UWBCapture
import UWBDSP

/// What a number option may be: its range, the way it is read and the message where it is not, in one place.
enum OptionRange {
  /// More threads than any machine has cores would only take memory.
  static let threads = 1...256
  static let defaultThreads = min(ProcessInfo.processInfo.activeProcessorCount, threads.upperBound)
  static let trials = 1...1_000_000
  static let walks = 0...100_000
  static let snapshots = 1...100_000
  /// Megabytes of a recording: up to a petabyte.
  static let split = 1...1_000_000_000
  static let seed = UInt64.min...UInt64.max
  static let exchange = CaptureLimits.exchangeIndex
  static let shards = 1...1 << 20
  static let sessions = 1...100_000
  static let stalled = 0...100_000
  /// Of ridge regressions.
  static let lambda = 1e-12...1e12
  /// Standard deviations of distances, m.
  static let deviation = 1e-9...1e3
  /// Seconds that something lasts: up to a day.
  static let seconds = 1e-3...86_400
  /// Times a second.
  static let rate = 1e-3...1000
  /// From tap to tap, ns.
  static let tapSpacing = EngineLimits.tapSpacing.lowerBound * 1e9...EngineLimits.tapSpacing.upperBound * 1e9
  static let fieldOfView = 0.1...90.0

  /// Reads a scale: of either sign.
  @Sendable
  static func scale(_ text: String) throws -> Float {
    let range = CaptureLimits.scale
    guard let value = Float(text), range.contains(abs(value)) else {
      throw ValidationError("Give a number from \(range.lowerBound) to \(range.upperBound), or its negative.")
    }
    return value
  }

  /// A reader of numbers in `range`, for an option's `transform`.
  static func reader<Value: LosslessStringConvertible & Comparable & Sendable>(
    _ range: ClosedRange<Value>
  ) -> @Sendable (String) throws -> Value {
    { text in
      guard let value = Value(text), range.contains(value) else {
        throw ValidationError("Give a number from \(range.lowerBound) to \(range.upperBound).")
      }
      return value
    }
  }
}

extension ClosedRange where Bound: CustomStringConvertible {
  /// For help: “1 … 256”.
  var help: String { "\(lowerBound) … \(upperBound)" }
}
