//! Iterations with complex states: a state has two parts, and each is a state. Rounds end in as many values
//! as have parts.

use super::named::{around, has_rounds, wrapped};
use super::{Pending, Split, Value, Width, parts_of, text};
use atl_diag::err;
use atl_syntax::ast::{BinderOp, Expr, ExprKind, Name, Rounds, Shared};

impl Split<'_> {
    /// An iteration or a scan, which ends in one value.
    pub(super) fn rounds(&mut self, e: &Expr, want: Option<Width>) -> Option<Value> {
        let (ExprKind::Iterate { rounds, body: last } | ExprKind::Scan { rounds, give: last }) = &e.kind
        else {
            return None;
        };
        let (made, found) =
            self.split_rounds(rounds, |split, widths| match (last, &rounds.states[..], widths) {
                (Some(last), _, _) => split.bare_body(last, want),
                (None, [(name, _)], [width]) => Some((split.whole_state(name, *width), Vec::new())),
                _ => split.report(
                    err!(
                        E0300,
                        e.span,
                        "these rounds end in {} states, and one value is needed here",
                        widths.len()
                    )
                    .help("say which value after the states' steps: `iterate .. { .. } in z`")
                    .help("or give each state a name: `let (z, w) = iterate .. { .. };`"),
                ),
            })?;
        let (val, own) = found;
        Some(match val {
            Value::Plain(end) => {
                let end = self.closed(Value::Plain(end), &own, e.span)?;
                end.map(|end| again(e, made.clone(), last.as_ref().map(|_| end)))
            }
            Value::Complex(width, parts) => {
                let both = Expr::new(ExprKind::Tuple(parts.to_vec()), e.span);
                // Without an end, the parts of the only state are all states.
                let end = last.as_ref().map(|_| wrapped(both, &own, true));
                Value::Complex(width, Box::new(self.names_of_parts(again(e, made, end))))
            }
        })
    }

    /// An expression that ends in several values, with the parts of those that are complex; and which are.
    pub(super) fn ends(&mut self, e: &Expr) -> Option<(Vec<Option<Width>>, Expr)> {
        let outer = std::mem::take(&mut self.pending);
        let (scope, open) = (self.scope.len(), self.open.len());
        let found = self.bare_ends(e);
        self.scope.truncate(scope);
        self.open.truncate(open);
        let own = std::mem::replace(&mut self.pending, outer);
        let (widths, end) = found?;
        Some((widths, wrapped(end, &own, true)))
    }

    fn bare_ends(&mut self, e: &Expr) -> Option<(Vec<Option<Width>>, Expr)> {
        match &e.kind {
            ExprKind::Tuple(values) => {
                let (mut widths, mut parts) = (Vec::new(), Vec::new());
                for value in values {
                    let val = self.value(value, None)?;
                    let (made, width) = self.of_known_type(val, value)?;
                    widths.push(width);
                    parts.extend(made);
                }
                Some((widths, Expr::new(ExprKind::Tuple(parts), e.span)))
            }
            ExprKind::Let { body, .. } | ExprKind::LetParts { body, .. } => {
                let lets = self.lets(e)?;
                let (widths, end) = self.ends(body)?;
                Some((widths, around(end, &lets, true)))
            }
            ExprKind::Bind { op: BinderOp::Gen, binders, body } => {
                let binders = self.entered(binders)?;
                let (widths, end) = self.ends(body)?;
                let kind = ExprKind::Bind { op: BinderOp::Gen, binders, body: Box::new(end) };
                Some((widths, Expr::new(kind, e.span)))
            }
            ExprKind::Iterate { rounds, body: last } | ExprKind::Scan { rounds, give: last } => {
                let (made, (widths, end)) = self.split_rounds(rounds, |split, widths| match last {
                    Some(last) => split.ends(last).map(|(widths, end)| (widths, Some(end))),
                    None => Some((widths.to_vec(), None)),
                })?;
                Some((widths, again(e, made, end)))
            }
            ExprKind::Call { callee, args } if callee.text == "select" && args.len() == 3 => {
                let condition = self.plain(&args[0])?;
                let (widths, a) = self.ends(&args[1])?;
                let (others, b) = self.ends(&args[2])?;
                if widths != others {
                    return self.report(
                        err!(E0214, e.span, "the two sides of this choice have other types").help(
                            "a value of one side is complex where the other's is real: `c128(…)` converts it",
                        ),
                    );
                }
                let kind = ExprKind::Call { callee: callee.clone(), args: vec![condition, a, b] };
                Some((widths, Expr::new(kind, e.span)))
            }
            ExprKind::Call { callee, .. } if self.results_of(callee).len() > 1 => {
                let results = self.results_of(callee).to_vec();
                let names: Vec<Name> =
                    results.iter().map(|_| Name::new(self.unused("part"), e.span)).collect();
                let (made, value) = self.several(e, &names)?;
                let parts = made.iter().map(|name| text::name(&name.text, e.span)).collect();
                self.pending.push(Pending { names: made, value });
                Some((results, Expr::new(ExprKind::Tuple(parts), e.span)))
            }
            _ => Some((vec![None], self.plain(e)?)),
        }
    }

    fn results_of(&self, callee: &Name) -> &[Option<Width>] {
        self.file.heads.get(&callee.text).map_or(&[], |head| &head.results)
    }

    /// Rounds with the parts of their states, and what they end in, of states of these types.
    fn split_rounds<T>(
        &mut self,
        rounds: &Rounds,
        end: impl FnOnce(&mut Self, &[Option<Width>]) -> Option<T>,
    ) -> Option<(Rounds, T)> {
        let scope = self.scope.len();
        let mut made = Rounds { states: Vec::new(), steps: Vec::new(), lets: Vec::new(), ..rounds.clone() };
        for end in made.index.lo.iter_mut().chain(&mut made.index.hi) {
            *end = self.plain(end)?;
        }
        let mut widths = Vec::new();
        for (name, start) in &rounds.states {
            let val = self.body(start, None)?;
            let (names, starts, width) = self.bound(name, val, start)?;
            for (name, start) in names.iter().zip(&starts) {
                if self.is_number(start) {
                    self.numbers.insert(name.text.clone());
                }
            }
            made.states.extend(names.into_iter().zip(starts));
            widths.push(width);
        }
        for ((name, _), width) in rounds.states.iter().zip(&widths) {
            self.bind(name, *width);
        }
        if let Some(until) = &rounds.until {
            made.until = Some(self.plain_body(until)?);
        }
        self.bind(&rounds.index.name, None);
        self.numbers.insert(rounds.index.name.text.clone());
        for shared in &rounds.lets {
            self.shared_let(shared, &mut made.lets)?;
        }
        for ((name, _), (step, width)) in rounds.states.iter().zip(rounds.steps.iter().zip(&widths)) {
            match width {
                Some(width) => {
                    let (val, own) = self.bare_body(step, Some(*width))?;
                    let parts = self.as_complex(val, Some(*width), step, &format!("`{}`", name.text))?;
                    if has_rounds(&own) {
                        // What both parts need is computed once, before the steps.
                        made.lets.extend(own.into_iter().map(|own| before_steps(own, step)));
                        made.steps.extend(parts);
                    } else {
                        made.steps.extend(parts.map(|part| wrapped(part, &own, !self.open.is_empty())));
                    }
                }
                None => made.steps.push(self.plain_body(step)?),
            }
        }
        let end = end(self, &widths);
        self.scope.truncate(scope);
        Some((made, end?))
    }

    /// The only state.
    fn whole_state(&self, name: &Name, width: Option<Width>) -> Value {
        match width {
            None => Value::Plain(text::name(&name.text, name.span)),
            Some(_) => {
                let parts = parts_of(&name.text).map(|part| text::name(part, name.span));
                Value::Complex(width, Box::new(parts))
            }
        }
    }

    /// A `let` that all steps read.
    fn shared_let(&mut self, shared: &Shared, lets: &mut Vec<Shared>) -> Option<()> {
        if let [name] = &shared.names[..] {
            let (val, own) = self.bare_body(&shared.value, None)?;
            let val = match has_rounds(&own) {
                true => {
                    lets.extend(own.into_iter().map(|own| before_steps(own, &shared.value)));
                    val
                }
                false => self.closed(val, &own, shared.value.span)?,
            };
            let (names, values, width) = self.bound(name, val, &shared.value)?;
            self.bind(name, width);
            for (name, value) in names.into_iter().zip(values) {
                if self.is_number(&value) {
                    self.numbers.insert(name.text.clone());
                }
                lets.push(Shared { names: vec![name], value, ..shared.clone() });
            }
            return Some(());
        }
        let outer = std::mem::take(&mut self.pending);
        let found = self.several(&shared.value, &shared.names);
        let own = std::mem::replace(&mut self.pending, outer);
        let (names, value) = found?;
        if !own.is_empty() {
            return self.report(
                err!(E0394, shared.span, "an argument of this call is computed of complex numbers")
                    .help("give it a name first: `let a = …;`"),
            );
        }
        lets.push(Shared { names, value, ..shared.clone() });
        Some(())
    }
}

/// The rounds with another end.
fn again(e: &Expr, rounds: Rounds, end: Option<Expr>) -> Expr {
    let (rounds, end) = (Box::new(rounds), end.map(Box::new));
    let kind = match e.kind {
        ExprKind::Scan { .. } => ExprKind::Scan { rounds, give: end },
        _ => ExprKind::Iterate { rounds, body: end },
    };
    Expr::new(kind, e.span)
}

/// What is computed before the steps of a round.
fn before_steps(Pending { names, value }: Pending, e: &Expr) -> Shared {
    Shared { names, value, attributes: Vec::new(), span: e.span }
}
