/* What a C programmer writes, and what memory allows. */
#include <math.h>
#include <stdint.h>

/* A system in each column. */
void tridiagonals(int64_t N, int64_t S, const double *restrict a, const double *restrict b, const double *restrict c,
                  const double *restrict d, double *restrict x, double *restrict u) {
  for (int64_t s = 0; s < S && N > 0; s++) {
    u[s] = c[s] / b[s];
    x[s] = d[s] / b[s];
  }
  for (int64_t i = 1; i < N; i++) {
    const int64_t row = i * S, before = row - S;
    for (int64_t s = 0; s < S; s++) {
      const double m = b[row + s] - a[row + s] * u[before + s];
      u[row + s] = c[row + s] / m;
      x[row + s] = (d[row + s] - a[row + s] * x[before + s]) / m;
    }
  }
  for (int64_t i = N - 2; i >= 0; i--) {
    const int64_t row = i * S, after = row + S;
    for (int64_t s = 0; s < S; s++) x[row + s] = x[row + s] - u[row + s] * x[after + s];
  }
}

void filter_rows(int64_t R, int64_t C, const double *restrict x, const double *restrict b, const double *restrict a,
                 double *restrict out) {
  for (int64_t r = 0; r < R; r++) {
    double z = 0, w = 0;
    for (int64_t t = 0; t < C; t++) {
      const double in = x[r * C + t], y = z + in * b[0];
      z = w + in * b[1] - y * a[1];
      w = in * b[2] - y * a[2];
      out[r * C + t] = y;
    }
  }
}

/* Four arrays in, one out: the time of moving what the solver of tridiagonal systems must. */
void move(int64_t n, const double *restrict a, const double *restrict b, const double *restrict c,
          const double *restrict d, double *restrict out) {
  for (int64_t i = 0; i < n; i++) out[i] = (a[i] + b[i]) + (c[i] + d[i]);
}

/* Edit distances row by row; `row` has those of one row, M + 1 of them. */
int32_t edit_distance(int64_t N, int64_t M, const int32_t *restrict a, const int32_t *restrict b, int32_t *restrict row) {
  for (int64_t j = 0; j <= M; j++) row[j] = (int32_t)j;
  for (int64_t i = 1; i <= N; i++) {
    int32_t left = (int32_t)i, above = row[0];
    row[0] = left;
    for (int64_t j = 1; j <= M; j++) {
      const int32_t up = row[j], least = (up < left ? up : left) + 1, same = above + (a[i - 1] != b[j - 1]);
      left = least < same ? least : same;
      above = up;
      row[j] = left;
    }
  }
  return row[M];
}

/* A lower triangular system for many right sides, row by row. */
void triangular_columns(int64_t N, int64_t R, const double *restrict l, const double *restrict b, double *restrict x) {
  for (int64_t i = 0; i < N; i++) {
    for (int64_t r = 0; r < R; r++) x[i * R + r] = b[i * R + r];
    for (int64_t j = 0; j < i; j++) {
      for (int64_t r = 0; r < R; r++) x[i * R + r] -= l[i * N + j] * x[j * R + r];
    }
    for (int64_t r = 0; r < R; r++) x[i * R + r] /= l[i * N + i];
  }
}

/* The upper triangular factor of a symmetric matrix, row by row. */
void upper_factor(int64_t N, const double *restrict a, double *restrict u) {
  for (int64_t t = 0; t < N; t++) {
    for (int64_t j = 0; j < N; j++) u[t * N + j] = j < t ? 0 : a[t * N + j];
    for (int64_t k = 0; k < t; k++) {
      for (int64_t j = t; j < N; j++) u[t * N + j] -= u[k * N + t] * u[k * N + j];
    }
    const double root = sqrt(u[t * N + t]);
    for (int64_t j = t; j < N; j++) u[t * N + j] /= root;
  }
}
