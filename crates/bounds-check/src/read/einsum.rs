//! Einsum strings: an index is a letter, an operand's indices stand in a row.

use super::{one, plain};
use crate::kernel::{Access, Affine, Kernel, Reduced, Statement, Value};
use atl_diag::{FileId, Span, err};
use atl_teil::Refusal;
use atl_teil::language::{Placed, Shape};

/// An einsum string.
pub(super) fn einsum(
    file: FileId,
    text: &str,
    declared: Vec<(Placed<String>, Shape)>,
) -> Result<Kernel, Refusal> {
    let (left, right) = text.split_once("->").map_or((text, None), |(left, right)| (left, Some(right)));
    let letters = |part: &str, from: usize| -> Result<Vec<Affine>, Refusal> {
        let mut indices = Vec::new();
        for (at, c) in part.char_indices().filter(|(_, c)| !c.is_whitespace()) {
            let span = Span::new(file, (from + at) as u32, (from + at + c.len_utf8()) as u32);
            if !c.is_ascii_alphabetic() {
                return Err(Box::new(
                    err!(E0297, span, "`{c}` is no index of an einsum string")
                        .help("indices are letters: `ij,jk->ik`"),
                ));
            }
            indices.push(plain(&c.to_string(), span));
        }
        Ok(indices)
    };
    let whole = Span::new(file, 0, text.len() as u32);
    let mut from = 0;
    let mut factors = Vec::new();
    for (k, part) in left.split(',').enumerate() {
        let span = Span::new(file, from as u32, (from + part.len()) as u32);
        let Some((tensor, _)) = declared.get(k) else {
            return Err(Box::new(
                err!(E0297, span, "operand {} has no sizes", k + 1)
                    .help("declare the operands in order: `-d A=m,k -d B=k,n`"),
            ));
        };
        let tensor = Placed { value: tensor.value.clone(), span };
        factors.push(Value::Read(Access { tensor, indices: letters(part, from)?, span }));
        from += part.len() + 1;
    }
    let value = one(factors);
    let indices = match right {
        Some(right) => letters(right, left.len() + 2)?,
        None => {
            let reads = value.reads();
            let all: Vec<&Affine> = reads.iter().flat_map(|read| &read.indices).collect();
            let text = |affine: &&Affine| affine.text();
            let once = |a: &&Affine| all.iter().filter(|b| text(b) == text(a)).count() == 1;
            let mut once: Vec<Affine> = all.iter().copied().filter(once).cloned().collect();
            once.sort_by_key(Affine::text);
            once
        }
    };
    for (k, index) in indices.iter().enumerate() {
        if indices[..k].iter().any(|before| before.text() == index.text()) {
            return Err(Box::new(
                err!(E0297, index.span, "`{}` stands twice in the result", index.text())
                    .label("again")
                    .note("NumPy and its kin refuse this, too: most entries would have no value")
                    .help("name it once, or say as an assignment what is meant: `y(i,i) = x(i)`"),
            ));
        }
    }
    let names = ["out", "result"].into_iter().map(str::to_owned).chain((1..).map(|n| format!("out_{n}")));
    let mut free = names.filter(|name| declared.iter().all(|(d, _)| d.value != *name));
    let tensor = Placed { value: free.next().unwrap_or_default(), span: whole };
    let target = Access { tensor, indices, span: whole };
    let statement = Statement { target, onto: None, value, reduced: Reduced::EachTerm, ranges: vec![] };
    Ok(Kernel { declared, statements: vec![statement], smallest: false })
}
