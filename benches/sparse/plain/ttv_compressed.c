/* A tensor by fibres times a sparse vector: each fibre is merged with it, and the result's rows hold what is not zero. */
int32_t plain(const int64_t *sizes, void *const *buffers) {
  (void)sizes;
  const int64_t *restrict b1 = buffers[0], *restrict b2 = buffers[2], *restrict b3 = buffers[4], *restrict cpos = buffers[7];
  const int32_t *restrict bi = buffers[1], *restrict bk = buffers[3], *restrict bl = buffers[5], *restrict cl = buffers[8];
  const double *restrict bval = buffers[6], *restrict cval = buffers[9];
  array *pos1 = buffers[10], *crd1 = buffers[11], *pos2 = buffers[12], *crd2 = buffers[13], *val = buffers[14];
  pos1->len = crd1->len = pos2->len = crd2->len = val->len = 0;
  PUSH(pos1, int64_t, 0);
  PUSH(pos2, int64_t, 0);
  for (int64_t i = b1[0]; i < b1[1]; i++) {
    const int64_t before = crd2->len;
    for (int64_t k = b2[i]; k < b2[i + 1]; k++) {
      double sum = 0;
      int64_t p = b3[k], q = cpos[0];
      while (p < b3[k + 1] && q < cpos[1]) {
        if (bl[p] < cl[q]) p++;
        else if (bl[p] > cl[q]) q++;
        else sum += bval[p++] * cval[q++];
      }
      if (sum == 0) continue;
      PUSH(crd2, int32_t, bk[k]);
      PUSH(val, double, sum);
    }
    if (crd2->len == before) continue;
    PUSH(crd1, int32_t, bi[i]);
    PUSH(pos2, int64_t, crd2->len);
  }
  PUSH(pos1, int64_t, crd1->len);
  return 0;
}
