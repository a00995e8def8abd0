import TestSupport
import Testing

@testable import UWBDSP

@Suite struct LevenbergMarquardtTests {
  /// Cost and derivatives of a quadratic, J = 5 + (x − m)ᵀA(x − m), in a window of 23 taps.
  private final class Bowl: FitProblem {
    let solver = LevenbergMarquardt<Double>(order: 3, origin: 0)
    let middle: [Double]
    let matrix: [[Double]]
    let isHeld: Bool
    /// Positions beyond this can't be solved.
    var wall = Double.infinity
    private(set) var last: [Double] = []

    init(_ matrix: [[Double]], middle: [Double], isHeld: Bool = false) {
      (self.matrix, self.middle, self.isHeld) = (matrix, middle, isHeld)
    }

    func solve(_ positions: UnsafePointer<Double>, count: Int) -> Double? {
      last = (0..<count).map { positions[$0] }
      guard last.allSatisfy({ $0 < wall }) else { return nil }
      let off = zip(last, middle).map { $0 - $1 }
      return zip(matrix, off).reduce(5) { sum, row in sum + row.1 * zip(row.0, off).reduce(0) { $0 + $1.0 * $1.1 } }
    }

    func linearise(_ positions: UnsafePointer<Double>, count: Int) {
      solver.clear(count)
      for row in 0..<count {
        for column in 0..<count {
          solver.hessian.pointer[row * solver.order + column] = matrix[row][column]
          solver.gradient.pointer[row] -= matrix[row][column] * (positions[column] - middle[column])
        }
      }
      guard isHeld else { return }
      for path in 0..<count { solver.hold(delay: positions[path], path, of: count, windowTaps: 23) }
    }

    func move(
      _ positions: UnsafePointer<Double>, count: Int, by step: UnsafePointer<Double>,
      into moved: UnsafeMutablePointer<Double>
    ) {
      for path in 0..<count {
        moved[path] = FitStep.moved(positions[path], by: step[path], windowTaps: 23)
      }
    }

    func run(
      _ start: [Double], share: Double = 0, floor: Double = 0
    ) -> (end: FitEnd, positions: [Double]) {
      let positions = AlignedBuffer<Double>(count: start.count, zero: 0)
      for (index, value) in start.enumerated() { positions.pointer[index] = value }
      let end = solver.run(
        self, positions.pointer, count: start.count, unknowns: start.count, least: 1e-6, share: share, floor: floor)
      return (end, (0..<start.count).map { positions.pointer[$0] })
    }
  }

  /// Ends where it stands once its steps are taken, and says so.
  @Test(arguments: 0...2) func takesNoMoreSteps(most: Int) {
    let start = [7, 8, 12.0]
    let positions = AlignedBuffer<Double>(count: 3, zero: 0)
    for (index, value) in start.enumerated() { positions.pointer[index] = value }
    let bowl = Bowl(Self.matrix, middle: [5, 9, 14])
    let end = bowl.solver.run(bowl, positions.pointer, count: 3, unknowns: 3, least: 0, most: most)
    #expect(!end.settled && end.steps == most)
    #expect((0..<3).map { positions.pointer[$0] } == start || most > 0)
  }

  private static let matrix = [[4.0, 1, 0.5], [1, 3, -1], [0.5, -1, 5]]

  @Test func endsAtTheMinimum() {
    let bowl = Bowl(Self.matrix, middle: [5, 9, 14])
    let (end, positions) = bowl.run([7, 8, 12])
    #expect(end.settled && !end.isStale && abs(end.cost - 5) < 1e-5)
    for (found, middle) in zip(positions, [5.0, 9, 14]) { #expect(abs(found - middle) < 2e-3) }
    #expect(bowl.last == positions)
  }

  /// A quadratic's first step promises all that stands above the minimum, 5: less than a larger share of that, more than a smaller one.
  @Test func aStepHasToBringItsShare() {
    let start = [5.1, 9, 14.0]
    func run(_ share: Double, floor: Double) -> (end: FitEnd, positions: [Double]) {
      Bowl(Self.matrix, middle: [5, 9, 14]).run(start, share: share, floor: floor)
    }
    let stays = run(1.1, floor: 5)
    #expect(stays.end.settled && !stays.end.isStale && stays.positions == start)
    #expect(run(0.9, floor: 5).end.cost < 5.001)
    #expect(run(1.1, floor: 5.03).end.cost < 5.001)
  }

  /// A delay whose minimum lies out of the window's reach stays at the end, and the others go to their minimum given that.
  @Test func holdsWhatCantGoFurther() {
    let bowl = Bowl(Self.matrix, middle: [5, 9, 30], isHeld: true)
    let (end, positions) = bowl.run([5.5, 9.5, 23])
    #expect(end.settled && positions[2] == 24)
    // The first two rows of A·(x − m) = 0 with x_3 − m_3 = −6: 4u + v = 3 and u + 3v = −6.
    // Within what the cost, some 150, is rounded to: a step that brings 1e-6 of it is not taken.
    #expect(abs(positions[0] - 5 - 15.0 / 11) < 2e-2 && abs(positions[1] - 9 + 27.0 / 11) < 2e-2)
  }

  /// Where steps lead to places that can't be solved, shorter ones are taken.
  @Test func turnsBackFromWhatCantBeSolved() {
    let bowl = Bowl([[1, 0, 0], [0, 1, 0], [0, 0, 1]], middle: [10, 3, 3])
    bowl.wall = 9
    let (end, positions) = bowl.run([8.7, 3, 3])
    #expect(end.cost < 5 + 1.7 && positions[0] < 9 && positions[0] > 8.7)
    bowl.wall = 8
    #expect(bowl.run([8.7, 3, 3]).end.cost == .infinity)
  }
}
