//! Calls of the language's own functions: pointwise functions, `select`, reshape operators.

use super::value::advised;
use super::{Elab, Val};
use crate::builtins;
use crate::counterexample;
use crate::show;
use crate::unknown_numbers;
use atl_diag::{Diagnostic, err};
use atl_kernel::{Child, Cmp, Ctx, Elem, Ix, Node, Pred, Prim, Scalar, Type};
use atl_ops::Operator;
use atl_syntax::ast::{Expr, Name};
use atl_syntax::{Style, print_expr};

/// The narrower float type that has all numbers of an integer type, or the wider one where none has.
fn float_for(scalar: Scalar) -> Scalar {
    if scalar.bits() < 32 { Scalar::F32 } else { Scalar::F64 }
}

impl Elab<'_> {
    /// A call of a function of the language; `None` inside when it has been refused.
    pub(super) fn builtin(
        &mut self,
        e: &Expr,
        callee: &Name,
        args: &[Expr],
        want: Option<Elem>,
    ) -> Option<Option<Val>> {
        let name = callee.text.as_str();
        if let Some(prim) = builtins::pointwise(name) {
            return Some(self.function_of_values(e, name, prim, args, want));
        }
        if let Some(op) = atl_ops::by_name(name) {
            return Some(self.operator_call(e, op, args, want));
        }
        match name {
            "select" => Some(self.select(e, args, want)),
            "relayout" => Some(self.relayout(e, args, want)),
            "ceil_div" | "index" => Some(
                self.report(
                    err!(E0221, e.span, "`{name}` is an index term, and a value is expected here")
                        .label("an integer without an element type")
                        .suggest(
                            "convert it",
                            e.span,
                            format!("{}({})", advised(want), print_expr(e, Style::LINE)),
                        ),
                ),
            ),
            _ => None,
        }
    }

    fn function_of_values(
        &mut self,
        e: &Expr,
        name: &str,
        prim: Prim,
        args: &[Expr],
        want: Option<Elem>,
    ) -> Option<Val> {
        if args.len() != prim.arity() {
            return self.wrong_arity(name, prim.arity(), args.len(), e.span);
        }
        let what = format!("`{name}`");
        let vals = self.operands(&args.iter().collect::<Vec<_>>(), want, &what)?;
        let elem = vals[0].ty.elem;
        if matches!(prim, Prim::MulHi | Prim::Popcount | Prim::Clz | Prim::Ctz) {
            self.function_of_integers(e, name, prim, &vals[0])?;
        }
        let float = matches!(prim, Prim::Call(_));
        if elem.scalar == Scalar::Bool || (float && !elem.scalar.is_float()) {
            let needs = if float { "floats" } else { "numbers" };
            let refusal = err!(E0226, e.span, "`{name}` is defined on {needs}, and this is of `{elem}`")
                .also(vals[0].spans.span(), format!("`{elem}`"));
            return self.report(if float && elem.scalar != Scalar::Bool {
                let operands = vec![format!("{}(…)", float_for(elem.scalar)); vals.len()].join(", ");
                refusal.help(format!("convert it: `{name}({operands})`"))
            } else {
                refusal
            });
        }
        if atl_semirings::of(elem.algebra).is_some_and(|s| !s.carrier.closed_under(prim)) {
            return self.report(
                err!(E0252, e.span, "`{name}` of a `{elem}` may be no number of `{elem}`")
                    .label("it may be negative")
                    .help("compute with the plain numbers: convert the operand, `f32(…)`"),
            );
        }
        self.pointwise(e, prim, elem, &vals, &what)
    }

    /// `select(p, a, b)`: by a predicate on indices, or by a computed truth value.
    fn select(&mut self, e: &Expr, args: &[Expr], want: Option<Elem>) -> Option<Val> {
        let [cond, a, b] = args else { return self.wrong_arity("select", 3, args.len(), e.span) };
        if self.is_predicate(cond) {
            let p = self.predicate(cond)?;
            let vals = self.branches(&p, a, b, want)?;
            let ty = vals[0].ty.clone();
            let node = Node::Select(p, vals[0].expr.clone(), vals[1].expr.clone());
            return self.build(node, ty, e.span, &[(&[Child::Then], &vals[0]), (&[Child::Else], &vals[1])]);
        }
        let cond = self.value(cond, None);
        let vals = self.operands(&[a, b], want, "`select`");
        let (cond, vals) = (cond?, vals?);
        self.is_truth(&cond, "the condition of `select`")?;
        let elem = vals[0].ty.elem;
        let [then, other] = <[Val; 2]>::try_from(vals).ok()?;
        self.pointwise(e, Prim::Where, elem, &[cond, then, other], "`select`")
    }

    /// The two sides of a select, each where its condition holds.
    fn branches(&mut self, p: &Pred, a: &Expr, b: &Expr, want: Option<Elem>) -> Option<[Val; 2]> {
        let sides = [(a, p.clone()), (b, Pred::not(p.clone()))];
        let first = usize::from(self.undecided(a) && !self.undecided(b));
        let (e, p) = sides[first].clone();
        let one = self.assuming(p, |elab| elab.whole(e, want));
        let decided = one.as_ref().map(|v| v.ty.elem).or(want);
        let (e, p) = sides[1 - first].clone();
        let two = self.assuming(p, |elab| elab.whole(e, decided));
        let (one, two) = (one?, two?);
        self.expect_elem(&two, one.ty.elem, "the other side of `select`")?;
        self.same_shape(&one, &two, "`select`")?;
        Some(if first == 0 { [one, two] } else { [two, one] })
    }

    fn operator_call(
        &mut self,
        e: &Expr,
        op: &'static Operator,
        args: &[Expr],
        want: Option<Elem>,
    ) -> Option<Val> {
        let (indices, tensors) = (op.index_params.len(), op.tensor_params.len());
        if args.len() != indices + tensors {
            return self.wrong_arity(op.name, indices + tensors, args.len(), e.span);
        }
        let ixs: Vec<Option<Ix>> = args[..indices].iter().map(|i| self.index(i)).collect();
        let what = format!("`{}`", op.name);
        let vals = self.operands(&args[indices..].iter().collect::<Vec<_>>(), want, &what);
        self.operator(e, op, ixs.into_iter().collect::<Option<_>>()?, vals?)
    }

    /// A reshape operator of operands of one element type.
    pub(super) fn operator(
        &mut self,
        e: &Expr,
        op: &'static Operator,
        ixs: Vec<Ix>,
        vals: Vec<Val>,
    ) -> Option<Val> {
        let sign = if op.name == "concat" { "++" } else { op.name };
        let mut extents = Vec::new();
        for (val, names) in vals.iter().zip(op.tensor_params) {
            let Some(leading) = val.ty.shape.get(..names.len()) else {
                let (ty, s) = (show::ty(&self.ctx, &val.ty), if names.len() == 1 { "" } else { "s" });
                return self.report(
                    err!(E0234, val.spans.span(), "`{sign}` needs {} dimension{s} or more", names.len())
                        .label(format!("this is of type `{ty}`"))
                        .note(format!("`{sign}` {}", op.summary)),
                );
            };
            extents.extend(leading.iter().cloned());
        }
        let first = &vals[0];
        let rest = first.ty.shape[op.tensor_params[0].len()..].to_vec();
        for (other, names) in vals.iter().zip(op.tensor_params).skip(1) {
            let inner = other.ty.shape[names.len()..].to_vec();
            let goal =
                if inner.len() == rest.len() { self.differing(&rest, &inner).map(|(_, g)| g) } else { None };
            if inner.len() != rest.len() || goal.is_some() {
                let (s, t) = (show::ty(&self.ctx, &first.ty), show::ty(&self.ctx, &other.ty));
                let differ =
                    err!(E0232, e.span, "`{sign}` has operands of different inner shapes, `{s}` and `{t}`");
                let differ = goal.iter().fold(differ, |d, g| self.with_reasons(d, g));
                return self.report(differ);
            }
        }
        let requires = (op.requires)(&ixs, &extents);
        if let Some(goal) = self.unproved(&requires) {
            let (p, goal_shown) = (show::pred(&self.ctx, &requires), show::pred(&self.ctx, &goal));
            let refusal = err!(E0235, e.span, "`{sign}` requires `{p}`")
                .label(format!("`{goal_shown}` could not be proved"))
                .note(format!("`{sign}` {}", op.summary));
            let refusal = self.with_reasons(refusal, &goal);
            let fails = |ctx: &Ctx, goal: &Pred| counterexample::find(ctx, goal).is_some();
            if let Some(example) = unknown_numbers::example(&self.ctx, &goal, fails) {
                let number = show::ix(&self.ctx, &example.read);
                let refusal = refusal.note(example.note(&number));
                return self.report(self.kept_in_range(refusal, &requires));
            }
            return if self.can_be_stated(&goal) {
                let stated =
                    format!("if the sizes are always so, say it after the result type: `where {goal_shown}`");
                self.report(refusal.help(stated))
            } else {
                self.report(refusal)
            };
        }
        let mut shape = (op.extents)(&ixs, &extents);
        shape.extend(rest);
        let ty = Type { elem: first.ty.elem, shape };
        let terms = vals.iter().map(|v| v.expr.clone()).collect();
        let steps: Vec<[Child; 1]> = (0..).zip(&vals).map(|(k, _)| [Child::Arg(k)]).collect();
        let below: Vec<(&[Child], &Val)> = steps.iter().map(|s| &s[..]).zip(&vals).collect();
        self.build(Node::Op((op.definition)(), ixs, terms), ty, e.span, &below)
    }

    /// A refusal of an index that is not known to be in a range, with what keeps it there.
    fn kept_in_range(&self, refusal: Diagnostic, required: &Pred) -> Diagnostic {
        let Pred::And(ab) = required else { return refusal };
        let Pred::Cmp(Cmp::Lt, index, extent) = &ab.1 else { return refusal };
        let (i, n) = (show::ix(&self.ctx, index), show::ix(&self.ctx, extent));
        let refusal = match extent {
            Ix::Lit(n) if *n > 0 => refusal.help(format!("keep it in range: `min(max({i}, 0), {})`", n - 1)),
            _ => refusal,
        };
        refusal.help(format!("or leave out what is not in range: `[0 <= {i} < {n}] * ..`"))
    }
}
