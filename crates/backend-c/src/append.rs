//! Outputs that grow.
//!
//! One idea: the caller's record of an array is read at entry and written at the end; between, its address, length and
//! capacity are local variables, so that a push is a comparison and a store. Growth is out of line, and doubles. Where memory is
//! short the kernel goes on, overwriting what there is, as no jump may leave a parallel region; it returns a status then.

use crate::STATUS_NO_MEMORY;
use crate::scalars::c_type;
use crate::terms::Terms;
use atl_c_text::Dialect;
use atl_loops::{Access, BufferParam, Kernel, Name, Scalar};

/// The type of an array that grows, for the source and for its header.
pub(crate) const TYPE: &str = "\
#ifndef ATL_ARRAY
#define ATL_ARRAY
/* An array that a kernel fills. Begin with zeros; free(data) when it is no longer needed, whatever the kernel returned.
   Given again, its memory is used again. */
typedef struct {
  void *data;
  int64_t len, cap; /* in elements */
} atl_array;
#endif
";

/// The helper that makes room.
pub(crate) const HELPERS: &str = "\
/* Room for another element; the length to go on with. A length of -1 is left where there is no memory. */
static __attribute__((noinline, cold)) int64_t atl_grow(atl_array *array, int64_t len, int64_t size) {
  int64_t cap, bytes;
  if (!__builtin_mul_overflow(array->cap < 32 ? 32 : array->cap, 2, &cap) &&
      !__builtin_mul_overflow(cap, size, &bytes) && (uint64_t)bytes <= SIZE_MAX) {
    void *data = realloc(array->data, (size_t)bytes);
    if (data != NULL) {
      array->data = data;
      array->cap = cap;
      return len;
    }
  }
  array->len = -1;
  return 0;
}
";

/// The outputs of a kernel that grow.
pub(crate) fn growing(kernel: &Kernel) -> Vec<&BufferParam> {
    kernel.params.iter().filter(|param| param.access == Access::Append).collect()
}

/// The local variables of an array: its elements, how many there are, and for how many there is room.
struct Parts {
    record: String,
    at: String,
    len: String,
    cap: String,
}

fn parts(terms: &mut Terms, buf: &Name) -> Parts {
    let record = terms.identifier(buf);
    let [at, len, cap] = ["at", "len", "cap"].map(|part| terms.named_part(buf, part));
    Parts { record, at, len, cap }
}

/// The lines at entry: there is room for one element at least.
pub(crate) fn enter(terms: &mut Terms, param: &BufferParam) -> String {
    let Parts { record, at, len, cap } = parts(terms, &param.name);
    let ty = c_type(param.scalar);
    format!(
        "  {record}->len = 0;\n  \
         if ({record}->cap < 1) atl_grow({record}, 0, sizeof({ty}));\n  \
         if ({record}->len < 0) return {STATUS_NO_MEMORY};\n  \
         {ty} *{at} = {record}->data;\n  \
         int64_t {len} = 0, {cap} = {record}->cap;\n"
    )
}

/// The lines at the end.
pub(crate) fn leave(terms: &mut Terms, param: &BufferParam) -> String {
    let Parts { record, len, .. } = parts(terms, &param.name);
    format!("  if ({record}->len < 0) atl_status = {STATUS_NO_MEMORY};\n  {record}->len = {len};\n")
}

/// The lines that push a value.
pub(crate) fn push(terms: &mut Terms, buf: &Name, scalar: Scalar, value: &str) -> [String; 6] {
    let Parts { record, at, len, cap } = parts(terms, buf);
    [
        format!("if ({len} == {cap}) {{"),
        format!("  {len} = atl_grow({record}, {len}, sizeof({}));", c_type(scalar)),
        format!("  {at} = {record}->data;"),
        format!("  {cap} = {record}->cap;"),
        "}".to_owned(),
        format!("{at}[{len}++] = {value};"),
    ]
}
