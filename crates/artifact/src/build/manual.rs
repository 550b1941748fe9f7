//! The page that says how to call a built kernel.

use super::{Artefact, Role};
use crate::claims::laws_used;
use crate::proof::Evidence;
use atl_lang::SizeSource;

/// The page of a kernel, Markdown.
pub(super) fn text(artefact: &Artefact<'_>) -> String {
    let (lowered, source) = (artefact.lowered, &artefact.source);
    let (doc, signature) = (&lowered.function.doc, &lowered.signature);
    let name = &source.declaration.function;
    let doc = if doc.is_empty() { String::new() } else { format!("{}\n\n", doc.join("\n").trim()) };
    let sizes: String = signature
        .sizes
        .iter()
        .map(|s| {
            let from = match &s.source {
                SizeSource::Argument => String::new(),
                SizeSource::Extent { param, axis } => {
                    format!(", the extent of `{}` along axis {axis}", signature.arrays[*param].name)
                }
                SizeSource::Extents(found) => {
                    let of = found.extents.iter().filter_map(|(_, (param, axis))| {
                        let array = signature.arrays.get(*param)?;
                        let extent = &array.extents.get(*axis)?.text;
                        Some(format!("`{extent}` is the extent of `{}` along axis {axis}", array.name))
                    });
                    format!(" such that {}", of.collect::<Vec<_>>().join(", and "))
                }
            };
            format!("| `{}` | `int64_t` | a size{from} |\n", s.name)
        })
        .collect();
    let arrays: String = artefact
        .parameters()
        .iter()
        .map(|p| {
            let (ty, role) = match p.role {
                Role::Read => (format!("const {} *", p.c_type), "read"),
                Role::Written => (format!("{} *", p.c_type), "written"),
                Role::Appended => ("atl_array *".to_owned(), "allocated and filled; the caller frees `data`"),
            };
            let over = p
                .over
                .iter()
                .map(|read| format!("; it may be the array `{read}`, which is overwritten then"));
            format!("| `{}` | `{ty}` | `{}`, {role}{} |\n", p.name, p.ty, over.collect::<String>())
        })
        .collect();
    let requires: Vec<String> = signature.conditions.iter().map(|c| format!("`{}`", c.text)).collect();
    let requires = match requires.is_empty() {
        true => "Every size is at least 0.".to_owned(),
        false => format!("Every size is at least 0, and {}.", requires.join(", ")),
    };
    let elements: Vec<String> = signature.contents.iter().map(|c| format!("* `{}`\n", c.text)).collect();
    let elements = match elements.is_empty() {
        true => String::new(),
        false => format!(
            "\n\nThe elements of the arrays satisfy, and the function does not check, though it reads memory by them:\n\n{}",
            elements.concat()
        ),
    };
    let complex = signature.complex.iter().map(|complex| {
        let [re, im] = &complex.parts;
        format!(
            "\n\n`{}` of the program is `{}`: its real parts are `{re}`, its imaginary parts `{im}`.",
            complex.name, complex.ty
        )
    });
    let complex: String = complex.collect();
    let threads = match artefact.openmp {
        _ if !lowered.kernel.is_parallel() => "It has no parallel loop, and runs on one thread.",
        true => {
            "Parallel loops use OpenMP threads; `OMP_NUM_THREADS` sets how many. Threads that wait for others keep a \
             processor busy: where other programs run, set `OMP_WAIT_POLICY=passive` before yours starts."
        }
        false => "The library was made without OpenMP: every loop runs on one thread.",
    };
    let kept = source.declaration.release.iter().map(|release| {
        format!("\n\nScratch memory is kept for the next call. `{release}` frees it, at any time and on any thread.")
    });
    let kept: String = kept.collect();
    let evidence = evidence(name, artefact.evidence);
    format!(
        "# {name}\n\n{doc}```c\n#include \"{name}.h\"\n```\n\n| parameter | type | meaning |\n|---|---|---|\n{sizes}{arrays}\n\
         Arrays are dense and row-major, the last axis running along memory. Each is aligned for its \
         element type and has as many elements as its shape says; no two overlap, unless the table says that one may be another. None of this is checked. A truth value is one byte, \
         0 or 1.{complex}\n\n{requires} The function refuses other sizes.{elements}\n\n\
         | result | meaning |\n|---|---|\n| 0 | done |\n| 1 | scratch memory could not be allocated |\n\
         | 2 | the sizes are refused |\n\nUnless the result is 0, the output holds nothing of use.\n\n\
         `{}` does the same with the sizes in one array and the addresses in another, so that it has the same type for \
         every kernel.{kept}\n\n## Linking\n\n```sh\n{}\n./example_{name}\n```\n\n`lib{name}.so` holds the same functions for \
         loading at run time. Both libraries were made for this machine's kind of processor (`-march=native`); elsewhere, \
         compile `{name}.c` anew, with the flags of the library: `{}`. Some of them keep GCC from steps that are known to be wrong; \
         `atl doctor` says which. {threads}\n\n## Evidence\n\n`{name}.atlp` is a proof that the function equals what was compiled; `atl verify {name}.atlp` checks it. {evidence} `{name}.certificate.txt` holds the theorem that the \
         kernel's program equals its source, with laws used `{}` and rounding `{}`, and what was shown before it was \
         made into loops.\n",
        source.declaration.trampoline,
        artefact.link("cc"),
        source.flags.join(" "),
        laws_used(&lowered.theorem),
        lowered.rounding,
    )
}

/// What the proof file shows of the loops and of the C text; where it does not, what that means for a reader.
fn evidence(name: &str, evidence: &Evidence) -> String {
    let loops = match &evidence.loops {
        Ok(()) => {
            "It has the loops, too, and why they compute this and never trap, which the second checker replays."
        }
        Err(why) => {
            let why = why.rsplit_once("compute: ").map_or(why.as_str(), |(_, why)| why);
            return format!(
                "Of the loops it says nothing, nor of `{name}.c`: evidence does not cover yet what they have ({why}). \
                 The theorem is whole without it; that these loops, and this text, compute what it says is believed of `atl`, and tested."
            );
        }
    };
    match &evidence.text {
        Ok(()) => format!("{loops} It has seen that `{name}.c` is these loops."),
        Err(why) => format!(
            "{loops} That `{name}.c` is these loops is believed of `atl`, and tested: the checker does not read yet what this text has ({why})."
        ),
    }
}
