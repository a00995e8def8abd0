import Numerics
import UWBDSP

/// The matched filter's output over a window round the strongest tap, 1/8 tap apart: shared by the estimators that
/// take paths away one after the other.
///
/// z(τ) = Σ_k r[k]·p(k − τ) / Σ_k p(k)²: the amplitude of a lone path at τ, with noise of variance σ²/Σp². One
/// transform of 128 points, a product with the pulse's conjugate spectrum, and one of 1024 points back.
final class MatchedFilterMap {
  static let windowTaps = 128
  static let pointsPerTap = 8
  /// Taps before the strongest one that the window begins, and that paths are looked for.
  static let windowBefore = 72
  static let searchBefore = 64
  /// Taps after the strongest one that paths are looked for: later ones hardly reach the first path.
  static let searchAfter = 8
  private static let pointCount = windowTaps * pointsPerTap

  /// Σ_k p(k)²
  let energy: Double
  /// Σ_k p'(k)², per tap².
  private let slopeEnergy: Double
  /// RMS angular bandwidth of noise after the filter, rad a tap.
  private let bandwidth: Double
  /// Taps of the window less the paths that were subtracted, interleaved.
  let residual = AlignedBuffer<Float>(count: 2 * windowTaps, zero: 0)
  /// z, interleaved, and |z|².
  let output = AlignedBuffer<Float>(count: 2 * pointCount, zero: 0)
  let powers = AlignedBuffer<Float>(count: pointCount, zero: 0)
  private(set) var firstTap = 0

  private let template = AlignedBuffer<Float>(count: 2 * windowTaps, zero: 0)
  private let spectrum = AlignedBuffer<Float>(count: 2 * windowTaps, zero: 0)
  private let padded = AlignedBuffer<Float>(count: 2 * pointCount, zero: 0)
  private let forward = FourierRecipe(count: windowTaps, direction: .forward).makePlan()
  private let inverse = FourierRecipe(count: pointCount, direction: .inverse).makePlan()

  init(_ receiver: ReceiverModel) {
    let (pulse, tapSpacing) = (receiver.pulse, receiver.tapSpacing)
    let half = Self.windowTaps / 2
    var energy = 0.0
    var slopeEnergy = 0.0
    for tap in -half..<half {
      let time = Double(tap)
      let value = pulse(time * tapSpacing)
      let slope = (pulse((time + 1e-3) * tapSpacing) - pulse((time - 1e-3) * tapSpacing)) / 2e-3
      energy += value * value
      slopeEnergy += slope * slope
      residual.pointer[2 * ((tap + Self.windowTaps) % Self.windowTaps)] = Float(value)
    }
    self.energy = energy
    self.slopeEnergy = slopeEnergy
    // By Parseval, Σω²|P|²/Σ|P|² = Σp'²/Σp².
    bandwidth = (slopeEnergy / energy).squareRoot()
    forward.execute(residual.pointer, into: spectrum.pointer)
    let scale = 1 / (Float(energy) * Float(Self.windowTaps))
    for bin in 0..<Self.windowTaps {
      // The bin at Nyquist is split over both ends of the padded spectrum.
      let share: Float = bin == half ? 0.5 : 1
      template.pointer[2 * bin] = share * scale * spectrum.pointer[2 * bin]
      template.pointer[2 * bin + 1] = -share * scale * spectrum.pointer[2 * bin + 1]
    }
  }

  /// Takes the window round the strongest tap; taps outside the CIR are zero.
  func load(_ taps: PreparedTaps) {
    firstTap = taps.peakTap - Self.windowBefore
    let low = min(max(0, -firstTap), Self.windowTaps)
    let high = max(low, min(Self.windowTaps, taps.count - firstTap))
    let target = residual.pointer
    target.update(repeating: 0, count: 2 * low)
    (target + 2 * low).update(from: taps.taps + 2 * (firstTap + low), count: 2 * (high - low))
    (target + 2 * high).update(repeating: 0, count: 2 * (Self.windowTaps - high))
  }

  /// Points where paths are looked for.
  var searched: Range<Int> {
    let points = Self.pointsPerTap
    let before = min(Self.searchBefore, Self.windowBefore + firstTap)
    return ((Self.windowBefore - before) * points)..<((Self.windowBefore + Self.searchAfter) * points + 1)
  }

  /// Filters the residual.
  func filter() {
    let count = Self.windowTaps
    let half = count / 2
    forward.execute(residual.pointer, into: spectrum.pointer)
    let source = spectrum.pointer
    let weight = template.pointer
    let target = padded.pointer
    // The middle has to be cleared because FFTW may use it as scratch.
    (target + 2 * (half + 1)).update(repeating: 0, count: 2 * (Self.pointCount - count - 1))
    for bin in 0...half { multiply(source + 2 * bin, weight + 2 * bin, into: target + 2 * bin) }
    let tail = target + 2 * (Self.pointCount - count)
    for bin in half..<count { multiply(source + 2 * bin, weight + 2 * bin, into: tail + 2 * bin) }
    inverse.execute(target, into: output.pointer)
    measurePowers()
  }

