/// The offset between a peer's clock and the local one, and its drift, over many exchanges.
///
/// Every exchange reads both clocks twice. Of a frame from the peer to here, peer's minus local reading = θ − flight; of
/// one from here to the peer, θ + flight; their mean is the phase θ between the clocks in the middle of the two, whatever the
/// distance or its change. θ moves as
///
///     θ(t + Δ) = θ + γ·Δ + ½·δ·Δ²,   γ = rate of the peer's clock over the local one less 1,   δ = its drift, 1/s
///
/// and a recursive least-squares fit follows it: a Kalman filter with random walks on γ and δ (Bar-Shalom, Li & Kirubarajan,
/// "Estimation with Applications to Tracking and Navigation", 2001, section 5.2), which is least squares over a window that
/// forgets at the rate at which crystals wander. Carrier and time-tracking offsets of a chip enter as readings of γ.
///
/// Phases are differences of free-running counters, so they need no unwrapping over silences: they are right modulo
/// 2⁴⁰ (or 2³²) ticks. How long a silence was comes from the local counter and the exchange's time; where these two
/// disagree (a host that stamps lines when it prints them), phases say nothing, and only γ is followed.
///
/// With timestamps of 0.14 ns and one exchange a second γ is known to about a part in 10⁹; what is left is that crystals run
/// otherwise while frames are on the air: 0.24 m on replies of 150–200 ms, where the carrier alone leaves a metre or more. Cost: a few dozen operations an exchange, no allocation.
public struct ClockTracker: Sendable, Hashable {
  public struct Configuration: Sendable, Hashable {
    /// Standard deviation of a receive timestamp, seconds.
    public var receptionDeviation: Double
    /// Of a carrier offset and of a time-tracking offset, ratios (not ppm).
    public var carrierDeviation: Double
    public var timeTrackingDeviation: Double
    /// Random walk of γ in a second, and of δ (1/s) in a second.
    public var offsetWander: Double
    public var driftWander: Double
    /// How far the offset while frames are on the air differs from that between exchanges: crystals warm while a radio works.
    public var exchangeDeviation: Double
    /// How far apart two clocks may run before anything is known, and how fast that may change (1/s).
    public var largestOffset: Double
    public var largestDrift: Double
    /// Phases that differ from the prediction by more deviations than this are left out.
    public var gate: Double
    /// So many of them in a row mean that a clock was reset: the fit starts afresh.
    public var mostOutliers: Int

    /// The defaults are those of plain crystals as in evaluation boards: log 1 of a flat (Kolakowski 2021) shows steps of
    /// 2–4 parts in 10⁹ from second to second, smooth to 1 part in 10⁹; during its exchanges of 0.35 s a second the offset is 1 part in
    /// 10⁸ from that over whole seconds, always the same way. IEEE 802.15.4 allows ±20 ppm each.
    public init(
      receptionDeviation: Double = 0.14e-9, carrierDeviation: Double = 8e-8, timeTrackingDeviation: Double = 3e-7,
      offsetWander: Double = 1e-9, driftWander: Double = 1e-9, exchangeDeviation: Double = 1e-8,
      largestOffset: Double = 40e-6,
      largestDrift: Double = 30e-9, gate: Double = 6, mostOutliers: Int = 3
    ) {
      self.receptionDeviation = receptionDeviation
      self.carrierDeviation = carrierDeviation
      self.timeTrackingDeviation = timeTrackingDeviation
      self.offsetWander = offsetWander
      self.driftWander = driftWander
      self.exchangeDeviation = exchangeDeviation
      self.largestOffset = largestOffset
      self.largestDrift = largestDrift
      self.gate = gate
      self.mostOutliers = mostOutliers
    }
  }

  /// What is known of the clocks at an exchange.
  public struct Estimate: Sendable, Hashable {
    /// Rate of the peer's clock over the local one, less 1.
    public var offset: Double
    public var offsetVariance: Double
    /// Change of `offset`, 1/s.
    public var drift: Double

