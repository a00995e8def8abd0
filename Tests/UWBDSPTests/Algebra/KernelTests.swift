import CUWBKernels
import Numerics
import TestSupport
import Testing
import UWBDSP

/// Every C kernel, as this machine's vector units run it and as any machine does, against a naive reference in double precision.
///
/// Room behind what a kernel writes is filled beforehand: what it may not touch has to stay.
@Suite struct KernelTests {
  /// Which build a test calls.
  enum Build: CaseIterable { case own, portable }

  private static let dirt: Float = -77

  private static func floats(_ count: Int, _ random: inout StatisticsRandom, _ size: Double = 1) -> [Float] {
    (0..<count).map { _ in Float(random.uniform(-size...size)) }
  }

  static func doubles(_ count: Int, _ random: inout StatisticsRandom) -> [Double] {
    (0..<count).map { _ in random.uniform(-1...1) }
  }

  /// Σ a·b of some numbers of two columns, in double precision.
  private static func dot(_ a: [Float], _ first: Int, _ b: [Float], _ second: Int, _ count: Int) -> Double {
    var sum = 0.0
    for index in 0..<count { sum += Double(a[first + index]) * Double(b[second + index]) }
    return sum
  }

  /// What rounding leaves of a sum of so many products of numbers of size 1 in single precision.
  private static func rounding(_ count: Int) -> Double { 4 * Double(Float.ulpOfOne) * Double(count) }

  // MARK: Taps

  @Test(arguments: Build.allCases, 1...6) func everySoManyIntegersAreTaken(build: Build, stride: Int) {
    var random = StatisticsRandom(seed: 517)
    for (count, offset) in [(0, 0), (1, 0), (7, 3), (16, 1), (33, 2)] {
      let bytes = (0..<4 * stride * count + offset + 4).map { _ in UInt8(random.uniform(0...255)) }
      var taken = [Int32](repeating: -77, count: count + 1)
      bytes.withUnsafeBytes { bytes in
        guard let first = bytes.baseAddress else { return }
        switch build {
        case .own: uwb_take_every(stride, first + offset, count, &taken)
        case .portable: uwb_take_every_portable(stride, first + offset, count, &taken)
        }
        for index in 0..<count {
          let expected = bytes.loadUnaligned(fromByteOffset: offset + 4 * stride * index, as: Int32.self)
          #expect(taken[index] == expected, "\(index) of \(count), \(offset) bytes off")
        }
      }
      #expect(taken[count] == -77)
    }
  }

  @Test(arguments: Build.allCases) func integersAreSquared(build: Build) {
    var random = StatisticsRandom(seed: 501)
    let blocks = 3
    var integers = (0..<32 * blocks).map { _ in Int16(random.uniform(-32768...32767)) }
    // The one sum of squares that no signed number of 32 bits holds.
    (integers[6], integers[7]) = (-32768, -32768)
    var powers = [Float](repeating: Self.dirt, count: 16 * blocks + 1)
    var peaks = [Float](repeating: Self.dirt, count: 4 * blocks + 1)
    let factor: Float = 0.25
    switch build {
    case .own: uwb_square_integers(integers, factor, blocks, &powers, &peaks)
    case .portable: uwb_square_integers_portable(integers, factor, blocks, &powers, &peaks)
    }
    for tap in 0..<16 * blocks {
      let (x, y) = (Double(integers[2 * tap]), Double(integers[2 * tap + 1]))
      #expect(powers[tap] == Float(x * x + y * y) * factor, "tap \(tap)")
    }
    for quarter in 0..<4 * blocks {
      let (block, lane) = quarter.quotientAndRemainder(dividingBy: 4)
      #expect(peaks[quarter] == (0..<4).map { powers[16 * block + 4 * $0 + lane] }.max(), "quarter \(quarter)")
    }
    #expect(powers[16 * blocks] == Self.dirt && peaks[4 * blocks] == Self.dirt)
  }

