import TestSupport
import Testing
import UWBDSP
import UWBSimulation

/// Errors and innovations of the tracker on simulated walks, put through its own distributions and back through the normal one: standard
/// Gaussians where the tracker is right.
@Suite struct TrackerConsistencyTests {
  private static let ensemble = 50
  /// χ² of 50 degrees of freedom over 50: 2.5 % below, 2.5 % above.
  private static let bounds = 0.6471...1.4284
  /// What the walks do and the tracker's model doesn't (ways that bend, corners that go back into the room) may cost.
  private static let model = 0.1

  private struct Scores {
    /// Mean squares, walk by walk: these are independent.
    private var walks = StatisticsErrors()
    private var squares: [Double] = []
    private var sums: [[Double]] = []

    init(_ all: [[Double]]) {
      for (index, walk) in all.enumerated() {
        if index % ensemble == 0 { sums.append([Double](repeating: 0, count: walk.count)) }
        for (step, score) in walk.enumerated() where step < sums[sums.count - 1].count {
          sums[sums.count - 1][step] += score * score
        }
        // An ensemble's steps are those that all of its walks have.
        sums[sums.count - 1].removeLast(max(0, sums[sums.count - 1].count - walk.count))
        let square = walk.reduce(0) { $0 + $1 * $1 } / Double(walk.count)
        squares.append(square)
        walks.add(square)
      }
    }

    var mean: Double { walks.mean }
    /// How far the mean may be off by chance.
    var chance: Double {
      let spread = squares.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(squares.count - 1)
      return StatisticsLimits.mean(deviation: spread.squareRoot(), trials: squares.count)
    }
    var inside: Double {
      let steps = sums.flatMap { $0 }
      return Double(steps.filter { bounds.contains($0 / Double(ensemble)) }.count) / Double(steps.count)
    }
  }

  private static func walk(_ change: (inout RangingWalk) -> Void) -> RangingWalk {
    var walk = RangingWalk()
    change(&walk)
    return walk
  }

  private static let cases: [(name: String, walk: RangingWalk)] = [
    (
      "clean",
      walk {
        $0.outliers = 0
        $0.clearTime = .infinity
        $0.gapInterval = 1e9
      }
    ),
    ("unclassified", walk { _ in }),
    ("classified", walk { $0.classifierAccuracy = 0.88 }),
  ]

  /// Mean squares are 1 up to a tenth and chance. Of steps, 95 % would lie within the bounds; a mean square of 0.9 leaves 92 %, and for errors
  /// the mixture's tails (a fourth moment of 4.5, not 3, makes means of 50 a third wider) 84 %. An ensemble's steps hold some
  /// hundred independent ones: two ensembles' part scatters by 2 %, and by no more than five times that.
  @Test(arguments: 0..<3) func scoresAreStandardNormal(index: Int) throws {
    let (name, walk) = Self.cases[index]
    func score(_ probability: Double) -> Double { NormalDistribution.quantile(min(max(probability, 1e-12), 1 - 1e-12)) }
    var errors: [[Double]] = []
    var innovations: [[Double]] = []
    for number in 0..<2 * Self.ensemble {
      var tracker = PeerTracker()
      errors.append([])
      innovations.append([])
      for step in walk.steps(seed: 108, walk: number) {
        let output = tracker.update(step.measurement)
        errors[number].append(score(try #require(tracker.probability(thatDistanceIsBelow: step.distance))))
        if let probability = output.innovationProbability { innovations[number].append(score(probability)) }
      }
    }
    for (kind, scores, least) in [("errors", Scores(errors), 0.84), ("innovations", Scores(innovations), 0.92)] {
      #expect(abs(scores.mean - 1) < Self.model + scores.chance, "\(name), \(kind): \(scores.mean) ± \(scores.chance)")
      #expect(scores.inside > least - 0.1, "\(name), \(kind): \(scores.inside)")
    }
  }
}
