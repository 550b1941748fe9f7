//! The primitive rules: equations between core terms that are not derived from others.
//!
//! A rule is a function from its left side (and explicit arguments) to its right side, with side
//! conditions that certificates discharge, the laws of the element's algebra that it uses, and what it
//! preserves in floating point. Nothing is searched or matched beyond the left side's own form. The right
//! side's type is inferred and compared with the left's in every use, so a rule cannot change a shape.

use crate::ctx::{Recorder, Type};
use crate::error::{Error, Result};
use crate::infer::{Scope, unfold};
use crate::ix::{Cmp, Ix, Pred, Var};
use crate::laws::{Laws, Rounding};
use crate::subst::{self, close, instantiate, instantiate_ix, instantiate_tensor, open};
use crate::term::{Expr, Label, Node, Number, Prim};
use std::sync::Arc;

/// A primitive rule with its explicit arguments.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)] // each variant is documented by its line in `TABLE`
pub enum Rule {
    LetInline,
    Unfold,
    AccessGen,
    AccessGuard,
    GenEta(Label),
    GuardTrue,
    GuardFalse(Expr),
    GuardZero,
    GuardAnd,
    GuardAdd,
    GuardMulL,
    GuardMulR,
    GuardGen,
    GuardSum,
    SelectTrue,
    SelectFalse,
    GetGuard,
    GetSelect,
    GetSum,
    GetPrim,
    GetView,
    SumEmpty,
    SumOne,
    SumSplit(Ix),
    SumTile(Label, Ix, Label, Ix),
    SumSwap,
    SumAdd,
    GenSumSwap,
    OneHot,
    MulSumL,
    MulSumR,
    AddAssoc,
    AddComm,
    AddZeroL,
    AddZeroR,
    MulAssoc,
    MulComm,
    MulOneL,
    MulOneR,
    DistrL,
    DistrR,
    ViewSame,
    ViewView,
    ViewGen,
    ArithEq(Expr),
    Absurd(Expr),
}

/// What the documentation, the proof printer and the Rocq development say of a rule.
#[derive(Debug)]
pub struct RuleInfo {
    /// Its name everywhere.
    pub name: &'static str,
    /// The equation, left to right, with its side conditions.
    pub statement: &'static str,
    /// The laws it uses.
    pub laws: Laws,
    /// What it preserves in floating point.
    pub rounding: Rounding,
}

macro_rules! table {
    ($($variant:pat => $name:literal, $laws:expr, $rounding:ident, $statement:literal;)*) => {
        impl Rule {
            /// Every primitive rule, in the order of [`Rule`].
            pub const TABLE: &'static [RuleInfo] = &[$(RuleInfo {
                name: $name, statement: $statement, laws: $laws, rounding: Rounding::$rounding,
            }),*];

            /// The rule's name.
            pub fn name(&self) -> &'static str {
                match self { $($variant => $name),* }
            }
        }
    };
}

const ZERO_LR: Laws = Laws::ADD_0_L.and(Laws::ADD_0_R);

