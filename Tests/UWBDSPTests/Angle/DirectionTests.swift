import TestSupport
import Testing
import UWBDSP

@Suite struct DirectionTests {
  private func close(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> Bool { ((a - b) * (a - b)).sum() < 1e-24 }

  /// +x right, +y up, −z out of the back towards the peer: straight ahead is −z.
  @Test func axesAsInTheNotation() {
    #expect(close(Direction.unitVector(azimuth: 0, elevation: 0), SIMD3(0, 0, -1)))
    #expect(close(Direction.unitVector(azimuth: .pi / 2, elevation: 0), SIMD3(1, 0, 0)))
    #expect(close(Direction.unitVector(azimuth: -.pi / 2, elevation: 0), SIMD3(-1, 0, 0)))
    #expect(close(Direction.unitVector(azimuth: 0.7, elevation: .pi / 2), SIMD3(0, 1, 0)))
    #expect(close(Direction.unitVector(azimuth: .pi, elevation: 0), SIMD3(0, 0, 1)))
    // 30° to the right, 45° up.
    let vector = Direction.unitVector(azimuth: .pi / 6, elevation: .pi / 4)
    #expect(close(vector, SIMD3(0.5 * 0.5.squareRoot(), 0.5.squareRoot(), -0.75.squareRoot() * 0.5.squareRoot())))
  }

  @Test func anglesUndoUnitVectors() {
    var random = StatisticsRandom(seed: 1600)
    for _ in 0..<500 {
      let azimuth = random.uniform(-3.1...3.1)
      let elevation = random.uniform(-1.5...1.5)
      let vector = Direction.unitVector(azimuth: azimuth, elevation: elevation)
      #expect(abs((vector * vector).sum() - 1) < 1e-14)
      let angles = Direction.angles(of: vector * random.uniform(0.1...30))
      #expect(abs(angles.azimuth - azimuth) < 1e-12)
      #expect(abs(angles.elevation - elevation) < 1e-12)
    }
  }

  @Test func noVectorHasNoAngles() {
    let angles = Direction.angles(of: SIMD3())
    #expect(angles.azimuth == 0 && angles.elevation == 0)
  }
}
