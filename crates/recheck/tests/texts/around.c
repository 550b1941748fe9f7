#include <stdint.h>

int32_t f(int64_t N, const float *restrict x, float *restrict out) {
  if (N < 0) return 2;
  float a[256] __attribute__((aligned(64)));
  #pragma omp parallel for schedule(static) if (1 < N)
  for (int64_t i = 0; i < N; i++) {
    float b[256] __attribute__((aligned(64)));
    for (int64_t j = 0; j < 256; j++) {
      b[j] = x[i] * x[i];
    }
    for (int64_t j = 0; j < 256; j++) {
      out[i * 256 + j] = b[255 - j] + b[j];
    }
  }
  return 0;
}

int32_t f_call(const int64_t *sizes, void *const *buffers) {
  (void)sizes;
  (void)buffers;
  return f(sizes[0], buffers[0], buffers[1]);
}
