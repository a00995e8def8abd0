/// Whether so much follows a first path that a list of paths can't stand for it.
///
/// A few paths leave gaps, scattering fills them. A gap is a pair of neighbouring taps behind the first pulse with hardly any power. The
/// limit is a little above the noise, and above the side lobes of a strong path nearby. Few gaps and more than noise in the taps beyond mean
/// scattering. Fits of paths were nearly always beaten there, so they need not be tried.
///
/// The powers of several antennas add up: paths fade on one of them where they don't on another.
enum CrowdedTaps {
  /// How far behind the first path gaps are looked for, taps, and how many pairs of them: what the window of a fit holds, and little more.
  private static let (first, pairs) = (4, 11)
  /// Most gaps that count as none: what fading leaves of scattering on one antenna.
  private static let mostGaps: Int32 = 2
  /// Mean power of a gap's taps, at most: noise variances, or the strongest tap's power, whichever is more.
  private static let (noiseLevel, peakLevel): (Float, Float) = (4, 0.02)

  /// Behind the first path, taps, where scattering goes on, and their mean power at least, noise variances.
  private static let beyond = 20..<84
  private static let leastBeyond: Float = 1.5

  /// - Parameters:
  ///   - halfTap: the rough first path.
  ///   - taps: of each antenna; `nil` for one that takes no part.
  static func follow(_ halfTap: Int, antennas: Int, _ taps: (Int) -> PreparedTaps?) -> Bool {
    let (path, start) = (halfTap / 2, halfTap / 2 + first)
    var (early, middle, late) = (SIMD4<Float>(), SIMD4<Float>(), SIMD4<Float>())
    var (noise, peak, tail): (Float, Float, Float) = (0, 0, 0)
    for antenna in 0..<antennas {
      guard let own = taps(antenna) else { continue }
      // One more is read than there are.
      guard start >= 0, start + pairs + 1 < own.count else { return false }
      let powers = UnsafePointer(own.powers.pointer) + start
      early += powers.load4(0) + powers.load4(1)
      middle += powers.load4(4) + powers.load4(5)
      late += powers.load4(8) + powers.load4(9)
      noise += Float(own.noiseVariance)
      peak += Float(own.peakPower)
      tail += own.meanPower(in: path + beyond.lowerBound..<path + beyond.upperBound) ?? 0
    }
    guard tail > leastBeyond * noise else { return false }
    // There are eleven pairs.
    late.w = .infinity
    let level = 2 * max(noiseLevel * noise, peakLevel * peak)
    func gaps(_ pairs: SIMD4<Float>) -> SIMD4<Int32> {
      SIMD4<Int32>(repeating: 0).replacing(with: 1, where: pairs .< level)
    }
    return (gaps(early) &+ gaps(middle) &+ gaps(late)).wrappedSum() <= mostGaps
  }
}
