import Numerics
import UWBDSP
import UWBPlatform

/// The channels of an arena family. Every draw has other parameters; the truth is the earliest path, at delay 0.
public enum ArenaChannel: Sendable, Hashable {
  /// The direct path alone.
  case onePath
  /// Two paths `spacingTaps` apart, the second −6 … +6 dB as strong.
  case twoPaths
  /// Two to five paths and nothing else, up to 250 taps from one to the next, the later ones −8 … +12 dB as strong as the first.
  case sparse
  /// A furnished room of random size and materials; `blocked`: the direct path is 6 … 20 dB down.
  case room(blocked: Bool)
  /// Saleh–Valenzuela; with line of sight a direct path is added before the first cluster.
  case salehValenzuela(lineOfSight: Bool)
  /// Saleh–Valenzuela with sparse rays and clusters that hardly fade, as outdoors: later clusters are often the strongest.
  case outdoor
  /// One path, 6 dB above … 12 dB below the dense cluster that follows it 1.5 … 20 taps later.
  case beforeCluster(powerdB: ClosedRange<Double> = -6...12)
  /// One dense cluster that rises softly.
  case softOnset

  static let spacingTaps = 1.0...2.5
  static let sparseTaps = 1.5...250.0
  static let sparsedB = -8.0...12.0
  static let blockagedB = 6.0...20.0
  static let clusterTaps = 1.5...20.0

  /// Paths by delay.
  func draw(using generator: inout SeededGenerator) -> [Path] {
    var paths: [Path] =
      switch self {
      case .onePath: [Path(delay: 0, amplitude: generator.unitPhasor())]
      case .twoPaths: Self.twoPaths(&generator)
      case .sparse: Self.sparse(&generator)
      case .room(let blocked): ArenaRoom(using: &generator).paths(blocked: blocked, using: &generator)
      case .salehValenzuela(let isClear): Self.salehValenzuela(isClear, &generator)
      case .outdoor: Self.outdoor(&generator).paths(using: &generator)
      case .beforeCluster(let powerdB): Self.beforeCluster(powerdB, &generator)
      case .softOnset: Self.softOnset(&generator).paths(using: &generator)
      }
    paths.sort { $0.delay < $1.delay }
    return paths
  }

  private static func twoPaths(_ generator: inout SeededGenerator) -> [Path] {
    let second = generator.lognormalPower(meandB: generator.uniform(in: -6...6), deviationdB: 0).squareRoot()
    return [
      Path(delay: 0, amplitude: generator.unitPhasor()),
      Path(
        delay: generator.uniform(in: spacingTaps) * UWB.tap, amplitude: generator.unitPhasor() * Complex(second)),
    ]
  }

  private static func sparse(_ generator: inout SeededGenerator) -> [Path] {
    var paths = [Path(delay: 0, amplitude: generator.unitPhasor())]
    var delay = 0.0
    for _ in 0..<Int(generator.uniform(in: 1...5)) {
      delay += generator.logUniform(in: sparseTaps)
      let power = generator.lognormalPower(meandB: generator.uniform(in: sparsedB), deviationdB: 0)
      paths.append(Path(delay: delay * UWB.tap, amplitude: generator.unitPhasor() * Complex(power.squareRoot())))
    }
    return paths
  }

  private static func salehValenzuela(_ isClear: Bool, _ generator: inout SeededGenerator) -> [Path] {
    let rate = generator.uniform(in: 0.3...3) * 1e9
    let parameters = IEEE802154aParameters(
      profile: .clusters(
        count: generator.uniform(in: 2...10), rate: generator.uniform(in: 0.02...0.15) * 1e9,
        decay: generator.uniform(in: 8...40) * 1e-9, shadowingdB: generator.uniform(in: 2...4),
        rays: .mixture(first: rate, second: rate, probability: 1), rayDecay: generator.uniform(in: 3...18) * 1e-9,
        rayDecaySlope: 0),
      fadingMean: generator.uniform(in: 0.3...0.8), fadingDeviation: generator.uniform(in: 0.2...1),
      firstRayFadingdB: generator.uniform(in: 3...10), shadowingdB: 0, frequencyExponent: 0)
    var paths = parameters.paths(using: &generator)
    guard isClear else { return paths }
    // Power of the direct path over that of all rays.
    let direct = generator.lognormalPower(meandB: generator.uniform(in: -6...8), deviationdB: 0).squareRoot()
    let gap = generator.exponential(mean: 2e-9)
    for index in paths.indices { paths[index].delay += gap }
    paths.append(Path(delay: 0, amplitude: generator.unitPhasor() * Complex(direct)))
    return paths
  }

