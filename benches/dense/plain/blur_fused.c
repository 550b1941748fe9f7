/* The blur in one nest: every pixel reads its nine neighbours, and tests for the edges of the image. */
#include <stdint.h>

static inline float at(const float *img, int64_t N, int64_t M, int64_t y, int64_t x) {
  return y >= 0 && y < N && x >= 0 && x < M ? img[y * M + x] : 0.0f;
}

static inline float row(const float *img, int64_t N, int64_t M, int64_t y, int64_t x) {
  return at(img, N, M, y, x - 1) + at(img, N, M, y, x) + at(img, N, M, y, x + 1);
}

int32_t plain(const int64_t *sizes, void *const *buffers) {
  const int64_t N = sizes[0], M = sizes[1];
  const float *restrict img = buffers[0];
  float *restrict out = buffers[1];
#pragma omp parallel for
  for (int64_t y = 0; y < N; y++)
    for (int64_t x = 0; x < M; x++)
      out[y * M + x] = (row(img, N, M, y - 1, x) + row(img, N, M, y, x) + row(img, N, M, y + 1, x)) / 9.0f;
  return 0;
}
