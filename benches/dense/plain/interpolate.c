/* Interpolation factored by hand: one axis after the other, the products between in a block on the stack. */
#include <stdint.h>

enum { MOST = 16 };

int32_t plain(const int64_t *sizes, void *const *buffers) {
  const int64_t Q = sizes[0], P = sizes[1], E = sizes[2];
  const float *restrict a = buffers[0];
  const float *restrict u = buffers[1];
  float *restrict out = buffers[2];
  if (P > MOST || Q > MOST) return 1;
#pragma omp parallel for
  for (int64_t e = 0; e < E; e++) {
    float s[MOST * MOST * MOST], t[MOST * MOST * MOST];
    const float *v = u + e * P * P * P;
    float *to = out + e * Q * Q * Q;
    for (int64_t l = 0; l < P; l++)
      for (int64_t m = 0; m < P; m++)
        for (int64_t k = 0; k < Q; k++) {
          float sum = 0.0f;
          for (int64_t n = 0; n < P; n++) sum += a[k * P + n] * v[(l * P + m) * P + n];
          s[(l * P + m) * Q + k] = sum;
        }
    for (int64_t l = 0; l < P; l++)
      for (int64_t j = 0; j < Q; j++) {
        float *row = t + (l * Q + j) * Q;
        for (int64_t k = 0; k < Q; k++) row[k] = 0.0f;
        for (int64_t m = 0; m < P; m++)
          for (int64_t k = 0; k < Q; k++) row[k] += a[j * P + m] * s[(l * P + m) * Q + k];
      }
    for (int64_t i = 0; i < Q; i++) {
      for (int64_t jk = 0; jk < Q * Q; jk++) to[i * Q * Q + jk] = 0.0f;
      for (int64_t l = 0; l < P; l++)
        for (int64_t jk = 0; jk < Q * Q; jk++) to[i * Q * Q + jk] += a[i * P + l] * t[l * Q * Q + jk];
    }
  }
  return 0;
}
