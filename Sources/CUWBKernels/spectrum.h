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

long KERNEL(uwb_local_minima)(const double *values, long points, long *places) {
  long found = 0;
  long point = 1;
  for (; point + 5 <= points; point += 4) {
    const Four here = loadFour(values + point);
    const FourMarks isLow = (here < loadFour(values + point - 1)) & (here <= loadFour(values + point + 1));
    if (!__builtin_reduce_or(isLow)) continue;
    for (long lane = 0; lane < 4; ++lane)
      if (isLow[lane]) places[found++] = point + lane;
  }
  for (; point + 1 < points; ++point)
    if (values[point] < values[point - 1] && values[point] <= values[point + 1]) places[found++] = point;
  return found;
}

void KERNEL(uwb_complement_diagonals)(const double *vectors, long order, long count, double *coefficients) {
  for (long first = 0; first < order; first += 4) {
    Four re = {0}, im = {0};
    for (long index = 0; index < count; ++index) {
      const double *x = vectors + 2 * order * index;
      const double *y = x + order;
      long m = 0;
      for (; m + first + 4 <= order; ++m) {
        const Four u = loadFour(x + m + first), v = loadFour(y + m + first);
        re += u * x[m] + v * y[m];
        im += u * y[m] - v * x[m];
      }
      for (; m + first < order; ++m) {
        for (long k = 0; m + first + k < order; ++k) {
          re[k] += x[m] * x[m + first + k] + y[m] * y[m + first + k];
          im[k] += y[m] * x[m + first + k] - x[m] * y[m + first + k];
        }
      }
    }
    for (long k = 0; k < 4 && first + k < order; ++k) {
      coefficients[first + k] = (first + k == 0 ? (double)order : 0) - re[k];
      coefficients[order + first + k] = -im[k];
    }
  }
}
