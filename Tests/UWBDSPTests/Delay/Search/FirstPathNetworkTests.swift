import CUWBKernels
import Numerics
import TestSupport
import Testing

@testable import UWBDSP

@Suite struct FirstPathNetworkTests {
  /// Matrices of doubles, element by element.
  private static func naiveScore(_ parameters: [SIMD8<Float>], _ input: SIMD32<Float>) -> Double {
    let flat = parameters.flatMap { eight in (0..<8).map { Double(eight[$0]) } }
    func layer(_ values: [Double], _ start: Int, _ outputs: Int) -> [Double] {
      (0..<outputs).map { output in
        let bias = flat[start + values.count * outputs + output]
        let sum = values.indices.reduce(bias) { $0 + values[$1] * flat[start + $1 * outputs + output] }
        return sum > 0 ? sum : 0
      }
    }
    let first = layer((0..<32).map { Double(input[$0]) }, 0, 24)
    let second = layer(first, 32 * 24 + 24, 16)
    let last = 32 * 24 + 24 + 24 * 16 + 16
    return second.indices.reduce(0) { $0 + second[$1] * flat[last + $1] }
  }

  @Test func scoresAreThoseOfTheLayersByHand() {
    var random = StatisticsRandom(seed: 900)
    for _ in 0..<50 {
      let parameters = (0..<FirstPathNetwork.eightCount).map { _ in
        var eight = SIMD8<Float>()
        for lane in 0..<8 { eight[lane] = Float(random.uniform(-1...1)) }
        return eight
      }
      let peaks = (0..<3).map { _ in
        var input = SIMD32<Float>()
        for lane in 0..<32 { input[lane] = Float(random.uniform(-2...2)) }
        return input
      }
      var scores: [Float] = [7, 7, 7, 7]
      FirstPathNetwork(parameters: parameters).score(peaks, into: &scores)
      var portable = scores
      uwb_network_scores_portable(
        parameters.flatMap { eight in (0..<8).map { eight[$0] } }, peaks.flatMap { peak in (0..<32).map { peak[$0] } },
        peaks.count, &portable)
      #expect(portable == scores)
      #expect(scores[3] == 7)
      for (score, peak) in zip(scores, peaks) {
        let expected = Self.naiveScore(parameters, peak)
        #expect(abs(Double(score) - expected) < 1e-4 * max(1, abs(expected)))
      }
    }
  }

  @Test func theNetworkThatShipsIsFinite() {
    #expect(FirstPathNetwork.simulated.parameters.allSatisfy { eight in (0..<8).allSatisfy { eight[$0].isFinite } })
  }

  @Test func logarithmsAreThoseOfTheLibrary() {
    for power in -125...126 {
      let scale = Float.exp2(Float(power))
      let mantissas: SIMD8<Float> = [1, 1.000_000_1, 1.2, 1.414_213_5, 1.414_213_7, 1.6, 1.9, 1.999_999_9]
      let found = logarithms(mantissas * scale)
      for lane in 0..<8 {
        let expected = Double.log(Double(mantissas[lane] * scale))
        #expect(abs(Double(found[lane]) - expected) < 3e-7 * max(1, abs(expected)))
      }
    }
  }

  /// What a peak is judged by, from the definitions and nothing skipped.
  @Test func featuresAreThoseOfTheirDefinitions() throws {
    var random = StatisticsRandom(seed: 901)
    for tapCount in [40, 300, 1016] {
      let taps = PreparedTaps(tapCount: tapCount)
      let search = FirstPathSearch(ReceiverModel())
      let workspace = FirstPathSearch.Workspace(tapCount: tapCount)
      let paths = (0..<6).map { _ in
        NaivePath(
          delayTaps: random.uniform(5...Double(tapCount) - 8), powerdB: random.uniform(20...45),
          phase: random.uniform(0...6))
      }
      let samples = NaiveImpulseResponse.samples(paths, tapCount: tapCount, pulse: .standard, using: &random)
      taps.load(ChannelImpulseResponse(samples), antenna: 0)
      let found = search.candidates(taps, using: workspace)
      let noise = Float(taps.noiseVariance * search.noiseGain)
      let level = noise * Float(workspace.levels.near)
      let map = FilteredPowers(workspace, halfTaps: 2 * tapCount - 1)
      let powers = (0..<tapCount).map { taps.powers.pointer[$0] }
      func mean(_ range: Range<Int>) -> Float? {
        let inside = range.clamped(to: 0..<tapCount)
        return inside.isEmpty ? nil : inside.reduce(0) { $0 + powers[$1] } / Float(inside.count)
      }
      func largest(_ range: Range<Int>) -> Float {
        range.clamped(to: 0..<2 * tapCount - 1).reduce(level) { max($0, map[$1]) }
      }
      try #require(found.features.count == found.halfTaps.count && found.features.count > 1)
      for (place, here) in found.halfTaps.enumerated() {
        let own = map[here]
        let variance = Float(taps.noiseVariance)
        let features = found.features[place]
        let before = mean(here / 2 - 24..<here / 2 - 8) ?? variance
        let near = (mean(here / 2 - 8..<here / 2 - 3) ?? variance) + 0.2 * variance
        let after = mean(here / 2 + 11..<here / 2 + 31) ?? variance
        let expected: [Int: Float] = [
          0: .log(own / noise), 1: .log(own / map[found.halfTaps[0]]), 2: .log((before + 0.2 * variance) / own),
          4: .log(largest(here - 48..<here - 16) / own), 15: .log((after + variance) / own),
          10: .log(largest(here - 528..<here - 144) / own), 18: .log(largest(here + 62..<here + 202) / own),
          29: .log(largest(here - 1200..<here - 528) / own),
          16: .log(largest(here + 22..<here + 62) / own), 21: .log(1 + Float(found.halfTaps[0] - here) / 2),
          23: .log(Float(found.halfTaps.count - place)), 26: .log(1 + min(Float(here) / 2, 300)),
          30: .log(near / own), 31: .log(near / variance),
          27: .log(largest(here - 4..<here + 122) / map[found.halfTaps[0]]),
        ]
        for (index, value) in expected { #expect(abs(features[index] - value) < 1e-4, "feature \(index)") }
      }
    }
  }
}
