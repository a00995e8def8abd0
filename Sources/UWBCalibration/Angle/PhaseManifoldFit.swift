import UWBDSP
import UWBPlatform

/// Measures a board: from phase differences at known directions to the parametric model and the manifold.
///
/// Each difference by itself: circular mean of each grid point (`PhasePoints`), a linear carrier in the direction
/// cosines (`LinearCarrier`), the rest unwrapped from boresight outwards (each point to the weighted mean of those done
/// before it, weights exp(−½·(d/1.2 h)²)), a smooth field through it (`PhaseField`), all of it laid down as a table.
/// Cost: dominated by the field's factorisations, O(points³) each.
public struct PhaseManifoldFit: Sendable, Hashable {
  /// rad between the nodes of the table
  public var step: Double

  /// A fit whose nodes are `step` apart, rad.
  public init(step: Double = 3 * .pi / 180) {
    self.step = step
  }

  /// What a fit gave.
  public struct Result: Sendable, Hashable {
    /// The linear part of each phase difference.
    public var carriers: [LinearCarrier]
    /// The manifold: the linear part and what differs from it.
    public var manifold: PhaseManifold
    /// Grid points that the samples fell on.
    public var pointCount: Int
  }

  /// Why there is no result.
  public enum Failure: Error, Sendable, Hashable {
    /// Fewer than `needed` different directions.
    case tooFewDirections(found: Int, needed: Int)
    /// A sample has another number of differences than the first.
    case unevenSamples
  }

  /// Different directions that a fit takes at least.
  public static let fewestDirections = 5

  /// - Throws: `Failure`.
  public func callAsFunction(_ samples: [PhaseSample]) throws(Failure) -> Result {
    let channels = samples.first?.differences.count ?? 0
    guard channels > 0, samples.allSatisfy({ $0.differences.count == channels }) else {
      if samples.isEmpty { throw .tooFewDirections(found: 0, needed: Self.fewestDirections) }
      throw .unevenSamples
    }
    let points = PhasePoints(samples, channels: channels)
    guard points.count >= Self.fewestDirections else {
      throw .tooFewDirections(found: points.count, needed: Self.fewestDirections)
    }
    let box = Box(points)
    let (azimuth, elevation) = (axis(box.azimuth), axis(box.elevation))
    var nodes: [(azimuth: Double, elevation: Double)] = []
    for row in 0..<elevation.count {
      for column in 0..<azimuth.count {
        nodes.append((azimuth.start + Double(column) * azimuth.step, elevation.start + Double(row) * elevation.step))
      }
    }
    let places = (0..<points.count).map { box.place(points.azimuths[$0], points.elevations[$0]) }
    let queries = nodes.map { box.place($0.azimuth, $0.elevation) }
    var carriers: [LinearCarrier] = []
    var tables: [PhaseManifold.Channel] = []
    for channel in 0..<channels {
      let carrier = LinearCarrier(
        azimuths: points.azimuths, elevations: points.elevations, phases: points.phases[channel])
      let rest = unwrapped(points, channel, carrier)
      let repeatVariance = points.repeatVariance(channel: channel)
      let own = (0..<points.count).map {
        (points.counts[$0] > 1 ? points.variances[channel][$0] : repeatVariance) / Double(points.counts[$0])
      }
      let field = PhaseField(places: places, values: rest, variances: own, spacing: points.spacing / box.halfWidth)
      let predicted = field.predict(queries)
      carriers.append(carrier)
      tables.append(
        PhaseManifold.Channel(
          phases: zip(nodes, predicted.means).map { carrier.phase(azimuth: $0.azimuth, elevation: $0.elevation) + $1 },
          variances: predicted.variances.map { $0 + repeatVariance }))
    }
    return Result(
      carriers: carriers, manifold: PhaseManifold(azimuth: azimuth, elevation: elevation, channels: tables),
      pointCount: points.count)
  }

  private func axis(_ range: ClosedRange<Double>) -> PhaseManifold.Axis {
    let width = range.upperBound - range.lowerBound
    guard width > 1e-6 else { return PhaseManifold.Axis(start: range.lowerBound, step: 0, count: 1) }
    let intervals = Int(width / step - 1e-9, rounded: .up, within: 1...PhaseManifold.Axis.mostNodes - 1)
    return PhaseManifold.Axis(start: range.lowerBound, step: width / Double(intervals), count: intervals + 1)
  }

  /// What the carrier leaves, without jumps.
  private func unwrapped(_ points: PhasePoints, _ channel: Int, _ carrier: LinearCarrier) -> [Double] {
    var rest = (0..<points.count).map {
      Phase.wrapped(
        points.phases[channel][$0] - carrier.phase(azimuth: points.azimuths[$0], elevation: points.elevations[$0]))
    }
    func radius(_ index: Int) -> Double {
      (points.azimuths[index] * points.azimuths[index] + points.elevations[index] * points.elevations[index])
        .squareRoot()
    }
    let order = (0..<points.count).sorted { (radius($0), $0) < (radius($1), $1) }
    let reach = 1.2 * max(points.spacing, 1e-3)
    for (step, index) in order.enumerated() where step > 0 {
      var sum = 0.0
      var weights = 0.0
      for other in order[..<step] {
        let x = points.azimuths[other] - points.azimuths[index]
        let y = points.elevations[other] - points.elevations[index]
        let weight = exp(-0.5 * (x * x + y * y) / (reach * reach)) + 1e-12
        weights += weight
        sum += weight * rest[other]
      }
      let expected = sum / weights
      rest[index] = expected + Phase.wrapped(rest[index] - expected)
    }
    return rest
  }

  /// Where the points lie, and the coordinates that the field is smooth in.
  private struct Box {
    let azimuth: ClosedRange<Double>
    let elevation: ClosedRange<Double>
    let halfWidth: Double

    init(_ points: PhasePoints) {
      func range(_ values: [Double]) -> ClosedRange<Double> {
        let least = values.min() ?? 0
        return least...max(least, values.max() ?? least)
      }
      azimuth = range(points.azimuths)
      elevation = range(points.elevations)
      halfWidth =
        max(
          azimuth.upperBound - azimuth.lowerBound, elevation.upperBound - elevation.lowerBound, 1e-6) / 2
    }

    func place(_ azimuth: Double, _ elevation: Double) -> SIMD2<Double> {
      SIMD2(
        azimuth - (self.azimuth.lowerBound + self.azimuth.upperBound) / 2,
        elevation - (self.elevation.lowerBound + self.elevation.upperBound) / 2) / halfWidth
    }
  }
}
