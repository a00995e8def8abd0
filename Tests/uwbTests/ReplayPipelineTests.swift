import Testing
import UWBDSP

@testable import uwb

@Suite struct ReplayPipelineTests {
  private func play(_ visits: [(peer: UInt64, time: Double)]) -> (removed: Int, updates: Int, mostTrackers: Int) {
    var pipeline = ReplayPipeline()
    var (removed, updates, most) = (0, 0, 0)
    for (index, visit) in visits.enumerated() {
      let peer = DeviceAddress(rawValue: visit.peer)
      let exchange = RangingExchange(
        index: index, time: visit.time, peer: peer, initiator: .peer, poll: RangingMessage(), response: RangingMessage()
      )
      let raw = RangingMeasurement(
        exchange: index, time: visit.time, peer: peer, status: .ok, distance: 7, distanceDeviation: 0.03)
      pipeline.process(exchange, raw) { event in
        switch event {
        case .removed: removed += 1
        case .update: updates += 1
        case .rejected: Issue.record("a distance was rejected")
        }
      }
      most = max(most, pipeline.trackerCount)
    }
    return (removed, updates, most)
  }

  @Test("memory grows with the peers that are there at once: trackers of those that left are dropped")
  func leaving() {
    let run = play((0..<1000).map { (UInt64($0), Double($0)) })
    // Peers leave after 10 s without an exchange.
    #expect(run.updates == 1000 && (985...995).contains(run.removed) && run.mostTrackers <= 12, "\(run)")
  }

  @Test("a peer that comes back after it was removed is tracked")
  func comingBack() {
    let run = play((0..<20).map { (7, 30 * Double($0)) })
    #expect(run.updates == 20 && run.removed == 19 && run.mostTrackers == 1, "\(run)")
  }
}
