// Short columns, in vectors of four: the inner loops of the fits and of the small eigenproblems.

@inline(__always)
func loadFour(_ pointer: UnsafePointer<Double>) -> SIMD4<Double> {
  UnsafeRawPointer(pointer).loadUnaligned(as: SIMD4<Double>.self)
}

@inline(__always)
func loadTwo(_ pointer: UnsafePointer<Double>) -> SIMD2<Double> {
  UnsafeRawPointer(pointer).loadUnaligned(as: SIMD2<Double>.self)
}

@inline(__always)
func storeFour(_ vector: SIMD4<Double>, to pointer: UnsafeMutablePointer<Double>) {
  UnsafeMutableRawPointer(pointer).storeBytes(of: vector, as: SIMD4<Double>.self)
}

/// `count` rounded up to whole vectors of four.
package func padded(_ count: Int) -> Int { (count + 3) / 4 * 4 }

/// Σ a·b over `count` numbers. In four partial sums, so that additions needn't wait for each other.
@inline(__always)
package func dotProduct(_ a: UnsafePointer<Double>, _ b: UnsafePointer<Double>, count: Int) -> Double {
  var sums = SIMD4<Double>()
  var index = 0
  while index + 4 <= count {
    sums += loadFour(a + index) * loadFour(b + index)
    index += 4
  }
  var sum = sums.sum()
  while index < count {
    sum += a[index] * b[index]
    index += 1
  }
  return sum
}

/// `target` += `factor`·`vector`, over `count` numbers.
@inline(__always)
func addMultiple(
  _ factor: Double, of vector: UnsafePointer<Double>, to target: UnsafeMutablePointer<Double>, count: Int
) {
  var index = 0
  while index + 4 <= count {
    storeFour(loadFour(target + index) + factor * loadFour(vector + index), to: target + index)
    index += 4
  }
  while index < count {
    target[index] += factor * vector[index]
    index += 1
  }
}
