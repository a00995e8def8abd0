/// The taps of a window as they lie in a message, whose memory they share: in phase and quadrature, signed, half of a tap's octets each, the
/// lowest octet first.
struct PackedTaps: Sendable, Hashable {
  /// Of one tap.
  let octets: UInt8
  let bytes: ArraySlice<UInt8>

  /// No tap; eight octets are what Qorvo's chips send.
  init() { self.init([], octets: 8) }

  /// - Precondition: the octets make taps (`isTap`), and the bytes whole ones.
  init(_ bytes: ArraySlice<UInt8>, octets: UInt8) {
    precondition(Self.isTap(octets: Int(octets)) && bytes.count % Int(octets) == 0, "\(bytes.count) bytes are no taps")
    (self.bytes, self.octets) = (bytes, octets)
  }

  /// Writes taps; of parts that are too large the lowest octets remain.
  init(_ taps: [SIMD2<Int64>], octets: UInt8) {
    let part = Int(octets) / 2
    let written = taps.flatMap { tap in
      [tap.x, tap.y].flatMap { value in (0..<part).map { UInt8(truncatingIfNeeded: value >> Int64(8 * $0)) } }
    }
    self.init(written[...], octets: octets)
  }

  static func isTap(octets: Int) -> Bool { octets % 2 == 0 && (2...16).contains(octets) }

  var count: Int { bytes.count / Int(octets) }

  var values: [SIMD2<Int64>] {
    var values: [SIMD2<Int64>] = []
    values.reserveCapacity(count)
    decode { values.append($0) }
    return values
  }

  /// Calls `body` with each tap, in their order.
  @inline(__always) func decode(_ body: (SIMD2<Int64>) -> Void) {
    bytes.withUnsafeBytes { bytes in
      // What Qorvo's chips send.
      if octets == 8 {
        for start in stride(from: 0, to: bytes.count, by: 8) {
          let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self))
          body(SIMD2(Int64(Int32(truncatingIfNeeded: word)), Int64(Int32(truncatingIfNeeded: word >> 32))))
        }
      } else {
        let part = Int(octets) / 2
        for start in stride(from: 0, to: bytes.count, by: 2 * part) {
          body(SIMD2(Self.signed(bytes, start, octets: part), Self.signed(bytes, start + part, octets: part)))
        }
      }
    }
  }

  /// A number of one to eight octets in two's complement.
  @inline(__always) private static func signed(_ bytes: UnsafeRawBufferPointer, _ offset: Int, octets: Int) -> Int64 {
    var raw: UInt64 = 0
    for index in 0..<octets { raw |= UInt64(bytes[offset + index]) << UInt64(8 * index) }
    let unused = UInt64(64 - 8 * octets)
    return Int64(bitPattern: raw << unused) >> unused
  }
}
