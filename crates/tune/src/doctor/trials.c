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

static uint64_t bits(const char *at, int64_t width) {
  uint64_t bits = 0;
  memcpy(&bits, at, (size_t)width);
  return bits;
}

/* Is it above infinity, but for the sign? */
static int is_nan(uint64_t bits, uint64_t infinity) {
  uint64_t fraction = (infinity & -infinity) - 1;
  return (bits & infinity) == infinity && (bits & fraction) != 0;
}

static int equal(const char *a, const char *b, int64_t length, int64_t width, int64_t infinity) {
  if (infinity == 0) return memcmp(a, b, (size_t)length) == 0;
  for (int64_t k = 0; k < length; k += width) {
    uint64_t x = bits(a + k, width), y = bits(b + k, width);
    if (x != y && !(is_nan(x, (uint64_t)infinity) && is_nan(y, (uint64_t)infinity))) return 0;
  }
  return 1;
}

int main(int count, char **arguments) {
  if (count != 2 || (file = fopen(arguments[1], "rb")) == NULL) return 2;
  int64_t kernel, width, infinity, last = -1;
  while (number(&kernel)) {
    int64_t sizes[16], n, inputs, length;
    void *buffers[16];
    if (!number(&width) || !number(&infinity) || !number(&n) || n > 16) return 3;
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
    int wrong = kernels[kernel](sizes, buffers) != 0 || !equal(result, expected, length, width, infinity);
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
