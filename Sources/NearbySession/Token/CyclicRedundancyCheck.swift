/// CRC-32 as in IEEE 802.3 and ISO 3309 (reflected polynomial 0xEDB88320): finds damage to short records.
///
/// Bit by bit: tokens are decoded once a session, so a table would cost more than it saves.
enum CyclicRedundancyCheck {
  static func checksum(of bytes: some Sequence<UInt8>) -> UInt32 {
    var register: UInt32 = 0xFFFF_FFFF
    for byte in bytes {
      register ^= UInt32(byte)
      for _ in 0..<8 {
        register = (register >> 1) ^ (register & 1 == 1 ? 0xEDB8_8320 : 0)
      }
    }
    return ~register
  }
}
