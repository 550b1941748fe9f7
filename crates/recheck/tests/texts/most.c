#include <stdint.h>

static inline float atl_max_f32(float a, float b) { return a < b ? b : a; }

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

typedef float atl_f32x8 __attribute__((vector_size(32)));
typedef float atl_f32x8_u __attribute__((vector_size(32), aligned(4), may_alias));

typedef int32_t atl_i32x8 __attribute__((vector_size(32)));
typedef int32_t atl_i32x8_u __attribute__((vector_size(32), aligned(4), may_alias));

static inline __attribute__((always_inline)) int atl_none_i32x8(atl_i32x8 v) {
  typedef long long words __attribute__((vector_size(32)));
  const words w = (words)v;
#ifdef __AVX__
  return __builtin_ia32_ptestz256(w, w);
#else
  return (w[0] | w[1] | w[2] | w[3]) == 0;
#endif
}

int32_t most(int64_t N, int64_t M, const float *restrict x, const float *restrict y, float *restrict out) {
  if (N < 0) return 2;
  if (M < 0) return 2;
  for (int64_t i = 0; i < N; i++) {
    float acc = -__builtin_inff();
    {
      const int64_t j_end = M;
      int64_t j_looked = 0;
      for (int64_t j_next = 0, j_stop; j_next < j_end; j_next = j_stop) {
        j_stop = j_end;
        if (8 < j_end - j_next) {
          if (j_looked <= j_next && 64 < j_end - j_next) {
            j_stop = j_looked = j_next + 64;
            atl_i32x8 j_seen = {0};
            #pragma GCC unroll 8
            for (int64_t j = j_next; j < j_stop; j += 8) {
              j_seen |= (atl_i32x8)((atl_f32x8)(acc - (atl_f32x8){0}) < (atl_f32x8)(*(const atl_f32x8_u *)&x[i * M + j] + *(const atl_f32x8_u *)&y[j]));
            }
            if (atl_none_i32x8(j_seen)) continue;
          }
          const int64_t j = j_next;
          j_stop = j_next + 8;
          if (atl_none_i32x8((atl_i32x8)((atl_f32x8)(acc - (atl_f32x8){0}) < (atl_f32x8)(*(const atl_f32x8_u *)&x[i * M + j] + *(const atl_f32x8_u *)&y[j])))) continue;
        }
        for (int64_t j = j_next; j < j_stop; j++) {
          acc = atl_max_f32(acc, x[i * M + j] + y[j]);
        }
      }
    }
    out[i] = acc;
  }
  return 0;
}

int32_t most_call(const int64_t *sizes, void *const *buffers) {
  (void)sizes;
  (void)buffers;
  return most(sizes[0], sizes[1], buffers[0], buffers[1], buffers[2]);
}
