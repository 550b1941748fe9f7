// The same as a competent programmer first writes it: no library, no intrinsics, no threads.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void life(int64_t N, int64_t M, const uint8_t *restrict g, uint8_t *restrict out) {
  for (int64_t y = 0; y < N; y++) {
    const uint8_t *a = g + (y ? y - 1 : N - 1) * M, *b = g + y * M, *c = g + (y < N - 1 ? y + 1 : 0) * M;
    for (int64_t x = 0; x < M; x++) {
      int64_t l = x ? x - 1 : M - 1, r = x < M - 1 ? x + 1 : 0;
      int n = a[l] + a[x] + a[r] + b[l] + b[r] + c[l] + c[x] + c[r];
      out[y * M + x] = n == 3 || (n == 2 && b[x]);
    }
  }
}

void strided(int64_t B, int64_t C, int64_t H, int64_t W, int64_t O, const float *restrict x, const float *restrict w, float *restrict out) {
  for (int64_t b = 0; b < B; b++)
    for (int64_t o = 0; o < O; o++)
      for (int64_t y = 0; y < H; y++)
        for (int64_t z = 0; z < W; z++) {
          float t = 0;
          for (int64_t c = 0; c < C; c++)
            for (int r = 0; r < 3; r++)
              for (int s = 0; s < 3; s++) {
                int64_t i = 2 * y + r - 1, j = 2 * z + s - 1;
                if (i >= 0 && i < 2 * H && j >= 0 && j < 2 * W)
                  t += x[((b * C + c) * 2 * H + i) * 2 * W + j] * w[((o * C + c) * 3 + r) * 3 + s];
              }
          out[((b * O + o) * H + y) * W + z] = t;
        }
}

void viterbi(int64_t T, int64_t S, const double *restrict e, const double *restrict a, double *restrict out) {
  for (int64_t s = 0; s < S; s++) out[s] = e[s];
  for (int64_t t = 0; t < T; t++) {
    double *m = out + (t + 1) * S, *h = out + t * S;
    for (int64_t s = 0; s < S; s++) m[s] = -INFINITY;
    for (int64_t r = 0; r < S; r++)
      for (int64_t s = 0; s < S; s++) {
        double v = h[r] + a[r * S + s];
        m[s] = v > m[s] ? v : m[s];
      }
    for (int64_t s = 0; s < S; s++) m[s] += e[(t + 1) * S + s];
  }
}

void pagerank(int64_t N, const int64_t *restrict pos, const int32_t *restrict crd, const double *restrict vals, const double *restrict r, const double *restrict deg, const double *restrict d, double *restrict out) {
  double *t = malloc(N * sizeof *t);
  for (int64_t j = 0; j < N; j++) t[j] = r[j] / deg[j];
  for (int64_t i = 0; i < N; i++) {
    double s = 0;
    for (int64_t p = pos[i]; p < pos[i + 1]; p++) s += vals[p] * t[crd[p]];
    out[i] = (1 - *d) / N + *d * s;
  }
  free(t);
}

static int ascending(const void *a, const void *b) {
  return (*(const int32_t *)a > *(const int32_t *)b) - (*(const int32_t *)a < *(const int32_t *)b);
}

