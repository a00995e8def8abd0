import CUWBKernels
import UWBPlatform

/// The sample covariance of snapshots, R = X·Xᴴ/N, and its averages, in a workspace.
///
/// The feeds' phases are taken off first, so that steering vectors have weights |g| alone and the noise stays white.
/// For a uniform row under forward–backward averaging it is never formed as a complex matrix: with the sparse unitary Q
/// (Lee 1980; Huarng & Yeh 1991), y = Qᴴx, the real symmetric C = Re(Y·Yᴴ)/N holds all of it, R = Q·C·Qᴴ, at half the
/// cost, and its eigenproblem is real. Cost: M²·N/2 complex or M²·N real multiplications and additions.
final class SampleCovariance {
  let manifold: Manifold
  let averaging: CovarianceAveraging
  /// Order of the matrices: M, or that of the subarrays that are averaged.
  let order: Int
  /// R by columns, real parts (order² of them), then imaginary parts.
  let complex: AlignedBuffer<Double>
  /// C by columns; only where `isReal`.
  let real: AlignedBuffer<Double>
  /// Whether C is what is made.
  let isReal: Bool
  private let whole: AlignedBuffer<Double>
  private let rows: AlignedBuffer<Double>
  private let turns: [SIMD2<Double>]
  private let snapshotLimit: Int
  /// Of what was loaded.
  private(set) var snapshotCount = 0
  private(set) var trace = 0.0
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
    rows = AlignedBuffer(count: 2 * count * snapshotLimit, zero: 0)
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

  // MARK: Real

  private func makeReal(_ x: UnsafePointer<Double>, _ y: UnsafePointer<Double>) {
    if turns.isEmpty {
      uwb_mirror_rows(x, y, manifold.count, snapshotCount, rows.pointer)
    } else {
      mirrorTurned(x, y)
    }
    uwb_gram(rows.pointer, order, 2 * snapshotCount, 1 / Double(snapshotCount), real.pointer)
    trace = 0
    for index in 0..<order { trace += real.pointer[index * (order + 1)] }
  }

  /// `uwb_mirror_rows` where the feeds' phases have to be taken off.
  private func mirrorTurned(_ x: UnsafePointer<Double>, _ y: UnsafePointer<Double>) {
    let count = manifold.count
    let snapshots = snapshotCount
    let width = 2 * snapshots
    let half = count / 2
    let root = 0.5.squareRoot()
    for antenna in 0..<half {
      let other = count - 1 - antenna
      let (a, b) = (antenna * snapshots, other * snapshots)
      let sum = rows.pointer + antenna * width
      let difference = rows.pointer + (count - half + antenna) * width
      let (g, h) = (turns[antenna], turns[other])
      for t in 0..<snapshots {
        let (ax, ay) = (x[a + t] * g.x - y[a + t] * g.y, x[a + t] * g.y + y[a + t] * g.x)
        let (bx, by) = (x[b + t] * h.x - y[b + t] * h.y, x[b + t] * h.y + y[b + t] * h.x)
        sum[t] = root * (ax + bx)
        sum[snapshots + t] = root * (ay + by)
        difference[t] = root * (ay - by)
        difference[snapshots + t] = root * (bx - ax)
      }
    }
    guard count % 2 == 1 else { return }
    let middle = rows.pointer + half * width
    let g = turns[half]
    for t in 0..<snapshots {
      let (mx, my) = (x[half * snapshots + t], y[half * snapshots + t])
      middle[t] = mx * g.x - my * g.y
      middle[snapshots + t] = mx * g.y + my * g.x
    }
  }

  private static func load(_ pointer: UnsafePointer<Double>, _ index: Int) -> SIMD8<Double> {
    UnsafeRawPointer(pointer + index).loadUnaligned(as: SIMD8<Double>.self)
  }

  private static func product(_ a: UnsafePointer<Double>, _ b: UnsafePointer<Double>, _ count: Int) -> Double {
    var sum = SIMD8<Double>()
    var index = 0
    while index + 8 <= count {
      sum += load(a, index) * load(b, index)
      index += 8
    }
    var result = sum.sum()
    while index < count {
      result += a[index] * b[index]
      index += 1
    }
    return result
  }

  // MARK: Complex

  private func makeComplex(_ x: UnsafePointer<Double>, _ y: UnsafePointer<Double>) {
    let count = manifold.count
    let snapshots = snapshotCount
    let target = order == count ? complex.pointer : whole.pointer
    let square = count * count
    let scale = 1 / Double(snapshots)
    for column in 0..<count {
      for row in 0...column {
        let (a, b) = (row * snapshots, column * snapshots)
        // x_row · conj(x_column)
        var re = Self.product(x + a, x + b, snapshots) + Self.product(y + a, y + b, snapshots)
        var im = Self.product(y + a, x + b, snapshots) - Self.product(x + a, y + b, snapshots)
        if !turns.isEmpty && row != column {
          let (g, h) = (turns[row], turns[column])
          let (tx, ty) = (g.x * h.x + g.y * h.y, g.y * h.x - g.x * h.y)
          (re, im) = (re * tx - im * ty, re * ty + im * tx)
        }
        if row == column { im = 0 }
        target[column * count + row] = scale * re
        target[row * count + column] = scale * re
        target[square + column * count + row] = scale * im
        target[square + row * count + column] = -scale * im
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
    let half = order / 2
    let shift = order - half
    let r = complex.pointer
    let i = complex.pointer + order * order
    let c = real.pointer
    let last = order - 1
    func put(_ row: Int, _ column: Int, _ re: Double, _ im: Double) {
      r[column * order + row] = re
      i[column * order + row] = im
      r[(last - column) * order + last - row] = re
      i[(last - column) * order + last - row] = -im
    }
    for b in 0..<half {
      for a in 0..<half {
        let pp = c[b * order + a]
        let mm = c[(shift + b) * order + shift + a]
        let pm = c[(shift + b) * order + a]
        let mp = c[b * order + shift + a]
        put(a, b, 0.5 * (pp + mm), 0.5 * (mp - pm))
        put(a, last - b, 0.5 * (pp - mm), 0.5 * (mp + pm))
      }
    }
    guard order % 2 == 1 else { return }
    let root = 0.5.squareRoot()
    for a in 0..<half {
      let re = root * c[half * order + a]
      let im = root * c[half * order + shift + a]
      put(a, half, re, im)
      put(half, a, re, -im)
    }
    put(half, half, c[half * order + half], 0)
  }
}
