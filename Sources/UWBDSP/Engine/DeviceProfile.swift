/// What the engine has to know of a kind of radio before it can use its captures.
public struct DeviceProfile: Sendable, Hashable {
  /// The name by which captures and the command line refer to it.
  public var name: String
  /// The pulse that one path leaves in the accumulator.
  public var pulse: PulseShape
  /// The delay estimator that is used where none is named.
  public var delay: DelayMethod
  /// From the chip's first path (its leading edge, for which antenna delays are calibrated) to the pulse's peak, taps.
  public var peakOffsetTaps: Double
  /// Standard deviation of a receive timestamp whose CIR was not captured (the peer's), seconds.
  public var receptionDeviation: Double
  /// Whether the chip takes a later path for the first where the channel hides that one, as a threshold does. Its peer does so, too, in the
  /// same channel (`ReciprocalCorrection`); a simulated radio reads true first paths.
  public var missesFirstPaths = true
  /// Standard deviation of a time of flight by simpler means, the chip's own first paths at the last, where the delay estimator gave no
  /// distance, seconds: the root mean square error of a DW1000's own distances in the non-line-of-sight logs of Kolakowski's data set
  /// (see `dw1000`), 1.04 m in 2,453 exchanges.
  public var fallbackDeviation = 3.5e-9
  /// Standard deviation of a time of flight by what no exchange tells and no calibration took off, seconds: slow biases of power and place, and
  /// antenna delays that differ from the usual ones.
  public var uncalibratedDeviation: Double
  /// What is left of a fit when noise is gone, relative to the path's amplitude: how well `pulse` describes this radio.
  public var modelError: Double
  /// Magnitude of what the accumulator holds before the first path though nothing arrives then (side lobes of the
  /// preamble code), relative to the strongest path. For estimators that compare with thresholds: `FirstPathSearch` learns it from the CIR.
  public var clutter: Double
  /// Autocorrelation of the accumulator's noise.
  public var noise: NoiseCorrelation
  /// How strong a clear first path is, in the scale of the chip's reports; `nil` where that is not known.
  public var signal: NominalSignal?

  /// Creates one with the given values.
  public init(
    name: String, pulse: PulseShape, delay: DelayMethod = .adaptive, peakOffsetTaps: Double,
    receptionDeviation: Double, modelError: Double, clutter: Double = 0, noise: NoiseCorrelation = .white,
    signal: NominalSignal? = nil, uncalibratedDeviation: Double = 0
  ) {
    self.signal = signal
    self.uncalibratedDeviation = uncalibratedDeviation
    self.name = name
    self.pulse = pulse
    self.delay = delay
    self.peakOffsetTaps = peakOffsetTaps
    self.receptionDeviation = receptionDeviation
    self.modelError = modelError
    self.clutter = clutter
    self.noise = noise
  }
}

extension DeviceProfile {
  /// Profiles that ship, by name.
  public static let all: [DeviceProfile] = [.ideal, .dw1000, .dw3000]

  /// The profile called `name`.
  public static func named(_ name: String) -> DeviceProfile? {
    all.first { $0.name == name }
  }

  /// A receiver matched to the standard's reference pulse: what simulated captures use.
  public static let ideal = {
    var profile = DeviceProfile(
      name: RadioName.ideal, pulse: .standard, peakOffsetTaps: 1, receptionDeviation: 0.1e-9, modelError: 0.003)
    profile.missesFirstPaths = false
    return profile
  }()

  /// Decawave DW1000, channel 2, 64 MHz pulse repetition.
  ///
  /// The figures were measured on a public data set (M. Kolakowski, "UWB Channel Impulse Responses Registered in a
  /// Furnished Apartment", 2021, doi 10.5281/zenodo.4742391); `Documentation/results/DW1000.md` shows how.
  public static let dw1000 = DeviceProfile(
    name: RadioName.dw1000, pulse: .dw1000, peakOffsetTaps: 1.17, receptionDeviation: 0.14e-9,
    modelError: 0.03, clutter: 0.06, signal: .dw1000, uncalibratedDeviation: 0.7e-9)

  /// Qorvo DW3000 (DW3110, DW3120, DW3210, DW3220), preamble accumulator. **Not measured**: no public capture of one was at
  /// hand.
  ///
  /// From its documents (DW3000 User Manual, accumulator memory): taps lie half a chip apart as in a DW1000 (1.0016 ns), 1016
  /// of them at 64 MHz pulse repetition and 992 at 16 MHz, one symbol; real and imaginary part have 18 bits, sign-extended to
  /// 24; the first path is a fixed-point tap index with 6 bits of fraction. Assumed: the standard's pulse, with a model error of
  /// twice what that pulse leaves of a DW1000's rise (0.05, weighted as `EdgeFit` does); the chip's edge as far before the peak as the standard's; the
  /// DW1000's clutter and timestamp deviation; no pattern of leakage. Direction does not depend on these; distances do, by a
  /// constant that `uwb calibrate delay` takes out. `uwb calibrate pulse` measures the pulse of a radio at hand (`--pulse`).
  public static let dw3000 = DeviceProfile(
    name: RadioName.dw3000, pulse: .standard, peakOffsetTaps: 1, receptionDeviation: 0.14e-9,
    modelError: 0.1, clutter: 0.06, uncalibratedDeviation: 0.7e-9)
}
