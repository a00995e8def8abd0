import Numerics

/// The rough search that all fits start from: the earliest half tap whose filtered power no noise and no later path's
/// pulse explains.
///
/// Where nothing reaches that level, the strongest half tap of all stands in if it reaches a laxer one.
///
/// The taps are filtered at each half tap: by a short Gaussian of the main lobe's width (`smoothed`: no side lobes of
/// its own, within 0.3 dB of the matched filter's signal-to-noise ratio) or by nothing but an interpolation between
/// taps (`sharp`: a weak path two taps before a strong one keeps its own crest). A half tap counts as signal where
/// |z|² ≥ γ·σ_z², and where it exceeds what the pulse of any later, stronger path leaves there, with a margin.
///
/// Real accumulators hold the transmitter's own clutter: side lobes of the preamble code, far above the noise, up to
/// hundreds of taps from the signal. So the first pass also asks for a share `clutter` of the strongest point, and a
/// second looks back from there by 12 taps, without it.
///
/// False alarms: noise alone crosses the level γ·σ_z² upwards at the rate β·√(γ/π)·e^(−γ) a tap, β the filter's RMS
/// angular bandwidth (Rice 1944, section 3.3, for the envelope of narrow-band noise), so γ solves
/// taps · β·√(γ/π)·e^(−γ) = `falseAlarmRate` for the earliest path, and = `presenceRate` for the strongest.
///
/// Most of a CIR is noise far below the level: |z|² ≤ (Σ|w|)²·max|h|² over the filter's seven taps, so blocks of 16 taps that
/// can't reach it aren't filtered at all. Cost O(taps).
struct FirstPathSearch: Sendable {
  enum Filter: Sendable {
    case smoothed, sharp
  }

  /// Margin over the side lobes of later paths, in magnitude: several of them may add up.
  static let sideLobeMargin: Float = 2
  /// Half taps before the first pass's find that the second looks at.
  static let lookBack = 2 * 12
  /// How far before a path its side lobes are looked for, half taps.
  static let reach = 2 * 24
  private static let halfWidth = 3

  /// Filter weights for whole taps (k = −3 … 3) and for half taps (k = −2.5 … 2.5, padded to seven with a zero).
  private let whole: [Float]
  private let half: [Float]
  /// Noise variance after the filter over that before it.
  let noiseGain: Double
  /// Squared bound of the filtered pulse d half taps before its peak, relative to its peak, margin included.
  private let sideLobes: [Float]
  private let bandwidth: Double
  private let clutterPower: Float
  /// The largest |z|² over the largest |h|² that goes into it.
  private let highestGain: Float
  let falseAlarmRate: Double
  /// Chance that a CIR of pure noise is taken to hold a path at all. A receiver that has decoded a frame knows that
  /// there is one, so this is no small number.
  static let presence = 0.1
  private var presenceRate: Double { max(Self.presence, falseAlarmRate) }

  /// - Parameters:
  ///   - modelError: how much of a pulse may show up where the model has none, near it.
  ///   - falseAlarmRate: chance that noise before the strongest path yields an earlier one.
  ///   - clutter: magnitude of the radio's own clutter, relative to the strongest path.
  init(
    pulse: PulseShape, tapSpacing: Double, modelError: Double, falseAlarmRate: Double, filter: Filter = .smoothed,
    clutter: Double = 0, noise: NoiseCorrelation = .white
  ) {
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
    whole = offsets.map { Float(kernel($0) / wholeGain) }
    half = offsets.map { $0 == 3 ? 0 : Float(kernel($0 + 0.5) / halfGain) }
    let sums = [whole, half].map { $0.reduce(0) { $0 + abs($1) } }
    highestGain = sums.reduce(0) { max($0, $1 * $1) }
    let passed = offsets.reduce(0) { sum, row in
      offsets.reduce(sum) { $0 + kernel(row) * kernel($1) * noise(Int($1 - row)) }
    }
    noiseGain = passed / (wholeGain * wholeGain)
    // A Gaussian filter exp(−t²/2w²) passes noise of spectrum exp(−ω²w²): RMS bandwidth 1/(√2·w). White noise from
    // −π to π a tap has π/√3.
    // Correlated noise changes less faster than white noise does: its rate of false alarms is at most this.
    bandwidth = filter == .smoothed ? 1 / (2.0.squareRoot() * width) : .pi / 3.0.squareRoot()
    self.falseAlarmRate = falseAlarmRate
    clutterPower = Float(clutter * clutter)

    // The filtered pulse before its peak, bounded from the far end inwards.
    var bounds = [Float](repeating: 0, count: Self.reach + 1)
    var bound: Float = 0
    for index in stride(from: Self.reach, through: 0, by: -1) {
      let shift = Double(index) / 2
      for step in 0..<4 {
        let position = shift + Double(step) / 8
        let response = offsets.reduce(0.0) { $0 + kernel($1) * pulse(($1 - position) * tapSpacing) } / wholeGain
        bound = max(bound, Float(abs(response)))
      }
      let near = index <= 2 * 12 ? Float(modelError) : 0
      bounds[index] = Self.sideLobeMargin * max(bound, near)
    }
    // Never above 1: what is stronger than all that follows is nobody's side lobe.
    sideLobes = bounds.map { min(1, $0 * $0) }
  }

