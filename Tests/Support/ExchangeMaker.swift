import Numerics
import UWBDSP

/// Exchanges of known distance: true times, two clocks, and a CIR whose first path lies where the timestamp says.
package struct ExchangeMaker {
  package var profile: DeviceProfile
  package var distance = 7.3
  package var initiator = RangingExchange.Initiator.peer
  /// Rates of the clocks over true time, less 1.
  package var localFast = 3e-6
  package var peerFast = -11e-6
  /// Seconds between a reception and the transmission that answers it.
  package var replies = (0.003, 0.004)
  package var snrdB = 30.0
  package var tapCount = 320
  package var tapSpacing = UWB.tap
  package var array: AntennaArray?
  package var direction = SIMD3<Double>(0, 0, -1)
  /// Standard deviation of the chip's first path about the true one, taps of the chip.
  package var chipDeviationTaps = 0.5
  /// How far behind the true first path chips at both ends stamp theirs, taps, on average, and that lateness' standard deviation.
  package var chipLateTaps = 0.0
  package var chipScatterTaps = 0.0

  private static let metresPerTick = UWB.tick * UWB.speedOfLightInAir

  /// A clock: ticks shown at a true time (in true ticks), and back.
  private struct Clock {
    var start: Double
    var rate: Double
    func reading(_ time: Double) -> Double { start + time * rate }
    func time(_ reading: Double) -> Double { (reading - start) / rate }
  }

  package init(profile: DeviceProfile = .ideal, array: AntennaArray? = nil) {
    self.profile = profile
    self.array = array
  }

  package func make(index: Int = 0, using random: inout StatisticsRandom) -> RangingExchange {
    let local = Clock(start: 1e12 * random.uniform(), rate: 1 + localFast)
    let peer = Clock(start: 1e12 * random.uniform(), rate: 1 + peerFast)
    let initiatorClock = initiator == .peer ? peer : local
    let responderClock = initiator == .peer ? local : peer
    let flight = distance / Self.metresPerTick

    // Frames leave on whole ticks of their sender's clock.
    let pollSent = initiatorClock.reading(1000).rounded()
    let pollArrived = initiatorClock.time(pollSent) + flight
    let responseSent = responderClock.reading(pollArrived + replies.0 / UWB.tick).rounded()
    let responseArrived = responderClock.time(responseSent) + flight
    let finalSent = initiatorClock.reading(responseArrived + replies.1 / UWB.tick).rounded()
    let finalArrived = initiatorClock.time(finalSent) + flight

    func received(_ time: Double, on clock: Clock, captured: Bool) -> Reception {
      captured
        ? capture(clock.reading(time), &random)
        : Reception(
          time: stamp(
            clock.reading(time) + profile.receptionDeviation / UWB.tick * random.gaussian() + lateness(&random)))
    }
    let isResponder = initiator == .peer
    return RangingExchange(
      index: index, time: 0.1 * Double(index), peer: DeviceAddress(rawValue: 0xB), initiator: initiator,
      poll: RangingMessage(
        transmitted: stamp(pollSent), reception: received(pollArrived, on: responderClock, captured: isResponder)),
      response: RangingMessage(
        transmitted: stamp(responseSent),
        reception: received(responseArrived, on: initiatorClock, captured: !isResponder)),
      final: RangingMessage(
        transmitted: stamp(finalSent), reception: received(finalArrived, on: responderClock, captured: isResponder)),
      truth: GroundTruth(distance: distance))
  }

  /// Ticks. Draws no number where there is no scatter, so that a seed gives the same exchanges.
  private func lateness(_ random: inout StatisticsRandom) -> Double {
    guard chipScatterTaps > 0 else { return chipLateTaps * UWB.ticksPerTap }
    return (chipLateTaps + chipScatterTaps * random.gaussian()) * UWB.ticksPerTap
  }

  private func stamp(_ ticks: Double) -> DeviceTime {
    DeviceTime(ticks: UInt64(bitPattern: Int64(ticks.rounded())))
  }

  /// The chip stamps its own first path, in error by some fraction of a tap, and rounds to a tick; its index says by
  /// how much that differs from the pulse's peak.
  private func capture(_ arrival: Double, _ random: inout StatisticsRandom) -> Reception {
    let error = chipDeviationTaps * random.gaussian() * UWB.ticksPerTap + lateness(&random)
    let stamped = (arrival + error).rounded()
    let peak = random.uniform(0.7...0.85) * Double(tapCount)
    let chipFirstPath = peak - (profile.peakOffsetTaps * UWB.tap + (arrival - stamped) * UWB.tick) / tapSpacing
    let phase = random.uniform(0...2 * .pi)
    let power = Double.pow(10, snrdB / 10)
    let positions = array?.positions ?? [SIMD3()]
    var samples: [Complex<Float>] = []
    for position in positions {
      let turn = 2 * .pi * (array?.carrier ?? 0) / UWB.speedOfLightInAir * (position * direction).sum()
      let amplitude = Complex<Double>(length: power.squareRoot(), phase: phase + turn)
      for tap in 0..<tapCount {
        let value =
          random.complexGaussian() + amplitude * Complex(profile.pulse((Double(tap) - peak) * tapSpacing))
        samples.append(Complex(Float(value.real), Float(value.imaginary)))
      }
    }
    return Reception(
      time: stamp(stamped), chipFirstPathTaps: chipFirstPath,
      impulseResponse: ChannelImpulseResponse(samples, antennaCount: positions.count, tapSpacing: tapSpacing))
  }
}
