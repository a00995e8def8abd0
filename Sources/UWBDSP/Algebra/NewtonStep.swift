/// −H⁻¹·g of a function of one or two variables; `nil` where H is not positive definite.
func newtonStep(
  _ hxx: Double, _ hxy: Double, _ hyy: Double, _ gradient: SIMD2<Double>, is2D: Bool
) -> SIMD2<Double>? {
  guard hxx > 0 else { return nil }
  guard is2D else { return SIMD2(-gradient.x / hxx, 0) }
  let determinant = hxx * hyy - hxy * hxy
  guard determinant > 1e-12 * hxx * hyy, hyy > 0 else { return nil }
  return SIMD2(
    -(hyy * gradient.x - hxy * gradient.y) / determinant, -(hxx * gradient.y - hxy * gradient.x) / determinant)
}
