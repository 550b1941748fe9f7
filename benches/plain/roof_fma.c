/* A bound for what computes: chains of fused products and sums, enough of them to hide their latency. Each of `chunks`
   results takes `steps` times 16 vectors of 16 lanes. */
#include <stdint.h>

typedef float lanes __attribute__((vector_size(64)));

#define EACH(do) do(0) do(1) do(2) do(3) do(4) do(5) do(6) do(7) do(8) do(9) do(10) do(11) do(12) do(13) do(14) do(15)
#define BEGIN(i) lanes s##i = x * (float)i;
#define STEP(i) s##i = s##i * x + y;
#define END(i) total += s##i;

int32_t plain(const int64_t *sizes, void *const *buffers) {
  const int64_t chunks = sizes[0], steps = sizes[1];
  const float *restrict in = buffers[0];
  float *restrict out = buffers[1];
#pragma omp parallel for
  for (int64_t c = 0; c < chunks; c++) {
    lanes x, y, total = {0};
    for (int l = 0; l < 16; l++) x[l] = in[0] * 0.5f, y[l] = in[0];
    EACH(BEGIN)
    for (int64_t t = 0; t < steps; t++) { EACH(STEP) }
    EACH(END)
    out[c] = total[0];
  }
  return 0;
}
