//! Terms as syntax.
//!
//! A literal is printed bare, and whoever prints around it sees to its type: where what is printed does not
//! decide an element type, and the place does not want the right one, a conversion by that type's name goes
//! around it. Elaboration reads such a conversion as the literal's type, so it adds nothing to the term.

use super::Options;
use super::array::elements;
use super::index::{at, binary, call, compare, condition, index, integer, name, predicate, unary};
use super::names::Names;
use crate::algebra;
use crate::builtins;
use crate::decimal;
use crate::elab::in_range;
use crate::synth::synth;
use atl_diag::Span;
use atl_kernel::{
    Algebra, AlgebraRef, Ctx, Elem, Expr, Iterate, Ix, Label, LoopKind, Node, Number, Prim, Scalar, Storage,
    Type, Var, subst,
};
use atl_syntax::ast::{
    self, AccessKind, Attribute, BinaryOp, Binder, BinderOp, CompareOp, ExprKind, Rounds, UnaryOp,
};

/// The reductions other than `sum`, in the order in which they are recognised.
const REDUCTIONS: [BinderOp; 5] =
    [BinderOp::Max, BinderOp::Min, BinderOp::Any, BinderOp::All, BinderOp::Prod];

/// A context, and the names of its variables.
pub(super) struct Printer {
    ctx: Ctx,
    names: Names,
    options: Options,
}

impl Printer {
    pub(super) fn new(ctx: &Ctx, options: Options) -> Printer {
        Printer { ctx: ctx.clone(), names: Names::of(ctx), options }
    }

    /// A term at a place that wants this element type of its literals.
    pub(super) fn wanted(&mut self, e: &Expr, want: Option<Elem>) -> ast::Expr {
        let printed = self.bare(e);
        if !undecided(&printed) {
            return printed;
        }
        match synth(&mut self.ctx, e).map(|ty| ty.elem) {
            Some(elem) if want != Some(elem) && !algebra::is_variable(elem) => convert(elem, printed),
            _ => printed,
        }
    }

    /// A term at a place that wants its element type.
    fn bare(&mut self, e: &Expr) -> ast::Expr {
        match &**e {
            Node::Var(Var::Free(level)) => at(ExprKind::Name(self.names.at(*level).to_owned())),
            Node::Var(Var::Bound(_)) => at(ExprKind::Hole),
            Node::Lit(elem, number) if self.options.explicit => convert(*elem, self.literal(*elem, *number)),
            Node::Lit(elem, number) => self.literal(*elem, *number),
            Node::Index(elem, ix) => {
                let printed = index(&self.names, ix);
                // Of integers alone, the conversion would be a literal.
                let bare = !has_variable(ix);
                convert(*elem, if bare { call("index", vec![printed]) } else { printed })
            }
            Node::Gen(..) => self.binders(e, BinderOp::Gen),
            Node::Sum(..) => self.binders(e, BinderOp::Sum),
            Node::Guard(p, body) => self.guarded_read(p, body).unwrap_or_else(|| {
                let (p, body) = (predicate(&self.names, p), self.bare(body));
                at(ExprKind::Guard { predicate: Box::new(p), body: Box::new(body) })
            }),
            Node::Select(p, a, b) => {
                let p = condition(&self.names, p);
                call("select", vec![p, self.bare(a), self.bare(b)])
            }
            Node::Let(label, bound, body) => self.let_in(label, bound, body),
            Node::Iterate(it) => self.iteration(it),
            Node::Get(..) => {
                let (base, ixs) = spine(e, usize::MAX);
                self.access(AccessKind::Plain, base, &ixs)
            }
            Node::Prim(prim, args) => self.prim(*prim, args),
            Node::View(algebra, body) => self.view(*algebra, body),
            Node::Bundle(_, parts) => {
                at(ExprKind::Tuple(parts.iter().map(|part| self.wanted(part, None)).collect()))
            }
            Node::Op(def, ixs, args) if def.name == "concat" && ixs.is_empty() && args.len() == 2 => {
                if let Some(elements) = elements(e, self.ctx.level()) {
                    return at(ExprKind::List(elements.iter().map(|element| self.bare(element)).collect()));
                }
                binary(BinaryOp::Concat, self.bare(&args[0]), self.bare(&args[1]))
            }
            Node::Op(def, ixs, args) => {
                let mut all: Vec<ast::Expr> = ixs.iter().map(|ix| index(&self.names, ix)).collect();
                all.extend(args.iter().map(|a| self.bare(a)));
                call(def.name, all)
            }
        }
    }

