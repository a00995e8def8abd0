import Foundation
import TestSupport
import Testing
import UWBCapture
import UWBTypes

/// A trolley with three tags on an eight among four anchors, its clock and the radios' apart.
@Suite struct TruthTrajectoryTests {
  private static let anchors = "1:-3,3,1;2:3,3,1.2;3:3,-3,1;4:-3,-3,0.8"
  private static let tags = "0:0.2,0.1,0;1:-0.1,0.2,0;2:-0.1,-0.2,0.05"

  private static func place(_ time: Double) -> (place: SIMD3<Double>, heading: Double) {
    (SIMD3(2 * sin(0.5 * time), 1.5 * sin(0.83 * time), 1), 0.7 * time + sin(0.3 * time))
  }

  /// - Parameter quaternion: header and order of its parts among x, y, z, w; `nil` for a heading.
  private static func trajectory(start: Double, quaternion: (header: String, order: [Int])?) throws -> PoseTable {
    var text = "time,x,y,z," + (quaternion?.header ?? "heading_deg") + "\n"
    for step in 0...3000 {
      let time = 0.02 * Double(step)
      let (place, heading) = place(time)
      let parts = [0, 0, sin(heading / 2), cos(heading / 2)]
      let turn = quaternion.map { $0.order.map { "\(parts[$0])" }.joined(separator: ",") } ?? "\(heading * 180 / .pi)"
      text += "\(start + time),\(place.x),\(place.y),\(place.z),\(turn)\n"
    }
    return try PoseTable(ByteSource(text: text), frame: .room)
  }

  /// Ranges from 3 s to 53 s of the trajectory, 100 a second, one pair at a time, 5 cm of noise, 10 cm too long.
  private static func exchanges(seed: UInt64) throws -> [(exchange: RangingExchange, truth: Double)] {
    let anchors = try PlaceList(inline: anchors, option: "a")
    let tags = try PlaceList(inline: tags, option: "t")
    var random = StatisticsRandom(seed: seed)
    return (0..<5000).map { index in
      let time = 0.01 * Double(index)
      let (place, heading) = place(time + 3)
      let (anchor, tag) = (anchors.addresses[index % 4], tags.addresses[index % 3])
      let seat = tags[tag] ?? .zero
      let turned = SIMD3(
        cos(heading) * seat.x - sin(heading) * seat.y, sin(heading) * seat.x + cos(heading) * seat.y, seat.z)
      let line = place + turned - (anchors[anchor] ?? .zero)
      let truth = (line * line).sum().squareRoot()
      var exchange = RangingExchange(index: index, time: time, peer: anchor, local: tag, poll: RangingMessage())
      // One in ten is seen by way of a wall.
      let bias = index % 10 == 7 ? 1.5 : 0
      let distance = truth + 0.1 + 0.05 * random.gaussian() + bias
      exchange.chipReport = ChipReport(distance: distance, rawDistance: distance)
      return (exchange, truth)
    }
  }

  private static func truth(_ poses: PoseTable) throws -> TruthTrajectory {
    TruthTrajectory(
      poses, anchors: try PlaceList(inline: anchors, option: "a"), tags: try PlaceList(inline: tags, option: "t"))
  }

  /// The slope of the distances is about 1 m/s and the noise 5 cm: a shift is good to some 5 cm / 1 m/s / √2000 = 1 ms; the
  /// interpolation's own error is a part of the fine grid's step. At 20 ms distances would be off by 2 cm.
  @Test(
    "the shift of clocks is found, by a date or by motion alone, with a heading or quaternions",
    arguments: [
      (nil, 1e9 + 4.25), (("qx,qy,qz,qw", [0, 1, 2, 3]), 1e9 - 2), (("rotation,,,", [3, 0, 1, 2]), 1e9 + 4),
      (("rotation,,,", [0, 3, 2, 1]), 0), (nil, 0),
    ] as [((String, [Int])?, Double)])
  func aligned(_ quaternion: (header: String, order: [Int])?, _ start: Double) throws {
    var trajectory = try Self.truth(try Self.trajectory(start: start, quaternion: quaternion))
    let made = try Self.exchanges(seed: 5)
    var alignment = ClockAlignment()
    for (exchange, _) in made { alignment.add(exchange, to: trajectory) }
    #expect(alignment.exchanges == 5000 && alignment.withoutPlace == 0)
    let found = try #require(alignment.align(&trajectory, captureStart: start > 0 ? 1e9 : nil))
    #expect(abs(found.shift - 3) < 0.02 && found.deviation < 0.02, "\(found)")
    for (exchange, truth) in made {
      let distance = trajectory.distance(of: exchange) ?? .nan
      #expect(abs(distance - truth) < 0.05)
    }
    // The parts that turn nothing, x and y, are 0 in either order.
    guard let quaternion, quaternion.header.hasPrefix("r") else {
      #expect(found.quaternionOrder == nil)
      return
    }
    let order = Array(try #require(found.quaternionOrder))
    #expect(order.firstIndex(of: "w") == quaternion.order.firstIndex(of: 3))
    #expect(order.firstIndex(of: "z") == quaternion.order.firstIndex(of: 2))
  }

  @Test("what stands still tells no shift")
  func standing() throws {
    let poses = try PoseTable(ByteSource(text: "time,x,y,z\n0,0,0,1\n1,0,0,1\n2,0,0,1\n3,0,0,1\n"), frame: .room)
    var trajectory = TruthTrajectory(poses, anchors: try PlaceList(inline: "0,0,0", option: "a"), tags: PlaceList())
    var alignment = ClockAlignment()
    var random = StatisticsRandom(seed: 8)
    for index in 0..<200 {
      var exchange = RangingExchange(
        index: index, time: 0.01 * Double(index), peer: DeviceAddress(rawValue: 0), poll: RangingMessage())
      exchange.chipReport = ChipReport(distance: 1, rawDistance: 1 + 0.05 * random.gaussian())
      alignment.add(exchange, to: trajectory)
    }
    #expect(alignment.align(&trajectory, captureStart: nil) == nil && trajectory.shift == 0)
  }

  @Test("places: a table or a line; whoever is told twice, or is none, is refused")
  func places() throws {
    let table = try PlaceList(ByteSource(text: "id;x_cm;y_cm;z_cm\nA3;100;-250;50\n0x0C;0;0;0\n"))
    #expect(table.addresses.map(\.rawValue) == [3, 12] && table[table.addresses[0]] == SIMD3(1, -2.5, 0.5))
    let inline = try PlaceList(inline: "1,2,3;4,5,6", option: "--anchors")
    #expect(inline.addresses.map(\.rawValue) == [0, 1] && inline[DeviceAddress(rawValue: 1)] == SIMD3(4, 5, 6))
    for text in ["1,2", "a:1,2,3", "1:1,2,3;1:1,2,3", "1:2:1,2,3", "1,2,inf"] {
      expectRefusal(of: text, showing: ["--anchors"]) { _ = try PlaceList(inline: text, option: "--anchors") }
    }
    for text in ["id,x,y\n1,2,3\n", "id,x,y,z\n1,2,3,x\n", "id,x,y,z\n1,2,3,4\n1,2,3,4\n"] {
      expectRefusal(of: text, showing: ["test"]) { _ = try PlaceList(ByteSource(text: text)) }
    }
  }
}
