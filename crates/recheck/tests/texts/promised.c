#include <stdint.h>

int32_t f(int64_t N, int64_t M, const float *restrict x, const uint8_t *restrict t, float *restrict out) {
  if (N < 0) return 2;
  if (M < 0) return 2;
  (void)t;
  #pragma omp parallel for schedule(static) if (1 < N)
  for (int64_t i = 0; i < N; i++) {
    out[i] = x[i] + x[i];
  }
  return 0;
}

int32_t f_call(const int64_t *sizes, void *const *buffers) {
  (void)sizes;
  (void)buffers;
  return f(sizes[0], sizes[1], buffers[0], buffers[1], buffers[2]);
}
