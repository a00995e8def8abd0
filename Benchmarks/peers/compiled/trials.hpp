// What all peers share: trials from a file, the shortest of several passes, and a line of JSON for each estimator.
#pragma once

#include <chrono>
#include <complex>
#include <cstdio>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

/// All numbers of a file, as they lie there.
template <class Number>
std::vector<Number> read_numbers(const std::string &path, size_t count) {
  std::ifstream file(path, std::ios::binary);
  std::vector<Number> numbers(count);
  file.read(reinterpret_cast<char *>(numbers.data()), count * sizeof(Number));
  if (size_t(file.gcount()) != count * sizeof(Number)) throw std::runtime_error(path + " is shorter than it should be");
  return numbers;
}

/// Runs `estimate(trial, answers)` on all trials once for its answers, then on the first `timed` of them `passes` times for its time.
/// Without passes there are answers alone. A trial has as many answers as it has sources, NaN where one is missing.
template <class Estimate>
void report(const char *name, const char *precision, size_t trials, size_t sources, size_t timed, int passes, Estimate &&estimate) {
  std::vector<double> answers(trials * sources, std::numeric_limits<double>::quiet_NaN());
  for (size_t trial = 0; trial < trials; ++trial) estimate(trial, &answers[trial * sources]);
  using Clock = std::chrono::steady_clock;
  double best = std::numeric_limits<double>::infinity();
  std::vector<double> ignored(sources);
  for (int pass = 0; pass < passes; ++pass) {
    auto start = Clock::now();
    for (size_t trial = 0; trial < timed; ++trial) estimate(trial, ignored.data());
    best = std::min(best, std::chrono::duration<double, std::micro>(Clock::now() - start).count() / double(timed));
  }
  std::printf("{\"estimator\":\"%s\",\"precision\":\"%s\",\"us\":", name, precision);
  passes > 0 ? std::printf("%.5g", best) : std::printf("null");
  std::printf(",\"answers\":[");
  for (size_t index = 0; index < answers.size(); ++index) {
    std::printf(index ? "," : "");
    std::isnan(answers[index]) ? std::printf("null") : std::printf("%.9g", answers[index]);
  }
  std::printf("]}\n");
}
