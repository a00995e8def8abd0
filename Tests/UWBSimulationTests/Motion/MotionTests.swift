import Testing
import UWBSimulation

@Suite struct MotionTests {
  @Test("a device that faces something has it straight behind its back, wherever the two move")
  func towards() {
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<50 {
      func place() -> SIMD3<Double> {
        SIMD3(generator.uniform(in: -5...5), generator.uniform(in: -5...5), generator.uniform(in: -5...5))
      }
      let target = Trajectory.timed([(0, place()), (3, place()), (4, place())])
      let motion = Motion(.waypoints([place(), place()], speed: 1.3), attitude: .towards(target))
      let time = generator.uniform(in: 0...5)
      let pose = motion.pose(at: time)
      let seen = pose.toDevice(target.position(at: time) - pose.position)
      #expect(abs(seen.x) < 1e-9 && abs(seen.y) < 1e-9 && seen.z < 0)
    }
  }

  @Test("timed places are met at their times, straight in between")
  func timed() {
    let path = Trajectory.timed([(1, SIMD3(0, 0, 0)), (3, SIMD3(4, 0, 0))])
    #expect(path.position(at: 0) == SIMD3(0, 0, 0))
    #expect(path.position(at: 2.5) == SIMD3(3, 0, 0))
    #expect(path.position(at: 9) == SIMD3(4, 0, 0))
  }

  @Test("angles by the clock, and a steady turn")
  func angles() {
    let motion = Motion(.stationary(.zero), attitude: .following(.timed([(0, SIMD3(0, 0, 0)), (2, SIMD3(1, 0.5, 0))])))
    #expect(motion.angles(at: 1).yaw == 0.5)
    #expect(motion.angles(at: 1).pitch == 0.25)
    #expect(Motion(.stationary(.zero), attitude: .turning(yaw: 1, rate: 2)).angles(at: 3).yaw == 7)
  }
}
