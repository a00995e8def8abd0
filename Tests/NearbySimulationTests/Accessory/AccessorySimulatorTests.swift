import NearbySession
import NearbySimulation
import Testing

@Suite struct AccessorySimulatorTests {
  @Test("R14 R41 the whole handshake: data, run, shareable data, start, stop", arguments: [nil, 100 as UInt16])
  func handshake(drift: UInt16?) async throws {
    var accessory = AccessorySimulator(
      .simulated(shortAddress: 0x1234, preferredUpdateRate: .infrequent, clockDriftppm: drift))
    let host = NearbyHost(permission: .granted)
    let session = NearbySession(host: host)
    let events = session.events

    let told = try #require(try accessory.receive(AccessoryMessage.initialize.bytes).first)
    #expect(told.first == 0x01)
    #expect(told.count == (drift == nil ? 36 : 38))
    let configuration = try NearbyAccessoryConfiguration(data: told.dropFirst())
    try session.run(configuration)
    #expect(try events.takeReady() == .started)
    guard case .generatedShareableConfiguration(let data, let object)? = try events.takeReady() else {
      Issue.record("no shareable configuration")
      return
    }
    #expect(object.discoveryToken == configuration.accessoryDiscoveryToken)
    #expect(data.count == (drift == nil ? 28 : 30))
    #expect(!accessory.isRanging)
    #expect(try accessory.receive([0x0B] + data) == [[0x02]])
    #expect(accessory.isRanging)
    #expect(accessory.period == 0.774)
    #expect(accessory.ranging?.destinationAddress == UInt16(host.links[0].localAddress.rawValue))
    #expect(try accessory.receive([0x0C]) == [[0x03]])
    #expect(!accessory.isRanging)
  }

  @Test("R16 an unknown id is kept and not answered; a malformed message throws and changes nothing")
  func others() throws {
    var accessory = AccessorySimulator(.simulated(shortAddress: 1))
    #expect(try accessory.receive([0xA5, 1, 2]).isEmpty)
    #expect(accessory.others == [.other(id: 0xA5, data: [1, 2])])
    let before = accessory
    #expect(throws: AccessoryMessageError.self) { try accessory.receive([0x0B, 1, 0, 0]) }
    #expect(throws: AccessoryMessageError.empty) { try accessory.receive([]) }
    #expect(accessory == before)
  }
}
