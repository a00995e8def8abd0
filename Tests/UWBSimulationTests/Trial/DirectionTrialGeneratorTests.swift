import Numerics
import TestSupport
import Testing
import UWBDSP
import UWBSimulation

@Suite struct DirectionTrialGeneratorTests {
  private static let array = AntennaArray.linear(count: 3, spacing: 0.02, carrier: 7.9872e9)

  private func generator(_ scene: DirectionScene, snapshots: Int = 200, snrdB: Double = 10) -> DirectionTrialGenerator {
    DirectionTrialGenerator(array: Self.array, scene: scene, snapshotCount: snapshots, snrdB: snrdB, seed: 5)
  }

  @Test func aTrialDependsOnItsIndexAlone() {
    let made = generator(DirectionScene(placement: .within(1)), snapshots: 3)
    var (a, b) = (Snapshots(antennaCount: 3, snapshotCount: 3), Snapshots(antennaCount: 3, snapshotCount: 3))
    let first = made.trial(7, into: &a)
    _ = made.trial(2, into: &b)
    #expect(a != b)
    let again = made.trial(7, into: &b)
    #expect(a == b && first.directions == again.directions)
  }

  /// Without noise to speak of, one snapshot is one unit phasor times the steering vector.
  @Test func oneSnapshotIsTheSteeringVector() {
    let made = generator(DirectionScene(placement: .fixed([SIMD2(0.4, 0)])), snapshots: 1, snrdB: 200)
    var x = Snapshots(antennaCount: 3, snapshotCount: 1)
    let trial = made.trial(0, into: &x)
    let wave = Self.array.response(to: trial.directions[0])
    let amplitude = x[0, 0] / wave[0]
    #expect(abs(amplitude.length - 1) < 1e-9)
    for antenna in 0..<3 { #expect((x[antenna, 0] - amplitude * wave[antenna]).length < 1e-9) }
    #expect((trial.sampleCovariance[0] - .one).length < 1e-12)
  }

  /// Mean powers: 400 trials of 200 snapshots put them within 4.4/√80,000 of their values.
  @Test func powersAreAsAsked() {
    for isCoherent in [false, true] {
      let scene = DirectionScene(placement: .fixed([SIMD2(0.4, 0), SIMD2(-0.3, 0)]), isCoherent: isCoherent)
      let made = generator(scene)
      var x = Snapshots(antennaCount: 3, snapshotCount: 200)
      var powers = StatisticsErrors()
      var cross = 0.0
      for index in 0..<100 {
        let trial = made.trial(index, into: &x)
        powers.add(trial.sampleCovariance[0].real)
        cross += trial.sampleCovariance[1].lengthSquared / 100
        #expect(abs(trial.noiseVariance - 0.1) < 1e-12)
        #expect(trial.covariance[0] == .one)
        #expect(abs(trial.covariance[1].length - (isCoherent ? 1 : 0)) < 1e-12)
      }
      #expect(abs(powers.mean - 1) < StatisticsLimits.mean(deviation: 1, trials: 20_000))
      // |P̂_12|² is 1/N for independent sources, about 1 for coherent ones.
      #expect(isCoherent ? cross > 0.9 : cross < 0.02)
    }
  }
}
