import CUWBKernels
import Numerics

/// What a radio or a transmitter of another kind adds to all taps: an offset, a pattern that repeats, tones.
extension PreparedTaps {
  /// Taps after which what a radio's clocks add to the accumulator repeats: a DW1000's has lines at 0, ±125 and ±250 MHz. An offset is one,
  /// too.
  static let patternTaps = 8
  /// Periods before the signal that show whether there is a pattern or a tone: no fewer, and as many as do.
  private static let leastPeriods = 16
  private static let shownPeriods = 32
  /// Power that a pattern explains, over what noise would: χ² of 16 degrees of freedom exceeds 3.2 times its mean once in 70,000 CIRs.
  private static let leastExplained: Float = 3.2
  /// |c|²·n of a tone, c the correlation of n taps with those a period later. White noise exceeds it once in e^14 CIRs.
  private static let leastCorrelation = 14.0
  /// Share of the power before the signal that a tone holds. A burst or a path has less of its power in one line.
  private static let leastShare = 0.15
  private static let mostTones = 3

  /// What periods of taps have in common.
  private struct Repetition {
    /// Power that the mean of each phase explains, over what it would explain of noise.
    var explained: Float
    /// Correlation with the taps a period later: the power that repeats, as a share, and how its phase turns.
    var correlation: Complex<Double>
    /// Number of taps.
    var count: Int

    /// Whether the taps correlate more than noise does.
    var isTonal: Bool { correlation.lengthSquared * Double(count) > PreparedTaps.leastCorrelation }
  }

  /// Removes a pattern and tones where they explain more of the power before the signal than noise would. A CIR whose signal starts too early
  /// to see 16 periods keeps them.
  func subtractBackground() {
    guard var shown = measureShown() else { return }
    if shown.explained > Self.leastExplained {
      _ = measure(from: Self.margin, periods: quietPeriods)
      subtractPattern()
      guard let left = measureShown() else { return }
      shown = left
    }
    for _ in 0..<Self.mostTones {
      guard shown.isTonal, subtractTone(shown.correlation.phase), let left = measureShown() else { return }
      shown = left
    }
  }

  /// Whole periods before the signal.
  private var quietPeriods: Int { (peakTap - Self.guardTaps - Self.margin) / Self.patternTaps }

  /// Of the last periods before the signal; `nil` where there are too few.
  private func measureShown() -> Repetition? {
    let quiet = quietPeriods
    guard isUsable, quiet >= Self.leastPeriods else { return nil }
    let shown = min(quiet, Self.shownPeriods)
    return measure(from: Self.margin + (quiet - shown) * Self.patternTaps, periods: shown)
  }

  /// Fills `pattern` with the mean of each phase over periods from a tap on.
  private func measure(from first: Int, periods: Int) -> Repetition {
    let count = periods * Self.patternTaps
    guard isWhole else {
      var products = SIMD2<Float>()
      let explained = integers.pointer.withMemoryRebound(to: Int16.self, capacity: 2 * integers.count) { parts in
        withUnsafeMutableBytes(of: &products) { bytes in
          uwb_measure_pattern(
            parts + 2 * first, scale, powers.pointer + first, periods, pattern.pointer,
            bytes.baseAddress?.assumingMemoryBound(to: Float.self))
        }
      }
      return Repetition(
        explained: explained, correlation: Complex(Double(products.x), Double(products.y)), count: count)
    }
    var (early, late) = (SIMD8<Float>(), SIMD8<Float>())
    var (power, real, imaginary) = (SIMD8<Float>(), SIMD8<Float>(), SIMD8<Float>())
    var (lastEarly, lastLate) = (SIMD8<Float>(), SIMD8<Float>())
    for period in 0..<periods {
      let tap = first &+ Self.patternTaps &* period
      let (own, next) = (eight(2 &* tap), eight(2 &* tap &+ 8))
      early += own
      late += next
      power += UnsafeRawPointer(powers.pointer + tap).loadUnaligned(as: SIMD8<Float>.self)
      real += own * lastEarly + next * lastLate
      imaginary += own.pairsSwapped * lastEarly + next.pairsSwapped * lastLate
      (lastEarly, lastLate) = (own, next)
    }
    let target = UnsafeMutableRawPointer(pattern.pointer)
    target.storeBytes(of: early / Float(periods), as: SIMD8<Float>.self)
    target.storeBytes(of: late / Float(periods), toByteOffset: 32, as: SIMD8<Float>.self)
    let whole = power.sum()
    let turned = imaginary.evenHalf.sum() - imaginary.oddHalf.sum()
    return Repetition(
      explained: (early * early + late * late).sum() / whole,
      correlation: Complex(Double(real.sum() / whole), Double(turned / whole)), count: count)
  }

