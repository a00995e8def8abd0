import UWBDSP
import UWBSimulation

extension Workload {
  /// From 16-bit taps in memory to a measurement: an exchange has two CIRs (poll and final) of 1016 taps on each antenna.
  /// One antenna gives a distance, two an angle besides, four two angles.
  static let chains: [Workload] =
    [1, 2, 4].flatMap { antennas in
      [true, false].map { inRoom in
        chain(
          "\(antennas)-antenna\(antennas == 1 ? "" : "s")/\(inRoom ? "room" : "free-space")", .ideal, antennas, inRoom)
      }
    } + randomRooms + [
      repeatedRooms,
      chain("1-antenna/room-rice-fit", rice, 1, true),
      chain("1-antenna/room-dw1000", .dw1000, 1, true),
      chain("1-antenna/free-space-dw1000", .dw1000, 1, false),
      Workload("chain/with-tracker-and-session/room", .exchange) {
        let exchanges = SimulatedInput.exchanges(antennas: 1, inRoom: true)
        let engine = RangingEngine(RangingEngine.Configuration(profile: .ideal))
        let path = DeliveredPath(engine: engine)
        let ring = Ring(exchanges)
        return Prepared { path.process(ring.next()) }
      },
    ]

  private static let randomRooms = [1, 2, 4].map { antennas in
    Workload("chain/\(antennas)-antenna\(antennas == 1 ? "" : "s")/random-rooms", .exchange) {
      chain(.ideal, SimulatedInput.rooms(.rooms, antennas: antennas, count: 200))
    }
  }

  /// The same exchanges, each 16 times in a row. From the second time on tables are in the cache, and branches go as before. A block of CIRs
  /// could save no more than this saves.
  private static let repeatedRooms = Workload("chain/1-antenna/random-rooms-in-a-row", .exchange) {
    let rooms = SimulatedInput.rooms(.rooms, antennas: 1, count: 200)
    return chain(.ideal, rooms.flatMap { [RangingExchange](repeating: $0, count: 16) })
  }

  private static let rice = {
    var profile = DeviceProfile.ideal
    profile.delay = .riceFit
    return profile
  }()

  private static func chain(
    _ name: String, _ profile: DeviceProfile, _ antennas: Int, _ inRoom: Bool
  ) -> Workload {
    Workload("chain/\(name)", .exchange) {
      chain(profile, SimulatedInput.exchanges(antennas: antennas, inRoom: inRoom, profile: profile))
    }
  }

  /// The engine over `exchanges`, round and round.
  public static func chain(
    _ profile: DeviceProfile, _ exchanges: [RangingExchange], array: AntennaArray? = nil
  ) -> Prepared {
    let response = exchanges[0].poll.reception?.impulseResponse
    let antennas = response?.antennaCount ?? 1
    let array = antennas > 1 ? array ?? SimulatedInput.array(antennas: antennas) : nil
    let engine = RangingEngine(RangingEngine.Configuration(profile: profile, array: array))
    let workspace = engine.makeWorkspace(tapCount: response?.tapCount ?? 1016, antennaCount: antennas)
    let ring = Ring(exchanges)
    return Prepared { _ = engine.measure(ring.next(), using: workspace) }
  }
}

extension ArenaFamily {
  /// Rooms drawn at random, the direct path free.
  public static let rooms: ArenaFamily = {
    guard let family = named("room") else { preconditionFailure("no family of rooms is called room") }
    return family
  }()
}
