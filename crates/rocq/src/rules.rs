//! The primitive rules: the lemma of `Rules.v` that each is, with every argument written out.

use crate::error::{Refusal, Result};
use crate::prove::Export;
use crate::raw;
use crate::rounds::step_at;
use crate::scope::{Scope, Side};
use atl_kernel::{Cert, Cmp, Expr, Iterate, Ix, IxOp, Laws, Node, Number, Pred, Prim, Rule, RuleInfo, Var};
use std::sync::Arc;

/// A lemma applied: what it proves of which terms. Where these differ from the inference's own, in index
/// terms, the difference is proved apart.
pub(crate) struct Lemma {
    pub(crate) lhs: Expr,
    pub(crate) rhs: Expr,
    /// The proof, of the equation at the natural shape of `lhs`.
    pub(crate) proof: String,
}

/// The laws that the lemma of a rule needs, where they are fewer than the kernel asks for: `a + 0 = a`
/// follows from commutativity, and a sum can be cut without `0 + a = a`.
const FEWER: [(&str, Laws); 4] = [
    ("sum_split", Laws::ADD_0_L),
    ("sum_tile", Laws::ADD_0_L),
    ("sum_swap", Laws::ADD_0_R),
    ("sum_add", Laws::ADD_0_R),
];

/// The laws that the lemma of a primitive rule is generalised over.
pub fn lemma_laws(rule: &RuleInfo) -> Laws {
    let spared = FEWER.iter().find(|(name, _)| *name == rule.name).map_or(Laws::NONE, |(_, laws)| *laws);
    rule.laws.minus(spared)
}

fn node(node: Node) -> Expr {
    Arc::new(node)
}

fn unsupported<T>() -> Result<T> {
    Err(Refusal::Unknown("a rule's instance of this form"))
}

