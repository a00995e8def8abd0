import TestSupport
import Testing
import UWBDSP

/// Exchanges that hold phase differences in place of CIRs.
@Suite struct PhaseDirectionTests {
  private static let half = UWB.speedOfLightInAir / 7.9872e9 / 2
  private static let array = AntennaArray(
    positions: [SIMD3(0, 0, 0), SIMD3(half, 0, 0), SIMD3(0, half, 0)], carrier: 7.9872e9)

  private func measure(
    _ differences: [Double]?, distance: Double? = 2, _ configuration: RangingEngine.Configuration
  ) -> RangingMeasurement {
    let engine = RangingEngine(configuration)
    let exchange = RangingExchange(
      index: 4, time: 1, peer: DeviceAddress(rawValue: 1), poll: RangingMessage(),
      chipReport: ChipReport(distance: distance), phaseDifferences: differences)
    return engine.measure(exchange, using: engine.makeWorkspace())
  }

  @Test("half a wavelength and 30° give +90°: by the plane wave, and by a manifold")
  func handWorked() throws {
    var calibration = Calibration()
    calibration.angle = AngleCalibration(manifold: IdealBoard.manifold(IdealBoard.lShape))
    for configuration in [
      RangingEngine.Configuration(profile: .ideal, array: Self.array),
      RangingEngine.Configuration(profile: .ideal, calibration: calibration),
    ] {
      let result = measure([.pi / 2, 0], configuration)
      #expect(result.status == .ok && result.directionStatus == .ok)
      #expect(abs(try #require(result.azimuth) - .pi / 6) < 2e-3)
      #expect(abs(try #require(result.elevation)) < 2e-3)
      #expect(result.distance == 2 && result.distanceDeviation == nil)
      #expect(try #require(result.azimuthDeviation) > 0)
    }
  }

  @Test("direction without distance, distance without direction, neither, and phases that don't fit the board")
  func parts() {
    let configuration = RangingEngine.Configuration(profile: .ideal, array: Self.array)
    let direction = measure([0, 0], distance: nil, configuration)
    #expect(direction.status == .ok && direction.distance == nil && direction.direction != nil)
    let distance = measure([.nan, 0], configuration)
    #expect(distance.status == .ok && distance.direction == nil && distance.directionStatus == .unusable)
    #expect(measure([0], configuration).direction == nil)
    #expect(measure([], distance: nil, configuration).status == .noDirection)
    #expect(measure(nil, configuration).status == .missingTimestamps)
    #expect(measure([0, 0], distance: 1e7, configuration).status == .impossibleDistance)
    #expect(measure([3, 3], configuration).directionStatus == .outsideFieldOfView)
    let blind = measure([0, 0], RangingEngine.Configuration(profile: .ideal))
    #expect(blind.status == .ok && blind.direction == nil && blind.directionStatus == nil)
  }
}
