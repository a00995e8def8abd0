import Numerics
import UWBPlatform

/// The phase fit with all whole turns tried: for sparse arrays too, and as an estimator over snapshots.
extension PhaseFit: DirectionEstimator {
  /// Whether the array is what this method needs: antennas apart, in a row or plane, that share a pattern.
  public static func fits(_ array: AntennaArray) -> Bool {
    let manifold = Manifold(array)
    return manifold.count >= 2 && manifold.aperture > 1e-6 && (manifold.kind == .row || manifold.kind == .plane)
  }

  /// Direction from one amplitude for each antenna, every hypothesis about whole turns tried (`PhaseResolver`).
  ///
  /// Where another hypothesis is likelier than the best one over `likelihoodRatio`, the status is `.ambiguous` and the
  /// alternatives hold the others; of exact twins the nearest to broadside comes first. Gains are taken off. Allocates
  /// nothing once `estimate` has been used before.
  ///
  /// - Parameters:
  ///   - amplitudes: of the path, one for each antenna.
  ///   - deviations: of each amplitude's phase, rad; positive.
  /// - Precondition: `fits(array)`; one amplitude and one deviation for each antenna.
  public func estimate(
    amplitudes: [Complex<Double>], deviations: [Double], into estimate: inout DirectionEstimate
  ) {
    let count = array.positions.count
    precondition(
      amplitudes.count == count && deviations.count == count,
      "\(count) antennas got \(amplitudes.count) amplitudes and \(deviations.count) deviations")
    estimate.reset(.unusable)
    withUnsafeTemporaryAllocation(of: Double.self, capacity: 2 * count) { memory in
      guard let phases = memory.baseAddress else { return }
      let weights = phases + count
      for antenna in 0..<count {
        let raw = amplitudes[antenna].rawStorage
        let deviation = deviations[antenna]
        guard deviation > 0, deviation.isFinite, raw.x.isFinite, raw.y.isFinite, raw.x != 0 || raw.y != 0 else {
          return
        }
        phases[antenna] = atan2(raw.y, raw.x)
        weights[antenna] = 1 / (deviation * deviation)
      }
      resolve(phases, weights, into: &estimate)
    }
  }

  /// - Parameters:
  ///   - phases: with the feeds' phases in them; corrected in place.
  ///   - weights: inverse variances.
  private func resolve(
    _ phases: UnsafeMutablePointer<Double>, _ weights: UnsafePointer<Double>, into estimate: inout DirectionEstimate
  ) {
    for (antenna, gain) in array.gains.enumerated() {
      phases[antenna] -= atan2(gain.rawStorage.y, gain.rawStorage.x)
    }
    let resolver = self.resolver
    guard resolver.manifold.kind == .row || resolver.manifold.kind == .plane, resolver.manifold.aperture > 1e-6 else {
      return
    }
    withUnsafeTemporaryAllocation(of: PhaseResolver.Hypothesis.self, capacity: PhaseResolver.limit) { memory in
      guard let found = memory.baseAddress else { return }
      let count = resolver.resolve(phases, weights, into: found)
      guard count > 0 else { return }
      estimate.sources.append(Self.source(found[0], resolver.manifold))
      estimate.status = found[0].isBeyond ? .outsideFieldOfView : .ok
      for index in 1..<max(count, 1) where found[index].misfit - found[0].misfit <= log(likelihoodRatio) {
        estimate.alternatives.append(Self.source(found[index], resolver.manifold))
        estimate.status = .ambiguous
      }
    }
  }

  private static func source(_ hypothesis: PhaseResolver.Hypothesis, _ manifold: Manifold) -> SourceDirection {
    guard manifold.dimensions == 2 else {
      return manifold.source(hypothesis.q, xx: 1 / hypothesis.xx, yy: 0, xy: 0)
    }
    let determinant = hypothesis.xx * hypothesis.yy - hypothesis.xy * hypothesis.xy
    return manifold.source(
      hypothesis.q, xx: hypothesis.yy / determinant, yy: hypothesis.xx / determinant,
      xy: -hypothesis.xy / determinant)
  }

  // MARK: Snapshots

