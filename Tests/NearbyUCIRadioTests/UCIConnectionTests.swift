import NearbyPorts
import NearbyUCI
import NearbyUCIRadio
import Testing
import UWBPlatform

@Suite(.timeLimit(.minutes(5))) struct UCIConnectionTests {
  @Test("rounds come one by one with no gap, over a socket and a pseudo-terminal, and the session ends in order")
  func rounds() async throws {
    for place in [SimulatedChipServer.Place.listening(.tcp(host: "127.0.0.1", port: 0)), .pseudoTerminal(link: nil)] {
      let bench = try await ChipBench(at: place)
      defer { bench.close() }
      let running = try RunningConnection(bench.address)
      running.connection.start(7, parameters: ChipBench.parameters(id: 7))
      var names: [String] = []
      var sequences: [UInt32] = []
      for await event in running.events {
        switch event {
        case .ready: names.append("ready")
        case .started(let id): names.append("started \(id)")
        case .stopped(let id): names.append("stopped \(id)")
        case .info(7, let info):
          sequences.append(info.sequence)
          if sequences.count == 50 { running.connection.close() }
        case .packet: break
        default: names.append("\(event)")
        }
      }
      #expect(names == ["ready", "started 7", "stopped 7"])
      #expect(sequences == [UInt32](0..<UInt32(sequences.count)) && sequences.count >= 50)
    }
  }

  @Test("unplugged and plugged in again, many times: no round is lost while plugged, and each time the session goes on")
  func unplugging() async throws {
    let link = "/tmp/uwb-\(getpid())-\(UInt32.random(in: 0 ... .max)).tty"
    for place in [SimulatedChipServer.Place.listening(.unix(ChipBench.freePath())), .pseudoTerminal(link: link)] {
      let bench = try await ChipBench(at: place)
      defer { bench.close() }
      let running = try RunningConnection(bench.address)
      running.connection.start(7, parameters: ChipBench.parameters(id: 7))
      var expected: UInt32 = 0
      var (starts, outages) = (0, 0)
      for await event in running.events {
        switch event {
        case .started: starts += 1
        case .unavailable(let error):
          outages += 1
          guard case .port(.disconnected) = error else {
            Issue.record("\(error)")
            continue
          }
          expected = 0
          // Long enough for attempts in vain.
          try await Task.sleep(for: .milliseconds(300))
          bench.server.plug()
        case .info(_, let info):
          #expect(info.sequence == expected)
          expected += 1
          if expected == 20 { if starts == 5 { running.connection.close() } else { bench.server.unplug() } }
        case .failed(_, let error): Issue.record("\(error)")
        case .ready, .stopped, .packet: break
        }
      }
      #expect(starts == 5 && outages == 4)
    }
  }

  @Test("orders before the chip is there, several sessions, one stopped and started again with other parameters")
  func orders() async throws {
    let bench = try await ChipBench()
    defer { bench.close() }
    let running = try RunningConnection(bench.address)
    for id in [7, 8, 9] as [UInt32] { running.connection.start(id, parameters: ChipBench.parameters(id: id)) }
    var log: [String] = []
    var heard: Set<UInt32> = []
    var isSlow = false
    for await event in running.events {
      switch event {
      case .started(let id): log.append("started \(id)")
      case .stopped(let id): log.append("stopped \(id)")
      case .info(let id, let info):
        if id == 8, info.interval == 20, !isSlow {
          isSlow = true
          running.connection.close()
        }
        if heard.insert(id).inserted, heard == [7, 8, 9] {
          running.connection.stop(8)
          running.connection.start(8, parameters: ChipBench.parameters(id: 8, milliseconds: 20))
        }
      case .failed(_, let error): Issue.record("\(error)")
      default: break
      }
    }
    #expect(log.prefix(5) == ["started 7", "started 8", "started 9", "stopped 8", "started 8"])
    #expect(isSlow)
  }

  @Test("a refused parameter fails the session alone, with a typed error; more sessions than the chip has, too")
  func refused() async throws {
    var settings = SimulatedChip.Settings()
    settings.maximumSessions = 1
    let bench = try await ChipBench(at: .listening(.unix(ChipBench.freePath())), settings)
    defer { bench.close() }
    let running = try RunningConnection(bench.address)
    running.connection.start(6, parameters: ChipBench.parameters(id: 6) + [UCIParameter(.channel, UInt8(3))])
    var failures: [UInt32: UCIDriverError] = [:]
    for await event in running.events {
      switch event {
      case .failed(let id, let error):
        failures[id] = error
        if id == 6 { running.connection.start(7, parameters: ChipBench.parameters(id: 7)) }
        if id == 8 { running.connection.close() }
      case .started(7): running.connection.start(8, parameters: ChipBench.parameters(id: 8))
      default: break
      }
    }
    #expect(
      failures == [
        6: .parametersRefused([UCIParameterStatus(.channel, .invalidRange)]),
        8: .refused(InitializeSession.kind, .tooManySessions),
      ])
  }

  @Test("a port that nobody answers on ends in a typed error, and is tried again until closed")
  func silent() async throws {
    let listener = try PortListener(.unix(ChipBench.freePath()))
    var settings = UCIConnection.Settings()
    settings.driver.answerTime = 0.02
    let running = try RunningConnection(listener.address, settings: settings)
    var first: UCIConnectionError?
    for await event in running.events {
      if case .unavailable(let error) = event {
        first = first ?? error
        running.connection.close()
      }
    }
    #expect(first == .chip(.noAnswer(ResetDevice.kind)))
  }

  @Test("a chip that says its session is active and reports nothing is reset, and in the end given up")
  func speechless() async throws {
    let bench = try await ChipBench()
    defer { bench.close() }
    var settings = UCIConnection.Settings()
    settings.driver.answerTime = 0.2
    settings.driver.silentRounds = 0
    let running = try RunningConnection(bench.address, settings: settings)
    running.connection.start(7, parameters: ChipBench.parameters(id: 7, milliseconds: 3_600_000))
    var failure: UCIDriverError?
    var outages = 0
    for await event in running.events {
      if case .unavailable = event { outages += 1 }
      if case .failed(7, let error) = event {
        failure = error
        running.connection.close()
      }
    }
    #expect(failure == .chipLost && outages == settings.maximumStarts)
  }
}
