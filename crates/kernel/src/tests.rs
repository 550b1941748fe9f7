//! What inferences cost, by counts; and that what is remembered of terms changes no type.

use crate::cert::Cert;
use crate::ctx::{Ctx, Entry, Prover, Replay, Type};
use crate::ix::{Ix, Pred, Var};
use crate::laws::Laws;
use crate::rules::Rule;
use crate::term::{Child, Expr, Label, Node, Number, Prim};
use crate::thm::{Entered, Thm, type_of};
use crate::ty::{Algebra, Elem, Scalar};
use std::cell::Cell;
use std::sync::Arc;

thread_local! {
    /// The nodes that were typed.
    pub(crate) static TYPED: Cell<usize> = const { Cell::new(0) };
}

static ORDINARY: Algebra =
    Algebra { name: "plus_times", scalars: &Scalar::ALL, laws: Laws::COMM_SEMIRING, formula: false };

/// `let x = gen i < 64 { x[i] + x[i] }` of the tensor before, so often; and in the end a number.
fn chain(stages: usize) -> Expr {
    let elem = Elem { scalar: Scalar::F64, algebra: &ORDINARY };
    let number: Expr = Arc::new(Node::Lit(elem, Number::One));
    let read: Expr = Arc::new(Node::Get(Arc::new(Node::Var(Var::Bound(1))), Ix::Var(Var::Bound(0))));
    let twice = Arc::new(Node::Prim(Prim::Add, vec![read.clone(), read]));
    let gen_of = |body: Expr| -> Expr { Arc::new(Node::Gen(Label::new("i"), Ix::Lit(64), body)) };
    let bound = |first: bool| gen_of(if first { number.clone() } else { twice.clone() });
    let named = |e, k: usize| -> Expr { Arc::new(Node::Let(Label::new("x"), bound(k == 0), e)) };
    (0..stages).rev().fold(number.clone(), named)
}

/// The nodes that are typed while an equation is carried outward, from inside of all `let`s, or beside the
/// others.
fn typed(stages: usize) -> [usize; 2] {
    let mut nothing = Replay([].iter());
    let (mut around, mut e, mut ctx) = (Vec::new(), chain(stages), Arc::<Ctx>::default());
    while let Node::Let(..) = *e {
        let place = Entered::at(&ctx, &e, Child::Body, &mut nothing).expect("a place");
        (ctx, e) = (place.ctx().clone(), place.child().clone());
        around.push(place);
    }
    let mut thm = Thm::refl(&ctx, &e, &mut nothing).expect("a theorem");
    TYPED.set(0);
    for place in around.iter().rev() {
        thm = place.lift(thm, &mut nothing).expect("a theorem");
    }
    let outward = TYPED.replace(0);
    let whole = thm.lhs().clone();
    let beside = Entered::at(&Arc::default(), &whole, Child::Bound, &mut nothing).expect("a place");
    let thm = Thm::refl(beside.ctx(), beside.child(), &mut nothing).expect("a theorem");
    beside.lift(thm, &mut nothing).expect("a theorem");
    [outward, TYPED.get()]
}

#[test]
fn an_equation_is_carried_outward_without_its_term_being_typed_again() {
    for (few, many) in typed(50).into_iter().zip(typed(200)) {
        assert!(few > 50 && many < 5 * few, "{few} {many}");
    }
}

/// The nodes that are typed while each `let` is inlined in what follows it, from the last one on.
fn typed_inlining(stages: usize) -> usize {
    let mut nothing = Replay([].iter());
    let (mut places, mut e, mut ctx) = (Vec::new(), chain(stages), Arc::<Ctx>::default());
    while let Node::Let(..) = *e {
        let place = Entered::at(&ctx, &e, Child::Body, &mut nothing).expect("a place");
        places.push((ctx, e));
        (ctx, e) = (place.ctx().clone(), place.child().clone());
    }
    TYPED.set(0);
    for (ctx, e) in places.iter().rev() {
        Thm::rule(ctx, Rule::LetInline, e, &mut nothing).expect("a theorem");
    }
    TYPED.get()
}

