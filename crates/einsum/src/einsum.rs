//! Einsum strings, `ij,jk->ik`: text to tree, as NumPy reads them.
//!
//! An operand is a group of letters, one a dimension; groups are separated by commas. Without `->` the result
//! has the letters that occur once, in alphabetical order (capitals first). Everything is one product, so
//! there is no question of which sums stand where.
//!
//! `...` denotes all dimensions of an operand that have no letter, so the operand's rank is to be known.
//! The last of these dimensions is the same in every group. They are indices of the result where its group
//! has `...`, and without `->` the first ones.

use crate::tree::{Access, Expr, Kind, Refusal, Statement, Sums};
use atl_diag::{FileId, Span, err};
use atl_syntax::ast::Name;

/// What the result is called.
const RESULT: &str = "out";

/// Does the text look like an einsum string, rather than index notation?
pub(crate) fn is_einsum(text: &str) -> bool {
    !text.contains(['=', '(', '[', '*', '+'])
}

/// A part of a group: an index, or `...` at this place.
enum Part {
    Index(Name),
    Rest(Span),
}

/// A group of letters, and where it stands.
struct Group {
    parts: Vec<Part>,
    span: Span,
}

impl Group {
    fn rest(&self) -> Option<Span> {
        self.parts.iter().find_map(|part| if let Part::Rest(span) = part { Some(*span) } else { None })
    }

    fn letters(&self) -> impl Iterator<Item = &Name> {
        self.parts.iter().filter_map(|part| if let Part::Index(name) = part { Some(name) } else { None })
    }

    /// The indices, `...` being these.
    fn indices(&self, rest: &[Name]) -> Vec<Name> {
        let of = |part: &Part| match part {
            Part::Index(name) => vec![name.clone()],
            Part::Rest(span) => rest.iter().map(|name| Name::new(name.text.clone(), *span)).collect(),
        };
        self.parts.iter().flat_map(of).collect()
    }
}

