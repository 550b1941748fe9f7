//! Iterations with complex states: a state has two parts, and each is a state.

use super::named::{has_rounds, wrapped};
use super::{Pending, Split, Value, Width, parts_of, text};
use atl_diag::err;
use atl_syntax::ast::{Expr, ExprKind, Name, Rounds, Shared};

impl Split<'_> {
    pub(super) fn iterate(
        &mut self,
        e: &Expr,
        rounds: &Rounds,
        last: Option<&Expr>,
        want: Option<Width>,
    ) -> Option<Value> {
        let of = |rounds: Rounds, body: Option<Expr>| {
            let kind = ExprKind::Iterate { rounds: Box::new(rounds), body: body.map(Box::new) };
            Expr::new(kind, e.span)
        };
        self.rounds(e, rounds, last, want, &of, &[])
    }

    pub(super) fn scan(
        &mut self,
        e: &Expr,
        rounds: &Rounds,
        give: Option<&Expr>,
        want: Option<Width>,
    ) -> Option<Value> {
        let of = |rounds: Rounds, give: Option<Expr>| {
            let kind = ExprKind::Scan { rounds: Box::new(rounds), give: give.map(Box::new) };
            Expr::new(kind, e.span)
        };
        // The rows of a scan are its rounds.
        let row = Name::new(self.unused("row"), e.span);
        self.rounds(e, rounds, give, want, &of, &[row])
    }

    /// Rounds with the parts of their states. What they end in has two parts if it is complex: the rounds end in
    /// both, below these indices.
    fn rounds(
        &mut self,
        e: &Expr,
        rounds: &Rounds,
        last: Option<&Expr>,
        want: Option<Width>,
        of: &dyn Fn(Rounds, Option<Expr>) -> Expr,
        indices: &[Name],
    ) -> Option<Value> {
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
                        let shared = |Pending { names, value }| Shared {
                            names,
                            value,
                            attributes: Vec::new(),
                            span: step.span,
                        };
                        made.lets.extend(own.into_iter().map(shared));
                        made.steps.extend(parts);
                    } else {
                        made.steps.extend(parts.map(|part| wrapped(part, &own, !self.open.is_empty())));
                    }
                }
                None => made.steps.push(self.plain_body(step)?),
            }
        }
        let val = match (last, &rounds.states[..], &widths[..]) {
            (Some(last), _, _) => self.body(last, want)?,
            (None, [(name, _)], [width]) => self.whole_state(name, *width),
            _ => Value::Plain(Expr::new(ExprKind::Error, e.span)),
        };
        self.scope.truncate(scope);
        Some(match val {
            Value::Plain(_) if last.is_none() => Value::Plain(of(made, None)),
            Value::Plain(last) => Value::Plain(of(made, Some(last))),
            Value::Complex(width, parts) => {
                let both = Expr::new(ExprKind::List(parts.to_vec()), e.span);
                Value::Complex(width, Box::new(self.parts_of_both(of(made, Some(both)), indices)))
            }
        })
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
            let val = self.body(&shared.value, None)?;
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
