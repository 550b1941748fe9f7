//! Operators on tensors, put together in Rust: tensor products, sums, scalings, compositions; and what they
//! do to a tensor.
//!
//! ```
//! use atl_teil::operators::{Operator, Tensor, program};
//!
//! let a = Operator::matrix("A", 6u64, 4u64);
//! let p = &(&a * &a) * &a;
//! let u = Tensor::new("u", [4u64, 4, 4]);
//! let v = p.apply(&u)?;
//! assert!(program("v", &v).to_string().contains("input A : [6, 4]"));
//! assert!(p.apply(&v).is_err());
//! # Ok::<(), atl_teil::operators::Clash>(())
//! ```
//!
//! The one idea: an operator is never a tensor. It is a tree, whose index spaces are compared when it is
//! built, and its application to a tensor goes down the tree until matrices are contracted with tensors, one
//! at a time. `a.kron(&b)`, or `&a * &b`, is the tensor product, not the composition, which is
//! [`Operator::compose`]. What comes out is a program in TeIL.

use crate::language::{
    Assignment, Declaration, Expr, Item, Kind, Placed, Pointwise, Program, Role, Shape, Size, contr, moved,
    mul, pointwise, prod, shape,
};
use atl_kernel::Scalar;
use std::fmt;
use std::ops::{Add, Mul, Neg, Sub};

impl From<u64> for Size {
    fn from(n: u64) -> Size {
        Size::Number(n)
    }
}

impl From<&str> for Size {
    fn from(name: &str) -> Size {
        Size::Variable(name.to_owned())
    }
}

/// Index spaces that should be equal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Clash {
    /// What was to be built.
    pub what: &'static str,
    /// One of them.
    pub left: Shape,
    /// The other.
    pub right: Shape,
}

impl fmt::Display for Clash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (left, right) = (shape(&self.left), shape(&self.right));
        write!(f, "{}: the index spaces are {left} and {right}", self.what)?;
        match self.left.iter().zip(&self.right).position(|(a, b)| a != b) {
            Some(k) => write!(f, ", which differ in dimension {}", k + 1),
            None => write!(f, ", which have different numbers of dimensions"),
        }
    }
}

impl std::error::Error for Clash {}

/// A factor of a scaling.
#[derive(Clone, PartialEq, Debug)]
pub enum Factor {
    /// A literal, 0 or more.
    Number(f64),
    /// An input without dimensions.
    Named(String),
}

/// What an operator is made of.
#[derive(Clone, PartialEq, Debug)]
enum Made {
    Matrix(String),
    Identity,
    Diagonal(String),
    Product(Box<Operator>, Box<Operator>),
    Sum(Pointwise, Box<Operator>, Box<Operator>),
    Scaled(Factor, Box<Operator>),
    Opposite(Box<Operator>),
    Composed(Box<Operator>, Box<Operator>),
}

/// A linear map from tensors of one shape to tensors of another.
#[derive(Clone, PartialEq, Debug)]
pub struct Operator {
    made: Made,
    outs: Shape,
    ins: Shape,
}

/// A tensor, computed from inputs.
#[derive(Clone, PartialEq, Debug)]
pub struct Tensor {
    e: Expr,
    shape: Shape,
    inputs: Vec<(String, Shape)>,
}

impl Operator {
    fn new(made: Made, outs: Shape, ins: Shape) -> Operator {
        Operator { made, outs, ins }
    }

    /// An input matrix, from tensors of `cols` to tensors of `rows`.
    pub fn matrix(name: &str, rows: impl Into<Size>, cols: impl Into<Size>) -> Operator {
        Operator::new(Made::Matrix(name.to_owned()), vec![rows.into()], vec![cols.into()])
    }

    /// What changes nothing.
    pub fn identity(n: impl Into<Size>) -> Operator {
        let space = vec![n.into()];
        Operator::new(Made::Identity, space.clone(), space)
    }

    /// A diagonal matrix, whose diagonal is an input.
    pub fn diagonal(name: &str, n: impl Into<Size>) -> Operator {
        let space = vec![n.into()];
        Operator::new(Made::Diagonal(name.to_owned()), space.clone(), space)
    }

    /// The sizes of what it gives.
    pub fn outs(&self) -> &[Size] {
        &self.outs
    }

