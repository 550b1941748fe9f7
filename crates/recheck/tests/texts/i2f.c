#include <stdint.h>

/* The lanes k where a + k < b, as bits; at most 64. Without a branch it leaves loops. */
static inline uint64_t atl_below(int64_t a, int64_t b) {
  const uint64_t n = (uint64_t)(a < b ? b : a) - (uint64_t)a;
  return ((UINT64_C(1) << (n < 63 ? n : 63)) << (n > 63)) - 1;
}

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

typedef float atl_f32x8 __attribute__((vector_size(32)));
typedef float atl_f32x8_u __attribute__((vector_size(32), aligned(4), may_alias));

typedef int32_t atl_i32x8 __attribute__((vector_size(32)));
typedef int32_t atl_i32x8_u __attribute__((vector_size(32), aligned(4), may_alias));

static inline __attribute__((always_inline)) void atl_store_f32x8(float *p, int64_t i, uint64_t on, atl_f32x8 v) {
#ifdef __AVX512VL__
  __builtin_ia32_storeups256_mask((void *)(p + i), v, (uint8_t)on);
#else
  for (int k = 0; k < 8; k++) if (on >> k & 1) p[i + k] = v[k];
#endif
}

static inline __attribute__((always_inline)) atl_i32x8 atl_load_i32x8(const int32_t *p, int64_t i, uint64_t on) {
#ifdef __AVX512VL__
  typedef int native __attribute__((vector_size(32)));
  return (atl_i32x8)__builtin_ia32_loaddqusi256_mask((const void *)(p + i), (native){0}, (uint8_t)on);
#else
  atl_i32x8 v = {0};
  for (int k = 0; k < 8; k++) if (on >> k & 1) v[k] = p[i + k];
  return v;
#endif
}

int32_t i2f(int64_t N, const int32_t *restrict x, float *restrict out) {
  if (N < 0) return 2;
  for (int64_t i = 0; i < N / 8 * 8; i += 8) {
    *(atl_f32x8_u *)&out[i] = __builtin_convertvector(*(const atl_i32x8_u *)&x[i], atl_f32x8);
  }
  {
    const int64_t i = N / 8 * 8;
    {
      const uint64_t atl_on_2 = atl_below(i, N);
      if (atl_on_2 != 0) {
        atl_store_f32x8(out, i, atl_on_2, __builtin_convertvector(atl_load_i32x8(x, i, atl_on_2), atl_f32x8));
      }
    }
  }
  return 0;
}

int32_t i2f_call(const int64_t *sizes, void *const *buffers) {
  (void)sizes;
  (void)buffers;
  return i2f(sizes[0], buffers[0], buffers[1]);
}
