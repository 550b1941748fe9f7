//! Printing and elaborating again is the identity, over random terms and over the error pages' programs.

use atl_arith::Arith;
use atl_diag::{FileId, codes::PAGES};
use atl_kernel::{
    Algebra, AlgebraRef, Ctx, Elem, Expr, Function, Ix, Label, LoopKind, Node, Number, Pred, Prim, Scalar,
    Storage, Type, Var, subst, type_of,
};
use atl_lang::print::{self, Options};
use atl_lang::{Module, NoImports, elaborate, expression_in};
use atl_semirings::instances::{MAX_PLUS, MIN_PLUS, OR_AND, PLUS_TIMES};
use atl_syntax::Style;
use proptest::prelude::*;
use std::sync::Arc;

/// Elaborating what is printed gives the term, in every notation that programs are written in.
fn check(ctx: &Ctx, e: &Expr, want: Option<Elem>) {
    let styles = [(Style::SOURCE, false), (Style::LINE, false), (Style::SOURCE, true)];
    for (style, explicit) in styles {
        let text = print::print(ctx, e, want, Options { style, explicit, annotations: true });
        let parse = atl_syntax::parse_expr(FileId(0), &text);
        assert!(parse.diagnostics.is_empty(), "{text}\n{:?}", parse.diagnostics);
        match expression_in(ctx, &parse.tree, want, &mut Arith::new()) {
            Ok((back, _, _)) => assert_eq!(&back, e, "{text}"),
            Err(diagnostics) => panic!("{text}\n{e:?}\n{diagnostics:?}"),
        }
    }
}

/// Operations on two integers, and on one.
const BITS: [Prim; 7] =
    [Prim::Rem, Prim::BitAnd, Prim::BitOr, Prim::BitXor, Prim::Shl, Prim::Shr, Prim::MulHi];
const COUNTS: [Prim; 4] = [Prim::BitNot, Prim::Popcount, Prim::Clz, Prim::Ctz];

/// Makes a term from a list of choices; when they run out, the first one is taken.
struct Maker<'a> {
    ctx: Ctx,
    choices: std::slice::Iter<'a, u8>,
}

const NAMES: [&str; 6] = ["i", "x", "y.o", "", "inf", "sum"];

fn node(n: Node) -> Expr {
    Arc::new(n)
}

fn prim<const N: usize>(p: Prim, args: [Expr; N]) -> Expr {
    node(Node::Prim(p, args.to_vec()))
}

fn elem(scalar: Scalar, algebra: &'static Algebra) -> Elem {
    Elem { scalar, algebra }
}

