//! Expressions: the same with the fields of tuples, and which fields they have.

use super::{Apart, Fields};
use atl_diag::{Span, err};
use atl_syntax::ast::{BinaryOp, CompareOp, Expr, ExprKind, Name};

/// An expression, and its fields if it ends in several values.
pub(super) type Value = (Expr, Option<Fields>);

/// Names for what expressions end in.
type Lets = Vec<(Vec<Name>, Expr)>;

pub(super) fn name(text: impl Into<String>, span: Span) -> Expr {
    Expr::new(ExprKind::Name(text.into()), span)
}

pub(super) fn tuple_of(names: &[Name], span: Span) -> Expr {
    let parts = names.iter().map(|part| name(part.text.clone(), span)).collect();
    Expr::new(ExprKind::Tuple(parts), span)
}

impl Apart<'_> {
    pub(super) fn value(&mut self, e: &Expr) -> Option<Value> {
        let scope = self.scope.len();
        let found = self.apart(e);
        self.scope.truncate(scope);
        found
    }

    /// What should be one value; the elaborator says where it is not.
    pub(super) fn one(&mut self, e: &Expr) -> Option<Expr> {
        Some(self.value(e)?.0)
    }

    fn apart(&mut self, e: &Expr) -> Option<Value> {
        let span = e.span;
        match &e.kind {
            ExprKind::Name(text) => self.name(text, span),
            ExprKind::Tuple(values) => self.tuple(values, span),
            ExprKind::Access { kind, base, indices } => {
                let indices = indices.iter().map(|i| self.one(i)).collect::<Option<Vec<Expr>>>()?;
                let (base, fields) = self.value(base)?;
                let read = |base: Expr| {
                    let (base, indices) = (Box::new(base), indices.clone());
                    Expr::new(ExprKind::Access { kind: *kind, base, indices }, span)
                };
                Some(match fields {
                    None => (read(base), None),
                    Some(fields) => {
                        let made = self.each(base, &fields, |parts| parts.into_iter().map(read).collect());
                        (made, Some(fields))
                    }
                })
            }
            ExprKind::Typed { ty, value } => {
                let (made, fields) = self.value(value)?;
                if fields.is_some() {
                    return self.report(
                        err!(E0203, ty.span, "the type of a tuple is not declared here")
                            .help("leave it out: a tuple has the types of its fields"),
                    );
                }
                Some((Expr::new(ExprKind::Typed { ty: ty.clone(), value: Box::new(made) }, span), None))
            }
            ExprKind::Let { name, attributes, value, body } => {
                let (value, fields) = self.value(value)?;
                let Some(own) = fields else {
                    self.bind(name, None);
                    let (body, fields) = self.value(body)?;
                    let (name, attributes) = (name.clone(), attributes.clone());
                    let (value, body) = (Box::new(value), Box::new(body));
                    return Some((Expr::new(ExprKind::Let { name, attributes, value, body }, span), fields));
                };
                if let Some(attribute) = attributes.first() {
                    return self.report(
                        err!(E0244, attribute.span, "a tuple has no attribute")
                            .help("give each field a name: `let (a, b) = ..;`, then `let c @stack = a;`"),
                    );
                }
                let names = self.bind_parts(name, &own)?;
                let (body, fields) = self.value(body)?;
                Some((around(vec![(names, value)], body), fields))
            }
            ExprKind::LetParts { names, value, body } => {
                let (value, _) = self.value(value)?;
                names.iter().for_each(|name| self.bind(name, None));
                let (body, fields) = self.value(body)?;
                let (names, value, body) = (names.clone(), Box::new(value), Box::new(body));
                Some((Expr::new(ExprKind::LetParts { names, value, body }, span), fields))
            }
            ExprKind::Bind { op, binders, body } => {
                let binders = self.binders(binders)?;
                let (body, fields) = self.value(body)?;
                if let (Some(fields), false) = (&fields, op.word() == "gen") {
                    return self.report(
                        err!(E0300, body.span, "`{}` of {} values", op.word(), fields.len())
                            .help("a sum of tuples is in a monoid that says what two of them are together: `sum i < n in m { .. }`")
                            .help("or write one for each value"),
                    );
                }
                let (op, body) = (*op, Box::new(body));
                Some((Expr::new(ExprKind::Bind { op, binders, body }, span), fields))
            }
            ExprKind::Fold { op, monoid, binders, body } => self.fold(e, (*op, monoid), binders, body),
            ExprKind::Iterate { .. } | ExprKind::Scan { .. } => self.rounds(e),
            ExprKind::Call { callee, args } if callee.text == "select" && args.len() == 3 => {
                let condition = self.one(&args[0])?;
                let ((a, fields), (b, others)) = (self.value(&args[1])?, self.value(&args[2])?);
                let count = |fields: &Option<Fields>| fields.as_ref().map_or(1, Vec::len);
                let fields = fields.filter(|fields| fields.len() == count(&others));
                let callee = callee.clone();
                Some((Expr::new(ExprKind::Call { callee, args: vec![condition, a, b] }, span), fields))
            }
            ExprKind::Call { callee, args } if self.file.functions.contains(callee.text.as_str()) => {
                let (made, lets) = self.flattened(args)?;
                let call = Expr::new(ExprKind::Call { callee: callee.clone(), args: made }, span);
                let fields = self.file.results.get(&callee.text).cloned();
                Some((around(lets, call), fields))
            }
            ExprKind::Compare(first, rest) => self.comparison(e, first, rest),
            ExprKind::Labelled { label, body } => {
                let (body, fields) = self.value(body)?;
                let (label, body) = (label.clone(), Box::new(body));
                Some((Expr::new(ExprKind::Labelled { label, body }, span), fields))
            }
            ExprKind::Rec { name, of, value, body } => {
                self.bind(name, None);
                let value = Box::new(self.one(value)?);
                let (body, fields) = self.value(body)?;
                let (name, of, body) = (name.clone(), of.clone(), Box::new(body));
                Some((Expr::new(ExprKind::Rec { name, of, value, body }, span), fields))
            }
            ExprKind::Layout { .. } => Some((e.clone(), None)),
            _ => {
                let mut made = e.clone();
                for child in made.children_mut() {
                    match &mut child.kind {
                        // The parts of a complex number, and an argument of `relayout`, are no tuples.
                        ExprKind::Tuple(parts) => {
                            for part in parts {
                                *part = self.one(part)?;
                            }
                        }
                        _ => *child = self.one(child)?,
                    }
                }
                Some((made, None))
            }
        }
    }

    /// Values in a row, those of tuples one by one; and the names that these need around.
    fn flattened(&mut self, values: &[Expr]) -> Option<(Vec<Expr>, Lets)> {
        let (mut made, mut lets) = (Vec::new(), Vec::new());
        for value in values {
            let (value, fields) = self.value(value)?;
            match (fields, &value.kind) {
                (None, _) => made.push(value),
                (Some(_), ExprKind::Tuple(parts)) => made.extend(parts.iter().cloned()),
                (Some(fields), _) => {
                    let names = self.fresh(fields.len(), value.span);
                    made.extend(names.iter().map(|n| name(n.text.clone(), value.span)));
                    lets.push((names, value));
                }
            }
        }
        Some((made, lets))
    }

    /// A name: of a tuple, of one of its fields, by name or by number, or of neither.
    fn name(&mut self, text: &str, span: Span) -> Option<Value> {
        self.is_of_monoid(text, span)?;
        let plain = Some((name(text, span), None));
        let (base, rest) = text.split_once('.').unwrap_or((text, ""));
        let Some(fields) = self.fields(base).cloned() else { return plain };
        let moment = |text: &str| matches!(text, "new" | "old");
        let (field, suffix) = match rest.split_once('.') {
            _ if rest.is_empty() => ("", ""),
            None if moment(rest) => ("", rest),
            None => (rest, ""),
            Some((suffix, field)) if moment(suffix) => (field, suffix),
            Some((field, suffix)) if moment(suffix) || matches!(suffix, "re" | "im") => (field, suffix),
            Some(_) => (rest, ""),
        };
        let written = |field: &str| {
            let part = super::part(base, field);
            name(if suffix.is_empty() { part } else { format!("{part}.{suffix}") }, span)
        };
        if field.is_empty() {
            let parts = fields.iter().map(|field| written(field)).collect();
            return Some((Expr::new(ExprKind::Tuple(parts), span), Some(fields)));
        }
        let by_number = field.parse::<usize>().ok().and_then(|k| fields.get(k));
        match fields.iter().find(|own| *own == field).or(by_number) {
            Some(field) => Some((written(field), None)),
            None => self.report(
                err!(E0201, span, "`{base}` has no field `{field}`")
                    .help(format!("its fields are {}", quoted(base, &fields))),
            ),
        }
    }

    /// Values in parentheses; those of tuples among them are values, too.
    fn tuple(&mut self, values: &[Expr], span: Span) -> Option<Value> {
        let (made, lets) = self.flattened(values)?;
        let fields = (0..made.len()).map(|k| k.to_string()).collect();
        Some((around(lets, Expr::new(ExprKind::Tuple(made), span)), Some(fields)))
    }

    /// Something of each value in which an expression ends.
    fn each(&mut self, e: Expr, fields: &[String], of: impl FnOnce(Vec<Expr>) -> Vec<Expr>) -> Expr {
        let span = e.span;
        if let ExprKind::Tuple(parts) = e.kind {
            return Expr::new(ExprKind::Tuple(of(parts)), span);
        }
        let names = self.fresh(fields.len(), span);
        let parts = names.iter().map(|n| name(n.text.clone(), span)).collect();
        let body = Expr::new(ExprKind::Tuple(of(parts)), span);
        around(vec![(names, e)], body)
    }

    pub(super) fn fresh(&mut self, count: usize, span: Span) -> Vec<Name> {
        (0..count).map(|_| Name::new(self.unused("part"), span)).collect()
    }

    /// Tuples are equal if all fields are; they have no order.
    fn comparison(&mut self, e: &Expr, first: &Expr, rest: &[(CompareOp, Expr)]) -> Option<Value> {
        let (a, fields) = self.value(first)?;
        let others = rest.iter().map(|(op, e)| Some((*op, self.value(e)?)));
        let others = others.collect::<Option<Vec<(CompareOp, Value)>>>()?;
        if fields.is_none() && others.iter().all(|(_, (_, fields))| fields.is_none()) {
            let others = others.into_iter().map(|(op, (e, _))| (op, e)).collect();
            return Some((Expr::new(ExprKind::Compare(Box::new(a), others), e.span), None));
        }
        let [(op @ (CompareOp::Eq | CompareOp::Ne), (b, others))] = &others[..] else {
            return self.report(
                err!(E0300, e.span, "tuples have no order")
                    .help("say which field is compared first: `a.v < b.v || a.v == b.v && a.i < b.i`"),
            );
        };
        let (ExprKind::Tuple(xs), ExprKind::Tuple(ys), true) =
            (&a.kind, &b.kind, fields.as_ref().map(Vec::len) == others.as_ref().map(Vec::len))
        else {
            return self.report(
                err!(E0300, e.span, "these are not compared field by field")
                    .help("give both sides names first, and as many fields: `let p = ..;`"),
            );
        };
        let join = if *op == CompareOp::Eq { BinaryOp::And } else { BinaryOp::Or };
        let equal = xs
            .iter()
            .zip(ys)
            .map(|(x, y)| Expr::new(ExprKind::Compare(Box::new(x.clone()), vec![(*op, y.clone())]), e.span));
        let all = equal.reduce(|a, b| Expr::new(ExprKind::Binary(join, Box::new(a), Box::new(b)), e.span));
        Some((all?, None))
    }
}

/// An expression below names for what others end in.
pub(super) fn around(lets: Lets, body: Expr) -> Expr {
    let span = body.span;
    lets.into_iter().rev().fold(body, |body, (names, value)| {
        let (value, body) = (Box::new(value), Box::new(body));
        Expr::new(ExprKind::LetParts { names, value, body }, span)
    })
}

fn quoted(base: &str, fields: &[String]) -> String {
    let fields: Vec<String> = fields.iter().map(|field| format!("`{base}.{field}`")).collect();
    fields.join(", ")
}
