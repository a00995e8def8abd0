/// Where the parts of a cell of `RiceTables` lie.
struct RiceCell {
  let vectors: UnsafePointer<Float>
  var gains: UnsafePointer<Float> { vectors + RiceTables.rank * RiceTables.windowTaps }
  var held: UnsafePointer<Float> { gains + 8 * RiceTables.rank }
  var constant: UnsafePointer<Float> { held + 8 * RiceTables.rank }
  var inverse: UnsafePointer<Float> { constant + 8 }

  init(_ start: UnsafePointer<Float>) { vectors = start }
}

/// What a window shows of a first path and of the scattering behind it: `uwb_rice_likelihoods` on any machine.
struct RiceMatch {
  /// pᵀC⁻¹y for each ρ, in √v.
  var real: SIMD8<Float>
  var imaginary: SIMD8<Float>
  var likelihood: SIMD8<Float>

  init(_ cell: RiceCell, _ pulse: UnsafePointer<Float>, _ x: UnsafePointer<Float>, _ y: UnsafePointer<Float>) {
    var (realSums, imaginarySums) = (SIMD8<Float>(), SIMD8<Float>())
    var (realPulse, imaginaryPulse) = (Float(), Float())
    for tap in 0..<RiceTables.windowTaps {
      let vector = eight(cell.vectors + RiceTables.rank * tap)
      realSums += vector * x[tap]
      imaginarySums += vector * y[tap]
      realPulse += pulse[tap] * x[tap]
      imaginaryPulse += pulse[tap] * y[tap]
    }
    let powers = realSums * realSums + imaginarySums * imaginarySums
    (real, imaginary) = (SIMD8(repeating: realPulse), SIMD8(repeating: imaginaryPulse))
    likelihood = eight(cell.constant)
    for component in 0..<RiceTables.rank {
      let held = eight(cell.held + 8 * component)
      likelihood += eight(cell.gains + 8 * component) * powers[component]
      real -= held * realSums[component]
      imaginary -= held * imaginarySums[component]
    }
    likelihood += (real * real + imaginary * imaginary) * eight(cell.inverse)
  }
}

private func eight(_ source: UnsafePointer<Float>) -> SIMD8<Float> {
  UnsafeRawPointer(source).loadUnaligned(as: SIMD8<Float>.self)
}
