/* The inner product of two tensors: slices are merged, fibres of those that meet, and entries of fibres that meet. */
#include <stdint.h>

int32_t plain(const int64_t *sizes, void *const *buffers) {
  (void)sizes;
  const int64_t *restrict a1 = buffers[0], *restrict a2 = buffers[2], *restrict a3 = buffers[4];
  const int64_t *restrict b1 = buffers[7], *restrict b2 = buffers[9], *restrict b3 = buffers[11];
  const int32_t *restrict ai = buffers[1], *restrict ak = buffers[3], *restrict al = buffers[5];
  const int32_t *restrict bi = buffers[8], *restrict bk = buffers[10], *restrict bl = buffers[12];
  const double *restrict aval = buffers[6], *restrict bval = buffers[13];
  double sum = 0;
  int64_t i = a1[0], x = b1[0];
  while (i < a1[1] && x < b1[1]) {
    if (ai[i] < bi[x]) {
      i++;
    } else if (ai[i] > bi[x]) {
      x++;
    } else {
      int64_t k = a2[i], y = b2[x];
      while (k < a2[i + 1] && y < b2[x + 1]) {
        if (ak[k] < bk[y]) {
          k++;
        } else if (ak[k] > bk[y]) {
          y++;
        } else {
          int64_t l = a3[k], z = b3[y];
          while (l < a3[k + 1] && z < b3[y + 1]) {
            if (al[l] < bl[z]) l++;
            else if (al[l] > bl[z]) z++;
            else sum += aval[l++] * bval[z++];
          }
          k++, y++;
        }
      }
      i++, x++;
    }
  }
  *(double *)buffers[14] = sum;
  return 0;
}
