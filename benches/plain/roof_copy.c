/* A bound for what moves memory: one read and one write of every cell. */
#include <stdint.h>

int32_t plain(const int64_t *sizes, void *const *buffers) {
  const int64_t n = sizes[0];
  const float *restrict x = buffers[0];
  float *restrict y = buffers[1];
#pragma omp parallel for simd
  for (int64_t i = 0; i < n; i++) y[i] = x[i] + 1.0f;
  return 0;
}
