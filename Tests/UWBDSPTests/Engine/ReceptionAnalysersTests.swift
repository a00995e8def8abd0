import TestSupport
import Testing

@testable import UWBDSP

@Suite struct ReceptionAnalysersTests {
  /// Each tap spacing has an analyser of its own; a capture that changes it all the time keeps no more than a few.
  @Test func changingShapesKeepFewAnalysers() {
    var random = StatisticsRandom(seed: 5)
    var analysers = ReceptionAnalysers(.init(profile: .ideal, delay: .peak), tapCount: 8, antennaCount: 1)
    for index in 0..<40 {
      let response = HostileImpulseResponse(
        family: .onePath, antennaCount: 1 + index % 5, tapCount: 20 + index, isInteger: false,
        tapSpacing: UWB.tap * (1 + Double(index % 13) / 100)
      ).make(using: &random)
      _ = analysers.analyse(response, ReportedAntennas(Reception(time: DeviceTime(ticks: 0))), by: .peak)
      #expect(analysers.latest.fits(response))
      #expect(analysers.count <= 2 * EngineLimits.tapSpacingCount)
    }
  }
}
