//! Index terms, and which expressions are ones.

use super::bits;
use super::{Elab, Meaning};
use atl_diag::spelling;
use atl_diag::{Span, err};
use atl_kernel::{Cmp, Entry, Ix, IxOp, Pred};
use atl_syntax::ast::{BinaryOp, Expr, ExprKind, Name, TypeKind, UnaryOp};
use atl_syntax::{Style, print_expr};

/// What an expression can be, as far as its leaves tell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sort {
    /// An index term.
    Index,
    /// A scalar or tensor.
    Value,
    /// Nothing but literals: either.
    Literal,
}

impl Sort {
    fn join(self, other: Sort) -> Sort {
        match (self, other) {
            (Sort::Value, _) | (_, Sort::Value) => Sort::Value,
            (Sort::Index, _) | (_, Sort::Index) => Sort::Index,
            _ => Sort::Literal,
        }
    }
}

/// The predicate as the term that is 1 where it holds, and 0 elsewhere.
fn truth(p: &Pred) -> Ix {
    let unit = |excess: Ix| Ix::max(Ix::ZERO, Ix::min(Ix::ONE, excess));
    match p {
        Pred::True => Ix::ONE,
        Pred::False => Ix::ZERO,
        Pred::Cmp(Cmp::Lt, c, d) => unit(d.clone() - c.clone()),
        Pred::Cmp(Cmp::Le, c, d) => unit(d.clone() - c.clone() + Ix::ONE),
        // Equal where the larger is not above the smaller.
        Pred::Cmp(Cmp::Eq, c, d) => {
            let apart = Ix::max(c.clone(), d.clone()) - Ix::min(c.clone(), d.clone());
            Ix::ONE - Ix::min(Ix::ONE, apart)
        }
        Pred::Not(q) => Ix::ONE - truth(q),
        Pred::And(pq) => truth(&pq.0) * truth(&pq.1),
        Pred::Or(pq) => Ix::max(truth(&pq.0), truth(&pq.1)),
    }
}

/// The literals that are words; a binding of the same name goes before.
pub(crate) const WORDS: [&str; 3] = ["inf", "zero", "one"];

