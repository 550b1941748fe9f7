/* Diagonals times a vector. */
#include <stdint.h>
#include <string.h>

int32_t plain(const int64_t *sizes, void *const *buffers) {
  const int64_t N = sizes[0], M = sizes[1], length = N < M ? N : M;
  const int64_t *restrict pos = buffers[0];
  const int32_t *restrict crd = buffers[1];
  const double *restrict val = buffers[2];
  const double *restrict x = buffers[3];
  double *restrict y = buffers[4];
  memset(y, 0, sizeof(double) * N);
  for (int64_t d = pos[0]; d < pos[1]; d++) {
    const int64_t offset = crd[d];
    const int64_t first = offset < 0 ? -offset : 0, end = M - offset < N ? M - offset : N;
    for (int64_t i = first; i < end; i++) y[i] += val[d * length + i - first] * x[i + offset];
  }
  return 0;
}
