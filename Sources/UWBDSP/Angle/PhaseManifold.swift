/// How the phase differences of a board depend on direction, as they were measured: a table over azimuth × elevation of
/// each difference's mean and of what is not known of it.
///
/// Between the nodes phases and variances run along Catmull–Rom cubics (E. Catmull, R. Rom, "A class of local
/// interpolating splines", 1974): exact at the nodes, continuous slope, error of third order in the step. The phases are
/// unwrapped over the table, so that nothing jumps between neighbours.
///
/// Where the table has a single elevation, it tells azimuth alone; a single azimuth likewise.
public struct PhaseManifold: Sendable, Hashable, Codable {
  /// Nodes along one angle.
  public struct Axis: Sendable, Hashable, Codable {
    /// rad, of the first node
    public var start: Double
    /// rad from node to node; positive where there is more than one
    public var step: Double
    /// Number of nodes.
    public var count: Int

    /// Creates one with the given values.
    public init(start: Double, step: Double, count: Int) {
      self.start = start
      self.step = step
      self.count = count
    }

    /// rad, of the last node
    public var end: Double { start + step * Double(count - 1) }

    package static let mostNodes = 1000

    var isValid: Bool {
      count >= 1 && count <= Self.mostNodes && start.isFinite && step.isFinite && (count == 1 || step > 0)
        && start >= -.pi && end <= .pi + 1e-9
    }
  }

  /// One phase difference over direction.
  public struct Channel: Sendable, Hashable, Codable {
    /// rad, unwrapped, elevation by elevation: node (i, j) of azimuth i and elevation j is at j · azimuths + i.
    public var phases: [Double]
    /// rad², of one measurement about `phases`: its own noise, and how well the manifold is known there.
    public var variances: [Double]

    /// Creates one with the given values.
    public init(phases: [Double], variances: [Double]) {
      self.phases = phases
      self.variances = variances
    }
  }

  /// Azimuths of the nodes.
  public var azimuth: Axis
  /// Elevations of the nodes.
  public var elevation: Axis
  /// One for each phase difference, in the order in which the chip reports them.
  public var channels: [Channel]

  /// Creates one with the given values.
  public init(azimuth: Axis, elevation: Axis, channels: [Channel]) {
    self.azimuth = azimuth
    self.elevation = elevation
    self.channels = channels
  }

  /// Whether all numbers fit together: what a file may get wrong.
  public var isValid: Bool {
    guard azimuth.isValid, elevation.isValid, !channels.isEmpty, channels.count <= 31 else { return false }
    guard elevation.start >= -.pi / 2 - 1e-9, elevation.end <= .pi / 2 + 1e-9 else { return false }
    let nodes = azimuth.count * elevation.count
    return channels.allSatisfy { channel in
      channel.phases.count == nodes && channel.variances.count == nodes && channel.phases.allSatisfy(\.isFinite)
        && channel.variances.allSatisfy { $0.isFinite && $0 > 0 }
    }
  }

  /// Mean phase (rad) and variance (rad²) of difference `channel` at a direction; outside the table, at its edge.
  public func response(channel: Int, azimuth: Double, elevation: Double) -> (phase: Double, variance: Double) {
    let (column, columnWeights) = Self.cubic(self.azimuth, azimuth)
    let (row, rowWeights) = Self.cubic(self.elevation, elevation)
    var phase = 0.0
    var variance = 0.0
    for j in 0..<4 {
      let line = min(max(row + j, 0), self.elevation.count - 1) * self.azimuth.count
      for i in 0..<4 {
        let node = line + min(max(column + i, 0), self.azimuth.count - 1)
        let weight = rowWeights[j] * columnWeights[i]
        phase += weight * channels[channel].phases[node]
        variance += weight * channels[channel].variances[node]
      }
    }
    // A cubic may swing below what all nodes hold.
    return (phase, max(variance, 1e-8))
  }

  /// First of four nodes and their weights.
  private static func cubic(_ axis: Axis, _ angle: Double) -> (first: Int, weights: SIMD4<Double>) {
    guard axis.count > 1 else { return (0, SIMD4(1, 0, 0, 0)) }
    let place = min(max((angle - axis.start) / axis.step, 0), Double(axis.count - 1))
    let node = Int(place, within: 0...axis.count - 2)
    let t = place - Double(node)
    var weights = SIMD4(
      t * (-0.5 + t * (1 - 0.5 * t)), 1 + t * t * (1.5 * t - 2.5), t * (0.5 + t * (2 - 1.5 * t)),
      t * t * (0.5 * t - 0.5))
    // Beyond an end the line goes straight on: p₋₁ = 2p₀ − p₁.
    if node == 0 {
      weights[1] += 2 * weights[0]
      weights[2] -= weights[0]
      weights[0] = 0
    }
    if node == axis.count - 2 {
      weights[2] += 2 * weights[3]
      weights[1] -= weights[3]
      weights[3] = 0
    }
    return (node - 1, weights)
  }
}
