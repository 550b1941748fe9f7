//! The rules of expressions, T-Var to T-Proj.
//!
//! | rule | operands | result |
//! |---|---|---|
//! | T-Var | `x : s` declared | `s` |
//! | T-Add | `s`, `s` | `s` |
//! | T-SMul | `[]`, `s` | `s` |
//! | T-Mul | `s`, `s` | `s` |
//! | T-Prod | `s`, `t` | `s` then `t` |
//! | T-Red i | `[n1..nk]`, `1 <= i <= k` | without `ni` |
//! | T-Transp i j | `1 <= i, j <= k` | `ni` and `nj` exchanged |
//! | T-Diag i j | `1 <= i < j <= k`, `ni = nj` | without position `j` |
//! | T-Contr i j | as T-Diag | without `i` and `j` |
//! | T-Expa i n | `1 <= i <= k + 1`, `1 <= n` | `n` inserted, to be at `i` |
//! | T-Proj i m | `1 <= i <= k`, `1 <= m <= ni` | without `ni` |
//! | T-Stack n | `n` times `s` | `n`, then `s` |
//!
//! `mul a b` is T-SMul where `a` has no dimensions, and T-Mul else: where both rules apply their results
//! agree.

use super::{Sizes, Typed, declared, worded};
use crate::Refusal;
use crate::language::shape as listed;
use crate::language::{Declaration, Expr, Kind, MAX_DIMENSIONS, Placed, Position, Shape, Size};
use atl_diag::{Diagnostic, Span, err};

/// What is declared, and what is known of sizes.
#[derive(Clone, Debug)]
pub struct Context<'p> {
    /// The tensors, in order.
    pub declarations: Vec<&'p Declaration>,
    /// The sizes.
    pub sizes: Sizes,
}

