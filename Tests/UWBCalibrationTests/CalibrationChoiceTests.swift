import TestSupport
import Testing
import UWBDSP

@testable import UWBCalibration

/// The rule by which all calibrations choose.
@Suite struct CalibrationChoiceTests {
  @Test func aModelHasToEarnItsPlace() {
    let none = [4.0, 5, 4, 5]
    let constant = [1.0, 2, 1, 2]
    func choose(_ model: [Double]) -> Int? { CalibrationChoice.simplest([none, constant, model]) }
    #expect(choose([0.1, 0.2, 0.1, 0.2]) == 2)
    // Better on the mean, by one lucky group.
    #expect(choose([1.2, 2.2, 1.2, 0.2]) == 1)
    #expect(choose([0.99, 1.98, 0.99, 1.98]) == 1, "better on each, by nothing that matters")
    #expect(choose([1, 2, 1, .infinity]) == 1)
    #expect(CalibrationChoice.simplest([[1, 1], [2, 2]]) == 0)
    #expect(CalibrationChoice.simplest([]) == nil)
  }

  /// Of a model whose costs are pure chance the simpler stays: beyond 1.4 standard errors lie 11 % of Student's distribution of five
  /// degrees of freedom. The luckiest of four settings has more chances, and is charged for them.
  @Test func chanceIsNotTaken() {
    var random = StatisticsRandom(seed: 2601)
    var (one, luckiest, charged) = (0, 0, 0)
    let rounds = 400.0
    for _ in 0..<Int(rounds) {
      let plain = (0..<6).map { _ in 1 + 0.3 * random.gaussian() }
      let settings = (0..<4).map { _ in plain.map { $0 + 0.2 * random.gaussian() } }
      one += CalibrationChoice.simplest([plain, settings[0]]) ?? 0
      let best = settings.min { CalibrationChoice.mean($0) < CalibrationChoice.mean($1) } ?? plain
      luckiest += CalibrationChoice.simplest([plain, best]) ?? 0
      charged += CalibrationChoice.simplest([plain, CalibrationChoice.costsOfChoosing(settings)]) ?? 0
    }
    // Three deviations of the count above 11 %.
    #expect(Double(one) < 0.11 * rounds + 3 * (0.11 * 0.89 * rounds).squareRoot(), "\(one)")
    #expect(Double(charged) < 0.75 * Double(luckiest), "\(charged) and \(luckiest)")
  }

  @Test func theBestSettingIsChargedForItsChoice() throws {
    let best = try #require(CalibrationChoice.best([[0, 5, 5], [1, 1, 8], [9, 9, 9]]))
    #expect(best.index == 0 || best.index == 1)
    #expect(best.costs == [1, 5, 8])
    #expect(CalibrationChoice.best([]) == nil)
  }

  @Test func aSettingIsChosenByTheOthers() {
    #expect(CalibrationChoice.costsOfChoosing([[0, 5, 5], [1, 1, 8]]) == [1, 5, 8])
    #expect(CalibrationChoice.costsOfChoosing([[3]]) == [3])
    #expect(CalibrationChoice.costsOfChoosing([]).isEmpty)
  }

  /// Means from which equal errors are plain, by SciPy's quantiles of F: sqrt(3·f.isf(0.0404·n, 3, n + 3)·0.04/(n·(n + 3))).
  @Test(arguments: [(1, 0.4747), (2, 0.2223), (4, 0.0998)])
  func fewPlacesHaveToBePlain(count: Int, limit: Double) {
    for sign in [-1.0, 1] {
      #expect(CalibrationChoice.isPlain(meanOf: Array(repeating: sign * 1.01 * limit, count: count)))
      #expect(!CalibrationChoice.isPlain(meanOf: Array(repeating: sign * 0.99 * limit, count: count)))
    }
  }

  /// Errors of places alone, as large as the prior has them or smaller: means that are taken off cost 2 % at most.
  @Test(arguments: [1, 2, 3, 5, 10], [0.05, 0.1])
  func aMeanDoesNoHarm(count: Int, deviation: Double) {
    var random = StatisticsRandom(seed: 2611)
    let rounds = 4000
    var added = 0.0
    for _ in 0..<rounds {
      let errors = (0..<count).map { _ in deviation * random.gaussian() }
      let mean = CalibrationChoice.mean(errors)
      if CalibrationChoice.isPlain(meanOf: errors) { added += mean * mean }
    }
    // Three standard errors of a mean of z²/count, of variance 3/count² at most.
    let error = 3 * (3 / Double(rounds)).squareRoot() / Double(count)
    #expect(added / Double(rounds) / (deviation * deviation) < 1.02 * 1.02 - 1 + error)
  }
}