    fn literal(&self, elem: Elem, number: Number) -> ast::Expr {
        let ordinary = algebra::is_ordinary(elem);
        let word = |text: &str| at(ExprKind::Name(text.to_owned()));
        let truth = |value| at(ExprKind::Bool(value));
        let boolean = elem.scalar == Scalar::Bool;
        match number {
            Number::Zero if ordinary && boolean => truth(false),
            Number::One if ordinary && boolean => truth(true),
            Number::Zero if ordinary => integer(0),
            Number::One if ordinary => integer(1),
            Number::Zero => word("zero"),
            Number::One => word("one"),
            Number::Infinity => word("inf"),
            Number::NegInfinity => unary(UnaryOp::Neg, word("inf")),
            Number::Decimal(m, 0) if boolean => truth(m != 0),
            Number::Decimal(m, e) => {
                let digits = match (e, u64::try_from(m.unsigned_abs())) {
                    (0, Ok(n)) => ExprKind::Int(n),
                    _ => ExprKind::Float(decimal::spell(m.unsigned_abs(), e)),
                };
                if m < 0 { unary(UnaryOp::Neg, at(digits)) } else { at(digits) }
            }
        }
    }

    /// Loops directly inside each other, in one.
    fn binders(&mut self, e: &Expr, op: BinderOp) -> ast::Expr {
        let level = self.ctx.level();
        let (mut body, mut binders) = (e.clone(), Vec::new());
        while let (Node::Gen(label, n, inner), BinderOp::Gen) | (Node::Sum(label, n, inner), BinderOp::Sum) =
            (&*body, op)
        {
            binders.push(self.enter_loop(label, n));
            body = subst::open(inner, self.ctx.level() - 1);
            if self.options.explicit {
                break;
            }
        }
        let printed = self.bare(&body);
        self.leave(level);
        at(ExprKind::Bind { op, binders, body: Box::new(printed) })
    }

    fn enter_loop(&mut self, label: &Label, n: &Ix) -> Binder {
        let hi = index(&self.names, n);
        let level = self.ctx.push_index(label.clone());
        self.names.push(label, "i");
        let attribute = match label.kind {
            LoopKind::Serial => None,
            LoopKind::Parallel => Some(("parallel", None)),
            LoopKind::Unroll => Some(("unroll", None)),
            LoopKind::Search => Some(("search", None)),
            LoopKind::Vector(lanes) => Some(("vectorize", lanes)),
        };
        let attributes = self.attributes(attribute);
        Binder { name: name(self.names.at(level)), lo: None, hi: Some(hi), attributes, span: Span::default() }
    }

    fn attributes(&self, attribute: Option<(&str, Option<u32>)>) -> Vec<Attribute> {
        let attribute = attribute.filter(|_| self.options.annotations).map(|(word, arg)| Attribute {
            name: name(word),
            args: arg.iter().map(|n| integer(i64::from(*n))).collect(),
            span: Span::default(),
        });
        attribute.into_iter().collect()
    }

    fn leave(&mut self, level: u32) {
        self.ctx.truncate(level);
        self.names.truncate(level);
    }

    fn let_in(&mut self, label: &Label, bound: &Expr, body: &Expr) -> ast::Expr {
        let value = self.wanted(bound, None);
        let level = self.ctx.level();
        match synth(&mut self.ctx, bound) {
            Some(ty) => self.ctx.push_tensor(label.clone(), ty),
            None => self.ctx.push_index(label.clone()),
        };
        self.names.push(label, "x");
        let word = match label.storage {
            Storage::Auto => None,
            Storage::Heap => Some(("heap", None)),
            Storage::Stack => Some(("stack", None)),
            Storage::Register => Some(("register", None)),
        };
        let (name, attributes) = (name(self.names.at(level)), self.attributes(word));
        let body = self.bare(&subst::open(body, level));
        self.leave(level);
        at(ExprKind::Let { name, attributes, value: Box::new(value), body: Box::new(body) })
    }

