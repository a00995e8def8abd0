/// One fit of `ClockTracker` to the phases and offsets of the clocks: a Kalman filter over θ, γ and δ, and how many exchanges agree with it.
struct ClockFilter: Sendable, Hashable {
  /// One exchange's reading of the phase.
  struct Phase: Sendable, Hashable {
    /// Peer's minus local counter, ticks modulo a wrap, and what is left of a tick.
    var ticks: DeviceTime
    var fraction: Double
    /// Local counter where the phase was read.
    var local: DeviceTime
    var counterBits: Int
  }

  /// Exchanges that agree with it, from its first.
  var agreements = 0
  /// The same, of about the last eight.
  private(set) var recentAgreements = 0.0
  /// Exchanges in a row that contradict it.
  private(set) var contradictions = 0
  private var last: Phase?
  private var time: Double
  /// When `last` was read, and how far the state has been predicted since, seconds.
  private var lastTime: Double
  private var predicted = 0.0
  /// θ relative to `last`, seconds; γ; δ, and the rows of their covariance.
  private var state = SIMD3<Double>()
  private var phaseRow = SIMD3<Double>()
  private var offsetRow: SIMD3<Double>
  private var driftRow: SIMD3<Double>

  /// Starts at an exchange: any offset, then the exchange's own readings of it.
  init(_ exchange: RangingExchange, _ c: ClockTracker.Configuration) {
    time = exchange.time.isFinite ? exchange.time : 0
    lastTime = time
    offsetRow = SIMD3(0, c.largestOffset * c.largestOffset, 0)
    driftRow = SIMD3(0, 0, c.largestDrift * c.largestDrift)
    if let phase = Phase(exchange) { restart(at: phase, c) }
    note(readOffsets(exchange, c))
  }

  var offset: Double { state.y }
  var offsetVariance: Double { offsetRow.y }
  var drift: Double { state.z }

  /// Whether the offset is better known than that of any two clocks.
  func hasOffset(_ c: ClockTracker.Configuration) -> Bool { offsetRow.y < 1e-2 * c.largestOffset * c.largestOffset }

  /// Predicts to the next exchange and takes the readings that fit.
  ///
  /// - Returns: whether the exchange agrees; one without any reading does.
  mutating func update(_ exchange: RangingExchange, _ c: ClockTracker.Configuration) -> Bool {
    let phase = Phase(exchange)
    let phaseFits = advance(to: exchange.time, phase, c) ? phase.map { follow($0, c) } : nil
    let offsetsFit = readOffsets(exchange, c)
    let fits = phaseFits ?? offsetsFit
    note(fits)
    return fits ?? true
  }

  private mutating func note(_ fits: Bool?) {
    guard let fits else { return }
    agreements += fits ? 1 : 0
    contradictions = fits ? 0 : contradictions + 1
    recentAgreements += (fits ? 1 : 0) - recentAgreements / 8
  }

  // MARK: Prediction

  /// Moves the state to `later`. Returns whether the phase can be compared with the one before.
  private mutating func advance(to later: Double, _ phase: Phase?, _ c: ClockTracker.Configuration) -> Bool {
    let later = later.isFinite ? later : time
    let rough = max(0, later - time)
    time = later
    guard let phase, let last, let elapsed = Self.elapsed(from: last, to: phase, about: max(0, later - lastTime)) else {
      // How long the silence was is not known on the clocks themselves: this phase begins a new count.
      predict(rough, c)
      if let phase { restart(at: phase, c) }
      return false
    }
    // Phases that were left out have moved the state already.
    predict(max(0, elapsed - predicted), c)
    return true
  }

  private mutating func restart(at phase: Phase, _ c: ClockTracker.Configuration) {
    keep(phase)
    state.x = 0
    phaseRow = SIMD3(Self.phaseVariance(c), 0, 0)
    offsetRow.x = 0
    driftRow.x = 0
  }

  private mutating func keep(_ phase: Phase) {
    last = phase
    lastTime = time
    predicted = 0
  }

