/* The layer as its formula, the results of a row in the innermost loop, so that the compiler can use vectors. */
#include <stdint.h>

int32_t plain(const int64_t *sizes, void *const *buffers) {
  const int64_t B = sizes[0], C = sizes[1], H = sizes[2], W = sizes[3], K = sizes[4], R = sizes[5], S = sizes[6];
  const int64_t P = H - R + 1, Q = W - S + 1;
  const float *restrict x = buffers[0];
  const float *restrict w = buffers[1];
  float *restrict out = buffers[2];
#pragma omp parallel for collapse(2)
  for (int64_t n = 0; n < B; n++)
    for (int64_t k = 0; k < K; k++)
      for (int64_t p = 0; p < P; p++) {
        float *restrict to = out + ((n * K + k) * P + p) * Q;
        for (int64_t q = 0; q < Q; q++) to[q] = 0.0f;
        for (int64_t c = 0; c < C; c++)
          for (int64_t r = 0; r < R; r++)
            for (int64_t s = 0; s < S; s++) {
              const float weight = w[((k * C + c) * R + r) * S + s];
              const float *from = x + ((n * C + c) * H + p + r) * W + s;
              for (int64_t q = 0; q < Q; q++) to[q] += from[q] * weight;
            }
      }
  return 0;
}
