/* What memory asks of an operator: inputs are read once and results stored past the caches, with no more arithmetic than a sum. */
#include <stdint.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* Two doubles, past the caches where the processor can. */
static inline void put(double *to, double a, double b) {
#if defined(__SSE2__)
  _mm_stream_pd(to, _mm_set_pd(b, a));
#else
  to[0] = a, to[1] = b;
#endif
}

/* So many doubles of each input, and for each line of them as many lines of the output; that begins at a multiple of 64 bytes. */
void moves(int64_t cells, int64_t results, const double *first, const double *second, double *out) {
  for (int64_t at = 0; at + 8 <= cells; at += 8)
    for (int64_t k = 0; k < results; k++, out += 8)
      for (int64_t j = 0; j < 8; j += 2) {
        const double a = first[at + j], b = first[at + j + 1];
        if (second) put(out + j, a + second[at + j], b + second[at + j + 1]);
        else put(out + j, a, b);
      }
#if defined(__SSE2__)
  _mm_sfence();
#endif
}
