import CUWBKernels
import Numerics
import TestSupport
import Testing
import UWBDSP

/// The kernels of covariances and spectra, as `KernelTests` holds the others.
extension KernelTests {
  @Test(arguments: Build.allCases, [(1, 1), (2, 7), (5, 16), (8, 34)]) func gramOfRows(
    build: Build, size: (count: Int, width: Int)
  ) {
    var random = StatisticsRandom(seed: 509)
    let (count, width) = size
    let rows = Self.doubles(count * width, &random)
    var out = [Double](repeating: 0, count: count * count)
    switch build {
    case .own: uwb_gram(rows, count, width, 0.5, &out)
    case .portable: uwb_gram_portable(rows, count, width, 0.5, &out)
    }
    for row in 0..<count {
      for column in 0..<count {
        let expected = (0..<width).reduce(0.0) { $0 + 0.5 * rows[row * width + $1] * rows[column * width + $1] }
        #expect(abs(out[column * count + row] - expected) < 1e-14 * Double(width + 1), "\(row), \(column)")
      }
    }
  }

  @Test(arguments: Build.allCases, [(2, 1), (5, 6), (8, 9)]) func mirroredRows(
    build: Build, size: (antennas: Int, snapshots: Int)
  ) {
    var random = StatisticsRandom(seed: 515)
    let (antennas, snapshots) = size
    let stride = snapshots + 3
    let x = Self.doubles(antennas * stride, &random)
    let y = Self.doubles(antennas * stride, &random)
    var rows = [Double](repeating: 0, count: 2 * antennas * snapshots)
    switch build {
    case .own: uwb_mirror_rows(x, y, antennas, stride, snapshots, &rows)
    case .portable: uwb_mirror_rows_portable(x, y, antennas, stride, snapshots, &rows)
    }
    let root = 2.0.squareRoot()
    for antenna in 0..<antennas {
      for t in 0..<snapshots {
        let mirror = antennas - 1 - antenna
        let (a, b) = (antenna * stride + t, mirror * stride + t)
        // The first half are sums, the second differences over j; one in the middle stays.
        let expected: (Double, Double)
        if antenna == mirror {
          expected = (root * x[a], root * y[a])
        } else if antenna < mirror {
          expected = (x[a] + x[b], y[a] + y[b])
        } else {
          let first = (antennas + 1) / 2
          let own = (antenna - first) * stride + t
          let other = (antennas - 1 - antenna + first) * stride + t
          expected = (y[own] - y[other], x[other] - x[own])
        }
        #expect(abs(rows[2 * antenna * snapshots + t] - expected.0) < 1e-15, "\(antenna), \(t)")
        #expect(abs(rows[(2 * antenna + 1) * snapshots + t] - expected.1) < 1e-15, "\(antenna), \(t)")
      }
    }
  }

  @Test(arguments: Build.allCases, [2, 8]) func polynomialsAreScanned(build: Build, order: Int) {
    var random = StatisticsRandom(seed: 516)
    let points = 16
    let coefficients = Self.doubles(2 * order, &random)
    let table = Self.doubles(2 * (order - 1) * points, &random)
    var values = [Double](repeating: 0, count: points)
    switch build {
    case .own: uwb_trigonometric_scan(coefficients, order, table, points, &values)
    case .portable: uwb_trigonometric_scan_portable(coefficients, order, table, points, &values)
    }
    for point in 0..<points {
      var expected = coefficients[0]
      for lag in 1..<order {
        let cosine = table[2 * (lag - 1) * points + point]
        let sine = table[(2 * lag - 1) * points + point]
        expected += 2 * (coefficients[lag] * cosine - coefficients[order + lag] * sine)
      }
      #expect(abs(values[point] - expected) < 1e-13, "point \(point)")
    }
  }

