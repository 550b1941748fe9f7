/* A product and a sum in every place. */
#include <stdint.h>

int32_t plain(const int64_t *sizes, void *const *buffers) {
  const int64_t N = sizes[0];
  const float *restrict a = buffers[0];
  const float *restrict b = buffers[1];
  const float *restrict c = buffers[2];
  float *restrict out = buffers[3];
#pragma omp parallel for
  for (int64_t i = 0; i < N; i++) out[i] = a[i] * b[i] + c[i];
  return 0;
}
