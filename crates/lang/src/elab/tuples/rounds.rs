//! Rounds with tuples for states: a state has as many parts as fields, and each is a state.

use super::value::{Value, name};
use super::{Apart, Fields};
use atl_diag::err;
use atl_syntax::ast::{Binder, Expr, ExprKind, Rounds, Shared};

impl Apart<'_> {
    /// The binders, whose names are entered.
    pub(super) fn binders(&mut self, binders: &[Binder]) -> Option<Vec<Binder>> {
        let mut made = Vec::new();
        for binder in binders {
            let mut new = binder.clone();
            for end in new.lo.iter_mut().chain(&mut new.hi) {
                *end = self.one(end)?;
            }
            self.bind(&binder.name, None);
            made.push(new);
        }
        Some(made)
    }

    pub(super) fn rounds(&mut self, e: &Expr) -> Option<Value> {
        let (ExprKind::Iterate { rounds, body: last } | ExprKind::Scan { rounds, give: last }) = &e.kind
        else {
            return None;
        };
        let mut made =
            Rounds { states: Vec::new(), steps: Vec::new(), lets: Vec::new(), ..Rounds::clone(rounds) };
        let mut starts = Vec::new();
        for (name, start) in &rounds.states {
            starts.push((name, self.value(start)?));
        }
        for end in made.index.lo.iter_mut().chain(&mut made.index.hi) {
            *end = self.one(end)?;
        }
        let mut all: Vec<Option<Fields>> = Vec::new();
        for (own, (start, fields)) in starts {
            match (&fields, start.kind) {
                (Some(fields), ExprKind::Tuple(parts)) => {
                    let names = self.bind_parts(own, fields)?;
                    made.states.extend(names.into_iter().zip(parts));
                }
                (Some(_), _) => {
                    return self.report(
                        err!(E0300, start.span, "the state `{}` begins as a tuple without a name", own.text)
                            .help("give what it begins as a name: `let start = ..;`, and begin with `start`"),
                    );
                }
                (None, kind) => {
                    self.bind(own, None);
                    made.states.push((own.clone(), Expr::new(kind, start.span)));
                }
            }
            all.push(fields);
        }
        if let Some(until) = &mut made.until {
            *until = self.one(until)?;
        }
        self.bind(&rounds.index.name, None);
        for shared in &rounds.lets {
            self.shared(shared, &mut made)?;
        }
        for (((own, _), step), fields) in rounds.states.iter().zip(&rounds.steps).zip(&all) {
            let (step, found) = self.value(step)?;
            let count = |fields: &Option<Fields>| fields.as_ref().map_or(1, Vec::len);
            if count(&found) != count(fields) {
                let (n, m) = (count(fields), count(&found));
                return self.report(
                    err!(E0300, step.span, "the state `{}` has {n} fields, and its step {m}", own.text)
                        .help("write a value for each field, in parentheses"),
                );
            }
            match (fields, step.kind) {
                (Some(_), ExprKind::Tuple(parts)) => made.steps.extend(parts),
                (Some(fields), kind) => {
                    // What the fields need is computed once, before the steps.
                    let span = step.span;
                    let names = self.fresh(fields.len(), span);
                    made.steps.extend(names.iter().map(|n| name(n.text.clone(), span)));
                    let value = Expr::new(kind, span);
                    made.lets.push(Shared { names, value, attributes: Vec::new(), span });
                }
                (None, kind) => made.steps.push(Expr::new(kind, step.span)),
            }
        }
        let (end, fields) = match last {
            Some(last) => self.value(last).map(|(end, fields)| (Some(end), fields))?,
            None => (None, all_of(rounds, &all)),
        };
        let (rounds, end) = (Box::new(made), end.map(Box::new));
        let kind = match e.kind {
            ExprKind::Scan { .. } => ExprKind::Scan { rounds, give: end },
            _ => ExprKind::Iterate { rounds, body: end },
        };
        Some((Expr::new(kind, e.span), fields))
    }

    /// A `let` that all steps read.
    fn shared(&mut self, shared: &Shared, made: &mut Rounds) -> Option<()> {
        let (value, fields) = self.value(&shared.value)?;
        let names = match (&shared.names[..], &fields) {
            ([own], Some(fields)) => self.bind_parts(own, fields)?,
            (names, _) => {
                names.iter().for_each(|name| self.bind(name, None));
                names.to_vec()
            }
        };
        made.lets.push(Shared { names, value, ..shared.clone() });
        Some(())
    }
}

/// The fields of all states, where there are several.
fn all_of(rounds: &Rounds, all: &[Option<Fields>]) -> Option<Fields> {
    match all {
        [one] => one.clone(),
        _ => {
            let names = rounds.states.iter().zip(all);
            let fields = names.flat_map(|((name, _), fields)| match fields {
                Some(fields) => fields.iter().map(|field| super::part(&name.text, field)).collect(),
                None => vec![name.text.clone()],
            });
            Some(fields.collect())
        }
    }
}
