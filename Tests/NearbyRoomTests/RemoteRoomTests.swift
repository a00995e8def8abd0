import NearbyPorts
import NearbyRoom
import NearbySession
import Testing
import UWBTypes

/// A radio against a room that does what the test says.
@Suite(.timeLimit(.minutes(1))) struct RemoteRoomTests {
  /// Both ends of a connection over the machine's own network.
  private func connection() async throws -> (radio: BytePort, room: BytePort) {
    let listener = try PortListener(.tcp(host: "127.0.0.1", port: 0))
    let radio = try BytePort.open(listener.address)
    let room = try await PortThread.run { () throws(PortError) in try listener.accept(timeout: 10) }
    return (radio, try #require(room))
  }

  private func link() -> RangingLink {
    var tokens = TokenGenerator.seeded(7)
    let host = NearbyHost(permission: .granted, tokens: .seeded(tokens.next()))
    let session = NearbySession(host: host)
    let other = NearbySession(host: host)
    guard let local = session.discoveryToken, let peer = other.discoveryToken else {
      preconditionFailure("new sessions")
    }
    return RangingLink(localToken: local, peerToken: peer, localAddress: local.address, peerAddress: peer.address)
  }

  private func join(_ answers: RoomMessage...) async throws -> (radio: RemoteRoom, room: BytePort) {
    let (port, room) = try await connection()
    for answer in answers { try room.send(answer) }
    return (try await RemoteRoom.join(over: port, as: "anna"), room)
  }

  @Test("a radio asks for its device, is what the room says, and passes on reports")
  func joins() async throws {
    let link = link()
    let (radio, room) = try await join(
      .welcome(device: "anna", .distanceOnly), .measured(RadioMeasurement(distance: 2), of: link), .missed(link),
      .failed("no antenna", of: nil))
    #expect(radio.device == "anna" && radio.capabilities == .distanceOnly && radio.address == nil)
    var asked = RoomMessages(room)
    #expect(try await asked.next() == .join(version: RoomMessage.version, device: "anna"))
    var reports = radio.reports.makeAsyncIterator()
    guard case .measured(let measured, of: link)? = await reports.next() else { return #expect(Bool(false)) }
    #expect(measured.distance == 2)
    guard case .missed(link)? = await reports.next() else { return #expect(Bool(false)) }
    guard case .failed("no antenna", nil)? = await reports.next() else { return #expect(Bool(false)) }
    radio.leave()
    #expect(try await asked.next() == nil)
    #expect(await reports.next() == nil)
    #expect(radio.error == nil)
  }

  @Test("a refusal, a room that closes and one that says something else are errors of joining")
  func refused() async throws {
    await #expect(throws: RoomError.refused("full")) { try await join(.refused("full")) }
    await #expect(throws: RoomError.unexpectedMessage) { try await join(.missed(link())) }
    let (port, room) = try await connection()
    room.close()
    await #expect(throws: RoomError.noAnswer) { try await RemoteRoom.join(over: port) }
    let (silent, held) = try await connection()
    await #expect(throws: RoomError.noAnswer) { try await RemoteRoom.join(over: silent, patience: .milliseconds(50)) }
    withExtendedLifetime(held) {}
  }

  @Test("bytes that are no message end the reports, and the radio says why")
  func hostile() async throws {
    let (radio, room) = try await join(.welcome(device: "anna", .all))
    try room.send(FrameStream.bytes(of: [0x77]))
    for await _ in radio.reports {}
    #expect(radio.error == .message(.unknownKind(0x77)))
    let (other, otherRoom) = try await join(.welcome(device: "anna", .all))
    try otherRoom.send([0xFF, 0xFF, 0xFF, 0xFF])
    for await _ in other.reports {}
    #expect(other.error == .port(.frameTooLong(length: 0xFFFF_FFFF, limit: RoomMessage.maximumLength)))
  }

  @Test("a room that goes suspends sessions and harms none; another room takes over")
  func vanishes() async throws {
    let (radio, room) = try await join(.welcome(device: "anna", .all))
    let host = NearbyHost(radio: radio, permission: .granted)
    let session = NearbySession(host: host)
    let peer = NearbySession(host: NearbyHost(permission: .granted))
    let token = try #require(peer.discoveryToken)
    var events = session.events.makeAsyncIterator()
    try session.run(NearbyPeerConfiguration(peerToken: token))
    #expect(try await events.next() == .started)
    room.close()
    #expect(try await events.next() == .suspended)
    let (next, nextRoom) = try await join(.welcome(device: "bert", .all))
    host.attach(next)
    #expect(try await events.next() == .suspensionEnded)
    try session.run(NearbyPeerConfiguration(peerToken: token))
    var asked = RoomMessages(nextRoom)
    _ = try await asked.next()
    guard case .start(let link, let parameters)? = try await asked.next() else { return #expect(Bool(false)) }
    #expect(link.peerToken == token && parameters == host.parameters(of: link))
    withExtendedLifetime((peer, session)) {}
  }
}
