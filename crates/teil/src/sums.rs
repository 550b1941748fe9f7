//! The sums that index notation leaves out.
//!
//! An index that is absent on the left is summed over. The sum stands around each *additive term* that reads the index, not
//! around the whole right side: `y(i) = b(i) + A(i,j) * x(j)` is `b(i) + sum(j, A(i,j) * x(j))`. That is the reading of TACO.
//!
//! Inside a product the rule needs no choice as long as every product that multiplying out would give has the index. Where
//! one has not, as in `A(i) * (b(j) + c)`, two readings differ by a factor of the extent, and the notation is refused.

use crate::tree::{Expr, Kind, Refusal, distinct};
use atl_diag::err;
use atl_syntax::ast::Name;

/// The expression with every sum written out; `bound` are the indices of the result.
pub(crate) fn complete(e: &Expr, bound: &[Name]) -> Result<Expr, Refusal> {
    let kind = match &e.kind {
        Kind::Add(terms) => {
            let terms = terms.iter().map(|(sign, term)| Ok((*sign, complete(term, bound)?)));
            Kind::Add(terms.collect::<Result<_, Refusal>>()?)
        }
        Kind::Neg(inner) => Kind::Neg(Box::new(complete(inner, bound)?)),
        _ => return term(e, bound),
    };
    Ok(Expr { kind, span: e.span })
}

/// A term, below sums over its indices that are absent on the left.
fn term(e: &Expr, bound: &[Name]) -> Result<Expr, Refusal> {
    let absent = |i: &&Name| !bound.iter().any(|b| b.text == i.text);
    let summed: Vec<Name> = e.free().into_iter().filter(absent).cloned().collect();
    for index in &summed {
        if !everywhere(e, &index.text) {
            return Err(two_readings(e, index));
        }
    }
    rebound(e, &distinct(bound.iter().chain(&summed).collect()))?;
    if summed.is_empty() {
        return Ok(e.clone());
    }
    Ok(Expr { kind: Kind::Sum(summed, Box::new(e.clone())), span: e.span })
}

/// Does every product of the expression, multiplied out, read this index?
fn everywhere(e: &Expr, index: &str) -> bool {
    match &e.kind {
        Kind::Number(_) => false,
        Kind::Access(access) => access.indices.iter().any(|i| i.text == index),
        Kind::Neg(inner) => everywhere(inner, index),
        Kind::Add(terms) => terms.iter().all(|(_, term)| everywhere(term, index)),
        Kind::Mul(factors) => factors.iter().any(|factor| everywhere(factor, index)),
        Kind::Sum(bound, inner) => !bound.iter().any(|b| b.text == index) && everywhere(inner, index),
    }
}

fn two_readings(e: &Expr, index: &Name) -> Refusal {
    let j = &index.text;
    Box::new(
        err!(E0263, e.span, "the sum over `{j}` could be read in two ways")
            .label(format!("multiplied out, not every product here has `{j}`"))
            .also(index.span, format!("`{j}` is absent on the left"))
            .note(format!("a part without `{j}` could be added once, or once for each `{j}`"))
            .help(format!("write `sum({j}, ..)` around what is to be summed")),
    )
}

/// No `sum` binds an index that has a meaning already.
fn rebound(e: &Expr, known: &[&Name]) -> Result<(), Refusal> {
    let mut inner = known.to_vec();
    if let Kind::Sum(bound, _) = &e.kind {
        for index in bound {
            if let Some(first) = inner.iter().find(|k| k.text == index.text) {
                return Err(Box::new(
                    err!(E0264, index.span, "`{}` has a meaning here already", index.text)
                        .label("bound again")
                        .also(first.span, "it is this index")
                        .help("give the index of one of the two another name"),
                ));
            }
            inner.push(index);
        }
    }
    e.children().into_iter().try_for_each(|child| rebound(child, &inner))
}
