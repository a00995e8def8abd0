import Numerics
import Testing
import UWBDSP
import UWBPlatform
import UWBSimulation

@Suite struct DelayTrialGeneratorTests {
  @Test(arguments: [
    Channel.awgn, .twoPath(spacing: 2e-9, relativePowerdB: 0, relativePhase: nil), .ieee802154a(.cm3),
  ])
  func snrIsAsAsked(_ channel: Channel) {
    // The strongest tap of the noiseless CIR over the noise that is really there.
    let generator = DelayTrialGenerator(channel: channel, snrdB: 22, onsetTaps: 600...700, seed: 31)
    var samples: [Complex<Float>] = []
    var ratios: [Double] = []
    for index in 0..<20 {
      let trial = generator.trial(index, into: &samples)
      let clean = generator.synthesizer.noiseless(trial.paths, onsetTaps: trial.firstPathTaps)
      let peak = clean.reduce(0) { max($0, Double($1.lengthSquared)) }
      #expect(abs(trial.peakPower / peak - 1) < 1e-6)
      let noise = zip(samples, clean).reduce(0.0) { $0 + Double(($1.0 - $1.1).lengthSquared) } / 1016
      ratios.append(peak / noise / pow(10, 2.2))
    }
    // |n|² is exponential: the mean of 20 · 1016 of them scatters by 0.7 %.
    let mean = ratios.reduce(0) { $0 + 1 / $1 } / 20
    #expect(abs(mean - 1) < 5 / (20 * 1016.0).squareRoot(), "seed 31")
  }

  /// A posterior narrower than the grid it is integrated on once had no mean.
  @Test func anAnswerStaysFiniteAtTheHighestSNR() {
    let generator = DelayTrialGenerator(channel: .ieee802154a(.cm8), snrdB: 60, seed: 1)
    let taps = PreparedTaps(tapCount: generator.synthesizer.tapCount)
    let adaptive = AdaptiveFit(ReceiverModel(modelError: 0))
    let workspace = adaptive.makeWorkspace(tapCount: taps.capacity)
    var estimate = DelayEstimate()
    var samples: [Complex<Float>] = []
    for index in 0..<300 {
      _ = generator.trial(index, into: &samples)
      taps.load(ChannelImpulseResponse(samples), antenna: 0)
      adaptive.estimate(taps, into: &estimate, using: workspace)
      for path in estimate.paths {
        #expect(path.delayTaps.isFinite && path.amplitude.isFinite)
        #expect(path.deviationTaps > 0 && path.deviationTaps.isFinite)
      }
    }
  }

  @Test func continuousPeakOfOnePathIsItsPower() {
    let generator = DelayTrialGenerator(
      channel: .awgn, snrdB: 17, reference: .continuousPeak, tapCount: 256, seed: 32)
    var samples: [Complex<Float>] = []
    for index in 0..<10 {
      let trial = generator.trial(index, into: &samples)
      #expect(abs(trial.firstPathSNRdB - 17) < 1e-9)
      #expect(abs(trial.noiseVariance - pow(10, -1.7)) < 1e-12)
    }
  }

  @Test func continuousPeakIsFoundBetweenTaps() {
    // The second path is too weak to matter, but makes the general search run.
    let channel = Channel.paths([
      PathSpecification(delay: 0, powerdB: 0), PathSpecification(delayTaps: 80, powerdB: -60),
    ])
    let generator = DelayTrialGenerator(
      channel: channel, snrdB: 20, reference: .continuousPeak, tapCount: 256, onsetTaps: 100...120, seed: 33)
    var samples: [Complex<Float>] = []
    for index in 0..<20 {
      let trial = generator.trial(index, into: &samples)
      #expect(abs(10 * log10(trial.peakPower)) < 0.01, "trial \(index)")
    }
  }

  @Test func firstPathReference() {
    let channel = Channel.paths([
      PathSpecification(delay: 0, powerdB: -10), PathSpecification(delayTaps: 6, powerdB: 0),
    ])
    let first = DelayTrialGenerator(channel: channel, snrdB: 30, reference: .firstPath, tapCount: 256, seed: 34)
    var samples: [Complex<Float>] = []
    #expect(abs(first.trial(0, into: &samples).firstPathSNRdB - 30) < 1e-9)
    let strongest = DelayTrialGenerator(channel: channel, snrdB: 30, tapCount: 256, seed: 34)
    let trial = strongest.trial(0, into: &samples)
    #expect(trial.firstPathSNRdB < 22 && trial.firstPathSNRdB > 18)
  }

  @Test func trialsDontDependOnTheirOrder() {
    let generator = DelayTrialGenerator(channel: .ieee802154a(.cm1), snrdB: 25, seed: 35)
    var a: [Complex<Float>] = []
    var b = [Complex<Float>](repeating: Complex(7, 7), count: 1016)
    let first = generator.trial(3, into: &a)
    _ = generator.trial(9, into: &b)
    let again = generator.trial(3, into: &b)
    #expect(a == b)
    #expect(first.paths == again.paths && first.firstPathTaps == again.firstPathTaps)
    _ = generator.trial(4, into: &b)
    #expect(a != b)
    let other = DelayTrialGenerator(channel: .ieee802154a(.cm1), snrdB: 25, seed: 36)
    _ = other.trial(3, into: &b)
    #expect(a != b)
  }

  @Test func firstPathLiesAnywhere() {
    let generator = DelayTrialGenerator(channel: .awgn, snrdB: 20, tapCount: 200, seed: 37)
    #expect(generator.onsetTaps == 20...180)
    var samples: [Complex<Float>] = []
    let onsets = (0..<300).map { generator.trial($0, into: &samples).firstPathTaps }
    // A uniform of width w has variance w²/12.
    let scatter = (1 / 3600.0).squareRoot()
    let mean = onsets.reduce(0, +) / 300
    #expect(abs(mean - 100) < 5 * 160 * scatter, "seed 37")
    let fraction = onsets.reduce(0) { $0 + $1 - $1.rounded(.down) } / 300
    #expect(abs(fraction - 0.5) < 5 * scatter, "seed 37")
    #expect(onsets.allSatisfy { generator.onsetTaps.contains($0) })
  }

  @Test func quantisedTrialsLieOnAGrid() {
    let generator = DelayTrialGenerator(
      channel: .awgn, snrdB: 40, tapCount: 128, quantisation: .automaticGain(peakCounts: 500), seed: 38)
    var samples: [Complex<Float>] = []
    _ = generator.trial(0, into: &samples)
    let largest = samples.reduce(Float(0)) { max($0, abs($1.real), abs($1.imaginary)) }
    for sample in samples {
      let counts = sample.real / largest * 500
      #expect(abs(counts - counts.rounded()) < 1e-3)
    }
  }
}
