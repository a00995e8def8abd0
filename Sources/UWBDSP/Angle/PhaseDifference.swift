import UWBPlatform

/// The angle to the axis of two antennas from their phase difference.
///
///     cos θ = (φ + 2π·n)/(k·d),   φ = arg Σ_t x_1(t)·x_0(t)*,   every n with |cos θ| ≤ 1
///
/// For one source this is the maximum-likelihood estimate (a closed form of Bartlett's). Two antennas measure the angle to
/// their own axis, a cone of directions; the result is the one in the plane through the axis and −z. Where d is λ/2 or more,
/// or a cosine lies so near ±1 that noise may have carried the phase round, several directions have nearly the same phase
/// difference: the status is `.ambiguous`, the sources hold the likeliest (of exact twins the nearest to broadside) and the
/// alternatives the others. A phase that no direction gives is the edge's (`.outsideFieldOfView`). Deviation: that of the
/// phase, √((1/SNR_0 + 1/SNR_1)/2N), over k·d·sin θ. Cost O(N). Not for several sources at once.
public struct PhaseDifference: DirectionEstimator {
  /// The antennas: positions and patterns.
  public let array: AntennaArray
  /// Half-angle round broadside in which the source is looked for, rad.
  public let fieldOfView: Double
  /// A direction whose likelihood is at least that of the best over this number makes the answer `.ambiguous`.
  public let likelihoodRatio: Double
  private let manifold: Manifold
  private let gains: [SIMD2<Double>]

  public static func == (a: Self, b: Self) -> Bool {
    a.array == b.array && a.fieldOfView == b.fieldOfView && a.likelihoodRatio == b.likelihoodRatio
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(array)
    hasher.combine(fieldOfView)
    hasher.combine(likelihoodRatio)
  }

  /// Whether the array is what this method needs: two antennas, apart, that share a pattern.
  public static func fits(_ array: AntennaArray) -> Bool {
    let manifold = Manifold(array)
    return manifold.count == 2 && manifold.kind == .row && manifold.aperture > 1e-6
  }

  /// - Precondition: `fits(array)`.
  public init(array: AntennaArray, fieldOfView: Double = .pi / 2, likelihoodRatio: Double = 100) {
    precondition(Self.fits(array), "a phase difference is that of two antennas, not of \(array.positions.count)")
    self.array = array
    self.fieldOfView = fieldOfView
    self.likelihoodRatio = likelihoodRatio
    manifold = Manifold(array)
    gains = array.gains.map { SIMD2($0.real, $0.imaginary) }
  }

  /// Nothing is needed.
  public struct Workspace: Sendable {}

  public func makeWorkspace(snapshotCount: Int) -> Workspace { Workspace() }

  public func estimate(
    _ snapshots: Snapshots, into estimate: inout DirectionEstimate, using workspace: Workspace
  ) {
    estimate.reset(.unusable)
    precondition(
      snapshots.antennaCount == 2, "two antennas got snapshots of \(snapshots.antennaCount)")
    let count = snapshots.snapshotCount
    var cross = SIMD2<Double>()
    var powers = SIMD2<Double>()
    for t in 0..<count {
      let (ax, ay) = (snapshots.real[t], snapshots.imaginary[t])
      let (bx, by) = (snapshots.real[count + t], snapshots.imaginary[count + t])
      cross += SIMD2(bx * ax + by * ay, by * ax - bx * ay)
      powers += SIMD2(ax * ax + ay * ay, bx * bx + by * by)
    }
    if !gains.isEmpty {
      // Off with the feeds' phases.
      let turn = SIMD2(
        gains[1].x * gains[0].x + gains[1].y * gains[0].y, gains[1].x * gains[0].y - gains[1].y * gains[0].x)
      cross = cross.times(turn)
    }
    powers /= Double(count)
    cross /= Double(count)
    guard powers.x > 0, powers.y > 0, powers.x.isFinite, powers.y.isFinite, (cross * cross).sum() > 0 else { return }
    // Noise: what is given, or what the two do not share.
    let common = (cross * cross).sum().squareRoot()
    let noise = snapshots.noiseVariance ?? max((powers.x + powers.y) / 2 - common, 1e-12 * common)
    let signal = SIMD2(
      max(powers.x - noise, common * common / powers.y), max(powers.y - noise, common * common / powers.x))
    let variance =
      (noise / signal.x + noise / signal.y + noise * noise / (signal.x * signal.y)) / (2 * Double(count))
    self.estimate(phaseDifference: atan2(cross.y, cross.x), deviation: variance.squareRoot(), into: &estimate)
  }

  /// From a phase difference as a chip hands it over, arg(h_1·h_0*), rad, and its standard deviation, rad.
  public func estimate(phaseDifference: Double, deviation: Double, into estimate: inout DirectionEstimate) {
    estimate.reset(.unusable)
    guard phaseDifference.isFinite, deviation >= 0, deviation.isFinite else { return }
    // Radians of phase difference for a cosine of 1.
    let slope = manifold.places[1].x - manifold.places[0].x
    let phase = remainder(phaseDifference, 2 * .pi)
    let half = sin(min(max(fieldOfView, 0), .pi / 2))
    let scale = max(deviation, 1e-12)
    let most = log(likelihoodRatio)
    let turns = Int(abs(slope) / (2 * .pi), within: 0...EngineLimits.wholeTurns) + 1
    var best = (cosine: 0.0, misfit: Double.infinity)
    for turn in -turns...turns {
      let candidate = self.candidate(phase, turn, slope, half, scale)
      let isTwin = abs(candidate.misfit - best.misfit) < 1e-9
      if candidate.misfit < best.misfit - 1e-9 || (isTwin && abs(candidate.cosine) < abs(best.cosine)) {
        best = candidate
      }
    }
    let variance = (deviation / slope) * (deviation / slope)
    estimate.sources.append(manifold.source(SIMD2(best.cosine, 0), xx: variance, yy: 0, xy: 0))
    for turn in -turns...turns {
      let other = candidate(phase, turn, slope, half, scale)
      guard other.misfit - best.misfit <= most, abs(other.cosine - best.cosine) > 1e-9 else { continue }
      estimate.alternatives.append(manifold.source(SIMD2(other.cosine, 0), xx: variance, yy: 0, xy: 0))
    }
    estimate.status = !estimate.alternatives.isEmpty ? .ambiguous : best.misfit > 0 ? .outsideFieldOfView : .ok
  }

  /// The cosine for one number of turns, pulled to the field's edge, and half its squared misfit in deviations.
  private func candidate(
    _ phase: Double, _ turn: Int, _ slope: Double, _ half: Double, _ deviation: Double
  ) -> (cosine: Double, misfit: Double) {
    let asked = phase + 2 * .pi * Double(turn)
    let cosine = min(max(asked / slope, -half), half)
    let excess = (asked - cosine * slope) / deviation
    // Rounding at the edge is no misfit.
    return (cosine, abs(excess * deviation) < 1e-9 ? 0 : 0.5 * excess * excess)
  }
}