    public init(offset: Double, offsetVariance: Double, drift: Double = 0) {
      self.offset = offset
      self.offsetVariance = offsetVariance
      self.drift = drift
    }
  }

  /// One exchange's reading of the phase.
  struct Phase {
    /// Peer's minus local counter, ticks modulo a wrap, and what is left of a tick.
    var ticks: DeviceTime
    var fraction: Double
    /// Local counter where the phase was read.
    var local: DeviceTime
    var counterBits: Int
  }

  public let configuration: Configuration
  private var last: Phase?
  private var time = 0.0
  /// When `last` was read, and how far the state has been predicted since, seconds.
  private var lastTime = 0.0
  private var predicted = 0.0
  private var hasOffset = false
  private var outliers = 0
  /// θ relative to `last`, seconds; γ; δ, and their covariance by rows.
  private var state = SIMD3<Double>()
  private var covariance = (SIMD3<Double>(), SIMD3<Double>(), SIMD3<Double>())

  public init(_ configuration: Configuration = Configuration()) {
    self.configuration = configuration
  }

  public static func == (one: ClockTracker, other: ClockTracker) -> Bool {
    one.configuration == other.configuration && one.estimate == other.estimate && one.time == other.time
      && one.last?.ticks == other.last?.ticks && one.outliers == other.outliers
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(configuration)
    hasher.combine(estimate)
    hasher.combine(time)
  }

  /// What is known by now; `nil` before there is an offset better than what any two clocks may have.
  public var estimate: Estimate? {
    guard hasOffset else { return nil }
    let exchange = configuration.exchangeDeviation * configuration.exchangeDeviation
    return Estimate(offset: state.y, offsetVariance: covariance.1.y + exchange, drift: state.z)
  }

  /// Takes the next exchange with this peer; times do not decrease.
  ///
  /// - Returns: the estimate at this exchange, its own readings included.
  @discardableResult
  public mutating func update(_ exchange: RangingExchange) -> Estimate? {
    let phase = Phase(exchange)
    if advance(to: exchange.time, phase), let phase { follow(phase) }
    follow(exchange)
    return estimate
  }

  // MARK: Prediction

  /// Moves the state to `later`. Returns whether the phase can be compared with the one before.
  private mutating func advance(to later: Double, _ phase: Phase?) -> Bool {
    guard covariance.1.y > 0 else {
      start(at: later, phase)
      return false
    }
    let rough = max(0, later - time)
    time = max(time, later)
    guard let phase, let last else {
      predict(rough)
      if let phase { restartPhase(phase) }
      return false
    }
    guard let elapsed = Self.elapsed(from: last, to: phase, about: max(0, later - lastTime)) else {
      // How long the silence was is not known on the clocks themselves: this phase begins a new count.
      predict(rough)
      restartPhase(phase)
      return false
    }
    // Phases that were left out have moved the state already.
    predict(max(0, elapsed - predicted))
    return true
  }

  private mutating func start(at time: Double, _ phase: Phase?) {
    let c = configuration
    self.time = time
    last = nil
    hasOffset = false
    outliers = 0
    state = .zero
    covariance = (
      SIMD3(0, 0, 0), SIMD3(0, c.largestOffset * c.largestOffset, 0), SIMD3(0, 0, c.largestDrift * c.largestDrift)
    )
    if let phase { restartPhase(phase) }
  }

  private mutating func restartPhase(_ phase: Phase) {
    keep(phase)
    state.x = 0
    let variance = phaseVariance
    covariance.0 = SIMD3(variance, 0, 0)
    covariance.1.x = 0
    covariance.2.x = 0
  }

  private mutating func keep(_ phase: Phase) {
    last = phase
    lastTime = time
    predicted = 0
  }

  /// Mean of two readings, each with one receive timestamp.
  private var phaseVariance: Double {
    let rounding = UWB.tick * UWB.tick / 12
    return (configuration.receptionDeviation * configuration.receptionDeviation + rounding) / 2
  }

