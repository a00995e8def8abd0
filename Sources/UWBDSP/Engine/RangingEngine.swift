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
  private let quality: QualityStage

  public init(_ configuration: Configuration) {
    self.configuration = configuration
    phaseFit = configuration.array.map(PhaseFit.init)
    quality = QualityStage(configuration.calibration.quality, delay: configuration.delay)
  }

  /// All memory that measuring needs; one for each thread.
  public final class Workspace {
    fileprivate var poll: ReceptionAnalyser
    fileprivate var final: ReceptionAnalyser
    fileprivate var amplitudes: [Complex<Double>]
    fileprivate var deviations: [Double]
    /// What line of sight and range bias of the exchange measured last were judged by, its distance entered; `nil` where
    /// none of its receptions has a first path.
    public fileprivate(set) var qualityFeatures: QualityFeatures?

    fileprivate init(_ configuration: Configuration, tapCount: Int, antennaCount: Int) {
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
    fileprivate func addAmplitudes(_ analysis: ReceptionAnalysis?, _ analyser: ReceptionAnalyser) -> Int {
      guard let analysis, analysis.comparableAntennas == amplitudes.count,
        let reference = analyser.estimates[0].firstPath?.amplitude, reference != .zero
      else { return 0 }
      let turn = reference.conjugate / Complex(reference.length)
      for antenna in 0..<amplitudes.count {
        guard let path = analyser.estimates[antenna].firstPath, path.amplitude != .zero else { return 0 }
        let information = 1 / max(path.phaseDeviation * path.phaseDeviation, 1e-12)
        deviations[antenna] += information
        amplitudes[antenna] += path.amplitude * turn * Complex(information / path.amplitude.length)
      }
      return 1
    }

    fileprivate func turnInformationIntoDeviations() {
      for antenna in 0..<deviations.count { deviations[antenna] = 1 / deviations[antenna].squareRoot() }
    }
  }

  /// Memory for CIRs of at most `tapCount` taps and `antennaCount` antennas; larger ones make it grow.
  public func makeWorkspace(tapCount: Int = 1016, antennaCount: Int = 1) -> Workspace {
    Workspace(configuration, tapCount: tapCount, antennaCount: antennaCount)
  }

  /// Measures one exchange. What is missing or makes no sense is a status, never an error.
  public func measure(_ exchange: RangingExchange, using workspace: Workspace) -> RangingMeasurement {
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

    guard let recorded = TwoWayRanging(exchange) else {
      result.status = .missingTimestamps
      return result
    }
    let firstCorrection = correction(firstAnalysis, first, direction: result.direction)
    let secondCorrection = correction(secondAnalysis, second, direction: result.direction)
    let others = Correction(ticks: 0, variance: uncapturedVariance)
    range(
      recorded, poll: isResponder ? firstCorrection : others, response: isResponder ? others : firstCorrection,
      final: isResponder ? secondCorrection : others, into: &result)
    workspace.qualityFeatures = quality.judge(firstAnalysis?.features, secondAnalysis?.features, into: &result)
    // `clockOffset` compares the initiator's clock with the responder's.
    result.clockOffsetppm = 1e6 * (isResponder ? recorded.clockOffset : -recorded.clockOffset)
    return result
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
    workspace.clearAmplitudes(count: count)
    let receptions =
      workspace.addAmplitudes(first, workspace.poll)
      + workspace.addAmplitudes(second, workspace.final)
    guard receptions > 0 else { return }
    workspace.turnInformationIntoDeviations()
    guard
      let fit = phaseFit.estimate(amplitudes: workspace.amplitudes, deviations: workspace.deviations)
    else { return }
    result.direction = fit.direction
    result.azimuth = fit.azimuth
    result.azimuthDeviation = fit.azimuthDeviation
    result.elevation = fit.elevation
    result.elevationDeviation = fit.elevationDeviation
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