table! {
    Rule::LetInline => "let_inline", Laws::NONE, Bitwise, "let x = e; f(x)  =  f(e)";
    Rule::Unfold => "unfold", Laws::NONE, Bitwise, "a defined operator  =  its definition";
    Rule::AccessGen => "access_gen", Laws::NONE, Bitwise, "(gen i<n. e(i))[k]  =  e(k)  if 0 <= k < n";
    Rule::AccessGuard => "access_guard", Laws::NONE, Bitwise, "e[k]  =  [0 <= k < n] * e[k],  n the extent of e";
    Rule::GenEta(_) => "gen_eta", Laws::NONE, Bitwise, "e  =  gen i<n. e[i],  n the extent of e";
    Rule::GuardTrue => "guard_true", Laws::NONE, Bitwise, "[p] * e  =  e  if p";
    Rule::GuardFalse(_) => "guard_false", Laws::NONE, Bitwise, "[p] * e  =  [false] * e'  if not p, e' of e's type";
    Rule::GuardZero => "guard_zero", Laws::NONE, Bitwise, "[p] * e  =  0  if not p or e is 0, e scalar";
    Rule::GuardAnd => "guard_and", Laws::NONE, Bitwise, "[p] * [q] * e  =  [p && q] * e";
    Rule::GuardAdd => "guard_add", Laws::ADD_0_L, Bitwise, "[p] * (a + b)  =  [p] * a + [p] * b";
    Rule::GuardMulL => "guard_mul_l", Laws::MUL_0_L, Finite, "([p] * a) * b  =  [p] * (a * b)";
    Rule::GuardMulR => "guard_mul_r", Laws::MUL_0_R, Finite, "a * ([p] * b)  =  [p] * (a * b)";
    Rule::GuardGen => "guard_gen", Laws::NONE, Bitwise, "[p] * gen i<n. e  =  gen i<n. [p] * e";
    Rule::GuardSum => "guard_sum", Laws::ADD_0_L, Bitwise, "[p] * sum i<n. e  =  sum i<n. [p] * e";
    Rule::SelectTrue => "select_true", Laws::NONE, Bitwise, "select(p, a, b)  =  a  if p";
    Rule::SelectFalse => "select_false", Laws::NONE, Bitwise, "select(p, a, b)  =  b  if not p";
    Rule::GetGuard => "get_guard", Laws::NONE, Bitwise, "([p] * e)[k]  =  [p] * e[k]";
    Rule::GetSelect => "get_select", Laws::NONE, Bitwise, "select(p, a, b)[k]  =  select(p, a[k], b[k])";
    Rule::GetSum => "get_sum", Laws::ADD_0_L, Bitwise, "(sum i<n. e)[k]  =  sum i<n. e[k]";
    Rule::GetPrim => "get_prim", Laws::NONE, Bitwise, "f(a, ..)[k]  =  f(a[k], ..)  if 0 <= k < n";
    Rule::GetView => "get_view", Laws::NONE, Bitwise, "(view e)[k]  =  view e[k]  if 0 <= k < n";
    Rule::SumEmpty => "sum_empty", Laws::NONE, Bitwise, "sum i<n. e(i)  =  [false] * e(0)  if n <= 0";
    Rule::SumOne => "sum_one", Laws::ADD_0_L, Finite, "sum i<n. e(i)  =  e(0)  if n == 1";
    Rule::SumSplit(_) => "sum_split", Laws::ADD_MONOID, Real,
        "sum i<n. e(i)  =  sum i<k. e(i) + sum i<n-k. e(i+k)  if 0 <= k <= n";
    Rule::SumTile(..) => "sum_tile", Laws::ADD_MONOID, Real,
        "sum i<n. e(i)  =  sum o<q. sum j<k. e(o*k+j)  if n == q*k, 0 <= q, 0 <= k";
    Rule::SumSwap => "sum_swap", Laws::ADD_COMM_MONOID, Real, "sum i<n. sum j<m. e  =  sum j<m. sum i<n. e";
    Rule::SumAdd => "sum_add", Laws::ADD_COMM_MONOID, Real, "sum i<n. (a + b)  =  (sum i<n. a) + (sum i<n. b)";
    Rule::GenSumSwap => "gen_sum_swap", Laws::NONE, Bitwise, "gen i<n. sum j<m. e  =  sum j<m. gen i<n. e";
    Rule::OneHot => "onehot_sum", ZERO_LR, Finite,
        "sum i<n. [i == a && q(i)] * e(i)  =  [0 <= a < n && q(a)] * e(a)";
    Rule::MulSumL => "mul_sum_l", Laws::DISTR_L.and(Laws::MUL_0_R), Real, "c * sum i<n. e  =  sum i<n. c * e";
    Rule::MulSumR => "mul_sum_r", Laws::DISTR_R.and(Laws::MUL_0_L), Real, "(sum i<n. e) * c  =  sum i<n. e * c";
    Rule::AddAssoc => "add_assoc", Laws::ADD_ASSOC, Real, "(a + b) + c  =  a + (b + c)";
    Rule::AddComm => "add_comm", Laws::ADD_COMM, Finite, "a + b  =  b + a";
    Rule::AddZeroL => "add_zero_l", Laws::ADD_0_L, Finite, "z + a  =  a  if z is 0, or a guard that is false";
    Rule::AddZeroR => "add_zero_r", Laws::ADD_0_R, Finite, "a + z  =  a  if z is 0, or a guard that is false";
    Rule::MulAssoc => "mul_assoc", Laws::MUL_ASSOC, Real, "(a * b) * c  =  a * (b * c)";
    Rule::MulComm => "mul_comm", Laws::MUL_COMM, Finite, "a * b  =  b * a";
    Rule::MulOneL => "mul_one_l", Laws::MUL_1_L, Finite, "1 * a  =  a";
    Rule::MulOneR => "mul_one_r", Laws::MUL_1_R, Finite, "a * 1  =  a";
    Rule::DistrL => "distr_l", Laws::DISTR_L, Real, "a * (b + c)  =  a * b + a * c";
    Rule::DistrR => "distr_r", Laws::DISTR_R, Real, "(a + b) * c  =  a * c + b * c";
    Rule::ViewSame => "view_same", Laws::NONE, Bitwise, "view e  =  e  if e is of that algebra already";
    Rule::ViewView => "view_view", Laws::NONE, Bitwise, "view (view e)  =  view e";
    Rule::ViewGen => "view_gen", Laws::NONE, Bitwise, "view (gen i<n. e)  =  gen i<n. view e";
    Rule::ArithEq(_) => "arith_eq", Laws::NONE, Bitwise,
        "e  =  e',  e' differing in index terms and predicates that are equal where they stand";
    Rule::Absurd(_) => "absurd", Laws::NONE, Bitwise, "e  =  e'  if the context is contradictory, e' of e's type";
}

