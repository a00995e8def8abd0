import UWBPlatform

/// Which whole turns belong to the phases of a sparse array: every hypothesis, by its misfit.
///
///     minimise over q and integers n:  ½·Σ_m w_m·(φ_m + 2π·n_m − φ̄ − k·(p_m − p̄)·q)²
///
/// The turns of the longest baseline (of the two that span most, in a plane) are tried one by one; they fix q so well that
/// rounding gives all other antennas' turns, and a weighted fit to all of them the misfit. Hypotheses beyond the field of
/// view's edge are pulled onto it and pay for that. Exact for two antennas, three in a plane; for more, a hypothesis is missed
/// only where its own phases are more than half a turn off. Cost: (2·aperture/λ + 3) fits on a row, squared in a plane.
struct PhaseResolver: Sendable {
  /// A hypothesis: coordinates, their information, and the misfit.
  struct Hypothesis {
    var q = SIMD2<Double>()
    var misfit = Double.infinity
    /// Whether the phases ask for a direction beyond the edge.
    var isBeyond = false
    var xx = 0.0
    var yy = 0.0
    var xy = 0.0
  }

  static let limit = 8

  let manifold: Manifold
  let fieldOfView: Double
  /// Antennas of the longest baseline, or of the two that share `reference`.
  private let reference: Int
  private let far: Int
  private let wide: Int

  init(_ manifold: Manifold, fieldOfView: Double) {
    self.manifold = manifold
    self.fieldOfView = fieldOfView
    let places = manifold.places
    var best = (0, 0, 0, -1.0)
    for a in places.indices {
      for b in places.indices where b != a {
        let first = places[b] - places[a]
        if manifold.kind == .row {
          if abs(first.x) > best.3 { best = (a, b, b, abs(first.x)) }
          continue
        }
        for c in places.indices where c > b {
          let second = places[c] - places[a]
          let area = abs(first.x * second.y - first.y * second.x)
          if area > best.3 { best = (a, b, c, area) }
        }
      }
    }
    (reference, far, wide) = (best.0, best.1, best.2)
  }

  /// - Parameters:
  ///   - phases: of all antennas, rad, known up to whole turns.
  ///   - weights: inverse variances of the phases.
  ///   - found: receives up to `limit` hypotheses, likeliest first.
  /// - Returns: how many there are.
  func resolve(
    _ phases: UnsafePointer<Double>, _ weights: UnsafePointer<Double>, into found: UnsafeMutablePointer<Hypothesis>
  ) -> Int {
    var count = 0
    let turn = 2 * Double.pi
    let first = manifold.places[far] - manifold.places[reference]
    let firstPhase = remainder(phases[far] - phases[reference], turn)
    // What noise may add beyond the edge: five deviations of a difference.
    func slack(_ antenna: Int) -> Double {
      5 * (1 / weights[antenna] + 1 / weights[reference]).squareRoot()
    }
    let half = sin(min(max(fieldOfView, 0), .pi / 2))
    let reach = half * (first * first).sum().squareRoot() + min(slack(far), .pi)
    let turns = Int(reach / turn, rounded: .up, within: 0...EngineLimits.wholeTurns)
    if manifold.kind == .row {
      for n in -turns...turns {
        let asked = firstPhase + turn * Double(n)
        guard abs(asked) <= reach else { continue }
        add(fit(SIMD2(asked / first.x, 0), phases, weights, half), to: found, &count)
      }
    } else {
      let second = manifold.places[wide] - manifold.places[reference]
      let secondPhase = remainder(phases[wide] - phases[reference], turn)
      let secondReach = half * (second * second).sum().squareRoot() + min(slack(wide), .pi)
      let secondTurns = Int(secondReach / turn, rounded: .up, within: 0...EngineLimits.wholeTurns)
      let determinant = first.x * second.y - first.y * second.x
      for n in -turns...turns {
        let a = firstPhase + turn * Double(n)
        guard abs(a) <= reach else { continue }
        for m in -secondTurns...secondTurns {
          let b = secondPhase + turn * Double(m)
          guard abs(b) <= secondReach else { continue }
          let q = SIMD2((a * second.y - b * first.y) / determinant, (b * first.x - a * second.x) / determinant)
          add(fit(q, phases, weights, half), to: found, &count)
        }
      }
    }
    return count
  }

