import Foundation
import NearbySession
import Testing
import UWBDSP

/// Hosts under full load with everything going wrong at random: messages lost, doubled, reordered and corrupted, clocks that
/// jump, apps that call anything at any time, from several threads. `UWB_SOAK_SECONDS` sets how long; without it a short
/// run of a fixed number of steps.
@Suite struct SoakTests {
  private static let seconds = ProcessInfo.processInfo.environment["UWB_SOAK_SECONDS"].flatMap(Double.init)
  private static let hostCount = 12

  @Test("no crash, no leak, every stream in an order that the rules allow")
  func soak() async throws {
    let seed = UInt64(ProcessInfo.processInfo.environment["UWB_SOAK_SEED"] ?? "") ?? 1
    let record = SoakRecord()
    let hosts = (0..<Self.hostCount).map { SoakHost(number: $0, seed: seed, record: record) }
    let directory = SoakDirectory(hosts)
    let end = Self.seconds.map { ContinuousClock.now + .seconds($0) }
    let start = ContinuousClock.now
    var grown: [Int] = []
    await withTaskGroup(of: Int.self) { group in
      // Two threads' worth of drivers, each with half of the hosts to call and all of them to deliver to.
      for half in 0..<2 {
        group.addTask {
          var driver = SoakDriver(hosts: hosts, own: half, directory: directory, seed: seed &* 31 &+ UInt64(half))
          var step = 0
          while end.map({ ContinuousClock.now < $0 }) ?? (step < 6000) {
            driver.step()
            step += 1
            if step.isMultiple(of: 64) { await Task.yield() }
          }
          return step
        }
      }
      if let seconds = Self.seconds {
        group.addTask {
          // Half of the time for everything to reach its size.
          try? await Task.sleep(for: .seconds(seconds / 2))
          return -Self.residentBytes
        }
      }
      for await count in group { grown.append(count) }
    }
    let memory = Self.residentBytes
    let watchers = hosts.flatMap { $0.close() }
    for watcher in watchers { await watcher.value }
    let totals = record.now
    #expect(totals.broken.isEmpty, "seed \(seed): \(totals.broken)")
    #expect(totals.events > 0)
    #expect(hosts.allSatisfy { $0.leftSessions == 0 }, "seed \(seed): sessions are still held")
    if let half = grown.first(where: { $0 < 0 }), Self.seconds ?? 0 >= 60 {
      let growth = memory + half
      // A page a second would be a leak; allocators keep some more.
      #expect(growth < 8 << 20, "seed \(seed): \(growth) bytes more than at half-time")
    }
    if Self.seconds != nil {
      let steps = grown.filter { $0 > 0 }.reduce(0, +)
      let growth = grown.first { $0 < 0 }.map { memory + $0 } ?? 0
      print(
        "soak: seed \(seed), \(ContinuousClock.now - start), \(steps) steps, \(totals.streams) streams, "
          + "\(totals.events) events, \(growth / 1024) kB more than at half-time")
    }
  }

  private static var residentBytes: Int {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
    return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4096
  }
}
