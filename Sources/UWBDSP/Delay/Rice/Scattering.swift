/// What scattering that begins at one place does to a window: leading eigenvectors of its covariance, one after the other, and eigenvalues.
package struct Scattering {
  package private(set) var vectors: [Double] = []
  /// 0 where they were not found.
  package private(set) var values: [Double] = []

  fileprivate mutating func take(_ eigen: SymmetricEigenvectors, order: Int, rank: Int) {
    let isKnown = eigen.decompose(order: order)
    for component in 0..<rank {
      let column = order - 1 - component
      for tap in 0..<order { vectors.append(eigen.matrix.pointer[column * order + tap]) }
      values.append(isKnown ? max(0, eigen.values.pointer[column]) : 0)
    }
  }
}

extension OnsetProfile {
  /// For each place where it may begin: the first, and `count` − 1 more, a step of 1/`stepsPerTap` tap apart.
  ///
  /// What begins a tap later is shifted by a tap, so that integrals are done for the fractions of a tap only. Where the taps' noise is
  /// correlated, covariances are whitened on both sides.
  ///
  /// - Parameters:
  ///   - first: taps from the window's start.
  ///   - rank: eigenvectors of each.
  package func scatterings(
    _ table: PulseTable, _ whitening: Whitening?, windowTaps window: Int, first: Double, stepsPerTap: Int, count: Int,
    rank: Int
  ) -> [Scattering] {
    let wholes = (count - 1) / stepsPerTap
    let extended = window + wholes
    let eigen = SymmetricEigenvectors(capacity: window)
    var result = [Scattering](repeating: Scattering(), count: count)
    for fraction in 0..<stepsPerTap {
      let latest = first + Double(fraction) / Double(stepsPerTap) + Double(wholes)
      let covariance = covariance(table, onset: latest, count: extended)
      for place in stride(from: fraction, to: count, by: stepsPerTap) {
        let shift = wholes - place / stepsPerTap
        for column in 0..<window {
          for row in 0..<window {
            eigen.matrix.pointer[column * window + row] = covariance[(column + shift) * extended + row + shift]
          }
        }
        whitening?.applyToBothSides(eigen.matrix.pointer)
        result[place].take(eigen, order: window, rank: rank)
      }
    }
    return result
  }
}
