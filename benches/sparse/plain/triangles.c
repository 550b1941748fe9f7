/* The triangles of a graph: for each edge, the rows of its ends are merged. */
#include <stdint.h>

int32_t plain(const int64_t *sizes, void *const *buffers) {
  const int64_t N = sizes[0];
  const int64_t *restrict pos = buffers[0];
  const int32_t *restrict crd = buffers[1];
  const double *restrict val = buffers[2];
  double *restrict out = buffers[3];
  double sum = 0;
  for (int64_t a = 0; a < N; a++) {
    for (int64_t e = pos[a]; e < pos[a + 1]; e++) {
      const int32_t b = crd[e];
      int64_t p = pos[a], q = pos[b];
      while (p < pos[a + 1] && q < pos[b + 1]) {
        const int32_t j = crd[p], k = crd[q];
        if (j == k) sum += val[e] * val[q++] * val[p++];
        else if (j < k) p++;
        else q++;
      }
    }
  }
  out[0] = sum;
  return 0;
}
