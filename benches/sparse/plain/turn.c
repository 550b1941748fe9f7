/* A matrix by rows becomes one by columns: the entries that are not zero are counted by column, and each is put into its own. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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
  a->len = count;
  return a->data;
}

int32_t plain(const int64_t *sizes, void *const *buffers) {
  const int64_t N = sizes[0], M = sizes[1];
  const int64_t *restrict apos = buffers[0];
  const int32_t *restrict acrd = buffers[1];
  const double *restrict aval = buffers[2];
  const int64_t len = apos[N];
  int64_t *restrict pos = room(buffers[3], M + 1, sizeof *pos);
  int32_t *restrict crd = room(buffers[4], len, sizeof *crd);
  double *restrict val = room(buffers[5], len, sizeof *val);
  if (pos == NULL || (len > 0 && (crd == NULL || val == NULL))) return 1;
  memset(pos, 0, (size_t)(M + 1) * sizeof *pos);
  for (int64_t p = 0; p < len; p++) pos[acrd[p] + 1] += aval[p] != 0;
  for (int64_t j = 0; j < M; j++) pos[j + 1] += pos[j];
  for (int64_t i = 0; i < N; i++) {
    for (int64_t p = apos[i]; p < apos[i + 1]; p++) {
      if (aval[p] == 0) continue;
      const int64_t to = pos[acrd[p]]++;
      crd[to] = (int32_t)i;
      val[to] = aval[p];
    }
  }
  for (int64_t j = M; j > 0; j--) pos[j] = pos[j - 1];
  pos[0] = 0;
  ((array *)buffers[4])->len = ((array *)buffers[5])->len = pos[M];
  return 0;
}
