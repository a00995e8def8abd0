// Search-subtract-readjust (Falsi, Dardari, Mucchi & Win 2006): the strongest path, all amplitudes anew, subtract, again.
//
// 48 taps round the first path, candidates at sixteenths of a tap, and a parabola. The peer is told the number of paths.
#pragma once

#include <Eigen/Dense>
#include <algorithm>

#include "pulse.hpp"
#include "window.hpp"

template <class Real, int order>
struct SearchSubtractReadjust {
  static constexpr int taps = 48, before = 12, grid = 16, points = taps * grid;
  using Complex = std::complex<Real>;
  using Window = Eigen::Matrix<Complex, taps, 1>;
  Eigen::Matrix<Real, Eigen::Dynamic, taps> templates{points, taps};
  Eigen::Array<Real, points, 1> inverse_energies, gains;
  Eigen::Matrix<Real, points, 2> products;

  SearchSubtractReadjust() {
    for (int point = 0; point < points; ++point)
      for (int tap = 0; tap < taps; ++tap) templates(point, tap) = Real(pulse(tap - double(point) / grid));
    inverse_energies = templates.rowwise().squaredNorm().cwiseInverse();
  }

  void operator()(const std::complex<float> *cir, int count, double *answer) {
    int start = std::clamp(edge(cir, count) - before, 0, count - taps);
    Window window = Eigen::Map<const Eigen::Matrix<std::complex<float>, taps, 1>>(cir + start).template cast<Complex>();
    Window residual = window;
    Eigen::Matrix<Real, taps, order> shapes = Eigen::Matrix<Real, taps, order>::Zero();
    double first = std::numeric_limits<double>::infinity();
    for (int path = 0; path < order; ++path) {
      Eigen::Matrix<Real, taps, 2> parts;
      parts << residual.real(), residual.imag();
      products.noalias() = templates * parts;
      gains = products.rowwise().squaredNorm().array() * inverse_energies;
      int best;
      gains.segment(1, points - 2).maxCoeff(&best);
      Real left = gains[best], here = gains[best + 1], right = gains[best + 2];
      double delay = (best + 1 + 0.5 * (left - right) / (left - 2 * here + right)) / grid;
      first = std::min(first, delay);
      for (int tap = 0; tap < taps; ++tap) shapes(tap, path) = Real(pulse(tap - delay));
      Eigen::Matrix<Real, order, order> gram = shapes.transpose() * shapes;
      for (int left = path + 1; left < order; ++left) gram(left, left) = 1;
      parts << window.real(), window.imag();
      Eigen::Matrix<Real, order, 2> amplitudes = gram.inverse() * (shapes.transpose() * parts);
      parts -= shapes * amplitudes;
      residual.real() = parts.col(0);
      residual.imag() = parts.col(1);
    }
    answer[0] = start + first;
  }
};
