/// p(k − τ) of four taps, between two rows of a pulse's table.
INLINE Four blendFour(const double *near, long next, double blend) {
  const Four value = loadFour(near);
  return value + blend * (loadFour(near + next) - value);
}

void KERNEL(uwb_path_moments)(
    const double *values, const double *slopes, long next, double blend, const double *real, const double *imaginary,
    long taps, double *moments) {
  Four pulse = {0}, slope = pulse, both = pulse;
  Four pulseReal = pulse, pulseImaginary = pulse, slopeReal = pulse, slopeImaginary = pulse;
  for (long tap = 0; tap < taps; tap += 4) {
    Four p = blendFour(values + tap, next, blend);
    Four s = blendFour(slopes + tap, next, blend);
    if (tap + 4 > taps) {
      Four kept;
      for (long lane = 0; lane < 4; ++lane) kept[lane] = tap + lane < taps ? 1 : 0;
      p *= kept;
      s *= kept;
    }
    const Four x = loadFour(real + tap);
    const Four y = loadFour(imaginary + tap);
    pulse += p * p;
    slope += s * s;
    both += p * s;
    pulseReal += p * x;
    pulseImaginary += p * y;
    slopeReal += s * x;
    slopeImaginary += s * y;
  }
  moments[0] = sumFour(pulse);
  moments[1] = sumFour(slope);
  moments[2] = sumFour(both);
  moments[3] = sumFour(pulseReal);
  moments[4] = sumFour(pulseImaginary);
  moments[5] = sumFour(slopeReal);
  moments[6] = sumFour(slopeImaginary);
}
