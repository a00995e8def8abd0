import Numerics
import TestSupport
import Testing
import UWBTracking
import UWBTypes

@Suite struct PeerTrackerTests {
  private func measurement(
    _ time: Double, _ distance: Double?, deviation: Double = 0.05, azimuth: Double? = nil, elevation: Double? = nil,
    status: MeasurementStatus = .ok, probability: Double? = nil
  ) -> RangingMeasurement {
    RangingMeasurement(
      exchange: Int(time * 10), time: time, peer: DeviceAddress(rawValue: 1), status: status, distance: distance,
      distanceDeviation: distance.map { _ in deviation },
      direction: azimuth.map { Direction.unitVector(azimuth: $0, elevation: elevation ?? 0) }, azimuth: azimuth,
      azimuthDeviation: azimuth.map { _ in 0.02 }, elevation: elevation,
      elevationDeviation: elevation.map { _ in 0.03 },
      lineOfSightProbability: probability)
  }

  @Test func theFirstMeasurementPassesAsItIs() throws {
    var tracker = PeerTracker()
    let output = tracker.update(measurement(0, 3, azimuth: 0.3, elevation: 0.1))
    #expect(!output.isOutlier)
    #expect(abs(try #require(output.measurement.distance) - 3) < 0.01)
    #expect(abs(try #require(output.measurement.distanceDeviation) - 0.05) < 0.01)
    #expect(output.measurement.azimuth == 0.3 && output.measurement.elevation == 0.1)
  }