impl Maker<'_> {
    fn choose(&mut self, n: usize) -> usize {
        self.choices.next().map_or(0, |c| usize::from(*c) % n)
    }

    fn indices(&self) -> Vec<Ix> {
        let index = |e: &atl_kernel::Entry| matches!(e, atl_kernel::Entry::Index(_));
        (0..).zip(self.ctx.entries()).filter(|(_, e)| index(e)).map(|(l, _)| Ix::free(l)).collect()
    }

    fn ix(&mut self, fuel: u32) -> Ix {
        let all = self.indices();
        let leaf = fuel == 0;
        match self.choose(if leaf { 2 } else { 10 }) {
            0 => {
                let k = self.choose(all.len());
                all[k].clone()
            }
            1 => Ix::Lit([0, 1, 2, -1, -7, 64][self.choose(6)]),
            2 => self.ix(fuel - 1) + self.ix(fuel - 1),
            3 => self.ix(fuel - 1) - self.ix(fuel - 1),
            4 => self.ix(fuel - 1) * self.ix(fuel - 1),
            5 => self.ix(fuel - 1) / Ix::Lit(3),
            6 => self.ix(fuel - 1) % Ix::Lit(4),
            7 => Ix::min(self.ix(fuel - 1), self.ix(fuel - 1)),
            8 => Ix::max(self.ix(fuel - 1), self.ix(fuel - 1)),
            _ => Ix::ceil_div(self.ix(fuel - 1), Ix::Lit(8)),
        }
    }

    fn pred(&mut self, fuel: u32) -> Pred {
        match self.choose(if fuel == 0 { 3 } else { 8 }) {
            0 => Pred::lt(self.ix(1), self.ix(1)),
            1 => Pred::le(self.ix(1), self.ix(1)),
            2 => Pred::eq(self.ix(1), self.ix(1)),
            3 => Pred::not(self.pred(fuel - 1)),
            4 => Pred::and(self.pred(fuel - 1), self.pred(fuel - 1)),
            5 => Pred::or(self.pred(fuel - 1), self.pred(fuel - 1)),
            6 => Pred::in_range(&self.ix(1), &self.ix(1)),
            _ => [Pred::True, Pred::False][self.choose(2)].clone(),
        }
    }

    fn label(&mut self) -> Label {
        let kinds = [LoopKind::Serial, LoopKind::Parallel, LoopKind::Vector(None), LoopKind::Vector(Some(8))];
        let stores = [Storage::Auto, Storage::Heap, Storage::Stack, Storage::Register];
        let name = Arc::from(NAMES[self.choose(NAMES.len())]);
        Label { name, kind: kinds[self.choose(4)], storage: stores[self.choose(4)], tag: 0 }
    }

    fn elem(&mut self) -> Elem {
        let f32s = [&PLUS_TIMES, &MIN_PLUS, &MAX_PLUS];
        match self.choose(7) {
            0..3 => elem(Scalar::F32, f32s[self.choose(3)]),
            3 => elem(Scalar::I32, &PLUS_TIMES),
            4 => elem(Scalar::Bool, &PLUS_TIMES),
            5 => elem(Scalar::Bool, &MIN_PLUS),
            _ => elem(Scalar::Bool, &OR_AND),
        }
    }

    fn shape(&mut self) -> Vec<Ix> {
        let size = |m: &mut Self| Ix::free([0, 2][m.choose(2)]);
        (0..self.choose(3)).map(|_| size(self)).collect()
    }

    /// A variable of this type, or part of one.
    fn read(&mut self, ty: &Type) -> Option<Expr> {
        let fit = |(level, e): (u32, &atl_kernel::Entry)| match e {
            atl_kernel::Entry::Tensor(_, t) if t.elem == ty.elem && t.shape.ends_with(&ty.shape) => {
                Some((level, t.shape[..t.shape.len() - ty.shape.len()].to_vec()))
            }
            _ => None,
        };
        let fits: Vec<_> = (0..).zip(self.ctx.entries()).filter_map(fit).collect();
        let (level, extents) = fits.get(self.choose(fits.len().max(1)))?.clone();
        let ixs: Vec<Ix> = extents.iter().map(|_| self.ix(1)).collect();
        let var = node(Node::Var(Var::Free(level)));
        let read = ixs.iter().fold(var, |e, i| node(Node::Get(e, i.clone())));
        let in_range =
            ixs.iter().zip(&extents).fold(Pred::True, |p, (i, n)| Pred::and(p, Pred::in_range(i, n)));
        Some(if self.choose(2) == 0 || ixs.is_empty() { read } else { node(Node::Guard(in_range, read)) })
    }

    fn literal(&mut self, elem: Elem) -> Expr {
        let decimal = Number::Decimal;
        let numbers =
            [Number::Zero, Number::One, decimal(3, 0), decimal(15, -1), decimal(-2, 0), Number::NegInfinity];
        let ordinary = std::ptr::eq(elem.algebra, &PLUS_TIMES);
        let count = match elem.scalar {
            Scalar::Bool => 2,
            Scalar::F32 if ordinary => 6,
            Scalar::F32 => 4,
            _ => 3,
        };
        node(Node::Lit(elem, numbers[self.choose(count)]))
    }

    /// A binder over a term of this type.
    fn under(&mut self, n: &Ix, ty: &Type, fuel: u32) -> (Label, Expr) {
        let (label, outer) = (self.label(), self.ctx.level());
        let level = self.ctx.push_loop(label.clone(), n);
        let body = self.term(ty, fuel);
        self.ctx.truncate(outer);
        (label, subst::close(&body, level))
    }

    fn term(&mut self, ty: &Type, fuel: u32) -> Expr {
        if fuel == 0 {
            return self.leaf(ty);
        }
        let fuel = fuel - 1;
        match self.choose(10) {
            0 => self.leaf(ty),
            1 => node(Node::Guard(self.pred(1), self.term(ty, fuel))),
            2 => node(Node::Select(self.pred(1), self.term(ty, fuel), self.term(ty, fuel))),
            3 => {
                let bound_ty = Type { elem: self.elem(), shape: self.shape() };
                let (bound, label, outer) = (self.term(&bound_ty, fuel), self.label(), self.ctx.level());
                let level = self.ctx.push_tensor(label.clone(), bound_ty);
                let body = self.term(ty, fuel);
                self.ctx.truncate(outer);
                node(Node::Let(label, bound, subst::close(&body, level)))
            }
            4 => {
                let n = self.ix(1);
                let (label, body) = self.under(&n, ty, fuel);
                node(Node::Sum(label, n, body))
            }
            5 => prim(Prim::Add, [self.term(ty, fuel), self.term(ty, fuel)]),
            6 => {
                let mut taller = ty.clone();
                taller.shape.insert(0, Ix::free(0));
                node(Node::Get(self.term(&taller, fuel), self.ix(1)))
            }
            _ if !ty.shape.is_empty() => self.tensor(ty, fuel),
            _ => self.scalar(ty.elem, fuel),
        }
    }

    fn leaf(&mut self, ty: &Type) -> Expr {
        match (self.read(ty), &ty.shape[..]) {
            (Some(read), _) => read,
            (None, []) => self.literal(ty.elem),
            (None, [n, rest @ ..]) => {
                let (label, body) = self.under(n, &Type { elem: ty.elem, shape: rest.to_vec() }, 0);
                node(Node::Gen(label, n.clone(), body))
            }
        }
    }

    fn tensor(&mut self, ty: &Type, fuel: u32) -> Expr {
        let n = ty.shape[0].clone();
        let rest = Type { elem: ty.elem, shape: ty.shape[1..].to_vec() };
        match self.choose(4) {
            0 if ty.shape.len() > 1 => {
                let mut swapped = ty.clone();
                swapped.shape.swap(0, 1);
                atl_ops::transpose(self.term(&swapped, fuel))
            }
            1 => atl_ops::pad_l(Ix::ZERO, self.term(ty, fuel)),
            _ => {
                let (label, body) = self.under(&n, &rest, fuel);
                node(Node::Gen(label, n, body))
            }
        }
    }

    fn scalar(&mut self, elem: Elem, fuel: u32) -> Expr {
        let ty = Type { elem, shape: vec![] };
        let ordinary = std::ptr::eq(elem.algebra, &PLUS_TIMES);
        let integers = ordinary && elem.scalar.is_integer();
        let two = |m: &mut Self| [m.term(&ty, fuel), m.term(&ty, fuel)];
        if elem.scalar == Scalar::Bool {
            return match self.choose(5) {
                0 => prim(Prim::And, two(self)),
                1 => prim(Prim::Or, two(self)),
                2 => prim(Prim::Not, [self.term(&ty, fuel)]),
                3 if ordinary || std::ptr::eq(elem.algebra, &MIN_PLUS) => {
                    let sides = Type { elem: self::elem(Scalar::F32, elem.algebra), shape: vec![] };
                    let op = [Prim::Eq, Prim::Lt, Prim::Le][self.choose(3)];
                    prim(op, [self.term(&sides, fuel), self.term(&sides, fuel)])
                }
                _ => self.literal(elem),
            };
        }
        match self.choose(9) {
            0 | 3 if integers && self.choose(2) == 0 => prim(BITS[self.choose(BITS.len())], two(self)),
            4 if integers => prim(COUNTS[self.choose(COUNTS.len())], [self.term(&ty, fuel)]),
            0 => prim(Prim::Mul, two(self)),
            1 => prim([Prim::Min, Prim::Max][self.choose(2)], two(self)),
            2 if ordinary => prim([Prim::Sub, Prim::Div][self.choose(2)], two(self)),
            3 if ordinary => prim([Prim::Neg, Prim::Abs][self.choose(2)], [self.term(&ty, fuel)]),
            4 if elem.scalar.is_float() => {
                let function = Function::ALL[self.choose(Function::ALL.len())];
                let operands: Vec<Expr> = (0..function.arity()).map(|_| self.term(&ty, fuel)).collect();
                node(Node::Prim(Prim::Call(function), operands))
            }
            5 if ordinary => node(Node::Index(elem, self.ix(2))),
            6 if ordinary => {
                let other = if elem.scalar.is_float() { Scalar::I32 } else { Scalar::F32 };
                let from = Type { elem: self::elem(other, &PLUS_TIMES), shape: vec![] };
                prim(Prim::Cast(elem), [self.term(&from, fuel)])
            }
            7 if elem.scalar.is_float() => {
                let other = if ordinary { &MIN_PLUS } else { &PLUS_TIMES };
                let from = Type { elem: self::elem(elem.scalar, other), shape: vec![] };
                node(Node::View(AlgebraRef(elem.algebra), self.term(&from, fuel)))
            }
            8 => {
                let word = ["max", "min", "prod"][self.choose(3)];
                let over = atl_semirings::reduction(word).unwrap().algebra;
                let n = self.ix(1);
                let (label, body) = self.under(&n, &ty, fuel);
                let view = |algebra, e| node(Node::View(AlgebraRef(algebra), e));
                view(elem.algebra, node(Node::Sum(label, n, view(over, body))))
            }
            _ => {
                let truth = Type { elem: self::elem(Scalar::Bool, &PLUS_TIMES), shape: vec![] };
                let cond = self.term(&truth, fuel);
                let [a, b] = two(self);
                prim(Prim::Where, [cond, a, b])
            }
        }
    }
}

