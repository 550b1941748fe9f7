//! Index terms, and which expressions are ones.

use super::{Elab, Meaning};
use atl_diag::spelling;
use atl_diag::{Span, err};
use atl_kernel::{Ix, IxOp};
use atl_syntax::ast::{BinaryOp, Expr, ExprKind, Name, UnaryOp};

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

/// The literals that are words; a binding of the same name goes before.
pub(crate) const WORDS: [&str; 3] = ["inf", "zero", "one"];

impl Elab<'_> {
    /// What the leaves of an expression say that it is.
    pub(super) fn sort(&self, e: &Expr) -> Sort {
        match &e.kind {
            ExprKind::Int(_) | ExprKind::Float(_) => Sort::Literal,
            ExprKind::Name(name) => match self.lookup(name) {
                Some(Meaning::Index(_)) => Sort::Index,
                None if WORDS.contains(&name.as_str()) => Sort::Literal,
                _ => Sort::Value,
            },
            ExprKind::Unary(UnaryOp::Neg, a) | ExprKind::Labelled { body: a, .. } => self.sort(a),
            ExprKind::Binary(
                BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem,
                a,
                b,
            ) => self.sort(a).join(self.sort(b)),
            ExprKind::Call { callee, args } => match callee.text.as_str() {
                "min" | "max" => args.iter().map(|a| self.sort(a)).fold(Sort::Literal, Sort::join),
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
            ExprKind::Binary(op, a, b) => {
                let op = match op {
                    BinaryOp::Add => IxOp::Add,
                    BinaryOp::Sub => IxOp::Sub,
                    BinaryOp::Mul => IxOp::Mul,
                    BinaryOp::Div => IxOp::Div,
                    BinaryOp::Rem => IxOp::Mod,
                    BinaryOp::Or | BinaryOp::And | BinaryOp::Concat => return self.not_an_index(e),
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
            ExprKind::Error => None,
            _ => self.not_an_index(e),
        }
    }

    fn index_name(&mut self, name: &str, span: Span) -> Option<Ix> {
        match self.lookup(name) {
            Some(Meaning::Index(ix)) => Some(ix.clone()),
            Some(Meaning::Refused) => None,
            Some(Meaning::Tensor(level)) => {
                let ty = crate::show::entry_type(&self.ctx, *level);
                self.report(
                    err!(E0220, span, "`{name}` is a value, and an index term is expected here")
                        .label(format!("this is of type `{ty}`"))
                        .help("indices are made of sizes, loops' indices and integers; a plain integer parameter is declared `k: size`"),
                )
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
        let names = self.scope.iter().map(|b| b.name.as_str());
        let close = spelling::closest(name, names).map(str::to_owned);
        let unknown = err!(E0201, span, "there is no `{name}` here");
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
            "index" => 1,
            _ => return self.not_an_index(e),
        };
        if args.len() != arity {
            return self.wrong_arity(&callee.text, arity, args.len(), e.span);
        }
        let ixs: Vec<Option<Ix>> = args.iter().map(|a| self.index(a)).collect();
        let mut ixs = ixs.into_iter().collect::<Option<Vec<Ix>>>()?.into_iter();
        let (first, second) = (ixs.next()?, ixs.next());
        Some(match (callee.text.as_str(), second) {
            ("ceil_div", Some(b)) => Ix::ceil_div(first, b),
            ("min", Some(b)) => Ix::min(first, b),
            ("max", Some(b)) => Ix::max(first, b),
            _ => first,
        })
    }

    fn not_an_index<T>(&mut self, e: &Expr) -> Option<T> {
        self.report(
            err!(E0220, e.span, "an index term is expected here, and this is a value")
                .help("indices are made of sizes, loops' indices and integers with `+ - * / %`, `ceil_div`, `min` and `max`"),
        )
    }
}