  /// Blocks next to which a tap is strong enough, and which hold enough energy in seven taps.
  @Test(arguments: Build.allCases) func blocksThatHoldEnoughAreFound(build: Build) {
    var random = StatisticsRandom(seed: 518)
    let (blocks, least, leastEnergy): (Int, Float, Float) = (40, 0.9, 1.5)
    // Three taps more on either side, where kernels look past the first block and the last.
    var powers = [Float](repeating: 0, count: 16 * blocks + 16)
    for tap in 0..<16 * blocks { powers[8 + tap] = Float(Double.pow(random.uniform(0...1), 6)) }
    func power(_ tap: Int) -> Float { powers[8 + tap] }
    var peaks = [Float](repeating: 0, count: 4 * blocks)
    for quarter in peaks.indices {
      peaks[quarter] = (0..<4).map { power(16 * (quarter / 4) + 4 * $0 + quarter % 4) }.max() ?? 0
    }
    func isChosen(_ block: Int) -> Bool {
      let nearby = max(0, block - 1)...min(blocks - 1, block + 1)
      let highest = nearby.map { peaks[4 * $0..<4 * $0 + 4].max() ?? 0 }.max() ?? 0
      guard highest >= least, block > 0, block < blocks - 1 else { return highest >= least }
      return (0..<16).contains { tap in
        (-3...3).reduce(0.0) { $0 + Double(power(16 * block + tap + $1)) } >= Double(leastEnergy)
      }
    }
    let expected = (0..<blocks).filter(isChosen)
    #expect(expected.count > 4 && expected.count < blocks - 4)
    for (first, end) in [(0, blocks), (3, blocks - 2), (5, 5)] {
      var chosen = [Int](repeating: -77, count: blocks)
      let count = powers.withUnsafeBufferPointer { all in
        guard let start = all.baseAddress.map({ $0 + 8 }) else { return 0 }
        switch build {
        case .own: return uwb_energetic_blocks(start, peaks, first, end, blocks - 1, least, leastEnergy, &chosen)
        case .portable:
          return uwb_energetic_blocks_portable(start, peaks, first, end, blocks - 1, least, leastEnergy, &chosen)
        }
      }
      #expect(Array(chosen.prefix(count)) == expected.filter { (first..<end).contains($0) })
      #expect(chosen.dropFirst(count).allSatisfy { $0 == -77 })
    }
  }

  @Test(arguments: Build.allCases) func blocksAreFiltered(build: Build) {
    var random = StatisticsRandom(seed: 519)
    let taps = Self.floats(2 * (16 + 6), &random)
    let weights = Self.floats(8, &random)
    var powers = [Float](repeating: Self.dirt, count: 33)
    let largest = taps.withUnsafeBufferPointer { all -> Float in
      guard let first = all.baseAddress.map({ $0 + 6 }) else { return 0 }
      switch build {
      case .own: return uwb_filter_block(first, weights, &powers)
      case .portable: return uwb_filter_block_portable(first, weights, &powers)
      }
    }
    for point in 0..<32 {
      let (tap, isBetween) = (3 + point / 2, point % 2 == 1)
      let expected = (0..<2).reduce(0.0) { sum, part in
        func value(_ offset: Int) -> Double { Double(taps[2 * (tap + offset) + part]) }
        let onTap = (1...3).reduce(Double(weights[0]) * value(0)) {
          $0 + Double(weights[$1]) * (value($1) + value(-$1))
        }
        let between = (0...2).reduce(0.0) { $0 + Double(weights[4 + $1]) * (value(1 + $1) + value(-$1)) }
        return sum + (isBetween ? between * between : onTap * onTap)
      }
      #expect(abs(Double(powers[point]) - expected) < 10 * Self.rounding(7), "point \(point)")
    }
    #expect(largest == powers.prefix(32).max() && powers[32] == Self.dirt)
  }

  @Test(arguments: Build.allCases, [1, 16, 33]) func patternIsMeasured(build: Build, periods: Int) {
    var random = StatisticsRandom(seed: 503)
    let integers = (0..<16 * periods).map { _ in Int16(random.uniform(-32768...32767)) }
    let scale: Float = 0.01
    let powers = (0..<8 * periods).map { tap in
      (0..<2).reduce(Float()) { $0 + scale * scale * Float(integers[2 * tap + $1]) * Float(integers[2 * tap + $1]) }
    }
    var pattern = [Float](repeating: Self.dirt, count: 17)
    var correlation = [Float](repeating: Self.dirt, count: 3)
    let share =
      switch build {
      case .own: uwb_measure_pattern(integers, scale, powers, periods, &pattern, &correlation)
      case .portable: uwb_measure_pattern_portable(integers, scale, powers, periods, &pattern, &correlation)
      }
    var explained = 0.0
    for number in 0..<16 {
      let sum = (0..<periods).reduce(0.0) { $0 + Double(integers[number + 16 * $1]) } * Double(scale)
      explained += sum * sum
      #expect(abs(Double(pattern[number]) - sum / Double(periods)) < 1e-6 * (abs(sum) + 1), "number \(number)")
    }
    let expected = explained / powers.reduce(0) { $0 + Double($1) }
    #expect(abs(Double(share) - expected) < 1e-5 * expected)
    #expect(pattern[16] == Self.dirt)
    let taps = (0..<8 * periods).map {
      Complex(Double(integers[2 * $0]), Double(integers[2 * $0 + 1])) * Complex(Double(scale))
    }
    let product = (8..<max(8, taps.count)).reduce(Complex<Double>.zero) { $0 + taps[$1] * taps[$1 - 8].conjugate }
    let whole = powers.reduce(0) { $0 + Double($1) }
    #expect(abs(Double(correlation[0]) - product.real / whole) < 1e-5)
    #expect(abs(Double(correlation[1]) - product.imaginary / whole) < 1e-5)
    #expect(correlation[2] == Self.dirt)
  }

