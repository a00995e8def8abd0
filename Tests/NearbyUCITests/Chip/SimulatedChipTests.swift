import Testing

@testable import NearbyUCI

@Suite struct SimulatedChipTests {
  private static func chip() -> SimulatedChip {
    SimulatedChip { round in
      var measured = TwoWayMeasurement()
      measured.rawDistance = 100 &+ round.peer
      return measured
    }
  }

  private static func command(_ hex: String) -> [UInt8] { UCIExamples.bytes(hex) }

  @Test("a driver takes a session through its life, and each interval gives a round for each peer")
  func life() throws {
    var chip = Self.chip()
    var driver = UCIDriver()
    var time = 0.0
    var rounds: [SessionInfo] = []
    func carry(_ events: [UCIDriver.Event]) {
      for event in events {
        if case .send(let bytes) = event { carry(driver.receive(chip.receive(bytes, at: time), at: time)) }
        if case .info(_, let info) = event { rounds.append(info) }
      }
    }
    carry(driver.receive(chip.powerOn(at: 0), at: 0) + driver.open(at: 0))
    #expect(driver.state == .ready)
    var ranging = UCIRangingParameters(
      sessionID: 7, isController: true, address: 1, peers: [2, 3], staticInitialVector: [1, 2, 3, 4, 5, 6])
    ranging.blockMilliseconds = 50
    carry(driver.start(7, parameters: ranging.parameters, at: 0))
    #expect(chip.activeSessionCount == 1)
    while let next = chip.nextDeadline, next < 1.01 {
      time = next
      carry(driver.receive(chip.advance(to: time), at: time))
    }
    #expect(rounds.map(\.sequence) == [UInt32](0..<20))
    let distances = rounds.map { info -> [UInt16] in
      guard case .twoWay(let list) = info.measurements else { return [] }
      return list.map(\.rawDistance)
    }
    #expect(distances.allSatisfy { $0 == [102, 103] })
    carry(driver.stop(7, at: time))
    #expect(chip.activeSessionCount == 0 && chip.sessions.isEmpty && chip.nextDeadline == nil)
  }

  @Test(
    "what is wrong has a status of its own",
    arguments: [
      ("29 05 00 00", "49 05 00 01 07"), ("20 3F 00 00", "40 3F 00 01 08"), ("20 00 00 00", "40 00 00 01 03"),
      ("22 00 00 04 09000000", "42 00 00 01 11"), ("22 01 00 04 01000000", "42 01 00 01 01"),
      ("22 00 00 04 01000000", "42 00 00 01 15"), ("21 00 00 05 07000000 00", "41 00 00 01 12"),
      ("21 03 00 08 01000000 01 04 01 03", "41 03 00 04 04 01 04 05"), ("21 06 00 04 01000000", "41 06 00 02 00 00"),
      ("21 01 00 04 01000000", "41 01 00 01 00 61 02 00 06 01000000 01 00"),
    ])
  func faults(command: String, answer: String) {
    var chip = Self.chip()
    _ = chip.powerOn(at: 0)
    _ = chip.receive(Self.command("21 00 00 05 07000000 00"), at: 0)
    #expect(chip.receive(Self.command(command), at: 0) == Self.command(answer))
  }

  @Test("without the parameters that it needs a session stays as it was made; with a limit it ends by itself")
  func configuration() throws {
    var chip = Self.chip()
    _ = chip.receive(Self.command("21 00 00 05 07000000 00"), at: 0)
    #expect(chip.receive(Self.command("21 03 00 08 01000000 01 04 01 09"), at: 0) == Self.command("41 03 00 02 00 00"))
    var command = SetSessionConfiguration()
    command.token = 1
    command.parameters =
      UCIRangingParameters(
        sessionID: 7, isController: true, address: 1, peers: [2], staticInitialVector: [1, 2, 3, 4, 5, 6]
      ).parameters + [UCIParameter(.maximumMeasurements, UInt16(3))]
    _ = chip.receive(try command.packets().flatMap { try $0.bytes }, at: 0)
    _ = chip.receive(Self.command("22 00 00 04 01000000"), at: 0)
    let said = chip.advance(to: 0.9)
    #expect(said.suffix(15) == Self.command("61 02 00 06 01000000 03 02 60 01 00 01 01")[...])
    #expect(chip.nextDeadline == nil)
    #expect(chip.receive(Self.command("22 03 00 04 01000000"), at: 1) == Self.command("42 03 00 05 00 03000000"))
  }

  @Test("random and broken commands never trap, and a reset always brings it back")
  func hostile() throws {
    for seed in 0..<300 as Range<UInt64> {
      var random = SplitMix(state: seed)
      var chip = Self.chip()
      for step in 0..<30 {
        var bytes = UCIExamples.commands.randomElement(using: &random) ?? []
        if Bool.random(using: &random), let place = bytes.indices.randomElement(using: &random) {
          bytes[place] = .random(in: 0 ... .max, using: &random)
        }
        _ = chip.receive(bytes.prefix(Int.random(in: 0...bytes.count, using: &random)), at: Double(step) * 0.05)
      }
      _ = chip.advance(to: 2)
      #expect(chip.receive(Self.command("20 00 00 01 00"), at: 3).prefix(5) == Self.command("40 00 00 01 00")[...])
      #expect(chip.sessions.isEmpty)
    }
  }
}
