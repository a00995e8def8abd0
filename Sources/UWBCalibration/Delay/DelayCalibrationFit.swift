import UWBDSP

/// Fits a `DelayCalibration` to distances whose truth is known.
///
/// Captures in line of sight decide by `CalibrationChoice` between nothing, one delay for all devices, a delay for each
/// (drawn towards their mean, penalty κ) and either with a curve over received power (knots `knotSpacingdB` apart, penalty λ·∫ s″²),
/// by what each leaves of *groups* that were left out: pairs of devices where there are three or more, else captures. A constant also
/// has to be plain (`CalibrationChoice.isPlain`): few places may agree by chance.
/// Obstructed captures then get a level and a curve of their own, chosen likewise, with the delays that were found.
///
/// A device's delay is determined where its devices were ranged in a ring of odd length; of two devices only the sum is,
/// and each gets half (`Report.openDevices`). The curve's mean over the captures is zero; delays hold the level.
///
/// **The deviation** is what it is worth off its own ground: the errors of captures that were left out a quarter of the distances
/// at a time, not one by one between neighbours that share its reflections.
///
/// Nothing that scores a capture may have seen it: leave it out of `samples` and fit again; the choice is part of the fit.
public struct DelayCalibrationFit: Sendable, Hashable {
  /// One distance with its truth.
  public struct Sample: Sendable, Hashable {
    /// Which capture it is of.
    public var capture: Int
    /// Address of the local device.
    public var local: DeviceAddress?
    /// Address of the peer.
    public var peer: DeviceAddress
    /// Measured less true, m.
    public var error: Double
    /// m, as the measurement states it.
    public var deviation: Double
    /// Received power, dBm; `nil` where the capture has none.
    public var powerdBm: Double?
    /// Whether nothing stood between the antennas; `nil` where unknown.
    public var isLineOfSight: Bool?
    /// m: says which captures lie near each other.
    public var trueDistance: Double?

    /// Creates one with the given values.
    public init(
      capture: Int, local: DeviceAddress? = nil, peer: DeviceAddress, error: Double, deviation: Double,
      powerdBm: Double? = nil, isLineOfSight: Bool? = nil, trueDistance: Double? = nil
    ) {
      self.trueDistance = trueDistance
      self.capture = capture
      self.local = local
      self.peer = peer
      self.error = error
      self.deviation = deviation
      self.powerdBm = powerdBm
      self.isLineOfSight = isLineOfSight
    }
  }

  /// Distance of the curve's knots, dB.
  public var knotSpacingdB: Double
  /// Values of λ to choose from, m⁻²·dB³ against a mean square of a capture's errors.
  public var penalties: [Double]
  /// m/s
  public var propagationSpeed: Double

  /// Creates one with the given values.
  public init(
    knotSpacingdB: Double = 1.5, penalties: [Double] = [0.01, 0.1, 1, 10, 100, 1000],
    propagationSpeed: Double = UWB.speedOfLightInAir
  ) {
    self.knotSpacingdB = knotSpacingdB
    self.penalties = penalties
    self.propagationSpeed = propagationSpeed
  }

  /// Penalties κ of devices' delays, against a mean square of a capture's errors.
  static let devicePenalties = [1e-6, 0.1, 1]
  /// Fewer captures have no neighbours to be left out with.
  private static let fewestOfBlocks = 8
  private static let blocks = 4
  /// What one place alone is worth elsewhere, m: nothing measured says better.
  static let unknownDeviation = 0.1

  /// What was chosen, and why.
  public struct Report: Sendable, Hashable {
    /// Which terms the calibration has.
    public enum Model: String, Sendable, Hashable {
      /// No term, one delay for all devices, or a delay for each device.
      case none, constant, devices
      /// One delay for all devices and a bias that depends on power.
      case constantAndCurve = "constant and curve"
      /// A delay for each device and a bias that depends on power.
      case devicesAndCurve = "devices and curve"
    }
    /// Root of the mean loss on groups that were left out, m.
    public struct Candidate: Sendable, Hashable {
      /// The model.
      public var model: Model
      /// Its error on groups that were left out, m.
      public var error: Double
    }

    /// The calibration that was fitted.
    public var calibration: DelayCalibration
    /// The model that was chosen.
    public var model: Model
    /// The best setting of each model.
    public var candidates: [Candidate]
    /// Groups that were left out, and whether they are pairs of devices (else captures).
    public var groupCount: Int
    /// Whether the groups are pairs of devices, else captures.
    public var isByPairs: Bool
    /// Devices of whose delays the ranges tell sums alone, as `DeviceAddress` prints them.
    public var openDevices: [String]
    /// Mean error of the groups, m, where it is not told from what places add, so that nothing is taken off; else `nil`.
    public var undeterminedLevel: Double?
  }

