//! Numbers that are read in indices, of which only their type is known.
//!
//! The one idea: a goal about such a number is not proved because the number may have another value. One at
//! which the goal fails says more than that nothing was proved.

use atl_kernel::{Cmp, Ctx, Entry, Ix, Pred, Scalar, Var};

/// A number, and a value of its type at which a goal fails.
pub struct Example {
    /// The number.
    pub read: Ix,
    scalar: Scalar,
    value: i64,
}

impl Example {
    /// What is to be said of the number, which is written like this.
    pub fn note(&self, number: &str) -> String {
        let Example { scalar, value, .. } = self;
        format!("all that is known of `{number}` is its type: a number of type `{scalar}` may be {value}")
    }
}

/// A value that an element in the goal may have as far as is known, and at which the goal fails, as `fails`
/// finds.
pub fn example(ctx: &Ctx, goal: &Pred, fails: impl Fn(&Ctx, &Pred) -> bool) -> Option<Example> {
    let mut reads = Vec::new();
    of_pred(goal, &mut |ix| reads.extend(matches!(ix, Ix::Read(..)).then(|| ix.clone())));
    reads.into_iter().find_map(|read| {
        let Ix::Read(Var::Free(level), _) = &read else { return None };
        let Some(Entry::Tensor(_, ty)) = ctx.entry(*level) else { return None };
        let (least, greatest) = ty.elem.scalar.index_range()?;
        let plain = unrestricted(ctx, *level)?;
        let mut tried = vec![-1];
        of_pred(goal, &mut |ix| tried.extend(if let Ix::Lit(n) = ix { Some(*n) } else { None }));
        tried.extend([greatest, least]);
        tried.retain(|value| (least..=greatest).contains(value));
        let value = tried.into_iter().find(|value| fails(&plain, &put(goal, &read, *value)))?;
        Some(Example { scalar: ty.elem.scalar, value, read })
    })
}

/// What a hypothesis says that a number is: an element, of the array at this level.
pub fn named_by(p: &Pred) -> Option<(u32, u32)> {
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
