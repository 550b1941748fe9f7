//! Random well-typed programs in TeIL, and changes of one number in them.
//!
//! Shapes are worked out here once more, beside the generator: what it makes is well typed by construction, and what a change
//! makes of it is decided by `shape`, which shares nothing with the checker.

use atl_kernel::Scalar;
use atl_teil::language::{
    Assignment, Declaration, Expr, Function, Item, Kind, Placed, Pointwise, Program, Reduction, Role, Size,
};
use atl_testkit::choices::Choices;

/// The sizes that dimensions have; every one has a value of at most 3.
pub(crate) const SIZES: [(&str, u64); 2] = [("n", 2), ("m", 3)];

/// The most elements of a tensor at hand, and the most dimensions.
const MOST: u64 = 54;
const MOST_DIMENSIONS: usize = 6;

fn value(size: &Size) -> u64 {
    match size {
        Size::Number(n) => *n,
        Size::Variable(name) => SIZES.iter().find(|(known, _)| known == name).map_or(0, |(_, n)| *n),
    }
}

fn elements(shape: &[Size]) -> u64 {
    shape.iter().map(value).product()
}

pub(crate) fn size(choices: &mut Choices) -> Size {
    match choices.below(5) {
        0 => Size::Number(1 + choices.below(3) as u64),
        k => Size::Variable(SIZES[k % 2].0.to_owned()),
    }
}

/// A program, and the operands that one can have.
pub(crate) struct Generator<'c> {
    pub(crate) choices: &'c mut Choices,
    element: Scalar,
    tensors: Vec<(String, Vec<Size>)>,
}

impl<'c> Generator<'c> {
    /// A random program of one result.
    pub(crate) fn program(choices: &'c mut Choices, result: &str) -> (Program, Scalar) {
        let element = *choices.of(&[Scalar::I64, Scalar::F64, Scalar::I32, Scalar::F32]);
        let mut items = Vec::new();
        let mut this = Generator { choices, element, tensors: vec![] };
        for name in ["A", "B", "C"] {
            let rank = this.choices.below(4);
            let shape: Vec<Size> = (0..rank).map(|_| size(this.choices)).collect();
            items.push(this.declare(Role::Input, name, &shape));
        }
        for k in 0..this.choices.below(3) {
            let (value, shape) = this.expr(2);
            // An earlier tensor is assigned anew, if it is of this shape and the program's own.
            let name = format!("T{k}");
            let again =
                this.tensors.iter().find(|(name, known)| name.starts_with('T') && *known == shape).cloned();
            let name = match again {
                Some((again, _)) if this.choices.one_in(2) => again,
                _ => {
                    items.push(this.declare(Role::Alloc, &name, &shape));
                    name
                }
            };
            items.push(Item::Assign(Assignment { target: Placed::unplaced(name), value }));
        }
        let (value, shape) = this.expr(4);
        items.push(this.declare(Role::Output, result, &shape));
        items.push(Item::Assign(Assignment { target: Placed::unplaced(result.to_owned()), value }));
        (Program { items }, element)
    }

    fn declare(&mut self, role: Role, name: &str, shape: &[Size]) -> Item {
        self.tensors.push((name.to_owned(), shape.to_vec()));
        let shape = shape.iter().cloned().map(Placed::unplaced).collect();
        let name = Placed::unplaced(name.to_owned());
        Item::Declare(Declaration { role, name, element: self.element, shape })
    }

