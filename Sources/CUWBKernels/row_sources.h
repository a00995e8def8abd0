// One or two sources on a uniform row of equal antennas, in the coordinates of `uwb_mirror_rows`: with phases counted from the row's middle
// steering vectors are real there, and so are their derivatives.

/// a(μ) and ∂a/∂μ from exp(jμ/2): √2·cos(tμ), then √2·sin(tμ), for places t from the row's first antenna to its middle.
INLINE void steerRow(const double *turn, long order, double *steering, double *slope) {
  const long half = order / 2, shift = order - half;
  const double root = __builtin_sqrt(2.0), x = turn[0], y = turn[1];
  const double stepX = x * x - y * y, stepY = 2 * x * y;
  const bool isOdd = order % 2 == 1;
  double place = isOdd ? 1 : 0.5, cosine = root * (isOdd ? stepX : x), sine = root * (isOdd ? stepY : y);
  for (long a = half - 1; a >= 0; --a) {
    steering[a] = cosine;
    steering[shift + a] = -sine;
    slope[a] = -place * sine;
    slope[shift + a] = -place * cosine;
    const double next = cosine * stepX - sine * stepY;
    sine = cosine * stepY + sine * stepX;
    cosine = next;
    place += 1;
  }
  if (isOdd) {
    steering[half] = 1;
    slope[half] = 0;
  }
}

/// d ← d − Σ b·(bᵀ·d)/bᵀb
INLINE void removeParts(const double *basis, long stride, long count, const double *squares, double *d) {
  double parts[2] = {0};
  for (long k = 0; k < count; k++) parts[k] = realProduct(basis + k * stride, d, stride) / squares[k];
  for (long m = 0; m < stride; m += 4) {
    Four left = loadFour(d + m);
    for (long k = 0; k < count; k++) left -= parts[k] * loadFour(basis + k * stride + m);
    storeFour(left, d + m);
  }
}

INLINE void rowSources(
    const double *covariance, long order, const double *turns, long count, double *scratch, double *forms) {
  double *squares = forms, *captured = forms + 2, *slopes = forms + 5;
  const long stride = (order + 3) / 4 * 4;
  double *basis = scratch, *d = scratch + 2 * stride;
  for (long k = 0; k < count; k++) {
    for (long m = order; m < stride; m++) basis[k * stride + m] = d[k * stride + m] = 0;
    steerRow(turns + 2 * k, order, basis + k * stride, d + k * stride);
  }
  if (count == 2) {
    // Both are equally long: sum and difference are orthogonal.
    for (long m = 0; m < stride; m += 4) {
      const Four one = loadFour(basis + m), other = loadFour(basis + stride + m);
      storeFour(one + other, basis + m);
      storeFour(one - other, basis + stride + m);
    }
  }
  // bᵀ·C·b; b behind the last antenna is zero, and so is what C's column would be there.
  Four products[3] = {{0}};
  for (long row = 0; row < order; row += 4) {
    Four images[2] = {{0}};
    for (long column = 0; column < order; column++) {
      const double *place = covariance + column * order + row;
      Four c = {0};
      if (row + 4 <= order)
        c = loadFour(place);
      else
        for (long k = 0; row + k < order; k++) c[k] = place[k];
      for (long k = 0; k < count; k++) images[k] += c * basis[k * stride + column];
    }
    const Four b = loadFour(basis + row);
    products[0] += b * images[0];
    if (count == 1) continue;
    products[1] += b * images[1];
    products[2] += loadFour(basis + stride + row) * images[1];
  }
  for (long k = 0; k < count; k++) squares[k] = realProduct(basis + k * stride, basis + k * stride, stride);
  for (long k = 0; k < (count == 1 ? 1 : 3); k++) captured[k] = sumFour(products[k]);
  for (long k = 0; k < count; k++) removeParts(basis, stride, count, squares, d + k * stride);
  slopes[0] = realProduct(d, d, stride);
  if (count == 1) return;
  slopes[1] = realProduct(d, d + stride, stride);
  slopes[2] = realProduct(d + stride, d + stride, stride);
}

void KERNEL(uwb_row_sources)(
    const double *covariance, long order, const double *turns, long count, double *scratch, double *forms) {
#define ROW(order, count) rowSources(covariance, order, turns, count, scratch, forms)
  if (order == 8)
    count == 1 ? ROW(8, 1) : ROW(8, 2);
  else
    count == 1 ? ROW(order, 1) : ROW(order, 2);
#undef ROW
}
