import UWBDSP
import UWBReport
import UWBSimulation

/// Errors of distances against the truth, with the deviations that were stated for them.
struct RangingErrors {
  private(set) var errors: [Double] = []
  private var squares = 0.0
  private var deviations: [Double] = []
  private var withinOne = 0
  private var withinTwo = 0

  static let columns: [StaticString] = [
    "count", "rms_m", "bias_m", "median_m", "p90_m", "within_1_sigma", "within_2_sigma", "normalised_variance",
    "median_std_m",
  ]

  /// - Parameter deviation: what was stated, m; `nil` or 0 for none.
  mutating func add(_ error: Double, deviation: Double?) {
    errors.append(error)
    guard let deviation, deviation > 0 else { return }
    deviations.append(deviation)
    squares += (error / deviation) * (error / deviation)
    if abs(error) <= deviation { withinOne += 1 }
    if abs(error) <= 2 * deviation { withinTwo += 1 }
  }

  /// The same under a calibration, which takes off a bias.
  mutating func add(_ error: Double, deviation: Double, without bias: (distance: Double, deviation: Double)) {
    add(error - bias.distance, deviation: (deviation * deviation + bias.deviation * bias.deviation).squareRoot())
  }

  mutating func add(_ other: RangingErrors) {
    errors += other.errors
    deviations += other.deviations
    squares += other.squares
    withinOne += other.withinOne
    withinTwo += other.withinTwo
  }

  var statistics: ErrorStatistics? { ErrorStatistics(errors) }

  /// Cells for `columns`.
  var cells: [EvaluationTable.Cell] {
    let statistics = statistics
    let stated = deviations.isEmpty ? nil : Double(deviations.count)
    return [
      .count(errors.count), .number(statistics?.rms, places: 4), .number(statistics?.bias, places: 4),
      .number(statistics?.medianMagnitude, places: 4), .number(statistics?.p90, places: 4),
      .number(stated.map { Double(withinOne) / $0 }, places: 3),
      .number(stated.map { Double(withinTwo) / $0 }, places: 3), .number(stated.map { squares / $0 }, places: 3),
      .number(ErrorStatistics(deviations)?.medianMagnitude, places: 4),
    ]
  }

  func sample(_ name: String) -> DistributionPicture.Sample {
    DistributionPicture.Sample(name: name, errors: errors)
  }
}
