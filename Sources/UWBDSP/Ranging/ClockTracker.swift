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
/// A reading can be wrong, the first as well as any other. So up to four fits run side by side (`ClockFilter`): one begins wherever a reading
/// fits none of them, and the one that most exchanges agree with is believed. Where so many exchanges in a row contradict it as
/// `contradictionLimit` says, and another has fitted them, that one is.
///
/// With timestamps of 0.14 ns and one exchange a second γ is known to about a part in 10⁹; what is left is that crystals run
/// otherwise while frames are on the air: 0.24 m on replies of 150–200 ms, where the carrier alone leaves a metre or more. Cost: a few
/// hundred operations an exchange; it allocates once, at its first exchange.
public struct ClockTracker: Sendable, Hashable {
  /// Noise of the measured offsets, and how clocks change.
  public struct Configuration: Sendable, Hashable {
    /// Standard deviation of a receive timestamp, seconds.
    public var receptionDeviation: Double
    /// Of a carrier offset and of a time-tracking offset, ratios (not ppm).
    public var carrierDeviation: Double
    /// Standard deviation of a time-tracking offset, a ratio.
    public var timeTrackingDeviation: Double
    /// Random walk of γ in a second, and of δ (1/s) in a second.
    public var offsetWander: Double
    /// Random walk of δ, 1/s in a second.
    public var driftWander: Double
    /// How far the offset while frames are on the air differs from that between exchanges: crystals warm while a radio works.
    public var exchangeDeviation: Double
    /// How far apart two clocks may run before anything is known, and how fast that may change (1/s).
    public var largestOffset: Double
    /// Largest drift of the clock rate, 1/s.
    public var largestDrift: Double
    /// Readings that differ from the prediction by more deviations than this are left out.
    public var gate: Double
    /// Exchanges in a row that contradict what is believed of the clocks, after which it is given up for a fit that they agree with.
    public var contradictionLimit: Int

    /// The defaults are those of plain crystals as in evaluation boards: log 1 of a flat (Kolakowski 2021) shows steps of
    /// 2–4 parts in 10⁹ from second to second, smooth to 1 part in 10⁹; during its exchanges of 0.35 s a second the offset is 1 part in
    /// 10⁸ from that over whole seconds, always the same way. IEEE 802.15.4 allows ±20 ppm each.
    public init(
      receptionDeviation: Double = 0.14e-9, carrierDeviation: Double = 8e-8, timeTrackingDeviation: Double = 3e-7,
      offsetWander: Double = 1e-9, driftWander: Double = 1e-9, exchangeDeviation: Double = 1e-8,
      largestOffset: Double = 40e-6,
      largestDrift: Double = 30e-9, gate: Double = 5, contradictionLimit: Int = 8
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
      self.contradictionLimit = contradictionLimit
    }
  }

  /// What is known of the clocks at an exchange.
  public struct Estimate: Sendable, Hashable {
    /// Rate of the peer's clock over the local one, less 1.
    public var offset: Double
    /// Variance of `offset`.
    public var offsetVariance: Double
    /// Change of `offset`, 1/s.
    public var drift: Double
    /// Whether at least two exchanges agree on it, and more than on anything else. Until then an exchange's own registers are as good.
    public var isSettled: Bool
    /// Exchanges in a row, up to this one, whose readings contradict it.
    public var rejections: Int

    /// Creates one with the given values.
    public init(
      offset: Double, offsetVariance: Double, drift: Double = 0, isSettled: Bool = true, rejections: Int = 0
    ) {
      self.offset = offset
      self.offsetVariance = offsetVariance
      self.drift = drift
      self.isSettled = isSettled
      self.rejections = rejections
    }
  }

  /// Fits that run side by side: what is believed, and room for wrong readings of three kinds.
  private static let filterCount = 4

  /// Noise of the measured offsets, and how clocks change.
  public let configuration: Configuration
  private var filters: [ClockFilter] = []
  /// Index of the fit that is believed.
  private var leader = 0

  /// A tracker that has seen nothing.
  public init(_ configuration: Configuration = Configuration()) {
    self.configuration = configuration
  }

  /// What is known by now; `nil` before there is an offset better than what any two clocks may have.
  public var estimate: Estimate? {
    guard filters.indices.contains(leader), filters[leader].hasOffset(configuration) else { return nil }
    let filter = filters[leader]
    let exchange = configuration.exchangeDeviation * configuration.exchangeDeviation
    let isAlone = filters.indices.allSatisfy { $0 == leader || filters[$0].agreements < filter.agreements }
    return Estimate(
      offset: filter.offset, offsetVariance: filter.offsetVariance + exchange, drift: filter.drift,
      isSettled: isAlone && filter.agreements >= 2, rejections: filter.contradictions)
  }

  /// Takes the next exchange with this peer; times do not decrease.
  ///
  /// - Returns: the estimate at this exchange, its own readings included.
  @discardableResult
  public mutating func update(_ exchange: RangingExchange) -> Estimate? {
    if filters.isEmpty {
      filters.reserveCapacity(Self.filterCount)
      begin(exchange)
      return estimate
    }
    var isExplained = false
    for index in filters.indices {
      isExplained = filters[index].update(exchange, configuration) || isExplained
    }
    if !isExplained { begin(exchange) }
    elect()
    return estimate
  }

  /// Begins a fit at this exchange, in place of the one that least agree with.
  private mutating func begin(_ exchange: RangingExchange) {
    let filter = ClockFilter(exchange, configuration)
    if filters.count < Self.filterCount {
      filters.append(filter)
      return
    }
    var weakest = leader == 0 ? 1 : 0
    for index in filters.indices
    where index != leader && filters[index].agreements < filters[weakest].agreements { weakest = index }
    filters[weakest] = filter
  }

  /// Believes the fit with the most agreements; the one that is believed keeps its place at a tie.
  private mutating func elect() {
    for index in filters.indices where filters[index].agreements > filters[leader].agreements { leader = index }
    guard filters[leader].contradictions >= configuration.contradictionLimit else { return }
    // The clocks are not what they were, or never were. Bad readings that disagree with each other don't say so.
    for index in filters.indices
    where index != leader && filters[index].recentAgreements > Double(configuration.contradictionLimit) / 2 {
      filters[index].agreements = filters[leader].agreements
      leader = index
      return
    }
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
