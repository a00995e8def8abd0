/// Where a further path would explain most of what a fit has left: the projected matched filter over the window.
///
/// For each τ on a quarter-tap grid, with b(τ) the pulse there and P the projection off the paths found so far:
/// gain(τ) = |b(τ)ᵀr|² / ‖P·b(τ)‖², the fall in cost that one path at τ brings while the others' delays stand still.
///
/// With G = L·Lᵀ the Gram matrix of the paths' pulses B, ‖P·b‖² = ‖b‖² − ‖L⁻¹Bᵀb‖². The grid is taken sixteen points at a
/// time, in single precision: a start need not be better than a tenth of a tap.
final class PathStarts {
  private static let stepsPerTap = 4
  /// Taps beyond the window's end where a path may stand whose early side lobes reach into the window.
  private static let beyond = 2
  private static let lanes = 16

  private let windowTaps: Int
  private let blockCount: Int
  /// b(τ): for each block of sixteen grid points the window's taps, a lane for each point. Zero beyond the grid.
  private let pulses: [SIMD16<Float>]
  /// ‖b(τ)‖², a block of points at a time.
  private let energies: [SIMD16<Float>]
  /// Residuals and columns of B in single precision, a tap's numbers side by side.
  private let residuals: AlignedBuffer<SIMD2<Float>>
  private let columns: AlignedBuffer<Float>
  /// |b(τ)ᵀr|², a block of points at a time, and L⁻¹Bᵀb of one block.
  private let powers: AlignedBuffer<SIMD16<Float>>
  private let overlaps = AlignedBuffer<SIMD16<Float>>(count: PathFit.mostPaths, zero: .zero)

  init(table: PulseTable, windowTaps: Int, noise: NoiseCorrelation = .white) {
    let whitening = Whitening(noise, tapCount: windowTaps)
    self.windowTaps = windowTaps
    let gridCount = (windowTaps - 1 + Self.beyond) * Self.stepsPerTap + 1
    blockCount = (gridCount + Self.lanes - 1) / Self.lanes
    let column = AlignedBuffer<Double>(count: windowTaps, zero: 0)
    var pulses = [SIMD16<Float>](repeating: .zero, count: blockCount * windowTaps)
    var energies = [SIMD16<Float>](repeating: .zero, count: blockCount)
    for point in 0..<gridCount {
      let (block, lane) = point.quotientAndRemainder(dividingBy: Self.lanes)
      table.evaluate(
        delay: Double(point) / Double(Self.stepsPerTap), firstTap: 0, count: windowTaps, into: column.pointer)
      whitening?.apply(column.pointer)
      for tap in 0..<windowTaps { pulses[block * windowTaps + tap][lane] = Float(column.pointer[tap]) }
      energies[block][lane] = Float(dotProduct(column.pointer, column.pointer, count: windowTaps))
    }
    self.pulses = pulses
    self.energies = energies
    residuals = AlignedBuffer(count: windowTaps, zero: .zero)
    columns = AlignedBuffer(count: PathFit.mostPaths * windowTaps, zero: 0)
    powers = AlignedBuffer(count: blockCount, zero: .zero)
  }

  /// The best grid point given the residual and paths of the last `fit.solve`: delay in taps from the window's start.
  func strongest(_ fit: PathFit, count: Int) -> (position: Double, gain: Double) {
    strongest(count: count, antennas: 0..<1) { _ in fit }
  }

  /// The same over several antennas, whose gains add up; `nil` is an antenna that takes no part.
  ///
  /// The projection is that of the first antenna: the others' paths lie within a fraction of a tap of its own.
  @inline(__always)
  func strongest(
    count: Int, antennas: Range<Int>, among fits: (Int) -> PathFit?
  ) -> (position: Double, gain: Double) {
    var first: PathFit?
    for antenna in antennas where first == nil { first = fits(antenna) }
    guard let reference = first else { return (0, 0) }
    for path in 0..<count {
      let column = reference.basisColumn(path)
      for tap in 0..<windowTaps { columns.pointer[tap * count + path] = Float(column[tap]) }
    }
    return pulses.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return (0, 0) }
      for block in 0..<blockCount { powers.pointer[block] = .zero }
      for antenna in antennas {
        guard let residual = fits(antenna)?.residuals else { continue }
        for tap in 0..<windowTaps {
          residuals.pointer[tap] = SIMD2(Float(residual.real[tap]), Float(residual.imaginary[tap]))
        }
        for block in 0..<blockCount { powers.pointer[block] += power(base + block * windowTaps) }
      }
      return best(base, reference, count)
    }
  }

  /// |b(τ)ᵀr|² of a block.
  private func power(_ pulses: UnsafePointer<SIMD16<Float>>) -> SIMD16<Float> {
    var real = SIMD16<Float>()
    var imaginary = SIMD16<Float>()
    for tap in 0..<windowTaps {
      let pulse = pulses[tap]
      real += pulse * residuals.pointer[tap].x
      imaginary += pulse * residuals.pointer[tap].y
    }
    return real * real + imaginary * imaginary
  }

  private func best(
    _ pulses: UnsafePointer<SIMD16<Float>>, _ fit: PathFit, _ count: Int
  ) -> (position: Double, gain: Double) {
    var best: Float = 0
    var position = 0
    for block in 0..<blockCount {
      let power = powers.pointer[block]
      let energy = energies[block]
      // ‖P·b‖² is at least a twentieth of ‖b‖² where it counts at all: blocks that can't win aren't projected.
      guard any(power * 20 .> energy * best) else { continue }
      let left = projected(pulses + block * windowTaps, energy, fit, count)
      // Too close to a path that is there already: the quotient is of rounding errors.
      let isOpen = (left .> energy * 0.05) .& (energy .> 0.02)
      let gains = (power / left).replacing(with: 0, where: .!isOpen)
      guard any(gains .> best) else { continue }
      for lane in 0..<Self.lanes where gains[lane] > best {
        best = gains[lane]
        position = block * Self.lanes + lane
      }
    }
    return (Double(position) / Double(Self.stepsPerTap), Double(best))
  }

  /// ‖P·b‖² of a block.
  private func projected(
    _ pulses: UnsafePointer<SIMD16<Float>>, _ energy: SIMD16<Float>, _ fit: PathFit, _ count: Int
  ) -> SIMD16<Float> {
    let overlaps = overlaps.pointer
    var left = energy
    for path in 0..<count {
      var overlap = SIMD16<Float>()
      for tap in 0..<windowTaps { overlap += pulses[tap] * columns.pointer[tap * count + path] }
      for other in 0..<path { overlap -= Float(fit.gramFactor(path, other)) * overlaps[other] }
      overlap /= Float(fit.gramFactor(path, path))
      overlaps[path] = overlap
      left -= overlap * overlap
    }
    return left
  }
}
