//! The primitive rules: equations between core terms that are not derived from others.
//!
//! A rule is a function from its left side (and explicit arguments) to its right side, with side
//! conditions that certificates discharge, the laws of the element's algebra that it uses, and what it
//! preserves in floating point. Nothing is searched or matched beyond the left side's own form. The right
//! side's type is inferred and compared with the left's in every use, so a rule cannot change a shape.

use crate::arith_eq::arith_eq;
use crate::ctx::{Ctx, Recorder, Type};
use crate::error::{Error, Result};
use crate::infer::{Scope, admit, unfold};
use crate::ix::{Cmp, Ix, IxOp, Pred, Var};
use crate::laws::{Laws, Rounding};
use crate::monoid::{Monoid, admit_all};
use crate::size::ix_fits;
use crate::subst::{close, instantiate, instantiate_ix, instantiate_pred, instantiate_tensor, open_all};
use crate::term::{Expr, Iterate, Label, Node, Number, Prim};
use crate::ty::{Elem, Kind};
use std::sync::Arc;

/// What the documentation, the proof printer and the Rocq development say of a rule.
#[derive(Debug)]
pub struct RuleInfo {
    /// Its name everywhere.
    pub name: &'static str,
    /// The equation, left to right, with its side conditions.
    pub statement: &'static str,
    /// The laws it uses.
    pub laws: Laws,
    /// What it preserves in floating point, over ordinary sums and products.
    pub rounding: Rounding,
}

impl RuleInfo {
    /// What it preserves at terms of this element type.
    pub fn rounding_at(&self, elem: Elem) -> Rounding {
        let selects = elem.algebra.laws.has(Laws::ADD_IDEM) && Laws::ADD_COMM_MONOID.has(self.laws);
        match self.rounding {
            // These are exact: sides that are equal over exact numbers have the same bits.
            _ if !elem.scalar.is_float() => Rounding::Bitwise,
            Rounding::Bitwise => Rounding::Bitwise,
            _ if elem.algebra.formula => Rounding::Real,
            // A minimum or a maximum is one of its operands: nothing is rounded, wherever it is taken.
            Rounding::Real if selects => Rounding::Finite,
            class => class,
        }
    }
}

macro_rules! table {
    ($($variant:ident $(($($arg:ty),*))? => $name:literal, $laws:expr, $rounding:ident, $statement:literal;)*) => {
        /// A primitive rule with its explicit arguments.
        #[derive(Clone, PartialEq, Debug)]
        pub enum Rule {
            $(#[doc = concat!("`", $statement, "`")] $variant $(($($arg),*))?),*
        }

        impl Rule {
            /// Every primitive rule, in the order of [`Rule`].
            pub const TABLE: &'static [RuleInfo] = &[$(RuleInfo {
                name: $name, statement: $statement, laws: $laws, rounding: Rounding::$rounding,
            }),*];

            /// The rule's name.
            pub fn name(&self) -> &'static str {
                match self { $(Rule::$variant { .. } => $name),* }
            }
        }
    };
}

const ZERO_LR: Laws = Laws::ADD_0_L.and(Laws::ADD_0_R);
/// Sums of what counts are counted.
const ADDS: Laws = Laws::INDEX_COUNTS.and(Laws::ADD_0_R).and(Laws::ADD_ASSOC);