  private static func outdoor(_ generator: inout SeededGenerator) -> IEEE802154aParameters {
    IEEE802154aParameters(
      profile: .clusters(
        count: generator.uniform(in: 2...14), rate: generator.logUniform(in: 0.01...0.1) * 1e9,
        decay: generator.logUniform(in: 10...120) * 1e-9, shadowingdB: generator.uniform(in: 2...4),
        rays: .mixture(
          first: generator.uniform(in: 0.1...0.3) * 1e9, second: generator.uniform(in: 1...3) * 1e9,
          probability: generator.uniform(in: 0...0.1)),
        rayDecay: generator.uniform(in: 3...15) * 1e-9, rayDecaySlope: 0),
      fadingMean: generator.uniform(in: 0.3...0.8), fadingDeviation: generator.uniform(in: 0.2...1), shadowingdB: 0,
      frequencyExponent: 0)
  }

  private static func beforeCluster(_ powerdB: ClosedRange<Double>, _ generator: inout SeededGenerator) -> [Path] {
    let cluster = DenseCluster(
      onset: generator.logUniform(in: clusterTaps) * UWB.tap, decay: generator.logUniform(in: 3...30) * UWB.tap,
      powerdB: generator.uniform(in: powerdB))
    return [Path(delay: 0, amplitude: generator.unitPhasor())] + cluster.paths(using: &generator)
  }

  private static func softOnset(_ generator: inout SeededGenerator) -> IEEE802154aParameters {
    IEEE802154aParameters(
      profile: .softOnset(
        rise: generator.uniform(in: 5...20) * 1e-9, decay: generator.uniform(in: 8...40) * 1e-9,
        attenuation: generator.uniform(in: 0.7...0.98)),
      fadingMean: generator.uniform(in: 0.3...0.6), fadingDeviation: generator.uniform(in: 0.2...1), shadowingdB: 0,
      frequencyExponent: 0)
  }
}

/// A box-shaped room with random walls and things in it, and two places in it.
struct ArenaRoom {
  let room: Room
  let transmitter: SIMD3<Double>
  let receiver: SIMD3<Double>
  /// Hz
  private let carrier: Double
  /// Mean number of reflections from things.
  private let scatterers: Double
  /// m: where the diffuse power equals the direct path's.
  private let reverberationDistance: Double
  /// s
  private let decay: Double

  init(using generator: inout SeededGenerator) {
    let upper = SIMD3(
      generator.uniform(in: 3...14), generator.uniform(in: 2.3...4.5), generator.uniform(in: 2.5...10))
    func reflections() -> SIMD3<Double> {
      SIMD3(
        -generator.uniform(in: 0.2...0.9), -generator.uniform(in: 0.2...0.7), -generator.uniform(in: 0.2...0.9))
    }
    room = Room(
      lower: .zero, upper: upper, lowerReflection: reflections(), upperReflection: reflections(), reflectionCount: 2)
    func place() -> SIMD3<Double> {
      SIMD3(
        generator.uniform(in: 0.05...0.95) * upper.x, generator.uniform(in: 0.4...2.1),
        generator.uniform(in: 0.05...0.95) * upper.z)
    }
    let here = place()
    var there = place()
    while (here - there).length < 0.5 { there = place() }
    (transmitter, receiver) = (here, there)
    carrier = generator.uniform(in: 3.5e9...8e9)
    scatterers = generator.uniform(in: 0...8)
    reverberationDistance = pow(10, generator.uniform(in: 0...0.8))
    decay = generator.uniform(in: 5...25) * 1e-9
  }

  /// The direct path first, at delay 0.
  func paths(blocked: Bool, using generator: inout SeededGenerator) -> [Path] {
    let distance = (transmitter - receiver).length
    var paths = room.paths(from: transmitter, to: receiver, carrier: carrier)
    for _ in 0..<generator.poisson(mean: scatterers) {
      let delay = generator.exponential(mean: 8e-9) + 0.1e-9
      let size = pow(10, -generator.uniform(in: 3...20) / 20) / (distance + delay * UWB.speedOfLightInAir)
      paths.append(Path(delay: delay, amplitude: generator.unitPhasor() * Complex(size)))
    }
    let level = 1 / reverberationDistance
    let tail = DiffuseTail(
      onset: generator.uniform(in: 0...4e-9), rise: generator.uniform(in: 0.3...6) * 1e-9, decay: decay,
      energy: level * level * exp(-distance / UWB.speedOfLightInAir / decay))
    paths += tail.paths(using: &generator)
    if blocked {
      paths[0].amplitude *= Complex(pow(10, -generator.uniform(in: ArenaChannel.blockagedB) / 20))
    }
    return paths
  }
}