    /// An iteration whose value is its only state is printed without it.
    fn iteration(&mut self, it: &Iterate) -> ast::Expr {
        let outside = self.ctx.level();
        let types: Vec<_> = it.states.iter().map(|s| synth(&mut self.ctx, &s.init)).collect();
        let elems: Vec<_> = types.iter().map(|ty| ty.as_ref().map(|ty| ty.elem)).collect();
        let inits: Vec<_> = it.states.iter().map(|s| self.wanted(&s.init, None)).collect();
        let hi = index(&self.names, &it.extent);
        let ty = |k: usize| {
            types[k].clone().unwrap_or(Type { elem: algebra::ordinary(Scalar::F32), shape: Vec::new() })
        };
        let count = u32::try_from(it.states.len()).unwrap_or(u32::MAX);
        for (k, state) in it.states.iter().enumerate() {
            self.ctx.push_tensor(state.label.clone(), ty(k));
            self.names.push(&state.label, "x");
        }
        let names: Vec<_> = (outside..outside + count).map(|level| name(self.names.at(level))).collect();
        let alone = it.states.len() == 1 && *it.body == Node::Var(Var::Bound(0));
        let body = (!alone).then(|| Box::new(self.bare(&subst::open_all(&it.body, outside, count))));
        let (mut steps, mut binder) = (Vec::new(), None);
        for (new, state) in (0..).zip(&it.states) {
            let inside = self.ctx.level();
            for (k, other) in it.states[..new as usize].iter().enumerate() {
                self.ctx.push_tensor(other.label.clone(), ty(k));
                self.names.push(&Label::new(&format!("{}.new", names[k].text)), "x");
            }
            let entered = self.enter_loop(&it.label, &it.extent);
            binder.get_or_insert(Binder { hi: Some(hi.clone()), ..entered });
            let step = subst::open_all(&state.step, outside, count + new + 1);
            steps.push(self.wanted(&step, elems[new as usize]));
            self.leave(inside);
        }
        self.leave(outside);
        let index = binder.unwrap_or(Binder {
            name: name("t"),
            lo: None,
            hi: Some(hi),
            attributes: Vec::new(),
            span: Span::default(),
        });
        let states = names.into_iter().zip(inits).collect();
        let rounds = Rounds { index, states, until: None, lets: Vec::new(), steps, span: Span::default() };
        at(ExprKind::Iterate { rounds: Box::new(rounds), body })
    }

    fn access(&mut self, kind: AccessKind, base: &Expr, ixs: &[Ix]) -> ast::Expr {
        let base = Box::new(self.wanted(base, None));
        let indices = ixs.iter().map(|ix| index(&self.names, ix)).collect();
        at(ExprKind::Access { kind, base, indices })
    }

    /// `x?[i]`, where the guard is exactly that the indices are in range.
    fn guarded_read(&mut self, p: &atl_kernel::Pred, body: &Expr) -> Option<ast::Expr> {
        if self.options.explicit {
            return None;
        }
        for count in (1..=spine(body, usize::MAX).1.len()).rev() {
            let (base, ixs) = spine(body, count);
            let shape = synth(&mut self.ctx, base)?.shape;
            if in_range(&ixs, &shape) == *p {
                return Some(self.access(AccessKind::Guarded, base, &ixs));
            }
        }
        None
    }

    /// Operands that take their type from each other, at a place that wants none of them.
    fn deciding(&mut self, args: &[Expr]) -> Vec<ast::Expr> {
        let mut printed: Vec<ast::Expr> = args.iter().map(|a| self.bare(a)).collect();
        if printed.iter().all(undecided) {
            printed[0] = self.wanted(&args[0], None);
        }
        printed
    }

    /// An operand of a logical operation: a literal would be read as a predicate.
    fn truth(&mut self, e: &Expr) -> ast::Expr {
        let printed = self.bare(e);
        match (&printed.kind, &**e) {
            (ExprKind::Bool(_), Node::Lit(elem, _)) => convert(*elem, printed),
            _ => printed,
        }
    }

    fn prim(&mut self, prim: Prim, args: &[Expr]) -> ast::Expr {
        let infix = match prim {
            Prim::Add => Some(BinaryOp::Add),
            Prim::Sub => Some(BinaryOp::Sub),
            Prim::Mul => Some(BinaryOp::Mul),
            Prim::Div => Some(BinaryOp::Div),
            Prim::Rem => Some(BinaryOp::Rem),
            Prim::BitAnd => Some(BinaryOp::BitAnd),
            Prim::BitOr => Some(BinaryOp::BitOr),
            Prim::BitXor => Some(BinaryOp::BitXor),
            Prim::Shl => Some(BinaryOp::Shl),
            Prim::Shr => Some(BinaryOp::Shr),
            _ => None,
        };
        match (prim, infix, args) {
            (_, Some(op), [a, b]) => binary(op, self.bare(a), self.bare(b)),
            (Prim::And, _, [a, b]) => binary(BinaryOp::And, self.truth(a), self.truth(b)),
            (Prim::Or, _, [a, b]) => binary(BinaryOp::Or, self.truth(a), self.truth(b)),
            (Prim::Not, _, [a]) => match &**a {
                Node::Prim(Prim::Eq, sides) if sides.len() == 2 => self.comparison(CompareOp::Ne, sides),
                _ => unary(UnaryOp::Not, self.truth(a)),
            },
            (Prim::BitNot, _, [a]) => unary(UnaryOp::BitNot, self.bare(a)),
            (Prim::Eq, _, [_, _]) => self.comparison(CompareOp::Eq, args),
            (Prim::Lt, _, [_, _]) => self.comparison(CompareOp::Lt, args),
            (Prim::Le, _, [_, _]) => self.comparison(CompareOp::Le, args),
            (Prim::Neg, _, [a]) => {
                let printed = self.bare(a);
                // A minus before digits belongs to the literal.
                let literal =
                    matches!(printed.kind, ExprKind::Int(_) | ExprKind::Float(_)) || is_word(&printed);
                unary(UnaryOp::Neg, if literal { self.wanted(a, None) } else { printed })
            }
            (Prim::Where, _, [c, a, b]) => call("select", vec![self.truth(c), self.bare(a), self.bare(b)]),
            (Prim::Cast(to), _, [a]) => convert(to, self.wanted(a, Some(to))),
            _ => {
                let args = args.iter().map(|a| self.bare(a)).collect();
                call(builtins::name_of(prim).unwrap_or("_"), args)
            }
        }
    }

