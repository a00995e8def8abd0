import Numerics
import TestSupport
import Testing
import UWBCalibration
import UWBDSP

@Suite struct DelayCalibrationTests {
  private static let halfSpeed = UWB.speedOfLightInAir / 2

  private func device(_ number: UInt64) -> DeviceAddress { DeviceAddress(rawValue: number) }

  /// A device that measures 2 ns too long makes every distance 0.2997 m too long: bias = measured − true, taken off.
  @Test func signs() {
    let calibration = DelayCalibration(
      devices: [.init(address: "0001", delay: 2e-9), .init(address: "0002", delay: -1e-9)],
      lineOfSight: .init(knots: [-90, -80], values: [0.1, -0.1], deviation: 0.03),
      obstructed: .init(knots: [-85], values: [0.5], deviation: 0.4))
    func bias(_ power: Double?, _ probability: Double?) -> (distance: Double, deviation: Double) {
      calibration.bias(local: device(2), peer: device(1), powerdBm: power, lineOfSightProbability: probability)
    }
    let level = Self.halfSpeed * 1e-9
    #expect(abs(bias(-90, nil).distance - (level + 0.1)) < 1e-12)
    #expect(abs(bias(-85, 1).distance - level) < 1e-12)
    #expect(abs(bias(-80, 0).distance - (level + 0.5)) < 1e-12)
    #expect(bias(-85, 1).deviation == 0.03)
    #expect(abs(bias(-85, 0).deviation - 0.4) < 1e-15)
    // Half and half: the mean, and a deviation that holds the distance between the two.
    #expect(abs(bias(-85, 0.5).distance - (level + 0.25)) < 1e-12)
    #expect(abs(bias(-85, 0.5).deviation - (0.5 * (0.0009 + 0.16) + 0.25 * 0.25).squareRoot()) < 1e-12)
    // A device nobody calibrated is like the mean of those that were.
    let other = calibration.bias(local: device(9), peer: device(1), powerdBm: -85)
    #expect(abs(other.distance - Self.halfSpeed * (2e-9 + 0.5e-9)) < 1e-12)
  }

