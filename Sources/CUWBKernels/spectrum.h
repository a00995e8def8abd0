void KERNEL(uwb_trigonometric_scan)(
    const double *coefficients, long order, const double *table, long points, double *values) {
  for (long point = 0; point < points; point += 8) {
    Four near = {0}, far = near, nearSine = near, farSine = near;
    for (long lag = 1; lag < order; ++lag) {
      const double *cosines = table + 2 * (lag - 1) * points + point;
      const double *sines = cosines + points;
      const Four x = allFour(coefficients[lag]);
      const Four y = allFour(coefficients[order + lag]);
      near += x * loadFour(cosines);
      far += x * loadFour(cosines + 4);
      nearSine += y * loadFour(sines);
      farSine += y * loadFour(sines + 4);
    }
    storeFour(coefficients[0] + 2 * (near - nearSine), values + point);
    storeFour(coefficients[0] + 2 * (far - farSine), values + point + 4);
  }
}
