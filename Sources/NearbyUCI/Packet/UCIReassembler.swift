/// Joins the segments of messages.
///
/// Control messages and data have a buffer each, so the two may interleave. A run whose kind changes is dropped. A report of a device
/// error is let through in the middle and drops what was begun, its last segment included: the chip has lost it.
public struct UCIReassembler: Sendable {
  /// What has come of one message.
  private struct Run: Sendable {
    var begun: UCIPacket?
    /// The message that was dropped half-way, whose end is still to come.
    var lost: UCIMessageKind?

    mutating func lose() {
      lost = begun?.kind ?? lost
      begun = nil
    }
  }

  /// Most payload bytes of one message.
  public let limit: Int
  /// Messages of which not all segments came.
  public private(set) var dropped = 0
  private var control = Run()
  private var data = Run()

  /// Creates one with the given values.
  public init(limit: Int = 1 << 16) {
    self.limit = limit
  }

  /// Takes one packet; returns the message that it completes, `isContinued` cleared.
  ///
  /// - Throws: `UCIError.messageTooLong`; the run is dropped.
  public mutating func push(_ packet: UCIPacket) throws(UCIError) -> UCIPacket? {
    if packet.kind == DeviceStatus.kind, packet.payload == [DeviceState.error.rawValue], !packet.isContinued {
      dropped += (control.begun == nil ? 0 : 1) + (data.begun == nil ? 0 : 1)
      control.lose()
      data.lose()
      return packet
    }
    return try packet.kind.type == .data
      ? Self.join(packet, &data, &dropped, limit: limit)
      : Self.join(packet, &control, &dropped, limit: limit)
  }

  /// Forgets what was begun: the chip was reset.
  public mutating func reset() {
    control = Run()
    data = Run()
  }

  private static func join(
    _ packet: UCIPacket, _ run: inout Run, _ dropped: inout Int, limit: Int
  ) throws(UCIError) -> UCIPacket? {
    if run.lost == packet.kind {
      if !packet.isContinued { run.lost = nil }
      return nil
    }
    // Most messages are one packet.
    if run.begun == nil, !packet.isContinued, packet.payload.count <= limit {
      return UCIPacket(packet.kind, payload: packet.payload)
    }
    var message = UCIPacket(packet.kind, payload: [])
    if let begun = run.begun {
      if begun.kind == packet.kind { message = begun } else { dropped += 1 }
      // Dropped here as well, so that the payload below grows in place.
      run.begun = nil
    }
    let count = message.payload.count + packet.payload.count
    guard count <= limit else {
      dropped += 1
      if packet.isContinued { run.lost = packet.kind }
      throw .messageTooLong(count: count, limit: limit)
    }
    if message.payload.isEmpty { message.payload = packet.payload } else { message.payload += packet.payload }
    guard packet.isContinued else { return message }
    run.begun = message
    return nil
  }
}
