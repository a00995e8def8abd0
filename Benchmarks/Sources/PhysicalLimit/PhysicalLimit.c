#include "PhysicalLimit.h"

#include <fftw3.h>
#include <stdlib.h>
#include <string.h>

struct uwb_transform {
  fftwf_plan plan;
  fftwf_complex *input, *output;
};

uwb_transform *uwb_transform_create(int points, int is_tried) {
  uwb_transform *transform = malloc(sizeof *transform);
  if (!transform) return NULL;
  size_t bytes = ((sizeof(fftwf_complex) * (size_t)points + 63) / 64) * 64;
  transform->input = aligned_alloc(64, bytes);
  transform->output = aligned_alloc(64, bytes);
  if (!transform->input || !transform->output) return NULL;
  transform->plan =
      fftwf_plan_dft_1d(points, transform->input, transform->output, FFTW_FORWARD,
                        is_tried ? FFTW_MEASURE : FFTW_ESTIMATE);
  for (int index = 0; index < points; index++) {
    transform->input[index][0] = (float)(index % 7);
    transform->input[index][1] = (float)(index % 5);
  }
  return transform->plan ? transform : NULL;
}

void uwb_transform_free(uwb_transform *transform) {
  fftwf_destroy_plan(transform->plan);
  free(transform->input);
  free(transform->output);
  free(transform);
}

void uwb_transform_run(const uwb_transform *transform, int times) {
  for (int index = 0; index < times; index++)
    fftwf_execute_dft(transform->plan, transform->input, transform->output);
}

int64_t uwb_read_memory(const int16_t *numbers, size_t count) {
  int64_t sum = 0;
  // Blocks whose sums fit 32 bits let the compiler use the widest registers.
  for (size_t block = 0; block < count; block += 4096) {
    size_t end = block + 4096 < count ? block + 4096 : count;
    int32_t part = 0;
    for (size_t index = block; index < end; index++) part += numbers[index];
    sum += part;
  }
  return sum;
}

const char *uwb_vector_instructions(void) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f")) return "avx512";
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "avx2";
#elif defined(__aarch64__)
  return "neon";
#endif
  return "base";
}
