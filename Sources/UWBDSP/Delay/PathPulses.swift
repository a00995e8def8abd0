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
  let usesVectorUnits: Bool
  /// 1 inside the window, 0 behind it, for a column's last vector.
  private let ending: SIMD8<Float>

  /// - Parameter usesVectorUnits: whether `CUWBKernels` is to do the work, where the machine can; the path fits ask here.
  init(_ table: PulseTable, windowTaps: Int, usesVectorUnits: Bool = VectorUnits.areThere) {
    self.usesVectorUnits = usesVectorUnits && VectorUnits.areThere
    self.windowTaps = windowTaps
    vectors = (windowTaps + Self.lanes - 1) / Self.lanes
    values = AlignedBuffer(count: table.values.count, zero: 0)
    slopes = AlignedBuffer(count: table.slopes.count, zero: 0)
    for index in table.values.indices {
      values.pointer[index] = Float(table.values[index])
      slopes.pointer[index] = Float(table.slopes[index])
    }
    var ending = SIMD8<Float>(repeating: 1)
    for lane in 0..<vectors * Self.lanes - windowTaps { ending[Self.lanes - 1 - lane] = 0 }
    self.ending = ending
  }

  /// Numbers from one column to the next.
  var stride: Int { vectors * Self.lanes }

  /// Writes p(k − `delay`) for the window's taps.
  @inline(__always)
  func evaluate(delay: Double, into column: UnsafeMutablePointer<Float>) {
    lookup(values.pointer, delay, column)
  }

  /// Writes dp(k − τ)/dτ at τ = `delay`.
  @inline(__always)
  func evaluateSlope(delay: Double, into column: UnsafeMutablePointer<Float>) {
    lookup(slopes.pointer, delay, column)
  }

  /// Writes a column for each of `count` delays.
  func evaluate(delays: UnsafePointer<Double>, count: Int, into columns: UnsafeMutablePointer<Float>) {
    lookup(values.pointer, delays, count, columns)
  }

  /// Writes a column of slopes for each of `count` delays.
  func evaluateSlopes(delays: UnsafePointer<Double>, count: Int, into columns: UnsafeMutablePointer<Float>) {
    lookup(slopes.pointer, delays, count, columns)
  }

  private func lookup(
    _ table: UnsafePointer<Float>, _ delays: UnsafePointer<Double>, _ count: Int,
    _ columns: UnsafeMutablePointer<Float>
  ) {
    let isDone =
      usesVectorUnits
      && uwb_blend_rows(
        table, PulseTable.fractions, PulseTable.reach, delays, count, stride, windowTaps, columns)
    guard !isDone else { return }
    for index in 0..<count { lookup(table, delays[index], columns + index * stride) }
  }

  @inline(__always)
  private func lookup(_ table: UnsafePointer<Float>, _ delay: Double, _ column: UnsafeMutablePointer<Float>) {
    let (whole, row, fraction) = PulseTable.place(delay)
    let blend = Float(fraction)
    let start = PulseTable.reach - whole
    let near = table + row * PulseTable.rowTaps + start
    let far = near + PulseTable.rowTaps
    guard start >= 0, start + stride <= PulseTable.rowTaps else {
      for tap in 0..<stride {
        let isInside = tap < windowTaps && start + tap >= 0 && start + tap < PulseTable.rowTaps
        column[tap] = isInside ? near[tap] + blend * (far[tap] - near[tap]) : 0
      }
      return
    }
    var tap = 0
    while tap < stride {
      let value = loadEight(near + tap)
      storeEight(value + blend * (loadEight(far + tap) - value), to: column + tap)
      tap += Self.lanes
    }
    let last = column + stride - Self.lanes
    storeEight(loadEight(last) * ending, to: last)
  }
}
