import Testing
import UWBDSP
import UWBPlatform

@testable import NearbySession

@Suite struct UpdateRules {
  /// A unit vector, azimuth to the right and elevation upwards, rad.
  private func direction(azimuth: Double, elevation: Double = 0) -> SIMD3<Double> {
    SIMD3(cos(elevation) * sin(azimuth), sin(elevation), -cos(elevation) * cos(azimuth))
  }

  private func degrees(_ value: Double) -> Double { value * .pi / 180 }

  /// What one measurement becomes.
  private func object(
    capabilities: DeviceCapabilities = .all, limits: UpdateLimits = UpdateLimits(),
    _ change: (inout RangingMeasurement) -> Void
  ) -> NearbyObject {
    var measurement = measurement(of: peerToken(1), time: 4, distance: 2)
    change(&measurement)
    return NearbyObject(measurement, token: peerToken(1), capabilities: capabilities, limits: limits)
  }

  @Test("R17 an update is an array of objects that echo the app's token")
  func echo() async throws {
    let room = Room()
    let session = NearbySession(host: room.makeHost())
    let events = session.events
    let token = peerToken(1)
    try session.run(NearbyPeerConfiguration(peerToken: token))
    session.host.deliver(measurement(of: token, time: 0))
    session.invalidate()
    let seen = await drain(events).events
    guard seen.count == 2, case .updated(let objects) = seen[1] else {
      Issue.record("expected an update, got \(seen)")
      return
    }
    #expect(objects.map(\.discoveryToken) == [token])
  }

  @Test("R18 distance in metres and a unit vector, each of them optional")
  func optionalValues() {
    let both = object { $0.direction = SIMD3(0, 0, -3) }
    #expect(both.distance == 2 && both.direction == SIMD3(0, 0, -1))
    let distanceOnly = object { _ in }
    #expect(distanceOnly.distance == 2 && distanceOnly.direction == nil && distanceOnly.horizontalAngle == nil)
    let directionOnly = object {
      $0.distance = nil
      $0.direction = direction(azimuth: 0.5)
    }
    #expect(directionOnly.distance == nil && directionOnly.direction != nil)
  }

  @Test("R18 values that are no numbers count as absent")
  func notFinite() {
    let object = object {
      $0.distance = .nan
      $0.distanceDeviation = 0.1
      $0.direction = SIMD3(.nan, 0, -1)
      $0.azimuth = .infinity
      $0.lineOfSightProbability = .nan
    }
    #expect(object.distance == nil && object.distanceDeviation == nil)
    #expect(object.direction == nil && object.horizontalAngle == nil && object.lineOfSightProbability == nil)
    #expect(NearbyObject.unit(SIMD3(0, 0, 0)) == nil)
  }

  @Test("R19 out of range both are nil, and the update comes all the same")
  func outOfRange() throws {
    let limits = UpdateLimits()
    let farthest = try #require(limits.maximumDistance)
    let inside = object { $0.distance = farthest }
    #expect(inside.distance == farthest)
    let outside = object {
      $0.distance = farthest.nextUp
      $0.direction = SIMD3(0, 0, -1)
      $0.distanceDeviation = 0.1
    }
    #expect(outside.distance == nil && outside.direction == nil && outside.distanceDeviation == nil)
    #expect(outside.discoveryToken == peerToken(1) && outside.time == 4)
  }

  @Test("R19 R46 a failed exchange gives an update with neither, or none: a setting; it is no activity")
  func failedExchange() throws {
    var failed = measurement(of: peerToken(1), time: 1)
    failed.status = .noFirstPath
    var rig = Rig()
    _ = try rig.start(peerToken(1))
    _ = rig.said()
    rig.measure(failed)
    let objects = rig.said().compactMap(\.object)
    #expect(objects.count == 1 && objects[0].distance == nil && objects[0].direction == nil)
    var settings = NearbySettings()
    settings.failedMeasurements = .notDelivered
    rig = Rig(settings)
    _ = try rig.start(peerToken(1))
    rig.measure(peerToken(1))
    rig.advance(to: 8)
    rig.measure(failed)
    rig.advance(to: 9.9)
    #expect(rig.said().compactMap(\.object).count == 1)
    #expect(rig.core.links.count == 1)
    rig.advance(to: 10.1)
    #expect(rig.core.links.isEmpty, "the failed exchange kept the peer")
  }

