import ArgumentParser
import Foundation
import NearbySession
import UWBCapture
import UWBDSP
import UWBPlatform
import UWBReport

/// `uwb evaluate sessions`: what delivery from ready measurements to subscribers costs, and how long it takes.
struct EvaluateSessionsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sessions", abstract: "Measure the delivery of measurements to subscribers under load.",
    discussion: """
      Each session has one subscriber of its own. Measurements come in bursts of one a session, spread over the
      period, from a thread of their own. The load is the whole process's processor time, the source's included, over
      the time that passed. Latency is from just before a burst of one tick is handed over to when a subscriber has it.
      The machine's own share: how late a thread wakes that does nothing but sleep, in the same run.

      EXAMPLE
        taskset -c 0 uwb evaluate sessions --sessions 1000 --rate 100 --seconds 10 --stalled 10
      """)

  @Option(help: "Sessions that run, each with one peer.", transform: OptionRange.reader(OptionRange.sessions))
  var sessions = 1000

  @Option(help: "Updates a second for each.", transform: OptionRange.reader(OptionRange.rate))
  var rate = 100.0

  @Option(help: "How long to measure, s.", transform: OptionRange.reader(OptionRange.seconds))
  var seconds = 10.0

  @Option(
    help: "Further subscribers, which take one event and no more.", transform: OptionRange.reader(OptionRange.stalled))
  var stalled = 10

  /// Counts of latencies by 10 µs, shared by all subscribers.
  private final class Histogram: Sendable {
    private let bins: StateLock<[Int]> = StateLock(Array(repeating: 0, count: 20_001))

    func add(_ seconds: Double) {
      let bin = Int(seconds * 1e5, within: 0...20_000)
      bins.withLock { $0[bin] += 1 }
    }

    func clear() {
      bins.withLock { for index in $0.indices { $0[index] = 0 } }
    }

    var count: Int { bins.withLock { $0.reduce(0, +) } }

    /// Upper end of the bin, s.
    func quantile(_ part: Double) -> Double {
      bins.withLock { bins in
        let wanted = part * Double(bins.reduce(0, +))
        var sum = 0.0
        for (index, count) in bins.enumerated() {
          sum += Double(count)
          if sum >= wanted { return 1e-5 * Double(index + 1) }
        }
        return 0.2
      }
    }
  }

  private struct Figures {
    var updates = 0
    var late = 0
    var cpu = 0.0
    var elapsed = 0.0
    var memory = 0
  }

  @OptionGroup var page: ReportOptions

  @OptionGroup var messages: MessageOptions

  func run() async throws {
    let file = try page.begin(outputs: [])
    var settings = NearbySettings()
    settings.activeSessionLimit = nil
    let host = NearbyHost(settings: settings, clock: MachineClock(), permission: .granted)
    let latencies = Histogram()
    let noise = Histogram()
    var running: [NearbySession] = []
    var addresses: [DeviceAddress] = []
    var stuck: [NearbySessionEvents] = []
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<sessions {
        let peer = NearbySession(host: NearbyHost())
        guard let token = peer.discoveryToken else { continue }
        let session = NearbySession(host: host)
        let events = session.events
        group.addTask {
          var iterator = events.makeAsyncIterator()
          while let event = try? await iterator.next() {
            if case .updated(let objects) = event, let sent = objects.first?.time { latencies.add(Self.now - sent) }
          }
        }
        if index < stalled { stuck.append(session.events) }
        try session.run(NearbyPeerConfiguration(peerToken: token))
        running.append(session)
        addresses.append(token.address)
      }
      let source = Source(host: host, addresses: addresses, rate: rate)
      await source.run(seconds: min(2, seconds))
      latencies.clear()
      let memoryBefore = Self.residentBytes
      let noiseThread = Thread {
        while !Thread.current.isCancelled {
          let due = Self.now + 1e-3
          Self.sleep(until: due)
          noise.add(Self.now - due)
        }
      }
      noiseThread.start()
      var figures = await source.run(seconds: seconds)
      noiseThread.cancel()
      figures.memory = Self.residentBytes - memoryBefore
      try await Task.sleep(for: .milliseconds(50))
      try report(figures, latencies, noise, file)
      for session in running { session.invalidate() }
      try await group.waitForAll()
    }
    withExtendedLifetime(stuck) {}
  }

  private func report(_ figures: Figures, _ latencies: Histogram, _ noise: Histogram, _ file: ReportFile?) throws {
    func milliseconds(_ histogram: Histogram, _ part: Double) -> EvaluationTable.Cell {
      .number(1e3 * histogram.quantile(part), places: 3)
    }
    let measured: [FigureLines.Figure] = [
      ("sessions", .count(sessions)), ("updates", .count(figures.updates)),
      ("updates_per_s", .number(Double(figures.updates) / figures.elapsed, places: 0)),
      ("received", .count(latencies.count)), ("stalled_subscribers", .count(stalled)),
      ("load_of_one_core", .number(figures.cpu / figures.elapsed, places: 4)),
      ("cpu_us_per_update", .number(1e6 * figures.cpu / Double(max(1, figures.updates)), places: 3)),
      ("latency_p50_ms", milliseconds(latencies, 0.5)), ("latency_p99_ms", milliseconds(latencies, 0.99)),
      ("latency_p999_ms", milliseconds(latencies, 0.999)), ("late_bursts", .count(figures.late)),
      ("idle_wakeup_p50_ms", milliseconds(noise, 0.5)), ("idle_wakeup_p99_ms", milliseconds(noise, 0.99)),
      ("idle_wakeup_p999_ms", milliseconds(noise, 0.999)), ("memory_growth_kb", .count(figures.memory / 1024)),
    ]
    let output = ByteOutput()
    var lines = FigureLines(.ndjson)
    try output.write { lines.append(measured, to: &$0) }
    try output.flush()
    try file?.write { provenance in
      Page(
        title: "Delivery of updates to subscribers",
        sentence:
          "\(sessions) sessions received \(latencies.count) updates in \(String(decimal: figures.elapsed, places: 1)) s: 99 % within "
          + "\(String(decimal: 1e3 * latencies.quantile(0.99), places: 3)) ms, at \(String(decimal: 100 * figures.cpu / figures.elapsed, places: 1)) % "
          + "of one core.",
        picture: PagePicture(
          "Latency of updates.", unit: "ms",
          bars: [("half within", 0.5), ("99 % within", 0.99), ("99.9 % within", 0.999)].map { name, part in
            .init(name, value: 1e3 * latencies.quantile(part), mark: 1e3 * noise.quantile(part))
          },
          caption:
            "Dot: from the hand-over of a measurement to its subscriber; upright line: how late an idle thread wakes on this machine.",
          isLogarithmic: true),
        sections: [
          .init(
            "All figures", note: "Times are the machine's: they differ from run to run.",
            [.table(PageTable(figures: [measured]))])
        ], provenance: provenance)
    }
  }

  /// Hands over ready measurements on a thread of its own, ten bursts a period.
  private struct Source: Sendable {
    let host: NearbyHost
    let addresses: [DeviceAddress]
    let rate: Double

    @discardableResult
    func run(seconds: Double) async -> Figures {
      await withCheckedContinuation { continuation in
        Thread { continuation.resume(returning: measure(seconds)) }.start()
      }
    }

    private func measure(_ seconds: Double) -> Figures {
      let bursts = max(1, min(addresses.count, 50))
      let spacing = 1 / (rate * Double(bursts))
      var figures = Figures()
      var progress = Progress("delivering", totalBytes: Int(seconds.rounded(.up)), unit: "s")
      defer { progress.finish() }
      let start = EvaluateSessionsCommand.now
      let cpu = EvaluateSessionsCommand.processorTime
      var burst = 0
      while true {
        let due = start + Double(burst) * spacing
        guard due < start + seconds else { break }
        EvaluateSessionsCommand.sleep(until: due)
        let elapsed = Int(due - start)
        progress.update(bytes: elapsed, exchanges: elapsed)
        if EvaluateSessionsCommand.now > due + 1e-3 { figures.late += 1 }
        let part = burst % bursts
        for index in stride(from: part, to: addresses.count, by: bursts) {
          host.deliver(
            RangingMeasurement(
              exchange: burst, time: EvaluateSessionsCommand.now, peer: addresses[index], status: .ok, distance: 2,
              distanceDeviation: 0.02, direction: SIMD3(0, 0, -1), azimuth: 0, azimuthDeviation: 0.01, elevation: 0,
              elevationDeviation: 0.01))
          figures.updates += 1
        }
        burst += 1
      }
      figures.elapsed = EvaluateSessionsCommand.now - start
      figures.cpu = EvaluateSessionsCommand.processorTime - cpu
      return figures
    }
  }

  // MARK: The machine

  /// The clock by which latencies are measured.
  private struct MachineClock: NearbyClock {
    var now: Double { EvaluateSessionsCommand.now }
  }

  private static func seconds(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + 1e-9 * Double(time.tv_nsec)
  }

  fileprivate static var now: Double { seconds(CLOCK_MONOTONIC) }
  fileprivate static var processorTime: Double { seconds(CLOCK_PROCESS_CPUTIME_ID) }

  fileprivate static func sleep(until due: Double) {
    let wait = due - now
    guard wait > 0 else { return }
    var time = timespec(tv_sec: Int(wait), tv_nsec: Int((wait - wait.rounded(.down)) * 1e9))
    nanosleep(&time, nil)
  }

  /// What the process holds in memory now; 0 where the system does not tell.
  private static var residentBytes: Int {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
  }
}
