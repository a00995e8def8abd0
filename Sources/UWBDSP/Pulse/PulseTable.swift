/// A pulse and its slope, tabulated so that all taps of a window are read in one run.
///
/// Every tap of a fit shares the path's fractional delay, so the table is laid out by fraction: row φ holds
/// p(k − φ/128) for k = −32 ..< 32 taps. A lookup blends two neighbouring rows; the error is below
/// max|p''|/(8·128²) ≈ 10⁻⁵ of the peak for the standard's pulse. Outside ±32 taps the pulse counts as zero.
package final class PulseTable: Sendable {
  private static let fractionBits = 7
  package static let fractions = 1 << fractionBits
  package static let reach = 32
  package static let rowTaps = 2 * reach

  /// Rows 0 ... 128, each of 64 values.
  package let values: [Double]
  /// Slopes −dp/dt per tap of *path delay*, that is dp(k − τ)/dτ.
  package let slopes: [Double]

  /// Tabulates `function`, whose argument is in taps.
  package init(_ function: (Double) -> Double) {
    let rows = Self.fractions + 1
    var values = [Double](repeating: 0, count: rows * Self.rowTaps)
    var slopes = values
    let step = 1.0 / 1024
    for row in 0..<rows {
      let fraction = Double(row) / Double(Self.fractions)
      for column in 0..<Self.rowTaps {
        let position = Double(column - Self.reach) - fraction
        values[row * Self.rowTaps + column] = function(position)
        let later = function(position + step)
        let earlier = function(position - step)
        slopes[row * Self.rowTaps + column] = (earlier - later) / (2 * step)
      }
    }
    self.values = values
    self.slopes = slopes
  }

  private struct Key: Equatable {
    var shape: PulseShape
    var tapSpacing: Double
  }
  private static let kept = LatestFew<Key, PulseTable>(most: 4)

  /// The same numbers, in the same memory, for all who ask for this pulse. A table takes a millisecond to make, and memory that two threads
  /// or two stages share stays in the processor's cache.
  package convenience init(_ shape: PulseShape, tapSpacing: Double) {
    self.init(
      sharing: Self.kept.value(for: Key(shape: shape, tapSpacing: tapSpacing)) {
        PulseTable { shape($0 * tapSpacing) }
      })
  }

  package convenience init(_ receiver: ReceiverModel) { self.init(receiver.pulse, tapSpacing: receiver.tapSpacing) }

  private init(sharing other: PulseTable) {
    values = other.values
    slopes = other.slopes
  }

  /// Energy of the taps of a pulse over the power of its peak, mean over the fractions.
  package var meanEnergy: Double {
    values.prefix(Self.fractions * Self.rowTaps).reduce(0) { $0 + $1 * $1 } / Double(Self.fractions)
  }

  /// Whole taps of a delay, the row of its fraction, and the share of the row behind that. Delays so far out that no tap
  /// sees them needn't be told apart; NaN is one of these.
  ///
  /// Every tap row that a fit looks at passes here, so nothing is converted: adding 1.5·2⁵² leaves a number of this size
  /// rounded in the low bits of its own pattern. Half a row less makes that a rounding down.
  @inline(__always)
  package static func place(_ delay: Double) -> (whole: Int, row: Int, blend: Double) {
    let farthest = 0x1p32
    let above = delay > -farthest ? delay : -farthest
    let position = (above < farthest ? above : farthest) * Double(fractions)
    let rounding = 0x1.8p52
    let rounded = position - 0.5 + rounding
    let rows = Int(bitPattern: UInt(rounded.bitPattern &- rounding.bitPattern))
    return (rows >> fractionBits, rows & (fractions - 1), position - (rounded - rounding))
  }

  /// Where a row of the table begins, values and slopes, at the column of tap 0.
  package struct Row {
    var values: UnsafePointer<Double>
    var slopes: UnsafePointer<Double>
  }

  /// The rows round the fraction of `delay`: column k holds p(k − τ) of the earlier one, column k + `rowTaps` that of the
  /// next, which weighs as much as the second number given to `body`.
  ///
  /// - Precondition: columns from 0 to the last that `body` reads lie within the rows, ±`reach` taps round the delay.
  @inline(__always)
  package func read<Result>(_ delay: Double, _ body: (Row, Double) -> Result) -> Result {
    let (whole, row, blend) = Self.place(delay)
    let start = row * Self.rowTaps + Self.reach - whole
    precondition(start >= 0 && start < values.count - Self.rowTaps, "a delay of \(delay) taps is outside the table")
    return values.withUnsafeBufferPointer { values in
      slopes.withUnsafeBufferPointer { slopes in
        guard let first = values.baseAddress, let firstSlope = slopes.baseAddress else {
          preconditionFailure("a table without a row")
        }
        return body(Row(values: first + start, slopes: firstSlope + start), blend)
      }
    }
  }

  /// Writes p(k − `delay`) for the `count` taps k = `first` ..< `first` + `count`.
  @inline(__always)
  package func evaluate(
    delay: Double, firstTap first: Int, count: Int, into value: UnsafeMutablePointer<Double>
  ) {
    lookup(values, delay: delay, firstTap: first, count: count, into: value)
  }

  /// Writes dp(k − τ)/dτ at τ = `delay`, as `evaluate` does for the pulse.
  @inline(__always)
  package func evaluateSlope(
    delay: Double, firstTap first: Int, count: Int, into slope: UnsafeMutablePointer<Double>
  ) {
    lookup(slopes, delay: delay, firstTap: first, count: count, into: slope)
  }

  @inline(__always)
  private func lookup(
    _ table: [Double], delay: Double, firstTap first: Int, count: Int, into target: UnsafeMutablePointer<Double>
  ) {
    let (whole, row, blend) = Self.place(delay)
    // Column of tap `first`; taps outside the row's reach are zero.
    let start = first - whole + Self.reach
    let low = min(max(0, -start), count)
    let high = max(low, min(count, Self.rowTaps - start))
    for index in 0..<low { target[index] = 0 }
    table.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      let near = base + row * Self.rowTaps + start
      let far = near + Self.rowTaps
      var index = low
      while index + 4 <= high {
        let value = loadFour(near + index)
        storeFour(value + blend * (loadFour(far + index) - value), to: target + index)
        index += 4
      }
      while index < high {
        target[index] = near[index] + blend * (far[index] - near[index])
        index += 1
      }
    }
    for index in high..<count { target[index] = 0 }
  }
}
