import Numerics
import UWBDSP
import UWBPlatform

/// A random surrounding in which places with and without line of sight are drawn.
///
/// Diffuse power follows room electromagnetics (Andersen, Nielsen & Pedersen, IEEE Antennas Propag. Mag. 49(2), 2007): it
/// hardly depends on the distance, equals the direct path's at the reverberation distance, and decays exponentially.
public struct LineOfSightSite: Sendable {
  /// Kind of surroundings.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// A building of one storey with inner walls: half of all sites.
    case walls
    /// A direct path, a few reflections and a diffuse tail, all of random size: a quarter.
    case reverberant
    /// An IEEE 802.15.4a model of each label: a tenth.
    case standard
    /// An IEEE 802.15.4a model with line of sight, and the same with its first path obstructed: the rest.
    case obstructed

    /// Whether powers fall with distance as in free space; the standard's models say nothing of that.
    public var hasPathLoss: Bool { self == .walls || self == .reverberant }
  }

  /// Kind of surroundings.
  public let kind: Kind
  /// m
  private let reverberationDistance: Double
  /// s
  private let decay: Double
  /// Mean number of reflections from things.
  private let scatterers: Double
  private let size: SIMD3<Double>
  private let surroundings: Surroundings
  private let model: IEEE802154aModel

  init(using generator: inout SeededGenerator) {
    let chance = generator.uniform()
    kind = chance < 0.5 ? .walls : chance < 0.75 ? .reverberant : chance < 0.85 ? .obstructed : .standard
    let isBuilding = kind == .walls
    reverberationDistance = pow(10, generator.uniform(in: -0.1...(isBuilding ? 0.7 : 0.8)))
    decay = generator.uniform(in: isBuilding ? 6...22 : 4...40) * 1e-9
    scatterers = generator.uniform(in: 0...(isBuilding ? 6 : 8))
    model = IEEE802154aModel.allCases[2 * Int(4 * generator.uniform())]
    let scale = pow(10, generator.uniform(in: 0...0.5))
    size = SIMD3(
      generator.uniform(in: 4...9) * scale, generator.uniform(in: 2.3...3.5), generator.uniform(in: 4...9) * scale)
    surroundings = Surroundings(walls: Self.walls(size, using: &generator))
  }

  struct Place {
    var paths: [Path]
    /// m
    var distance: Double
    var isLineOfSight: Bool
  }

  func place(using generator: inout SeededGenerator) -> Place {
    var place =
      switch kind {
      case .walls: amongWalls(&generator)
      case .reverberant: inReverberation(&generator)
      case .standard, .obstructed: byStandard(&generator)
      }
    let antenna = SimulatedReceiver.amplitude(generator.normal())
    for index in place.paths.indices { place.paths[index].amplitude *= Complex(antenna) }
    return place
  }

  /// Two places with a wall between them or without; things stand in the way, too.
  private func amongWalls(_ generator: inout SeededGenerator) -> Place {
    let wantsClear = generator.uniform() < 0.5
    var (here, there) = (spot(&generator), spot(&generator))
    for _ in 0..<30
    where surroundings.isClear(from: here, to: there) != wantsClear || Self.distance(here, there) < 0.7 {
      (here, there) = (spot(&generator), spot(&generator))
    }
    let distance = max(Self.distance(here, there), 0.5)
    var paths = surroundings.paths(from: here, to: there, carrier: 5e9)
    var isClear = surroundings.isClear(from: here, to: there)
    // What walls take from the direct path, they take in part from all else.
    let passed = min(paths.first.map { $0.power.squareRoot() * distance } ?? 1, 1)
    paths += reflections(distance, passed: passed, &generator)
    let part = generator.uniform(in: 0.2...0.8)
    paths += diffuse(distance, passed: pow(passed, part), &generator)
    if isClear, !wantsClear || generator.uniform() < 0.15 {
      Self.obstruct(&paths, decibels: 5...20, within: generator.uniform(in: 0.2...2) * 1e-9, others: 0, &generator)
      isClear = false
    }
    return Place(paths: paths, distance: distance, isLineOfSight: isClear)
  }

  private func inReverberation(_ generator: inout SeededGenerator) -> Place {
    let isClear = generator.uniform() < 0.5
    let distance = pow(10, generator.uniform(in: -0.1...1.2))
    var paths = [Path(delay: 0, amplitude: generator.unitPhasor() * Complex(1 / distance))]
    paths += reflections(distance, passed: 1, &generator)
    paths += diffuse(distance, passed: 1, &generator)
    if !isClear {
      Self.obstruct(
        &paths, decibels: 5...25, within: generator.uniform(in: 0.2...3) * 1e-9, others: generator.uniform(in: 0...0.7),
        &generator)
    }
    return Place(paths: paths, distance: distance, isLineOfSight: isClear)
  }

  private func byStandard(_ generator: inout SeededGenerator) -> Place {
    let isClear = generator.uniform() < 0.5
    let other = IEEE802154aModel(rawValue: model.rawValue + 1) ?? model
    let distance = pow(10, generator.uniform(in: 0...1.2))
    var paths = Channel.ieee802154a(isClear || kind == .obstructed ? model : other).draw(using: &generator)
    var loss = 0.0
    if !isClear, kind == .standard { loss = generator.uniform(in: 0...15) }
    let power = paths.reduce(0) { $0 + $1.power }
    let gain = SimulatedReceiver.amplitude(-loss) / (distance * power.squareRoot())
    for index in paths.indices { paths[index].amplitude *= Complex(gain) }
    if !isClear, kind == .obstructed {
      Self.obstruct(&paths, decibels: 6...20, within: 1.5e-9, others: 0, &generator)
    }
    return Place(paths: paths, distance: distance, isLineOfSight: isClear)
  }

  /// From things nearby.
  private func reflections(_ distance: Double, passed: Double, _ generator: inout SeededGenerator) -> [Path] {
    let count = generator.poisson(mean: scatterers)
    return (0..<count).map { _ in
      let excess = generator.exponential(mean: 10e-9) + 0.25e-9
      let bounce = SimulatedReceiver.amplitude(-generator.uniform(in: 4...17))
      let part = pow(passed, generator.uniform(in: 0.3...1))
      let length = distance + excess * UWB.speedOfLightInAir
      return Path(delay: excess, amplitude: generator.unitPhasor() * Complex(bounce * part / length))
    }
  }

  /// A tail of circular Gaussian rays that rises within some nanoseconds of the direct path.
  private func diffuse(_ distance: Double, passed: Double, _ generator: inout SeededGenerator) -> [Path] {
    let onset = generator.uniform(in: 0...3e-9)
    let rise = generator.uniform(in: 0.1...5) * 1e-9
    let level = passed / reverberationDistance
    let energy = level * level * exp(-distance / UWB.speedOfLightInAir / decay)
    return DiffuseTail(onset: onset, rise: rise, decay: decay, energy: energy).paths(using: &generator)
  }

  private func spot(_ generator: inout SeededGenerator) -> SIMD3<Double> {
    SIMD3(
      generator.uniform(in: 0.03...0.97) * size.x, generator.uniform(in: 0.5...2),
      generator.uniform(in: 0.03...0.97) * size.z)
  }

  /// Takes a random loss from paths `within` of the direct one, and the part `others` of it from all else.
  private static func obstruct(
    _ paths: inout [Path], decibels: ClosedRange<Double>, within: Double, others: Double,
    _ generator: inout SeededGenerator
  ) {
    let loss = generator.uniform(in: decibels)
    for index in paths.indices {
      let taken = paths[index].delay < within ? loss : others * loss
      paths[index].amplitude *= Complex(SimulatedReceiver.amplitude(-taken))
    }
  }

  /// Outer walls, and up to six inner ones of one material.
  private static func walls(_ size: SIMD3<Double>, using generator: inout SeededGenerator) -> [Surroundings.Wall] {
    var walls = Surroundings.box(
      lower: .zero, upper: size, sides: -generator.uniform(in: 0.3...0.8), floor: -generator.uniform(in: 0.2...0.6),
      ceiling: -generator.uniform(in: 0.2...0.6))
    let loss = generator.uniform(in: 3...12)
    let reflection = generator.uniform(in: 0.2...0.7)
    for _ in 0...Int(6 * generator.uniform()) {
      let runsAlong = generator.uniform() < 0.5
      let across = generator.uniform(in: 0.15...0.85)
      let ends = (generator.uniform(), generator.uniform())
      let (from, to) = (min(ends.0, ends.1) - 0.15, max(ends.0, ends.1) + 0.15)
      walls.append(
        .upright(
          from: runsAlong ? SIMD2(across * size.x, from * size.z) : SIMD2(from * size.x, across * size.z),
          to: runsAlong ? SIMD2(across * size.x, to * size.z) : SIMD2(to * size.x, across * size.z), height: size.y,
          reflection: -reflection, lossdB: loss * generator.uniform(in: 0.8...1.3),
          excess: generator.uniform(in: 0.02...0.15)))
    }
    return walls
  }

  private static func distance(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> Double {
    let offset = a - b
    return offset.length
  }
}
