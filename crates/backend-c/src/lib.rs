//! Loop IR to C.
//!
//! [`print_kernel`] gives C11 with the extensions that GCC and Clang share. The printed code follows the loop nest
//! line by line; no pass of its own stands between them.
//!
//! **Calling convention.** A kernel `NAME` becomes
//! ```c
//! int32_t NAME(int64_t N, int64_t M, const float *restrict img, float *restrict out);
//! int32_t NAME_call(const int64_t *sizes, void *const *buffers);
//! ```
//! with sizes and buffers in the order of the kernel. The second calls the first and has the same type for every
//! kernel. An output that grows is an `atl_array *`, of which the header says who frees it. A kernel with scratch on the heap keeps it for the next call; `void NAME_release(void)` frees it, at any time. Both return [`STATUS_OK`], [`STATUS_NO_MEMORY`] or [`STATUS_REFUSED`]; unless the status is `STATUS_OK`, the
//! outputs hold nothing of use. Buffers do not overlap, but an output may be the buffer that it [is over](BufferParam::over); they are aligned for their type and have as many cells as their extents
//! say; nothing checks that. `bool` is one byte, 0 or 1. A name that C could not take is changed; [`CSource`] says what the
//! functions are called.
//!
//! **Arithmetic.** What [`atl_loops::val`] says holds bit for bit at [`Rounding::Bitwise`] and [`Rounding::Finite`], with
//! the flags of [`flags`]. Index arithmetic is signed and assumed not to overflow.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod allocations;
mod append;
mod automatic;
mod chains;
mod conditional;
mod converted_sums;
mod dot;
mod edges;
mod elementary;
mod flags;
mod gathers;
mod header;
mod integers;
mod intersection;
mod lanes;
mod merge;
mod names;
mod prelude;
mod products;
mod registers;
mod reread;
mod rounded;
mod scalars;
mod scratch;
mod search;
mod signs;
mod skips;
mod stmts;
mod stream;
mod terms;
mod touched;
mod unrolling;
mod uses;
mod vector_type;
mod vectors;

pub use flags::{flags, safe_flags, uncontracted};
pub use header::{Declaration, Parameter};
pub use prelude::half_conversions;
pub use registers::register_arrays;
pub use scalars::c_type;
pub use unrolling::{TOO_HEAVY, not_unrolled, weight};

use atl_c_text::Dialect;
use atl_loops::requirement::within;
use atl_loops::validate::{Violation, validate};
use atl_loops::{Access, Bool, BufferParam, Int, Kernel, is_half};
use stmts::Printer;
use terms::Terms;
use uses::Uses;

/// The kernel has done its work.
pub const STATUS_OK: i32 = 0;
/// Scratch memory could not be allocated.
pub const STATUS_NO_MEMORY: i32 = 1;
/// The sizes do not satisfy the requirements.
pub const STATUS_REFUSED: i32 = 2;

/// What the C compiler may do to floating point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rounding {
    /// Nothing: each operation is rounded by itself.
    Bitwise,
    /// Nothing either; the program may differ from its source on NaN, infinities and signed zeros, but the
    /// compiler need not know.
    Finite,
    /// Contract products and sums into fused operations.
    Real,
}

/// How to print and compile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// What the compiler may do to floating point.
    pub rounding: Rounding,
    /// Use OpenMP threads for parallel loops; otherwise they run in order.
    pub openmp: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { rounding: Rounding::Bitwise, openmp: false }
    }
}

/// A printed kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CSource {
    /// The source file.
    pub c: String,
    /// Its functions; the [header](Declaration::header) declares them.
    pub declaration: Declaration,
    /// The flags to compile it with.
    pub flags: Vec<&'static str>,
    /// For each line of the source the number of the statement that it carries out, in the order of
    /// [`Stmt::for_each`](atl_loops::Stmt::for_each); none for lines of no statement.
    pub statements: Vec<Option<usize>>,
}

/// What a kernel uses of the library: that header takes longer to read than many a kernel.
const MEMORY: &str = "#include <stddef.h>\n
void *realloc(void *, size_t);
void *aligned_alloc(size_t, size_t);
void free(void *);
";

