//! How a kernel stores a result in a format: the arrays of its levels, and the operand whose places it takes
//! over.

use atl_formats::symbolic::offset;
use atl_kernel::{Ix, Var};
use atl_lang::{Function, SparseParam, Stored};
use atl_lower::{Assembly, SamePattern, Writer};

/// The arrays of a result of this shape, whose names begin so.
pub(crate) fn assembly(stored: &Stored, shape: &[Ix], output: &str) -> Assembly {
    let levels = stored.format.entries().iter().enumerate().map(|(depth, entry)| {
        let named = |what: &str| format!("{output}{}_{what}", depth + 1);
        let offset = offset(entry.axes[0], shape);
        match (entry.kind.name, entry.axes.len()) {
            ("dense", _) => Writer::Dense,
            ("bitmask", _) => Writer::Flags { bits: named("bits") },
            (_, 1) => Writer::Compressed { pos: named("pos"), crd: vec![named("crd")], offset },
            (_, n) => {
                let crd = (0..n).map(|d| named(&format!("crd{d}"))).collect();
                Writer::Compressed { pos: named("pos"), crd, offset }
            }
        }
    });
    Assembly { levels: levels.collect(), values: format!("{output}_vals"), same_pattern: None }
}

/// The arrays of an operand in the result's format.
pub(crate) fn same_pattern(f: &Function, operand: &SparseParam) -> SamePattern {
    let arrays = f.params.get(operand.arrays.clone()).unwrap_or_default();
    let mut arrays = arrays.iter().map(|param| Var::Free(param.level));
    let mut levels = Vec::new();
    for entry in operand.format.entries() {
        match entry.kind.name {
            "compressed" => {
                let pos = arrays.next();
                levels.extend(pos.map(|pos| (pos, arrays.by_ref().take(entry.axes.len()).collect())));
            }
            "bitmask" => drop(arrays.next()),
            _ => {}
        }
    }
    SamePattern { name: operand.name.clone(), levels }
}
