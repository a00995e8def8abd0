import Numerics
import Testing
import UWBDSP

@Suite struct ChannelImpulseResponseTests {
  /// Two antennas of three taps, five apart, after a header of eight bytes, as 16-bit integers: sample (m, k) is
  /// 100·m + 10·k + j·(−1 − k).
  private func integers() -> TapStorage {
    let storage = TapStorage(byteCount: 8 + 4 * (5 + 3))
    storage.withMutableBytes { bytes in
      for antenna in 0..<2 {
        for tap in 0..<3 {
          let start = 8 + 4 * (5 * antenna + tap)
          bytes.storeBytes(of: Int16(100 * antenna + 10 * tap).littleEndian, toByteOffset: start, as: Int16.self)
          bytes.storeBytes(of: Int16(-1 - tap).littleEndian, toByteOffset: start + 2, as: Int16.self)
        }
      }
    }
    return storage
  }

  @Test func readsIntegersWithOffsetStrideAndScale() {
    let response = ChannelImpulseResponse(
      storage: integers(), byteOffset: 8, format: .int16, antennaCount: 2, tapCount: 3, antennaStride: 5, scale: 0.5)
    #expect(response.samples(antenna: 0) == [Complex(0, -0.5), Complex(5, -1), Complex(10, -1.5)])
    #expect(response.samples(antenna: 1) == [Complex(50, -0.5), Complex(55, -1), Complex(60, -1.5)])
    #expect(response.samples(antenna: 1, taps: 1..<2) == [Complex(55, -1)])
    #expect(response.samples(antenna: 0, taps: 2..<2).isEmpty)
  }

  @Test func readsInterleavedAntennas() {
    // Tap after tap, antennas side by side, as SigMF's channels lie.
    let storage = TapStorage(byteCount: 4 * 12)
    storage.withMutableBytes { bytes in
      for index in 0..<12 {
        bytes.storeBytes(of: Int16(index).littleEndian, toByteOffset: 4 * index, as: Int16.self)
        bytes.storeBytes(of: Int16(-index).littleEndian, toByteOffset: 4 * index + 2, as: Int16.self)
      }
    }
    let response = ChannelImpulseResponse(
      storage: storage, format: .int16, antennaCount: 3, tapCount: 4, antennaStride: 1, tapStride: 3)
    #expect(response.samples(antenna: 2) == [2, 5, 8, 11].map { Complex(Float($0), -Float($0)) })
    #expect(response.byteOffset(antenna: 2, tap: 3) == 44)
    #expect(response.storage === storage)
  }

  @Test(arguments: [(2, 3, 2, 1), (2, 3, 1, 1), (3, 2, 1, 2), (1, 3, 3, 0), (2, 2, 0, 1)])
  func refusesAntennasThatShareMemory(_ antennas: Int, _ taps: Int, _ antennaStride: Int, _ tapStride: Int) async {
    await #expect(processExitsWith: .failure) { [antennas, taps, antennaStride, tapStride] in
      _ = ChannelImpulseResponse(
        storage: TapStorage(byteCount: 4096), format: .int16, antennaCount: antennas, tapCount: taps,
        antennaStride: antennaStride, tapStride: tapStride)
    }
  }

  @Test func readsFloats() {
    let samples = (0..<12).map { Complex<Float>(Float($0) + 0.25, -Float($0)) }
    let response = ChannelImpulseResponse(samples, antennaCount: 3, scale: 2, tapSpacing: 0.5e-9)
    #expect(response.antennaCount == 3)
    #expect(response.tapCount == 4)
    #expect(response.antennaStride == 4)
    #expect(response.tapSpacing == 0.5e-9)
    for antenna in 0..<3 {
      #expect(response.samples(antenna: antenna) == samples[4 * antenna..<4 * antenna + 4].map { $0 * Complex(2) })
    }
  }

  @Test func extremeIntegersKeepTheirSign() {
    let storage = TapStorage(byteCount: 4)
    storage.withMutableBytes {
      $0.storeBytes(of: Int16.min, as: Int16.self)
      $0.storeBytes(of: Int16.max, toByteOffset: 2, as: Int16.self)
    }
    let response = ChannelImpulseResponse(storage: storage, format: .int16, tapCount: 1)
    #expect(response.samples() == [Complex(-32768, 32767)])
  }

  @Test func describesSharedMemoryWithoutCopy() {
    let storage = integers()
    let first = ChannelImpulseResponse(storage: storage, byteOffset: 8, format: .int16, tapCount: 3)
    let second = ChannelImpulseResponse(storage: storage, byteOffset: 28, format: .int16, tapCount: 3)
    #expect(first.storage === storage)
    #expect(second.storage === storage)
    #expect(second.samples()[0] == Complex(100, -1))
  }

  @Test func sampleSizes() {
    #expect(ChannelImpulseResponse.SampleFormat.int16.byteCount == 4)
    #expect(ChannelImpulseResponse.SampleFormat.float32.byteCount == 8)
  }

  @Test func refusesToReadPastTheStorage() async {
    // One byte short of the second antenna's last sample.
    await #expect(processExitsWith: .failure) {
      _ = ChannelImpulseResponse(
        storage: TapStorage(byteCount: 8 + 4 * 8 - 1), byteOffset: 8, format: .int16, antennaCount: 2, tapCount: 3,
        antennaStride: 5)
    }
  }

  @Test func refusesOddAddresses() async {
    await #expect(processExitsWith: .failure) {
      let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 8)
      _ = ChannelImpulseResponse(
        storage: TapStorage(borrowing: UnsafeRawBufferPointer(rebasing: memory[1..<33])) {}, format: .int16,
        tapCount: 4)
    }
  }
}
