import Numerics
import UWBDSP
import UWBPlatform

/// An exchange, and where its direct paths really peak.
public struct SimulatedExchange: Sendable {
  /// The exchange as a capture would hold it.
  public var exchange: RangingExchange
  /// The peaks of the direct paths in the CIRs, taps from the start of the accumulator.
  public var firstPathTaps: FirstPaths
}

/// Double-sided two-way ranging between a peer that starts and a local device that keeps CIRs, with known truth.
///
/// Each exchange is the peer's poll, the local response and the peer's final. The local device keeps the CIRs of poll and
/// final; of the response there is the peer's timestamp alone. Every message flies the distance of its own moment; the
/// truth is that of the moment when the response leaves (at 1.2 m/s and 2 ms between messages the peer moves 2.4 mm).
///
/// **Timestamps** are those of a chip whose antenna delays are calibrated for its own first path, the pulse's leading edge
/// `peakOffsetTaps` before its peak. With the true arrival A (receiver's ticks), the peak at x taps and the chip's first
/// path at c taps (true leading edge + random error, in 1/64 taps) a reception reads T = A + 64·(c − (x − peakOffset)), rounded
/// to a tick. So T + 64·(x − peakOffset − c) is the arrival to half a tick, whatever the chip's error.
///
/// **Phase**: the oscillators are free, so each reception has a random phase; all antennas share it.
///
/// Exchange i draws from stream i of the seed: any exchange can be made by itself.
public struct ExchangeSimulator: Sendable, Sequence, IteratorProtocol {
  /// What is simulated.
  public let configuration: ExchangeConfiguration
  /// Seed of the random draws.
  public let seed: UInt64
  private let synthesizer: ImpulseResponseSynthesizer
  private var nextIndex = 0

  /// A simulator of this configuration.
  public init(_ configuration: ExchangeConfiguration, seed: UInt64) {
    self.configuration = configuration
    self.seed = seed
    synthesizer = ImpulseResponseSynthesizer(
      pulse: configuration.profile.pulse, array: configuration.array, tapCount: configuration.tapCount,
      propagationSpeed: configuration.propagationSpeed)
  }

  public mutating func next() -> RangingExchange? {
    guard nextIndex < configuration.exchangeCount else { return nil }
    defer { nextIndex += 1 }
    return exchange(at: nextIndex)
  }

  /// Exchange `index`, by itself.
  public func exchange(at index: Int) -> RangingExchange {
    simulated(at: index).exchange
  }

  /// Exchange `index` with what no receiver knows.
  public func simulated(at index: Int) -> SimulatedExchange {
    let c = configuration
    var generator = SeededGenerator(seed: seed, stream: UInt64(bitPattern: Int64(index)))
    let start = c.startTime(of: index)

    let pollSent = c.peerClock.nextTick(at: start, plus: 0)
    let pollArrival = arrival(of: pollSent.offset, from: start)
    let poll = reception(at: start, plus: pollArrival, using: &generator)

    let responseSent = c.localClock.nextTick(at: start, plus: pollArrival + c.replyTime)
    let responseArrival = arrival(of: responseSent.offset, from: start)
    let heard = c.peerClock.reading(at: start, plus: responseArrival)
    let jitter = c.profile.receptionDeviation / UWB.tick * generator.normal()
    let response = heard.time.advanced(
      byTicks: Int64(
        Int(heard.fraction + jitter, rounded: .toNearestOrAwayFromZero, within: -(1 << 40)...1 << 40)))

    let finalSent = c.peerClock.nextTick(at: start, plus: responseArrival + c.replyTime)
    let finalArrival = arrival(of: finalSent.offset, from: start)
    let final = reception(at: start, plus: finalArrival, using: &generator)

    var exchange = RangingExchange(
      index: index, time: c.localClock.elapsed(at: start) - c.localClock.elapsed(at: c.startTime(of: 0)),
      peer: c.peer, local: c.local, initiator: .peer,
      poll: RangingMessage(transmitted: pollSent.time, reception: poll.reception),
      response: RangingMessage(transmitted: responseSent.time, reception: Reception(time: response)),
      final: RangingMessage(transmitted: finalSent.time, reception: final.reception),
      truth: truth(at: start + responseSent.offset))
    let rateDifference = c.peerClock.rateppm(at: start) - c.localClock.rateppm(at: start)
    exchange.chipReport = ChipReport(
      rawDistance: chipDistance(of: exchange),
      clockOffsetppm: rateDifference + c.clockOffsetDeviationppm * generator.normal())
    return SimulatedExchange(
      exchange: exchange, firstPathTaps: FirstPaths(poll: poll.peakTaps, final: final.peakTaps))
  }

