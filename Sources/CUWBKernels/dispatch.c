// Which build of each kernel runs on this machine.
#include "CUWBKernels.h"

#if defined(__x86_64__)

bool uwb_has_vector_units(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }

#define CHOOSE(Result, name, parameters, arguments) \
  __typeof__(name) name##_avx2;                     \
  Result name parameters { return uwb_has_vector_units() ? name##_avx2 arguments : name##_portable arguments; }

#else

bool uwb_has_vector_units(void) { return false; }

#define CHOOSE(Result, name, parameters, arguments) \
  Result name parameters { return name##_portable arguments; }

#endif

CHOOSE(void, uwb_onset_likelihoods,
       (const float *vectors, const float *gains, const float *determinants, const long *onsets, long count,
        const float *real, const float *imaginary, long taps, float *terms, float *tops),
       (vectors, gains, determinants, onsets, count, real, imaginary, taps, terms, tops))

CHOOSE(void, uwb_rice_forms,
       (const float *cells, long chosen, long kinds, long onset, long step, long count, const float *pulses,
        const float *real, const float *imaginary, float *forms),
       (cells, chosen, kinds, onset, step, count, pulses, real, imaginary, forms))

CHOOSE(void, uwb_rice_matches,
       (const float *cell, const float *pulse, const float *real, const float *imaginary, float *realMatches,
        float *imaginaryMatches),
       (cell, pulse, real, imaginary, realMatches, imaginaryMatches))

CHOOSE(float, uwb_rice_terms,
       (const float *cells, long chosen, long kinds, long onset, long step, long count, long pathCount,
        const float *forms, long formsStride, const float *scales, long antennas, float share, float withoutPath,
        float *terms, float *tops, float *onsetTops),
       (cells, chosen, kinds, onset, step, count, pathCount, forms, formsStride, scales, antennas, share, withoutPath,
        terms, tops, onsetTops))

CHOOSE(void, uwb_exponential_sums,
       (const float *terms, const float *tops, long count, float reference, float negligible,
        double *sums),
       (terms, tops, count, reference, negligible, sums))

CHOOSE(double, uwb_exponential_sum,
       (const float *terms, const float *tops, long count, float reference, float negligible),
       (terms, tops, count, reference, negligible))

CHOOSE(void, uwb_blend_rows,
       (const float *table, long fractions, long reach, const double *delays, long count, long stride,
        long windowTaps, float *columns),
       (table, fractions, reach, delays, count, stride, windowTaps, columns))

CHOOSE(void, uwb_products,
       (const float *a, long aCount, const float *b, long bCount, long stride, bool isLower, double *out,
        long outStride),
       (a, aCount, b, bCount, stride, isLower, out, outStride))

CHOOSE(void, uwb_project,
       (const double *factor, const double *inverseDiagonal, long count, long order, double *overlaps,
        double *products),
       (factor, inverseDiagonal, count, order, overlaps, products))

CHOOSE(void, uwb_complex_products,
       (const float *a, long count, const float *real, const float *imaginary, long stride, double *out),
       (a, count, real, imaginary, stride, out))

CHOOSE(float, uwb_residual,
       (const float *basis, const double *amplitudes, long count, const float *real, const float *imaginary,
        long stride, float *realResidual, float *imaginaryResidual),
       (basis, amplitudes, count, real, imaginary, stride, realResidual, imaginaryResidual))

CHOOSE(void, uwb_add_powers,
       (const float *pulses, long blocks, const float *real, const float *imaginary, long taps, float *powers),
       (pulses, blocks, real, imaginary, taps, powers))

CHOOSE(long, uwb_project_gains,
       (const float *energies, const float *overlaps, long blocks, const long *rows, const float *blends,
        const float *factor, long count, float *gains),
       (energies, overlaps, blocks, rows, blends, factor, count, gains))

CHOOSE(void, uwb_path_moments,
       (const double *values, const double *slopes, long next, double blend, const double *real,
        const double *imaginary, long taps, double *moments),
       (values, slopes, next, blend, real, imaginary, taps, moments))

CHOOSE(long, uwb_steer,
       (const float *steering, const float *amplitudes, long antennas, long blocks, float *spectrum),
       (steering, amplitudes, antennas, blocks, spectrum))

CHOOSE(void, uwb_gram,
       (const double *rows, long count, long width, double scale, double *out),
       (rows, count, width, scale, out))

CHOOSE(void, uwb_mirror_rows,
       (const double *real, const double *imaginary, long antennas, long stride, long snapshots, double *rows),
       (real, imaginary, antennas, stride, snapshots, rows))

CHOOSE(bool, uwb_leading_vectors,
       (const double *matrix, long stride, bool isHermitian, long count, double tolerance, long steps,
        double *scratch, double *vectors),
       (matrix, stride, isHermitian, count, tolerance, steps, scratch, vectors))

CHOOSE(void, uwb_trigonometric_scan,
       (const double *coefficients, long order, const double *table, long points, double *values),
       (coefficients, order, table, points, values))

CHOOSE(long, uwb_local_minima, (const double *values, long points, long *places), (values, points, places))

CHOOSE(void, uwb_complement_diagonals,
       (const double *vectors, long order, long count, double *coefficients),
       (vectors, order, count, coefficients))

CHOOSE(void, uwb_complex_covariance, (const double *real, long order, double *out), (real, order, out))

CHOOSE(void, uwb_row_sources,
       (const double *covariance, long order, const double *turns, long count, double *scratch, double *forms),
       (covariance, order, turns, count, scratch, forms))

CHOOSE(void, uwb_hermitian_product,
       (const double *matrix, long order, const double *vector, double *out),
       (matrix, order, vector, out))

CHOOSE(void, uwb_project_out, (const double *unit, long count, double *vector), (unit, count, vector))

CHOOSE(void, uwb_block_means, (const float *values, long blocks, float *means), (values, blocks, means))

CHOOSE(double, uwb_median, (float *values, long count), (values, count))

CHOOSE(float, uwb_filtered_power,
       (const float *taps, long count, float centre, float next, float third, float last),
       (taps, count, centre, next, third, last))

CHOOSE(void, uwb_take_every, (long stride, const void *source, long count, int *target),
       (stride, source, count, target))

CHOOSE(void, uwb_square_integers,
       (const short *integers, float factor, long blocks, float *powers, float *quarterPeaks),
       (integers, factor, blocks, powers, quarterPeaks))

CHOOSE(float, uwb_measure_pattern,
       (const short *integers, float scale, const float *powers, long periods, float *pattern, float *correlation),
       (integers, scale, powers, periods, pattern, correlation))

CHOOSE(float, uwb_subtract_pattern,
       (const short *integers, float scale, const float *pattern, long blocks, float *samples, float *powers,
        float *quarterPeaks),
       (integers, scale, pattern, blocks, samples, powers, quarterPeaks))

CHOOSE(long, uwb_energetic_blocks,
       (const float *powers, const float *quarterPeaks, long first, long end, long last, float least,
        float leastEnergy, long *chosen),
       (powers, quarterPeaks, first, end, last, least, leastEnergy, chosen))

CHOOSE(float, uwb_filter_block, (const float *taps, const float *weights, float *powers), (taps, weights, powers))

CHOOSE(void, uwb_network_scores, (const float *parameters, const float *inputs, long count, float *scores),
       (parameters, inputs, count, scores))