    /// An operand of any shape.
    fn expr(&mut self, depth: usize) -> (Expr, Vec<Size>) {
        let boxed = |e: Expr| Box::new(e);
        let at = Placed::<usize>::unplaced;
        if depth == 0 || self.choices.one_in(8) {
            if self.choices.one_in(9) {
                return (Expr::new(Kind::Number(self.choices.below(4).to_string())), vec![]);
            }
            let (name, shape) = self.choices.of(&self.tensors).clone();
            return (Expr::name(&name), shape);
        }
        let (e, mut shape) = self.expr(depth - 1);
        let rank = shape.len();
        match self.choices.below(10) {
            0 | 1 => {
                let (f, other) = self.expr(depth - 1);
                let together = [&shape[..], &other[..]].concat();
                if together.len() > MOST_DIMENSIONS || elements(&together) > MOST {
                    return (e, shape);
                }
                (Expr::new(Kind::Prod(boxed(e), boxed(f))), together)
            }
            2 => {
                let scalar = self.scalar(depth - 1);
                (Expr::new(Kind::Mul(boxed(scalar), boxed(e))), shape)
            }
            3 | 4 if rank < MOST_DIMENSIONS && elements(&shape) * 2 <= MOST && self.choices.one_in(3) => {
                let other = self.alike(&shape, depth - 1);
                shape.insert(0, Size::Number(2));
                (Expr::new(Kind::Stack(vec![e, other])), shape)
            }
            3 => {
                let other = self.alike(&shape, depth - 1);
                if self.choices.one_in(3) {
                    return (Expr::new(Kind::Mul(boxed(e), boxed(other))), shape);
                }
                let op = *self.choices.of(Pointwise::ALL);
                (Expr::new(Kind::Pointwise(op, boxed(e), boxed(other))), shape)
            }
            4 if rank > 0 => {
                let i = self.choices.below(rank);
                shape.remove(i);
                let op = *self.choices.of(&[
                    Reduction::Sum,
                    Reduction::Sum,
                    Reduction::Product,
                    Reduction::Min,
                    Reduction::Max,
                ]);
                (Expr::new(Kind::Reduce(op, at(i + 1), boxed(e))), shape)
            }
            5 if rank > 0 => {
                let (i, j) = (self.choices.below(rank), self.choices.below(rank));
                shape.swap(i, j);
                (Expr::new(Kind::Transp(at(i + 1), at(j + 1), boxed(e))), shape)
            }
            6 | 7 if rank > 1 => {
                let pairs = (0..rank).flat_map(|i| (i + 1..rank).map(move |j| (i, j)));
                let pairs: Vec<(usize, usize)> = pairs.filter(|(i, j)| shape[*i] == shape[*j]).collect();
                if pairs.is_empty() {
                    return (e, shape);
                }
                let (i, j) = *self.choices.of(&pairs);
                shape.remove(j);
                if self.choices.one_in(2) {
                    return (Expr::new(Kind::Diag(at(i + 1), at(j + 1), boxed(e))), shape);
                }
                shape.remove(i);
                (Expr::new(Kind::Contr(at(i + 1), at(j + 1), boxed(e))), shape)
            }
            8 if rank < MOST_DIMENSIONS => {
                let (i, n) = (self.choices.below(rank + 1), size(self.choices));
                shape.insert(i, n.clone());
                if elements(&shape) > MOST {
                    shape.remove(i);
                    return (e, shape);
                }
                (Expr::new(Kind::Expa(at(i + 1), Placed::unplaced(n), boxed(e))), shape)
            }
            9 if rank > 0 => {
                let i = self.choices.below(rank);
                let n = shape.remove(i);
                // The last one, or of a number any.
                let m = match &n {
                    Size::Number(n) => Size::Number(1 + self.choices.below(*n as usize) as u64),
                    Size::Variable(_) if self.choices.one_in(2) => Size::Number(1),
                    Size::Variable(_) => n.clone(),
                };
                (Expr::new(Kind::Proj(at(i + 1), Placed::unplaced(m), boxed(e))), shape)
            }
            _ => {
                let floats = matches!(self.element, Scalar::F32 | Scalar::F64);
                let all: Vec<Function> =
                    Function::ALL.iter().copied().filter(|f| floats || !f.needs_floats()).collect();
                (Expr::new(Kind::Apply(*self.choices.of(&all), boxed(e))), shape)
            }
        }
    }

    /// An operand without dimensions: what is left of any when all are reduced.
    fn scalar(&mut self, depth: usize) -> Expr {
        let (mut e, shape) = self.expr(depth.min(2));
        for i in (1..=shape.len()).rev() {
            e = Expr::new(Kind::Reduce(Reduction::Sum, Placed::unplaced(i), Box::new(e)));
        }
        e
    }

    /// An operand of this shape: a tensor that has it, or a scalar expanded.
    fn alike(&mut self, shape: &[Size], depth: usize) -> Expr {
        for _ in 0..3 {
            let (e, found) = self.expr(depth);
            if found == shape {
                return e;
            }
        }
        let scalar = self.scalar(depth);
        (1..).zip(shape).fold(scalar, |e, (i, n)| {
            Expr::new(Kind::Expa(Placed::unplaced(i), Placed::unplaced(n.clone()), Box::new(e)))
        })
    }
}

/// Changes one of the numbers of a program: a position, a size, an index, or a size where one is declared.
pub(crate) fn mutated(program: &Program, choices: &mut Choices) -> Program {
    let mut mutant = program.clone();
    let mut count = 0;
    for item in &mut mutant.items {
        visit(item, &mut |_| count += 1);
    }
    let (chosen, mut k) = (choices.below(count.max(1)), 0);
    let by = *choices.of(&[1, -1, 2, 5]);
    let other = size(choices);
    for item in &mut mutant.items {
        visit(item, &mut |place| {
            if k == chosen {
                match place {
                    Place::Position(i) => *i = i.saturating_add_signed(by as isize),
                    Place::Size(Size::Number(n)) => *n = n.saturating_add_signed(by),
                    Place::Size(size) => *size = other.clone(),
                }
            }
            k += 1;
        });
    }
    mutant
}

