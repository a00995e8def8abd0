// Orthogonal iteration (Golub & Van Loan 2013, section 8.2.4). A vector is `parts` stretches of `stride` numbers: real parts, and of a
// Hermitian matrix imaginary parts behind them. How long they are the compiler knows where they are short.

INLINE void multiplyVector(const double *matrix, long stride, long parts, const double *x, double *y) {
  const double *imaginary = matrix + stride * stride;
  for (long row = 0; row < stride; row += 4) {
    // Two sums, so that additions needn't wait for each other.
    Four re[2] = {{0}}, im[2] = {{0}};
    for (long column = 0; column < stride; column += 2) {
      for (long k = 0; k < 2; k++) {
        const Four a = loadFour(matrix + (column + k) * stride + row);
        const Four u = allFour(x[column + k]);
        re[k] += a * u;
        if (parts == 1) continue;
        const Four b = loadFour(imaginary + (column + k) * stride + row);
        const Four v = allFour(x[stride + column + k]);
        re[k] -= b * v;
        im[k] += a * v;
        im[k] += b * u;
      }
    }
    storeFour(re[0] + re[1], y + row);
    if (parts == 2) storeFour(im[0] + im[1], y + stride + row);
  }
}

/// The real part of aᴴ·b.
INLINE double realProduct(const double *a, const double *b, long count) {
  Four sum = {0};
  for (long row = 0; row < count; row += 4) sum += loadFour(a + row) * loadFour(b + row);
  return sumFour(sum);
}

/// ‖v‖²
INLINE double squaredNorm(const double *v, long count) { return realProduct(v, v, count); }

/// y ← y − q·(qᴴ·y)
INLINE void removePart(const double *q, double *y, long stride, long parts) {
  Four re = {0}, im = {0};
  for (long row = 0; row < stride; row += 4) {
    const Four u = loadFour(q + row), x = loadFour(y + row);
    re += u * x;
    if (parts == 1) continue;
    const Four v = loadFour(q + stride + row), z = loadFour(y + stride + row);
    re += v * z;
    im += u * z;
    im -= v * x;
  }
  const Four real = allFour(sumFour(re)), imaginary = allFour(parts == 2 ? sumFour(im) : 0);
  for (long row = 0; row < stride; row += 4) {
    const Four u = loadFour(q + row);
    Four x = loadFour(y + row) - u * real;
    if (parts == 2) {
      const Four v = loadFour(q + stride + row);
      x += v * imaginary;
      storeFour(loadFour(y + stride + row) - u * imaginary - v * real, y + stride + row);
    }
    storeFour(x, y + row);
  }
}

/// Makes `count` vectors orthonormal one after the other. Returns the least square of what was left of one, before it was scaled.
INLINE double orthonormalize(double *vectors, long stride, long parts, long count) {
  const long size = stride * parts;
  double least = __builtin_inf();
  for (long k = 0; k < count; k++) {
    double *y = vectors + k * size;
    for (long other = 0; other < k; other++) removePart(vectors + other * size, y, stride, parts);
    const double square = squaredNorm(y, size);
    // So that a number that is none ends the iteration too.
    if (!(square >= least)) least = square;
    const Four scale = allFour(1 / __builtin_sqrt(square));
    for (long row = 0; row < size; row += 4) storeFour(loadFour(y + row) * scale, y + row);
  }
  return least;
}

