/// Antenna delays of devices, and what received power adds to a distance: `uwb calibrate delay`.
///
/// **Sign**: a range bias is what is measured less what is true. It is taken off:
///
///     bias = c/2·(delay of one device + delay of the other) + curve(received power)      distance = raw − bias
///
/// A device's delay is what its antenna delay setting lacks, transmission and reception together: positive where the device
/// measures too long. The curve is a natural cubic spline over the power that the receiver reports; amplitude moves the point
/// at which a leading edge crosses its threshold (Decawave APS011, "Sources of error in DW1000 based two-way ranging
/// schemes", 2014), and the reported power saturates where the signal is strong, so no formula of the distance fits all.
public struct DelayCalibration: Sendable, Hashable, Codable {
  /// Antenna delay of one device, or of all that are not named.
  public struct Device: Sendable, Hashable, Codable {
    /// As `DeviceAddress` prints it; `nil` for a local device whose captures don't name it.
    public var address: String?
    /// s
    public var delay: Double

    /// Creates one with the given values.
    public init(address: String?, delay: Double) {
      self.address = address
      self.delay = delay
    }

    enum CodingKeys: String, CodingKey {
      case address
      case delay = "delay_s"
    }
  }

  /// What received power adds, and how well calibrated distances fit captures that took no part.
  public struct PowerBias: Sendable, Hashable, Codable {
    /// dBm, ascending; empty where power adds nothing.
    public var knots: [Double]
    /// m, at the knots
    public var values: [Double]
    /// Standard deviation of a whole capture's mean error after calibration, off the ground it was made on, m.
    public var deviation: Double
    /// The same on its own ground: of captures left out one by one, m.
    public var heldOutDeviation: Double?

    /// Creates one with the given values.
    public init(
      knots: [Double] = [], values: [Double] = [], deviation: Double = 0, heldOutDeviation: Double? = nil
    ) {
      self.heldOutDeviation = heldOutDeviation
      self.knots = knots
      self.values = values
      self.deviation = deviation
    }

    enum CodingKeys: String, CodingKey {
      case knots = "power_dbm"
      case values = "bias_m"
      case deviation = "deviation_m"
      case heldOutDeviation = "held_out_deviation_m"
    }

    /// Whether numbers and their order make sense.
    public var isValid: Bool {
      knots.count == values.count && values.allSatisfy(\.isFinite) && deviation.isFinite && deviation >= 0
        && (knots.isEmpty || NaturalSpline.areKnots(knots))
    }
  }

  /// Delays of the devices.
  public var devices: [Device]
  /// Of captures in line of sight, or of all where none is labelled.
  public var lineOfSight: PowerBias
  /// Of captures without; `nil` where there were none.
  public var obstructed: PowerBias?

  /// Creates one with the given values.
  public init(devices: [Device] = [], lineOfSight: PowerBias = PowerBias(), obstructed: PowerBias? = nil) {
    self.devices = devices
    self.lineOfSight = lineOfSight
    self.obstructed = obstructed
  }

  enum CodingKeys: String, CodingKey {
    case devices
    case lineOfSight = "line_of_sight"
    case obstructed
  }

  /// What is wrong with it, if anything: a file may have been written by hand.
  public var problem: String? {
    if let address = devices.compactMap(\.address).first(where: { DeviceAddress($0) == nil }) {
      return "“\(address)” is not a device address"
    }
    if let device = devices.first(where: { !$0.delay.isFinite || abs($0.delay) > 1e-3 }) {
      return "\(device.delay) s is not an antenna delay"
    }
    var seen: Set<DeviceAddress?> = []
    if let device = devices.first(where: { !seen.insert($0.address.flatMap { DeviceAddress($0) }).inserted }) {
      return "the device \(device.address.map { "“\($0)”" } ?? "without an address") is there twice"
    }
    if !lineOfSight.isValid || obstructed?.isValid == false {
      return "a power curve needs ascending powers, as many finite biases, and a deviation"
    }
    return nil
  }
}

