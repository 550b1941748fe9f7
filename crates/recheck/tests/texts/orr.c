#include <stdint.h>

int32_t orr(int64_t N, const int32_t *restrict x, int64_t *restrict out) {
  if (N < 0) return 2;
  for (int64_t i = 0; i < N; i++) {
    out[i] = (int64_t)((int32_t)(x[i] | 5));
  }
  return 0;
}

int32_t orr_call(const int64_t *sizes, void *const *buffers) {
  (void)sizes;
  (void)buffers;
  return orr(sizes[0], buffers[0], buffers[1]);
}