  /// Takes `pattern` off all taps.
  private func subtractPattern() {
    let scale = isWhole ? 1 : self.scale
    var blocks = self.blocks
    var energy: Float = 0
    if !isWhole {
      let whole = count / Self.blockTaps
      energy = integers.pointer.withMemoryRebound(to: Int16.self, capacity: 2 * integers.count) {
        uwb_subtract_pattern(
          $0, scale, pattern.pointer, whole, firstSample, powers.pointer, quarterPeaks.pointer)
      }
      blocks = whole..<blocks.upperBound
    }
    // `uwb_subtract_pattern` for numbers of any kind, and for a last block that is not full.
    for block in blocks { energy += subtractPattern(from: block, scale: scale) }
    isWhole = true
    isUsable = energy.isFinite
    findPeak()
  }

  /// Takes the pattern off a block's samples, and anew their powers and the block's peaks; Σ|h|².
  private func subtractPattern(from block: Int, scale: Float) -> Float {
    let start = Self.blockTaps &* block
    let left = count &- start
    let samples = UnsafeMutableRawPointer(firstSample + 2 &* start)
    let targets = UnsafeMutableRawPointer(powers.pointer + start)
    var peaks = SIMD4<Float>()
    var sums = SIMD4<Float>()
    var tap = 0
    while tap < Self.blockTaps {
      let own = UnsafeRawPointer(pattern.pointer + 2 &* (tap % Self.patternTaps)).load(as: SIMD8<Float>.self)
      var four = eight(2 &* (start &+ tap)) * scale - own
      // Behind the last tap is nothing that the pattern could be taken from.
      if left < tap &+ 4 { four.replace(with: 0, where: SIMD8(0, 0, 1, 1, 2, 2, 3, 3) .>= Int32(max(left &- tap, 0))) }
      samples.storeBytes(of: four, toByteOffset: 8 &* tap, as: SIMD8<Float>.self)
      let squares = four * four
      let powers = squares.evenHalf + squares.oddHalf
      targets.storeBytes(of: powers, toByteOffset: 4 &* tap, as: SIMD4<Float>.self)
      peaks = peaks.larger(powers)
      sums += powers
      tap &+= 4
    }
    UnsafeMutableRawPointer(quarterPeaks.pointer + 4 &* block).storeBytes(of: peaks, as: SIMD4<Float>.self)
    return sums.sum()
  }

  /// Four taps from the `number`-th real or imaginary part on, not scaled where they came as integers.
  @inline(__always)
  private func eight(_ number: Int) -> SIMD8<Float> {
    if isWhole { return UnsafeRawPointer(firstSample + number).loadUnaligned(as: SIMD8<Float>.self) }
    let source = UnsafeRawPointer(integers.pointer) + 2 &* number
    return SIMD8<Float>(source.loadUnaligned(as: SIMD8<Int16>.self))
  }

  /// Takes a tone off all taps, if it holds enough of the power before the signal.
  ///
  /// - Parameter turn: its phase over a period, rad.
  private func subtractTone(_ turn: Double) -> Bool {
    let (first, quiet) = (Self.margin, quietPeriods * Self.patternTaps)
    let source = taps
    let tone = Tone(source + 2 * first, count: quiet, aliasOf: turn / Double(Self.patternTaps), sums: &toneSums)
    let power = (first..<first + quiet).reduce(Float()) { $0 + powers.pointer[$1] }
    guard tone.amplitude.lengthSquared * Double(quiet) > Self.leastShare * Double(power) else { return false }
    tone.subtract(from: source, count: count, origin: first)
    measurePowers()
    isUsable = measureBlocks()
    findPeak()
    return true
  }
}

extension SIMD8 {
  /// Of numbers by pairs, the second of each first.
  @inline(__always)
  fileprivate var pairsSwapped: Self {
    var swapped = self
    swapped.evenHalf = oddHalf
    swapped.oddHalf = evenHalf
    return swapped
  }
}
