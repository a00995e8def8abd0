import Numerics
import UWBDSP
import UWBPlatform

/// Trains the network that tells a first path from what stands before it (`FirstPathNetwork`), on arena channels that may be tuned on, with
/// impairments in wider ranges than those that score.
///
/// Softmax over the peaks of a CIR; cross-entropy to the one nearest to the first path; Adam (Kingma & Ba 2015, "Adam: a method for
/// stochastic optimization").
public struct FirstPathTraining: Sendable {
  /// CIRs of each family of whole CIRs; of cut ones, two thirds as many.
  public let trialCount: Int
  /// Seed of the random draws.
  public let seed: UInt64

  /// Prepares so many trials; nothing is drawn yet.
  public init(trialCount: Int, seed: UInt64) {
    self.trialCount = trialCount
    self.seed = seed
  }

  /// A CIR that holds more than one peak.
  package struct Sample: Sendable {
    var peaks: [SIMD32<Float>]
    /// The peak next to the first path.
    var first: Int
    var weight: Float
  }

  private struct Source {
    var family: ArenaFamily
    var weight: Float
    var trialCount: Int
  }

  /// The nearest peak is further from the first path, taps: the CIR says nothing.
  private static let nearestTaps = 4.0
  /// What non-line-of-sight CIRs weigh more: their first paths are the hard ones.
  private static let obstructedWeight: Float = 1.5

  private static let profiles = [DeviceProfile.ideal, .dw1000]
  private static let channels: [(String, ArenaChannel, Float)] = [
    ("one", .onePath, 1), ("two", .twoPaths, 1), ("sparse", .sparse, 1),
    ("los", .salehValenzuela(lineOfSight: true), 1),
    ("nlos", .salehValenzuela(lineOfSight: false), obstructedWeight),
    ("outdoor", .outdoor, 0.7),
    // Stronger than in the arena: what is rare there must not be taken for clutter.
    ("cluster", .beforeCluster(powerdB: -6...15), 1),
  ]
  private static let impairments: [(String, [ArenaImpairment], Float)] = [
    ("plain", [], 1), ("clutter", [.clutter(leveldB: -32 ... -20)], 5.2), ("burst", [.burst(leveldB: -32 ... -8)], 1.4),
    ("tag", [.otherTag(leveldB: -14...7, laterTaps: 15...300)], 1.5), ("coloured", [.colouredNoise], 0.7),
    ("lone", [.otherTag(leveldB: -14...9, laterTaps: 15...300, onePathShare: 1)], 0.6),
  ]
  private static let windows = [16, 32, 64, 128]

  package static let familyCount = profiles.count * channels.count * (impairments.count + windows.count)

  private var sources: [Source] {
    var sources: [Source] = []
    for profile in Self.profiles {
      for (channelName, channel, share) in Self.channels {
        func add(_ name: String, _ impairments: [ArenaImpairment], _ weight: Float, _ count: Int, _ window: Int? = nil)
        {
          let family = ArenaFamily(
            "train-\(profile.name)-\(channelName)-\(name)", .tuned, channel, impairments, profile: profile,
            pulse: .misfit(profile.pulse), snrdB: 14...42, windowTaps: window)
          sources.append(Source(family: family, weight: share * weight, trialCount: count))
        }
        for (name, impairments, weight) in Self.impairments { add(name, impairments, weight, trialCount) }
        for window in Self.windows { add("window-\(window)", [], 1, trialCount * 2 / 3, window) }
      }
    }
    return sources
  }

  package func samples(threads: Int, progress: (@Sendable (Int) -> Void)? = nil) -> [Sample] {
    let sources = sources
    return inShares(of: sources.count, threads: threads) { range in
      range.flatMap { index in
        let found = samples(sources[index])
        progress?(1)
        return found
      }
    }.flatMap { $0 }
  }

  private func samples(_ source: Source) -> [Sample] {
    let trials = ArenaTrials(family: source.family, seed: seed)
    let profile = source.family.profile
    let search = FirstPathSearch(ReceiverModel(profile))
    let workspace = FirstPathSearch.Workspace(tapCount: trials.tapCount)
    let taps = PreparedTaps(tapCount: trials.tapCount)
    return (0..<source.trialCount).compactMap { index in
      let trial = trials.trial(index)
      taps.load(trial.response, antenna: 0)
      let found = search.candidates(taps, using: workspace)
      guard found.features.count > 1 else { return nil }
      let errors = found.halfTaps.map { abs(Double($0) / 2 - trial.firstPathTaps) }
      guard let least = errors.min(), least < Self.nearestTaps, let first = errors.firstIndex(of: least) else {
        return nil
      }
      return Sample(peaks: found.features, first: first, weight: source.weight)
    }
  }

