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
  const long whole = count / 8 * 8, end = (count + 7) / 8 * 8;
  for (long index = count; index < end; ++index) values[index] = infinity;
  Eight sums = all(0), least = all(infinity), most = -least;
  for (long place = 0; place < whole; place += 8) {
    const Eight own = load(values + place);
    sums += own;
    least = -larger(-least, -own);
    most = larger(most, own);
  }
  float total = sum(sums), lower = -largest(-least), upper = largest(most);
  for (long index = whole; index < count; ++index) {
    total += values[index];
    if (values[index] < lower) lower = values[index];
    if (values[index] > upper) upper = values[index];
  }
  if (!(total - total == 0)) return 0;
  // The middle lies within lower … upper. So many numbers are less than `lower`, and than `upper` where no other is equal to it.
  const int low = (int)((count - 1) / 2), high = (int)(count / 2);
  int belowLower = 0, belowUpper = (int)count - 1;
  float level = total / (float)count;
  for (long step = 1; lower < upper; ++step) {
    EightIntegers less = {0};
    Eight under = all(-infinity), over = under;
    for (long place = 0; place < end; place += 8) {
      const Eight own = load(values + place);
      const EightIntegers isLess = own < level;
      // A comparison that holds is −1.
      less -= isLess;
      under = larger(under, choose(isLess, own, all(-infinity)));
      // The smallest as its negative, for which there is `larger`.
      over = larger(over, choose(isLess, all(-infinity), -own));
    }
    const int below = sumIntegers(less);
    if (below > high) {
      upper = largest(under);
      belowUpper = below - 1;
      if (belowUpper == low) return upper;
    } else if (below > low) {
      return ((double)largest(under) - (double)largest(over)) / 2;
    } else {
      lower = -largest(over);
      belowLower = below;
      if (belowLower == high) return lower;
    }
    // Where a straight line through both counts has the middle; one number nearer after eight steps, so that there is an end.
    level = lower + (upper - lower) * ((float)low + 0.5f - (float)belowLower) / (float)(belowUpper - belowLower);
    if (step >= 8 || !(level > lower && level <= upper)) level = upper;
  }
  return lower;
}
