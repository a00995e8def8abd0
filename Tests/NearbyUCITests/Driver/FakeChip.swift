import NearbyUCI

/// A chip that keeps to the protocol, but for the faults that a test asks for.
struct FakeChip {
  enum Fault: CaseIterable {
    case none, silent, late, twice, statusFirst, retry, genericRetry, garbage, deviceError, refused
  }

  var generation = UCIDialect.Generation.second
  var fault: (UCIMessageKind) -> Fault = { _ in .none }
  /// What it sends later than it should.
  private(set) var held: [UInt8] = []
  private(set) var commands: [UCIPacket] = []
  private(set) var data: [UCIPacket] = []
  private var stream = UCIPacketStream(from: .host)
  private var tokens: [UInt32: UInt32] = [:]
  private var count: UInt32 = 0

  init(_ generation: UCIDialect.Generation = .second) {
    self.generation = generation
  }

  mutating func release() -> [UInt8] {
    defer { held = [] }
    return held
  }

  /// Takes what the host sends; returns what comes back at once.
  mutating func receive(_ bytes: [UInt8]) throws -> [UInt8] {
    var answer: [UInt8] = []
    for packet in stream.push(bytes) {
      guard packet.kind.type == .command else {
        data.append(packet)
        continue
      }
      commands.append(packet)
      let response = try response(to: packet)
      let status = try status(after: packet)
      switch fault(packet.kind) {
      case .none: answer += response + status
      case .silent: break
      case .late: held += response + status
      case .twice: answer += response + response + status + status
      case .statusFirst: answer += status + response
      case .retry: answer += try UCIPacket(packet.kind.response, payload: [0x0A]).bytes
      case .genericRetry: answer += [0x60, 0x07, 0, 1, 0x0A]
      case .garbage: answer += [0xFF, 0x00, 0xE7, 0x81, 0x13] + response + status
      case .deviceError: answer += [0x60, 0x01, 0, 1, 0xFF]
      case .refused: answer += try UCIPacket(packet.kind.response, payload: [0x04]).bytes
      }
    }
    return answer
  }

  private mutating func response(to packet: UCIPacket) throws -> [UInt8] {
    var payload: [UInt8] = [0]
    switch packet.kind {
    case GetDeviceInfo.kind: payload += [generation == .second ? 2 : 1, 0, 2, 0, 2, 0, 1, 0, 0]
    case GetCapabilities.kind: payload += [1, generation == .second ? 0x01 : 0x13, 2, 64, 0]
    case InitializeSession.kind:
      count += 1
      let id = Array(packet.payload.prefix(4))
      if generation == .second { payload += [UInt8(count), 0, 0, 0] } else { _ = id }
    case SetSessionConfiguration.kind: payload += [0]
    default: break
    }
    return try UCIPacket(packet.kind.response, payload: payload).bytes
  }

  private func status(after packet: UCIPacket) throws -> [UInt8] {
    let state: UCISessionState
    switch packet.kind {
    case ResetDevice.kind: return [0x60, 0x01, 0, 1, 1]
    case InitializeSession.kind: state = .initialized
    case SetSessionConfiguration.kind, StopSession.kind: state = .idle
    case StartSession.kind: state = .active
    case DeinitializeSession.kind: state = .deinitialized
    default: return []
    }
    let isNew = packet.kind == InitializeSession.kind && generation == .second
    let token = isNew ? [UInt8(count), 0, 0, 0] : Array(packet.payload.prefix(4))
    return try UCIPacket(SessionStatus.kind, payload: token + [state.rawValue, 0]).bytes
  }
}
