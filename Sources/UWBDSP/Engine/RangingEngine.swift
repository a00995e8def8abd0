/// Turns one ranging exchange into one measurement: first paths, two-way ranging, direction, deviations.
///
/// The engine itself is an immutable value that may be shared. A workspace, one for each thread, holds all memory:
/// `measure` allocates nothing once the workspace has seen CIRs of the capture's shape.
public struct RangingEngine: Sendable {
  /// What an engine is told of the radio.
  public struct Configuration: Sendable, Hashable {
    /// The radio.
    public var profile: DeviceProfile
    /// The delay estimator; `chip` takes the recorded first paths, so that distances are the chip's own.
    public var delay: DelayMethod
    /// The receiver's antennas; `nil` gives no direction.
    public var array: AntennaArray?
    /// The angle estimator.
    public var angle: AngleMethod
    /// What `uwb calibrate` measured of this set-up; its parts are `nil` where nothing was.
    public var calibration: Calibration
    /// Chance that noise before the first path is taken for it (`FirstPathSearch`).
    public var falseAlarmRate: Double
    /// Propagation speed, m/s.
    public var propagationSpeed: Double
    /// How clocks behave and how well chips read their offsets: for single-sided ranging.
    public var clocks: ClockTracker.Configuration
    /// Distances outside this range are impossible, m. Uncalibrated antenna delays make some of them negative.
    public var possibleDistances: ClosedRange<Double>

    /// Creates one with the given values.
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

    /// The receiver as an estimator sees it, with the tap spacing of a CIR.
    func receiver(tapSpacing: Double) -> ReceiverModel {
      ReceiverModel(profile, tapSpacing: tapSpacing, falseAlarmRate: falseAlarmRate)
    }
  }

  /// What this engine was told of the radio.
  public let configuration: Configuration
  let phaseFit: PhaseFit?
  let quality: QualityStage
  private let delayCorrection: DelayCorrection?
  let phaseDirection: PhaseDirection?
  let responseDirection: ResponseDirection?
  let antennas: AntennaCalibration?
  let isSupported: Bool

  /// An array beyond `EngineLimits` makes every measurement `beyondLimits`.
  public init(_ configuration: Configuration) {
    isSupported = configuration.array?.isSupported ?? true
    var configuration = configuration
    if !isSupported { configuration.array = nil }
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
    // A calibration of the antennas holds all that they do.
    responseDirection =
      antennas == nil && configuration.angle != .none ? configuration.array.flatMap(ResponseDirection.init) : nil
    quality = QualityStage(
      configuration.calibration.quality, delay: configuration.delay, signal: configuration.profile.signal)
    delayCorrection = configuration.calibration.delay.map {
      DelayCorrection($0, propagationSpeed: configuration.propagationSpeed)
    }
  }

  /// Measures one exchange. Missing or inconsistent input yields a status; this never throws.
  ///
  /// Where the delay estimator does not settle or gives an impossible distance, simpler ones are asked in turn, the chip's own first path
  /// last; `RangingMeasurement.fallback` names the one that was taken.
  ///
  /// - Parameter clock: what earlier exchanges told of the two clocks (`ClockTracker`). Double-sided ranging needs none;
  ///   single-sided ranging takes it before the exchange's own carrier offset.
  public func measure(
    _ exchange: RangingExchange, clock: ClockTracker.Estimate? = nil, using workspace: Workspace
  ) -> RangingMeasurement {
    if let ready = exchange.ready { return complete(ready, of: exchange, using: workspace) }
    let wanted = measure(exchange, by: configuration.delay, clock: clock, using: workspace)
    guard wanted.status.allowsFallback,
      exchange.localMessages.first?.holdsCIR == true || exchange.localMessages.second?.holdsCIR == true
    else { return wanted }
    let features = workspace.qualityFeatures
    for fallback in configuration.delay.fallbacks {
      var measurement = measure(exchange, by: fallback.method, clock: clock, using: workspace)
      guard measurement.status == .ok, measurement.distance != nil else { continue }
      measurement.fallback = fallback
      let deviation = configuration.profile.fallbackDeviation * configuration.propagationSpeed
      measurement.addDeviation(deviation)
      return measurement
    }
    workspace.qualityFeatures = features
    return wanted
  }

  private func measure(
    _ exchange: RangingExchange, by method: DelayMethod, clock: ClockTracker.Estimate?, using workspace: Workspace
  ) -> RangingMeasurement {
    var result = RangingMeasurement(
      exchange: exchange.index, time: exchange.time, peer: exchange.peer, status: isSupported ? .ok : .beyondLimits)
    workspace.qualityFeatures = nil
    if exchange.hasFailed { result.status = .failedRound }
    guard result.status == .ok else { return result }
    let isFallback = method != configuration.delay
    let isResponder = exchange.initiator == .peer
    let (first, second) = exchange.localMessages
    // Where the chip's own first path stands in, the CIR was no use.
    let isRead = !(isFallback && method == .chip)
    let firstAnalysis = isRead ? analyse(first, &workspace.poll, by: method) : nil
    let secondAnalysis = isRead ? analyse(second, &workspace.final, by: method) : nil

    let opening = report(firstAnalysis, chip: first?.chipFirstPathTaps, by: method, in: &result)
    result.firstPathTaps.final = report(secondAnalysis, chip: second?.chipFirstPathTaps, by: method, in: &result)
    if isResponder { result.firstPathTaps.poll = opening } else { result.firstPathTaps.response = opening }
    guard result.status == .ok else { return result }
    direction(firstAnalysis, secondAnalysis, workspace, into: &result)
    if let differences = exchange.phaseDifferences, result.direction == nil, let phaseDirection,
      let phases = workspace.phases
    {
      phaseDirection.measure(differences, into: &result, using: phases)
    }

    let (firstMove, secondMove) = (
      correction(firstAnalysis, by: method, direction: result.direction),
      correction(secondAnalysis, by: method, direction: result.direction)
    )
    let others = correctionWithoutCIR(exchange, (firstMove, secondMove))
    range(
      exchange, clock: clock, poll: (isResponder ? firstMove : nil) ?? others,
      response: (isResponder ? nil : firstMove) ?? others, final: (isResponder ? secondMove : nil) ?? others,
      others: others, into: &result)
    // What line of sight and bias were learnt with is the configured estimator.
    if !isFallback {
      workspace.joinFeatures(firstAnalysis, secondAnalysis)
      quality.judge(&workspace.qualityFeatures, into: &result)
    }
    calibrate(exchange, &result)
    return result
  }

