#include <stdint.h>

int32_t sel(int64_t N, const float *restrict x, int64_t *restrict out) {
  if (N < 0) return 2;
  for (int64_t i = 0; i < N; i++) {
    out[i] = (x[i] < 1.0f) ? INT64_C(-1) : INT64_C(5);
  }
  return 0;
}

int32_t sel_call(const int64_t *sizes, void *const *buffers) {
  (void)sizes;
  (void)buffers;
  return sel(sizes[0], buffers[0], buffers[1]);
}