  /// Samples are the same to the bit whoever takes the pattern off.
  @Test(arguments: Build.allCases) func patternIsSubtracted(build: Build) {
    var random = StatisticsRandom(seed: 502)
    let blocks = 5
    let integers = (0..<32 * blocks).map { _ in Int16(random.uniform(-3000...3000)) }
    let pattern = Self.floats(16, &random)
    let scale: Float = 0.001
    var samples = [Float](repeating: Self.dirt, count: 32 * blocks + 1)
    var powers = [Float](repeating: Self.dirt, count: 16 * blocks + 1)
    var peaks = [Float](repeating: Self.dirt, count: 4 * blocks + 1)
    let energy: Float
    switch build {
    case .own:
      energy = uwb_subtract_pattern(integers, scale, pattern, blocks, &samples, &powers, &peaks)
    case .portable:
      energy = uwb_subtract_pattern_portable(integers, scale, pattern, blocks, &samples, &powers, &peaks)
    }
    var sum = 0.0
    for tap in 0..<16 * blocks {
      var power = 0.0
      for part in 0..<2 {
        let sample = Float(integers[2 * tap + part]) * scale - pattern[2 * (tap % 8) + part]
        #expect(samples[2 * tap + part] == sample, "tap \(tap)")
        power += Double(sample) * Double(sample)
      }
      #expect(abs(Double(powers[tap]) - power) < 1e-6 * power + 1e-12, "tap \(tap)")
      sum += power
    }
    #expect(abs(Double(energy) - sum) < 1e-5 * sum)
    for quarter in 0..<4 * blocks {
      let (block, lane) = quarter.quotientAndRemainder(dividingBy: 4)
      #expect(peaks[quarter] == (0..<4).map { powers[16 * block + 4 * $0 + lane] }.max(), "quarter \(quarter)")
    }
    #expect(samples[32 * blocks] == Self.dirt)
  }

  // MARK: Path fits

  /// Delays inside the rows, at their ends, far outside, and what is not a number.
  @Test(arguments: Build.allCases, [16, 23, 24]) func rowsAreBlended(build: Build, windowTaps: Int) {
    let table = PulseTable(.standard, tapSpacing: UWB.tap)
    let values = table.values.map { Float($0) }
    let stride = (windowTaps + 7) / 8 * 8
    var random = StatisticsRandom(seed: 503)
    let delays =
      (0..<20).map { _ in random.uniform(-3...25) } + [-7.99, -8, 31.999, 32, -40, 70, 1e300, -.infinity, .nan]
    var columns = [Float](repeating: Self.dirt, count: stride * delays.count + 1)
    switch build {
    case .own:
      uwb_blend_rows(
        values, PulseTable.fractions, PulseTable.reach, delays, delays.count, stride, windowTaps, &columns)
    case .portable:
      uwb_blend_rows_portable(
        values, PulseTable.fractions, PulseTable.reach, delays, delays.count, stride, windowTaps, &columns)
    }
    var expected = [Double](repeating: 0, count: windowTaps)
    for (index, delay) in delays.enumerated() {
      table.evaluate(delay: delay, firstTap: 0, count: windowTaps, into: &expected)
      for tap in 0..<stride {
        let own = Double(columns[stride * index + tap])
        #expect(abs(own - (tap < windowTaps ? expected[tap] : 0)) < 1e-6, "\(delay), tap \(tap)")
      }
    }
    #expect(columns[stride * delays.count] == Self.dirt)
  }