  /// Seconds from one phase to the next on the local counter; `nil` where `rough` seconds disagree.
  static func elapsed(from last: Phase, to phase: Phase, about rough: Double) -> Double? {
    guard last.counterBits == phase.counterBits else { return nil }
    let wrap = Double(1 << UInt64(phase.counterBits)) * UWB.tick
    let inside = Double(phase.local.ticks(since: last.local, counterBits: phase.counterBits)) * UWB.tick
    let wraps = ((rough - inside) / wrap).rounded()
    let elapsed = inside + max(0, wraps) * wrap
    return abs(elapsed - rough) <= min(0.25, wrap / 8) ? elapsed : nil
  }

  private mutating func predict(_ step: Double) {
    predicted += step
    let half = step * step / 2
    state.x += state.y * step + state.z * half
    state.y += state.z * step
    // P ← F·P·Fᵀ with F = [[1, Δ, Δ²/2], [0, 1, Δ], [0, 0, 1]], rows first, then columns.
    covariance.0 += covariance.1 * step + covariance.2 * half
    covariance.1 += covariance.2 * step
    covariance.0 = Self.columns(covariance.0, step, half)
    covariance.1 = Self.columns(covariance.1, step, half)
    covariance.2 = Self.columns(covariance.2, step, half)
    let c = configuration
    let wander = c.offsetWander * c.offsetWander
    let drifting = c.driftWander * c.driftWander
    // Integrals of the two random walks over the step.
    let cube = step * step * step
    let xy = wander * half + drifting * cube * step / 8
    let xz = drifting * cube / 6
    let yz = drifting * half
    covariance.0 += SIMD3(wander * cube / 3 + drifting * cube * step * step / 20, xy, xz)
    covariance.1 += SIMD3(xy, wander * step + drifting * cube / 3, yz)
    covariance.2 += SIMD3(xz, yz, drifting * step)
  }

  private static func columns(_ row: SIMD3<Double>, _ step: Double, _ half: Double) -> SIMD3<Double> {
    SIMD3(row.x + row.y * step + row.z * half, row.y + row.z * step, row.z)
  }

  // MARK: Correction

  private mutating func follow(_ phase: Phase) {
    guard let before = last else { return }
    // Where θ moved to since `last`, modulo a wrap, in the signed sense.
    let bits = UInt64(phase.counterBits)
    let moved = phase.ticks.ticks(since: before.ticks, counterBits: phase.counterBits)
    var signed = Double(moved)
    if moved >= 1 << (bits - 1) { signed -= Double(1 << bits) }
    let measured = (signed + phase.fraction - before.fraction) * UWB.tick
    let wrap = Double(1 << bits) * UWB.tick
    var innovation = measured - state.x
    innovation -= (innovation / wrap).rounded() * wrap
    let variance = phaseVariance
    let expected = covariance.0.x + variance
    if innovation * innovation > configuration.gate * configuration.gate * expected {
      outliers += 1
      if outliers >= configuration.mostOutliers { start(at: time, phase) }
      return
    }
    outliers = 0
    correct(innovation, column: SIMD3(covariance.0.x, covariance.1.x, covariance.2.x), row: covariance.0, expected)
    // From now on θ counts from this phase.
    state.x -= measured
    keep(phase)
    noteOffset()
  }

  private mutating func follow(_ exchange: RangingExchange) {
    let fromInitiator = exchange.initiator == .peer
    read(exchange.poll.reception, isFromPeer: fromInitiator)
    read(exchange.response?.reception, isFromPeer: !fromInitiator)
    read(exchange.secondPoll?.reception, isFromPeer: !fromInitiator)
    read(exchange.final?.reception, isFromPeer: fromInitiator)
  }

  private mutating func read(_ reception: Reception?, isFromPeer: Bool) {
    guard let reception else { return }
    read(reception.carrierOffsetppm, isFromPeer, configuration.carrierDeviation)
    read(reception.timeTrackingOffsetppm, isFromPeer, configuration.timeTrackingDeviation)
  }

