#ifndef PHYSICAL_LIMIT_H
#define PHYSICAL_LIMIT_H

#include <stddef.h>
#include <stdint.h>

/// A transform of complex single-precision points over aligned memory of its own.
typedef struct uwb_transform uwb_transform;

/// NULL where there is no memory. Planned by estimate, as the engine plans, or by trying (`is_tried`), as fast as it gets.
uwb_transform *uwb_transform_create(int points, int is_tried);
void uwb_transform_free(uwb_transform *transform);

/// Transforms the same points `times` times.
void uwb_transform_run(const uwb_transform *transform, int times);

/// Adds up `count` numbers of 16 bits: what reading them costs at the least.
int64_t uwb_read_memory(const int16_t *numbers, size_t count);

/// The widest vector instructions that the processor shows this program: `avx512`, `avx2`, `neon` or `base`. Valgrind shows
/// programs a processor of its own.
const char *uwb_vector_instructions(void);

#endif
