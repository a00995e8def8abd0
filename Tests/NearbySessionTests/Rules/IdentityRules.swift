import Testing
import UWBDSP

@testable import NearbySession

@Suite struct IdentityRules {
  @Test("R01 a session hears of its own peer and of nobody else")
  func onePeer() throws {
    var rig = Rig()
    let first = try rig.start(peerToken(1))
    let second = try rig.start(peerToken(2))
    _ = rig.said()
    rig.measure(peerToken(1))
    #expect(rig.events.map(\.session) == [first])
    rig.measure(peerToken(2))
    #expect(rig.events.map(\.session) == [first, second])
    rig.measure(peerToken(3))
    #expect(rig.events.count == 2 && rig.core.undelivered == 1)
  }

  @Test("R01 a session that runs with another peer leaves the first")
  func changesPeer() throws {
    var rig = Rig()
    let id = try rig.start(peerToken(1))
    rig.measure(peerToken(1))
    try rig.run(id, .peer(NearbyPeerConfiguration(peerToken: peerToken(2))))
    _ = rig.said()
    rig.measure(peerToken(1))
    rig.measure(peerToken(2))
    #expect(rig.said().compactMap(\.object?.discoveryToken) == [peerToken(2)])
  }

  @Test("R02 four devices with three sessions each, one delegate a device")
  func fourDevices() async throws {
    let room = Room()
    let hosts = (0..<4).map { _ in room.makeHost() }
    var sessions: [[Int: NearbySession]] = hosts.enumerated().map { index, host in
      Dictionary(uniqueKeysWithValues: (0..<4).filter { $0 != index }.map { ($0, NearbySession(host: host)) })
    }
    let delegates = (0..<4).map { _ in RecordingDelegate() }
    for device in 0..<4 {
      for (peer, session) in sessions[device].sorted(by: { $0.key < $1.key }) {
        session.delegate = delegates[device]
        let other = try #require(sessions[peer][device])
        try session.run(with: other)
      }
    }
    #expect(room.range() == 12)
    for device in 0..<4 {
      let heard = await delegates[device].wait { calls in calls.filter { $0.name == "didUpdate" }.count == 3 }
      let tokens = Set(heard.flatMap(\.objects).map(\.discoveryToken))
      let expected = try Set((0..<4).filter { $0 != device }.map { try #require(sessions[$0][device]).liveToken })
      #expect(tokens == expected)
      #expect(Set(heard.map(\.session)).count == 3)
    }
    sessions.removeAll()
  }

  @Test("R03 a new session has its token at once")
  func tokenAtOnce() {
    let session = NearbySession(host: NearbyHost())
    #expect(session.discoveryToken != nil)
    #expect(session.configuration == nil && !session.isRunning)
  }

  @Test("R04 tokens are random: no two alike, every random bit takes both values")
  func randomTokens() throws {
    let host = NearbyHost()
    let sessions = (0..<500).map { _ in NearbySession(host: host) }
    let tokens = try sessions.map { try $0.liveToken }
    #expect(Set(tokens).count == 500)
    #expect(Set(tokens.map(\.address)).count == 500)
    // Each bit is missed with probability 2⁻⁵⁰⁰.
    let ones = tokens.reduce((UInt64(0), UInt64(0))) { ($0.0 | $1.address.rawValue, $0.1 | $1.salt) }
    let zeros = tokens.reduce((UInt64(0), UInt64(0))) { ($0.0 | ~$1.address.rawValue, $0.1 | ~$1.salt) }
    #expect(ones.1 == .max && zeros.1 == .max)
    #expect(ones.0 & ~0x0300_0000_0000_0000 == ~0x0300_0000_0000_0000)
    #expect(zeros.0 & ~0x0300_0000_0000_0000 == ~0x0300_0000_0000_0000)
  }

  @Test("R04 two hosts draw different tokens from the system")
  func hostsDiffer() {
    #expect(NearbySession(host: NearbyHost()).discoveryToken != NearbySession(host: NearbyHost()).discoveryToken)
  }

  @Test("R05 a token lives exactly as long as its session")
  func lifetime() throws {
    let room = Room()
    let (a, b) = (room.makeHost(), room.makeHost())
    let peer = NearbySession(host: b)
    var session: NearbySession? = NearbySession(host: a)
    let token = try #require(session?.discoveryToken)
    try session?.run(with: peer)
    session?.pause()
    try session?.run(with: peer)
    a.setApplicationState(.background)
    a.setApplicationState(.foreground)
    #expect(session?.discoveryToken == token, "nothing but invalidation ends it")
    session = nil
    #expect(a.links.isEmpty)
    // The token is dead: no session of the same device accepts it, and none has it.
    #expect(throws: NearbyError.self) {
      try NearbySession(host: a).run(NearbyPeerConfiguration(peerToken: token))
    }
  }

  @Test("R05 the radio hears that a released session's token has ended")
  func releaseEndsToken() async throws {
    let room = Room()
    let host = room.makeHost()
    let changes = host.linkChanges
    var session: NearbySession? = NearbySession(host: host)
    let token = try #require(session?.discoveryToken)
    session = nil
    var iterator = changes.makeAsyncIterator()
    #expect(await iterator.next() == .ended(token))
  }

  @Test("R05 the app's exit ends its tokens: a host made anew has others")
  func exit() throws {
    var host: NearbyHost? = NearbyHost()
    var session = host.map { NearbySession(host: $0) }
    let token = try #require(session?.liveToken.encoded)
    (session, host) = (nil, nil)
    let again = NearbyHost(permission: .granted)
    let sessions = (0..<100).map { _ in NearbySession(host: again) }
    #expect(try !sessions.contains { try $0.liveToken.encoded == token })
    // The peer's app still has the token: nobody answers to it.
    let link = try #require(
      {
        try sessions[0].run(NearbyPeerConfiguration(peerToken: DiscoveryToken(encoded: token)))
        return again.links.first
      }())
    #expect(again.links.count == 1 && link.peerToken.encoded == token)
    withExtendedLifetime(sessions) {}
  }

