import Numerics

/// A window of 64 taps, interpolated to 1/16 tap: where edges and peaks are read off.
package final class InterpolatedWindow {
  static let pointsPerTap = 16
  /// Taps of the window before the one it is loaded around.
  static let before = 24
  private static let interpolation = BandLimitedInterpolation(windowTaps: 64, factor: pointsPerTap)
  /// Fine points that may be read: the ends of the window wrap into each other.
  static let readable = (8 * pointsPerTap)..<(56 * pointsPerTap)

  let workspace = interpolation.makeWorkspace()
  let input = AlignedBuffer<Float>(count: 2 * 64, zero: 0)
  private let powers = AlignedBuffer<Float>(count: 64 * pointsPerTap, zero: 0)
  private(set) var firstTap = 0

  /// Interpolates the window around `tap` with all of its band; taps outside the CIR are zero.
  ///
  /// - Parameter filter: a spectrum to multiply by.
  func load(_ taps: PreparedTaps, around tap: Int, filter: UnsafePointer<Float>? = nil) {
    firstTap = tap - Self.before
    for index in 0..<64 {
      let source = firstTap + index
      let inside = source >= 0 && source < taps.count
      input.pointer[2 * index] = inside ? taps.taps[2 * source] : 0
      input.pointer[2 * index + 1] = inside ? taps.taps[2 * source + 1] : 0
    }
    Self.interpolation.run(input.pointer, filter: filter, using: workspace)
    let fine = workspace.fine.pointer
    for index in 0..<powers.count {
      powers.pointer[index] = fine[2 * index] * fine[2 * index] + fine[2 * index + 1] * fine[2 * index + 1]
    }
  }

  func power(_ point: Int) -> Double { Double(powers.pointer[point]) }

  /// Taps from the start of the accumulator.
  func delay(_ point: Double) -> Double { Double(firstTap) + point / Double(Self.pointsPerTap) }

  func amplitude(_ point: Int) -> Complex<Double> {
    Complex(Double(workspace.fine.pointer[2 * point]), Double(workspace.fine.pointer[2 * point + 1]))
  }

  func strongest() -> Int {
    var best = Self.readable.lowerBound
    for point in Self.readable where powers.pointer[point] > powers.pointer[best] { best = point }
    return best
  }

  /// The first local maximum at or after `point`.
  func peak(from point: Int) -> Int {
    var point = point
    while point + 1 < Self.readable.upperBound, powers.pointer[point + 1] > powers.pointer[point] { point += 1 }
    return point
  }

  /// The local maximum nearest to the tap that the window was loaded around.
  func peakOfCentre() -> Int {
    var point = peak(from: Self.before * Self.pointsPerTap)
    while point > Self.readable.lowerBound, powers.pointer[point - 1] > powers.pointer[point] { point -= 1 }
    return point
  }
}
