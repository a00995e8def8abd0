import Numerics

/// The earliest edge of the interpolated magnitude in a range of taps, shared by the estimators that read a delay off a
/// threshold crossing, as their workspace.
///
/// Candidates come from the taps themselves, at a level so low that no peak between two taps is lost. Only the 64 taps
/// round a candidate are interpolated.
public final class EdgeReader {
  /// RMS angular bandwidth of interpolated white noise, rad a tap.
  package static let noiseBandwidth = Double.pi / 3.0.squareRoot()

  /// An edge in the window that is loaded.
  package struct Edge {
    /// Where the magnitude passes the level, taps from the accumulator's start.
    var crossing: Double
    /// The magnitude there: the level, or more where the magnitude turns before it falls to the level.
    var magnitude: Double
    /// The fine point of the first local maximum.
    var top: Int
  }

  /// Without a matched filter: it would spread each pulse over its neighbours, and the edge with it.
  private let window = InterpolatedWindow()
  private let slope: PulseSlope
  private let sideLobeMargin: Float
  private var loadedTap: Int?

  package init(_ receiver: ReceiverModel, sideLobeMargin: Double) {
    slope = PulseSlope(receiver.pulse, tapSpacing: receiver.tapSpacing)
    self.sideLobeMargin = Float(sideLobeMargin)
  }

  /// The magnitude that noise alone passes at `rate` in a search over `tapCount` taps.
  package func level(_ taps: PreparedTaps, tapCount: Int, rate: Double) -> Double {
    (taps.noiseVariance
      * FirstPathSearch.detectionLevel(tapCount: tapCount, rate: rate, bandwidth: Self.noiseBandwidth)).squareRoot()
  }

  /// The magnitude that `threshold` asks for in a search over `tapCount` taps.
  package func level(
    _ threshold: EdgeThreshold, _ taps: PreparedTaps, tapCount: Int, _ receiver: ReceiverModel
  ) -> Double {
    let rate = receiver.falseAlarmRate
    let peak = taps.peakPower.squareRoot()
    let least = receiver.clutter * peak
    switch threshold {
    case .noiseMultiple(let multiple): return max(least, multiple * taps.noiseVariance.squareRoot())
    case .falseAlarmRate(let rate): return max(least, level(taps, tapCount: tapCount, rate: rate))
    case .firstMaximum: return max(least, level(taps, tapCount: tapCount, rate: rate))
    case .relativeToPeak(let share):
      let strongest = window.power(strongest(taps)).squareRoot()
      return max(least, share * strongest, level(taps, tapCount: tapCount, rate: rate))
    }
  }

  /// Forgets the window of the CIR before; called for each CIR.
  package func reset() { loadedTap = nil }

  private func load(_ taps: PreparedTaps, around tap: Int) {
    guard loadedTap != tap else { return }
    window.load(taps, around: tap)
    loadedTap = tap
  }

  /// The fine point of the strongest tap's peak, in the window around it.
  package func strongest(_ taps: PreparedTaps) -> Int {
    load(taps, around: taps.peakTap)
    return window.peakOfCentre()
  }

  /// The first edge over `level` whose peak is no side lobe, from the tap `range.lowerBound` on.
  package func first(_ taps: PreparedTaps, in range: Range<Int>, level: Double) -> Edge? {
    let power = level * level
    let tapPower = Float(power * slope.straddle * slope.straddle)
    var tap = range.lowerBound
    while tap < range.upperBound,
      let candidate = earliestTap(taps, in: tap..<range.upperBound, atLeast: tapPower)
    {
      // The window round the strongest tap may hold the candidate already, well inside its ends.
      if loadedTap == nil || !(window.firstTap + 12...window.firstTap + 40).contains(candidate) {
        load(taps, around: candidate)
      }
      if let edge = firstInWindow(taps, from: candidate, power: power) { return edge }
      tap = window.firstTap + InterpolatedWindow.readable.upperBound / InterpolatedWindow.pointsPerTap
    }
    return nil
  }

  private func firstInWindow(_ taps: PreparedTaps, from candidate: Int, power: Double) -> Edge? {
    let end = InterpolatedWindow.readable.upperBound
    // The tap before the candidate is below the level or out of the range.
    var point = (candidate - 1 - window.firstTap) * InterpolatedWindow.pointsPerTap
    while point < end {
      if window.power(point) < power {
        point += 1
        continue
      }
      let top = window.peak(from: point)
      let tap = Int(window.delay(Double(top)), rounded: .toNearestOrAwayFromZero, within: 0...taps.count - 1)
      if sideLobeMargin == 0
        || !slope.isSideLobe(Float(window.power(top)), near: tap, of: taps, margin: sideLobeMargin)
      {
        return edge(top: top, power: power)
      }
      point = top + 1
      while point + 1 < end, window.power(point + 1) <= window.power(point) { point += 1 }
    }
    return nil
  }

