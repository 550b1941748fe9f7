//! Scratch that outlives the call.
//!
//! Memory that is fresh in each call costs a page fault for every page of it, more than many a kernel's work. So each heap
//! buffer of a kernel has a pool of blocks, from which a scope takes one and to which it gives it back. Both are single atomic
//! steps on a slot, so that threads share pools without waiting; a thread begins its search at a slot of its own, which
//! gives it back the block that its cache has. A block that is too small is replaced by what was asked for. A pool has
//! never more blocks than scopes were open at once.

/// The helpers `atl_take` and `atl_give`.
pub(crate) const HELPERS: &str = "\
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
";

/// The pools of these buffers.
pub(crate) fn pools(buffers: &[String]) -> String {
    let pool = |buffer: &String| format!("static atl_block *atl_pool_{buffer}[ATL_POOL];\n");
    buffers.iter().map(pool).chain(["\n".to_owned()]).collect()
}

/// The function that frees what the pools of these buffers keep. It also runs when the library is unloaded.
pub(crate) fn release(function: &str, buffers: &[String]) -> String {
    let loops = buffers.iter().map(|buffer| {
        format!(
            "  for (int k = 0; k < ATL_POOL; k++) free(__atomic_exchange_n(&atl_pool_{buffer}[k], NULL, __ATOMIC_ACQUIRE));\n"
        )
    });
    let loops: String = loops.collect();
    format!("\n__attribute__((destructor, cold)) void {function}(void) {{\n{loops}}}\n")
}
