/// Divides a stream of bytes into frames: a length of four bytes, low byte first, then so many bytes.
public struct FrameStream: Sendable {
  /// Most bytes of a frame.
  public let limit: Int
  private var pending: [UInt8] = []

  /// A stream that refuses frames of more than `limit` bytes.
  public init(limit: Int = 1 << 20) { self.limit = limit }

  /// Takes bytes as they come; returns the frames that are whole.
  ///
  /// - Throws: `PortError.frameTooLong`; the stream is of no use from then on.
  public mutating func push(_ bytes: some Collection<UInt8>) throws(PortError) -> [[UInt8]] {
    pending += bytes
    var frames: [[UInt8]] = []
    var start = 0
    defer { pending.removeFirst(start) }
    while pending.count - start >= 4 {
      let length = (0..<4).reduce(0) { $0 | Int(pending[start + $1]) << (8 * $1) }
      guard length <= limit else { throw .frameTooLong(length: length, limit: limit) }
      guard pending.count - start - 4 >= length else { break }
      frames.append(Array(pending[(start + 4)..<(start + 4 + length)]))
      start += 4 + length
    }
    return frames
  }

  /// A frame as it goes over the wire.
  public static func bytes(of frame: some Collection<UInt8>) -> [UInt8] {
    let count = UInt32(frame.count)
    return (0..<4).map { UInt8(truncatingIfNeeded: count >> (8 * $0)) } + frame
  }
}
