//! `atl convert`: a tensor in another file format.

use super::structure;
use crate::args::Convert;
use crate::output::{Output, Result};
use atl_driver::data::{Conversion, Converted, Duplicates, Zeros, convert};

pub(super) fn run(args: &Convert, out: &mut Output) -> Result {
    let converted = convert(&Conversion {
        input: args.input.clone(),
        output: args.output.clone(),
        layout: args.format,
        symmetry: args.symmetry,
        dtype: args.dtype,
        shape: args.shape.clone(),
        duplicates: if args.add_duplicates { Duplicates::Add } else { Duplicates::Refuse },
        zeros: if args.drop_zeros { Zeros::Drop } else { Zeros::Keep },
        structure: structure(args.trust_input),
    })?;
    for note in &converted.notes {
        out.remark(&format!("note: {note}"));
    }
    out.print(&format!("{}: {}\n", args.output.display(), in_words(&converted)))
}

fn in_words(converted: &Converted) -> String {
    let Converted { dtype, shape, entries, zeros, added, dropped, .. } = converted;
    let extents: Vec<String> = shape.iter().map(usize::to_string).collect();
    let mut words = format!("{dtype}[{}]", extents.join(", "));
    if let Some(entries) = entries {
        words += &format!(", {}", counted(*entries, "entry", "entries"));
    }
    if *zeros > 0 {
        words += &format!(", {zeros} of them zero");
    }
    if *added > 0 {
        words += &format!(", {} added", counted(*added, "duplicate", "duplicates"));
    }
    if *dropped > 0 {
        words += &format!(", {} dropped", counted(*dropped, "zero", "zeros"));
    }
    words
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
