import NearbySession
import Testing
import UWBDSP

/// Does one random thing after another: mostly measurements, some calls of apps, some faults.
struct SoakDriver {
  private let hosts: [SoakHost]
  private let own: Int
  private let directory: SoakDirectory
  private var generator: TokenGenerator
  /// Measurements that come late, in the wrong order.
  private var held: [(host: Int, measurement: RangingMeasurement)] = []
  private var count = 0

  init(hosts: [SoakHost], own: Int, directory: SoakDirectory, seed: UInt64) {
    self.hosts = hosts
    self.own = own
    self.directory = directory
    generator = .seeded(seed)
  }

  mutating func step() {
    let draw = Double.random(in: 0..<1, using: &generator)
    if draw < 0.9 {
      range()
    } else if draw < 0.97 {
      call()
    } else {
      fault()
    }
  }

  // MARK: The radio

  private mutating func range() {
    let index = Int.random(in: 0..<hosts.count, using: &generator)
    let links = hosts[index].host.links
    hosts[index].clock.now += Double.random(in: 0...0.02, using: &generator)
    guard let link = links.randomElement(using: &generator) else {
      hosts[index].host.advance()
      return
    }
    count += 1
    var measurement = RangingMeasurement(
      exchange: count, time: hosts[index].clock.now, peer: link.peerAddress, status: .ok,
      distance: Double.random(in: 0...60, using: &generator), distanceDeviation: 0.05, direction: SIMD3(0, 0, -1),
      azimuth: 0, azimuthDeviation: 0.01, elevation: 0, elevationDeviation: 0.01)
    if generator.chance(0.05) { return }
    if generator.chance(0.05) { corrupt(&measurement) }
    if generator.chance(0.05) {
      held.append((index, measurement))
      if held.count > 16 {
        held.shuffle(using: &generator)
        for (host, late) in held { hosts[host].host.deliver(late) }
        held.removeAll(keepingCapacity: true)
      }
      return
    }
    let local = generator.chance(0.5) ? link.localAddress : nil
    hosts[index].host.deliver(measurement, local: local)
    if generator.chance(0.05) { hosts[index].host.deliver(measurement, local: local) }
  }

  private mutating func corrupt(_ measurement: inout RangingMeasurement) {
    let values = [Double.nan, .infinity, -.infinity, -1e300, 0, Double.leastNonzeroMagnitude]
    let value = values.randomElement(using: &generator) ?? .nan
    switch Int.random(in: 0..<8, using: &generator) {
    case 0: measurement.distance = value
    case 1: measurement.distanceDeviation = value
    case 2: measurement.direction = SIMD3(value, 0, value)
    case 3: measurement.azimuth = value
    case 4: measurement.elevationDeviation = value
    case 5: measurement.peer = DeviceAddress(rawValue: generator.next())
    case 6: measurement.status = MeasurementStatus.allCases.randomElement(using: &generator) ?? .noFirstPath
    default: measurement.time = value
    }
  }

  // MARK: The apps

  private mutating func call() {
    let candidates = stride(from: own, to: hosts.count, by: 2).map { hosts[$0] }
    guard let host = candidates.randomElement(using: &generator) else { return }
    let sessions = host.sessions
    let index = Int.random(in: 0..<max(1, sessions.count), using: &generator)
    let session = sessions.indices.contains(index) ? sessions[index] : nil
    switch Int.random(in: 0..<20, using: &generator) {
    case 0, 1, 2: if sessions.count < 10 { host.makeSession() }
    case 3..<13: run(session, on: host)
    case 13: session?.pause()
    case 14: if generator.chance(0.3) { session?.invalidate() }
    case 15: if session?.discoveryToken == nil || generator.chance(0.1) { host.drop(index) }
    case 16: host.host.setApplicationState(generator.chance(0.5) ? .background : .foreground)
    case 17:
      host.host.setApplicationState(.foreground)
      host.host.setRadioAvailable(generator.chance(0.8))
    case 18:
      if let token = directory.token(for: host, using: &generator), generator.chance(0.1) {
        host.host.peerEnded(token)
      }
    default:
      if let pose = NearbyPose(
        position: SIMD3(Double.random(in: -1...1, using: &generator), 0, 0), rotation: SIMD4(0, 0.1, 0, 1))
      {
        host.host.updatePose(pose)
      }
    }
  }

  private mutating func run(_ session: NearbySession?, on host: SoakHost) {
    guard let session else { return }
    if generator.chance(0.1) {
      var accessory = AccessoryConfigurationData(
        uwbVersion: AccessoryProtocolVersion(major: 1, minor: 1), manufacturer: 1, model: 1, middleware: 1,
        role: .controleeResponder, shortAddress: UInt16.random(in: 1...40, using: &generator)
      ).data
      if generator.chance(0.3) { damage(&accessory) }
      if let configuration = try? NearbyAccessoryConfiguration(data: accessory) { try? session.run(configuration) }
      return
    }
    guard let token = directory.token(for: host, using: &generator) else { return }
    // Over the app's transport, which may damage it: then it must not decode.
    var bytes = token.encoded
    if generator.chance(0.05) { damage(&bytes) }
    guard let received = try? DiscoveryToken(encoded: bytes) else { return }
    var configuration = NearbyPeerConfiguration(peerToken: received)
    configuration.isCameraAssistanceEnabled = generator.chance(0.3)
    try? session.run(configuration)
  }

  private mutating func damage(_ bytes: inout [UInt8]) {
    guard !bytes.isEmpty else { return }
    switch Int.random(in: 0..<3, using: &generator) {
    case 0: bytes[Int.random(in: 0..<bytes.count, using: &generator)] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
    case 1: bytes.removeLast(Int.random(in: 0...bytes.count, using: &generator))
    default: bytes.append(UInt8.random(in: .min ... .max, using: &generator))
    }
  }

  // MARK: Clocks and messages

  private mutating func fault() {
    guard let host = hosts.randomElement(using: &generator) else { return }
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: host.clock.now += Double.random(in: -0.5...0.5, using: &generator)
    case 1: host.clock.now += Double.random(in: -3...3, using: &generator)
    case 2: if generator.chance(0.1) { host.clock.now += Double.random(in: -100...100, using: &generator) }
    default:
      var message = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
        UInt8.random(in: .min ... .max, using: &generator)
      }
      if !message.isEmpty { message[0] = UInt8.random(in: 0...14, using: &generator) }
      if let read = try? AccessoryMessage(bytes: message) { #expect(read.bytes == message) }
    }
    host.host.advance()
  }
}