  /// The engine takes the bias off, adds its variance, and leaves the raw distance alone.
  @Test func theEngineAppliesIt() throws {
    var random = StatisticsRandom(seed: 2401)
    let exchange = ExchangeMaker().make(using: &random)
    let plain = RangingEngine(RangingEngine.Configuration(profile: .ideal))
    let calibration = DelayCalibration(
      devices: [.init(address: nil, delay: 1e-9), .init(address: "000b", delay: 3e-9)],
      lineOfSight: .init(deviation: 0.04))
    let calibrated = RangingEngine(
      RangingEngine.Configuration(profile: .ideal, calibration: Calibration(delay: calibration)))
    let one = plain.measure(exchange, using: plain.makeWorkspace(tapCount: 320))
    let other = calibrated.measure(exchange, using: calibrated.makeWorkspace(tapCount: 320))
    let (raw, deviation) = (try #require(one.distance), try #require(one.distanceDeviation))
    #expect(other.rawDistance == raw && other.rawDistanceDeviation == deviation)
    #expect(abs(try #require(other.distance) - (raw - Self.halfSpeed * 4e-9)) < 1e-12)
    #expect(abs(try #require(other.distanceDeviation) - (deviation * deviation + 0.0016).squareRoot()) < 1e-12)
  }

  /// Four devices in all pairs, two captures with wrong truths: every delay to a few millimetres, and no curve invented.
  @Test(arguments: 2411..<2421 as Range<UInt64>)
  func fourDevicesInAllPairs(seed: UInt64) throws {
    var random = StatisticsRandom(seed: seed)
    let delays = [0.9e-9, -0.4e-9, 0.2e-9, 2.1e-9]
    var samples: [DelayCalibrationFit.Sample] = []
    var capture = 0
    for one in 0..<4 {
      for other in 0..<one {
        for place in 0..<3 {
          let wrong = capture == 4 ? 0.6 : capture == 11 ? -0.4 : 0
          for _ in 0..<40 {
            samples.append(
              DelayCalibrationFit.Sample(
                capture: capture, local: device(UInt64(one)), peer: device(UInt64(other)),
                error: Self.halfSpeed * (delays[one] + delays[other]) + 0.03 * random.gaussian() + wrong,
                deviation: 0.03, powerdBm: -80 - 3 * Double(place) + random.gaussian(), isLineOfSight: true))
          }
          capture += 1
        }
      }
    }
    let calibration = try #require(DelayCalibrationFit().calibration(of: samples))
    #expect(calibration.problem == nil && calibration.obstructed == nil)
    #expect(calibration.devices.map(\.address) == ["0000", "0001", "0002", "0003"])
    for (found, delay) in zip(calibration.devices, delays) {
      #expect(abs(found.delay - delay) * Self.halfSpeed < 0.006, "seed \(seed): \(found)")
    }
    #expect(calibration.lineOfSight.knots.isEmpty)
    #expect(calibration.lineOfSight.deviation < 0.01)
  }

  /// A curve over power that saturates, a level, another curve when obstructed; captures left out are predicted.
  @Test func curves() throws {
    var random = StatisticsRandom(seed: 2421)
    func clear(_ power: Double) -> Double { 0.12 * Double.cos((power + 92) / 4) }
    var samples: [DelayCalibrationFit.Sample] = []
    for capture in 0..<60 {
      let isClear = capture < 30
      let power = -92 + 13 * Double(capture % 30) / 29
      for _ in 0..<30 {
        let p = power + 0.4 * random.gaussian()
        samples.append(
          DelayCalibrationFit.Sample(
            capture: capture, peer: device(12),
            error: 0.25 + (isClear ? clear(p) : 0.3 + 0.02 * (p + 85)) + 0.02 * random.gaussian(), deviation: 0.02,
            powerdBm: p, isLineOfSight: isClear))
      }
    }
    let fit = DelayCalibrationFit()
    let calibration = try #require(fit.calibration(of: samples))
    #expect(calibration.devices.count == 2 && calibration.lineOfSight.knots.count > 5)
    // The unnamed local device and the peer share what only their sum determines.
    #expect(abs(calibration.devices[0].delay - calibration.devices[1].delay) < 1e-13)
    for power in stride(from: -91.0, through: -80, by: 0.5) {
      let bias = calibration.bias(local: nil, peer: device(12), powerdBm: power).distance
      #expect(abs(bias - 0.25 - clear(power)) < 0.012, "\(power)")
      let blocked = calibration.bias(local: nil, peer: device(12), powerdBm: power, lineOfSightProbability: 0)
      #expect(abs(blocked.distance - 0.55 - 0.02 * (power + 85)) < 0.02, "\(power)")
    }
    var errors = StatisticsErrors()
    for capture in [3, 12, 25] {
      let held = try #require(fit.calibration(of: samples, leavingOut: capture))
      for sample in samples where sample.capture == capture {
        errors.add(sample.error - held.bias(local: nil, peer: device(12), powerdBm: sample.powerdBm).distance)
      }
    }
    #expect(errors.rootMeanSquare < 0.025)
  }

  /// Samples of pairs of devices, `error` of each pair with what a place adds.
  private func pairs(
    _ list: [(UInt64, UInt64)], delays: [Double], place: Double, captures: Int = 2, using random: inout StatisticsRandom
  ) -> [DelayCalibrationFit.Sample] {
    var samples: [DelayCalibrationFit.Sample] = []
    for (index, (one, other)) in list.enumerated() {
      for capture in 0..<captures {
        let error = delays[Int(one)] + delays[Int(other)] + place * random.gaussian()
        for _ in 0..<10 {
          samples.append(
            DelayCalibrationFit.Sample(
              capture: captures * index + capture, local: device(one), peer: device(other),
              error: error + 0.02 * random.gaussian(), deviation: 0.02))
        }
      }
    }
    return samples
  }

  /// Root of the mean square of a pair's errors under a calibration made without it, and of what they were.
  private func heldOut(_ samples: [DelayCalibrationFit.Sample]) throws -> (after: Double, before: Double) {
    var (after, before) = (StatisticsErrors(), StatisticsErrors())
    for group in DelayCalibrationFit.groups(of: samples) {
      let left = Set(group)
      let calibration = try #require(
        DelayCalibrationFit().calibration(of: samples.filter { !left.contains($0.capture) }))
      for sample in samples where left.contains(sample.capture) {
        before.add(sample.error)
        after.add(
          sample.error - calibration.bias(local: sample.local, peer: sample.peer, powerdBm: nil).distance)
      }
    }
    return (after.rootMeanSquare, before.rootMeanSquare)
  }