  @Test(arguments: Build.allCases, [1, 3, 4, 6, 8]) func hermitianProducts(build: Build, order: Int) {
    var random = StatisticsRandom(seed: 519)
    let square = order * order
    let matrix = Self.doubles(2 * square, &random)
    let vector = Self.doubles(2 * order, &random)
    var out = [Double](repeating: -77, count: 2 * order + 1)
    var projected = vector + [-77]
    let unit = Self.doubles(2 * order, &random)
    switch build {
    case .own:
      uwb_hermitian_product(matrix, order, vector, &out)
      uwb_project_out(unit, order, &projected)
    case .portable:
      uwb_hermitian_product_portable(matrix, order, vector, &out)
      uwb_project_out_portable(unit, order, &projected)
    }
    let v = (0..<order).map { Complex(vector[$0], vector[order + $0]) }
    let u = (0..<order).map { Complex(unit[$0], unit[order + $0]) }
    let overlap = zip(u, v).reduce(Complex<Double>.zero) { $0 + $1.0.conjugate * $1.1 }
    for row in 0..<order {
      let product = (0..<order).reduce(Complex<Double>.zero) {
        $0 + Complex(matrix[$1 * order + row], matrix[square + $1 * order + row]) * v[$1]
      }
      #expect((Complex(out[row], out[order + row]) - product).length < 1e-14 * Double(order + 1), "row \(row)")
      let left = v[row] - overlap * u[row]
      #expect((Complex(projected[row], projected[order + row]) - left).length < 1e-14 * Double(order + 1))
    }
    #expect(out[2 * order] == -77 && projected[2 * order] == -77)
  }

  /// Q·C·Qᴴ with Q's columns (e_a + e_b)/√2 and j·(e_a − e_b)/√2 for mirrored antennas a and b.
  @Test(arguments: Build.allCases, [2, 3, 5, 8]) func complexFormOfARealCovariance(build: Build, order: Int) {
    var random = StatisticsRandom(seed: 520)
    var real = Self.doubles(order * order, &random)
    for column in 0..<order {
      for row in 0..<column { real[row * order + column] = real[column * order + row] }
    }
    var out = [Double](repeating: -77, count: 2 * order * order + 1)
    switch build {
    case .own: uwb_complex_covariance(real, order, &out)
    case .portable: uwb_complex_covariance_portable(real, order, &out)
    }
    let half = order / 2
    let root = Complex(0.5.squareRoot())
    var q = (0..<order).map { _ in [Complex<Double>](repeating: .zero, count: order) }
    if order % 2 == 1 { q[half][half] = .one }
    for index in 0..<half {
      let other = order - half + index
      (q[index][index], q[index][other]) = (root, root * .i)
      (q[order - 1 - index][index], q[order - 1 - index][other]) = (root, -root * .i)
    }
    for row in 0..<order {
      for column in 0..<order {
        var expected = Complex<Double>.zero
        for a in 0..<order {
          for b in 0..<order { expected += q[row][a] * Complex(real[b * order + a]) * q[column][b].conjugate }
        }
        let place = column * order + row
        #expect((Complex(out[place], out[order * order + place]) - expected).length < 1e-14, "\(row), \(column)")
      }
    }
    #expect(out[2 * order * order] == -77)
  }

  @Test(arguments: Build.allCases, [2, 3, 6, 7, 16, 33]) func minimaAreFound(build: Build, points: Int) {
    var random = StatisticsRandom(seed: 517)
    // Few different values, so that neighbours are often equal.
    let values = (0..<points).map { _ in random.uniform(0...4).rounded() }
    var places = [Int](repeating: -1, count: points)
    let count: Int
    switch build {
    case .own: count = uwb_local_minima(values, points, &places)
    case .portable: count = uwb_local_minima_portable(values, points, &places)
    }
    let expected = (0..<points).filter {
      $0 > 0 && $0 < points - 1 && values[$0] < values[$0 - 1] && values[$0] <= values[$0 + 1]
    }
    #expect(Array(places[..<count]) == expected && places[count...].allSatisfy { $0 == -1 })
  }

