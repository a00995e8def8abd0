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

  /// Interleaved samples; `margin` zero taps stand before the first and after the last, for filters to run over.
  let samples: AlignedBuffer<Float>
  let powers: AlignedBuffer<Float>
  static let margin = 8
  private var floor = NoiseFloor()

  public init(tapCount: Int) {
    capacity = tapCount
    samples = AlignedBuffer(count: 2 * (tapCount + 2 * Self.margin), zero: 0)
    powers = AlignedBuffer(count: tapCount, zero: 0)
  }

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
    (samples.pointer + 2 * (Self.margin + count)).update(repeating: 0, count: 2 * (capacity - count + Self.margin))
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
    let taps = taps
    let powers = powers.pointer
    for index in 0..<count {
      let real = taps[2 * index]
      let imaginary = taps[2 * index + 1]
      powers[index] = real * real + imaginary * imaginary
    }
    var largest: Float = 0
    var position = 0
    var sum: Float = 0
    for index in 0..<count {
      sum += powers[index]
      if powers[index] > largest {
        largest = powers[index]
        position = index
      }
    }
    peakTap = position
    peakPower = Double(largest)
    isUsable = largest > 0 && sum.isFinite
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
