import Numerics

/// Turns one ranging exchange into one measurement: first paths, two-way ranging, direction, deviations.
///
/// The engine itself is an immutable value that may be shared; a workspace, one for each thread, holds all memory, so
/// that `measure` allocates nothing once the workspace has seen CIRs of the capture's shape.
public struct RangingEngine: Sendable {
  public struct Configuration: Sendable, Hashable {
    public var profile: DeviceProfile
    /// The delay estimator; `chip` takes the recorded first paths, so that distances are the chip's own.
    public var delay: DelayMethod
    /// The receiver's antennas; `nil` gives no direction.
    public var array: AntennaArray?
    /// The angle estimator.
    public var angle: AngleMethod
    /// What `uwb calibrate` measured of this set-up; its parts are `nil` where nothing was.
    public var calibration: Calibration
    /// Chance that noise before the first path is taken for it (`FirstPathSearch`); for `PeakTap`, that a CIR of pure
    /// noise yields a path.
    public var falseAlarmRate: Double
    /// Propagation speed, m/s.
    public var propagationSpeed: Double
    /// How clocks behave and how well chips read their offsets: for single-sided ranging.
    public var clocks: ClockTracker.Configuration
    /// Distances outside this range are impossible, m. Uncalibrated antenna delays make some of them negative.
    public var possibleDistances: ClosedRange<Double>

    public init(
      profile: DeviceProfile, delay: DelayMethod? = nil, array: AntennaArray? = nil, angle: AngleMethod = .joint,
      calibration: Calibration = Calibration(), falseAlarmRate: Double = 1e-6,
      propagationSpeed: Double = UWB.speedOfLightInAir,
      clocks: ClockTracker.Configuration = ClockTracker.Configuration(),
      possibleDistances: ClosedRange<Double> = -10...1000
    ) {
      self.profile = profile
      self.delay = delay ?? profile.delay
      self.array = array
      self.angle = angle
      self.calibration = calibration
      self.falseAlarmRate = falseAlarmRate
      self.propagationSpeed = propagationSpeed
      self.clocks = clocks
      self.possibleDistances = possibleDistances
    }
  }

  public let configuration: Configuration
  private let phaseFit: PhaseFit?
  private let quality: QualityStage
  private let delayCorrection: DelayCorrection?
  let phaseDirection: PhaseDirection?
  private let antennas: AntennaCalibration?

  public init(_ configuration: Configuration) {
    self.configuration = configuration
    antennas = configuration.antennaCalibration
    let positions = antennas?.positions
    phaseFit =
      configuration.angle == .none
      ? nil
      : configuration.array.map {
        PhaseFit(array: AntennaArray(positions: positions ?? $0.positions, carrier: $0.carrier))
      }
    phaseDirection = PhaseDirection(configuration)
    quality = QualityStage(configuration.calibration.quality, delay: configuration.delay)
    delayCorrection = configuration.calibration.delay.map {
      DelayCorrection($0, propagationSpeed: configuration.propagationSpeed)
    }
  }

  /// All memory that measuring needs; one for each thread.
  public final class Workspace {
    // Accesses are over at once or to one of these alone, and each thread has a workspace of its own.
    @exclusivity(unchecked) fileprivate var poll: ReceptionAnalyser
    @exclusivity(unchecked) fileprivate var final: ReceptionAnalyser
    fileprivate var amplitudes: [Complex<Double>]
    fileprivate var deviations: [Double]
    fileprivate let candidates = AlignedBuffer<DirectionCandidate>(
      count: JointDelayAngle.mostCandidates * JointDelayAngle.mostCandidates, zero: .none)
    @exclusivity(unchecked) fileprivate var direction = JointEstimate().direction
    fileprivate var phases: PhaseDirection.Workspace?
    /// What line of sight and range bias of the exchange measured last were judged by, its distance entered; `nil` where
    /// none of its receptions has a first path.
    @exclusivity(unchecked) public fileprivate(set) var qualityFeatures: QualityFeatures?

