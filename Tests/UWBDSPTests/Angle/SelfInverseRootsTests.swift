import TestSupport
import Testing

@testable import UWBDSP

@Suite struct SelfInverseRootsTests {
  /// Random projectors' polynomials: every root inside the circle is found, as the general iteration finds it.
  @Test(arguments: [2, 3, 5, 8, 12])
  func matchesTheGeneralIteration(order: Int) {
    var random = StatisticsRandom(seed: UInt64(4300 + order))
    let solver = SelfInverseRoots(order: order)
    for _ in 0..<20 {
      let c = AlignedBuffer(count: 2 * order, zero: 0.0)
      for d in 0..<order {
        c.pointer[d] = d == 0 ? 4 * Double(order) : random.uniform(-1...1)
        c.pointer[order + d] = d == 0 ? 0 : random.uniform(-1...1)
      }
      #expect(solver.find(c.pointer))
      let general = PolynomialRoots(degree: 2 * order - 2)
      for d in 0..<order {
        for side in [-1, 1] {
          let place = order - 1 + side * d
          general.coefficients.pointer[2 * place] = c.pointer[d]
          general.coefficients.pointer[2 * place + 1] = Double(side) * c.pointer[order + d]
        }
      }
      #expect(general.find())
      var inside: [SIMD2<Double>] = []
      for index in 0..<2 * order - 2 {
        let z = SIMD2(general.roots.pointer[2 * index], general.roots.pointer[2 * index + 1])
        if (z * z).sum() < 1 { inside.append(z) }
      }
      #expect(inside.count == order - 1)
      for index in 0..<order - 1 {
        let z = solver.roots.pointer[index]
        let nearest = inside.map { (($0 - z) * ($0 - z)).sum() }.min() ?? .infinity
        #expect(nearest < 1e-16)
      }
    }
  }

  /// |z − e^{jφ}|²: a double root on the circle, found to the square root of rounding.
  @Test func aDoubleRootOnTheCircle() {
    let solver = SelfInverseRoots(order: 2)
    let c = AlignedBuffer(count: 4, zero: 0.0)
    // 2 − e^{−jφ}z − e^{jφ}/z with φ = 1.
    c.pointer[0] = 2
    c.pointer[1] = -0.540_302_305_868_139_8
    c.pointer[3] = 0.841_470_984_807_896_5
    #expect(solver.find(c.pointer))
    let apart = solver.roots.pointer[0] - SIMD2(0.540_302_305_868_139_8, 0.841_470_984_807_896_5)
    #expect((apart * apart).sum() < 1e-12)
  }
}
