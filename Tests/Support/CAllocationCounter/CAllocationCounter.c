#include "CAllocationCounter.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define UWB_SANITIZED 1
#endif
#endif

#if defined(__linux__) && !defined(UWB_SANITIZED)
#include <features.h>
#endif

#if defined(__GLIBC__) && !defined(UWB_SANITIZED)

#include <errno.h>
#include <stddef.h>

// glibc keeps its allocator under these names for programs that put their own functions in front of it.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static _Thread_local uint64_t of_thread __attribute__((tls_model("initial-exec")));
static uint64_t of_process;

static void count(void) {
  of_thread += 1;
  __atomic_fetch_add(&of_process, 1, __ATOMIC_RELAXED);
}

void *malloc(size_t size) {
  count();
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  count();
  return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size) {
  count();
  return __libc_realloc(memory, size);
}

void *memalign(size_t alignment, size_t size) {
  count();
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  count();
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
  if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) return EINVAL;
  count();
  void *result = __libc_memalign(alignment, size);
  if (result == NULL) return ENOMEM;
  *memory = result;
  return 0;
}

bool uwb_allocation_counter_is_active(void) { return true; }
uint64_t uwb_allocations_of_this_thread(void) { return of_thread; }
uint64_t uwb_allocations_of_process(void) { return __atomic_load_n(&of_process, __ATOMIC_RELAXED); }

#else

bool uwb_allocation_counter_is_active(void) { return false; }
uint64_t uwb_allocations_of_this_thread(void) { return 0; }
uint64_t uwb_allocations_of_process(void) { return 0; }

#endif
