/* A sorted list of coordinates times a vector: the end of each row is looked for, then the row is added up. */
#include <stdint.h>
#include <string.h>

int32_t plain(const int64_t *sizes, void *const *buffers) {
  const int64_t N = sizes[0];
  const int64_t *restrict pos = buffers[0];
  const int32_t *restrict row = buffers[1];
  const int32_t *restrict col = buffers[2];
  const double *restrict val = buffers[3];
  const double *restrict x = buffers[4];
  double *restrict y = buffers[5];
  memset(y, 0, sizeof(double) * N);
  for (int64_t p = pos[0]; p < pos[1];) {
    const int32_t i = row[p];
    int64_t end = p + 1;
    while (end < pos[1] && row[end] == i) end++;
    double sum = 0;
    for (; p < end; p++) sum += val[p] * x[col[p]];
    y[i] = sum;
  }
  return 0;
}
