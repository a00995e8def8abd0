import UWBCalibration
import UWBDSP

/// Antenna delays and power bias: every capture scored by a calibration made without it.
struct DelaySection: RangingSection {
  func applies(to input: RangingEvaluationInput) -> Bool { input.isCrossValidated && input.captures.count > 1 }

  func evaluate(_ input: RangingEvaluationInput) throws -> RangingSectionResult {
    let samples = try RangeSamples(input.captures, truth: input.truth, engine: input.engine)
    guard let validation = DelayCrossValidation(samples, fit: DelayCalibrationFit()) else {
      return RangingSectionResult()
    }
    return RangingSectionResult(
      tables: [validation.table], panels: [validation.panel],
      sentence: validation.sentence.map { "Antenna delays calibrated on the others: \($0)" })
  }
}
