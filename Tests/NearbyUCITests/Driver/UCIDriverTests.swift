import Testing

@testable import NearbyUCI

/// A driver and a chip on a clock that the test turns.
private struct Bench {
  var driver = UCIDriver()
  var chip = FakeChip()
  var time = 0.0
  var events: [UCIDriver.Event] = []

  /// Carries bytes to and fro until both have nothing to say.
  mutating func carry(_ said: [UCIDriver.Event]) throws {
    var said = said
    while !said.isEmpty {
      var back: [UInt8] = []
      for event in said {
        if case .send(let bytes) = event { back += try chip.receive(bytes) } else { events.append(event) }
      }
      said = back.isEmpty ? [] : driver.receive(back, at: time)
    }
  }

  mutating func open() throws { try carry(driver.open(at: time)) }

  mutating func start(_ id: UInt32) throws {
    let ranging = UCIRangingParameters(
      sessionID: id, isController: true, address: 1, peers: [2], staticInitialVector: [1, 2, 3, 4, 5, 6])
    try carry(driver.start(id, parameters: ranging.parameters, at: time))
  }

  /// Lets the next deadline pass; `false` where there is none.
  mutating func wait() throws -> Bool {
    guard let deadline = driver.nextDeadline else { return false }
    time = max(time, deadline)
    try carry(driver.advance(to: time))
    return true
  }

  mutating func tell(_ hex: String) throws { try carry(driver.receive(UCIExamples.bytes(hex), at: time)) }

  var names: [String] {
    events.compactMap { event in
      switch event {
      case .send, .packet, .message, .unknown: nil
      case .ready: "ready"
      case .lost(let error): "lost: \(error)"
      case .started(let id): "started \(id)"
      case .stopped(let id): "stopped \(id)"
      case .failed(let id, let error): "failed \(id): \(error)"
      case .dataFailed(let id, let error): "data of \(id): \(error)"
      case .info(let id, _): "info \(id)"
      }
    }
  }
}

@Suite struct UCIDriverTests {
  private static let info =
    "C8000000 01 00 00 00000000 00000000 01 0100 00 00 D200 4006 64 60FE 50 00FC 5A 0000 00 00 9C 0000000000000000000000"

