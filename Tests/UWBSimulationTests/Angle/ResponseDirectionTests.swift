import Numerics
import Testing
import UWBDSP
import UWBSimulation

/// Directions of arrays whose antennas don't answer alike: gains, patterns and manifolds reach the engine's direction.
@Suite struct ResponseDirectionTests {
  private static func arrays() -> [AntennaArray] {
    let square = JointDelayAngleTests.square
    var random = SeededGenerator(seed: 4401)
    var gains = square
    gains.gains = square.positions.map { _ in
      Complex(length: random.uniform(in: 0.6...1.5), phase: random.uniform(in: -3...3))
    }
    // Each looks another way.
    var patterns = gains
    patterns.patterns = [0.3, -0.3, 0.2, -0.2].map { angle in
      .cosine(exponent: 1, boresight: Direction.unitVector(azimuth: angle, elevation: angle / 2))
    }
    // Phases of up to 50°, that turn slowly with direction.
    let axis = ManifoldGrid.Axis(first: -1.2, step: 0.2, count: 13)
    var manifold = square
    manifold.manifold = ManifoldGrid(
      azimuths: axis, elevations: axis, antennaCount: 4,
      responses: (0..<4).flatMap { antenna in
        let (a, b) = (random.uniform(in: -0.6...0.6), random.uniform(in: -0.6...0.6))
        return (0..<169).map { point in
          let (azimuth, elevation) = (-1.2 + 0.2 * Double(point % 13), -1.2 + 0.2 * Double(point / 13))
          return Complex(length: 1 + 0.2 * a * azimuth, phase: 0.9 * (a * azimuth + b * elevation + a * b))
        }
      })
    return [gains, patterns, manifold]
  }

  @Test("a direction is that of the array's own response, with its deviation", arguments: 0..<3)
  func found(index: Int) throws {
    let array = Self.arrays()[index]
    let engine = RangingEngine(.init(profile: .ideal, array: array))
    let blind = RangingEngine(.init(profile: .ideal, array: AntennaArray(array.layout)))
    let (workspace, blindWorkspace) = (engine.makeWorkspace(), blind.makeWorkspace())
    var (squares, normalised, blindSquares) = (0.0, 0.0, 0.0)
    let count = 60
    for trial in 0..<count {
      let azimuth = -0.8 + 0.055 * Double(trial * 7 % 30)
      let elevation = -0.4 + 0.04 * Double(trial * 11 % 21)
      let channel = DirectionalChannel([
        DirectionalPath(PathSpecification(delayTaps: 0, powerdB: 0), azimuth: azimuth, elevation: elevation)
      ])
      let trials = ArrayTrialGenerator(channel: channel, array: array, snrdB: 30, seed: 5101 + UInt64(trial))
      func message(_ index: Int) -> RangingMessage {
        RangingMessage(
          reception: Reception(time: DeviceTime(ticks: 1), impulseResponse: trials.trial(index).response))
      }
      let exchange = RangingExchange(
        index: trial, time: 0, peer: DeviceAddress(rawValue: 1), poll: message(0), final: message(1))
      let result = engine.measure(exchange, using: workspace)
      let error = try #require(result.azimuth) - azimuth
      squares += error * error
      let deviation = try #require(result.azimuthDeviation)
      normalised += error * error / (deviation * deviation)
      blindSquares +=
        blind.measure(exchange, using: blindWorkspace).azimuth.map { ($0 - azimuth) * ($0 - azimuth) } ?? 1
    }
    // 60 squares of a standard normal have a mean within 1 ± 0.73 in 9 999 cases of 10 000.
    let mean = normalised / Double(count)
    #expect((0.27...1.73).contains(mean), "\(mean)")
    #expect(squares < blindSquares / 100, "\(squares) \(blindSquares)")
  }

  @Test("phase differences in place of CIRs are told by the same response")
  func phaseDifferences() throws {
    let array = Self.arrays()[0]
    let engine = RangingEngine(.init(profile: .ideal, array: array))
    let workspace = engine.makeWorkspace()
    for azimuth in [-0.6, 0.0, 0.7] {
      let response = array.response(to: Direction.unitVector(azimuth: azimuth, elevation: 0.2))
      var exchange = RangingExchange(index: 0, time: 0, peer: DeviceAddress(rawValue: 1), poll: RangingMessage())
      exchange.phaseDifferences = response.dropFirst().map { ($0 * response[0].conjugate).phase }
      let result = engine.measure(exchange, using: workspace)
      #expect(abs(try #require(result.azimuth) - azimuth) < 0.05, "\(String(describing: result.azimuth)) \(azimuth)")
    }
  }
}
