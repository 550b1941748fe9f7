/* The product by rows: every access runs along memory, and the compiler can use vectors. */
#include <stdint.h>

int32_t plain(const int64_t *sizes, void *const *buffers) {
  const int64_t M = sizes[0], K = sizes[1], N = sizes[2];
  const float *restrict a = buffers[0];
  const float *restrict b = buffers[1];
  float *restrict out = buffers[2];
#pragma omp parallel for
  for (int64_t i = 0; i < M; i++) {
    for (int64_t j = 0; j < N; j++) out[i * N + j] = 0.0f;
    for (int64_t k = 0; k < K; k++)
      for (int64_t j = 0; j < N; j++) out[i * N + j] += a[i * K + k] * b[k * N + j];
  }
  return 0;
}