#[test]
fn a_let_is_inlined_without_the_others_being_typed_again() {
    let (few, many) = (typed_inlining(50), typed_inlining(200));
    assert!(few > 50 && many < 5 * few, "{few} {many}");
}

/// Numbers by chance, the same each time.
struct Chance(u64);

impl Chance {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }

    fn of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len() as u64) as usize]
    }

    fn var(&mut self) -> Var {
        if self.below(4) == 0 { Var::Free(self.below(6) as u32) } else { Var::Bound(self.below(3) as u32) }
    }

    fn ix(&mut self) -> Ix {
        match self.below(8) {
            0 => Ix::Lit(3),
            1 => Ix::Read(self.var(), [Ix::Var(self.var())].into()),
            2 => Ix::Var(self.var()) + Ix::ONE,
            _ => Ix::Var(self.var()),
        }
    }

    fn elem(&mut self) -> Elem {
        Elem { scalar: *self.of(&[Scalar::F64, Scalar::F64, Scalar::I64]), algebra: &ORDINARY }
    }

    /// A term of few nodes, of these parts or new ones.
    fn term(&mut self, parts: &[Expr], depth: u32) -> Expr {
        let part = |chance: &mut Chance| match chance.below(u64::from(depth) + 2) {
            0 => chance.of(parts).clone(),
            _ => chance.term(parts, depth.saturating_sub(1)),
        };
        Arc::new(match self.below(if depth == 0 { 2 } else { 10 }) {
            0 => Node::Lit(self.elem(), Number::One),
            1 => Node::Var(self.var()),
            2 => Node::Get(part(self), self.ix()),
            3 => Node::Gen(Label::new("i"), self.ix(), part(self)),
            4 => {
                let a = part(self);
                let b = if self.below(2) == 0 { a.clone() } else { part(self) };
                Node::Prim(Prim::Add, vec![a, b])
            }
            _ => Node::Let(Label::new("x"), part(self), part(self)),
        })
    }

    fn context(&mut self) -> Ctx {
        let mut ctx = Ctx::new();
        for _ in 0..self.below(7) {
            let known = ctx.level();
            let extent = |chance: &mut Chance| match chance.below(u64::from(known) + 1) as u32 {
                level if level < known && matches!(ctx.entry(level), Some(Entry::Index(_))) => {
                    Ix::free(level)
                }
                _ => Ix::Lit(3),
            };
            let (sort, ty) = (self.below(3), Type { elem: self.elem(), shape: vec![extent(self)] });
            _ = if sort == 0 {
                ctx.push_index(Label::new("n"))
            } else {
                ctx.push_tensor(Label::new("t"), ty)
            };
        }
        ctx
    }
}

/// A type, as it is spelt, and the nodes that were looked at for it.
fn spelt(ctx: &Ctx, e: &Expr) -> (Option<String>, usize) {
    TYPED.set(0);
    let ty = type_of(ctx, e, &mut Replay([].iter()));
    (ty.ok().map(|ty| format!("{ty:?}")), TYPED.get())
}

#[test]
fn a_type_that_is_remembered_is_the_one_that_would_be_inferred() {
    let mut chance = Chance(1);
    let contexts: Vec<Ctx> = (0..12).map(|_| chance.context()).collect();
    let mut parts: Vec<Expr> = vec![chance.term(&[], 0)];
    let (mut right, mut spared) = (0, 0);
    for _ in 0..500 {
        let e = chance.term(&parts, 4);
        if parts.len() < 100 {
            parts.push(e.clone());
        }
        for ctx in &contexts {
            let (here, few) = spelt(ctx, &e);
            // A new thread remembers nothing.
            let (there, many) =
                std::thread::scope(|s| s.spawn(|| spelt(ctx, &e)).join()).expect("a type or none");
            assert_eq!(here, there, "{e:?}\n{ctx:?}");
            right += usize::from(here.is_some());
            spared += many - few;
        }
    }
    assert!(right > 500 && spared > 300, "{right} {spared}");
}

