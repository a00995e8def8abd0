import Numerics
import TestSupport
import Testing

@testable import UWBTracking

@Suite struct ClassifierEvidenceTests {
  /// Sum of the log odds for line of sight that 30 s of verdicts at 10 Hz give, after 30 s to learn in.
  private func evidence(_ verdicts: (Int) -> Double) -> Double {
    var classifier = ClassifierEvidence()
    var sum = 0.0
    for index in 0..<600 {
      let (clear, obstructed) = classifier.likelihoods(verdicts(index), step: 0.1)
      if index >= 300 { sum += Double.log(clear / obstructed) }
    }
    return sum
  }

  /// Odds are 4 : 1 at most, however sure the classifier is, and even where it knows nothing.
  @Test func oddsAreLimited() {
    var classifier = ClassifierEvidence()
    for probability in [0, 1, 0.999, 1e-9] {
      let (clear, obstructed) = classifier.likelihoods(probability, step: 100)
      #expect(abs(abs(Double.log(clear / obstructed)) - Double.log(4)) < 1e-12)
    }
    let (clear, obstructed) = classifier.likelihoods(0.5, step: 0.1)
    #expect(clear == obstructed)
  }

  /// The same part of wrong verdicts counts several times as much where each is drawn alone as where they come in spells of 3 s.
  @Test func repetitionIsNoEvidence() {
    var random = StatisticsRandom(seed: 2540)
    let alone = (0..<600).map { _ in random.uniform(0...1) < 0.88 ? 0.88 : 0.12 }
    let spells = (0..<20).map { _ in random.uniform(0...1) < 0.88 ? 0.88 : 0.12 }
    let (one, other) = (evidence { alone[$0] }, evidence { spells[$0 / 30] })
    #expect(one > 3 * other && other > 0, "\(one), \(other)")
    // A verdict that never changes counts once in three seconds or a little more.
    let constant = evidence { _ in 0.9 }
    #expect(constant > 9 * Double.log(4) && constant < 20 * Double.log(4))
  }
}
