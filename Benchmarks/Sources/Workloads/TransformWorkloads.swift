import Numerics
import PhysicalLimit
import UWBDSP

extension Workload {
  /// The library's transforms as the engine plans them, and as fast as they get; the engine's interpolation of a window.
  static let transforms: [Workload] =
    [false, true].flatMap { isTried in
      [64, 128, 1024, 2048].map { points in
        Workload("transform/fftw-\(isTried ? "measure" : "estimate")/\(points)", items: 1000, .transform) {
          guard let transform = uwb_transform_create(Int32(points), isTried ? 1 : 0) else { throw OutOfMemory() }
          return Prepared { uwb_transform_run(transform, 1000) }
        }
      }
    } + [
      Workload("transform/interpolation/64-taps-x16", items: 100, .window) {
        let interpolation = BandLimitedInterpolation(windowTaps: 64, factor: 16)
        let workspace = interpolation.makeWorkspace()
        let windows = Ring(SimulatedInput.responses(.awgn).map { $0.samples(taps: 400..<464) })
        var points = [Complex<Float>](repeating: .zero, count: 1024)
        return Prepared {
          for _ in 0..<100 { interpolation.interpolate(windows.next(), into: &points, using: workspace) }
        }
      }
    ]

  struct OutOfMemory: Error {}
}
