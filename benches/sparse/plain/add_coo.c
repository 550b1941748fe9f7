/* The sum of two lists of entries: both are sorted, and merged; what adds up to zero is left out. */
#include <stdint.h>
#include <stdlib.h>

typedef struct {
  void *data;
  int64_t len, cap;
} array;

static void *room(array *a, int64_t count, int64_t size) {
  if (count > a->cap) {
    void *data = realloc(a->data, (size_t)(count * size));
    if (data == NULL) return NULL;
    a->data = data;
    a->cap = count;
  }
  return a->data;
}

int32_t plain(const int64_t *sizes, void *const *buffers) {
  (void)sizes;
  const int64_t *restrict apos = buffers[0], *restrict bpos = buffers[4];
  const int32_t *restrict ai = buffers[1], *restrict aj = buffers[2], *restrict bi = buffers[5], *restrict bj = buffers[6];
  const double *restrict aval = buffers[3], *restrict bval = buffers[7];
  array *posa = buffers[8], *ia = buffers[9], *ja = buffers[10], *vala = buffers[11];
  const int64_t pend = apos[1], qend = bpos[1];
  int64_t p = apos[0], q = bpos[0], len = 0;
  const int64_t most = pend - p + qend - q;
  int64_t *restrict pos = room(posa, 2, sizeof *pos);
  int32_t *restrict is = room(ia, most, sizeof *is), *restrict js = room(ja, most, sizeof *js);
  double *restrict val = room(vala, most, sizeof *val);
  if (pos == NULL || (most > 0 && (is == NULL || js == NULL || val == NULL))) return 1;
  while (p < pend || q < qend) {
    int first = p < pend, second = q < qend;
    if (first && second) {
      if (ai[p] < bi[q] || (ai[p] == bi[q] && aj[p] < bj[q])) {
        second = 0;
      } else if (ai[p] != bi[q] || aj[p] != bj[q]) {
        first = 0;
      }
    }
    const int32_t i = first ? ai[p] : bi[q], j = first ? aj[p] : bj[q];
    double sum = 0;
    if (first) sum += aval[p++];
    if (second) sum += bval[q++];
    if (sum == 0) continue;
    is[len] = i;
    js[len] = j;
    val[len++] = sum;
  }
  pos[0] = 0;
  pos[1] = len;
  posa->len = 2;
  ia->len = ja->len = vala->len = len;
  return 0;
}
