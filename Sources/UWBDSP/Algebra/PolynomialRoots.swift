import UWBPlatform

/// All roots of a complex polynomial at once, by the Ehrlich–Aberth iteration.
///
///     z_i ← z_i − q_i / (1 − q_i · Σ_{j≠i} 1/(z_i − z_j)),    q_i = P(z_i)/P'(z_i)
///
/// (Ehrlich 1967; Aberth 1973). Cubic at simple roots, linear at multiple ones. No matrix is formed, so that it takes less time than the
/// eigenvalues of a companion matrix. Roots outside the unit circle are evaluated through the reversed polynomial, so that nothing overflows
/// (Bini 1996). Cost O(n²) a sweep.
package struct PolynomialRoots {
  package let degree: Int
  /// Coefficients c_0 … c_n of Σ c_k·z^k, interleaved parts.
  package let coefficients: AlignedBuffer<Double>
  /// The roots, interleaved parts, in no order.
  package let roots: AlignedBuffer<Double>
  private let settled: AlignedBuffer<Bool>

  package init(degree: Int) {
    precondition(degree >= 1, "a polynomial of degree \(degree) has no roots")
    self.degree = degree
    coefficients = AlignedBuffer(count: 2 * (degree + 1), zero: 0)
    roots = AlignedBuffer(count: 2 * degree, zero: 0)
    settled = AlignedBuffer(count: degree, zero: false)
  }

  /// Finds the roots; starts spread over the circle of `radius`, half of them inside and half outside of it.
  ///
  /// - Returns: whether all have settled to rounding; multiple roots settle to the square root of it.
  package func find(radius: Double = 1) -> Bool {
    let c = coefficients.pointer
    guard c[2 * degree] != 0 || c[2 * degree + 1] != 0 else { return false }
    for index in 0..<degree {
      // An odd angle, so that no symmetry of the polynomial holds the iteration on an axis.
      let angle = 2 * Double.pi * (Double(index) + 0.37) / Double(degree)
      let distance = radius * (index % 2 == 0 ? 0.85 : 1 / 0.85)
      roots.pointer[2 * index] = distance * cos(angle)
      roots.pointer[2 * index + 1] = distance * sin(angle)
      settled.pointer[index] = false
    }
    return Self.sweep(settled, count: degree, improve)
  }

  /// Improves one root after the other, those that have settled left out, until all have.
  ///
  /// - Parameter improve: moves one root and returns whether it has settled.
  package static func sweep(_ settled: AlignedBuffer<Bool>, count: Int, _ improve: (Int) -> Bool) -> Bool {
    for _ in 0..<60 {
      var all = true
      for index in 0..<count where !settled.pointer[index] {
        settled.pointer[index] = improve(index)
        all = all && settled.pointer[index]
      }
      if all { return true }
    }
    return false
  }

  /// One step of one root; `true` where it moved by no more than rounding.
  private func improve(_ index: Int) -> Bool {
    let z = roots.pointer
    let x = z[2 * index]
    let y = z[2 * index + 1]
    guard let q = newtonStep(x, y) else { return true }
    var sumX = 0.0
    var sumY = 0.0
    for other in 0..<degree where other != index {
      let dx = x - z[2 * other]
      let dy = y - z[2 * other + 1]
      let size = dx * dx + dy * dy
      // Two iterates on one point would repel each other to infinity.
      let scale = 1 / max(size, 1e-30)
      sumX += dx * scale
      sumY -= dy * scale
    }
    // 1 − q·Σ
    let bottomX = 1 - (q.x * sumX - q.y * sumY)
    let bottomY = -(q.x * sumY + q.y * sumX)
    let size = bottomX * bottomX + bottomY * bottomY
    guard size > 1e-30 else { return false }
    let stepX = (q.x * bottomX + q.y * bottomY) / size
    let stepY = (q.y * bottomX - q.x * bottomY) / size
    guard stepX.isFinite, stepY.isFinite else { return true }
    z[2 * index] = x - stepX
    z[2 * index + 1] = y - stepY
    return stepX * stepX + stepY * stepY <= 1e-26 * max(x * x + y * y, 1e-30)
  }

  /// P/P' at one point; `nil` where P is no more than its own rounding error.
  private func newtonStep(_ x: Double, _ y: Double) -> (x: Double, y: Double)? {
    let c = coefficients.pointer
    let isOutside = x * x + y * y > 1
    // Outside: w = 1/z and R(w) = w^n·P(1/w); P/P' = z / (n − w·R'/R).
    let square = x * x + y * y
    let px = isOutside ? x / square : x
    let py = isOutside ? -y / square : y
    var valueX = 0.0
    var valueY = 0.0
    var slopeX = 0.0
    var slopeY = 0.0
    var magnitude = 0.0
    let radius = (px * px + py * py).squareRoot()
    for step in 0...degree {
      let power = isOutside ? step : degree - step
      let slope = slopeX * px - slopeY * py + valueX
      slopeY = slopeX * py + slopeY * px + valueY
      slopeX = slope
      let value = valueX * px - valueY * py + c[2 * power]
      valueY = valueX * py + valueY * px + c[2 * power + 1]
      valueX = value
      magnitude = magnitude * radius + abs(c[2 * power]) + abs(c[2 * power + 1])
    }
    let size = valueX * valueX + valueY * valueY
    let rounding = 4e-16 * magnitude
    if size <= rounding * rounding { return nil }
    if !isOutside { return quotient(valueX, valueY, slopeX, slopeY) }
    // w·R'/R
    let ratioX = (slopeX * valueX + slopeY * valueY) / size
    let ratioY = (slopeY * valueX - slopeX * valueY) / size
    let bottomX = Double(degree) - (px * ratioX - py * ratioY)
    let bottomY = -(px * ratioY + py * ratioX)
    return quotient(x, y, bottomX, bottomY)
  }

  private func quotient(_ a: Double, _ b: Double, _ c: Double, _ d: Double) -> (x: Double, y: Double)? {
    let size = c * c + d * d
    guard size > 0 else { return nil }
    return ((a * c + b * d) / size, (b * c - a * d) / size)
  }
}