  // MARK: Adam

  private static let epochCount = 24
  private static let batch = 512
  private static let rate: Float = 3e-3
  private static let decay: Float = 1e-5

  package func train(_ samples: [Sample]) -> FirstPathNetwork {
    let scaling = InputScaling(samples)
    var random = SeededGenerator(seed: seed, stream: 0)
    var parameters = Self.start(&random)
    let count = parameters.count
    var (mean, square) = (
      [SIMD8<Float>](repeating: .zero, count: count), [SIMD8<Float>](repeating: .zero, count: count)
    )
    var order = Array(samples.indices)
    var step: Float = 0
    for epoch in 0..<Self.epochCount {
      order.shuffle(using: &random)
      let share = Float.cos(.pi * Float(epoch) / Float(Self.epochCount))
      let rate = Self.rate * ((1 + share) / 2 + 0.02)
      for start in stride(from: 0, to: order.count, by: Self.batch) {
        let chosen = order[start..<min(start + Self.batch, order.count)]
        var gradient = FirstPathGradient(FirstPathNetwork(parameters: parameters))
        for index in chosen { gradient.add(samples[index], scaling) }
        step += 1
        let (first, second) = (1 - Float.pow(0.9, step), 1 - Float.pow(0.999, step))
        for index in 0..<count {
          let slope = gradient.sums[index] / Float(chosen.count) + Self.decay * parameters[index]
          mean[index] = 0.9 * mean[index] + 0.1 * slope
          square[index] = 0.999 * square[index] + 0.001 * slope * slope
          parameters[index] -= rate * mean[index] / first / ((square[index] / second).squareRoot() + 1e-8)
        }
      }
    }
    return scaling.folded(into: parameters)
  }

  /// Weights of a deviation for which rectified units neither fade nor grow (He et al. 2015, "Delving deep into rectifiers").
  private static func start(_ random: inout SeededGenerator) -> [SIMD8<Float>] {
    (0..<FirstPathNetwork.eightCount).map { index in
      let inputs: Float? =
        switch index {
        case ..<FirstPathNetwork.firstBiases: Float(FirstPathNetwork.inputCount)
        case FirstPathNetwork.secondWeights..<FirstPathNetwork.secondBiases: 24
        case FirstPathNetwork.lastWeights...: 16
        default: nil
        }
      guard let inputs else { return .zero }
      var eight = SIMD8<Float>()
      for lane in 0..<8 { eight[lane] = Float(random.normal()) * (2 / inputs).squareRoot() }
      return eight
    }
  }

  /// Whether the peak of the highest score is the one next to the first path.
  package static func isRight(_ network: FirstPathNetwork, _ sample: Sample) -> Bool {
    var scores = [Float](repeating: 0, count: sample.peaks.count)
    network.score(sample.peaks, into: &scores)
    return scores.indices.max { scores[$0] < scores[$1] } == sample.first
  }
}

/// Mean 0 and deviation 1 for each input while training; in the end part of the first layer.
struct InputScaling {
  let mean: SIMD32<Float>
  let inverse: SIMD32<Float>

  init(_ samples: [FirstPathTraining.Sample]) {
    var (sum, squares, count) = (SIMD32<Double>(), SIMD32<Double>(), 0.0)
    for peak in samples.lazy.flatMap(\.peaks) {
      let wide = SIMD32<Double>(peak)
      sum += wide
      squares += wide * wide
      count += 1
    }
    let centre = sum / max(count, 1)
    let variance = squares / max(count, 1) - centre * centre
    mean = SIMD32<Float>(centre)
    inverse = 1 / (SIMD32<Float>(variance.replacing(with: 0, where: variance .< 0)).squareRoot() + 1e-6)
  }

  func applied(to input: SIMD32<Float>) -> SIMD32<Float> { (input - mean) * inverse }

  func folded(into parameters: [SIMD8<Float>]) -> FirstPathNetwork {
    var folded = parameters
    for input in 0..<FirstPathNetwork.inputCount {
      for eight in 0..<3 {
        folded[3 * input + eight] *= inverse[input]
        folded[FirstPathNetwork.firstBiases + eight] -= mean[input] * folded[3 * input + eight]
      }
    }
    return FirstPathNetwork(parameters: folded)
  }
}
