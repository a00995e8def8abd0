// Root-MUSIC (Barabell 1983): the roots of the noise space's polynomial, by the eigenvalues of its companion matrix.
#pragma once

#include "row.hpp"

/// Eigenvalues of a companion matrix, compiled once for any number of sources.
template <class Real>
struct CompanionRoots {
  static constexpr int degree = 2 * (antennas - 1);
  using Companion = Eigen::Matrix<std::complex<Real>, degree, degree>;
  Eigen::ComplexEigenSolver<Companion> solver;

  [[gnu::noinline]] const auto &operator()(const Companion &companion) {
    solver.compute(companion, false);
    return solver.eigenvalues();
  }
};

template <class Real, int sources>
struct PolynomialMUSIC {
  static constexpr int degree = CompanionRoots<Real>::degree;
  using Complex = std::complex<Real>;
  using Companion = typename CompanionRoots<Real>::Companion;
  Row<Real> row;
  CompanionRoots<Real> roots;

  PolynomialMUSIC(double step, Covariance kind) : row(step, kind) {}

  void operator()(const typename Row<Real>::Snapshots &x, double *answers) {
    const auto &vectors = row.decompose(x);
    auto signal = vectors.template rightCols<sources>();
    typename Row<Real>::Square projector = Row<Real>::Square::Identity() - signal * signal.adjoint();
    Complex lead = projector.diagonal(antennas - 1).sum();
    Companion companion = Companion::Zero();
    companion.template bottomLeftCorner<degree - 1, degree - 1>().setIdentity();
    for (int power = 0; power < degree; ++power)
      companion(power, degree - 1) = -projector.diagonal(power - (antennas - 1)).sum() / lead;
    const auto &found = roots(companion);
    Complex nearest[sources];
    Real distances[sources];
    std::fill(distances, distances + sources, std::numeric_limits<Real>::infinity());
    for (int index = 0; index < degree; ++index) {
      Complex root = found[index];
      Real distance = 1 - std::abs(root);
      if (distance < 0) continue;
      for (int k = 0; k < sources; ++k)
        if (distance < distances[k]) {
          std::swap(distance, distances[k]);
          std::swap(root, nearest[k]);
        }
    }
    for (int k = 0; k < sources; ++k)
      answers[k] = std::isfinite(distances[k]) ? row.azimuth(std::arg(nearest[k])) : std::nan("");
  }
};