  @Test("R46 failed rounds alone turn values nil, and the timeout removes the peer")
  func failedRounds() throws {
    var rig = Rig()
    _ = try rig.start(peerToken(1))
    rig.measure(peerToken(1))
    _ = rig.said()
    for step in 1...12 {
      rig.time = Double(step)
      var failed = measurement(of: peerToken(1), time: rig.time)
      failed.status = .missingTimestamps
      rig.measure(failed)
    }
    let said = rig.said()
    let objects = said.compactMap(\.object)
    #expect(objects.count == 10)
    #expect(objects.allSatisfy { $0.distance == nil && $0.distanceUnavailability == .exchangeFailed })
    #expect(said.last == .removed(NearbyObject(discoveryToken: peerToken(1), time: 10), .timeout))
  }

  @Test("R18 a negative distance is never delivered: near zero it is zero, farther below it is none")
  func negative() {
    func seen(_ distance: Double, _ deviation: Double?) -> Double? {
      let object = object {
        $0.distance = distance
        $0.distanceDeviation = deviation
      }
      #expect((object.distance == nil) == (object.distanceUnavailability == .uncertain))
      return object.distance
    }
    #expect(seen(-0.02, 0.05) == 0 && seen(-0.15, 0.05) == 0)
    #expect(seen(-0.16, 0.05) == nil && seen(-0.02, nil) == nil && seen(-5, .nan) == nil)
    #expect(seen(0, nil) == 0)
  }

  @Test("R18 azimuth and elevation without a vector make a direction")
  func fromAngles() throws {
    let seen = object { ($0.azimuth, $0.elevation) = (0.3, -0.2) }
    let vector = try #require(seen.direction)
    #expect(abs((vector * vector).sum() - 1) < 1e-15)
    #expect(abs(atan2(vector.x, -vector.z) - 0.3) < 1e-15 && abs(asin(vector.y) + 0.2) < 1e-15)
    #expect(object { ($0.azimuth, $0.elevation) = (0.3, nil) }.direction == nil)
    #expect(object { ($0.azimuth, $0.elevation) = (0.3, 1.6) }.direction == nil)
  }

  @Test("R25 time is the host's clock in updates and removals, whatever clock the source has")
  func oneClock() throws {
    var rig = Rig()
    _ = try rig.start(peerToken(1))
    rig.time = 100
    rig.measure(measurement(of: peerToken(1), time: 4))
    rig.advance(to: 111)
    let times = rig.said().compactMap { kind -> Double? in
      switch kind {
      case .update(let object), .removed(let object, _): object.time
      default: nil
      }
    }
    #expect(times == [100, 110])
  }

  @Test("R23 the update says why a value is nil")
  func reasons() {
    func reasons(
      limits: UpdateLimits = UpdateLimits(), orientation: DeviceOrientation = .portrait,
      _ change: (inout RangingMeasurement) -> Void
    ) -> [NearbyObject.Unavailability?] {
      var measurement = measurement(of: peerToken(1), time: 4, distance: 2, direction: SIMD3(0, 0, -1))
      change(&measurement)
      let object = NearbyObject(
        measurement, token: peerToken(1), capabilities: .all, limits: limits, orientation: orientation)
      return [object.distanceUnavailability, object.directionUnavailability]
    }
    #expect(reasons { _ in } == [nil, nil])
    #expect(reasons { $0.status = .noFirstPath } == [.exchangeFailed, .exchangeFailed])
    #expect(reasons { $0.direction = nil } == [nil, .notMeasured])
    #expect(reasons { $0.distance = nil } == [.notMeasured, nil])
    #expect(reasons { $0.distance = 51 } == [.outOfRange, .outOfRange])
    #expect(reasons { $0.lineOfSightProbability = 0.01 } == [.obstructed, .obstructed])
    #expect(reasons { $0.distanceDeviation = 1.1 } == [.uncertain, nil])
    #expect(reasons { ($0.azimuth, $0.azimuthDeviation) = (0, 0.5) } == [nil, .uncertain])
    #expect(reasons { $0.direction = SIMD3(0, 0, 1) } == [nil, .outsideFieldOfView])
    var weak = UpdateLimits()
    weak.snrAtOneMetredB = 50
    #expect(reasons(limits: weak) { $0.snrdB = 1 } == [nil, .weakSignal])
    let aside = direction(azimuth: degrees(45))
    #expect(reasons { $0.direction = aside } == [nil, nil])
    #expect(reasons(orientation: .landscapeLeft) { $0.direction = aside } == [nil, .orientation])
  }

