#include "sanitizer_probe.h"

int uwb_probe_shift(int bits) { return 1 << bits; }
