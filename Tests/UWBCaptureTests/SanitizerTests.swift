#if UWB_SANITIZERS
  import CSanitizerProbe
  import Testing

  /// Faults that each of the checks of `scripts/sanitize` has to end the program at: a check that is not built in would
  /// otherwise pass in silence.
  @Suite struct SanitizerTests {
    /// A number that the compiler doesn't know.
    private static func hidden(_ value: Int) -> Int { value + (CommandLine.arguments.count > 100_000 ? 1 : 0) }

    @Test func aReadBehindTheHeapBlock() async {
      await #expect(processExitsWith: .failure) {
        let bytes = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 16)
        print(bytes.load(fromByteOffset: Self.hidden(64), as: UInt8.self))
      }
    }

    @Test func aReadAfterTheBlockWasFreed() async {
      await #expect(processExitsWith: .failure) {
        let bytes = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 16)
        bytes.initializeMemory(as: UInt8.self, repeating: 1, count: 64)
        bytes.deallocate()
        print(bytes.load(fromByteOffset: Self.hidden(8), as: UInt8.self))
      }
    }

    @Test func anElementOutsideOfAnUnsafeBuffer() async {
      await #expect(processExitsWith: .failure) {
        let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 64)
        bytes.initialize(repeating: 1)
        print(UnsafeBufferPointer(rebasing: bytes[..<8])[Self.hidden(9)])
      }
    }

    @Test func aMisalignedLoad() async {
      await #expect(processExitsWith: .failure) {
        let bytes = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 16)
        bytes.initializeMemory(as: UInt8.self, repeating: 1, count: 64)
        print(bytes.load(fromByteOffset: Self.hidden(1), as: Int32.self))
      }
    }

    @Test func undefinedArithmeticInC() async {
      await #expect(processExitsWith: .failure) { print(uwb_probe_shift(Int32(Self.hidden(40)))) }
    }

    @Test func undefinedArithmeticInAHeader() async {
      await #expect(processExitsWith: .failure) { print(uwb_probe_inline_shift(Int32(Self.hidden(40)))) }
    }

    @Test func aProgramWithoutAFault() async {
      await #expect(processExitsWith: .success) { print(uwb_probe_shift(Int32(Self.hidden(4)))) }
    }
  }
#endif
