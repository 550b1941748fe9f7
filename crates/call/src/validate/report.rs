//! A file to report: a program in C that shows by itself what a compiler made wrong.
//!
//! One idea: who mends a compiler wants a program that is complete, with the flags that show the fault and
//! the values that are right. So the kernel's own C is followed by arguments and results as literals, and by
//! a `main` that calls the kernel through a pointer that no compiler sees through and counts what differs.

use super::trial::Trial;
use atl_backend_c::CSource;
use atl_backend_c::c_type;
use atl_loops::{Access, Kernel, Literal, Machine as _, Scalar};
use atl_runtime::{Buffer, DType, Kind, with_element};
use atl_session::elements::scalar;

/// What the file says of the kernel and how it was compiled.
pub(super) struct Fault<'a> {
    pub(super) source: &'a CSource,
    pub(super) loops: &'a Kernel,
    pub(super) compiler: &'a str,
    pub(super) command: &'a str,
    pub(super) flags: &'a [String],
    pub(super) difference: String,
}

/// The file's text.
pub(super) fn text(fault: &Fault<'_>, trial: &Trial) -> String {
    let Fault { source, loops, compiler, command, flags, difference } = fault;
    let (sizes, named) = (sizes(loops, trial), trial.arguments.sizes());
    let given: Vec<String> = named.iter().map(|(name, n)| format!("{name} = {n}")).collect();
    let given = if given.is_empty() { "without sizes".to_owned() } else { given.join(", ") };
    let mut text = format!(
        "/* `{}`, compiled by a compiler that makes other code of it than it says.\n   Compiler: {}\n   Call: {given}\n   Found: {}\n\n   \
         To see it:\n     {command} THIS_FILE.c -o fault {} && ./fault\n   It prints how many cells differ, and ends with 1 if any does. */\n",
        source.declaration.function,
        plain(compiler),
        plain(difference),
        flags.iter().filter(|flag| !is_of_libraries(flag)).cloned().collect::<Vec<_>>().join(" "),
    );
    text += &source.c;
    text += "\n#include <math.h>\n#include <stdio.h>\n#include <string.h>\n\n";
    text += &format!("static const int64_t atl_sizes[] = {{{}}};\n", list(&sizes));
    let (mut buffers, mut checks) = (Vec::new(), String::new());
    let mut results = trial.expected.iter();
    for (k, param) in loops.params.iter().enumerate() {
        let name = format!("atl_buffer_{k}");
        if param.access == Access::Read {
            let argument = trial.arguments.arrays.iter().find(|(given, _)| *given == param.name.as_str());
            let Some((_, content)) = argument else { continue };
            text += &array("", &name, content);
            buffers.push(format!("(void *){name}"));
            continue;
        }
        let Some(expected) = results.next() else { continue };
        let (ty, wanted) = (c_type(scalar(expected.dtype())), format!("atl_expected_{k}"));
        text += &array("const ", &wanted, expected);
        let found = if param.access == Access::Append {
            text += &format!("static atl_array {name};\n");
            checks += &format!(
                "  if ({name}.len != {}) {{ printf(\"{}: %lld elements\\n\", (long long){name}.len); return 1; }}\n",
                expected.len(),
                param.name
            );
            buffers.push(format!("&{name}"));
            format!("((const {ty} *){name}.data)")
        } else {
            text += &format!("static {ty} {name}[{}];\n", expected.len().max(1));
            buffers.push(name.clone());
            name
        };
        let differs = match expected.dtype() {
            // As words, of which those above infinity are NaN.
            DType::F16 | DType::BF16 => {
                let infinity = Literal::greatest(scalar(expected.dtype())).bits();
                let is_nan = |cell: &str| format!("({cell}[i] & 0x7fff) > {infinity}");
                let both = [found.as_str(), wanted.as_str()].map(is_nan).join(" && ");
                format!("{found}[i] != {wanted}[i] && !({both})")
            }
            dtype if dtype.kind() == Kind::Float => format!(
                "memcmp(&{found}[i], &{wanted}[i], sizeof({ty})) && !(isnan({found}[i]) && isnan({wanted}[i]))"
            ),
            _ => format!("{found}[i] != {wanted}[i]"),
        };
        checks += &format!("  for (int64_t i = 0; i < {}; i++) differing += {differs};\n", expected.len());
    }
    text += &format!(
        "static void *atl_buffers[] = {{{}}};\n\nint main(void) {{\n  \
         int32_t (*volatile call)(const int64_t *, void *const *) = {};\n  long differing = 0;\n  \
         if (call(atl_sizes, atl_buffers) != 0) return 2;\n{checks}  \
         printf(\"%ld cells differ\\n\", differing);\n  return differing != 0;\n}}\n",
        list(&buffers),
        source.declaration.trampoline,
    );
    text
}

/// The sizes in the kernel's order.
fn sizes(loops: &Kernel, trial: &Trial) -> Vec<String> {
    let value = |name: &str| trial.arguments.sizes.iter().find(|(given, _)| given == name).map(|(_, n)| *n);
    loops.sizes.iter().map(|name| value(name.as_str()).unwrap_or(0).to_string()).collect()
}

/// Flags for shared libraries, which a program does without.
fn is_of_libraries(flag: &str) -> bool {
    flag.starts_with("-Wl,") || flag == "-fno-semantic-interposition"
}

/// Text that ends no comment.
fn plain(text: &str) -> String {
    text.replace("*/", "* /")
}

/// No array of C is empty.
fn list(elements: &[String]) -> String {
    if elements.is_empty() { "0".to_owned() } else { elements.join(", ") }
}

fn array(qualifier: &str, name: &str, content: &Buffer) -> String {
    let ty = c_type(scalar(content.dtype()));
    format!("static {qualifier}{ty} {name}[] = {{{}}};\n", list(&literals(content)))
}

/// The elements as C has them; two that differ in a bit are two texts, but for those of NaN.
pub(super) fn literals(buffer: &Buffer) -> Vec<String> {
    let text = |value: Literal| match value {
        Literal::F16(_) | Literal::BF16(_) => format!("0x{:04x}", value.bits()),
        Literal::F32(x) => real(x.into(), format!("{x:e}f")),
        Literal::F64(x) => real(x, format!("{x:e}")),
        Literal::Bool(x) => u8::from(x).to_string(),
        Literal::Int(x) => match x.get() {
            n if n == i32::MIN.into() && x.scalar() == Scalar::I32 => "(-2147483647 - 1)".to_owned(),
            n if n == i64::MIN.into() => "(-INT64_C(9223372036854775807) - 1)".to_owned(),
            n if x.scalar() == Scalar::I64 => format!("INT64_C({n})"),
            n if x.scalar() == Scalar::U64 => format!("UINT64_C({n})"),
            n => n.to_string(),
        },
    };
    with_element!(buffer.dtype(), T => {
        buffer.as_slice::<T>().map(|all| all.iter().map(|x| text(x.value())).collect()).unwrap_or_default()
    })
}

fn real(x: f64, finite: String) -> String {
    match x {
        _ if x.is_nan() => "NAN".to_owned(),
        f64::INFINITY => "INFINITY".to_owned(),
        f64::NEG_INFINITY => "-INFINITY".to_owned(),
        _ => finite,
    }
}
