import Numerics

/// How many paths there are: one more is accepted as long as it lowers the cost by enough.
///
/// For complex white noise of variance v, one path more has to lower the cost by γ·v, γ = 14 + ln(SNR). A path added to
/// pure noise passes at about 150·e^(−γ), and a phantom first path errs by taps where the true one errs by a hundredth.
/// Where the new path leaves the first one within half a tap of where it was, little is at stake and γ = 5 + ln(SNR). Up to
/// 1.25 taps γ grows with what is at stake.
///
/// Each order has two starts: the projected matched filter's peak, and the strongest path split in two. They are tried where
/// the residual hints at more: by its size, by one further path in it, or by the strongest path being too wide for one.
///
/// A path that has an amplitude on each of A antennas takes more from noise: the gain is Gamma(A, v) there, so levels are
/// raised to the same chance, γ_A − ln Σ_{j<A} γ_A^j/j! = γ.
final class OrderSelection<Model: PathModel> {
  /// A hundredth of a deviation.
  static var settledTolerance: Double { 1e-4 }
  /// A tenth of a deviation tells as well whether a path is believed; what stands in the end is settled once more.
  private static var trialTolerance: Double { 1e-2 }
  /// The same of what the fit leaves beyond noise: far from there the next path says more than the last of this one.
  private static var trialShare: Double { 0.05 }

  /// Of what a path apart from the others promises: where splitting one promises less, and the path apart is believed, the split is
  /// not tried.
  private static var splitShare: Double { 0.5 }

  let model: Model
  private let mostPaths: Int
  /// Of all descents of a search.
  private let mostSteps: Int
  private let trial: AlignedBuffer<Model.Position>
  private let better: AlignedBuffer<Model.Position>
  /// The best fit that was refused for the order that stands, if there was one.
  private let refused: AlignedBuffer<Model.Position>
  private var refusal: RefusedGain?
  private let standing: AlignedBuffer<Model.Position>
  /// Whether the model's last `solve` was of what stands.
  private var isSolved = false

  /// - Parameter mostSteps: of all descents of a search. Where they do not suffice, the paths so far are what it finds, unsettled.
  init(_ model: Model, mostPaths: Int, mostSteps: Int = 120) {
    self.model = model
    self.mostPaths = mostPaths
    self.mostSteps = mostSteps
    trial = AlignedBuffer(count: PathFit.mostPaths, zero: Model.origin)
    better = AlignedBuffer(count: PathFit.mostPaths, zero: Model.origin)
    refused = AlignedBuffer(count: PathFit.mostPaths, zero: Model.origin)
    standing = AlignedBuffer(count: PathFit.mostPaths, zero: Model.origin)
  }

  /// The paths that stand, by delay once `run` has ended.
  var positions: UnsafeMutablePointer<Model.Position> { standing.pointer }

  /// Finds paths from a first guess on.
  ///
  /// - Parameters:
  ///   - isSettled: whether the first guess is the best place of one path.
  ///   - variance: of a sample's noise, model error included.
  ///   - logSNR: ln of the strongest power over it.
  ///   - isBeaten: whether another explanation is better than the paths so far, and than more of them could be. The search ends there.
  ///     Asked before a third path is fitted, and before each after it. The model's last `solve` is of the paths so far. Arguments: their
  ///     number, and the share of their residual that one more would explain at its best place.
  /// - Returns: how many there are, or `nil` where they are beaten; whether the last fit settled; the steps of all descents.
  func run(
    from start: Model.Position, isSettled: Bool = false, variance: Double, logSNR: Double,
    isBeaten: (Int, Double) -> Bool = { _, _ in false }
  ) -> (count: Int?, settled: Bool, steps: Int) {
    refusal = nil
    var effort = FitEffort(steps: mostSteps)
    let limits = PathLimits(variance: variance, logSNR: logSNR, amplitudes: model.amplitudesPerPath)
    var count = 1
    positions[0] = start
    var cost =
      isSettled
      ? model.solve(positions, count: 1) ?? .infinity
      : model.refine(positions, count: 1, variance: variance, tolerance: Self.settledTolerance, effort: &effort)
    isSolved = cost.isFinite
    search: while count < mostPaths, effort.steps > 0 {
      guard isSolved || model.solve(positions, count: count) != nil else { break }
      isSolved = true
      let settled = effort.settled
      switch addPath(cost: cost, count: count, limits, &effort, isBeaten) {
      case .beaten:
        refusal = nil
        return (nil, false, mostSteps - effort.steps)
      case .none:
        effort.settled = settled
        break search
      case .found(let reached, let isSettled):
        count += 1
        cost = reached
        effort.settled = isSettled
      }
    }
    if count > 1 {
      trial.pointer.update(from: positions, count: count)
      let polished = model.refine(
        trial.pointer, count: count, variance: variance, tolerance: Self.settledTolerance, effort: &effort)
      if polished.isFinite { positions.update(from: trial.pointer, count: count) }
    }
    model.sort(positions, count: count)
    return (count, effort.settled && effort.steps > 0, mostSteps - effort.steps)
  }

