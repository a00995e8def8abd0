import NearbyUCI
import Testing

@Suite struct UCIPacketTests {
  private let kind = QorvoDiagnostics.kind

  private func random(_ count: Int, seed: UInt64) -> [UInt8] {
    var generator = SplitMix(state: seed)
    return (0..<count).map { _ in .random(in: 0 ... .max, using: &generator) }
  }

  @Test("headers: control, data, long lengths, and what can't begin a packet")
  func headers() throws {
    let control = try #require(try UCIPacket(bytes: [0x71, 0x02, 0, 2, 8, 9]))
    #expect(control.kind == UCIMessageKind(.notification, group: 1, opcode: 2) && control.isContinued)
    #expect(control.payload == [8, 9])
    let data = try #require(try UCIPacket(bytes: [0x02, 0, 1, 0, 5]))
    #expect(data.kind == ReceivedData.kind && data.payload == [5])
    let long = try #require(try UCIPacket(bytes: [0x7E, 0x84, 0x00, 0x01] + random(256, seed: 1)))
    #expect(long.hasLongLength && long.payload.count == 256 && long.kind.opcode == 4)
    #expect(try long.bytes.prefix(4) == [0x7E, 0x84, 0x00, 0x01])
    #expect(throws: UCIError.invalid(field: "message type", offset: 0, value: 7)) { try UCIPacket(bytes: [0xE0]) }
    #expect(throws: UCIError.invalid(field: "reserved octet", offset: 2, value: 1)) {
      try UCIPacket(bytes: [0x40, 0, 1, 0])
    }
    #expect(throws: UCIError.tooLong(field: "payload", count: 256, limit: 255)) {
      try UCIPacket(kind, payload: random(256, seed: 1)).bytes
    }
  }

  @Test("a stream gives the same packets however its bytes come")
  func chunks() throws {
    let bytes = UCIExamples.answers.flatMap(\.self)
    let expected = try UCIExamples.answers.compactMap { try UCIPacket(bytes: $0) }
    for size in [1, 2, 3, 5, 7, 64, bytes.count] {
      var stream = UCIPacketStream()
      var packets: [UCIPacket] = []
      for start in stride(from: 0, to: bytes.count, by: size) {
        packets += stream.push(bytes[start..<min(start + size, bytes.count)])
      }
      #expect(packets == expected && stream.skipped == 0 && !stream.isInsidePacket)
    }
  }

  @Test("a stream entered in the middle skips to the next response or notification")
  func middle() throws {
    let info = UCIExamples.bytes(UCIExamples.clear)
    for start in 1..<info.count {
      var stream = UCIPacketStream(isSynchronized: false)
      let rest = info[start...]
      // Only an octet that looks like a beginning may mislead it; the description's answer to that is silence.
      _ = stream.push(rest)
      stream.noteSilence()
      #expect(stream.push(info).last?.payload == Array(info.dropFirst(4)))
    }
  }

  @Test("garbage between packets is skipped and counted")
  func garbage() throws {
    let status = UCIExamples.bytes("60 01 00 01 01")
    var stream = UCIPacketStream()
    let packets = stream.push(status + [0xFF, 0xE1, 0x20, 0x80] + status + [0x4F, 0x7F, 0x03] + status)
    #expect(packets.count == 3 && stream.skipped == 7)
  }

  @Test("a packet that its sender gave up is dropped after silence")
  func silence() {
    let status = UCIExamples.bytes("60 01 00 01 01")
    var stream = UCIPacketStream()
    #expect(stream.push([0x62, 0x00, 0x00, 0x38, 1, 2, 3]).isEmpty && stream.isInsidePacket)
    stream.noteSilence()
    #expect(stream.push(status).count == 1 && stream.skipped == 7)
  }

  @Test("segments join to the message that they came from", arguments: [0, 1, 254, 255, 256, 510, 511, 3000])
  func segments(count: Int) throws {
    let payload = random(count, seed: UInt64(count))
    let packets = UCIPacket.segments(kind, payload: payload)
    #expect(packets.count == max(1, (count + 254) / 255) && packets.dropLast().allSatisfy(\.isContinued))
    var reassembler = UCIReassembler()
    var messages: [UCIPacket] = []
    for packet in packets { if let message = try reassembler.push(packet) { messages.append(message) } }
    #expect(messages == [UCIPacket(kind, payload: payload)] && reassembler.dropped == 0)
  }

  @Test("control and data interleave")
  func interleaved() throws {
    let control = UCIPacket.segments(kind, payload: random(600, seed: 1))
    let data = UCIPacket.segments(ReceivedData.kind, payload: random(600, seed: 2))
    var reassembler = UCIReassembler()
    var messages: [UCIPacket] = []
    for packet in zip(control, data).flatMap({ [$0, $1] }) {
      if let message = try reassembler.push(packet) { messages.append(message) }
    }
    #expect(messages.map(\.payload.count) == [600, 600] && reassembler.dropped == 0)
  }

  @Test("a device error is let through in the middle; the run and its last segment are dropped")
  func deviceError() throws {
    let segments = UCIPacket.segments(kind, payload: random(600, seed: 1))
    let error = UCIPacket(DeviceStatus.kind, payload: [0xFF])
    var reassembler = UCIReassembler()
    #expect(try reassembler.push(segments[0]) == nil)
    #expect(try reassembler.push(error) == error)
    #expect(try reassembler.push(segments[1]) == nil)
    #expect(try reassembler.push(segments[2]) == nil)
    #expect(reassembler.dropped == 1)
    let whole = UCIPacket(kind, payload: [1])
    #expect(try reassembler.push(whole) == whole)
  }

  @Test("a run whose kind changes is dropped, and one beyond the limit is an error")
  func runs() throws {
    let segments = UCIPacket.segments(kind, payload: random(600, seed: 1))
    let other = UCIPacket(SessionStatus.kind, payload: [1, 0, 0, 0, 3, 0])
    var reassembler = UCIReassembler(limit: 520)
    _ = try reassembler.push(segments[0])
    #expect(try reassembler.push(other) == other)
    #expect(reassembler.dropped == 1)
    _ = try reassembler.push(segments[0])
    #expect(try reassembler.push(segments[1]) == nil)
    #expect(throws: UCIError.messageTooLong(count: 600, limit: 520)) { try reassembler.push(segments[2]) }
    #expect(try reassembler.push(other) == other)
  }
}
