/// Cholesky factors of symmetric positive definite matrices of a few rows, in place: A = L·Lᵀ.
///
/// For the normal equations of the delay fits, 1 … 8 unknowns, where a LAPACK call costs more than the work.
struct SmallCholesky {
  let capacity: Int
  private let lower: AlignedBuffer<Double>
  /// 1/L_ii: a division takes as long as a dozen multiplications.
  private let inverseDiagonal: AlignedBuffer<Double>

  init(order: Int) {
    capacity = order
    lower = AlignedBuffer(count: order * order, zero: 0)
    inverseDiagonal = AlignedBuffer(count: order, zero: 0)
  }

  /// Element of the lower triangle, `row` ≥ `column`: of A before `factorise`, of L after it.
  subscript(row: Int, column: Int) -> Double {
    get { lower.pointer[row * capacity + column] }
    nonmutating set { lower.pointer[row * capacity + column] = newValue }
  }

  /// The lower triangle by rows, `capacity` from one to the next; what is above it may be written over.
  var rows: UnsafeMutablePointer<Double> { lower.pointer }

  /// 1/L_ii, once factorised.
  var inverses: UnsafePointer<Double> { UnsafePointer(inverseDiagonal.pointer) }

  /// Factorises the leading `order` rows; `false` where they are not positive definite to working precision.
  ///
  /// - Parameter rounding: what cancellation has to leave of a diagonal element: more than rounding has put into A.
  func factorise(order: Int, rounding: Double = 1e-13) -> Bool {
    let inverse = inverseDiagonal.pointer
    for row in 0..<order {
      let own = lower.pointer + row * capacity
      for column in 0..<row {
        let other = lower.pointer + column * capacity
        var value = own[column]
        for index in 0..<column { value -= own[index] * other[index] }
        own[column] = value * inverse[column]
      }
      var value = own[row]
      for index in 0..<row { value -= own[index] * own[index] }
      guard value > rounding * own[row], value > 0 else { return false }
      own[row] = value.squareRoot()
      inverse[row] = 1 / own[row]
    }
    return true
  }

  /// Replaces b in A·x = b by x.
  func solve(_ vector: UnsafeMutablePointer<Double>, order: Int) {
    solveLower(vector, order: order)
    let inverse = inverseDiagonal.pointer
    for row in Swift.stride(from: order - 1, through: 0, by: -1) {
      let value = vector[row] * inverse[row]
      vector[row] = value
      let own = lower.pointer + row * capacity
      for index in 0..<row { vector[index] -= own[index] * value }
    }
  }

  /// As `solve`, for complex b given as interleaved parts: both at a time.
  func solveComplex(_ vector: UnsafeMutablePointer<Double>, order: Int) {
    let inverse = inverseDiagonal.pointer
    for row in 0..<order {
      let own = lower.pointer + row * capacity
      var value = loadPair(vector + 2 * row)
      for index in 0..<row { value -= own[index] * loadPair(vector + 2 * index) }
      storePair(value * inverse[row], to: vector + 2 * row)
    }
    for row in Swift.stride(from: order - 1, through: 0, by: -1) {
      let value = loadPair(vector + 2 * row) * inverse[row]
      storePair(value, to: vector + 2 * row)
      let own = lower.pointer + row * capacity
      for index in 0..<row { storePair(loadPair(vector + 2 * index) - own[index] * value, to: vector + 2 * index) }
    }
  }

  @inline(__always)
  private func loadPair(_ pointer: UnsafePointer<Double>) -> SIMD2<Double> {
    UnsafeRawPointer(pointer).loadUnaligned(as: SIMD2<Double>.self)
  }

  @inline(__always)
  private func storePair(_ pair: SIMD2<Double>, to pointer: UnsafeMutablePointer<Double>) {
    UnsafeMutableRawPointer(pointer).storeBytes(of: pair, as: SIMD2<Double>.self)
  }

  /// Replaces b in L·x = b by x.
  @inline(__always)
  func solveLower(_ vector: UnsafeMutablePointer<Double>, order: Int) {
    let inverse = inverseDiagonal.pointer
    for row in 0..<order {
      let own = lower.pointer + row * capacity
      var value = vector[row]
      for index in 0..<row { value -= own[index] * vector[index] }
      vector[row] = value * inverse[row]
    }
  }
}
