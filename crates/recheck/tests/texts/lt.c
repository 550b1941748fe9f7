#include <stdint.h>

int32_t lt(int64_t N, const int64_t *restrict x, const int64_t *restrict y, int64_t *restrict out) {
  if (N < 0) return 2;
  for (int64_t i = 0; i < N; i++) {
    out[i] = (x[i] < y[i]) ? INT64_C(1) : INT64_C(2);
  }
  return 0;
}

int32_t lt_call(const int64_t *sizes, void *const *buffers) {
  (void)sizes;
  (void)buffers;
  return lt(sizes[0], buffers[0], buffers[1], buffers[2]);
}
