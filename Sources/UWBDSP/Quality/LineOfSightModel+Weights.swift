extension LineOfSightModel {
  /// The model of the shape that ships, trained on simulated sites alone.
  ///
  /// Written by `uwb calibrate simulated --sites 1000 --seed 1` (`scripts/line-of-sight-model`), which also prints
  /// how good it is on other sites. `Documentation/explanation/LineOfSight.md` says how far that carries to real rooms.
  public static let simulated = LineOfSightModel(
    logOdds: LinearModel(
      features: [
        .firstPathShare, .firstPathToPeak, .peakLag, .meanExcessDelay, .delaySpread, .kurtosis, .pathCount, .riseTime,
        .fitResidual,
      ],
      scaling: FeatureScaling(
        means: [-8.119907, -3.816285, 6.176715, 17.30536, 19.956198, 2.417697, 8.164903, 8.805203, 0.307891],
        deviations: [5.088244, 5.484384, 10.86505, 12.369736, 9.9441, 0.6802, 5.805894, 8.902255, 0.279745], clip: 3.0),
      coefficients: [0.79084, 0.055372, 0.198942, 0.738294, -0.417684, 0.870782, 0.282399, -0.433491, -0.156972],
      intercept: -0.011895),
    support: FeatureSupport(
      means: [-8.252827, -3.913807, 6.320586, 17.515393, 20.070835, 2.402437, 8.259719, 8.966722, 0.311848],
      factor: [
        0.469908, -0.284678, 0.006207, 0.032395, -0.060785, -1.471537, 0.04819, 0.027927, -1.400572, 0.277557,
        -0.002353, 0.076686, -0.066719, 0.570077, 0.008312, 0.023388, 3.441011, 0.153181, -0.13201, 0.10052, -0.841631,
        -0.023436, -0.093863, -0.162963, 0.217308, -0.156266, 0.555516, -0.132381, -0.04481, -0.328956, 0.147582,
        1.676868, 0.075919, -0.032672, 0.328915, 2.224807, 0.129806, 0.063148, 0.388135, 0.184787, -0.04352, -0.278713,
        0.113586, -0.673282, 3.565799,
      ],
      limit: 165.388412),
    windows: ShortWindowOdds(
      intercepts: [1.618285, 1.325185, 0.838772, 0.267592],
      slopes: [1.107162, 1.086561, 1.067645, 0.887352]))
}

extension ExcessLossModel {
  /// Trained on the simulated sites whose powers fall as in free space.
  public static let simulated = ExcessLossModel(
    intercept: -2.996831, shapeCoefficient: 0.48795,
    slopes: [-0.736471, -0.558121, 1.346148], clear: SIMD2(0.017152, 1.686945),
    obstructed: SIMD2(11.603633, 6.55522))
}
