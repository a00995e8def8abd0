import Testing
import UWBDSP

@testable import UWBBaselines

@Suite struct OnsetTablesTests {
  private let tables = OnsetTables.shared(ReceiverModel())

  /// R_τ by its definition, summed far finer and further than the tables do.
  private func covariance(_ profile: OnsetProfile, onset: Double, _ row: Int, _ column: Int) -> Double {
    func product(_ time: Double) -> Double {
      PulseShape.standard((Double(row) - onset - time) * UWB.tap)
        * PulseShape.standard((Double(column) - onset - time) * UWB.tap)
    }
    let step = 1.0 / 16
    var sum = profile.firstPath * product(0)
    for index in 0..<(60 * 16) {
      let time = (Double(index) + 0.5) * step
      sum += step * profile.scattering(time) * product(time)
    }
    return sum
  }

  @Test(arguments: OnsetTables.profiles.indices, [0, 13, 44, 88])
  func eigenvectorsRebuildTheCovariance(profile: Int, onset: Int) {
    let count = OnsetTables.windowTaps
    let cell = OnsetTables.cell(profile: profile, onset: onset)
    let lane = 2
    let ratio = 25.118864  // 14 dB
    for row in stride(from: 0, to: count, by: 5) {
      for column in stride(from: 1, to: count, by: 6) {
        var rebuilt = 0.0
        for index in 0..<OnsetTables.rank {
          let gain = Double(tables.gains[cell * OnsetTables.rank + index][lane])
          rebuilt +=
            gain / (1 - gain) / ratio * Double(tables.vectors[cell * count + row][index])
            * Double(tables.vectors[cell * count + column][index])
        }
        let expected = covariance(OnsetTables.profiles[profile], onset: OnsetTables.onset(onset), row, column)
        #expect(abs(rebuilt - expected) < 3e-3, "profile \(profile), onset \(onset), taps \(row) and \(column)")
      }
    }
  }

  @Test func oneSetOfTablesForAllWorkspacesOfAPulse() {
    #expect(OnsetTables.shared(ReceiverModel()) === tables)
    #expect(OnsetTables.shared(ReceiverModel(tapSpacing: UWB.tap / 2)) !== tables)
  }
}
