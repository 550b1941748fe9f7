//! Names: of what both parts use, and of what `let`s and states bind.

use super::{Pending, Split, Value, Width, names_of, parts_of, text};
use atl_diag::err;
use atl_syntax::ast::{Expr, ExprKind, Name};

impl Split<'_> {
    /// Gives both parts names, unless they may be written twice.
    pub(super) fn shared(&mut self, parts: [Expr; 2], hint: &str) -> [Expr; 2] {
        if parts.iter().all(text::is_cheap) {
            return parts;
        }
        let span = parts[0].span;
        let name = Name::new(self.unused(hint), span);
        self.taken.extend(parts_of(&name.text));
        let mut named = Vec::new();
        for (part, name) in parts.iter().zip(names_of(&name)) {
            if text::is_cheap(part) || self.is_literal(part) {
                named.push(part.clone());
                continue;
            }
            self.note_number(part, &name.text);
            named.push(text::name(&name.text, span));
            self.pending.push(Pending { names: vec![name], value: part.clone() });
        }
        <[Expr; 2]>::try_from(named).unwrap_or(parts)
    }

    /// Names for the two parts in which an expression ends.
    pub(super) fn names_of_parts(&mut self, both: Expr) -> [Expr; 2] {
        let span = both.span;
        let names = ["re", "im"].map(|hint| Name::new(self.unused(hint), span));
        let parts = names.clone().map(|name| text::name(&name.text, span));
        self.pending.push(Pending { names: names.into(), value: both });
        parts
    }

    /// Gives a real number a name, unless it may be written twice.
    pub(super) fn shared_real(&mut self, e: Expr, hint: &str) -> Expr {
        if text::is_cheap(&e) {
            return e;
        }
        let name = Name::new(self.unused(hint), e.span);
        let named = text::name(&name.text, e.span);
        self.note_number(&e, &name.text);
        self.pending.push(Pending { names: vec![name], value: e });
        named
    }

    pub(super) fn note_number(&mut self, e: &Expr, name: &str) {
        if self.is_number(e) {
            self.numbers.insert(name.to_owned());
        }
    }

    /// What a `let` binds: of something complex, its parts. Its name is entered.
    pub(super) fn lets(&mut self, e: &Expr) -> Option<Vec<Expr>> {
        let hole = || Box::new(Expr::new(ExprKind::Hole, e.span));
        match &e.kind {
            ExprKind::Let { name, attributes, value, .. } => {
                let outer = std::mem::take(&mut self.pending);
                let call = if attributes.is_empty() { self.lone_call(value) } else { None };
                let own = std::mem::replace(&mut self.pending, outer);
                if let Some((width, call)) = call {
                    self.is_free_part(name)?;
                    self.bind(name, Some(width));
                    let mut lets: Vec<Expr> = own.iter().map(|p| p.around(*hole())).collect();
                    let (names, value) = (names_of(name).into(), Box::new(call?));
                    lets.push(Expr::new(ExprKind::LetParts { names, value, body: hole() }, e.span));
                    return Some(lets);
                }
                let (val, own) = self.bare_body(value, None)?;
                // What both parts need is computed once, where rounds run in it.
                let is_shared = matches!(val, Value::Complex(..)) && has_rounds(&own);
                let val = if is_shared { val } else { self.closed(val, &own, value.span)? };
                let (names, parts, width) = self.bound(name, val, value)?;
                self.bind(name, width);
                let shared = own.iter().filter(|_| is_shared).map(|p| p.around(*hole()));
                let lets = names.into_iter().zip(parts).map(|(name, value)| {
                    self.note_number(&value, &name.text);
                    let (attributes, value) = (attributes.clone(), Box::new(value));
                    Expr::new(ExprKind::Let { name, attributes, value, body: hole() }, e.span)
                });
                Some(shared.chain(lets).collect())
            }
            ExprKind::LetParts { names, value, .. } => {
                let outer = std::mem::take(&mut self.pending);
                let found = self.several(value, names);
                let own = std::mem::replace(&mut self.pending, outer);
                let (names, value) = found?;
                let mut lets: Vec<Expr> = own.iter().map(|p| p.around(*hole())).collect();
                let parts = ExprKind::LetParts { names, value: Box::new(value), body: hole() };
                lets.push(Expr::new(parts, e.span));
                Some(lets)
            }
            _ => None,
        }
    }

    /// The names of what is bound, one for a real number and two for a complex one, and their values.
    pub(super) fn bound(
        &mut self,
        name: &Name,
        val: Value,
        e: &Expr,
    ) -> Option<(Vec<Name>, Vec<Expr>, Option<Width>)> {
        let (parts, width) = self.of_known_type(val, e)?;
        match width {
            None => Some((vec![name.clone()], parts, None)),
            Some(_) => {
                self.is_free_part(name)?;
                Some((names_of(name).into(), parts, width))
            }
        }
    }

    /// The parts of a value, and of which type they are if it is complex.
    pub(super) fn of_known_type(&mut self, val: Value, e: &Expr) -> Option<(Vec<Expr>, Option<Width>)> {
        match val {
            Value::Plain(value) => Some((vec![value], None)),
            Value::Complex(None, _) => self.report(
                err!(E0224, e.span, "nothing says which element type this complex number has")
                    .label("a literal takes the type that its place needs")
                    .suggest("say it with a conversion", e.span, format!("c128({})", text::written(e))),
            ),
            Value::Complex(width, parts) => Some(((*parts).into(), width)),
        }
    }

    pub(super) fn is_free_part(&mut self, name: &Name) -> Option<()> {
        let taken = parts_of(&name.text)
            .into_iter()
            .find(|part| self.taken.contains(part) && !self.messages.names.contains_key(&name.text));
        match taken {
            None => Some(()),
            Some(part) => self.report(
                err!(E0207, name.span, "`{part}` is the name of a part of `{}`", name.text)
                    .label("a complex tensor is stored as two arrays, which are called so")
                    .help("give the other one another name; the part is `re(z)` or `im(z)`"),
            ),
        }
    }
}

impl Pending {
    fn around(&self, body: Expr) -> Expr {
        let (value, span) = (Box::new(self.value.clone()), self.value.span);
        let body = Box::new(body);
        Expr::new(
            match &self.names[..] {
                [name] => ExprKind::Let { name: name.clone(), attributes: Vec::new(), value, body },
                names => ExprKind::LetParts { names: names.to_vec(), value, body },
            },
            span,
        )
    }
}

/// A part in what it needs of what has a name here, or in all of it.
pub(super) fn wrapped(part: Expr, pending: &[Pending], all: bool) -> Expr {
    pending.iter().rev().fold(part, |part, named| {
        let is_used = all || named.names.iter().any(|name| super::super::parts::speaks_of(&part, &name.text));
        if is_used { named.around(part) } else { part }
    })
}

/// Do rounds run in what is computed before?
pub(super) fn has_rounds(pending: &[Pending]) -> bool {
    pending.iter().any(|pending| text::has_rounds(&pending.value))
}

/// A part in the `let`s that it needs, or in all of them.
pub(super) fn around(part: Expr, lets: &[Expr], all: bool) -> Expr {
    lets.iter().rev().fold(part, |part, named| {
        let mut named = named.clone();
        let is_used = all
            || named.bound_mut().into_iter().any(|name| super::super::parts::speaks_of(&part, &name.text));
        if !is_used {
            return part;
        }
        if let ExprKind::Let { body, .. } | ExprKind::LetParts { body, .. } = &mut named.kind {
            **body = part;
        }
        named
    })
}
