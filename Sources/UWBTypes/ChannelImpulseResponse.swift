/// A channel impulse response as a receiver accumulated it: antennas × taps complex samples, borrowed, never copied.
///
/// Tap 0 is where the chip's accumulator starts; taps are `UWB.tap` (≈ 1.0016 ns) apart unless `tapSpacing` says
/// otherwise. In memory, antenna m's tap k lies m·`antennaStride` + k·`tapStride` samples behind the first: antennas one
/// after the other (the default), or interleaved tap by tap (strides of 1 and of the number of antennas). A sample's physical value is what is
/// stored times `scale` (1 / preamble count for a DW1000, whose amplitudes grow with the symbols accumulated).
public struct ChannelImpulseResponse: Sendable {
  /// How one complex sample lies in memory: real, then imaginary part.
  public enum SampleFormat: Sendable, Hashable {
    /// Two little-endian signed 16-bit integers.
    case int16
    /// Two 32-bit floating-point numbers.
    case float32

    /// Bytes that one complex sample takes.
    public var byteCount: Int {
      switch self {
      case .int16: 4
      case .float32: 8
      }
    }
  }

  /// The memory, shared.
  public let storage: TapStorage
  /// Where the first antenna's first tap lies in `storage`, bytes.
  public let byteOffset: Int
  /// Format of one sample.
  public let format: SampleFormat
  /// Number of antennas, at least 1.
  public let antennaCount: Int
  /// Number of taps of each antenna.
  public let tapCount: Int
  /// Samples from the start of one antenna to the start of the next.
  public let antennaStride: Int
  /// Samples from one tap of an antenna to the next.
  public let tapStride: Int
  /// What a stored sample is multiplied by.
  public let scale: Float
  /// Seconds from one tap to the next.
  public let tapSpacing: Double

  /// Describes samples that lie in `storage`.
  ///
  /// - Precondition: the described samples lie within `storage`, begin at an address that is a multiple of the size of
  ///   a sample's real part, and no two of them share memory.
  public init(
    storage: TapStorage, byteOffset: Int = 0, format: SampleFormat, antennaCount: Int = 1, tapCount: Int,
    antennaStride: Int? = nil, tapStride: Int = 1, scale: Float = 1, tapSpacing: Double = UWB.tap
  ) {
    let stride = antennaStride ?? tapCount * tapStride
    precondition(
      antennaCount >= 1 && tapCount >= 1 && tapStride >= 1 && stride >= 1
        && (stride > (tapCount - 1) * tapStride || tapStride > (antennaCount - 1) * stride),
      "a CIR of \(antennaCount) antennas × \(tapCount) taps, \(stride) and \(tapStride) samples apart, is invalid")
    let needed = byteOffset + ((antennaCount - 1) * stride + (tapCount - 1) * tapStride + 1) * format.byteCount
    precondition(
      byteOffset >= 0 && needed <= storage.byteCount,
      "a CIR from byte \(byteOffset) to \(needed) does not fit a storage of \(storage.byteCount) bytes")
    let address = storage.withBytes { UInt(bitPattern: $0.baseAddress) &+ UInt(byteOffset) }
    precondition(
      address % UInt(format.byteCount / 2) == 0,
      "samples of \(format.byteCount / 2) bytes a part can't begin at the odd address \(address)")
    self.storage = storage
    self.byteOffset = byteOffset
    self.format = format
    self.antennaCount = antennaCount
    self.tapCount = tapCount
    self.antennaStride = stride
    self.tapStride = tapStride
    self.scale = scale
    self.tapSpacing = tapSpacing
  }

  /// Where a sample lies in `storage`, bytes.
  public func byteOffset(antenna: Int, tap: Int) -> Int {
    byteOffset + (antenna * antennaStride + tap * tapStride) * format.byteCount
  }
}