  /// Memory for the filtered powers; one for each thread.
  final class Workspace {
    let powers: AlignedBuffer<Float>
    /// The largest of each block of `PreparedTaps.blockTaps` taps; zero where the block was passed over.
    let blockPeaks: AlignedBuffer<Float>
    fileprivate let tapCount: Int

    init(tapCount: Int) {
      self.tapCount = tapCount
      let blocks = PreparedTaps.blockCount(tapCount)
      powers = AlignedBuffer(count: 2 * PreparedTaps.blockTaps * blocks, zero: 0)
      blockPeaks = AlignedBuffer(count: blocks, zero: 0)
    }
  }

  /// The level γ for a search over `tapCount` taps that noise alone passes at `rate`.
  func detectionLevel(tapCount: Int, rate: Double) -> Double {
    Self.detectionLevel(tapCount: tapCount, rate: rate, bandwidth: bandwidth)
  }

  /// The same for noise of any RMS angular `bandwidth`, rad a tap.
  static func detectionLevel(tapCount: Int, rate: Double, bandwidth: Double) -> Double {
    var level = 12.0
    for _ in 0..<8 {
      let crossings = Double(tapCount) * bandwidth * (level / .pi).squareRoot()
      level = max(1, Double.log(max(crossings, 1e-300) / rate))
    }
    return level
  }

  /// - Parameter range: taps to look at; all of them where it is `nil`.
  /// - Returns: the half tap of the first path in half taps, and the power that it had to reach; `nil` for no path.
  /// - Precondition: `taps` holds at least one tap and no more than `workspace` was made for; `range` is one of its, not
  ///   empty.
  func run(
    _ taps: PreparedTaps, in range: Range<Int>? = nil, using workspace: Workspace
  ) -> (halfTap: Int?, threshold: Double) {
    let range = range ?? 0..<taps.count
    precondition(
      taps.count >= 1 && taps.count <= workspace.tapCount && !range.isEmpty && range.lowerBound >= 0
        && range.upperBound <= taps.count,
      "\(taps.count) taps, looked for in \(range), in a workspace for \(workspace.tapCount)")
    let threshold = taps.noiseVariance * noiseGain * detectionLevel(tapCount: taps.count, rate: falseAlarmRate)
    let level = Float(threshold)
    // Half taps 2·first … 2·last: the one behind the last tap is no candidate.
    let candidates = 2 * range.lowerBound..<2 * range.upperBound - 1
    let map = FilteredPowers(workspace, candidates)
    filter(taps, range, reaching: level, into: map)
    if let strongest = map.strongest, map[strongest] >= level {
      let clutter = max(level, clutterPower * map[strongest])
      if let sure = earliest(in: candidates, above: clutter, map) {
        let early = earliest(in: max(candidates.lowerBound, sure - Self.lookBack)..<sure, above: level, map)
        return (crest(from: early ?? sure, map), threshold)
      }
    }
    // Nothing passes the strict level that guards against early false paths; the strongest point of all may still
    // be signal by the level for presence.
    let presence = taps.noiseVariance * noiseGain * detectionLevel(tapCount: taps.count, rate: presenceRate)
    filter(taps, range, reaching: Float(presence), into: map)
    if let strongest = map.strongest, Double(map[strongest]) >= presence { return (strongest, presence) }
    return (nil, threshold)
  }

  private func earliest(in range: Range<Int>, above level: Float, _ map: FilteredPowers) -> Int? {
    map.first(in: range, above: level) { !isSideLobe($0, map) }
  }

  private func crest(from start: Int, _ map: FilteredPowers) -> Int {
    var index = start
    while index + 1 < map.candidates.upperBound, map[index + 1] > map[index] { index += 1 }
    return index
  }

  private func isSideLobe(_ index: Int, _ map: FilteredPowers) -> Bool {
    let own = map[index]
    return sideLobes.withUnsafeBufferPointer { bounds in
      for distance in 1..<min(Self.reach + 1, map.candidates.upperBound - index)
      where own < bounds[distance] * map[index + distance] {
        return true
      }
      return false
    }
  }

  /// |z|² at the half taps of `range`; zero in blocks of taps that can't reach `level`, which nobody can tell from what
  /// they are: only comparisons with what does reach it matter.
  func filter(_ taps: PreparedTaps, _ range: Range<Int>, reaching level: Float, into map: FilteredPowers) {
    // A little lower, for what rounding may add.
    let least = 0.999 * level / highestGain
    let blocks = PreparedTaps.blockCount(taps.count)
    let peaks = taps.blockPeaks.pointer
    for block in range.lowerBound / PreparedTaps.blockTaps...(range.upperBound - 1) / PreparedTaps.blockTaps {
      let nearby = max(peaks[max(block - 1, 0)], peaks[block], peaks[min(block + 1, blocks - 1)])
      if nearby < least {
        map.clear(block)
      } else {
        filter(taps.taps + 2 * (PreparedTaps.blockTaps * block - Self.halfWidth), into: map.powers(block))
        map.measurePeak(block)
      }
    }
  }

