/// The frame of an accessory's data: version 1.x first, then fields up to a byte with the length of what follows. That part has a short
/// form, and a long one with a last field more; later minor versions add to it.
struct AccessoryDataLayout: Sendable {
  /// Bytes up to the stated length, itself included.
  let headerLength: Int
  let shortLength: UInt8
  let longLength: UInt8

  /// Where the long form ends.
  var longEnd: Int { headerLength + Int(longLength) }

  func readVersion(
    _ byteCount: Int, _ reader: inout ByteReader
  ) throws(AccessoryMessageError) -> AccessoryProtocolVersion {
    guard byteCount >= headerLength else {
      throw .truncated(actual: byteCount, expected: headerLength + Int(shortLength))
    }
    let version = AccessoryProtocolVersion(major: reader.read(), minor: reader.read())
    guard version.major == 1 else { throw .unsupportedVersion(major: version.major, minor: version.minor) }
    return version
  }

  /// Reads the stated length, the header's last byte; returns where the part that it covers ends.
  func readEnd(_ byteCount: Int, _ reader: inout ByteReader) throws(AccessoryMessageError) -> Int {
    let length: UInt8 = reader.read()
    guard length >= shortLength else {
      throw .statedLength(actual: length, known: [shortLength, longLength], offset: headerLength - 1)
    }
    let end = headerLength + Int(length)
    guard byteCount >= end else { throw .truncated(actual: byteCount, expected: end) }
    return end
  }

  func statedLength(isLong: Bool, additional: [UInt8]) -> UInt8 {
    UInt8(truncatingIfNeeded: Int(isLong ? longLength : shortLength) + additional.count)
  }
}
