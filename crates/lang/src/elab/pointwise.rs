//! Infix and prefix operations on values.

use super::{Elab, Val};
use crate::algebra;
use crate::show;
use atl_diag::err;
use atl_kernel::{Child, Elem, Node, Prim, Scalar, Type};
use atl_syntax::ast::{BinaryOp, CompareOp, Expr};

impl Elab<'_> {
    /// A pointwise operation of values whose types agree.
    pub(super) fn prim(&mut self, e: &Expr, prim: Prim, ty: Type, args: &[&Val]) -> Option<Val> {
        let steps: Vec<[Child; 1]> = (0..).zip(args).map(|(k, _)| [Child::Arg(k)]).collect();
        let below: Vec<(&[Child], &Val)> = steps.iter().map(|s| &s[..]).zip(args.iter().copied()).collect();
        let terms = args.iter().map(|v| v.expr.clone()).collect();
        self.build(Node::Prim(prim, terms), ty, e.span, &below)
    }

    /// A pointwise operation of values of one shape; a scalar goes with every element of a tensor.
    pub(super) fn pointwise(
        &mut self,
        e: &Expr,
        prim: Prim,
        elem: Elem,
        args: &[Val],
        what: &str,
    ) -> Option<Val> {
        let tensors: Vec<&Val> = args.iter().filter(|arg| !arg.ty.shape.is_empty()).collect();
        for other in tensors.get(1..).unwrap_or_default() {
            self.same_shape(tensors[0], other, what)?;
        }
        if !tensors.is_empty() && tensors.len() < args.len() {
            return self.lifted(e, prim, elem, args);
        }
        let shape = args[0].ty.shape.clone();
        self.prim(e, prim, Type { elem, shape }, &args.iter().collect::<Vec<_>>())
    }

    pub(super) fn negation(&mut self, e: &Expr, a: &Expr, want: Option<Elem>) -> Option<Val> {
        let val = self.value(a, want)?;
        self.has_subtraction(&val, "-", e)?;
        if self.sums_alone {
            return self.opposite(e, &val);
        }
        let elem = val.ty.elem;
        self.pointwise(e, Prim::Neg, elem, &[val], "`-`")
    }

    /// `+ - * /` and `++`.
    pub(super) fn binary(
        &mut self,
        e: &Expr,
        op: BinaryOp,
        a: &Expr,
        b: &Expr,
        want: Option<Elem>,
    ) -> Option<Val> {
        let (prim, sign) = match op {
            BinaryOp::Add => (Prim::Add, "+"),
            BinaryOp::Sub => (Prim::Sub, "-"),
            BinaryOp::Mul => (Prim::Mul, "*"),
            BinaryOp::Div => (Prim::Div, "/"),
            BinaryOp::Concat => return self.concat(e, a, b, want),
            _ => return None,
        };
        let what = format!("`{sign}`");
        let vals = self.operands(&[a, b], want, &what)?;
        let elem = vals[0].ty.elem;
        self.warn_of_nothing(a, &vals[0]);
        self.warn_of_nothing(b, &vals[1]);
        if matches!(op, BinaryOp::Sub | BinaryOp::Div) {
            self.has_subtraction(&vals[0], sign, e)?;
        }
        if op == BinaryOp::Sub && self.sums_alone {
            return self.difference(e, &vals[0], &vals[1]);
        }
        if op == BinaryOp::Mul {
            self.is_no_matrix_product(e, &vals)?;
        }
        self.pointwise(e, prim, elem, &vals, &what)
    }

    /// The factors are of one shape, or one is a scalar; reported if not, for it may be a matrix product that
    /// is meant.
    fn is_no_matrix_product(&mut self, e: &Expr, vals: &[Val]) -> Option<()> {
        let (a, b) = (&vals[0].ty, &vals[1].ty);
        let ranks = (a.shape.len(), b.shape.len());
        let may_be = matches!(ranks, (2, 1 | 2) | (1, 2));
        if !may_be || ranks.0 == ranks.1 && self.differing(&a.shape, &b.shape).is_none() {
            return Some(());
        }
        let (s, t) = (show::ty(&self.ctx, a), show::ty(&self.ctx, b));
        let index = |rank, is_left| match (rank, is_left) {
            (1, _) => "k",
            (_, true) => "i, k",
            (_, false) => "k, j",
        };
        let product = format!(
            "sum k {{ {}[{}] * {}[{}] }}",
            self.called(&vals[0], "x"),
            index(ranks.0, true),
            self.called(&vals[1], "y"),
            index(ranks.1, false)
        );
        let free = match ranks {
            (2, 2) => "i, j",
            (2, _) => "i",
            _ => "j",
        };
        self.report(
            err!(E0233, e.span, "`*` goes element by element, and `{s}` and `{t}` have different shapes")
                .also(vals[0].spans.span(), format!("`{s}`"))
                .also(vals[1].spans.span(), format!("`{t}`"))
                .help(format!("a matrix product: `gen {free} {{ {product} }}`")),
        )
    }

    /// `-` and `/` need inverses, which only the ordinary algebra of numbers has.
    pub(super) fn has_subtraction(&mut self, val: &Val, sign: &str, e: &Expr) -> Option<()> {
        let elem = val.ty.elem;
        if elem.scalar == Scalar::Bool {
            return self.report(
                err!(E0226, e.span, "`{sign}` is not defined on truth values")
                    .label(format!("the operands are of `{elem}`")),
            );
        }
        self.is_plain(val, sign, "a semiring has no inverses", e)
    }

    /// The operation is one on plain numbers.
    pub(super) fn is_plain(&mut self, val: &Val, sign: &str, why: &str, e: &Expr) -> Option<()> {
        let elem = val.ty.elem;
        if algebra::is_ordinary(elem) {
            return Some(());
        }
        self.report(
            err!(E0225, e.span, "`{sign}` has no meaning in `{}`", elem.algebra.name)
                .label(format!("the operands are of `{elem}`"))
                .note(why.to_owned())
                .help(format!("to compute with the plain numbers, convert: `{}(…)`", elem.scalar)),
        )
    }

    /// A chain of comparisons of values: the conjunction of its links.
    pub(super) fn comparison(&mut self, e: &Expr, first: &Expr, rest: &[(CompareOp, Expr)]) -> Option<Val> {
        if let Some(refusal) = self.compared_with_index(e, first, rest) {
            return self.report(refusal);
        }
        let mut es = vec![first];
        es.extend(rest.iter().map(|(_, e)| e));
        let vals = self.operands(&es, None, "a comparison")?;
        let links =
            rest.iter().zip(vals.windows(2)).map(|((op, _), ab)| self.compare(e, *op, &ab[0], &ab[1]));
        let links = links.collect::<Option<Vec<Val>>>()?;
        let mut links = links.into_iter();
        let first = links.next()?;
        links.try_fold(first, |p, q| self.pointwise(e, Prim::And, p.ty.elem, &[p, q], "a comparison"))
    }

    fn compare(&mut self, e: &Expr, op: CompareOp, a: &Val, b: &Val) -> Option<Val> {
        let elem = Elem { scalar: Scalar::Bool, ..a.ty.elem };
        let (prim, args) = match op {
            CompareOp::Eq | CompareOp::Ne => (Prim::Eq, [a, b]),
            CompareOp::Lt => (Prim::Lt, [a, b]),
            CompareOp::Le => (Prim::Le, [a, b]),
            CompareOp::Gt => (Prim::Lt, [b, a]),
            CompareOp::Ge => (Prim::Le, [b, a]),
        };
        let holds = self.pointwise(e, prim, elem, &args.map(Val::clone), "a comparison")?;
        if op == CompareOp::Ne { self.pointwise(e, Prim::Not, elem, &[holds], "`!`") } else { Some(holds) }
    }

    pub(super) fn logical_not(&mut self, e: &Expr, a: &Expr, want: Option<Elem>) -> Option<Val> {
        let val = self.value(a, want)?;
        self.is_truth(&val, "`!`")?;
        let elem = val.ty.elem;
        self.pointwise(e, Prim::Not, elem, &[val], "`!`")
    }

    pub(super) fn logical(
        &mut self,
        e: &Expr,
        op: BinaryOp,
        a: &Expr,
        b: &Expr,
        want: Option<Elem>,
    ) -> Option<Val> {
        let (prim, what) = if op == BinaryOp::And { (Prim::And, "`&&`") } else { (Prim::Or, "`||`") };
        let vals = self.operands(&[a, b], want, what)?;
        for val in &vals {
            self.is_truth(val, what)?;
        }
        let elem = vals[0].ty.elem;
        self.pointwise(e, prim, elem, &vals, what)
    }

    pub(super) fn is_truth(&mut self, val: &Val, what: &str) -> Option<()> {
        let elem = val.ty.elem;
        if elem.scalar == Scalar::Bool {
            return Some(());
        }
        let refusal = err!(E0243, val.spans.span(), "{what} takes truth values, and this is of `{elem}`")
            .help("compare: `x != 0`");
        self.report(match what {
            "`!`" if elem.scalar.is_integer() => refusal.help("the bits of an integer, inverted, are `~x`"),
            "`&&`" if elem.scalar.is_integer() => refusal.help("of the bits of integers, `and` is `&`"),
            "`||`" if elem.scalar.is_integer() => refusal.help("of the bits of integers, `or` is `|`"),
            _ => refusal,
        })
    }

    /// A predicate on indices as a value.
    pub(super) fn truth_of(&mut self, e: &Expr, want: Option<Elem>) -> Option<Val> {
        let p = self.predicate(e)?;
        let (yes, no) = (self.truth(true, e.span, want)?, self.truth(false, e.span, want)?);
        let ty = yes.ty.clone();
        let node = Node::Select(p, yes.expr.clone(), no.expr.clone());
        self.build(node, ty, e.span, &[(&[Child::Then], &yes), (&[Child::Else], &no)])
    }

    fn concat(&mut self, e: &Expr, a: &Expr, b: &Expr, want: Option<Elem>) -> Option<Val> {
        let vals = self.operands(&[a, b], want, "`++`")?;
        self.operator(e, &atl_ops::ops::concat::OPERATOR, vec![], vals)
    }
}
