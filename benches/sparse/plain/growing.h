/* Arrays that grow, for results in a format; what follows is one function that fills them. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct {
  void *data;
  int64_t len, cap;
} array;

/* Room for so many elements: twice as many as before, if that is enough. */
static inline bool reserve(array *a, int64_t count, int64_t size) {
  if (count <= a->cap) return true;
  const int64_t cap = count < 2 * a->cap ? 2 * a->cap : count;
  void *data = realloc(a->data, (size_t)(cap * size));
  if (data == NULL) return false;
  a->data = data;
  a->cap = cap;
  return true;
}

#define PUSH(a, type, value)                                      \
  do {                                                            \
    if (!reserve((a), (a)->len + 1, sizeof(type))) return 1;      \
    ((type *)(a)->data)[(a)->len++] = (value);                    \
  } while (0)

static inline int by_number(const void *a, const void *b) {
  const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

