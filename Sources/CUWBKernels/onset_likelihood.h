/// Σ gain·power − determinant of one onset; returns its largest.
INLINE float finish(
    Eight lowReal, Eight highReal, Eight lowImaginary, Eight highImaginary, const float *gains,
    const float *determinants, float *term) {
  float powers[16];
  store(lowReal * lowReal + lowImaginary * lowImaginary, powers);
  store(highReal * highReal + highImaginary * highImaginary, powers + 8);
  Eight total = -load(determinants);
  Eight other = all(0);
  for (long index = 0; index < 16; index += 2) {
    total += load(gains + 8 * index) * powers[index];
    other += load(gains + 8 * index + 8) * powers[index + 1];
  }
  total += other;
  store(total, term);
  return largest(total);
}

void KERNEL(uwb_onset_likelihoods)(
    const float *vectors, const float *gains, const float *determinants, const long *onsets, long count, const float *real,
    const float *imaginary, long taps, float *terms, float *tops) {
  for (long index = 0; index < count; index += 2) {
    // Two at a time: they share the taps. The last one may be its own neighbour.
    const bool isPair = index + 1 < count;
    const long onset = onsets[index];
    const long nextOnset = onsets[isPair ? index + 1 : index];
    const float *vector = vectors + 16 * taps * onset;
    const float *next = vectors + 16 * taps * nextOnset;
    Eight a = all(0), b = a, c = a, d = a, e = a, f = a, g = a, h = a;
    for (long tap = 0; tap < taps; ++tap) {
      const Eight x = all(real[tap]);
      const Eight y = all(imaginary[tap]);
      const Eight low = load(vector + 16 * tap);
      const Eight high = load(vector + 16 * tap + 8);
      a += low * x;
      b += high * x;
      c += low * y;
      d += high * y;
      const Eight nextLow = load(next + 16 * tap);
      const Eight nextHigh = load(next + 16 * tap + 8);
      e += nextLow * x;
      f += nextHigh * x;
      g += nextLow * y;
      h += nextHigh * y;
    }
    tops[onset] = finish(a, b, c, d, gains + 128 * onset, determinants + 8 * onset, terms + 8 * onset);
    if (!isPair) break;
    tops[nextOnset] =
        finish(e, f, g, h, gains + 128 * nextOnset, determinants + 8 * nextOnset, terms + 8 * nextOnset);
  }
}

/// exp(x), −80 ≤ x ≤ 0, to 2 parts in 10⁷: x = n·ln 2 + r, |r| ≤ ln 2/2, and Taylor's series of exp(r).
INLINE Eight exponential(Eight x) {
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
  return (Eight)((EightCounts)value + ((EightCounts)shifted << 23));
}

/// Σ exp(x − `reference`) over eight numbers, those that are not negligible.
INLINE float exponentialSum(Eight term, float reference, float negligible) {
  const Eight x = term - reference;
  const EightIntegers isCounted = x > -negligible;
  return sum((Eight)(isCounted & (EightIntegers)exponential(x)));
}

double KERNEL(uwb_exponential_sum)(
    const float *terms, const float *tops, long count, float reference, float negligible) {
  float total = 0;
  for (long index = 0; index < count; ++index) {
    if (tops[index] - reference > -negligible) total += exponentialSum(load(terms + 8 * index), reference, negligible);
  }
  return total;
}

void KERNEL(uwb_exponential_sums)(
    const float *terms, const float *tops, long count, float reference, float negligible, double *sums) {
  for (long index = 0; index < count; ++index) {
    sums[index] = 0;
    if (!(tops[index] - reference > -negligible)) continue;
    sums[index] = exponentialSum(load(terms + 8 * index), reference, negligible);
  }
}
