/// Eigenvalues and eigenvectors of a small real symmetric matrix: A = V·diag(values)·Vᵀ.
///
/// Householder's reduction to a tridiagonal matrix, then implicit QL steps with Wilkinson's shift (Golub & Van Loan 2013,
/// sections 8.3.1 to 8.3.5), all columns padded to whole vectors. For the orders met here, 2 to 40, LAPACK's `dsyev`
/// spends most of its time on its own generality (`Documentation/results/Performance.md`). O(n³). The matrix lies in the workspace
/// and is overwritten by V. A centro-Hermitian covariance turns into a real one by a unitary transform (`SignalSubspace`).
package struct SymmetricEigenvectors {
  /// Largest order that fits.
  package let capacity: Int
  /// A by columns, of which the upper triangle is read; V after `decompose`. Columns are `order` apart.
  package let matrix: AlignedBuffer<Double>
  /// Eigenvalues, ascending.
  package let values: AlignedBuffer<Double>
  /// A over its largest element by columns, both triangles; V later. Columns are `stride` apart, zero behind `order`.
  private let work: AlignedBuffer<Double>
  /// Householder's vectors by columns, zero above their first element, and 2/‖v‖² for each.
  private let reflectors: AlignedBuffer<Double>
  private let factors: AlignedBuffer<Double>
  private let product: AlignedBuffer<Double>
  /// Element i stands between i and i + 1.
  private let offDiagonal: AlignedBuffer<Double>
  private let positions: AlignedBuffer<Int>

  private static let mostSteps = 30

  package init(capacity: Int) {
    self.capacity = capacity
    let stride = padded(capacity)
    matrix = AlignedBuffer(count: capacity * capacity, zero: 0)
    values = AlignedBuffer(count: capacity, zero: 0)
    work = AlignedBuffer(count: capacity * stride, zero: 0)
    reflectors = AlignedBuffer(count: capacity * stride, zero: 0)
    factors = AlignedBuffer(count: capacity, zero: 0)
    product = AlignedBuffer(count: stride, zero: 0)
    offDiagonal = AlignedBuffer(count: capacity, zero: 0)
    positions = AlignedBuffer(count: capacity, zero: 0)
  }

  /// - Returns: whether the iteration settled; it fails only for input that is not finite.
  package func decompose(order: Int) -> Bool {
    precondition(order <= capacity, "a matrix of order \(order) in room for \(capacity)")
    guard order > 0 else { return true }
    let stride = padded(order)
    guard let scale = load(order, stride) else { return false }
    reduce(order, stride)
    accumulate(order, stride)
    guard diagonalise(order, stride) else { return false }
    store(order, stride, scale)
    return true
  }

  /// Takes the upper triangle over its largest element, which it returns; `nil` where it isn't finite.
  private func load(_ order: Int, _ stride: Int) -> Double? {
    let source = matrix.pointer
    var largest = 0.0
    var sum = 0.0
    for column in 0..<order {
      for row in 0...column {
        let size = abs(source[column * order + row])
        largest = max(largest, size)
        sum += size
      }
    }
    guard sum.isFinite else { return nil }
    let scale = largest > 0 ? largest : 1
    for column in 0..<order {
      for row in order..<stride { work.pointer[column * stride + row] = 0 }
      for row in 0...column {
        let value = source[column * order + row] / scale
        work.pointer[column * stride + row] = value
        work.pointer[row * stride + column] = value
      }
    }
    return scale
  }

  /// A ← Qᵀ·A·Q tridiagonal, Q a product of reflections I − f·v·vᵀ that clear one column below its subdiagonal each.
  private func reduce(_ order: Int, _ stride: Int) {
    let work = work.pointer
    let product = product.pointer
    for column in 0..<order {
      values.pointer[column] = work[column * stride + column]
      guard column + 1 < order else { break }
      let vector = reflectors.pointer + column * stride
      let first = column + 1
      for row in 0..<stride { vector[row] = row < first ? 0 : work[column * stride + row] }
      let start = first / 4 * 4
      let norm = dotProduct(vector + start, vector + start, count: stride - start).squareRoot()
      let edge = vector[first] > 0 ? -norm : norm
      offDiagonal.pointer[column] = edge
      vector[first] -= edge
      let square = dotProduct(vector + start, vector + start, count: stride - start)
      factors.pointer[column] = square > 0 ? 2 / square : 0
      guard square > 0, first + 1 < order else { continue }

      // With w = f·A·v − f/2·(f·vᵀ·A·v)·v:  A ← A − v·wᵀ − w·vᵀ.
      let factor = factors.pointer[column]
      for row in 0..<stride { product[row] = 0 }
      for index in first..<order {
        addMultiple(
          factor * vector[index], of: work + index * stride + start, to: product + start, count: stride - start)
      }
      let overlap = dotProduct(product + start, vector + start, count: stride - start)
      addMultiple(-factor / 2 * overlap, of: vector + start, to: product + start, count: stride - start)
      for index in first..<order {
        let target = work + index * stride
        let (along, across) = (-product[index], -vector[index])
        var row = start
        while row < stride {
          let sum = loadFour(target + row) + (along * loadFour(vector + row) + across * loadFour(product + row))
          storeFour(sum, to: target + row)
          row += 4
        }
      }
    }
    offDiagonal.pointer[order - 1] = 0
  }

  /// V ← Q, from the last reflection back, so that each touches only what is no longer the identity.
  private func accumulate(_ order: Int, _ stride: Int) {
    let work = work.pointer
    for column in 0..<order {
      for row in 0..<stride { work[column * stride + row] = row == column ? 1 : 0 }
    }
    for column in Swift.stride(from: order - 2, through: 0, by: -1) where factors.pointer[column] != 0 {
      let vector = reflectors.pointer + column * stride
      let start = (column + 1) / 4 * 4
      for index in column + 1..<order {
        let target = work + index * stride
        let overlap = dotProduct(vector + start, target + start, count: stride - start)
        addMultiple(
          -factors.pointer[column] * overlap, of: vector + start, to: target + start, count: stride - start)
      }
    }
  }

  /// Chases the off-diagonal away, one eigenvalue after the other, turning V's columns along.
  private func diagonalise(_ order: Int, _ stride: Int) -> Bool {
    let diagonal = values.pointer
    let edge = offDiagonal.pointer
    for low in 0..<order {
      var steps = 0
      while true {
        var high = low
        while high + 1 < order, !isNegligible(edge[high], diagonal[high], diagonal[high + 1]) { high += 1 }
        guard high > low else { break }
        steps += 1
        guard steps <= Self.mostSteps else { return false }
        sweep(low, high, stride)
      }
    }
    return true
  }

  private func isNegligible(_ edge: Double, _ one: Double, _ other: Double) -> Bool {
    abs(edge) <= Double.ulpOfOne / 2 * (abs(one) + abs(other)) || abs(edge) < 1e-290
  }

  /// One implicit QL step on the block `low` … `high`, none of whose edges is negligible.
  private func sweep(_ low: Int, _ high: Int, _ stride: Int) {
    let diagonal = values.pointer
    let edge = offDiagonal.pointer
    // The eigenvalue of the leading 2 × 2 block that is nearer to its first element.
    let half = (diagonal[low + 1] - diagonal[low]) / (2 * edge[low])
    let root = (half * half + 1).squareRoot()
    let shift = diagonal[low] - edge[low] / (half + (half < 0 ? -root : root))
    var (cosine, sine) = (1.0, 1.0)
    // What the turns so far have moved along the diagonal, and the element that the next one has to meet.
    var carried = 0.0
    var ahead = diagonal[high] - shift
    for index in Swift.stride(from: high - 1, through: low, by: -1) {
      let bulge = sine * edge[index]
      let beside = cosine * edge[index]
      let length = (bulge * bulge + ahead * ahead).squareRoot()
      edge[index + 1] = length
      guard length > 0 else {
        // The block falls apart here.
        diagonal[index + 1] -= carried
        edge[high] = 0
        return
      }
      sine = bulge / length
      cosine = ahead / length
      let old = diagonal[index + 1] - carried
      let moved = (diagonal[index] - old) * sine + 2 * cosine * beside
      carried = sine * moved
      diagonal[index + 1] = old + carried
      ahead = cosine * moved - beside
      turn(index, cosine, sine, stride)
    }
    diagonal[low] -= carried
    edge[low] = ahead
    edge[high] = 0
  }

  /// Turns columns `index` and `index` + 1 of V against each other.
  @inline(__always)
  private func turn(_ index: Int, _ cosine: Double, _ sine: Double, _ stride: Int) {
    let one = work.pointer + index * stride
    let other = one + stride
    var row = 0
    while row < stride {
      let (a, b) = (loadFour(one + row), loadFour(other + row))
      storeFour(cosine * a - sine * b, to: one + row)
      storeFour(sine * a + cosine * b, to: other + row)
      row += 4
    }
  }

  /// Ascending values, and their vectors.
  private func store(_ order: Int, _ stride: Int, _ scale: Double) {
    let positions = positions.pointer
    for index in 0..<order {
      var place = index
      while place > 0, values.pointer[positions[place - 1]] > values.pointer[index] {
        positions[place] = positions[place - 1]
        place -= 1
      }
      positions[place] = index
    }
    for (column, position) in UnsafeBufferPointer(start: positions, count: order).enumerated() {
      (matrix.pointer + column * order).update(from: work.pointer + position * stride, count: order)
      factors.pointer[column] = scale * values.pointer[position]
    }
    values.pointer.update(from: factors.pointer, count: order)
  }
}