  /// Without timestamps: a chip that hands over phase differences hands over its distance too, or none.
  func takeReported(_ exchange: RangingExchange, into result: inout RangingMeasurement) {
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

  func analyse(
    _ message: RangingMessage?, _ analysers: inout ReceptionAnalysers, by method: DelayMethod
  ) -> ReceptionAnalysis? {
    message?.withReception { analyse($0, &analysers, by: method) } ?? nil
  }

  func analyse(
    _ reception: Reception, _ analysers: inout ReceptionAnalysers, by method: DelayMethod
  ) -> ReceptionAnalysis? {
    guard let response = reception.impulseResponse else { return nil }
    let reported = ReportedAntennas(reception)
    var analysis = analysers.analyse(response, reported, by: method)
    analysis.chipFirstPathTaps = reception.usableChipFirstPathTaps
    analysis.tapSpacing = response.tapSpacing
    return analysis
  }

  /// Takes over what an analysis says of the measurement as a whole.
  ///
  /// - Parameter chip: the chip's own first path, taps, which `DelayMethod.chip` takes.
  /// - Returns: the first path, taps.
  func report(
    _ analysis: ReceptionAnalysis?, chip: @autoclosure () -> Double?, by method: DelayMethod,
    in result: inout RangingMeasurement
  ) -> Double? {
    let isChip = method == .chip
    guard let analysis, analysis.status == .ok else {
      // The chip's own first path needs no CIR: its distance stands, whatever the samples are like.
      if let analysis, !isChip { result.status = MeasurementStatus(analysis.status) }
      return isChip ? chip() : nil
    }
    result.snrdB = min(result.snrdB ?? .infinity, analysis.snrdB)
    return isChip ? chip() : analysis.delayTaps
  }
}

extension RangingEngine {
  /// Takes off what the calibration knows: bias = measured − true. A range bias predicted from the CIRs is the whole of
  /// it, the antenna delays' part included.
  private func calibrate(_ exchange: RangingExchange, _ result: inout RangingMeasurement) {
    guard let distance = result.distance, let deviation = result.distanceDeviation else { return }
    if let bias = result.rangeBias, let biasDeviation = result.rangeBiasDeviation {
      result.distance = distance - bias
      result.distanceDeviation = biasDeviation
      return
    }
    guard let delayCorrection else {
      let standing = configuration.profile.uncalibratedDeviation * configuration.propagationSpeed
      result.distanceDeviation = (deviation * deviation + standing * standing).squareRoot()
      return
    }
    let bias = delayCorrection.bias(
      local: exchange.local, peer: exchange.peer, powerdBm: exchange.localReceivedPowerdBm,
      lineOfSightProbability: result.lineOfSightProbability)
    result.distance = distance - bias.distance
    result.distanceDeviation = (deviation * deviation + bias.variance).squareRoot()
  }
}

extension RangingMeasurement {
  /// Adds an independent error of this deviation, m, to the distances'.
  fileprivate mutating func addDeviation(_ other: Double) {
    distanceDeviation = distanceDeviation.map { ($0 * $0 + other * other).squareRoot() }
    rawDistanceDeviation = rawDistanceDeviation.map { ($0 * $0 + other * other).squareRoot() }
  }
}

extension RangingExchange {
  /// The peer's frames: what the local device reports of them can hold CIRs. A copy of a reception is slow, one of a message is not.
  var localMessages: (first: RangingMessage?, second: RangingMessage?) {
    initiator == .peer ? (poll, final) : (response, nil)
  }
}

extension RangingMessage {
  /// Of its reception, taps.
  var chipFirstPathTaps: Double? { withReception { $0.usableChipFirstPathTaps } ?? nil }
  var holdsCIR: Bool { withReception { $0.impulseResponse != nil } ?? false }
  var isReceived: Bool { withReception { _ in true } ?? false }
}

extension MeasurementStatus {
  /// Whether another estimator may give what this one could not.
  var allowsFallback: Bool {
    switch self {
    case .didNotConverge, .impossibleDistance: true
    // A CIR that holds no signal is no evidence that the chip ranged one.
    case .ok, .noFirstPath, .emptyImpulseResponse, .beyondLimits, .missingTimestamps, .noDirection, .failedRound:
      false
    }
  }

  init(_ status: DelayStatus) {
    switch status {
    case .ok: self = .ok
    case .noFirstPath: self = .noFirstPath
    case .emptyImpulseResponse: self = .emptyImpulseResponse
    case .didNotConverge: self = .didNotConverge
    case .beyondLimits: self = .beyondLimits
    }
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
