/// A column where a delay needs taps outside a row: these are zero, and so is the whole column of what is not a number.
INLINE void blendOutside(
    const float *table, long fractions, long reach, double delay, long stride, long windowTaps, float *column) {
  const double farthest = 0x1p32;
  const bool isAnywhere = delay > -farthest && delay < farthest;
  const double shifted = isAnywhere ? delay + farthest : 0;
  const long whole = (long)shifted;
  const double position = (shifted - (double)whole) * (double)fractions;
  const long row = (long)position;
  const float blend = (float)(position - (double)row);
  const long start = reach + (long)farthest - whole;
  for (long tap = 0; tap < stride; ++tap) {
    const bool isInside = isAnywhere && tap < windowTaps && start + tap >= 0 && start + tap < 2 * reach;
    const float *near = table + row * 2 * reach + (isInside ? start + tap : 0);
    column[tap] = isInside ? near[0] + blend * (near[2 * reach] - near[0]) : 0;
  }
}

void KERNEL(uwb_blend_rows)(
    const float *table, long fractions, long reach, const double *delays, long count, long stride, long windowTaps,
    float *columns) {
  const long length = 2 * reach;
  float ending[8];
  for (long lane = 0; lane < 8; ++lane) ending[lane] = stride - 8 + lane < windowTaps ? 1 : 0;
  const Eight kept = load(ending);
  for (long index = 0; index < count; ++index) {
    float *column = columns + stride * index;
    // No tap is read outside a row where this holds; neither does it for what is not a number.
    if (!(delays[index] > (double)(stride - reach) && delays[index] < (double)reach)) {
      blendOutside(table, fractions, reach, delays[index], stride, windowTaps, column);
      continue;
    }
    // Positive, so that a conversion rounds down.
    const double shifted = delays[index] + (double)reach;
    const long whole = (long)shifted;
    const double position = (shifted - (double)whole) * (double)fractions;
    const long row = (long)position;
    const float *near = table + row * length + (2 * reach - whole);
    const float *far = near + length;
    const Eight blend = all((float)(position - (double)row));
    for (long tap = 0; tap < stride; tap += 8) {
      const Eight value = load(near + tap);
      store(value + blend * (load(far + tap) - value), column + tap);
    }
    store(load(column + stride - 8) * kept, column + stride - 8);
  }
}

void KERNEL(uwb_products)(
    const float *a, long aCount, const float *b, long bCount, long stride, bool isLower, double *out, long outStride) {
  for (long row = 0; row < aCount; ++row) {
    const float *own = a + stride * row;
    const long end = isLower ? row + 1 : bCount;
    for (long column = 0; column < end; column += 4) {
      const float *other = b + stride * column;
      Eight first = all(0), second = first, third = first, fourth = first;
      for (long tap = 0; tap < stride; tap += 8) {
        const Eight value = load(own + tap);
        first += value * load(other + tap);
        second += value * load(other + stride + tap);
        third += value * load(other + 2 * stride + tap);
        fourth += value * load(other + 3 * stride + tap);
      }
      storeSums(first, second, third, fourth, out + outStride * row + column);
    }
  }
}

void KERNEL(uwb_project)(
    const double *factor, const double *inverseDiagonal, long count, long order, double *overlaps, double *products) {
  // Of 8 unknowns, two vectors; as many rows of them as there are unknowns.
  const long end = count > 4 ? 8 : 4;
  for (long row = 0; row < count; ++row) {
    double *own = overlaps + order * row;
    for (long column = 0; column < end; column += 4) {
      Four value = loadFour(own + column);
      for (long other = 0; other < row; ++other)
        value -= factor[order * row + other] * loadFour(overlaps + order * other + column);
      storeFour(value * inverseDiagonal[row], own + column);
    }
  }
  for (long row = 0; row < count; ++row) {
    double *own = products + order * row;
    for (long column = 0; column <= row; column += 4) {
      Four value = loadFour(own + column);
      for (long other = 0; other < count; ++other)
        value -= overlaps[order * other + row] * loadFour(overlaps + order * other + column);
      storeFour(value, own + column);
    }
  }
}

