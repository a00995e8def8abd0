import UWBCapture
import UWBDSP

/// CIRs in a caller's memory: CIRs × antennas × taps, at strides of either sign.
// Unchecked because of the pointer: whoever made it keeps the samples unchanged.
package struct CIRBlock: @unchecked Sendable {
  package let samples: UnsafeRawPointer?
  package let count: Int
  package let antennaCount: Int
  package let tapCount: Int
  /// Bytes.
  package let strides: (cir: Int, antenna: Int, tap: Int)
  package let format: ChannelImpulseResponse.SampleFormat
  /// 0: the engine's.
  package private(set) var scale: Float
  /// s; 0: the engine's
  package private(set) var tapSpacing: Double
  /// `nil`: the engine's.
  package private(set) var firstPathTaps: Double?

  package init(
    samples: UnsafeRawPointer?, count: Int, antennaCount: Int, tapCount: Int,
    strides: (cir: Int, antenna: Int, tap: Int),
    format: ChannelImpulseResponse.SampleFormat, scale: Float, tapSpacing: Double, firstPathTaps: Double?
  ) {
    self.samples = samples
    self.count = count
    self.antennaCount = antennaCount
    self.tapCount = tapCount
    self.strides = strides
    self.format = format
    self.scale = scale
    self.tapSpacing = tapSpacing
    self.firstPathTaps = firstPathTaps
  }

  /// With what was left open.
  ///
  /// - Throws: `LibraryError` where this is no block of CIRs.
  func checked(scale: Float, tapSpacing: Double, firstPathTaps: Double?) throws -> CIRBlock {
    var block = self
    if block.scale == 0 { block.scale = scale }
    if block.tapSpacing == 0 { block.tapSpacing = tapSpacing }
    block.firstPathTaps = block.firstPathTaps ?? firstPathTaps
    if let problem = block.problem { throw LibraryError.badArgument(problem) }
    return block
  }

  private var problem: String? {
    guard EngineLimits.antennaCount.contains(antennaCount), EngineLimits.tapCount.contains(tapCount) else {
      return
        "\(antennaCount) antennas × \(tapCount) taps are no CIR: antennas are \(EngineLimits.antennaCount.help), taps "
        + "\(EngineLimits.tapCount.help)."
    }
    guard count >= 0, count == 0 || samples != nil else { return "There is no memory of \(count) CIRs." }
    guard CaptureLimits.scale.contains(abs(scale)) else {
      return "A scale of \(scale) is none: give a number from \(CaptureLimits.scale.help), or its negative."
    }
    guard EngineLimits.tapSpacing.contains(tapSpacing) else {
      return "A tap spacing of \(tapSpacing) s is none: give one from \(EngineLimits.tapSpacing.help) s."
    }
    if let firstPathTaps, !CaptureLimits.taps.contains(firstPathTaps) {
      return "A first path of \(firstPathTaps) taps is none: give one from \(CaptureLimits.taps.help)."
    }
    guard count > 0, let samples else { return nil }
    var extent = 0
    for (count, stride) in [(count, strides.cir), (antennaCount, strides.antenna), (tapCount, strides.tap)]
    where count > 1 {
      guard stride != .min, stride % (format.byteCount / 2) == 0 else {
        return "CIRs \(strides.cir), \(strides.antenna) and \(strides.tap) bytes apart are not made of whole numbers."
      }
      let (size, overflow) = (count - 1).multipliedReportingOverflow(by: abs(stride))
      let (sum, overflows) = extent.addingReportingOverflow(size)
      guard !overflow, !overflows, sum < Int.max / 4 else {
        return "No memory is as large as \(count) × \(stride) bytes."
      }
      extent = sum
    }
    guard UInt(bitPattern: samples) % UInt(format.byteCount / 2) == 0 else {
      return "Numbers of \(format.byteCount / 2) bytes can't begin at an address that is not a multiple of it."
    }
    return nil
  }

  /// The CIR, read where it lies; copied only where its samples lie backwards, or several antennas or taps in one place.
  func response(_ cir: Int) -> ChannelImpulseResponse? {
    guard let samples else { return nil }
    let start = samples + cir * strides.cir
    let size = format.byteCount
    let (antenna, tap) = (
      antennaCount > 1 ? strides.antenna : tapCount * strides.tap, tapCount > 1 ? strides.tap : size
    )
    let isPlain =
      antenna >= size && tap >= size && antenna % size == 0 && tap % size == 0
      && (antenna > (tapCount - 1) * tap || tap > (antennaCount - 1) * antenna)
    let storage: TapStorage
    if isPlain || (antennaCount == 1 && tap >= size && tap % size == 0) {
      let extent = (antennaCount - 1) * antenna + (tapCount - 1) * tap + size
      storage = TapStorage(borrowing: UnsafeRawBufferPointer(start: start, count: extent)) {}
      return ChannelImpulseResponse(
        storage: storage, format: format, antennaCount: antennaCount, tapCount: tapCount,
        antennaStride: antennaCount > 1 ? antenna / size : nil, tapStride: tap / size, scale: scale,
        tapSpacing: tapSpacing)
    }
    storage = TapStorage(byteCount: antennaCount * tapCount * size)
    storage.withMutableBytes { target in
      for antenna in 0..<antennaCount {
        for tap in 0..<tapCount {
          let source = start + antenna * strides.antenna + tap * strides.tap
          target.baseAddress.map { ($0 + (antenna * tapCount + tap) * size).copyMemory(from: source, byteCount: size) }
        }
      }
    }
    return ChannelImpulseResponse(
      storage: storage, format: format, antennaCount: antennaCount, tapCount: tapCount, scale: scale,
      tapSpacing: tapSpacing)
  }
}
