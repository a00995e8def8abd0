import Foundation
import Testing

@testable import UWBReport

@Suite struct ReplayReportTests {
  private func sample(count: Int = 300) -> ReplayReport {
    var report = ReplayReport(title: "walk", settings: [.init("delay estimator", "PulseFit")])
    var random = SeededRandom(seed: 5)
    for index in 0..<count {
      let time = Double(index) * 0.1
      let truth = 3 + sin(time)
      let error = Double.random(in: -0.1...0.1, using: &random)
      report.add(
        .init(
          peer: "A1", time: time, distance: truth + error, distanceDeviation: 0.06, rawDistance: truth + 2 * error,
          chipDistance: truth + 0.2, trueDistance: truth, azimuth: time / 100, azimuthDeviation: 0.02,
          trueAzimuth: time / 100 + 0.01, elevation: 0.1, trueElevation: 0, snrdB: 30 + error, firstPathTaps: 745,
          chipFirstPathTaps: 744.5, lineOfSightProbability: 0.9))
    }
    report.addRejection(peer: "A1", time: 4, reason: "noFirstPath")
    report.addRejection(peer: "A1", time: 5, reason: "noFirstPath")
    report.addSkippedInput(reason: "damaged CIR", count: 7)
    return report
  }

  @Test func thePageIsWellFormedAndWhole() {
    let html = sample().html()
    expectSound(html)
    let check = PictureCheck(html)
    #expect(check.elements["svg"] == 2 && check.elements["table"] == 5)
    for text in ["302", "noFirstPath", "damaged CIR", "PulseFit", "delivered", "chip&#39;s own", "rejected exchange"] {
      #expect(html.contains(text), "\(text)")
    }
    let ids = check.attributes["id"] ?? []
    #expect(Set(ids).count == ids.count && !ids.isEmpty)
  }

  @Test func anEmptyReplaySaysSo() {
    let html = ReplayReport(title: "nothing").html()
    expectSound(html)
    #expect(html.contains("No exchange came."))
  }

  @Test func theSameEventsGiveTheSameBytes() {
    #expect(sample().html() == sample().html())
  }

  @Test func truthIsNotInvented() {
    var report = ReplayReport(title: "no truth")
    report.add(.init(peer: "A1", time: 0, distance: 2, distanceDeviation: 0.1))
    let html = report.html()
    expectSound(html)
    #expect(!html.contains("Against the truth") && !html.contains("azimuth"))
  }

  @Test func azimuthErrorsWrap() {
    var report = ReplayReport(title: "")
    report.add(.init(peer: "A1", time: 0, azimuth: 3.1, trueAzimuth: -3.1))
    #expect(abs(report.azimuthErrors.mean - (6.2 - 2 * Double.pi)) < 1e-12)
  }

  @Test(arguments: hostileNames) func hostileNamesAreOnlyText(_ name: String) {
    var report = ReplayReport(title: name, settings: [.init(name, name)])
    report.add(.init(capture: name, peer: name, time: 0, distance: 1))
    report.addRejection(capture: name, peer: name, time: 1, reason: name)
    report.addSkippedInput(reason: name)
    let html = report.html()
    expectSound(html)
    #expect(PictureCheck(html).elements["details"] == 1)
  }

  @Test func hostileNumbersAreSurvived() {
    var report = ReplayReport(title: "", runsPerTrack: -1)
    for one in [0, -1, 1e300, -1e300, .nan, .infinity, -.infinity, .leastNonzeroMagnitude] as [Double] {
      for other in [1, .nan, .infinity, 1e300, -1e-300] as [Double] {
        report.add(
          .init(
            peer: "A1", time: one, distance: other, distanceDeviation: one, rawDistance: one, chipDistance: other,
            trueDistance: one, azimuth: other, azimuthDeviation: one, trueAzimuth: one, elevation: other,
            elevationDeviation: one, trueElevation: one, snrdB: other, firstPathTaps: one, chipFirstPathTaps: other,
            lineOfSightProbability: one))
        report.addRejection(peer: "A2", time: one, reason: "x")
      }
    }
    report.addSkippedInput(reason: "y", count: .max)
    report.addSkippedInput(reason: "y", count: .max)
    expectSound(report.html())
  }

  @Test func peersAndReasonsWithoutEndStayBounded() {
    var report = ReplayReport(title: "crowd", runsPerTrack: 16)
    for index in 0..<5000 {
      report.add(.init(peer: "peer \(index)", time: 0, distance: 1))
      report.addRejection(peer: "peer \(index)", time: 0, reason: "reason \(index)")
    }
    #expect(report.tracks.count == ReplayReport.listedTrackLimit)
    #expect(report.tracks.filter(\.isDrawn).count == ReplayReport.drawnTrackLimit)
    #expect(report.unlisted.updates == 5000 - ReplayReport.listedTrackLimit)
    #expect(report.rejections.count == 65 && report.rejections.values.reduce(0, +) == 5000)
    let html = report.html()
    expectSound(html)
    #expect(html.contains("all others together") && html.utf8.count < 500_000)
  }

  @Test func longReplaysStaySmall() {
    let short = sample(count: 5000).html().utf8.count
    let long = sample(count: 40_000).html()
    #expect(long.utf8.count < 3 * short)
    #expect(long.contains("Long track"))
  }

  @Test func pausesAreLeftOpen() {
    var track = ReplayTrack(name: .init(capture: nil, peer: "A1"), runs: 100)
    for time in [0, 0.1, 0.2, 0.3, 5, 5.1] { track.add(.init(peer: "A1", time: time, distance: 1)) }
    #expect(
      track.timeline(.distance, .estimate)?.values.map(\.isNaN) == [false, false, false, false, true, false, false])
  }
}
