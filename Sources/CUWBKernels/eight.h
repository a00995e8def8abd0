// Vectors of eight single-precision numbers and of four doubles, in clang's own terms: the compiler makes of them what the target has.
#ifndef CUWB_EIGHT_H
#define CUWB_EIGHT_H

// In memory, at any address.
typedef float Eight __attribute__((vector_size(32), aligned(4)));
typedef double Four __attribute__((vector_size(32), aligned(8)));
typedef long long FourMarks __attribute__((vector_size(32), aligned(8)));
typedef int EightIntegers __attribute__((vector_size(32), aligned(4)));
typedef unsigned EightCounts __attribute__((vector_size(32), aligned(4)));
typedef short EightShorts __attribute__((vector_size(16), aligned(2)));
typedef short SixteenShorts __attribute__((vector_size(32), aligned(2)));
typedef int SixteenIntegers __attribute__((vector_size(64), aligned(4)));
typedef unsigned SixteenCounts __attribute__((vector_size(64), aligned(4)));
typedef float Quad __attribute__((vector_size(16), aligned(4)));
typedef int QuadIntegers __attribute__((vector_size(16), aligned(4)));

// Always inlined: how wide vectors are handed to functions depends on the target.
#define INLINE static inline __attribute__((always_inline))

INLINE Eight load(const float *source) { return *(const Eight *)source; }
INLINE void store(Eight value, float *target) { *(Eight *)target = value; }
INLINE Four loadFour(const double *source) { return *(const Four *)source; }
INLINE void storeFour(Four value, double *target) { *(Four *)target = value; }
INLINE Quad loadQuad(const float *source) { return *(const Quad *)source; }
INLINE void storeQuad(Quad value, float *target) { *(Quad *)target = value; }
INLINE Eight all(float value) { return (Eight){value, value, value, value, value, value, value, value}; }
INLINE Four allFour(double value) { return (Four){value, value, value, value}; }

INLINE Quad lower(Eight value) { return __builtin_shufflevector(value, value, 0, 1, 2, 3); }
INLINE Quad upper(Eight value) { return __builtin_shufflevector(value, value, 4, 5, 6, 7); }

/// What `isTaken` marks, all bits set, of `a`, and the rest of `b`.
INLINE Eight choose(EightIntegers isTaken, Eight a, Eight b) {
  return (Eight)((isTaken & (EightIntegers)a) | (~isTaken & (EightIntegers)b));
}

INLINE Eight larger(Eight a, Eight b) { return choose(a > b, a, b); }

INLINE Quad largerQuad(Quad a, Quad b) {
  const QuadIntegers isLarger = a > b;
  return (Quad)((isLarger & (QuadIntegers)a) | (~isLarger & (QuadIntegers)b));
}

INLINE float largest(Eight value) {
  value = larger(value, __builtin_shufflevector(value, value, 4, 5, 6, 7, 0, 1, 2, 3));
  value = larger(value, __builtin_shufflevector(value, value, 2, 3, 0, 1, 6, 7, 4, 5));
  value = larger(value, __builtin_shufflevector(value, value, 1, 0, 3, 2, 5, 4, 7, 6));
  return value[0];
}

INLINE float sum(Eight value) {
  value += __builtin_shufflevector(value, value, 4, 5, 6, 7, 0, 1, 2, 3);
  value += __builtin_shufflevector(value, value, 2, 3, 0, 1, 6, 7, 4, 5);
  return value[0] + value[1];
}

INLINE double sumFour(Four value) { return (value[0] + value[2]) + (value[1] + value[3]); }

/// The sums of four vectors' lanes.
INLINE Four sumsOfFours(Four a, Four b, Four c, Four d) {
  const Four left = __builtin_shufflevector(a, b, 0, 4, 2, 6) + __builtin_shufflevector(a, b, 1, 5, 3, 7);
  const Four right = __builtin_shufflevector(c, d, 0, 4, 2, 6) + __builtin_shufflevector(c, d, 1, 5, 3, 7);
  return __builtin_shufflevector(left, right, 0, 1, 4, 5) + __builtin_shufflevector(left, right, 2, 3, 6, 7);
}

/// Sums of neighbours within each half: of `a`, then of `b`.
INLINE Eight addNeighbours(Eight a, Eight b) {
  return __builtin_shufflevector(a, b, 0, 2, 8, 10, 4, 6, 12, 14)
       + __builtin_shufflevector(a, b, 1, 3, 9, 11, 5, 7, 13, 15);
}

/// Writes the sums of the lanes of four vectors.
INLINE void storeSums(Eight a, Eight b, Eight c, Eight d, double *target) {
  const Eight sums = addNeighbours(addNeighbours(a, b), addNeighbours(c, d));
  storeFour(__builtin_convertvector(lower(sums) + upper(sums), Four), target);
}

#endif
