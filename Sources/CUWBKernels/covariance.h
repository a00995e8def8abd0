INLINE long least(long a, long b) { return a < b ? a : b; }

void KERNEL(uwb_gram)(const double *rows, long count, long width, double scale, double *out) {
  // Two rows against four: each number that is read serves three products. At the ends rows stand in twice.
  for (long column = 0; column < count; column += 2) {
    const double *left[2] = {rows + column * width, rows + least(column + 1, count - 1) * width};
    for (long row = 0; row <= least(column + 1, count - 1); row += 4) {
      const double *right[4];
      for (long k = 0; k < 4; k++) right[k] = rows + least(row + k, count - 1) * width;
      Four sums[2][4] = {{{0}}};
      long index = 0;
      for (; index + 4 <= width; index += 4) {
        const Four a = loadFour(left[0] + index);
        const Four b = loadFour(left[1] + index);
        for (long k = 0; k < 4; k++) {
          const Four c = loadFour(right[k] + index);
          sums[0][k] += a * c;
          sums[1][k] += b * c;
        }
      }
      for (long j = 0; j < 2 && column + j < count; j++) {
        for (long k = 0; k < 4 && row + k <= column + j; k++) {
          double sum = sumFour(sums[j][k]);
          for (long rest = index; rest < width; rest++) sum += left[j][rest] * right[k][rest];
          out[(column + j) * count + row + k] = scale * sum;
          out[(row + k) * count + column + j] = scale * sum;
        }
      }
    }
  }
}

void KERNEL(uwb_mirror_rows)(
    const double *real, const double *imaginary, long antennas, long snapshots, double *rows) {
  const double root = 0.70710678118654752440;
  const long width = 2 * snapshots;
  const long half = antennas / 2;
  for (long antenna = 0; antenna < half; ++antenna) {
    const long a = antenna * snapshots;
    const long b = (antennas - 1 - antenna) * snapshots;
    double *sums = rows + antenna * width;
    double *differences = rows + (antennas - half + antenna) * width;
    long t = 0;
    for (; t + 4 <= snapshots; t += 4) {
      const Four x = loadFour(real + a + t) * root, u = loadFour(real + b + t) * root;
      const Four y = loadFour(imaginary + a + t) * root, v = loadFour(imaginary + b + t) * root;
      storeFour(x + u, sums + t);
      storeFour(y + v, sums + snapshots + t);
      storeFour(y - v, differences + t);
      storeFour(u - x, differences + snapshots + t);
    }
    for (; t < snapshots; ++t) {
      sums[t] = root * (real[a + t] + real[b + t]);
      sums[snapshots + t] = root * (imaginary[a + t] + imaginary[b + t]);
      differences[t] = root * (imaginary[a + t] - imaginary[b + t]);
      differences[snapshots + t] = root * (real[b + t] - real[a + t]);
    }
  }
  if (antennas % 2 == 0) return;
  for (long t = 0; t < snapshots; ++t) {
    rows[half * width + t] = real[half * snapshots + t];
    rows[half * width + snapshots + t] = imaginary[half * snapshots + t];
  }
}
