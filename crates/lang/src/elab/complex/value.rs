//! Expressions: which parts they have.

use super::head::width;
use super::named::{around, has_rounds, wrapped};
use super::{Pending, Split, Value, Width, parts_of, text};
use atl_diag::{Span, err};
use atl_syntax::ast::{BinaryOp, Binder, BinderOp, CompareOp, Expr, ExprKind, Function, Name, Type, UnaryOp};

/// Copies of what is computed for both parts are as many as this at most.
const MAX_NODES: usize = 1 << 17;

impl Split<'_> {
    /// Does anything complex stand in the expression?
    pub(super) fn touches(&self, e: &Expr) -> bool {
        self.touches_in(&mut e.clone())
    }

    fn touches_in(&self, e: &mut Expr) -> bool {
        let here = match &e.kind {
            ExprKind::Imaginary(_) => true,
            ExprKind::Name(name) => self.named(name).is_some(),
            ExprKind::Convert { to, .. } => Width::parse(&to.scalar.text).is_some(),
            ExprKind::Typed { ty, .. } => width(ty).is_some(),
            ExprKind::Rec { of, .. } => Width::parse(&of.scalar.text).is_some(),
            ExprKind::Call { callee, .. } => {
                let is_method = |(base, _)| self.is_complex_name(base);
                callee.text.rsplit_once('.').is_some_and(is_method)
                    || self.file.heads.get(&callee.text).is_some_and(super::Head::is_complex)
            }
            _ => false,
        };
        here || e.children_mut().into_iter().any(|child| self.touches_in(child))
    }

    /// Does a complex tensor have this name?
    pub(super) fn is_complex_name(&self, name: &str) -> bool {
        self.named(name).is_some()
    }

    /// The complex tensor that a name means, or a part of which it means: `z`, `z.new`, `z.re`.
    fn named(&self, name: &str) -> Option<(String, Width, &'static str)> {
        if let Some(width) = self.width(name) {
            return Some((name.to_owned(), width, ""));
        }
        let (base, last) = name.rsplit_once('.')?;
        let suffix = ["new", "old", "re", "im"].into_iter().find(|suffix| *suffix == last)?;
        let (of, width, inner) = self.named(base)?;
        (inner.is_empty()).then_some((of, width, suffix))
    }

    /// A value that begins here, with the names that both its parts use.
    pub(super) fn body(&mut self, e: &Expr, want: Option<Width>) -> Option<Value> {
        let (val, own) = self.bare_body(e, want)?;
        self.closed(val, &own, e.span)
    }

    /// What begins here, and what its parts need computed before them.
    pub(super) fn bare_body(&mut self, e: &Expr, want: Option<Width>) -> Option<(Value, Vec<Pending>)> {
        let outer = std::mem::take(&mut self.pending);
        let scope = self.scope.len();
        let val = self.value(e, want);
        self.scope.truncate(scope);
        let own = std::mem::replace(&mut self.pending, outer);
        Some((val?, own))
    }

    /// Parts, each with what it needs.
    pub(super) fn closed(&mut self, val: Value, own: &[Pending], span: Span) -> Option<Value> {
        // An index without a range has that of what is read at it, which may be in what one part leaves out.
        let all = !self.open.is_empty();
        let val = val.map(|part| wrapped(part, own, all));
        self.is_small(&val, span)?;
        Some(val)
    }

    fn is_small(&mut self, val: &Value, span: Span) -> Option<()> {
        self.size += match val {
            Value::Plain(e) => text::size(e),
            Value::Complex(_, parts) => parts.iter().map(text::size).sum(),
        };
        if self.size <= MAX_NODES {
            return Some(());
        }
        self.report(
            err!(E0247, span, "the parts of this complex number are too large")
                .note(format!("written out, they have more than {MAX_NODES} nodes"))
                .help("bind what is used more than once with `let`, outside of loops"),
        )
    }

    /// A real number, a condition or an index term that begins here.
    pub(super) fn plain_body(&mut self, e: &Expr) -> Option<Expr> {
        let val = self.body(e, None)?;
        self.is_plain(val, e.span)
    }

    /// A real number, a condition or an index term.
    pub(super) fn plain(&mut self, e: &Expr) -> Option<Expr> {
        let val = self.value(e, None)?;
        self.is_plain(val, e.span)
    }

    fn is_plain(&mut self, val: Value, span: Span) -> Option<Expr> {
        match val {
            Value::Plain(e) => Some(e),
            Value::Complex(width, _) => {
                let of =
                    width.map_or("an imaginary number".to_owned(), |width| format!("of `{}`", width.name()));
                self.report(
                    err!(E0214, span, "this is {of}, and a real number is needed here").help(
                        "take its real or its imaginary part, `re(z)` and `im(z)`, or its size, `abs(z)`",
                    ),
                )
            }
        }
    }

    /// The parts of a value that begins here and must be of this type.
    pub(super) fn complex_body(&mut self, e: &Expr, of: Width, what: &str) -> Option<[Expr; 2]> {
        let val = self.body(e, Some(of))?;
        self.as_complex(val, Some(of), e, &format!("`{what}`"))
    }

    /// The parts of a value that must be complex; a literal is one.
    pub(super) fn as_complex(
        &mut self,
        val: Value,
        want: Option<Width>,
        e: &Expr,
        what: &str,
    ) -> Option<[Expr; 2]> {
        match val {
            Value::Complex(found, parts) => match (found, want) {
                (Some(found), Some(want)) if found != want => {
                    let (found, want) = (found.name(), want.name());
                    self.report(
                        err!(E0214, e.span, "{what} is of `{want}`, and this is of `{found}`")
                            .help(format!("convert it: `{want}(…)`")),
                    )
                }
                _ => Some(*parts),
            },
            Value::Plain(real) if self.is_literal(&real) => Some([real, text::int(0, e.span)]),
            Value::Plain(real) => {
                let of = want.unwrap_or(Width::C128).name();
                let shown = text::written(&real);
                let refusal = err!(E0214, e.span, "{what} is of `{of}`, and this is a real number");
                self.report(match shown.len() <= 30 {
                    true => refusal.suggest("convert it", e.span, format!("{of}({})", text::written(e))),
                    false => refusal.help(format!("convert it: `{of}(…)`")),
                })
            }
        }
    }

    /// Does its place decide which numbers it has?
    pub(super) fn is_literal(&self, e: &Expr) -> bool {
        let bound = |name: &str| self.scope.iter().any(|(bound, _)| bound == name);
        super::super::undecided(e, &bound, &|_| false)
    }

    pub(super) fn value(&mut self, e: &Expr, want: Option<Width>) -> Option<Value> {
        if !self.touches(e) {
            return Some(Value::Plain(e.clone()));
        }
        let val = self.split(e, want)?;
        if let Value::Complex(Some(width), _) = &val {
            self.messages.places.push((e.span, *width));
        }
        Some(val)
    }

    fn split(&mut self, e: &Expr, want: Option<Width>) -> Option<Value> {
        let span = e.span;
        let again = |kind: ExprKind| Some(Value::Plain(Expr::new(kind, span)));
        match &e.kind {
            ExprKind::Imaginary(digits) => {
                Some(Value::Complex(want, Box::new([text::int(0, span), text::float(digits, span)])))
            }
            ExprKind::Name(name) => self.name(name, span),
            ExprKind::Unary(UnaryOp::Neg, a) => match &a.kind {
                ExprKind::Imaginary(digits) => {
                    let im = text::neg(text::float(digits, span), span);
                    Some(Value::Complex(want, Box::new([text::int(0, span), im])))
                }
                _ => Some(self.value(a, want)?.map(|part| text::neg(part, span))),
            },
            ExprKind::Unary(op, a) => again(ExprKind::Unary(*op, Box::new(self.plain(a)?))),
            ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b) => self.sum(e, *op, a, b, want),
            ExprKind::Binary(BinaryOp::Mul, a, b) => self.product(e, a, b, want),
            ExprKind::Binary(BinaryOp::Div, a, b) => self.quotient(e, a, b, want),
            ExprKind::Binary(BinaryOp::Concat, a, b) => {
                let (x, y) = (self.value(a, want)?, self.value(b, want)?);
                if let (Value::Plain(x), Value::Plain(y)) = (&x, &y) {
                    return again(ExprKind::Binary(BinaryOp::Concat, Box::new(x.clone()), Box::new(y.clone())));
                }
                let width = self.agree(&x, &y, e, "`++`")?;
                let (x, y) = (self.as_complex(x, width, a, "`++`")?, self.as_complex(y, width, b, "`++`")?);
                let parts = pairs(x, y).map(|(x, y)| text::binary(BinaryOp::Concat, x, y, span));
                Some(Value::Complex(width, Box::new(parts)))
            }
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.plain(a)?, self.plain(b)?);
                again(ExprKind::Binary(*op, Box::new(a), Box::new(b)))
            }
            ExprKind::Compare(first, rest) => self.comparison(e, first, rest),
            ExprKind::Access { kind, base, indices } => {
                let base = self.value(base, want)?;
                let indices = indices.iter().map(|i| self.plain(i)).collect::<Option<Vec<Expr>>>()?;
                Some(base.map(|base| {
                    let (base, indices) = (Box::new(base), indices.clone());
                    Expr::new(ExprKind::Access { kind: *kind, base, indices }, span)
                }))
            }
            ExprKind::Call { callee, args } => self.call(e, callee, args, want),
            ExprKind::Convert { to, value } => self.conversion(e, &to.scalar.text, to, value),
            ExprKind::Typed { ty, value } => self.typed(e, ty, value),
            ExprKind::Guard { predicate, body } => {
                let predicate = self.plain(predicate)?;
                let body = self.body(body, want)?;
                Some(body.map(|body| {
                    let kind = ExprKind::Guard { predicate: Box::new(predicate.clone()), body: Box::new(body) };
                    Expr::new(kind, span)
                }))
            }
            ExprKind::Bind { op, binders, body } => self.binders(e, *op, binders, body, want),
            ExprKind::Let { .. } | ExprKind::LetParts { .. } => {
                let scope = self.scope.len();
                let lets = self.lets(e)?;
                let rest = match &e.kind {
                    ExprKind::Let { body, .. } | ExprKind::LetParts { body, .. } => body,
                    _ => return None,
                };
                let rest = self.body(rest, want);
                self.scope.truncate(scope);
                let val = match rest? {
                    // What both parts need is computed once.
                    Value::Complex(width, parts) if lets.iter().any(text::has_rounds) => {
                        let both = Expr::new(ExprKind::Tuple(parts.to_vec()), span);
                        Value::Complex(width, Box::new(self.names_of_parts(around(both, &lets, true))))
                    }
                    val => val.map(|part| around(part, &lets, false)),
                };
                self.is_small(&val, span)?;
                Some(val)
            }
            ExprKind::Iterate { .. } | ExprKind::Scan { .. } => self.rounds(e, want),
            ExprKind::Rec { of, .. } if Width::parse(&of.scalar.text).is_some() => self.report(
                err!(E0394, span, "`rec` gives no complex tensors")
                    .label(format!("this one is of `{}`", of.scalar.text))
                    .help("a recurrence along one dimension is `scan t < n from z = e { f }`, whose states may be complex"),
            ),
            ExprKind::Rec { name, of, value, body } => {
                let value = self.plain_body(value)?;
                let at = self.scope.len();
                self.bind(name, None);
                let body = self.body(body, want);
                self.scope.truncate(at);
                Some(body?.map(|body| {
                    let (value, body) = (Box::new(value.clone()), Box::new(body));
                    Expr::new(ExprKind::Rec { name: name.clone(), of: of.clone(), value, body }, span)
                }))
            }
            ExprKind::Labelled { label, body } => Some(self.value(body, want)?.map(|body| {
                Expr::new(ExprKind::Labelled { label: label.clone(), body: Box::new(body) }, span)
            })),
            ExprKind::List(elements) => self.list(e, elements, want),
            _ => Some(Value::Plain(e.clone())),
        }
    }

    fn name(&mut self, name: &str, span: Span) -> Option<Value> {
        let Some((base, width, suffix)) = self.named(name) else {
            return Some(Value::Plain(text::name(name, span)));
        };
        let [re, im] = parts_of(&base);
        Some(match suffix {
            "re" => Value::Plain(text::name(re, span)),
            "im" => Value::Plain(text::name(im, span)),
            "" => Value::Complex(Some(width), Box::new([re, im].map(|part| text::name(part, span)))),
            of => {
                let parts = [re, im].map(|part| text::name(format!("{part}.{of}"), span));
                Value::Complex(Some(width), Box::new(parts))
            }
        })
    }

    /// Equality is that of both parts; there is no order.
    fn comparison(&mut self, e: &Expr, first: &Expr, rest: &[(CompareOp, Expr)]) -> Option<Value> {
        let mut vals = vec![self.value(first, None)?];
        for (_, other) in rest {
            vals.push(self.value(other, None)?);
        }
        let is_complex = vals.iter().any(|val| matches!(val, Value::Complex(..)));
        if !is_complex {
            let mut plain = vals.into_iter().filter_map(|val| match val {
                Value::Plain(e) => Some(e),
                Value::Complex(..) => None,
            });
            let first = Box::new(plain.next()?);
            let rest = rest.iter().map(|(op, _)| *op).zip(plain).collect();
            return Some(Value::Plain(Expr::new(ExprKind::Compare(first, rest), e.span)));
        }
        if let Some((op, _)) = rest.iter().find(|(op, _)| !matches!(op, CompareOp::Eq | CompareOp::Ne)) {
            return self.no_order(e.span, word_of(*op), first, &rest[0].1);
        }
        let [(op, other)] = rest else {
            return self.report(
                err!(E0394, e.span, "a chain of comparisons of complex numbers")
                    .help("compare two at a time: `a == b && b == c`"),
            );
        };
        let (b, a) = (vals.pop()?, vals.pop()?);
        let width = self.agree(&a, &b, e, "a comparison")?;
        let what = "a comparison";
        let (a, b) = (self.as_complex(a, width, first, what)?, self.as_complex(b, width, other, what)?);
        let [re, im] = pairs(a, b).map(|(a, b)| text::compare(*op, a, b, e.span));
        let join = if *op == CompareOp::Eq { BinaryOp::And } else { BinaryOp::Or };
        Some(Value::Plain(text::binary(join, re, im, e.span)))
    }

    pub(super) fn no_order<T>(&mut self, span: Span, word: &str, a: &Expr, b: &Expr) -> Option<T> {
        let (a, b) = (text::written(a), text::written(b));
        let refusal = err!(E0394, span, "`{word}` has no meaning for complex numbers").note(
            "no order of them goes with `+` and `*`: if `0 < i`, then `0 < i * i = -1`, and so if `i < 0`"
                .to_owned(),
        );
        self.report(match word {
            "min" | "max" => refusal.help(format!("of the sizes: `{word}(abs({a}), abs({b}))`")),
            _ => refusal.help(format!(
                "compare the sizes, `abs({a}) {word} abs({b})`, or the real parts, `re({a}) {word} re({b})`"
            )),
        })
    }

    fn binders(
        &mut self,
        e: &Expr,
        op: BinderOp,
        binders: &[Binder],
        body: &Expr,
        want: Option<Width>,
    ) -> Option<Value> {
        let (scope, open) = (self.scope.len(), self.open.len());
        let made = self.entered(binders)?;
        let bare = self.bare_body(body, want);
        self.scope.truncate(scope);
        let (val, own) = bare?;
        let of = |body: Expr| {
            Expr::new(ExprKind::Bind { op, binders: made.clone(), body: Box::new(body) }, e.span)
        };
        if let (Value::Complex(width, parts), BinderOp::Gen, true) = (&val, op, has_rounds(&own)) {
            let width = *width;
            let both = Expr::new(ExprKind::Tuple(parts.to_vec()), e.span);
            let both = of(wrapped(both, &own, true));
            self.open.truncate(open);
            return Some(Value::Complex(width, Box::new(self.names_of_parts(both))));
        }
        let val = self.closed(val, &own, body.span);
        self.open.truncate(open);
        let val = val?;
        if let (Value::Complex(..), false) = (&val, matches!(op, BinderOp::Gen | BinderOp::Sum)) {
            let word = op.word();
            let refusal = err!(E0394, e.span, "`{word}` of complex numbers");
            return self.report(match op {
                BinderOp::Prod => refusal
                    .note("a product of complex numbers is no product of their parts")
                    .help("multiply round by round: `iterate t < n from p = c128(1) { p * z[t] }`"),
                _ => refusal
                    .note("complex numbers have no order, and are no truth values")
                    .help(format!("of their sizes: `{word} .. {{ abs(..) }}`")),
            });
        }
        Some(val.map(of))
    }

    /// The binders, whose names are entered.
    pub(super) fn entered(&mut self, binders: &[Binder]) -> Option<Vec<Binder>> {
        let mut made = Vec::new();
        for binder in binders {
            let mut new = binder.clone();
            for end in new.lo.iter_mut().chain(&mut new.hi) {
                *end = self.plain(end)?;
            }
            self.bind(&binder.name, None);
            self.numbers.insert(binder.name.text.clone());
            if binder.hi.is_none() {
                self.open.push(binder.name.text.clone());
            }
            made.push(new);
        }
        Some(made)
    }

    fn list(&mut self, e: &Expr, elements: &[Expr], want: Option<Width>) -> Option<Value> {
        let vals = elements.iter().map(|e| self.value(e, want)).collect::<Option<Vec<Value>>>()?;
        let mut width = want;
        let mut is_complex = false;
        for val in &vals {
            if let Value::Complex(found, _) = val {
                is_complex = true;
                width = width.or(*found);
            }
        }
        if !is_complex {
            let plain = vals.into_iter().zip(elements).map(|(val, e)| self.is_plain(val, e.span));
            let plain = plain.collect::<Option<Vec<Expr>>>()?;
            return Some(Value::Plain(Expr::new(ExprKind::List(plain), e.span)));
        }
        let (mut res, mut ims) = (Vec::new(), Vec::new());
        for (val, element) in vals.into_iter().zip(elements) {
            let [re, im] = self.as_complex(val, width, element, "an element of this array")?;
            res.push(re);
            ims.push(im);
        }
        let parts = [res, ims].map(|part| Expr::new(ExprKind::List(part), e.span));
        Some(Value::Complex(width, Box::new(parts)))
    }

    /// The widths of two values, if they agree.
    pub(super) fn agree(&mut self, a: &Value, b: &Value, e: &Expr, what: &str) -> Option<Option<Width>> {
        let of = |val: &Value| match val {
            Value::Complex(width, _) => *width,
            Value::Plain(_) => None,
        };
        match (of(a), of(b)) {
            (Some(a), Some(b)) if a != b => {
                let (s, t) = (a.name(), b.name());
                self.report(
                    err!(E0214, e.span, "{what} has operands of different element types, `{s}` and `{t}`")
                        .help(format!("convert one of them: `{t}(…)` or `{s}(…)`")),
                )
            }
            (a, b) => Some(a.or(b)),
        }
    }

    /// A value of a declared type.
    fn typed(&mut self, e: &Expr, ty: &Type, value: &Expr) -> Option<Value> {
        let declared = width(ty);
        let val = self.value(value, declared)?;
        let of_type = |ty: &Type, value| {
            Expr::new(ExprKind::Typed { ty: Box::new(ty.clone()), value: Box::new(value) }, e.span)
        };
        match (declared, val) {
            (None, Value::Plain(value)) => Some(Value::Plain(of_type(ty, value))),
            (None, Value::Complex(..)) => self.report(
                err!(E0214, value.span, "this is a complex number, and its name is declared as a real one")
                    .also(ty.span, "declared here")
                    .help("its parts are `re(z)` and `im(z)`"),
            ),
            (Some(of), val) => {
                let parts = self.as_complex(val, declared, value, "what is bound")?;
                let ty = self.part(ty, of)?;
                Some(Value::Complex(declared, Box::new(parts.map(|part| of_type(&ty, part)))))
            }
        }
    }

    /// The body of a function, with its results.
    pub(super) fn results(&mut self, e: &Expr, f: &Function, declared: &[Option<Width>]) -> Option<Expr> {
        if let ExprKind::Let { body, .. } | ExprKind::LetParts { body, .. } = &e.kind {
            let lets = self.lets(e)?;
            let body = self.results(body, f, declared)?;
            return Some(around(body, &lets, true));
        }
        let has_complex = declared.iter().any(Option::is_some);
        if let [Some(of)] = declared
            && let Some((width, call)) = self.lone_call(e)
            && width == *of
        {
            let own = std::mem::take(&mut self.pending);
            return Some(wrapped(call?, &own, true));
        }
        let mut parts = Vec::new();
        match (&e.kind, declared) {
            (ExprKind::Tuple(values), _) if values.len() == declared.len() => {
                for (value, of) in values.iter().zip(declared) {
                    self.result(value, f, *of, &mut parts)?;
                }
            }
            (ExprKind::Call { callee, .. }, [_, _, ..]) if self.file.heads.contains_key(&callee.text) => {
                let names: Vec<Name> =
                    declared.iter().map(|_| Name::new(self.unused("part"), e.span)).collect();
                let (names, value) = self.several(e, &names)?;
                parts = names.iter().map(|name| text::name(&name.text, e.span)).collect();
                self.pending.push(Pending { names, value });
            }
            (_, [of]) => self.result(e, f, *of, &mut parts)?,
            // The elaborator says whether there are too many or too few.
            _ => {
                let (widths, end) = self.ends(e)?;
                if widths.len() == declared.len() && widths != declared {
                    return self.other_results(e, f, declared, &widths);
                }
                let own = std::mem::take(&mut self.pending);
                return Some(wrapped(end, &own, true));
            }
        }
        let end = match has_complex || parts.len() > 1 {
            true => Expr::new(ExprKind::Tuple(parts), e.span),
            false => parts.pop()?,
        };
        let own = std::mem::take(&mut self.pending);
        Some(wrapped(end, &own, true))
    }

    /// Reports results that are not of the types declared.
    fn other_results<T>(
        &mut self,
        e: &Expr,
        f: &Function,
        declared: &[Option<Width>],
        found: &[Option<Width>],
    ) -> Option<T> {
        let word =
            |of: &Option<Width>| of.map_or("a real number".to_owned(), |of| format!("of `{}`", of.name()));
        let (k, (of, is)) = declared.iter().zip(found).enumerate().find(|(_, (of, is))| of != is)?;
        self.report(
            err!(
                E0214,
                e.span,
                "result {} of `{}` is declared to be {}, and this one is {}",
                k + 1,
                f.name.text,
                word(of),
                word(is)
            )
            .help("change what the function declares after `->`, or convert the value"),
        )
    }

    fn result(&mut self, e: &Expr, f: &Function, of: Option<Width>, parts: &mut Vec<Expr>) -> Option<()> {
        let val = self.value(e, of)?;
        match of {
            Some(of) => {
                let found = self.as_complex(val, Some(of), e, &format!("the result of `{}`", f.name.text))?;
                parts.extend(found);
            }
            None => parts.push(self.is_plain(val, e.span)?),
        }
        Some(())
    }
}

/// The real parts, and the imaginary ones.
pub(super) fn pairs([a, b]: [Expr; 2], [c, d]: [Expr; 2]) -> [(Expr, Expr); 2] {
    [(a, c), (b, d)]
}

fn word_of(op: CompareOp) -> &'static str {
    match op {
        CompareOp::Eq => "==",
        CompareOp::Ne => "!=",
        CompareOp::Lt => "<",
        CompareOp::Le => "<=",
        CompareOp::Gt => ">",
        CompareOp::Ge => ">=",
    }
}
