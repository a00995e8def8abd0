import UWBDSP

/// The snapshot estimators by the names that the command line knows.
public enum DirectionMethod: String, Sendable, Hashable, CaseIterable {
  /// `PhaseDifference`
  case phaseDifference = "phase-difference"
  /// `PhaseFit`, every hypothesis about whole turns tried
  case phaseFit = "phase-fit"
  /// `Bartlett`
  case bartlett
  /// `Capon`
  case capon
  /// `MUSIC`
  case music
  /// `MUSIC` after spatial smoothing
  case musicSmoothed = "music-smoothed"
  /// `RootMUSIC`
  case rootMUSIC = "root-music"
  /// `RootMUSIC` after spatial smoothing
  case rootMUSICSmoothed = "root-music-smoothed"
  /// `ESPRIT`
  case esprit
  /// `ESPRIT` after spatial smoothing
  case espritSmoothed = "esprit-smoothed"
  /// `MaximumLikelihood`
  case maximumLikelihood = "maximum-likelihood"

  /// The estimator for `array`; `nil` where the array or the number of sources is not what the method needs.
  ///
  /// - Parameters:
  ///   - options: averaging is the method's own.
  ///   - subarrayCount: subarrays of the smoothed methods; by default a third of the antennas, at least one more than sources.
  public func estimator(
    for array: AntennaArray, options: DirectionOptions, subarrayCount: Int? = nil
  ) -> (any DirectionEstimator)? {
    let count = array.positions.count
    let sources = options.sources.limit
    var plain = options
    plain.averaging = CovarianceAveraging()
    var smoothed = options
    // Forward–backward averaging doubles what subarrays tell apart.
    let subarrays = subarrayCount ?? max(sources, (count + 2) / 3)
    smoothed.averaging = CovarianceAveraging(subarrayCount: subarrays)
    let canSmooth = subarrays >= 2 && count - subarrays + 1 > sources && RootMUSIC.fits(array)
    guard count > sources || sources == 1 else { return nil }
    switch self {
    case .phaseDifference:
      guard sources == 1, PhaseDifference.fits(array) else { return nil }
      return PhaseDifference(
        array: array, fieldOfView: options.fieldOfView, likelihoodRatio: options.likelihoodRatio)
    case .phaseFit:
      guard sources == 1, PhaseFit.fits(array) else { return nil }
      return PhaseFit(array: array, fieldOfView: options.fieldOfView, likelihoodRatio: options.likelihoodRatio)
    case .bartlett: return Bartlett(array: array, options: plain)
    case .capon: return Capon(array: array, options: plain)
    case .music: return MUSIC(array: array, options: plain)
    case .musicSmoothed: return canSmooth ? MUSIC(array: array, options: smoothed) : nil
    case .rootMUSIC: return RootMUSIC.fits(array) ? RootMUSIC(array: array, options: plain) : nil
    case .rootMUSICSmoothed: return canSmooth ? RootMUSIC(array: array, options: smoothed) : nil
    case .esprit: return ESPRIT.fits(array) ? ESPRIT(array: array, options: plain) : nil
    case .espritSmoothed: return canSmooth ? ESPRIT(array: array, options: smoothed) : nil
    case .maximumLikelihood:
      plain.averaging = CovarianceAveraging(forwardBackward: false)
      return MaximumLikelihood(array: array, options: plain)
    }
  }
}
