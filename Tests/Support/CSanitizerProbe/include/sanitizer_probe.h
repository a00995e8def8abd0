#pragma once

// Faults for the test that sees whether the sanitizers are at work; nothing else calls them.

/// 1 << bits, which C leaves undefined from 31 bits on.
int uwb_probe_shift(int bits);

/// The same, compiled where it is imported.
static inline int uwb_probe_inline_shift(int bits) { return 1 << bits; }
