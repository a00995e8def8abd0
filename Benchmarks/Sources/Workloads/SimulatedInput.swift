import Numerics
import UWBDSP
import UWBSimulation

/// Made-up input, the same in every run: what everything here is measured on.
public enum SimulatedInput {
  /// UWB channel 9.
  public static let carrier = 7987.2e6
  static let halfWavelength = UWB.speedOfLightInAir / carrier / 2

  /// One antenna; two in a row (one angle); four in a square (two angles); others in a row, half a wavelength apart.
  public static func array(antennas: Int) -> AntennaArray {
    antennas == 1
      ? .single(carrier: carrier)
      : antennas == 4
        ? .rectangular(columns: 2, rows: 2, spacing: SIMD2(repeating: halfWavelength), carrier: carrier)
        : .linear(count: antennas, spacing: halfWavelength, carrier: carrier)
  }

  /// Exchanges with a peer that walks past in a room (six walls, first path 25–35 dB over the noise), or in free space, held
  /// as 16-bit integers. Poll and final have a CIR each. At most as many as the walk has.
  public static func exchanges(
    antennas: Int, inRoom: Bool, count: Int = 64, tapCount: Int = 1016, array: AntennaArray? = nil,
    profile: DeviceProfile = .ideal, seed: UInt64 = 1
  ) -> [RangingExchange] {
    guard var link = Scenario.walk.links(profile: profile, seed: seed).first else { return [] }
    link.array = array ?? Self.array(antennas: antennas)
    if !inRoom { link.room = nil }
    // The peer's own timestamps are exact to a tick: what is off is the estimators' doing.
    link.profile.receptionDeviation = 0
    link.exchangeCount = min(count, link.exchangeCount)
    link.tapCount = tapCount
    let start = 0.73 * Double(tapCount)
    link.firstPathTaps = start...start + 8
    return Array(ExchangeSimulator(link, seed: seed))
  }

  /// Exchanges in rooms of an arena family, a room each: sizes, places, walls, things and the diffuse tail are drawn at random. The strongest
  /// tap is 22–38 dB over the noise. Held as 16-bit integers; poll and final have a CIR each, which differ in their noise.
  public static func rooms(
    _ family: ArenaFamily, antennas: Int, count: Int, seed: UInt64 = 1
  ) -> [RangingExchange] {
    let single = ArenaTrials(family: family, seed: seed)
    let several = antennas > 1 ? ArenaArrayTrials(family: family, antennaCount: antennas, seed: seed) : nil
    // Clocks are exact, and so are the chip's first paths: what is off is the estimators' doing.
    let (flight, reply): (Int64, Int64) = (2000, 128_000_000)
    func time(_ flights: Int64, _ replies: Int64) -> DeviceTime {
      DeviceTime(ticks: UInt64(flights * flight + replies * reply))
    }
    func reception(_ room: Int, _ number: Int, at time: DeviceTime) -> (Reception, azimuth: Double?) {
      let trial = several?.trial(room, reception: number)
      let alone = trial == nil ? single.trial(room, reception: number) : nil
      let response = trial?.response ?? alone?.response
      let samples = (0..<antennas).flatMap { response?.samples(antenna: $0) ?? [] }
      let first = trial?.firstPathTaps ?? alone?.firstPathTaps ?? 0
      return (
        Reception(
          time: time, chipFirstPathTaps: first - family.profile.peakOffsetTaps,
          impulseResponse: AccumulatorQuantisation.automaticGain(peakCounts: 8000)
            .impulseResponse(samples, antennaCount: antennas)),
        trial?.azimuth
      )
    }
    return (0..<count).map { room in
      let (poll, azimuth) = reception(room, 0, at: time(1, 0))
      let (final, _) = reception(room, 1, at: time(3, 2))
      return RangingExchange(
        index: room, time: 0.1 * Double(room), peer: DeviceAddress(rawValue: 1), initiator: .peer,
        poll: RangingMessage(transmitted: time(0, 0), reception: poll),
        response: RangingMessage(transmitted: time(1, 1), reception: Reception(time: time(2, 1))),
        final: RangingMessage(transmitted: time(2, 2), reception: final),
        truth: GroundTruth(distance: Double(flight) * UWB.tick * UWB.speedOfLightInAir, azimuth: azimuth))
    }
  }

  /// CIRs of one antenna and channel, 25 dB, as 16-bit integers.
  public static func responses(
    _ channel: Channel, count: Int = 64, tapCount: Int = 1016, snrdB: Double = 25
  ) -> [ChannelImpulseResponse] {
    let generator = DelayTrialGenerator(
      channel: channel, snrdB: snrdB, reference: .firstPathOrStrongest(channel), tapCount: tapCount, seed: 1)
    var samples: [Complex<Float>] = []
    return (0..<count).map { index in
      _ = generator.trial(index, into: &samples)
      return AccumulatorQuantisation.automaticGain(peakCounts: 8000).impulseResponse(samples)
    }
  }

  /// Snapshots of one source, 10 dB.
  public static func snapshots(_ array: AntennaArray, snapshotCount: Int, count: Int = 16) -> [Snapshots] {
    let generator = DirectionTrialGenerator(
      array: array, scene: DirectionScene(placement: .within(1)), snapshotCount: snapshotCount, snrdB: 10, seed: 1)
    return (0..<count).map { index in
      var snapshots = Snapshots(
        antennaCount: array.positions.count, snapshotCount: snapshotCount,
        noiseVariance: snapshotCount == 1 ? generator.noiseVariance : nil)
      _ = generator.trial(index, into: &snapshots)
      return snapshots
    }
  }
}

extension DelayTrialGenerator.SNRReference {
  /// Random channels may begin with a path too weak to refer to.
  fileprivate static func firstPathOrStrongest(_ channel: Channel) -> Self {
    if case .ieee802154a = channel { .strongestTap } else { .firstPath }
  }
}