/// Prints the kernel, or says why it is ill-formed.
///
/// ```
/// let text = "kernel double(N) in f32 x[N] out f32 y[N] { for i in 0..N { y[i] = x[i] + x[i] } }";
/// let source = atl_backend_c::print_kernel(&atl_loops::parse_kernel(text)?, &Default::default()).unwrap();
/// assert!(source.c.contains("y[i] = x[i] + x[i];"));
/// # Ok::<(), atl_loops::ParseError>(())
/// ```
pub fn print_kernel(kernel: &Kernel, options: &Options) -> Result<CSource, Vec<Violation>> {
    let violations = validate(kernel);
    if !violations.is_empty() {
        return Err(violations);
    }
    let kernel = &unrolling::limited(kernel);
    let function = names::function(&kernel.name);
    let trampoline = format!("{function}_call");
    let release = format!("{function}_release");
    let taken = [&function, &trampoline, &release].map(String::clone);
    let mut terms = Terms::new(kernel.buffer_types(), taken);
    if rounded::is_needed(kernel, options) {
        terms.round_products(true);
        terms.helpers().insert(rounded::NAME);
    }
    let uses = Uses::of(kernel);
    let mut printer = Printer::new(terms, options, &uses);
    let registers = registers::registers(kernel, printer.terms.buffer_types());
    printer.terms.set_registers(registers);
    printer.terms.within = within(kernel);
    let mut parameters = Vec::new();
    let mut untouched = String::new();
    for size in &kernel.sizes {
        printer.terms.set_nonnegative(size, true);
        printer.sizes.insert(size.clone());
        parameters.push(Parameter::new("int64_t", printer.terms.identifier(size)));
    }
    for param in &kernel.params {
        let qualifier = if param.access == Access::Read { "const " } else { "" };
        let name = printer.terms.identifier(&param.name);
        if param.access == Access::Append {
            parameters.push(Parameter::new("atl_array *", name));
            printer.add_param(param);
            continue;
        }
        if param.access == Access::Read {
            printer.terms.add_input(&param.name);
        }
        let alone = if may_overlap(kernel, param) { "" } else { "restrict" };
        let ty = format!("{qualifier}{} *{alone}", c_type(param.scalar));
        let note = is_half(param.scalar).then(|| param.scalar.name());
        parameters.push(Parameter { note, ..Parameter::new(ty, name.clone()) });
        if uses.is_untouched(&param.name) {
            untouched += &format!("  (void){name};\n");
        }
        printer.add_param(param);
    }
    let growing = append::growing(kernel);
    let checks = refusals(kernel, &mut printer.terms);
    let begins: String = growing.iter().map(|param| append::enter(&mut printer.terms, param)).collect();
    let ends: String = growing.iter().map(|param| append::leave(&mut printer.terms, param)).collect();
    if !growing.is_empty() {
        printer.terms.helpers().insert("atl_grow");
    }
    printer.body(&kernel.body);

    let release = (!printer.pools.is_empty()).then_some(release);
    let grows = !growing.is_empty();
    let declaration = Declaration { function, trampoline, release, parameters, grows };
    let Declaration { function, release, .. } = &declaration;
    let (signature, uniform) = (declaration.head(), declaration.uniform());
    let uses_memory = release.is_some() || !growing.is_empty();
    let (status, result) = match uses_memory {
        true => ("  int32_t atl_status = 0;\n", "atl_status"),
        false => ("", "0"),
    };
    let array = if growing.is_empty() { "" } else { append::TYPE };
    let helpers = prelude::texts(&printer.terms.context().helpers).chain(printer.terms.vectors.texts());
    let helpers: String = helpers.flat_map(|text| [text, "\n".to_owned()]).collect();
    let include = if uses_memory { MEMORY } else { "" };
    let pools = if release.is_some() { scratch::pools(&printer.pools) } else { String::new() };
    let arguments = trampoline_arguments(kernel);
    let head = format!(
        "#include <stdint.h>\n{include}\n{array}{helpers}{pools}{signature} {{\n{checks}{untouched}{begins}{status}"
    );
    let released = release.iter().map(|name| scratch::release(name, &printer.pools)).collect::<String>();
    let c = format!(
        "{head}{}{ends}  return {result};\n}}\n\n\
         {uniform} {{\n  (void)sizes;\n  (void)buffers;\n  return {function}({arguments});\n}}\n{released}",
        printer.text
    );
    let mut statements = vec![None; head.lines().count()];
    statements.extend(printer.statements);
    statements.resize(c.lines().count(), None);
    // Threads need a library, which takes time to link and to load.
    let options = Options { openmp: options.openmp && kernel.is_parallel(), ..*options };
    let flags = flags::of_kernel(kernel, &options);
    Ok(CSource { c, declaration, flags, statements })
}

/// May the buffer's memory be that of another parameter too?
fn may_overlap(kernel: &Kernel, param: &BufferParam) -> bool {
    param.over.is_some() || kernel.params.iter().any(|other| other.over.as_ref() == Some(&param.name))
}

/// The lines that refuse sizes for which the kernel has no meaning.
fn refusals(kernel: &Kernel, terms: &mut Terms) -> String {
    let extents = kernel.params.iter().flat_map(|param| &param.extents);
    let mut lengths: Vec<Int> = kernel.sizes.iter().cloned().map(Int::Var).collect();
    // An extent without a visible sign has to be looked at when the sizes are known.
    let unclear: Vec<&Int> = extents.filter(|extent| !terms.is_nonnegative(extent)).collect();
    lengths.extend(unclear.into_iter().cloned());
    let negative = lengths.into_iter().map(|length| Bool::lt(length, Int::Lit(0)));
    let unmet = kernel.requires.iter().cloned().map(Bool::negate);
    let mut checks: Vec<String> = Vec::new();
    for refused in negative.chain(unmet) {
        let check = format!("  if ({}) return {STATUS_REFUSED};\n", terms.bool(&refused));
        if !checks.contains(&check) {
            checks.push(check);
        }
    }
    checks.concat()
}

fn trampoline_arguments(kernel: &Kernel) -> String {
    let sizes = (0..kernel.sizes.len()).map(|k| format!("sizes[{k}]"));
    let buffers = (0..kernel.params.len()).map(|k| format!("buffers[{k}]"));
    sizes.chain(buffers).collect::<Vec<_>>().join(", ")
}
