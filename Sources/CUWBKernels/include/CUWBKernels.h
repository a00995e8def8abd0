#ifndef CUWB_KERNELS_H
#define CUWB_KERNELS_H

#include <stdbool.h>

// Each kernel picks, at run time, the build for this machine's vector units. `NAME_portable` is the one for any machine.

/// Whether this machine has AVX2 and FMA, for which kernels are built besides.
bool uwb_has_vector_units(void);

/// ln L of `count` onsets of a profile, a vector of eight ratios each, and the largest of the eight: see `OnsetLikelihood`.
///
/// For each onset the tables hold 16 numbers for each of `taps` taps in `vectors`, 8 for each of 16 eigenvectors in `gains`, 8 in
/// `determinants`.
void uwb_onset_likelihoods(
    const float *vectors, const float *gains, const float *determinants, const long *onsets, long count, const float *real,
    const float *imaginary, long taps, float *terms, float *tops);

/// Numbers of a cell, and where its parts begin: eight eigenvectors, tap by tap; their gains for eight ratios each; their products with the
/// path's pulse; the constants of ln L and one over the path's information, for each ratio.
enum {
  uwb_rice_taps = 16,
  uwb_rice_rank = 8,
  uwb_rice_gains = uwb_rice_rank * uwb_rice_taps,
  uwb_rice_seen = uwb_rice_gains + 8 * uwb_rice_rank,
  uwb_rice_constants = uwb_rice_seen + uwb_rice_rank,
  uwb_rice_inverses = uwb_rice_constants + 8,
  uwb_rice_cell = uwb_rice_inverses + 8
};

// Kinds of scattering, the places of the bits that are set in `chosen`, are asked about at some onsets: `count` of these, `step` apart from
// `onset` on. Cells, forms and terms are those of all onsets and of all of the `kinds` kinds.

/// What these kinds of scattering behind a first path explain of a window's energy, a vector of eight ratios each: the part of ln L that is
/// quadratic in the samples, see `RiceLikelihood`. `pulses` are the path's, for each onset.
void uwb_rice_forms(
    const float *cells, long chosen, long kinds, long onset, long step, long count, const float *pulses, const float *real,
    const float *imaginary, float *forms);

/// What one kind leaves of the samples times the path's pulse, pᵀC⁻¹y for each ratio: real parts, imaginary ones.
void uwb_rice_matches(
    const float *cell, const float *pulse, const float *real, const float *imaginary, float *realMatches,
    float *imaginaryMatches);

/// ln L of these kinds of scattering, and the largest of the eight ratios: share·Σ(constant + scale·form) over antennas, whose forms are
/// `formsStride` numbers apart, plus `withoutPath` from the `pathCount`-th kind on. Raises `onsetTops` to the largest of each onset. Returns
/// the largest of all.
float uwb_rice_terms(
    const float *cells, long chosen, long kinds, long onset, long step, long count, long pathCount, const float *forms,
    long formsStride, const float *scales, long antennas, float share, float withoutPath, float *terms, float *tops, float *onsetTops);

/// Writes Σ exp(x − `reference`) over each of `count` vectors of eight, the largest of which are `tops`; no x may be larger than
/// `reference`, and what is less by `negligible` or more, 80 at most, counts nothing.
void uwb_exponential_sums(
    const float *terms, const float *tops, long count, float reference, float negligible, double *sums);

/// The same sum over all of `count` vectors.
double uwb_exponential_sum(const float *terms, const float *tops, long count, float reference, float negligible);

// Columns of path fits: `stride` numbers, whole vectors of eight, zero behind the window.

