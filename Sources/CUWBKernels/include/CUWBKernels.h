#ifndef CUWB_KERNELS_H
#define CUWB_KERNELS_H

#include <stdbool.h>

/// Whether this machine has the vector units (AVX2 and FMA) that all other functions here need.
bool uwb_has_vector_units(void);

/// ln L of `count` onsets of a profile, a vector of eight ratios each, and the largest of the eight: see `OnsetLikelihood`.
///
/// The tables hold every 2^`shift`-th onset: 16 numbers for each of `taps` taps in `vectors`, 8 for each of 16 eigenvectors in `gains`, 8
/// in `determinants`.
void uwb_onset_likelihoods(
    const float *vectors, const float *gains, const float *determinants, const long *onsets, long count, long shift,
    const float *real, const float *imaginary, long taps, float *terms, float *tops);

/// ln L of `count` kinds of scattering behind a first path at one onset, a vector of eight ratios each, and the largest of the eight: see
/// `RiceLikelihood`.
///
/// A cell holds 8 numbers for each of `taps` taps, a multiple of eight, 8 for each of 8 eigenvectors twice, and twice 8.
void uwb_rice_likelihoods(
    const float *cells, long count, const float *pulse, const float *real, const float *imaginary, long taps,
    float *terms, float *tops);

/// Writes Σ exp(x − `reference`) over each `step`-th of vectors of eight, the largest of which are `tops`; no x may be larger than
/// `reference`, and what is less by `negligible` or more, 80 at most, counts nothing.
void uwb_exponential_sums(
    const float *terms, const float *tops, long count, long step, float reference, float negligible, double *sums);

// Columns of path fits: `stride` numbers, whole vectors of eight, zero behind the window.

/// Writes a column for each of `count` delays from a table of `fractions` + 1 rows of 2·`reach` numbers, see `PathPulses`; what is
/// behind the window's `windowTaps` becomes 0. False where a delay needs what is outside a row: then columns are left as they may be.
bool uwb_blend_rows(
    const float *table, long fractions, long reach, const double *delays, long count, long stride, long windowTaps,
    float *columns);

/// out[i·outStride + j] = Σ a_i·b_j for all j, or those up to i where `isLower`. Columns of b are read, and numbers of a row of `out`
/// written, by fours.
void uwb_products(
    const float *a, long aCount, const float *b, long bCount, long stride, bool isLower, double *out, long outStride);

/// With L the lower triangular `factor`, whose diagonal's inverses are given, and C = `overlaps`: replaces C by L⁻¹·C, then
/// subtracts (L⁻¹C)ᵀ(L⁻¹C) from the lower triangle of `products`. All by rows of `order` numbers, which is 8; rows of C and `products`
/// are read and written by fours.
void uwb_project(
    const double *factor, const double *inverseDiagonal, long count, long order, double *overlaps, double *products);

/// Σ a_i·real and Σ a_i·imaginary, one after the other. Columns are read, and numbers written, by twos of columns.
void uwb_complex_products(
    const float *a, long count, const float *real, const float *imaginary, long stride, double *out);

/// Samples less the columns times their complex amplitudes; returns the energy of that.
float uwb_residual(
    const float *basis, const double *amplitudes, long count, const float *real, const float *imaginary, long stride,
    float *realResidual, float *imaginaryResidual);

/// Adds |Σ pulse·sample|² over `taps` taps, for `blocks` blocks of eight pulses.
void uwb_add_powers(
    const float *pulses, long blocks, const float *real, const float *imaginary, long taps, float *powers);

/// The symmetric matrix of `count` rows of `width` numbers, rows one after the other: out[j·count + i] = scale·Σ row_i·row_j.
void uwb_gram(const double *rows, long count, long width, double scale, double *out);

/// Samples of `blocks` blocks of 16 taps: integers times `scale` less `pattern`, which repeats after `period` taps, begins with the first
/// block at `phase` and goes on for 16 taps more; their powers, and of each block the largest powers by quarters. Returns the sum of powers.
float uwb_subtract_pattern(
    const short *integers, float scale, const float *pattern, long period, long phase, long blocks, float *samples,
    float *powers, float *quarterPeaks);

#endif