  /// The crossing of `power` on the slope that leads up to the peak at `top`.
  package func edge(top: Int, power: Double) -> Edge {
    var point = top
    while point > 0, window.power(point) >= power, window.power(point - 1) <= window.power(point) { point -= 1 }
    guard window.power(point) < power else {
      return Edge(crossing: window.delay(Double(point)), magnitude: window.power(point).squareRoot(), top: top)
    }
    // A parabola through the point below the level and the two above it.
    let level = power.squareRoot()
    let below = window.power(point).squareRoot()
    let above = window.power(point + 1).squareRoot()
    let bend = point + 2 <= top ? window.power(point + 2).squareRoot() - 2 * above + below : 0
    let chord = above - below
    var share = (level - below) / chord
    share = (level - below) / (chord - bend / 2 * (1 - share))
    return Edge(crossing: window.delay(Double(point) + min(max(share, 0), 1)), magnitude: level, top: top)
  }

  /// `found` as `threshold` reads it: at the level, or at a share of its own peak.
  package func edge(_ found: Edge, _ threshold: EdgeThreshold) -> Edge {
    guard case .firstMaximum(let share) = threshold else { return found }
    return edge(top: found.top, power: share * share * window.power(found.top))
  }

  /// The edge of the strongest tap's own pulse, read at a share of its peak.
  package func strongestEdge(_ taps: PreparedTaps, _ threshold: EdgeThreshold) -> Edge {
    let top = strongest(taps)
    guard case .firstMaximum = threshold else { return edge(top: top, power: 0.25 * window.power(top)) }
    return edge(Edge(crossing: 0, magnitude: 0, top: top), threshold)
  }

  /// Fills `estimate` with the first edge before the strongest tap, or with that of the strongest tap where there is none.
  ///
  /// - Parameters:
  ///   - quietTaps: taps in which noise alone may not reach the level.
  ///   - start: the tap at which to search forward, for a level.
  package func searchBack(
    _ taps: PreparedTaps, _ threshold: EdgeThreshold, _ receiver: ReceiverModel, quietTaps: Int,
    into estimate: inout DelayEstimate, from start: (_ level: Double) -> Int
  ) {
    guard taps.isUsable else { return estimate.reset(.emptyImpulseResponse) }
    reset()
    guard detectsPresence(taps, falseAlarmRate: receiver.falseAlarmRate, into: &estimate) else { return }
    let level = level(threshold, taps, tapCount: quietTaps + 1, receiver)
    estimate.reset(.ok, noiseVariance: taps.noiseVariance, threshold: level)
    let range = start(level)..<taps.peakTap + 1
    let found = first(taps, in: range, level: level).map { edge($0, threshold) } ?? strongestEdge(taps, threshold)
    estimate.paths.append(path(found, noiseVariance: taps.noiseVariance, compensates: true))
  }

  /// Whether the strongest point of all is more than noise; a receiver that has decoded a frame knows that there is a
  /// path, so the level is laxer than the one that guards against early false paths (`FirstPathSearch.presence`).
  package func detectsPresence(_ taps: PreparedTaps, falseAlarmRate: Double, into estimate: inout DelayEstimate) -> Bool
  {
    let presence = level(taps, tapCount: taps.count, rate: max(FirstPathSearch.presence, falseAlarmRate))
    estimate.reset(.noFirstPath, noiseVariance: taps.noiseVariance, threshold: presence)
    return window.power(strongest(taps)) >= presence * presence
  }

  /// The path that `edge` leads up to: a lone path with that edge peaks there.
  ///
  /// - Parameter compensates: whether the way from the crossing to the peak is added.
  package func path(_ edge: Edge, noiseVariance: Double, compensates: Bool) -> PathEstimate {
    let amplitude = window.amplitude(edge.top)
    let inverseSNR = noiseVariance / max(amplitude.lengthSquared, .leastNormalMagnitude)
    let crossing = slope.crossing(at: edge.magnitude / max(amplitude.length, .leastNormalMagnitude))
    return PathEstimate(
      delayTaps: edge.crossing + (compensates ? crossing.distance : 0), amplitude: amplitude,
      deviationTaps: (inverseSNR * crossing.variance).squareRoot(), phaseDeviation: (inverseSNR / 2).squareRoot())
  }

  /// The latest tap such that, walking back from `tap`, no more than `gap` quiet taps in a row were met.
  package func walkBack(_ taps: PreparedTaps, from tap: Int, gap: Int, level: Double) -> Int {
    let tapPower = Float(level * level * slope.straddle * slope.straddle)
    let powers = taps.powers.pointer
    var earliest = tap
    var index = tap - 1
    while index >= 0, earliest - index <= gap + 1 {
      if powers[index] >= tapPower { earliest = index }
      index -= 1
    }
    return earliest
  }

  private func earliestTap(_ taps: PreparedTaps, in range: Range<Int>, atLeast power: Float) -> Int? {
    let powers = taps.powers.pointer
    var index = max(0, range.lowerBound)
    let end = min(taps.count, range.upperBound)
    while index + 16 <= end {
      let block = UnsafeRawPointer(powers + index).loadUnaligned(as: SIMD16<Float>.self)
      if any(block .>= power) { break }
      index += 16
    }
    while index < end {
      if powers[index] >= power { return index }
      index += 1
    }
    return nil
  }
}
