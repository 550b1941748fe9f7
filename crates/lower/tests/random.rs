//! Random well-typed programs: lowered and run, none traps, and all give what the term means.

use crate::common::{Choices, Program, at, gen_, gen_as, guard, index, let_, lit, prim, select, sum_, view};
use atl_check::Kind;
use atl_kernel::{Elem, Expr, Ix, Label, LoopKind, Pred, Prim, Rounding, Scalar, Thm};
use atl_lower::LowerError;
use atl_semirings::instances::PLUS_TIMES;
use proptest::prelude::*;

/// What terms can be made of, at a place.
#[derive(Clone)]
struct Scope {
    elem: Elem,
    /// Extents of at least 1.
    extents: Vec<Ix>,
    /// Indices with their extents.
    indices: Vec<(Ix, Ix)>,
    tensors: Vec<(Expr, Vec<Ix>)>,
}

impl Scope {
    fn with_index(&self, i: &Ix, n: &Ix) -> Scope {
        let mut scope = self.clone();
        scope.indices.push((i.clone(), n.clone()));
        scope
    }

    fn with_tensor(&self, e: &Expr, shape: &[Ix]) -> Scope {
        let mut scope = self.clone();
        scope.tensors.push((e.clone(), shape.to_vec()));
        scope
    }

    /// Some index term; nothing is known of its range.
    fn any_index(&self, c: &mut Choices) -> Ix {
        match self.indices.is_empty() {
            true => Ix::Lit(0),
            false => {
                let (i, j) = (c.of(&self.indices).0, c.of(&self.indices).0);
                match c.below(5) {
                    0 => i + Ix::ONE,
                    1 => i - Ix::ONE,
                    2 => i + j,
                    3 => i / Ix::Lit(2),
                    _ => i,
                }
            }
        }
    }

    fn predicate(&self, c: &mut Choices) -> Pred {
        let (i, j) = (self.any_index(c), self.any_index(c));
        match c.below(5) {
            0 => Pred::lt(i, j),
            1 => Pred::le(i, Ix::ONE),
            2 => Pred::not(Pred::eq(i, j)),
            3 => Pred::eq(i % Ix::Lit(2), Ix::ZERO),
            _ => Pred::or(Pred::lt(Ix::ONE, i), Pred::lt(j, self.extents[0].clone())),
        }
    }

    /// `e[i]` for an index in range, or guarded where that is not known.
    fn read(&self, c: &mut Choices, e: &Expr, n: &Ix) -> Expr {
        let fitting: Vec<Ix> = self.indices.iter().filter(|(_, m)| m == n).map(|(i, _)| i.clone()).collect();
        if !fitting.is_empty() && c.below(4) > 0 {
            return at(e, &[&c.of(&fitting)]);
        }
        let i = self.any_index(c);
        guard(Pred::in_range(&i, n), at(e, &[&i]))
    }

    /// A term of this shape.
    fn term(&self, c: &mut Choices, shape: &[Ix], depth: u32) -> Expr {
        if depth == 0 {
            return self.leaf(c, shape);
        }
        let less = depth - 1;
        match c.below(16) {
            0 | 1 => {
                let n = c.of(&self.extents);
                sum_("k", &n.clone(), |k| self.with_index(&k, &n).term(c, shape, less))
            }
            2 => guard(self.predicate(c), self.term(c, shape, less)),
            3 => select(self.predicate(c), self.term(c, shape, less), self.term(c, shape, less)),
            4 | 5 => {
                let rank = c.below(3);
                let inner: Vec<Ix> = (0..rank).map(|_| c.of(&self.extents)).collect();
                let bound = self.term(c, &inner, less);
                let_(Label::new("t"), bound, |t| self.with_tensor(&t, &inner).term(c, shape, less))
            }
            6 | 7 => {
                let f = c.of(&[Prim::Add, Prim::Mul, Prim::Sub, Prim::Min, Prim::Max]);
                prim(f, &[&self.term(c, shape, less), &self.term(c, shape, less)])
            }
            8 => {
                let n = c.of(&self.extents);
                let array = self.term(c, &[std::slice::from_ref(&n), shape].concat(), less);
                self.read(c, &array, &n)
            }
            9 => {
                let (_, semiring) = c.of(atl_semirings::REDUCTIONS);
                if !semiring.admits(self.elem.scalar) {
                    return self.term(c, shape, less);
                }
                let n = c.of(&self.extents);
                let sum = sum_("r", &n.clone(), |k| {
                    view(semiring.algebra, &self.with_index(&k, &n).term(c, shape, less))
                });
                view(&PLUS_TIMES, &sum)
            }
            _ if !shape.is_empty() => self.reshaped(c, shape, less),
            _ => self.leaf(c, shape),
        }
    }

