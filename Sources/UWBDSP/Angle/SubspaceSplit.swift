import CLapacke

/// The eigenvectors of a sample covariance's signals, and all its eigenvalues where sources have to be counted.
///
/// Where their number is known `LeadingVectors` finds their space alone. Otherwise, and where that does not settle, the whole matrix is
/// decomposed: by `SymmetricEigenvectors` in the real form of a uniform row's averaged covariance, by LAPACK's `zheev` in others.
final class SubspaceSplit {
  let order: Int
  let limit: Int
  /// An orthonormal basis of the signals' space: real parts of all antennas, then imaginary parts.
  let signals: AlignedBuffer<Double>
  private(set) var count = 0
  private let values: AlignedBuffer<Double>
  private let leading: LeadingVectors
  private let symmetric: SymmetricEigenvectors?
  private let matrix: AlignedBuffer<Double>
  private let scratch: AlignedBuffer<Double>
  private let realScratch: AlignedBuffer<Double>
  private let scratchCount: Int32

  init(order: Int, limit: Int, isReal: Bool) {
    self.order = order
    self.limit = limit
    values = AlignedBuffer(count: order, zero: 0)
    signals = AlignedBuffer(count: 2 * order * limit, zero: 0)
    leading = LeadingVectors(order: order, limit: limit, isHermitian: !isReal)
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

  /// Finds how many sources there are, and the space of their eigenvectors.
  ///
  /// - Returns: whether the iteration settled and there is at least one source.
  func decompose(_ covariance: SampleCovariance, sources: SourceCount) -> Bool {
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

  private func keepLeading(_ signal: Int) {
    let target = signals.pointer + 2 * order * signal
    let source = leading.vector(signal)
    if symmetric != nil {
      Self.rotate(source, order, into: target)
    } else {
      target.update(from: source, count: order)
      (target + order).update(from: source + leading.stride, count: order)
    }
  }

  private func keep(_ signal: Int) {
    let column = order - 1 - signal
    let target = signals.pointer + 2 * order * signal
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
