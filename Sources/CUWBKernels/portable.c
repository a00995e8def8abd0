// The kernels for any machine.
// What the warning is about, wide vectors handed to functions, never happens: these are inlined.
#pragma clang diagnostic ignored "-Wpsabi"

#define KERNEL(name) name##_portable
#include "kernels.h"
