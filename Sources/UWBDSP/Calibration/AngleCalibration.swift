/// How an array's antennas really respond to direction: what `uwb calibrate angle` writes.
///
/// The parts serve different inputs. `manifold` and `carriers` are for phase differences that a chip hands over;
/// `antennas` is for amplitudes from CIRs.
public struct AngleCalibration: Sendable, Hashable, Codable {
  /// Offset, sign and effective spacing of each phase difference: the parametric model.
  public var carriers: [LinearCarrier]
  /// The measured manifold; directions come from it.
  public var manifold: PhaseManifold?
  /// What the search's standard deviations are multiplied by, from errors on directions that were held out.
  public var azimuthDeviationScale: Double
  /// The same factor for the elevation.
  public var elevationDeviationScale: Double

  /// What the antennas of CIRs do to a plane wave, and where they really are.
  public var antennas: AntennaCalibration?

  /// How far a phase difference of the board in use may lie from the calibrated board's, rad²; `nil` where they are one
  /// board. `BoardTrim.otherBoardVariance` for any other, less after a trim.
  public var boardVariance: Double?

  /// Creates one with the given values.
  public init(
    carriers: [LinearCarrier] = [], manifold: PhaseManifold? = nil, azimuthDeviationScale: Double = 1,
    elevationDeviationScale: Double = 1, antennas: AntennaCalibration? = nil, boardVariance: Double? = nil
  ) {
    self.boardVariance = boardVariance
    self.antennas = antennas
    self.carriers = carriers
    self.manifold = manifold
    self.azimuthDeviationScale = azimuthDeviationScale
    self.elevationDeviationScale = elevationDeviationScale
  }

  /// The estimator for phase differences; `nil` without a manifold, or with one that makes no sense.
  public func search(settings: ManifoldSearch.Settings = ManifoldSearch.Settings()) -> ManifoldSearch? {
    guard let manifold, manifold.isValid, azimuthDeviationScale > 0, elevationDeviationScale > 0,
      azimuthDeviationScale.isFinite, elevationDeviationScale.isFinite
    else { return nil }
    return ManifoldSearch(
      manifold: manifold, deviationScale: SIMD2(azimuthDeviationScale, elevationDeviationScale),
      boardVariance: boardVariance ?? 0, settings: settings)
  }
}