  @Test(arguments: Build.allCases, [(1, 1), (2, 5), (3, 3), (8, 8)]) func productsOfColumns(
    build: Build, counts: (Int, Int)
  ) {
    var random = StatisticsRandom(seed: 504)
    let (rows, columns) = counts
    let stride = 24
    let a = Self.floats(8 * stride, &random)
    let b = Self.floats(8 * stride, &random)
    for isLower in [false, true] {
      var out = [Double](repeating: 0, count: 64)
      switch build {
      case .own: uwb_products(a, rows, b, columns, stride, isLower, &out, 8)
      case .portable: uwb_products_portable(a, rows, b, columns, stride, isLower, &out, 8)
      }
      for row in 0..<rows {
        for column in 0..<(isLower ? min(row + 1, columns) : columns) {
          let expected = Self.dot(a, stride * row, b, stride * column, stride)
          #expect(abs(out[8 * row + column] - expected) < Self.rounding(stride), "\(row), \(column)")
        }
      }
    }
    var seen = [Double](repeating: 0, count: 16)
    switch build {
    case .own: uwb_complex_products(a, rows, b, Array(b[stride...]), stride, &seen)
    case .portable: uwb_complex_products_portable(a, rows, b, Array(b[stride...]), stride, &seen)
    }
    for row in 0..<rows {
      for part in 0..<2 {
        let expected = Self.dot(a, stride * row, b, stride * part, stride)
        #expect(abs(seen[2 * row + part] - expected) < Self.rounding(stride), "\(row), part \(part)")
      }
    }
  }

  @Test(arguments: Build.allCases, 1...8) func overlapsAreProjected(build: Build, count: Int) {
    var random = StatisticsRandom(seed: 505)
    var factor = [Double](repeating: 0, count: 64)
    for row in 0..<8 {
      for column in 0..<row { factor[8 * row + column] = random.uniform(-0.3...0.3) }
      factor[9 * row] = 1 + random.uniform(0...1)
    }
    let inverses = (0..<8).map { 1 / factor[9 * $0] }
    let overlaps = Self.doubles(64, &random)
    let products = Self.doubles(64, &random)
    var (own, left) = (overlaps, products)
    switch build {
    case .own: uwb_project(factor, inverses, count, 8, &own, &left)
    case .portable: uwb_project_portable(factor, inverses, count, 8, &own, &left)
    }
    for column in 0..<count {
      for row in 0..<count {
        // L·(L⁻¹C) = C
        let back = (0...row).reduce(0.0) { $0 + factor[8 * row + $1] * own[8 * $1 + column] }
        #expect(abs(back - overlaps[8 * row + column]) < 1e-12, "\(row), \(column)")
        guard column <= row else { continue }
        let held = (0..<count).reduce(0.0) { $0 + own[8 * $1 + row] * own[8 * $1 + column] }
        #expect(abs(left[8 * row + column] - (products[8 * row + column] - held)) < 1e-12, "\(row), \(column)")
      }
    }
  }

  @Test(arguments: Build.allCases, [1, 2, 3, 8]) func residualIsLeft(build: Build, count: Int) {
    var random = StatisticsRandom(seed: 506)
    let stride = 24
    let basis = Self.floats(count * stride, &random)
    let amplitudes = Self.doubles(2 * count, &random)
    let (x, y) = (Self.floats(stride, &random), Self.floats(stride, &random))
    var real = [Float](repeating: Self.dirt, count: stride + 1)
    var imaginary = real
    let power: Float
    switch build {
    case .own: power = uwb_residual(basis, amplitudes, count, x, y, stride, &real, &imaginary)
    case .portable: power = uwb_residual_portable(basis, amplitudes, count, x, y, stride, &real, &imaginary)
    }
    var sum = 0.0
    for tap in 0..<stride {
      var (re, im) = (Double(x[tap]), Double(y[tap]))
      for path in 0..<count {
        re -= amplitudes[2 * path] * Double(basis[stride * path + tap])
        im -= amplitudes[2 * path + 1] * Double(basis[stride * path + tap])
      }
      #expect(abs(Double(real[tap]) - re) < Self.rounding(count + 1), "tap \(tap)")
      #expect(abs(Double(imaginary[tap]) - im) < Self.rounding(count + 1), "tap \(tap)")
      sum += re * re + im * im
    }
    #expect(abs(Double(power) - sum) < 1e-5 * sum)
    #expect(real[stride] == Self.dirt && imaginary[stride] == Self.dirt)
  }

  @Test(arguments: Build.allCases, [1, 2, 5]) func powersOfPulsesAddUp(build: Build, blocks: Int) {
    var random = StatisticsRandom(seed: 507)
    let taps = 23
    let pulses = Self.floats(8 * taps * blocks, &random)
    let (x, y) = (Self.floats(taps, &random), Self.floats(taps, &random))
    let before = Self.floats(8 * blocks, &random)
    var powers = before + [Self.dirt]
    switch build {
    case .own: uwb_add_powers(pulses, blocks, x, y, taps, &powers)
    case .portable: uwb_add_powers_portable(pulses, blocks, x, y, taps, &powers)
    }
    for point in 0..<8 * blocks {
      let (block, lane) = point.quotientAndRemainder(dividingBy: 8)
      var (re, im) = (0.0, 0.0)
      for tap in 0..<taps {
        let pulse = Double(pulses[8 * (block * taps + tap) + lane])
        re += pulse * Double(x[tap])
        im += pulse * Double(y[tap])
      }
      let expected = Double(before[point]) + re * re + im * im
      #expect(abs(Double(powers[point]) - expected) < 20 * Self.rounding(taps), "point \(point)")
    }
    #expect(powers[8 * blocks] == Self.dirt)
  }

