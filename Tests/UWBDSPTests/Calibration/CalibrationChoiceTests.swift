import TestSupport
import Testing

@testable import UWBDSP

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
}
