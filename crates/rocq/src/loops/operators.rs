//! Reshape operators: a lemma for each, which says where an operand's elements go and which cells of the result are none of them.

use super::place::Layer;
use super::words::mismatch;
use super::{Kind, Lowering, Target};
use crate::error::Result;
use crate::raw;
use crate::scope::{Scope, Side};
use atl_kernel::{Cmp, Expr, Ix, IxOp, Node, Pred};
use atl_loops::Stmt;

impl Lowering<'_, '_> {
    /// A reshape operator.
    pub(super) fn operator(
        &mut self,
        scope: &mut Scope,
        stmts: &[Stmt],
        e: &Expr,
        shape: &[Ix],
        to: &Target,
    ) -> Result<Vec<String>> {
        let Node::Op(definition, ixs, args) = &**e else { return mismatch("an operator") };
        let types = args.iter().map(|a| scope.ty(a, Side::Left)).collect::<Result<Vec<_>>>()?;
        let name = self.export.needs.operator(definition, &types)?;
        if definition.name == "one_hot" {
            return self.one_hot(scope, stmts, (ixs, &args[0], &types[0].shape, &name), to);
        }
        let operand = types[0].shape.clone();
        let (kept, d) = (shape.first().cloned(), operand.first().cloned());
        let (Some(r), Some(n)) = (kept, d) else { return mismatch("an operator on a scalar") };
        let second = || operand.get(1).cloned().unwrap_or(Ix::ONE);
        // The operator's lemma, its numbers, what it asks of them, and where elements go.
        let mut lemma = definition.name;
        let le = |a: &Ix, b: &Ix| Pred::Cmp(Cmp::Le, a.clone(), b.clone());
        let lt = |a: &Ix, b: &Ix| Pred::Cmp(Cmp::Lt, a.clone(), b.clone());
        let eq = |a: &Ix, b: &Ix| Pred::Cmp(Cmp::Eq, a.clone(), b.clone());
        let plus = |a: &Ix, b: &Ix| raw::bin(IxOp::Add, a.clone(), b.clone());
        let times = |a: &Ix, b: &Ix| raw::bin(IxOp::Mul, a.clone(), b.clone());
        let both = |p: Pred, q: Pred| raw::and(p, q);
        let natural = |n: &Ix| le(&Ix::ZERO, n);
        let (numbers, rest, asked, pads, layer) = match definition.name {
            "transpose" => (vec![n, second()], 2, None, false, Some(Layer::Swap)),
            "rotate_3" | "unrotate_3" if operand.len() > 2 => {
                let layer = if definition.name == "rotate_3" { Layer::Front } else { Layer::Back };
                (operand[..3].to_vec(), 3, None, false, Some(layer))
            }
            "flatten" => {
                let m = second();
                let asked = both(eq(&r, &times(&n, &m)), both(natural(&n), natural(&m)));
                (vec![n, m.clone(), r], 2, Some(asked), false, Some(Layer::Merge(m)))
            }
            "trunc_r" => {
                let asked = le(&r, &n);
                (vec![n, r.clone()], 1, Some(asked), false, Some(Layer::Kept { extent: r, by: None }))
            }
            "trunc_l" => {
                let d = ixs[0].clone();
                let asked = both(le(&plus(&r, &d), &n), natural(&d));
                let layer = Layer::Kept { extent: r.clone(), by: Some(d.clone()) };
                (vec![n, d, r], 1, Some(asked), false, Some(layer))
            }
            "pad_r" => {
                let asked = le(&n, &r);
                (vec![n, r], 1, Some(asked), true, None)
            }
            "pad_l" => {
                let d = ixs[0].clone();
                let asked = both(both(le(&plus(&n, &d), &r), le(&r, &plus(&n, &d))), natural(&d));
                (vec![n, d.clone(), r], 1, Some(asked), true, Some(Layer::Up(d)))
            }
            "split" => {
                let d = ixs[0].clone();
                let inner = shape.get(1).cloned().unwrap_or(Ix::ONE);
                let (own, all) = (both(lt(&Ix::ZERO, &d), eq(&inner, &d)), times(&r, &d));
                // Where there is no rest, nothing is padded.
                let is_whole = to.kind == Kind::Unset;
                let asked = if is_whole { both(le(&n, &all), le(&all, &n)) } else { le(&n, &all) };
                if is_whole {
                    lemma = "split_whole";
                }
                (vec![n, d.clone(), r, inner], 1, Some(both(own, asked)), !is_whole, Some(Layer::Cut(d)))
            }
            "shear" => {
                let (m, q) = (second(), shape.get(1).cloned().unwrap_or(Ix::ONE));
                let asked = sheared([&n, &m], [&r, &q]);
                (vec![n.clone(), m, r, q], 2, Some(asked), true, Some(Layer::Slanted(n)))
            }
            "unshear" => {
                let (n, m, q) = (ixs[0].clone(), ixs[1].clone(), second());
                let asked = sheared([&n, &m], [&operand[0], &q]);
                let layer = Layer::Upright(n.clone(), m.clone());
                (vec![n, m, operand[0].clone(), q], 2, Some(asked), false, Some(layer))
            }
            "concat" => return self.concat(scope, stmts, (args, &name), shape, to),
            other => return mismatch(&format!("the operator `{other}`")),
        };
        let rest = self.export.needs.shape(scope, Side::Left, operand.get(rest..).unwrap_or_default())?;
        let numbers = numbers.iter().map(|n| self.export.needs.ix(scope, Side::Left, n, &[]));
        let numbers = numbers.collect::<Result<Vec<_>>>()?.join(" ");
        self.export.line(&format!("try unfold {name}."));
        self.export.line(&format!("apply (fills_{lemma} _ _ _ _ _ {numbers} {rest})."));
        if pads {
            self.pads(to)?;
        }
        if let Some(asked) = asked {
            self.shown(scope, &asked)?;
        }
        let to = match layer {
            Some(layer) => Target { place: to.place.with(layer), ..to.clone() },
            None => to.clone(),
        };
        self.fill(scope, stmts, &args[0], &operand, &to)
    }

