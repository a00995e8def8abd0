import UWBDSP
import UWBPlatform

/// Moves one board's manifold to another board of the same kind by a few directions that are known there.
///
/// Boards of a kind differ in each phase difference by an offset (feed lines, receivers) and, less, in how it depends on
/// direction. With the circular means φ̄_k of difference c at the reference directions x_k,
///
///     offset_c = arg Σ_k exp(j(φ̄_k − μ_c(x_k)))     μ_c ← μ_c + offset_c
///
/// What is left is stated: the shape's variance s², from the scatter of the references about the offset together with
/// `shapeVariance` as four degrees of freedom, and s²/K for the offset's own error. Cost O(samples).
/// Not for boards of another kind: measure those with `PhaseManifoldFit`.
public struct BoardTrim: Sendable, Hashable {
  private static let degree = Double.pi / 180
  /// Of a difference's offset from board to board: 10°, rad².
  private static let offsetVariance = 10 * degree * 10 * degree
  /// Of the rest of what differs: 5°, rad².
  static let shapeVariance = 5 * degree * 5 * degree
  private static let priorWeight = 4.0

  /// What offset and shape of a phase difference differ by from one board of a kind to another, rad².
  public static let otherBoardVariance = offsetVariance + shapeVariance

  /// What the references said of a board.
  public struct Result: Sendable, Hashable {
    /// The calibration, moved to the board.
    public var calibration: AngleCalibration
    /// rad, by difference.
    public var offsets: [Double]
    /// Reference directions.
    public var directionCount: Int
  }

  /// Why a board could not be trimmed.
  public enum Failure: Error, Sendable, Hashable {
    /// The calibration holds no manifold.
    case noManifold
    /// No reference was given.
    case noReference
    /// A sample has another number of differences than the manifold.
    case otherChannels(found: Int, expected: Int)
    /// A reference direction lies outside the manifold, rad.
    case outside(azimuth: Double, elevation: Double)
  }

  /// A trim without references.
  public init() {}

  /// - Throws: `Failure`.
  public func callAsFunction(
    _ calibration: AngleCalibration, references: [PhaseSample]
  ) throws(Failure) -> Result {
    guard var manifold = calibration.manifold else { throw .noManifold }
    let count = manifold.channels.count
    guard !references.isEmpty else { throw .noReference }
    if let other = references.first(where: { $0.differences.count != count }) {
      throw .otherChannels(found: other.differences.count, expected: count)
    }
    let points = PhasePoints(references, channels: count)
    for index in 0..<points.count {
      let (azimuth, elevation) = (points.azimuths[index], points.elevations[index])
      guard manifold.azimuth.holds(azimuth), manifold.elevation.holds(elevation) else {
        throw .outside(azimuth: azimuth, elevation: elevation)
      }
    }
    var offsets: [Double] = []
    var squares = 0.0
    for channel in 0..<count {
      let away = (0..<points.count).map {
        points.phases[channel][$0]
          - manifold.response(channel: channel, azimuth: points.azimuths[$0], elevation: points.elevations[$0]).phase
      }
      let offset = atan2(away.reduce(0) { $0 + sin($1) }, away.reduce(0) { $0 + cos($1) })
      offsets.append(offset)
      for value in away {
        let rest = Phase.wrapped(value - offset)
        squares += rest * rest
      }
      for node in manifold.channels[channel].phases.indices { manifold.channels[channel].phases[node] += offset }
    }
    let directions = Double(points.count)
    let freedom = Double(count) * (directions - 1)
    let shape = (Self.priorWeight * Self.shapeVariance + squares) / (Self.priorWeight + freedom)
    var trimmed = calibration
    trimmed.manifold = manifold
    trimmed.boardVariance = shape * (1 + 1 / directions)
    for index in trimmed.carriers.indices where index < count { trimmed.carriers[index].offset += offsets[index] }
    return Result(calibration: trimmed, offsets: offsets, directionCount: points.count)
  }
}

extension PhaseManifold.Axis {
  /// Whether the table covers this angle, half a degree more for what was rounded; one node alone covers every angle.
  fileprivate func holds(_ angle: Double) -> Bool {
    let slack = 0.5 * Double.pi / 180
    return count == 1 || angle >= start - slack && angle <= end + slack
  }
}