table! {
    LetInline => "let_inline", Laws::NONE, Bitwise, "let x = e; f(x)  =  f(e)";
    Unfold => "unfold", Laws::NONE, Bitwise, "a defined operator  =  its definition";
    AccessGen => "access_gen", Laws::NONE, Bitwise, "(gen i<n. e(i))[k]  =  e(k)  if 0 <= k < n";
    AccessGuard => "access_guard", Laws::NONE, Bitwise, "e[k]  =  [0 <= k < n] * e[k],  n the extent of e";
    GenEta(Label) => "gen_eta", Laws::NONE, Bitwise, "e  =  gen i<n. e[i],  n the extent of e";
    GuardTrue => "guard_true", Laws::NONE, Bitwise, "[p] * e  =  e  if p";
    GuardZero => "guard_zero", Laws::NONE, Bitwise, "[p] * 0  =  0";
    GuardAnd => "guard_and", Laws::NONE, Bitwise, "[p] * [q] * e  =  [p && q] * e";
    GuardAdd => "guard_add", Laws::ADD_0_L, Bitwise, "[p] * (a + b)  =  [p] * a + [p] * b";
    GuardMulL => "guard_mul_l", Laws::MUL_0_L, Finite, "([p] * a) * b  =  [p] * (a * b)";
    GuardMulR => "guard_mul_r", Laws::MUL_0_R, Finite, "a * ([p] * b)  =  [p] * (a * b)";
    GuardGen => "guard_gen", Laws::NONE, Bitwise, "[p] * gen i<n. e  =  gen i<n. [p] * e";
    GuardSum => "guard_sum", Laws::ADD_0_L, Bitwise, "[p] * sum i<n. e  =  sum i<n. [p] * e";
    SelectTrue => "select_true", Laws::NONE, Bitwise, "select(p, a, b)  =  a  if p";
    SelectFalse => "select_false", Laws::NONE, Bitwise, "select(p, a, b)  =  b  if not p";
    GetGuard => "get_guard", Laws::NONE, Bitwise, "([p] * e)[k]  =  [p] * e[k]";
    GetSelect => "get_select", Laws::NONE, Bitwise, "select(p, a, b)[k]  =  select(p, a[k], b[k])";
    GetSum => "get_sum", Laws::ADD_0_L, Bitwise, "(sum i<n. e)[k]  =  sum i<n. e[k]";
    GetPrim => "get_prim", Laws::NONE, Bitwise, "f(a, ..)[k]  =  f(a[k], ..)  if 0 <= k < n";
    GetView => "get_view", Laws::NONE, Bitwise, "(view e)[k]  =  view e[k]  if 0 <= k < n";
    SumEmpty => "sum_empty", Laws::NONE, Bitwise, "sum i<n. e(i)  =  [false] * e(0)  if n <= 0";
    SumOne => "sum_one", Laws::ADD_0_L, Finite, "sum i<n. e(i)  =  e(0)  if n == 1";
    SumLast => "sum_last", Laws::NONE, Bitwise, "sum i<n. e(i)  =  (sum i<n-1. e(i)) + e(n-1)  if 0 < n";
    SumSplit(Ix) => "sum_split", Laws::ADD_MONOID, Real,
        "sum i<n. e(i)  =  sum i<k. e(i) + sum i<n-k. e(i+k)  if 0 <= k <= n";
    SumTile(Label, Ix, Label, Ix) => "sum_tile", Laws::ADD_MONOID, Real,
        "sum i<n. e(i)  =  sum o<q. sum j<k. e(o*k+j)  if n == q*k, 0 <= q, 0 <= k";
    SumSwap => "sum_swap", Laws::ADD_COMM_MONOID, Real, "sum i<n. sum j<m. e  =  sum j<m. sum i<n. e";
    SumAdd => "sum_add", Laws::ADD_COMM_MONOID, Real, "sum i<n. (a + b)  =  (sum i<n. a) + (sum i<n. b)";
    SumOnes => "sum_ones", Laws::INDEX_COUNTS, Real, "sum i<n. 1  =  index(max(n, 0))";
    GenSumSwap => "gen_sum_swap", Laws::NONE, Bitwise, "gen i<n. sum j<m. e  =  sum j<m. gen i<n. e";
    OneHot => "onehot_sum", ZERO_LR, Finite,
        "sum i<n. [i == a && q(i)] * e(i)  =  [0 <= a < n && q(a)] * e(a)";
    MulSumL => "mul_sum_l", Laws::DISTR_L.and(Laws::MUL_0_R), Real, "c * sum i<n. e  =  sum i<n. c * e";
    MulSumR => "mul_sum_r", Laws::DISTR_R.and(Laws::MUL_0_L), Real, "(sum i<n. e) * c  =  sum i<n. e * c";
    AddAssoc => "add_assoc", Laws::ADD_ASSOC, Real, "(a + b) + c  =  a + (b + c)";
    AddComm => "add_comm", Laws::ADD_COMM, Finite, "a + b  =  b + a";
    AddZeroL => "add_zero_l", Laws::ADD_0_L, Finite, "z + a  =  a  if z is 0, or a guard that is false";
    AddZeroR => "add_zero_r", Laws::ADD_0_R, Finite, "a + z  =  a  if z is 0, or a guard that is false";
    MulAssoc => "mul_assoc", Laws::MUL_ASSOC, Real, "(a * b) * c  =  a * (b * c)";
    MulComm => "mul_comm", Laws::MUL_COMM, Finite, "a * b  =  b * a";
    MulOneL => "mul_one_l", Laws::MUL_1_L, Finite, "1 * a  =  a";
    MulOneR => "mul_one_r", Laws::MUL_1_R, Finite, "a * 1  =  a";
    DistrL => "distr_l", Laws::DISTR_L, Real, "a * (b + c)  =  a * b + a * c";
    DistrR => "distr_r", Laws::DISTR_R, Real, "(a + b) * c  =  a * c + b * c";
    SubAsAdd => "sub_as_add", Laws::NONE, Bitwise, "a - b  =  a + -1 * b  for ordinary floats, and signed integers";
    ViewSame => "view_same", Laws::NONE, Bitwise, "view e  =  e  if e is of that algebra already";
    ViewView => "view_view", Laws::NONE, Bitwise, "view (view e)  =  view e";
    ViewGen => "view_gen", Laws::NONE, Bitwise, "view (gen i<n. e)  =  gen i<n. view e";
    ReadIndex => "read_index", Laws::NONE, Bitwise, "x[i]  =  index(x[i])  for a variable x of integers, if 0 <= i < n";
    LiteralIndex => "literal_index", Laws::INDEX_COUNTS.and(Laws::ADD_0_L), Bitwise,
        "c  =  index(c)  for a literal c that is an integer of its type";
    IndexAdd => "index_add", ADDS, Bitwise, "index(a) + index(b)  =  index(a + b)  if 0 <= a, 0 <= b";
    IndexMul => "index_mul", ADDS.and(Laws::MUL_0_R).and(Laws::MUL_1_R).and(Laws::DISTR_L), Bitwise,
        "index(a) * index(b)  =  index(a * b)  if 0 <= a, 0 <= b";
    IndexPrim => "index_prim", Laws::NONE, Bitwise,
        "f(index(a), ..)  =  index(f(a, ..))  for -, /, %, abs, min, max, conversions, and >> and & by literals, if a, .. and the result are of their types";
    IterateZero => "iterate_zero", Laws::NONE, Bitwise, "iterate t<n from x = e { s(t) } in b  =  let x = e; b  if n <= 0";
    IterateLast => "iterate_last", Laws::NONE, Bitwise,
        "iterate t<n from x = e { s(t) } in b  =  iterate t<n-1 from x = e { s(t) } in (let y = s(n-1); b(y))  if 0 < n";
    IterateBody => "iterate_body", Laws::NONE, Bitwise,
        "iterate t<n from x = e { s(t) } in b  =  let x = (iterate t<n from x = e { s(t) } in x); b";
    Law(Arc<Monoid>, Laws, usize, Vec<Vec<Expr>>) => "monoid_law", Laws::NONE, Real,
        "f(l(a, ..))  =  f(r(a, ..))  for a field f of the sides of a law l = r that a monoid claims";
    ArithEq(Expr) => "arith_eq", Laws::NONE, Bitwise,
        "e  =  e',  e' differing in index terms and predicates that are equal where they stand";
    Absurd(Expr) => "absurd", Laws::NONE, Bitwise, "e  =  e'  if the context is contradictory, e' of e's type";
}

