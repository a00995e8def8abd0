import CUWBKernels
import Numerics

/// `PathFit` and `OrderSelection` for the usual case, one path in white noise, in a fraction of their time.
///
/// The same descent, written out for one delay. With b(τ) the pulse, s(τ) its slope and y the window's taps, one run over
/// them gives bᵀb, bᵀs, sᵀs, bᵀy and sᵀy, and from those
///
///     a = bᵀy/bᵀb,   J = ‖y‖² − |bᵀy|²/bᵀb,   g = Re(a*·(sᵀy − a·bᵀs)),   H = |a|²·(sᵀs − (bᵀs)²/bᵀb)
///
/// (`PathFit` has the formulas for many). Then it asks what `OrderSelection` asks before it tries a second path: whether the
/// residual is larger than noise, holds another path, or the path is too wide for one. Where any of it hints at more, this fit
/// steps back. Another path is looked for at half taps, not at quarter taps. The pulse's spectrum ends at 3/8 of the sampling
/// rate. No more than 30 % of a gain is lost between two points, far less than what a path has to bring.
///
/// Cost O(window) a step, some 400 instructions, and three thousand for the hints.
final class OnePathFit {
  private static let lanes = 8
  private static let pointsPerTap = 2

  private let table: PulseTable
  private let windowTaps: Int
  /// Real parts, imaginary ones; zero behind the window to whole vectors.
  private let real: AlignedBuffer<Double>
  private let imaginary: AlignedBuffer<Double>
  /// The pulse at the delay found.
  private let pulse: AlignedBuffer<Double>
  /// Pulses at half taps of delay: for each block of eight the window's taps, a lane for each.
  private let grid: [SIMD8<Float>]
  private let energies: [SIMD8<Float>]
  /// |b(τ)ᵀr|² over the grid.
  private let powers: AlignedBuffer<SIMD8<Float>>
  private let realResidual: AlignedBuffer<Float>
  private let imaginaryResidual: AlignedBuffer<Float>
  /// Largest |y|² of the window.
  @exclusivity(unchecked) private(set) var strongestPower = 0.0
  /// ‖y‖²
  @exclusivity(unchecked) private(set) var energy = 0.0

  /// What a fit ended at.
  struct Result {
    var delay: Double
    var cost: Double
    /// bᵀb.
    var pulseEnergy: Double
    var real: Double
    var imaginary: Double
    /// H.
    var curvature: Double
    /// Whether nothing hints at a second path.
    var isAlone: Bool
  }

  convenience init(table: PulseTable, windowTaps: Int) {
    // Delays from two taps before the window to one behind it have all taps of the window in the table's rows.
    precondition(
      padded(windowTaps) + 2 <= PulseTable.reach, "a window of \(windowTaps) taps is wider than the pulse's table")
    let blocks = (Self.pointsPerTap * windowTaps + Self.lanes - 1) / Self.lanes
    var grid = [SIMD8<Float>](repeating: .zero, count: blocks * windowTaps)
    var energies = [SIMD8<Float>](repeating: .zero, count: blocks)
    let column = AlignedBuffer<Double>(count: windowTaps, zero: 0)
    for point in 0..<blocks * Self.lanes {
      let (block, lane) = point.quotientAndRemainder(dividingBy: Self.lanes)
      table.evaluate(
        delay: Double(point) / Double(Self.pointsPerTap), firstTap: 0, count: windowTaps, into: column.pointer)
      for tap in 0..<windowTaps { grid[block * windowTaps + tap][lane] = Float(column.pointer[tap]) }
      energies[block][lane] = Float(dotProduct(column.pointer, column.pointer, count: windowTaps))
    }
    self.init(table, windowTaps, grid, energies)
  }

  /// Another window of the same size, with the same tables.
  convenience init(sharing other: OnePathFit) {
    self.init(other.table, other.windowTaps, other.grid, other.energies)
  }

  private init(_ table: PulseTable, _ windowTaps: Int, _ grid: [SIMD8<Float>], _ energies: [SIMD8<Float>]) {
    self.table = table
    self.windowTaps = windowTaps
    self.grid = grid
    self.energies = energies
    let count = padded(windowTaps)
    real = AlignedBuffer(count: count, zero: 0)
    imaginary = AlignedBuffer(count: count, zero: 0)
    pulse = AlignedBuffer(count: count, zero: 0)
    realResidual = AlignedBuffer(count: count, zero: 0)
    imaginaryResidual = AlignedBuffer(count: count, zero: 0)
    powers = AlignedBuffer(count: energies.count, zero: .zero)
  }

