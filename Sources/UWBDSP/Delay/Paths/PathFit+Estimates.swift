extension PathFit {
  /// Appends the paths as they were solved, with deviations for a noise variance. The curvature is that of `differentiate`.
  package func report(
    _ delays: UnsafePointer<Double>, count: Int, firstTap: Int, variance: Double, into estimate: inout DelayEstimate
  ) {
    invertCurvature(count: count)
    for index in 0..<count {
      estimate.paths.append(
        PathEstimate(
          delayTaps: Double(firstTap) + delays[index], amplitude: amplitude(index),
          deviationTaps: (variance / 2 * delayCovariance(index, index)).squareRoot(),
          phaseDeviation: (variance / 2 * phaseVariance(index, count: count)).squareRoot()))
    }
  }
}