  /// Errors of places alone, which no calibration can take off: nothing is lost by trying, over many set-ups of a kind. Of two or three
  /// captures few chances are taken, which cost much: more set-ups even that out.
  @Test(arguments: [2, 3, 4, 6, 12])
  func nothingToCalibrateIsLeftAlone(captures: Int) throws {
    var (after, before) = (0.0, 0.0)
    for seed in 2501..<(captures < 4 ? 2801 : 2531) as Range<UInt64> {
      var random = StatisticsRandom(seed: seed)
      let samples = pairs([(0, 1)], delays: [0, 0], place: 0.1, captures: captures, using: &random)
      let errors = try heldOut(samples)
      after += errors.after * errors.after
      before += errors.before * errors.before
    }
    #expect((after / before).squareRoot() < 1.02, "\((after / before).squareRoot())")
  }

  /// A delay of 0.3 m over two captures, each 5 cm off by its place, is plain; one of 0.1 m is not, and a report says so.
  @Test func twoCapturesTellAPlainDelay() throws {
    var (large, small) = (0, 0)
    for seed in 2531..<2551 as Range<UInt64> {
      var random = StatisticsRandom(seed: seed)
      func report(_ delay: Double) throws -> DelayCalibrationFit.Report {
        try #require(
          DelayCalibrationFit().report(
            of: pairs([(0, 1)], delays: [delay / 2, delay / 2], place: 0.05, captures: 2, using: &random)))
      }
      let (plain, open) = (try report(0.3), try report(0.1))
      large += plain.model == .constant && plain.undeterminedLevel == nil ? 1 : 0
      small += open.model == .none ? 1 : 0
      #expect(open.model == .constant || open.calibration.devices.isEmpty)
    }
    #expect(large >= 16 && small >= 16, "\(large) and \(small) of 20")
  }

  /// Four devices in a cycle: delays of their own can't predict a pair that was left out, whatever they explain of the others.
  @Test func aCycleGetsNoDelaysOfItsOwn() throws {
    var (after, before) = (0.0, 0.0)
    for seed in 2431..<2451 as Range<UInt64> {
      var random = StatisticsRandom(seed: seed)
      let delays = (0..<4).map { _ in 0.05 * random.gaussian() }
      let samples = pairs([(0, 1), (1, 2), (2, 3), (3, 0)], delays: delays, place: 0.1, using: &random)
      let report = try #require(DelayCalibrationFit().report(of: samples))
      #expect(report.isByPairs && report.groupCount == 4)
      #expect(report.openDevices == ["0000", "0001", "0002", "0003"])
      let errors = try heldOut(samples)
      after += errors.after * errors.after
      before += errors.before * errors.before
    }
    #expect((after / before).squareRoot() < 1.02, "\((after / before).squareRoot())")
  }

  /// Where delays carry over they are taken, and a shared one where that is all there is.
  @Test func whatCarriesOverIsTaken() throws {
    var random = StatisticsRandom(seed: 2461)
    let all: [(UInt64, UInt64)] = [
      (0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4),
    ]
    let own = pairs(all, delays: [0.4, -0.2, 0.1, 0.6, -0.3], place: 0.02, using: &random)
    let report = try #require(DelayCalibrationFit().report(of: own))
    #expect(report.model == .devices && report.openDevices.isEmpty)
    #expect(try heldOut(own).after < 0.1)
    let shared = pairs(all, delays: [0.2, 0.2, 0.2, 0.2, 0.2], place: 0.05, using: &random)
    #expect(try #require(DelayCalibrationFit().report(of: shared)).model == .constant)
    let errors = try heldOut(shared)
    #expect(errors.after < 0.25 * errors.before)
    let none = pairs(all, delays: [0, 0, 0, 0, 0], place: 0.1, using: &random)
    let nothing = try heldOut(none)
    #expect(nothing.after < 1.06 * nothing.before)
  }

  /// Errors that swing over the distances: places left out between neighbours look well known, places apart don't, and that is
  /// what is stated.
  @Test func deviationsAreOfOtherGround() throws {
    var random = StatisticsRandom(seed: 2471)
    let samples = (0..<32).flatMap { capture in
      (0..<20).map { _ in
        DelayCalibrationFit.Sample(
          capture: capture, local: device(1), peer: device(2),
          error: 0.2 * Double.cos(2 * .pi * Double(capture) / 12) + 0.01 * random.gaussian(), deviation: 0.01,
          powerdBm: -70 - Double(capture) + 0.2 * random.gaussian(), isLineOfSight: true,
          trueDistance: Double(2 * capture))
      }
    }
    let curve = try #require(DelayCalibrationFit().calibration(of: samples)).lineOfSight
    #expect(curve.knots.count > 2)
    let neighbours = try #require(curve.heldOutDeviation)
    #expect(curve.deviation > 1.5 * neighbours, "\(curve.deviation) and \(neighbours) m")
  }

  /// One place says nothing of others, and a device that was not calibrated is known less well than one that was.
  @Test func unknownGround() throws {
    var random = StatisticsRandom(seed: 2481)
    let one = pairs([(0, 1)], delays: [0.4, 0.4], place: 0, captures: 1, using: &random)
    let calibration = try #require(DelayCalibrationFit().calibration(of: one))
    #expect(calibration.lineOfSight.deviation >= 0.1)
    let known = calibration.bias(local: device(0), peer: device(1), powerdBm: nil).deviation
    let stranger = calibration.bias(local: device(0), peer: device(9), powerdBm: nil).deviation
    #expect(stranger > known)
    #expect(
      DelayCalibration(devices: [.init(address: "1", delay: 0), .init(address: "0001", delay: 0)]).problem != nil)
  }

  @Test func hopelessInput() {
    let fit = DelayCalibrationFit()
    #expect(fit.calibration(of: []) == nil)
    let one = DelayCalibrationFit.Sample(capture: 0, peer: device(1), error: .nan, deviation: 0.1)
    #expect(fit.calibration(of: [one]) == nil)
    var good = one
    good.error = 0.8
    let calibration = fit.calibration(of: [good])
    #expect(abs((calibration?.bias(local: nil, peer: device(1), powerdBm: nil).distance ?? 0) - 0.8) < 1e-3)
    #expect(DelayCalibration(devices: [.init(address: "xyz", delay: 0)]).problem != nil)
    #expect(DelayCalibration(devices: [.init(address: "1", delay: .infinity)]).problem != nil)
    #expect(DelayCalibration(lineOfSight: .init(knots: [1, 0], values: [0, 0])).problem != nil)
    #expect(DelayCalibration(lineOfSight: .init(knots: [0, 1], values: [0])).problem != nil)
  }

  /// Through the values, straight where they are straight, with the roughness that the definition gives.
  @Test func naturalSpline() {
    let knots = [-3.0, -1, 0, 2.5, 4]
    let values = [1.0, -2, 0.5, 3, 2]
    let spline = NaturalSpline(knots: knots, values: values)
    for (x, y) in zip(knots, values) { #expect(abs(spline(x) - y) < 1e-12) }
    #expect(spline(-10) == 1 && spline(10) == 2)
    let line = NaturalSpline(knots: knots, values: knots.map { 2 * $0 - 1 })
    let basis = NaturalSpline.basis(knots: knots)
    let h = 1e-3
    var integral = 0.0
    for step in 1..<7000 {
      let x = -3 + Double(step) * h
      #expect(abs(line(x) - (2 * x - 1)) < 1e-12)
      #expect(abs(zip(basis, values).reduce(0) { $0 + $1.0(x) * $1.1 } - spline(x)) < 1e-12)
      let second = (spline(x + h) - 2 * spline(x) + spline(x - h)) / (h * h)
      integral += second * second * h
    }
    let form = NaturalSpline.roughness(knots: knots)
    var stated = 0.0
    for row in 0..<5 { for column in 0..<5 { stated += values[row] * form[row * 5 + column] * values[column] } }
    #expect(abs(stated - integral) < 2e-3 * stated)
  }
}