/// The columns of a pivoted Cholesky factorization: a start that is one step ahead. `diagonal` is scratch.
INLINE bool startVectors(
    const double *matrix, long stride, long parts, long count, double *diagonal, double *vectors) {
  const long size = stride * parts;
  double trace = 0;
  for (long row = 0; row < stride; row++) trace += diagonal[row] = matrix[row * (stride + 1)];
  for (long k = 0; k < count; k++) {
    long pivot = 0;
    for (long row = 1; row < stride; row++)
      if (diagonal[row] > diagonal[pivot]) pivot = row;
    if (!(diagonal[pivot] > 1e-14 * trace)) return false;
    double *v = vectors + k * size;
    for (long part = 0; part < parts; part++)
      for (long row = 0; row < stride; row += 4)
        storeFour(loadFour(matrix + (part * stride + pivot) * stride + row), v + part * stride + row);
    for (long other = 0; other < k; other++) {
      // v ← v − u·conj(u_pivot)
      const double *u = vectors + other * size;
      const Four x = allFour(u[pivot]), y = allFour(parts == 2 ? u[stride + pivot] : 0);
      for (long row = 0; row < stride; row += 4) {
        const Four re = loadFour(u + row);
        Four left = loadFour(v + row) - re * x;
        if (parts == 2) {
          const Four im = loadFour(u + stride + row);
          left -= im * y;
          storeFour(loadFour(v + stride + row) - im * x + re * y, v + stride + row);
        }
        storeFour(left, v + row);
      }
    }
    const Four scale = allFour(1 / __builtin_sqrt(diagonal[pivot]));
    for (long row = 0; row < size; row += 4) storeFour(loadFour(v + row) * scale, v + row);
    if (k + 1 == count) break;
    for (long row = 0; row < stride; row += 4) {
      Four left = loadFour(diagonal + row) - loadFour(v + row) * loadFour(v + row);
      if (parts == 2) left -= loadFour(v + stride + row) * loadFour(v + stride + row);
      storeFour(left, diagonal + row);
    }
    diagonal[pivot] = 0;
  }
  return true;
}

INLINE bool leadingVectors(
    const double *matrix, long stride, long parts, long count, double tolerance, long steps, double *scratch,
    double *vectors) {
  const long size = stride * parts;
  double *next = scratch, *between = scratch + count * size;
  if (!startVectors(matrix, stride, parts, count, between, vectors)) return false;
  if (!(orthonormalize(vectors, stride, parts, count) > 0)) return false;
  const double limit = tolerance * tolerance;
  // Σλ² over all eigenvalues.
  const double whole = squaredNorm(matrix, parts * stride * stride);
  double before = 1;
  for (long step = 0; step < steps; step++) {
    double missed = 0, captured = 0;
    for (long k = 0; k < count; k++) {
      double *y = next + k * size;
      multiplyVector(matrix, stride, parts, vectors + k * size, between);
      multiplyVector(matrix, stride, parts, between, y);
      captured += realProduct(vectors + k * size, y, size);
      // What leaves the space that was there.
      for (long row = 0; row < size; row += 4) storeFour(loadFour(y + row), between + row);
      for (long other = 0; other < count; other++) removePart(vectors + other * size, between, stride, parts);
      missed += squaredNorm(between, size);
    }
    const double least = orthonormalize(next, stride, parts, count);
    if (!(least > 0)) return false;
    for (long row = 0; row < count * size; row += 4) storeFour(loadFour(next + row), vectors + row);
    // Squares of the angle to the eigenvectors' space before this step, and of the factor by which a step makes it smaller.
    const double angle = missed / least;
    const double factor = angle < before ? angle / before : 1;
    // No other eigenvalue is as large where the squares of all others together are less than that of the least one of these.
    if (angle * factor <= limit || angle <= limit) return __builtin_sqrt(least) > whole - captured + 1e-12 * whole;
    if (step >= 2) {
      double expected = angle;
      for (long rest = step; rest < steps; rest++) expected *= factor;
      if (expected > limit) return false;
    }
    before = angle;
  }
  return false;
}

bool KERNEL(uwb_leading_vectors)(
    const double *matrix, long stride, bool isHermitian, long count, double tolerance, long steps, double *scratch,
    double *vectors) {
#define LEADING(stride, parts) leadingVectors(matrix, stride, parts, count, tolerance, steps, scratch, vectors)
  if (isHermitian) return stride == 8 ? LEADING(8, 2) : LEADING(stride, 2);
  switch (stride) {
    case 4: return LEADING(4, 1);
    case 8: return LEADING(8, 1);
    case 12: return LEADING(12, 1);
    default: return LEADING(stride, 1);
  }
#undef LEADING
}