  /// With no path, with few, and with as many as there may be.
  @Test(arguments: Build.allCases, [0, 1, 3, 8]) func gainsOffPaths(build: Build, count: Int) {
    var random = StatisticsRandom(seed: 511)
    let (blocks, rowCount) = (3, 10)
    let points = 8 * blocks
    var energies = Self.floats(points, &random).map { 1 + 0.2 * $0 }
    energies[5] = 0.01
    let overlaps = Self.floats(points * rowCount, &random).map { 0.3 * $0 }
    let rows = (0..<count).map { _ in blocks * Int(random.uniform(0...Double(rowCount - 2))) }
    let blends = (0..<count).map { _ in Float(random.uniform(0...1)) }
    var factor: [Float] = []
    for path in 0..<count {
      for _ in 0..<path { factor.append(Float(random.uniform(-0.3...0.3))) }
      factor.append(Float(random.uniform(0.8...1.2)))
    }
    let powers = Self.floats(points, &random).map { $0 * $0 }
    var gains = powers + [Self.dirt]
    let highest =
      switch build {
      case .own: uwb_project_gains(energies, overlaps, blocks, rows, blends, factor, count, &gains)
      case .portable: uwb_project_gains_portable(energies, overlaps, blocks, rows, blends, factor, count, &gains)
      }
    for point in 0..<points {
      var left = Double(energies[point])
      var reduced: [Double] = []
      for path in 0..<count {
        let (near, far) = (overlaps[8 * rows[path] + point], overlaps[8 * (rows[path] + blocks) + point])
        var overlap = Double(near) + Double(blends[path]) * Double(far - near)
        let start = path * (path + 1) / 2
        for other in 0..<path { overlap -= Double(factor[start + other]) * reduced[other] }
        overlap *= Double(factor[start + path])
        reduced.append(overlap)
        left -= overlap * overlap
      }
      let isOpen = left > 0.05 * Double(energies[point]) && energies[point] > 0.02
      let expected = isOpen ? Double(powers[point]) / left : 0
      #expect(abs(Double(gains[point]) - expected) <= 1e-4 * abs(expected), "point \(point)")
    }
    #expect(gains[..<points].firstIndex(of: gains[..<points].max() ?? 0) == highest)
    #expect(gains[points] == Self.dirt)
    var nothing = [Float](repeating: 0, count: points)
    #expect(uwb_project_gains(energies, overlaps, blocks, rows, blends, factor, count, &nothing) == -1)
  }

