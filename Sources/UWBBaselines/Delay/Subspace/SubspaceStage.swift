import Numerics
import UWBDSP

/// What surrounds a subspace method: the rough search before it, and after it the amplitudes, the weeding of delays
/// that are none, and the deviations.
///
/// Amplitudes are the least-squares solution on the raw taps for the delays found, a = G⁻¹·Bᵀ·y (`PathFit`). Leaving
/// path i out would raise the cost by |a_i|²/(G⁻¹)_ii; where the least such gain is below γ noise variances, the method
/// is asked again for one path fewer, as an order too high spoils the other delays too. At the end one path fewer is
/// tried once more and taken where the cost rises by less than γ noise variances. γ = 14 + ln(SNR) as in `PulseFit`, or
/// 5 + ln(SNR) for a path that has another within 0.75 tap. The first path is the earliest that stays.
///
/// Deviations are the Cramér–Rao bound for the paths found, with the larger of the assumed and the seen residual
/// variance. The methods come near the bound and don't reach it, and a path that hides another is biased: each method
/// says by how much its deviations are too small.
final class SubspaceStage {
  static let acceptance = 14.0
  static let nearAcceptance = 5.0
  static let nearTaps = 0.75
  /// Least gain of the last path, noise variances: the rough search has seen a path there already.
  static let lastAcceptance = 8.0
  /// Least gain of each path where their number is given.
  static let givenAcceptance = 6.0
  /// Two delays closer than this are one.
  static let leastSpacing = 0.05

  let window: FrequencyWindow
  let response: FrequencyResponse
  /// Delays in taps from the window's start: written by the method, weeded by `report`.
  let delays: AlignedBuffer<Double>
  private let rough: RoughFirstPath
  private let fit: PathFit
  /// Delays of the last order that settled.
  private let kept: AlignedBuffer<Double>
  private let unit: AlignedBuffer<Double>
  private var firstTap = 0
  private var variance = 0.0
  private var logSNR = 0.0

  init(_ window: FrequencyWindow, tapCount: Int) {
    self.window = window
    response = FrequencyResponse(window)
    delays = AlignedBuffer(count: PathFit.mostPaths, zero: 0)
    kept = AlignedBuffer(count: PathFit.mostPaths, zero: 0)
    unit = AlignedBuffer(count: PathFit.mostPaths, zero: 0)
    rough = RoughFirstPath(window.receiver, tapCount: tapCount)
    fit = PathFit(table: PulseTable(window.receiver), windowTaps: window.windowTaps)
  }

  /// How many paths a covariance's eigenvalues show, by minimum description length; one at least, which the rough search has seen.
  ///
  /// A forward–backward average counts its snapshots twice and has half the free parameters (Xu, Roy & Kailath 1994). The snapshots of spatial
  /// smoothing overlap, which spreads the noise's eigenvalues. With that smaller penalty noise mostly passes for signal, so it is whole here.
  /// The count is seldom too low, and `weed` takes out again what is too many.
  static func pathCount(_ values: UnsafePointer<Double>, order: Int, snapshots: Int, most: Int) -> Int {
    max(
      1,
      SourceCountTest.count(
        .mdl(atMost: most), values: values, order: order, snapshots: snapshots, isAveraged: false))
  }

  /// Finds the window round the rough first path, how many paths it holds, and where they are.
  ///
  /// - Parameters:
  ///   - order: the number of paths in `response`, or `nil`.
  ///   - locate: writes the delays of so many paths to `delays`. It returns how many it found, or `nil`.
  func estimate(
    _ taps: PreparedTaps, into estimate: inout DelayEstimate, order: (FrequencyWindow) -> Int?,
    locate: (Int) -> Int?
  ) {
    guard load(taps, into: &estimate), let order = order(window) else { return }
    report(order: order, into: &estimate, locate: locate)
  }

  /// Loads the window round the rough first path.
  ///
  /// - Returns: whether there is one; where there is none, `estimate` says why.
  private func load(_ taps: PreparedTaps, into estimate: inout DelayEstimate) -> Bool {
    guard let halfTap = rough.find(taps, into: &estimate), taps.count >= window.windowTaps else { return false }
    firstTap = min(max(0, (halfTap + 1) / 2 - window.before), taps.count - window.windowTaps)
    response.load(taps, firstTap: firstTap)
    fit.load(taps, firstTap: firstTap)
    variance = window.receiver.variance(noise: taps.noiseVariance, peak: fit.strongestPower)
    logSNR = max(0, Double.log(fit.strongestPower / variance))
    return true
  }

