// Interpolation × 16 by zeros in the middle of the spectrum (FFTW, planned by measurement), and the first crossing of 0.3 of the peak.
//
// The level is six times the noise at least, as its first 96 taps show it. `size` is 1024 for the whole CIR or 64 for a window round its
// strongest tap.
#pragma once

#include <fftw3.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

template <int size>
struct Crossing {
  static constexpr int factor = 16, points = size * factor, noise_taps = 96;
  fftwf_complex *taps = fftwf_alloc_complex(size), *spectrum = fftwf_alloc_complex(size);
  fftwf_complex *padded = fftwf_alloc_complex(points), *fine = fftwf_alloc_complex(points);
  fftwf_plan forward = fftwf_plan_dft_1d(size, taps, spectrum, FFTW_FORWARD, FFTW_MEASURE);
  fftwf_plan inverse = fftwf_plan_dft_1d(points, padded, fine, FFTW_BACKWARD, FFTW_MEASURE | FFTW_PRESERVE_INPUT);
  float powers[points];

  Crossing() {
    std::fill_n(&taps[0][0], 2 * size, 0.0f);
    std::fill_n(&padded[0][0], 2 * points, 0.0f);
  }

  static float power(const int16_t *tap) { return float(tap[0]) * float(tap[0]) + float(tap[1]) * float(tap[1]); }

  /// `cir`: pairs of 16-bit integers.
  void operator()(const int16_t *cir, int count, double *answer) {
    float noise = 0;
    for (int tap = 0; tap < noise_taps; ++tap) noise += power(cir + 2 * tap) / noise_taps;
    int start = 0;
    if (size < count) {
      float strongest = -1;
      for (int tap = 0; tap < count; ++tap)
        if (float here = power(cir + 2 * tap); here > strongest) strongest = here, start = tap;
      start = std::clamp(start - size / 2, 0, count - size);
    }
    for (int part = 0; part < 2 * std::min(size, count); ++part) taps[0][part] = cir[2 * start + part];
    fftwf_execute(forward);
    std::copy_n(&spectrum[0][0], size, &padded[0][0]);
    std::copy_n(&spectrum[size / 2][0], size, &padded[points - size / 2][0]);
    fftwf_execute(inverse);
    float peak = 0;
    for (int point = 0; point < points; ++point) {
      powers[point] = fine[point][0] * fine[point][0] + fine[point][1] * fine[point][1];
      peak = std::max(peak, powers[point]);
    }
    float level = std::max(0.09f * peak, 36 * noise * float(size) * float(size));
    int place = 0;
    while (place < points && powers[place] <= level) ++place;
    answer[0] = std::nan("");
    if (place == points) return;
    if (place == 0) { answer[0] = start; return; }
    float before = std::sqrt(powers[place - 1]), after = std::sqrt(powers[place]);
    answer[0] = start + (place - 1 + (std::sqrt(level) - before) / (after - before)) / factor;
  }
};
