//! The sums that index notation leaves out.
//!
//! An index that is absent on the left is summed over. The sum stands around each *additive term* that reads
//! the index, not around the whole right side: `y(i) = b(i) + A(i,j) * x(j)` is
//! `b(i) + sum(j, A(i,j) * x(j))`. That is the reading of TACO.
//!
//! Where a sum is written with braces, `sum j, k { e }`, nothing is left out: every index is one of the
//! result or named by a sum.
//!
//! Inside a product the rule needs no choice as long as every product that multiplying out would give has the
//! index. Where one has not, as in `A(i) * (b(j) + c)`, two readings differ by a factor of the extent, and
//! the notation is refused.

use crate::tree::{Access, Expr, Kind, Refusal, distinct};
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

/// Every index is one of these or named by a `sum` around it: what is meant for those that are not is not
/// guessed.
pub(crate) fn all_bound(e: &Expr, bound: &[&Name]) -> Result<(), Refusal> {
    match &e.kind {
        Kind::Sum(indices, inner) => {
            let inside: Vec<&Name> = bound.iter().copied().chain(indices).collect();
            all_bound(inner, &inside)
        }
        Kind::Access(access) => {
            let unbound = access.indices.iter().find(|i| !bound.iter().any(|b| b.text == i.text));
            unbound.map_or(Ok(()), |index| Err(unknown(access, index, bound)))
        }
        _ => e.children().into_iter().try_for_each(|child| all_bound(child, bound)),
    }
}

/// An index that nothing names. What the operand lacks is what may have been meant.
fn unknown(access: &Access, index: &Name, bound: &[&Name]) -> Refusal {
    let tensor = &access.tensor.text;
    let lacks = |b: &&&Name| !access.indices.iter().any(|i| i.text == b.text);
    let missing: Vec<&str> = bound.iter().filter(lacks).map(|b| b.text.as_str()).collect();
    let refusal = err!(E0254, index.span, "`{tensor}` is read at `{}`, which nothing names", index.text)
        .label("neither an index of the result nor summed over");
    let close: Vec<&str> =
        missing.iter().copied().filter(|name| one_letter_apart(name, &index.text)).collect();
    let listed = |names: &[&str]| names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ");
    Box::new(match (&missing[..], &close[..]) {
        ([], _) => {
            refusal.help(format!("sum over it, `sum {} {{ .. }}`, or give the result this index", index.text))
        }
        ([one], _) | (_, [one]) => refusal.note(format!("`{tensor}` lacks {}", listed(&missing))).suggest(
            format!("did you mean `{one}`?"),
            index.span,
            *one,
        ),
        _ => refusal
            .note(format!("`{tensor}` lacks {}", listed(&missing)))
            .help(format!("read it at one of these, or sum over `{}`", index.text)),
    })
}

/// Are these names of several letters alike but for one?
fn one_letter_apart(a: &str, b: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let (short, long) = if a.len() <= b.len() { (&a, &b) } else { (&b, &a) };
    let alike = short.iter().zip(long).take_while(|(x, y)| x == y).count();
    let same = usize::from(short.len() == long.len());
    short.len() > 1 && long.len() - short.len() <= 1 && short.get(alike + same..) == long.get(alike + 1..)
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