/// Something that may be changed.
enum Place<'p> {
    Position(&'p mut usize),
    Size(&'p mut Size),
}

fn visit(item: &mut Item, f: &mut dyn FnMut(Place<'_>)) {
    match item {
        Item::Declare(declaration) => {
            declaration.shape.iter_mut().for_each(|size| f(Place::Size(&mut size.value)));
        }
        Item::Where(_) | Item::Infer => {}
        Item::Assign(assignment) => visit_expr(&mut assignment.value, f),
    }
}

fn visit_expr(e: &mut Expr, f: &mut dyn FnMut(Place<'_>)) {
    match &mut e.kind {
        Kind::Name(_) | Kind::Number(_) => {}
        Kind::Apply(_, e) => visit_expr(e, f),
        Kind::Stack(all) => all.iter_mut().for_each(|e| visit_expr(e, f)),
        Kind::Pointwise(_, a, b) | Kind::Mul(a, b) | Kind::Prod(a, b) => {
            visit_expr(a, f);
            visit_expr(b, f);
        }
        Kind::Reduce(_, i, e) => {
            f(Place::Position(&mut i.value));
            visit_expr(e, f);
        }
        Kind::Transp(i, j, e) | Kind::Diag(i, j, e) | Kind::Contr(i, j, e) => {
            f(Place::Position(&mut i.value));
            f(Place::Position(&mut j.value));
            visit_expr(e, f);
        }
        Kind::Expa(i, n, e) | Kind::Proj(i, n, e) => {
            f(Place::Position(&mut i.value));
            f(Place::Size(&mut n.value));
            visit_expr(e, f);
        }
    }
}

/// Whether every statement is well typed, worked out plainly: two sizes are equal if they are the same.
pub(crate) fn is_well_typed(program: &Program) -> bool {
    let mut declared: Vec<(&str, Vec<Size>)> = vec![];
    let at_least_one = |size: &Size| *size != Size::Number(0);
    program.items.iter().all(|item| match item {
        Item::Declare(declaration) => {
            let shape: Vec<Size> = declaration.shape.iter().map(|size| size.value.clone()).collect();
            let fine = shape.iter().all(at_least_one);
            declared.push((&declaration.name.value, shape));
            fine
        }
        Item::Where(_) | Item::Infer => true,
        Item::Assign(assignment) => {
            let target = declared.iter().find(|(name, _)| *name == assignment.target.value);
            shape(&assignment.value, &declared).as_ref() == target.map(|(_, shape)| shape)
        }
    })
}

fn shape(e: &Expr, declared: &[(&str, Vec<Size>)]) -> Option<Vec<Size>> {
    let of = |e: &Expr| shape(e, declared);
    let within = |i: &usize, n: usize| (1..=n).contains(i);
    match &e.kind {
        Kind::Name(name) => declared.iter().find(|(known, _)| known == name).map(|(_, shape)| shape.clone()),
        Kind::Number(_) => Some(vec![]),
        Kind::Apply(_, e) => of(e),
        Kind::Pointwise(_, a, b) => of(a).filter(|shape| Some(shape) == of(b).as_ref()),
        Kind::Mul(a, b) => {
            let (a, b) = (of(a)?, of(b)?);
            (a.is_empty() || a == b).then_some(b)
        }
        Kind::Prod(a, b) => Some([of(a)?, of(b)?].concat()),
        Kind::Stack(all) => {
            let mut shape = of(&all[0]).filter(|first| all.iter().all(|e| of(e).as_ref() == Some(first)))?;
            shape.insert(0, Size::Number(all.len() as u64));
            Some(shape)
        }
        Kind::Reduce(_, i, e) => {
            let mut shape = of(e).filter(|shape| within(&i.value, shape.len()))?;
            shape.remove(i.value - 1);
            Some(shape)
        }
        Kind::Transp(i, j, e) => {
            let fits = |shape: &Vec<Size>| within(&i.value, shape.len()) && within(&j.value, shape.len());
            let mut shape = of(e).filter(fits)?;
            shape.swap(i.value - 1, j.value - 1);
            Some(shape)
        }
        Kind::Diag(i, j, operand) | Kind::Contr(i, j, operand) => {
            let mut shape = of(operand)?;
            let fits = i.value >= 1 && i.value < j.value && j.value <= shape.len();
            if !fits || shape[i.value - 1] != shape[j.value - 1] {
                return None;
            }
            shape.remove(j.value - 1);
            if matches!(e.kind, Kind::Contr(..)) {
                shape.remove(i.value - 1);
            }
            Some(shape)
        }
        Kind::Expa(i, n, e) => {
            let mut shape = of(e).filter(|shape| within(&i.value, shape.len() + 1))?;
            shape.insert(i.value - 1, n.value.clone());
            (n.value != Size::Number(0)).then_some(shape)
        }
        Kind::Proj(i, m, e) => {
            let mut shape = of(e).filter(|shape| within(&i.value, shape.len()))?;
            let inside = match (&m.value, shape.remove(i.value - 1)) {
                (Size::Number(m), Size::Number(n)) => (1..=n).contains(m),
                (Size::Number(m), Size::Variable(_)) => *m == 1,
                (m, n) => *m == n,
            };
            inside.then_some(shape)
        }
    }
}
