/* Compressed rows times a matrix. */
#include <stdint.h>

int32_t plain(const int64_t *sizes, void *const *buffers) {
  const int64_t N = sizes[0], K = sizes[2];
  const int64_t *restrict pos = buffers[0];
  const int32_t *restrict crd = buffers[1];
  const double *restrict val = buffers[2];
  const double *restrict b = buffers[3];
  double *restrict c = buffers[4];
#pragma omp parallel for
  for (int64_t i = 0; i < N; i++) {
    for (int64_t k = 0; k < K; k++) c[i * K + k] = 0;
    for (int64_t p = pos[i]; p < pos[i + 1]; p++)
      for (int64_t k = 0; k < K; k++) c[i * K + k] += val[p] * b[crd[p] * K + k];
  }
  return 0;
}
