// At any address.
typedef int LooseInteger __attribute__((aligned(1), may_alias));

INLINE void takeEvery(long stride, const LooseInteger *source, long count, int *target) {
  for (long index = 0; index < count; ++index) target[index] = source[stride * index];
}

void KERNEL(uwb_take_every)(long stride, const void *source, long count, int *target) {
  // With a stride that is known, the compiler takes vectors.
  switch (stride) {
  case 2: return takeEvery(2, source, count, target);
  case 3: return takeEvery(3, source, count, target);
  case 4: return takeEvery(4, source, count, target);
  default: return takeEvery(stride, source, count, target);
  }
}

void KERNEL(uwb_square_integers)(const short *integers, float factor, long blocks, float *powers, float *quarterPeaks) {
  for (long block = 0; block < blocks; ++block) {
    Eight peaks = all(0);
    for (long tap = 0; tap < 16; tap += 8) {
      // Products and their sums are exact in 32 bits, but for the sum of two at −32768, which is 2³¹ less its sign.
      const SixteenShorts parts = *(const SixteenShorts *)(integers + 2 * tap);
      const SixteenCounts wide = (SixteenCounts)__builtin_convertvector(parts, SixteenIntegers);
      const SixteenCounts squares = wide * wide;
      const EightCounts pairs = __builtin_shufflevector(squares, squares, 0, 2, 4, 6, 8, 10, 12, 14)
                              + __builtin_shufflevector(squares, squares, 1, 3, 5, 7, 9, 11, 13, 15);
      const Eight scaled = __builtin_convertvector((EightIntegers)pairs, Eight) * factor;
      const Eight power = (Eight)((EightCounts)scaled & 0x7fffffffu);
      store(power, powers + tap);
      peaks = larger(peaks, power);
    }
    storeQuad(largerQuad(lower(peaks), upper(peaks)), quarterPeaks);
    integers += 32;
    powers += 16;
    quarterPeaks += 4;
  }
}

float KERNEL(uwb_measure_pattern)(
    const short *integers, float scale, const float *powers, long periods, float *pattern, float *correlation) {
  Eight early = all(0), late = early, power = early, lastEarly = early, lastLate = early, real = early, turned = early;
#pragma clang loop unroll_count(4)
  for (long period = 0; period < periods; ++period) {
    const Eight own = __builtin_convertvector(*(const EightShorts *)(integers + 16 * period), Eight);
    const Eight next = __builtin_convertvector(*(const EightShorts *)(integers + 16 * period + 8), Eight);
    early += own;
    late += next;
    power += load(powers + 8 * period);
    real += own * lastEarly + next * lastLate;
    turned += __builtin_shufflevector(own, own, 1, 0, 3, 2, 5, 4, 7, 6) * lastEarly
            + __builtin_shufflevector(next, next, 1, 0, 3, 2, 5, 4, 7, 6) * lastLate;
    lastEarly = own;
    lastLate = next;
  }
  const float factor = scale * scale, whole = sum(power);
  const Eight first = early * scale, last = late * scale;
  store(first * (1 / (float)periods), pattern);
  store(last * (1 / (float)periods), pattern + 8);
  correlation[0] = factor * sum(real) / whole;
  correlation[1] = factor * sum(turned * (Eight){1, -1, 1, -1, 1, -1, 1, -1}) / whole;
  return sum(first * first + last * last) / whole;
}

float KERNEL(uwb_subtract_pattern)(
    const short *integers, float scale, const float *pattern, long blocks, float *samples, float *powers,
    float *quarterPeaks) {
  const Eight factor = all(scale);
  Quad sums = {0};
  for (long block = 0; block < blocks; ++block) {
    Quad peaks = {0};
    for (long tap = 0; tap < 16; tap += 4) {
      const EightShorts parts = *(const EightShorts *)(integers + 2 * tap);
      Eight four;
      {
        // Not contracted: samples are the same on any machine, whoever takes the pattern off.
#pragma clang fp contract(off)
        const Eight taken = __builtin_convertvector(parts, Eight) * factor;
        four = taken - load(pattern + 2 * (tap % 8));
      }
      store(four, samples + 2 * tap);
      const Eight squares = four * four;
      const Quad power = __builtin_shufflevector(squares, squares, 0, 2, 4, 6)
                       + __builtin_shufflevector(squares, squares, 1, 3, 5, 7);
      storeQuad(power, powers + tap);
      peaks = largerQuad(peaks, power);
      sums += power;
    }
    storeQuad(peaks, quarterPeaks);
    integers += 32;
    samples += 32;
    powers += 16;
    quarterPeaks += 4;
  }
  return (sums[0] + sums[2]) + (sums[1] + sums[3]);
}

float KERNEL(uwb_filtered_power)(const float *taps, long count, float centre, float next, float third, float last) {
  Eight power = all(0);
  for (long number = 0; number < 2 * count; number += 8) {
    const float *here = taps + number;
    Eight value = load(here) * centre;
    value += (load(here - 2) + load(here + 2)) * next;
    value += (load(here - 4) + load(here + 4)) * third;
    value += (load(here - 6) + load(here + 6)) * last;
    power += value * value;
  }
  return sum(power);
}