    /// The sizes of what it takes.
    pub fn ins(&self) -> &[Size] {
        &self.ins
    }

    /// The tensor product: this along the first dimensions, `other` along those after them.
    pub fn kron(&self, other: &Operator) -> Operator {
        let (outs, ins) = ([&self.outs[..], &other.outs].concat(), [&self.ins[..], &other.ins].concat());
        Operator::new(Made::Product(self.clone().into(), other.clone().into()), outs, ins)
    }

    /// `factor` times this.
    pub fn scaled(&self, factor: Factor) -> Operator {
        Operator::new(Made::Scaled(factor, self.clone().into()), self.outs.clone(), self.ins.clone())
    }

    /// First `other`, then this.
    ///
    /// # Errors
    /// What `other` gives is not what this takes.
    pub fn compose(&self, other: &Operator) -> Result<Operator, Clash> {
        alike("a composition", &self.ins, &other.outs)?;
        let made = Made::Composed(self.clone().into(), other.clone().into());
        Ok(Operator::new(made, self.outs.clone(), other.ins.clone()))
    }

    /// What this makes of a tensor.
    ///
    /// # Errors
    /// The tensor is not of the shape that this takes.
    pub fn apply(&self, to: &Tensor) -> Result<Tensor, Clash> {
        alike("an application", &self.ins, &to.shape)?;
        let mut inputs = to.inputs.clone();
        self.inputs(&mut inputs);
        Ok(Tensor { e: self.applied(to.e.clone(), 0), shape: self.outs.clone(), inputs })
    }

    /// Adds the inputs that this is made of.
    fn inputs(&self, inputs: &mut Vec<(String, Shape)>) {
        let mut add = |name: &String, shape: Shape| {
            if !inputs.iter().any(|(known, _)| known == name) {
                inputs.push((name.clone(), shape));
            }
        };
        match &self.made {
            Made::Matrix(name) => add(name, [&self.outs[..], &self.ins].concat()),
            Made::Diagonal(name) => add(name, self.outs.clone()),
            Made::Identity => {}
            Made::Scaled(factor, p) => {
                if let Factor::Named(name) = factor {
                    add(name, vec![]);
                }
                p.inputs(inputs);
            }
            Made::Opposite(p) => p.inputs(inputs),
            Made::Product(p, q) | Made::Sum(_, p, q) | Made::Composed(p, q) => {
                p.inputs(inputs);
                q.inputs(inputs);
            }
        }
    }

    /// This along the dimensions of `e` after the first `at`.
    fn applied(&self, e: Expr, at: usize) -> Expr {
        match &self.made {
            Made::Identity => e,
            Made::Matrix(name) => moved(1, at + 1, contr(2, at + 3, prod(Expr::name(name), e))),
            Made::Diagonal(name) => {
                // The elements of the other dimensions share the diagonal.
                moved(1, at + 1, crate::language::diag(1, at + 2, prod(Expr::name(name), e)))
            }
            Made::Product(p, q) => {
                let first = |e: Expr| p.applied(e, at);
                // The one that shrinks the most comes first.
                if p.shrinks() >= q.shrinks() {
                    q.applied(first(e), at + p.outs.len())
                } else {
                    first(q.applied(e, at + p.ins.len()))
                }
            }
            Made::Sum(op, p, q) => pointwise(*op, p.applied(e.clone(), at), q.applied(e, at)),
            Made::Scaled(factor, p) => {
                let factor = match factor {
                    Factor::Number(x) => Expr::new(Kind::Number(literal(*x))),
                    Factor::Named(name) => Expr::name(name),
                };
                mul(factor, p.applied(e, at))
            }
            Made::Opposite(p) => {
                Expr::new(Kind::Apply(crate::language::Function::Neg, Box::new(p.applied(e, at))))
            }
            Made::Composed(p, q) => p.applied(q.applied(e, at), at),
        }
    }

    /// What one entry more that is given costs less than one that is taken: `1/n - 1/m` of the sizes, larger
    /// for what shrinks more.
    fn shrinks(&self) -> f64 {
        let share = |space: &Shape| match space.as_slice() {
            [Size::Number(n)] => 1.0 / *n as f64,
            _ => 0.0,
        };
        share(&self.outs) - share(&self.ins)
    }
}

