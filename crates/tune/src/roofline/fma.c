/* A bound for what computes: chains of fused products and sums in registers, enough of them to hide their latency. Each
   of `sizes[0]` parts takes `sizes[1]` steps of 12 vectors. SCALAR is defined by whoever compiles this. */
#include <stdint.h>

#if defined(__AVX512F__)
#define BYTES 64
#elif defined(__AVX__)
#define BYTES 32
#else
#define BYTES 16
#endif

typedef SCALAR lanes __attribute__((vector_size(BYTES)));

#define EACH(do) do(0) do(1) do(2) do(3) do(4) do(5) do(6) do(7) do(8) do(9) do(10) do(11)
#define BEGIN(i) lanes s##i = x * (SCALAR)i;
#define STEP(i) s##i = s##i * x + y;
#define END(i) total += s##i;

int32_t roof(const int64_t *sizes, void *const *buffers) {
  const int64_t parts = sizes[0], steps = sizes[1];
  const SCALAR *restrict in = buffers[0];
  SCALAR *restrict out = buffers[1];
#pragma omp parallel for
  for (int64_t p = 0; p < parts; p++) {
    lanes x, y, total = {0};
    for (int l = 0; l < (int)(BYTES / sizeof(SCALAR)); l++) x[l] = in[0] * (SCALAR)0.5, y[l] = in[0];
    EACH(BEGIN)
    for (int64_t t = 0; t < steps; t++) { EACH(STEP) }
    EACH(END)
    SCALAR sum = 0;
    for (int l = 0; l < (int)(BYTES / sizeof(SCALAR)); l++) sum += total[l];
    out[p] = sum;
  }
  return 0;
}
