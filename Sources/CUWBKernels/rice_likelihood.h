/// The place of the lowest bit that is set, which is cleared.
INLINE long takeLowest(long *bits) {
  const long place = __builtin_ctzl(*bits);
  *bits &= *bits - 1;
  return place;
}

/// What the scattering of a cell explains, and a path in front of it; `matched` is the path's pulse times the samples.
///
/// - Parameter components: real parts and imaginary parts of the eigenvectors' products with the samples, times those with the pulse; powers.
INLINE Eight explained(const float *cell, const float *components, Eight realMatched, Eight imaginaryMatched) {
  const float *gains = cell + uwb_rice_gains;
  Eight even = all(0), odd = even, realOdd = even, imaginaryOdd = even;
  for (long component = 0; component < 8; component += 2) {
    const Eight own = load(gains + 8 * component), next = load(gains + 8 * component + 8);
    even += own * components[16 + component];
    odd += next * components[17 + component];
    realMatched -= own * components[component];
    realOdd += next * components[component + 1];
    imaginaryMatched -= own * components[8 + component];
    imaginaryOdd += next * components[9 + component];
  }
  realMatched -= realOdd;
  imaginaryMatched -= imaginaryOdd;
  return even + odd + (realMatched * realMatched + imaginaryMatched * imaginaryMatched) * load(cell + uwb_rice_inverses);
}

INLINE void storeComponents(Eight real, Eight imaginary, Eight seen, float *components) {
  store(real * seen, components);
  store(imaginary * seen, components + 8);
  store(real * real + imaginary * imaginary, components + 16);
}

/// The sum of a pulse times samples, in all lanes.
INLINE Eight matched(const float *pulse, const float *samples) {
  Eight total = all(0);
  for (long tap = 0; tap < uwb_rice_taps; tap += 8) total += load(pulse + tap) * load(samples + tap);
  return all(sum(total));
}

/// What the kinds of one onset explain.
INLINE void formOnset(
    const float *cells, long chosen, const float *pulse, const float *real, const float *imaginary, float *forms) {
  const Eight realMatched = matched(pulse, real), imaginaryMatched = matched(pulse, imaginary);
  // In two passes: what waits for a cell's components would keep those of the next one from being begun.
  float components[64][24];
  long count = 0;
  for (long left = chosen; left; count += 2) {
    // Two at a time: they share the samples. The last one may be its own neighbour.
    const float *cell = cells + uwb_rice_cell * takeLowest(&left);
    const float *next = left ? cells + uwb_rice_cell * takeLowest(&left) : cell;
    Eight a = all(0), b = a, c = a, d = a;
    for (long tap = 0; tap < uwb_rice_taps; ++tap) {
      const Eight x = all(real[tap]);
      const Eight y = all(imaginary[tap]);
      const Eight own = load(cell + 8 * tap);
      const Eight other = load(next + 8 * tap);
      a += own * x;
      b += own * y;
      c += other * x;
      d += other * y;
    }
    storeComponents(a, b, load(cell + uwb_rice_seen), components[count]);
    storeComponents(c, d, load(next + uwb_rice_seen), components[count + 1]);
  }
  for (count = 0; chosen; ++count) {
    const long index = takeLowest(&chosen);
    store(
        explained(cells + uwb_rice_cell * index, components[count], realMatched, imaginaryMatched),
        forms + 8 * index);
  }
}

void KERNEL(uwb_rice_forms)(
    const float *cells, long chosen, long kinds, long onset, long step, long count, const float *pulses, const float *real,
    const float *imaginary, float *forms) {
  for (; count > 0; --count, onset += step) {
    const long place = onset * kinds;
    formOnset(
        cells + uwb_rice_cell * place, chosen, pulses + uwb_rice_taps * onset, real, imaginary, forms + 8 * place);
  }
}

float KERNEL(uwb_rice_terms)(
    const float *cells, long chosen, long kinds, long onset, long step, long count, long pathCount, const float *forms,
    long formsStride, const float *scales, long antennas, float share, float withoutPath, float *terms, float *tops,
    float *onsetTops) {
  float highest = -__builtin_inff();
  for (; count > 0; --count, onset += step) {
    float top = onsetTops[onset];
    for (long left = chosen; left;) {
      const long kind = takeLowest(&left);
      const long place = onset * kinds + kind;
      Eight term = (float)antennas * load(cells + uwb_rice_cell * place + uwb_rice_constants);
      for (long antenna = 0; antenna < antennas; ++antenna)
        term += scales[antenna] * load(forms + formsStride * antenna + 8 * place);
      term *= share;
      if (kind >= pathCount) term += withoutPath;
      store(term, terms + 8 * place);
      const float own = largest(term);
      tops[place] = own;
      if (own > highest) highest = own;
      if (own > top) top = own;
    }
    onsetTops[onset] = top;
  }
  return highest;
}

void KERNEL(uwb_rice_matches)(
    const float *cell, const float *pulse, const float *real, const float *imaginary, float *realMatches,
    float *imaginaryMatches) {
  Eight a = all(0), b = a, realMatched = matched(pulse, real), imaginaryMatched = matched(pulse, imaginary);
  for (long tap = 0; tap < uwb_rice_taps; ++tap) {
    const Eight own = load(cell + 8 * tap);
    a += own * real[tap];
    b += own * imaginary[tap];
  }
  const Eight seen = load(cell + uwb_rice_seen);
  float reals[8], imaginaries[8];
  store(a * seen, reals);
  store(b * seen, imaginaries);
  for (long component = 0; component < 8; ++component) {
    const Eight own = load(cell + uwb_rice_gains + 8 * component);
    realMatched -= own * reals[component];
    imaginaryMatched -= own * imaginaries[component];
  }
  store(realMatched, realMatches);
  store(imaginaryMatched, imaginaryMatches);
}