    /// Elements that are not stored are zero.
    fn pads(&mut self, to: &Target) -> Result<()> {
        match to.kind {
            Kind::Unset => return mismatch("padding in cells that do not begin as zero"),
            Kind::Zeroed => self.by("(pads_zeroed _)"),
            Kind::Adding => {
                let law = self.law_name(to, "ADD_0_R");
                self.by(&format!("(pads_adding _ {law})"));
            }
        }
        Ok(())
    }

    fn one_hot(
        &mut self,
        scope: &mut Scope,
        stmts: &[Stmt],
        (ixs, arg, shape, name): (&[Ix], &Expr, &[Ix], &str),
        to: &Target,
    ) -> Result<Vec<String>> {
        let [n, c] = ixs else { return mismatch("an operator") };
        let rest = self.export.needs.shape(scope, Side::Left, shape)?;
        let numbers = [c, n].map(|n| self.export.needs.ix(scope, Side::Left, n, &[]));
        let numbers = numbers.into_iter().collect::<Result<Vec<_>>>()?.join(" ");
        self.export.line(&format!("try unfold {name}."));
        self.export.line(&format!("apply (fills_one_hot _ _ _ _ _ {numbers} {rest})."));
        self.pads(to)?;
        self.shown(scope, &raw::in_range(c, n))?;
        let to = Target { place: to.place.with(Layer::Index(c.clone())), ..to.clone() };
        self.fill(scope, stmts, arg, shape, &to)
    }

    fn concat(
        &mut self,
        scope: &mut Scope,
        stmts: &[Stmt],
        (args, name): (&[Expr], &str),
        shape: &[Ix],
        to: &Target,
    ) -> Result<Vec<String>> {
        let (a, b) = (scope.ty(&args[0], Side::Left)?.shape, scope.ty(&args[1], Side::Left)?.shape);
        let (Some(r), Some(n), Some(m)) = (shape.first(), a.first(), b.first()) else {
            return mismatch("an operator on a scalar");
        };
        let (first, second) = self.parted(scope, stmts, &args[0])?;
        let numbers = [n, m, r].map(|n| self.export.needs.ix(scope, Side::Left, n, &[]));
        let numbers = numbers.into_iter().collect::<Result<Vec<_>>>()?.join(" ");
        let rest = self.export.needs.shape(scope, Side::Left, &a[1..])?;
        self.export.line(&format!("try unfold {name}."));
        self.export.line(&format!("apply (fills_concat _ _ _ _ _ _ {numbers} {rest})."));
        let sum = raw::bin(IxOp::Add, n.clone(), m.clone());
        let natural = |n: &Ix| Pred::Cmp(Cmp::Le, Ix::ZERO, n.clone());
        let whole = Pred::Cmp(Cmp::Eq, r.clone(), sum);
        self.shown(scope, &raw::and(whole, raw::and(natural(n), natural(m))))?;
        let one = self.goal(|this| this.fill(scope, first, &args[0], &a, to))?;
        let rest: Vec<Ix> = [m.clone()].into_iter().chain(a[1..].iter().cloned()).collect();
        let to = Target { place: to.place.with(Layer::Up(n.clone())), ..to.clone() };
        let two = self.goal(|this| this.fill(scope, second, &args[1], &rest, &to))?;
        Ok([one, two].concat())
    }
}

/// A matrix of `n` by `m` has `r` diagonals in rows of `q`.
fn sheared([n, m]: [&Ix; 2], [r, q]: [&Ix; 2]) -> Pred {
    let cmp = |op, a: &Ix, b: Ix| Pred::Cmp(op, a.clone(), b);
    let bin = |op, a: &Ix, b: &Ix| raw::bin(op, a.clone(), b.clone());
    let diagonals = cmp(Cmp::Eq, r, raw::bin(IxOp::Sub, bin(IxOp::Add, n, m), Ix::ONE));
    let longest = cmp(Cmp::Eq, q, bin(IxOp::Min, n, m));
    let [rows, columns] = [n, m].map(|n| cmp(Cmp::Lt, &Ix::ZERO, n.clone()));
    raw::and(diagonals, raw::and(longest, raw::and(rows, columns)))
}
