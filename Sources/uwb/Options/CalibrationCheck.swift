import UWBCapture
import UWBDSP

/// Holds a calibration and an array file against the capture that they are used on: each thing that does not fit is told
/// once.
struct CalibrationCheck {
  let file: String?
  let calibration: Calibration
  let configuration: RangingEngine.Configuration
  /// Whether antennas were named on the command line.
  let isArrayGiven: Bool
  private let devices: Set<DeviceAddress>
  private let learnt: Set<DeviceAddress>
  private var told: Set<String> = []
  private var found: [String] = []
  private var hasImpulseResponse = false
  private var hasTimestamps = false
  private var antennaCount = 0
  private var phaseCount = 0

  init(file: String?, calibration: Calibration, configuration: RangingEngine.Configuration, isArrayGiven: Bool) {
    self.file = file
    self.calibration = calibration
    self.configuration = configuration
    self.isArrayGiven = isArrayGiven
    devices = Set((calibration.delay?.devices ?? []).compactMap { $0.address.flatMap { DeviceAddress($0) } })
    let origin = calibration.origins?.quality
    learnt = Set(((origin?.local ?? []) + (origin?.peers ?? [])).compactMap { DeviceAddress($0) })
  }

  /// What has not been told yet.
  mutating func take() -> [String] {
    defer { found = [] }
    return found
  }

  private mutating func tell(_ part: String?, _ problem: String) {
    let text = "\([file, part].compactMap { $0 }.joined(separator: ", ")): \(problem)"
    if told.insert(text).inserted { found.append(text) }
  }

  private var usesRangeBias: Bool {
    calibration.quality?.rangeBias != nil && calibration.quality?.delay == configuration.delay.name
  }

  // MARK: What the first exchange tells

  /// Origins against the engine as it is set up.
  mutating func begin(board: BoardIdentity) {
    let origins = calibration.origins
    let parts: [(name: String, isThere: Bool, origin: CalibrationOrigin?)] = [
      ("delay", calibration.delay != nil, origins?.delay),
      ("bias", calibration.quality != nil, origins?.quality),
      ("angle, phases", calibration.angle?.manifold != nil, origins?.board),
      ("angle, antennas", calibration.angle?.antennas != nil, origins?.antennas),
    ]
    let unknown = parts.filter { $0.isThere && $0.origin == nil }.map(\.name)
    if !unknown.isEmpty {
      tell(
        unknown.joined(separator: "; "),
        "nothing says what it was made of, so that nothing can be checked; calibrate again to have it written down")
    }
    // Tables of phase differences name no radio.
    for (name, isThere, origin) in parts where isThere && name != "angle, phases" {
      if let profile = origin?.profile, profile != configuration.profile.name {
        tell(name, "it was made on the radio “\(profile)” and is used on “\(configuration.profile.name)”")
      }
    }
    if calibration.delay != nil, !usesRangeBias, let method = origins?.delay?.delay, method != configuration.delay.name
    {
      tell(
        "delay",
        "it was made with --delay \(method) and is used with \(configuration.delay.name), whose distances differ by a constant"
      )
    }
    if calibration.quality?.rangeBias != nil, !usesRangeBias, let method = calibration.quality?.delay {
      tell(
        "bias", "the range bias is that of --delay \(method), not used with \(configuration.delay.name)")
    }
    if let known = origins?.antennas?.antennas, let array = configuration.array,
      known.count == array.positions.count, zip(known, array.positions).contains(where: { Self.apart($0, $1) > 1e-6 })
    {
      tell("angle, antennas", "it was measured on antennas at other places than these")
    }
    if let problem = board.problem { tell("angle", problem) }
    if isArrayGiven, let count = configuration.array?.positions.count, count < 2 {
      tell(nil, "--array names one antenna, which tells no direction")
    }
  }

  private static func apart(_ one: SIMD3<Double>, _ other: SIMD3<Double>) -> Double {
    let offset = one - other
    return offset.length
  }

  // MARK: What exchanges tell

  mutating func see(_ exchange: RangingExchange) {
    if exchange.response != nil || exchange.final != nil { hasTimestamps = true }
    phaseCount = max(phaseCount, exchange.phaseDifferences?.count ?? 0)
    for message in exchange.messages {
      guard let response = message.reception?.impulseResponse else { continue }
      hasImpulseResponse = true
      antennaCount = max(antennaCount, response.antennaCount)
    }
    checkDevices(exchange)
    checkPower(exchange)
  }

