/* A tensor whose fibres are compressed in every row, times two factors: one fused nest. */
#include <stdint.h>
#include <string.h>

int32_t plain(const int64_t *sizes, void *const *buffers) {
  const int64_t I = sizes[0], R = sizes[3];
  const int64_t *restrict pos2 = buffers[0], *restrict pos3 = buffers[2];
  const int32_t *restrict crd2 = buffers[1], *restrict crd3 = buffers[3];
  const double *restrict val = buffers[4];
  const double *restrict c = buffers[5];
  const double *restrict d = buffers[6];
  double *restrict out = buffers[7];
  memset(out, 0, sizeof(double) * I * R);
#pragma omp parallel for
  for (int64_t i = 0; i < I; i++)
    for (int64_t q = pos2[i]; q < pos2[i + 1]; q++)
      for (int64_t s = pos3[q]; s < pos3[q + 1]; s++)
        for (int64_t r = 0; r < R; r++) out[i * R + r] += val[s] * d[crd3[s] * R + r] * c[crd2[q] * R + r];
  return 0;
}
