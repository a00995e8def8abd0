/// Numbers of a DW3000's accumulator: 24 bits, little-endian, of which the lower 18 are the number (DW3000 User Manual, 8.2.14): bit
/// 17 is its sign, whatever stands above.
enum DW3000Sample {
  /// Octets of a tap: real and imaginary part.
  static let tapByteCount = 6

  /// - Parameter octets: three octets, the first in the lowest bits; what stands above does not count.
  @inline(__always) static func value(_ octets: UInt32) -> Int32 { Int32(bitPattern: octets << 14) >> 14 }

  /// Whether the bits above the number repeat its sign, as the chip sends them. False for 31 of 32 octets that are not a number's last.
  @inline(__always) static func isLast(_ octet: UInt8) -> Bool { octet >> 1 == 0 || octet >> 1 == 0x7F }
}