  @Test("R23 the device's orientation is an input: held sideways its field of view is narrower")
  func orientation() throws {
    var rig = Rig()
    _ = try rig.start(peerToken(1))
    _ = rig.said()
    for (orientation, isInside) in [
      (.portrait, true), (.landscapeRight, false), (.portraitUpsideDown, true), (.landscapeLeft, false),
    ] as [(DeviceOrientation, Bool)] {
      rig.core.setOrientation(orientation, at: 0, into: &rig.events)
      rig.measure(peerToken(1), direction: direction(azimuth: degrees(45)))
      #expect(rig.said().compactMap(\.object).map { $0.direction != nil } == [isInside])
    }
  }

  @Test("R43 languages without optionals get NaN and a flag, never zero")
  func sentinels() {
    let empty = NearbyObjectRecord(NearbyObject(discoveryToken: peerToken(1), time: 4))
    #expect(empty.distance.isNaN && empty.direction.x.isNaN && empty.direction.z.isNaN && empty.horizontalAngle.isNaN)
    #expect(empty.lineOfSightProbability.isNaN && empty.distanceDeviation.isNaN && empty.time == 4)
    #expect(empty.hasDistance == 0 && empty.hasDirection == 0 && empty.hasHorizontalAngle == 0)
    let full = NearbyObjectRecord(
      NearbyObject(
        discoveryToken: peerToken(1), distance: 0, direction: SIMD3(0, 0, -1), horizontalAngle: 0,
        lineOfSightProbability: 0, time: 4))
    #expect(full.distance == 0 && full.hasDistance == 1 && full.direction == SIMD3(0, 0, -1))
    #expect(full.hasDirection == 1 && full.hasHorizontalAngle == 1 && full.hasLineOfSightProbability == 1)
  }

  @Test("R19 R20 the field of view is a cone round −z: outside it the direction is nil and the distance goes on")
  func fieldOfView() {
    var limits = UpdateLimits()
    limits.fieldOfViewHalfAngle = degrees(40)
    for (azimuth, elevation, isInside) in [
      (0, 0, true), (39.9, 0, true), (40.1, 0, false), (-39.9, 0, true), (-40.1, 0, false), (0, 39.9, true),
      (0, -40.1, false),
      // cos 30° · cos 27° = 0.7716 > cos 40° = 0.7660 > cos 30° · cos 28° = 0.7646
      (30, 27, true), (30, 28, false), (180, 0, false),
    ] as [(Double, Double, Bool)] {
      let seen = object(limits: limits) {
        $0.direction = direction(azimuth: degrees(azimuth), elevation: degrees(elevation))
        $0.azimuthDeviation = 0.01
      }
      #expect((seen.direction != nil) == isInside, "azimuth \(azimuth)°, elevation \(elevation)°")
      #expect((seen.horizontalAngle != nil) == isInside)
      #expect((seen.azimuthDeviation != nil) == isInside)
      #expect(seen.distance == 2)
    }
  }

