import Testing
import UWBDSP
import UWBPlatform

@testable import NearbySession

@Suite struct AssistanceRules {
  /// A device at `position` whose back looks `yaw` to the right of −z and `pitch` up, rad.
  private func pose(
    _ position: SIMD3<Double> = .zero, yaw: Double = 0, pitch: Double = 0, light: Bool = true
  ) throws -> NearbyPose {
    // First pitch round x, then yaw round −y: (0, −sin(yaw/2), 0, cos(yaw/2)) · (sin(pitch/2), 0, 0, cos(pitch/2)).
    let (sy, cy, sp, cp) = (sin(-yaw / 2), cos(yaw / 2), sin(pitch / 2), cos(pitch / 2))
    let rotation = SIMD4(cy * sp, sy * cp, -sy * sp, cy * cp)
    return try #require(NearbyPose(position: position, rotation: rotation, isLightingSufficient: light))
  }

  private func isNear(_ a: SIMD3<Double>?, _ b: SIMD3<Double>) -> Bool {
    guard let a else { return false }
    return ((a - b) * (a - b)).sum() < 1e-18
  }

  private func convergences(_ kinds: [SessionEvent.Kind]) -> [AlgorithmConvergence] {
    kinds.compactMap { if case .convergence(let convergence, _) = $0 { convergence } else { nil } }
  }

  @Test("the pose turns the device's axes into the world's, worked by hand")
  func axes() throws {
    let right = try pose(yaw: .pi / 2)
    #expect(isNear(right.toWorld(SIMD3(0, 0, -1)), SIMD3(1, 0, 0)), "its back looks to the right")
    #expect(isNear(right.toWorld(SIMD3(1, 0, 0)), SIMD3(0, 0, 1)), "its right side looks towards the viewer")
    #expect(isNear(right.toDevice(SIMD3(1, 0, 0)), SIMD3(0, 0, -1)))
    let up = try pose(pitch: .pi / 2)
    #expect(isNear(up.toWorld(SIMD3(0, 0, -1)), SIMD3(0, 1, 0)))
    #expect(NearbyPose(position: .zero, rotation: .zero) == nil)
    #expect(NearbyPose(position: SIMD3(.nan, 0, 0), rotation: SIMD4(0, 0, 0, 1)) == nil)
    #expect(NearbyPose(position: .zero, rotation: SIMD4(0, 0, .infinity, 1)) == nil)
  }

  @Test("R39 outside the cone a direction is given after the peer was once met inside it")
  func metInside() throws {
    var rig = Rig()
    _ = try rig.start(peerToken(1), assisted: true)
    rig.pose(try pose())
    rig.measure(peerToken(1), distance: 2, direction: SIMD3(0, 0, -1))
    rig.pose(try pose(yaw: .pi / 2))
    _ = rig.said()
    // The peer is 2 m along −z of the world: to the left of a device that looks along +x.
    rig.measure(peerToken(1), distance: 2, direction: SIMD3(-1, 0, 0.1))
    let object = try #require(rig.said().compactMap(\.object).first)
    #expect(isNear(object.direction, SIMD3(-1, 0, 0)))
    #expect(abs((object.horizontalAngle ?? 0) + .pi / 2) < 1e-12)
    #expect(object.verticalDirectionEstimate == .same)
    #expect(object.azimuthDeviation == nil, "no measurement, no deviation")
  }

  @Test("R39 the device's own movement counts: the direction points at the same place")
  func movement() throws {
    var rig = Rig()
    _ = try rig.start(peerToken(1), assisted: true)
    rig.pose(try pose())
    rig.measure(peerToken(1), distance: 4, direction: SIMD3(0, 0, -1))
    _ = rig.said()
    // From (3, 0, 0) the peer at (0, 0, −4) is 5 m away; the device looks the other way.
    rig.pose(try pose(SIMD3(3, 0, 0), yaw: .pi))
    rig.measure(peerToken(1), distance: 5)
    let object = try #require(rig.said().compactMap(\.object).first)
    #expect(isNear(object.direction, SIMD3(0.6, 0, 0.8)))
  }

  @Test("R39 a direction that was measured inside the cone is given as it is, with or without a distance")
  func measuredStays() throws {
    var rig = Rig()
    _ = try rig.start(peerToken(1), assisted: true)
    rig.pose(try pose())
    rig.measure(peerToken(1), distance: 2, direction: SIMD3(0, 0, -1))
    rig.measure(peerToken(1), distance: nil, direction: SIMD3(0.6, 0, -0.8))
    #expect(rig.said().compactMap(\.object?.direction) == [SIMD3(0, 0, -1), SIMD3(0.6, 0, -0.8)])
  }

