void KERNEL(uwb_block_means)(const float *values, long blocks, float *means) {
  long block = 0;
  for (; block + 4 <= blocks; block += 4) {
    Eight sums[4];
    for (long k = 0; k < 4; ++k) sums[k] = load(values + 16 * (block + k)) + load(values + 16 * (block + k) + 8);
    const Eight halves = addNeighbours(addNeighbours(sums[0], sums[1]), addNeighbours(sums[2], sums[3]));
    storeQuad((lower(halves) + upper(halves)) * 0.0625f, means + block);
  }
  for (; block < blocks; ++block)
    means[block] = sum(load(values + 16 * block) + load(values + 16 * block + 8)) * 0.0625f;
}

INLINE int sumIntegers(EightIntegers value) {
  value += __builtin_shufflevector(value, value, 4, 5, 6, 7, 0, 1, 2, 3);
  value += __builtin_shufflevector(value, value, 2, 3, 0, 1, 6, 7, 4, 5);
  return value[0] + value[1];
}

double KERNEL(uwb_median)(float *values, long count) {
  const float infinity = __builtin_inff();
  const long end = (count + 7) / 8 * 8;
  for (long index = count; index < end; ++index) values[index] = infinity;
  const int low = (int)((count - 1) / 2), high = (int)(count / 2);
  float below = -infinity, above = infinity;
  for (long index = 0; index < count; ++index) {
    const float value = values[index];
    // What lies on the wrong side of one that was counted needs no count.
    if (!(value > below && value < above)) continue;
    EightIntegers less = {0}, upTo = {0};
    for (long place = 0; place < end; place += 8) {
      const Eight others = load(values + place);
      // A comparison that holds is −1.
      less -= others < value;
      upTo -= others <= value;
    }
    if (sumIntegers(less) > low) {
      above = value;
    } else if (sumIntegers(upTo) <= low) {
      below = value;
    } else if (sumIntegers(upTo) > high) {
      return value;
    } else {
      // The smallest that is larger: as its negative, for which there is `larger`.
      Eight next = all(-infinity);
      for (long place = 0; place < end; place += 8) {
        const Eight others = load(values + place);
        next = larger(next, choose(others > value, -others, all(-infinity)));
      }
      return ((double)value - (double)largest(next)) / 2;
    }
  }
  return 0;
}