  /// Mean of two readings, each with one receive timestamp.
  private static func phaseVariance(_ c: ClockTracker.Configuration) -> Double {
    let rounding = UWB.tick * UWB.tick / 12
    return (c.receptionDeviation * c.receptionDeviation + rounding) / 2
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

  private mutating func predict(_ silence: Double, _ c: ClockTracker.Configuration) {
    // After a day nothing is known of the clocks that the bounds of any two don't say.
    let step = min(silence, 86_400)
    predicted += step
    let half = step * step / 2
    state.x += state.y * step + state.z * half
    state.y += state.z * step
    // P ← F·P·Fᵀ with F = [[1, Δ, Δ²/2], [0, 1, Δ], [0, 0, 1]], rows first, then columns.
    phaseRow += offsetRow * step + driftRow * half
    offsetRow += driftRow * step
    phaseRow = Self.columns(phaseRow, step, half)
    offsetRow = Self.columns(offsetRow, step, half)
    driftRow = Self.columns(driftRow, step, half)
    let wander = c.offsetWander * c.offsetWander
    let drifting = c.driftWander * c.driftWander
    // Integrals of the two random walks over the step.
    let cube = step * step * step
    let xy = wander * half + drifting * cube * step / 8
    let xz = drifting * cube / 6
    let yz = drifting * half
    phaseRow += SIMD3(wander * cube / 3 + drifting * cube * step * step / 20, xy, xz)
    offsetRow += SIMD3(xy, wander * step + drifting * cube / 3, yz)
    driftRow += SIMD3(xz, yz, drifting * step)
  }

  private static func columns(_ row: SIMD3<Double>, _ step: Double, _ half: Double) -> SIMD3<Double> {
    SIMD3(row.x + row.y * step + row.z * half, row.y + row.z * step, row.z)
  }

  // MARK: Correction

  /// Returns whether the phase fits; the state then counts from it.
  private mutating func follow(_ phase: Phase, _ c: ClockTracker.Configuration) -> Bool {
    guard let before = last else { return false }
    // Where θ moved to since `last`, modulo a wrap, in the signed sense.
    let moved = Phase.signed(phase.ticks, minus: before.ticks, phase.counterBits)
    let measured = (Double(moved) + phase.fraction - before.fraction) * UWB.tick
    let wrap = Double(1 << UInt64(phase.counterBits)) * UWB.tick
    var innovation = measured - state.x
    innovation -= (innovation / wrap).rounded() * wrap
    let expected = phaseRow.x + Self.phaseVariance(c)
    guard innovation * innovation <= c.gate * c.gate * expected else { return false }
    correct(innovation, column: SIMD3(phaseRow.x, offsetRow.x, driftRow.x), row: phaseRow, expected)
    state.x -= measured
    keep(phase)
    return true
  }

  /// Takes what chips say of the offset. Returns whether at least half of it fits; `nil` where they say nothing.
  private mutating func readOffsets(_ exchange: RangingExchange, _ c: ClockTracker.Configuration) -> Bool? {
    let fromInitiator = exchange.initiator == .peer
    var count = (fitting: 0, offered: 0)
    read(exchange.poll.reception, isFromPeer: fromInitiator, c, &count)
    read(exchange.response?.reception, isFromPeer: !fromInitiator, c, &count)
    read(exchange.secondPoll?.reception, isFromPeer: !fromInitiator, c, &count)
    read(exchange.final?.reception, isFromPeer: fromInitiator, c, &count)
    return count.offered > 0 ? 2 * count.fitting >= count.offered : nil
  }

  private mutating func read(
    _ reception: Reception?, isFromPeer: Bool, _ c: ClockTracker.Configuration,
    _ count: inout (fitting: Int, offered: Int)
  ) {
    guard let reception else { return }
    take(reception.carrierOffsetppm, isFromPeer, c.carrierDeviation, gate: c.gate, &count)
    take(reception.timeTrackingOffsetppm, isFromPeer, c.timeTrackingDeviation, gate: c.gate, &count)
  }

  private mutating func take(
    _ ppm: Double?, _ isFromPeer: Bool, _ deviation: Double, gate: Double, _ count: inout (fitting: Int, offered: Int)
  ) {
    guard let ppm, ppm.isFinite, abs(ppm) < 1e3 else { return }
    count.offered += 1
    let offset = isFromPeer ? ppm * 1e-6 : 1 / (1 + ppm * 1e-6) - 1
    let expected = offsetRow.y + deviation * deviation
    let innovation = offset - state.y
    guard innovation * innovation <= gate * gate * expected else { return }
    count.fitting += 1
    correct(innovation, column: SIMD3(phaseRow.y, offsetRow.y, driftRow.y), row: offsetRow, expected)
  }

  private mutating func correct(
    _ innovation: Double, column: SIMD3<Double>, row: SIMD3<Double>, _ expected: Double
  ) {
    let gain = column / expected
    state += gain * innovation
    phaseRow -= gain.x * row
    offsetRow -= gain.y * row
    driftRow -= gain.z * row
  }
}

extension ClockFilter.Phase {
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

  static func signed(_ one: DeviceTime, minus other: DeviceTime, _ bits: Int) -> Int64 {
    let forward = Int64(one.ticks(since: other, counterBits: bits))
    return forward < 1 << Int64(bits - 1) ? forward : forward - (1 << Int64(bits))
  }
}