    fn comparison(&mut self, op: CompareOp, sides: &[Expr]) -> ast::Expr {
        let mut sides = self.deciding(sides).into_iter();
        match (sides.next(), sides.next()) {
            (Some(a), Some(b)) => compare(op, a, b),
            _ => at(ExprKind::Hole),
        }
    }

    /// A reduction, where the view is the outer one of exactly that; else a conversion.
    fn view(&mut self, algebra: AlgebraRef, body: &Expr) -> ast::Expr {
        if let Some(reduction) = self.reduction(algebra.0, body) {
            return reduction;
        }
        let scalar = synth(&mut self.ctx, body).map_or(Scalar::F32, |ty| ty.elem.scalar);
        let to = Elem { scalar, algebra: algebra.0 };
        convert(to, self.wanted(body, Some(to)))
    }

    fn reduction(&mut self, outer: &'static Algebra, body: &Expr) -> Option<ast::Expr> {
        let mut inner = body;
        while let Node::Sum(_, _, next) = &**inner {
            inner = next;
        }
        let Node::View(over, _) = &**inner else { return None };
        if self.options.explicit || std::ptr::eq(inner, body) || std::ptr::eq(over.0, outer) {
            return None;
        }
        let level = self.ctx.level();
        let (mut binders, mut inner) = (Vec::new(), body.clone());
        while let Node::Sum(label, n, next) = &*inner {
            binders.push(self.enter_loop(label, n));
            inner = subst::open(next, self.ctx.level() - 1);
        }
        let found = match &*inner {
            Node::View(_, reduced) => {
                let elem = synth(&mut self.ctx, reduced)
                    .map(|ty| ty.elem)
                    .filter(|e| std::ptr::eq(e.algebra, outer));
                let same = |a: &'static Algebra| std::ptr::eq(a, over.0);
                let is =
                    |op: &&BinderOp| elem.and_then(|e| algebra::reduction(op.word(), e)).is_some_and(same);
                REDUCTIONS.iter().find(is).map(|op| (*op, self.bare(reduced)))
            }
            _ => None,
        };
        self.leave(level);
        let (op, body) = found?;
        Some(at(ExprKind::Bind { op, binders, body: Box::new(body) }))
    }
}

/// The array below at most this many accesses, and their indices.
fn spine(e: &Expr, most: usize) -> (&Expr, Vec<Ix>) {
    let (mut base, mut ixs) = (e, Vec::new());
    while let Node::Get(array, ix) = &**base
        && ixs.len() < most
    {
        ixs.push(ix.clone());
        base = array;
    }
    ixs.reverse();
    (base, ixs)
}

fn has_variable(ix: &Ix) -> bool {
    match ix {
        Ix::Lit(_) => false,
        Ix::Var(_) => true,
        Ix::Bin(_, ab) => has_variable(&ab.0) || has_variable(&ab.1),
        Ix::Read(..) => true,
    }
}

fn is_word(e: &ast::Expr) -> bool {
    matches!(&e.kind, ExprKind::Name(text) if crate::elab::WORDS.contains(&text.as_str()))
}

/// Does nothing in printed syntax decide its element type?
fn undecided(e: &ast::Expr) -> bool {
    crate::elab::undecided(e, &|_| false, &|_| false)
}

/// A conversion to an element type.
fn convert(to: Elem, value: ast::Expr) -> ast::Expr {
    at(ExprKind::Convert { to: element(to), value: Box::new(value) })
}

/// The name of an element type.
pub(super) fn element(elem: Elem) -> ast::ElementType {
    let semiring = (!algebra::is_ordinary(elem)).then(|| name(elem.algebra.name));
    ast::ElementType { semiring, scalar: name(elem.scalar.name()), span: Span::default() }
}
