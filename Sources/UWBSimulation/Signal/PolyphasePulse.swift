import UWBDSP

/// A pulse sampled at the tap spacing for a set of sub-tap positions (its polyphase rows), to draw it anywhere by four of them.
///
/// Row k holds p at the taps for a peak k/`phaseCount` of a tap (less one phase) after a tap. All taps of a pulse share
/// the sub-tap position, so third-order Lagrange weights over four rows are computed once for a pulse.
///
/// Error: the weights leave h⁴/42.7 · max|p⁗| (h = 1/64 tap): some 10⁻⁹ of the peak for the standard pulse, so single
/// precision's rounding (some 10⁻⁷) is what counts. Outside ±`halfWidth` taps the pulse is taken as 0, which leaves less than `truncation`
/// of the peak (or what the pulse has left 256 taps away).
struct PolyphasePulse: Sendable {
  static let phaseCount = 64
  private static let widestHalf = 256

  /// Taps on each side of the peak's tap that are drawn.
  let halfWidth: Int
  /// Samples in a row: 2 · halfWidth + 2.
  let rowLength: Int
  private let rows: [Float]
  /// The imaginary part, where the pulse is complex.
  private let imaginaryRows: [Float]?

  init(pulse: PulseShape, tapSpacing: Double, truncation: Double, frequencyDependence: FrequencyDependence? = nil) {
    var halfWidth = Self.widestHalf
    // Four looks a tap, as the pulse has a null at every second tap.
    while halfWidth > 2 {
      let isSmall = (0..<4).allSatisfy { quarter in
        let time = (Double(halfWidth) - Double(quarter) / 4) * tapSpacing
        return abs(pulse(time)) < truncation && abs(pulse(-time)) < truncation
      }
      guard isSmall else { break }
      halfWidth -= 1
    }
    self.halfWidth = halfWidth
    let rowLength = 2 * halfWidth + 2
    self.rowLength = rowLength
    let times = (0..<Self.phaseCount + 3).flatMap { row in
      (0..<rowLength).map { tap in
        (Double(tap - halfWidth) - Double(row - 1) / Double(Self.phaseCount)) * tapSpacing
      }
    }
    if let frequencyDependence {
      let values = times.map { frequencyDependence.apply(to: pulse, at: $0) }
      rows = values.map { Float($0.real) }
      imaginaryRows = values.map { Float($0.imaginary) }
    } else {
      rows = times.map { Float(pulse($0)) }
      imaginaryRows = nil
    }
  }

  /// Adds amplitude · p(n − position) to taps n of `output`; what falls outside is cut.
  func add(real: Double, imaginary: Double, position: Double, to output: UnsafeMutableBufferPointer<Float>) {
    let tapCount = output.count / 2
    // Compared before the conversion: a position far outside must not overflow Int.
    let reach = Double(halfWidth + 2)
    guard position > -reach, position < Double(tapCount) + reach else { return }
    let tap = position.rounded(.down)
    let scaled = (position - tap) * Double(Self.phaseCount)
    let phase = Int(scaled, within: 0...Self.phaseCount - 1)
    let u = scaled - Double(phase)
    let weights = SIMD4<Float>(
      SIMD4<Double>(
        -u * (u - 1) * (u - 2) / 6, (u + 1) * (u - 1) * (u - 2) / 2, -(u + 1) * u * (u - 2) / 2,
        (u + 1) * u * (u - 1) / 6))
    let start = Int(tap, within: -rowLength...tapCount + rowLength) - halfWidth
    let first = max(0, -start)
    let last = min(rowLength, tapCount - start)
    guard first < last else { return }
    let base = phase * rowLength
    Self.add(
      rows, from: base, stride: rowLength, weights: weights, range: first..<last, start: start,
      factor: SIMD2(Float(real), Float(imaginary)), to: output)
    if let imaginaryRows {
      // j·(a + jb) = −b + ja.
      Self.add(
        imaginaryRows, from: base, stride: rowLength, weights: weights, range: first..<last, start: start,
        factor: SIMD2(Float(-imaginary), Float(real)), to: output)
    }
  }

  private static func add(
    _ rows: [Float], from base: Int, stride: Int, weights: SIMD4<Float>, range: Range<Int>, start: Int,
    factor: SIMD2<Float>, to output: UnsafeMutableBufferPointer<Float>
  ) {
    rows.withUnsafeBufferPointer { rows in
      for index in range {
        let near =
          weights.x * rows[base + index] + weights.y * rows[base + stride + index]
          + weights.z * rows[base + 2 * stride + index] + weights.w * rows[base + 3 * stride + index]
        let out = 2 * (start + index)
        output[out] += factor.x * near
        output[out + 1] += factor.y * near
      }
    }
  }
}