/// Two sizes and a tensor of each element type.
fn context() -> Ctx {
    let mut ctx = Ctx::new();
    let (n, m) = (ctx.push_size(Label::new("N")), ctx.push_size(Label::new("M")));
    let mut tensor = |name, elem, shape: &[u32]| {
        let shape = shape.iter().map(|l| Ix::free(*l)).collect();
        ctx.push_tensor(Label::new(name), Type { elem, shape });
    };
    tensor("a", elem(Scalar::F32, &PLUS_TIMES), &[n, m]);
    tensor("x", elem(Scalar::F32, &PLUS_TIMES), &[n]);
    tensor("d", elem(Scalar::F32, &MIN_PLUS), &[n]);
    tensor("k", elem(Scalar::I32, &PLUS_TIMES), &[m]);
    tensor("t", elem(Scalar::Bool, &PLUS_TIMES), &[n]);
    ctx
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 1500, ..ProptestConfig::default() })]
    #[test]
    fn random_terms(choices in proptest::collection::vec(any::<u8>(), 0..160), wants in any::<bool>()) {
        let mut maker = Maker { ctx: context(), choices: choices.iter() };
        let ty = Type { elem: maker.elem(), shape: maker.shape() };
        let e = maker.term(&ty, 5);
        let ctx = context();
        prop_assert_eq!(type_of(&ctx, &e, &mut Arith::new()).map(|t| t.elem), Ok(ty.elem));
        check(&ctx, &e, wants.then_some(ty.elem));
    }
}

