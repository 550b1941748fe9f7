#include <stdint.h>

/* The lanes k where a + k < b, as bits; at most 64. Without a branch it leaves loops. */
static inline uint64_t atl_below(int64_t a, int64_t b) {
  const uint64_t n = (uint64_t)(a < b ? b : a) - (uint64_t)a;
  return ((UINT64_C(1) << (n < 63 ? n : 63)) << (n > 63)) - 1;
}

/* Other threads see what was stored past the caches. */
static inline void atl_fence(void) {
#if defined(__SSE__)
  __builtin_ia32_sfence();
#else
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
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

static inline __attribute__((always_inline)) void atl_stream_f32x8(float *cell, atl_f32x8 value) {
  if ((uintptr_t)cell % 32 != 0) {
    *(atl_f32x8_u *)cell = value;
    return;
  }
#if defined(__clang__)
  typedef float whole __attribute__((vector_size(32), may_alias));
  __builtin_nontemporal_store((whole)value, (whole *)cell);
#elif defined(__AVX__)
  typedef float part __attribute__((vector_size(32), may_alias));
  const part *from = (const part *)&value;
  for (int k = 0; k < 1; k++) __builtin_ia32_movntps256((float *)cell + 8 * k, from[k]);
#elif defined(__SSE__)
  typedef float part __attribute__((vector_size(16), may_alias));
  const part *from = (const part *)&value;
  for (int k = 0; k < 2; k++) __builtin_ia32_movntps((float *)cell + 4 * k, from[k]);
#else
  *(atl_f32x8_u *)cell = value;
#endif
}

int32_t past(int64_t N, int64_t M, const float *restrict x, float *restrict out) {
  if (N < 0) return 2;
  if (M < 0) return 2;
  #pragma omp parallel if (1 < N)
  {
    #pragma omp for schedule(static) nowait
    for (int64_t i = 0; i < N; i++) {
      for (int64_t j = 0; j < M / 8 * 8; j += 8) {
        atl_stream_f32x8(&out[i * M + j], *(const atl_f32x8_u *)&x[i * M + j] * 2.0f);
      }
      {
        const int64_t j = M / 8 * 8;
        {
          const uint64_t atl_on_4 = atl_below(j, M);
          if (atl_on_4 != 0) {
            atl_store_f32x8(out, i * M + j, atl_on_4, atl_load_f32x8(x, i * M + j, atl_on_4) * 2.0f);
          }
        }
      }
    }
    atl_fence();
  }
  atl_fence();
  return 0;
}

int32_t past_call(const int64_t *sizes, void *const *buffers) {
  (void)sizes;
  (void)buffers;
  return past(sizes[0], sizes[1], buffers[0], buffers[1]);
}
