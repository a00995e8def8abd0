#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A corner that a peer may turn within a step: straight on and round it are two accounts until measurements tell, a few steps later, which
/// is what makes a sharp turn no detour and a straight way a narrow one. One Gaussian for both would be too wide between corners and too
/// narrow at them.
struct RangeCorner {
  /// Accounts less likely turn no corners: nothing would come of it.
  private static let leastTurning = 1e-3
  /// A corner is not expected together with another event where it is less likely than this.
  private static let mostlyStraight = 0.1

  /// How likely there is one in the step.
  private let probability: Double
  /// By how much it changes the rate, m/s.
  private let turn: Double
  private let step: Double
  /// In how many ways a peer may go whose line of sight comes or goes within the step: in a gap it may have turned as well.
  let ways: Int

  init(step: Double, straightTime: Double, turn: Double) {
    probability = -expm1(-step / straightTime)
    self.turn = turn
    self.step = step
    ways = probability > Self.mostlyStraight ? 2 : 1
  }

  /// What not knowing of corners adds to a distance's variance within the step, m².
  var variance: Double { probability * turn * turn * step * step / 3 }

  /// The hypothesis as it goes on in one of `ways`, by weight.
  func way(_ index: Int, _ hypothesis: RangeHypothesis) -> RangeHypothesis {
    guard index == 0 else { return hypothesis.turned(by: turn, step: step).weighted(by: probability) }
    return ways > 1 ? hypothesis.weighted(by: 1 - probability) : hypothesis
  }

  /// Takes in the measurement both ways.
  func walk(
    _ hypothesis: RangeHypothesis, _ update: inout RangeUpdate, into next: inout RangeHypotheses, word: Double,
    leastDetour: Double? = nil, isMotion: Bool = false
  ) {
    guard hypothesis.weight > Self.leastTurning, probability > 0 else {
      next.add(update.apply(to: hypothesis, word: word, leastDetour: leastDetour, isMotion: isMotion))
      return
    }
    let straight = hypothesis.weighted(by: 1 - probability)
    next.add(update.apply(to: straight, word: word, leastDetour: leastDetour, isMotion: isMotion))
    let turned = hypothesis.turned(by: turn, step: step).weighted(by: probability)
    next.add(update.apply(to: turned, word: word, leastDetour: leastDetour))
  }
}