  /// Settles how many paths there are, starting from `order`, and reports them.
  private func report(order: Int, into estimate: inout DelayEstimate, locate: (Int) -> Int?) {
    guard var fitted = settle(order, locate), fitted.count > 0 else { return }
    // One path fewer, unless the fit says that it was needed.
    while window.order == nil, fitted.count > 1 {
      kept.pointer.update(from: delays.pointer, count: fitted.count)
      guard let fewer = settle(fitted.count - 1, locate), fewer.count > 0, isAsGood(fewer, as: fitted) else {
        delays.pointer.update(from: kept.pointer, count: fitted.count)
        break
      }
      fitted = fewer
    }
    let count = fitted.count
    guard fit.solve(delays.pointer, count: count) != nil, fit.differentiate(delays.pointer, count: count) else {
      return
    }
    let freedom = Double(fit.windowTaps) - 1.5 * Double(count)
    let used = max(variance, fitted.cost / freedom)
    estimate.status = .ok
    fit.report(delays.pointer, count: count, firstTap: firstTap, variance: used, into: &estimate)
  }

  /// Locates and weeds until nothing is left to weed, one path fewer each time: what an order too high does to the
  /// others, leaving several out at once would not undo.
  private func settle(_ order: Int, _ locate: (Int) -> Int?) -> (count: Int, cost: Double)? {
    for order in stride(from: order, through: 1, by: -1) {
      guard let found = locate(order), found > 0 else { continue }
      let left = weed(found)
      if let left, left.count == found || window.order != nil { return left }
    }
    return nil
  }

  /// Whether `fewer`, now in `delays`, explains the taps as well as `more` paths, kept aside.
  private func isAsGood(_ fewer: (count: Int, cost: Double), as more: (count: Int, cost: Double)) -> Bool {
    let isNear = abs(delays.pointer[0] - kept.pointer[0]) < Self.nearTaps
    let need = (isNear ? Self.nearAcceptance : Self.acceptance) + logSNR
    return fewer.cost < more.cost + need * Double(more.count - fewer.count) * variance
  }

  /// Sorts the first `found` of `delays` and takes out those that are noise.
  private func weed(_ found: Int) -> (count: Int, cost: Double)? {
    let delays = delays.pointer
    var ascending = UnsafeMutableBufferPointer(start: delays, count: found)
    ascending.sort()
    var count = found
    var index = 1
    while index < count {
      if delays[index] - delays[index - 1] < Self.leastSpacing { remove(index, &count) } else { index += 1 }
    }
    while count > 0 {
      guard let cost = fit.solve(delays, count: count) else {
        remove(closest(count), &count)
        continue
      }
      guard let weakest = weakest(count) else { return (count, cost) }
      remove(weakest, &count)
    }
    return nil
  }

  /// The path that the test takes out next.
  private func weakest(_ count: Int) -> Int? {
    var worst = (ratio: 1.0, index: -1)
    for index in 0..<count {
      for other in 0..<count { unit.pointer[other] = other == index ? 1 : 0 }
      fit.applyInverseGram(unit.pointer, count: count)
      let gain = fit.amplitude(index).lengthSquared / max(unit.pointer[index], .leastNormalMagnitude)
      let ratio = gain / (acceptance(index, count) * variance)
      if ratio < worst.ratio { worst = (ratio, index) }
    }
    return worst.index >= 0 ? worst.index : nil
  }

  private func acceptance(_ index: Int, _ count: Int) -> Double {
    if window.order != nil { return Self.givenAcceptance }
    if count == 1 { return Self.lastAcceptance }
    let delays = delays.pointer
    let isNear =
      index > 0 && delays[index] - delays[index - 1] < Self.nearTaps
      || index + 1 < count && delays[index + 1] - delays[index] < Self.nearTaps
    return (isNear ? Self.nearAcceptance : Self.acceptance) + logSNR
  }

  /// The later one of the two delays that lie closest together.
  private func closest(_ count: Int) -> Int {
    var best = (spacing: Double.infinity, index: count - 1)
    for index in 1..<max(count, 1) {
      let spacing = delays.pointer[index] - delays.pointer[index - 1]
      if spacing < best.spacing { best = (spacing, index) }
    }
    return best.index
  }

  private func remove(_ index: Int, _ count: inout Int) {
    for position in index..<count - 1 { delays.pointer[position] = delays.pointer[position + 1] }
    count -= 1
  }
}
