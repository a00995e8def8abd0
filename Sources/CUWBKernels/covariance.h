INLINE long least(long a, long b) { return a < b ? a : b; }

/// The products of two rows with themselves, in two partial sums each, so that additions needn't wait for each other.
INLINE Four gramOfTwo(const double *one, const double *two, long width) {
  Four sums[2][3] = {{{0}}};
  long index = 0;
  for (; index + 8 <= width; index += 8) {
    for (long k = 0; k < 2; k++) {
      const Four a = loadFour(one + index + 4 * k), b = loadFour(two + index + 4 * k);
      sums[k][0] += a * a;
      sums[k][1] += a * b;
      sums[k][2] += b * b;
    }
  }
  const Four none = {0};
  Four products = sumsOfFours(sums[0][0] + sums[1][0], sums[0][1] + sums[1][1], sums[0][2] + sums[1][2], none);
  for (; index < width; index++) {
    const Four a = {one[index], one[index], two[index], 0}, b = {one[index], two[index], two[index], 0};
    products += a * b;
  }
  return products;
}

/// The products of two rows with four.
INLINE void gramOfSix(const double *const *left, const double *const *right, long width, Four *products) {
  Four sums[2][4] = {{{0}}};
  long index = 0;
  for (; index + 4 <= width; index += 4) {
    const Four a = loadFour(left[0] + index), b = loadFour(left[1] + index);
    for (long k = 0; k < 4; k++) {
      const Four c = loadFour(right[k] + index);
      sums[0][k] += a * c;
      sums[1][k] += b * c;
    }
  }
  for (long j = 0; j < 2; j++) products[j] = sumsOfFours(sums[j][0], sums[j][1], sums[j][2], sums[j][3]);
  for (; index < width; index++) {
    const Four c = {right[0][index], right[1][index], right[2][index], right[3][index]};
    for (long j = 0; j < 2; j++) products[j] += left[j][index] * c;
  }
}

INLINE void gram(const double *rows, long count, long width, double scale, double *out) {
  // Two rows against four: each number that is read serves three products. At the end rows stand in twice.
  for (long column = 0; column < count; column += 2) {
    const double *left[2] = {rows + column * width, rows + least(column + 1, count - 1) * width};
    const long columns = least(2, count - column);
    long row = 0;
    for (; row + 2 <= column; row += 4) {
      const double *right[4];
      for (long k = 0; k < 4; k++) right[k] = rows + least(row + k, count - 1) * width;
      Four products[2];
      gramOfSix(left, right, width, products);
      const long found = least(4, count - row);
      for (long j = 0; j < columns; j++) {
        for (long k = 0; k < found; k++) {
          const double value = scale * products[j][k];
          out[(column + j) * count + row + k] = value;
          out[(row + k) * count + column + j] = value;
        }
      }
    }
    if (row > column) continue;
    const Four products = scale * gramOfTwo(left[0], left[1], width);
    out[column * (count + 1)] = products[0];
    if (columns == 1) break;
    out[column * (count + 1) + 1] = out[(column + 1) * (count + 1) - 1] = products[1];
    out[(column + 1) * (count + 1)] = products[2];
  }
}

void KERNEL(uwb_gram)(const double *rows, long count, long width, double scale, double *out) {
  if (count == 8)
    gram(rows, 8, width, scale, out);
  else
    gram(rows, count, width, scale, out);
}

void KERNEL(uwb_mirror_rows)(
    const double *real, const double *imaginary, long antennas, long stride, long snapshots, double *rows) {
  const long width = 2 * snapshots;
  const long half = antennas / 2;
  for (long antenna = 0; antenna < half; ++antenna) {
    const long a = antenna * stride;
    const long b = (antennas - 1 - antenna) * stride;
    double *sums = rows + antenna * width;
    double *differences = rows + (antennas - half + antenna) * width;
    long t = 0;
    for (; t + 4 <= snapshots; t += 4) {
      const Four x = loadFour(real + a + t), u = loadFour(real + b + t);
      const Four y = loadFour(imaginary + a + t), v = loadFour(imaginary + b + t);
      storeFour(x + u, sums + t);
      storeFour(y + v, sums + snapshots + t);
      storeFour(y - v, differences + t);
      storeFour(u - x, differences + snapshots + t);
    }
    for (; t < snapshots; ++t) {
      sums[t] = real[a + t] + real[b + t];
      sums[snapshots + t] = imaginary[a + t] + imaginary[b + t];
      differences[t] = imaginary[a + t] - imaginary[b + t];
      differences[snapshots + t] = real[b + t] - real[a + t];
    }
  }
  if (antennas % 2 == 0) return;
  const double root = __builtin_sqrt(2.0);
  for (long t = 0; t < snapshots; ++t) {
    rows[half * width + t] = root * real[half * stride + t];
    rows[half * width + snapshots + t] = root * imaginary[half * stride + t];
  }
}

