/* Compressed rows of blocks times a vector, for blocks of any extents. */
#include <stdint.h>
#include <string.h>

/* The extents of blocks are not known where this is compiled. */
static volatile int64_t height = 4, width = 4;

int32_t plain(const int64_t *sizes, void *const *buffers) {
  const int64_t N = sizes[0], M = sizes[1], rows = height, columns = width;
  const int64_t *restrict pos = buffers[0];
  const int32_t *restrict crd = buffers[1];
  const double *restrict val = buffers[2];
  const double *restrict x = buffers[3];
  double *restrict y = buffers[4];
  memset(y, 0, sizeof(double) * N);
  for (int64_t io = 0; io < (N + rows - 1) / rows; io++)
    for (int64_t p = pos[io]; p < pos[io + 1]; p++) {
      const int64_t i0 = io * rows, j0 = crd[p] * columns;
      const int64_t in_rows = N - i0 < rows ? N - i0 : rows, in_columns = M - j0 < columns ? M - j0 : columns;
      for (int64_t i = 0; i < in_rows; i++) {
        double sum = 0;
        for (int64_t j = 0; j < in_columns; j++) sum += val[(p * rows + i) * columns + j] * x[j0 + j];
        y[i0 + i] += sum;
      }
    }
  return 0;
}
