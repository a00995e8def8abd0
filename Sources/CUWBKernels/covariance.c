#include "CUWBKernels.h"

#if defined(__x86_64__)

#include "eight.h"

KERNELS_BEGIN
#pragma clang fp contract(fast)

static inline double sumOfFour(Four value) { return (value[0] + value[2]) + (value[1] + value[3]); }

static inline long least(long a, long b) { return a < b ? a : b; }

void uwb_gram(const double *rows, long count, long width, double scale, double *out) {
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
          double sum = sumOfFour(sums[j][k]);
          for (long rest = index; rest < width; rest++) sum += left[j][rest] * right[k][rest];
          out[(column + j) * count + row + k] = scale * sum;
          out[(row + k) * count + column + j] = scale * sum;
        }
      }
    }
  }
}

KERNELS_END

#else

void uwb_gram(const double *rows, long count, long width, double scale, double *out) {}

#endif
