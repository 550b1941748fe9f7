/* What a C programmer writes, and what memory allows. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

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

/* Sums of the first elements. */
void prefix_sums(int64_t n, const double *restrict x, double *restrict out) {
  double s = 0;
  for (int64_t i = 0; i < n; i++) out[i] = s += x[i];
}

/* Scores of the best ways to each state. */
void viterbi_scores(int64_t T, int64_t S, const double *restrict e, const double *restrict a, double *restrict h) {
  memcpy(h, e, S * sizeof *h);
  for (int64_t t = 0; t < T; t++) {
    const double *restrict old = h + t * S;
    double *restrict new = h + (t + 1) * S;
    for (int64_t s = 0; s < S; s++) new[s] = old[0] + a[s];
    for (int64_t r = 1; r < S; r++)
      for (int64_t s = 0; s < S; s++) {
        const double way = old[r] + a[r * S + s];
        new[s] = way > new[s] ? way : new[s];
      }
    for (int64_t s = 0; s < S; s++) new[s] += e[(t + 1) * S + s];
  }
}

/* Which symbols derive each part of a word. */
void cyk(int64_t N, int64_t K, const uint8_t *restrict w, const bool *restrict r, uint8_t *restrict x) {
  memset(x, 0, N * (N + 1) * K);
  for (int64_t i = 0; i < N; i++) memcpy(x + (i * (N + 1) + i + 1) * K, w + i * K, K);
  for (int64_t l = 2; l <= N; l++)
    for (int64_t i = 0; i + l <= N; i++) {
      uint8_t *whole = x + (i * (N + 1) + i + l) * K;
      for (int64_t c = 0; c < K; c++)
        for (int64_t m = i + 1; m < i + l && !whole[c]; m++) {
          const uint8_t *left = x + (i * (N + 1) + m) * K, *right = x + (m * (N + 1) + i + l) * K;
          for (int64_t d = 0; d < K && !whole[c]; d++)
            if (left[d])
              for (int64_t f = 0; f < K && !whole[c]; f++) whole[c] = right[f] && r[(c * K + d) * K + f];
        }
    }
}

/* Shortest paths between all pairs of nodes, in place. */
void paths(int64_t n, const double *restrict d, double *restrict x) {
  memcpy(x, d, n * n * sizeof *x);
  for (int64_t k = 0; k < n; k++)
    for (int64_t i = 0; i < n; i++) {
      const double first = x[i * n + k];
      for (int64_t j = 0; j < n; j++) {
        const double way = first + x[k * n + j];
        x[i * n + j] = way < x[i * n + j] ? way : x[i * n + j];
      }
    }
}

/* A row of a plate after a step. */
static void plate_row(int64_t m, const double *restrict up, const double *restrict x, const double *restrict down,
                      double *restrict y) {
  for (int64_t j = 0; j < m; j += m > 1 ? m - 1 : 1) {
    const double left = j > 0 ? x[j - 1] : 0, right = j + 1 < m ? x[j + 1] : 0;
    y[j] = 0.5 * x[j] + 0.125 * (up[j] + down[j] + left + right);
  }
  for (int64_t j = 1; j < m - 1; j++) y[j] = 0.5 * x[j] + 0.125 * (up[j] + down[j] + x[j - 1] + x[j + 1]);
}

/* Heat in a plate, which `x` and `y` have by turns; the last state is in `x`, and `zeros` has a row of them. */
void plate(int64_t n, int64_t m, int64_t t, const double *u, const double *zeros, double *x, double *y) {
  memcpy(t % 2 ? y : x, u, n * m * sizeof *u);
  for (; t > 0; t--) {
    const double *a = t % 2 ? y : x;
    double *b = t % 2 ? x : y;
    for (int64_t i = 0; i < n; i++)
      plate_row(m, i > 0 ? a + (i - 1) * m : zeros, a + i * m, i + 1 < n ? a + (i + 1) * m : zeros, b + i * m);
  }
}

/* What a direction has after a collision. */
static inline double relaxed(double f, double w, double rho, double along, double squares, double omega) {
  return f + omega * (w * rho * (1 + 3 * along + 4.5 * along * along - 1.5 * squares) - f);
}

/* A fluid on a torus: nine planes, which `x` and `y` have by turns; the last state is in `x`. */
void lattice(int64_t H, int64_t W, int64_t T, const double *f, const double *omega, double *x, double *y) {
  const int64_t P = H * W;
  memcpy(T % 2 ? y : x, f, 9 * P * sizeof *f);
  for (int64_t t = T; t > 0; t--) {
    const double *restrict a = t % 2 ? y : x;
    double *restrict b = t % 2 ? x : y;
    for (int64_t i = 0; i < H; i++) {
      const int64_t up = (i > 0 ? i - 1 : H - 1) * W, row = i * W, down = (i < H - 1 ? i + 1 : 0) * W;
      for (int64_t j = 0; j < W; j++) {
        const int64_t left = j > 0 ? j - 1 : W - 1, right = j < W - 1 ? j + 1 : 0;
        const double c = a[row + j], e = a[P + row + left], n = a[2 * P + up + j], w = a[3 * P + row + right],
                     s = a[4 * P + down + j], ne = a[5 * P + up + left], nw = a[6 * P + up + right],
                     sw = a[7 * P + down + right], se = a[8 * P + down + left];
        const double rho = c + e + n + w + s + ne + nw + sw + se;
        const double u = (e - w + ne - nw - sw + se) / rho, v = (n - s + ne + nw - sw - se) / rho, squares = u * u + v * v;
        double *o = b + row + j;
        o[0] = relaxed(c, 4.0 / 9, rho, 0, squares, *omega);
        o[P] = relaxed(e, 1.0 / 9, rho, u, squares, *omega);
        o[2 * P] = relaxed(n, 1.0 / 9, rho, v, squares, *omega);
        o[3 * P] = relaxed(w, 1.0 / 9, rho, -u, squares, *omega);
        o[4 * P] = relaxed(s, 1.0 / 9, rho, -v, squares, *omega);
        o[5 * P] = relaxed(ne, 1.0 / 36, rho, u + v, squares, *omega);
        o[6 * P] = relaxed(nw, 1.0 / 36, rho, v - u, squares, *omega);
        o[7 * P] = relaxed(sw, 1.0 / 36, rho, -u - v, squares, *omega);
        o[8 * P] = relaxed(se, 1.0 / 36, rho, u - v, squares, *omega);
      }
    }
  }
}
