// FFTW 3 as Swift sees it. Kept apart from lapacke.h, which would turn FFTW's complex types opaque.
#ifndef UWB_CFFTW_SHIM_H
#define UWB_CFFTW_SHIM_H

#include <fftw3.h>

/// The library's own version text; the C global is an array of unknown length that Swift can't import.
static inline const char *uwb_fftwf_version(void) { return fftwf_version; }

#endif