  @Test("R20 an azimuth alone is held against the same cone, and the cone can be switched off")
  func azimuthAlone() {
    #expect(object { $0.azimuth = degrees(59) }.horizontalAngle == degrees(59))
    #expect(object { $0.azimuth = degrees(-61) }.horizontalAngle == nil)
    #expect(object(limits: .off) { $0.direction = SIMD3(0, 0, 1) }.direction == SIMD3(0, 0, 1))
  }

  @Test("R21 a signal too weak for its distance leaves the distance and no direction")
  func shortfall() {
    var limits = UpdateLimits()
    func hasDirection(snrdB: Double?) -> Bool {
      let object = object(limits: limits) {
        $0.distance = 10
        $0.direction = direction(azimuth: 0.1, elevation: 0.1)
        $0.snrdB = snrdB
      }
      #expect(object.distance == 10)
      return object.direction != nil
    }
    // Not known how strong it should be: anything goes.
    #expect(hasDirection(snrdB: 1))
    // 20 dB less at ten times the distance.
    limits.snrAtOneMetredB = 50
    limits.maximumShortfalldB = 5
    #expect(hasDirection(snrdB: 25.1))
    #expect(!hasDirection(snrdB: 24.9))
    #expect(hasDirection(snrdB: nil))
  }

  @Test("R21 a value too uncertain is nil: distance, angle, line of sight, each by its own limit")
  func confidence() {
    var limits = UpdateLimits()
    limits.maximumDistanceDeviation = 0.5
    limits.maximumAngleDeviation = 0.2
    limits.minimumLineOfSightProbability = 0.1
    func seen(distance: Double, azimuth: Double, elevation: Double, sight: Double) -> (Bool, Bool) {
      let object = object(limits: limits) {
        $0.direction = direction(azimuth: 0.1, elevation: 0.1)
        ($0.azimuth, $0.elevation) = (0.1, 0.1)
        $0.distanceDeviation = distance
        $0.azimuthDeviation = azimuth
        $0.elevationDeviation = elevation
        $0.lineOfSightProbability = sight
      }
      return (object.distance != nil, object.direction != nil)
    }
    #expect(seen(distance: 0.5, azimuth: 0.2, elevation: 0.2, sight: 0.1) == (true, true))
    #expect(seen(distance: 0.51, azimuth: 0.2, elevation: 0.2, sight: 0.1) == (false, true))
    #expect(seen(distance: 0.5, azimuth: 0.21, elevation: 0.2, sight: 0.1) == (true, false))
    #expect(seen(distance: 0.5, azimuth: 0.2, elevation: 0.21, sight: 0.1) == (true, false))
    #expect(seen(distance: 0.5, azimuth: 0.2, elevation: 0.2, sight: 0.09) == (false, false))
    limits = .off
    #expect(seen(distance: 9, azimuth: 9, elevation: 9, sight: 0) == (true, true))
  }

  @Test("R22 the horizontal angle is positive to the right: the measurement's azimuth, or that of the direction")
  func horizontalAngle() {
    #expect(object { $0.azimuth = -0.25 }.horizontalAngle == -0.25)
    let right = object { $0.direction = SIMD3(1, 0, -1) }
    #expect(abs((right.horizontalAngle ?? 0) - .pi / 4) < 1e-15)
    let left = object { $0.direction = SIMD3(-1, 0, -3.0.squareRoot()) }
    #expect(abs((left.horizontalAngle ?? 0) + .pi / 6) < 1e-15)
  }

  @Test("R22 the vertical estimate: unknown, same, above, below, aboveOrBelow")
  func vertical() {
    func estimate(_ elevation: Double?, deviation: Double? = nil) -> NearbyObject.VerticalDirectionEstimate {
      object {
        $0.direction = direction(azimuth: 0, elevation: degrees(elevation ?? 0))
        $0.elevation = elevation.map(degrees)
        $0.elevationDeviation = deviation.map(degrees)
      }.verticalDirectionEstimate
    }
    #expect(estimate(nil) == .unknown)
    #expect(estimate(0) == .same && estimate(15) == .same && estimate(-14.9) == .same)
    #expect(estimate(15.1) == .above && estimate(-15.1) == .below)
    #expect(estimate(20, deviation: 9.9) == .above && estimate(-20, deviation: 9.9) == .below)
    #expect(estimate(20, deviation: 10.1) == .aboveOrBelow && estimate(-20, deviation: 10.1) == .aboveOrBelow)
    #expect(object { _ in }.verticalDirectionEstimate == .unknown)
  }

