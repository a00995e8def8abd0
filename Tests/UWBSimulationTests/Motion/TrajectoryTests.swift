import Testing
import UWBSimulation

@Suite struct TrajectoryTests {
  private func near(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> Bool {
    let offset = a - b
    return (offset * offset).sum() < 1e-20
  }

  @Test func waypointsByHand() {
    let walk = Trajectory.waypoints([SIMD3(0, 1, 0), SIMD3(4, 1, 0), SIMD3(4, 1, -2)], speed: 2)
    #expect(walk.duration == 3)
    #expect(near(walk.position(at: -1), SIMD3(0, 1, 0)))
    #expect(near(walk.position(at: 0.5), SIMD3(1, 1, 0)))
    #expect(near(walk.position(at: 2), SIMD3(4, 1, 0)))
    #expect(near(walk.position(at: 2.5), SIMD3(4, 1, -1)))
    #expect(near(walk.position(at: 99), SIMD3(4, 1, -2)))
  }

  @Test func repeatedPointsTakeNoTime() {
    let walk = Trajectory.waypoints([.zero, .zero, SIMD3(1, 0, 0)], speed: 1)
    #expect(walk.duration == 1)
    #expect(near(walk.position(at: 0.5), SIMD3(0.5, 0, 0)))
  }

  @Test func stationaryStays() {
    let still = Trajectory.stationary(SIMD3(1, 2, 3))
    #expect(still.duration == 0)
    #expect(still.position(at: 7) == SIMD3(1, 2, 3))
  }

  @Test func circleByHand() {
    // 1 m round (0, 1, −3) at π/2 m/s: a quarter turn a second, from +x towards −z.
    let circle = Trajectory.circle(centre: SIMD3(0, 1, -3), radius: 1, speed: .pi / 2)
    #expect(circle.duration == nil)
    #expect(near(circle.position(at: 0), SIMD3(1, 1, -3)))
    #expect(near(circle.position(at: 1), SIMD3(0, 1, -4)))
    #expect(near(circle.position(at: 2), SIMD3(-1, 1, -3)))
    #expect(near(circle.position(at: 4), SIMD3(1, 1, -3)))
  }
}
