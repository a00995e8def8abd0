import Numerics

/// Band-limited interpolation of a window of taps by zero-padding its spectrum.
///
/// y[m] = (1/N) · Σ_k X[k] · exp(+j·2πkm/(L·N)) over −N/2 ≤ k < N/2, for N window taps and L points a tap; the
/// Nyquist bin is split evenly over both ends. Exact for signals that repeat with the window's period; elsewhere the
/// window's ends wrap into each other, so keep a few taps of distance from them. Cost O(L·N log(L·N)): a window of
/// 64 taps at 16 points a tap is one transform of 1024 points, where the whole native accumulator would be 16 256.
public struct BandLimitedInterpolation: Sendable, Hashable {
  /// Taps in the window, N; a power of two.
  public let windowTaps: Int
  /// Points a tap, L; a power of two.
  public let factor: Int

  /// - Precondition: both are powers of two.
  public init(windowTaps: Int = 64, factor: Int = 16) {
    precondition(
      windowTaps.nonzeroBitCount == 1 && factor.nonzeroBitCount == 1 && windowTaps > 1,
      "a window of \(windowTaps) taps × \(factor): both must be powers of two")
    self.windowTaps = windowTaps
    self.factor = factor
  }

  /// Everything that interpolating needs; one for each thread.
  public final class Workspace {
    let window: AlignedBuffer<Float>
    let spectrum: AlignedBuffer<Float>
    let padded: AlignedBuffer<Float>
    let fine: AlignedBuffer<Float>
    let forward: FourierPlan
    let inverse: FourierPlan

    init(_ interpolation: BandLimitedInterpolation) {
      let fineCount = interpolation.windowTaps * interpolation.factor
      window = AlignedBuffer(count: 2 * interpolation.windowTaps, zero: 0)
      spectrum = AlignedBuffer(count: 2 * interpolation.windowTaps, zero: 0)
      padded = AlignedBuffer(count: 2 * fineCount, zero: 0)
      fine = AlignedBuffer(count: 2 * fineCount, zero: 0)
      forward = FourierRecipe(count: interpolation.windowTaps, direction: .forward).makePlan()
      inverse = FourierRecipe(count: fineCount, direction: .inverse).makePlan()
    }
  }

  /// Allocates everything that a calculation needs.
  public func makeWorkspace() -> Workspace { Workspace(self) }

  /// Interpolates `windowTaps` interleaved taps from `taps` into `workspace.fine`, their spectrum multiplied by
  /// `filter` (as many interleaved bins) on the way where there is one.
  func run(_ taps: UnsafePointer<Float>, filter: UnsafePointer<Float>? = nil, using workspace: Workspace) {
    let count = windowTaps
    let fineCount = count * factor
    workspace.window.pointer.update(from: taps, count: 2 * count)
    workspace.forward.execute(workspace.window.pointer, into: workspace.spectrum.pointer)
    let spectrum = workspace.spectrum.pointer
    if let filter {
      for bin in 0..<count {
        let (re, im) = (spectrum[2 * bin], spectrum[2 * bin + 1])
        spectrum[2 * bin] = re * filter[2 * bin] - im * filter[2 * bin + 1]
        spectrum[2 * bin + 1] = re * filter[2 * bin + 1] + im * filter[2 * bin]
      }
    }
    let padded = workspace.padded.pointer
    let scale = 1 / Float(count)
    // Only the outer bins are written below; the middle has to be cleared because FFTW may use it as scratch.
    padded.update(repeating: 0, count: 2 * fineCount)
    let half = count / 2
    for index in 0..<count { padded[index] = spectrum[index] * scale }
    for index in 0..<count { padded[2 * (fineCount - half) + index] = spectrum[2 * half + index] * scale }
    if factor > 1 {
      for part in 0..<2 {
        let nyquist = spectrum[2 * half + part] * scale / 2
        padded[2 * half + part] = nyquist
        padded[2 * (fineCount - half) + part] = nyquist
      }
    }
    workspace.inverse.execute(padded, into: workspace.fine.pointer)
  }

  /// Interpolates `samples` (`windowTaps` of them) to `windowTaps · factor` points, 1/`factor` tap apart. Allocates.
  public func interpolate(_ samples: [Complex<Float>]) -> [Complex<Float>] {
    var points = [Complex<Float>](repeating: .zero, count: windowTaps * factor)
    interpolate(samples, into: &points, using: makeWorkspace())
    return points
  }

  /// The same into `points`, which has that many; allocates nothing.
  public func interpolate(
    _ samples: [Complex<Float>], into points: inout [Complex<Float>], using workspace: Workspace
  ) {
    precondition(samples.count == windowTaps, "\(samples.count) samples for a window of \(windowTaps) taps")
    precondition(points.count == windowTaps * factor, "\(points.count) points for \(windowTaps) taps × \(factor)")
    samples.withUnsafeBytes { bytes in
      guard let taps = bytes.bindMemory(to: Float.self).baseAddress else { return }
      run(taps, using: workspace)
    }
    let fine = UnsafeRawBufferPointer(start: workspace.fine.pointer, count: 8 * points.count)
    points.withUnsafeMutableBytes { $0.copyMemory(from: fine) }
  }
}
