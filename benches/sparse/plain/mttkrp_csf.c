/* A tensor, compressed in every dimension, times two factors: one fused nest. */
#include <stdint.h>
#include <string.h>

int32_t plain(const int64_t *sizes, void *const *buffers) {
  const int64_t I = sizes[0], R = sizes[3];
  const int64_t *restrict pos1 = buffers[0], *restrict pos2 = buffers[2], *restrict pos3 = buffers[4];
  const int32_t *restrict crd1 = buffers[1], *restrict crd2 = buffers[3], *restrict crd3 = buffers[5];
  const double *restrict val = buffers[6];
  const double *restrict c = buffers[7];
  const double *restrict d = buffers[8];
  double *restrict out = buffers[9];
  memset(out, 0, sizeof(double) * I * R);
  for (int64_t p = pos1[0]; p < pos1[1]; p++)
    for (int64_t q = pos2[p]; q < pos2[p + 1]; q++)
      for (int64_t s = pos3[q]; s < pos3[q + 1]; s++)
        for (int64_t r = 0; r < R; r++)
          out[crd1[p] * R + r] += val[s] * d[crd3[s] * R + r] * c[crd2[q] * R + r];
  return 0;
}
