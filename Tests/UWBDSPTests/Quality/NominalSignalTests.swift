import Numerics
import TestSupport
import Testing
import UWBDSP

@Suite struct NominalSignalTests {
  private let signal = NominalSignal.dw1000

  /// A reception at `distance` of which the chip reports `total` dBm, the first path `share` dB below it.
  private func features(total: Double, share: Double, distance: Double) -> QualityFeatures {
    var features = QualityFeatures()
    features.setDistance(distance)
    features[.firstPathPower] = share
    features.reportPower(total, pulseEnergydB: 0)
    return features
  }

  /// The sums over the level, by a fine grid as wide.
  private func naiveLogOdds(_ features: QualityFeatures, firstPath: Double) -> Double {
    var (clear, obstructed) = (0.0, 0.0)
    for step in -275...275 {
      let offset = 0.01 * Double(step)
      let free = -58 + 8 * offset - features.distancedB
      let loss = min(max(min(free, -68) - firstPath, -2), 15)
      let model = ExcessLossModel.simulated
      func density(_ mean: Double, _ deviation: Double) -> Double {
        Double.exp(-0.5 * (loss - mean) * (loss - mean) / deviation / deviation) / deviation
      }
      let weight = Double.exp(-0.5 * offset * offset)
      clear += weight * (0.9 * density(model.clear.x, model.clear.y) + 0.1 * density(10, 10))
      obstructed += weight * density(model.obstructed.x, model.obstructed.y)
    }
    return Double.log(clear / obstructed)
  }

  @Test(arguments: [0.5, 3, 12, 60], [-95.0, -85, -79.5])
  func theLevelIsAveragedOver(distance: Double, total: Double) throws {
    for share in [0.0, -6, -15] {
      let features = features(total: total, share: share, distance: distance)
      // 1 dB above −88 stands for 2.1667; at most −68.
      let actual = min(total + 1.1667 * max(total + 88, 0), -68)
      let odds = try #require(signal.logOdds(shape: 0, features))
      // Steps of half a deviation are 4 dB, coarser than the density of a clear first path.
      let naive = naiveLogOdds(features, firstPath: actual + share)
      #expect(abs(odds - naive) < 0.5, "\(distance) m, \(total) dBm, \(share) dB: \(odds), \(naive)")
    }
  }

  /// Near a device the receiver saturates at any usual level: a weak first path is an obstacle. Far away it may be a weak radio.
  @Test func nearDevicesAreTold() throws {
    func odds(_ share: Double, _ total: Double, _ distance: Double) throws -> Double {
      try #require(signal.logOdds(shape: 0, features(total: total, share: share, distance: distance)))
    }
    #expect(try odds(-2, -79, 2) > 0.7)
    #expect(try odds(-15, -80, 2) < -1.5)
    #expect(try odds(-12, -94, 40) > odds(-12, -94, 2))
  }

  @Test func withoutAReportNothingIsSaid() {
    var features = QualityFeatures()
    features.setDistance(2)
    #expect(signal.logOdds(shape: 1, features) == nil)
    features.reportPower(.nan, pulseEnergydB: 0)
    #expect(features.reportedPower == nil)
    features.setSiteOdds(nil, signal: signal)
    #expect(features[.siteOdds] == LineOfSightModel.simulated.logOdds(features))
  }

  @Test func reportsAreCompressedAndUndone() {
    for power in stride(from: -110.0, through: -60, by: 2.5) {
      let report = signal.report(ofdBm: power)
      let undone = report + 1.1667 * max(report + 88, 0)
      #expect(abs(undone - min(power, -68)) < 1e-9)
    }
  }

  /// The engine judges by what the chip reported: the same CIR at the same distance, the report 25 dB apart.
  @Test func theEngineTakesTheChipsReport() throws {
    var random = StatisticsRandom(seed: 5641)
    var exchange = ExchangeMaker().make(using: &random)
    let engine = RangingEngine(.init(profile: .dw1000))
    func probability(_ power: Double?) throws -> Double {
      exchange.poll.reception?.receivedPowerdBm = power
      exchange.response?.reception?.receivedPowerdBm = power
      exchange.final?.reception?.receivedPowerdBm = power
      let result = engine.measure(exchange, using: engine.makeWorkspace(tapCount: 320))
      return try #require(result.lineOfSightProbability)
    }
    #expect(try probability(-79) > probability(-104))
  }
}
