// The LAPACKE `_work` calls that the engine uses, over pointers of any type: LAPACKE's own complex pointers
// arrive in Swift opaque. All matrices are column-major, so that nothing is transposed and nothing allocated.
#ifndef UWB_CLAPACKE_SHIM_H
#define UWB_CLAPACKE_SHIM_H

#include <lapacke.h>

/// Real least squares, min‖A·x − b‖: A is m × n (overwritten), b is m × nrhs and returns x in its first n rows.
static inline int uwb_dgels(int m, int n, int nrhs, double *a, int lda, double *b, int ldb, double *work, int lwork) {
  return LAPACKE_dgels_work(LAPACK_COL_MAJOR, 'N', m, n, nrhs, a, lda, b, ldb, work, lwork);
}

/// Complex least squares, as `uwb_dgels`, over interleaved (real, imaginary) doubles.
static inline int uwb_zgels(int m, int n, int nrhs, void *a, int lda, void *b, int ldb, void *work, int lwork) {
  return LAPACKE_zgels_work(LAPACK_COL_MAJOR, 'N', m, n, nrhs, (lapack_complex_double *)a, lda,
                            (lapack_complex_double *)b, ldb, (lapack_complex_double *)work, lwork);
}

/// Hermitian eigenproblem: eigenvalues ascending in w, eigenvectors in the columns of a. rwork holds 3n − 2 doubles.
static inline int uwb_zheev(int n, void *a, int lda, double *w, void *work, int lwork, double *rwork) {
  return LAPACKE_zheev_work(LAPACK_COL_MAJOR, 'V', 'U', n, (lapack_complex_double *)a, lda, w,
                            (lapack_complex_double *)work, lwork, rwork);
}

/// Eigenvalues, without vectors, of a general real matrix (overwritten); wr and wi receive their parts.
static inline int uwb_dgeev(int n, double *a, int lda, double *wr, double *wi, double *work, int lwork) {
  return LAPACKE_dgeev_work(LAPACK_COL_MAJOR, 'N', 'N', n, a, lda, wr, wi, NULL, 1, NULL, 1, work, lwork);
}

/// Eigenvalues, without vectors, of a general complex matrix (overwritten). rwork holds 2n doubles.
static inline int uwb_zgeev(int n, void *a, int lda, void *w, void *work, int lwork, double *rwork) {
  return LAPACKE_zgeev_work(LAPACK_COL_MAJOR, 'N', 'N', n, (lapack_complex_double *)a, lda, (lapack_complex_double *)w,
                            NULL, 1, NULL, 1, (lapack_complex_double *)work, lwork, rwork);
}

/// Linear equations A·X = B, both overwritten, X in b; ipiv holds n ints.
static inline int uwb_dgesv(int n, int nrhs, double *a, int lda, int *ipiv, double *b, int ldb) {
  return LAPACKE_dgesv_work(LAPACK_COL_MAJOR, n, nrhs, a, lda, ipiv, b, ldb);
}

/// Symmetric positive definite equations A·X = B by Cholesky, both overwritten, X in b; A's lower triangle counts.
static inline int uwb_dposv(int n, int nrhs, double *a, int lda, double *b, int ldb) {
  return LAPACKE_dposv_work(LAPACK_COL_MAJOR, 'L', n, nrhs, a, lda, b, ldb);
}

/// Left singular vectors in u (m × min(m, n)) and singular values, descending, of a complex matrix (overwritten).
/// rwork holds 5·min(m, n) doubles.
static inline int uwb_zgesvd(int m, int n, void *a, int lda, double *s, void *u, int ldu, void *work, int lwork,
                             double *rwork) {
  return LAPACKE_zgesvd_work(LAPACK_COL_MAJOR, 'S', 'N', m, n, (lapack_complex_double *)a, lda, s,
                             (lapack_complex_double *)u, ldu, NULL, 1, (lapack_complex_double *)work, lwork, rwork);
}

/// Cholesky factor of a real symmetric positive definite matrix, lower triangle in place: A = L·Lᵀ.
static inline int uwb_dpotrf(int n, double *a, int lda) {
  return LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, a, lda);
}

/// Inverse, lower triangle, from the factor that uwb_dpotrf left (overwritten).
static inline int uwb_dpotri(int n, double *a, int lda) {
  return LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'L', n, a, lda);
}

/// Triangular equations L·X = B with the factor of uwb_dpotrf, X in b.
static inline int uwb_dtrtrs(int n, int nrhs, const double *a, int lda, double *b, int ldb) {
  return LAPACKE_dtrtrs_work(LAPACK_COL_MAJOR, 'L', 'N', 'N', n, nrhs, a, lda, b, ldb);
}

#endif
