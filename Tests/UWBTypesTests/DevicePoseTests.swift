import TestSupport
import Testing
import UWBTypes

@Suite struct DevicePoseTests {
  private func expectNear(
    _ a: SIMD3<Double>, _ b: SIMD3<Double>, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let offset = a - b
    #expect((offset * offset).sum() < 1e-24, "\(a) is not \(b)", sourceLocation: sourceLocation)
  }

  @Test func anglesByHand() {
    // Straight out of the back.
    #expect(SIMD3<Double>(0, 0, -1).azimuth == 0)
    #expect(SIMD3<Double>(0, 0, -1).elevation == 0)
    // To the right and to the left.
    #expect(SIMD3<Double>(1, 0, 0).azimuth == .pi / 2)
    #expect(SIMD3<Double>(-1, 0, 0).azimuth == -.pi / 2)
    // Up and down.
    #expect(SIMD3<Double>(0, 1, 0).elevation == .pi / 2)
    #expect(SIMD3<Double>(0, -1, 0).elevation == -.pi / 2)
    // A 3-4-5 triangle to the right: atan2(3, 4).
    #expect(abs(SIMD3<Double>(0.6, 0, -0.8).azimuth - 0.6435011087932844) < 1e-15)
    expectNear(Direction.unitVector(azimuth: .pi / 6, elevation: 0), SIMD3(0.5, 0, -0.75.squareRoot()))
    expectNear(Direction.unitVector(azimuth: 0, elevation: .pi / 6), SIMD3(0, 0.5, -0.75.squareRoot()))
  }

  @Test func unitUndoesAngles() {
    var generator = StatisticsRandom(seed: 12)
    for _ in 0..<100 {
      let azimuth = generator.uniform(-3.1...3.1)
      let elevation = generator.uniform(-1.5...1.5)
      let unit = Direction.unitVector(azimuth: azimuth, elevation: elevation)
      #expect(abs(unit.azimuth - azimuth) < 1e-12)
      #expect(abs(unit.elevation - elevation) < 1e-12)
    }
  }

  @Test func turnsByHand() {
    // Yaw +90°: the back looks to the room's −x, so what is there is straight ahead of it.
    expectNear(DevicePose(position: .zero, yaw: .pi / 2).toDevice(SIMD3(-1, 0, 0)), SIMD3(0, 0, -1))
    // Pitch +90°: the back looks up.
    expectNear(DevicePose(position: .zero, yaw: 0, pitch: .pi / 2).toDevice(SIMD3(0, 1, 0)), SIMD3(0, 0, -1))
    // Roll +90°: the device's right side is up.
    expectNear(DevicePose(position: .zero, yaw: 0, roll: .pi / 2).toDevice(SIMD3(0, 1, 0)), SIMD3(1, 0, 0))
    expectNear(DevicePose.identity.toDevice(SIMD3(1, 2, 3)), SIMD3(1, 2, 3))
  }

  @Test func axesStayOrthonormalAndRightHanded() {
    var generator = StatisticsRandom(seed: 13)
    for _ in 0..<50 {
      let pose = DevicePose(
        position: .zero, yaw: generator.uniform(0...2 * .pi), pitch: generator.uniform(0...2 * .pi),
        roll: generator.uniform(0...2 * .pi))
      let (r, u, f) = (pose.right, pose.up, pose.front)
      expectNear(SIMD3((r * r).sum(), (u * u).sum(), (f * f).sum()), SIMD3(1, 1, 1))
      expectNear(SIMD3((r * u).sum(), (u * f).sum(), (f * r).sum()), .zero)
      expectNear(SIMD3(r.y * u.z - r.z * u.y, r.z * u.x - r.x * u.z, r.x * u.y - r.y * u.x), f)
      let v = SIMD3(1.0, -2, 0.5)
      expectNear(pose.toWorld(pose.toDevice(v)), v)
    }
  }
}
