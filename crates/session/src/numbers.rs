//! Numbers that are read in indices, in messages: what they are in the program's words, and a value at which
//! a read is out of bounds.
//!
//! `lut[q[i]]` and `lut[u8(255 * x[i])]` give the number a name of its own, `q_at`, which nobody has written. A message says what it is.

use crate::display;
use atl_arith::counterexample;
use atl_check::Violation;
use atl_kernel::{Cmp, Ctx, Entry, Expr, Ix, IxOp, Node, Pred, Prim, Var};
use atl_lang::unknown_numbers;

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
            match meant {
                Some((_, text)) if is_infix(text) && is_operand(&spoken, after) => {
                    spoken += &format!("({text})");
                }
                Some((_, text)) => spoken += text,
                None => spoken += word,
            }
            rest = after;
        }
        spoken + rest
    }

    /// The hypotheses that do not only give such a number its name.
    pub(crate) fn known(&self) -> Vec<String> {
        let ctx = &self.violation.ctx;
        let named = ctx
            .entries()
            .filter(|entry| !matches!(entry, Entry::Hyp(p, _) if unknown_numbers::named_by(p).is_some()));
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
        let fails = |ctx: &Ctx, goal: &Pred| counterexample(ctx, goal).is_some();
        let found = unknown_numbers::example(ctx, goal, fails)?;
        Some(found.note(&self.spoken(&display::ix(ctx, &found.read))))
    }

    /// How to keep an index in range, if it is a number that is read. What the program computes in its place
    /// may be clamped already, where nothing is known of it; an index is.
    pub(crate) fn clamped(&self) -> Option<String> {
        let Violation { ctx, goal, .. } = self.violation;
        let Pred::And(ab) = goal else { return None };
        let Pred::Cmp(Cmp::Lt, index, extent) = &ab.1 else { return None };
        let most = match extent {
            Ix::Lit(n) if *n <= 0 => return None,
            Ix::Lit(n) => (n - 1).to_string(),
            extent => format!("{} - 1", self.spoken(&display::ix(ctx, extent))),
        };
        // In a tensor without elements no index is in range.
        let not_empty = Pred::lt(Ix::ZERO, extent.clone());
        let may_be_empty = counterexample(ctx, &not_empty).is_some();
        let clamp = |index: &str| {
            let condition = match may_be_empty {
                true => format!(" where `{}`", self.spoken(&display::pred(ctx, &not_empty))),
                false => String::new(),
            };
            format!("`min(max({index}, 0), {most})`{condition}; or read with `?[..]`, which is zero outside")
        };
        let Some((name, element)) = self.computed(index) else {
            let is_most = |ix: &Ix| display::ix(ctx, ix) == most;
            let index = self.spoken(&display::ix(ctx, unclamped(index, &is_most)));
            return Some(format!("keep the index in range: {}", clamp(&index)));
        };
        let inner = value_clamped(element);
        let text = self.spoken(&display::expr(ctx, inner.unwrap_or(element)));
        if text.len() > LONG || text.contains(['{', ';']) {
            return Some(format!(
                "give the index a name, `let k = ..;`, and keep it in range: {}",
                clamp("k")
            ));
        }
        let Some(Entry::Tensor(_, ty)) = ctx.entry(name) else { return None };
        let scalar = ty.elem.scalar;
        let index = if text.starts_with(&format!("{scalar}(")) { text } else { format!("{scalar}({text})") };
        Some(match inner {
            Some(_) => format!("clamp the index, not the value that becomes one: {}", clamp(&index)),
            None => format!("keep the index in range: {}", clamp(&index)),
        })
    }

    /// Is an index in the goal a number that the program computes, about which no `where` says anything?
    pub(crate) fn is_computed(&self) -> bool {
        let Violation { goal, numbers, .. } = self.violation;
        let computes = |e: &Expr| match &**e {
            Node::Guard(_, e) => !matches!(**e, Node::Get(..)),
            Node::Get(..) => false,
            _ => true,
        };
        numbers.iter().any(|(level, bound)| goal.mentions(*level) && computes(bound))
    }

    /// The number that an index is, and what the program computes for it, if it has no name there.
    fn computed(&self, index: &Ix) -> Option<(u32, &'v Expr)> {
        let Ix::Read(Var::Free(level), at) = index else { return None };
        let names = atl_lang::print::Names::of(&self.violation.ctx);
        let mut numbers = self.violation.numbers.iter();
        let (_, bound) =
            numbers.find(|(of, _)| of == level && at.is_empty() && is_unwritten(names.at(*of)))?;
        let bound = if let Node::Guard(_, bound) = &**bound { bound } else { bound };
        (!matches!(**bound, Node::Get(..))).then_some((*level, bound))
    }
}

/// Does an operator stand between the parts of this text, outside of all brackets?
fn is_infix(text: &str) -> bool {
    let mut depth = 0;
    text.chars().any(|c| {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            _ => {}
        }
        depth == 0 && c == ' '
    })
}

/// Is what stands between these two texts an operand of theirs?
fn is_operand(before: &str, after: &str) -> bool {
    let is_operator = |c: char| "+-*/%<>=&|^!".contains(c);
    before.trim_end().ends_with(is_operator) || after.trim_start().starts_with(is_operator)
}

/// The index without a clamp from one side.
fn unclamped<'i>(index: &'i Ix, is_most: &dyn Fn(&Ix) -> bool) -> &'i Ix {
    match index {
        Ix::Bin(IxOp::Min, ab) if is_most(&ab.1) => &ab.0,
        Ix::Bin(IxOp::Min, ab) if is_most(&ab.0) => &ab.1,
        Ix::Bin(IxOp::Max, ab) if ab.1 == Ix::ZERO => &ab.0,
        Ix::Bin(IxOp::Max, ab) if ab.0 == Ix::ZERO => &ab.1,
        index => index,
    }
}

/// What a value is that `min` and `max` keep between two literals, if it is one.
fn value_clamped(e: &Expr) -> Option<&Expr> {
    fn limited(e: &Expr, by: Prim) -> Option<&Expr> {
        let Node::Prim(f, args) = &**e else { return None };
        match &args[..] {
            [a, b] if *f == by && matches!(**b, Node::Lit(..) | Node::Index(..)) => Some(a),
            [a, b] if *f == by && matches!(**a, Node::Lit(..) | Node::Index(..)) => Some(b),
            _ => None,
        }
    }
    let both = |outer, inner| limited(e, outer).and_then(|e| limited(e, inner));
    both(Prim::Min, Prim::Max).or_else(|| both(Prim::Max, Prim::Min))
}

/// Is it a name that elaboration gives?
fn is_unwritten(name: &str) -> bool {
    let plain = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '_');
    plain == "at" || plain.ends_with("_at")
}
