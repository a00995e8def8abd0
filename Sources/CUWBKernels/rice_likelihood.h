/// The place of the lowest bit that is set, which is cleared.
INLINE long takeLowest(long *bits) {
  const long place = __builtin_ctzl(*bits);
  *bits &= *bits - 1;
  return place;
}

/// What the scattering of a cell explains, and a path in front of it; `matched` is the path's pulse times the samples.
INLINE Eight explained(const float *gains, Eight real, Eight imaginary, Eight realMatched, Eight imaginaryMatched) {
  const float *held = gains + 64;
  float powers[8], reals[8], imaginaries[8];
  store(real * real + imaginary * imaginary, powers);
  store(real, reals);
  store(imaginary, imaginaries);
  Eight sum = load(gains) * powers[0];
  realMatched -= load(held) * reals[0];
  imaginaryMatched -= load(held) * imaginaries[0];
  for (long component = 1; component < 8; ++component) {
    const Eight own = load(held + 8 * component);
    sum += load(gains + 8 * component) * powers[component];
    realMatched -= own * reals[component];
    imaginaryMatched -= own * imaginaries[component];
  }
  return sum + (realMatched * realMatched + imaginaryMatched * imaginaryMatched) * load(gains + 136);
}

void KERNEL(uwb_rice_forms)(
    const float *cells, long chosen, const float *pulse, const float *real, const float *imaginary, long taps,
    float *forms) {
  Eight realMatched = all(0), imaginaryMatched = all(0);
  for (long tap = 0; tap < taps; tap += 8) {
    realMatched += load(pulse + tap) * load(real + tap);
    imaginaryMatched += load(pulse + tap) * load(imaginary + tap);
  }
  realMatched = all(sum(realMatched));
  imaginaryMatched = all(sum(imaginaryMatched));
  const long size = 8 * taps + 144;
  while (chosen) {
    // Two at a time: they share the samples. The last one may be its own neighbour.
    const long index = takeLowest(&chosen);
    const bool isPair = chosen;
    const long nextIndex = isPair ? takeLowest(&chosen) : index;
    const float *cell = cells + size * index;
    const float *next = cells + size * nextIndex;
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
    store(explained(cell + 8 * taps, a, b, realMatched, imaginaryMatched), forms + 8 * index);
    if (isPair) store(explained(next + 8 * taps, c, d, realMatched, imaginaryMatched), forms + 8 * nextIndex);
  }
}

float KERNEL(uwb_rice_terms)(
    const float *cells, long cellSize, long constantPlace, long chosen, long pathCount, const float *forms,
    long formsStride, const float *scales, long antennas, float share, float withoutPath, float *terms, float *tops) {
  float highest = -__builtin_inff();
  while (chosen) {
    const long index = takeLowest(&chosen);
    Eight term = (float)antennas * load(cells + cellSize * index + constantPlace);
    for (long antenna = 0; antenna < antennas; ++antenna)
      term += scales[antenna] * load(forms + formsStride * antenna + 8 * index);
    term *= share;
    if (index >= pathCount) term += withoutPath;
    store(term, terms + 8 * index);
    tops[index] = largest(term);
    if (tops[index] > highest) highest = tops[index];
  }
  return highest;
}

void KERNEL(uwb_rice_matches)(
    const float *cell, const float *pulse, const float *real, const float *imaginary, long taps, float *realMatches,
    float *imaginaryMatches) {
  Eight a = all(0), b = a, realMatched = a, imaginaryMatched = a;
  for (long tap = 0; tap < taps; ++tap) {
    const Eight own = load(cell + 8 * tap);
    a += own * real[tap];
    b += own * imaginary[tap];
  }
  for (long tap = 0; tap < taps; tap += 8) {
    realMatched += load(pulse + tap) * load(real + tap);
    imaginaryMatched += load(pulse + tap) * load(imaginary + tap);
  }
  realMatched = all(sum(realMatched));
  imaginaryMatched = all(sum(imaginaryMatched));
  float reals[8], imaginaries[8];
  store(a, reals);
  store(b, imaginaries);
  const float *held = cell + 8 * taps + 64;
  for (long component = 0; component < 8; ++component) {
    const Eight own = load(held + 8 * component);
    realMatched -= own * reals[component];
    imaginaryMatched -= own * imaginaries[component];
  }
  store(realMatched, realMatches);
  store(imaginaryMatched, imaginaryMatches);
}
