// Counts this program's heap allocations exactly, for tests: linked in, it stands before the C library's allocator.
#ifndef UWB_ALLOCATION_COUNTER_H
#define UWB_ALLOCATION_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

/// Whether allocations are counted at all: not where a sanitizer brings its own allocator, nor off Linux with glibc.
bool uwb_allocation_counter_is_active(void);

/// Allocations that the calling thread has made so far: malloc, calloc, realloc and the aligned ones, one each.
uint64_t uwb_allocations_of_this_thread(void);

/// Allocations that all threads have made so far.
uint64_t uwb_allocations_of_process(void);

#endif
