import Foundation
import NearbySession
import Testing
import UWBCapture
import UWBDSP
import UWBSimulation

/// Single-sided exchanges whose radios tell no clock offset: what earlier exchanges told of the clocks is all there is.
@Suite("single-sided ranging, host and replay") struct SingleSidedHostTests {
  private struct Capture {
    let folder: TemporaryFolder
    let path: String

    /// Polls and responses of two peers, finals left out.
    init() throws {
      folder = try TemporaryFolder()
      let links = [(peer: UInt64(1), distance: 3.0, ppm: 7.0), (2, 5.5, -11.0)].map { peer in
        var link = ExchangeConfiguration(
          profile: .ideal, array: .single(), peerTrajectory: .stationary(SIMD3(0, 0, -peer.distance)),
          exchangeCount: 30)
        link.peer = DeviceAddress(rawValue: peer.peer)
        link.peerClock = SimulatedClock(offsetTicks: 1 << 39, rateppm: peer.ppm, driftppm: 0.001)
        link.localClock = SimulatedClock(offsetTicks: 12_345, rateppm: 2)
        return link
      }
      let writer = try createCapture(
        folder.path("single"),
        header: CaptureHeader(format: "sigmf", profile: "ideal", array: AntennaArray.single().layout),
        format: .sigmf)
      for var exchange in ScenarioExchanges(links: links, seed: 71) {
        exchange.final = nil
        exchange.chipReport = nil
        try writer.append(exchange)
      }
      try writer.finish()
      path = folder.path("single.sigmf-meta")
    }
  }

  @Test("a host makes of a source's exchanges what a replay makes of their capture")
  func sameMeasurements() throws {
    let capture = try Capture()
    let run = try UwbProcess.run("replay", capture.path)
    #expect(run.status == 0, "\(run.errors)")
    let events = try run.events().filter { ["update", "rejected"].contains($0["event"] as? String) }
    #expect(events.count == 60)
    var reader = try openCapture(capture.path)
    let pipeline = ExchangePipeline(
      to: NearbyHost(permission: .granted),
      engine: RangingEngine(RangingEngine.Configuration(profile: .ideal, array: .single())))
    var measured = 0
    for event in events {
      let exchange = try reader.next()
      let delivered = pipeline.process(try #require(exchange))
      guard event["event"] as? String == "update" else {
        #expect(delivered.status.rawValue == event["reason"] as? String)
        continue
      }
      measured += 1
      for (own, replayed) in [(delivered.distance, "distance_m"), (delivered.rawDistance, "raw_distance_m")] {
        #expect(abs(try #require(own) - #require(event[replayed] as? Double)) < 1e-6)
      }
      let truth = try #require(event["true_distance_m"] as? Double)
      // At 7 and 11 ppm a reply of 2 ms would be 2 and 3 m off.
      #expect(abs(try #require(delivered.rawDistance) - truth) < 0.2)
    }
    // Each pair's first exchanges say nothing of the clocks.
    #expect(measured >= 54, "\(measured)")
    // A peer that is forgotten begins anew.
    pipeline.forget(DeviceAddress(rawValue: 1))
    var again = try openCapture(capture.path)
    let first = try again.next()
    #expect(pipeline.process(try #require(first)).status == .missingTimestamps)
  }

  @Test("inspect shows the distance that replay makes of the same exchange")
  func inspected() throws {
    let capture = try Capture()
    let events = try UwbProcess.run("replay", capture.path).events()
    let update = try #require(events.first { $0["event"] as? String == "update" && $0["exchange"] as? Int == 31 })
    let run = try UwbProcess.run("inspect", capture.path, "--exchange", "31")
    #expect(run.status == 0, "\(run.errors)")
    let distance = try #require(update["raw_distance_m"] as? Double)
    #expect(run.output.contains(String(format: "%.4f m", distance)), "\(distance): \(run.output)")
  }
}