  /// Takes the window's taps from `firstTap` on, all of them inside the CIR, times `factor` and turned back by `phase`, rad.
  func load(_ taps: PreparedTaps, firstTap: Int, factor: Double = 1, phase: Double = 0) {
    let source = taps.taps(in: firstTap..<firstTap + windowTaps) + 2 * firstTap
    let real = real.pointer
    let imaginary = imaginary.pointer
    var (strongest, sum) = (0.0, 0.0)
    for tap in 0..<windowTaps {
      let x = factor * Double(source[2 &* tap])
      let y = factor * Double(source[2 &* tap &+ 1])
      real[tap] = x
      imaginary[tap] = y
      let power = x * x + y * y
      sum += power
      strongest = power > strongest ? power : strongest
    }
    strongestPower = strongest
    energy = sum
    guard phase != 0 else { return }
    let (cosine, sine) = (Double.cos(phase), Double.sin(phase))
    for tap in 0..<windowTaps {
      let (x, y) = (real[tap], imaginary[tap])
      real[tap] = x * cosine + y * sine
      imaginary[tap] = y * cosine - x * sine
    }
  }

  /// Settles one path from `start` on.
  ///
  /// - Parameter tolerance: how much lower the cost may still be at the end, noise variances.
  /// - Returns: `nil` where it doesn't settle.
  func settle(from start: Double, variance: Double, tolerance: Double) -> Result? {
    var delay = start
    var here = moments(at: delay)
    guard var point = Point(here, energy) else { return nil }
    var damping = FitDamping()
    for _ in 0..<FitStep.most {
      let step = point.gradient / (point.curvature * (1 + damping.value))
      guard step * point.gradient >= tolerance * variance else {
        return judge(delay, here, point, variance)
      }
      let candidate = FitStep.moved(delay, by: step, windowTaps: windowTaps)
      let there = moments(at: candidate)
      if let next = Point(there, energy), next.cost < point.cost {
        delay = candidate
        here = there
        point = next
        damping.accept()
      } else if !damping.refuse() {
        return judge(delay, here, point, variance)
      }
    }
    return nil
  }

  /// Sums over the window at one delay, in the order of `uwb_path_moments`.
  struct Moments: BitwiseCopyable {
    var pulse = 0.0
    var slope = 0.0
    var both = 0.0
    var pulseReal = 0.0
    var pulseImaginary = 0.0
    var slopeReal = 0.0
    var slopeImaginary = 0.0
  }

  /// Cost and its derivatives at one delay.
  struct Point {
    var cost: Double
    var gradient: Double
    var curvature: Double

    /// `nil` where no pulse is in the window, or its slope can't be told from the pulse.
    init?(_ moments: Moments, _ energy: Double) {
      guard moments.pulse > 0 else { return nil }
      let power = moments.pulseReal * moments.pulseReal + moments.pulseImaginary * moments.pulseImaginary
      cost = energy - power / moments.pulse
      let along = moments.pulseReal * moments.slopeReal + moments.pulseImaginary * moments.slopeImaginary
      gradient = (along - power * moments.both / moments.pulse) / moments.pulse
      let left = moments.slope - moments.both * moments.both / moments.pulse
      curvature = power / (moments.pulse * moments.pulse) * left
      guard left > 1e-4 * moments.slope, curvature > 0 else { return nil }
    }
  }

  func moments(at delay: Double) -> Moments {
    table.read(delay) { near, blend in
      var moments = Moments()
      withUnsafeMutablePointer(to: &moments) {
        uwb_path_moments(
          near.values, near.slopes, PulseTable.rowTaps, blend, real.pointer, imaginary.pointer, windowTaps,
          UnsafeMutableRawPointer($0).assumingMemoryBound(to: Double.self))
      }
      return moments
    }
  }

  private func judge(_ delay: Double, _ moments: Moments, _ point: Point, _ variance: Double) -> Result {
    let real = moments.pulseReal / moments.pulse
    let imaginary = moments.pulseImaginary / moments.pulse
    let cost = leaveResidual(delay, real, imaginary)
    let excess = cost / variance - Double(windowTaps)
    let isAlone =
      cost <= PathHint.another * variance
      || excess <= PathHint.excess * Double(windowTaps).squareRoot()
        && splitGain(delay, moments.pulse, real, imaginary) <= PathHint.split * variance
        && !holdsAnother(Float(PathHint.another * variance), Float(moments.pulse), add: { addPowers(to: $0) })
    return Result(
      delay: delay, cost: cost, pulseEnergy: moments.pulse, real: real, imaginary: imaginary,
      curvature: point.curvature, isAlone: isAlone)
  }