impl Rule {
    /// The rule's line in [`Rule::TABLE`].
    pub fn info(&self) -> &'static RuleInfo {
        Rule::TABLE.iter().find(|info| info.name == self.name()).expect("every rule stands in the table")
    }

    /// What it preserves at terms of this element type.
    pub fn rounding_at(&self, elem: Elem) -> Rounding {
        // A field may be of integers and rest on comparisons of floats.
        if let Rule::Law(monoid, ..) = self { monoid.rounding() } else { self.info().rounding_at(elem) }
    }

    /// The terms among the arguments are small enough to be worked on.
    pub(crate) fn admit_arguments(&self) -> Result<()> {
        let fits = match self {
            Rule::ArithEq(e) | Rule::Absurd(e) => return admit(e),
            Rule::SumSplit(k) => ix_fits(k),
            Rule::SumTile(_, q, _, k) => ix_fits(q) && ix_fits(k),
            Rule::Law(.., elements) => return admit_all(elements.iter().flatten()),
            _ => true,
        };
        if fits { Ok(()) } else { Err(Error::TooLarge) }
    }

    /// The right side for this left side, whose type is `ty`; `None` where the term is not of the rule's form.
    pub(crate) fn rewrite(
        &self,
        scope: &mut Scope,
        lhs: &Expr,
        ty: &Type,
        rec: &mut Recorder<'_>,
    ) -> Result<Option<Expr>> {
        // The level of a variable that is new here: for opening binders that are closed again below.
        let fresh = scope.ctx.level();
        let node = match (self, &**lhs) {
            (Rule::ArithEq(rhs), _) => return arith_eq(scope, lhs, rhs, rec).map(|()| Some(rhs.clone())),
            (Rule::Absurd(rhs), _) => {
                rec.show(&scope.ctx, &Pred::False)?;
                return Ok(Some(rhs.clone()));
            }
            (Rule::Law(monoid, law, field, elements), _) => {
                for (e, elem) in elements.iter().flat_map(|element| element.iter().zip(monoid.fields())) {
                    let ty = scope.infer(e, rec)?;
                    scope.same_type(&Type { elem: *elem, shape: Vec::new() }, &ty, e, rec)?;
                }
                let sides = monoid.sides(*law, elements);
                let sides = sides.filter(|(lhs_fields, _)| lhs_fields.get(*field) == Some(lhs));
                return Ok(sides.map(|(_, mut rhs_fields)| rhs_fields.swap_remove(*field)));
            }
            (Rule::LetInline, Node::Let(_, bound, body)) => return Ok(Some(instantiate_tensor(body, bound))),
            (Rule::IterateZero, Node::Iterate(it)) => {
                rec.show(&scope.ctx, &Pred::le(it.extent.clone(), Ix::ZERO))?;
                return Ok(Some(it.lets(it.states.iter().map(|state| state.init.clone()), it.body.clone())));
            }
            (Rule::IterateLast, Node::Iterate(it)) => {
                rec.show(&scope.ctx, &Pred::lt(Ix::ZERO, it.extent.clone()))?;
                let extent = it.extent.clone() - Ix::ONE;
                // The body stands below the new states now, which are the innermost as the states were.
                let last = (0..it.states.len()).map(|k| it.step_at(k, &extent, fresh));
                let body = it.lets(last, it.body.clone());
                Node::Iterate(Arc::new(Iterate { extent, body, ..(**it).clone() }))
            }
            (Rule::IterateBody, Node::Iterate(it)) => {
                let state = |k| Arc::new(Node::Var(Var::Bound(k)));
                let of = |body| Arc::new(Node::Iterate(Arc::new(Iterate { body, ..(**it).clone() })));
                let last = (0..it.states.len() as u32).rev().map(|k| of(state(k)));
                return Ok(Some(it.lets(last, it.body.clone())));
            }
            (Rule::Unfold, Node::Op(_, _, args)) => {
                let types = args.iter().map(|a| scope.infer(a, rec)).collect::<Result<Vec<_>>>()?;
                return Ok(unfold(lhs, &types));
            }
            (Rule::AccessGuard, Node::Get(array, k)) => {
                let n = scope.infer(array, rec)?.shape.swap_remove(0);
                Node::Guard(Pred::in_range(k, &n), lhs.clone())
            }
            (Rule::GenEta(label), _) if !ty.shape.is_empty() => {
                let element = Node::Get(lhs.clone(), Ix::Var(Var::Bound(0)));
                Node::Gen(label.clone(), ty.shape[0].clone(), Arc::new(element))
            }
            (Rule::ReadIndex, _) => return read_index(scope, lhs, ty, rec),
            (Rule::LiteralIndex, Node::Lit(elem, number)) => match integer(*number) {
                Some(n) => fitting(&scope.ctx, *elem, Ix::Lit(n), rec)?,
                None => return Ok(None),
            },
            (Rule::IndexPrim, Node::Prim(f, args)) => match reflected(*f, args) {
                Some(value) => {
                    for arg in args {
                        let Node::Index(of, ix) = &**arg else { return Ok(None) };
                        fitting(&scope.ctx, *of, ix.clone(), rec)?;
                    }
                    fitting(&scope.ctx, ty.elem, value, rec)?
                }
                None => return Ok(None),
            },
            (_, Node::Guard(p, e)) => return self.at_guard(scope, p, e, rec),
            (Rule::SelectTrue, Node::Select(p, a, _)) => {
                rec.show(&scope.ctx, p)?;
                return Ok(Some(a.clone()));
            }
            (Rule::SelectFalse, Node::Select(p, _, b)) => {
                rec.show(&scope.ctx, &Pred::not(p.clone()))?;
                return Ok(Some(b.clone()));
            }
            (_, Node::Get(e, k)) => return self.at_access(scope, e, k, rec),
            (Rule::SumEmpty, Node::Sum(_, n, body)) => {
                rec.show(&scope.ctx, &Pred::le(n.clone(), Ix::ZERO))?;
                Node::Guard(Pred::False, instantiate(body, &Ix::ZERO))
            }
            (Rule::SumOne, Node::Sum(_, n, body)) => {
                rec.show(&scope.ctx, &Pred::eq(n.clone(), Ix::ONE))?;
                return Ok(Some(instantiate(body, &Ix::ZERO)));
            }
            // As a sum is computed: in order, the last term last.
            (Rule::SumLast, Node::Sum(l, n, body)) => {
                rec.show(&scope.ctx, &Pred::lt(Ix::ZERO, n.clone()))?;
                let before = n.clone() - Ix::ONE;
                let last = instantiate(body, &before);
                let others = Arc::new(Node::Sum(l.clone(), before, body.clone()));
                Node::Prim(Prim::Add, vec![others, last])
            }
            (Rule::SumSplit(k), Node::Sum(l, n, body)) => {
                scope.scoped(k, lhs)?;
                let within = Pred::and(Pred::le(Ix::ZERO, k.clone()), Pred::le(k.clone(), n.clone()));
                rec.show(&scope.ctx, &within)?;
                let shifted = close(&instantiate(body, &(Ix::free(fresh) + k.clone())), fresh);
                let first = Node::Sum(l.clone(), k.clone(), body.clone());
                let rest = Node::Sum(l.clone(), n.clone() - k.clone(), shifted);
                Node::Prim(Prim::Add, vec![Arc::new(first), Arc::new(rest)])
            }
            (Rule::SumTile(outer, q, inner, k), Node::Sum(_, n, body)) => {
                scope.scoped(q, lhs)?;
                scope.scoped(k, lhs)?;
                let nonneg = Pred::and(Pred::le(Ix::ZERO, q.clone()), Pred::le(Ix::ZERO, k.clone()));
                rec.show(&scope.ctx, &Pred::and(Pred::eq(n.clone(), q.clone() * k.clone()), nonneg))?;
                let index = Ix::free(fresh) * k.clone() + Ix::free(fresh + 1);
                let tile = Node::Sum(inner.clone(), k.clone(), close(&instantiate(body, &index), fresh + 1));
                Node::Sum(outer.clone(), q.clone(), close(&Arc::new(tile), fresh))
            }
            (Rule::SumSwap, Node::Sum(l, n, e)) | (Rule::GenSumSwap, Node::Gen(l, n, e)) => match &**e {
                Node::Sum(k, m, body) => {
                    let m = instantiate_ix(m, &Ix::free(fresh));
                    if m.mentions(fresh) {
                        return Ok(None);
                    }
                    // The outer index becomes `fresh`, the inner one `fresh + 1`.
                    let body = close(&open_all(body, fresh, 2), fresh);
                    let inner = match self {
                        Rule::SumSwap => Node::Sum(l.clone(), n.clone(), body),
                        _ => Node::Gen(l.clone(), n.clone(), body),
                    };
                    Node::Sum(k.clone(), m, close(&Arc::new(inner), fresh + 1))
                }
                _ => return Ok(None),
            },
            (Rule::SumAdd, Node::Sum(l, n, e)) => match &**e {
                Node::Prim(Prim::Add, ab) => {
                    let sum = |a: &Expr| Arc::new(Node::Sum(l.clone(), n.clone(), a.clone()));
                    Node::Prim(Prim::Add, ab.iter().map(sum).collect())
                }
                _ => return Ok(None),
            },
            (Rule::SumOnes, Node::Sum(_, n, e)) => match **e {
                Node::Lit(elem, Number::One) => Node::Index(elem, Ix::max(n.clone(), Ix::ZERO)),
                _ => return Ok(None),
            },
            (Rule::OneHot, Node::Sum(_, n, e)) => match onehot(e, fresh) {
                Some((a, rest, body)) => {
                    let holds = Pred::and(Pred::in_range(&a, n), instantiate_pred(&rest, &a));
                    Node::Guard(holds, instantiate(&body, &a))
                }
                None => return Ok(None),
            },
            (_, Node::Prim(f @ (Prim::Add | Prim::Mul), ab)) => {
                return self.at_operation(scope, *f, &ab[0], &ab[1], rec);
            }
            // A product by -1 is exact, and a difference is rounded as the sum with the other sign is.
            (Rule::SubAsAdd, Node::Prim(Prim::Sub, ab)) => {
                let signed = matches!(ty.elem.scalar.kind(), Kind::Float | Kind::Signed);
                if !signed || !ty.shape.is_empty() || !ty.elem.algebra.laws.has(Laws::INDEX_COUNTS) {
                    return Ok(None);
                }
                let minus = Arc::new(Node::Lit(ty.elem, Number::Decimal(-1, 0)));
                let product = Node::Prim(Prim::Mul, vec![minus, ab[1].clone()]);
                Node::Prim(Prim::Add, vec![ab[0].clone(), Arc::new(product)])
            }
            (Rule::ViewSame, Node::View(alg, e)) => {
                let same = std::ptr::eq(scope.infer(e, rec)?.elem.algebra, alg.0);
                return Ok(same.then(|| e.clone()));
            }
            (Rule::ViewView | Rule::ViewGen, Node::View(alg, e)) => match (self, &**e) {
                (Rule::ViewView, Node::View(_, e)) => Node::View(*alg, e.clone()),
                (Rule::ViewGen, Node::Gen(l, n, e)) => {
                    Node::Gen(l.clone(), n.clone(), Arc::new(Node::View(*alg, e.clone())))
                }
                _ => return Ok(None),
            },
            _ => return Ok(None),
        };
        Ok(Some(Arc::new(node)))
    }

    /// The rules about `[p] * e`.
    fn at_guard(
        &self,
        scope: &mut Scope,
        p: &Pred,
        e: &Expr,
        rec: &mut Recorder<'_>,
    ) -> Result<Option<Expr>> {
        let guard = |e: &Expr| Arc::new(Node::Guard(p.clone(), e.clone()));
        let node = match (self, &**e) {
            (Rule::GuardTrue, _) => {
                rec.show(&scope.ctx, p)?;
                return Ok(Some(e.clone()));
            }
            (Rule::GuardZero, Node::Lit(_, Number::Zero)) => return Ok(Some(e.clone())),
            (Rule::GuardAnd, Node::Guard(q, e)) => Node::Guard(Pred::and(p.clone(), q.clone()), e.clone()),
            (Rule::GuardAdd, Node::Prim(Prim::Add, ab)) => {
                Node::Prim(Prim::Add, ab.iter().map(guard).collect())
            }
            (Rule::GuardGen, Node::Gen(l, n, body)) => Node::Gen(l.clone(), n.clone(), guard(body)),
            (Rule::GuardSum, Node::Sum(l, n, body)) => Node::Sum(l.clone(), n.clone(), guard(body)),
            _ => return Ok(None),
        };
        Ok(Some(Arc::new(node)))
    }

    /// The rules about `e[k]`.
    fn at_access(&self, scope: &mut Scope, e: &Expr, k: &Ix, rec: &mut Recorder<'_>) -> Result<Option<Expr>> {
        let get = |e: &Expr| Arc::new(Node::Get(e.clone(), k.clone()));
        if matches!(self, Rule::AccessGen | Rule::GetPrim | Rule::GetView) {
            let n = scope.infer(e, rec)?.shape.swap_remove(0);
            rec.show(&scope.ctx, &Pred::in_range(k, &n))?;
        }
        let node = match (self, &**e) {
            (Rule::AccessGen, Node::Gen(_, _, body)) => return Ok(Some(instantiate(body, k))),
            (Rule::GetGuard, Node::Guard(p, e)) => Node::Guard(p.clone(), get(e)),
            (Rule::GetSelect, Node::Select(p, a, b)) => Node::Select(p.clone(), get(a), get(b)),
            (Rule::GetSum, Node::Sum(l, n, body)) => Node::Sum(l.clone(), n.clone(), get(body)),
            (Rule::GetPrim, Node::Prim(f, args)) => Node::Prim(*f, args.iter().map(get).collect()),
            (Rule::GetView, Node::View(alg, e)) => Node::View(*alg, get(e)),
            _ => return Ok(None),
        };
        Ok(Some(Arc::new(node)))
    }

    /// The rules about `a + b` and `a * b`.
    fn at_operation(
        &self,
        scope: &mut Scope,
        f: Prim,
        a: &Expr,
        b: &Expr,
        rec: &mut Recorder<'_>,
    ) -> Result<Option<Expr>> {
        let op = |f: Prim, a: &Expr, b: &Expr| Arc::new(Node::Prim(f, vec![a.clone(), b.clone()]));
        let (add, mul) = (f == Prim::Add, f == Prim::Mul);
        let is = |e: &Expr, number: Number| matches!(**e, Node::Lit(_, n) if n == number);
        let node = match (self, &**a, &**b) {
            (Rule::AddComm | Rule::MulComm, ..) if add == (*self == Rule::AddComm) => {
                return Ok(Some(op(f, b, a)));
            }
            (Rule::AddAssoc | Rule::MulAssoc, Node::Prim(g, cd), _)
                if *g == f && add == (*self == Rule::AddAssoc) =>
            {
                return Ok(Some(op(f, &cd[0], &op(f, &cd[1], b))));
            }
            (Rule::AddZeroL | Rule::AddZeroR, ..) if add => {
                let (zero, other) = if *self == Rule::AddZeroL { (a, b) } else { (b, a) };
                match &**zero {
                    Node::Guard(p, _) => rec.show(&scope.ctx, &Pred::not(p.clone()))?,
                    _ if is(zero, Number::Zero) => {}
                    _ => return Ok(None),
                }
                return Ok(Some(other.clone()));
            }
            (Rule::IndexAdd | Rule::IndexMul, Node::Index(elem, x), Node::Index(_, y))
                if elem.scalar.is_integer() && add == (*self == Rule::IndexAdd) =>
            {
                let natural = |ix: &Ix| Pred::le(Ix::ZERO, ix.clone());
                rec.show(&scope.ctx, &Pred::and(natural(x), natural(y)))?;
                let op = if add { IxOp::Add } else { IxOp::Mul };
                Node::Index(*elem, Ix::bin(op, x.clone(), y.clone()))
            }
            (Rule::MulOneL, ..) if mul && is(a, Number::One) => return Ok(Some(b.clone())),
            (Rule::MulOneR, ..) if mul && is(b, Number::One) => return Ok(Some(a.clone())),
            (Rule::GuardMulL, Node::Guard(p, a), _) if mul => Node::Guard(p.clone(), op(f, a, b)),
            (Rule::GuardMulR, _, Node::Guard(p, b)) if mul => Node::Guard(p.clone(), op(f, a, b)),
            (Rule::MulSumL, _, Node::Sum(l, n, e)) if mul => Node::Sum(l.clone(), n.clone(), op(f, a, e)),
            (Rule::MulSumR, Node::Sum(l, n, e), _) if mul => Node::Sum(l.clone(), n.clone(), op(f, e, b)),
            (Rule::DistrL, _, Node::Prim(Prim::Add, cd)) if mul => {
                Node::Prim(Prim::Add, vec![op(f, a, &cd[0]), op(f, a, &cd[1])])
            }
            (Rule::DistrR, Node::Prim(Prim::Add, cd), _) if mul => {
                Node::Prim(Prim::Add, vec![op(f, &cd[0], b), op(f, &cd[1], b)])
            }
            _ => return Ok(None),
        };
        Ok(Some(Arc::new(node)))
    }
}