  /// The weighted fit to the phases as unwrapped round `start`; unwrapped again round its result.
  private func fit(
    _ start: SIMD2<Double>, _ phases: UnsafePointer<Double>, _ weights: UnsafePointer<Double>, _ half: Double
  ) -> Hypothesis {
    var result = Hypothesis()
    result.q = start
    let base = phases[reference]
    let origin = manifold.places[reference]
    var offset = base
    for pass in 0..<2 {
      var sum = 0.0
      var meanPhase = 0.0
      var mean = SIMD2<Double>()
      var (xx, xy, yy) = (0.0, 0.0, 0.0)
      var side = SIMD2<Double>()
      var square = 0.0
      // Moments about the reference, so that one run over the antennas does.
      for antenna in 0..<manifold.count {
        let place = SIMD2(manifold.places[antenna].x - origin.x, manifold.places[antenna].y - origin.y)
        let expected = offset + (place * result.q).sum()
        let phase = expected + remainder(phases[antenna] - expected, 2 * .pi) - base
        let w = weights[antenna]
        sum += w
        meanPhase += w * phase
        mean += w * place
        xx += w * place.x * place.x
        xy += w * place.x * place.y
        yy += w * place.y * place.y
        side += w * phase * place
        square += w * phase * phase
      }
      meanPhase /= sum
      mean /= sum
      xx -= sum * mean.x * mean.x
      xy -= sum * mean.x * mean.y
      yy -= sum * mean.y * mean.y
      side -= sum * meanPhase * mean
      square -= sum * meanPhase * meanPhase
      if manifold.dimensions == 1 {
        guard xx > 0 else { return Hypothesis() }
        result.q = SIMD2(side.x / xx, 0)
      } else {
        let determinant = xx * yy - xy * xy
        guard determinant > 0 else { return Hypothesis() }
        result.q = SIMD2((yy * side.x - xy * side.y) / determinant, (xx * side.y - xy * side.x) / determinant)
      }
      (result.xx, result.xy, result.yy) = (xx, xy, yy)
      result.misfit = max(0, 0.5 * (square - (side * result.q).sum()))
      offset = base + meanPhase - (mean * result.q).sum()
      // One antenna's turn may change once the others have had their say.
      if pass == 0 && manifold.count <= manifold.dimensions + 1 { break }
    }
    let size = (result.q * result.q).sum().squareRoot()
    if size > half {
      let pulled = result.q * (half / size)
      let d = result.q - pulled
      let penalty = 0.5 * (result.xx * d.x * d.x + 2 * result.xy * d.x * d.y + result.yy * d.y * d.y)
      result.isBeyond = penalty > 1e-12
      result.misfit += penalty
      result.q = pulled
    }
    return result
  }

  private func add(_ hypothesis: Hypothesis, to found: UnsafeMutablePointer<Hypothesis>, _ count: inout Int) {
    guard hypothesis.misfit < .infinity else { return }
    for index in 0..<count {
      let apart = found[index].q - hypothesis.q
      if (apart * apart).sum() < 1e-12 {
        if hypothesis.misfit >= found[index].misfit { return }
        for later in index..<count - 1 { found[later] = found[later + 1] }
        count -= 1
        break
      }
    }
    var index = count
    while index > 0, isBefore(hypothesis, found[index - 1]) { index -= 1 }
    guard index < Self.limit else { return }
    let last = min(count, Self.limit - 1)
    for later in stride(from: last, to: index, by: -1) { found[later] = found[later - 1] }
    found[index] = hypothesis
    count = min(count + 1, Self.limit)
  }

  /// Likelier; of exact twins the nearer to broadside.
  private func isBefore(_ a: Hypothesis, _ b: Hypothesis) -> Bool {
    if abs(a.misfit - b.misfit) > 1e-7 { return a.misfit < b.misfit }
    return (a.q * a.q).sum() < (b.q * b.q).sum()
  }
}