impl Rule {
    /// The rule's line in [`Rule::TABLE`].
    pub fn info(&self) -> &'static RuleInfo {
        let name = self.name();
        Rule::TABLE.iter().find(|info| info.name == name).expect("every rule stands in the table")
    }

    /// The right side for this left side, whose type is `ty`.
    pub(crate) fn rewrite(
        &self,
        scope: &mut Scope,
        lhs: &Expr,
        ty: &Type,
        rec: &mut Recorder<'_>,
    ) -> Result<Expr> {
        let no = |wants| Err(Error::NoMatch { rule: self.name(), wants, found: lhs.clone() });
        let show = |scope: &Scope, goal: Pred, rec: &mut Recorder<'_>| rec.show(&scope.ctx, &goal);
        // The level of a variable that is new here: for opening binders that are closed again below.
        let fresh = scope.ctx.level();
        match self {
            Rule::SumSplit(k) => scope.scoped(k, lhs)?,
            Rule::SumTile(_, q, _, k) => scope.scoped(q, lhs).and_then(|()| scope.scoped(k, lhs))?,
            _ => {}
        }
        let node = match (self, &**lhs) {
            (Rule::LetInline, Node::Let(_, bound, body)) => return Ok(instantiate_tensor(body, bound)),
            (Rule::LetInline, _) => return no("a `let`"),
            (Rule::Unfold, Node::Op(_, _, args)) => {
                let types = args.iter().map(|a| scope.infer(a, rec)).collect::<Result<Vec<_>>>()?;
                return unfold(lhs, &types).map_or_else(|| no("a defined operator"), Ok);
            }
            (Rule::Unfold, _) => return no("a defined operator"),
            (Rule::AccessGen, Node::Get(array, k)) => match &**array {
                Node::Gen(_, n, body) => {
                    show(scope, Pred::in_range(k, n), rec)?;
                    return Ok(instantiate(body, k));
                }
                _ => return no("an access to a `gen`"),
            },
            (Rule::AccessGen, _) => return no("an access to a `gen`"),
            (Rule::AccessGuard, Node::Get(array, k)) => {
                let n = scope.infer(array, rec)?.shape.swap_remove(0);
                Node::Guard(Pred::in_range(k, &n), lhs.clone())
            }
            (Rule::AccessGuard, _) => return no("an access"),
            (Rule::GenEta(label), _) => match ty.shape.first() {
                Some(n) => {
                    let element = Node::Get(lhs.clone(), Ix::Var(Var::Bound(0)));
                    Node::Gen(label.clone(), n.clone(), Arc::new(element))
                }
                None => return no("a tensor"),
            },
            (Rule::GuardTrue, Node::Guard(p, e)) => {
                show(scope, p.clone(), rec)?;
                return Ok(e.clone());
            }
            (Rule::GuardFalse(other), Node::Guard(p, _)) => {
                show(scope, Pred::not(p.clone()), rec)?;
                Node::Guard(Pred::False, other.clone())
            }
            (Rule::GuardZero, Node::Guard(p, e)) if ty.shape.is_empty() => {
                if !matches!(**e, Node::Lit(_, Number::Zero)) {
                    show(scope, Pred::not(p.clone()), rec)?;
                }
                Node::Lit(ty.elem, Number::Zero)
            }
            (Rule::GuardAnd, Node::Guard(p, e)) => match &**e {
                Node::Guard(q, e) => Node::Guard(Pred::and(p.clone(), q.clone()), e.clone()),
                _ => return no("a guard of a guard"),
            },
            (Rule::GuardAdd, Node::Guard(p, e)) => match &**e {
                Node::Prim(Prim::Add, ab) => Node::Prim(Prim::Add, ab.iter().map(|a| guard(p, a)).collect()),
                _ => return no("a guard of a sum of two"),
            },
            (Rule::GuardGen, Node::Guard(p, e)) => match &**e {
                Node::Gen(l, n, body) => Node::Gen(l.clone(), n.clone(), guard(p, body)),
                _ => return no("a guard of a `gen`"),
            },
            (Rule::GuardSum, Node::Guard(p, e)) => match &**e {
                Node::Sum(l, n, body) => Node::Sum(l.clone(), n.clone(), guard(p, body)),
                _ => return no("a guard of a `sum`"),
            },
            (Rule::GuardTrue | Rule::GuardFalse(_) | Rule::GuardAnd, _) => return no("a guard"),
            (Rule::GuardAdd | Rule::GuardGen | Rule::GuardSum, _) => return no("a guard"),
            (Rule::GuardZero, _) => return no("a guard of a scalar"),
            (Rule::GuardMulL, Node::Prim(Prim::Mul, ab)) => match &*ab[0] {
                Node::Guard(p, a) => Node::Guard(p.clone(), mul(a, &ab[1])),
                _ => return no("a product whose left operand is a guard"),
            },
            (Rule::GuardMulR, Node::Prim(Prim::Mul, ab)) => match &*ab[1] {
                Node::Guard(p, b) => Node::Guard(p.clone(), mul(&ab[0], b)),
                _ => return no("a product whose right operand is a guard"),
            },
            (Rule::SelectTrue, Node::Select(p, a, _)) => {
                show(scope, p.clone(), rec)?;
                return Ok(a.clone());
            }
            (Rule::SelectFalse, Node::Select(p, _, b)) => {
                show(scope, Pred::not(p.clone()), rec)?;
                return Ok(b.clone());
            }
            (Rule::SelectTrue | Rule::SelectFalse, _) => return no("a `select`"),
            (
                Rule::GetGuard | Rule::GetSelect | Rule::GetSum | Rule::GetPrim | Rule::GetView,
                Node::Get(e, k),
            ) => {
                let get = |e: &Expr| Arc::new(Node::Get(e.clone(), k.clone()));
                match (self, &**e) {
                    (Rule::GetGuard, Node::Guard(p, e)) => Node::Guard(p.clone(), get(e)),
                    (Rule::GetSelect, Node::Select(p, a, b)) => Node::Select(p.clone(), get(a), get(b)),
                    (Rule::GetSum, Node::Sum(l, n, body)) => Node::Sum(l.clone(), n.clone(), get(body)),
                    (Rule::GetPrim | Rule::GetView, inner) => {
                        let n = scope.infer(e, rec)?.shape.swap_remove(0);
                        show(scope, Pred::in_range(k, &n), rec)?;
                        match (self, inner) {
                            (Rule::GetPrim, Node::Prim(f, args)) => {
                                Node::Prim(*f, args.iter().map(get).collect())
                            }
                            (Rule::GetView, Node::View(alg, e)) => Node::View(*alg, get(e)),
                            _ => return no("an access to the construct it names"),
                        }
                    }
                    _ => return no("an access to the construct it names"),
                }
            }
            (Rule::GetGuard | Rule::GetSelect | Rule::GetSum | Rule::GetPrim | Rule::GetView, _) => {
                return no("an access");
            }
            (Rule::SumEmpty, Node::Sum(_, n, body)) => {
                show(scope, Pred::le(n.clone(), Ix::ZERO), rec)?;
                Node::Guard(Pred::False, instantiate(body, &Ix::ZERO))
            }
            (Rule::SumOne, Node::Sum(_, n, body)) => {
                show(scope, Pred::eq(n.clone(), Ix::ONE), rec)?;
                return Ok(instantiate(body, &Ix::ZERO));
            }
            (Rule::SumSplit(k), Node::Sum(l, n, body)) => {
                let goal = Pred::and(Pred::le(Ix::ZERO, k.clone()), Pred::le(k.clone(), n.clone()));
                show(scope, goal, rec)?;
                let shifted = close(&instantiate(body, &(Ix::free(fresh) + k.clone())), fresh);
                let rest = Node::Sum(l.clone(), n.clone() - k.clone(), shifted);
                Node::Prim(
                    Prim::Add,
                    vec![Arc::new(Node::Sum(l.clone(), k.clone(), body.clone())), Arc::new(rest)],
                )
            }
            (Rule::SumTile(outer, q, inner, k), Node::Sum(_, n, body)) => {
                let nonneg = Pred::and(Pred::le(Ix::ZERO, q.clone()), Pred::le(Ix::ZERO, k.clone()));
                show(scope, Pred::and(Pred::eq(n.clone(), q.clone() * k.clone()), nonneg), rec)?;
                let index = Ix::free(fresh) * k.clone() + Ix::free(fresh + 1);
                let tile = Node::Sum(inner.clone(), k.clone(), close(&instantiate(body, &index), fresh + 1));
                Node::Sum(outer.clone(), q.clone(), close(&Arc::new(tile), fresh))
            }
            (Rule::SumSwap | Rule::GenSumSwap, Node::Sum(l, n, e) | Node::Gen(l, n, e)) => {
                match (self, &**lhs, &**e) {
                    (Rule::SumSwap, Node::Sum(..), Node::Sum(k, m, body))
                    | (Rule::GenSumSwap, Node::Gen(..), Node::Sum(k, m, body)) => {
                        let m = instantiate_ix(m, &Ix::free(fresh));
                        if m.mentions(fresh) {
                            return no("a loop nest whose inner bounds do not depend on the outer index");
                        }
                        // The outer index becomes `fresh`, the inner one `fresh + 1`.
                        let body = open(&open_outer(body, fresh), fresh + 1);
                        let close_inner = |label: &Label, n: &Ix| match self {
                            Rule::SumSwap => Node::Sum(label.clone(), n.clone(), close(&body, fresh)),
                            _ => Node::Gen(label.clone(), n.clone(), close(&body, fresh)),
                        };
                        Node::Sum(k.clone(), m, close(&Arc::new(close_inner(l, n)), fresh + 1))
                    }
                    _ => return no("a loop directly around a `sum`"),
                }
            }
            (Rule::SumAdd, Node::Sum(l, n, e)) => match &**e {
                Node::Prim(Prim::Add, ab) => {
                    let sum = |a: &Expr| Arc::new(Node::Sum(l.clone(), n.clone(), a.clone()));
                    Node::Prim(Prim::Add, ab.iter().map(sum).collect())
                }
                _ => return no("a `sum` of a sum of two"),
            },
            (Rule::OneHot, Node::Sum(_, n, e)) => match onehot(e, fresh) {
                Some((a, rest, body)) => Node::Guard(
                    Pred::and(Pred::in_range(&a, n), subst::instantiate_pred(&rest, &a)),
                    instantiate(&body, &a),
                ),
                None => return no("a `sum` guarded by an equation for its index"),
            },
            (Rule::MulSumL, Node::Prim(Prim::Mul, ab)) => match &*ab[1] {
                Node::Sum(l, n, e) => Node::Sum(l.clone(), n.clone(), mul(&ab[0], e)),
                _ => return no("a product whose right operand is a `sum`"),
            },
            (Rule::MulSumR, Node::Prim(Prim::Mul, ab)) => match &*ab[0] {
                Node::Sum(l, n, e) => Node::Sum(l.clone(), n.clone(), mul(e, &ab[1])),
                _ => return no("a product whose left operand is a `sum`"),
            },
            (Rule::AddAssoc | Rule::MulAssoc, Node::Prim(f, ab)) if *f == self.operation() => match &*ab[0] {
                Node::Prim(g, cd) if g == f => {
                    let right = Arc::new(Node::Prim(*f, vec![cd[1].clone(), ab[1].clone()]));
                    Node::Prim(*f, vec![cd[0].clone(), right])
                }
                _ => return no("an operation whose left operand is the same operation"),
            },
            (Rule::AddComm | Rule::MulComm, Node::Prim(f, ab)) if *f == self.operation() => {
                Node::Prim(*f, vec![ab[1].clone(), ab[0].clone()])
            }
            (Rule::AddZeroL | Rule::AddZeroR, Node::Prim(Prim::Add, ab)) => {
                let (zero, other) = if *self == Rule::AddZeroL { (&ab[0], &ab[1]) } else { (&ab[1], &ab[0]) };
                match &**zero {
                    Node::Lit(_, Number::Zero) => {}
                    Node::Guard(p, _) => show(scope, Pred::not(p.clone()), rec)?,
                    _ => return no("an addition of zero"),
                }
                return Ok(other.clone());
            }
            (Rule::MulOneL | Rule::MulOneR, Node::Prim(Prim::Mul, ab)) => {
                let (one, other) = if *self == Rule::MulOneL { (&ab[0], &ab[1]) } else { (&ab[1], &ab[0]) };
                match &**one {
                    Node::Lit(_, Number::One) => return Ok(other.clone()),
                    _ => return no("a product with one"),
                }
            }
            (Rule::DistrL, Node::Prim(Prim::Mul, ab)) => match &*ab[1] {
                Node::Prim(Prim::Add, cd) => {
                    Node::Prim(Prim::Add, cd.iter().map(|c| mul(&ab[0], c)).collect())
                }
                _ => return no("a product whose right operand is a sum of two"),
            },
            (Rule::DistrR, Node::Prim(Prim::Mul, ab)) => match &*ab[0] {
                Node::Prim(Prim::Add, cd) => {
                    Node::Prim(Prim::Add, cd.iter().map(|c| mul(c, &ab[1])).collect())
                }
                _ => return no("a product whose left operand is a sum of two"),
            },
            (
                Rule::GuardMulL
                | Rule::GuardMulR
                | Rule::MulSumL
                | Rule::MulSumR
                | Rule::MulOneL
                | Rule::MulOneR
                | Rule::DistrL
                | Rule::DistrR
                | Rule::MulAssoc
                | Rule::MulComm,
                _,
            ) => return no("a product"),
            (Rule::AddAssoc | Rule::AddComm | Rule::AddZeroL | Rule::AddZeroR, _) => {
                return no("a sum of two");
            }
            (
                Rule::SumEmpty
                | Rule::SumOne
                | Rule::SumSplit(_)
                | Rule::SumTile(..)
                | Rule::SumAdd
                | Rule::OneHot,
                _,
            ) => {
                return no("a `sum`");
            }
            (Rule::SumSwap | Rule::GenSumSwap, _) => return no("a loop directly around a `sum`"),
            (Rule::ViewSame, Node::View(alg, e)) => {
                if scope.infer(e, rec)?.elem.algebra as *const _ != alg.0 as *const _ {
                    return no("a view that changes nothing");
                }
                return Ok(e.clone());
            }
            (Rule::ViewView, Node::View(alg, e)) => match &**e {
                Node::View(_, e) => Node::View(*alg, e.clone()),
                _ => return no("a view of a view"),
            },
            (Rule::ViewGen, Node::View(alg, e)) => match &**e {
                Node::Gen(l, n, body) => {
                    Node::Gen(l.clone(), n.clone(), Arc::new(Node::View(*alg, body.clone())))
                }
                _ => return no("a view of a `gen`"),
            },
            (Rule::ViewSame | Rule::ViewView | Rule::ViewGen, _) => return no("a view"),
            (Rule::ArithEq(rhs), _) => {
                crate::arith_eq::arith_eq(scope, lhs, rhs, rec)?;
                return Ok(rhs.clone());
            }
            (Rule::Absurd(rhs), _) => {
                show(scope, Pred::False, rec)?;
                return Ok(rhs.clone());
            }
        };
        Ok(Arc::new(node))
    }

    /// The operation that an associativity or commutativity rule is about.
    fn operation(&self) -> Prim {
        match self {
            Rule::AddAssoc | Rule::AddComm => Prim::Add,
            _ => Prim::Mul,
        }
    }
}

