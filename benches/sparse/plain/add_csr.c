/* The sum of two matrices by rows: each row is merged, and what adds up to zero is left out. */
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
  const int64_t N = sizes[0];
  const int64_t *restrict apos = buffers[0], *restrict bpos = buffers[3];
  const int32_t *restrict acrd = buffers[1], *restrict bcrd = buffers[4];
  const double *restrict aval = buffers[2], *restrict bval = buffers[5];
  array *posa = buffers[6], *crda = buffers[7], *vala = buffers[8];
  const int64_t most = apos[N] + bpos[N];
  int64_t *restrict pos = room(posa, N + 1, sizeof *pos);
  int32_t *restrict crd = room(crda, most, sizeof *crd);
  double *restrict val = room(vala, most, sizeof *val);
  if (pos == NULL || (most > 0 && (crd == NULL || val == NULL))) return 1;
  int64_t len = 0;
  pos[0] = 0;
  for (int64_t i = 0; i < N; i++) {
    int64_t p = apos[i], q = bpos[i];
    const int64_t pend = apos[i + 1], qend = bpos[i + 1];
    while (p < pend || q < qend) {
      const int32_t j = p < pend ? acrd[p] : INT32_MAX, k = q < qend ? bcrd[q] : INT32_MAX;
      const int32_t least = j < k ? j : k;
      double sum = 0;
      if (j == least) sum += aval[p++];
      if (k == least) sum += bval[q++];
      if (sum == 0) continue;
      crd[len] = least;
      val[len++] = sum;
    }
    pos[i + 1] = len;
  }
  posa->len = N + 1;
  crda->len = vala->len = len;
  return 0;
}
