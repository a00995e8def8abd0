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
