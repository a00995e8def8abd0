// Where the first path roughly is: the first tap with a quarter of the strongest one's magnitude. The peer is told that noise stays below.
#pragma once

#include <algorithm>
#include <complex>

inline int edge(const std::complex<float> *cir, int count) {
  float strongest = 0;
  for (int tap = 0; tap < count; ++tap) strongest = std::max(strongest, std::norm(cir[tap]));
  int tap = 0;
  while (std::norm(cir[tap]) < strongest / 16) ++tap;
  return tap;
}