void KERNEL(uwb_complex_products)(
    const float *a, long count, const float *real, const float *imaginary, long stride, double *out) {
  for (long row = 0; row < count; row += 2) {
    const float *own = a + stride * row;
    Eight first = all(0), second = first, third = first, fourth = first;
    for (long tap = 0; tap < stride; tap += 8) {
      const Eight x = load(real + tap);
      const Eight y = load(imaginary + tap);
      const Eight even = load(own + tap);
      const Eight odd = load(own + stride + tap);
      first += even * x;
      second += even * y;
      third += odd * x;
      fourth += odd * y;
    }
    storeSums(first, second, third, fourth, out + 2 * row);
  }
}

float KERNEL(uwb_residual)(
    const float *basis, const double *amplitudes, long count, const float *real, const float *imaginary, long stride,
    float *realResidual, float *imaginaryResidual) {
  Eight squares = all(0);
  for (long tap = 0; tap < stride; tap += 8) {
    Eight x = load(real + tap);
    Eight y = load(imaginary + tap);
    for (long path = 0; path < count; ++path) {
      const Eight value = load(basis + stride * path + tap);
      x -= (float)amplitudes[2 * path] * value;
      y -= (float)amplitudes[2 * path + 1] * value;
    }
    store(x, realResidual + tap);
    store(y, imaginaryResidual + tap);
    squares += x * x;
    squares += y * y;
  }
  return sum(squares);
}

void KERNEL(uwb_add_powers)(
    const float *pulses, long blocks, const float *real, const float *imaginary, long taps, float *powers) {
  for (long block = 0; block < blocks; block += 2) {
    const float *near = pulses + 8 * taps * block;
    // The last block may be alone: then it is its own neighbour, and only written once.
    const float *far = block + 1 < blocks ? near + 8 * taps : near;
    Eight a = all(0), b = a, c = a, d = a;
    for (long tap = 0; tap < taps; ++tap) {
      const Eight x = all(real[tap]);
      const Eight y = all(imaginary[tap]);
      const Eight own = load(near + 8 * tap);
      const Eight next = load(far + 8 * tap);
      a += own * x;
      b += own * y;
      c += next * x;
      d += next * y;
    }
    store(load(powers + 8 * block) + (a * a + b * b), powers + 8 * block);
    if (block + 1 < blocks) store(load(powers + 8 * block + 8) + (c * c + d * d), powers + 8 * block + 8);
  }
}

long KERNEL(uwb_project_gains)(
    const float *energies, const float *overlaps, long blocks, const long *rows, const float *blends,
    const float *factor, long count, float *gains) {
  Eight most = all(0);
  EightIntegers places = {0};
  for (long block = 0; block < blocks; ++block) {
    const Eight energy = load(energies + 8 * block);
    Eight left = energy;
    Eight reduced[CUWB_MOST_PATHS];
    const float *lower = factor;
    for (long path = 0; path < count; ++path) {
      const float *near = overlaps + 8 * (rows[path] + block);
      const float *far = near + 8 * blocks;
      Eight overlap = load(near) + blends[path] * (load(far) - load(near));
      for (long other = 0; other < path; ++other) overlap -= lower[other] * reduced[other];
      overlap *= lower[path];
      reduced[path] = overlap;
      left -= overlap * overlap;
      lower += path + 1;
    }
    const EightIntegers isOpen = (left > CUWB_LEAST_SHARE * energy) & (energy > CUWB_LEAST_ENERGY);
    const Eight gain = choose(isOpen, load(gains + 8 * block) / left, all(0));
    store(gain, gains + 8 * block);
    const EightIntegers isHigher = gain > most;
    most = choose(isHigher, gain, most);
    places = (isHigher & ((EightIntegers){0} + (int)block)) | (~isHigher & places);
  }
  long lane = 0;
  for (long other = 1; other < 8; ++other)
    if (most[other] > most[lane]) lane = other;
  return most[lane] > 0 ? 8 * places[lane] + lane : -1;
}