  @Test("R23 beyond 9 m, or through an obstacle, or badly oriented, the signal counts as weak in the reasons")
  func availability() throws {
    func reasons(_ change: (inout RangingMeasurement) -> Void) throws -> Set<AlgorithmConvergence.Reason> {
      var rig = Rig()
      _ = try rig.start(peerToken(1), assisted: true)
      rig.pose(try #require(NearbyPose(position: .zero, rotation: SIMD4(0, 0, 0, 1))))
      var measurement = measurement(of: peerToken(1), time: 0, distance: 3, direction: SIMD3(0, 0, -1))
      change(&measurement)
      rig.measure(measurement)
      let last = rig.said().compactMap { if case .convergence(let convergence, _) = $0 { convergence } else { nil } }
        .last
      guard case .notConverged(let reasons)? = last else { return [] }
      return reasons
    }
    #expect(try !reasons { $0.distance = 9 }.contains(.insufficientSignalStrength))
    #expect(try reasons { $0.distance = 9.1 }.contains(.insufficientSignalStrength))
    #expect(try reasons { $0.lineOfSightProbability = 0.2 }.contains(.insufficientSignalStrength), "an obstacle")
    #expect(try reasons { $0.snrdB = 8 }.contains(.insufficientSignalStrength), "crossed polarisation")
    #expect(try !reasons { ($0.snrdB, $0.lineOfSightProbability) = (30, 0.9) }.contains(.insufficientSignalStrength))
    let blocked = object {
      $0.direction = SIMD3(0, 0, -1)
      $0.lineOfSightProbability = 0.01
    }
    #expect(blocked.distance == nil && blocked.direction == nil)
  }

  @Test("R24 a device without direction gives distances alone, and no line-of-sight advice")
  func watch() throws {
    let seen = object(capabilities: .distanceOnly) {
      $0.direction = SIMD3(0, 0, -1)
      ($0.azimuth, $0.elevation) = (0, 0)
      ($0.azimuthDeviation, $0.elevationDeviation) = (0.1, 0.1)
      $0.distanceDeviation = 0.02
      $0.lineOfSightProbability = 0.9
    }
    #expect(seen == NearbyObject(discoveryToken: peerToken(1), distance: 2, distanceDeviation: 0.02, time: 4))
    var capabilities = DeviceCapabilities.distanceOnly
    capabilities.supportsCameraAssistance = true
    var rig = Rig(capabilities: capabilities)
    _ = try rig.start(peerToken(1), assisted: true)
    rig.pose(try #require(NearbyPose(position: .zero, rotation: SIMD4(0, 0, 0, 1))))
    rig.measure(peerToken(1), direction: SIMD3(0, 0, -1))
    #expect(rig.said().allSatisfy { if case .convergence = $0 { false } else { true } })
  }

  @Test("R25 deviations, line-of-sight probability and the measurement's time come along")
  func beyondTheFramework() {
    let seen = object {
      $0.distanceDeviation = 0.03
      $0.direction = direction(azimuth: 0.1, elevation: 0.4)
      ($0.azimuth, $0.elevation) = (0.1, 0.4)
      ($0.azimuthDeviation, $0.elevationDeviation) = (0.02, 0.05)
      $0.lineOfSightProbability = 0.8
    }
    #expect(seen.distanceDeviation == 0.03 && seen.azimuthDeviation == 0.02 && seen.elevationDeviation == 0.05)
    #expect(seen.lineOfSightProbability == 0.8 && seen.time == 4)
  }
}
