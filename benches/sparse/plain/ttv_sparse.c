/* A tensor, compressed in every dimension, times a sparse vector along the last one: each fibre is merged with it. */
#include <stdint.h>
#include <string.h>

int32_t plain(const int64_t *sizes, void *const *buffers) {
  const int64_t I = sizes[0], K = sizes[1];
  const int64_t *restrict pos1 = buffers[0], *restrict pos2 = buffers[2], *restrict pos3 = buffers[4];
  const int32_t *restrict crd1 = buffers[1], *restrict crd2 = buffers[3], *restrict crd3 = buffers[5];
  const double *restrict val = buffers[6];
  const int64_t *restrict cpos = buffers[7];
  const int32_t *restrict ccrd = buffers[8];
  const double *restrict cval = buffers[9];
  double *restrict out = buffers[10];
  memset(out, 0, sizeof(double) * I * K);
  for (int64_t p = pos1[0]; p < pos1[1]; p++)
    for (int64_t q = pos2[p]; q < pos2[p + 1]; q++) {
      double sum = 0;
      int64_t r = pos3[q], s = cpos[0];
      while (r < pos3[q + 1] && s < cpos[1]) {
        const int32_t j = crd3[r], k = ccrd[s];
        if (j == k) sum += val[r++] * cval[s++];
        else if (j < k) r++;
        else s++;
      }
      out[crd1[p] * K + crd2[q]] = sum;
    }
  return 0;
}