fn guard(p: &Pred, e: &Expr) -> Expr {
    Arc::new(Node::Guard(p.clone(), e.clone()))
}

fn mul(a: &Expr, b: &Expr) -> Expr {
    Arc::new(Node::Prim(Prim::Mul, vec![a.clone(), b.clone()]))
}

/// The body of two nested binders, with the context variable at `level` for the outer one's.
fn open_outer(body: &Expr, level: u32) -> Expr {
    // Wrapped in a binder, the outer variable is the one that `open` replaces.
    let wrapped = Arc::new(Node::Gen(Label::default(), Ix::ZERO, body.clone()));
    match &*open(&wrapped, level) {
        Node::Gen(_, _, body) => body.clone(),
        _ => body.clone(),
    }
}

/// A sum's body `[i == a && rest] * e` taken apart: `a` free of `i`, and `rest`, `e` below the binder.
fn onehot(body: &Expr, fresh: u32) -> Option<(Ix, Pred, Expr)> {
    let Node::Guard(p, e) = &**body else { return None };
    let (first, rest) = match p {
        Pred::And(pq) => (&pq.0, pq.1.clone()),
        p => (p, Pred::True),
    };
    let Pred::Cmp(Cmp::Eq, x, a) = first else { return None };
    let index = Ix::Var(Var::Bound(0));
    let a = if *x == index { a } else { (*a == index).then_some(x)? };
    // Other bound variables cannot occur: the sum itself is locally closed.
    (instantiate_ix(a, &Ix::free(fresh)) == *a).then(|| (a.clone(), rest, e.clone()))
}