  /// A peer that stands still: the deviation shrinks well below a measurement's and still covers the error.
  @Test func aStandingPeerIsKnownBetterAndBetter() throws {
    var random = StatisticsRandom(seed: 1801)
    var normalised = StatisticsErrors()
    var deviations = Array(repeating: StatisticsErrors(), count: 40)
    for _ in 0..<300 {
      var tracker = PeerTracker(.init(acceleration: 0.1))
      for index in deviations.indices {
        let output = tracker.update(measurement(Double(index) / 10, 4 + 0.05 * random.gaussian())).measurement
        let deviation = try #require(output.distanceDeviation)
        deviations[index].add(deviation)
        if index == 39 { normalised.add((try #require(output.distance) - 4) / deviation) }
      }
    }
    // Each series tells its noise to a fifth; all three hundred to a hundredth.
    #expect(deviations[39].rootMeanSquare < 0.7 * 0.05, "\(deviations[39].rootMeanSquare)")
    #expect(deviations[39].rootMeanSquare < 0.9 * deviations[5].rootMeanSquare)
    // The model allows for acceleration that isn't there, so deviations are a little large, never too small.
    #expect(normalised.meanSquare < StatisticsLimits.normalisedVariance(trials: 300).upperBound)
    #expect(normalised.meanSquare > 0.3)
  }

  /// A peer that walks steadily is followed without lag.
  @Test func aWalkingPeerIsFollowed() throws {
    var random = StatisticsRandom(seed: 1802)
    var tracker = PeerTracker()
    var errors = StatisticsErrors()
    for index in 0..<300 {
      let time = Double(index) / 10
      let truth = 2 + 1.5 * time
      let output = tracker.update(measurement(time, truth + 0.05 * random.gaussian()))
      #expect(!output.isOutlier)
      if index >= 20 { errors.add(try #require(output.measurement.distance) - truth) }
    }
    #expect(errors.rootMeanSquare < 0.045)
    // Errors are correlated over some five measurements.
    #expect(abs(errors.mean) < StatisticsLimits.mean(deviation: 0.04, trials: 280 / 5))
  }

  /// An outlier may be the truth after all: a bias, or a track gone wrong, which weighs some thousandths here.
  @Test func outliersHardlyMoveAnything() throws {
    var tracker = PeerTracker()
    for index in 0..<20 { _ = tracker.update(measurement(Double(index) / 10, 5)) }
    let before = tracker
    let output = tracker.update(measurement(2, 9, azimuth: 0.4))
    #expect(output.isOutlier)
    #expect(abs(try #require(output.measurement.distance) - 5) < 0.02)
    #expect(output.measurement.distanceDeviation.map { $0 < 0.5 } == true)
    // And the next good one puts it right.
    var undisturbed = before
    let next = try #require(tracker.update(measurement(2.1, 5.02)).measurement.distance)
    let expected = try #require(undisturbed.update(measurement(2.1, 5.02)).measurement.distance)
    #expect(abs(next - expected) < 0.01)
  }

  @Test func aGoodOneBetweenBreaksTheRow() {
    var tracker = PeerTracker()
    for index in 0..<20 { _ = tracker.update(measurement(Double(index) / 10, 5)) }
    #expect(tracker.update(measurement(2.0, 9)).isOutlier)
    #expect(!tracker.update(measurement(2.1, 5)).isOutlier)
    #expect(tracker.update(measurement(2.2, 9)).isOutlier)
  }

  @Test func aLongSilenceStartsAfresh() {
    var tracker = PeerTracker(.init(longestGap: 10))
    for index in 0..<20 { _ = tracker.update(measurement(Double(index) / 10, 5)) }
    var within = tracker
    #expect(within.update(measurement(11, 5.5)).measurement.distance != 5.5)
    let after = tracker.update(measurement(12, 30))
    #expect(!after.isOutlier)
    #expect(abs((after.measurement.distance ?? 0) - 30) < 0.05)
  }

  @Test func measurementsWithoutDistancePassUnchanged() {
    var tracker = PeerTracker()
    _ = tracker.update(measurement(0, 5))
    let before = tracker
    for bad in [measurement(1, nil), measurement(1, 5, status: .noFirstPath)] {
      #expect(tracker.update(bad) == PeerTracker.Output(measurement: bad, isOutlier: false))
    }
    #expect(tracker == before)
  }

  @Test func anglesAreSmoothedAndJumpsBelieved() throws {
    var random = StatisticsRandom(seed: 1803)
    var tracker = PeerTracker()
    var last: RangingMeasurement?
    for index in 0..<60 {
      let output = tracker.update(
        measurement(
          Double(index) / 10, 5, azimuth: 0.3 + 0.02 * random.gaussian(), elevation: -0.2 + 0.03 * random.gaussian()))
      last = output.measurement
    }
    let settled = try #require(last)
    #expect(try #require(settled.azimuthDeviation) < 0.02)
    #expect(abs(try #require(settled.azimuth) - 0.3) < 0.06)
    #expect(abs(try #require(settled.elevation) + 0.2) < 0.09)
    let azimuth = try #require(settled.azimuth)
    let elevation = try #require(settled.elevation)
    #expect(settled.direction == Direction.unitVector(azimuth: azimuth, elevation: elevation))
    let jumped = tracker.update(measurement(6, 5, azimuth: -0.8, elevation: -0.2)).measurement
    #expect(jumped.azimuth == -0.8)
    #expect(jumped.azimuthDeviation == 0.02)
  }

  /// Near the end of an array's range angles have large deviations: a turn that hides in them must not be stated away.
  @Test func aQuickTurnIsWithinWhatIsStated() throws {
    var tracker = PeerTracker()
    for index in 0..<20 { _ = tracker.update(measurement(Double(index) / 5, 5, azimuth: 0.01 * Double(index % 2))) }
    var turned = measurement(4, 5, azimuth: 0.9)
    turned.azimuthDeviation = 0.23
    let output = tracker.update(turned).measurement
    let error = abs(try #require(output.azimuth) - 0.9)
    #expect(error < 2.5 * (try #require(output.azimuthDeviation)))
  }

  /// What a row of antennas can't tell is left as the measurement takes it to be.
  @Test func rowsOfAntennasKeepTheirPlane() throws {
    var level = PeerTracker()
    var upright = PeerTracker()
    for index in 0..<10 {
      let flat = try #require(level.update(measurement(Double(index) / 10, 5, azimuth: 0.4)).measurement.direction)
      #expect(flat.y == 0)
      #expect(abs(flat.x - Double.sin(0.4)) < 1e-9)
      var column = measurement(Double(index) / 10, 5)
      column.direction = Direction.unitVector(azimuth: 0, elevation: 0.5)
      column.elevation = 0.5
      column.elevationDeviation = 0.03
      let output = upright.update(column).measurement
      #expect(output.azimuth == nil)
      #expect(abs(try #require(output.elevation) - 0.5) < 1e-9)
      #expect(abs(try #require(output.direction).y - Double.sin(0.5)) < 1e-9)
      if index > 5 { #expect(try #require(output.elevationDeviation) < 0.03) }
    }
  }

  @Test func noDirectionStaysNone() {
    var tracker = PeerTracker()
    for index in 0..<3 {
      let output = tracker.update(measurement(Double(index), 5)).measurement
      #expect(output.direction == nil && output.azimuth == nil && output.elevation == nil)
    }
  }

  /// Behind a wall that makes the path 5 m longer for two seconds: once line of sight is back the distance is there at once.
  @Test func aLongBiasIsNotTheOnlyAnswer() throws {
    var random = StatisticsRandom(seed: 2531)
    var tracker = PeerTracker()
    for index in 0..<70 {
      let truth = 4 + 0.1 * Double(index)
      let isObstructed = (40..<60).contains(index)
      let output = tracker.update(
        RangingMeasurement(
          exchange: index, time: Double(index) / 10, peer: DeviceAddress(rawValue: 1), status: .ok,
          distance: truth + (isObstructed ? 5 : 0) + 0.05 * random.gaussian(), distanceDeviation: 0.05))
      if index >= 64 { #expect(abs(try #require(output.measurement.distance) - truth) < 0.3, "\(index)") }
    }
  }
}