fn module(text: &str) -> Module {
    let parse = atl_syntax::parse_file(FileId(0), text);
    elaborate(&parse.tree, &mut NoImports, &mut Arith::new()).0
}

#[test]
fn functions_of_the_error_pages() {
    let mut count = 0;
    for page in PAGES {
        for text in page.text.split("\n```atl\n").skip(1).filter_map(|rest| rest.split("\n```").next()) {
            // A function is printed without the semirings that its file declares.
            let declared: String = text
                .split_inclusive("\n}\n")
                .filter(|item| item.trim_start().starts_with("semiring"))
                .collect();
            for f in module(text).functions {
                // Several results are the end of a function, and no expression.
                if f.several.is_empty() {
                    check(&f.ctx, &f.body, Some(f.result.elem));
                }
                let printed = print::print_function(&f, &f.body, Options::default());
                let again = module(&(declared.clone() + &printed)).functions;
                let [g] = &again[..] else { panic!("{printed}") };
                assert_eq!((&g.ctx, &g.body, &g.result), (&f.ctx, &f.body, &f.result), "{printed}");
                count += 1;
            }
        }
    }
    assert!(count > 50);
}

#[test]
fn conditions_on_indices_that_elements_say() {
    let text = "fn f(x: f64[N], n: size) -> f64[N] { iterate t < n from far = i32(1), y = x { 2 * far, \
                gen i < N { select(i < index(far) || N <= i + index(far), 0, y[i]) } } in y }";
    let f = &module(text).functions[0];
    let printed = print::print_function(f, &f.body, Options::default());
    assert_eq!(module(&printed).functions.first().map(|g| &g.body), Some(&f.body), "{printed}");
}
