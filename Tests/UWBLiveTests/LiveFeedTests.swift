import Foundation
import Testing

@testable import UWBLive

@Suite struct LiveFeedTests {
  private func peer(_ name: String, distance: Double? = 1, time: Double) -> LivePeer {
    var peer = LivePeer(name: name)
    peer.distance = distance
    peer.time = time
    return peer
  }

  private func json(_ feed: LiveFeed, _ device: String? = "a") throws -> [String: Any] {
    let bytes = feed.snapshot(of: feed.shown(device), clients: 3)
    #expect(!bytes.contains(UInt8(ascii: "\n")))
    return try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
  }

  @Test("a state holds peers, events, counts and the CIR, in the names of the ndjson stream")
  func snapshot() throws {
    let feed = LiveFeed(LiveState(title: "t \"<\n", kind: .replay, devices: ["a", "b"]))
    feed.change { state in
      var one = peer("0001", distance: 2.5, time: 3)
      one.azimuthDegrees = -12
      state.countExchange(now: 0)
      state.update(one, of: "a", now: 0)
      state.reject("0002", of: "a", reason: "noFirstPath", time: 4)
      state.remove("0001", of: "a", time: 5)
      state.note(LiveEvent(time: 5, peer: "0001", text: "removed: timeout"), of: "a")
      state.show(
        LiveImpulseResponse(
          peer: "0001", message: "final", startTap: 700, tapSpacingNanoseconds: 1.0016, firstPathTaps: 724.25,
          magnitudes: [0, 0.5, 1]), of: "a")
    }
    let state = try json(feed)
    #expect(state["title"] as? String == "t \"<\n" && state["clients"] as? Int == 3 && state["end"] == nil)
    let peers = try #require(state["peers"] as? [[String: Any]])
    #expect(peers.map { $0["peer"] as? String } == ["0001", "0002"])
    #expect(peers[0]["distance_m"] as? Double == 2.5 && peers[0]["azimuth_deg"] as? Double == -12)
    #expect(peers[0]["gone"] as? Bool == true && peers[0]["updates"] as? Int == 1)
    #expect(peers[1]["rejected"] as? Int == 1 && peers[1]["last_reason"] as? String == "noFirstPath")
    let response = try #require(state["impulse_response"] as? [String: Any])
    #expect(response["first_path_taps"] as? Double == 724.25)
    #expect((state["events"] as? [[String: Any]])?.first?["text"] as? String == "removed: timeout")
    // The other device has seen nothing; one that is not there is shown as the first.
    #expect((try json(feed, "b")["peers"] as? [Any])?.isEmpty == true)
    #expect(try json(feed, "nobody")["device"] as? String == "a")
  }

  @Test("an update after a rejection clears its reason and keeps its count")
  func counts() throws {
    var state = LiveState(title: "t", kind: .replay, devices: ["a"])
    state.reject("p", of: "a", reason: "noFirstPath", time: 1)
    state.update(peer("p", time: 2), of: "a", now: 0)
    state.update(peer("p", time: 3), of: "a", now: 0)
    let known = try #require(state.devices["a"]?.peers["p"])
    #expect(known.updates == 2 && known.rejected == 1 && known.lastReason == nil && known.time == 3)
  }

  @Test("peers, devices and events are bounded; who has left goes first")
  func bounds() throws {
    var state = LiveState(title: "t", kind: .replay, devices: ["a"])
    state.update(peer("gone", time: 1e9), of: "a", now: 0)
    state.remove("gone", of: "a", time: 1e9)
    for number in 0..<500 { state.update(peer("p\(number)", time: Double(number)), of: "a", now: 0) }
    let peers = try #require(state.devices["a"]?.peers)
    #expect(
      peers.count == LiveState.maximumPeerCount && peers["gone"] == nil && peers["p499"] != nil && peers["p0"] == nil)
    for number in 0..<2000 { state.note(LiveEvent(time: 0, peer: "p", text: "\(number)"), of: "d\(number)") }
    #expect(state.devices.count == LiveState.maximumDeviceCount)
    for number in 0..<100 { state.note(LiveEvent(time: 0, peer: "p", text: "\(number)"), of: "a") }
    #expect(state.devices["a"]?.events.map(\.text).last == "99")
    #expect(state.devices["a"]?.events.count == LiveState.maximumEventCount)
  }

  @Test("versions say which views have changed; the end changes all")
  func versions() {
    let feed = LiveFeed(LiveState(title: "t", kind: .room, devices: ["a", "b"]))
    let (a, b) = (feed.version(of: "a"), feed.version(of: "b"))
    feed.change { $0.update(peer("p", time: 1), of: "a", now: 0) }
    #expect(feed.version(of: "a") > a && feed.version(of: "b") == b)
    feed.change { $0.finish("first") }
    feed.change { $0.finish("second") }
    #expect(feed.version(of: "b") > b && feed.isEnded)
    feed.change { #expect($0.end == "first") }
  }

  @Test("lines that nobody takes are bounded, and their loss is counted")
  func overrun() {
    let feed = LiveFeed(LiveState(title: "t", kind: .pipe, devices: ["a"]))
    let line = [UInt8](repeating: UInt8(ascii: "x"), count: 999) + [UInt8(ascii: "\n")]
    let count = 3 * LiveFeed.maximumPendingBytes / 1000
    for _ in 0..<count { feed.publish(line) }
    let lines = feed.takeLines()
    #expect(lines.bytes.count <= LiveFeed.maximumPendingBytes && lines.bytes.count == 1000 * lines.count)
    #expect(feed.takeLines().count == 0)
    let metrics = feed.metrics(LiveServerCounts())
    #expect(metrics.contains("uwb_overrun_lines_total \(count - lines.count)\n"))
    #expect(metrics.contains("uwb_lines_total \(count)\n"))
  }

  @Test("numbers that JSON has no name for don't keep a page from its state")
  func notFinite() throws {
    let feed = LiveFeed(LiveState(title: "t", kind: .replay, devices: ["a"]))
    feed.change { $0.update(peer("p", distance: .nan, time: .infinity), of: "a", now: 0) }
    #expect(try json(feed)["title"] as? String == "t")
  }

  @Test("rates are those of the last whole seconds")
  func rates() {
    var meter = RateMeter()
    #expect(meter.perSecond(at: 0) == 0)
    for step in 0..<100 { meter.count(at: Double(step) / 10) }
    #expect(meter.perSecond(at: 10) == 10)
    #expect(meter.perSecond(at: 13) == 4)
    #expect(meter.perSecond(at: 100) == 0)
  }
}