    /// An operator that gives this shape.
    fn reshaped(&self, c: &mut Choices, shape: &[Ix], less: u32) -> Expr {
        let (n, rest) = (&shape[0], &shape[1..]);
        let k = Ix::Lit(i64::try_from(c.below(3)).expect("small"));
        let positive = |n: &Ix| self.extents.contains(n);
        match (c.below(8), rest) {
            (0, [m, rest @ ..]) => {
                atl_ops::transpose(self.term(c, &[&[m.clone(), n.clone()], rest].concat(), less))
            }
            (1, [m, rest @ ..]) if *m == Ix::Lit(3) => {
                let long = self.term(c, &[&[n.clone() * Ix::Lit(3)], rest].concat(), less);
                atl_ops::split(Ix::Lit(3), long)
            }
            (2, [m, ..]) if positive(n) && positive(m) => {
                atl_ops::unshear(n.clone(), m.clone(), atl_ops::shear(self.term(c, shape, less)))
            }
            (3, _) => atl_ops::trunc_r(k.clone(), atl_ops::pad_r(k, self.term(c, shape, less))),
            (4, _) => atl_ops::trunc_l(k.clone(), atl_ops::pad_l(k, self.term(c, shape, less))),
            (5, _) => {
                let rest_of_tile = Ix::ceil_div(n.clone(), Ix::Lit(2)) * Ix::Lit(2) - n.clone();
                let tiles = atl_ops::split(Ix::Lit(2), self.term(c, shape, less));
                atl_ops::trunc_r(rest_of_tile, atl_ops::flatten(tiles))
            }
            (6, _) if positive(n) => {
                let one = self.term(c, &[&[Ix::ONE], rest].concat(), less);
                let others = self.term(c, &[&[n.clone() - Ix::ONE], rest].concat(), less);
                atl_ops::concat(one, others)
            }
            _ => {
                let serial = LoopKind::Serial;
                let kind =
                    c.of(&[serial, serial, LoopKind::Unroll, LoopKind::Parallel, LoopKind::Vector(None)]);
                let label = Label { kind, ..Label::new("i") };
                gen_as(label, &n.clone(), |i| self.with_index(&i, n).term(c, rest, less))
            }
        }
    }

    fn leaf(&self, c: &mut Choices, shape: &[Ix]) -> Expr {
        if let [n, rest @ ..] = shape {
            let fitting: Vec<_> = self.tensors.iter().filter(|(_, s)| s == shape).cloned().collect();
            if !fitting.is_empty() && c.below(2) == 0 {
                return c.of(&fitting).0;
            }
            return gen_("i", &n.clone(), |i| self.with_index(&i, n).leaf(c, rest));
        }
        match c.below(6) {
            0 => lit(self.elem, 3),
            1 => index(self.elem, &self.any_index(c)),
            _ => {
                let (tensor, shape) = c.of(&self.tensors);
                let mut guards = Vec::new();
                let mut e = tensor;
                for n in &shape {
                    match &*self.read(c, &e, n) {
                        atl_kernel::Node::Guard(p, inner) => {
                            guards.push(p.clone());
                            e = inner.clone();
                        }
                        other => e = std::sync::Arc::new(other.clone()),
                    }
                }
                guards.into_iter().fold(e, |e, p| guard(p, e))
            }
        }
    }
}

fn check(seed: u64, depth: u32, scalar: Scalar) {
    let mut c = Choices(seed);
    let mut p = Program::default();
    let (n, m) = (p.size("n"), p.size("m"));
    p.require(Pred::and(Pred::lt(Ix::ZERO, n.clone()), Pred::lt(Ix::ZERO, m.clone())));
    let elem = Elem { scalar, algebra: &PLUS_TIMES };
    let x = p.input("x", elem, &[&n]);
    let a = p.input("a", elem, &[&n, &m]);
    let scope = Scope {
        elem,
        extents: vec![n.clone(), m.clone(), Ix::Lit(3)],
        indices: vec![],
        tensors: vec![(x, vec![n.clone()]), (a, vec![n.clone(), m.clone()])],
    };
    let shape: Vec<Ix> = (0..c.below(3)).map(|_| c.of(&scope.extents)).collect();
    let body = scope.term(&mut c, &shape, depth);
    let lowered = match p.lower(&body) {
        Ok(lowered) => lowered,
        // Loops are marked without regard to what is in them.
        Err(LowerError::Unsafe { violations, .. }) => {
            let concurrent = |k: &Kind| matches!(k, Kind::NestedParallel | Kind::HeapInVector);
            assert!(violations.iter().all(|v| concurrent(&v.kind)), "{violations:?}\n{body:?}");
            return;
        }
        Err(e) => panic!("{e}\n{body:?}"),
    };
    for sizes in [[1, 1], [3, 2], [2, 4]] {
        p.compare(&body, &lowered, &sizes);
    }
    let replayed = Thm::replay(lowered.theorem.ctx(), lowered.theorem.proof()).expect("a proof");
    assert_eq!(replayed.rhs(), lowered.theorem.rhs());
    assert_eq!(lowered.theorem.rounding(), Rounding::Bitwise);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn integers(seed: u64, depth in 0u32..9) {
        check(seed, depth, Scalar::I32);
    }

    /// Rounding and all.
    #[test]
    fn floats(seed: u64, depth in 0u32..9) {
        check(seed, depth, Scalar::F32);
    }
}