  /// Leaves the pulse at `delay` and the residuals, y − a·b; returns their energy.
  func leaveResidual(_ delay: Double, _ x: Double, _ y: Double) -> Double {
    table.evaluate(delay: delay, firstTap: 0, count: windowTaps, into: pulse.pointer)
    var squares = SIMD4<Double>()
    for tap in stride(from: 0, to: padded(windowTaps), by: 4) {
      let p = loadFour(pulse.pointer + tap)
      let re = loadFour(real.pointer + tap) - x * p
      let im = loadFour(imaginary.pointer + tap) - y * p
      realResidual.pointer.store4(SIMD4<Float>(re), tap)
      imaginaryResidual.pointer.store4(SIMD4<Float>(im), tap)
      squares += re * re + im * im
    }
    return squares.sum()
  }

  /// `PathFit.splitGain` of the one path.
  ///
  /// - Parameters:
  ///   - x: real part of its amplitude.
  ///   - y: imaginary part.
  func splitGain(_ delay: Double, _ pulseEnergy: Double, _ x: Double, _ y: Double) -> Double {
    let end = padded(windowTaps)
    let next = PulseTable.rowTaps
    return table.read(delay - 0.5) { near, nearBlend in
      table.read(delay + 0.5) { far, farBlend in
        func wide(_ tap: Int) -> SIMD2<Double> {
          let early = loadTwo(near.values + tap)
          let late = loadTwo(far.values + tap)
          return early + nearBlend * (loadTwo(near.values + (next &+ tap)) - early)
            + (late + farBlend * (loadTwo(far.values + (next &+ tap)) - late))
        }
        let pulse = UnsafePointer(pulse.pointer)
        let real = UnsafePointer(real.pointer)
        let imaginary = UnsafePointer(imaginary.pointer)
        var (energy, overlap) = (SIMD2<Double>(), SIMD2<Double>())
        var (along, across) = (SIMD2<Double>(), SIMD2<Double>())
        var tap = 0
        while tap < end {
          let column = wide(tap)
          energy += column * column
          overlap += column * loadTwo(pulse + tap)
          along += column * loadTwo(real + tap)
          across += column * loadTwo(imaginary + tap)
          tap &+= 2
        }
        var whole = energy.sum()
        for tap in windowTaps..<end {
          let behind = wide(tap).x
          whole -= behind * behind
        }
        let shared = overlap.sum()
        let left = whole - shared * shared / pulseEnergy
        guard left > 1e-4 * whole else { return 0 }
        // Of the residual y − a·b, not of the taps.
        let (seen, other) = (along.sum() - x * shared, across.sum() - y * shared)
        return (seen * seen + other * other) / left
      }
    }
  }

  /// Whether one further path at some half tap would lower the cost by more than `level`.
  ///
  /// - Parameter add: adds |b(τ)ᵀr|² over the grid, of this window or of several together.
  func holdsAnother(_ level: Float, _ pulseEnergy: Float, add: (UnsafeMutablePointer<SIMD8<Float>>) -> Void) -> Bool {
    powers.pointer.update(repeating: .zero, count: energies.count)
    add(powers.pointer)
    for block in 0..<energies.count {
      let power = powers.pointer[block]
      let energy = energies[block]
      guard any(power .> CUWB_LEAST_SHARE * level * energy) else { continue }
      let overlap = overlap(block)
      let left = energy - overlap * overlap / pulseEnergy
      let isOpen = (left .> energy * CUWB_LEAST_SHARE) .& (energy .> CUWB_LEAST_ENERGY)
      if any((power .> level * left) .& isOpen) { return true }
    }
    return false
  }

  /// Adds |b(τ)ᵀr|² over the grid.
  func addPowers(to powers: UnsafeMutablePointer<SIMD8<Float>>) {
    grid.withUnsafeBufferPointer { grid in
      guard let pulses = grid.baseAddress else { return }
      uwb_add_powers(
        floats(pulses), energies.count, realResidual.pointer, imaginaryResidual.pointer, windowTaps, floats(powers))
    }
  }

  /// b(τ)ᵀb of a block of the grid with the path's pulse.
  private func overlap(_ block: Int) -> SIMD8<Float> {
    var sum = SIMD8<Float>()
    for tap in 0..<windowTaps { sum += grid[block * windowTaps + tap] * Float(pulse.pointer[tap]) }
    return sum
  }
}
