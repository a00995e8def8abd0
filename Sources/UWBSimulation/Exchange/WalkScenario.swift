import UWBDSP

extension AntennaArray {
  /// Three antennas half a wavelength apart in an L, seen from the back: one, one to its right, one above it; their mean is
  /// the origin. The default carrier is that of UWB channel 9.
  public static func lShaped(carrier: Double = 7987.2e6) -> AntennaArray {
    let step = UWB.speedOfLightInAir / carrier / 2
    let mean = SIMD3(step / 3, step / 3, 0)
    return AntennaArray(
      positions: [SIMD3(0, 0, 0) - mean, SIMD3(step, 0, 0) - mean, SIMD3(0, step, 0) - mean], carrier: carrier)
  }

  /// One antenna at the origin.
  public static func single(carrier: Double = 7987.2e6) -> AntennaArray {
    AntennaArray(positions: [.zero], carrier: carrier)
  }
}

extension Scenario {
  /// A peer walks past a device with three antennas in a furnished-size, empty room of 8 × 2.7 × 9 m: 2 to 6 m away, 1.2 m/s,
  /// 10 exchanges a second for 12 s, first path 25–35 dB over the noise of a tap, clocks a few ppm apart and drifting.
  public static let walk = Scenario(
    name: "walk", summary: "a peer walks past a device with three antennas in a room: 2-6 m, 1.2 m/s, 12 s at 10 Hz",
    array: .lShaped()
  ) { profile, generator in
    let trajectory = Trajectory.waypoints(
      [
        SIMD3(-3.2, 1.1, -4.9), SIMD3(0.3, 1.2, -2.1), SIMD3(3.2, 1.5, -4.0), SIMD3(0.5, 1.3, -5.9),
        SIMD3(-2.4, 1.0, -4.2),
      ],
      speed: 1.2)
    var link = ExchangeConfiguration(
      profile: profile, array: .lShaped(), peerTrajectory: trajectory,
      exchangeCount: Int((trajectory.duration ?? 0) * 10, within: 0...1 << 20))
    link.localPose = DevicePose(position: SIMD3(0, 1.3, 0))
    link.room = Room(
      lower: SIMD3(-4, 0, -7.5), upper: SIMD3(4, 2.7, 1.5), lowerReflection: SIMD3(-0.6, -0.5, -0.6),
      upperReflection: SIMD3(-0.6, -0.4, -0.5))
    link.drawClocks(using: &generator)
    // Full scale at half a metre: the walk uses 12 to 14 of the 16 bits.
    link.quantisation = .fullScale(2)
    return [link]
  }

  /// A peer that stays 3 m in front of a device with one antenna in free space: nothing but noise.
  public static let still = Scenario(
    name: "still", summary: "a peer stays 3 m in front of a device with one antenna, no reflections: 20 s at 10 Hz",
    array: .single()
  ) { profile, generator in
    var link = ExchangeConfiguration(
      profile: profile, array: .single(), peerTrajectory: .stationary(SIMD3(0, 0, -3)), exchangeCount: 200)
    link.drawClocks(using: &generator)
    return [link]
  }
}

extension ExchangeConfiguration {
  /// Clocks as crystals have them: any reading, up to ±5 ppm off, drifting by up to ±0.02 ppm a second.
  mutating func drawClocks(using generator: inout SeededGenerator) {
    func clock() -> SimulatedClock {
      SimulatedClock(
        offsetTicks: generator.next() & (DeviceTime.ticksPerWrap - 1), rateppm: generator.uniform(in: -5...5),
        driftppm: generator.uniform(in: -0.02...0.02))
    }
    localClock = clock()
    peerClock = clock()
  }
}
