// Products of columns in single precision, of whole vectors of eight: the inner loops of the path fits.

@inline(__always)
func loadEight(_ pointer: UnsafePointer<Float>) -> SIMD8<Float> {
  UnsafeRawPointer(pointer).loadUnaligned(as: SIMD8<Float>.self)
}

@inline(__always)
func storeEight(_ vector: SIMD8<Float>, to pointer: UnsafeMutablePointer<Float>) {
  UnsafeMutableRawPointer(pointer).storeBytes(of: vector, as: SIMD8<Float>.self)
}

/// Sum of the lanes, by halves: three additions that wait for each other, not seven.
@inline(__always)
func sumOfLanes(_ vector: SIMD8<Float>) -> Double {
  let four = vector.lowHalf + vector.highHalf
  let two = four.lowHalf + four.highHalf
  return Double(two.x + two.y)
}

/// Σ a·b over `stride` numbers, a multiple of eight.
@inline(__always)
package func dotProduct(_ a: UnsafePointer<Float>, _ b: UnsafePointer<Float>, stride: Int) -> Double {
  var sums = loadEight(a) * loadEight(b)
  var index = 8
  while index < stride {
    sums += loadEight(a + index) * loadEight(b + index)
    index += 8
  }
  return sumOfLanes(sums)
}

/// Σ a·x and Σ a·y over `stride` numbers, a multiple of eight: a real column on complex samples.
@inline(__always)
func dotProducts(
  _ a: UnsafePointer<Float>, _ x: UnsafePointer<Float>, _ y: UnsafePointer<Float>, stride: Int
) -> SIMD2<Double> {
  let first = loadEight(a)
  var real = first * loadEight(x)
  var imaginary = first * loadEight(y)
  var index = 8
  while index < stride {
    let own = loadEight(a + index)
    real += own * loadEight(x + index)
    imaginary += own * loadEight(y + index)
    index += 8
  }
  return SIMD2(sumOfLanes(real), sumOfLanes(imaginary))
}

/// `target` += `factor`·`vector`, over `stride` numbers, a multiple of eight.
@inline(__always)
func addMultiple(
  _ factor: Float, of vector: UnsafePointer<Float>, to target: UnsafeMutablePointer<Float>, stride: Int
) {
  var index = 0
  while index < stride {
    storeEight(loadEight(target + index) + factor * loadEight(vector + index), to: target + index)
    index += 8
  }
}