    fileprivate init(
      _ configuration: Configuration, _ phaseDirection: PhaseDirection?, tapCount: Int, antennaCount: Int
    ) {
      phases = phaseDirection?.makeWorkspace()
      poll = ReceptionAnalyser(configuration, tapCount: tapCount, antennaCount: antennaCount)
      final = ReceptionAnalyser(configuration, tapCount: tapCount, antennaCount: antennaCount)
      amplitudes = Array(repeating: .zero, count: antennaCount)
      deviations = Array(repeating: 0, count: antennaCount)
    }

    fileprivate func clearAmplitudes(count: Int) {
      if amplitudes.count != count {
        amplitudes = Array(repeating: .zero, count: count)
        deviations = Array(repeating: 0, count: count)
      }
      for antenna in 0..<count {
        amplitudes[antenna] = .zero
        deviations[antenna] = 0
      }
    }

    /// Adds one reception's amplitudes, weighted by what their phases tell; `deviations` gathers that information.
    /// Turning all of them by antenna 0's phase leaves the phases between antennas as they are.
    /// With `gains`, their sizes against antenna 0's stay too, which a calibration that mixes antennas needs.
    fileprivate func addAmplitudes(
      _ analysis: ReceptionAnalysis?, _ analyser: ReceptionAnalyser, gains: Bool
    ) -> Int {
      guard let analysis, analysis.comparableAntennas == amplitudes.count,
        let reference = analyser.firstPath(antenna: 0)?.amplitude, reference != .zero
      else { return 0 }
      let turn = reference.conjugate / Complex(reference.length)
      for antenna in 0..<amplitudes.count {
        guard let path = analyser.firstPath(antenna: antenna), path.amplitude != .zero else { return 0 }
        let information = 1 / max(path.phaseDeviation * path.phaseDeviation, 1e-12)
        deviations[antenna] += information
        let size = gains ? reference.length : path.amplitude.length
        amplitudes[antenna] += path.amplitude * turn * Complex(information / size)
      }
      return 1
    }

    fileprivate func turnInformationIntoDeviations() {
      for antenna in 0..<deviations.count {
        amplitudes[antenna] /= Complex(deviations[antenna])
        deviations[antenna] = 1 / deviations[antenna].squareRoot()
      }
    }
  }

  /// Memory for CIRs of at most `tapCount` taps and `antennaCount` antennas; larger ones make it grow.
  public func makeWorkspace(tapCount: Int = 1016, antennaCount: Int = 1) -> Workspace {
    Workspace(configuration, phaseDirection, tapCount: tapCount, antennaCount: antennaCount)
  }

  /// Measures one exchange. What is missing or makes no sense is a status, never an error.
  ///
  /// - Parameter clock: what earlier exchanges told of the two clocks (`ClockTracker`). Double-sided ranging needs none;
  ///   single-sided ranging takes it before the exchange's own carrier offset.
  public func measure(
    _ exchange: RangingExchange, clock: ClockTracker.Estimate? = nil, using workspace: Workspace
  ) -> RangingMeasurement {
    var result = RangingMeasurement(
      exchange: exchange.index, time: exchange.time, peer: exchange.peer, status: .ok)
    let isResponder = exchange.initiator == .peer
    // The receptions at the local device are those whose CIR can be here; the others are the peer's.
    let first = isResponder ? exchange.poll.reception : exchange.response?.reception
    let second = isResponder ? exchange.final?.reception : nil
    workspace.qualityFeatures = nil
    let firstAnalysis = analyse(first, by: &workspace.poll)
    let secondAnalysis = analyse(second, by: &workspace.final)

    report(firstAnalysis, first, as: isResponder ? \.poll : \.response, in: &result)
    report(secondAnalysis, second, as: \.final, in: &result)
    guard result.status == .ok else { return result }
    direction(firstAnalysis, secondAnalysis, workspace, into: &result)
    if let differences = exchange.phaseDifferences, result.direction == nil, let phaseDirection,
      let phases = workspace.phases
    {
      phaseDirection.measure(differences, into: &result, using: phases)
    }

    let firstCorrection = correction(firstAnalysis, first, direction: result.direction)
    let secondCorrection = correction(secondAnalysis, second, direction: result.direction)
    let others = Correction(ticks: 0, variance: uncapturedVariance)
    range(
      exchange, clock: clock, poll: isResponder ? firstCorrection : others,
      response: isResponder ? others : firstCorrection, final: isResponder ? secondCorrection : others, into: &result)
    workspace.qualityFeatures = quality.judge(firstAnalysis?.features, secondAnalysis?.features, into: &result)
    calibrate(exchange, &result)
    return result
  }

