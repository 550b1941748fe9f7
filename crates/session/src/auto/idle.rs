//! The steps of a script that ask for vectors and get none: a script that is chosen leaves them out.

use crate::scheduled::Lowered;
use atl_annotations::Annotation;
use atl_diag::Span;
use atl_loops::lanes::Vectors;
use atl_loops::passes::{Left, left_as_loops};
use atl_loops::{Name, Stmt};

/// Where they stand. Of loops that splitting at guards has made copies of, one that is vectors is enough.
pub(super) fn idle(lowered: &Lowered) -> Vec<Span> {
    let mut vectors: Vec<(String, Vec<Name>)> = Vec::new();
    lowered.kernel.body.for_each(&mut |stmt| {
        if let Stmt::Vectors { vectors: Vectors { var, .. }, body } = stmt {
            vectors.push((original(var), stored(body)));
        }
    });
    let mut found = Vec::new();
    for Left { var, body, .. } in left_as_loops(&lowered.kernel) {
        let (name, cells) = (original(var), stored(body));
        if vectors.iter().any(|(other, into)| *other == name && into.iter().any(|x| cells.contains(x))) {
            continue;
        }
        let asks = |request| {
            lowered.annotations.get(request).filter(|request| request.annotation == Annotation::Vectorize)
        };
        for marked in lowered.marked.iter().filter(|marked| original(&marked.var) == name) {
            let is_its = match &marked.within {
                Some(buf) => cells.contains(buf),
                None => true,
            };
            found.extend(asks(marked.request).filter(|_| is_its).map(|request| request.span));
        }
    }
    found
}

/// The name without the number that a copy of a loop has.
fn original(name: &Name) -> String {
    let name = name.to_string();
    match name.rsplit_once('_') {
        Some((before, number)) if number.bytes().all(|c| c.is_ascii_digit()) => before.to_owned(),
        _ => name,
    }
}

/// The buffers that a statement stores to.
fn stored(stmt: &Stmt) -> Vec<Name> {
    let mut found = Vec::new();
    stmt.for_each(&mut |stmt| {
        if let Stmt::Store { buf, .. } = stmt {
            found.push(buf.clone());
        }
    });
    found
}
