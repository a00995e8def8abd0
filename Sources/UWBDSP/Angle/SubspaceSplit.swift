import CLapacke

/// The signal subspace of a sample covariance: on the real form of a uniform row's averaged covariance `LeadingVectors` where the number of
/// sources is known and small, else `SymmetricEigenvectors`; LAPACK's `zheev` on others.
final class SubspaceSplit {
  let order: Int
  let limit: Int
  /// Eigenvalues, ascending, where all were had.
  private let values: AlignedBuffer<Double>
  /// Orthonormal, a basis of the signals' space: real parts of all antennas, then imaginary parts.
  let signals: AlignedBuffer<Double>
  private(set) var count = 0
  private let symmetric: SymmetricEigenvectors?
  private let leading: LeadingVectors
  private let matrix: AlignedBuffer<Double>
  private let scratch: AlignedBuffer<Double>
  private let realScratch: AlignedBuffer<Double>
  private let scratchCount: Int32

  init(order: Int, limit: Int, isReal: Bool) {
    self.order = order
    self.limit = limit
    values = AlignedBuffer(count: order, zero: 0)
    signals = AlignedBuffer(count: 2 * order * limit, zero: 0)
    leading = LeadingVectors(order: order)
    symmetric = isReal ? SymmetricEigenvectors(capacity: order) : nil
    // (block + 1)·n is what zheev's blocked reduction asks for; its block is at most 64.
    scratchCount = Int32(65 * order)
    matrix = AlignedBuffer(count: isReal ? 0 : 2 * order * order, zero: 0)
    scratch = AlignedBuffer(count: isReal ? 0 : 2 * Int(scratchCount), zero: 0)
    realScratch = AlignedBuffer(count: max(1, 3 * order - 2), zero: 0)
    // The first call of a LAPACK routine costs a hundred times the second.
    if !isReal {
      _ = uwb_zheev(
        Int32(order), matrix.pointer, Int32(order), values.pointer, scratch.pointer, scratchCount, realScratch.pointer)
    }
  }

  /// Decomposes, counts the sources, and keeps their eigenvectors.
  ///
  /// - Returns: whether the iteration settled and there is at least one source.
  func decompose(_ covariance: SampleCovariance, sources: SourceCount) -> Bool {
    let isAveraged = covariance.averaging.forwardBackward && (covariance.isReal || !covariance.manifold.mirror.isEmpty)
    if symmetric != nil, case .known(let known) = sources {
      count = min(known, order - 1)
      if (1...min(LeadingVectors.most, limit)).contains(count), leading.find(covariance.real.pointer, count: count) {
        for signal in 0..<count {
          Self.rotate(leading.vectors.pointer + leading.stride * signal, order, into: target(signal))
        }
        return true
      }
    }
    if let symmetric {
      symmetric.matrix.pointer.update(from: covariance.real.pointer, count: order * order)
      guard symmetric.decompose(order: order) else { return false }
      values.pointer.update(from: symmetric.values.pointer, count: order)
    } else {
      let square = order * order
      for index in 0..<square {
        matrix.pointer[2 * index] = covariance.complex.pointer[index]
        matrix.pointer[2 * index + 1] = covariance.complex.pointer[square + index]
      }
      let status = uwb_zheev(
        Int32(order), matrix.pointer, Int32(order), values.pointer, scratch.pointer, scratchCount, realScratch.pointer)
      guard status == 0 else { return false }
    }
    count = SourceCountTest.count(
      sources, values: values.pointer, order: order, snapshots: covariance.snapshotCount, isAveraged: isAveraged)
    for signal in 0..<count { keep(signal) }
    return count > 0
  }

  private func keep(_ signal: Int) {
    let column = order - 1 - signal
    let target = target(signal)
    guard let symmetric else {
      let source = matrix.pointer + 2 * order * column
      for antenna in 0..<order {
        target[antenna] = source[2 * antenna]
        target[order + antenna] = source[2 * antenna + 1]
      }
      return
    }
    Self.rotate(symmetric.matrix.pointer + order * column, order, into: target)
  }

  private func target(_ signal: Int) -> UnsafeMutablePointer<Double> { signals.pointer + 2 * order * signal }

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