  /// Without timestamps: a chip that hands over phase differences hands over its distance too, or none.
  private func takeReported(_ exchange: RangingExchange, into result: inout RangingMeasurement) {
    guard exchange.phaseDifferences != nil else {
      result.status = .missingTimestamps
      return
    }
    if let distance = exchange.chipReport?.distance, distance.isFinite {
      guard configuration.possibleDistances.contains(distance) else {
        result.status = .impossibleDistance
        return
      }
      result.distance = distance
      result.rawDistance = distance
    } else if result.direction == nil {
      result.status = .noDirection
    }
  }

  private func analyse(_ reception: Reception?, by analyser: inout ReceptionAnalyser) -> ReceptionAnalysis? {
    guard let reception, let response = reception.impulseResponse else { return nil }
    if !analyser.fits(response) { analyser = analyser.grown(toFit: response) }
    return analyser.analyse(reception, response)
  }

  private func report(
    _ analysis: ReceptionAnalysis?, _ reception: Reception?, as path: WritableKeyPath<FirstPaths, Double?>,
    in result: inout RangingMeasurement
  ) {
    if configuration.delay == .chip {
      result.firstPathTaps[keyPath: path] = reception?.chipFirstPathTaps
    }
    guard let analysis else { return }
    guard analysis.status == .ok else {
      // The chip's own first path needs no CIR: its distance stands, whatever the samples are like.
      if configuration.delay != .chip { result.status = MeasurementStatus(analysis.status) }
      return
    }
    if configuration.delay != .chip { result.firstPathTaps[keyPath: path] = analysis.delayTaps }
    result.snrdB = min(result.snrdB ?? .infinity, analysis.snrdB)
  }
}

extension RangingEngine {
  /// How far a reception's timestamp is moved, ticks, and how uncertain it then is, ticks².
  private struct Correction {
    var ticks: Double
    var variance: Double
  }

  private var uncapturedVariance: Double {
    let ticks = configuration.profile.receptionDeviation / UWB.tick
    return ticks * ticks
  }

  /// The chip stamped its own first path (a leading edge); ours is a peak, `peakOffsetTaps` later.
  /// Distance counts from the origin of the antennas' coordinates: a wave from direction u reaches place p earlier by
  /// p·u/c than the origin.
  private func correction(
    _ analysis: ReceptionAnalysis?, _ reception: Reception?, direction: SIMD3<Double>?
  ) -> Correction {
    guard configuration.delay != .chip, let analysis, let chip = reception?.chipFirstPathTaps,
      let spacing = reception?.impulseResponse?.tapSpacing
    else { return Correction(ticks: 0, variance: uncapturedVariance) }
    // The CIR may be sampled at another rate than the chip's own, in whose taps the profile holds its offset.
    let ticksPerTap = spacing / UWB.tick
    let moved = (analysis.delayTaps - chip) * ticksPerTap - configuration.profile.peakOffsetTaps * UWB.ticksPerTap
    let ahead = direction.map { (analysis.position * $0).sum() } ?? 0
    let deviation = analysis.deviationTaps * ticksPerTap
    return Correction(
      ticks: moved + ahead / (configuration.propagationSpeed * UWB.tick), variance: deviation * deviation)
  }

