import Numerics
import UWBBaselines
import UWBDSP

/// What has to hold of an engine whatever CIRs it is given: no trap, and either a status that says why there is no answer or a
/// finite answer with a finite positive deviation.
///
/// Cases come in batches that share one engine and its workspace, as the exchanges of a capture do. A batch is made anew from the
/// seed and its number.
public struct EngineProperty: Sendable {
  public static let batchCount = 64

  public let seed: UInt64
  public let batch: Int

  public init(seed: UInt64, batch: Int) {
    self.seed = seed
    self.batch = batch
  }

  /// Runs all cases of the batch; the first violation, `nil` where there is none.
  ///
  /// - Parameter begin: called before each case with what names it.
  public func violation(begin: (_ name: String) -> Void) -> String? {
    var random = StatisticsRandom(seed: seed &+ UInt64(batch) &* 0x9E37_79B9_7F4A_7C15)
    let spacing = Self.spacing(batch, using: &random)
    let configuration = configuration(using: &random)
    let name =
      "seed \(seed), batch \(batch): \(configuration.delay.name), \(configuration.angle.rawValue), "
      + "\(configuration.profile.name), \(configuration.array?.positions.count ?? 1) antennas, \(spacing) s"
    begin(name)
    let engine = RangingEngine(configuration)
    let workspace = engine.makeWorkspace(tapCount: 64)
    let longest = Double.log(random.uniform() < 0.2 ? 4097 : 1100)
    let stage = DelayStage.make(configuration, tapCount: 4096, tapSpacing: spacing)
    let taps = PreparedTaps(tapCount: 4096)
    var estimate = DelayEstimate()
    for index in 0..<Self.batchCount {
      let family = HostileImpulseResponse.Family.allCases[index % HostileImpulseResponse.Family.allCases.count]
      let other = 1 + Int(random.uniform() * 16)
      let antennas = random.uniform() < 0.8 ? configuration.array?.positions.count ?? 1 : other
      let hostile = HostileImpulseResponse(
        family: family, antennaCount: antennas, tapCount: max(1, Int(Double.exp(random.uniform() * longest))),
        isInteger: random.uniform() < 0.5, tapSpacing: spacing)
      let own = "\(name), case \(index): \(family), \(hostile.tapCount) taps × \(antennas)"
      begin(own)
      let response = hostile.make(using: &random)
      taps.load(response, antenna: 0)
      stage.estimate(taps, into: &estimate)
      if let problem = Self.problem(estimate) { return "\(own): \(problem)" }
      let exchange = Self.exchange(index, response, using: &random)
      if let problem = Self.problem(engine.measure(exchange, using: workspace)) { return "\(own): \(problem)" }
      if let problem = Self.directionProblem(configuration.array, response, index, using: &random) {
        return "\(own): \(problem)"
      }
    }
    return nil
  }

  private static func spacing(_ batch: Int, using random: inout StatisticsRandom) -> Double {
    guard batch % 8 == 7 else { return UWB.tap }
    let choices = [1e-10, 2.5e-10, 2e-9, 1e-8, 1e-15, 1e-6, 1, 1e300, 1e-300, 0, -1e-9, .nan, .infinity]
    return choices[Int(random.uniform() * Double(choices.count))]
  }

  /// The method of this batch; `nil` for the one of the profile. Two batches of three take all methods in turn, the third the
  /// methods that users meet first.
  public var delay: DelayMethod? {
    let (round, place) = batch.quotientAndRemainder(dividingBy: 3)
    guard place > 0 else { return batch % 2 == 0 ? .adaptive : nil }
    return DelayMethod.all[(2 * round + place - 1) % DelayMethod.all.count]
  }

  /// Each method for delays meets each of these in time: they change every seven batches.
  public var angle: AngleMethod { AngleMethod.allCases[batch / 7 % AngleMethod.allCases.count] }

  private func configuration(using random: inout StatisticsRandom) -> RangingEngine.Configuration {
    var profile = DeviceProfile.all[Int(random.uniform() * Double(DeviceProfile.all.count))]
    if random.uniform() < 0.15, let noise = NoiseCorrelation.matchedFilter(profile.pulse) { profile.noise = noise }
    if random.uniform() < 0.1 { profile.modelError = 0 }
    let wide = random.uniform() < 0.5
    return RangingEngine.Configuration(
      profile: profile, delay: delay, array: Self.array(batch, using: &random), angle: angle,
      possibleDistances: wide ? -1e300...1e300 : -10...1000)
  }

  private static func array(_ batch: Int, using random: inout StatisticsRandom) -> AntennaArray? {
    let count = 1 + Int(random.uniform() * 16)
    let carrier = 6.4896e9
    let half = UWB.speedOfLightInAir / carrier / 2 * (random.uniform() < 0.2 ? 3 : 1)
    switch batch % 5 {
    case 0, 1: return nil
    case 2: return .linear(count: count, spacing: half, carrier: carrier)
    case 3: return .circular(count: count, radius: half * Double(count) / 6, carrier: carrier)
    default:
      let positions = (0..<count).map { _ in
        SIMD3(random.uniform(-0.05...0.05), random.uniform(-0.05...0.05), random.uniform() < 0.5 ? 0 : 0.02)
      }
      return AntennaArray(
        positions: random.uniform() < 0.1 ? positions.map { _ in .zero } : positions, carrier: carrier)
    }
  }

