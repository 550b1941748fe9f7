#include <stdint.h>

int32_t lut(int64_t N, int64_t K, const int64_t *restrict x, const float *restrict t, float *restrict out) {
  if (N < 0) return 2;
  if (K < 0) return 2;
  for (int64_t i = 0; i < N; i++) {
    out[i] = ((0 <= x[i]) && (x[i] < K)) ? t[x[i]] : 0.0f;
  }
  return 0;
}

int32_t lut_call(const int64_t *sizes, void *const *buffers) {
  (void)sizes;
  (void)buffers;
  return lut(sizes[0], sizes[1], buffers[0], buffers[1], buffers[2]);
}
