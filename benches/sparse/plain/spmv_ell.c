/* Rows of at most 24 entries times a vector; a row ends at the coordinate -1. */
#include <stdint.h>

enum { WIDTH = 24 };

int32_t plain(const int64_t *sizes, void *const *buffers) {
  const int64_t N = sizes[0];
  const int32_t *restrict crd = buffers[0];
  const double *restrict val = buffers[1];
  const double *restrict x = buffers[2];
  double *restrict y = buffers[3];
#pragma omp parallel for
  for (int64_t i = 0; i < N; i++) {
    double sum = 0;
    for (int64_t p = i * WIDTH; p < (i + 1) * WIDTH && crd[p] >= 0; p++) sum += val[p] * x[crd[p]];
    y[i] = sum;
  }
  return 0;
}
