// Matrix pencil in delay (Hua & Sarkar 1990): Eigen's singular vectors of the very matrix that `DelayMatrixPencil` decomposes.
//
// 32 taps round the first path, their spectrum over the pulse's, where that is at least 0.3 of its largest value: 19 frequencies. Of these a
// Hankel matrix of 12 × 8, weighted so that its noise is white. The peer is told the number of paths.
#pragma once

#include <Eigen/Dense>
#include <algorithm>

#include "pulse.hpp"
#include "window.hpp"

/// Left singular vectors, compiled once for any number of paths.
template <class Real>
struct LeftSingularVectors {
  static constexpr int rows = 12, columns = 8;
  using Hankel = Eigen::Matrix<std::complex<Real>, rows, Eigen::Dynamic, 0, rows, columns>;
  Eigen::JacobiSVD<Hankel> solver{rows, columns, Eigen::ComputeThinU};

  [[gnu::noinline]] const auto &operator()(const Hankel &matrix) { return solver.compute(matrix).matrixU(); }
};

template <class Real, int order>
struct MatrixPencil {
  static constexpr int taps = 32, before = 12, half = 9, band = 2 * half + 1;
  static constexpr int rows = LeftSingularVectors<Real>::rows, columns = LeftSingularVectors<Real>::columns;
  static_assert(band == rows + columns - 1);
  using Complex = std::complex<Real>;
  using Hankel = typename LeftSingularVectors<Real>::Hankel;
  Eigen::Matrix<Complex, band, taps> response;  // from taps to the channel's frequency response
  Eigen::Matrix<Real, rows, columns> weights;
  Eigen::Matrix<Real, rows - 1, 1> upper, lower;
  Hankel matrix{rows, columns};
  LeftSingularVectors<Real> singular;

  MatrixPencil() {
    double sizes[half + 1], log_variance[band], row_log[rows], mean = 0, row_weights[rows];
    for (int f = 0; f <= half; ++f) {
      sizes[f] = 0;
      for (int tap = -64; tap <= 64; ++tap) sizes[f] += pulse(tap) * std::cos(2 * M_PI * f * tap / taps);
    }
    for (int f = -half; f <= half; ++f) {
      log_variance[f + half] = -2 * std::log(sizes[std::abs(f)]);
      for (int tap = 0; tap < taps; ++tap)  // Delays count from the window's middle.
        response(f + half, tap) = Complex(std::polar(1 / sizes[std::abs(f)], -2 * M_PI * f * (tap - taps / 2) / taps));
    }
    for (int row = 0; row < rows; ++row) {
      row_log[row] = 0;
      for (int column = 0; column < columns; ++column) row_log[row] += log_variance[row + column] / columns;
      row_weights[row] = std::exp(-row_log[row] / 2);
      mean += row_log[row] / rows;
    }
    for (int column = 0; column < columns; ++column) {
      double column_log = 0;
      for (int row = 0; row < rows; ++row) column_log += log_variance[row + column] / rows;
      for (int row = 0; row < rows; ++row) weights(row, column) = Real(row_weights[row] * std::exp((mean - column_log) / 2));
    }
    for (int row = 0; row + 1 < rows; ++row) {
      upper[row] = Real(std::sqrt(row_weights[row + 1] / row_weights[row]));
      lower[row] = Real(std::sqrt(row_weights[row] / row_weights[row + 1]));
    }
  }

  void operator()(const std::complex<float> *cir, int count, double *answer) {
    int start = std::clamp(edge(cir, count) - before, 0, count - taps);
    Eigen::Matrix<Complex, taps, 1> window = Eigen::Map<const Eigen::Matrix<std::complex<float>, taps, 1>>(cir + start).template cast<Complex>();
    Eigen::Matrix<Complex, band, 1> channel = response * window;
    for (int column = 0; column < columns; ++column)
      matrix.col(column) = channel.template segment<rows>(column).cwiseProduct(weights.col(column).template cast<Complex>());
    auto vectors = singular(matrix).template leftCols<order>();
    Eigen::Matrix<Complex, rows - 1, order> above = upper.asDiagonal() * vectors.template topRows<rows - 1>();
    Eigen::Matrix<Complex, rows - 1, order> below = lower.asDiagonal() * vectors.template bottomRows<rows - 1>();
    Eigen::Matrix<Complex, order, order> rotation = (above.adjoint() * above).inverse() * (above.adjoint() * below);
    double first = std::numeric_limits<double>::infinity();
    auto take = [&](Complex value) { first = std::min(first, taps * (0.5 - double(std::arg(value)) / (2 * M_PI))); };
    if constexpr (order == 1) {
      take(rotation(0, 0));
    } else {
      static_assert(order == 2);
      Complex middle = rotation.trace() / Real(2), root = std::sqrt(middle * middle - rotation.determinant());
      take(middle + root);
      take(middle - root);
    }
    answer[0] = start + first;
  }
};
