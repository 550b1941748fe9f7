//! Einsum strings, `ij,jk->ik`: text to tree, as NumPy reads them.
//!
//! An operand is a group of letters, one a dimension; groups are separated by commas. Without `->` the result has the letters
//! that occur once, in alphabetical order (capitals first). Everything is one product, so there is no question of which
//! sums stand where.

use crate::tree::{Access, Expr, Kind, Refusal, Statement, Sums};
use atl_diag::{FileId, Span, err};
use atl_syntax::ast::Name;

/// What the result is called.
const RESULT: &str = "out";

/// Does the text look like an einsum string, rather than index notation?
pub(crate) fn is_einsum(text: &str) -> bool {
    !text.contains(['=', '(', '[', '*', '+'])
}

/// Reads an einsum string; its operands have these names, or `A`, `B`, … where none are given.
pub(crate) fn parse(file: FileId, text: &str, operands: &[Name]) -> Result<Statement, Refusal> {
    let span = |start: usize, end: usize| Span::new(file, start as u32, end as u32);
    let (inputs, output) = match text.split_once("->") {
        Some((inputs, output)) => (inputs, Some((output, inputs.len() + 2))),
        None => (text, None),
    };
    let mut groups: Vec<(Vec<Name>, Span)> = Vec::new();
    let mut at = 0;
    for group in inputs.split(',') {
        groups.push((letters(file, group, at)?, span(at, at + group.len())));
        at += group.len() + 1;
    }
    let given = operands.len();
    if given > 0 && given != groups.len() {
        return Err(Box::new(
            err!(
                E0270,
                span(0, inputs.len()),
                "{} operands are named, and the string has {}",
                given,
                groups.len()
            )
            .label("an operand is a group of letters; commas separate them")
            .help("name as many operands as there are groups"),
        ));
    }
    let result = match output {
        Some((output, at)) => {
            let indices = letters(file, output, at)?;
            Access { tensor: Name::new(RESULT, span(at, text.len())), indices, span: span(at, text.len()) }
        }
        None => {
            let all: Vec<&Name> = groups.iter().flat_map(|(letters, _)| letters).collect();
            let once = |i: &&&Name| all.iter().filter(|other| other.text == i.text).count() == 1;
            let mut indices: Vec<Name> = all.iter().filter(once).map(|i| (*i).clone()).collect();
            indices.sort_by(|a, b| a.text.cmp(&b.text));
            let end = span(text.len(), text.len());
            Access { tensor: Name::new(RESULT, end), indices, span: end }
        }
    };
    let letters = groups.iter().flat_map(|(letters, _)| letters);
    let taken: Vec<String> = letters.map(|i| i.text.clone()).collect();
    let mut names = ('A'..='Z').map(String::from).filter(|name| !taken.contains(name));
    let mut factors = Vec::new();
    for (k, (indices, span)) in groups.into_iter().enumerate() {
        let tensor = match operands.get(k) {
            Some(name) => name.clone(),
            None => Name::new(names.next().ok_or_else(|| too_many(span))?, span),
        };
        let access = Access { tensor, indices, span };
        factors.push(Expr { kind: Kind::Access(access), span });
    }
    let body = match factors.len() {
        1 => factors.remove(0),
        _ => Expr { kind: Kind::Mul(factors), span: span(0, inputs.len()) },
    };
    Ok(Statement { result, body, sums: Sums::LeftOut })
}

/// The indices of a group that begins at a byte of the text.
fn letters(file: FileId, group: &str, at: usize) -> Result<Vec<Name>, Refusal> {
    let mut found = Vec::new();
    for (k, c) in group.char_indices() {
        let span = Span::new(file, (at + k) as u32, (at + k + c.len_utf8()) as u32);
        if c.is_ascii_alphabetic() {
            found.push(Name::new(c.to_string(), span));
        } else if c != ' ' {
            let refusal = err!(E0270, span, "`{}` has no place in an einsum string", c.escape_debug())
                .label("expected a letter, `,` or `->`");
            return Err(Box::new(match c {
                '.' => refusal.help("write a letter for each dimension that `...` would stand for"),
                '-' | '>' => refusal.help("one `->` stands before the letters of the result"),
                _ => refusal.help("index notation has a result and `=`: `y(i) = A(i,j) * x(j)`"),
            }));
        }
    }
    Ok(found)
}

fn too_many(span: Span) -> Refusal {
    Box::new(
        err!(E0270, span, "there is no letter left to call this operand by")
            .label("this operand")
            .help("name the operands after the string"),
    )
}
