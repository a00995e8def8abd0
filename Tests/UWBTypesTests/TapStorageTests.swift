import Testing
import UWBDSP

@Suite struct TapStorageTests {
  @Test(arguments: [0, 1, 3, 4064, 65536])
  func ownsZeroedAlignedMemory(count: Int) {
    let storage = TapStorage(byteCount: count)
    #expect(storage.byteCount == count)
    storage.withBytes { bytes in
      #expect(bytes.count == count)
      #expect(bytes.allSatisfy { $0 == 0 })
      #expect(bytes.baseAddress.map { Int(bitPattern: $0) % 64 } == 0)
    }
  }

  @Test func keepsWhatIsWritten() {
    let storage = TapStorage(byteCount: 256)
    storage.withMutableBytes { bytes in
      for index in bytes.indices { bytes[index] = UInt8(index) }
    }
    storage.withBytes { #expect($0.elementsEqual(UInt8.min...UInt8.max)) }
  }

  @Test func borrowsWithoutCopyAndReleasesOnce() {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 16, alignment: 8)
    defer { memory.deallocate() }
    memory.initializeMemory(as: UInt8.self, repeating: 7)
    let releases = Counter()
    do {
      let storage = TapStorage(borrowing: UnsafeRawBufferPointer(memory)) { releases.add() }
      #expect(storage.byteCount == 16)
      storage.withBytes { #expect($0.baseAddress == UnsafeRawPointer(memory.baseAddress)) }
      #expect(releases.value == 0)
      let response = ChannelImpulseResponse(storage: storage, format: .int16, tapCount: 4)
      #expect(response.storage === storage)
    }
    #expect(releases.value == 1)
    #expect(memory.allSatisfy { $0 == 7 })
  }

  @Test func responsesKeepTheirStorageAlive() {
    let releases = Counter()
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 8, alignment: 8)
    defer { memory.deallocate() }
    memory.initializeMemory(as: UInt8.self, repeating: 0)
    var response: ChannelImpulseResponse? = ChannelImpulseResponse(
      storage: TapStorage(borrowing: UnsafeRawBufferPointer(memory)) { releases.add() }, format: .int16, tapCount: 2)
    #expect(releases.value == 0)
    #expect(response?.tapCount == 2)
    response = nil
    #expect(releases.value == 1)
  }

  @Test func borrowedMemoryIsReadOnly() async {
    await #expect(processExitsWith: .failure) {
      let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 8, alignment: 8)
      let storage = TapStorage(borrowing: UnsafeRawBufferPointer(memory)) {}
      storage.withMutableBytes { $0[0] = 1 }
    }
  }
}

private final class Counter: Sendable {
  private let count = StateLock(0)
  var value: Int { count.withLock { $0 } }
  func add() { count.withLock { $0 += 1 } }
}