// The result has room for all entries; how many there are is returned.
int64_t by_transpose(int64_t N, int64_t M, const int64_t *restrict pos, const int32_t *restrict crd, const double *restrict vals, int64_t *restrict out_pos, int32_t *restrict out_crd, double *restrict out_vals) {
  int64_t nnz = pos[N], *tp = calloc(M + 2, sizeof *tp), n = 0;
  int32_t *tc = malloc(nnz * sizeof *tc);
  double *tv = malloc(nnz * sizeof *tv), *w = calloc(N, sizeof *w);
  uint8_t *seen = calloc(N, 1);
  for (int64_t p = 0; p < nnz; p++) tp[crd[p] + 2]++;
  for (int64_t j = 0; j < M; j++) tp[j + 2] += tp[j + 1];
  for (int64_t i = 0; i < N; i++)
    for (int64_t p = pos[i]; p < pos[i + 1]; p++) {
      int64_t q = tp[crd[p] + 1]++;
      tc[q] = i, tv[q] = vals[p];
    }
  out_pos[0] = 0;
  for (int64_t i = 0; i < N; i++) {
    int64_t first = n;
    for (int64_t p = pos[i]; p < pos[i + 1]; p++)
      for (int64_t q = tp[crd[p]]; q < tp[crd[p] + 1]; q++) {
        int32_t k = tc[q];
        if (!seen[k]) seen[k] = 1, out_crd[n++] = k;
        w[k] += vals[p] * tv[q];
      }
    qsort(out_crd + first, n - first, sizeof *out_crd, ascending);
    for (int64_t r = first; r < n; r++) out_vals[r] = w[out_crd[r]], w[out_crd[r]] = 0, seen[out_crd[r]] = 0;
    out_pos[i + 1] = n;
  }
  free(tp), free(tc), free(tv), free(w), free(seen);
  return n;
}

void centred(int64_t N, int64_t M, const double *restrict x, double *restrict out) {
  double *mean = calloc(M, sizeof *mean);
  for (int64_t i = 0; i < N; i++)
    for (int64_t j = 0; j < M; j++) mean[j] += x[i * M + j];
  for (int64_t j = 0; j < M; j++) mean[j] /= N;
  for (int64_t i = 0; i < N; i++)
    for (int64_t j = 0; j < M; j++) out[i * M + j] = x[i * M + j] - mean[j];
  free(mean);
}

void extremes(int64_t N, int64_t M, const float *restrict x, float *restrict out) {
  for (int64_t j = 0; j < M; j++) out[j] = INFINITY, out[M + j] = -INFINITY;
  for (int64_t i = 0; i < N; i++)
    for (int64_t j = 0; j < M; j++) {
      float v = x[i * M + j];
      out[j] = v < out[j] ? v : out[j], out[M + j] = v > out[M + j] ? v : out[M + j];
    }
}

void looked_up(int64_t N, int64_t M, const uint8_t *restrict x, const uint8_t *restrict t, uint8_t *restrict out) {
  for (int64_t i = 0; i < N * M * 3; i++) out[i] = t[x[i]];
}

void contrast(int64_t N, int64_t M, const uint8_t *restrict x, const float *restrict a, const float *restrict b, uint8_t *restrict out) {
  for (int64_t i = 0; i < N * M; i++) {
    float v = *a * x[i] + *b;
    out[i] = v < 0 ? 0 : v > 255 ? 255 : v;
  }
}

void dense_sum(int64_t N, int64_t M, const int64_t *restrict pos, const int32_t *restrict crd, const double *restrict vals, const double *restrict B, double *restrict out) {
  memcpy(out, B, N * M * sizeof *out);
  for (int64_t i = 0; i < N; i++)
    for (int64_t p = pos[i]; p < pos[i + 1]; p++) out[i * M + crd[p]] += vals[p];
}

void bordered(int64_t N, int64_t M, const float *restrict x, float *restrict out) {
  for (int64_t y = 0; y < N; y++) {
    const float *a = x + (y ? y - 1 : 0) * M, *b = x + y * M, *c = x + (y < N - 1 ? y + 1 : y) * M;
    for (int64_t z = 0; z < M; z++) {
      int64_t l = z ? z - 1 : 0, r = z < M - 1 ? z + 1 : z;
      out[y * M + z] = (a[l] + a[z] + a[r] + b[l] + b[z] + b[r] + c[l] + c[z] + c[r]) / 9;
    }
  }
}

void short_sums(int64_t N, const double *restrict x, double *restrict out) {
  for (int64_t i = 0; i < N; i++) {
    double s = 0;
    for (int64_t j = 0; j < 10; j++) s += x[i * 10 + j], out[i * 10 + j] = s;
  }
}