  /// When a frame that leaves `offset` after `base` arrives, as an offset from `base`.
  private func arrival(of offset: Double, from base: Double) -> Double {
    let peer = configuration.peerTrajectory.position(at: base + offset)
    let local = configuration.localPose(at: base + offset).position
    return offset + (peer - local).length / configuration.propagationSpeed
  }

  private func reception(
    at base: Double, plus offset: Double, using generator: inout SeededGenerator
  ) -> (reception: Reception, peakTaps: Double) {
    let c = configuration
    let reading = c.localClock.reading(at: base, plus: offset)
    // The accumulator starts on a whole tick, so that the sub-tap position follows from the arrival itself.
    let ticksBefore = (generator.uniform(in: c.firstPathTaps) * UWB.ticksPerTap).rounded(.down)
    let peak = (ticksBefore + reading.fraction) / UWB.ticksPerTap
    let chipError = c.chipFirstPathDeviation * generator.normal()
    let chipTicks = ((peak - c.profile.peakOffsetTaps + chipError) * UWB.ticksPerTap).rounded()
    let lag = (chipTicks - ticksBefore + c.profile.peakOffsetTaps * UWB.ticksPerTap).rounded()

    let phase = generator.unitPhasor()
    var paths = c.paths(at: base + offset)
    var power = 0.0
    for index in paths.indices {
      power += paths[index].power
      paths[index].amplitude *= phase
    }
    let cir = synthesizer.impulseResponse(
      paths, onsetTaps: peak, noiseVariance: pow(10, -c.snrAtOneMetredB / 10), quantisation: c.quantisation,
      using: &generator)
    let reception = Reception(
      time: reading.time.advanced(byTicks: Int64(Int(lag, within: -(1 << 40)...1 << 40))),
      chipFirstPathTaps: chipTicks / UWB.ticksPerTap,
      impulseResponse: cir, preambleCount: c.preambleCount,
      receivedPowerdBm: c.powerAtOneMetredBm + 10 * log10(power),
      firstPathPowerdBm: c.powerAtOneMetredBm + 10 * log10(paths.first?.power ?? 0))
    return (reception, peak)
  }

  private func truth(at time: Double) -> GroundTruth {
    let pose = configuration.localPose(at: time)
    let offset = configuration.peerTrajectory.position(at: time) - pose.position
    let distance = offset.length
    guard distance > 0 else { return GroundTruth(distance: 0, isLineOfSight: true) }
    let unit = pose.toDevice(offset / distance)
    return GroundTruth(
      distance: distance, azimuth: unit.azimuth, elevation: unit.elevation,
      isLineOfSight: configuration.isLineOfSight(at: time))
  }

  /// What the chip's own software makes of its timestamps: asymmetric double-sided ranging (Neirynck, Luk & McLaughlin,
  /// "An alternative double-sided two-way ranging method", WPNC 2016).
  private func chipDistance(of exchange: RangingExchange) -> Double? {
    guard let pollSent = exchange.poll.transmitted, let pollHeard = exchange.poll.reception?.time,
      let responseSent = exchange.response?.transmitted, let responseHeard = exchange.response?.reception?.time,
      let finalSent = exchange.final?.transmitted, let finalHeard = exchange.final?.reception?.time
    else { return nil }
    let roundPeer = Double(responseHeard.ticks(since: pollSent))
    let replyPeer = Double(finalSent.ticks(since: responseHeard))
    let roundLocal = Double(finalHeard.ticks(since: responseSent))
    let replyLocal = Double(responseSent.ticks(since: pollHeard))
    // R₁R₂ − D₁D₂ as a product of small differences: the plain form loses a millimetre to rounding.
    let difference = (roundPeer - replyLocal) * roundLocal + replyLocal * (roundLocal - replyPeer)
    return difference / (roundPeer + roundLocal + replyPeer + replyLocal) * UWB.tick * configuration.propagationSpeed
  }
}
