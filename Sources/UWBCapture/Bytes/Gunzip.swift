import CZlib

/// Unpacks gzip (RFC 1952) while it is read, all members of a file one behind the other. Memory is zlib's window of 32 kB, whatever
/// the data unpack to.
///
/// A file that is cut, or whose data or check sum are wrong, yields what comes before that.
final class Gunzip {
  /// The first bytes of every member.
  static let magic: [UInt8] = [0x1F, 0x8B]

  /// Why the data end before their end mark; `nil` while they are well.
  enum Damage: String {
    case truncatedGzip, damagedGzip
  }

  /// Called once, where the data end too early.
  typealias Report = (Damage) throws -> Void

  private let input: ByteSource
  private let report: Report
  // zlib keeps the address of its own state.
  private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
  private var isAtEnd = false

  init(_ input: ByteSource, report: @escaping Report) throws {
    self.input = input
    self.report = report
    stream.initialize(to: z_stream())
    // 15: the largest window; 16 more: gzip's header and trailer, and no other.
    let code = inflateInit2_(stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    guard code == Z_OK else {
      throw CaptureError(
        file: input.name, problem: "can't be unpacked: zlib says \(code)",
        remedy: "Unpack it first: gunzip -c FILE > NEW")
    }
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  /// The unpacked bytes.
  var source: ByteSource { ByteSource(name: input.name) { try self.read(into: $0) } }

  /// Fills some of `target`; 0 at the end.
  private func read(into target: UnsafeMutableRawBufferPointer) throws -> Int {
    let room = min(target.count, 1 << 30)
    while !isAtEnd {
      if input.buffered.isEmpty, try !input.fill() { return try end(by: .truncatedGzip) }
      let packed = min(input.buffered.count, 1 << 30)
      // zlib doesn't write to its input, which its interface doesn't say.
      stream.pointee.next_in = UnsafeMutablePointer(
        mutating: input.buffered.baseAddress?.assumingMemoryBound(to: UInt8.self))
      stream.pointee.avail_in = UInt32(packed)
      stream.pointee.next_out = target.baseAddress?.assumingMemoryBound(to: UInt8.self)
      stream.pointee.avail_out = UInt32(room)
      let code = inflate(stream, Z_SYNC_FLUSH)
      input.consume(packed - Int(stream.pointee.avail_in))
      let unpacked = room - Int(stream.pointee.avail_out)
      if code == Z_STREAM_END {
        isAtEnd = try !beginMember()
      } else if code != Z_OK, code != Z_BUF_ERROR {
        if unpacked == 0 { return try end(by: .damagedGzip) }
      }
      if unpacked > 0 { return unpacked }
    }
    return 0
  }

  /// Whether another member follows. What else follows is no part of the data (gzip passes it over, too).
  private func beginMember() throws -> Bool {
    while input.buffered.count < Self.magic.count, try input.fill() {}
    return input.buffered.starts(with: Self.magic) && inflateReset(stream) == Z_OK
  }

  private func end(by damage: Damage) throws -> Int {
    isAtEnd = true
    try report(damage)
    return 0
  }
}
