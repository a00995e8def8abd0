import Testing
import UWBDSP
import UWBSimulation

@Suite struct SurroundingsTests {
  private static let carrier = 7987.2e6

  @Test("the faces of a box give the paths of a room with one reflection")
  func box() throws {
    var generator = SeededGenerator(seed: 7)
    let lower = SIMD3(-4.0, 0, -7.5)
    let upper = SIMD3(4.0, 2.7, 1.5)
    let room = Room(
      lower: lower, upper: upper, lowerReflection: SIMD3(-0.6, -0.4, -0.6), upperReflection: SIMD3(-0.6, -0.5, -0.6))
    let walls = Surroundings(
      walls: Surroundings.box(lower: lower, upper: upper, sides: -0.6, floor: -0.4, ceiling: -0.5))
    for _ in 0..<50 {
      func place() -> SIMD3<Double> {
        SIMD3(generator.uniform(in: -3.9...3.9), generator.uniform(in: 0.1...2.6), generator.uniform(in: -7.4...1.4))
      }
      let (a, b) = (place(), place())
      let expected = room.paths(from: a, to: b, carrier: Self.carrier)
      let found = walls.paths(from: a, to: b, carrier: Self.carrier)
      try #require(found.count == expected.count)
      for (one, other) in zip(found, expected) {
        #expect(abs(one.delay - other.delay) < 1e-15)
        #expect((one.amplitude - other.amplitude).length < 1e-9)
        let (u, v) = (try #require(one.direction), try #require(other.direction))
        #expect((u - v).length < 1e-9)
      }
    }
  }

  @Test("a wall between the two takes its loss and adds its excess; beside them it mirrors and takes nothing")
  func wall() throws {
    let wall = Surroundings.Wall.upright(
      from: SIMD2(-1, -2), to: SIMD2(1, -2), height: 3, reflection: -0.5, lossdB: 20, excess: 0.15)
    let walls = Surroundings(walls: [wall])
    let (here, behind) = (SIMD3(0.0, 1, 0), SIMD3(0.0, 1, -5))
    #expect(!walls.isClear(from: here, to: behind))
    let through = walls.paths(from: behind, to: here, carrier: Self.carrier)
    #expect(through.count == 1)
    #expect(abs(through[0].amplitude.length - 0.1 / 5) < 1e-12)
    #expect(abs(through[0].delay * UWB.speedOfLightInAir - 0.15) < 1e-9)

    let beside = SIMD3(0.5, 1, 0)
    #expect(walls.isClear(from: here, to: beside))
    let paths = walls.paths(from: beside, to: here, carrier: Self.carrier)
    // The mirror image stands 2 m behind the wall: √(0.5² + 4²) m away.
    let mirrored = (0.25 + 16.0).squareRoot()
    #expect(paths.count == 2)
    #expect(abs(paths[1].amplitude.length - 0.5 / mirrored) < 1e-12)
    #expect(abs(paths[1].delay * UWB.speedOfLightInAir - (mirrored - 0.5)) < 1e-9)
    // Round the end of the wall there is neither loss nor mirror.
    #expect(walls.isClear(from: SIMD3(3, 1, 0), to: SIMD3(3, 1, -5)))
    #expect(walls.paths(from: SIMD3(3, 1, 0), to: SIMD3(3, 1, -5), carrier: Self.carrier).count == 1)
  }

  @Test("the body takes its loss from the screen's side and nothing from the back")
  func body() {
    var link = ExchangeConfiguration(
      profile: .ideal, array: .lShaped(), peerTrajectory: .stationary(SIMD3(0, 0, -2)), exchangeCount: 1)
    link.bodyLossdB = 20
    #expect(abs(link.paths(at: 0)[0].amplitude.length - 0.5) < 1e-12)
    link.localPose = DevicePose(position: .zero, yaw: .pi)
    #expect(abs(link.paths(at: 0)[0].amplitude.length - 0.05) < 1e-12)
  }
}
