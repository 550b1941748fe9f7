/* Products of two dense matrices where compressed rows have entries; the result is dense. */
#include <stdint.h>
#include <string.h>

int32_t plain(const int64_t *sizes, void *const *buffers) {
  const int64_t N = sizes[0], M = sizes[1], K = sizes[2];
  const int64_t *restrict pos = buffers[0];
  const int32_t *restrict crd = buffers[1];
  const double *restrict val = buffers[2];
  const double *restrict b = buffers[3];
  const double *restrict c = buffers[4];
  double *restrict out = buffers[5];
  memset(out, 0, sizeof(double) * N * M);
  for (int64_t i = 0; i < N; i++)
    for (int64_t p = pos[i]; p < pos[i + 1]; p++) {
      double sum = 0;
      for (int64_t k = 0; k < K; k++) sum += b[i * K + k] * c[k * M + crd[p]];
      out[i * M + crd[p]] = val[p] * sum;
    }
  return 0;
}