impl Export<'_> {
    /// The lemma's name with the algebra and the laws.
    fn lemma(&mut self, scope: &mut Scope, rule: &Rule, name: &str, e: &Expr) -> Result<String> {
        let algebra = self.needs.algebra_of(scope, Side::Left, e)?;
        let mut text = format!("{name} {algebra}");
        let laws = lemma_laws(rule.info());
        for (k, (law, bit)) in Laws::TABLE.iter().enumerate() {
            if laws.has(*bit) {
                if *bit == Laws::INDEX_COUNTS {
                    let elem = scope.ty(e, Side::Left)?.elem;
                    text += &format!(" {}", self.needs.index_function(elem));
                }
                self.needs.laws.insert((algebra.clone(), k));
                text += &format!(" {algebra}_{}", law.to_lowercase());
            }
        }
        Ok(text)
    }

    /// A primitive rule at this left side.
    pub(crate) fn rule(&mut self, scope: &mut Scope, rule: &Rule, e: &Expr, certs: &[Cert]) -> Result<Lemma> {
        let ty = scope.ty(e, Side::Left)?;
        let shape = self.needs.shape(scope, Side::Left, &ty.shape)?;
        let head = self.lemma(scope, rule, rule.name(), e)?;
        let proved = |lhs: &Expr, rhs: Expr, proof: String| Ok(Lemma { lhs: lhs.clone(), rhs, proof });
        macro_rules! term {
            ($e:expr) => {
                self.needs.term(scope, Side::Left, $e)?
            };
        }
        macro_rules! ix {
            ($e:expr) => {
                self.needs.ix(scope, Side::Left, $e, &[])?
            };
        }
        macro_rules! pred {
            ($e:expr) => {
                self.needs.pred(scope, Side::Left, $e, &[])?
            };
        }
        macro_rules! under {
            ($l:expr, $n:expr, $e:expr) => {
                self.needs.under(scope, Side::Left, $l, $n, $e)?
            };
        }
        match (rule, &**e) {
            // A claim would be a hypothesis about tuples, of whose fields an export has one each.
            (Rule::Law(..), _) => Err(Refusal::Unknown("the laws that a program claims of its monoids")),
            (Rule::LetInline, Node::Let(l, bound, body)) => {
                let bound_ty = scope.ty(bound, Side::Left)?;
                let f = self.needs.under_let(scope, Side::Left, l, bound_ty, body)?;
                let x = term!(bound);
                proved(e, raw::put(body, bound), format!("{head} {shape} {x} {f}"))
            }
            (Rule::IterateZero | Rule::IterateLast | Rule::IterateBody, Node::Iterate(it)) => {
                let words = self.needs.rounds(scope, Side::Left, it)?.join(" ");
                let with = |extent: &Ix, body| {
                    node(Node::Iterate(Arc::new(Iterate { extent: extent.clone(), body, ..(**it).clone() })))
                };
                let (rhs, shown) = match rule {
                    Rule::IterateZero => {
                        let starts = it.states.iter().map(|state| state.init.clone());
                        let shown = self.show(scope, &Pred::le(it.extent.clone(), Ix::ZERO), certs)?;
                        (it.lets(starts, it.body.clone()), shown)
                    }
                    Rule::IterateLast => {
                        let extent = raw::bin(IxOp::Sub, it.extent.clone(), Ix::ONE);
                        let fresh = scope.level();
                        let last = (0..it.states.len()).map(|k| step_at(it, k, &extent, fresh));
                        let shown = self.show(scope, &Pred::lt(Ix::ZERO, it.extent.clone()), certs)?;
                        (with(&extent, it.lets(last, it.body.clone())), shown)
                    }
                    Rule::IterateBody => {
                        let state = |k| with(&it.extent, node(Node::Var(Var::Bound(k))));
                        let states = (0..it.states.len() as u32).rev().map(state);
                        (it.lets(states, it.body.clone()), String::new())
                    }
                    _ => return unsupported(),
                };
                proved(e, rhs, format!("{head} {shape} {words} {shown}"))
            }
            (Rule::Unfold, Node::Op(..)) => {
                let rhs = scope.unfolded(e, Side::Left, false)?;
                let text = term!(&rhs);
                proved(e, rhs, format!("{head} {shape} {text}"))
            }
            (Rule::GenEta(label), _) => {
                let Some((n, rest)) = ty.shape.split_first() else { return unsupported() };
                let rest = self.needs.shape(scope, Side::Left, rest)?;
                let element = node(Node::Get(e.clone(), Ix::Var(Var::Bound(0))));
                let (text, extent) = (term!(e), ix!(n));
                let rhs = node(Node::Gen(label.clone(), n.clone(), element));
                proved(e, rhs, format!("{head} {rest} {extent} {text}"))
            }
            (Rule::Absurd(rhs), _) => {
                let shown = self.show(scope, &Pred::False, certs)?;
                let (l, r) = (term!(e), term!(rhs));
                proved(e, rhs.clone(), format!("{head} {shape} {l} {r} {shown}"))
            }
            (Rule::ViewSame, Node::View(_, a)) => {
                let text = term!(a);
                proved(e, a.clone(), format!("{head} {shape} {text}"))
            }
            (Rule::ViewView, Node::View(algebra, a)) => {
                let Node::View(_, inner) = &**a else { return unsupported() };
                let text = term!(inner);
                proved(e, node(Node::View(*algebra, inner.clone())), format!("{head} {shape} {text}"))
            }
            (Rule::ViewGen, Node::View(algebra, a)) => {
                let Node::Gen(l, n, body) = &**a else { return unsupported() };
                let (f, extent) = (under!(l, n, body), ix!(n));
                let rhs = Node::Gen(l.clone(), n.clone(), node(Node::View(*algebra, body.clone())));
                proved(e, node(rhs), format!("{head} {shape} {extent} {f}"))
            }
            (Rule::GenSumSwap, Node::Gen(l, n, inner)) | (Rule::SumSwap, Node::Sum(l, n, inner)) => {
                let Node::Sum(k, m, body) = &**inner else { return unsupported() };
                let level = scope.level();
                // `fun i j => body`; the inner extent does not speak of `i`.
                let opened = raw::open(inner, level);
                let [i, ..] = scope.push_loop(l, n);
                let Node::Sum(_, m_here, body_here) = &*opened else { return unsupported() };
                let f = self.needs.under(scope, Side::Left, k, m_here, body_here);
                scope.truncate(level);
                let (f, a, b) = (f?, ix!(n), ix!(m));
                let turned = raw::exchange(body);
                let turned = match rule {
                    Rule::SumSwap => Node::Sum(l.clone(), n.clone(), turned),
                    _ => Node::Gen(l.clone(), n.clone(), turned),
                };
                let rhs = node(Node::Sum(k.clone(), m.clone(), node(turned)));
                proved(e, rhs, format!("{head} {shape} {a} {b} (fun {i} => {f})"))
            }
            (_, Node::Guard(p, a)) => {
                let condition = pred!(p);
                let guard = |a: &Expr| node(Node::Guard(p.clone(), a.clone()));
                let (rhs, rest) = match (rule, &**a) {
                    (Rule::GuardTrue, _) => {
                        let shown = self.show(scope, p, certs)?;
                        (a.clone(), format!("{} {shown}", term!(a)))
                    }
                    (Rule::GuardZero, Node::Lit(..)) => (a.clone(), String::new()),
                    (Rule::GuardAnd, Node::Guard(q, a)) => {
                        let rhs = node(Node::Guard(raw::and(p.clone(), q.clone()), a.clone()));
                        (rhs, format!("{} {}", pred!(q), term!(a)))
                    }
                    (Rule::GuardAdd, Node::Prim(f, ab)) => {
                        let rhs = node(Node::Prim(*f, ab.iter().map(guard).collect()));
                        (rhs, format!("{} {}", term!(&ab[0]), term!(&ab[1])))
                    }
                    (Rule::GuardGen, Node::Gen(l, n, body)) => {
                        let rhs = node(Node::Gen(l.clone(), n.clone(), guard(body)));
                        (rhs, format!("{} {}", ix!(n), under!(l, n, body)))
                    }
                    (Rule::GuardSum, Node::Sum(l, n, body)) => {
                        let rhs = node(Node::Sum(l.clone(), n.clone(), guard(body)));
                        (rhs, format!("{} {}", ix!(n), under!(l, n, body)))
                    }
                    _ => return unsupported(),
                };
                proved(e, rhs, format!("{head} {shape} {condition} {rest}"))
            }
            (Rule::SelectTrue, Node::Select(p, a, b)) => {
                let shown = self.show(scope, p, certs)?;
                proved(e, a.clone(), format!("{head} {shape} {} {} {} {shown}", pred!(p), term!(a), term!(b)))
            }
            (Rule::SelectFalse, Node::Select(p, a, b)) => {
                let shown = self.show_false(scope, p, certs)?;
                proved(e, b.clone(), format!("{head} {shape} {} {} {} {shown}", pred!(p), term!(a), term!(b)))
            }
            (_, Node::Get(a, k)) => self.access(scope, rule, &head, &shape, e, a, k, certs),
            (Rule::SumOnes, Node::Sum(_, n, body)) => {
                let Node::Lit(elem, Number::One) = **body else { return unsupported() };
                let rhs = node(Node::Index(elem, raw::bin(IxOp::Max, n.clone(), Ix::ZERO)));
                proved(e, rhs, format!("{head} {shape} {}", ix!(n)))
            }
            (_, Node::Sum(l, n, body)) => {
                let (extent, f) = (ix!(n), under!(l, n, body));
                match rule {
                    Rule::SumEmpty => {
                        let shown = self.show(scope, &Pred::le(n.clone(), Ix::ZERO), certs)?;
                        let rhs = node(Node::Guard(Pred::False, raw::at(body, &Ix::ZERO)));
                        proved(e, rhs, format!("{head} {shape} {extent} {f} {shown}"))
                    }
                    Rule::SumOne => {
                        let shown = self.show(scope, &Pred::eq(n.clone(), Ix::ONE), certs)?;
                        proved(e, raw::at(body, &Ix::ZERO), format!("{head} {shape} {extent} {f} {shown}"))
                    }
                    Rule::SumLast => {
                        let shown = self.show(scope, &Pred::lt(Ix::ZERO, n.clone()), certs)?;
                        let before = raw::bin(IxOp::Sub, n.clone(), Ix::ONE);
                        let others = node(Node::Sum(l.clone(), before.clone(), body.clone()));
                        let rhs = node(Node::Prim(Prim::Add, vec![others, raw::at(body, &before)]));
                        proved(e, rhs, format!("{head} {shape} {extent} {f} {shown}"))
                    }
                    Rule::SumSplit(k) => {
                        let within = raw::and(Pred::le(Ix::ZERO, k.clone()), Pred::le(k.clone(), n.clone()));
                        let shown = self.show(scope, &within, certs)?;
                        let shifted = raw::shift(body, &|depth| {
                            raw::bin(IxOp::Add, Ix::Var(Var::Bound(depth)), k.clone())
                        });
                        let first = node(Node::Sum(l.clone(), k.clone(), body.clone()));
                        let rest = raw::bin(IxOp::Sub, n.clone(), k.clone());
                        let rest = node(Node::Sum(l.clone(), rest, shifted));
                        let rhs = node(Node::Prim(Prim::Add, vec![first, rest]));
                        proved(e, rhs, format!("{head} {shape} {} {extent} {f} {shown}", ix!(k)))
                    }
                    Rule::SumTile(outer, q, inner, k) => {
                        let nonneg = raw::and(Pred::le(Ix::ZERO, q.clone()), Pred::le(Ix::ZERO, k.clone()));
                        let product = raw::bin(IxOp::Mul, q.clone(), k.clone());
                        let exact = raw::and(Pred::eq(n.clone(), product), nonneg);
                        let shown = self.show(scope, &exact, certs)?;
                        let tiled = raw::shift(body, &|depth| {
                            let first = raw::bin(IxOp::Mul, Ix::Var(Var::Bound(depth + 1)), k.clone());
                            raw::bin(IxOp::Add, first, Ix::Var(Var::Bound(depth)))
                        });
                        let tile = node(Node::Sum(inner.clone(), k.clone(), tiled));
                        let rhs = node(Node::Sum(outer.clone(), q.clone(), tile));
                        proved(e, rhs, format!("{head} {shape} {} {} {extent} {f} {shown}", ix!(q), ix!(k)))
                    }
                    Rule::SumAdd => {
                        let Node::Prim(Prim::Add, ab) = &**body else { return unsupported() };
                        let sum = |a: &Expr| node(Node::Sum(l.clone(), n.clone(), a.clone()));
                        let rhs = node(Node::Prim(Prim::Add, ab.iter().map(sum).collect()));
                        let (a, b) = (under!(l, n, &ab[0]), under!(l, n, &ab[1]));
                        proved(e, rhs, format!("{head} {shape} {extent} {a} {b}"))
                    }
                    Rule::OneHot => {
                        let Node::Guard(p, term) = &**body else { return unsupported() };
                        let (first, rest) = match p {
                            Pred::And(pq) => (&pq.0, pq.1.clone()),
                            p => (p, Pred::True),
                        };
                        let index = Ix::Var(Var::Bound(0));
                        let k = match first {
                            Pred::Cmp(Cmp::Eq, x, k) if *x == index => k,
                            Pred::Cmp(Cmp::Eq, k, x) if *x == index => k,
                            _ => return unsupported(),
                        };
                        let chosen = raw::and(Pred::eq(index, k.clone()), rest.clone());
                        let lhs =
                            node(Node::Sum(l.clone(), n.clone(), node(Node::Guard(chosen, term.clone()))));
                        let holds = raw::and(raw::in_range(k, n), raw::pred_at(&rest, k));
                        let rhs = node(Node::Guard(holds, raw::at(term, k)));
                        let level = scope.level();
                        let opened = raw::pred_at(&rest, &Ix::free(level));
                        let [i, ..] = scope.push_loop(l, n);
                        let q = self.needs.pred(scope, Side::Left, &opened, &[]);
                        scope.truncate(level);
                        let (q, f) = (q?, under!(l, n, term));
                        proved(&lhs, rhs, format!("{head} {shape} {extent} {} (fun {i} => {q}) {f}", ix!(k)))
                    }
                    _ => unsupported(),
                }
            }
            (Rule::SubAsAdd, Node::Prim(f, ab)) => {
                let minus = Number::Decimal(-1, 0);
                let product = vec![node(Node::Lit(ty.elem, minus)), ab[1].clone()];
                let rhs = Node::Prim(Prim::Add, vec![ab[0].clone(), node(Node::Prim(Prim::Mul, product))]);
                let difference = self.needs.prim(*f, &[ty.elem; 2], ty.elem);
                let (algebra, minus) = (self.needs.algebra(ty.elem), self.needs.literal(ty.elem, minus));
                let (a, b) = (term!(&ab[0]), term!(&ab[1]));
                let proof = format!("{head} {shape} {difference} {minus} {a} {b} {difference}_as_add");
                self.needs.differences.insert([algebra, difference, minus]);
                proved(e, node(rhs), proof)
            }
            (_, Node::Prim(f, ab)) if ab.len() == 2 => {
                let (a, b) = (&ab[0], &ab[1]);
                let op = |a: &Expr, b: &Expr| node(Node::Prim(*f, vec![a.clone(), b.clone()]));
                let (x, y) = (term!(a), term!(b));
                let (rhs, rest) = match (rule, &**a, &**b) {
                    (Rule::AddComm | Rule::MulComm, ..) => (op(b, a), format!("{x} {y}")),
                    (Rule::AddAssoc | Rule::MulAssoc, Node::Prim(_, cd), _) => {
                        let rhs = op(&cd[0], &op(&cd[1], b));
                        (rhs, format!("{} {} {y}", term!(&cd[0]), term!(&cd[1])))
                    }
                    (Rule::AddZeroL, _, _) => (b.clone(), self.zero(scope, a, &y, certs)?),
                    (Rule::AddZeroR, _, _) => (a.clone(), self.zero(scope, b, &x, certs)?),
                    (Rule::MulOneL, Node::Lit(_, Number::One), _) => (b.clone(), y),
                    (Rule::MulOneR, _, Node::Lit(_, Number::One)) => (a.clone(), x),
                    (Rule::GuardMulL, Node::Guard(p, a), _) => {
                        let rhs = node(Node::Guard(p.clone(), op(a, b)));
                        (rhs, format!("{} {} {y}", pred!(p), term!(a)))
                    }
                    (Rule::GuardMulR, _, Node::Guard(p, b)) => {
                        let rhs = node(Node::Guard(p.clone(), op(a, b)));
                        (rhs, format!("{} {x} {}", pred!(p), term!(b)))
                    }
                    (Rule::MulSumL, _, Node::Sum(l, n, body)) => {
                        let rhs = node(Node::Sum(l.clone(), n.clone(), op(a, body)));
                        (rhs, format!("{} {x} {}", ix!(n), under!(l, n, body)))
                    }
                    (Rule::MulSumR, Node::Sum(l, n, body), _) => {
                        let rhs = node(Node::Sum(l.clone(), n.clone(), op(body, b)));
                        (rhs, format!("{} {y} {}", ix!(n), under!(l, n, body)))
                    }
                    (Rule::DistrL, _, Node::Prim(g, cd)) => {
                        let rhs = node(Node::Prim(*g, vec![op(a, &cd[0]), op(a, &cd[1])]));
                        (rhs, format!("{x} {} {}", term!(&cd[0]), term!(&cd[1])))
                    }
                    (Rule::DistrR, Node::Prim(g, cd), _) => {
                        let rhs = node(Node::Prim(*g, vec![op(&cd[0], b), op(&cd[1], b)]));
                        (rhs, format!("{} {} {y}", term!(&cd[0]), term!(&cd[1])))
                    }
                    _ => return unsupported(),
                };
                proved(e, rhs, format!("{head} {shape} {rest}"))
            }
            _ => unsupported(),
        }
    }

    /// The arguments of `add_zero_l` and `add_zero_r` for this zero, beside this other operand.
    fn zero(&mut self, scope: &mut Scope, zero: &Expr, other: &str, certs: &[Cert]) -> Result<String> {
        match &**zero {
            Node::Guard(p, a) => {
                let shown = self.show_false(scope, p, certs)?;
                let p = self.needs.pred(scope, Side::Left, p, &[])?;
                Ok(format!("{p} {} {other} {shown}", self.needs.term(scope, Side::Left, a)?))
            }
            // A literal zero is, by conversion, what a false guard makes of it.
            _ => Ok(format!("false {} {other} eq_refl", self.needs.term(scope, Side::Left, zero)?)),
        }
    }

    /// The rules about `a[k]`.
    #[expect(clippy::too_many_arguments, reason = "a goal is a shape and two sides, in a scope")]
    fn access(
        &mut self,
        scope: &mut Scope,
        rule: &Rule,
        head: &str,
        shape: &str,
        e: &Expr,
        a: &Expr,
        k: &Ix,
        certs: &[Cert],
    ) -> Result<Lemma> {
        let proved = |rhs: Expr, proof: String| Ok(Lemma { lhs: e.clone(), rhs, proof });
        let ty = scope.ty(a, Side::Left)?;
        let Some(n) = ty.shape.first() else { return unsupported() };
        let (extent, index) =
            (self.needs.ix(scope, Side::Left, n, &[])?, self.needs.ix(scope, Side::Left, k, &[])?);
        let get = |a: &Expr| node(Node::Get(a.clone(), k.clone()));
        macro_rules! term {
            ($e:expr) => {
                self.needs.term(scope, Side::Left, $e)?
            };
        }
        match (rule, &**a) {
            (Rule::AccessGuard, _) => {
                let rhs = node(Node::Guard(raw::in_range(k, n), e.clone()));
                proved(rhs, format!("{head} {shape} {extent} {} {index}", term!(a)))
            }
            (Rule::AccessGen, Node::Gen(l, n, body)) => {
                let shown = self.show(scope, &raw::in_range(k, n), certs)?;
                let f = self.needs.under(scope, Side::Left, l, n, body)?;
                proved(raw::at(body, k), format!("{head} {shape} {extent} {f} {index} {shown}"))
            }
            (Rule::GetGuard, Node::Guard(p, a)) => {
                let condition = self.needs.pred(scope, Side::Left, p, &[])?;
                let rhs = node(Node::Guard(p.clone(), get(a)));
                proved(rhs, format!("{head} {shape} {extent} {condition} {} {index}", term!(a)))
            }
            (Rule::GetSelect, Node::Select(p, a, b)) => {
                let condition = self.needs.pred(scope, Side::Left, p, &[])?;
                let other = scope.ty(b, Side::Left)?;
                let Some(m) = other.shape.first() else { return unsupported() };
                let equal = self.equal(scope, n, m, certs)?;
                let m = self.needs.ix(scope, Side::Left, m, &[])?;
                let rhs = node(Node::Select(p.clone(), get(a), get(b)));
                let (x, y) = (term!(a), term!(b));
                proved(rhs, format!("{head} {shape} {extent} {m} {condition} {x} {y} {index} {equal}"))
            }
            (Rule::GetSum, Node::Sum(l, m, body)) => {
                let f = self.needs.under(scope, Side::Left, l, m, body)?;
                let count = self.needs.ix(scope, Side::Left, m, &[])?;
                let rhs = node(Node::Sum(l.clone(), m.clone(), get(body)));
                proved(rhs, format!("{head} {shape} {extent} {count} {f} {index}"))
            }
            (Rule::GetView, Node::View(algebra, a)) => {
                let shown = self.show(scope, &raw::in_range(k, n), certs)?;
                let inner = self.needs.algebra_of(scope, Side::Left, a)?;
                let rhs = node(Node::View(*algebra, get(a)));
                proved(rhs, format!("{head} {inner} {shape} {extent} {} {index} {shown}", term!(a)))
            }
            (Rule::GetPrim, Node::Prim(f, args)) => {
                let mut shown = self.show(scope, &raw::in_range(k, n), certs)?;
                let types = args.iter().map(|a| scope.ty(a, Side::Left)).collect::<Result<Vec<_>>>()?;
                let (mut algebras, mut extents) = (String::new(), extent);
                for (j, ty) in types.iter().enumerate() {
                    algebras += &format!(" {}", self.needs.algebra(ty.elem));
                    let Some(m) = ty.shape.first() else { return unsupported() };
                    if j > 0 {
                        shown += &format!(" {}", self.equal(scope, n, m, certs)?);
                        extents += &format!(" {}", self.needs.ix(scope, Side::Left, m, &[])?);
                    }
                }
                let elems: Vec<_> = types.iter().map(|ty| ty.elem).collect();
                let h = self.needs.prim(*f, &elems, scope.ty(a, Side::Left)?.elem);
                let mut operands = String::new();
                for a in args {
                    operands += &format!(" {}", term!(a));
                }
                // One lemma for each number of operands.
                let head = head.replacen("get_prim", &format!("get_prim{}", args.len()), 1);
                let rhs = node(Node::Prim(*f, args.iter().map(get).collect()));
                proved(rhs, format!("{head}{algebras} {shape} {extents} {h}{operands} {index} {shown}"))
            }
            _ => unsupported(),
        }
    }
}
