// zlib as Swift sees it.
#ifndef UWB_CZLIB_SHIM_H
#define UWB_CZLIB_SHIM_H

#include <zlib.h>

#endif
