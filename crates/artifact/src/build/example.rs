//! A C program that calls a built kernel on made-up data and prints its result.
//!
//! Its sizes are constants for which the function has a meaning; its data are those of
//! [`Arguments::complete`](atl_call::Arguments::complete), so that results can be compared.

use super::{Artefact, Parameter, Role};
use atl_backend_c::half_conversions;
use atl_call::made_up::{PERIOD, sizes_like};
use atl_kernel::Scalar;
use atl_loops::interp::Cells;
use atl_loops::requirement::integers;
use atl_loops::{Kernel, Literal, Name, is_half};
use atl_session::signature::Signature;
use std::collections::BTreeSet;

/// The size that is preferred.
const SIZE: i64 = 8;

/// Sizes for which the function has a meaning; zeros where none were found, which the kernel then refuses by
/// itself.
pub(crate) fn sizes(signature: &Signature) -> Vec<i64> {
    let count = signature.sizes.len();
    sizes_like(signature, &vec![None; count], SIZE).unwrap_or_else(|| vec![0; count])
}

/// The program.
pub(super) fn text(artefact: &Artefact<'_>) -> String {
    let signature = &artefact.lowered.signature;
    let name = &artefact.source.declaration.function;
    let sizes = sizes(signature);
    let shapes = signature.shapes(&sizes);
    let shapes = shapes.unwrap_or_else(|_| vec![Vec::new(); signature.arrays.len() + 1]);
    let indices = index_arrays(&artefact.lowered.kernel);
    if !zeros_will_do(&artefact.lowered.kernel, signature, &sizes, &shapes) {
        return format!(
            "/* {name} reads memory by the elements of its arrays, and no arrays that it may be given were made up for this\n   \
             example: {name}.md says what they satisfy. */\n#include \"{name}.h\"\n#include <stdio.h>\n\n\
             int main(void) {{\n    puts(\"{name}.md says what the arrays of {name} satisfy\");\n    return 0;\n}}\n"
        );
    }
    let mut body = String::new();
    let mut arguments: Vec<String> = Vec::new();
    for (size, value) in signature.sizes.iter().zip(&sizes) {
        let variable = format!("size_{}", arguments.len());
        body.push_str(&format!("    const int64_t {variable} = {value}; /* {} */\n", size.name));
        arguments.push(variable);
    }
    let mut fills = String::new();
    let mut frees = String::new();
    let mut tests = Vec::new();
    let mut report = String::new();
    let mut reports = Vec::new();
    let shapes = shapes.iter().chain(std::iter::repeat(&shapes[shapes.len() - 1]));
    for (number, (p, shape)) in artefact.parameters().iter().zip(shapes).enumerate() {
        let cells: usize = shape.iter().product();
        let variable = format!("array_{number}");
        if p.role == Role::Appended {
            body.push_str(&format!("    atl_array {variable} = {{0}}; /* {}: {} */\n", p.name, p.ty));
            frees.push_str(&format!("    free({variable}.data);\n"));
            report.push_str(&print_appended(p, &variable));
            arguments.push(format!("&{variable}"));
            continue;
        }
        body.push_str(&format!(
            "    {} *{variable} = calloc({}, sizeof *{variable}); /* {}: {} = {shape:?} */\n",
            p.c_type,
            cells.max(1),
            p.name,
            p.ty
        ));
        tests.push(format!("{variable} == NULL"));
        frees.push_str(&format!("    free({variable});\n"));
        match p.role {
            // What memory is read by stays zero, so that an operand in a format has no entries.
            Role::Read if indices.contains(p.name.as_str()) => {
                fills.push_str(&format!("    /* {} stays zero: memory is read by it. */\n", p.name));
            }
            Role::Read => fills.push_str(&fill(p, &variable, cells)),
            _ => reports.push(print(p, &variable, cells)),
        }
        arguments.push(variable);
    }
    let mut halves: Vec<Scalar> =
        artefact.parameters().iter().map(|p| p.scalar).filter(|of| is_half(*of)).collect();
    halves.sort_unstable();
    halves.dedup();
    // Some fill, some print: a function may be left over.
    let conversions: String = halves.into_iter().map(half_conversions).collect();
    // Each in a block of its own, where there are several: they use the same names.
    match &reports[..] {
        [one] => report.push_str(one),
        several => several.iter().for_each(|text| report.push_str(&format!("    {{\n{text}    }}\n"))),
    }
    format!(
        "/* Calls {name}. How to compile it is in {name}.md. */\n\
         #include \"{name}.h\"\n#include <stdio.h>\n#include <stdlib.h>\n\n\
         {conversions}int main(void) {{\n{body}{}{fills}\n    \
         int32_t status = {name}({});\n    if (status != 0) {{\n        \
         fprintf(stderr, \"{name} returned %d\\n\", (int)status);\n        return 1;\n    }}\n{report}{frees}    return 0;\n}}\n",
        match tests.is_empty() {
            true => String::new(),
            false => format!("    if ({}) return 1;\n", tests.join(" || ")),
        },
        arguments.join(", "),
    )
}