  @Test("R44 sessions and tokens are keys of dictionaries")
  func hashable() throws {
    let host = Room().makeHost()
    let sessions = (0..<3).map { _ in NearbySession(host: host) }
    let peers = Dictionary(uniqueKeysWithValues: sessions.enumerated().map { ($1, $0) })
    #expect(sessions.map { peers[$0] } == [0, 1, 2])
    let byToken = try Dictionary(uniqueKeysWithValues: sessions.map { (try $0.liveToken, $0) })
    #expect(try byToken[DiscoveryToken(encoded: sessions[1].liveToken.encoded)] == sessions[1])
    #expect(Set(sessions + sessions).count == 3)
  }

  @Test("R06 the token reads nil after invalidation")
  func nilToken() throws {
    let session = NearbySession(host: Room().makeHost())
    #expect(session.discoveryToken != nil)
    session.invalidate()
    #expect(session.discoveryToken == nil)
    #expect(session.configuration == nil && !session.isRunning)
  }

  @Test("R08 a token crosses any transport as bytes that the app carries")
  func transport() throws {
    let room = Room()
    let (a, b) = (room.makeHost(), room.makeHost())
    let (ours, theirs) = (NearbySession(host: a), NearbySession(host: b))
    let fromThem = try theirs.liveToken.encoded
    let fromUs = try ours.liveToken.encoded
    try ours.run(NearbyPeerConfiguration(peerToken: DiscoveryToken(encoded: fromThem)))
    #expect(room.range() == 0, "the layer has told the peer nothing")
    try theirs.run(NearbyPeerConfiguration(peerToken: DiscoveryToken(encoded: fromUs)))
    #expect(room.range() == 2)
  }

  @Test("R09 each side needs the other's token")
  func bothTokens() throws {
    let room = Room()
    let (a, b, c) = (room.makeHost(), room.makeHost(), room.makeHost())
    let (ours, theirs, third) = (NearbySession(host: a), NearbySession(host: b), NearbySession(host: c))
    try ours.run(with: theirs)
    try theirs.run(with: third)
    #expect(room.range() == 0)
    try theirs.run(with: ours)
    #expect(room.range() == 2)
  }
}
