import Numerics

/// A transform of our own, for builds that must not contain FFTW (`UWB_WITHOUT_FFTW`).
///
/// Decimation in time, radix 4, from bit-reversed input (Cooley & Tukey, Math. Comput. 19, 1965; Van Loan, "Computational Frameworks for the
/// Fast Fourier Transform", 1992, section 2.4); an odd power of two begins with a step of radix 2. Two points are computed at a time.
// Unchecked because of the buffer, which nobody writes after `init`.
final class PlainTransform: PlannedTransform, @unchecked Sendable {
  private let count: Int
  /// Where each point of the first step comes from.
  private let order: [Int32]
  /// Points of a part of the first step of radix 4 that has twiddles.
  private let firstLength: Int
  /// For each step and two of its points: w, w² and w³, each as four times its real part and (−, +, −, +) its imaginary part.
  private let twiddles: AlignedBuffer<Float>
  /// ∓j as the factors of swapped parts.
  private let quarterTurn: SIMD4<Float>

  init(_ recipe: FourierRecipe) {
    count = recipe.count
    let bits = count.trailingZeroBitCount
    order = (0..<count).map { index in
      Int32(truncatingIfNeeded: (0..<bits).reduce(0) { $0 << 1 | (index >> $1 & 1) })
    }
    let sign = recipe.direction == .forward ? -1.0 : 1.0
    quarterTurn = Float(sign) * SIMD4(-1, 1, -1, 1)
    firstLength = bits % 2 == 0 ? 4 : 2
    var table: [Float] = []
    var length = firstLength
    while 4 * length <= count {
      for point in stride(from: 0, to: length, by: 2) {
        for power in 1...3 {
          let angles = [0, 1].map { sign * 2 * .pi * Double(power * (point + $0)) / Double(4 * length) }
          table += angles.flatMap { [Float(Double.cos($0)), Float(Double.cos($0))] }
          table += angles.flatMap { [-Float(Double.sin($0)), Float(Double.sin($0))] }
        }
      }
      length *= 4
    }
    twiddles = AlignedBuffer(count: table.count, zero: 0)
    for (index, value) in table.enumerated() { twiddles.pointer[index] = value }
  }

  func execute(_ input: UnsafeMutablePointer<Float>, into output: UnsafeMutablePointer<Float>) {
    order.withUnsafeBufferPointer { order in
      func point(_ index: Int) -> SIMD2<Float> {
        let source = input + 2 * Int(order[index])
        return SIMD2(source[0], source[1])
      }
      if firstLength == 4 {
        let turn = quarterTurn.lowHalf
        guard count > 1 else {
          (output[0], output[1]) = (input[0], input[1])
          return
        }
        for start in stride(from: 0, to: count, by: 4) {
          let (a, b, c, d) = (point(start), point(start + 1), point(start + 2), point(start + 3))
          let (sum, difference) = (a + b, a - b)
          let (other, turned) = (c + d, c - d)
          let target = output + 2 * start
          let quarter = turn * SIMD2(turned.y, turned.x)
          target.store4(SIMD4(lowHalf: sum + other, highHalf: difference + quarter), 0)
          target.store4(SIMD4(lowHalf: sum - other, highHalf: difference - quarter), 4)
        }
      } else {
        for start in stride(from: 0, to: count, by: 2) {
          let (a, b) = (point(start), point(start + 1))
          output.store4(SIMD4(lowHalf: a + b, highHalf: a - b), 2 * start)
        }
      }
    }
    var twiddle = twiddles.pointer
    var length = firstLength
    while 4 * length <= count {
      for start in stride(from: 0, to: count, by: 4 * length) { join(output + 2 * start, length, twiddle) }
      twiddle += 12 * length
      length *= 4
    }
  }

  /// Joins four transforms of `length` points each, one behind the other.
  private func join(_ points: UnsafeMutablePointer<Float>, _ length: Int, _ twiddles: UnsafeMutablePointer<Float>) {
    let part = 2 * length
    var factors = twiddles
    for offset in stride(from: 0, to: part, by: 4) {
      let target = points + offset
      let first = target.load4(0)
      // The second of four is the one whose indices are odd in the lower of two bits, so w² is its factor.
      let second = Self.product(target.load4(part), factors + 8)
      let third = Self.product(target.load4(2 * part), factors)
      let fourth = Self.product(target.load4(3 * part), factors + 16)
      let (sum, difference) = (first + second, first - second)
      let (other, turned) = (third + fourth, third - fourth)
      let quarter = quarterTurn * SIMD4(turned.y, turned.x, turned.w, turned.z)
      target.store4(sum + other, 0)
      target.store4(difference + quarter, part)
      target.store4(sum - other, 2 * part)
      target.store4(difference - quarter, 3 * part)
      factors += 24
    }
  }

  private static func product(_ points: SIMD4<Float>, _ factor: UnsafeMutablePointer<Float>) -> SIMD4<Float> {
    points * factor.load4(0) + SIMD4(points.y, points.x, points.w, points.z) * factor.load4(4)
  }
}
