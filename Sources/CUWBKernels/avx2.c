// The kernels for x86-64 with AVX2 and FMA.
#include "CUWBKernels.h"

#if defined(__x86_64__)
#define KERNEL(name) name##_avx2
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#include "kernels.h"
#pragma clang attribute pop
#endif
