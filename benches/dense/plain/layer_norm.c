/* Every row with mean 0 and variance 1, then scaled and shifted. */
#include <math.h>
#include <stdint.h>

int32_t plain(const int64_t *sizes, void *const *buffers) {
  const int64_t N = sizes[0], M = sizes[1];
  const float *restrict x = buffers[0];
  const float *restrict scale = buffers[1];
  const float *restrict shift = buffers[2];
  float *restrict out = buffers[3];
#pragma omp parallel for
  for (int64_t i = 0; i < N; i++) {
    const float *from = x + i * M;
    float *to = out + i * M;
    float sum = 0.0f, squares = 0.0f;
    for (int64_t j = 0; j < M; j++) sum += from[j];
    const float mean = sum / (float)M;
    for (int64_t j = 0; j < M; j++) squares += (from[j] - mean) * (from[j] - mean);
    const float deviation = sqrtf(squares / (float)M + 0.00001f);
    for (int64_t j = 0; j < M; j++) to[j] = (from[j] - mean) / deviation * scale[j] + shift[j];
  }
  return 0;
}