impl Elab<'_> {
    /// What the leaves of an expression say that it is.
    pub(super) fn sort(&self, e: &Expr) -> Sort {
        match &e.kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Imaginary(_) => Sort::Literal,
            ExprKind::Name(name) => match self.lookup(name) {
                Some(Meaning::Index(_)) => Sort::Index,
                Some(Meaning::Number(_, Some(_))) => Sort::Literal,
                Some(Meaning::Refused(sort)) => *sort,
                None if WORDS.contains(&name.as_str()) => Sort::Literal,
                _ => Sort::Value,
            },
            ExprKind::Unary(UnaryOp::Neg, a) | ExprKind::Labelled { body: a, .. } => self.sort(a),
            ExprKind::Binary(
                BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem,
                a,
                b,
            ) => self.sort(a).join(self.sort(b)),
            ExprKind::Typed { ty, .. } if matches!(ty.kind, TypeKind::Size) => Sort::Index,
            ExprKind::Unary(UnaryOp::BitNot, a) => self.sort(a),
            ExprKind::Binary(op, a, b) if bits::is_of_integers(*op) => self.sort(a).join(self.sort(b)),
            ExprKind::Call { callee, args } => match callee.text.as_str() {
                "min" | "max" | "abs" => args.iter().map(|a| self.sort(a)).fold(Sort::Literal, Sort::join),
                "select" if args.len() == 3 => match self.sort(&args[1]).join(self.sort(&args[2])) {
                    Sort::Index => Sort::Index,
                    _ => Sort::Value,
                },
                "ceil_div" | "index" if !self.functions.contains_key(&callee.text) => Sort::Index,
                _ => Sort::Value,
            },
            _ => Sort::Value,
        }
    }

    /// An index term.
    pub(super) fn index(&mut self, e: &Expr) -> Option<Ix> {
        match &e.kind {
            ExprKind::Int(n) => match i64::try_from(*n) {
                Ok(n) => Some(Ix::Lit(n)),
                Err(_) => self.report(
                    err!(E0222, e.span, "`{n}` is too large for an index")
                        .help("index arithmetic is done on 64-bit signed integers"),
                ),
            },
            ExprKind::Float(text) => self.report(
                err!(E0222, e.span, "an index is an integer, and `{text}` is not written as one")
                    .help("in index arithmetic `/` is floor division, and `ceil_div(a, b)` rounds up"),
            ),
            ExprKind::Name(name) => self.index_name(name, e.span),
            // The least integer is the negation of none.
            ExprKind::Unary(UnaryOp::Neg, a) if matches!(a.kind, ExprKind::Int(n) if i128::from(n) == -i128::from(i64::MIN)) => {
                Some(Ix::Lit(i64::MIN))
            }
            ExprKind::Unary(UnaryOp::Neg, a) => Some(match self.index(a)? {
                Ix::Lit(n) if n != i64::MIN => Ix::Lit(-n),
                a => Ix::ZERO - a,
            }),
            ExprKind::Labelled { body, .. } => self.index(body),
            ExprKind::Typed { ty, value } if matches!(ty.kind, TypeKind::Size) => self.index(value),
            ExprKind::Binary(op, a, b) => {
                let op = match op {
                    BinaryOp::Add => IxOp::Add,
                    BinaryOp::Sub => IxOp::Sub,
                    BinaryOp::Mul => IxOp::Mul,
                    BinaryOp::Div => IxOp::Div,
                    BinaryOp::Rem => IxOp::Mod,
                    BinaryOp::Or | BinaryOp::And | BinaryOp::Concat => return self.not_an_index(e),
                    op => return self.no_bits_of_indices(e, *op),
                };
                let (x, y) = (self.index(a), self.index(b));
                let (x, y) = (x?, y?);
                if matches!(op, IxOp::Div | IxOp::Mod) && y == Ix::ZERO {
                    return self.report(
                        err!(E0245, b.span, "an index is divided by zero")
                            .label("this is 0 whatever the sizes"),
                    );
                }
                Some(Ix::bin(op, x, y))
            }
            ExprKind::Call { callee, args } => self.index_call(e, callee, args),
            ExprKind::Access { base, kind, indices } => self.read(e, *kind, base, indices),
            ExprKind::Range(..) => self.no_list(e),
            ExprKind::Error => None,
            _ => self.not_an_index(e),
        }
    }

    fn index_name(&mut self, name: &str, span: Span) -> Option<Ix> {
        match self.lookup(name) {
            Some(Meaning::Index(ix)) => Some(ix.clone()),
            Some(Meaning::Refused(_)) => None,
            Some(Meaning::Number(_, Some(n))) => Some(Ix::Lit(*n)),
            Some(Meaning::Number(val, None)) => {
                let elem = val.ty.elem;
                self.report(
                    err!(E0220, span, "`{name}` is a value, and an index term is expected here")
                        .label(format!("a constant of type `{elem}`"))
                        .help("a constant for indices and extents has an integer type, or `size`"),
                )
            }
            Some(Meaning::Tensor(_)) if self.named_number(name).is_some() => self.named_number(name),
            Some(Meaning::Tensor(level)) => {
                let ty = crate::show::entry_type(&self.ctx, *level);
                let entry = self.ctx.entry(*level);
                let is_float = matches!(entry, Some(Entry::Tensor(_, ty)) if ty.shape.is_empty() && ty.elem.scalar.is_float());
                let refusal = err!(E0220, span, "`{name}` is a value, and an index term is expected here")
                    .label(format!("this is of type `{ty}`"));
                self.report(match is_float {
                    true => refusal.help(format!("convert it, which rounds towards zero: `i32({name})`")),
                    false => refusal.help("indices are made of sizes, loops' indices and integers; in heads and extents of parameters an integer is declared `k: size`"),
                })
            }
            None => self.unknown_name(name, span),
        }
    }

    pub(super) fn unknown_name<T>(&mut self, name: &str, span: Span) -> Option<T> {
        if self.functions.contains_key(name) || crate::builtins::is_function(name) {
            return self.report(
                err!(E0246, span, "`{name}` is a function, and functions are not values")
                    .help(format!("call it: `{name}(…)`")),
            );
        }
        if let Some(base) = name.strip_suffix(".T").filter(|base| self.lookup(base).is_some()) {
            return self.report(err!(E0201, span, "there is no `{name}` here").suggest(
                "a transpose is written as a function",
                span,
                format!("transpose({base})"),
            ));
        }
        let unknown = err!(E0201, span, "there is no `{name}` here");
        if let Some(declared) = self.declared.get(name).copied() {
            return self.report(
                err!(E0201, span, "the constant `{name}` has no meaning here")
                    .also(declared, "this constant is computed")
                    .help(
                        "in heads of functions and in the values of `size` constants, constants are integers",
                    ),
            );
        }
        if self.defining.iter().any(|own| own == name) {
            return self.report(
                unknown
                    .label(format!("`{name}` is being defined"))
                    .note("what a `let` binds does not depend on itself")
                    .help(format!("where each element depends on earlier ones, write `rec {name}: f64 = gen i < N {{ … }}`, or `scan i < N from s = e {{ … }}` where it depends on the one before alone")),
            );
        }
        if self.awaited.iter().any(|param| param == name) {
            return self.report(
                unknown
                    .label(format!("`{name}` is an argument's value, and no size"))
                    .note("what is required of sizes is known before arguments are")
                    .help(format!("write `{name}: size` among the parameters")),
            );
        }
        if let Some(constant) = crate::foreign::constant(name) {
            return self.report(unknown.suggest(format!("write `{constant}`"), span, constant));
        }
        if let Some((base, "shape" | "size" | "len" | "length")) = name.rsplit_once('.')
            && let Some(Meaning::Tensor(level)) = self.lookup(base)
        {
            let ty = crate::show::entry_type(&self.ctx, *level);
            return self.report(unknown.help(format!("`{base}` is of type `{ty}`, which names its extents")));
        }
        let names = self.scope.iter().map(|b| b.name.as_str());
        let close = spelling::closest(name, names).map(str::to_owned);
        self.report(match close {
            Some(close) => unknown.suggest(format!("did you mean `{close}`?"), span, close),
            None => unknown.help(
                "sizes come from the types of the parameters; other names from parameters, loops and `let`",
            ),
        })
    }

    fn index_call(&mut self, e: &Expr, callee: &Name, args: &[Expr]) -> Option<Ix> {
        let arity = match callee.text.as_str() {
            "ceil_div" | "min" | "max" => 2,
            "index" | "abs" => 1,
            "select" => return self.index_select(e, args),
            name => {
                let known = self.functions.contains_key(name) || crate::builtins::is_function(name);
                return match crate::foreign::function(name).filter(|_| !known) {
                    Some(advice) => self.report(
                        err!(E0220, e.span, "an index term is expected here, and there is no `{name}`")
                            .help(advice),
                    ),
                    None => self.not_an_index(e),
                };
            }
        };
        if args.len() != arity {
            return self.wrong_arity(&callee.text, arity, args.len(), e.span);
        }
        let ixs: Vec<Option<Ix>> = args.iter().map(|a| self.index(a)).collect();
        let mut ixs = ixs.into_iter().collect::<Option<Vec<Ix>>>()?.into_iter();
        let (first, second) = (ixs.next()?, ixs.next());
        Some(match (callee.text.as_str(), second) {
            // For a divisor below 0 the usual term would not round up.
            ("ceil_div", Some(b)) if self.proves(&Pred::le(Ix::ZERO, b.clone())) => Ix::ceil_div(first, b),
            ("ceil_div", Some(b)) => Ix::ZERO - (Ix::ZERO - first) / b,
            ("min", Some(b)) => Ix::min(first, b),
            ("max", Some(b)) => Ix::max(first, b),
            ("abs", _) => Ix::max(first.clone(), Ix::ZERO - first),
            _ => first,
        })
    }

    /// `select(p, a, b)` of indices. An index term has no cases: where it can be, this is the maximum or the minimum of the sides, else
    /// their difference times the truth of the predicate.
    fn index_select(&mut self, e: &Expr, args: &[Expr]) -> Option<Ix> {
        let [condition, a, b] = args else { return self.wrong_arity("select", 3, args.len(), e.span) };
        let (p, a, b) = (self.predicate(condition), self.index(a), self.index(b));
        let (p, a, b) = (p?, a?, b?);
        if let Some(extremum) = self.extremum(&p, &a, &b) {
            return Some(extremum);
        }
        Some(b.clone() + truth(&p) * (a - b))
    }

    /// The maximum or the minimum of the sides, if one of them is `a` where the predicate holds and `b` elsewhere.
    fn extremum(&mut self, p: &Pred, a: &Ix, b: &Ix) -> Option<Ix> {
        [Ix::max(a.clone(), b.clone()), Ix::min(a.clone(), b.clone())].into_iter().find(|simple| {
            self.assuming(p.clone(), |elab| elab.same_ix(simple, a))
                && self.assuming(Pred::not(p.clone()), |elab| elab.same_ix(simple, b))
        })
    }

    /// The condition and the sides of an index that is a `select`, but neither a maximum nor a minimum.
    pub(super) fn cases<'e>(&mut self, e: &'e Expr) -> Option<&'e [Expr; 3]> {
        let ExprKind::Call { callee, args } = &e.kind else { return None };
        let own = self.functions.contains_key(&callee.text);
        if callee.text != "select" || own || self.sort(e) != Sort::Index {
            return None;
        }
        let cases: &[Expr; 3] = args.as_slice().try_into().ok()?;
        // What is wrong with them is said when they are elaborated.
        let said = self.diagnostics.len();
        let parts = (self.predicate(&cases[0]), self.index(&cases[1]), self.index(&cases[2]));
        self.diagnostics.truncate(said);
        let (Some(p), Some(a), Some(b)) = parts else { return None };
        self.extremum(&p, &a, &b).is_none().then_some(cases)
    }

    fn not_an_index<T>(&mut self, e: &Expr) -> Option<T> {
        let refusal = err!(E0220, e.span, "an index term is expected here, and this is a value")
            .help("indices are made of sizes, loops' indices and integers with `+ - * / %`, `ceil_div`, `min` and `max`");
        self.report(match &e.kind {
            ExprKind::Convert { .. } => refusal.help(format!(
                "give it a name before, `let k = {};`, and write `k` here",
                print_expr(e, Style::LINE)
            )),
            _ => refusal,
        })
    }
}
