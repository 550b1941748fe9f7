//! Reshape operators: a lemma for each, which says where an operand's elements go and which cells of the
//! result are none of them.

use super::place::{Layer, diagonal};
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
        (name, ..) if let Some((count, to_front)) = moves(name) => {
            let layer = if to_front { Layer::Front(count) } else { Layer::Back(count) };
            (Pred::True, then(count, count), false, Some(layer))
        }
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

/// How many dimensions an operator moves one past the others of; whether that is the last one, which comes
/// first.
fn moves(name: &str) -> Option<(usize, bool)> {
    let (count, to_front) = match name.strip_prefix("rotate_") {
        Some(count) => (count, true),
        None => (name.strip_prefix("unrotate_")?, false),
    };
    let count = count.parse().ok().filter(|count| (3..=6).contains(count))?;
    Some((count, to_front))
}

/// Which of the result's elements are the operand's, where the others are zero.
fn is_element(name: &str, ixs: &[Ix], operand: &[Ix], index: &[Ix]) -> Result<Pred> {
    let cmp = |op, a: &Ix, b: &Ix| Pred::Cmp(op, a.clone(), b.clone());
    Ok(match (name, ixs, operand, index) {
        ("pad_r", _, [n, ..], [i, ..]) => cmp(Cmp::Lt, i, n),
        ("pad_l", [d, ..], _, [i, ..]) => cmp(Cmp::Le, d, i),
        ("one_hot", [_, c], _, [i, ..]) => cmp(Cmp::Eq, i, c),
        ("shear", _, [n, m, ..], [d, q, ..]) => cmp(Cmp::Lt, q, &diagonal(n, m, d)),
        _ => return mismatch("padding in cells that do not begin as zero"),
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
        let mut first = Vec::new();
        if pads && to.kind == Kind::Unset && !self.has_one_type {
            let element = |index: &[Ix]| is_element(definition.name, ixs, &operand, index);
            first.push(self.of_kept(scope, element, shape, to)?);
        } else if pads {
            self.padding(to)?;
        }
        if self.has_one_type && moves(definition.name).is_some_and(|(count, _)| count > 3) {
            return mismatch(&format!("the operator `{}`", definition.name));
        }
        // What of the operand's extents the result has, in its order.
        let staying: Vec<Ix> = match (definition.name, operand.as_slice()) {
            ("transpose", [n, m, ..]) => vec![m.clone(), n.clone()],
            ("unshear", _) => vec![ixs[0].clone(), ixs[1].clone()],
            (name, operand) => match moves(name) {
                Some((count, to_front)) if count <= operand.len() => {
                    let mut staying = operand[..count].to_vec();
                    staying.rotate_right(if to_front { 1 } else { count - 1 });
                    staying
                }
                _ => Vec::new(),
            },
        };
        let mut stay = first;
        for (n, kept) in staying.iter().zip(shape) {
            stay.push(self.equal(scope, kept, n)?);
        }
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
