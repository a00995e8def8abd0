import Numerics
import UWBCalibration
import UWBDSP
import UWBPlatform

/// Labelled CIRs of many random sites, half with line of sight and half without: what the model that ships is trained on,
/// and judged on with another seed.
///
/// A site (`LineOfSightSite`) is a surrounding and a radio, both drawn anew. Its places are drawn in it: the distance, the
/// label, the paths. Powers are those of free space and an amplitude of 1 at 1 m, an antenna's gain apart.
public struct LineOfSightTrials: Sendable, Hashable {
  /// Number of sites.
  public var siteCount: Int
  /// Number of places that are drawn in each site.
  public var placesPerSite: Int
  /// Seed of the random draws.
  public var seed: UInt64
  /// Taps of the window that the chip cuts round its own first path; `nil` for whole CIRs.
  public var window: Int?

  /// Creates one with the given values.
  public init(siteCount: Int, placesPerSite: Int = 20, seed: UInt64, window: Int? = nil) {
    self.window = window
    self.siteCount = siteCount
    self.placesPerSite = placesPerSite
    self.seed = seed
  }

  /// How sites' radios report power; each site draws its own level.
  public static let signal = NominalSignal.dw1000

  /// What the trials gave.
  public struct Result: Sendable {
    /// `group` is the site; distances are as measured, m.
    public var samples: [QualitySample] = []
    /// Of each sample's site.
    public var kinds: [LineOfSightSite.Kind] = []
    /// CIRs without a first path, which are left out.
    public var missed = 0
  }

  /// Simulates all sites.
  public func samples() -> Result {
    var result = Result()
    for site in 0..<siteCount { add(site, to: &result) }
    return result
  }

  private func add(_ index: Int, to result: inout Result) {
    var generator = SeededGenerator(seed: seed, stream: UInt64(index))
    let site = LineOfSightSite(using: &generator)
    let radio = SimulatedReceiver(using: &generator)
    let tapCount = SimulatedReceiver.tapCount
    let synthesizer = ImpulseResponseSynthesizer(pulse: radio.pulse, tapCount: tapCount, truncation: 1e-3)
    // Of chips that send windows no pulse is known.
    let profile = window == nil ? radio.profile : .dw3000
    let stage = DelayStage.make(RangingEngine.Configuration(profile: profile), tapCount: tapCount)
    let extraction = FeatureExtraction(pulse: profile.pulse)
    let workspace = extraction.makeWorkspace()
    // A stream of its own: what else is drawn stays as it is.
    var powers = SeededGenerator(seed: seed, stream: UInt64(index) | 1 << 32)
    let level = Self.signal.levelAtOneMetredBm + Self.signal.deviationdB * powers.normal()
    let taps = PreparedTaps(tapCount: tapCount)
    var estimate = DelayEstimate()
    var samples: [Complex<Float>] = []
    for _ in 0..<placesPerSite {
      let place = site.place(using: &generator)
      let onset = generator.uniform(in: 180...200)
      synthesizer.synthesizeNoiseless(place.paths, onsetTaps: onset, into: &samples)
      radio.receive(&samples, using: &generator)
      let start = window.map { ChipWindow.start(of: $0, in: samples) } ?? 0
      let seen = window.map { Array(samples[start..<start + $0]) } ?? samples
      taps.load(ChannelImpulseResponse(seen), antenna: 0)
      if taps.isUsable { stage.estimate(taps, into: &estimate) }
      guard taps.isUsable, estimate.status == .ok, let path = estimate.firstPath else {
        result.missed += 1
        continue
      }
      var features = extraction.features(of: taps, firstPath: path, using: workspace)
      // An amplitude of 1 has the power of a clear first path at 1 m.
      features.reportPower(
        Self.signal.report(ofdBm: level + features[.energy] - workspace.pulseEnergydB),
        pulseEnergydB: workspace.pulseEnergydB)
      let distance = place.distance + (path.delayTaps + Double(start) - onset) * UWB.tap * UWB.speedOfLightInAir
      features.setDistance(distance)
      result.samples.append(
        QualitySample(
          group: index, features: features, distance: distance, trueDistance: place.distance,
          isLineOfSight: place.isLineOfSight))
      result.kinds.append(site.kind)
    }
  }
}