  private func range(
    _ exchange: RangingExchange, clock: ClockTracker.Estimate?, poll: Correction, response: Correction,
    final: Correction, into result: inout RangingMeasurement
  ) {
    let own = ClockTracker.Estimate(exchange, configuration.clocks)
    // Until exchanges agree on the clocks, each is believed by itself.
    let clock = clock.flatMap { $0.isSettled || own == nil ? $0 : nil }
    guard let method = RangingMethod.fitting(exchange, clock: clock ?? own) else {
      takeReported(exchange, into: &result)
      return
    }
    // Timestamps come in whole ticks: 1/12 tick² each.
    let rounding = 1.0 / 12
    let variances = TimestampVariances(
      poll: poll.variance + rounding, response: response.variance + rounding,
      secondPoll: uncapturedVariance + rounding, final: final.variance + rounding)
    let metresPerTick = UWB.tick * configuration.propagationSpeed
    func flight(_ method: RangingMethod) -> (distance: Double, deviation: Double)? {
      let flight = method.timeOfFlight(movedBy: poll.ticks, response.ticks, final.ticks, variances)
      let distance = flight.ticks * metresPerTick
      guard distance.isFinite, configuration.possibleDistances.contains(distance) else { return nil }
      return (distance, flight.variance.squareRoot() * metresPerTick)
    }
    guard let measured = flight(method) else {
      result.status = .impossibleDistance
      return
    }
    result.distance = measured.distance
    result.distanceDeviation = measured.deviation
    // This exchange alone: by its own registers where it has any, whatever earlier ones told of the clocks.
    var alone = measured
    if clock != nil, own != nil, case .singleSided = method,
      let itself = RangingMethod.fitting(exchange, clock: own)
    {
      alone = flight(itself) ?? measured
    }
    result.rawDistance = alone.distance
    result.rawDistanceDeviation = alone.deviation
    if case .singleSided = method, let clock { result.clockRejections = clock.rejections }
    // `clockOffset` compares the initiator's clock with the responder's.
    let offset = method.clockOffset
    result.clockOffsetppm = 1e6 * (exchange.initiator == .peer ? offset : -offset)
  }

  /// Takes off what the calibration knows: bias = measured − true. A range bias predicted from the CIRs is the whole of
  /// it, the antenna delays' part included.
  private func calibrate(_ exchange: RangingExchange, _ result: inout RangingMeasurement) {
    guard let distance = result.distance, let deviation = result.distanceDeviation else { return }
    if let bias = result.rangeBias, let biasDeviation = result.rangeBiasDeviation {
      result.distance = distance - bias
      result.distanceDeviation = biasDeviation
      return
    }
    guard let delayCorrection else { return }
    let bias = delayCorrection.bias(
      local: exchange.local, peer: exchange.peer, powerdBm: exchange.localReceivedPowerdBm,
      lineOfSightProbability: result.lineOfSightProbability)
    result.distance = distance - bias.distance
    result.distanceDeviation = (deviation * deviation + bias.variance).squareRoot()
  }

  /// What the joint fits of both receptions say together; else the phases of both, turned to antenna 0 and added, then
  /// fitted to the plane wave.
  private func direction(
    _ first: ReceptionAnalysis?, _ second: ReceptionAnalysis?, _ workspace: Workspace,
    into result: inout RangingMeasurement
  ) {
    guard let phaseFit, phaseFit.array.positions.count >= 2 else { return }
    result.directionStatus = .unusable
    if antennas == nil, jointDirection(first, second, workspace, into: &result) { return }
    let count = phaseFit.array.positions.count
    guard gatherAmplitudes(first, second, workspace, count: count, gains: antennas != nil) else { return }
    antennas?.correct(&workspace.amplitudes)
    guard
      let fit = phaseFit.estimate(amplitudes: workspace.amplitudes, deviations: workspace.deviations)
    else { return }
    result.direction = fit.direction
    result.azimuth = fit.azimuth
    result.azimuthDeviation = fit.azimuthDeviation
    result.elevation = fit.elevation
    result.elevationDeviation = fit.elevationDeviation
    result.directionStatus = fit.isBeyondEdge ? .outsideFieldOfView : .ok
  }

