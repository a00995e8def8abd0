import UWBCapture
import UWBDSP
import UWBReport

/// One part of `uwb evaluate ranging`: what it measures goes into tables and pictures.
///
/// A new part is one file with a conforming type, named in `EvaluateRangingCommand.sections`.
protocol RangingSection {
  /// Whether the command's arguments give it something to measure.
  func applies(to input: RangingEvaluationInput) -> Bool
  func evaluate(_ input: RangingEvaluationInput) throws -> RangingSectionResult
}

struct RangingSectionResult {
  var tables: [EvaluationTable] = []
  var panels: [Panel] = []
  /// Of captures, for the page.
  var errors: ReplayErrors?
  /// What came out, in a sentence.
  var sentence: String?
}

/// What all parts work on.
struct RangingEvaluationInput {
  var captures: [String]
  /// `nil` where none was given: captures may hold their own.
  var truth: TruthTable?
  /// Its name.
  var truthFile: String?
  var engine: EngineOptions
  var seed: UInt64
  /// Simulated walks to run.
  var walks: Int
  /// Whether calibrations are made and scored, each capture left out in turn.
  var isCrossValidated: Bool
}
