// Peers of the engine in C++, one after the other over trials in memory; a line of JSON for each, with its answers and its time.
//
//   peers angle FILE TRIALS STEP SOURCES PASSES    complex128, trials × 8 antennas × 64 snapshots, as `uwb evaluate angle --export` writes them
//   peers delay FILE TRIALS TAPS PATHS PASSES      complex64, trials × taps, as `uwb evaluate delay --export` writes them
//   peers crossing FILE TRIALS TAPS PASSES         pairs of 16-bit integers, as `measure make` writes them
//
// STEP: phase from antenna to antenna for a sine of 1, rad. Answers are azimuths in degrees, or first paths in taps. Without passes there are
// answers alone: whoever calls compares them with the engine's before anything is timed.
#include "trials.hpp"

#include "crossing.hpp"
#include "esprit.hpp"
#include "matrix_pencil.hpp"
#include "music.hpp"
#include "root_music.hpp"
#include "search_subtract_readjust.hpp"

/// So many trials are timed: few enough to stay in the second cache, as what a radio has just delivered would.
constexpr size_t timed_trials = 32;

template <class Real, int sources>
void angle(const std::vector<std::complex<double>> &numbers, size_t trials, double step, const char *precision, int passes) {
  using Snapshots = typename Row<Real>::Snapshots;
  using Stored = Eigen::Matrix<std::complex<double>, antennas, snapshots, Eigen::RowMajor>;
  std::vector<Snapshots, Eigen::aligned_allocator<Snapshots>> inputs;
  for (size_t trial = 0; trial < trials; ++trial)
    inputs.push_back(Eigen::Map<const Stored>(&numbers[trial * antennas * snapshots]).template cast<std::complex<Real>>());
  for (auto [kind, suffix] : {std::pair(Covariance::complex, ""), std::pair(Covariance::real, ", real covariance")}) {
    auto run = [&](const char *name, auto &&estimator) {
      report((std::string(name) + suffix).c_str(), precision, trials, sources, std::min(trials, timed_trials), passes,
             [&](size_t trial, double *answers) { estimator(inputs[trial], answers); });
    };
    run("music, signal space, grid", GridMUSIC<Real, sources>(step, kind, false, false));
    run("music, signal space, parabola", GridMUSIC<Real, sources>(step, kind, false, true));
    run("music, noise space, parabola", GridMUSIC<Real, sources>(step, kind, true, true));
    run("root-music", PolynomialMUSIC<Real, sources>(step, kind));
    run("esprit", LeastSquaresESPRIT<Real, sources>(step, kind));
  }
}

template <class Real, int order>
void delay(const std::vector<std::complex<float>> &numbers, size_t trials, int taps, const char *precision, int passes) {
  auto run = [&](const char *name, auto &&estimator) {
    report(name, precision, trials, 1, std::min(trials, timed_trials), passes,
           [&](size_t trial, double *answer) { estimator(&numbers[trial * taps], taps, answer); });
  };
  run("matrix-pencil", MatrixPencil<Real, order>());
  run("search-subtract-readjust", SearchSubtractReadjust<Real, order>());
}

void crossing(const std::vector<int16_t> &numbers, size_t trials, int taps, int passes) {
  auto run = [&](const char *name, auto &&estimator) {
    report(name, "single", trials, 1, trials, passes,
           [&](size_t trial, double *answer) { estimator(&numbers[2 * trial * taps], taps, answer); });
  };
  run("crossing ×16, whole CIR", Crossing<1024>());
  run("crossing ×16, 64 taps", Crossing<64>());
}

int main(int count, char **words) try {
  std::string kind = count > 1 ? words[1] : "";
  auto number = [&](int place) { return size_t(std::stoul(words[place])); };
  if (kind == "angle" && count == 7) {
    auto numbers = read_numbers<std::complex<double>>(words[2], number(3) * antennas * snapshots);
    double step = std::stod(words[4]);
    int sources = number(5), passes = number(6);
    if (sources == 1) angle<float, 1>(numbers, number(3), step, "single", passes), angle<double, 1>(numbers, number(3), step, "double", passes);
    if (sources == 2) angle<float, 2>(numbers, number(3), step, "single", passes), angle<double, 2>(numbers, number(3), step, "double", passes);
  } else if (kind == "delay" && count == 7) {
    int taps = number(4), paths = number(5), passes = number(6);
    auto numbers = read_numbers<std::complex<float>>(words[2], number(3) * taps);
    if (paths == 1) delay<float, 1>(numbers, number(3), taps, "single", passes), delay<double, 1>(numbers, number(3), taps, "double", passes);
    if (paths == 2) delay<float, 2>(numbers, number(3), taps, "single", passes), delay<double, 2>(numbers, number(3), taps, "double", passes);
  } else if (kind == "crossing" && count == 6) {
    crossing(read_numbers<int16_t>(words[2], 2 * number(3) * number(4)), number(3), number(4), number(5));
  } else {
    std::fputs("peers angle FILE TRIALS STEP SOURCES PASSES | delay FILE TRIALS TAPS PATHS PASSES | crossing FILE TRIALS TAPS PASSES\n", stderr);
    return 64;
  }
} catch (const std::exception &error) {
  std::fprintf(stderr, "peers: %s\n", error.what());
  return 1;
}