  /// |z|² where paths are looked for.
  func measurePowers() {
    let points = output.pointer
    let powers = powers.pointer
    for point in searched.lowerBound - 1..<searched.upperBound + 1 {
      powers[point] = points[2 * point] * points[2 * point] + points[2 * point + 1] * points[2 * point + 1]
    }
  }

  @inline(__always)
  private func multiply(
    _ a: UnsafePointer<Float>, _ b: UnsafePointer<Float>, into target: UnsafeMutablePointer<Float>
  ) {
    target[0] = a[0] * b[0] - a[1] * b[1]
    target[1] = a[0] * b[1] + a[1] * b[0]
  }

  /// The point of largest |z|².
  func strongest() -> Int {
    let range = searched
    let powers = powers.pointer
    var best: Float = -1
    var bestBlock = range.lowerBound
    var block = range.lowerBound
    while block < range.upperBound {
      var largest: Float = -1
      if block + 16 <= range.upperBound {
        largest = UnsafeRawPointer(powers + block).loadUnaligned(as: SIMD16<Float>.self).max()
      } else {
        for point in block..<range.upperBound where powers[point] > largest { largest = powers[point] }
      }
      if largest > best {
        best = largest
        bestBlock = block
      }
      block += 16
    }
    let end = min(bestBlock + 16, range.upperBound)
    return (bestBlock..<end).first { powers[$0] == best } ?? bestBlock
  }

  func power(_ point: Int) -> Double { Double(powers.pointer[point]) }

  /// The delay of the peak at `point`, refined by a parabola, taps from the window's start.
  func delay(ofPeak point: Int) -> Double {
    let before = power(point - 1)
    let after = power(point + 1)
    let bend = before - 2 * power(point) + after
    let offset = bend < 0 ? min(max(0.5 * (before - after) / bend, -1), 1) : 0
    return (Double(point) + offset) / Double(Self.pointsPerTap)
  }

  /// The |z|² that noise of `variance` a tap passes at `rate` in a search over `tapCount` taps.
  func level(variance: Double, tapCount: Int, rate: Double) -> Double {
    variance / energy * FirstPathSearch.detectionLevel(tapCount: tapCount, rate: rate, bandwidth: bandwidth)
  }

  /// A path with the deviations of a lone one, σ²/(2·|a|²·Σp'²) and σ²/(2·|a|²·Σp²).
  func path(delay: Double, amplitude: Complex<Double>, variance: Double) -> PathEstimate {
    let inverseSNR = variance / max(amplitude.lengthSquared, .leastNormalMagnitude)
    return PathEstimate(
      delayTaps: Double(firstTap) + delay, amplitude: amplitude,
      deviationTaps: (inverseSNR / (2 * slopeEnergy)).squareRoot(),
      phaseDeviation: (inverseSNR / (2 * energy)).squareRoot())
  }
}

/// What decides whether a peak of the matched filter's output is a path: made once for each CIR.
struct PathDetection {
  /// Noise, and what the pulse leaves unexplained next to the strongest path, a tap.
  var variance: Double
  /// |z|² that a path has to reach.
  var level: Double

  /// Loads `taps` into `map` and filters them; `nil` where there are none, or where the strongest maximum may be noise.
  ///
  /// The strongest path has to reach the laxer level of `FirstPathSearch.presence` only: a receiver that has decoded a
  /// frame knows that there is one.
  init?(
    _ taps: PreparedTaps, _ map: MatchedFilterMap, _ receiver: ReceiverModel, into estimate: inout DelayEstimate
  ) {
    guard taps.isUsable else {
      estimate.reset(.emptyImpulseResponse)
      return nil
    }
    map.load(taps)
    map.filter()
    let strongest = map.power(map.strongest())
    variance = receiver.variance(noise: taps.noiseVariance, peak: strongest)
    let noise = map.level(variance: variance, tapCount: MatchedFilterMap.searchBefore, rate: receiver.falseAlarmRate)
    level = max(noise, receiver.clutter * receiver.clutter * strongest)
    let presence = map.level(
      variance: variance, tapCount: taps.count, rate: max(FirstPathSearch.presence, receiver.falseAlarmRate))
    level = min(level, max(strongest, presence))
    estimate.reset(.noFirstPath, noiseVariance: taps.noiseVariance, threshold: level.squareRoot())
    guard strongest >= presence else { return nil }
  }
}
