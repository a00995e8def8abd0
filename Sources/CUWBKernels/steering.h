long KERNEL(uwb_steer)(
    const float *steering, const float *amplitudes, long antennas, long blocks, float *spectrum) {
  Eight best = all(-1);
  EightIntegers places = {0};
  for (long block = 0; block < blocks; ++block) {
    Eight real = all(0), imaginary = real;
    for (long antenna = 0; antenna < antennas; ++antenna) {
      const Eight cosine = load(steering);
      const Eight sine = load(steering + 8);
      const Eight x = all(amplitudes[2 * antenna]);
      const Eight y = all(amplitudes[2 * antenna + 1]);
      real += cosine * x + sine * y;
      imaginary += cosine * y - sine * x;
      steering += 16;
    }
    const Eight power = real * real + imaginary * imaginary;
    store(power, spectrum + 8 * block);
    const EightIntegers isHigher = power > best;
    best = choose(isHigher, power, best);
    places = (isHigher & (int)block) | (~isHigher & places);
  }
  long lane = 0;
  for (long other = 1; other < 8; ++other)
    if (best[other] > best[lane]) lane = other;
  return 8 * places[lane] + lane;
}