  /// `nil` where there is no sample with a finite error.
  public func calibration(of samples: [Sample]) -> DelayCalibration? { report(of: samples)?.calibration }

  /// The same without one capture.
  public func calibration(of samples: [Sample], leavingOut capture: Int) -> DelayCalibration? {
    calibration(of: samples.filter { $0.capture != capture })
  }

  /// The calibration, and how it was chosen; `nil` where there is no sample with a finite error.
  public func report(of samples: [Sample]) -> Report? {
    let usable = samples.filter(\.error.isFinite)
    let clear = usable.contains { $0.isLineOfSight != false } ? usable.filter { $0.isLineOfSight != false } : usable
    guard !clear.isEmpty else { return nil }
    let devices = Self.addresses(clear)
    let groups = CaptureGroups(clear)
    guard let chosen = choose(clear, groups, devices: devices, offsets: { _ in 0 }) else { return nil }
    var report = chosen.report
    let blocked = usable.filter { $0.isLineOfSight == false }
    guard clear.count < usable.count, !blocked.isEmpty else { return report }
    let delays = DelayCorrection(
      DelayCalibration(devices: report.calibration.devices), propagationSpeed: propagationSpeed)
    let obstructed = choose(blocked, CaptureGroups(blocked), devices: []) {
      delays.bias(local: $0.local, peer: $0.peer, powerdBm: nil).distance
    }
    if var curve = obstructed?.report.calibration.lineOfSight, let level = obstructed?.level {
      // A level is a curve of one knot.
      if curve.knots.isEmpty { curve.knots = [blocked.compactMap(\.powerdBm).first ?? 0] }
      curve.values = curve.values.isEmpty ? [level] : curve.values.map { $0 + level }
      // Behind obstacles nothing is known better than in the clear, whose delays it stands on.
      curve.deviation = max(curve.deviation, report.calibration.lineOfSight.deviation)
      report.calibration.obstructed = curve
    }
    return report
  }

  private static func addresses(_ samples: [Sample]) -> [DeviceAddress?] {
    let named = Set(samples.flatMap { [$0.peer, $0.local] }.compactMap { $0 })
    return (samples.contains { $0.local == nil } ? [nil] : [])
      + named.sorted { $0.rawValue < $1.rawValue }.map { $0 }
  }

  // MARK: The choice

  private struct Chosen {
    var report: Report
    /// m
    var level: Double
  }

  private func choose(
    _ samples: [Sample], _ groups: CaptureGroups, devices: [DeviceAddress?], offsets: (Sample) -> Double
  ) -> Chosen? {
    let isPowerKnown = samples.allSatisfy { $0.powerdBm != nil }
    let knots = isPowerKnown ? knots(samples.compactMap(\.powerdBm), most: groups.captures.count / 2) : []
    let regression = DelayRegression(
      captures: groups.captures, groups: groups.groups, addresses: devices, knots: knots.count > 2 ? knots : [],
      offsets: offsets)
    guard let plain = regression.fit(.constant) else { return nil }
    let scale = plain.scale
    guard let nothing = regression.outcome(.none, plain, scale: scale),
      let constant = regression.outcome(.constant, plain, scale: scale)
    else { return nil }
    // One group can't be left out: then a constant is all there is.
    let candidates = [nothing, constant] + (groups.groups.count > 1 ? models(regression, scale) : [])
    guard let index = CalibrationChoice.simplest(candidates.map(\.costs)) else { return nil }
    let errors = groups.groups.map { CalibrationChoice.mean($0.map { nothing.heldOut[$0] }) }
    let isUndetermined = index == 1 && !CalibrationChoice.isPlain(meanOf: errors)
    var result = chosen(isUndetermined ? nothing : candidates[index], candidates, regression, groups, scale)
    if isUndetermined { result.report.undeterminedLevel = CalibrationChoice.mean(errors) }
    return result
  }

  /// The best setting of each model beyond a constant, simplest model first: how stiff a part is is no matter of simplicity.
  private func models(_ regression: DelayRegression, _ scale: Double) -> [DelayRegression.Outcome] {
    func best(
      _ settings: [DelayRegression.Setting], weightedBy setting: DelayRegression.Setting? = nil
    ) -> DelayRegression.Outcome? {
      guard !settings.isEmpty, let weights = regression.fit(setting ?? settings[settings.count / 2]) else { return nil }
      let outcomes = settings.compactMap { regression.outcome($0, weights, scale: scale) }
      return CalibrationChoice.best(outcomes.map(\.costs)).map { best in
        var outcome = outcomes[best.index]
        outcome.costs = best.costs
        return outcome
      }
    }
    let penalties = regression.knots.isEmpty ? [] : penalties.sorted(by: >)
    let settings =
      regression.addresses.count > 2 ? Self.devicePenalties.map { DelayRegression.Setting(devices: $0) } : []
    // A stiff penalty leaves residuals that look like wrong captures: the weakest tells which those are.
    let devices = best(settings, weightedBy: settings.first)
    let curve = best(penalties.map { DelayRegression.Setting(curve: $0) })
    let both = devices.flatMap { devices in
      best(penalties.map { DelayRegression.Setting(devices: devices.setting.devices, curve: $0) })
    }
    return [devices, curve, both].compactMap { $0 }
  }