INLINE void hermitianProduct(const double *matrix, long order, const double *vector, double *out) {
  const double *imaginary = matrix + order * order;
  long row = 0;
  for (; row + 4 <= order; row += 4) {
    Four re = {0}, im = {0}, otherRe = {0}, otherIm = {0};
    for (long column = 0; column < order; ++column) {
      const Four a = loadFour(matrix + column * order + row), b = loadFour(imaginary + column * order + row);
      re += a * vector[column];
      otherRe += b * vector[order + column];
      im += a * vector[order + column];
      otherIm += b * vector[column];
    }
    storeFour(re - otherRe, out + row);
    storeFour(im + otherIm, out + order + row);
  }
  for (; row < order; ++row) {
    double re = 0, im = 0;
    for (long column = 0; column < order; ++column) {
      const double a = matrix[column * order + row], b = imaginary[column * order + row];
      re += a * vector[column] - b * vector[order + column];
      im += a * vector[order + column] + b * vector[column];
    }
    out[row] = re;
    out[order + row] = im;
  }
}

void KERNEL(uwb_hermitian_product)(const double *matrix, long order, const double *vector, double *out) {
  if (order == 8)
    hermitianProduct(matrix, 8, vector, out);
  else
    hermitianProduct(matrix, order, vector, out);
}

void KERNEL(uwb_project_out)(const double *unit, long count, double *vector) {
  Four re = {0}, im = {0};
  long m = 0;
  for (; m + 4 <= count; m += 4) {
    const Four x = loadFour(unit + m), y = loadFour(unit + count + m);
    const Four u = loadFour(vector + m), v = loadFour(vector + count + m);
    re += x * u + y * v;
    im += x * v - y * u;
  }
  double real = sumFour(re), imaginary = sumFour(im);
  for (; m < count; ++m) {
    real += unit[m] * vector[m] + unit[count + m] * vector[count + m];
    imaginary += unit[m] * vector[count + m] - unit[count + m] * vector[m];
  }
  for (m = 0; m + 4 <= count; m += 4) {
    const Four x = loadFour(unit + m), y = loadFour(unit + count + m);
    storeFour(loadFour(vector + m) - (real * x - imaginary * y), vector + m);
    storeFour(loadFour(vector + count + m) - (real * y + imaginary * x), vector + count + m);
  }
  for (; m < count; ++m) {
    const double x = unit[m], y = unit[count + m];
    vector[m] -= real * x - imaginary * y;
    vector[count + m] -= real * y + imaginary * x;
  }
}

INLINE void complexCovariance(const double *c, long order, double *out) {
  const long half = order / 2, shift = order - half, last = order - 1;
  double *r = out, *i = out + order * order;
  for (long b = 0; b < half; ++b) {
    for (long a = 0; a < half; ++a) {
      const double pp = c[b * order + a], mm = c[(shift + b) * order + shift + a];
      const double pm = c[(shift + b) * order + a], mp = c[b * order + shift + a];
      const double re[2] = {0.5 * (pp + mm), 0.5 * (pp - mm)}, im[2] = {0.5 * (mp - pm), 0.5 * (mp + pm)};
      // An element, and the conjugate one seen from the row's other end.
      for (long k = 0; k < 2; ++k) {
        const long column = k == 0 ? b : last - b;
        r[column * order + a] = r[(last - column) * order + last - a] = re[k];
        i[column * order + a] = im[k];
        i[(last - column) * order + last - a] = -im[k];
      }
    }
  }
  if (order % 2 == 0) return;
  const double root = __builtin_sqrt(0.5);
  for (long a = 0; a < half; ++a) {
    const double re = root * c[half * order + a], im = root * c[half * order + shift + a];
    r[half * order + a] = r[half * order + last - a] = r[a * order + half] = r[(last - a) * order + half] = re;
    i[half * order + a] = i[(last - a) * order + half] = im;
    i[half * order + last - a] = i[a * order + half] = -im;
  }
  r[half * order + half] = c[half * order + half];
  i[half * order + half] = 0;
}

void KERNEL(uwb_complex_covariance)(const double *real, long order, double *out) {
  if (order == 8)
    complexCovariance(real, 8, out);
  else
    complexCovariance(real, order, out);
}
