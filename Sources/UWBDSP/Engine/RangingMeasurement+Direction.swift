extension RangingMeasurement {
  /// Takes over what an angle estimator found of one source.
  mutating func set(_ estimate: DirectionEstimate) {
    directionStatus = estimate.status
    alternativeDirection = estimate.alternatives.first
    if let source = estimate.sources.first { set(source) }
  }

  /// The same of a plane wave's fit.
  mutating func set(_ fit: PhaseFit.Estimate) {
    directionStatus = fit.isBeyondEdge ? .outsideFieldOfView : .ok
    set(
      SourceDirection(
        direction: fit.direction, azimuth: fit.azimuth, azimuthDeviation: fit.azimuthDeviation,
        elevation: fit.elevation, elevationDeviation: fit.elevationDeviation))
  }

  private mutating func set(_ source: SourceDirection) {
    direction = source.direction
    azimuth = source.azimuth
    azimuthDeviation = source.azimuthDeviation
    elevation = source.elevation
    elevationDeviation = source.elevationDeviation
  }
}
