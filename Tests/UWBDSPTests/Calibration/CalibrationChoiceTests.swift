import TestSupport
import Testing

@testable import UWBDSP

/// The rule by which all calibrations choose.
@Suite struct CalibrationChoiceTests {
  @Test func aModelHasToEarnItsPlace() {
    let none = [4.0, 5, 4, 5]
    let constant = [1.0, 2, 1, 2]
    func choose(_ model: [Double]) -> CalibrationChoice? {
      CalibrationChoice.choose(plain: [none, constant], fitted: [model])
    }
    #expect(choose([0.1, 0.2, 0.1, 0.2]) == .fitted(0))
    // Better on the mean, by one lucky group.
    #expect(choose([1.2, 2.2, 1.2, 0.2]) == .plain(1))
    #expect(choose([1, 2, 1, .infinity]) == .plain(1))
    #expect(
      CalibrationChoice.choose(plain: [[1, 1], [2, 2]], fitted: [[0, 0]]) == .plain(0), "two groups judge no model")
    #expect(CalibrationChoice.choose(plain: [], fitted: []) == nil)
  }

  /// Models whose costs are pure chance are taken seldom: at one standard error by a normal's luck 16 % of the time, for the best
  /// of twenty alike far more often without the rule among them.
  @Test func chanceIsNotTaken() {
    var random = StatisticsRandom(seed: 2601)
    var taken = 0
    for _ in 0..<400 {
      let plain = (0..<6).map { _ in 1 + 0.3 * random.gaussian() }
      let fitted = (0..<4).map { _ in plain.map { $0 + 0.2 * random.gaussian() } }
      if case .fitted = CalibrationChoice.choose(plain: [plain], fitted: fitted) { taken += 1 }
    }
    #expect(taken < 160, "\(taken)")
  }
}
