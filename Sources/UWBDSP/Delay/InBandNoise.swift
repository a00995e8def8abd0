import Numerics
import UWBPlatform

/// The noise that a pulse's band holds shortly before a path, as the variance of a tap of white noise that would leave as much.
///
/// What a receive filter passes lies in the pulse's own band, and there is more of it there than its variance tells. Bursts, another
/// transmitter's tail and the code's side lobes are noise to a first path as well. The taps go through a Gaussian of the pulse's
/// main-lobe width, and powers are averaged.
struct InBandNoise: Sendable {
  private static let taps = 64
  /// Taps before the path that may belong to its pulse.
  private static let rise = 10
  private static let least = 16
  private static let halfWidth = 3

  /// For 0 to 3 taps off; the sum of their squares, each taken as often as it counts, is 1.
  private let weights: SIMD4<Float>

  init(_ receiver: ReceiverModel) {
    let width = FirstPathSearch.mainLobeWidth(receiver.pulse, receiver.tapSpacing)
    let shape = (0...Self.halfWidth).map { (tap: Int) -> Double in
      let deviations = Double(tap) / width
      return exp(-deviations * deviations / 2)
    }
    let sides = shape.dropFirst().reduce(0.0) { $0 + $1 * $1 }
    let norm = (shape[0] * shape[0] + 2 * sides).squareRoot()
    weights = SIMD4(shape.map { Float($0 / norm) })
  }

  /// `nil` where too few taps lie before `tap`.
  func variance(_ taps: PreparedTaps, before tap: Int) -> Double? {
    let end = min(tap - Self.rise, taps.count - Self.halfWidth)
    let first = max(Self.halfWidth, end - Self.taps)
    // Four taps at a time.
    let count = max(0, end - first) / 4 * 4
    guard count >= Self.least else { return nil }
    let source = taps.taps(in: first - Self.halfWidth..<first + count + Self.halfWidth) + 2 * (first - Self.halfWidth)
    var power = SIMD8<Float>()
    for number in stride(from: 0, to: 2 * count, by: 8) {
      func load(_ tap: Int) -> SIMD8<Float> {
        UnsafeRawPointer(source + number + 2 * tap).loadUnaligned(as: SIMD8<Float>.self)
      }
      var sum = weights[0] * load(3)
      sum += weights[1] * (load(2) + load(4))
      sum += weights[2] * (load(1) + load(5))
      sum += weights[3] * (load(0) + load(6))
      power += sum * sum
    }
    return Double(power.sum()) / Double(count)
  }
}