  /// What came of one path more.
  private enum Addition {
    case none
    case beaten
    case found(cost: Double, isSettled: Bool)
  }

  /// Tries one path more from each start; keeps the best where it lowers the cost by enough.
  private func addPath(
    cost: Double, count: Int, _ limits: PathLimits, _ effort: inout FitEffort, _ isBeaten: (Int, Double) -> Bool
  ) -> Addition {
    let variance = limits.variance
    let samples = Double(model.sampleCount)
    guard cost > limits.hint * variance else { return .none }
    let start = model.start(count: count)
    let excess = cost / variance - samples
    let isHinted = start.gain > limits.hint * variance || excess > PathHint.excess * samples.squareRoot()
    if isHinted, count > 1, isBeaten(count, start.gain / cost) { return .beaten }
    let splitGain = model.splitGain(positions, count: count)
    // Neither the residual's size nor its shape hints at another path: the usual end, so it is made cheap.
    guard isHinted || splitGain > limits.splitHint * variance else {
      refusal = nil
      return .none
    }
    let strongest = model.strongestPath(count: count)

    var best = (cost: cost, settled: false)
    var improved = false
    refusal = nil
    let trial = trial.pointer
    let firstBefore = earliest(positions, count)
    func attempt() {
      isSolved = false
      let reached = model.refine(
        trial, count: count + 1, variance: variance, tolerance: Self.trialTolerance, share: Self.trialShare,
        effort: &effort)
      let firstAfter = earliest(trial, count + 1)
      let shift = firstBefore - firstAfter
      // Two paths of opposite phase may run into each other and still fit the first better than one path does. Among
      // more paths, such a pair only adapts to its neighbour.
      guard reached < best.cost, count == 1 || !model.hasCollapsed(count: count + 1) else { return }
      guard reached < cost - limits.acceptance(shift: shift) * variance else {
        let believable = limits.evenOdds(shift: shift)
        refuse(RefusedGain(gain: (cost - reached) / variance, believable: believable), trial, count + 1)
        return
      }
      best = (reached, effort.settled)
      improved = true
      isSolved = true
      better.pointer.update(from: trial, count: count + 1)
    }
    trial.update(from: positions, count: count)
    trial[count] = start.position
    attempt()
    // What leaves no more than noise can't be bettered by much: the usual end of a path list, so it is made cheap. Nor is
    // what widening the strongest path promises by far the less.
    let isSettled = improved && (best.cost < samples * variance || splitGain < Self.splitShare * start.gain)
    if !isSettled {
      trial.update(from: positions, count: count)
      trial[count] = model.moved(trial[strongest], by: 0.7)
      trial[strongest] = model.moved(trial[strongest], by: -0.7)
      attempt()
    }
    guard improved else { return .none }
    refusal = nil
    positions.update(from: better.pointer, count: count + 1)
    return .found(cost: best.cost, isSettled: best.settled)
  }

  private func earliest(_ positions: UnsafePointer<Model.Position>, _ count: Int) -> Double {
    (0..<count).reduce(.infinity) { min($0, model.delay(positions[$1])) }
  }

  private func refuse(_ refusal: RefusedGain, _ positions: UnsafePointer<Model.Position>, _ count: Int) {
    guard refusal.gain > self.refusal?.gain ?? 0 else { return }
    self.refusal = refusal
    refused.pointer.update(from: positions, count: count)
  }

  /// The refused path as it bears on a first path at `delay`; `nil` where none was refused.
  ///
  /// Even odds are below what a path has to bring before it is accepted: a wrong one costs more than a missed one.
  func refusedPath(count: Int, delay: Double, variance: Double) -> RefusedPath? {
    guard let refusal, count < PathFit.mostPaths else { return nil }
    let positions = refused.pointer
    model.sort(positions, count: count + 1)
    guard model.solve(positions, count: count + 1) != nil, model.differentiate(positions, count: count + 1)
    else { return nil }
    model.invertCurvature(count: count + 1)
    let shift = model.delay(positions[0]) - delay
    let chance = 1 / (1 + Double.exp(refusal.believable - refusal.gain))
    return RefusedPath(chance: chance, secondMoment: variance / 2 * model.delayCovariance(0, 0) + shift * shift)
  }

  func forgetRefusal() { refusal = nil }
}

/// A further path that was not believed, and what it would do to the first path.
struct RefusedPath {
  /// That it is there.
  var chance: Double
  /// Of the first path's delay about the one delivered if it is, taps².
  var secondMoment: Double

  /// The variance of the first path's delay with this path in it.
  func added(to variance: Double) -> Double { (1 - chance) * variance + chance * secondMoment }
}

/// How many noise variances a refused path would have brought, and how many it had to.
private struct RefusedGain {
  var gain: Double
  var believable: Double
}
