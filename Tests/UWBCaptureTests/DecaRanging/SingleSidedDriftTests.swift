import Foundation
import TestSupport
import Testing
import UWBCapture
import UWBDSP

/// Single-sided ranging on real logs of double-sided ranging, their finals dropped: replies of 150–200 ms, where a part in 10⁹ of
/// clock offset is 2–3 cm and what two boards differ by is tens of metres.
@Suite("single-sided ranging over long replies (needs UWB_DATA)", .needsRealData("decaranging-apartment"))
struct SingleSidedDriftTests {
  private func rms(_ values: [Double]) -> Double {
    (values.reduce(0) { $0 + $1 * $1 } / Double(values.count)).squareRoot()
  }

  @Test(arguments: ["1", "5", "12"])
  func consecutiveExchangesGiveTheClock(log: String) throws {
    let folder = URL(fileURLWithPath: try RealData.path("decaranging-apartment"))
    var reader = try openCapture(folder.appendingPathComponent("\(log).log").path)
    let engine = RangingEngine(RangingEngine.Configuration(profile: .dw1000, delay: .chip))
    let workspace = engine.makeWorkspace()
    var clock = ClockTracker()
    var (tracked, plain, normalised) = ([Double](), [Double](), [Double]())
    while let whole = try reader.next() {
      let double = engine.measure(whole, using: workspace)
      var half = whole
      half.final = nil
      let estimate = clock.update(half)
      guard whole.index > 5, let truth = double.distance else { continue }
      let metresPerTick = UWB.tick * UWB.speedOfLightInAir
      let uncorrected = try #require(SingleSidedRanging(half, clockOffset: 0))
      plain.append(uncorrected.timeOfFlightTicks * metresPerTick - truth)
      let single = engine.measure(half, clock: estimate, using: workspace)
      let distance = try #require(single.distance)
      tracked.append(distance - truth)
      normalised.append((distance - truth) / (try #require(single.distanceDeviation)))
    }
    print(
      "log \(log): single-sided less double-sided, rms: uncorrected \(rms(plain)) m, tracked clock \(rms(tracked)) m, "
        + "over the stated deviation \(rms(normalised)), \(tracked.count) exchanges")
    #expect(rms(tracked) < 0.3)
    #expect(rms(tracked) < 0.1 * rms(plain))
    #expect(rms(normalised) < 2)
  }
}
