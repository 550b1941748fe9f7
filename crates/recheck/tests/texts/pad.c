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

static inline __attribute__((always_inline)) atl_f32x8 atl_load_f32x8(const float *p, int64_t i, uint64_t on) {
#ifdef __AVX512VL__
  return (atl_f32x8)__builtin_ia32_loadups256_mask((const void *)(p + i), (atl_f32x8){0}, (uint8_t)on);
#else
  atl_f32x8 v = {0};
  for (int k = 0; k < 8; k++) if (on >> k & 1) v[k] = p[i + k];
  return v;
#endif
}

static inline __attribute__((always_inline)) void atl_store_f32x8(float *p, int64_t i, uint64_t on, atl_f32x8 v) {
#ifdef __AVX512VL__
  __builtin_ia32_storeups256_mask((void *)(p + i), v, (uint8_t)on);
#else
  for (int k = 0; k < 8; k++) if (on >> k & 1) p[i + k] = v[k];
#endif
}

int32_t pad(int64_t N, const float *restrict x, float *restrict out) {
  if (N < 0) return 2;
  for (int64_t p = 0; p < (N + 2) / 8 * 8; p += 8) {
    *(atl_f32x8_u *)&out[p] = atl_load_f32x8(x, p - 1, ((UINT64_C(0xff) & ~atl_below(p - 1, 0)) & atl_below(p - 1, N)));
  }
  {
    const int64_t p = (N + 2) / 8 * 8;
    {
      const uint64_t atl_on_2 = atl_below(p, N + 2);
      if (atl_on_2 != 0) {
        atl_store_f32x8(out, p, atl_on_2, atl_load_f32x8(x, p - 1, (atl_on_2 & ((UINT64_C(0xff) & ~atl_below(p - 1, 0)) & atl_below(p - 1, N)))));
      }
    }
  }
  return 0;
}

int32_t pad_call(const int64_t *sizes, void *const *buffers) {
  (void)sizes;
  (void)buffers;
  return pad(sizes[0], buffers[0], buffers[1]);
}
