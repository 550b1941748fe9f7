#include <stdint.h>

int32_t g(const float *restrict x, const float *restrict y, float *restrict out) {
  float a[4] __attribute__((aligned(64)));
  for (int64_t i = 0; i < 4; i++) {
    a[i] = x[i] * x[i];
  }
  for (int64_t i = 0; i < 4; i++) {
    out[i] = a[i] + a[3 - i];
  }
  float b[4] __attribute__((aligned(64)));
  for (int64_t i = 0; i < 4; i++) {
    b[i] = y[i] + y[i];
  }
  for (int64_t i = 0; i < 4; i++) {
    out[i + 4] = b[i] * b[3 - i];
  }
  return 0;
}

int32_t g_call(const int64_t *sizes, void *const *buffers) {
  (void)sizes;
  (void)buffers;
  return g(buffers[0], buffers[1], buffers[2]);
}
