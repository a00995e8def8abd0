/// Y = A·X, columns `stride` apart, A symmetric and zero behind `order`.
INLINE void multiplySymmetric(
    const double *matrix, long order, long stride, const double *vectors, long count, double *products) {
  for (long column = 0; column < count; ++column) {
    const double *x = vectors + stride * column;
    for (long row = 0; row < stride; row += 4) {
      Four even = {0}, odd = even;
      long index = 0;
      for (; index + 1 < order; index += 2) {
        even += loadFour(matrix + stride * index + row) * x[index];
        odd += loadFour(matrix + stride * (index + 1) + row) * x[index + 1];
      }
      if (index < order) even += loadFour(matrix + stride * index + row) * x[index];
      storeFour(even + odd, products + stride * column + row);
    }
  }
}

INLINE double dotOfFours(const double *a, const double *b, long stride) {
  Four total = {0};
  for (long row = 0; row < stride; row += 4) total += loadFour(a + row) * loadFour(b + row);
  return sumFour(total);
}

/// target += factor·vector
INLINE void addScaled(double factor, const double *vector, double *target, long stride) {
  for (long row = 0; row < stride; row += 4)
    storeFour(loadFour(target + row) + factor * loadFour(vector + row), target + row);
}

bool KERNEL(uwb_leading_vectors)(
    const double *matrix, long order, long stride, long count, double tolerance, long mostSteps, double *vectors,
    double *products) {
  const double whole = dotOfFours(matrix, matrix, stride * order);
  for (long step = 0; step <= mostSteps; ++step) {
    for (long column = 0; column < count; ++column) {
      double *own = vectors + stride * column;
      for (long other = 0; other < column; ++other) {
        const double *before = vectors + stride * other;
        addScaled(-dotOfFours(before, own, stride), before, own, stride);
      }
      const double square = dotOfFours(own, own, stride);
      if (!(square > 0)) return false;
      const double scale = 1 / __builtin_sqrt(square);
      for (long row = 0; row < stride; row += 4) storeFour(loadFour(own + row) * scale, own + row);
    }
    multiplySymmetric(matrix, order, stride, vectors, count, products);
    // What A makes of the vectors that lies outside their space.
    double a = dotOfFours(vectors, products, stride), b = 0, c = 0, outside = 0;
    if (count == 2) {
      b = dotOfFours(vectors, products + stride, stride);
      c = dotOfFours(vectors + stride, products + stride, stride);
    }
    for (long row = 0; row < stride; row += 4) {
      Four left = loadFour(products + row) - a * loadFour(vectors + row);
      if (count == 2) {
        left -= b * loadFour(vectors + stride + row);
        Four right = loadFour(products + stride + row);
        right -= b * loadFour(vectors + row) + c * loadFour(vectors + stride + row);
        outside += sumFour(right * right);
      }
      outside += sumFour(left * left);
    }
    if (outside <= tolerance * tolerance * whole) {
      // No other eigenvalue is larger where all of them together, root sum square, are less than these.
      const double half = (a - c) / 2;
      const double least = count == 2 ? (a + c) / 2 - __builtin_sqrt(half * half + b * b) : a;
      const double rest = whole - (a * a + 2 * b * b + c * c);
      return least > 0 && least * least > rest + 1e-12 * whole;
    }
    for (long index = 0; index < stride * count; index += 4) storeFour(loadFour(products + index), vectors + index);
  }
  return false;
}
