// The first-path search. Nothing is contracted: a CIR's candidates are the same on any machine.

/// Whether any seven powers in a row hold as much as `least`, the first of them from three taps before the block on.
INLINE bool isEnergetic(const float *powers, float least) {
#pragma clang fp contract(off)
  for (const float *first = powers - 3; first < powers + 13; first += 8) {
    const Eight early = (load(first) + load(first + 1)) + (load(first + 2) + load(first + 3));
    const Eight late = (load(first + 4) + load(first + 5)) + load(first + 6);
    if (__builtin_reduce_or(early + late >= least)) return true;
  }
  return false;
}

long KERNEL(uwb_energetic_blocks)(
    const float *powers, const float *quarterPeaks, long first, long end, long last, float least, float leastEnergy,
    long *chosen) {
  long count = 0;
  for (long block = first; block < end; ++block) {
    const float *own = quarterPeaks + 4 * block;
    Quad highest = loadQuad(own);
    if (block > 0) highest = largerQuad(highest, loadQuad(own - 4));
    if (block < last) highest = largerQuad(highest, loadQuad(own + 4));
    if (!__builtin_reduce_or(highest >= least)) continue;
    if (block == 0 || block == last || isEnergetic(powers + 16 * block, leastEnergy)) chosen[count++] = block;
  }
  return count;
}

float KERNEL(uwb_filter_block)(const float *taps, const float *weights, float *powers) {
#pragma clang fp contract(off)
  Eight highest = all(0);
  for (long number = 0; number < 32; number += 8) {
    const float *here = taps + number;
    const Eight a = load(here - 6), b = load(here - 4), c = load(here - 2), d = load(here);
    const Eight e = load(here + 2), f = load(here + 4), g = load(here + 6);
    Eight onTap = weights[0] * d;
    onTap += weights[1] * (c + e);
    onTap += weights[2] * (b + f);
    onTap += weights[3] * (a + g);
    onTap *= onTap;
    Eight between = weights[4] * (d + e);
    between += weights[5] * (c + f);
    between += weights[6] * (b + g);
    between *= between;
    const Eight power = __builtin_shufflevector(onTap, between, 0, 8, 2, 10, 4, 12, 6, 14)
                      + __builtin_shufflevector(onTap, between, 1, 9, 3, 11, 5, 13, 7, 15);
    store(power, powers + number);
    highest = larger(highest, power);
  }
  return largest(highest);
}

/// What units put out: zero for those that are silent.
INLINE Eight rectified(Eight value) { return larger(value, all(0)); }

void KERNEL(uwb_network_scores)(const float *parameters, const float *inputs, long count, float *scores) {
#pragma clang fp contract(off)
  const float *secondLayer = parameters + uwb_network_first * (uwb_network_inputs + 1);
  const float *last = secondLayer + uwb_network_second * (uwb_network_first + 1);
  for (long index = 0; index < count; ++index, inputs += uwb_network_inputs) {
    const float *weights = parameters;
    const float *biases = parameters + uwb_network_first * uwb_network_inputs;
    Eight a = load(biases), b = load(biases + 8), c = load(biases + 16);
    for (long input = 0; input < uwb_network_inputs; ++input, weights += uwb_network_first) {
      const Eight value = all(inputs[input]);
      a += value * load(weights);
      b += value * load(weights + 8);
      c += value * load(weights + 16);
    }
    float units[uwb_network_first];
    store(rectified(a), units);
    store(rectified(b), units + 8);
    store(rectified(c), units + 16);
    weights = secondLayer;
    biases = secondLayer + uwb_network_second * uwb_network_first;
    Eight d = load(biases), e = load(biases + 8);
    for (long unit = 0; unit < uwb_network_first; ++unit, weights += uwb_network_second) {
      const Eight value = all(units[unit]);
      d += value * load(weights);
      e += value * load(weights + 8);
    }
    scores[index] = sum(rectified(d) * load(last) + rectified(e) * load(last + 8));
  }
}
