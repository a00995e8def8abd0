import Numerics
import TestSupport
import Testing

@testable import UWBDSP

@Suite struct DirectionCandidateTests {
  private func candidate(_ x: Double, _ y: Double, _ covariance: SIMD3<Double>, cost: Double = 0) -> DirectionCandidate
  {
    DirectionCandidate(cosines: SIMD2(x, y), covariance: covariance, cost: cost, isBeyondEdge: false)
  }

  /// x = ½, y = 0: azimuth 30°, whose deviation is that of x over cos 30°.
  @Test func handWorkedAngles() throws {
    let plane = try #require(candidate(0.5, 0, SIMD3(1e-4, 0, 4e-4)).source(.plane))
    #expect(abs(try #require(plane.azimuth) - .pi / 6) < 1e-12)
    #expect(abs(try #require(plane.azimuthDeviation) - 0.01 / 0.75.squareRoot()) < 1e-9)
    #expect(abs(try #require(plane.elevation)) < 1e-12)
    #expect(abs(try #require(plane.elevationDeviation) - 0.02) < 1e-9)
    let row = try #require(candidate(0.5, 0, SIMD3(1e-4, 0, 0)).source(.row(SIMD2(1, 0))))
    #expect(abs(try #require(row.azimuth) - .pi / 6) < 1e-12)
    #expect(row.elevation == nil)
    let upright = try #require(candidate(0, 0.5, SIMD3(0, 0, 1e-4)).source(.row(SIMD2(0, 1))))
    #expect(upright.azimuth == nil)
    #expect(abs(try #require(upright.elevation) - .pi / 6) < 1e-12)
    #expect(candidate(0, 0, .zero).source(.point) == nil)
  }

  /// Equal covariances meet half way with half the variance; a look without information changes nothing.
  @Test(arguments: [SteeringGrid.Geometry.plane, .row(SIMD2(1, 0))])
  func looksAreJoinedByInformation(geometry: SteeringGrid.Geometry) {
    let isPlane = geometry == .plane
    let spread = SIMD3(1e-4, isPlane ? 3e-5 : 0, isPlane ? 2e-4 : 0)
    let a = candidate(0.10, 0, spread, cost: 1)
    let b = candidate(0.12, 0, spread, cost: 2)
    let both = a.joined(with: b, geometry)
    #expect(abs(both.cosines.x - 0.11) < 1e-12)
    #expect(abs(both.covariance.x - 0.5e-4) < 1e-12)
    if isPlane { #expect(abs(both.covariance.z - 1e-4) < 1e-12 && abs(both.covariance.y - 1.5e-5) < 1e-12) }
    // 0.02² over the sum of the variances, 2·10⁻⁴ along x (less what y explains), halved.
    let misfit = isPlane ? 0.02 * 0.02 * 4e-4 / (2e-4 * 4e-4 - 6e-5 * 6e-5) : 2
    #expect(abs(both.cost - 3 - misfit / 2) < 1e-9)
    let vague = candidate(0.5, 0, 1e8 * spread)
    let kept = a.joined(with: vague, geometry)
    #expect(abs(kept.cosines.x - a.cosines.x) < 1e-6)
    #expect(abs(kept.covariance.x / a.covariance.x - 1) < 1e-6)
  }

  @Test func statusesFollowFromTheCandidates() {
    let buffer = AlignedBuffer<DirectionCandidate>(count: 4, zero: .none)
    buffer.pointer[0] = candidate(-0.5, 0, SIMD3(1e-4, 0, 1e-4), cost: 15)
    buffer.pointer[1] = candidate(0.5, 0, SIMD3(1e-4, 0, 1e-4), cost: 10)
    buffer.pointer[2] = candidate(0.1, 0, SIMD3(1e-4, 0, 1e-4), cost: 10.5)
    buffer.pointer[3] = candidate(0.2, 0, SIMD3(1e-4, 0, 1e-4), cost: 18)
    var estimate = DirectionEstimate()
    estimate.set(buffer.pointer, count: 4, .plane)
    #expect(estimate.status == .ambiguous)
    #expect(estimate.sources.map(\.direction.x) == [0.5])
    #expect(estimate.alternatives.map(\.direction.x) == [0.1, -0.5])
    estimate.set(buffer.pointer, count: 1, .plane)
    #expect(estimate.status == .ok && estimate.alternatives.isEmpty)
    buffer.pointer[0].isBeyondEdge = true
    estimate.set(buffer.pointer, count: 1, .plane)
    #expect(estimate.status == .outsideFieldOfView)
    estimate.set(buffer.pointer, count: 0, .plane)
    #expect(estimate.status == .unusable && estimate.sources.isEmpty)
  }
}
