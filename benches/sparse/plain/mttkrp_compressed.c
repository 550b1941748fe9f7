/* A tensor by fibres with two sparse factors: slices are merged with the one's rows, fibres with the other's, and the rows
   that meet with each other; a slice adds up in a dense workspace. */
int32_t plain(const int64_t *sizes, void *const *buffers) {
  const int64_t R = sizes[3];
  const int64_t *restrict b1 = buffers[0], *restrict b2 = buffers[2], *restrict b3 = buffers[4];
  const int64_t *restrict c1 = buffers[7], *restrict c2 = buffers[9], *restrict d1 = buffers[12], *restrict d2 = buffers[14];
  const int32_t *restrict bi = buffers[1], *restrict bk = buffers[3], *restrict bl = buffers[5];
  const int32_t *restrict ck = buffers[8], *restrict cr = buffers[10], *restrict dl = buffers[13], *restrict dr = buffers[15];
  const double *restrict bval = buffers[6], *restrict cval = buffers[11], *restrict dval = buffers[16];
  array *pos1 = buffers[17], *crd1 = buffers[18], *pos2 = buffers[19], *crd2 = buffers[20], *val = buffers[21];
  /* Kept between calls. */
  static double *restrict sums;
  static int64_t room;
  if (room < R) {
    free(sums);
    sums = calloc((size_t)R, sizeof *sums);
    if (sums == NULL) return 1;
    room = R;
  }
  pos1->len = crd1->len = pos2->len = crd2->len = val->len = 0;
  PUSH(pos1, int64_t, 0);
  PUSH(pos2, int64_t, 0);
  for (int64_t i = b1[0]; i < b1[1]; i++) {
    int64_t k = b2[i], c = c1[0];
    while (k < b2[i + 1] && c < c1[1]) {
      if (bk[k] < ck[c]) {
        k++;
        continue;
      }
      if (bk[k] > ck[c]) {
        c++;
        continue;
      }
      int64_t l = b3[k], d = d1[0];
      while (l < b3[k + 1] && d < d1[1]) {
        if (bl[l] < dl[d]) {
          l++;
          continue;
        }
        if (bl[l] > dl[d]) {
          d++;
          continue;
        }
        int64_t p = c2[c], q = d2[d];
        while (p < c2[c + 1] && q < d2[d + 1]) {
          if (cr[p] < dr[q]) p++;
          else if (cr[p] > dr[q]) q++;
          else sums[cr[p]] += bval[l] * cval[p] * dval[q], p++, q++;
        }
        l++, d++;
      }
      k++, c++;
    }
    const int64_t before = crd2->len;
    for (int64_t r = 0; r < R; r++) {
      if (sums[r] == 0) continue;
      PUSH(crd2, int32_t, (int32_t)r);
      PUSH(val, double, sums[r]);
      sums[r] = 0;
    }
    if (crd2->len == before) continue;
    PUSH(crd1, int32_t, bi[i]);
    PUSH(pos2, int64_t, crd2->len);
  }
  PUSH(pos1, int64_t, crd1->len);
  return 0;
}
