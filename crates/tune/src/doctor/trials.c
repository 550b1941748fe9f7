/* Calls the kernels of the table on what the file says, and prints the numbers of those that give other bits. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What stands before and after a result, and must stay. */
enum { MARGIN = 256 };

static FILE *file;

static int number(int64_t *n) { return fread(n, sizeof *n, 1, file) == 1; }

static void *bytes(int64_t *length) {
  if (!number(length)) exit(3);
  void *memory = aligned_alloc(64, (size_t)(*length + 64) / 64 * 64);
  if (memory == NULL || fread(memory, 1, (size_t)*length, file) != (size_t)*length) exit(3);
  return memory;
}

static int equal(const char *a, const char *b, int64_t length, int64_t width) {
  if (width == 0) return memcmp(a, b, (size_t)length) == 0;
  for (int64_t k = 0; k < length; k += width) {
    if (memcmp(a + k, b + k, (size_t)width) == 0) continue;
    float f, g;
    double x, y;
    if (width == 4) {
      memcpy(&f, a + k, sizeof f);
      memcpy(&g, b + k, sizeof g);
      x = f;
      y = g;
    } else {
      memcpy(&x, a + k, sizeof x);
      memcpy(&y, b + k, sizeof y);
    }
    if (!isnan(x) || !isnan(y)) return 0;
  }
  return 1;
}

int main(int count, char **arguments) {
  if (count != 2 || (file = fopen(arguments[1], "rb")) == NULL) return 2;
  int64_t kernel, width, last = -1;
  while (number(&kernel)) {
    int64_t sizes[16], n, inputs, length;
    void *buffers[16];
    if (!number(&width) || !number(&n) || n > 16) return 3;
    for (int64_t k = 0; k < n; k++)
      if (!number(&sizes[k])) return 3;
    if (!number(&inputs) || inputs > 15) return 3;
    for (int64_t k = 0; k < inputs; k++) buffers[k] = bytes(&length);
    char *expected = bytes(&length);
    char *memory = aligned_alloc(64, (size_t)(length + 2 * MARGIN + 64) / 64 * 64);
    if (memory == NULL) return 3;
    memset(memory, 0xa5, (size_t)length + 2 * MARGIN);
    char *result = memory + MARGIN;
    buffers[inputs] = result;
    int wrong = kernels[kernel](sizes, buffers) != 0 || !equal(result, expected, length, width);
    for (int k = 0; k < MARGIN; k++)
      wrong |= (unsigned char)memory[k] != 0xa5 || (unsigned char)result[length + k] != 0xa5;
    if (wrong && kernel != last) {
      printf("%lld\n", (long long)kernel);
      fflush(stdout);
      last = kernel;
    }
    for (int64_t k = 0; k < inputs; k++) free(buffers[k]);
    free(expected);
    free(memory);
  }
  return 0;
}
