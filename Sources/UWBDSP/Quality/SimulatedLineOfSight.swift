extension LineOfSightModel {
  /// The model of the shape that ships, trained on simulated sites alone.
  ///
  /// Written by `uwb calibrate simulated --sites 1000 --seed 1` (`scripts/line-of-sight-model`), which also prints
  /// how good it is on other sites. `Documentation/LineOfSight.md` says how far that carries to real rooms.
  public static let simulated = LineOfSightModel(
    logOdds: LinearModel(
      features: [
        .firstPathShare, .firstPathToPeak, .peakLag, .meanExcessDelay, .delaySpread, .kurtosis, .pathCount, .riseTime,
        .fitResidual,
      ],
      scaling: FeatureScaling(
        means: [-7.884393, -3.061957, 6.252519, 17.386525, 19.94804, 2.42242, 8.182219, 8.638622, 0.270885],
        deviations: [4.931581, 4.533532, 11.822266, 13.571691, 9.931729, 0.677097, 5.828925, 8.648639, 0.253153],
        clip: 3.0),
      coefficients: [0.750232, 0.009595, 0.210509, 0.705477, -0.372289, 0.826092, 0.261897, -0.447245, -0.167235],
      intercept: 0.000784),
    support: FeatureSupport(
      means: [-7.999216, -3.134695, 6.381409, 17.559569, 20.030336, 2.408833, 8.272332, 8.771916, 0.274198],
      factor: [
        0.505916, -0.358836, 0.002693, 0.0315, -0.06434, -1.602898, 0.051519, 0.018312, -1.116941, 0.316756, 0.008651,
        0.049162, -0.049947, 0.405061, 0.012854, 0.023124, 3.034864, 0.154802, -0.119112, 0.088959, -0.815711,
        -0.029703, -0.101694, -0.171825, 0.124968, -0.08883, 0.123329, -0.081342, -0.029884, -0.459272, 0.145771,
        1.662456, 0.07483, -0.032657, 0.293262, 2.256144, 0.138065, 0.059023, 0.600841, 0.184785, -0.047095, -0.135112,
        0.117265, -0.773705, 3.937971,
      ],
      limit: 347.859651))
}

extension ExcessLossModel {
  /// Trained on the simulated sites whose powers fall as in free space.
  public static let simulated = ExcessLossModel(
    intercept: -1.978752, shapeCoefficient: 0.574559,
    slopes: [-0.471376, -0.594908, 1.038733], clear: SIMD2(0.107952, 1.849747),
    obstructed: SIMD2(10.541693, 6.43377))
}