  /// One block: `source` is the interleaved tap `halfWidth` before its first.
  private func filter(_ source: UnsafePointer<Float>, into powers: UnsafeMutablePointer<Float>) {
    whole.withUnsafeBufferPointer { whole in
      half.withUnsafeBufferPointer { half in
        for tap in stride(from: 0, to: PreparedTaps.blockTaps, by: 4) {
          var onTap = SIMD8<Float>()
          var between = SIMD8<Float>()
          for offset in 0..<7 {
            let samples = UnsafeRawPointer(source + 2 * (tap + offset)).loadUnaligned(as: SIMD8<Float>.self)
            onTap += whole[offset] * samples
            // Half tap t + ½ sees tap t + k at k − ½; the weights are symmetric, so they run backwards here.
            between += half[6 - offset] * samples
          }
          onTap *= onTap
          between *= between
          var interleaved = SIMD8<Float>()
          interleaved.evenHalf = onTap.evenHalf + onTap.oddHalf
          interleaved.oddHalf = between.evenHalf + between.oddHalf
          UnsafeMutableRawPointer(powers + 2 * tap).storeBytes(of: interleaved, as: SIMD8<Float>.self)
        }
      }
    }
  }

  /// Windowed sinc over ±3.5 taps: 1 on a tap, 0 on all others.
  private static func interpolation(_ taps: Double) -> Double {
    guard taps != 0 else { return 1 }
    let window = Double.cos(.pi * taps / 7)
    return Double.sin(.pi * taps) / (.pi * taps) * window * window
  }

  /// The deviation, in taps, of the Gaussian with the main lobe's width at half its height.
  private static func mainLobeWidth(_ pulse: PulseShape, _ tapSpacing: Double) -> Double {
    func edge(_ direction: Double) -> Double {
      var taps = 0.0
      while taps < 8, pulse(direction * taps * tapSpacing) > 0.5 { taps += 1.0 / 64 }
      return taps
    }
    // Half width at half maximum of a Gaussian is √(2 ln 2) deviations.
    return (edge(-1) + edge(1)) / 2 / 1.1774
  }
}

/// Filtered powers by half tap, and the largest of each block: what a search looks at.
struct FilteredPowers {
  private static let blockPoints = 2 * PreparedTaps.blockTaps

  /// Half taps that may be the first path.
  let candidates: Range<Int>
  private let points: UnsafeMutablePointer<Float>
  private let peaks: UnsafeMutablePointer<Float>

  init(_ workspace: FirstPathSearch.Workspace, _ candidates: Range<Int>) {
    self.candidates = candidates
    points = workspace.powers.pointer
    peaks = workspace.blockPeaks.pointer
  }

  subscript(_ index: Int) -> Float { points[index] }

  private var blocks: ClosedRange<Int> {
    candidates.lowerBound / Self.blockPoints...(candidates.upperBound - 1) / Self.blockPoints
  }

  func powers(_ block: Int) -> UnsafeMutablePointer<Float> { points + block * Self.blockPoints }

  func clear(_ block: Int) {
    powers(block).update(repeating: 0, count: Self.blockPoints)
    peaks[block] = 0
  }

  /// Of the block's candidates.
  func measurePeak(_ block: Int) {
    let inside = (block * Self.blockPoints..<(block + 1) * Self.blockPoints).clamped(to: candidates)
    var peak: Float = 0
    if inside.count == Self.blockPoints {
      let points = UnsafeRawPointer(powers(block)).loadUnaligned(as: SIMD32<Float>.self)
      var lanes = points.lowHalf
      lanes.replace(with: points.highHalf, where: points.highHalf .> lanes)
      var eight = lanes.lowHalf
      eight.replace(with: lanes.highHalf, where: lanes.highHalf .> eight)
      peak = eight.largestLane
    } else {
      for index in inside { peak = max(peak, points[index]) }
    }
    peaks[block] = peak
  }

  /// The first of the largest; `nil` where all are zero.
  var strongest: Int? {
    var largest: Float = 0
    var largestBlock: Int?
    for block in blocks where peaks[block] > largest {
      largest = peaks[block]
      largestBlock = block
    }
    guard let largestBlock else { return nil }
    let inside = (largestBlock * Self.blockPoints..<(largestBlock + 1) * Self.blockPoints).clamped(to: candidates)
    return inside.first { points[$0] == largest }
  }

  /// The first of `range` that reaches `level` and that `isAccepted`.
  func first(in range: Range<Int>, above level: Float, where isAccepted: (Int) -> Bool) -> Int? {
    guard !range.isEmpty else { return nil }
    for block in range.lowerBound / Self.blockPoints...(range.upperBound - 1) / Self.blockPoints
    where peaks[block] >= level {
      let inside = (block * Self.blockPoints..<(block + 1) * Self.blockPoints).clamped(to: range)
      if let index = inside.first(where: { points[$0] >= level && isAccepted($0) }) { return index }
    }
    return nil
  }
}
