import Numerics
import TestSupport
import Testing
import UWBDSP

@testable import UWBCalibration

@Suite struct RegressionTests {
  private struct Problem {
    var rows: FeatureTable
    var targets: [Double]
    var labels: [Bool]
    var weights: [Double]
  }

  private func problem(_ seed: UInt64, rows: Int = 60, columns: Int = 4) -> Problem {
    var random = StatisticsRandom(seed: seed)
    var problem = Problem(rows: FeatureTable(columnCount: columns), targets: [], labels: [], weights: [])
    var values: [Double] = []
    for _ in 0..<rows {
      let row = (0..<columns).map { _ in random.gaussian() }
      values += row
      let target = 0.7 + row.enumerated().reduce(0) { $0 + Double($1.offset + 1) * $1.element } + random.gaussian()
      problem.targets.append(target)
      problem.labels.append(target + 2 * random.gaussian() > 0)
      problem.weights.append(random.uniform(0.2...2))
    }
    problem.rows = FeatureTable(columnCount: columns, values: values)
    return problem
  }

  // MARK: Ridge

  /// The gradient of Σ w (y − b − xβ)²/Σ w + λ‖β‖² vanishes at the solution.
  @Test(arguments: [1e-6, 0.01, 0.3, 10])
  func ridgeIsStationary(lambda: Double) throws {
    for seed in UInt64(5201)...5205 {
      let problem = problem(seed)
      let solution = try #require(
        RidgeRegression(lambda: lambda).fit(problem.rows, targets: problem.targets, weights: problem.weights))
      let total = problem.weights.reduce(0, +)
      var (intercept, gradient) = (0.0, solution.coefficients.map { lambda * $0 })
      for row in problem.targets.indices {
        let left = problem.weights[row] / total * (problem.targets[row] - solution.value(at: row, of: problem.rows))
        intercept += left
        for column in gradient.indices { gradient[column] -= left * problem.rows[row, column] }
      }
      #expect(abs(intercept) < 1e-9, "seed \(seed)")
      #expect(gradient.allSatisfy { abs($0) < 1e-9 }, "seed \(seed)")
    }
  }

  /// Three points by hand: x = −1, 0, 1, y = 1, 2, 6. Means 0 and 3; c = 5/3, C = 2/3.
  @Test func ridgeByHand() throws {
    let rows = FeatureTable(columnCount: 1, values: [-1, 0, 1])
    for (lambda, slope) in [(0.0, 2.5), (1, 1), (1.0 / 6, 2)] {
      let solution = try #require(
        RidgeRegression(lambda: lambda).fit(rows, targets: [1, 2, 6], weights: [1, 1, 1]))
      #expect(abs(solution.coefficients[0] - slope) < 1e-12)
      #expect(abs(solution.intercept - 3) < 1e-12)
    }
  }

  @Test func sumsLessAGroupAreSumsOfTheOthers() throws {
    let problem = problem(5206)
    var (all, left, others) = (
      NormalEquations(columnCount: 4), NormalEquations(columnCount: 4), NormalEquations(columnCount: 4)
    )
    all.add(problem.rows, targets: problem.targets, weights: problem.weights, indices: 0..<60)
    left.add(problem.rows, targets: problem.targets, weights: problem.weights, indices: 10..<25)
    others.add(
      problem.rows, targets: problem.targets, weights: problem.weights, indices: Array(0..<10) + Array(25..<60))
    let one = try #require(RidgeRegression(lambda: 0.01).fit(all - left))
    let other = try #require(RidgeRegression(lambda: 0.01).fit(others))
    for column in 0..<4 { #expect(abs(one.coefficients[column] - other.coefficients[column]) < 1e-10) }
    #expect(abs(one.intercept - other.intercept) < 1e-10)
  }

  @Test func columnsThatRepeatNeedARidge() throws {
    // Sums without rounding, so that the second pivot is zero to the bit.
    let rows = FeatureTable(columnCount: 2, values: [1, 1, -1, -1, 1, 1, -1, -1])
    #expect(RidgeRegression(lambda: 0).fit(rows, targets: [1, 2, 3, 4], weights: [1, 1, 1, 1]) == nil)
    let ridge = try #require(RidgeRegression(lambda: 1e-3).fit(rows, targets: [1, 2, 3, 5], weights: [1, 1, 1, 1]))
    #expect(abs(ridge.coefficients[0] - ridge.coefficients[1]) < 1e-9)
    #expect(RidgeRegression(lambda: 1).fit(NormalEquations(columnCount: 2)) == nil)
  }

  // MARK: Logistic

  @Test(arguments: [1e-4, 0.01, 0.3])
  func logisticIsStationary(lambda: Double) throws {
    for seed in UInt64(5211)...5215 {
      let problem = problem(seed)
      let solution = try #require(
        LogisticRegression(lambda: lambda).fit(problem.rows, labels: problem.labels, weights: problem.weights))
      let total = problem.weights.reduce(0, +)
      var (intercept, gradient) = (0.0, solution.coefficients.map { lambda * $0 })
      for row in problem.labels.indices {
        let probability = LineOfSightModel.probability(logOdds: solution.value(at: row, of: problem.rows))
        let left = problem.weights[row] / total * ((problem.labels[row] ? 1 : 0) - probability)
        intercept += left
        for column in gradient.indices { gradient[column] -= left * problem.rows[row, column] }
      }
      #expect(abs(intercept) < 1e-9, "seed \(seed)")
      #expect(gradient.allSatisfy { abs($0) < 1e-9 }, "seed \(seed)")
    }
  }

  /// One yes-or-no feature without a ridge: log-odds are those of the counts, 1 of 4 and 6 of 8.
  @Test func logisticByHand() throws {
    let values = [Double](repeating: 0, count: 4) + [Double](repeating: 1, count: 8)
    let labels = [true, false, false, false] + [true, true, true, true, true, true, false, false]
    let solution = try #require(
      LogisticRegression(lambda: 0).fit(
        FeatureTable(columnCount: 1, values: values), labels: labels, weights: labels.map { _ in 1 }))
    #expect(abs(solution.intercept - Double.log(1.0 / 3)) < 1e-9)
    #expect(abs(solution.coefficients[0] - Double.log(9)) < 1e-9)
  }

  @Test func classesThatAPlanePartsNeedARidge() throws {
    let rows = FeatureTable(columnCount: 1, values: [-2, -1, 1, 2])
    let labels = [false, false, true, true]
    #expect(
      try #require(LogisticRegression(lambda: 0.01).fit(rows, labels: labels, weights: [1, 1, 1, 1])).coefficients[0]
        > 1)
    #expect(LogisticRegression(lambda: 0.01).fit(rows, labels: labels, weights: [0, 0, 0, 0]) == nil)
  }

  @Test func aWarmStartEndsWhereAColdOneDoes() throws {
    let problem = problem(5216)
    let regression = LogisticRegression(lambda: 0.01)
    let cold = try #require(regression.fit(problem.rows, labels: problem.labels, weights: problem.weights))
    let start = RidgeRegression.Solution(coefficients: [3, -3, 3, -3], intercept: 2)
    let warm = try #require(
      regression.fit(problem.rows, labels: problem.labels, weights: problem.weights, from: start))
    for column in 0..<4 { #expect(abs(cold.coefficients[column] - warm.coefficients[column]) < 1e-8) }
  }

  @Test func probabilitiesAndLossesHoldAtTheEnds() {
    #expect(LineOfSightModel.probability(logOdds: 0) == 0.5)
    #expect(LineOfSightModel.probability(logOdds: 800) == 1)
    #expect(LineOfSightModel.probability(logOdds: -800) == 0)
    #expect(abs(LogisticRegression.loss(logOdds: 0) - Double.log(2)) < 1e-15)
    #expect(LogisticRegression.loss(logOdds: -800) == 800)
    #expect(LogisticRegression.loss(logOdds: 800) == 0)
  }

  // MARK: Scaling, curves, choice

  @Test func scalingStandardisesAndClips() {
    let rows = FeatureTable(columnCount: 2, values: [1, 7, 3, 7, 5, 7])
    let scaling = FeatureScaling(fitting: rows, weights: [1, 2, 1], clip: 1)
    #expect(scaling.means == [3, 7])
    #expect(abs(scaling.deviations[0] - 2.0.squareRoot()) < 1e-12)
    // A column that never changes is left alone.
    #expect(scaling.deviations[1] == 1)
    #expect(abs(scaling.scaled(4, column: 0) - 1 / 2.0.squareRoot()) < 1e-12)
    #expect(scaling.scaled(5, column: 0) == 1)
    #expect(scaling.scaled(-99, column: 0) == -1)
  }

  /// Positives 0.9, 0.6, 0.6; negatives 0.6, 0.1: of six pairs four are right and two are ties.
  @Test func areaUnderTheCurveByHand() throws {
    let curve = try #require(
      ReceiverOperatingCurve(scores: [0.9, 0.6, 0.1, 0.6, 0.6], labels: [true, true, false, true, false]))
    #expect(abs(curve.area - 5.0 / 6) < 1e-12)
    #expect(curve.falsePositives.last == 1 && curve.truePositives.last == 1)
    #expect(ReceiverOperatingCurve(scores: [1, 2], labels: [true, true]) == nil)
  }

  @Test func areaIsTheChanceOfTheRightOrder() throws {
    var random = StatisticsRandom(seed: 5221)
    let labels = (0..<80).map { _ in random.uniform() < 0.4 }
    let scores = labels.map { (random.gaussian() + ($0 ? 1 : 0)).rounded() }
    var (right, pairs) = (0.0, 0.0)
    for positive in labels.indices where labels[positive] {
      for negative in labels.indices where !labels[negative] {
        pairs += 1
        if scores[positive] > scores[negative] { right += 1 }
        if scores[positive] == scores[negative] { right += 0.5 }
      }
    }
    let curve = try #require(ReceiverOperatingCurve(scores: scores, labels: labels))
    #expect(abs(curve.area - right / pairs) < 1e-12)
  }
}
