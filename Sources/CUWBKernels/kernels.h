// All kernels, compiled once for each target: KERNEL(name) is what the target's own is called.
#include "CUWBKernels.h"
#include "eight.h"

#pragma clang fp contract(fast)

#include "background.h"
#include "covariance.h"
#include "first_path.h"
#include "leading_vectors.h"
#include "one_path.h"
#include "median.h"
#include "onset_likelihood.h"
#include "path_fit.h"
#include "rice_likelihood.h"
#include "row_sources.h"
#include "spectrum.h"
#include "steering.h"
