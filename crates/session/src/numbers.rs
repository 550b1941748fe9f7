//! Numbers that are read in indices, in messages: what they are in the program's words, and a value at which
//! a read is out of bounds.
//!
//! `lut[q[i]]` and `lut[u8(255 * x[i])]` give the number a name of its own, `q_at`, which nobody has written. A message says what it is.

use crate::display;
use atl_arith::counterexample;
use atl_check::Violation;
use atl_kernel::{Cmp, Ctx, Entry, Ix, Node, Pred, Var};

/// A longer text does not replace a name.
const LONG: usize = 40;

/// The numbers that a goal speaks of.
pub(crate) struct Numbers<'v> {
    violation: &'v Violation,
    /// Those with a name that the program does not have: the name, and what it means.
    unwritten: Vec<(String, String)>,
}

impl<'v> Numbers<'v> {
    pub(crate) fn of(violation: &'v Violation) -> Numbers<'v> {
        let names = atl_lang::print::Names::of(&violation.ctx);
        let mut numbers = Numbers { violation, unwritten: Vec::new() };
        for (level, bound) in &violation.numbers {
            let name = names.at(*level);
            if is_unwritten(name) {
                let element = if let Node::Guard(_, element) = &**bound { element } else { bound };
                let text = numbers.spoken(&display::expr(&violation.ctx, element));
                if text.len() <= LONG && !text.contains(['{', ';']) {
                    numbers.unwritten.push((name.to_owned(), text));
                }
            }
        }
        numbers
    }

    /// A text with the meaning of each name that the program does not have.
    pub(crate) fn spoken(&self, text: &str) -> String {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let mut spoken = String::new();
        let mut rest = text;
        while let Some(start) = rest.find(is_part) {
            let word = &rest[start..];
            let end = word.find(|c| !is_part(c)).unwrap_or(word.len());
            let (word, after) = word.split_at(end);
            let meant = self.unwritten.iter().find(|(name, _)| name == word);
            spoken += &rest[..start];
            spoken += meant.map_or(word, |(_, text)| text);
            rest = after;
        }
        spoken + rest
    }

    /// The hypotheses that do not only give such a number its name.
    pub(crate) fn known(&self) -> Vec<String> {
        let ctx = &self.violation.ctx;
        let named =
            ctx.entries().iter().filter(|entry| !matches!(entry, Entry::Hyp(p, _) if named_by(p).is_some()));
        named.filter_map(|entry| display::hypothesis(ctx, entry)).map(|text| self.spoken(&text)).collect()
    }

    /// What those numbers of the goal are that the program names.
    pub(crate) fn definitions(&self) -> Vec<String> {
        let Violation { ctx, goal, numbers, .. } = self.violation;
        let names = atl_lang::print::Names::of(ctx);
        let is_said = |level: u32| self.unwritten.iter().any(|(name, _)| name == names.at(level));
        let own = numbers.iter().filter(|(level, _)| goal.mentions(*level) && !is_said(*level));
        own.map(|(level, bound)| format!("`{}` is `{}`", names.at(*level), display::expr(ctx, bound)))
            .collect()
    }

    /// A value that an element in the goal may have as far as is known, and at which the goal fails: of its
    /// type nothing more is known.
    pub(crate) fn example(&self) -> Option<String> {
        let Violation { ctx, goal, .. } = self.violation;
        let mut reads = Vec::new();
        of_pred(goal, &mut |ix| reads.extend(matches!(ix, Ix::Read(..)).then(|| ix.clone())));
        reads.iter().find_map(|read| {
            let Ix::Read(Var::Free(level), _) = read else { return None };
            let Some(Entry::Tensor(_, ty)) = ctx.entry(*level) else { return None };
            let (least, greatest) = ty.elem.scalar.index_range()?;
            let plain = unrestricted(ctx, *level)?;
            let mut tried = vec![-1];
            of_pred(goal, &mut |ix| tried.extend(if let Ix::Lit(n) = ix { Some(*n) } else { None }));
            tried.extend([greatest, least]);
            tried.retain(|value| (least..=greatest).contains(value));
            let value =
                tried.into_iter().find(|value| counterexample(&plain, &put(goal, read, *value)).is_some())?;
            let (number, scalar) = (self.spoken(&display::ix(ctx, read)), ty.elem.scalar);
            Some(format!(
                "all that is known of `{number}` is its type: a number of type `{scalar}` may be {value}"
            ))
        })
    }

    /// How to keep an index in range, if it is a computed number that is to be below a literal.
    pub(crate) fn clamped(&self) -> Option<String> {
        let Pred::And(ab) = &self.violation.goal else { return None };
        let Pred::Cmp(Cmp::Lt, index, Ix::Lit(n)) = &ab.1 else { return None };
        (*n > 0).then(|| {
            let index = self.spoken(&display::ix(&self.violation.ctx, index));
            format!("keep the index in range: `min(max({index}, 0), {})`; or read with `?[..]`, which is zero outside", n - 1)
        })
    }
}

/// What a hypothesis says that a number is: an element, of the array at this level.
fn named_by(p: &Pred) -> Option<(u32, u32)> {
    match p {
        Pred::Cmp(Cmp::Eq, Ix::Read(Var::Free(name), none), Ix::Read(Var::Free(array), _))
            if none.is_empty() =>
        {
            Some((*name, *array))
        }
        _ => None,
    }
}

/// The context without what names the number, if nothing else speaks of it or of the element that it is.
fn unrestricted(ctx: &Ctx, level: u32) -> Option<Ctx> {
    let array = ctx.hypotheses().find_map(|(_, p)| named_by(p).filter(|(name, _)| *name == level));
    let about = |p: &Pred| p.mentions(level) || array.is_some_and(|(_, array)| p.mentions(array));
    let mut plain = Ctx::new();
    for entry in ctx.entries() {
        match entry {
            Entry::Hyp(p, _) if named_by(p).is_some() => plain.push_hyp(Pred::True),
            Entry::Hyp(p, _) if about(p) => return None,
            Entry::All(_, p) if about(p) => return None,
            Entry::Hyp(p, _) => plain.push_hyp(p.clone()),
            Entry::All(..) => plain.push_hyp(Pred::True),
            Entry::Index(label) => _ = plain.push_index(label.clone()),
            Entry::Tensor(label, ty) => _ = plain.push_tensor(label.clone(), ty.clone()),
        }
    }
    Some(plain)
}

/// Visit the index terms of a predicate, and their parts.
fn of_pred(p: &Pred, visit: &mut dyn FnMut(&Ix)) {
    fn of(ix: &Ix, visit: &mut dyn FnMut(&Ix)) {
        visit(ix);
        match ix {
            Ix::Lit(_) | Ix::Var(_) => {}
            Ix::Bin(_, ab) => [&ab.0, &ab.1].into_iter().for_each(|ix| of(ix, visit)),
            Ix::Read(_, at) => at.iter().for_each(|ix| of(ix, visit)),
        }
    }
    match p {
        Pred::True | Pred::False => {}
        Pred::Cmp(_, a, b) => [a, b].into_iter().for_each(|ix| of(ix, visit)),
        Pred::Not(q) => of_pred(q, visit),
        Pred::And(ab) | Pred::Or(ab) => [&ab.0, &ab.1].into_iter().for_each(|q| of_pred(q, visit)),
    }
}

/// The predicate with a value for an element.
fn put(p: &Pred, read: &Ix, value: i64) -> Pred {
    fn of(ix: &Ix, read: &Ix, value: i64) -> Ix {
        match ix {
            ix if ix == read => Ix::Lit(value),
            Ix::Lit(_) | Ix::Var(_) => ix.clone(),
            Ix::Bin(op, ab) => Ix::bin(*op, of(&ab.0, read, value), of(&ab.1, read, value)),
            Ix::Read(array, at) => Ix::Read(*array, at.iter().map(|ix| of(ix, read, value)).collect()),
        }
    }
    match p {
        Pred::True | Pred::False => p.clone(),
        Pred::Cmp(cmp, a, b) => Pred::Cmp(*cmp, of(a, read, value), of(b, read, value)),
        Pred::Not(q) => Pred::not(put(q, read, value)),
        Pred::And(ab) => Pred::and(put(&ab.0, read, value), put(&ab.1, read, value)),
        Pred::Or(ab) => Pred::or(put(&ab.0, read, value), put(&ab.1, read, value)),
    }
}

/// Is it a name that elaboration gives?
fn is_unwritten(name: &str) -> bool {
    let plain = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '_');
    plain == "at" || plain.ends_with("_at")
}
