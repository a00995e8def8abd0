import NearbyUCI

/// The codec of UCI and the host's driver, on any bytes.
enum UCITarget {
  static let all: [String: @Sendable ([UInt8]) throws -> Void] = ["uci-codec": codec, "uci-driver": driver]

  /// What can be read is written back byte for byte, in every dialect.
  @Sendable
  private static func codec(_ bytes: [UInt8]) throws {
    let dialects = [UCIDialect(.first), UCIDialect(.second), UCIDialect(.second, hasTwoByteIdentifiers: true)]
    for sender in [UCIPacketStream.Sender.chip, .host] {
      var stream = UCIPacketStream(from: sender, isSynchronized: sender == .host)
      var reassembler = UCIReassembler(limit: 4096)
      var reader = UCIRoundReader()
      let packets = stream.push(bytes)
      precondition(stream.skipped + packets.reduce(0) { $0 + $1.length } <= bytes.count, "bytes counted twice")
      for packet in packets {
        let length = try packet.bytes.count
        precondition(length == packet.length, "a packet of another length")
        _ = reader.push(packet)
        guard let message = try? reassembler.push(packet) else { continue }
        for dialect in dialects {
          guard let decoded = try? message.decoded(in: dialect) else { continue }
          let written = try decoded.message.payload(in: dialect) + decoded.additionalBytes
          precondition(written == message.payload, "\(message.kind) does not come back")
        }
      }
    }
  }

  /// The driver with a simulated chip. Bytes are steps: orders, time that passes, a chip's bytes lost, doubled, held back or replaced.
  @Sendable
  private static func driver(_ bytes: [UInt8]) throws {
    var settings = UCIDriver.Settings()
    settings.silentRounds = 20
    var bench = DriverBench(driver: UCIDriver(settings: settings))
    var input = bytes[...]
    bench.carry(bench.driver.open(at: 0))
    while let step = input.popFirst() {
      bench.time += 0.01
      switch step & 0x0F {
      case 0: bench.carry(bench.driver.open(at: bench.time))
      case 1, 2: bench.start(UInt32(step >> 4))
      case 3: bench.carry(bench.driver.stop(UInt32(step >> 4), at: bench.time))
      case 4: bench.carry(bench.driver.close())
      case 5: bench.time += Double(step >> 4)
      case 6: bench.fault = .lost
      case 7: bench.fault = .doubled
      case 8: bench.fault = .held
      case 9: bench.fault = .none
      case 10: bench.release()
      case 11: bench.carry(bench.driver.sendData(SendData(), of: UInt32(step >> 4), at: bench.time))
      default:
        let noise = input.prefix(Int(step >> 4) + 1)
        input = input.dropFirst(noise.count)
        bench.carry(bench.driver.receive(noise, at: bench.time))
      }
      bench.pass()
    }
    bench.settle()
  }
}

private struct DriverBench {
  enum Fault { case none, lost, doubled, held }

  var driver: UCIDriver
  var chip = SimulatedChip { _ in TwoWayMeasurement() }
  var time = 0.0
  var fault = Fault.none
  private var held: [UInt8] = []
  private var alive: Set<UInt32> = []

  init(driver: UCIDriver) { self.driver = driver }

  mutating func start(_ id: UInt32) {
    let ranging = UCIRangingParameters(
      sessionID: id, isController: true, address: 1, peers: [2], staticInitialVector: [1, 2, 3, 4, 5, 6])
    carry(driver.start(id, parameters: ranging.parameters, at: time))
  }

  /// Carries bytes to and fro until both are silent, which takes no more turns than there can be commands and retries.
  mutating func carry(_ said: [UCIDriver.Event]) {
    var said = said
    var turns = 0
    while !said.isEmpty {
      turns += 1
      precondition(turns < 10_000, "the driver and the chip never fall silent")
      var back: [UInt8] = []
      for event in said {
        switch event {
        case .send(let bytes): back += pass(chip.receive(bytes, at: time))
        case .started(let id): precondition(alive.insert(id).inserted, "\(id) started twice")
        case .stopped(let id), .failed(let id, _): alive.remove(id)
        case .packet, .ready, .lost, .dataFailed, .info, .message, .unknown: break
        }
      }
      said = back.isEmpty ? [] : driver.receive(back, at: time)
    }
  }

  private mutating func pass(_ bytes: [UInt8]) -> [UInt8] {
    switch fault {
    case .none: return bytes
    case .lost: return []
    case .doubled: return bytes + bytes
    case .held:
      held += bytes
      return []
    }
  }

  mutating func release() {
    defer { held.removeAll() }
    carry(driver.receive(held, at: time))
  }

  /// Lets what is due happen.
  mutating func pass() {
    if let deadline = driver.nextDeadline, deadline <= time { carry(driver.advance(to: time)) }
    let said = pass(chip.advance(to: time))
    if !said.isEmpty { carry(driver.receive(said, at: time)) }
  }

  /// Whatever came before: with a chip that answers, opening leads to a chip that is ready, and a session starts.
  mutating func settle() {
    fault = .none
    held.removeAll()
    time += 10
    _ = driver.advance(to: time)
    // What the chip began to read is given up.
    _ = chip.advance(to: time)
    carry(driver.close())
    time += 1
    carry(driver.open(at: time))
    precondition(driver.state == .ready, "the driver does not become ready again")
    start(99)
    precondition(alive.contains(99), "a session does not start")
  }
}