  private mutating func checkDevices(_ exchange: RangingExchange) {
    guard exchange.phaseDifferences == nil else { return }
    for address in [exchange.local, exchange.peer].compactMap({ $0 }) {
      if calibration.delay != nil, !usesRangeBias, !devices.isEmpty, !devices.contains(address) {
        tell("delay", "it knows no delay of the device \(address); the mean of those it knows is taken")
      }
      if usesRangeBias, !learnt.isEmpty, !learnt.contains(address) {
        tell("bias", "it was learnt on other devices than \(address), whose antenna delays are in it")
      }
    }
  }

  /// So far beyond the powers that a curve was fitted to, it says nothing, dB.
  private static let powerMargin = 3.0

  private mutating func checkPower(_ exchange: RangingExchange) {
    guard let delay = calibration.delay, !usesRangeBias, !told.contains("power"),
      let power = exchange.localReceivedPowerdBm
    else { return }
    let knots = delay.lineOfSight.knots + (delay.obstructed?.knots ?? [])
    let range = calibration.origins?.delay?.powerdBm
    guard let least = range?.least ?? knots.min(), let most = range?.most ?? knots.max(), knots.count > 1,
      power < least - Self.powerMargin || power > most + Self.powerMargin
    else { return }
    told.insert("power")
    tell(
      "delay",
      "a received power of \(String(decimal: power, places: 1)) dBm lies outside \(String(decimal: least, places: 1)) to "
        + "\(String(decimal: most, places: 1)) dBm, which it covers")
  }

  /// What was there to be used, and found nothing to be used on.
  mutating func finish() {
    if calibration.quality != nil, !hasImpulseResponse { tell("bias", "not used: the capture holds no CIRs") }
    if calibration.delay != nil, !hasTimestamps { tell("delay", "not used: the capture holds no timestamps") }
    let count = configuration.array?.positions.count ?? 1
    if isArrayGiven, !hasImpulseResponse, phaseCount == 0 {
      tell(nil, "--array is not used: the capture holds neither CIRs nor phase differences")
    }
    if isArrayGiven, count > 1, hasImpulseResponse, antennaCount != count {
      tell(
        nil, "--array names \(count) antennas, and the capture's CIRs are of \(antennaCount): there is no direction")
    }
    guard let angle = calibration.angle else { return }
    let channels = angle.manifold?.channels.count
    if let channels, phaseCount > 0, phaseCount != channels {
      tell("angle, phases", "it was measured on \(channels) phase differences, and the capture has \(phaseCount)")
    }
    let usesPhases = channels != nil && phaseCount > 0
    let usesAntennas = angle.antennas != nil && count > 1 && antennaCount > 1
    guard !usesPhases, !usesAntennas else { return }
    let reason =
      switch (angle.antennas != nil, hasImpulseResponse) {
      case (true, true): "the capture is of \(antennaCount > 1 ? "antennas at unknown places" : "one antenna")"
      case (true, false): "the capture holds no CIRs"
      case (false, _): "the capture holds no phase differences"
      }
    tell("angle", "not used: \(reason)")
  }
}

/// Whether a capture is of the board that an angle calibration was measured on.
enum BoardIdentity: Equatable {
  case same
  case other(String)
  case unknown
  /// There is nothing to ask of.
  case irrelevant

  /// - Parameters:
  ///   - origin: of the angle calibration.
  ///   - board: what the caller calls the board in use.
  ///   - hash: of the capture; asked for where nothing else tells.
  init(
    _ origin: CalibrationOrigin?, board: String?, local: DeviceAddress?, hash: () throws -> String?
  ) rethrows {
    if let board, let known = origin?.board {
      self = board == known ? .same : .other("it is of the board “\(known)” and is used on “\(board)”")
    } else if let local, let known = origin?.local, !known.isEmpty {
      let text = local.description
      self =
        known.contains(text)
        ? .same : .other("it is of the board \(known.joined(separator: ", ")) and is used on \(text)")
    } else if let origin, let hash = try hash() {
      if origin.captures.contains(where: { $0.sha512 == hash }) {
        self = .same
      } else if origin.trimmedFrom?.contains(where: { $0.sha512 == hash }) == true {
        self = .other("it was moved with --trim from this capture's board to another")
      } else {
        self = .unknown
      }
    } else {
      self = .unknown
    }
  }

  var problem: String? {
    switch self {
    case .same, .irrelevant: nil
    case .other(let text): text + "; standard deviations allow for it"
    case .unknown:
      "nothing tells whether this board is the calibrated one; standard deviations allow for another (--board NAME tells, here and in "
        + "uwb calibrate angle; --trim moves a calibration to another board)"
    }
  }
}
