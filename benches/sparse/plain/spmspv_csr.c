/* A matrix by rows times a sparse vector: each row is merged with it. */
#include <stdint.h>

int32_t plain(const int64_t *sizes, void *const *buffers) {
  const int64_t N = sizes[0];
  const int64_t *restrict pos = buffers[0], *restrict xpos = buffers[3];
  const int32_t *restrict crd = buffers[1], *restrict xcrd = buffers[4];
  const double *restrict val = buffers[2], *restrict xval = buffers[5];
  double *restrict out = buffers[6];
  for (int64_t i = 0; i < N; i++) {
    double sum = 0;
    int64_t p = pos[i], q = xpos[0];
    while (p < pos[i + 1] && q < xpos[1]) {
      const int32_t j = crd[p], k = xcrd[q];
      if (j == k) sum += val[p++] * xval[q++];
      else if (j < k) p++;
      else q++;
    }
    out[i] = sum;
  }
  return 0;
}
