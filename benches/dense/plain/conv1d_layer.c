/* The layer as its formula, the results of a row in the innermost loop, so that the compiler can use vectors. */
#include <stdint.h>

int32_t plain(const int64_t *sizes, void *const *buffers) {
  const int64_t B = sizes[0], C = sizes[1], W = sizes[2], K = sizes[3], R = sizes[4], P = W - R + 1;
  const float *restrict x = buffers[0];
  const float *restrict w = buffers[1];
  float *restrict out = buffers[2];
#pragma omp parallel for collapse(2)
  for (int64_t n = 0; n < B; n++)
    for (int64_t k = 0; k < K; k++) {
      float *restrict to = out + (n * K + k) * P;
      for (int64_t p = 0; p < P; p++) to[p] = 0.0f;
      for (int64_t c = 0; c < C; c++)
        for (int64_t r = 0; r < R; r++) {
          const float weight = w[(k * C + c) * R + r];
          const float *from = x + (n * C + c) * W + r;
          for (int64_t p = 0; p < P; p++) to[p] += from[p] * weight;
        }
    }
  return 0;
}
