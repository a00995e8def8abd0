import Numerics
import UWBDSP

/// How well an array's calibration carries over to snapshots that it has not seen, and how much of it is worth its unknowns:
/// nothing, gains or coupling. Snapshots are held out by the cells of a checkerboard over direction, both ways round;
/// `CalibrationChoice` compares the models cell by cell.
public struct AntennaCrossValidation: Sendable, Hashable {
  /// The fit that is validated.
  public let fit: AntennaFit
  /// rad: width of the checkerboard's cells
  static let cell = 6 * Double.pi / 180

  /// A validation of this fit.
  public init(fit: AntennaFit) {
    self.fit = fit
  }

  /// What a validation gave for one model.
  public struct Result: Sendable, Hashable {
    /// The model.
    public var model: AntennaFit.Model
    /// Of each snapshot: direction with nothing calibrated, and with what the other half gave.
    public var before: [PhaseFit.Estimate?]
    /// Direction of each snapshot with what the other half gave.
    public var after: [PhaseFit.Estimate?]
    /// Which half each snapshot lies on, 0 or 1.
    public var halves: [Int]
  }

  /// `nil` where half of the snapshots are too few for a fit.
  public func callAsFunction(_ snapshots: [AntennaSnapshot]) -> Result? {
    let cells = cells(snapshots)
    let halves = cells.map { abs($0.x + $0.y) % 2 }
    var results: [(result: Result, costs: [Double])] = []
    let before = snapshots.map { Self.direction($0, PhaseFit(array: fit.array), nil) }
    for model in AntennaFit.Model.allCases {
      guard let after = heldOut(snapshots, halves, model) else { continue }
      var sums: [SIMD2<Int>: (squares: Double, count: Double)] = [:]
      for index in snapshots.indices {
        sums[cells[index], default: (0, 0)].squares += Self.squaredError(
          after[index].map { ($0.azimuth, $0.elevation) }, snapshots[index].azimuth, snapshots[index].elevation)
        sums[cells[index], default: (0, 0)].count += 1
      }
      let costs = sums.sorted { ($0.key.x, $0.key.y) < ($1.key.x, $1.key.y) }.map { $0.value.squares / $0.value.count }
      results.append((Result(model: model, before: before, after: after, halves: halves), costs))
    }
    return CalibrationChoice.simplest(results.map(\.costs)).map { results[$0].result }
  }

  /// Which cell of the checkerboard each snapshot lies on.
  private func cells(_ snapshots: [AntennaSnapshot]) -> [SIMD2<Int>] {
    func column(_ angle: Double) -> Int { Int(angle / Self.cell, rounded: .down, within: -1_000_000...1_000_000) }
    let cells = snapshots.map { SIMD2(column($0.azimuth), column($0.elevation)) }
    let ones = cells.count { abs($0.x + $0.y) % 2 == 1 }
    // All in one cell, or nearly: by turns.
    guard 4 * min(ones, snapshots.count - ones) >= snapshots.count else {
      return snapshots.indices.map { SIMD2($0, 0) }
    }
    return cells
  }

  private func heldOut(
    _ snapshots: [AntennaSnapshot], _ halves: [Int], _ model: AntennaFit.Model
  ) -> [PhaseFit.Estimate?]? {
    var results = [PhaseFit.Estimate?](repeating: nil, count: snapshots.count)
    for half in 0...1 {
      let kept = snapshots.indices.filter { halves[$0] != half }.map { snapshots[$0] }
      guard let fitted = fit(kept, model: model) else { return nil }
      let array = AntennaArray(positions: fitted.calibration.positions, carrier: fit.array.carrier)
      let method = PhaseFit(array: array)
      for index in snapshots.indices where halves[index] == half {
        results[index] = Self.direction(snapshots[index], method, fitted.calibration)
      }
    }
    return results
  }

  private static func direction(
    _ snapshot: AntennaSnapshot, _ method: PhaseFit, _ calibration: AntennaCalibration?
  ) -> PhaseFit.Estimate? {
    var amplitudes = snapshot.amplitudes
    calibration?.correct(&amplitudes)
    // Every antenna alike: the snapshots' own deviations don't matter to what is compared here.
    return method.estimate(
      amplitudes: amplitudes, deviations: Array(repeating: PhaseDirection.assumedDeviation, count: amplitudes.count))
  }

  /// Of angles that were found beside the true ones, rad²; an answer that is missing counts as a right angle off.
  static func squaredError(
    _ found: (azimuth: Double?, elevation: Double?)?, _ azimuth: Double, _ elevation: Double
  ) -> Double {
    guard let found else { return .pi * .pi / 4 }
    let x = found.azimuth.map { $0 - azimuth } ?? 0
    let y = found.elevation.map { $0 - elevation } ?? 0
    return x * x + y * y
  }
}
