import CUWBKernels
import Numerics

/// One antenna's taps, ready for estimators: scaled single precision, the radio's additive pattern removed, noise
/// floor known. Made once for each thread, loaded for each CIR.
public final class PreparedTaps {
  /// Taps before the strongest one that may still hold signal, so that the noise floor is not taken from them.
  static let guardTaps = 64

  /// Most taps that fit.
  public let capacity: Int
  // Accesses to these are over at once, and each thread has taps of its own. A check of each read for overlapping accesses would cost as
  // much as a pass over the taps.

  /// Taps of the CIR that was loaded last.
  @exclusivity(unchecked) public private(set) var count = 0
  /// Variance of the complex noise of a tap.
  @exclusivity(unchecked) public private(set) var noiseVariance = 0.0
  /// The strongest tap.
  @exclusivity(unchecked) public private(set) var peakTap = 0
  /// |h|² of the strongest tap.
  @exclusivity(unchecked) public private(set) var peakPower = 0.0
  /// Whether the samples are finite, not all zero, and their strongest within `EngineLimits.peakPower`.
  @exclusivity(unchecked) public internal(set) var isUsable = false

  /// Interleaved samples; zero taps, `margin` at least, stand before the first and after the last, for filters to run
  /// over. Taps that came as integers are there once `taps` was asked for them.
  let samples: AlignedBuffer<Float>
  /// Taps as they came where they came as integers, real parts in the lower halves; zero behind the last to the end of its
  /// block.
  let integers: AlignedBuffer<Int32>
  /// Of `integers`, by block: whether `samples` holds them.
  private let isConverted: AlignedBuffer<Bool>
  var isWhole = true
  var scale: Float = 1
  /// |h|² of each tap, zero behind the last to the end of its block.
  package let powers: AlignedBuffer<Float>
  /// The largest |h|² of every fourth tap of each block of `blockTaps` taps, and of the ones after them, two and three after.
  let quarterPeaks: AlignedBuffer<Float>
  static let margin = 8
  static let blockTaps = 16
  private var floor = NoiseFloor()
  /// Memory of `subtractBackground`.
  let pattern = AlignedBuffer<Float>(count: 2 * patternTaps, zero: 0)
  @exclusivity(unchecked) var toneSums: [Complex<Double>]

  /// Allocates for CIRs of so many taps.
  public init(tapCount: Int) {
    capacity = tapCount
    let blocks = Self.blockCount(tapCount)
    samples = AlignedBuffer(count: 2 * (blocks * Self.blockTaps + 2 * Self.margin), zero: 0)
    integers = AlignedBuffer(count: blocks * Self.blockTaps, zero: 0)
    isConverted = AlignedBuffer(count: blocks, zero: true)
    powers = AlignedBuffer(count: blocks * Self.blockTaps, zero: 0)
    quarterPeaks = AlignedBuffer(count: 4 * blocks, zero: 0)
    toneSums = Array(repeating: .zero, count: blocks)
  }

  /// All blocks of taps.
  var blocks: Range<Int> { 0..<Self.blockCount(count) }

  /// Writes the blocks of `range` that hold `energy` round any of their taps, and `power` on one, or next to it (`uwb_energetic_blocks`);
  /// returns how many they are.
  func energeticBlocks(
    _ range: Range<Int>, power: Float, energy: Float, into chosen: UnsafeMutablePointer<Int>
  ) -> Int {
    uwb_energetic_blocks(
      powers.pointer, quarterPeaks.pointer, range.lowerBound, range.upperBound, blocks.upperBound - 1, power, energy,
      chosen)
  }

  /// Four powers, one of them the largest of a block.
  @inline(__always)
  private func peaks(_ block: Int) -> SIMD4<Float> { UnsafePointer(quarterPeaks.pointer).load4(4 &* block) }

  /// Mean |h|² of those taps of `range` that there are; `nil` where there are none.
  func meanPower(in range: Range<Int>) -> Float? {
    let range = range.clamped(to: 0..<count)
    guard !range.isEmpty else { return nil }
    let source = UnsafePointer(powers.pointer)
    var lanes = SIMD4<Float>()
    var tap = range.lowerBound
    while tap &+ 4 <= range.upperBound {
      lanes += source.load4(tap)
      tap &+= 4
    }
    var sum = lanes.sum()
    while tap < range.upperBound {
      sum += source[tap]
      tap &+= 1
    }
    return sum / Float(range.count)
  }

  /// Blocks that hold `taps` taps, the last one perhaps not full.
  static func blockCount(_ taps: Int) -> Int { (taps + blockTaps - 1) / blockTaps }

  /// A tap's sample, in scaled units.
  ///
  /// - Precondition: `tap` lies in `0..<count`.
  public subscript(tap: Int) -> Complex<Float> {
    precondition((0..<count).contains(tap), "tap \(tap) of \(count)")
    let first = taps(in: tap..<tap + 1) + 2 * tap
    return Complex(first[0], first[1])
  }

  /// The first tap's real part; any tap may be read.
  package var taps: UnsafeMutablePointer<Float> {
    if !isWhole {
      convert(0..<count)
      isWhole = true
    }
    return firstSample
  }

  /// The first tap's real part, where only the taps of `range` are going to be read; those outside the CIR are zero up to
  /// `margin`.
  package func taps(in range: Range<Int>) -> UnsafeMutablePointer<Float> {
    if !isWhole { convert(range.clamped(to: 0..<count)) }
    return firstSample
  }

  var firstSample: UnsafeMutablePointer<Float> { samples.pointer + 2 * Self.margin }

