// ESPRIT (Roy & Kailath 1989): the rotation between the signal spaces of the first and the last seven antennas, by least squares.
#pragma once

#include "row.hpp"

template <class Real, int sources>
struct LeastSquaresESPRIT {
  using Complex = std::complex<Real>;
  using Small = Eigen::Matrix<Complex, sources, sources>;
  Row<Real> row;

  LeastSquaresESPRIT(double step, Covariance kind) : row(step, kind) {}

  void operator()(const typename Row<Real>::Snapshots &x, double *answers) {
    const auto &vectors = row.decompose(x);
    auto upper = vectors.template block<antennas - 1, sources>(0, antennas - sources);
    auto lower = vectors.template block<antennas - 1, sources>(1, antennas - sources);
    Small gram = upper.adjoint() * upper;
    Small rotation = gram.inverse() * (upper.adjoint() * lower);
    if constexpr (sources == 1) {
      answers[0] = row.azimuth(std::arg(rotation(0, 0)));
    } else {
      static_assert(sources == 2);
      Complex half = rotation.trace() / Real(2);
      Complex root = std::sqrt(half * half - rotation.determinant());
      answers[0] = row.azimuth(std::arg(half + root));
      answers[1] = row.azimuth(std::arg(half - root));
    }
  }
};
