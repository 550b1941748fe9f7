/* The product as its formula: a sum for every entry. */
#include <stdint.h>

int32_t plain(const int64_t *sizes, void *const *buffers) {
  const int64_t M = sizes[0], K = sizes[1], N = sizes[2];
  const float *restrict a = buffers[0];
  const float *restrict b = buffers[1];
  float *restrict out = buffers[2];
#pragma omp parallel for
  for (int64_t i = 0; i < M; i++)
    for (int64_t j = 0; j < N; j++) {
      float sum = 0.0f;
      for (int64_t k = 0; k < K; k++) sum += a[i * K + k] * b[k * N + j];
      out[i * N + j] = sum;
    }
  return 0;
}