  private mutating func read(_ ppm: Double?, _ isFromPeer: Bool, _ deviation: Double) {
    guard let ppm, ppm.isFinite, abs(ppm) < 1e3 else { return }
    let offset = isFromPeer ? ppm * 1e-6 : 1 / (1 + ppm * 1e-6) - 1
    let expected = covariance.1.y + deviation * deviation
    let innovation = offset - state.y
    // A register that makes no sense says nothing of the clock.
    guard innovation * innovation <= configuration.gate * configuration.gate * expected else { return }
    correct(innovation, column: SIMD3(covariance.0.y, covariance.1.y, covariance.2.y), row: covariance.1, expected)
    noteOffset()
  }

  private mutating func correct(
    _ innovation: Double, column: SIMD3<Double>, row: SIMD3<Double>, _ expected: Double
  ) {
    let gain = column / expected
    state += gain * innovation
    covariance.0 -= gain.x * row
    covariance.1 -= gain.y * row
    covariance.2 -= gain.z * row
  }

  private mutating func noteOffset() {
    hasOffset = hasOffset || covariance.1.y < 1e-2 * configuration.largestOffset * configuration.largestOffset
  }
}

extension ClockTracker.Phase {
  /// The phase that poll and response show; `nil` where a timestamp is missing.
  init?(_ exchange: RangingExchange) {
    guard let pollSent = exchange.poll.transmitted, let pollReceived = exchange.poll.reception?.time,
      let responseSent = exchange.response?.transmitted, let responseReceived = exchange.response?.reception?.time
    else { return nil }
    let isResponder = exchange.initiator == .peer
    let (peerSent, here) = isResponder ? (pollSent, pollReceived) : (responseSent, responseReceived)
    let (sent, peerHeard) = isResponder ? (responseSent, responseReceived) : (pollSent, pollReceived)
    counterBits = min(max(exchange.counterBits, 2), 40)
    let inward = DeviceTime(ticks: peerSent.ticks &- here.ticks)
    let outward = DeviceTime(ticks: peerHeard.ticks &- sent.ticks)
    let spread = Self.signed(outward, minus: inward, counterBits)
    ticks = inward.advanced(byTicks: spread >> 1)
    fraction = spread & 1 == 1 ? 0.5 : 0
    local = here.advanced(byTicks: Self.signed(sent, minus: here, counterBits) >> 1)
  }

  private static func signed(_ one: DeviceTime, minus other: DeviceTime, _ bits: Int) -> Int64 {
    let forward = Int64(one.ticks(since: other, counterBits: bits))
    return forward < 1 << Int64(bits - 1) ? forward : forward - (1 << Int64(bits))
  }
}

extension ClockTracker.Estimate {
  /// The initiator's rate over the responder's, less 1: what `SingleSidedRanging` takes.
  public func offset(ofInitiator initiator: RangingExchange.Initiator) -> Double {
    initiator == .peer ? offset : 1 / (1 + offset) - 1
  }

  /// What one exchange's own registers say of the clocks: the carrier, else time tracking; `nil` where there is neither.
  public init?(_ exchange: RangingExchange, _ configuration: ClockTracker.Configuration) {
    let isResponder = exchange.initiator == .peer
    // The response's offset is the one of the very interval that it corrects.
    let found =
      Self(exchange.response?.reception, isFromPeer: !isResponder, configuration)
      ?? Self(exchange.poll.reception, isFromPeer: isResponder, configuration)
      ?? Self(exchange.final?.reception, isFromPeer: isResponder, configuration)
    guard let found else { return nil }
    self = found
  }

  private init?(_ reception: Reception?, isFromPeer: Bool, _ configuration: ClockTracker.Configuration) {
    guard let reception, let ppm = reception.carrierOffsetppm ?? reception.timeTrackingOffsetppm, ppm.isFinite,
      abs(ppm) < 1e3
    else { return nil }
    let deviation =
      reception.carrierOffsetppm == nil ? configuration.timeTrackingDeviation : configuration.carrierDeviation
    self.init(offset: isFromPeer ? ppm * 1e-6 : 1 / (1 + ppm * 1e-6) - 1, offsetVariance: deviation * deviation)
  }
}
