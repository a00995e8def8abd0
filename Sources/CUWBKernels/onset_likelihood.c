#include "CUWBKernels.h"

#if defined(__x86_64__)

#include "eight.h"

KERNELS_BEGIN
#pragma clang fp contract(fast)

/// Σ gain·power − determinant of one onset.
static inline void finish(
    Eight lowReal, Eight highReal, Eight lowImaginary, Eight highImaginary, const float *gains,
    const float *determinants, float *term, bool adding) {
  float powers[16];
  store(lowReal * lowReal + lowImaginary * lowImaginary, powers);
  store(highReal * highReal + highImaginary * highImaginary, powers + 8);
  Eight sum = adding ? load(term) - load(determinants) : -load(determinants);
  Eight other = all(0);
  for (long index = 0; index < 16; index += 2) {
    sum += load(gains + 8 * index) * powers[index];
    other += load(gains + 8 * index + 8) * powers[index + 1];
  }
  store(sum + other, term);
}

void uwb_onset_likelihoods(
    const float *vectors, const float *gains, const float *determinants, long step, const float *real,
    const float *imaginary, long taps, long count, float *terms, long termStep, bool adding) {
  const long vectorStep = 16 * taps * step;
  long index = 0;
  // Two at a time: they share the taps.
  for (; index + 1 < count; index += 2) {
    const float *first = vectors + vectorStep * index;
    const float *second = first + vectorStep;
    Eight a = all(0), b = a, c = a, d = a, e = a, f = a, g = a, h = a;
    for (long tap = 0; tap < taps; ++tap) {
      const Eight x = all(real[tap]);
      const Eight y = all(imaginary[tap]);
      const Eight low = load(first + 16 * tap);
      const Eight high = load(first + 16 * tap + 8);
      a += low * x;
      b += high * x;
      c += low * y;
      d += high * y;
      const Eight lower = load(second + 16 * tap);
      const Eight higher = load(second + 16 * tap + 8);
      e += lower * x;
      f += higher * x;
      g += lower * y;
      h += higher * y;
    }
    const long cell = step * index;
    float *term = terms + 8 * termStep * index;
    finish(a, b, c, d, gains + 128 * cell, determinants + 8 * cell, term, adding);
    finish(e, f, g, h, gains + 128 * (cell + step), determinants + 8 * (cell + step), term + 8 * termStep, adding);
  }
  if (index < count) {
    const float *first = vectors + vectorStep * index;
    Eight a = all(0), b = a, c = a, d = a;
    for (long tap = 0; tap < taps; ++tap) {
      const Eight low = load(first + 16 * tap);
      const Eight high = load(first + 16 * tap + 8);
      a += low * real[tap];
      b += high * real[tap];
      c += low * imaginary[tap];
      d += high * imaginary[tap];
    }
    const long cell = step * index;
    finish(a, b, c, d, gains + 128 * cell, determinants + 8 * cell, terms + 8 * termStep * index, adding);
  }
}

float uwb_largest(const float *terms, long step, long count) {
  Eight best = all(-__builtin_inff());
  for (long index = 0; index < count; ++index) best = larger(load(terms + 8 * step * index), best);
  return largest(best);
}

/// exp(x), −80 ≤ x ≤ 0, to 2 parts in 10⁷: x = n·ln 2 + r, |r| ≤ ln 2/2, and Taylor's series of exp(r).
static inline Eight exponential(Eight x) {
  // Adding 1.5·2²³ leaves the nearest integer in the lowest bits.
  const Eight shift = all(12582912.0f);
  const Eight shifted = x * 1.44269504f + shift;
  const Eight whole = shifted - shift;
  const Eight r = (x - whole * 0.693359375f) + whole * 2.12194440e-4f;
  Eight value = all(1.0f / 5040);
  value = value * r + 1.0f / 720;
  value = value * r + 1.0f / 120;
  value = value * r + 1.0f / 24;
  value = value * r + 1.0f / 6;
  value = value * r + 0.5f;
  value = value * r + 1;
  value = value * r + 1;
  return (Eight)((EightIntegers)value + ((EightIntegers)shifted << 23));
}

void uwb_exponential_sums(
    const float *terms, long step, long count, float reference, float negligible, double *sums) {
  for (long index = 0; index < count; ++index) {
    const Eight x = load(terms + 8 * step * index) - reference;
    const EightIntegers isCounted = x > -negligible;
    sums[index] = 0;
    if (_mm256_movemask_ps((__m256)isCounted) == 0) continue;
    sums[index] = sum((Eight)(isCounted & (EightIntegers)exponential(x)));
  }
}

KERNELS_END

bool uwb_has_vector_units(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }

#else

bool uwb_has_vector_units(void) { return false; }

void uwb_onset_likelihoods(
    const float *vectors, const float *gains, const float *determinants, long step, const float *real,
    const float *imaginary, long taps, long count, float *terms, long termStep, bool adding) {}

float uwb_largest(const float *terms, long step, long count) { return 0; }

void uwb_exponential_sums(
    const float *terms, long step, long count, float reference, float negligible, double *sums) {}

#endif
