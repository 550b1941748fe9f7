/* Compressed rows times a vector. */
#include <stdint.h>

int32_t plain(const int64_t *sizes, void *const *buffers) {
  const int64_t N = sizes[0];
  const int64_t *restrict pos = buffers[0];
  const int32_t *restrict crd = buffers[1];
  const double *restrict val = buffers[2];
  const double *restrict x = buffers[3];
  double *restrict y = buffers[4];
#pragma omp parallel for
  for (int64_t i = 0; i < N; i++) {
    double sum = 0;
    for (int64_t p = pos[i]; p < pos[i + 1]; p++) sum += val[p] * x[crd[p]];
    y[i] = sum;
  }
  return 0;
}