impl<'p> Context<'p> {
    /// The declaration of a name.
    pub fn declaration(&self, name: &str) -> Option<&'p Declaration> {
        self.declarations.iter().copied().find(|d| d.name.value == name)
    }

    /// The type of an expression, and of all in it.
    ///
    /// # Errors
    /// The first rule that refuses it.
    pub fn type_of<'e>(&self, expr: &'e Expr) -> Result<Typed<'e>, Refusal> {
        let operands = expr.operands().into_iter().map(|e| self.type_of(e));
        let operands = operands.collect::<Result<Vec<_>, _>>()?;
        let shape = self.rule(expr, &operands)?;
        if shape.len() > MAX_DIMENSIONS {
            let found = shape.len();
            return Err(Box::new(
                err!(E0283, expr.span, "this has {found} dimensions; at most {MAX_DIMENSIONS} are taken")
                    .help("contract or reduce what is multiplied before it is multiplied on"),
            ));
        }
        Ok(Typed { expr, shape, operands })
    }

    fn rule(&self, expr: &Expr, operands: &[Typed<'_>]) -> Result<Shape, Refusal> {
        let shape = |k: usize| operands.get(k).map_or(&[][..], |operand| &operand.shape);
        match &expr.kind {
            Kind::Name(name) => self.variable(name, expr.span),
            Kind::Number(_) => Ok(vec![]),
            Kind::Apply(..) => Ok(shape(0).to_vec()),
            Kind::Pointwise(..) => {
                self.alike("T-Add", expr, operands)?;
                Ok(shape(0).to_vec())
            }
            Kind::Mul(..) if shape(0).is_empty() => Ok(shape(1).to_vec()),
            Kind::Mul(..) => {
                self.alike("T-Mul", expr, operands)?;
                Ok(shape(0).to_vec())
            }
            Kind::Prod(..) => Ok([shape(0), shape(1)].concat()),
            Kind::Stack(all) => {
                for pair in operands.windows(2) {
                    self.alike("T-Stack", expr, pair)?;
                }
                Ok([&[Size::Number(all.len() as u64)], shape(0)].concat())
            }
            Kind::Reduce(_, i, _) => {
                let i = dimension("T-Red", i, shape(0), shape(0).len())?;
                Ok(without(shape(0), i))
            }
            Kind::Transp(i, j, _) => {
                let i = dimension("T-Transp", i, shape(0), shape(0).len())?;
                let j = dimension("T-Transp", j, shape(0), shape(0).len())?;
                let mut exchanged = shape(0).to_vec();
                exchanged.swap(i, j);
                Ok(exchanged)
            }
            Kind::Diag(i, j, _) => {
                let (_, j) = self.diagonal("T-Diag", expr, (i, j), &operands[0])?;
                Ok(without(shape(0), j))
            }
            Kind::Contr(i, j, _) => {
                let (i, j) = self.diagonal("T-Contr", expr, (i, j), &operands[0])?;
                Ok(without(&without(shape(0), j), i))
            }
            Kind::Expa(i, n, _) => {
                let i = dimension("T-Expa", i, shape(0), shape(0).len() + 1)?;
                self.at_least_one("T-Expa", n)?;
                let mut expanded = shape(0).to_vec();
                expanded.insert(i, n.value.clone());
                Ok(expanded)
            }
            Kind::Proj(i, m, _) => {
                let at = dimension("T-Proj", i, shape(0), shape(0).len())?;
                self.index(i, m, shape(0), at)?;
                Ok(without(shape(0), at))
            }
        }
    }

    fn variable(&self, name: &str, span: Span) -> Result<Shape, Refusal> {
        if let Some(declaration) = self.declaration(name) {
            return Ok(declared(declaration));
        }
        let refusal =
            err!(E0282, span, "T-Var: there is no tensor `{name}`").label("not declared before this");
        Err(Box::new(match self.sizes.names().iter().any(|n| n == name) {
            true => refusal
                .help(format!("`{name}` is a size; sizes stand where dimensions are declared and added")),
            false => refusal.help(format!("declare it first: `input {name} : [n, m]`")),
        }))
    }

    /// Demands that a size is at least 1.
    pub(super) fn at_least_one(&self, rule: &str, size: &Placed<Size>) -> Result<(), Refusal> {
        if self.sizes.at_most(&Size::Number(1), &size.value) {
            return Ok(());
        }
        Err(Box::new(
            err!(E0285, size.span, "{rule}: the size {} is not at least 1", size.value)
                .label("every dimension has at least one entry")
                .help("sizes, positions and indices begin at 1"),
        ))
    }

    /// Demands two operands of one shape.
    fn alike(&self, rule: &str, expr: &Expr, operands: &[Typed<'_>]) -> Result<(), Refusal> {
        let [a, b] = operands else { return Ok(()) };
        let Some(clash) = self.clash(&a.shape, &b.shape) else { return Ok(()) };
        let (left, right) = (listed(&a.shape), listed(&b.shape));
        let message = format!("{rule}: `{}` of {left} and {right}", expr.word());
        let mut refusal = err!(E0284, expr.span, "{message}")
            .label("the shapes must be equal")
            .also(a.expr.span, left)
            .also(b.expr.span, right)
            .note(clash);
        if matches!(expr.kind, Kind::Mul(..)) && b.rank() == 0 {
            refusal = refusal.help("the scalar of `mul` stands on the left: exchange the operands");
        } else if let Some(how) = self.rearranged(&b.shape, &a.shape) {
            refusal = refusal.help(format!("{how} of the second operand would fit"));
        } else if a.rank() != b.rank() {
            refusal = refusal
                .help("`expa i n e` gives an operand one more dimension; `prod` multiplies any shapes");
        }
        Err(Box::new(refusal))
    }

    /// Why two shapes are not equal, if they are not.
    pub(super) fn clash(&self, a: &[Size], b: &[Size]) -> Option<String> {
        if a.len() != b.len() {
            return Some(format!("one has {}, the other {}", dimensions(a.len()), dimensions(b.len())));
        }
        let k = a.iter().zip(b).position(|(a, b)| !self.sizes.equal(a, b))?;
        let (left, right) = (&a[k], &b[k]);
        let clash = format!("dimension {} is {left} in one and {right} in the other", k + 1);
        Some(match self.witness(left, right) {
            sizes if sizes.is_empty() => clash,
            sizes => format!("{clash}; they differ for {sizes}"),
        })
    }

    /// Sizes for which two sizes differ, in words; nothing if both are numbers.
    fn witness(&self, a: &Size, b: &Size) -> String {
        self.sizes.different(a, b).map_or(String::new(), |found| worded(&found, &[a, b]))
    }

    /// The exchange of two dimensions that makes a shape fit, if one does.
    pub(super) fn rearranged(&self, from: &[Size], to: &[Size]) -> Option<String> {
        let pairs = (0..from.len()).flat_map(|i| (i + 1..from.len()).map(move |j| (i, j)));
        let mut fitting = pairs.filter(|(i, j)| {
            let mut exchanged = from.to_vec();
            exchanged.swap(*i, *j);
            self.clash(&exchanged, to).is_none()
        });
        fitting.next().map(|(i, j)| format!("`transp {} {}`", i + 1, j + 1))
    }

    fn diagonal(
        &self,
        rule: &str,
        expr: &Expr,
        (i, j): (&Position, &Position),
        operand: &Typed<'_>,
    ) -> Result<(usize, usize), Refusal> {
        let shape = operand.shape.as_slice();
        let (first, second) =
            (dimension(rule, i, shape, shape.len())?, dimension(rule, j, shape, shape.len())?);
        let word = expr.word();
        if first >= second {
            let refusal = err!(
                E0283,
                i.span.to(j.span),
                "{rule}: `{word} {} {}`: positions must increase",
                i.value,
                j.value
            );
            return Err(Box::new(match first > second {
                true => refusal.help(format!(
                    "write `{word} {} {}`: the dimension stays at the first position",
                    j.value, i.value
                )),
                false => refusal.help("a diagonal is one of two dimensions"),
            }));
        }
        let (left, right) = (&shape[first], &shape[second]);
        if self.sizes.equal(left, right) {
            return Ok((first, second));
        }
        let message = format!(
            "{rule}: dimensions {} and {} of {} are {left} and {right}",
            i.value,
            j.value,
            listed(shape)
        );
        let refusal = err!(E0284, i.span.to(j.span), "{message}").label("these two sizes must be equal");
        let mut refusal = refusal;
        for (at, position) in [(first, i), (second, j)] {
            if let Some((tensor, k)) = origin(operand, at) {
                let (position, dimension) = (position.value, k + 1);
                let text =
                    format!("position {position} is dimension {dimension} of {}", listed(&tensor.shape));
                refusal = refusal.also(tensor.expr.span, text);
            }
        }
        let refusal = match self.witness(left, right) {
            sizes if sizes.is_empty() => refusal,
            sizes => refusal.note(format!("they differ for {sizes}")),
        };
        let partner = |of: &Size, not: usize| {
            (0..shape.len())
                .find(|k| *k != not && *k != first && *k != second && self.sizes.equal(&shape[*k], of))
        };
        let other =
            partner(left, second).map(|k| (first, k)).or_else(|| partner(right, first).map(|k| (k, second)));
        Err(Box::new(match other {
            Some((a, b)) => {
                let (a, b) = (a.min(b) + 1, a.max(b) + 1);
                refusal.help(format!("dimensions {a} and {b} are equal: `{word} {a} {b}`, or exchange two dimensions where a tensor is declared"))
            }
            None if matches!((left, right), (Size::Number(_), Size::Number(_))) => {
                refusal.help("exchange two dimensions where a tensor is declared, or correct its sizes")
            }
            None => refusal.help(format!("state that they are: `where {left} == {right}`; or exchange two dimensions where a tensor is declared")),
        }))
    }

    fn index(&self, i: &Position, m: &Placed<Size>, shape: &[Size], at: usize) -> Result<(), Refusal> {
        self.at_least_one("T-Proj", m)?;
        let size = &shape[at];
        if self.sizes.at_most(&m.value, size) {
            return Ok(());
        }
        let message = format!("T-Proj: index {} of dimension {}, which has size {size}", m.value, i.value);
        let mut refusal = err!(E0285, m.span, "{message}").label(format!("the operand is {}", listed(shape)));
        if let Some(found) = self.sizes.not_at_most(&m.value, size) {
            let sizes = worded(&found, &[&m.value, size]);
            if !sizes.is_empty() {
                refusal = refusal.note(format!("it is outside for {sizes}"));
            }
        }
        Err(Box::new(match size {
            Size::Number(n) => refusal.help(format!("indices are 1 to {n}")),
            Size::Variable(_) => {
                refusal.help(format!("state that it is inside: `where {} <= {size}`", m.value))
            }
        }))
    }
}

/// A position as an index from 0, of this number of positions.
fn dimension(rule: &str, position: &Position, shape: &[Size], count: usize) -> Result<usize, Refusal> {
    if (1..=count).contains(&position.value) {
        return Ok(position.value - 1);
    }
    let refusal: Diagnostic =
        err!(E0283, position.span, "{rule}: there is no position {} in {}", position.value, listed(shape));
    Err(Box::new(match count {
        0 => refusal.label("the operand is a scalar").help("a scalar has no dimensions"),
        n => refusal
            .label(format!("positions are 1 to {n} here"))
            .help("dimensions are counted from the left, from 1"),
    }))
}

/// The tensor, among the factors of a product, and its dimension that stand at a position.
fn origin<'t, 'e>(typed: &'t Typed<'e>, at: usize) -> Option<(&'t Typed<'e>, usize)> {
    match &typed.expr.kind {
        Kind::Name(_) => Some((typed, at)),
        Kind::Prod(..) => match at.checked_sub(typed.operands[0].rank()) {
            None => origin(&typed.operands[0], at),
            Some(at) => origin(&typed.operands[1], at),
        },
        _ => None,
    }
}

/// A shape without one dimension.
fn without(shape: &[Size], at: usize) -> Shape {
    let mut shape = shape.to_vec();
    shape.remove(at);
    shape
}

fn dimensions(n: usize) -> String {
    if n == 1 { "1 dimension".to_owned() } else { format!("{n} dimensions") }
}
