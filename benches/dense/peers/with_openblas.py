"""OpenBLAS, the one that a SciPy wheel brings along: products of matrices, and convolutions by way of them."""

from pathlib import Path

import scipy
from build import Candidate

AUTHOR = "OpenBLAS"


def where() -> Path:
    """The library in the wheel."""
    folder = Path(scipy.__file__).parent.parent / "scipy.libs"
    found = sorted(folder.glob("libscipy_openblas-*.so"))
    if not found:
        raise ImportError("this SciPy has no OpenBLAS beside it")
    return found[0]


LIBRARY = where()


def version() -> str:
    return f"{scipy.__version__} {LIBRARY.name}"


HEAD = """
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
extern void scipy_openblas_set_num_threads(int);
extern void scipy_cblas_sgemm(int, int, int, int, int, int, float, const float *, int, const float *, int, float, float *, int);
static void product(int m, int n, int k, const float *a, const float *b, float *out) {
  scipy_cblas_sgemm(101, 111, 111, m, n, k, 1.0f, a, k, b, n, 0.0f, out, n);
}
static void threads(int64_t n) {
  static int64_t have;
  if (have != n) scipy_openblas_set_num_threads((int)(have = n));
}
"""

MATMUL = """
int32_t peer(const int64_t *s, void *const *b) {
  threads(s[3]);
  product(s[0], s[2], s[1], b[0], b[1], b[2]);
  return 0;
}
"""

# The windows of one signal or picture as a matrix, which is kept between calls.
CONV1D = """
int32_t peer(const int64_t *s, void *const *b) {
  const int64_t B = s[0], C = s[1], W = s[2], K = s[3], R = s[4], P = W - R + 1;
  static float *kept;
  if (!kept) kept = malloc(sizeof(float) * C * R * P);
  threads(s[5]);
  for (int64_t n = 0; n < B; n++) {
    for (int64_t c = 0; c < C; c++)
      for (int64_t r = 0; r < R; r++)
        memcpy(kept + (c * R + r) * P, (float *)b[0] + (n * C + c) * W + r, sizeof(float) * P);
    product(K, P, C * R, b[1], kept, (float *)b[2] + n * K * P);
  }
  return 0;
}
"""

CONV2D = """
int32_t peer(const int64_t *s, void *const *b) {
  const int64_t B = s[0], C = s[1], H = s[2], W = s[3], K = s[4], R = s[5], S = s[6], P = H - R + 1, Q = W - S + 1;
  static float *kept;
  if (!kept) kept = malloc(sizeof(float) * C * R * S * P * Q);
  threads(s[7]);
  for (int64_t n = 0; n < B; n++) {
    for (int64_t c = 0; c < C; c++)
      for (int64_t r = 0; r < R; r++)
        for (int64_t t = 0; t < S; t++)
          for (int64_t p = 0; p < P; p++)
            memcpy(kept + (((c * R + r) * S + t) * P + p) * Q, (float *)b[0] + ((n * C + c) * H + p + r) * W + t,
                   sizeof(float) * Q);
    product(K, P * Q, C * R * S, b[1], kept, (float *)b[2] + n * K * P * Q);
  }
  return 0;
}
"""

SOURCES = {"matmul": ("sgemm", MATMUL), "conv1d": ("im2col, sgemm", CONV1D), "conv2d": ("im2col, sgemm", CONV2D)}


def candidates(case: str, sizes: dict[str, int], threads: int) -> list[Candidate]:
    if case not in SOURCES:
        return []
    name, text = SOURCES[case]

    def write(folder: Path) -> list[str]:
        source = folder / "peer.c"
        source.write_text(HEAD + text)
        return [str(source), str(LIBRARY), f"-Wl,-rpath,{LIBRARY.parent}"]

    return [Candidate(name, write)]
