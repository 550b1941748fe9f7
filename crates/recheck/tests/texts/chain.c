#include <stdint.h>
#include <stddef.h>

void *realloc(void *, size_t);
void *aligned_alloc(size_t, size_t);
void free(void *);

/* The product of extents: 0 if one is negative, INT64_MAX if it does not fit. */
static inline int64_t atl_cells(int64_t a, int64_t b) {
  int64_t product;
  if (a <= 0 || b <= 0) return 0;
  return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

/* Scratch is kept between calls, in a pool for each buffer. A block begins with its size. */
#define ATL_POOL 64
typedef struct { int64_t bytes; } __attribute__((aligned(64))) atl_block;

/* The slot where this thread begins to search: stacks are megabytes apart. */
static inline int atl_slot(void) {
  char here;
  return (int)(((uintptr_t)&here >> 21) % ATL_POOL);
}

static void atl_give(atl_block **pool, void *memory) {
  atl_block *block = (atl_block *)memory - 1;
  for (int k = 0, slot = atl_slot(); k < ATL_POOL; k++, slot = (slot + 1) % ATL_POOL) {
    atl_block *empty = NULL;
    if (__atomic_compare_exchange_n(&pool[slot], &empty, block, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) return;
  }
  free(block);
}

static void *atl_take(atl_block **pool, int64_t cells, int64_t size) {
  const int64_t huge = INT64_C(1) << 21;
  int64_t bytes;
  if (__builtin_mul_overflow(cells, size, &bytes) || bytes > INT64_MAX - 2 * huge) return NULL;
  for (int k = 0, slot = atl_slot(); k < ATL_POOL; k++, slot = (slot + 1) % ATL_POOL) {
    if (__atomic_load_n(&pool[slot], __ATOMIC_RELAXED) == NULL) continue;
    atl_block *block = __atomic_exchange_n(&pool[slot], NULL, __ATOMIC_ACQUIRE);
    if (block != NULL && block->bytes >= bytes) return block + 1;
    free(block);
  }
  const int64_t page = bytes < huge ? 64 : huge;
  const size_t whole = (size_t)((bytes + 64 + page - 1) / page * page);
  atl_block *block = aligned_alloc((size_t)page, whole);
  if (block == NULL) return NULL;
#if defined(__linux__)
  /* Advice only: MADV_HUGEPAGE. */
  int madvise(void *, size_t, int);
  if (page == huge) madvise(block, whole, 14);
#endif
  block->bytes = bytes;
  return block + 1;
}

static atl_block *atl_pool_a[ATL_POOL];

int32_t chain(int64_t N, const float *restrict x, const float *restrict w, float *restrict out) {
  if (N < 0) return 2;
  int32_t atl_status = 0;
  const int64_t atl_cells_a = atl_cells(N, 1);
  float *restrict a = atl_take(atl_pool_a, atl_cells_a, sizeof(float));
  if (a == NULL) {
    atl_status = 1;
  } else {
    for (int64_t i = 0; i < N; i++) {
      a[i] = x[i] * 2.0f;
    }
    {
      float b[8] __attribute__((aligned(64)));
      for (int64_t j = 0; j < 8; j++) {
        float acc = 0.0f;
        for (int64_t i = 0; i < N; i++) {
          acc += w[j * N + i] * a[i];
        }
        b[j] = acc;
      }
      float c[8] __attribute__((aligned(64)));
      for (int64_t j = 0; j < 8; j++) {
        c[j] = b[j] * b[7 - j];
      }
      for (int64_t i = 0; i < N; i++) {
        float acc_1 = 0.0f;
        for (int64_t j = 0; j < 8; j++) {
          acc_1 += c[j] * w[j * N + i];
        }
        out[i] = acc_1;
      }
    }
    atl_give(atl_pool_a, a);
  }
  return atl_status;
}

int32_t chain_call(const int64_t *sizes, void *const *buffers) {
  (void)sizes;
  (void)buffers;
  return chain(sizes[0], buffers[0], buffers[1], buffers[2]);
}

__attribute__((destructor, cold)) void chain_release(void) {
  for (int k = 0; k < ATL_POOL; k++) free(__atomic_exchange_n(&atl_pool_a[k], NULL, __ATOMIC_ACQUIRE));
}
