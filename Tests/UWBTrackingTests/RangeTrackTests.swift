import Numerics
import TestSupport
import Testing
import UWBTracking
import UWBTypes

/// Outliers, leaps and lost line of sight; noise; input that makes no sense; a device that turns.
@Suite struct RangeTrackTests {
  private func measurement(_ time: Double, _ distance: Double, _ probability: Double? = nil) -> RangingMeasurement {
    RangingMeasurement(
      exchange: 0, time: time, peer: DeviceAddress(rawValue: 1), status: .ok, distance: distance,
      distanceDeviation: 0.05, lineOfSightProbability: probability)
  }

  /// Outliers that agree, fewer than nine in a row, move nothing by more than a second's motion, too short or too long, as often as they
  /// come. Half a metre in a tenth of a second may be a corner: then the error is no larger than the outliers, and goes with them.
  @Test(arguments: [-2.2, -1, -0.5, 0.5, 1, 5], [3, 5, 8]) func burstsAreNotBelieved(off: Double, length: Int) throws {
    var random = StatisticsRandom(seed: 2520)
    var tracker = PeerTracker()
    for index in 0..<200 {
      let since = index >= 30 ? (index - 30) % 40 : 40
      let isOff = since < length
      let truth = 6 + 0.08 * Double(index)
      let output = tracker.update(measurement(Double(index) / 10, truth + (isOff ? off : 0) + 0.05 * random.gaussian()))
      guard index > 5 else { continue }
      // Seven deviations of a measurement: none of two hundred comes near it by chance.
      let bound = abs(off) < 1 && since < length + 3 ? abs(off) + 0.35 : 0.35
      #expect(abs(try #require(output.measurement.distance) - truth) < bound, "\(index)")
    }
  }

