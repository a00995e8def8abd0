import CUWBKernels

/// Where a further path would explain most of what a fit has left: the projected matched filter over the window.
///
/// For τ on a half-tap grid, with b(τ) the pulse there and P the projection off the paths found so far:
/// gain(τ) = |b(τ)ᵀr|² / ‖P·b(τ)‖², the fall in cost that one path at τ brings while the others' delays stand still. The start is
/// the vertex of the parabola through the highest point and its neighbours.
///
/// With G = L·Lᵀ the Gram matrix of the paths' pulses B, ‖P·b‖² = ‖b‖² − ‖L⁻¹Bᵀb‖²; Bᵀb is read from a table, to half a hundredth. The
/// grid is taken eight points at a time, in single precision: a start need not be better than a tenth of a tap.
final class PathStarts {
  private static let stepsPerTap = 2
  /// Taps beyond the window's end where a path may stand whose early side lobes reach into the window.
  private static let beyond = 2
  private static let lanes = 8
  /// Paths for which the table holds their overlaps with the grid stand so close to each other.
  private static let overlapsPerTap = 8

  private let windowTaps: Int
  private let blockCount: Int
  /// b(τ): for each block of eight grid points the window's taps, a lane for each point. Zero beyond the grid.
  private let pulses: AlignedBuffer<SIMD8<Float>>
  /// ‖b(τ)‖², a block of points at a time.
  private let energies: AlignedBuffer<SIMD8<Float>>
  /// b(τ)ᵀb(τ_i): for each τ_i from `beyond` before the window on, the blocks.
  private let overlaps: AlignedBuffer<SIMD8<Float>>
  private let overlapRows: Int
  /// |b(τ)ᵀr|² and then gains; a block of points at a time.
  private let gains: AlignedBuffer<SIMD8<Float>>
  /// Where in the table each path's overlaps begin, and the share of the next row.
  private let rows = AlignedBuffer<Int>(count: PathFit.mostPaths, zero: 0)
  private let blends = AlignedBuffer<Float>(count: PathFit.mostPaths, zero: 0)
  /// L by rows, one over its diagonal.
  private let factor = AlignedBuffer<Float>(count: PathFit.mostPaths * (PathFit.mostPaths + 1) / 2, zero: 0)

  init(table: PulseTable, windowTaps: Int, noise: NoiseCorrelation = .white) {
    let whitening = Whitening(noise, tapCount: windowTaps)
    self.windowTaps = windowTaps
    let gridCount = (windowTaps - 1 + Self.beyond) * Self.stepsPerTap + 1
    blockCount = (gridCount + Self.lanes - 1) / Self.lanes
    overlapRows = (windowTaps - 1 + 2 * Self.beyond) * Self.overlapsPerTap + 1
    pulses = AlignedBuffer(count: blockCount * windowTaps, zero: .zero)
    energies = AlignedBuffer(count: blockCount, zero: .zero)
    overlaps = AlignedBuffer(count: overlapRows * blockCount, zero: .zero)
    gains = AlignedBuffer(count: blockCount, zero: .zero)
    let column = AlignedBuffer<Double>(count: windowTaps, zero: 0)
    func evaluate(_ delay: Double) {
      table.evaluate(delay: delay, firstTap: 0, count: windowTaps, into: column.pointer)
      whitening?.apply(column.pointer)
    }
    for point in 0..<gridCount {
      let (block, lane) = point.quotientAndRemainder(dividingBy: Self.lanes)
      evaluate(Double(point) / Double(Self.stepsPerTap))
      for tap in 0..<windowTaps { pulses.pointer[block * windowTaps + tap][lane] = Float(column.pointer[tap]) }
      energies.pointer[block][lane] = Float(dotProduct(column.pointer, column.pointer, count: windowTaps))
    }
    for row in 0..<overlapRows {
      evaluate(Double(row) / Double(Self.overlapsPerTap) - Double(Self.beyond))
      for block in 0..<blockCount {
        var sums = SIMD8<Float>()
        for tap in 0..<windowTaps { sums += pulses.pointer[block * windowTaps + tap] * Float(column.pointer[tap]) }
        overlaps.pointer[row * blockCount + block] = sums
      }
    }
  }

  /// The best start given the residual and paths of the last `fit.solve`: delay in taps from the window's start.
  func strongest(_ fit: PathFit, count: Int) -> (position: Double, gain: Double) {
    clearGains()
    addPowers(fit)
    guard let point = project(fit, count) else { return (0, 0) }
    let position = position(point)
    return (position, fit.gain(of: position, count: count))
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
    clearGains()
    for antenna in antennas {
      guard let fit = fits(antenna) else { continue }
      addPowers(fit)
    }
    guard let point = project(reference, count) else { return (0, 0) }
    let position = position(point)
    var gain = 0.0
    for antenna in antennas {
      guard let fit = fits(antenna) else { continue }
      gain += fit.gain(of: position, count: count)
    }
    return (position, gain)
  }

  private func clearGains() { gains.pointer.update(repeating: .zero, count: blockCount) }

  /// Adds |b(τ)ᵀr|².
  private func addPowers(_ fit: PathFit) {
    let residual = fit.residuals
    uwb_add_powers(
      floats(pulses.pointer), blockCount, residual.real, residual.imaginary, windowTaps, floats(gains.pointer))
  }

  /// Divides by ‖P·b(τ)‖²; 0 where a path would be too close to one that is there already. The highest point, `nil` where all are 0.
  private func project(_ fit: PathFit, _ count: Int) -> Int? {
    var place = 0
    for path in 0..<count {
      let position = (fit.solvedDelay(path) + Double(Self.beyond)) * Double(Self.overlapsPerTap)
      let inside = min(max(position, 0), Double(overlapRows - 1))
      let row = Int(inside, within: 0...overlapRows - 2)
      rows.pointer[path] = row * blockCount
      blends.pointer[path] = Float(inside - Double(row))
      for other in 0..<path {
        factor.pointer[place] = Float(fit.gramFactor(path, other))
        place &+= 1
      }
      factor.pointer[place] = Float(1 / fit.gramFactor(path, path))
      place &+= 1
    }
    let point = uwb_project_gains(
      floats(UnsafePointer(energies.pointer)), floats(UnsafePointer(overlaps.pointer)), blockCount, rows.pointer,
      blends.pointer, factor.pointer, count, floats(gains.pointer))
    return point < 0 ? nil : point
  }

  private func gain(_ point: Int) -> Float {
    guard point >= 0, point < blockCount * Self.lanes else { return 0 }
    return gains.pointer[point / Self.lanes][point % Self.lanes]
  }

  /// A point's place, between grid points where both neighbours are open; taps from the window's start.
  private func position(_ point: Int) -> Double {
    let (before, here, after) = (gain(point - 1), gain(point), gain(point + 1))
    let bend = 2 * here - before - after
    let offset = before > 0 && after > 0 && bend > 0 ? Double((after - before) / (2 * bend)) : 0
    return (Double(point) + offset) / Double(Self.stepsPerTap)
  }
}
