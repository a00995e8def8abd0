/// Σ a[k]·b[k] over `count` numbers, in four lanes: strict floating-point order would add them one by one.
@inline(__always)
func dotProduct(_ a: UnsafePointer<Double>, _ b: UnsafePointer<Double>, count: Int) -> Double {
  var sums = SIMD4<Double>()
  var index = 0
  while index + 4 <= count {
    sums +=
      SIMD4(a[index], a[index + 1], a[index + 2], a[index + 3])
      * SIMD4(b[index], b[index + 1], b[index + 2], b[index + 3])
    index += 4
  }
  var sum = sums.sum()
  while index < count {
    sum += a[index] * b[index]
    index += 1
  }
  return sum
}
