import Numerics
import TestSupport
import Testing

@testable import UWBDSP

/// Consistency where the model is the truth, line of sight that is lost, a device that turns.
@Suite struct RangeTrackTests {
  private func measurement(_ time: Double, _ distance: Double, _ probability: Double? = nil) -> RangingMeasurement {
    RangingMeasurement(
      exchange: 0, time: time, peer: DeviceAddress(rawValue: 1), status: .ok, distance: distance,
      distanceDeviation: 0.05, lineOfSightProbability: probability)
  }

  /// Walks drawn from the filter's own model: squared normalised innovations and errors have mean 1, within the bounds of
  /// their number. Times are irregular; walks are independent, and each gives one error, so that errors are too.
  @Test func innovationsAndErrorsAreThoseOfTheModel() throws {
    var random = StatisticsRandom(seed: 2501)
    let configuration = PeerTracker.Configuration(acceleration: 1.2, gate: 100, heavyTail: 100, clearTime: .infinity)
    var errors = StatisticsErrors()
    var innovations = StatisticsErrors()
    let walks = 400
    for _ in 0..<walks {
      var tracker = PeerTracker(configuration)
      var (distance, rate, time) = (20.0, 3 * random.gaussian(), 0.0)
      var last: PeerTracker.Output?
      for _ in 0..<25 {
        last = tracker.update(measurement(time, distance + 0.05 * random.gaussian()))
        if let innovation = last?.normalisedInnovation { innovations.add(innovation) }
        let output = try #require(last).measurement
        if time > 2.2 {
          errors.add((try #require(output.distance) - distance) / (try #require(output.distanceDeviation)))
          break
        }
        let step = 0.1 * random.uniform(0.5...1.5)
        // White acceleration over a step: velocity and place with covariance 12 : 3, in units of q·Δ, q·Δ³/3.
        let (a, b) = (random.gaussian(), random.gaussian())
        let kick = 1.2 * step.squareRoot() * a
        distance += rate * step + step * (kick / 2 + 1.2 * step.squareRoot() * b / 12.0.squareRoot())
        rate += kick
        time += step
      }
    }
    #expect(StatisticsLimits.normalisedVariance(trials: errors.count).contains(errors.meanSquare))
    #expect(StatisticsLimits.normalisedVariance(trials: innovations.count).contains(innovations.meanSquare))
    #expect(errors.count > walks * 8 / 10)
  }

  /// A standing peer behind a wall for two seconds: 0.8 m too long. With a classifier's word the distance stays where it was; its
  /// deviation grows meanwhile.
  @Test func aDetourIsNotAWalk() throws {
    var random = StatisticsRandom(seed: 2502)
    var tracker = PeerTracker()
    var worst = 0.0
    var deviation = 0.0
    for index in 0..<80 {
      let isObstructed = (40..<60).contains(index)
      let output = tracker.update(
        measurement(
          Double(index) / 10, 5 + (isObstructed ? 0.8 : 0) + 0.05 * random.gaussian(), isObstructed ? 0.15 : 0.85))
      guard index > 10 else { continue }
      let error = abs(try #require(output.measurement.distance) - 5)
      worst = max(worst, error)
      if index == 59 { deviation = try #require(output.measurement.distanceDeviation) }
      #expect(error < 5 * (try #require(output.measurement.distanceDeviation)))
    }
    #expect(worst < 0.6, "\(worst)")
    #expect(deviation > 0.1)
  }

  /// Outliers that contradict each other never start the filter afresh; those that agree do.
  @Test func onlyOutliersThatAgreeAreBelieved() {
    var tracker = PeerTracker()
    for index in 0..<30 { _ = tracker.update(measurement(Double(index) / 10, 5)) }
    for (index, value) in [15.0, 40, 11, 60, 20].enumerated() {
      #expect(tracker.update(measurement(3 + Double(index) / 10, value)).isOutlier)
    }
    #expect(!tracker.update(measurement(3.5, 5)).isOutlier)
  }

  /// A device that turns under a peer that stands: without its pose the peer swings, with it the direction stays in the room,
  /// and follows the turn in the device's axes.
  @Test func poseKeepsThePeerInItsPlace() throws {
    var random = StatisticsRandom(seed: 2503)
    let peer = SIMD3(1.0, 0.0, -3.0)
    var tracker = PeerTracker()
    var blind = PeerTracker()
    var (errors, blindErrors) = (StatisticsErrors(), StatisticsErrors())
    for index in 0..<200 {
      let time = Double(index) / 10
      // Swings ±60° in 4 s, and steps aside.
      let yaw = 1.05 * Double.sin(1.6 * time)
      let pose = DevicePose(
        position: SIMD3(0.1 * time, 0, 0), right: SIMD3(Double.cos(yaw), 0, -Double.sin(yaw)), up: SIMD3(0, 1, 0),
        front: SIMD3(Double.sin(yaw), 0, Double.cos(yaw)))
      let offset = peer - pose.position
      let distance = (offset * offset).sum().squareRoot()
      let truth = Direction.angles(of: pose.toDevice(offset))
      let angle = truth.azimuth + 0.05 * random.gaussian()
      var one = measurement(time, distance + 0.05 * random.gaussian())
      one.direction = Direction.unitVector(azimuth: angle, elevation: 0)
      one.azimuth = angle
      one.azimuthDeviation = 0.05
      let output = tracker.update(one, pose: pose)
      let other = blind.update(one)
      guard index > 20 else { continue }
      errors.add(try #require(output.measurement.azimuth) - truth.azimuth)
      blindErrors.add(try #require(other.measurement.azimuth) - truth.azimuth)
      let direction = try #require(output.measurement.direction)
      #expect(abs((direction * direction).sum() - 1) < 1e-12)
      #expect(abs(try #require(output.measurement.distance) - distance) < 0.2)
    }
    #expect(errors.rootMeanSquare < 0.04, "\(errors.rootMeanSquare)")
    #expect(errors.rootMeanSquare < 0.8 * blindErrors.rootMeanSquare, "\(blindErrors.rootMeanSquare)")
  }

  /// Angles that pass the back of the device turn no somersaults.
  @Test func azimuthsWrap() throws {
    var tracker = PeerTracker()
    for index in 0..<60 {
      let angle = 2.9 + 0.01 * Double(index)
      let wrapped = angle > .pi ? angle - 2 * .pi : angle
      var one = measurement(Double(index) / 10, 4)
      one.direction = Direction.unitVector(azimuth: wrapped, elevation: 0)
      one.azimuth = wrapped
      one.azimuthDeviation = 0.02
      let found = try #require(tracker.update(one).measurement.azimuth)
      #expect(abs(found) <= .pi)
      #expect(Double.cos(found - angle) > 0.995, "\(index)")
    }
  }
}