impl Tensor {
    /// An input.
    pub fn new<S: Into<Size>>(name: &str, shape: impl IntoIterator<Item = S>) -> Tensor {
        let shape: Shape = shape.into_iter().map(Into::into).collect();
        Tensor { e: Expr::name(name), inputs: vec![(name.to_owned(), shape.clone())], shape }
    }

    /// Its sizes.
    pub fn shape(&self) -> &[Size] {
        &self.shape
    }

    /// Element by element.
    ///
    /// # Errors
    /// The shapes differ.
    pub fn pointwise(&self, op: Pointwise, other: &Tensor) -> Result<Tensor, Clash> {
        self.with(other, |a, b| pointwise(op, a, b))
    }

    /// The product of each element with the other's.
    ///
    /// # Errors
    /// The shapes differ.
    pub fn times(&self, other: &Tensor) -> Result<Tensor, Clash> {
        self.with(other, mul)
    }

    fn with(&self, other: &Tensor, join: impl FnOnce(Expr, Expr) -> Expr) -> Result<Tensor, Clash> {
        alike("an operation on two tensors", &self.shape, &other.shape)?;
        let mut inputs = self.inputs.clone();
        inputs.extend(
            other.inputs.iter().filter(|(name, _)| !self.inputs.iter().any(|(n, _)| n == name)).cloned(),
        );
        Ok(Tensor { e: join(self.e.clone(), other.e.clone()), shape: self.shape.clone(), inputs })
    }
}

/// The program that computes a tensor.
pub fn program(name: &str, tensor: &Tensor) -> Program {
    let declare = |role, name: &str, shape: &Shape| {
        let shape = shape.iter().cloned().map(Placed::unplaced).collect();
        Item::Declare(Declaration {
            role,
            name: Placed::unplaced(name.to_owned()),
            element: Scalar::F64,
            shape,
        })
    };
    let mut items: Vec<Item> =
        tensor.inputs.iter().map(|(name, shape)| declare(Role::Input, name, shape)).collect();
    items.push(declare(Role::Output, name, &tensor.shape));
    let target = Placed::unplaced(name.to_owned());
    items.push(Item::Assign(Assignment { target, value: tensor.e.clone() }));
    Program { items }
}

/// A number as it is written; a whole one as such, so that it is one of any type.
fn literal(x: f64) -> String {
    if x.fract() == 0.0 && x < 1e15 { format!("{x}") } else { format!("{x:?}") }
}

fn alike(what: &'static str, left: &Shape, right: &Shape) -> Result<(), Clash> {
    if left == right { Ok(()) } else { Err(Clash { what, left: left.clone(), right: right.clone() }) }
}

impl Mul for &Operator {
    type Output = Operator;

    fn mul(self, other: &Operator) -> Operator {
        self.kron(other)
    }
}

impl Mul<&Operator> for f64 {
    type Output = Operator;

    fn mul(self, operator: &Operator) -> Operator {
        let positive = operator.scaled(Factor::Number(self.abs()));
        if self.is_sign_negative() { -&positive } else { positive }
    }
}

impl Neg for &Operator {
    type Output = Operator;

    fn neg(self) -> Operator {
        Operator::new(Made::Opposite(self.clone().into()), self.outs.clone(), self.ins.clone())
    }
}

impl Operator {
    fn sum(&self, op: Pointwise, other: &Operator) -> Result<Operator, Clash> {
        alike("a sum, of what is given", &self.outs, &other.outs)?;
        alike("a sum, of what is taken", &self.ins, &other.ins)?;
        let made = Made::Sum(op, self.clone().into(), other.clone().into());
        Ok(Operator::new(made, self.outs.clone(), self.ins.clone()))
    }
}

impl Add for &Operator {
    type Output = Result<Operator, Clash>;

    fn add(self, other: &Operator) -> Result<Operator, Clash> {
        self.sum(Pointwise::Add, other)
    }
}

impl Sub for &Operator {
    type Output = Result<Operator, Clash>;

    fn sub(self, other: &Operator) -> Result<Operator, Clash> {
        self.sum(Pointwise::Sub, other)
    }
}

#[cfg(test)]
mod tests;