  /// Buffers of one estimation, one for each thread; `makeWorkspace()` makes it.
  public final class Workspace {
    fileprivate let covariance: SampleCovariance
    fileprivate let phases: AlignedBuffer<Double>
    fileprivate let weights: AlignedBuffer<Double>
    fileprivate let vector: AlignedBuffer<SIMD2<Double>>
    fileprivate let image: AlignedBuffer<SIMD2<Double>>

    fileprivate init(_ array: AntennaArray, _ snapshotCount: Int) {
      covariance = SampleCovariance(
        array: AntennaArray(positions: array.positions, carrier: array.carrier), manifold: Manifold(array),
        averaging: .init(forwardBackward: false), isReal: false, snapshotLimit: snapshotCount)
      let count = array.positions.count
      phases = AlignedBuffer(count: count, zero: 0)
      weights = AlignedBuffer(count: count, zero: 0)
      vector = AlignedBuffer(count: count, zero: SIMD2())
      image = AlignedBuffer(count: count, zero: SIMD2())
    }
  }

  public func makeWorkspace(snapshotCount: Int) -> Workspace { Workspace(array, snapshotCount) }

  /// One source's direction from the phases of R's strongest eigenvector (with one snapshot, of the snapshot itself).
  public func estimate(
    _ snapshots: Snapshots, into estimate: inout DirectionEstimate, using workspace: Workspace
  ) {
    estimate.reset(.unusable)
    let covariance = workspace.covariance
    guard covariance.load(snapshots) else { return }
    let count = array.positions.count
    let r = covariance.complex.pointer
    let square = count * count
    let v = workspace.vector.pointer
    // From the strongest antenna's column; with one snapshot that is the eigenvector.
    var strongest = 0
    for antenna in 0..<count where r[antenna * (count + 1)] > r[strongest * (count + 1)] { strongest = antenna }
    for antenna in 0..<count {
      v[antenna] = SIMD2(r[strongest * count + antenna], r[square + strongest * count + antenna])
    }
    var power = covariance.trace
    for _ in 0..<(snapshots.snapshotCount > 1 ? 12 : 1) {
      var norm = 0.0
      for antenna in 0..<count { norm += (v[antenna] * v[antenna]).sum() }
      guard norm > 0 else { return }
      let scale = 1 / norm.squareRoot()
      for antenna in 0..<count { v[antenna] *= scale }
      power = 0
      for row in 0..<count {
        var sum = SIMD2<Double>()
        for column in 0..<count {
          let (re, im) = (r[column * count + row], r[square + column * count + row])
          sum += SIMD2(re * v[column].x - im * v[column].y, re * v[column].y + im * v[column].x)
        }
        workspace.image.pointer[row] = sum
        power += sum.x * v[row].x + sum.y * v[row].y
      }
      if snapshots.snapshotCount > 1 { v.update(from: workspace.image.pointer, count: count) }
    }
    if snapshots.snapshotCount > 1 {
      for antenna in 0..<count { v[antenna] /= power }
    }
    let noise = snapshots.noiseVariance ?? guessNoise(snapshots, power, covariance.trace)
    let scale = noise / (2 * Double(snapshots.snapshotCount)) * (1 + noise / power)
    for antenna in 0..<count {
      let level = power * (v[antenna] * v[antenna]).sum()
      guard level > 0 else { return }
      workspace.phases.pointer[antenna] = atan2(v[antenna].y, v[antenna].x)
      workspace.weights.pointer[antenna] = level / max(scale, 1e-24 * level)
    }
    resolve(workspace.phases.pointer, workspace.weights.pointer, into: &estimate)
  }

  /// What one source leaves of the power; of a single snapshot, how much the magnitudes differ.
  private func guessNoise(_ snapshots: Snapshots, _ power: Double, _ trace: Double) -> Double {
    let count = array.positions.count
    if snapshots.snapshotCount > 1 { return max(trace - power, 0) / Double(count - 1) }
    var sum = 0.0
    for antenna in 0..<count {
      sum +=
        (snapshots.real[antenna] * snapshots.real[antenna]
        + snapshots.imaginary[antenna] * snapshots.imaginary[antenna]).squareRoot()
    }
    // Radial noise has half the variance of complex noise.
    let mean = sum / Double(count)
    return 2 * max(trace - Double(count) * mean * mean, 0) / Double(count - 1)
  }
}