  @Test(arguments: Build.allCases, [1, 4, 22, 23]) func momentsOfAPath(build: Build, taps: Int) {
    var random = StatisticsRandom(seed: 508)
    let next = 32
    let values = Self.doubles(2 * next, &random)
    let slopes = Self.doubles(2 * next, &random)
    let blend = random.uniform(0...1)
    let end = (taps + 3) / 4 * 4
    let x = Self.doubles(taps, &random) + [Double](repeating: 0, count: end - taps)
    let y = Self.doubles(taps, &random) + [Double](repeating: 0, count: end - taps)
    var moments = [Double](repeating: 0, count: 7)
    switch build {
    case .own: uwb_path_moments(values, slopes, next, blend, x, y, taps, &moments)
    case .portable: uwb_path_moments_portable(values, slopes, next, blend, x, y, taps, &moments)
    }
    var expected = [Double](repeating: 0, count: 7)
    for tap in 0..<taps {
      let p = values[tap] + blend * (values[next + tap] - values[tap])
      let s = slopes[tap] + blend * (slopes[next + tap] - slopes[tap])
      let products = [p * p, s * s, p * s, p * x[tap], p * y[tap], s * x[tap], s * y[tap]]
      for index in 0..<7 { expected[index] += products[index] }
    }
    for index in 0..<7 { #expect(abs(moments[index] - expected[index]) < 1e-13 * Double(taps + 1), "\(index)") }
  }

  @Test(arguments: Build.allCases, [1, 2, 4]) func directionsAreSteered(build: Build, antennas: Int) {
    var random = StatisticsRandom(seed: 514)
    let blocks = 4
    let steering = Self.floats(16 * antennas * blocks, &random)
    let amplitudes = Self.floats(2 * antennas, &random)
    var spectrum = [Float](repeating: Self.dirt, count: 8 * blocks + 1)
    let best: Int
    switch build {
    case .own: best = uwb_steer(steering, amplitudes, antennas, blocks, &spectrum)
    case .portable: best = uwb_steer_portable(steering, amplitudes, antennas, blocks, &spectrum)
    }
    for point in 0..<8 * blocks {
      let (block, lane) = point.quotientAndRemainder(dividingBy: 8)
      var (re, im) = (0.0, 0.0)
      for antenna in 0..<antennas {
        let place = 16 * (block * antennas + antenna) + lane
        let (g, h) = (Double(steering[place]), Double(steering[place + 8]))
        let (x, y) = (Double(amplitudes[2 * antenna]), Double(amplitudes[2 * antenna + 1]))
        re += g * x + h * y
        im += g * y - h * x
      }
      #expect(abs(Double(spectrum[point]) - (re * re + im * im)) < 20 * Self.rounding(antennas), "point \(point)")
    }
    #expect(spectrum[best] == spectrum[..<(8 * blocks)].max() && spectrum[8 * blocks] == Self.dirt)
  }

  // MARK: Likelihoods

  @Test(arguments: Build.allCases, [1, 2, 5]) func onsetLikelihoods(build: Build, count: Int) {
    var random = StatisticsRandom(seed: 510)
    let (taps, onsetCount) = (5, 12)
    let vectors = Self.floats(16 * taps * onsetCount, &random)
    let gains = Self.floats(128 * onsetCount, &random)
    let determinants = Self.floats(8 * onsetCount, &random)
    let onsets = (0..<count).map { 2 * $0 + 2 }
    let (x, y) = (Self.floats(taps, &random), Self.floats(taps, &random))
    var terms = [Float](repeating: Self.dirt, count: 8 * onsetCount)
    var tops = [Float](repeating: Self.dirt, count: onsetCount)
    switch build {
    case .own:
      uwb_onset_likelihoods(vectors, gains, determinants, onsets, count, x, y, taps, &terms, &tops)
    case .portable:
      uwb_onset_likelihoods_portable(vectors, gains, determinants, onsets, count, x, y, taps, &terms, &tops)
    }
    for onset in 0..<onsetCount {
      guard onsets.contains(onset) else {
        #expect(tops[onset] == Self.dirt && terms[8 * onset] == Self.dirt)
        continue
      }
      for lane in 0..<8 {
        var expected = -Double(determinants[8 * onset + lane])
        for component in 0..<16 {
          var (re, im) = (0.0, 0.0)
          for tap in 0..<taps {
            let vector = Double(vectors[16 * (taps * onset + tap) + component])
            re += vector * Double(x[tap])
            im += vector * Double(y[tap])
          }
          expected += Double(gains[8 * (16 * onset + component) + lane]) * (re * re + im * im)
        }
        #expect(abs(Double(terms[8 * onset + lane]) - expected) < 1e-4, "onset \(onset), lane \(lane)")
      }
      #expect(tops[onset] == terms[8 * onset..<8 * onset + 8].max())
    }
  }

  /// Where some kinds lie at every second of a few onsets, from the second on, among `count` kinds for each.
  private static func places(_ kinds: [Int], of count: Int, onsets: Int) -> [Int] {
    (0..<onsets).flatMap { onset in kinds.map { (1 + 2 * onset) * count + $0 } }
  }

  @Test(
    arguments: Build.allCases,
    [([0], 1), ([0, 1], 3), ([1, 2, 4], 1), ([0, 2, 4], 3), ([0, 1, 2, 3, 4], 2), ([3], 0)])
  func riceForms(build: Build, chosen: (kinds: [Int], onsets: Int)) {
    var random = StatisticsRandom(seed: 511)
    let (taps, size, count) = (uwb_rice_taps, uwb_rice_cell, 5)
    let all = count * (2 * chosen.onsets + 2)
    let kinds = chosen.kinds.reduce(0) { $0 | 1 << $1 }
    let places = Self.places(chosen.kinds, of: count, onsets: chosen.onsets)
    let cells = Self.floats(size * all, &random, 0.4)
    let pulses = Self.floats(taps * (2 * chosen.onsets + 2), &random)
    let (x, y) = (Self.floats(taps, &random), Self.floats(taps, &random))
    var forms = [Float](repeating: Self.dirt, count: 8 * all)
    switch build {
    case .own: uwb_rice_forms(cells, kinds, count, 1, 2, chosen.onsets, pulses, x, y, &forms)
    case .portable: uwb_rice_forms_portable(cells, kinds, count, 1, 2, chosen.onsets, pulses, x, y, &forms)
    }
    for index in 0..<all where !places.contains(index) {
      #expect(forms[8 * index..<8 * index + 8].allSatisfy { $0 == Self.dirt })
    }
    for index in places {
      let cell = Array(cells[size * index..<size * (index + 1)])
      let pulse = Array(pulses[taps * (index / count)..<taps * (index / count + 1)])
      var (realMatches, imaginaryMatches) = ([Float](repeating: 0, count: 8), [Float](repeating: 0, count: 8))
      switch build {
      case .own: uwb_rice_matches(cell, pulse, x, y, &realMatches, &imaginaryMatches)
      case .portable: uwb_rice_matches_portable(cell, pulse, x, y, &realMatches, &imaginaryMatches)
      }
      for lane in 0..<8 {
        var re = Self.dot(pulse, 0, x, 0, taps)
        var im = Self.dot(pulse, 0, y, 0, taps)
        var expected = 0.0
        for component in 0..<8 {
          var (a, b) = (0.0, 0.0)
          for tap in 0..<taps {
            a += Double(cell[8 * tap + component]) * Double(x[tap])
            b += Double(cell[8 * tap + component]) * Double(y[tap])
          }
          let gain = Double(cell[uwb_rice_gains + 8 * component + lane])
          let held = gain * Double(cell[uwb_rice_seen + component])
          expected += gain * (a * a + b * b)
          re -= held * a
          im -= held * b
        }
        expected += (re * re + im * im) * Double(cell[uwb_rice_inverses + lane])
        #expect(abs(Double(forms[8 * index + lane]) - expected) < 1e-4, "\(index), lane \(lane)")
        #expect(abs(Double(realMatches[lane]) - re) < 1e-5, "\(index), lane \(lane)")
        #expect(abs(Double(imaginaryMatches[lane]) - im) < 1e-5, "\(index), lane \(lane)")
      }
    }
  }

  @Test(arguments: Build.allCases, 1...3) func riceTerms(build: Build, antennas: Int) {
    var random = StatisticsRandom(seed: 512)
    let (count, pathCount, onsets, chosen) = (6, 5, 2, [0, 2, 3, 5])
    let all = count * (2 * onsets + 2)
    let kinds = chosen.reduce(0) { $0 | 1 << $1 }
    let places = Self.places(chosen, of: count, onsets: onsets)
    let cells = Self.floats(uwb_rice_cell * all, &random)
    let stride = 8 * all + 8
    let forms = Self.floats(stride * antennas, &random)
    let scales = Self.floats(antennas, &random)
    let (share, withoutPath): (Float, Float) = (0.7, -1.5)
    var terms = [Float](repeating: Self.dirt, count: 8 * all)
    var tops = [Float](repeating: Self.dirt, count: all)
    // The second one's is higher already.
    var onsetTops: [Float] = [Self.dirt, -.infinity, Self.dirt, 1e9, Self.dirt, Self.dirt]
    let top: Float
    switch build {
    case .own:
      top = uwb_rice_terms(
        cells, kinds, count, 1, 2, onsets, pathCount, forms, stride, scales, antennas, share, withoutPath, &terms,
        &tops, &onsetTops)
    case .portable:
      top = uwb_rice_terms_portable(
        cells, kinds, count, 1, 2, onsets, pathCount, forms, stride, scales, antennas, share, withoutPath, &terms,
        &tops, &onsetTops)
    }
    for index in 0..<all where !places.contains(index) {
      #expect(tops[index] == Self.dirt && terms[8 * index] == Self.dirt)
    }
    for index in places {
      for lane in 0..<8 {
        var sum = Double(antennas) * Double(cells[uwb_rice_cell * index + uwb_rice_constants + lane])
        for antenna in 0..<antennas {
          sum += Double(scales[antenna]) * Double(forms[stride * antenna + 8 * index + lane])
        }
        let expected = Double(share) * sum + (index % count >= pathCount ? Double(withoutPath) : 0)
        #expect(abs(Double(terms[8 * index + lane]) - expected) < Self.rounding(8), "\(index), lane \(lane)")
      }
      #expect(tops[index] == terms[8 * index..<8 * index + 8].max())
    }
    #expect(top == places.map { tops[$0] }.max())
    #expect(onsetTops == [Self.dirt, places.prefix(4).map { tops[$0] }.max(), Self.dirt, 1e9, Self.dirt, Self.dirt])
  }

  @Test(arguments: Build.allCases, [1, 3, 4, 9]) func blocksHaveTheirMeans(build: Build, blocks: Int) {
    var random = StatisticsRandom(seed: 514)
    let values = Self.floats(16 * blocks, &random)
    var means = [Float](repeating: Self.dirt, count: blocks + 1)
    switch build {
    case .own: uwb_block_means(values, blocks, &means)
    case .portable: uwb_block_means_portable(values, blocks, &means)
    }
    for block in 0..<blocks {
      let expected = values[16 * block..<16 * (block + 1)].reduce(0.0) { $0 + Double($1) } / 16
      #expect(abs(Double(means[block]) - expected) < Self.rounding(16))
    }
    #expect(means[blocks] == Self.dirt)
  }

  @Test(arguments: Build.allCases, [0, 4, 16, 64]) func powersOfFilteredTapsAddUp(build: Build, count: Int) {
    var random = StatisticsRandom(seed: 516)
    let weights: [Float] = [0.7, 0.5, -0.2, 0.1]
    let taps = (0..<2 * (count + 6)).map { _ in Float(random.uniform(-1...1)) }
    var expected = 0.0
    for number in 6..<6 + 2 * count {
      let value = (-3...3).reduce(0.0) { $0 + Double(weights[abs($1)]) * Double(taps[number + 2 * $1]) }
      expected += value * value
    }
    let power = taps.withUnsafeBufferPointer { taps -> Float in
      guard let first = taps.baseAddress else { return .nan }
      switch build {
      case .own:
        return uwb_filtered_power(first + 6, count, weights[0], weights[1], weights[2], weights[3])
      case .portable:
        return uwb_filtered_power_portable(first + 6, count, weights[0], weights[1], weights[2], weights[3])
      }
    }
    #expect(abs(Double(power) - expected) <= Self.rounding(14 * max(count, 1)))
  }

  /// By sorting: of numbers of which many are the same, and of powers of ten, where straight lines through counts lead nowhere.
  @Test(arguments: Build.allCases, 1...64) func mediansAreThoseOfSortedNumbers(build: Build, count: Int) {
    var random = StatisticsRandom(seed: 515)
    for steps in [0, 2.0, 10, 1e6] {
      let values = (0..<count).map { _ in
        let value = random.uniform(-steps...steps).rounded()
        return steps > 0 ? Float(value) : Float(Double.pow(10, random.uniform(-30...30)))
      }
      var room = values + [Float](repeating: Self.dirt, count: 9)
      let median: Double
      switch build {
      case .own: median = uwb_median(&room, count)
      case .portable: median = uwb_median_portable(&room, count)
      }
      let sorted = values.sorted()
      #expect(median == (Double(sorted[(count - 1) / 2]) + Double(sorted[count / 2])) / 2, "\(count) in \(steps) steps")
      #expect(room[(count + 7) / 8 * 8] == Self.dirt && Array(room[..<count]) == values)
    }
    var none = [Float](repeating: .nan, count: 72)
    #expect(build == .own ? uwb_median(&none, count) == 0 : uwb_median_portable(&none, count) == 0)
  }

  @Test(arguments: Build.allCases) func exponentialsAreSummed(build: Build) {
    var random = StatisticsRandom(seed: 513)
    let (count, negligible): (Int, Float) = (7, 16)
    var terms = (0..<8 * count).map { _ in Float(random.uniform(-40...0)) }
    (terms[0], terms[3], terms[8]) = (0, -16, -80)
    let tops = (0..<count).map { terms[8 * $0..<8 * $0 + 8].max() ?? 0 }
    var sums = [Double](repeating: 0, count: count)
    var total = 0.0
    switch build {
    case .own:
      uwb_exponential_sums(terms, tops, count, 0, negligible, &sums)
      total = uwb_exponential_sum(terms, tops, count, 0, negligible)
    case .portable:
      uwb_exponential_sums_portable(terms, tops, count, 0, negligible, &sums)
      total = uwb_exponential_sum_portable(terms, tops, count, 0, negligible)
    }
    func expected(_ index: Int) -> Double {
      terms[8 * index..<8 * index + 8].reduce(0) { $0 + ($1 > -negligible ? Double.exp(Double($1)) : 0) }
    }
    for index in 0..<count { #expect(abs(sums[index] - expected(index)) < 1e-6 * (1e-3 + sums[index])) }
    let whole = (0..<count).reduce(0) { $0 + expected($1) }
    #expect(abs(total - whole) < 1e-6 * whole)
  }
}
