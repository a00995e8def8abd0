import CUWBKernels

/// A pulse and its slope over the whole of a fit's window, in single precision and vectors of eight.
///
/// The same numbers as `PulseTable`, blended in the same way: what single precision rounds off is a hundredth of what blending does.
/// Columns are as long as `vectors`, and zero behind the window.
final class PathPulses {
  private static let lanes = 8

  let windowTaps: Int
  /// Vectors of a column.
  let vectors: Int
  private let values: AlignedBuffer<Float>
  private let slopes: AlignedBuffer<Float>

  init(_ table: PulseTable, windowTaps: Int) {
    self.windowTaps = windowTaps
    vectors = (windowTaps + Self.lanes - 1) / Self.lanes
    values = AlignedBuffer(count: table.values.count, zero: 0)
    slopes = AlignedBuffer(count: table.slopes.count, zero: 0)
    for index in table.values.indices {
      values.pointer[index] = Float(table.values[index])
      slopes.pointer[index] = Float(table.slopes[index])
    }
  }

  /// Numbers from one column to the next.
  var stride: Int { vectors * Self.lanes }

  /// Writes p(k − `delay`) for the window's taps.
  func evaluate(delay: Double, into column: UnsafeMutablePointer<Float>) {
    withUnsafePointer(to: delay) { evaluate(delays: $0, count: 1, into: column) }
  }

  /// Writes dp(k − τ)/dτ at τ = `delay`.
  func evaluateSlope(delay: Double, into column: UnsafeMutablePointer<Float>) {
    withUnsafePointer(to: delay) { evaluateSlopes(delays: $0, count: 1, into: column) }
  }

  /// Writes a column for each of `count` delays.
  func evaluate(delays: UnsafePointer<Double>, count: Int, into columns: UnsafeMutablePointer<Float>) {
    blend(values.pointer, delays, count, columns)
  }

  /// Writes a column of slopes, dp(k − τ)/dτ, for each of `count` delays.
  func evaluateSlopes(delays: UnsafePointer<Double>, count: Int, into columns: UnsafeMutablePointer<Float>) {
    blend(slopes.pointer, delays, count, columns)
  }

  private func blend(
    _ table: UnsafePointer<Float>, _ delays: UnsafePointer<Double>, _ count: Int,
    _ columns: UnsafeMutablePointer<Float>
  ) {
    uwb_blend_rows(table, PulseTable.fractions, PulseTable.reach, delays, count, stride, windowTaps, columns)
  }
}
