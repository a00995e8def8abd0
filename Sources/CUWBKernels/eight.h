// Vectors of eight single-precision numbers and of four doubles, for kernels between `KERNELS_BEGIN` and `KERNELS_END`.
#ifndef CUWB_EIGHT_H
#define CUWB_EIGHT_H

#include <immintrin.h>

#define KERNELS_BEGIN _Pragma("clang attribute push(__attribute__((target(\"avx2,fma\"))), apply_to = function)")
#define KERNELS_END _Pragma("clang attribute pop")

KERNELS_BEGIN

/// In memory, at any address.
typedef float Eight __attribute__((vector_size(32), aligned(4)));
typedef double Four __attribute__((vector_size(32), aligned(8)));
typedef int EightIntegers __attribute__((vector_size(32), aligned(4)));

static inline Eight load(const float *source) { return *(const Eight *)source; }
static inline void store(Eight value, float *target) { *(Eight *)target = value; }
static inline Four loadFour(const double *source) { return *(const Four *)source; }
static inline void storeFour(Four value, double *target) { *(Four *)target = value; }
static inline Eight all(float value) { return (Eight){value, value, value, value, value, value, value, value}; }

static inline Eight larger(Eight a, Eight b) {
  const EightIntegers isLarger = a > b;
  return (Eight)((isLarger & (EightIntegers)a) | (~isLarger & (EightIntegers)b));
}

static inline float largest(Eight value) {
  value = larger(value, __builtin_shufflevector(value, value, 4, 5, 6, 7, 0, 1, 2, 3));
  value = larger(value, __builtin_shufflevector(value, value, 2, 3, 0, 1, 6, 7, 4, 5));
  value = larger(value, __builtin_shufflevector(value, value, 1, 0, 3, 2, 5, 4, 7, 6));
  return value[0];
}

static inline float sum(Eight value) {
  value += __builtin_shufflevector(value, value, 4, 5, 6, 7, 0, 1, 2, 3);
  value += __builtin_shufflevector(value, value, 2, 3, 0, 1, 6, 7, 4, 5);
  return value[0] + value[1];
}

/// Writes the sums of the lanes of four vectors.
static inline void storeSums(Eight a, Eight b, Eight c, Eight d, double *target) {
  const __m256 sums =
      _mm256_hadd_ps(_mm256_hadd_ps((__m256)a, (__m256)b), _mm256_hadd_ps((__m256)c, (__m256)d));
  const __m128 four = _mm_add_ps(_mm256_castps256_ps128(sums), _mm256_extractf128_ps(sums, 1));
  _mm256_storeu_pd(target, _mm256_cvtps_pd(four));
}

KERNELS_END

#endif
