#include "uwb.h"
