/* The product of two matrices by rows: a row adds up in a dense workspace with a list of its columns, which are sorted. */
int32_t plain(const int64_t *sizes, void *const *buffers) {
  const int64_t N = sizes[0], K = sizes[2];
  const int64_t *restrict apos = buffers[0], *restrict bpos = buffers[3];
  const int32_t *restrict acrd = buffers[1], *restrict bcrd = buffers[4];
  const double *restrict aval = buffers[2], *restrict bval = buffers[5];
  array *pos = buffers[6], *crd = buffers[7], *val = buffers[8];
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
  if (!reserve(pos, N + 1, sizeof(int64_t))) return 1;
  int64_t len = 0;
  ((int64_t *)pos->data)[0] = 0;
  for (int64_t i = 0; i < N; i++) {
    int64_t count = 0;
    for (int64_t p = apos[i]; p < apos[i + 1]; p++) {
      for (int64_t q = bpos[acrd[p]]; q < bpos[acrd[p] + 1]; q++) {
        const int32_t k = bcrd[q];
        if (met[k]) {
          sums[k] += aval[p] * bval[q];
        } else {
          met[k] = true;
          sums[k] = aval[p] * bval[q];
          list[count++] = k;
        }
      }
    }
    qsort(list, (size_t)count, sizeof *list, by_number);
    if (!reserve(crd, len + count, sizeof(int32_t)) || !reserve(val, len + count, sizeof(double))) return 1;
    for (int64_t l = 0; l < count; l++) {
      const int32_t k = list[l];
      met[k] = false;
      if (sums[k] == 0) continue;
      ((int32_t *)crd->data)[len] = k;
      ((double *)val->data)[len++] = sums[k];
    }
    ((int64_t *)pos->data)[i + 1] = len;
  }
  pos->len = N + 1;
  crd->len = val->len = len;
  return 0;
}
