import TestSupport
import Testing

@testable import UWBDSP

@Suite struct ReciprocalCorrectionTests {
  private func move(
    _ moves: [Double], deviation: Double, chip: Double, standing: Double = 0, receptions: Int = 1
  ) -> (ticks: Double, variance: Double) {
    var correction = ReciprocalCorrection(chipVariance: chip * chip, standingVariance: standing * standing)
    for move in moves { correction.add(move, variance: deviation * deviation) }
    return correction.move(receptions: receptions)
  }

  @Test func withoutACIRTheChipIsBelieved() {
    let move = move([], deviation: 1, chip: 9)
    #expect(move.ticks == 0)
    #expect(move.variance == 81)
  }

  /// −8.9 taps with a deviation of 0.7, as behind a wall: nearly all of it.
  @Test func aLargeMoveIsTakenWhole() {
    let move = move([-590, -550], deviation: 45, chip: 9)
    #expect(abs(move.ticks + 570) < 8)
    #expect(move.variance > 140 * 140 / 2)
  }

  @Test func whatTheCIRsAreNotSureOfIsLeftOut() {
    #expect(move([30, 20], deviation: 25, chip: 9).ticks == 0)
    // No more than chips and estimators differ by on any path.
    #expect(move([16, 18], deviation: 3, chip: 9, standing: 13).ticks == 0)
    #expect(move([60, 70], deviation: 3, chip: 9, standing: 13).ticks > 50)
  }

  /// Over random input: never further than the mean, nor to the other side; mirrored and scaled with its input; a variance no smaller than
  /// two thirds of the chip's.
  @Test func movesLieBetweenNothingAndTheMean() {
    var random = StatisticsRandom(seed: 77)
    for _ in 0..<2000 {
      let count = 1 + Int(2 * random.uniform())
      let spread = 10 * random.uniform() * 30
      let moves = (0..<count).map { _ in spread * random.gaussian() }
      let (deviation, chip) = (50 * random.uniform(), 0.1 + 20 * random.uniform())
      let own = move(moves, deviation: deviation, chip: chip)
      let shared = move(moves, deviation: deviation, chip: chip, receptions: 2)
      #expect(shared.ticks == own.ticks && shared.variance >= own.variance)
      let mean = moves.reduce(0, +) / Double(count)
      #expect(own.ticks * mean >= 0 && abs(own.ticks) <= abs(mean))
      #expect(own.variance >= chip * chip * 2 / 3 * (1 - 1e-12))
      let mirrored = move(moves.map { -$0 }, deviation: deviation, chip: chip)
      #expect(mirrored.ticks == -own.ticks && mirrored.variance == own.variance)
      let scaled = move(moves.map { 4 * $0 }, deviation: 4 * deviation, chip: 4 * chip)
      #expect(scaled.ticks == 4 * own.ticks && scaled.variance == 16 * own.variance)
    }
  }

  /// Where chips err by nothing but their own scatter, hardly anything is added.
  @Test func clearChannelsStayAsTheyAre() {
    var random = StatisticsRandom(seed: 78)
    var normalised = StatisticsErrors()
    var error = StatisticsErrors()
    let trials = 1000
    for _ in 0..<trials {
      let move = move([9 * random.gaussian(), 9 * random.gaussian()], deviation: 1, chip: 9)
      let truth = 9 * random.gaussian()
      error.add(truth - move.ticks)
      normalised.add((truth - move.ticks) / move.variance.squareRoot())
    }
    #expect(error.meanSquare.squareRoot() < 9 * 1.1)
    #expect(normalised.meanSquare < 1.5 && normalised.meanSquare > 0.7)
  }
}
