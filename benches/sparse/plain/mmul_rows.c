/* Rows combined: a row of the first matrix is merged with the list of the second's rows; what it meets adds up in a dense
   workspace with a list of columns, which are sorted. */
int32_t plain(const int64_t *sizes, void *const *buffers) {
  const int64_t K = sizes[2];
  const int64_t *restrict a1 = buffers[0], *restrict a2 = buffers[2], *restrict b1 = buffers[5], *restrict b2 = buffers[7];
  const int32_t *restrict ai = buffers[1], *restrict ak = buffers[3], *restrict bk = buffers[6], *restrict bj = buffers[8];
  const double *restrict aval = buffers[4], *restrict bval = buffers[9];
  array *pos1 = buffers[10], *crd1 = buffers[11], *pos2 = buffers[12], *crd2 = buffers[13], *val = buffers[14];
  /* Kept between calls. */
  static double *restrict sums;
  static bool *restrict met;
  static int32_t *restrict list;
  static int64_t room;
  if (room < K) {
    free(sums), free(met), free(list);
    sums = malloc((size_t)K * sizeof *sums), met = calloc((size_t)K, 1), list = malloc((size_t)K * sizeof *list);
    if (sums == NULL || met == NULL || list == NULL) return 1;
    room = K;
  }
  pos1->len = crd1->len = pos2->len = crd2->len = val->len = 0;
  PUSH(pos1, int64_t, 0);
  PUSH(pos2, int64_t, 0);
  for (int64_t i = a1[0]; i < a1[1]; i++) {
    int64_t count = 0, p = a2[i], q = b1[0];
    while (p < a2[i + 1] && q < b1[1]) {
      if (ak[p] < bk[q]) {
        p++;
      } else if (ak[p] > bk[q]) {
        q++;
      } else {
        for (int64_t r = b2[q]; r < b2[q + 1]; r++) {
          const int32_t j = bj[r];
          if (met[j]) {
            sums[j] += aval[p] * bval[r];
          } else {
            met[j] = true;
            sums[j] = aval[p] * bval[r];
            list[count++] = j;
          }
        }
        p++, q++;
      }
    }
    qsort(list, (size_t)count, sizeof *list, by_number);
    const int64_t before = crd2->len;
    for (int64_t l = 0; l < count; l++) {
      const int32_t j = list[l];
      met[j] = false;
      if (sums[j] == 0) continue;
      PUSH(crd2, int32_t, j);
      PUSH(val, double, sums[j]);
    }
    if (crd2->len == before) continue;
    PUSH(crd1, int32_t, ai[i]);
    PUSH(pos2, int64_t, crd2->len);
  }
  PUSH(pos1, int64_t, crd1->len);
  return 0;
}
