//! Every operation of a type on many pairs of values: on all pairs, where the type has 8 bits.

use super::Case;
use super::chance::Random;
use super::operations::edges;
use crate::interp::Cells;
use crate::{
    Access, BinOp, BufferParam, CmpOp, Int, Kernel, Literal, LoopKind, Name, Scalar, Stmt, UnOp, Val,
};

/// What one array of results is.
#[derive(Clone, Copy)]
enum Result {
    Un(UnOp),
    Bin(BinOp),
    Cmp(CmpOp),
    Convert(Scalar),
}

impl Result {
    fn scalar(self, of: Scalar) -> Scalar {
        match self {
            Result::Un(_) | Result::Bin(_) => of,
            Result::Cmp(_) => Scalar::Bool,
            Result::Convert(to) => to,
        }
    }

    fn val(self, x: Val, y: Val) -> Val {
        match self {
            Result::Un(op) => Val::un(op, x),
            Result::Bin(op) => Val::bin(op, x, y),
            Result::Cmp(op) => Val::cmp(op, x, y),
            Result::Convert(to) => Val::convert(to, x),
        }
    }

    fn of(self, x: Literal, y: Literal) -> Option<Literal> {
        match self {
            Result::Un(op) => op.apply(x),
            Result::Bin(op) => op.apply(x, y),
            Result::Cmp(op) => op.apply_values(x, y).map(Literal::Bool),
            Result::Convert(to) => Some(x.convert(to)),
        }
    }
}

/// A kernel that applies each operation of the type, each comparison and each conversion from it to pairs
/// of values: to all of them where the type has 8 bits, else to this many, of which a part are at the edges
/// of the type, and where it has 16 bits every value is a first operand. Beside it, what the operations
/// give.
pub fn pairs_case(scalar: Scalar, count: usize, seed: u64) -> (Case, Vec<Cells>) {
    let (x, y) = pairs(scalar, count, seed);
    let unary = UnOp::ALL.iter().filter(|op| op.accepts(scalar)).map(|op| Result::Un(*op));
    let binary = BinOp::ALL.iter().filter(|op| op.accepts(scalar)).map(|op| Result::Bin(*op));
    let compared = [CmpOp::Eq, CmpOp::Ne, CmpOp::Lt, CmpOp::Le].map(Result::Cmp);
    let converted = Scalar::ALL.map(Result::Convert);
    let results: Vec<Result> = unary.chain(binary).chain(compared).chain(converted).collect();

    let (i, n) = (Int::var("i"), Int::var("N"));
    let param = |name: &Name, scalar, access| BufferParam {
        name: name.clone(),
        scalar,
        extents: vec![n.clone()],
        access,
        over: None,
    };
    let operands = ["x", "y"].map(Name::from);
    let mut params: Vec<BufferParam> =
        operands.iter().map(|name| param(name, scalar, Access::Read)).collect();
    let [first, second] = operands.map(|name| Val::load(name, i.clone()));
    let mut stores = Vec::new();
    for (k, result) in results.iter().enumerate() {
        let name = Name::from(format!("z{k}"));
        params.push(param(&name, result.scalar(scalar), Access::Write));
        stores.push(Stmt::set(name, i.clone(), result.val(first.clone(), second.clone())));
    }
    let kernel = Kernel {
        name: Name::from(format!("pairs_{scalar}")),
        sizes: vec!["N".into()],
        params,
        requires: Vec::new(),
        requires_all: Vec::new(),
        body: Stmt::for_loop("i", Int::Lit(0), n.clone(), LoopKind::Serial, Stmt::seq(stores)),
    };
    let expected = results.iter().map(|result| {
        let values: Vec<Literal> = x.iter().zip(&y).filter_map(|(x, y)| result.of(*x, *y)).collect();
        Cells::from_literals(result.scalar(scalar), &values)
    });
    let expected = expected.collect();
    let inputs = [&x, &y].map(|values| Cells::from_literals(scalar, values)).to_vec();
    (Case { kernel, sizes: vec![i64::try_from(x.len()).unwrap_or(0)], inputs }, expected)
}

fn pairs(scalar: Scalar, count: usize, seed: u64) -> (Vec<Literal>, Vec<Literal>) {
    if let Some((least, greatest)) = scalar.range().filter(|_| scalar.bits() == 8) {
        let all = (least..=greatest).flat_map(|x| (least..=greatest).map(move |y| (x, y)));
        return all.map(|(x, y)| (Literal::of_integer(scalar, x), Literal::of_integer(scalar, y))).unzip();
    }
    let (mut random, edges) = (Random::new(seed), edges(scalar));
    let mut value = || match random.below(if scalar.is_float() { 4 } else { 3 }) {
        3 => near_a_middle(scalar, &mut random),
        0 => random.pick(&edges),
        // Of any size: numbers of few bits are as likely as those of many.
        1 => Literal::of_bits(scalar, random.bits() >> random.below(64)),
        _ => Literal::of_bits(scalar, random.bits()),
    };
    let (mut x, y): (Vec<Literal>, Vec<Literal>) = (0..count).map(|_| (value(), value())).unzip();
    if scalar.bits() == 16 {
        x.iter_mut().zip(0..1 << 16).for_each(|(x, bits)| *x = Literal::of_bits(scalar, bits));
    }
    (x, y)
}

/// A float midway between two of 16 bits, or beside that: where one rounding and two differ.
fn near_a_middle(scalar: Scalar, random: &mut Random) -> Literal {
    let half = random.pick(&[Scalar::F16, Scalar::BF16]);
    let bits = random.bits() & 0xffff;
    let [low, high] = [bits, bits + 1].map(|bits| Literal::of_bits(half, bits).to_f64());
    let middle = Literal::F64((low + high) / 2.0).convert(scalar);
    let beside = random.pick(&[0, 0, 1, u64::MAX]);
    Literal::of_bits(scalar, middle.bits().wrapping_add(beside))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interp::{Options, interpret};

    #[test]
    fn the_interpreter_gives_what_the_operations_give() {
        for scalar in Scalar::ALL.into_iter().filter(|scalar| scalar.bits() > 8) {
            let (case, expected) = pairs_case(scalar, 500, 3);
            let found = interpret(&case.kernel, &case.sizes, &case.inputs, Options::default());
            let found = found.unwrap_or_else(|error| panic!("{error}\n{}", case.kernel));
            let literals = |all: &[Cells]| all.iter().map(Cells::literals).collect::<Vec<_>>();
            assert_eq!(literals(&found), literals(&expected), "{scalar}");
        }
    }
}