  @Test("a session's life, in both generations", arguments: [UCIDialect.Generation.first, .second])
  func life(generation: UCIDialect.Generation) throws {
    var bench = Bench()
    bench.chip = FakeChip(generation)
    try bench.open()
    #expect(bench.driver.state == .ready && bench.driver.dialect.generation == generation)
    try bench.start(7)
    let token = generation == .second ? "01000000" : "07000000"
    try bench.tell("62 00 00 38 00000000 \(token) 00 \(Self.info)")
    try bench.tell("62 00 00 38 00000000 09000000 00 \(Self.info)")
    try bench.carry(bench.driver.stop(7, at: 1))
    #expect(bench.names == ["ready", "started 7", "info 7", "stopped 7"])
    #expect(bench.driver.ignored == 1, "another session's")
    #expect(bench.driver.nextDeadline == nil)
    let kinds = bench.chip.commands.map(\.kind)
    #expect(
      kinds == [
        ResetDevice.kind, GetDeviceInfo.kind, GetCapabilities.kind, InitializeSession.kind,
        SetSessionConfiguration.kind, StartSession.kind, StopSession.kind, DeinitializeSession.kind,
      ])
    #expect(bench.chip.commands.first?.payload == [0])
  }

  @Test("several sessions share the one command at a time")
  func several() throws {
    var bench = Bench()
    try bench.open()
    for id in [7, 8, 9] as [UInt32] { try bench.start(id) }
    #expect(bench.names == ["ready", "started 7", "started 8", "started 9"])
    try bench.tell("62 00 00 38 00000000 02000000 00 \(Self.info)")
    #expect(bench.names.last == "info 8")
    let commands = bench.chip.commands.count
    try bench.start(8)
    #expect(bench.chip.commands.count == commands, "it is there already")
  }

  @Test(
    "statuses before their responses, answers twice, garbage between: the same life",
    arguments: [FakeChip.Fault.statusFirst, .twice, .garbage])
  func disorder(fault: FakeChip.Fault) throws {
    var bench = Bench()
    bench.chip.fault = { _ in fault }
    try bench.open()
    try bench.start(7)
    try bench.carry(bench.driver.stop(7, at: 0))
    #expect(bench.names == ["ready", "started 7", "stopped 7"])
    if fault == .twice { #expect(bench.driver.ignored >= 8) }
  }

  @Test(
    "a command is sent again where the chip asks for it, three times at the most",
    arguments: [FakeChip.Fault.retry, .genericRetry])
  func retries(fault: FakeChip.Fault) throws {
    var bench = Bench()
    try bench.open()
    bench.chip.fault = { $0 == StartSession.kind ? fault : .none }
    try bench.start(7)
    #expect(bench.chip.commands.count { $0.kind == StartSession.kind } == 3)
    #expect(bench.names == ["ready", "failed 7: \(UCIDriverError.tooManyRetries(StartSession.kind))"])
    #expect(bench.chip.commands.last?.kind == DeinitializeSession.kind && bench.driver.state == .ready)
    bench.chip.fault = { _ in .none }
    try bench.start(7)
    #expect(bench.names.last == "started 7")
  }

  @Test("no answer resets the chip; sessions are told; the late answer changes nothing")
  func silent() throws {
    var bench = Bench()
    try bench.open()
    bench.chip.fault = { $0 == StartSession.kind ? .late : .none }
    try bench.start(7)
    #expect(try bench.wait())
    #expect(bench.time == 2)
    #expect(bench.names == ["ready", "failed 7: \(UCIDriverError.chipLost)", "ready"])
    let ignored = bench.driver.ignored
    try bench.carry(bench.driver.receive(bench.chip.release(), at: bench.time))
    #expect(bench.names.count == 3 && bench.driver.ignored == ignored + 1)
  }

  @Test("a chip that never answers is lost after so many resets, with a typed error; opened again it works")
  func dead() throws {
    var bench = Bench()
    bench.chip.fault = { _ in .silent }
    try bench.open()
    while try bench.wait() {}
    #expect(bench.names == ["lost: \(UCIDriverError.noAnswer(ResetDevice.kind))"])
    #expect(bench.chip.commands.count == 4 && bench.driver.state == .closed)
    bench.chip.fault = { _ in .none }
    try bench.open()
    #expect(bench.names.last == "ready")
  }

  @Test("a device error resets the chip and loses all sessions; a refusal and a missing state end the one")
  func errors() throws {
    var bench = Bench()
    try bench.open()
    try bench.start(7)
    try bench.tell("60 01 00 01 FF")
    #expect(bench.names == ["ready", "started 7", "failed 7: \(UCIDriverError.chipLost)", "ready"])
    bench.chip.fault = { $0 == SetSessionConfiguration.kind ? .refused : .none }
    try bench.start(8)
    let refused = UCIDriverError.refused(SetSessionConfiguration.kind, .invalidParameter)
    #expect(bench.names.last == "failed 8: \(refused)")
    bench.chip.fault = { _ in .none }
    try bench.start(9)
    try bench.tell("61 02 00 06 03000000 03 01")
    #expect(bench.names.last == "failed 9: \(UCIDriverError.ended(.retriesUsedUp))")
    #expect(bench.driver.state == .ready)
  }

  @Test("an unplugged port tells the sessions, and the next open begins anew")
  func unplugged() throws {
    var bench = Bench()
    try bench.open()
    try bench.start(7)
    try bench.carry(bench.driver.close())
    #expect(bench.names.last == "failed 7: \(UCIDriverError.chipLost)" && bench.driver.nextDeadline == nil)
    try bench.open()
    try bench.start(7)
    #expect(bench.names.suffix(2) == ["ready", "started 7"])
  }

  @Test("data waits for credit, one packet for each, in segments as the chip takes them")
  func data() throws {
    var bench = Bench()
    try bench.open()
    try bench.start(7)
    for sequence in 0..<2 as Range<UInt16> {
      var data = SendData()
      (data.destination, data.sequence, data.data) = (2, sequence, [UInt8](repeating: 5, count: 100))
      try bench.carry(bench.driver.sendData(data, of: 7, at: 0))
    }
    #expect(bench.chip.data.isEmpty)
    try bench.tell("62 04 00 05 01000000 01")
    #expect(bench.chip.data.map(\.payload.count) == [64, 52])
    try bench.tell("62 04 00 05 01000000 00")
    #expect(bench.chip.data.count == 2)
    try bench.tell("62 04 00 05 01000000 01")
    #expect(bench.chip.data.count == 4)
  }

  @Test("a long configuration goes in several commands, and the session starts after the last")
  func longConfiguration() throws {
    var bench = Bench()
    try bench.open()
    let parameters = (0..<20).map { UCIParameter(UCIParameterID(rawValue: $0), [UInt8](repeating: 1, count: 32)) }
    try bench.carry(bench.driver.start(7, parameters: parameters, at: 0))
    let commands = bench.chip.commands.filter { $0.kind == SetSessionConfiguration.kind }
    #expect(commands.count == 3 && commands.allSatisfy { $0.payload.count <= 255 })
    #expect(try commands.flatMap { try SetSessionConfiguration(payload: $0.payload).parameters } == parameters)
    #expect(bench.names.last == "started 7")
  }

  @Test("whatever faults come, waiting ends: the chip is ready or lost, each session active, stopped or failed")
  func faults() throws {
    var outcomes: Set<String> = []
    for seed in 0..<400 as Range<UInt64> {
      var random = SplitMix(state: seed)
      var bench = Bench()
      var alive: Set<UInt32> = []
      for step in 0..<12 {
        let faults = FakeChip.Fault.allCases
        let fault = faults.randomElement(using: &random) ?? .none
        let victim = UInt8.random(in: 0..<8, using: &random)
        bench.chip.fault = { $0.opcode == victim || victim == 7 ? fault : .none }
        if bench.driver.state == .closed { try bench.open() }
        let id = UInt32.random(in: 1...3, using: &random)
        if bench.driver.state == .ready {
          if Bool.random(using: &random) {
            try bench.start(id)
          } else {
            try bench.carry(bench.driver.stop(id, at: bench.time))
          }
        }
        try bench.carry(bench.driver.receive(bench.chip.release(), at: bench.time))
        var waits = 0
        while try bench.wait() {
          waits += 1
          try #require(waits < 100, "seed \(seed), step \(step)")
        }
        #expect(bench.driver.state == .ready || bench.driver.state == .closed, "seed \(seed), step \(step)")
        #expect(bench.driver.sessions.values.allSatisfy { $0.phase == .active }, "seed \(seed), step \(step)")
      }
      for name in bench.names {
        outcomes.insert(String(name.prefix { $0 != " " && $0 != ":" }))
        guard let id = name.split(separator: " ").dropFirst().first.flatMap({ UInt32($0.prefix { $0 != ":" }) }) else {
          continue
        }
        if name.hasPrefix("started") { #expect(alive.insert(id).inserted, "seed \(seed)") }
        if name.hasPrefix("stopped") || name.hasPrefix("failed") { alive.remove(id) }
      }
      #expect(alive == Set(bench.driver.sessions.keys), "seed \(seed)")
    }
    #expect(outcomes == ["ready", "started", "stopped", "failed", "lost"])
  }

  @Test("random bytes from the chip never trap, and the driver recovers from them")
  func hostile() throws {
    for seed in 0..<200 as Range<UInt64> {
      var random = SplitMix(state: seed)
      var bench = Bench()
      try bench.open()
      try bench.start(7)
      for _ in 0..<20 {
        let noise = (0..<Int.random(in: 1...40, using: &random)).map { _ in UInt8.random(in: 0 ... .max, using: &random)
        }
        try bench.carry(bench.driver.receive(noise, at: bench.time))
        bench.time += 0.2
        try bench.carry(bench.driver.advance(to: bench.time))
      }
      try bench.open()
      try bench.start(9)
      #expect(bench.names.last == "started 9", "seed \(seed)")
    }
  }
}
