#include "CUWBKernels.h"

#if defined(__x86_64__)

#include "eight.h"

KERNELS_BEGIN
#pragma clang fp contract(fast)

/// What the scattering of a cell explains, and a path in front of it; `matched` is the path's pulse times the samples.
static inline Eight explained(const float *gains, Eight real, Eight imaginary, Eight realMatched, Eight imaginaryMatched) {
  const float *held = gains + 64;
  float powers[8], reals[8], imaginaries[8];
  store(real * real + imaginary * imaginary, powers);
  store(real, reals);
  store(imaginary, imaginaries);
  Eight sum = load(gains + 128);
  for (long component = 0; component < 8; ++component) {
    const Eight own = load(held + 8 * component);
    sum += load(gains + 8 * component) * powers[component];
    realMatched -= own * reals[component];
    imaginaryMatched -= own * imaginaries[component];
  }
  return sum + (realMatched * realMatched + imaginaryMatched * imaginaryMatched) * load(gains + 136);
}

void uwb_rice_likelihoods(
    const float *cells, long count, const float *pulse, const float *real, const float *imaginary, long taps,
    float *terms, float *tops) {
  Eight realMatched = all(0), imaginaryMatched = all(0);
  for (long tap = 0; tap < taps; tap += 8) {
    realMatched += load(pulse + tap) * load(real + tap);
    imaginaryMatched += load(pulse + tap) * load(imaginary + tap);
  }
  realMatched = all(sum(realMatched));
  imaginaryMatched = all(sum(imaginaryMatched));
  const long size = 8 * taps + 144;
  for (long index = 0; index < count; index += 2) {
    // Two at a time: they share the samples. The last one may be its own neighbour.
    const bool isPair = index + 1 < count;
    const float *cell = cells + size * index;
    const float *next = isPair ? cell + size : cell;
    Eight a = all(0), b = a, c = a, d = a;
    for (long tap = 0; tap < taps; ++tap) {
      const Eight x = all(real[tap]);
      const Eight y = all(imaginary[tap]);
      const Eight own = load(cell + 8 * tap);
      const Eight other = load(next + 8 * tap);
      a += own * x;
      b += own * y;
      c += other * x;
      d += other * y;
    }
    Eight term = explained(cell + 8 * taps, a, b, realMatched, imaginaryMatched);
    store(term, terms + 8 * index);
    tops[index] = largest(term);
    if (!isPair) break;
    term = explained(next + 8 * taps, c, d, realMatched, imaginaryMatched);
    store(term, terms + 8 * index + 8);
    tops[index + 1] = largest(term);
  }
}

KERNELS_END

#else

void uwb_rice_likelihoods(
    const float *cells, long count, const float *pulse, const float *real, const float *imaginary, long taps,
    float *terms, float *tops) {}

#endif
