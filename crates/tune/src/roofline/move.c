/* A bound for what moves memory: reads `sizes[0]` lines and writes `sizes[1]` lines, each once, the reads spread evenly
   among the writes. `sizes[2]` says whether stores go past the caches, and `sizes[3]` into how many parts the work is cut
   for as many threads, unless it is too little to be worth their start. */
#include <stdint.h>

#if defined(__AVX512F__)
#include <immintrin.h>
typedef __m512 lanes;
#define STREAM(p, v) _mm512_stream_ps(p, v)
#elif defined(__AVX__)
#include <immintrin.h>
typedef __m256 lanes;
#define STREAM(p, v) _mm256_stream_ps(p, v)
#elif defined(__SSE2__)
#include <immintrin.h>
typedef __m128 lanes;
#define STREAM(p, v) _mm_stream_ps(p, v)
#else
typedef float lanes __attribute__((vector_size(16)));
#define STREAM(p, v) (*(lanes *)(p) = (v))
#endif

#if defined(__SSE2__)
#define FENCE() _mm_sfence()
#else
#define FENCE() ((void)0)
#endif

enum { FEW = 8192, LINE = 16, LANES = sizeof(lanes) / sizeof(float), GROUP = 16, AHEAD = 512 };

int32_t roof(const int64_t *sizes, void *const *buffers) {
  const int64_t in = sizes[0], out = sizes[1], streams = sizes[2], parts = sizes[3];
  const float *restrict x = buffers[0];
  float *restrict y = buffers[1];
  const int64_t groups = (in > out ? in : out) / GROUP + 1;
#pragma omp parallel for if (in + out > FEW)
  for (int64_t part = 0; part < parts; part++) {
    const int64_t first = groups * part / parts, end = groups * (part + 1) / parts;
    int64_t i = in * first / groups * LINE, o = out * first / groups * LINE;
    for (int64_t g = first; g < end; g++) {
      const int64_t in_end = in * (g + 1) / groups * LINE, out_end = out * (g + 1) / groups * LINE;
      lanes a = {0}, b = {0};
      for (; i < in_end; i += LINE) {
        __builtin_prefetch(x + i + AHEAD);
        for (int l = 0; l < LINE; l += 2 * LANES) {
          a += *(const lanes *)(x + i + l);
          if (l + LANES < LINE) b += *(const lanes *)(x + i + l + LANES);
        }
      }
      a += b;
      if (streams)
        for (; o < out_end; o += LANES) STREAM(y + o, a);
      else
        for (; o < out_end; o += LANES) *(lanes *)(y + o) = a;
    }
    if (streams) FENCE();
  }
  return 0;
}
