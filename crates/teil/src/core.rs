//! Core TeIL: exchanges of neighbours, and operations on the first dimensions only.
//!
//! The one idea: an operation at any position is the same operation in front, between exchanges of neighbours
//! that bring its dimensions there and the result back. So what is to be proved of TeIL need be proved of few
//! operations. [`Core::of`] and [`Core::to_expr`] go both ways: from Core and back is the identity; to Core
//! and back keeps type and value.
//!
//! | TeIL | Core |
//! |---|---|
//! | `red+ i e`, `proj i m e` | `cred+`, `cproj m` after `i` is brought to the front |
//! | `expa i n e` | `cexpa n`, then the front is brought to `i` |
//! | `diag i j e` | `i` to the front, `j` second, `cdiag`, the front to `i` |
//! | `contr i j e` | the same, and `cred+` in place of the way back |
//! | `transp i j e` | `i` to `j`, then what was there before to `i` |

use crate::language::{Expr, Function, Kind, Placed, Pointwise, Reduction, Size};
use crate::language::{diag, expa, proj, transp};

/// An expression of Core TeIL.
#[derive(Clone, PartialEq, Debug)]
pub enum Core {
    /// A tensor.
    Name(String),
    /// A number.
    Number(String),
    /// An operation on two tensors of one shape.
    Pointwise(Pointwise, Box<Core>, Box<Core>),
    /// `mul a b`
    Mul(Box<Core>, Box<Core>),
    /// `prod a b`
    Prod(Box<Core>, Box<Core>),
    /// A function of each element.
    Apply(Function, Box<Core>),
    /// `stack n e ..`
    Stack(Vec<Core>),
    /// `ctransp p e`: exchanges dimensions `p` and `p + 1`.
    Transp(usize, Box<Core>),
    /// `cred+ e` and its kin, of the first dimension.
    Reduce(Reduction, Box<Core>),
    /// `cdiag e`: of the first two dimensions, in front.
    Diag(Box<Core>),
    /// `cexpa n e`: one more dimension in front.
    Expa(Size, Box<Core>),
    /// `cproj m e`: of the first dimension.
    Proj(Size, Box<Core>),
}

impl Core {
    /// An expression, which is well typed, in Core TeIL.
    pub fn of(expr: &Expr) -> Core {
        let of = |e: &Expr| Box::new(Core::of(e));
        match &expr.kind {
            Kind::Name(name) => Core::Name(name.clone()),
            Kind::Number(text) => Core::Number(text.clone()),
            Kind::Pointwise(op, a, b) => Core::Pointwise(*op, of(a), of(b)),
            Kind::Mul(a, b) => Core::Mul(of(a), of(b)),
            Kind::Prod(a, b) => Core::Prod(of(a), of(b)),
            Kind::Apply(f, e) => Core::Apply(*f, of(e)),
            Kind::Stack(all) => Core::Stack(all.iter().map(Core::of).collect()),
            Kind::Reduce(op, i, e) => Core::Reduce(*op, Core::of(e).moved(i.value, 1).into()),
            Kind::Proj(i, m, e) => Core::Proj(m.value.clone(), Core::of(e).moved(i.value, 1).into()),
            Kind::Expa(i, n, e) => Core::Expa(n.value.clone(), of(e)).moved(1, i.value),
            Kind::Diag(i, j, e) => Core::of(e).diagonal(i.value, j.value).moved(1, i.value),
            Kind::Contr(i, j, e) => {
                Core::Reduce(Reduction::Sum, Core::of(e).diagonal(i.value, j.value).into())
            }
            Kind::Transp(i, j, e) => {
                let (i, j) = (i.value.min(j.value), i.value.max(j.value));
                match i == j {
                    true => Core::of(e),
                    false => Core::of(e).moved(i, j).moved(j - 1, i),
                }
            }
        }
    }

    /// Dimension `i` in front, `j` second, and their diagonal.
    fn diagonal(self, i: usize, j: usize) -> Core {
        Core::Diag(self.moved(i, 1).moved(j, 2).into())
    }

    /// Takes a dimension to another position, the others keeping their order.
    fn moved(self, from: usize, to: usize) -> Core {
        let exchange = |e: Core, p: usize| Core::Transp(p, e.into());
        if to <= from { (to..from).rev().fold(self, exchange) } else { (from..to).fold(self, exchange) }
    }

    /// The same in TeIL.
    pub fn to_expr(&self) -> Expr {
        let to = |e: &Core| Box::new(e.to_expr());
        match self {
            Core::Name(name) => Expr::name(name),
            Core::Number(text) => Expr::new(Kind::Number(text.clone())),
            Core::Pointwise(op, a, b) => Expr::new(Kind::Pointwise(*op, to(a), to(b))),
            Core::Mul(a, b) => Expr::new(Kind::Mul(to(a), to(b))),
            Core::Prod(a, b) => Expr::new(Kind::Prod(to(a), to(b))),
            Core::Apply(f, e) => Expr::new(Kind::Apply(*f, to(e))),
            Core::Stack(all) => Expr::new(Kind::Stack(all.iter().map(Core::to_expr).collect())),
            Core::Transp(p, e) => transp(*p, p + 1, e.to_expr()),
            Core::Reduce(op, e) => Expr::new(Kind::Reduce(*op, Placed::unplaced(1), to(e))),
            Core::Diag(e) => diag(1, 2, e.to_expr()),
            Core::Expa(n, e) => expa(1, n.clone(), e.to_expr()),
            Core::Proj(m, e) => proj(1, m.clone(), e.to_expr()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::{contr, sum};

    fn exchanges(core: &Core) -> usize {
        match core {
            Core::Transp(_, e) => 1 + exchanges(e),
            Core::Reduce(_, e) | Core::Diag(e) | Core::Expa(_, e) | Core::Proj(_, e) => exchanges(e),
            _ => 0,
        }
    }

    #[test]
    fn as_many_exchanges_as_positions_are_apart() {
        let a = || Expr::name("a");
        for i in 1..6 {
            assert_eq!(exchanges(&Core::of(&sum(i, a()))), i - 1);
            assert_eq!(exchanges(&Core::of(&proj(i, Size::Number(1), a()))), i - 1);
            assert_eq!(exchanges(&Core::of(&expa(i, Size::Number(2), a()))), i - 1);
            for j in i + 1..6 {
                assert_eq!(exchanges(&Core::of(&diag(i, j, a()))), 2 * (i - 1) + j - 2);
                assert_eq!(exchanges(&Core::of(&contr(i, j, a()))), i - 1 + j - 2);
                assert_eq!(exchanges(&Core::of(&transp(i, j, a()))), 2 * (j - i) - 1);
            }
        }
    }
}
