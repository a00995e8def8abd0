import Numerics
import TestSupport
import Testing

@testable import UWBDSP

@Suite struct RangeMotionTests {
  private static func moved(_ start: RangeHypothesis, _ steps: [Double], speed: Double) -> RangeHypothesis {
    var one = start
    for step in steps { one.move(RangeMotion(step: step, acceleration: 1.3, speed: speed), drift: 0.01 * step) }
    return one
  }

  private static let start = RangeHypothesis(
    weight: 1, state: SIMD3(5, 1.2, 0.3),
    covariance: SymmetricMatrix3(
      x: SIMD3(0.04, 0.01, -0.02), y: SIMD3(0.01, 0.5, 0.03), z: SIMD3(-0.02, 0.03, 0.2)))

  /// A long step is many short ones, whichever side of the series' border they lie on.
  @Test(arguments: [0.3, 2, 50]) func stepsAddUp(speed: Double) {
    for length in [0.01, 0.3, 3, 20.0] {
      let whole = Self.moved(Self.start, [length], speed: speed)
      let parts = Self.moved(Self.start, [Double](repeating: length / 64, count: 64), speed: speed)
      #expect(((whole.state - parts.state) / whole.state).max() < 1e-6)
      for (a, b) in [
        (whole.covariance.x, parts.covariance.x), (whole.covariance.y, parts.covariance.y),
        (whole.covariance.z, parts.covariance.z),
      ] {
        for index in 0..<3 { #expect(abs(a[index] - b[index]) < 1e-5 * (abs(a[index]) + 1e-3), "\(length)") }
      }
    }
  }

  /// Without a limit to the speed: white acceleration, by the textbook.
  @Test func unlimitedSpeedIsConstantVelocity() {
    let motion = RangeMotion(step: 0.7, acceleration: 1.3, speed: .infinity)
    let density = 1.3 * 1.3
    #expect(motion.hold == 1 && motion.carry == 0.7)
    #expect(abs(motion.xx - density * 0.343 / 3) < 1e-12)
    #expect(abs(motion.xy - density * 0.49 / 2) < 1e-12)
    #expect(abs(motion.yy - density * 0.7) < 1e-12)
  }

  /// In the long run the rate has the speed's deviation, whatever it was, and the place spreads as in diffusion: s²·2·τ·t.
  @Test func theRateForgetsItself() {
    let one = Self.moved(Self.start, [1000], speed: 2)
    let time = 2 * 2 * 2 / (1.3 * 1.3)
    #expect(abs(one.state.y) < 1e-9)
    #expect(abs(one.covariance.y.y - 4) < 1e-9)
    #expect(abs(one.covariance.x.x / (4 * 2 * time * 1000) - 1) < 0.01)
  }

  /// A merger keeps the mean and the variance of what it merges; of three, those two that are most alike become one.
  @Test func mergersKeepMoments() {
    var near = Self.start.weighted(by: 0.3)
    near.state.x = 5.1
    var far = Self.start.weighted(by: 0.2)
    far.state.x = 9
    let all = [Self.start.weighted(by: 0.5), near, far]
    for order in [[0, 1, 2], [0, 2, 1], [2, 1, 0], [1, 2, 0]] {
      var two = RangeHypotheses(hasDetour: false)
      two.add(.none)
      for index in order { two.add(all[index]) }
      let (a, b) = (two.first, two.second)
      let mean = a.weight * a.state.x + b.weight * b.state.x
      let square =
        a.weight * (a.covariance.x.x + a.state.x * a.state.x) + b.weight * (b.covariance.x.x + b.state.x * b.state.x)
      #expect(abs(two.weight - 1) < 1e-12)
      #expect(abs(mean - (0.5 * 5 + 0.3 * 5.1 + 0.2 * 9)) < 1e-12)
      #expect(abs(square - (0.04 + 0.5 * 25 + 0.3 * 5.1 * 5.1 + 0.2 * 81)) < 1e-9)
      #expect(a.state.x == 9 || b.state.x == 9)
    }
  }
}
