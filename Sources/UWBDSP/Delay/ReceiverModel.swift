/// What an estimator has to know of the receiver whose taps it is given. Each takes from it what its method needs.
public struct ReceiverModel: Sendable, Hashable {
  /// What one path leaves in the accumulator.
  public var pulse: PulseShape
  /// Seconds from tap to tap.
  public var tapSpacing: Double
  /// What the pulse leaves unexplained of a path, relative to the strongest amplitude that the estimator looks at.
  public var modelError: Double
  /// Chance that noise before the true first path is taken for it (`FirstPathSearch`).
  public var falseAlarmRate: Double
  /// Magnitude of the radio's own clutter before the first path, relative to the strongest path: no threshold is lower. `FirstPathSearch`
  /// does without it.
  public var clutter: Double
  /// Autocorrelation of the tap noise.
  public var noise: NoiseCorrelation

  /// Creates one with the given values.
  public init(
    pulse: PulseShape = .standard, tapSpacing: Double = UWB.tap, modelError: Double = 0.003,
    falseAlarmRate: Double = 1e-6, clutter: Double = 0, noise: NoiseCorrelation = .white
  ) {
    self.pulse = pulse
    self.tapSpacing = tapSpacing
    self.modelError = modelError
    self.falseAlarmRate = falseAlarmRate
    self.clutter = clutter
    self.noise = noise
  }

  /// The radio of `profile`, with the tap spacing of a CIR of it.
  public init(_ profile: DeviceProfile, tapSpacing: Double = UWB.tap, falseAlarmRate: Double = 1e-6) {
    self.init(
      pulse: profile.pulse, tapSpacing: tapSpacing, modelError: profile.modelError, falseAlarmRate: falseAlarmRate,
      clutter: profile.clutter, noise: profile.noise)
  }

  /// What tables of likelihoods hang on: the pulse, its sampling and the noise's correlation; all else as usual.
  package var waveform: ReceiverModel { ReceiverModel(pulse: pulse, tapSpacing: tapSpacing, noise: noise) }

  /// Variance of a tap, from noise of variance `noise` and from what the pulse leaves unexplained of a path whose power is `peak`.
  @inline(__always)
  package func variance(noise: Double, peak: Double) -> Double { noise + modelError * modelError * peak }
}
