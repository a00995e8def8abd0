#ifndef PHYSICAL_LIMIT_H
#define PHYSICAL_LIMIT_H

#include <stddef.h>
#include <stdint.h>

/// A transform of complex single-precision points, planned as the engine plans (FFTW_ESTIMATE), over aligned memory of its own.
typedef struct uwb_transform uwb_transform;

/// NULL where there is no memory. `points` is a power of two.
uwb_transform *uwb_transform_create(int points);
void uwb_transform_free(uwb_transform *transform);

/// Transforms the same points `times` times.
void uwb_transform_run(const uwb_transform *transform, int times);

/// Adds up `count` numbers of 16 bits: what reading them costs at the least.
int64_t uwb_read_memory(const int16_t *numbers, size_t count);

#endif