  /// Most taps of a CIR are noise that nobody looks at twice: integers become samples by the block, where wanted.
  private func convert(_ range: Range<Int>) {
    guard !range.isEmpty else { return }
    let numbers = 2 * Self.blockTaps
    integers.pointer.withMemoryRebound(to: Int16.self, capacity: 2 * integers.count) { parts in
      for block in range.lowerBound / Self.blockTaps...(range.upperBound - 1) / Self.blockTaps
      where !isConverted.pointer[block] {
        let source = parts + numbers * block
        let target = firstSample + numbers * block
        for index in 0..<numbers { target[index] = Float(source[index]) * scale }
        isConverted.pointer[block] = true
      }
    }
  }

  /// Loads one antenna of `response`, less what its radio adds to all taps.
  ///
  /// - Parameter keepsPattern: leaves what the radio adds, as the CIR has it.
  /// - Precondition: `response` has the antenna and no more than `capacity` taps.
  public func load(_ response: ChannelImpulseResponse, antenna: Int, keepsPattern: Bool = false) {
    precondition(
      response.tapCount <= capacity && (0..<response.antennaCount).contains(antenna),
      "antenna \(antenna) of \(response.antennaCount) × \(response.tapCount) taps does not fit \(capacity) taps")
    count = response.tapCount
    scale = response.scale
    let used = 2 * (Self.margin + Self.blockCount(count) * Self.blockTaps)
    (samples.pointer + used).update(repeating: 0, count: samples.count - used)
    response.storage.withBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      let start = base + response.byteOffset(antenna: antenna, tap: 0)
      switch response.format {
      case .int16: copyIntegers(start, tapStride: response.tapStride)
      case .float32: copyNumbers(start, tapStride: response.tapStride)
      }
    }
    // Integers are finite, and copying them leaves the blocks' peaks.
    isUsable = response.format == .int16 || measureBlocks()
    findPeak()
    if isUsable, !keepsPattern { subtractBackground() }
    // A capture of integers can't be quieter than its own rounding, 1/12 of a step squared for each part.
    let quantisation = response.format == .int16 ? Double(response.scale * response.scale) / 6 : 0
    noiseVariance = max(
      floor.estimate(powers.pointer, count: count, before: peakTap - Self.guardTaps), quantisation, 1e-12 * peakPower)
  }

  private func copyIntegers(_ source: UnsafeRawPointer, tapStride: Int) {
    let target = integers.pointer
    if tapStride == 1 {
      UnsafeMutableRawPointer(target).copyMemory(from: source, byteCount: 4 * count)
    } else {
      uwb_take_every(tapStride, source, count, target)
    }
    let blocks = Self.blockCount(count)
    let end = blocks * Self.blockTaps
    for tap in count..<end { target[tap] = 0 }
    isConverted.pointer.update(repeating: false, count: blocks)
    isWhole = false

    integers.pointer.withMemoryRebound(to: Int16.self, capacity: 2 * integers.count) {
      uwb_square_integers($0, scale * scale, blocks, powers.pointer, quarterPeaks.pointer)
    }
  }

  private func copyNumbers(_ source: UnsafeRawPointer, tapStride: Int) {
    let source = source.assumingMemoryBound(to: Float.self)
    let target = firstSample
    if tapStride == 1 {
      for index in 0..<2 * count { target[index] = source[index] * scale }
    } else {
      for tap in 0..<count {
        target[2 * tap] = source[2 * tapStride * tap] * scale
        target[2 * tap + 1] = source[2 * tapStride * tap + 1] * scale
      }
    }
    let left = Self.blockCount(count) * Self.blockTaps - count
    (target + 2 * count).update(repeating: 0, count: 2 * left)
    isWhole = true
    measurePowers()
  }

  func measurePowers() {
    let source = firstSample
    let target = powers.pointer
    for tap in 0..<Self.blockCount(count) * Self.blockTaps {
      let real = source[2 &* tap]
      let imaginary = source[2 &* tap &+ 1]
      target[tap] = real * real + imaginary * imaginary
    }
  }

  /// Fills `quarterPeaks` from powers; whether all are finite: one that is not spoils the sum, whatever comparisons make of it.
  func measureBlocks() -> Bool {
    let powers = powers.pointer
    let quarters = quarterPeaks.pointer
    var sums = SIMD4<Float>()
    for block in blocks {
      let first = powers + Self.blockTaps &* block
      let (a, b, c, d) = (first.load4(0), first.load4(4), first.load4(8), first.load4(12))
      UnsafeMutableRawPointer(quarters + 4 &* block)
        .storeBytes(of: a.larger(b).larger(c.larger(d)), as: SIMD4<Float>.self)
      sums += (a + b) + (c + d)
    }
    return sums.sum().isFinite
  }

  /// The strongest tap, from `quarterPeaks`.
  func findPeak() {
    let blocks = Self.blockCount(count)
    var highest = SIMD4<Float>()
    for block in 0..<blocks { highest = highest.larger(peaks(block)) }
    let largest = max(max(highest.x, highest.y), max(highest.z, highest.w))
    var strongest = 0
    while strongest + 1 < blocks, !any(peaks(strongest) .== largest) { strongest &+= 1 }
    peakTap = strongest * Self.blockTaps
    while peakTap + 1 < count, powers.pointer[peakTap] < largest { peakTap += 1 }
    peakPower = Double(largest)
    isUsable = isUsable && EngineLimits.peakPower.contains(peakPower)
  }
}
