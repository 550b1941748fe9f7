/* A matrix by rows times those elements of a sparse vector that are above a bound: each row is merged with it. */
int32_t plain(const int64_t *sizes, void *const *buffers) {
  (void)sizes;
  const int64_t *restrict a1 = buffers[0], *restrict a2 = buffers[2], *restrict xpos = buffers[5];
  const int32_t *restrict ai = buffers[1], *restrict aj = buffers[3], *restrict xj = buffers[6];
  const double *restrict aval = buffers[4], *restrict xval = buffers[7];
  array *pos = buffers[8], *crd = buffers[9], *val = buffers[10];
  pos->len = crd->len = val->len = 0;
  PUSH(pos, int64_t, 0);
  for (int64_t i = a1[0]; i < a1[1]; i++) {
    double sum = 0;
    int64_t p = a2[i], q = xpos[0];
    while (p < a2[i + 1] && q < xpos[1]) {
      if (aj[p] < xj[q]) {
        p++;
      } else if (aj[p] > xj[q]) {
        q++;
      } else {
        if (xval[q] > 0.5) sum += aval[p] * xval[q];
        p++, q++;
      }
    }
    if (sum == 0) continue;
    PUSH(crd, int32_t, ai[i]);
    PUSH(val, double, sum);
  }
  PUSH(pos, int64_t, crd->len);
  return 0;
}