  /// Pairs the directions that came into question in both receptions; `false` where neither has any.
  private func jointDirection(
    _ first: ReceptionAnalysis?, _ second: ReceptionAnalysis?, _ workspace: Workspace,
    into result: inout RangingMeasurement
  ) -> Bool {
    let one = first == nil ? nil : workspace.poll.planeWaves
    let other = second == nil ? nil : workspace.final.planeWaves
    guard let geometry = (one ?? other)?.grid.geometry else { return false }
    var count = 0
    func add(_ candidate: DirectionCandidate) {
      workspace.candidates.pointer[count] = candidate
      count += 1
    }
    for left in 0..<(one?.candidateCount ?? 1) {
      for right in 0..<(other?.candidateCount ?? 1) {
        switch (one, other) {
        case (let one?, let other?):
          add(one.candidates.pointer[left].joined(with: other.candidates.pointer[right], geometry))
        case (let one?, nil): add(one.candidates.pointer[left])
        case (nil, let other?): add(other.candidates.pointer[right])
        case (nil, nil): break
        }
      }
    }
    workspace.direction.set(workspace.candidates.pointer, count: count, geometry)
    guard let source = workspace.direction.sources.first else { return false }
    result.direction = source.direction
    result.azimuth = source.azimuth
    result.azimuthDeviation = source.azimuthDeviation
    result.elevation = source.elevation
    result.elevationDeviation = source.elevationDeviation
    result.directionStatus = workspace.direction.status
    result.alternativeDirection = workspace.direction.alternatives.first
    return true
  }

  /// Both receptions' first paths across antennas, by what their phases tell; `false` where there are none.
  private func gatherAmplitudes(
    _ first: ReceptionAnalysis?, _ second: ReceptionAnalysis?, _ workspace: Workspace, count: Int, gains: Bool
  ) -> Bool {
    workspace.clearAmplitudes(count: count)
    let receptions =
      workspace.addAmplitudes(first, workspace.poll, gains: gains)
      + workspace.addAmplitudes(second, workspace.final, gains: gains)
    guard receptions > 0 else { return false }
    workspace.turnInformationIntoDeviations()
    return true
  }

  /// Amplitudes of an exchange's first path across the antennas, as directions are told from them but with nothing
  /// calibrated: what a calibration is fitted to. `nil` where the exchange has none. Allocates.
  public func firstPathAmplitudes(
    of exchange: RangingExchange, using workspace: Workspace
  ) -> [Complex<Double>]? {
    guard let count = configuration.array?.positions.count, count >= 2 else { return nil }
    let isResponder = exchange.initiator == .peer
    let first = isResponder ? exchange.poll.reception : exchange.response?.reception
    let second = isResponder ? exchange.final?.reception : nil
    let firstAnalysis = analyse(first, by: &workspace.poll)
    let secondAnalysis = analyse(second, by: &workspace.final)
    guard gatherAmplitudes(firstAnalysis, secondAnalysis, workspace, count: count, gains: true) else { return nil }
    return workspace.amplitudes
  }
}

extension MeasurementStatus {
  init(_ status: DelayStatus) {
    switch status {
    case .ok: self = .ok
    case .noFirstPath: self = .noFirstPath
    case .emptyImpulseResponse: self = .emptyImpulseResponse
    case .didNotConverge: self = .didNotConverge
    }
  }
}

extension RangingEngine {
  /// What the engine's delay estimator makes of one antenna of a CIR, paths and levels included: for pictures and
  /// diagnosis. Allocates a workspace each time.
  public func firstPath(of response: ChannelImpulseResponse, antenna: Int = 0) -> DelayEstimate {
    let taps = PreparedTaps(tapCount: response.tapCount)
    taps.load(response, antenna: antenna, backgroundPeriodTaps: configuration.profile.backgroundPeriodTaps)
    var estimate = DelayEstimate()
    DelayStage.make(configuration, tapCount: response.tapCount).estimate(taps, into: &estimate)
    return estimate
  }
}

extension RangingEngine.Configuration {
  /// What is known of the antennas themselves, where it fits the array.
  var antennaCalibration: AntennaCalibration? {
    guard let antennas = calibration.angle?.antennas, antennas.isValid,
      antennas.positions.count == array?.positions.count
    else { return nil }
    return antennas
  }
}