/// A `DelayCalibration` made ready for the engine: no search by text, no allocation.
package struct DelayCorrection: Sendable {
  /// What is to be taken off a distance, and the variance that this adds.
  package struct Bias {
    package var distance: Double
    var variance: Double
  }

  private struct Curve {
    var spline: NaturalSpline?
    var variance: Double

    init(_ bias: DelayCalibration.PowerBias) {
      spline = bias.knots.isEmpty ? nil : NaturalSpline(knots: bias.knots, values: bias.values)
      variance = bias.deviation * bias.deviation
    }

    func callAsFunction(_ powerdBm: Double?) -> Double {
      guard let spline else { return 0 }
      // Without a power, the middle of what was seen.
      return spline(powerdBm ?? (spline.knots[0] + spline.knots[spline.knots.count - 1]) / 2)
    }
  }

  private let delays: [DeviceAddress: Double]
  private let otherDelay: Double
  /// m², of a device that was not calibrated.
  private let otherVariance: Double
  private let hasUnnamed: Bool
  private let unnamedDelay: Double
  private let halfSpeed: Double
  private let lineOfSight: Curve
  private let obstructed: Curve?

  /// What delays of devices of a kind differ by at least, m of distance.
  private static let leastSpread = 0.05
  /// Probability of an obstruction where nothing indicates one.
  private static let unnoticedObstruction = 0.1

  /// - Precondition: the calibration has no `problem`.
  package init(_ calibration: DelayCalibration, propagationSpeed: Double) {
    precondition(calibration.problem == nil, "a delay calibration that makes no sense: \(calibration.problem ?? "")")
    var delays: [DeviceAddress: Double] = [:]
    for device in calibration.devices {
      if let address = device.address.flatMap({ DeviceAddress($0) }) { delays[address] = device.delay }
    }
    self.delays = delays
    // A device that was not calibrated is most likely like those that were.
    let count = calibration.devices.count
    let mean = count == 0 ? 0 : calibration.devices.reduce(0) { $0 + $1.delay } / Double(count)
    otherDelay = mean
    let squares = calibration.devices.reduce(0) { $0 + ($1.delay - mean) * ($1.delay - mean) }
    let spread = count < 2 ? 0 : squares / Double(count - 1) * propagationSpeed * propagationSpeed / 4
    otherVariance = count == 0 ? 0 : max(spread, Self.leastSpread * Self.leastSpread)
    hasUnnamed = calibration.devices.contains { $0.address == nil }
    unnamedDelay = calibration.devices.first { $0.address == nil }?.delay ?? mean
    halfSpeed = propagationSpeed / 2
    lineOfSight = Curve(calibration.lineOfSight)
    obstructed = calibration.obstructed.map(Curve.init)
  }

  /// - Parameters:
  ///   - local: the local device's own address, where it is known.
  ///   - powerdBm: mean received power of the local device's receptions.
  ///   - lineOfSightProbability: 0 … 1; `nil` takes the distance for one in line of sight, its deviation for one that may not be.
  package func bias(
    local: DeviceAddress?, peer: DeviceAddress, powerdBm: Double?, lineOfSightProbability: Double? = nil
  ) -> Bias {
    let own = local.map { delays[$0] ?? otherDelay } ?? unnamedDelay
    let sum = own + (delays[peer] ?? otherDelay)
    let isOwnKnown = local.map { delays[$0] != nil } ?? hasUnnamed
    let unknown = Double((isOwnKnown ? 0 : 1) + (delays[peer] == nil ? 1 : 0)) * otherVariance
    var bias = Bias(distance: halfSpeed * sum, variance: lineOfSight.variance + unknown)
    let clear = lineOfSight(powerdBm)
    guard let obstructed else {
      bias.distance += clear
      return bias
    }
    let blocked = obstructed(powerdBm)
    guard let probability = lineOfSightProbability else {
      // The more likely of the two, and the mean square error that the other one makes of it.
      bias.distance += clear
      let gap = obstructed.variance - lineOfSight.variance + (clear - blocked) * (clear - blocked)
      bias.variance += Self.unnoticedObstruction * max(gap, 0)
      return bias
    }
    // A mixture of both: its mean, and its variance with the distance between the two.
    let rest = 1 - probability
    bias.distance += probability * clear + rest * blocked
    bias.variance =
      probability * lineOfSight.variance + rest * obstructed.variance + unknown
      + probability * rest * (clear - blocked) * (clear - blocked)
    return bias
  }
}

extension DelayCalibration {
  /// Bias of a distance, m: what is measured less what is true. The engine's own way is the same without looking anything
  /// up by text.
  ///
  /// - Parameter lineOfSightProbability: 0 … 1; `nil` takes the distance for one in line of sight, its deviation for one that may not be.
  public func bias(
    local: DeviceAddress?, peer: DeviceAddress, powerdBm: Double?, lineOfSightProbability: Double? = nil,
    propagationSpeed: Double = UWB.speedOfLightInAir
  ) -> (distance: Double, deviation: Double) {
    let bias = DelayCorrection(self, propagationSpeed: propagationSpeed).bias(
      local: local, peer: peer, powerdBm: powerdBm, lineOfSightProbability: lineOfSightProbability)
    return (bias.distance, bias.variance.squareRoot())
  }
}
