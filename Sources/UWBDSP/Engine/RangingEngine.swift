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
    /// What `uwb calibrate` measured of this set-up; its parts are `nil` where nothing was.
    public var calibration: Calibration
    /// Chance that noise before the first path is taken for it (`FirstPathSearch`); for `PeakTap`, that a CIR of pure
    /// noise yields a path.
    public var falseAlarmRate: Double
    /// Propagation speed, m/s.
    public var propagationSpeed: Double
    /// Distances outside this range are impossible, m. Uncalibrated antenna delays make some of them negative.
    public var possibleDistances: ClosedRange<Double>

    public init(
      profile: DeviceProfile, delay: DelayMethod? = nil, array: AntennaArray? = nil,
      calibration: Calibration = Calibration(), falseAlarmRate: Double = 1e-6,
      propagationSpeed: Double = UWB.speedOfLightInAir, possibleDistances: ClosedRange<Double> = -10...1000
    ) {
      self.profile = profile
      self.delay = delay ?? profile.delay
      self.array = array
      self.calibration = calibration
      self.falseAlarmRate = falseAlarmRate
      self.propagationSpeed = propagationSpeed
      self.possibleDistances = possibleDistances
    }
  }

  public let configuration: Configuration
  private let phaseFit: PhaseFit?
  let phaseDirection: PhaseDirection?
  private let antennas: AntennaCalibration?

  public init(_ configuration: Configuration) {
    self.configuration = configuration
    let antennas = configuration.calibration.angle?.antennas.flatMap { $0.isValid ? $0 : nil }
    if let array = configuration.array, let antennas, antennas.positions.count == array.positions.count {
      self.antennas = antennas
      phaseFit = PhaseFit(array: AntennaArray(positions: antennas.positions, carrier: array.carrier))
    } else {
      self.antennas = nil
      phaseFit = configuration.array.map(PhaseFit.init)
    }
    phaseDirection = PhaseDirection(configuration)
  }

  /// All memory that measuring needs; one for each thread.
  public final class Workspace {
    fileprivate var poll: ReceptionAnalyser
    fileprivate var final: ReceptionAnalyser
    fileprivate var amplitudes: [Complex<Double>]
    fileprivate var deviations: [Double]
    fileprivate var phases: PhaseDirection.Workspace?

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
        let reference = analyser.estimates[0].firstPath?.amplitude, reference != .zero
      else { return 0 }
      let turn = reference.conjugate / Complex(reference.length)
      for antenna in 0..<amplitudes.count {
        guard let path = analyser.estimates[antenna].firstPath, path.amplitude != .zero else { return 0 }
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
  public func measure(_ exchange: RangingExchange, using workspace: Workspace) -> RangingMeasurement {
    var result = RangingMeasurement(
      exchange: exchange.index, time: exchange.time, peer: exchange.peer, status: .ok)
    let isResponder = exchange.initiator == .peer
    // The receptions at the local device are those whose CIR can be here; the others are the peer's.
    let first = isResponder ? exchange.poll.reception : exchange.response?.reception
    let second = isResponder ? exchange.final?.reception : nil
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

    guard let recorded = TwoWayRanging(exchange) else {
      takeReported(exchange, into: &result)
      return result
    }
    let firstCorrection = correction(firstAnalysis, first, direction: result.direction)
    let secondCorrection = correction(secondAnalysis, second, direction: result.direction)
    let others = Correction(ticks: 0, variance: uncapturedVariance)
    range(
      recorded, poll: isResponder ? firstCorrection : others, response: isResponder ? others : firstCorrection,
      final: isResponder ? secondCorrection : others, into: &result)
    // `clockOffset` compares the initiator's clock with the responder's.
    result.clockOffsetppm = 1e6 * (isResponder ? recorded.clockOffset : -recorded.clockOffset)
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
    } else if result.direction == nil {
      result.status = .noDirection
    }
  }

  private func analyse(_ reception: Reception?, by analyser: inout ReceptionAnalyser) -> ReceptionAnalysis? {
    guard let response = reception?.impulseResponse else { return nil }
    if !analyser.fits(response) { analyser = analyser.grown(toFit: response) }
    return analyser.analyse(response)
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
    _ recorded: TwoWayRanging, poll: Correction, response: Correction, final: Correction,
    into result: inout RangingMeasurement
  ) {
    let ranging = recorded.moving(poll: poll.ticks, response: response.ticks, final: final.ticks)
    let metresPerTick = UWB.tick * configuration.propagationSpeed
    let distance = ranging.timeOfFlightTicks * metresPerTick
    guard distance.isFinite, configuration.possibleDistances.contains(distance) else {
      result.status = .impossibleDistance
      return
    }
    // Timestamps come in whole ticks: 1/12 tick² each.
    let weights = ranging.sensitivity
    let rounding = 1.0 / 12
    let variance =
      weights.poll * weights.poll * (poll.variance + rounding)
      + weights.response * weights.response * (response.variance + rounding)
      + weights.final * weights.final * (final.variance + rounding)
    result.distance = distance
    result.distanceDeviation = variance.squareRoot() * metresPerTick
  }

  /// Phases of both receptions, turned to antenna 0 and added, then fitted to the plane wave.
  private func direction(
    _ first: ReceptionAnalysis?, _ second: ReceptionAnalysis?, _ workspace: Workspace,
    into result: inout RangingMeasurement
  ) {
    guard let phaseFit, phaseFit.array.positions.count >= 2 else { return }
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
