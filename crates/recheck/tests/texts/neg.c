#include <stdint.h>

int32_t neg(int64_t N, const float *restrict x, int64_t *restrict out) {
  if (N < 0) return 2;
  (void)x;
  for (int64_t i = 0; i < N; i++) {
    out[i] = INT64_C(2147483648);
  }
  return 0;
}

int32_t neg_call(const int64_t *sizes, void *const *buffers) {
  (void)sizes;
  (void)buffers;
  return neg(sizes[0], buffers[0], buffers[1]);
}