/// Writes a column for each of `count` delays from a table of `fractions` + 1 rows of 2·`reach` numbers, see `PathPulses`; what is
/// behind the window's `windowTaps`, or outside a row, becomes 0.
void uwb_blend_rows(
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

/// A list holds no more paths.
#define CUWB_MOST_PATHS 8
/// A further path is looked for where at least this share of a pulse's energy lies off the paths, and this energy in the window.
#define CUWB_LEAST_SHARE 0.05f
#define CUWB_LEAST_ENERGY 0.02f

/// Divides the powers in `gains` by what of a pulse's energy lies off `count` paths, a block of eight pulses at a time; 0 where less than
/// `CUWB_LEAST_SHARE` does, or the energy is less than `CUWB_LEAST_ENERGY`. Returns the place of the first of the largest, −1 where all
/// are 0.
///
/// `factor` holds the rows of the lower triangular factor of the paths' products, one over its diagonal. A pulse's product with a path is blended
/// from the blocks at `rows` of `overlaps` and those one row of `blocks` behind.
long uwb_project_gains(
    const float *energies, const float *overlaps, long blocks, const long *rows, const float *blends,
    const float *factor, long count, float *gains);

/// Σ p², s², p·s, p·x, p·y, s·x, s·y over `taps` taps, p being a pulse and s its slope, each blended from a row and the one `next`
/// numbers behind it; x and y the samples, zero behind the last to a whole vector of four.
void uwb_path_moments(
    const double *values, const double *slopes, long next, double blend, const double *real, const double *imaginary,
    long taps, double *moments);

/// |Σ g*·a|² for `blocks` blocks of eight directions: steering vectors g antenna after antenna, eight real parts and eight imaginary
/// ones, and complex amplitudes a. Returns the place of the largest.
long uwb_steer(const float *steering, const float *amplitudes, long antennas, long blocks, float *spectrum);

/// The symmetric matrix of `count` rows of `width` numbers, rows one after the other: out[j·count + i] = scale·Σ row_i·row_j.
void uwb_gram(const double *rows, long count, long width, double scale, double *out);

/// Sums and differences of mirrored antennas, the middle one times √2, see `SampleCovariance`: rows of 2·`snapshots` numbers, real parts and then
/// imaginary ones, of samples that lie antenna after antenna, `stride` from one to the next.
void uwb_mirror_rows(
    const double *real, const double *imaginary, long antennas, long stride, long snapshots, double *rows);

/// An orthonormal basis of the space of the `count` strongest eigenvectors of a real symmetric or a Hermitian matrix, none of whose
/// eigenvalues is negative, by orthogonal iteration: see `LeadingVectors`. Returns whether its angle to that space, as it is estimated, fell
/// below `tolerance` in `steps` steps, and no other eigenvalue can be as large.
///
/// The matrix by columns: real parts, of a Hermitian one then imaginary parts. `stride` is its order, a multiple of four. Vectors: `stride`
/// real parts each, of a Hermitian matrix as many imaginary parts behind them. `scratch` is one vector longer than all vectors.
bool uwb_leading_vectors(
    const double *matrix, long stride, bool isHermitian, long count, double tolerance, long steps, double *scratch,
    double *vectors);

/// f = c_0 + 2·Σ (Re c_d·cos − Im c_d·sin) at `points` places, a multiple of eight: `coefficients` are `order` real parts and then as many
/// imaginary ones, `table` holds cosines and then sines of all places, lag by lag from 1.
void uwb_trigonometric_scan(
    const double *coefficients, long order, const double *table, long points, double *values);

/// Places of values less than the one before and no more than the one behind, first and last left out. Returns how many.
long uwb_local_minima(const double *values, long points, long *places);

/// c_d = Σ_m W_{m, m+d} of W = I − Σ e·eᴴ, `order` real parts and then as many imaginary ones; each e likewise.
void uwb_complement_diagonals(const double *vectors, long order, long count, double *coefficients);

/// R = Q·C·Qᴴ of the real symmetric C that the rows of `uwb_mirror_rows` make: by columns, real parts and then imaginary parts.
void uwb_complex_covariance(const double *real, long order, double *out);

/// What `count` sources on a uniform row, one or two, make of its real covariance C, see `RowSources`. `turns` holds cos(μ/2) and sin(μ/2)
/// of each. With b the steering vector, or two sources' sum and difference, into `forms`: both bᵀb; the three numbers of bᵀ·C·b, a symmetric
/// matrix of order 2; those of Dᵀ·P⊥·D of the derivatives by μ. One source fills the first of each. `scratch`: four vectors, of whole fours.
void uwb_row_sources(
    const double *covariance, long order, const double *turns, long count, double *scratch, double *forms);

/// A·v, both with real parts and then imaginary parts, A by columns.
void uwb_hermitian_product(const double *matrix, long order, const double *vector, double *out);

/// v ← v − u·(uᴴ·v), both `count` real parts and then as many imaginary ones.
void uwb_project_out(const double *unit, long count, double *vector);

/// The means of `blocks` blocks of 16 numbers.
void uwb_block_means(const float *values, long blocks, float *means);

/// The median of `count` numbers, between the middle two of an even count: of a few levels it is counted, in vectors, how many numbers are
/// less. 0 where their sum is no number. What stands behind them, up to a multiple of eight, is written over.
double uwb_median(float *values, long count);

/// Σ|z|² of `count` taps, a multiple of four, through a symmetric filter of seven with these weights for 0, 1, 2 and 3 taps off. Three taps
/// stand on either side of them.
float uwb_filtered_power(const float *taps, long count, float centre, float next, float third, float last);

/// Every `stride`-th of the 32-bit integers from `source` on, at any address, `count` of them.
void uwb_take_every(long stride, const void *source, long count, int *target);

/// |h|² of `blocks` blocks of 16 taps, the sum of two integers' squares times `factor`, and of each block the largest by quarters.
void uwb_square_integers(const short *integers, float factor, long blocks, float *powers, float *quarterPeaks);

/// The mean of each of eight phases over so many periods of eight taps: integers times `scale`. Returns the power of the phases' sums over
/// the sum of the taps' `powers`: for white noise 1. `correlation` is Σ h[k + 8]·h*[k] over that sum, real and imaginary part.
float uwb_measure_pattern(
    const short *integers, float scale, const float *powers, long periods, float *pattern, float *correlation);

/// Samples of `blocks` blocks of 16 taps: integers times `scale` less `pattern`, which repeats after 8 taps; their powers, and of each block
/// the largest powers by quarters. Returns the sum of powers.
float uwb_subtract_pattern(
    const short *integers, float scale, const float *pattern, long blocks, float *samples, float *powers,
    float *quarterPeaks);

/// The blocks from `first` to before `end` of which a point may reach a level, ascending; `last` is the last that there is. One of the
/// largest of such a block by quarters, or of its neighbours, reaches `least`. Seven powers in a row, from three taps before the block on,
/// add up to `leastEnergy`; the first block and the last one are not asked for that. Returns how many they are.
long uwb_energetic_blocks(
    const float *powers, const float *quarterPeaks, long first, long end, long last, float least, float leastEnergy,
    long *chosen);

/// |z|² on 16 taps and half a tap after each, in turn: taps through two symmetric filters, whose weights are those for 0 … 3 taps off and for
/// ½ … 2½. Three taps stand on either side. Returns the largest.
float uwb_filter_block(const float *taps, const float *weights, float *powers);

/// Inputs of a `FirstPathNetwork`, and units of its two layers.
enum { uwb_network_inputs = 32, uwb_network_first = 24, uwb_network_second = 16 };

/// The scores of `count` peaks, `inputs` one peak behind the other. Parameters: weights by input, then biases, of both layers; the last weights.
void uwb_network_scores(const float *parameters, const float *inputs, long count, float *scores);

__typeof__(uwb_onset_likelihoods) uwb_onset_likelihoods_portable;
__typeof__(uwb_rice_forms) uwb_rice_forms_portable;
__typeof__(uwb_rice_matches) uwb_rice_matches_portable;
__typeof__(uwb_rice_terms) uwb_rice_terms_portable;
__typeof__(uwb_exponential_sums) uwb_exponential_sums_portable;
__typeof__(uwb_exponential_sum) uwb_exponential_sum_portable;
__typeof__(uwb_blend_rows) uwb_blend_rows_portable;
__typeof__(uwb_products) uwb_products_portable;
__typeof__(uwb_project) uwb_project_portable;
__typeof__(uwb_complex_products) uwb_complex_products_portable;
__typeof__(uwb_residual) uwb_residual_portable;
__typeof__(uwb_add_powers) uwb_add_powers_portable;
__typeof__(uwb_project_gains) uwb_project_gains_portable;
__typeof__(uwb_path_moments) uwb_path_moments_portable;
__typeof__(uwb_steer) uwb_steer_portable;
__typeof__(uwb_gram) uwb_gram_portable;
__typeof__(uwb_mirror_rows) uwb_mirror_rows_portable;
__typeof__(uwb_leading_vectors) uwb_leading_vectors_portable;
__typeof__(uwb_trigonometric_scan) uwb_trigonometric_scan_portable;
__typeof__(uwb_local_minima) uwb_local_minima_portable;
__typeof__(uwb_complement_diagonals) uwb_complement_diagonals_portable;
__typeof__(uwb_complex_covariance) uwb_complex_covariance_portable;
__typeof__(uwb_row_sources) uwb_row_sources_portable;
__typeof__(uwb_hermitian_product) uwb_hermitian_product_portable;
__typeof__(uwb_project_out) uwb_project_out_portable;
__typeof__(uwb_block_means) uwb_block_means_portable;
__typeof__(uwb_median) uwb_median_portable;
__typeof__(uwb_filtered_power) uwb_filtered_power_portable;
__typeof__(uwb_take_every) uwb_take_every_portable;
__typeof__(uwb_square_integers) uwb_square_integers_portable;
__typeof__(uwb_measure_pattern) uwb_measure_pattern_portable;
__typeof__(uwb_subtract_pattern) uwb_subtract_pattern_portable;
__typeof__(uwb_energetic_blocks) uwb_energetic_blocks_portable;
__typeof__(uwb_filter_block) uwb_filter_block_portable;
__typeof__(uwb_network_scores) uwb_network_scores_portable;

#endif