  /// A leap that lasts is the distance: to shorter ones within two seconds, to ones too long for a bias, too.
  @Test(arguments: [-3.0, -1, 8, 30]) func leapsThatLastAreBelieved(leap: Double) throws {
    var random = StatisticsRandom(seed: 2521)
    var tracker = PeerTracker()
    for index in 0..<90 {
      let truth = 12 + (index < 40 ? 0 : leap)
      let output = tracker.update(measurement(Double(index) / 10, truth + 0.05 * random.gaussian()))
      let error = abs(try #require(output.measurement.distance) - truth)
      if index == 40 { #expect(output.isOutlier) }
      if index >= (leap < 0 ? 60 : 89) { #expect(error < 0.3, "\(index)") }
    }
  }

  /// Behind a wall for three seconds, without a classifier, with one, and with one that is sure of the opposite: the distance stays.
  @Test(arguments: [nil, 0.15, 0.99] as [Double?]) func aBiasIsNotAWalk(obstructed: Double?) throws {
    var random = StatisticsRandom(seed: 2502)
    var tracker = PeerTracker()
    for index in 0..<100 {
      let isObstructed = (40..<70).contains(index)
      let truth = 4 + 0.1 * Double(index)
      let output = tracker.update(
        measurement(
          Double(index) / 10, truth + (isObstructed ? 0.8 : 0) + 0.05 * random.gaussian(),
          obstructed.map { isObstructed ? $0 : 0.85 }))
      let error = abs(try #require(output.measurement.distance) - truth)
      if index > 10, obstructed != 0.99 || !isObstructed { #expect(error < 0.4, "\(index)") }
      if index >= 72 { #expect(error < 0.25, "\(index)") }
    }
  }

  /// A standing peer in the clear with a classifier's doubt of 6 %: no further off than a measurement's mean, and surer than one.
  @Test func doubtDoesNotPull() throws {
    var random = StatisticsRandom(seed: 2522)
    var (errors, deviations) = (StatisticsErrors(), StatisticsErrors())
    for _ in 0..<100 {
      var tracker = PeerTracker()
      var last: RangingMeasurement?
      for index in 0..<60 {
        last = tracker.update(measurement(Double(index) / 10, 4 + 0.05 * random.gaussian(), 0.94)).measurement
      }
      errors.add(try #require(last?.distance) - 4)
      deviations.add(try #require(last?.distanceDeviation))
    }
    #expect(deviations.rootMeanSquare < 0.05)
    #expect(errors.rootMeanSquare < 0.05)
    #expect(abs(errors.mean) < 0.3 * 0.05)
  }

  /// Measurements that are noisier than they say, or less: deviations follow the series.
  @Test(arguments: [0.015, 0.025, 0.05, 0.15]) func noiseIsLearned(noise: Double) throws {
    var random = StatisticsRandom(seed: 2523)
    var normalised = StatisticsErrors()
    for _ in 0..<200 {
      var tracker = PeerTracker()
      var last: RangingMeasurement?
      for index in 0..<100 {
        last = tracker.update(measurement(Double(index) / 10, 6 + noise * random.gaussian())).measurement
      }
      normalised.add((try #require(last?.distance) - 6) / (try #require(last?.distanceDeviation)))
    }
    // A peer that stands is better known than one that may walk, by half; a mean square of two hundred is within a quarter of its own.
    #expect(normalised.meanSquare > 0.3 && normalised.meanSquare < 1.5, "\(normalised.meanSquare)")
  }

  /// A first measurement that is an outlier is left before a burst would have ended.
  @Test(arguments: [-4.0, -1.5, 1.5, 4, 8], [2.0, 10]) func bornOfAnOutlier(off: Double, rate: Double) throws {
    var random = StatisticsRandom(seed: 2505)
    var tracker = PeerTracker()
    _ = tracker.update(measurement(0, 6 + off))
    for index in 1..<30 {
      let output = tracker.update(measurement(Double(index) / rate, 6 + 0.05 * random.gaussian())).measurement
      if index >= 9 { #expect(abs(try #require(output.distance) - 6) < 0.3, "\(index)") }
    }
  }

  /// Near the antenna, with outliers both ways, twice a second: no distance is negative, all are finite.
  @Test func distancesAreNotNegative() throws {
    var random = StatisticsRandom(seed: 2506)
    for walk in 0..<100 {
      var tracker = PeerTracker()
      var distance = random.uniform(0...1)
      for index in 0..<40 {
        distance = abs(distance + 0.3 * random.gaussian())
        var measured = distance + 0.1 * random.gaussian()
        if random.uniform(0...1) < 0.15 { measured += random.uniform(-10...10) }
        if index == 0, walk % 2 == 0 { measured = -5 }
        let output = tracker.update(
          measurement(Double(index) / 2, measured, walk % 3 == 0 ? nil : random.uniform(0...1))
        ).measurement
        #expect(try #require(output.distance) >= 0)
        #expect(try #require(output.distance).isFinite)
        let deviation = try #require(output.distanceDeviation)
        #expect(deviation > 0 && deviation.isFinite)
      }
    }
  }

  /// What no radio measures, times that repeat, go back, leap or are none: nothing traps, nothing is lost but what is no number, and two
  /// seconds later the distance is that of the measurements.
  @Test func extremesStayFinite() throws {
    let odd: [(value: Double, deviation: Double, time: Double)] = [
      (1e150, 0.05, 1), (-1e308, 0.05, 1), (5, 0, 1), (5, 1e-200, 1), (5, 1e300, 1), (0, 0.05, 1), (5, 0.05, 0.2),
      (5, 0.05, -1e9),
      (5, 0.05, 1e300), (5, 0.05, .infinity), (5, 0.05, .nan), (.nan, 0.05, 1), (.infinity, 0.05, 1), (5, .nan, 1),
      (5, -1, 1),
    ]
    for one in odd {
      var tracker = PeerTracker()
      for index in 0..<10 { _ = tracker.update(measurement(Double(index) / 10, 5, 0.8)) }
      for repetition in 0..<3 {
        var strange = measurement(one.time + 0.1 * Double(repetition), one.value, repetition == 1 ? .nan : 0.8)
        strange.distanceDeviation = one.deviation
        let output = tracker.update(strange)
        if let distance = output.measurement.distance, one.value.isFinite, one.time.isFinite, one.deviation >= 0 {
          #expect(distance.isFinite && distance >= 0, "\(one)")
        }
      }
      let start = abs(one.time) < 1e3 ? one.time : 1e6
      var last: RangingMeasurement?
      for index in 0..<25 { last = tracker.update(measurement(start + 0.4 + Double(index) / 10, 5, 0.8)).measurement }
      #expect(abs(try #require(last?.distance) - 5) < 0.2, "\(one)")
      #expect(try #require(last?.distanceDeviation).isFinite, "\(one)")
    }
  }

  /// Half of the distribution that is handed out lies below the distance that is delivered, and it never falls.
  @Test func theMedianIsDelivered() throws {
    var tracker = PeerTracker()
    for (index, value) in [5.0, 5.1, 5.2, 5.9, 5.95, 6.0, 5.5, 9, 5.6].enumerated() {
      let last = tracker.update(measurement(Double(index) / 10, value, index < 3 ? 0.9 : 0.4)).measurement
      let distance = try #require(last.distance)
      #expect(abs(try #require(tracker.probability(thatDistanceIsBelow: distance)) - 0.5) < 2e-3, "\(index)")
    }
    var before = 0.0
    for index in 0..<1000 {
      let probability = try #require(tracker.probability(thatDistanceIsBelow: -40 + 0.1 * Double(index)))
      #expect(probability >= before)
      before = probability
    }
    #expect(abs(before - 1) < 1e-6)
    #expect(PeerTracker().probability(thatDistanceIsBelow: 1) == nil)
  }

  @Test func theSameAgainGivesTheSame() {
    var (one, other) = (PeerTracker(), PeerTracker())
    var random = StatisticsRandom(seed: 2524)
    for index in 0..<200 {
      let next = measurement(Double(index) / 10, 5 + random.uniform(-1...1), random.uniform(0...1))
      #expect(one.update(next) == other.update(next))
    }
    #expect(one == other && one.hashValue == other.hashValue)
  }

  /// What a calibration leaves open is the place's or the device's, and stays however many exchanges agree.
  @Test func calibrationsAreNotAveraged() throws {
    var random = StatisticsRandom(seed: 2509)
    var tracker = PeerTracker()
    for index in 0..<100 {
      var one = measurement(Double(index) / 10, 4 + 0.02 * random.gaussian(), 0.9)
      one.rawDistanceDeviation = 0.02
      one.distanceDeviation = (0.02 * 0.02 + 0.06 * 0.06 as Double).squareRoot()
      let deviation = try #require(tracker.update(one).measurement.distanceDeviation)
      #expect(deviation >= 0.06 - 1e-12)
    }
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
