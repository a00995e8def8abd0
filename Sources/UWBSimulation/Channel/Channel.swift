import Numerics
import UWBDSP
import UWBPlatform

/// A kind of channel to test delay estimators on. Each draw gives other phases, and other paths where they are random.
public enum Channel: Sendable, Hashable {
  /// One path.
  case awgn
  /// A path, and another `spacing` seconds later, `relativePowerdB` stronger (weaker where negative), `relativePhase` rad
  /// ahead of the first or at random.
  case twoPath(spacing: Double, relativePowerdB: Double, relativePhase: Double?)
  /// A list of paths; the earliest is the truth.
  case paths([PathSpecification])
  /// Paths, and dense scattering that starts after them.
  case pathsBeforeCluster([PathSpecification], DenseCluster)
  /// A standard model; the truth is the onset of its first cluster, whether its ray is strong or not.
  case ieee802154a(IEEE802154aModel)

  /// How amplitude goes with frequency, f^(−κ); 0 where it doesn't.
  public var frequencyExponent: Double {
    switch self {
    case .ieee802154a(let model): model.parameters.frequencyExponent
    default: 0
    }
  }

  /// Draws a channel: paths by delay, delays counted from the true first path. A random phase is common to all paths.
  public func draw(using generator: inout SeededGenerator) -> [Path] {
    var paths: [Path] =
      switch self {
      case .awgn:
        [Path(delay: 0, amplitude: Complex(1))]
      case .twoPath(let spacing, let relativePowerdB, let relativePhase):
        Self.draw(
          [
            PathSpecification(delay: 0, powerdB: 0, phase: 0),
            PathSpecification(delay: spacing, powerdB: relativePowerdB, phase: relativePhase),
          ], using: &generator)
      case .paths(let list):
        Self.draw(list, using: &generator)
      case .pathsBeforeCluster(let list, let cluster):
        Self.draw(list, using: &generator) + cluster.paths(using: &generator)
      case .ieee802154a(let model):
        model.paths(using: &generator)
      }
    // `min` of delays and not the first: path lists come in any order.
    paths.sort { $0.delay < $1.delay }
    let onset = paths.first?.delay ?? 0
    let common = generator.unitPhasor()
    for index in paths.indices {
      paths[index].delay -= onset
      paths[index].amplitude *= common
    }
    return paths
  }

  private static func draw(_ list: [PathSpecification], using generator: inout SeededGenerator) -> [Path] {
    list.map { specification in
      let angle = specification.phase ?? generator.phase()
      let size = pow(10, specification.powerdB / 20)
      return Path(delay: specification.delay, amplitude: Complex(size * cos(angle), size * sin(angle)))
    }
  }
}

/// One path of a list.
public struct PathSpecification: Sendable, Hashable {
  /// s
  public var delay: Double
  /// Power of the path, dB.
  public var powerdB: Double
  /// rad, beside the random phase that all paths share; `nil` draws one for each channel.
  public var phase: Double?

  /// A path whose delay is given in s.
  public init(delay: Double, powerdB: Double, phase: Double? = nil) {
    self.delay = delay
    self.powerdB = powerdB
    self.phase = phase
  }

  /// A path whose delay is given in taps of `UWB.tap`.
  public init(delayTaps: Double, powerdB: Double, phase: Double? = nil) {
    self.init(delay: delayTaps * UWB.tap, powerdB: powerdB, phase: phase)
  }
}

/// Dense scattering: circular Gaussian rays every quarter of a tap with an exponential mean profile.
public struct DenseCluster: Sendable, Hashable {
  /// s
  public var onset: Double
  /// Time constant of the mean power, s.
  public var decay: Double
  /// Mean power of the CIR that it makes at its onset if it did not have to rise, for a pulse of energy `pulseEnergy`, dB.
  public var powerdB: Double

  /// ∫p²(t)dt of the standard pulse, s: T·(1 − β/4) = 1.75 taps.
  public static let pulseEnergy = 1.75 * UWB.tap

  /// Creates one with the given values.
  public init(onset: Double, decay: Double, powerdB: Double) {
    self.onset = onset
    self.decay = decay
    self.powerdB = powerdB
  }

  /// Its rays, to where their mean power has fallen by 43 dB.
  func paths(using generator: inout SeededGenerator) -> [Path] {
    let spacing = IEEE802154aParameters.denseSpacing
    let first = pow(10, powerdB / 10) * spacing / Self.pulseEnergy
    return (0..<Int(IEEE802154aParameters.clusterLength * decay / spacing, within: 1...1 << 20)).map { index in
      let delay = Double(index) * spacing
      return Path(
        delay: onset + delay, amplitude: generator.complexNormal(variance: first * exp(-delay / decay)))
    }
  }
}
