import Numerics

/// The rough search that all fits start from: the earliest half tap that belongs to the signal.
///
/// The taps are filtered at each half tap, by one of two filters. Candidates are the peaks of |z|² that reach γ·σ_z² and exceed what the
/// pulse of any later, stronger path leaves there, with a margin.
///
/// - `smoothed`: a short Gaussian of the main lobe's width. It has no side lobes of its own, and is within 0.3 dB of the matched filter's
///   signal-to-noise ratio.
/// - `sharp`: an interpolation between taps, no more. A weak path two taps before a strong one keeps its own peak.
///
/// A CIR holds more than noise before its signal: side lobes of the preamble code, bursts of other transmitters. What stands before and
/// behind a candidate tells which of them is the first path. `FirstPathNetwork` judges all that reach a level ten times as likely to be
/// passed by noise. Near the strongest peak, where noise has little room, the level is lower. Without a network, the search begins at the
/// strongest peak and walks back. It takes an earlier candidate for the first path so far where both hold:
///
/// - What follows it is near. The gap to the first path so far is one that rooms show at this level (`longestGap`). Down to `freeLevel` of
///   the strongest power any gap will do; below that, a weaker candidate needs a shorter one.
/// - What precedes it is weak. Its power is `clutterMargin` times all that was filtered in the `clutterBlocks` blocks before.
///
/// Where nothing reaches the level, the strongest half tap of all stands in if it reaches a laxer one.
///
/// False alarms: noise alone crosses the level γ·σ_z² upwards at the rate β·√(γ/π)·e^(−γ) a tap, β the filter's RMS
/// angular bandwidth (Rice 1944, section 3.3, for the envelope of narrow-band noise). So γ solves
/// taps · β·√(γ/π)·e^(−γ) = `falseAlarmRate` for the earliest path, and = `presenceRate` for the strongest.
///
/// Most of a CIR is noise far below the level. Over the filter's seven taps |z|² ≤ (Σ|w|)²·max|h|² and |z|² ≤ Σw²·Σ|h|²:
/// blocks of 16 taps that can't reach the level aren't filtered at all. Cost O(taps).
package struct FirstPathSearch: Sendable {
  package enum Filter: Sendable {
    case smoothed, sharp
  }

  /// Margin over the side lobes of later paths, in magnitude: several of them may add up. A network needs less.
  private static let sideLobeMargin: Float = 2
  private static let judgedMargin: Float = 1.3
  /// How much more often noise may reach the level of candidates that are judged.
  private static let judgedRate = 10.0
  /// How often noise may reach the level of candidates where the CIR shows more of it in the pulse's band than the taps' variance tells.
  private static let shownRate = 1e-3
  /// How often, a tap, noise may reach the level of candidates near the strongest peak, unless others may as often.
  private static let nearRate = 1e-7
  /// Half taps before the strongest peak that are near.
  private static let near = 2 * 96
  /// Share of the strongest power from which on a path may be the first however far behind it the next one is.
  private static let freeLevel: Float = 0.16
  /// Longest gap, half taps, that any weaker path may leave.
  private static let leastGap = 2 * 8
  /// Power over that of anything shortly before, from which on a candidate is no more of the same.
  private static let clutterMargin: Float = 2
  /// Blocks before a candidate that show what the accumulator holds without a signal.
  private static let clutterBlocks = 12
  /// Half taps before a candidate that may belong to its own pulse.
  private static let ownRise = 2 * 8
  /// Noise in the pulse's band over that of the taps, from which on it counts: two deviations of what eight blocks say of it.
  private static let leastExcess = 1.35
  /// How far before a path its side lobes are looked for, half taps.
  static let reach = 2 * 24
  static let halfWidth = 3

  /// Of the symmetric filters: for whole taps k = 0 … 3, then for half taps k = ½ … 2½.
  let weights: SIMD8<Float>
  /// Noise variance after the filter over that before it.
  let noiseGain: Double
  /// Squared bound of the filtered pulse d half taps before its peak, relative to its peak, margin included.
  private let sideLobes: [Float]
  private let network: FirstPathNetwork?
  private let bandwidth: Double
  /// Shows noise that is not white though it is taken for it.
  private let inBandNoise: InBandNoise?
  /// The largest |z|² over the largest |h|² that goes into it.
  let highestGain: Float
  /// The largest |z|² over the sum of |h|² that goes into it.
  let energyGain: Float
  let falseAlarmRate: Double
  /// Chance that a CIR of pure noise is taken to hold a path at all. A receiver that has decoded a frame knows that
  /// there is one, so this is no small number.
  package static let presence = 0.1
  private var presenceRate: Double { max(Self.presence, falseAlarmRate) }

  /// - Parameter network: was trained on smoothed taps.
  package init(_ receiver: ReceiverModel, filter: Filter = .smoothed, network: FirstPathNetwork? = .simulated) {
    let network = filter == .smoothed ? network : nil
    self.network = network
    inBandNoise = network != nil && receiver.noise.isWhite ? InBandNoise(receiver) : nil
    let (pulse, tapSpacing) = (receiver.pulse, receiver.tapSpacing)
    let width = Self.mainLobeWidth(pulse, tapSpacing)
    func kernel(_ taps: Double) -> Double {
      switch filter {
      case .smoothed: Double.exp(-0.5 * (taps / width) * (taps / width))
      case .sharp: Self.interpolation(taps)
      }
    }
    let offsets = (-Self.halfWidth...Self.halfWidth).map(Double.init)
    // What a unit path leaves at its peak, so that the filter's output reads in amplitudes.
    func gain(_ shift: Double) -> Double {
      offsets.reduce(0) { $0 + kernel($1 + shift) * pulse(($1 + shift) * tapSpacing) }
    }
    let wholeGain = gain(0)
    let halfGain = gain(0.5)
    let onTap = offsets.map { Float(kernel($0) / wholeGain) }
    let between = offsets.map { $0 == 3 ? 0 : Float(kernel($0 + 0.5) / halfGain) }
    weights = SIMD8(onTap[3], onTap[4], onTap[5], onTap[6], between[3], between[4], between[5], 0)
    highestGain = [onTap, between].reduce(0) { most, weights in
      let sum = weights.reduce(0) { $0 + abs($1) }
      return max(most, sum * sum)
    }
    energyGain = [onTap, between].reduce(0) { most, weights in max(most, weights.reduce(0) { $0 + $1 * $1 }) }
    let passed = offsets.reduce(0) { sum, row in
      offsets.reduce(sum) { $0 + kernel(row) * kernel($1) * receiver.noise(Int($1 - row)) }
    }
    noiseGain = passed / (wholeGain * wholeGain)
    // A Gaussian filter exp(−t²/2w²) passes noise of spectrum exp(−ω²w²): RMS bandwidth 1/(√2·w). White noise from
    // −π to π a tap has π/√3.
    // Correlated noise changes less faster than white noise does: its rate of false alarms is at most this.
    bandwidth = filter == .smoothed ? 1 / (2.0.squareRoot() * width) : .pi / 3.0.squareRoot()
    falseAlarmRate = receiver.falseAlarmRate

    // The filtered pulse before its peak, bounded from the far end inwards.
    let margin = network == nil ? Self.sideLobeMargin : Self.judgedMargin
    var bounds = [Float](repeating: 0, count: Self.reach + 1)
    var bound: Float = 0
    for index in stride(from: Self.reach, through: 0, by: -1) {
      let shift = Double(index) / 2
      for step in 0..<4 {
        let position = shift + Double(step) / 8
        let response = offsets.reduce(0.0) { $0 + kernel($1) * pulse(($1 - position) * tapSpacing) } / wholeGain
        bound = max(bound, Float(abs(response)))
      }
      let near = index <= 2 * 12 ? Float(receiver.modelError) : 0
      bounds[index] = margin * max(bound, near)
    }
    // Never above 1: what is stronger than all that follows is nobody's side lobe.
    sideLobes = bounds.map { min(1, $0 * $0) }
  }

  /// Memory for the filtered powers; one for each thread.
  package final class Workspace {
    /// Zero but for the blocks that were filtered.
    let powers: AlignedBuffer<Float>
    /// The largest of each block of `PreparedTaps.blockTaps` taps; zero where the block was passed over.
    let blockMaxima: AlignedBuffer<Float>
    /// The blocks that were filtered, ascending.
    let filtered: AlignedBuffer<Int>
    @exclusivity(unchecked) var filteredCount = 0
    /// Levels of a search over so many taps at this false-alarm rate: for the earliest path, for any path, and for a candidate. A candidate has
    /// three: `judged` and, near the strongest peak, `near` for the variance of taps; `shown` for the noise that a CIR shows.
    @exclusivity(unchecked) var levels = (
      tapCount: 0, rate: 0.0, earliest: 0.0, presence: 0.0, judged: 0.0, near: 0.0, shown: 0.0
    )
    let judged = FirstPathCandidates()
    let tapCount: Int

    package init(tapCount: Int) {
      self.tapCount = tapCount
      let blocks = PreparedTaps.blockCount(tapCount)
      powers = AlignedBuffer(count: 2 * PreparedTaps.blockTaps * blocks, zero: 0)
      blockMaxima = AlignedBuffer(count: blocks, zero: 0)
      filtered = AlignedBuffer(count: blocks, zero: 0)
    }
  }

  /// The level γ for a search over `tapCount` taps that noise alone passes at `rate`.
  func detectionLevel(tapCount: Int, rate: Double) -> Double {
    Self.detectionLevel(tapCount: tapCount, rate: rate, bandwidth: bandwidth)
  }

  /// The same for noise of any RMS angular `bandwidth`, rad a tap.
  package static func detectionLevel(tapCount: Int, rate: Double, bandwidth: Double) -> Double {
    var level = 12.0
    for _ in 0..<8 {
      let crossings = Double(tapCount) * bandwidth * (level / .pi).squareRoot()
      level = max(1, Double.log(max(crossings, 1e-300) / rate))
    }
    return level
  }

  /// What a search finds.
  struct Finding {
    /// The first path, half taps from the accumulator's start; `nil` where there is none.
    var halfTap: Int?
    /// The power that it had to reach.
    var threshold: Double
    /// Variance, taps², for the chance that another candidate is the first path.
    var ambiguityVariance = 0.0
  }

  /// - Precondition: `taps` holds at least one tap and no more than `workspace` was made for.
  func run(_ taps: PreparedTaps, using workspace: Workspace) -> Finding {
    precondition(
      taps.count >= 1 && taps.count <= workspace.tapCount,
      "\(taps.count) taps in a workspace for \(workspace.tapCount)")
    workspace.judged.removeAll()
    if workspace.levels.tapCount != taps.count || workspace.levels.rate != falseAlarmRate {
      let judgedRate = max(falseAlarmRate, min(Self.presence, Self.judgedRate * falseAlarmRate))
      workspace.levels = (
        taps.count, falseAlarmRate, detectionLevel(tapCount: taps.count, rate: falseAlarmRate),
        detectionLevel(tapCount: taps.count, rate: presenceRate),
        detectionLevel(tapCount: taps.count, rate: judgedRate),
        detectionLevel(tapCount: taps.count, rate: max(judgedRate, Self.nearRate * Double(taps.count))),
        detectionLevel(tapCount: taps.count, rate: max(falseAlarmRate, Self.shownRate))
      )
    }
    let threshold = taps.noiseVariance * noiseGain * workspace.levels.earliest
    let level = Float(threshold)
    // The half tap behind the last tap is no candidate.
    let map = FilteredPowers(workspace, halfTaps: 2 * taps.count - 1)
    let isJudged = network != nil
    let judgedLevel = Float(taps.noiseVariance * noiseGain * workspace.levels.judged)
    filter(taps, reaching: isJudged ? min(judgedLevel, level) : level, into: map)
    if let strongest = map.strongest, map[strongest] >= level {
      guard isJudged else {
        return Finding(halfTap: firstPath(before: strongest, above: level, map), threshold: threshold)
      }
      let first = likeliest(taps, before: strongest, above: judgedLevel, map, workspace)
      return Finding(
        halfTap: first, threshold: threshold, ambiguityVariance: workspace.judged.ambiguityVariance(about: first))
    }
    // Nothing passes the strict level that guards against early false paths; the strongest point of all may still
    // reach the laxer one.
    let presence = taps.noiseVariance * noiseGain * workspace.levels.presence
    extend(taps, taps.blocks, reaching: Float(presence), map)
    if let strongest = map.strongest, Double(map[strongest]) >= presence {
      return Finding(halfTap: strongest, threshold: presence)
    }
    return Finding(threshold: threshold)
  }

  /// The candidate that the network takes for the first path.
  private func likeliest(
    _ taps: PreparedTaps, before strongest: Int, above level: Float, _ map: FilteredPowers, _ workspace: Workspace
  ) -> Int {
    let candidates = workspace.judged
    var noise = taps.noiseVariance * noiseGain
    let near = Float(noise * workspace.levels.near)
    extend(taps, map.blocks(of: max(strongest - Self.near, 0)...strongest), reaching: near, map)
    collect(candidates, before: strongest, above: level, near: near, map)
    if candidates.halfTaps.count > 1, let excess = inBandNoise?.excess(taps, before: strongest / 2),
      excess > Self.leastExcess
    {
      noise *= excess
      let needed = Float(noise * workspace.levels.shown)
      candidates.keep { $0 == strongest || map[$0] >= needed }
    }
    if candidates.halfTaps.count > 1 { candidates.describe(taps, map, noise: Float(noise), level: near) }
    return candidates.judge(by: network)
  }

  /// - Parameters:
  ///   - level: what `map` was filtered to reach.
  ///   - near: the level near the strongest peak.
  private func collect(
    _ candidates: FirstPathCandidates, before strongest: Int, above level: Float, near: Float, _ map: FilteredPowers
  ) {
    let border = strongest - Self.near
    var end = strongest
    candidates.append(strongest, map)
    while let peak = map.lastPeak(before: end, above: near) {
      end = peak
      if peak >= border || map[peak] >= level, !isSideLobe(peak, map) { candidates.append(peak, map) }
    }
  }

  /// All candidates of the taps, to train a network on; empty where the search finds nothing that reaches the strict level.
  package func candidates(_ taps: PreparedTaps, using workspace: Workspace) -> FirstPathCandidates {
    _ = run(taps, using: workspace)
    return workspace.judged
  }

  /// Walks back from the strongest half tap.
  private func firstPath(before strongest: Int, above level: Float, _ map: FilteredPowers) -> Int {
    let power = map[strongest]
    var first = strongest
    var end = strongest
    while true {
      // Farther back than any gap allows, only strong peaks are worth a look.
      let needed = first - end > Self.longestGap(Self.freeLevel) ? max(level, Self.freeLevel * power) : level
      guard let peak = map.lastPeak(before: end, above: needed) else { return first }
      end = peak
      let share = map[peak] / power
      let gap = first - peak
      if gap > Self.leastGap, share < Self.freeLevel, gap > Self.longestGap(share) { continue }
      let before = map.largest(before: peak - Self.ownRise, blocks: Self.clutterBlocks)
      if map[peak] >= Self.clutterMargin * before, !isSideLobe(peak, map) { first = peak }
    }
  }

  /// Half taps to the next path that a first one of this share of the strongest power may leave: 51 taps at −8 dB, 22 at −20.
  private static func longestGap(_ share: Float) -> Int {
    max(leastGap, Int(2 * Double(70 + 24 * Float.log10(share)), within: 0...2 * 70))
  }

  private func isSideLobe(_ index: Int, _ map: FilteredPowers) -> Bool {
    let own = map[index]
    return sideLobes.withUnsafeBufferPointer { bounds in
      guard let base = bounds.baseAddress else { return false }
      let reach = min(Self.reach, map.count - 1 - index)
      var distance = 1
      while distance &+ 3 <= reach {
        let limits = UnsafePointer(base).load4(distance) * map.four(from: index &+ distance)
        if any(limits .> own) { return true }
        distance &+= 4
      }
      while distance <= reach {
        if own < bounds[distance] * map[index + distance] { return true }
        distance &+= 1
      }
      return false
    }
  }

  /// Windowed sinc over ±3.5 taps: 1 on a tap, 0 on all others.
  private static func interpolation(_ taps: Double) -> Double {
    guard taps != 0 else { return 1 }
    let window = Double.cos(.pi * taps / 7)
    return Double.sin(.pi * taps) / (.pi * taps) * window * window
  }

  /// The deviation, in taps, of the Gaussian with the main lobe's width at half its height.
  static func mainLobeWidth(_ pulse: PulseShape, _ tapSpacing: Double) -> Double {
    func edge(_ direction: Double) -> Double {
      var taps = 0.0
      while taps < 8, pulse(direction * taps * tapSpacing) > 0.5 { taps += 1.0 / 64 }
      return taps
    }
    // Half width at half maximum of a Gaussian is √(2 ln 2) deviations.
    return (edge(-1) + edge(1)) / 2 / 1.1774
  }
}
