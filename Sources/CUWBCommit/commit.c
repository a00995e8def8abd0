#include "CUWBCommit.h"

// Package.swift defines it. Nothing else is in this target, so that a new commit compiles this file and no more.
const char *uwb_commit(void) { return UWB_COMMIT; }
