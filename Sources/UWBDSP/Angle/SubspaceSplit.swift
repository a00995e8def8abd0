/// The eigenvectors of a sample covariance's signals, and all its eigenvalues where sources have to be counted.
///
/// Where their number is known `LeadingVectors` finds their space alone. Otherwise, and where that does not settle, the whole matrix is
/// decomposed: by `SymmetricEigenvectors` in the real form of a uniform row's averaged covariance, by `HermitianEigenvectors` in others.
package final class SubspaceSplit {
  package let order: Int
  package let limit: Int
  /// An orthonormal basis of the signals' space: real parts of all antennas, then imaginary parts.
  package let signals: AlignedBuffer<Double>
  @exclusivity(unchecked) package private(set) var count = 0
  private let leading: LeadingVectors
  private let whole: Whole

  /// What decomposes the whole matrix.
  private enum Whole {
    case real(SymmetricEigenvectors)
    case complex(HermitianEigenvectors.Workspace)
  }

  package init(order: Int, limit: Int, isReal: Bool) {
    self.order = order
    self.limit = limit
    signals = AlignedBuffer(count: 2 * order * limit, zero: 0)
    leading = LeadingVectors(order: order, limit: limit, isHermitian: !isReal)
    if isReal {
      whole = .real(SymmetricEigenvectors(capacity: order))
    } else {
      let eigen = HermitianEigenvectors(order: order).makeWorkspace()
      eigen.warmUp()
      whole = .complex(eigen)
    }
  }

  /// Finds how many sources there are, and the space of their eigenvectors.
  ///
  /// - Returns: whether the iteration settled and there is at least one source.
  package func decompose(_ covariance: SampleCovariance, sources: SourceCount) -> Bool {
    if case .known(let known) = sources {
      count = min(known, order - 1)
      if leading.find(covariance.isReal ? covariance.real.pointer : covariance.complex.pointer, count: count) {
        for signal in 0..<count { keepLeading(signal) }
        return true
      }
    }
    return decomposeAll(covariance, sources: sources)
  }

  private func decomposeAll(_ covariance: SampleCovariance, sources: SourceCount) -> Bool {
    let isAveraged = covariance.averaging.forwardBackward && (covariance.isReal || !covariance.manifold.mirror.isEmpty)
    let values: AlignedBuffer<Double>
    switch whole {
    case .real(let eigen):
      eigen.matrix.pointer.update(from: covariance.real.pointer, count: order * order)
      guard eigen.decompose(order: order) else { return false }
      values = eigen.values
    case .complex(let eigen):
      guard eigen.decompose(covariance.complex.pointer) else { return false }
      values = eigen.values
    }
    count = SourceCountTest.count(
      sources, values: values.pointer, order: order, snapshots: covariance.snapshotCount, isAveraged: isAveraged)
    for signal in 0..<count { keep(signal) }
    return count > 0
  }

  private func keepLeading(_ signal: Int) {
    let target = signals.pointer + 2 * order * signal
    let source = leading.vector(signal)
    switch whole {
    case .real: Self.rotate(source, order, into: target)
    case .complex:
      target.update(from: source, count: order)
      (target + order).update(from: source + leading.stride, count: order)
    }
  }

  private func keep(_ signal: Int) {
    let column = order - 1 - signal
    let target = signals.pointer + 2 * order * signal
    switch whole {
    case .real(let eigen): Self.rotate(eigen.matrix.pointer + order * column, order, into: target)
    case .complex(let eigen):
      let source = eigen.vector(column)
      for antenna in 0..<order {
        target[antenna] = source[2 * antenna]
        target[order + antenna] = source[2 * antenna + 1]
      }
    }
  }

  /// e = Q·v: (v_i + j·v_{s+i})/√2, mirrored and conjugated; s = ⌈M/2⌉.
  private static func rotate(_ v: UnsafePointer<Double>, _ order: Int, into e: UnsafeMutablePointer<Double>) {
    let half = order / 2
    let shift = order - half
    let root = 0.5.squareRoot()
    for index in 0..<half {
      let (x, y) = (root * v[index], root * v[shift + index])
      e[index] = x
      e[order + index] = y
      e[order - 1 - index] = x
      e[2 * order - 1 - index] = -y
    }
    if order % 2 == 1 {
      e[half] = v[half]
      e[order + half] = 0
    }
  }
}