  /// Double-sided, of some metres by the chip's own first path.
  private static func exchange(
    _ index: Int, _ response: ChannelImpulseResponse, using random: inout StatisticsRandom
  ) -> RangingExchange {
    let hostile: [Double] = [.nan, .infinity, -1e300, 1e18, -3]
    let chip =
      random.uniform() < 0.1
      ? hostile[Int(random.uniform() * 5)] : random.uniform() * Double(response.tapCount)
    let flight = UInt64(random.uniform() * 2000)
    let phases = random.uniform() < 0.2 ? (0..<response.antennaCount).map { _ in random.uniform(-9...9) } : nil
    let own = random.uniform() < 0.1 ? (0..<response.antennaCount).map { _ in random.uniform(-4...4) } : nil
    func reception(_ ticks: UInt64) -> Reception {
      Reception(
        time: DeviceTime(ticks: ticks), chipFirstPathTaps: random.uniform() < 0.1 ? nil : chip,
        impulseResponse: response, antennaPhases: phases, antennaFirstPathTaps: own)
    }
    let (peer, local) = (random.next(), random.next())
    return RangingExchange(
      index: index, time: Double(index), peer: DeviceAddress(rawValue: 1),
      poll: RangingMessage(transmitted: DeviceTime(ticks: peer), reception: reception(local &+ flight)),
      response: RangingMessage(
        transmitted: DeviceTime(ticks: local &+ 1_000_000),
        reception: Reception(time: DeviceTime(ticks: peer &+ 1_000_000 &+ flight))),
      final: RangingMessage(
        transmitted: DeviceTime(ticks: peer &+ 3_000_000), reception: reception(local &+ 3_000_000 &+ flight)))
  }

  // MARK: What has to hold

  private static func problem(_ estimate: DelayEstimate) -> String? {
    let mayHavePaths = estimate.status == .ok || estimate.status == .didNotConverge
    if estimate.paths.isEmpty { return estimate.status == .ok ? "ok without a path" : nil }
    guard mayHavePaths else { return "\(estimate.status) with paths" }
    for path in estimate.paths {
      guard path.delayTaps.isFinite, path.amplitude.isFinite, isDeviation(path.deviationTaps),
        isDeviation(path.phaseDeviation)
      else { return "\(estimate.status): \(path)" }
    }
    guard estimate.noiseVariance.isFinite, estimate.threshold.isFinite else { return "noise or threshold not finite" }
    return nil
  }

  private static func problem(_ measurement: RangingMeasurement) -> String? {
    for (value, deviation) in [
      (measurement.distance, measurement.distanceDeviation),
      (measurement.rawDistance, measurement.rawDistanceDeviation),
      (measurement.azimuth, measurement.azimuthDeviation), (measurement.elevation, measurement.elevationDeviation),
    ] {
      guard let value else { continue }
      guard value.isFinite, let deviation, isDeviation(deviation) else { return "\(measurement)" }
    }
    if measurement.status == .ok, measurement.distance == nil { return "ok without a distance" }
    for taps in [measurement.firstPathTaps.poll, measurement.firstPathTaps.final] {
      guard taps?.isFinite ?? true else { return "first path \(measurement.firstPathTaps)" }
    }
    if let snr = measurement.snrdB, !snr.isFinite { return "SNR \(snr)" }
    if let direction = measurement.direction, !(abs((direction * direction).sum() - 1) < 1e-6) { return "\(direction)" }
    return nil
  }

  /// The estimators of `uwb evaluate angle`, on taps taken as snapshots.
  private static func directionProblem(
    _ array: AntennaArray?, _ response: ChannelImpulseResponse, _ index: Int, using random: inout StatisticsRandom
  ) -> String? {
    guard let array, response.antennaCount == array.positions.count else { return nil }
    let method = DirectionMethod.allCases[index % DirectionMethod.allCases.count]
    let sources = 1 + Int(random.uniform() * 3)
    guard let estimator = method.estimator(for: array, options: DirectionOptions(sources: .known(sources))) else {
      return nil
    }
    var snapshots = Snapshots(
      antennaCount: response.antennaCount, snapshotCount: min(response.tapCount, 1 + index % 20),
      noiseVariance: random.uniform() < 0.5 ? 1 : nil)
    for antenna in 0..<response.antennaCount {
      let taps = response.samples(antenna: antenna, taps: 0..<snapshots.snapshotCount)
      for (place, tap) in taps.enumerated() {
        snapshots[antenna, place] = Complex(Double(tap.real), Double(tap.imaginary))
      }
    }
    let found = estimator.estimate(snapshots)
    for source in found.sources + found.alternatives {
      for (value, deviation) in [
        (source.azimuth, source.azimuthDeviation), (source.elevation, source.elevationDeviation),
      ] {
        guard let value else { continue }
        guard value.isFinite, let deviation, isDeviation(deviation) else { return "\(method): \(found)" }
      }
    }
    return found.status == .ok && found.sources.isEmpty ? "\(method): ok without a source" : nil
  }

  private static func isDeviation(_ value: Double) -> Bool { value > 0 && value.isFinite }
}