/// Where a chip cuts a window out of its accumulator: round its own first path, an edge over noise and side lobes.
enum ChipWindow {
  /// Over the noise's power, and over the strongest tap's.
  private static let overNoise = 36.0
  private static let overPeak = 0.01
  /// Taps at the start, where nothing has arrived.
  private static let noiseTaps = 150

  static func start(of window: Int, in samples: [Complex<Float>]) -> Int {
    let powers = samples.map { Double($0.lengthSquared) }
    let noise = powers.prefix(noiseTaps).reduce(0, +) / Double(noiseTaps)
    let threshold = max(overNoise * noise, overPeak * (powers.max() ?? 0))
    let edge = powers.firstIndex { $0 > threshold } ?? 0
    return max(0, min(samples.count - window, edge - ShortWindowOdds.tapsBefore(window: window)))
  }
}

/// A random receiver: a pulse that differs from the profile's, noise of its own, side lobes of the preamble code, 16-bit
/// samples.
struct SimulatedReceiver {
  static let tapCount = 512

  let profile: DeviceProfile
  let pulse: PulseShape
  /// Side lobes of the preamble code, every few taps, over the strongest path; amplitude.
  private let clutter: [Complex<Float>]
  /// Noise over a path of amplitude 1, and over the strongest path; powers.
  private let noise: Double
  private let ownNoise: Double
  private let quantisation: AccumulatorQuantisation

  init(using generator: inout SeededGenerator) {
    profile = generator.uniform() < 0.65 ? .dw1000 : .ideal
    pulse = Self.pulse(profile.pulse, using: &generator)
    let size = 0.5 * Self.amplitude(generator.uniform(in: -45...(-25)))
    noise = pow(10, -generator.uniform(in: 40...62) / 10)
    ownNoise = pow(10, -generator.uniform(in: 33...44) / 10)
    quantisation = .automaticGain(peakCounts: Int(pow(10, generator.uniform(in: 2.7...4.2))))
    clutter = (0..<(Self.tapCount / 7)).map { _ in
      Complex(Float(size * generator.normal()), Float(size * generator.normal()))
    }
  }

  /// Turns a noiseless CIR into what the radio hands over.
  func receive(_ samples: inout [Complex<Float>], using generator: inout SeededGenerator) {
    let peak = samples.reduce(Float(0)) { max($0, $1.lengthSquared) }
    generator.addNoise(variance: noise + Double(peak) * ownNoise, to: &samples)
    for index in clutter.indices { samples[7 * index] += clutter[index] * Complex(peak.squareRoot()) }
    quantisation.quantise(&samples)
  }

  /// `nominal` 3 % longer or shorter at most, with an echo of 3 to 10 % within three taps.
  private static func pulse(_ nominal: PulseShape, using generator: inout SeededGenerator) -> PulseShape {
    let stretch = generator.uniform(in: 0.97...1.03)
    let echo = generator.uniform(in: 0.03...0.1) * (generator.uniform() < 0.5 ? 1 : -1)
    let shift = generator.uniform(in: 1...3) * UWB.tap * (generator.uniform() < 0.5 ? 1 : -1)
    let spacing = UWB.tap / 16
    let samples = (-192...192).map { index -> Double in
      let time = Double(index) * spacing
      return nominal(time / stretch) + echo * nominal((time - shift) / stretch)
    }
    let best = samples.indices.max { samples[$0] < samples[$1] } ?? 192
    return .measured(
      MeasuredPulse(samples: samples.map { $0 / samples[best] }, spacing: spacing, peakPosition: Double(best)))
  }

  static func amplitude(_ decibels: Double) -> Double { pow(10, decibels / 20) }
}
