import Numerics
import UWBDSP
import UWBPlatform

/// The rooms of an arena family as an array receives them, with true first paths and azimuths: trial i is the same whichever thread asks
/// for it.
///
/// What a room mirrors comes from where its image lies. What things scatter, the diffuse tail, and the signals of impairments come from
/// anywhere. The array faces the direct path within 60° in azimuth. Rooms where that path rises or falls by more than 45° are drawn anew.
public struct ArenaArrayTrials: Sendable {
  /// The family that the rooms and radios belong to.
  public let family: ArenaFamily
  /// The receiver's antennas, round the origin.
  public let array: AntennaArray
  private let pulses: [PulseShape]
  private let synthesizers: [ImpulseResponseSynthesizer]
  private let random: SeededGenerator

  /// One CIR and what is true of it.
  public struct Trial: Sendable {
    /// The CIR, antenna after antenna.
    public var response: ChannelImpulseResponse
    /// Where the first path's pulse peaks at the array's origin, taps from the start of `response`.
    public var firstPathTaps: Double
    /// What the array can tell of the direct path's direction, rad: a row knows the angle to its axis alone.
    public var azimuth: Double
  }

  static let azimuths = -Double.pi / 3...Double.pi / 3
  static let highestElevation = Double.pi / 4
  /// UWB channel 9, Hz.
  static let carrier = 7987.2e6

  /// - Precondition: one of `families`, and two antennas at least.
  public init(family: ArenaFamily, antennaCount: Int, seed: UInt64) {
    precondition(Self.families.contains(family) && antennaCount >= 2, "\(family.name) on \(antennaCount) antennas")
    self.family = family
    let spacing = UWB.speedOfLightInAir / Self.carrier / 2
    array =
      antennaCount == 4
      ? .rectangular(columns: 2, rows: 2, spacing: SIMD2(repeating: spacing), carrier: Self.carrier)
      : .linear(count: antennaCount, spacing: spacing, carrier: Self.carrier)
    let single = ArenaTrials(family: family, seed: seed)
    pulses = single.pulses
    synthesizers = pulses.map { [array] in
      ImpulseResponseSynthesizer(pulse: $0, array: array, tapCount: ArenaFamily.tapCount)
    }
    random = single.random.substream(UInt64(antennaCount)).substream(0)
  }

  /// The families that can be received by an array: rooms whose impairments are signals.
  public static let families = ArenaFamily.all.filter { family in
    guard case .room = family.channel else { return false }
    return family.impairments.allSatisfy(\.addsSignal) && family.windowTaps == nil
  }

  /// Radios that take turns.
  var radioCount: Int { pulses.count }

  /// Makes trial `index`; the same index gives the same CIR.
  ///
  /// - Parameter reception: receptions of one trial differ in their noise alone.
  public func trial(_ index: Int, reception: Int = 0) -> Trial {
    trial(radio: index % pulses.count, stream: 2 * index, isAlone: false, reception: reception)
  }

  /// A CIR of one path alone on radio `radio`, to calibrate an estimator's constant error on.
  func calibrationTrial(_ index: Int, radio: Int) -> Trial {
    trial(radio: radio, stream: 2 * (index * pulses.count + radio) + 1, isAlone: true)
  }

  private func trial(radio: Int, stream: Int, isAlone: Bool, reception: Int = 0) -> Trial {
    var generator = random.substream(UInt64(stream))
    let (paths, direction) = draw(isAlone: isAlone, using: &generator)
    let onset = generator.uniform(in: ArenaFamily.firstPathTaps)
    let snr = pow(10, generator.uniform(in: family.snrdB) / 10)
    var samples = synthesizers[radio].noiseless(paths, onsetTaps: onset)
    let peak = Double(samples.reduce(0) { max($0, $1.lengthSquared) })
    for impairment in isAlone ? [] : family.impairments {
      guard
        var addition = impairment.addition(
          firstPathTaps: onset, tapCount: ArenaFamily.tapCount, using: &generator)
      else { continue }
      for path in addition.paths.indices { addition.paths[path].direction = Self.anywhere(&generator) }
      ArenaTrials.add(addition, peak: peak.squareRoot(), synthesizers[radio], to: &samples)
    }
    if reception > 0 { generator = generator.substream(UInt64(reception)) }
    generator.addNoise(variance: peak / snr, to: &samples)
    return Trial(
      response: ChannelImpulseResponse(samples, antennaCount: array.positions.count), firstPathTaps: onset,
      azimuth: array.positions.count == 4 ? direction.azimuth : asin(direction.x))
  }

  /// Paths by delay in the array's axes, and the direction of the first.
  private func draw(
    isAlone: Bool, using generator: inout SeededGenerator
  ) -> (paths: [Path], direction: SIMD3<Double>) {
    var blocked = false
    if case .room(true) = family.channel { blocked = true }
    var room = ArenaRoom(using: &generator)
    while abs(room.direction.elevation) > Self.highestElevation { room = ArenaRoom(using: &generator) }
    let turn = generator.uniform(in: Self.azimuths) - room.direction.azimuth
    var paths = isAlone ? [] : room.paths(blocked: blocked, using: &generator)
    if isAlone { paths = [Path(delay: 0, amplitude: generator.unitPhasor(), direction: room.direction)] }
    for index in paths.indices {
      let direction = paths[index].direction ?? Self.anywhere(&generator)
      paths[index].direction = Self.turned(direction, by: turn)
    }
    paths.sort { $0.delay < $1.delay }
    return (paths, Self.turned(room.direction, by: turn))
  }

  private static func anywhere(_ generator: inout SeededGenerator) -> SIMD3<Double> {
    let height = generator.uniform(in: -1...1)
    let (angle, across) = (generator.phase(), (1 - height * height).squareRoot())
    return SIMD3(across * cos(angle), height, across * sin(angle))
  }

  /// Adds `angle` to the azimuth.
  private static func turned(_ direction: SIMD3<Double>, by angle: Double) -> SIMD3<Double> {
    let (c, s) = (cos(angle), sin(angle))
    return SIMD3(direction.x * c - direction.z * s, direction.y, direction.z * c + direction.x * s)
  }
}

extension ArenaRoom {
  /// Unit vector from the receiver to the transmitter, in the room's axes.
  fileprivate var direction: SIMD3<Double> {
    let offset = transmitter - receiver
    return offset / offset.length
  }
}
