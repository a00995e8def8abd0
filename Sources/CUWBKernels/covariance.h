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
