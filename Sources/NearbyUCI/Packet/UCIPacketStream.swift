/// Divides a stream of bytes into packets. There is no delimiter and no checksum: each length says where the next packet begins.
///
/// Bytes that can't begin a packet are skipped, up to the next ones that can. A stream entered in the middle begins `unsynchronized`: it
/// skips up to a response or a notification.
public struct UCIPacketStream: Sendable {
  /// Who sends the packets.
  public enum Sender: Sendable, Hashable {
    /// Responses, notifications and data.
    case chip
    /// Commands and data.
    case host
  }

  /// Who sends the packets.
  public let sender: Sender
  /// Bytes that were in no packet.
  public private(set) var skipped = 0
  private var isSynchronized: Bool
  private var pending: [UInt8] = []

  /// Creates one with the given values.
  public init(from sender: Sender = .chip, isSynchronized: Bool = true) {
    self.sender = sender
    self.isSynchronized = isSynchronized
  }

  /// Whether a packet has begun and not ended.
  public var isInsidePacket: Bool { !pending.isEmpty }

  /// Takes bytes as they come; returns the packets that are whole.
  public mutating func push(_ bytes: some Collection<UInt8>) -> [UCIPacket] {
    pending += bytes
    var packets: [UCIPacket] = []
    var start = 0
    while start < pending.count {
      let rest = pending[start...]
      guard canBegin(rest[start]) else {
        start += 1
        skipped += 1
        isSynchronized = false
        continue
      }
      do {
        guard let packet = try UCIPacket(bytes: rest) else { break }
        packets.append(packet)
        start += packet.length
        isSynchronized = true
      } catch {
        start += 1
        skipped += 1
        isSynchronized = false
      }
    }
    pending.removeFirst(start)
    return packets
  }

  /// The sender was silent for so long that it has given up the packet it began: what came of it is dropped.
  public mutating func noteSilence() {
    skipped += pending.count
    pending.removeAll()
  }

  private func canBegin(_ octet: UInt8) -> Bool {
    switch UCIMessageType(rawValue: octet >> 5) {
    case .response, .notification: sender == .chip
    case .command: sender == .host
    // A zero is too common in a message's middle to begin one after garbage.
    case .data: isSynchronized
    case .test, .secondTest: isSynchronized
    case nil: false
    }
  }
}
