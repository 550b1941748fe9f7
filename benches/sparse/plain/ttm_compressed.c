/* A tensor by fibres times a sparse matrix by rows: each fibre is merged with each row. */
int32_t plain(const int64_t *sizes, void *const *buffers) {
  (void)sizes;
  const int64_t *restrict b1 = buffers[0], *restrict b2 = buffers[2], *restrict b3 = buffers[4];
  const int64_t *restrict c1 = buffers[7], *restrict c2 = buffers[9];
  const int32_t *restrict bi = buffers[1], *restrict bk = buffers[3], *restrict bl = buffers[5];
  const int32_t *restrict cr = buffers[8], *restrict cl = buffers[10];
  const double *restrict bval = buffers[6], *restrict cval = buffers[11];
  array *pos1 = buffers[12], *crd1 = buffers[13], *pos2 = buffers[14], *crd2 = buffers[15];
  array *pos3 = buffers[16], *crd3 = buffers[17], *val = buffers[18];
  pos1->len = crd1->len = pos2->len = crd2->len = pos3->len = crd3->len = val->len = 0;
  PUSH(pos1, int64_t, 0);
  PUSH(pos2, int64_t, 0);
  PUSH(pos3, int64_t, 0);
  for (int64_t i = b1[0]; i < b1[1]; i++) {
    const int64_t fibres = crd2->len;
    for (int64_t k = b2[i]; k < b2[i + 1]; k++) {
      const int64_t entries = crd3->len;
      for (int64_t r = c1[0]; r < c1[1]; r++) {
        double sum = 0;
        int64_t p = b3[k], q = c2[r];
        while (p < b3[k + 1] && q < c2[r + 1]) {
          if (bl[p] < cl[q]) p++;
          else if (bl[p] > cl[q]) q++;
          else sum += bval[p++] * cval[q++];
        }
        if (sum == 0) continue;
        PUSH(crd3, int32_t, cr[r]);
        PUSH(val, double, sum);
      }
      if (crd3->len == entries) continue;
      PUSH(crd2, int32_t, bk[k]);
      PUSH(pos3, int64_t, crd3->len);
    }
    if (crd2->len == fibres) continue;
    PUSH(crd1, int32_t, bi[i]);
    PUSH(pos2, int64_t, crd2->len);
  }
  PUSH(pos1, int64_t, crd1->len);
  return 0;
}
