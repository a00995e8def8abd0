// The raised cosine of IEEE 802.15.4 HRP UWB: rolloff 0.5, T = 2 taps, peak 1 at 0.
#pragma once

#include <cmath>

inline double pulse(double taps) {
  double x = taps / 2, angle = M_PI * x, denominator = 1 - x * x;
  double sinc = std::abs(angle) < 1e-9 ? 1 : std::sin(angle) / angle;
  if (std::abs(denominator) < 1e-9) return 0;
  return sinc * std::cos(angle / 2) / denominator;
}
