// A uniform row of eight antennas and 64 snapshots: sizes that the compiler knows, the covariance and its eigenvectors.
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

constexpr int antennas = 8, snapshots = 64;

/// How the covariance is made: as it is, or averaged with that of the row seen from its other end. The latter is the same as a real matrix
/// (Haardt & Nossek 1995), whose eigenvectors take less time.
enum class Covariance { complex, real };

template <class Real>
struct Row {
  using Complex = std::complex<Real>;
  using Snapshots = Eigen::Matrix<Complex, antennas, snapshots, Eigen::RowMajor>;
  using Square = Eigen::Matrix<Complex, antennas, antennas>;
  using RealSquare = Eigen::Matrix<Real, antennas, antennas>;

  /// Phase from one antenna to the next for a sine of 1, rad.
  Real step;
  Covariance kind;
  Square vectors;
  Eigen::SelfAdjointEigenSolver<Square> complex_solver;
  Eigen::SelfAdjointEigenSolver<RealSquare> real_solver;

  Row(double step, Covariance kind) : step(Real(step)), kind(kind) {}

  /// Eigenvectors of the covariance, the strongest last. Compiled once for all methods.
  [[gnu::noinline]] const Square &decompose(const Snapshots &x) {
    if (kind == Covariance::complex) {
      Square covariance;
      covariance.noalias() = x * x.adjoint();
      complex_solver.compute(covariance);
      return complex_solver.eigenvectors();
    }
    constexpr int half = antennas / 2;
    using Half = Eigen::Matrix<Complex, half, snapshots, Eigen::RowMajor>;
    Half sums, differences;
    for (int k = 0; k < half; ++k) {
      sums.row(k) = x.row(k) + x.row(antennas - 1 - k);
      differences.row(k) = x.row(k) - x.row(antennas - 1 - k);
    }
    Eigen::Matrix<Real, antennas, 2 * snapshots, Eigen::RowMajor> rotated;
    rotated << sums.real(), sums.imag(), differences.imag(), -differences.real();
    RealSquare covariance;
    covariance.noalias() = rotated * rotated.transpose();
    real_solver.compute(covariance);
    auto upper = real_solver.eigenvectors().template topRows<half>();
    auto lower = real_solver.eigenvectors().template bottomRows<half>();
    Real scale = std::sqrt(Real(0.5));
    for (int column = 0; column < antennas; ++column)
      for (int k = 0; k < half; ++k) {
        vectors(k, column) = scale * Complex(upper(k, column), lower(k, column));
        vectors(antennas - 1 - k, column) = std::conj(vectors(k, column));
      }
    return vectors;
  }

  /// The azimuth that turns the phase by `phase` from antenna to antenna, degrees.
  double azimuth(Real phase) const {
    return std::asin(std::clamp(double(phase / step), -1.0, 1.0)) * 180 / M_PI;
  }
};
