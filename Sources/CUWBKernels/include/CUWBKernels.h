#ifndef CUWB_KERNELS_H
#define CUWB_KERNELS_H

#include <stdbool.h>

/// Whether this machine has the vector units (AVX2 and FMA) that all other functions here need.
bool uwb_has_vector_units(void);

/// ln L of `count` onsets of a profile, a vector of eight ratios each: see `OnsetLikelihood`.
///
/// For each onset, `vectors` has 16 numbers for each of `taps` taps, `gains` 8 numbers for each of 16 eigenvectors,
/// `determinants` 8 numbers. The onsets read are `step` apart, the vectors of `terms` written `termStep`; `adding` adds to what is
/// there.
void uwb_onset_likelihoods(
    const float *vectors, const float *gains, const float *determinants, long step, const float *real,
    const float *imaginary, long taps, long count, float *terms, long termStep, bool adding);

/// The largest of `count` vectors of eight, `step` vectors apart.
float uwb_largest(const float *terms, long step, long count);

/// Writes Σ exp(x − `reference`) over each of `count` vectors of eight, `step` vectors apart; no x may be larger than `reference`, and
/// what is less by `negligible` or more, 80 at most, counts nothing.
void uwb_exponential_sums(
    const float *terms, long step, long count, float reference, float negligible, double *sums);

#endif
