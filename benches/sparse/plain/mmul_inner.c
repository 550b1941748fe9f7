/* Inner products: each row of the first matrix is merged with each row of the second, which is stored by its columns. */
int32_t plain(const int64_t *sizes, void *const *buffers) {
  (void)sizes;
  const int64_t *restrict a1 = buffers[0], *restrict a2 = buffers[2], *restrict b1 = buffers[5], *restrict b2 = buffers[7];
  const int32_t *restrict ai = buffers[1], *restrict ak = buffers[3], *restrict bj = buffers[6], *restrict bk = buffers[8];
  const double *restrict aval = buffers[4], *restrict bval = buffers[9];
  array *pos1 = buffers[10], *crd1 = buffers[11], *pos2 = buffers[12], *crd2 = buffers[13], *val = buffers[14];
  pos1->len = crd1->len = pos2->len = crd2->len = val->len = 0;
  PUSH(pos1, int64_t, 0);
  PUSH(pos2, int64_t, 0);
  for (int64_t i = a1[0]; i < a1[1]; i++) {
    const int64_t before = crd2->len;
    for (int64_t j = b1[0]; j < b1[1]; j++) {
      double sum = 0;
      int64_t p = a2[i], q = b2[j];
      while (p < a2[i + 1] && q < b2[j + 1]) {
        if (ak[p] < bk[q]) p++;
        else if (ak[p] > bk[q]) q++;
        else sum += aval[p++] * bval[q++];
      }
      if (sum == 0) continue;
      PUSH(crd2, int32_t, bj[j]);
      PUSH(val, double, sum);
    }
    if (crd2->len == before) continue;
    PUSH(crd1, int32_t, ai[i]);
    PUSH(pos2, int64_t, crd2->len);
  }
  PUSH(pos1, int64_t, crd1->len);
  return 0;
}