/// The arrays that index terms or requirements read.
fn index_arrays(kernel: &Kernel) -> BTreeSet<&str> {
    let mut found: BTreeSet<&str> = kernel.index_reads().into_iter().map(|name| name.as_str()).collect();
    for requirement in &kernel.requires_all {
        requirement.for_each_read(&mut |name, _| {
            found.insert(name.as_str());
        });
    }
    found
}

/// Do arrays of zeros satisfy what the kernel requires of them?
fn zeros_will_do(kernel: &Kernel, signature: &Signature, sizes: &[i64], shapes: &[Vec<usize>]) -> bool {
    let cells = shapes.iter().map(|shape| shape.iter().product::<usize>()).max().unwrap_or(0);
    let zeros = Scalar::ALL.map(|scalar| Cells::from_literals(scalar, &vec![Literal::zero(scalar); cells]));
    let inputs = signature.arrays.iter().zip(shapes).filter_map(|(array, shape)| {
        let cells = shape.iter().product();
        let zeros = zeros.iter().find(|zeros| zeros.scalar() == array.elem.scalar)?;
        let zeros = integers(zeros)?.first(cells);
        Some((Name::new(&array.name), zeros))
    });
    kernel.unmet(sizes, &inputs.collect()).is_none()
}

/// Fills an array as `made_up` does.
fn fill(p: &Parameter, variable: &str, cells: usize) -> String {
    let count = format!("k % {PERIOD} + 1");
    let value = match p.scalar {
        scalar if is_half(scalar) => format!("atl_{scalar}_of_f32((float)({count}) / 8)"),
        scalar if scalar.is_float() => format!("({})({count}) / 8", p.c_type),
        Scalar::Bool => format!("({count}) % 2 == 1"),
        _ => format!("({})({count})", p.c_type),
    };
    format!("    for (int64_t k = 0; k < {cells}; k++) {variable}[k] = {value};\n")
}

/// A cell as a number.
fn number(p: &Parameter, cell: &str) -> String {
    if is_half(p.scalar) { format!("atl_f32_of_{}({cell})", p.scalar) } else { cell.to_owned() }
}

/// Prints the first elements and the sum of all; of floats, the sum of those that are finite, for a minimum
/// of nothing is infinite.
fn print(p: &Parameter, variable: &str, cells: usize) -> String {
    let shown = cells.min(8);
    let element = number(p, &format!("{variable}[k]"));
    let shows = format!(
        "    for (int64_t k = 0; k < {shown}; k++) printf(\"%.9g \", (double){element});\n    \
         printf(\"\\n{cells} elements, sum %.17g\", sum);\n"
    );
    match p.scalar {
        scalar if scalar.is_float() => format!(
            "    double sum = 0;\n    int64_t finite = 0;\n    for (int64_t k = 0; k < {cells}; k++) {{\n        \
             if ({element} - {element} != 0) continue; /* infinite, or not a number */\n        \
             sum += (double){element};\n        finite++;\n    }}\n{shows}    \
             if (finite < {cells}) printf(\" of the %lld that are finite\", (long long)finite);\n    puts(\"\");\n"
        ),
        _ => format!(
            "    double sum = 0;\n    for (int64_t k = 0; k < {cells}; k++) sum += (double){element};\n{shows}    \
             puts(\"\");\n"
        ),
    }
}

/// Prints the elements of an array that was filled.
fn print_appended(p: &Parameter, variable: &str) -> String {
    format!(
        "    printf(\"{}:\");\n    for (int64_t k = 0; k < {variable}.len; k++) \
         printf(\" %.9g\", (double){});\n    puts(\"\");\n",
        p.name,
        number(p, &format!("(({} *){variable}.data)[k]", p.c_type))
    )
}
