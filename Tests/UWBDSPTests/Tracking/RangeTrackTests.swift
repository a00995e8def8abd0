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

  /// White acceleration, and nothing else: no corners, no outliers, no losses of line of sight, no track that is wrong, nothing to learn.
  private static let plain = PeerTracker.Configuration(
    acceleration: 1.2, speed: .infinity, straightTime: .infinity, outliers: 0, clearTime: .infinity,
    jumpTime: .infinity, isAdaptive: false)

  /// Walks drawn from the filter's own model: squared normalised innovations and errors have mean 1, within the bounds of
  /// their number. Times are irregular; walks are independent, and each gives one error, so that errors are too.
  @Test func innovationsAndErrorsAreThoseOfTheModel() throws {
    var random = StatisticsRandom(seed: 2501)
    let configuration = Self.plain
    var errors = StatisticsErrors()
    var innovations = StatisticsErrors()
    var scores = StatisticsErrors()
    let walks = 400
    for _ in 0..<walks {
      var tracker = PeerTracker(configuration)
      var (distance, rate, time) = (200.0, 3 * random.gaussian(), 0.0)
      var last: PeerTracker.Output?
      for _ in 0..<25 {
        last = tracker.update(measurement(time, distance + 0.05 * random.gaussian()))
        if let innovation = last?.normalisedInnovation { innovations.add(innovation) }
        if let probability = last?.innovationProbability { scores.add(NormalDistribution.quantile(probability)) }
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
    // One Gaussian: both say the same.
    #expect(abs(scores.meanSquare - innovations.meanSquare) < 1e-6)
    #expect(errors.count > walks * 8 / 10)
  }

  /// A standing peer behind a wall for two seconds: 0.8 m too long. With a classifier's word the distance stays where it was; its
  /// deviation is no smaller than a measurement's.
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
    #expect(deviation > 0.05)
  }

  /// Outliers, detours and speeds drawn as the filter takes them to be: what measurements are predicted to be, and what errors
  /// are, is uniform in the filter's own distributions. One of each a walk, so that they are independent; their mean square
  /// as normal scores may miss by 0.1, for hypotheses are merged and detours are no Gaussians.
  @Test(arguments: [nil, 0.9] as [Double?]) func distributionsAreThoseOfTheModel(accuracy: Double?) throws {
    var random = StatisticsRandom(seed: 2504)
    var errors = StatisticsErrors()
    var innovations = StatisticsErrors()
    let walks = 1000
    for _ in 0..<walks {
      var tracker = PeerTracker()
      var (distance, rate, time) = (20.0, 0.0, 0.0)
      var detour: Double?
      var last: PeerTracker.Output?
      let steps = 30 + Int(random.uniform(0...30))
      for _ in 0..<steps {
        let step = 0.1 * random.uniform(0.5...1.5)
        time += step
        // Speed 2 m/s, acceleration 0.8 m/s²: as `RangeMotion` by its first-order steps. A corner every 3 s.
        distance += rate * step
        rate += -rate * step * 0.8 * 0.8 / 8 + 0.8 * step.squareRoot() * random.gaussian()
        if random.uniform(0...1) < step / 3 {
          let turn = 1.5 * random.gaussian()
          rate += turn
          distance += turn * step * random.uniform()
        }
        if detour == nil, random.uniform(0...1) < step / 12 {
          repeat { detour = 0.6 + 0.5 * random.gaussian() } while detour.map { $0 < 0.05 } ?? false
        } else if detour != nil, random.uniform(0...1) < step / 4 {
          detour = nil
        }
        var measured = distance + (detour ?? 0) + 0.05 * random.gaussian()
        if random.uniform(0...1) < 0.04 { measured = distance + random.uniform(-12.5...12.5) }
        let isRight = random.uniform(0...1) < (accuracy ?? 1)
        last = tracker.update(
          measurement(time, measured, accuracy.map { (detour == nil) == isRight ? $0 : 1 - $0 }))
      }
      let probability = try #require(tracker.probability(thatDistanceIsBelow: distance))
      errors.add(NormalDistribution.quantile(min(max(probability, 1e-12), 1 - 1e-12)))
      innovations.add(NormalDistribution.quantile(try #require(last?.innovationProbability)))
    }
    let limits = StatisticsLimits.normalisedVariance(trials: walks)
    #expect(errors.meanSquare > limits.lowerBound - 0.1 && errors.meanSquare < limits.upperBound + 0.1)
    #expect(innovations.meanSquare > limits.lowerBound - 0.1 && innovations.meanSquare < limits.upperBound + 0.1)
  }

  /// A peer that stands, in a hundred places: half of them obstructed, by the detours that the track expects; a classifier says the same
  /// of a place whenever it is asked, and errs as often as its probability says. However long the peer stands there, its deviation covers
  /// the error as in the first second, at one exchange a second as at ten.
  @Test(arguments: [1.0, 10]) func aStandingPeerIsNoSurerForBeingAsked(rate: Double) throws {
    var random = StatisticsRandom(seed: 2507)
    let places = 400
    var errors = StatisticsErrors()
    var squares = StatisticsErrors()
    var (one, two) = (0, 0)
    for _ in 0..<places {
      let isObstructed = random.uniform() < 0.5
      var detour = 0.0
      if isObstructed { repeat { detour = 0.6 + 0.5 * random.gaussian() } while detour < 0.05 }
      // The log odds of two Gaussians that lie 1.4 deviations apart: right at even odds in 76 %, and calibrated.
      let logOdds = (isObstructed ? -0.98 : 0.98) + 1.4 * random.gaussian()
      var tracker = PeerTracker()
      var last: RangingMeasurement?
      for index in 0..<100 {
        let said = logOdds + 0.1 * random.gaussian()
        last =
          tracker.update(
            measurement(Double(index) / rate, 6 + detour + 0.05 * random.gaussian(), 1 / (1 + Double.exp(-said)))
          ).measurement
      }
      let error = (try #require(last?.distance) - 6) / (try #require(last?.distanceDeviation))
      squares.add(error)
      if abs(error) <= 1 { one += 1 }
      if abs(error) <= 2 { two += 1 }
      let probability = try #require(tracker.probability(thatDistanceIsBelow: 6))
      errors.add(NormalDistribution.quantile(min(max(probability, 1e-12), 1 - 1e-12)))
    }
    // Not fewer than of a Gaussian, chance apart; squares have the fourth moment of a mixture, three times a Gaussian's at most.
    #expect(one >= StatisticsLimits.binomial(probability: 0.683, trials: places).lowerBound, "\(one)")
    #expect(two >= StatisticsLimits.binomial(probability: 0.93, trials: places).lowerBound, "\(two)")
    #expect(errors.meanSquare < StatisticsLimits.normalisedVariance(trials: places).upperBound, "\(errors.meanSquare)")
    #expect(squares.meanSquare < 1 + 2 * (StatisticsLimits.normalisedVariance(trials: places).upperBound - 1))
    #expect(squares.meanSquare > 0.3, "\(squares.meanSquare)")
  }

  /// A walk is told from a stand by the distance alone: verdicts of a peer that walks by are new ones, and settle the question.
  @Test func verdictsOfAWalkAddUp() throws {
    var random = StatisticsRandom(seed: 2508)
    var (walking, standing) = (PeerTracker(), PeerTracker())
    var last: (PeerTracker.Output?, PeerTracker.Output?)
    for index in 0..<60 {
      let time = Double(index) / 10
      last.0 = walking.update(measurement(time, 4 + 1.2 * time + 0.05 * random.gaussian(), 0.8))
      last.1 = standing.update(measurement(time, 4 + 0.05 * random.gaussian(), 0.8))
    }
    let sure = try #require(last.0?.lineOfSightProbability)
    let open = try #require(last.1?.lineOfSightProbability)
    #expect(sure > 0.995, "\(sure)")
    #expect(open > 0.7 && open < 0.9, "\(open)")
    #expect(try #require(last.0?.measurement.distanceDeviation) < 0.07)
    #expect(try #require(last.1?.measurement.distanceDeviation) > 0.15)
  }

  /// What a calibration leaves open is the place's or the device's, and stays however many exchanges agree.
  @Test func calibrationsAreNotAveraged() throws {
    var random = StatisticsRandom(seed: 2509)
    var tracker = PeerTracker(.init(clearTime: .infinity))
    for index in 0..<100 {
      var one = measurement(Double(index) / 10, 4 + 0.02 * random.gaussian(), 0.9)
      one.rawDistanceDeviation = 0.02
      one.distanceDeviation = (0.02 * 0.02 + 0.06 * 0.06 as Double).squareRoot()
      let deviation = try #require(tracker.update(one).measurement.distanceDeviation)
      #expect(deviation >= 0.06 - 1e-12)
    }
  }

  /// A track that is born of an outlier finds the peer within four measurements, and says so no sooner than it has. One that is too
  /// short needs a word for line of sight: else what follows may be a detour, which it doesn't rule out.
  @Test(arguments: [-4.0, -1.5, 1.5, 4, 8], [2.0, 10]) func bornOfAnOutlier(off: Double, rate: Double) throws {
    var random = StatisticsRandom(seed: 2505)
    for isTold in [true, false] {
      var tracker = PeerTracker()
      let word = isTold ? 0.9 : nil
      _ = tracker.update(measurement(0, 6 + off, word))
      for index in 1..<20 {
        let output = tracker.update(measurement(Double(index) / rate, 6 + 0.05 * random.gaussian(), word)).measurement
        let error = abs(try #require(output.distance) - 6)
        let deviation = try #require(output.distanceDeviation)
        guard index >= 4 else { continue }
        #expect(error < 4 * deviation, "\(off), \(index)")
        if off > 0 || isTold { #expect(error < 0.25, "\(off), \(index)") }
        // A word of 0.9 for a peer that stands leaves a tenth of a detour of 0.6 ± 0.5 m open: 0.24 m.
        if index >= 12, off > 0 || isTold { #expect(deviation < 0.3, "\(off), \(index)") }
      }
    }
  }

  /// Near the antenna, with outliers both ways, twice a second: no distance is negative, all are finite.
  @Test func distancesAreNotNegative() throws {
    var random = StatisticsRandom(seed: 2506)
    for walk in 0..<200 {
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

  /// What no radio measures does no harm beyond its own measurement: far too long, no deviation, all at once.
  @Test func extremesStayFinite() throws {
    for (value, deviation) in [(1e150, 0.05), (5, 0), (5, 1e-200), (5, 1e100), (0, 0.05)] {
      var tracker = PeerTracker()
      for index in 0..<10 { _ = tracker.update(measurement(Double(index) / 10, 5, 0.8)) }
      for time in [1.0, 1, 1.1, 9] {
        var one = measurement(time, value, 0.8)
        one.distanceDeviation = deviation
        _ = tracker.update(one)
      }
      for index in 0..<10 {
        let output = tracker.update(measurement(10 + Double(index) / 10, 5, 0.8)).measurement
        #expect(try #require(output.distance).isFinite && (try #require(output.distanceDeviation)).isFinite)
      }
      // A peer that stands: a word of 0.8 leaves a fifth of a detour of 0.6 m open.
      let last = try #require(tracker.update(measurement(11, 5, 0.8)).measurement.distance)
      #expect(abs(last - 5) < 0.2, "\(value) ± \(deviation)")
    }
  }

  /// The distribution that is handed out has the mean and the variance that are.
  @Test func theDistributionIsThatOfTheResult() throws {
    var tracker = PeerTracker()
    var last: RangingMeasurement?
    for (index, value) in [5.0, 5.1, 5.2, 5.9, 5.95, 6.0].enumerated() {
      last = tracker.update(measurement(Double(index) / 10, value, index < 3 ? 0.9 : 0.4)).measurement
    }
    // ∫ x·dF and ∫ x²·dF by the midpoint rule, over 40 m.
    var (mean, square, before) = (0.0, 0.0, 0.0)
    let step = 1e-3
    for index in 0..<40_000 {
      let x = -15 + Double(index) * step
      let probability = try #require(tracker.probability(thatDistanceIsBelow: x + step))
      #expect(probability >= before)
      mean += (x + step / 2) * (probability - before)
      square += (x + step / 2) * (x + step / 2) * (probability - before)
      before = probability
    }
    let deviation = try #require(last?.distanceDeviation)
    #expect(abs(before - 1) < 1e-9)
    #expect(abs(mean - (try #require(last?.distance))) < 1e-4)
    #expect(abs(square - mean * mean - deviation * deviation) < 1e-3)
    #expect(PeerTracker().probability(thatDistanceIsBelow: 1) == nil)
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