  @Test("R39 never met inside: none; without assistance: none; moved away since: none")
  func none() throws {
    var rig = Rig()
    _ = try rig.start(peerToken(1), assisted: true)
    _ = try rig.start(peerToken(2))
    rig.pose(try pose())
    rig.measure(peerToken(1), distance: 2, direction: SIMD3(1, 0, 0))
    rig.measure(peerToken(2), distance: 2, direction: SIMD3(0, 0, -1))
    rig.measure(peerToken(2), distance: 2, direction: SIMD3(1, 0, 0))
    let objects = rig.said().compactMap(\.object)
    #expect(objects.map { $0.direction == nil } == [true, false, true])
    rig.measure(peerToken(1), distance: 2, direction: SIMD3(0, 0, -1))
    rig.measure(peerToken(1), distance: 3.1)
    rig.measure(peerToken(1), distance: 2)
    #expect(rig.said().compactMap(\.object).map { $0.direction == nil } == [false, true, true])
  }

  @Test("R40 convergence names what lacks, and converges when nothing does")
  func convergence() throws {
    var rig = Rig()
    let id = try rig.start(peerToken(1), assisted: true)
    _ = rig.said()
    rig.pose(try pose(light: false))
    #expect(
      convergences(rig.said()) == [
        .notConverged([
          .insufficientMovement, .insufficientHorizontalSweep, .insufficientVerticalSweep, .insufficientLighting,
          .insufficientSignalStrength,
        ])
      ])
    rig.pose(try pose(SIMD3(0.2, 0, 0)))
    #expect(
      convergences(rig.said()) == [
        .notConverged([.insufficientHorizontalSweep, .insufficientVerticalSweep, .insufficientSignalStrength])
      ])
    rig.pose(try pose(pitch: 0.2))
    rig.pose(try pose(pitch: -0.2))
    rig.pose(try pose(yaw: 0.3))
    rig.pose(try pose(yaw: -0.3))
    _ = rig.said()
    rig.measure(peerToken(1), distance: 2)
    #expect(
      convergences(rig.said()) == [.notConverged([.insufficientHorizontalSweep])], "not met inside the cone yet")
    #expect(rig.core.worldTransform(of: id, for: peerToken(1)) == nil)
    rig.pose(try pose(SIMD3(0, 1, 0)))
    rig.measure(peerToken(1), distance: 2, direction: SIMD3(0, 0, -1))
    #expect(convergences(rig.said()) == [.converged])
    let place = try #require(rig.core.worldTransform(of: id, for: peerToken(1)))
    #expect(isNear(place.position, SIMD3(0, 1, -2)))
    #expect(place.columns.0 == SIMD4(1, 0, 0, 0) && place.columns.3.w == 1)
    #expect(rig.core.worldTransform(of: id, for: peerToken(2)) == nil)
    rig.measure(peerToken(1), distance: 2, direction: SIMD3(0, 0, -1))
    #expect(convergences(rig.said()).isEmpty, "told only when it changes")
    rig.pose(try pose(light: false))
    #expect(convergences(rig.said()) == [.notConverged([.insufficientLighting])])
    #expect(rig.core.worldTransform(of: id, for: peerToken(1)) == nil)
  }

  @Test("R40 a turn across the back counts as the small angle that it is")
  func unwrapped() throws {
    var rig = Rig()
    _ = try rig.start(peerToken(1), assisted: true)
    rig.pose(try pose(yaw: .pi - 0.05))
    rig.pose(try pose(SIMD3(1, 0, 0), yaw: -.pi + 0.05, pitch: 0.3))
    rig.measure(peerToken(1), direction: SIMD3(0, 0, -1))
    #expect(convergences(rig.said()).last == .notConverged([.insufficientHorizontalSweep]))
  }

  @Test("R40 it is unknown until there is a pose or a measurement, and stays so without assistance")
  func unknown() throws {
    #expect(AssistanceState().convergence == .unknown)
    var rig = Rig()
    let plain = try rig.start(peerToken(1))
    rig.pose(try pose())
    rig.measure(peerToken(1), direction: SIMD3(0, 0, -1))
    #expect(convergences(rig.said()).isEmpty)
    #expect(rig.core.worldTransform(of: plain, for: peerToken(1)) == nil)
  }

  @Test("R40 the delegate hears of convergence and reads the place from the session")
  func throughDelegate() async throws {
    let host = Room().makeHost()
    let session = NearbySession(host: host)
    let delegate = RecordingDelegate()
    session.delegate = delegate
    var configuration = NearbyPeerConfiguration(peerToken: peerToken(1))
    configuration.isCameraAssistanceEnabled = true
    try session.run(configuration)
    for pose in [try pose(), try pose(SIMD3(0.5, 0, 0), yaw: 0.5, pitch: 0.3), try pose()] { host.updatePose(pose) }
    host.deliver(measurement(of: peerToken(1), time: 0, distance: 2, direction: SIMD3(0, 0, -1)))
    let calls = await delegate.wait { $0.contains { $0.convergence == .converged } }
    let object = try #require(calls.last { $0.convergence == .converged }?.objects.first)
    #expect(isNear(session.worldTransform(for: object)?.position, SIMD3(0, 0, -2)))
  }
}
