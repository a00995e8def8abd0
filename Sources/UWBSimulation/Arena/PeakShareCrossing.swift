import Numerics
import UWBDSP

/// The first crossing of 0.3 of the largest magnitude, on sixteen-fold interpolated taps: what every estimator of the
/// arena is held against.
///
/// The whole CIR is filled up with zeros to a power of two and interpolated by its spectrum; the crossing is linear
/// between the two points round it. It knows neither the pulse nor the noise.
public struct PeakShareCrossing {
  /// Share of the largest magnitude that has to be crossed.
  public static let share: Float = 0.3
  private let interpolation: BandLimitedInterpolation
  private let workspace: BandLimitedInterpolation.Workspace
  private var taps: [Complex<Float>]
  private var points: [Complex<Float>]

  /// Allocates for CIRs of so many taps.
  public init(tapCount: Int) {
    var length = 2
    while length < tapCount { length *= 2 }
    interpolation = BandLimitedInterpolation(windowTaps: length, factor: 16)
    workspace = interpolation.makeWorkspace()
    taps = Array(repeating: .zero, count: length)
    points = Array(repeating: .zero, count: length * interpolation.factor)
  }

  /// Taps from the start of the CIR to the crossing; `nil` where all taps are zero.
  ///
  /// - Precondition: `samples` has no more taps than the crossing was made for.
  public mutating func callAsFunction(_ samples: [Complex<Float>]) -> Double? {
    precondition(samples.count <= taps.count, "\(samples.count) taps for a crossing over \(taps.count)")
    for tap in taps.indices { taps[tap] = tap < samples.count ? samples[tap] : .zero }
    interpolation.interpolate(taps, into: &points, using: workspace)
    let used = samples.count * interpolation.factor
    let level = Self.share * points[..<used].reduce(0) { max($0, Self.magnitude($1)) }
    guard level > 0, let point = points[..<used].firstIndex(where: { Self.magnitude($0) >= level }) else { return nil }
    guard point > 0 else { return 0 }
    let (low, high) = (Self.magnitude(points[point - 1]), Self.magnitude(points[point]))
    return (Double(point - 1) + Double((level - low) / (high - low))) / Double(interpolation.factor)
  }

  private static func magnitude(_ sample: Complex<Float>) -> Float {
    sample.lengthSquared.squareRoot()
  }
}