  private func chosen(
    _ best: DelayRegression.Outcome, _ all: [DelayRegression.Outcome], _ regression: DelayRegression,
    _ groups: CaptureGroups, _ scale: Double
  ) -> Chosen {
    let count = regression.addresses.count
    var level = best.setting.hasLevel ? best.solution[0] : 0
    var curve = DelayCalibration.PowerBias(heldOutDeviation: Self.deviation(best.heldOut, scale: scale))
    curve.deviation = curve.heldOutDeviation ?? 0
    if let blocks = groups.blocks(Self.blocks, fewest: Self.fewestOfBlocks), let weights = regression.fit(best.setting),
      let apart = regression.outcome(best.setting, weights, scale: scale, groups: blocks)
    {
      curve.deviation = max(curve.deviation, Self.deviation(apart.heldOut, scale: scale))
    }
    if best.setting.curve != nil {
      curve.knots = regression.knots
      curve.values = Array(best.solution[(1 + count)...])
      level += Self.center(&curve, groups.captures)
    }
    let delays = regression.addresses.indices.map { index in
      level / 2 + (best.setting.devices == nil ? 0 : best.solution[1 + index])
    }
    let devices = zip(regression.addresses, delays).map {
      DelayCalibration.Device(address: $0?.description, delay: 2 * $1 / propagationSpeed)
    }
    let candidates = all.map {
      Report.Candidate(model: $0.setting.model, error: CalibrationChoice.mean($0.costs).squareRoot())
    }
    return Chosen(
      report: Report(
        calibration: DelayCalibration(devices: best.setting == .none ? [] : devices, lineOfSight: curve),
        model: best.setting.model, candidates: candidates, groupCount: groups.groups.count,
        isByPairs: groups.isByPairs, openDevices: groups.openDevices.map(\.description)),
      level: level)
  }

  /// Knots over the central 99 % of the powers; no more than captures can carry.
  private func knots(_ powers: [Double], most: Int) -> [Double] {
    let sorted = powers.filter(\.isFinite).sorted()
    guard sorted.count > 10 else { return [] }
    let lower = sorted[sorted.count / 200]
    let upper = sorted[sorted.count - 1 - sorted.count / 200]
    guard upper - lower > 2 * knotSpacingdB else { return [] }
    let count = Int((upper - lower) / knotSpacingdB, rounded: .up, within: 0...max(0, most - 1))
    guard count > 1 else { return [] }
    return (0...count).map { lower + (upper - lower) * Double($0) / Double(count) }
  }

  /// Of a place that took no part, from the captures' median errors about zero: the biweight midvariance (Mosteller & Tukey, "Data
  /// Analysis and Regression", 1977, chapter 10), so that a wrong truth among them does not speak for all; of a few the mean square.
  /// (n + 1)/(n − 1) for how little n places know of it.
  private static func deviation(_ heldOut: [Double], scale: Double) -> Double {
    let count = Double(heldOut.count)
    guard count > 1 else { return max(scale, unknownDeviation, abs(heldOut.first ?? 0)) }
    let median = heldOut.map(abs).sorted()[heldOut.count / 2]
    let limit = heldOut.count < 5 ? .infinity : max(9 * median, 1e-9)
    var (squares, slope) = (0.0, 0.0)
    for error in heldOut where abs(error) < limit {
      let share = (error / limit) * (error / limit)
      squares += error * error * (1 - share) * (1 - share) * (1 - share) * (1 - share)
      slope += (1 - share) * (1 - 5 * share)
    }
    return (count * squares).squareRoot() / abs(slope) * ((count + 1) / (count - 1)).squareRoot()
  }

  /// Takes the curve's mean over the captures out of it.
  private static func center(_ curve: inout DelayCalibration.PowerBias, _ captures: [[Sample]]) -> Double {
    let spline = NaturalSpline(knots: curve.knots, values: curve.values)
    let means = captures.map { capture in
      capture.reduce(0) { $0 + spline($1.powerdBm ?? spline.knots[0]) } / Double(capture.count)
    }
    let mean = CalibrationChoice.mean(means)
    for index in curve.values.indices { curve.values[index] -= mean }
    return mean
  }
}

extension DelayRegression.Setting {
  fileprivate var model: DelayCalibrationFit.Report.Model {
    switch (devices != nil, curve != nil) {
    case (true, true): .devicesAndCurve
    case (true, false): .devices
    case (false, true): .constantAndCurve
    case (false, false): hasLevel ? .constant : .none
    }
  }
}
