//! Reshape operators: a lemma for each, which says where an operand's elements go and which cells of the
//! result are none of them.

use super::place::Layer;
use super::step::{Step, step};
use super::words::{Text, mismatch};
use super::{Kind, Lowering, Target};
use crate::error::Result;
use crate::raw;
use crate::scope::{Scope, Side};
use atl_kernel::{Cmp, Expr, Ix, IxOp, Node, Pred};
use atl_loops::Stmt;

/// What a lemma asks of the extents, those of the operand, whether other cells are padding, and where
/// elements go.
type Reshaping = (Pred, Vec<Ix>, bool, Option<Layer>);

/// `reshaping` of `Fills.v`.
fn reshaping(kind: Kind, name: &str, ixs: &[Ix], operand: &[Ix], shape: &[Ix]) -> Result<Reshaping> {
    let le = |a: &Ix, b: &Ix| Pred::Cmp(Cmp::Le, a.clone(), b.clone());
    let lt = |a: &Ix, b: &Ix| Pred::Cmp(Cmp::Lt, a.clone(), b.clone());
    let eq = |a: &Ix, b: &Ix| Pred::Cmp(Cmp::Eq, a.clone(), b.clone());
    let plus = |a: &Ix, b: &Ix| raw::bin(IxOp::Add, a.clone(), b.clone());
    let times = |a: &Ix, b: &Ix| raw::bin(IxOp::Mul, a.clone(), b.clone());
    let both = raw::and;
    let natural = |n: &Ix| le(&Ix::ZERO, n);
    // The operand's first extents, and then those of the goal.
    let then = |first: usize, rest: usize| -> Vec<Ix> {
        operand.iter().take(first).chain(shape.iter().skip(rest)).cloned().collect()
    };
    let d = ixs.first().cloned().unwrap_or(Ix::ZERO);
    Ok(match (name, operand, shape) {
        ("transpose", [_, _, ..], [_, _, ..]) => (Pred::True, then(2, 2), false, Some(Layer::Swap)),
        ("rotate_3", [_, _, _, ..], [_, _, _, ..]) => (Pred::True, then(3, 3), false, Some(Layer::Front)),
        ("unrotate_3", [_, _, _, ..], [_, _, _, ..]) => (Pred::True, then(3, 3), false, Some(Layer::Back)),
        ("flatten", [n, m, ..], [r, ..]) => {
            let asked = both(eq(r, &times(n, m)), both(natural(n), natural(m)));
            (asked, then(2, 1), false, Some(Layer::Merge(m.clone())))
        }
        ("trunc_r", [n, ..], [r, ..]) => {
            (le(r, n), then(1, 1), false, Some(Layer::Kept { extent: r.clone(), by: None }))
        }
        ("trunc_l", [n, ..], [r, ..]) => {
            let layer = Layer::Kept { extent: r.clone(), by: Some(d.clone()) };
            (both(le(&plus(r, &d), n), natural(&d)), then(1, 1), false, Some(layer))
        }
        ("pad_r", [n, ..], [r, ..]) => (le(n, r), then(1, 1), true, None),
        ("pad_l", [n, ..], [r, ..]) => {
            let asked = both(both(le(&plus(n, &d), r), le(r, &plus(n, &d))), natural(&d));
            (asked, then(1, 1), true, Some(Layer::Up(d)))
        }
        ("split", [n, ..], [q, r, ..]) => {
            let (own, all) = (both(lt(&Ix::ZERO, &d), eq(r, &d)), times(q, &d));
            // Where there is no rest, nothing is padded.
            let is_whole = kind == Kind::Unset;
            let asked = if is_whole { both(le(n, &all), le(&all, n)) } else { le(n, &all) };
            (both(own, asked), then(1, 2), !is_whole, Some(Layer::Cut(d)))
        }
        ("one_hot", _, [r, ..]) => {
            let Some(c) = ixs.get(1) else { return mismatch("an operator") };
            (raw::in_range(c, r), then(0, 1), true, Some(Layer::Index(c.clone())))
        }
        ("shear", [n, m, ..], [r, q, ..]) => {
            (sheared([n, m], [r, q]), then(2, 2), true, Some(Layer::Slanted(n.clone())))
        }
        ("unshear", [r, q, ..], [_, _, ..]) => {
            let Some(m) = ixs.get(1) else { return mismatch("an operator") };
            (sheared([&d, m], [r, q]), then(2, 2), false, Some(Layer::Upright(d, m.clone())))
        }
        (other, ..) => return mismatch(&format!("the operator `{other}`")),
    })
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

impl Lowering<'_, '_> {
    /// A reshape operator.
    pub(super) fn operator(
        &mut self,
        scope: &mut Scope,
        stmts: &[Stmt],
        e: &Expr,
        shape: &[Ix],
        to: &Target,
    ) -> Result<(Vec<Text>, Step)> {
        let Node::Op(definition, ixs, args) = &**e else { return mismatch("an operator") };
        if definition.name == "concat" {
            return self.concat(scope, stmts, args, shape, to);
        }
        let operand = scope.ty(&args[0], Side::Left)?.shape;
        let (asked, inner, pads, layer) = reshaping(to.kind, definition.name, ixs, &operand, shape)?;
        if pads {
            self.padding(to)?;
        }
        // What of the operand's extents the result has, in its order.
        let staying: &[&Ix] = match (definition.name, operand.as_slice()) {
            ("transpose", [n, m, ..]) => &[m, n],
            ("rotate_3", [n, m, r, ..]) => &[r, n, m],
            ("unrotate_3", [r, n, m, ..]) => &[n, m, r],
            ("unshear", _) => &[&ixs[0], &ixs[1]],
            _ => &[],
        };
        let stay = staying
            .iter()
            .zip(shape)
            .map(|(n, kept)| self.equal(scope, kept, n))
            .collect::<Result<Vec<_>>>()?;
        let asked = self.shown(scope, &asked)?;
        let to = match layer {
            Some(layer) => Target { place: to.place.with(layer), ..to.clone() },
            None => to.clone(),
        };
        let (texts, how) = self.fill(scope, stmts, &args[0], &inner, &to)?;
        Ok((texts, step!("Reshaped", stay, asked, how)))
    }

    /// Elements that are not stored are zero.
    pub(super) fn padding(&mut self, to: &Target) -> Result<()> {
        match to.kind {
            Kind::Unset | Kind::Replaced => return mismatch("padding in cells that do not begin as zero"),
            Kind::Zeroed => {}
            Kind::Adding => self.law(to, "ADD_0_R"),
        }
        Ok(())
    }

    fn concat(
        &mut self,
        scope: &mut Scope,
        stmts: &[Stmt],
        args: &[Expr],
        shape: &[Ix],
        to: &Target,
    ) -> Result<(Vec<Text>, Step)> {
        let (a, b) = (scope.ty(&args[0], Side::Left)?.shape, scope.ty(&args[1], Side::Left)?.shape);
        let (Some((r, rest)), Some(n), Some(m)) = (shape.split_first(), a.first(), b.first()) else {
            return mismatch("an operator on a scalar");
        };
        let count = self.parted(scope, stmts, &args[0])?;
        let sum = raw::bin(IxOp::Add, n.clone(), m.clone());
        let natural = |n: &Ix| Pred::Cmp(Cmp::Le, Ix::ZERO, n.clone());
        let whole = Pred::Cmp(Cmp::Eq, r.clone(), sum);
        let asked = self.shown(scope, &raw::and(whole, raw::and(natural(n), natural(m))))?;
        let with = |n: &Ix| -> Vec<Ix> { [n.clone()].into_iter().chain(rest.iter().cloned()).collect() };
        let (mut texts, one) = self.fill(scope, &stmts[..count], &args[0], &with(n), to)?;
        let to = Target { place: to.place.with(Layer::Up(n.clone())), ..to.clone() };
        let (more, two) = self.fill(scope, &stmts[count..], &args[1], &with(m), &to)?;
        texts.extend(more);
        Ok((texts, step!("Joined", count, asked, one, two)))
    }
}
