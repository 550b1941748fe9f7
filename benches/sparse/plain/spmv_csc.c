/* Compressed columns times a vector. */
#include <stdint.h>
#include <string.h>

int32_t plain(const int64_t *sizes, void *const *buffers) {
  const int64_t N = sizes[0], M = sizes[1];
  const int64_t *restrict pos = buffers[0];
  const int32_t *restrict crd = buffers[1];
  const double *restrict val = buffers[2];
  const double *restrict x = buffers[3];
  double *restrict y = buffers[4];
  memset(y, 0, sizeof(double) * N);
  for (int64_t j = 0; j < M; j++)
    for (int64_t p = pos[j]; p < pos[j + 1]; p++) y[crd[p]] += val[p] * x[j];
  return 0;
}