  @Test(arguments: Build.allCases, [(2, 1), (7, 2), (8, 3)]) func diagonalsOfAComplement(
    build: Build, size: (order: Int, count: Int)
  ) {
    var random = StatisticsRandom(seed: 518)
    let (order, count) = size
    let vectors = Self.doubles(2 * order * count, &random)
    var coefficients = [Double](repeating: -77, count: 2 * order + 1)
    switch build {
    case .own: uwb_complement_diagonals(vectors, order, count, &coefficients)
    case .portable: uwb_complement_diagonals_portable(vectors, order, count, &coefficients)
    }
    for lag in 0..<order {
      var expected = Complex<Double>(lag == 0 ? Double(order) : 0)
      for index in 0..<count {
        let e = (0..<order).map { Complex(vectors[2 * order * index + $0], vectors[2 * order * index + order + $0]) }
        for m in 0..<order - lag { expected -= e[m] * e[m + lag].conjugate }
      }
      #expect(abs(coefficients[lag] - expected.real) < 1e-13, "lag \(lag)")
      #expect(abs(coefficients[order + lag] - expected.imaginary) < 1e-13, "lag \(lag)")
    }
    #expect(coefficients[2 * order] == -77)
  }

  /// In coordinates (e_a + e_b)/√2 and j·(e_a − e_b)/√2 of mirrored antennas a and b.
  @Test(arguments: Build.allCases, [(2, 1), (3, 2), (5, 1), (8, 1), (8, 2), (9, 2)]) func formsOfSourcesOnARow(
    build: Build, size: (order: Int, count: Int)
  ) {
    let (order, count) = size
    var random = StatisticsRandom(seed: 521)
    var matrix = Self.doubles(order * order, &random)
    for column in 0..<order {
      for row in 0..<column { matrix[row * order + column] = matrix[column * order + row] }
    }
    let phases = [0.7, -1.9]
    let turns = phases.flatMap { [Double.cos($0 / 2), Double.sin($0 / 2)] }
    var scratch = [Double](repeating: -77, count: 4 * padded(order) + 1)
    var forms = [Double](repeating: -77, count: 9)
    switch build {
    case .own: uwb_row_sources(matrix, order, turns, count, &scratch, &forms)
    case .portable: uwb_row_sources_portable(matrix, order, turns, count, &scratch, &forms)
    }
    let half = order / 2
    func vector(_ phase: Double, slope: Bool) -> [Double] {
      (0..<order).map { index in
        if order % 2 == 1 && index == half { return slope ? 0 : 1 }
        let place = Double(index < half ? index : index - (order - half)) - 0.5 * Double(order - 1)
        let root = 2.0.squareRoot()
        let (cosine, sine) = (root * Double.cos(place * phase), root * Double.sin(place * phase))
        if index < half { return slope ? -place * sine : cosine }
        return slope ? place * cosine : sine
      }
    }
    func dot(_ a: [Double], _ b: [Double]) -> Double { zip(a, b).reduce(0) { $0 + $1.0 * $1.1 } }
    func image(_ v: [Double]) -> [Double] {
      (0..<order).map { row in (0..<order).reduce(0) { $0 + matrix[$1 * order + row] * v[$1] } }
    }
    let steering = phases.map { vector($0, slope: false) }
    let pair = [1.0, -1].map { sign in zip(steering[0], steering[1]).map { $0 + sign * $1 } }
    let basis = count == 1 ? [steering[0]] : pair
    let slopes = phases.prefix(count).map { phase in
      basis.reduce(vector(phase, slope: true)) { left, b in
        zip(left, b).map { $0 - $1 * dot(b, left) / dot(b, b) }
      }
    }
    let pairs = count == 1 ? [(0, 0)] : [(0, 0), (0, 1), (1, 1)]
    for (place, (left, right)) in pairs.enumerated() {
      #expect(abs(forms[2 + place] - dot(basis[left], image(basis[right]))) < 1e-12, "captured \(place)")
      #expect(abs(forms[5 + place] - dot(slopes[left], slopes[right])) < 1e-12, "slopes \(place)")
    }
    for index in 0..<count { #expect(abs(forms[index] - dot(basis[index], basis[index])) < 1e-13) }
    #expect(forms[8] == -77 && scratch[4 * padded(order)] == -77)
  }
}
