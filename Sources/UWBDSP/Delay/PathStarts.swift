/// Where a further path would explain most of what a fit has left: the projected matched filter over the window.
///
/// For each τ on a quarter-tap grid, with b(τ) the pulse there and P the projection off the paths found so far:
/// gain(τ) = |b(τ)ᵀr|² / ‖P·b(τ)‖², the fall in cost that one path at τ brings while the others' delays stand still.
final class PathStarts {
  private static let stepsPerTap = 4
  /// Taps beyond the window's end where a path may stand whose early side lobes reach into the window.
  private static let beyond = 2

  private let windowTaps: Int
  private let gridCount: Int
  /// b(τ) for each grid point, `windowTaps` apart, and ‖b(τ)‖².
  private let pulses: [Double]
  private let energies: [Double]
  private let overlap = AlignedBuffer<Double>(count: PathFit.mostPaths, zero: 0)
  private let solved = AlignedBuffer<Double>(count: PathFit.mostPaths, zero: 0)

  init(table: PulseTable, windowTaps: Int, noise: NoiseCorrelation = .white) {
    let whitening = Whitening(noise, tapCount: windowTaps)
    self.windowTaps = windowTaps
    gridCount = (windowTaps - 1 + Self.beyond) * Self.stepsPerTap + 1
    let column = AlignedBuffer<Double>(count: windowTaps, zero: 0)
    var pulses: [Double] = []
    var energies: [Double] = []
    for index in 0..<gridCount {
      let delay = Double(index) / Double(Self.stepsPerTap)
      table.evaluate(delay: delay, firstTap: 0, count: windowTaps, into: column.pointer)
      whitening?.apply(column.pointer)
      let values = (0..<windowTaps).map { column.pointer[$0] }
      pulses += values
      energies.append(values.reduce(0) { $0 + $1 * $1 })
    }
    self.pulses = pulses
    self.energies = energies
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
    var best = (position: 0.0, gain: 0.0)
    var first: PathFit?
    for antenna in antennas where first == nil { first = fits(antenna) }
    guard let reference = first else { return best }
    pulses.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      for index in 0..<gridCount {
        let pulse = base + index * windowTaps
        var power = 0.0
        for antenna in antennas {
          guard let residual = fits(antenna)?.residuals else { continue }
          let real = dot(pulse, residual.real)
          let imaginary = dot(pulse, residual.imaginary)
          power += real * real + imaginary * imaginary
        }
        // ‖P·b‖² ≤ ‖b‖²: where even twenty times the plain gain is no better, the projection is not worth its time.
        guard power * 20 > best.gain * energies[index] else { continue }
        for path in 0..<count {
          overlap.pointer[path] = dot(pulse, reference.basisColumn(path))
          solved.pointer[path] = overlap.pointer[path]
        }
        reference.applyInverseGram(solved.pointer, count: count)
        var left = energies[index]
        for path in 0..<count { left -= overlap.pointer[path] * solved.pointer[path] }
        // Too close to a path that is there already: the quotient is of rounding errors.
        guard left > 0.05 * energies[index], energies[index] > 0.02 else { continue }
        let gain = power / left
        if gain > best.gain { best = (Double(index) / Double(Self.stepsPerTap), gain) }
      }
    }
    return best
  }

  private func dot(_ a: UnsafePointer<Double>, _ b: UnsafePointer<Double>) -> Double {
    dotProduct(a, b, count: windowTaps)
  }
}