fn number() -> Expr {
    Arc::new(Node::Lit(Elem { scalar: Scalar::F64, algebra: &ORDINARY }, Number::One))
}

fn ones(extent: Ix) -> Expr {
    Arc::new(Node::Gen(Label::new("k"), extent, number()))
}

fn plus(a: Expr, b: Expr) -> Expr {
    Arc::new(Node::Prim(Prim::Add, vec![a, b]))
}

fn first_of(e: Expr) -> Expr {
    Arc::new(Node::Get(e, Ix::ZERO))
}

fn let_of(bound: Expr, body: &Expr) -> Expr {
    Arc::new(Node::Let(Label::new("x"), bound, body.clone()))
}

/// A loop of three iterations.
fn around(body: Expr) -> Expr {
    Arc::new(Node::Gen(Label::new("i"), Ix::Lit(3), body))
}

fn sizes(count: u32) -> Ctx {
    let mut ctx = Ctx::new();
    (0..count).for_each(|_| _ = ctx.push_index(Label::new("n")));
    ctx
}

#[test]
fn a_type_is_taken_only_where_it_is_the_term_s() {
    let (inner, outer) = (|k| Ix::Var(Var::Bound(k)), Ix::free);
    let x: Expr = Arc::new(Node::Var(Var::Bound(0)));
    // What stands below the `let`, what is bound in two places, and how many sizes there are before each.
    let sum = first_of(plus(ones(inner(1)), x.clone()));
    // As above, and an element at the index of a loop around both.
    let wide = plus(sum.clone(), Arc::new(Node::Get(x, inner(2))));
    let two_loops = |bound: Ix| around(around(let_of(ones(bound), &wide)));
    let beside = ones(inner(1));
    let compared = |other: Ix| around(first_of(plus(let_of(number(), &beside), ones(other))));
    let sized = ones(outer(1));
    let places = [
        // The bound variable's type speaks of the loop in one place, of a size with that level in the other.
        (1, around(let_of(ones(inner(0)), &sum)), 2, around(let_of(ones(outer(1)), &sum))),
        (1, two_loops(inner(0)), 3, two_loops(outer(2))),
        // The term's own type speaks of the loop.
        (1, compared(inner(0)), 2, compared(outer(1))),
        // A free variable is a size in one place, and in the other the level of a loop.
        (2, around(first_of(let_of(number(), &sized))), 1, around(first_of(let_of(number(), &sized)))),
    ];
    for (k, (before, here, before_there, there)) in places.iter().enumerate() {
        let known = spelt(&sizes(*before), here).0;
        let found = spelt(&sizes(*before_there), there).0;
        let new = std::thread::scope(|s| s.spawn(|| spelt(&sizes(*before_there), there).0).join());
        assert_eq!(found, new.expect("a type or none"), "{k}");
        assert!(known.is_some(), "{k}");
    }
}

/// Shows everything from a first hypothesis that is false, and counts.
struct Counting(usize);

impl Prover for Counting {
    fn prove(&mut self, _: &Ctx, _: &Pred) -> Option<Cert> {
        self.0 += 1;
        Some(Cert::Absurd(0))
    }
}

#[test]
fn what_has_to_be_shown_is_shown_each_time() {
    let mut ctx = sizes(2);
    ctx.push_hyp(Pred::le(Ix::ONE, Ix::ZERO));
    let e = let_of(number(), &plus(ones(Ix::free(0)), ones(Ix::free(1))));
    for times in 1..4 {
        let mut counting = Counting(0);
        assert!(type_of(&ctx, &e, &mut counting).is_ok() && counting.0 == 1, "{times}: {}", counting.0);
    }
}
