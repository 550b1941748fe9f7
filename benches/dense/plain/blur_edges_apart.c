/* The fused blur as someone tunes it by hand: the edges apart, so that the inner loop tests nothing. */
#include <stdint.h>

static inline float at(const float *img, int64_t N, int64_t M, int64_t y, int64_t x) {
  return y >= 0 && y < N && x >= 0 && x < M ? img[y * M + x] : 0.0f;
}

static inline float row(const float *img, int64_t N, int64_t M, int64_t y, int64_t x) {
  return at(img, N, M, y, x - 1) + at(img, N, M, y, x) + at(img, N, M, y, x + 1);
}

static inline float edge(const float *img, int64_t N, int64_t M, int64_t y, int64_t x) {
  return (row(img, N, M, y - 1, x) + row(img, N, M, y, x) + row(img, N, M, y + 1, x)) / 9.0f;
}

int32_t plain(const int64_t *sizes, void *const *buffers) {
  const int64_t N = sizes[0], M = sizes[1];
  const float *restrict img = buffers[0];
  float *restrict out = buffers[1];
#pragma omp parallel for
  for (int64_t y = 0; y < N; y++) {
    if (y == 0 || y == N - 1 || M < 3) {
      for (int64_t x = 0; x < M; x++) out[y * M + x] = edge(img, N, M, y, x);
      continue;
    }
    const float *above = img + (y - 1) * M, *here = img + y * M, *below = img + (y + 1) * M;
    float *to = out + y * M;
    to[0] = edge(img, N, M, y, 0);
    for (int64_t x = 1; x < M - 1; x++)
      to[x] = ((above[x - 1] + above[x] + above[x + 1]) + (here[x - 1] + here[x] + here[x + 1]) +
               (below[x - 1] + below[x] + below[x + 1])) /
              9.0f;
    to[M - 1] = edge(img, N, M, y, M - 1);
  }
  return 0;
}
