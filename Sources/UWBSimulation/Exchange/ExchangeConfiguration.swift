import Numerics
import UWBDSP
import UWBPlatform

/// One link of a simulation: who ranges with whom, where, when and how well.
public struct ExchangeConfiguration: Sendable, Hashable {
  /// The radio whose pulse, leading-edge offset and timestamp jitter are imitated.
  public var profile: DeviceProfile
  /// The local device's antennas, about its position.
  public var array: AntennaArray
  /// Where the local device is and how it is turned, unless it moves.
  public var localPose: DevicePose = .identity
  /// How the local device moves; `nil` where it stays.
  public var localMotion: Motion?
  /// Where the peer is over time.
  public var peerTrajectory: Trajectory
  /// Mirrors round the two; `nil` for the direct path alone.
  public var room: Room?
  /// Walls in any number, in place of `room`.
  public var surroundings: Surroundings?
  /// Number of exchanges.
  public var exchangeCount: Int
  /// Exchanges a second.
  public var rate = 10.0
  /// True time of the first exchange, seconds.
  public var firstTime = 0.0
  /// From a message's arrival to the next one's departure, seconds.
  public var replyTime = 2e-3
  /// Clock of the local device.
  public var localClock = SimulatedClock()
  /// Clock of the peer.
  public var peerClock = SimulatedClock()
  /// Power of the direct path at 1 m over the noise variance of a tap, dB; it falls by 20 dB a decade.
  public var snrAtOneMetredB = 41.0
  /// What the local device's body takes from paths that come in on the screen's side (+z), dB: nothing up to 90° from its
  /// back, all of it from 107°. The front-to-back ratio of patch antennas is 15 to 25 dB.
  public var bodyLossdB = 0.0
  /// Received power of the direct path at 1 m, dBm: by default −41.3 dBm/MHz over 500 MHz through 48.7 dB (6.5 GHz).
  public var powerAtOneMetredBm = -63.0
  /// Where the direct path's peak may lie in the accumulator, taps.
  public var firstPathTaps: ClosedRange<Double> = 740...750
  /// Standard deviation of the chip's own first path, taps.
  public var chipFirstPathDeviation = 0.1
  /// Standard deviation of the chip's own estimate of the clock offset, parts per million.
  public var clockOffsetDeviationppm = 0.05
  /// Taps of each CIR.
  public var tapCount = 1016
  /// `nil` keeps samples in single precision.
  public var quantisation: AccumulatorQuantisation?
  /// Preamble symbols that a chip accumulates; `nil` where it does not tell.
  public var preambleCount: Int? = 128
  /// Address of the peer.
  public var peer = DeviceAddress(rawValue: 0x0001)
  /// Address of the local device.
  public var local: DeviceAddress? = DeviceAddress(rawValue: 0x0100)
  /// m/s
  public var propagationSpeed = UWB.speedOfLightInAir

  /// Creates one with the given values.
  public init(profile: DeviceProfile, array: AntennaArray, peerTrajectory: Trajectory, exchangeCount: Int) {
    self.profile = profile
    self.array = array
    self.peerTrajectory = peerTrajectory
    self.exchangeCount = exchangeCount
  }

  /// True time at which exchange `index` starts, seconds.
  public func startTime(of index: Int) -> Double {
    firstTime + Double(index) / rate
  }

  /// Where the local device is at a true time.
  public func localPose(at time: Double) -> DevicePose {
    localMotion?.pose(at: time) ?? localPose
  }

  /// Whether no wall stands between the two at a true time.
  public func isLineOfSight(at time: Double) -> Bool {
    surroundings?.isClear(from: peerTrajectory.position(at: time), to: localPose(at: time).position) ?? true
  }

  /// Propagation paths at a true time, by delay, directions in the local device's axes.
  public func paths(at time: Double) -> [Path] {
    let peer = peerTrajectory.position(at: time)
    let pose = localPose(at: time)
    var paths =
      surroundings?.paths(from: peer, to: pose.position, carrier: array.carrier, propagationSpeed: propagationSpeed)
      ?? room?.paths(from: peer, to: pose.position, carrier: array.carrier, propagationSpeed: propagationSpeed)
      ?? [Room.freeSpace(from: peer, to: pose.position, carrier: array.carrier, propagationSpeed: propagationSpeed)]
    for index in paths.indices {
      guard let direction = paths[index].direction.map(pose.toDevice) else { continue }
      paths[index].direction = direction
      if bodyLossdB != 0, direction.z > 0 {
        let part = min(1, direction.z / 0.3)
        let gain = pow(10, -bodyLossdB * part / 20)
        paths[index].amplitude *= Complex(gain)
      }
    }
    return paths
  }
}
