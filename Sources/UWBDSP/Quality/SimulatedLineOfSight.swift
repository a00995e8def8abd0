extension LineOfSightModel {
  /// The model that ships, trained on simulated IEEE 802.15.4a channels alone.
  ///
  /// Written by `uwb calibrate simulated --trials 400 --seed 1` (`scripts/line-of-sight-model`), which also prints
  /// how good it is on other draws. `Documentation/LineOfSight.md` says how far that carries to real rooms: not far.
  public static let simulated = LineOfSightModel(
    logOdds: LinearModel(
      features: [
        .firstPathShare, .firstPathToPeak, .peakLag, .meanExcessDelay, .delaySpread, .kurtosis, .pathCount, .riseTime,
        .fitResidual, .edgeAt5Percent, .edgeAt10Percent, .edgeAt20Percent, .edgeAt30Percent, .edgeAt50Percent,
      ],
      scaling: FeatureScaling(
        means: [
          -9.949747, -4.557511, 14.253088, 28.349491, 28.061878, 2.090581, 10.984914, 15.405943, 0.340637, -10.388285,
          -7.197235, -3.808415, -1.723278, 1.280853,
        ],
        deviations: [
          6.039514, 4.914883, 21.30355, 19.032182, 12.173799, 0.714613, 10.152259, 11.472199, 0.268211, 6.52264,
          6.581843, 5.403823, 4.503349, 5.709646,
        ], clip: 3.0),
      coefficients: [
        0.390344, 0.127771, -0.118468, -0.223566, -0.018449, 0.449154, -0.391637, -0.067413, -0.017388, -0.033851,
        -0.055935, -0.034868, 0.012028, -0.008074,
      ], intercept: -0.151097))
}