/// Reads an einsum string; its operands have these names, or `A`, `B`, … where none are given. Of an operand
/// with `...` the shape is known by its name.
pub(crate) fn parse(
    file: FileId,
    text: &str,
    operands: &[Name],
    shapes: &[(String, Vec<usize>)],
) -> Result<Statement, Refusal> {
    let span = |start: usize, end: usize| Span::new(file, start as u32, end as u32);
    let (inputs, output) = match text.split_once("->") {
        Some((inputs, output)) => (inputs, Some((output, inputs.len() + 2))),
        None => (text, None),
    };
    let mut groups: Vec<Group> = Vec::new();
    let mut at = 0;
    for group in inputs.split(',') {
        groups.push(Group { parts: parts(file, group, at)?, span: span(at, at + group.len()) });
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
    let output = match output {
        Some((output, at)) => Some(Group { parts: parts(file, output, at)?, span: span(at, text.len()) }),
        None => None,
    };
    let letters = groups.iter().flat_map(Group::letters);
    let taken: Vec<String> = letters.map(|i| i.text.clone()).collect();
    let mut letters = ('A'..='Z').map(String::from).filter(|name| !taken.contains(name));
    let mut names = Vec::new();
    for (k, group) in groups.iter().enumerate() {
        names.push(match operands.get(k) {
            Some(name) => name.clone(),
            None => Name::new(letters.next().ok_or_else(|| too_many(group.span))?, group.span),
        });
    }
    let mut counts = Vec::new();
    for (group, name) in groups.iter().zip(&names) {
        counts.push(group.rest().map_or(Ok(0), |place| unlettered(group, name, place, shapes))?);
    }
    // Dimensions without letters, the last ones common to all.
    let longest = counts.iter().copied().max().unwrap_or(0);
    let mut free = (1..).map(|k| format!("d{k}")).filter(|d| !names.iter().any(|name| name.text == *d));
    let rest: Vec<Name> =
        (0..longest).map(|_| Name::new(free.next().unwrap_or_default(), span(0, inputs.len()))).collect();
    let result = match output {
        Some(output) => {
            if let (None, Some(place)) = (output.rest(), groups.iter().find_map(Group::rest))
                && longest > 0
            {
                return Err(Box::new(
                    err!(E0270, output.span, "the result has no place for the dimensions of `...`")
                        .label("no `...` here")
                        .also(place, "they are not summed over")
                        .help("write `...` in the result, or letters for the dimensions that are to be summed over"),
                ));
            }
            let indices = output.indices(&rest);
            Access { tensor: Name::new(RESULT, output.span), indices, span: output.span }
        }
        None => {
            let all: Vec<&Name> = groups.iter().flat_map(Group::letters).collect();
            let once = |i: &&&Name| all.iter().filter(|other| other.text == i.text).count() == 1;
            let mut indices: Vec<Name> = all.iter().filter(once).map(|i| (*i).clone()).collect();
            indices.sort_by(|a, b| a.text.cmp(&b.text));
            indices.splice(0..0, rest.iter().cloned());
            let end = span(text.len(), text.len());
            Access { tensor: Name::new(RESULT, end), indices, span: end }
        }
    };
    let mut factors = Vec::new();
    for ((group, tensor), count) in groups.iter().zip(names).zip(counts) {
        let access = Access { tensor, indices: group.indices(&rest[longest - count..]), span: group.span };
        factors.push(Expr { kind: Kind::Access(access), span: group.span });
    }
    let body = match factors.len() {
        1 => factors.remove(0),
        _ => Expr { kind: Kind::Mul(factors), span: span(0, inputs.len()) },
    };
    Ok(Statement { result, body, sums: Sums::LeftOut })
}

/// How many dimensions of an operand have no letter.
fn unlettered(
    group: &Group,
    name: &Name,
    place: Span,
    shapes: &[(String, Vec<usize>)],
) -> Result<usize, Refusal> {
    let (letters, name) = (group.letters().count(), &name.text);
    let Some((_, shape)) = shapes.iter().find(|(known, _)| known == name) else {
        return Err(Box::new(
            err!(E0270, place, "how many dimensions `...` stands for is not known")
                .label("this depends on the operand")
                .help(format!(
                    "give the operand, `-i {name}=PATH`, or write a letter for each dimension that `...` would stand for"
                )),
        ));
    };
    shape.len().checked_sub(letters).ok_or_else(|| {
        Box::new(
            err!(E0270, group.span, "`{name}` has fewer dimensions than letters")
                .label(format!("{letters} letters"))
                .note(format!("its shape is {shape:?}"))
                .help("write a letter for each dimension, and `...` for others"),
        )
    })
}

/// The parts of a group that begins at a byte of the text.
fn parts(file: FileId, group: &str, at: usize) -> Result<Vec<Part>, Refusal> {
    let mut found = Vec::new();
    let mut chars = group.char_indices().peekable();
    while let Some((k, c)) = chars.next() {
        let span = Span::new(file, (at + k) as u32, (at + k + c.len_utf8()) as u32);
        if c.is_ascii_alphabetic() {
            found.push(Part::Index(Name::new(c.to_string(), span)));
        } else if group[k..].starts_with("...") {
            chars.next();
            chars.next();
            let place = Span { end: span.end + 2, ..span };
            if found.iter().any(|part| matches!(part, Part::Rest(_))) {
                return Err(Box::new(
                    err!(E0270, place, "`...` stands twice in a group")
                        .label("the second one")
                        .help("which dimensions are whose would not be known: write letters for some"),
                ));
            }
            found.push(Part::Rest(place));
        } else if c != ' ' {
            let refusal = err!(E0270, span, "`{}` has no place in an einsum string", c.escape_debug())
                .label("expected a letter, `...`, `,` or `->`");
            return Err(Box::new(match c {
                '.' => refusal.help("three dots, `...`, stand for all dimensions that have no letter"),
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
