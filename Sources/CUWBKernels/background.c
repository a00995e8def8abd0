#include "CUWBKernels.h"

#if defined(__x86_64__)

#include "eight.h"

KERNELS_BEGIN

float uwb_subtract_pattern(
    const short *integers, float scale, const float *pattern, long period, long phase, long blocks, float *samples,
    float *powers, float *quarterPeaks) {
  const __m256 factor = _mm256_set1_ps(scale);
  __m128 sums = _mm_setzero_ps();
  for (long block = 0; block < blocks; ++block) {
    const float *own = pattern + 2 * phase;
    __m128 peaks = _mm_setzero_ps();
    for (long tap = 0; tap < 16; tap += 4) {
      const __m128i parts = _mm_loadu_si128((const __m128i *)(integers + 2 * tap));
      const __m256 taken = _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(parts)), factor);
      const __m256 four = _mm256_sub_ps(taken, _mm256_loadu_ps(own + 2 * tap));
      _mm256_storeu_ps(samples + 2 * tap, four);
      const __m256 squares = _mm256_mul_ps(four, four);
      const __m128 power = _mm_hadd_ps(_mm256_castps256_ps128(squares), _mm256_extractf128_ps(squares, 1));
      _mm_storeu_ps(powers + tap, power);
      peaks = _mm_max_ps(peaks, power);
      sums = _mm_add_ps(sums, power);
    }
    _mm_storeu_ps(quarterPeaks, peaks);
    integers += 32;
    samples += 32;
    powers += 16;
    quarterPeaks += 4;
    phase = (phase + 16) % period;
  }
  return (sums[0] + sums[2]) + (sums[1] + sums[3]);
}

KERNELS_END

#else

float uwb_subtract_pattern(
    const short *integers, float scale, const float *pattern, long period, long phase, long blocks, float *samples,
    float *powers, float *quarterPeaks) {
  return 0;
}

#endif
