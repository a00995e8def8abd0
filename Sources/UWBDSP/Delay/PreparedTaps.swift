/// One antenna's taps, ready for estimators: scaled single precision, the radio's additive pattern removed, noise
/// floor known. Made once for each thread, loaded for each CIR.
public final class PreparedTaps {
  /// Taps before the strongest one that may still hold signal, so that the noise floor is not taken from them.
  static let guardTaps = 64

  /// Most taps that fit.
  public let capacity: Int
  /// Taps of the CIR that was loaded last.
  public private(set) var count = 0
  /// Variance of the complex noise of a tap.
  public private(set) var noiseVariance = 0.0
  /// The strongest tap.
  public private(set) var peakTap = 0
  /// |h|² of the strongest tap.
  public private(set) var peakPower = 0.0
  /// Whether the samples are finite and not all zero.
  public private(set) var isUsable = false

  /// Interleaved samples; zero taps, `margin` at least, stand before the first and after the last, for filters to run over.
  let samples: AlignedBuffer<Float>
  /// |h|² of each tap, zero behind the last to the end of its block.
  let powers: AlignedBuffer<Float>
  /// The largest |h|² of each block of `blockTaps` taps: scans for a level pass over whole blocks below it.
  let blockPeaks: AlignedBuffer<Float>
  static let margin = 8
  static let blockTaps = 16
  private var floor = NoiseFloor()

  public init(tapCount: Int) {
    capacity = tapCount
    let blocks = Self.blockCount(tapCount)
    samples = AlignedBuffer(count: 2 * (blocks * Self.blockTaps + 2 * Self.margin), zero: 0)
    powers = AlignedBuffer(count: blocks * Self.blockTaps, zero: 0)
    blockPeaks = AlignedBuffer(count: blocks, zero: 0)
  }

  /// Blocks that hold `taps` taps, the last one perhaps not full.
  static func blockCount(_ taps: Int) -> Int { (taps + blockTaps - 1) / blockTaps }

  /// The first tap's real part.
  var taps: UnsafeMutablePointer<Float> { samples.pointer + 2 * Self.margin }

  /// Loads one antenna of `response`.
  ///
  /// - Parameter backgroundPeriodTaps: period of the radio's additive pattern, whose mean over the taps before the
  ///   signal is subtracted; `nil` for none.
  /// - Precondition: `response` has the antenna and no more than `capacity` taps.
  public func load(_ response: ChannelImpulseResponse, antenna: Int, backgroundPeriodTaps: Int? = nil) {
    precondition(
      response.tapCount <= capacity && (0..<response.antennaCount).contains(antenna),
      "antenna \(antenna) of \(response.antennaCount) × \(response.tapCount) taps does not fit \(capacity) taps")
    count = response.tapCount
    copy(response, antenna: antenna)
    let used = 2 * (Self.margin + count)
    (samples.pointer + used).update(repeating: 0, count: samples.count - used)
    measurePowers()
    if let period = backgroundPeriodTaps, isUsable { subtractBackground(period: period) }
    // A capture of integers can't be quieter than its own rounding, 1/12 of a step squared for each part.
    let quantisation = response.format == .int16 ? Double(response.scale * response.scale) / 6 : 0
    noiseVariance = max(
      floor.estimate(powers.pointer, count: count, before: peakTap - Self.guardTaps), quantisation, 1e-12 * peakPower)
  }

  private func copy(_ response: ChannelImpulseResponse, antenna: Int) {
    let scale = response.scale
    let target = taps
    let count = 2 * response.tapCount
    let stride = 2 * response.tapStride
    response.storage.withBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      let start = base + response.byteOffset(antenna: antenna, tap: 0)
      switch response.format {
      case .int16:
        let source = start.assumingMemoryBound(to: Int16.self)
        if stride == 2 {
          for index in 0..<count { target[index] = Float(source[index]) * scale }
        } else {
          for tap in 0..<response.tapCount {
            target[2 * tap] = Float(source[stride * tap]) * scale
            target[2 * tap + 1] = Float(source[stride * tap + 1]) * scale
          }
        }
      case .float32:
        let source = start.assumingMemoryBound(to: Float.self)
        if stride == 2 {
          for index in 0..<count { target[index] = source[index] * scale }
        } else {
          for tap in 0..<response.tapCount {
            target[2 * tap] = source[stride * tap] * scale
            target[2 * tap + 1] = source[stride * tap + 1] * scale
          }
        }
      }
    }
  }

  private func measurePowers() {
    let source = UnsafeRawPointer(taps)
    let target = UnsafeMutableRawPointer(powers.pointer)
    var sums = SIMD8<Float>()
    var largest: Float = 0
    var largestBlock = 0
    let size = MemoryLayout<Float>.size
    for block in 0..<Self.blockCount(count) {
      let tap = block * Self.blockTaps
      var peaks = SIMD8<Float>()
      for half in Swift.stride(from: tap, to: tap + Self.blockTaps, by: 8) {
        let samples = source.loadUnaligned(fromByteOffset: 2 * half * size, as: SIMD16<Float>.self)
        let squares = samples * samples
        let powers = squares.evenHalf + squares.oddHalf
        target.storeBytes(of: powers, toByteOffset: half * size, as: SIMD8<Float>.self)
        sums += powers
        peaks.replace(with: powers, where: powers .> peaks)
      }
      let peak = peaks.largestLane
      blockPeaks.pointer[block] = peak
      if peak > largest {
        largest = peak
        largestBlock = block
      }
    }
    peakTap = largestBlock * Self.blockTaps
    while peakTap + 1 < count, powers.pointer[peakTap] < largest { peakTap += 1 }
    peakPower = Double(largest)
    // A tap that is not finite spoils the sum, whatever comparisons make of it.
    isUsable = largest > 0 && sums.sum().isFinite
  }

  /// Removes the mean of each of the pattern's phases, taken over whole periods before the signal; a CIR whose signal
  /// starts too early to see 16 periods keeps its pattern.
  private func subtractBackground(period: Int) {
    let first = Self.margin
    precondition(period >= 1, "an additive pattern can't repeat after \(period) taps")
    let periods = (peakTap - Self.guardTaps - first) / period
    guard periods >= 16 else { return }
    let taps = taps
    for phase in 0..<period {
      var real: Float = 0
      var imaginary: Float = 0
      for index in 0..<periods {
        let tap = first + phase + index * period
        real += taps[2 * tap]
        imaginary += taps[2 * tap + 1]
      }
      real /= Float(periods)
      imaginary /= Float(periods)
      var tap = (first + phase) % period
      while tap < count {
        taps[2 * tap] -= real
        taps[2 * tap + 1] -= imaginary
        tap += period
      }
    }
    measurePowers()
  }
}
