import CUWBKernels
import UWBPlatform

/// The sample covariance of snapshots, R = X·Xᴴ/N, and its averages, in a workspace.
///
/// The feeds' phases are taken off first, so that steering vectors have weights |g| alone and the noise stays white.
/// For a uniform row under forward–backward averaging it is never formed as a complex matrix: with the sparse unitary Q
/// (Lee 1980; Huarng & Yeh 1991), y = Qᴴx, the real symmetric C = Re(Y·Yᴴ)/N holds all of it, R = Q·C·Qᴴ, at half the
/// cost, and its eigenproblem is real. Cost: M²·N/2 complex or M²·N real multiplications and additions.
package final class SampleCovariance {
  let manifold: Manifold
  let averaging: CovarianceAveraging
  /// Order of the matrices: M, or that of the subarrays that are averaged.
  package let order: Int
  /// R by columns, real parts (order² of them), then imaginary parts.
  package let complex: AlignedBuffer<Double>
  /// C by columns; only where `isReal`.
  let real: AlignedBuffer<Double>
  /// Whether C is what is made.
  let isReal: Bool
  private let whole: AlignedBuffer<Double>
  private let rows: AlignedBuffer<Double>
  private let turned: AlignedBuffer<Double>
  private let products: AlignedBuffer<Double>
  private let turns: [SIMD2<Double>]
  private let snapshotLimit: Int
  /// Snapshots that are turned into sums and differences at a time: those of eight antennas stay in the first cache.
  private static let blockSize = 128
  /// Of what was loaded.
  private(set) var snapshotCount = 0
  @exclusivity(unchecked) package private(set) var trace = 0.0
  private(set) var noiseVariance: Double?

  /// - Parameter isReal: make C where the array allows it; smoothing needs a uniform row.
  init(
    array: AntennaArray, manifold: Manifold, averaging: CovarianceAveraging, isReal: Bool, snapshotLimit: Int
  ) {
    self.manifold = manifold
    self.averaging = averaging
    self.snapshotLimit = snapshotLimit
    let count = manifold.count
    let subarrays = manifold.rowStep != 0 ? min(averaging.subarrayCount, count - 1) : 1
    order = count - subarrays + 1
    self.isReal = isReal && manifold.rowStep != 0 && averaging.forwardBackward
    turns = array.gains.map { gain in
      let size = gain.length
      return size > 0 ? SIMD2(gain.real / size, -gain.imaginary / size) : SIMD2(1, 0)
    }
    complex = AlignedBuffer(count: 2 * order * order, zero: 0)
    real = AlignedBuffer(count: self.isReal ? order * order : 0, zero: 0)
    whole = AlignedBuffer(count: order == count ? 0 : 2 * count * count, zero: 0)
    let isWholeReal = self.isReal && order == count
    rows = AlignedBuffer(
      count: 2 * count * (isWholeReal ? min(snapshotLimit, Self.blockSize) : snapshotLimit), zero: 0)
    turned = AlignedBuffer(count: isWholeReal && !turns.isEmpty ? 2 * count * snapshotLimit : 0, zero: 0)
    products = AlignedBuffer(count: (isWholeReal ? 1 : 4) * count * count, zero: 0)
  }

  /// - Returns: `false` where the snapshots are zero or not finite.
  func load(_ snapshots: Snapshots) -> Bool {
    let count = manifold.count
    precondition(
      snapshots.antennaCount == count, "\(count) antennas got snapshots of \(snapshots.antennaCount)")
    precondition(
      snapshots.snapshotCount <= snapshotLimit,
      "\(snapshots.snapshotCount) snapshots in a workspace for \(snapshotLimit)")
    snapshotCount = snapshots.snapshotCount
    noiseVariance = snapshots.noiseVariance
    snapshots.real.withUnsafeBufferPointer { real in
      snapshots.imaginary.withUnsafeBufferPointer { imaginary in
        guard let x = real.baseAddress, let y = imaginary.baseAddress else { return }
        if isReal && order == count {
          makeReal(x, y)
        } else {
          makeComplex(x, y)
        }
      }
    }
    return trace > 0 && trace.isFinite
  }

  /// The snapshots with the feeds' phases taken off: all real parts, then all imaginary parts.
  private func turn(
    _ x: UnsafePointer<Double>, _ y: UnsafePointer<Double>, into target: UnsafeMutablePointer<Double>
  ) {
    let snapshots = snapshotCount
    let shift = manifold.count * snapshots
    for antenna in 0..<manifold.count {
      let g = turns[antenna]
      for place in antenna * snapshots..<(antenna + 1) * snapshots {
        target[place] = x[place] * g.x - y[place] * g.y
        target[shift + place] = x[place] * g.y + y[place] * g.x
      }
    }
  }

  private func makeReal(_ x: UnsafePointer<Double>, _ y: UnsafePointer<Double>) {
    let count = manifold.count
    var (x, y) = (x, y)
    if !turns.isEmpty {
      turn(x, y, into: turned.pointer)
      x = UnsafePointer(turned.pointer)
      y = x + count * snapshotCount
    }
    for start in stride(from: 0, to: snapshotCount, by: Self.blockSize) {
      let size = min(Self.blockSize, snapshotCount - start)
      uwb_mirror_rows(x + start, y + start, count, snapshotCount, size, rows.pointer)
      let target = start == 0 ? real : products
      uwb_gram(rows.pointer, count, 2 * size, 0.5 / Double(snapshotCount), target.pointer)
      if start > 0 { addMultiple(1, of: products.pointer, to: real.pointer, count: count * count) }
    }
    trace = 0
    for index in 0..<count { trace += real.pointer[index * (count + 1)] }
  }

  // MARK: Complex

  private func makeComplex(_ x: UnsafePointer<Double>, _ y: UnsafePointer<Double>) {
    let count = manifold.count
    let snapshots = snapshotCount
    let target = order == count ? complex.pointer : whole.pointer
    let square = count * count
    if turns.isEmpty {
      rows.pointer.update(from: x, count: count * snapshots)
      (rows.pointer + count * snapshots).update(from: y, count: count * snapshots)
    } else {
      turn(x, y, into: rows.pointer)
    }
    // Products of all real and imaginary parts; x_row · conj(x_column) is made of four.
    let products = products.pointer
    uwb_gram(rows.pointer, 2 * count, snapshots, 1 / Double(snapshots), products)
    for column in 0..<count {
      let (real, imaginary) = (products + 2 * column * count, products + 2 * (count + column) * count)
      for row in 0...column {
        let re = real[row] + imaginary[count + row]
        let im = row == column ? 0 : real[count + row] - imaginary[row]
        target[column * count + row] = re
        target[row * count + column] = re
        target[square + column * count + row] = im
        target[square + row * count + column] = -im
      }
    }
    if order != count { smooth() }
    if averaging.forwardBackward { averageBackward() }
    trace = 0
    for index in 0..<order { trace += complex.pointer[index * (order + 1)] }
    if isReal { makeRealFromComplex() }
  }

  private func smooth() {
    let count = manifold.count
    let subarrays = count - order + 1
    let scale = 1 / Double(subarrays)
    for part in 0..<2 {
      let source = whole.pointer + part * count * count
      let target = complex.pointer + part * order * order
      for column in 0..<order {
        for row in 0..<order {
          var sum = 0.0
          for shift in 0..<subarrays { sum += source[(column + shift) * count + row + shift] }
          target[column * order + row] = scale * sum
        }
      }
    }
  }

  /// R ← (R + J·R*·J)/2
  private func averageBackward() {
    let r = complex.pointer
    let i = complex.pointer + order * order
    let isRow = manifold.rowStep != 0
    guard isRow || !manifold.mirror.isEmpty else { return }
    func image(_ index: Int) -> Int { isRow ? order - 1 - index : manifold.mirror[index] }
    for column in 0..<order {
      for row in 0..<order {
        let here = column * order + row
        let there = image(column) * order + image(row)
        guard here <= there else { continue }
        let re = 0.5 * (r[here] + r[there])
        let im = 0.5 * (i[here] - i[there])
        (r[here], r[there]) = (re, re)
        (i[here], i[there]) = (im, here == there ? 0 : -im)
      }
    }
  }

  /// C = Re(Qᴴ·R·Q) of a row's averaged R.
  private func makeRealFromComplex() {
    let half = order / 2
    let shift = order - half
    let r = complex.pointer
    let i = complex.pointer + order * order
    let c = real.pointer
    let last = order - 1
    // With R = J·R*·J, for a, b < half and their mirror images a', b':
    //   C[a, b] = Re(R_ab + R_ab'),  C[a, s+b] = −Im(R_ab − R_ab'),  C[s+a, b] = Im(R_ab + R_ab'),
    //   C[s+a, s+b] = Re(R_ab − R_ab').
    for b in 0..<half {
      for a in 0..<half {
        let near = b * order + a
        let far = (last - b) * order + a
        c[b * order + a] = r[near] + r[far]
        c[(shift + b) * order + a] = -(i[near] - i[far])
        c[b * order + shift + a] = i[near] + i[far]
        c[(shift + b) * order + shift + a] = r[near] - r[far]
      }
    }
    guard order % 2 == 1 else { return }
    let root = 2.0.squareRoot()
    for a in 0..<half {
      let column = half * order + a
      c[half * order + a] = root * r[column]
      c[a * order + half] = root * r[column]
      c[half * order + shift + a] = root * i[column]
      c[(shift + a) * order + half] = root * i[column]
    }
    c[half * order + half] = r[half * order + half]
  }

  /// R = Q·C·Qᴴ, where it was C that `load` made.
  func makeComplexFromReal() {
    guard isReal && order == manifold.count else { return }
    uwb_complex_covariance(real.pointer, order, complex.pointer)
  }
}
