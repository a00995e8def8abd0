// MUSIC on a grid of 361 azimuths (Schmidt 1986), by the signal's or the noise's eigenvectors, with a parabola or without.
#pragma once

#include "row.hpp"

template <class Real, int sources>
struct GridMUSIC {
  static constexpr int points = 361;
  using Complex = std::complex<Real>;
  Row<Real> row;
  bool by_noise, refined;
  Eigen::Matrix<Complex, points, antennas> conjugates;  // of the steering vectors
  Eigen::Matrix<Real, points, 1> spectrum;              // the part in the signal space; large where a source is

  GridMUSIC(double step, Covariance kind, bool by_noise, bool refined) : row(step, kind), by_noise(by_noise), refined(refined) {
    for (int point = 0; point < points; ++point)
      for (int antenna = 0; antenna < antennas; ++antenna)
        conjugates(point, antenna) = Complex(std::polar(1.0, -step * antenna * std::sin(azimuth(point))));
  }

  static double azimuth(double point) { return (point / (points - 1) - 0.5) * M_PI; }

  void operator()(const typename Row<Real>::Snapshots &x, double *answers) {
    const auto &vectors = row.decompose(x);
    if (by_noise) {
      spectrum.setConstant(Real(antennas));
      for (int k = 0; k < antennas - sources; ++k) spectrum -= (conjugates * vectors.col(k)).cwiseAbs2();
    } else {
      spectrum.setZero();
      for (int k = antennas - sources; k < antennas; ++k) spectrum += (conjugates * vectors.col(k)).cwiseAbs2();
    }
    int best[sources];
    std::fill(best, best + sources, -1);
    for (int point = 1; point < points - 1; ++point) {
      if (spectrum[point] <= spectrum[point - 1] || spectrum[point] < spectrum[point + 1]) continue;
      int place = point;
      for (int k = 0; k < sources; ++k)
        if (best[k] < 0 || spectrum[place] > spectrum[best[k]]) {
          std::swap(place, best[k]);
          if (place < 0) break;
        }
    }
    for (int k = 0; k < sources; ++k) {
      answers[k] = std::nan("");
      if (best[k] < 0) continue;
      double left = spectrum[best[k] - 1], here = spectrum[best[k]], right = spectrum[best[k] + 1];
      double shift = refined ? 0.5 * (left - right) / (left - 2 * here + right) : 0;
      answers[k] = azimuth(best[k] + shift) * 180 / M_PI;
    }
  }
};