/// The element of a variable as an index term. Outside of its box that reads 0, which is not the zero of
/// every algebra.
fn read_index(scope: &mut Scope, lhs: &Expr, ty: &Type, rec: &mut Recorder<'_>) -> Result<Option<Expr>> {
    let (mut array, mut at) = (lhs, Vec::new());
    while let Node::Get(a, i) = &**array {
        let n = scope.infer(a, rec)?.shape.swap_remove(0);
        rec.show(&scope.ctx, &Pred::in_range(i, &n))?;
        at.insert(0, i.clone());
        array = a;
    }
    let Node::Var(v) = **array else { return Ok(None) };
    let is_integer = ty.shape.is_empty() && ty.elem.scalar.is_index();
    Ok(is_integer.then(|| Arc::new(Node::Index(ty.elem, Ix::Read(v, at.into())))))
}

/// A literal that is written as an integer.
fn integer(number: Number) -> Option<i64> {
    match number {
        Number::Zero => Some(0),
        Number::One => Some(1),
        Number::Decimal(n, 0) => i64::try_from(n).ok(),
        _ => None,
    }
}

/// The index term that is a pointwise operation on index terms, as long as none of them wraps around.
fn reflected(f: Prim, args: &[Expr]) -> Option<Ix> {
    let value = |e: &Expr| if let Node::Index(_, ix) = &**e { Some(ix.clone()) } else { None };
    let a = value(args.first()?)?;
    let op = match f {
        Prim::Cast(_) => return Some(a),
        Prim::Neg => return Some(Ix::ZERO - a),
        Prim::Abs => return Some(Ix::max(a.clone(), Ix::ZERO - a)),
        Prim::Sub => IxOp::Sub,
        Prim::Div => IxOp::Div,
        Prim::Min => IxOp::Min,
        Prim::Max => IxOp::Max,
        Prim::Rem => IxOp::Mod,
        Prim::Shr | Prim::BitAnd => return bits(f, a, &value(args.get(1)?)?),
        _ => return None,
    };
    Some(Ix::bin(op, a, value(args.get(1)?)?))
}

/// `a >> k  =  a / 2^k` and `a & (2^k - 1)  =  a % 2^k`, of literals: a negative number has all the bits
/// above its sign.
fn bits(f: Prim, a: Ix, by: &Ix) -> Option<Ix> {
    let Ix::Lit(n) = *by else { return None };
    match f {
        Prim::Shr if (0..63).contains(&n) => Some(a / Ix::Lit(1 << n)),
        Prim::BitAnd if (0..i64::MAX).contains(&n) && n & (n + 1) == 0 => Some(a % Ix::Lit(n + 1)),
        _ => None,
    }
}

/// An index term as an element of a type of integers, or a truth value, which has its value.
pub(crate) fn fitting(ctx: &Ctx, elem: Elem, ix: Ix, rec: &mut Recorder<'_>) -> Result<Node> {
    let Some((least, greatest)) = elem.scalar.index_range() else {
        return Err(Error::Mismatch("an index term as a number that is no integer"));
    };
    rec.show(ctx, &Pred::and(Pred::le(Ix::Lit(least), ix.clone()), Pred::le(ix.clone(), Ix::Lit(greatest))))?;
    Ok(Node::Index(elem, ix))
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
