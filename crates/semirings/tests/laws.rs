//! Every law that an instance claims holds over samples of its carrier, on every scalar; every law that it
//! does not claim fails somewhere; and no carrier could be larger by the values it leaves out.

use atl_elementary::Double;
use atl_kernel::{Function, Laws, Prim, Scalar};
use atl_semirings::{ALL, Carrier, Constant, Op, Ops, REDUCTIONS, Semiring, by_name, elem, of, reduction};

/// A sample, exactly: floats are sums of few powers of two, so that no operation on them rounds.
#[derive(Clone, Copy, Debug)]
enum Value {
    Int(i128),
    Float(f64),
}

impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Int(a), Value::Int(b)) => a == b,
            (Value::Float(a), Value::Float(b)) => a == b || (a.is_nan() && b.is_nan()),
            _ => false,
        }
    }
}

fn wrap(scalar: Scalar, n: i128) -> Value {
    let (least, greatest) = scalar.range().expect("an integer type has a range");
    Value::Int((n - least).rem_euclid(greatest - least + 1) + least)
}

fn apply(scalar: Scalar, op: Op, a: Value, b: Value) -> Value {
    match (a, b) {
        (Value::Float(x), Value::Float(y)) => Value::Float(match op {
            Op::Add => x + y,
            Op::Mul => x * y,
            Op::Min if x < y => x,
            Op::Max if y < x => x,
            Op::Min | Op::Max => y,
            Op::Or | Op::And | Op::Own(_) => panic!("{op:?} on {scalar}"),
        }),
        (Value::Int(x), Value::Int(y)) => match op {
            Op::Or | Op::And => {
                assert_eq!(scalar, Scalar::Bool);
                Value::Int(if op == Op::Or { x | y } else { x & y })
            }
            _ => {
                assert_ne!(scalar, Scalar::Bool);
                wrap(
                    scalar,
                    match op {
                        Op::Add => x + y,
                        Op::Mul => x.wrapping_mul(y),
                        Op::Min => x.min(y),
                        _ => x.max(y),
                    },
                )
            }
        },
        _ => panic!("operands of two types"),
    }
}

fn constant(scalar: Scalar, c: Constant) -> Value {
    match c {
        Constant::Int(n) if scalar.is_float() => Value::Float(n as f64),
        Constant::Int(n) => Value::Int(n),
        Constant::PosInf => Value::Float(f64::INFINITY),
        Constant::NegInf => Value::Float(f64::NEG_INFINITY),
    }
}

/// Samples of a scalar type; those of a float may or may not be of the carrier.
fn samples(scalar: Scalar) -> Vec<Value> {
    match scalar {
        Scalar::Bool => [0, 1].map(Value::Int).to_vec(),
        _ if scalar.is_integer() => {
            let (least, greatest) = scalar.range().expect("an integer type has a range");
            let numbers = [0, 1, -1, 2, 3, -7, 17, 100, 1 << (scalar.bits() / 2 + 1)];
            let numbers = numbers.map(|n| wrap(scalar, n)).into_iter();
            numbers.chain([least, greatest, greatest - 1].map(Value::Int)).collect()
        }
        _ => {
            let numbers = [0.0, 1.0, -1.0, 0.5, 2.0, 3.0, -2.5, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
            numbers.map(Value::Float).to_vec()
        }
    }
}

fn carrier_samples(semiring: &Semiring, scalar: Scalar) -> Vec<Value> {
    let inside = |v: &Value| match v {
        Value::Float(x) => semiring.carrier.contains(*x),
        Value::Int(_) => true,
    };
    samples(scalar).into_iter().filter(inside).collect()
}

/// Numbers that have a next one: small, and about the greatest of each type.
const COUNTS: [i64; 12] =
    [0, 1, 2, 3, 127, 254, 255, 256, i32::MAX as i64 - 1, i32::MAX as i64, u32::MAX as i64, 1 << 40];

/// An index as a value: integers wrap, and any but 0 is true.
fn count(scalar: Scalar, k: i64) -> Value {
    match scalar {
        Scalar::Bool => Value::Int((k != 0).into()),
        _ if scalar.is_float() => Value::Float(k as f64),
        _ => wrap(scalar, k.into()),
    }
}

/// Values at which the law is false.
fn counterexample(law: Laws, scalar: Scalar, ops: Ops, values: &[Value]) -> Option<[Value; 3]> {
    let add = |a, b| apply(scalar, ops.add, a, b);
    let mul = |a, b| apply(scalar, ops.mul, a, b);
    let (zero, one) = (constant(scalar, ops.zero), constant(scalar, ops.one));
    let holds = |[a, b, c]: [Value; 3]| match law {
        Laws::ADD_0_L => add(zero, a) == a,
        Laws::ADD_0_R => add(a, zero) == a,
        Laws::ADD_COMM => add(a, b) == add(b, a),
        Laws::ADD_ASSOC => add(add(a, b), c) == add(a, add(b, c)),
        Laws::MUL_0_L => mul(zero, a) == zero,
        Laws::MUL_0_R => mul(a, zero) == zero,
        Laws::MUL_1_L => mul(one, a) == a,
        Laws::MUL_1_R => mul(a, one) == a,
        Laws::MUL_ASSOC => mul(mul(a, b), c) == mul(a, mul(b, c)),
        Laws::MUL_COMM => mul(a, b) == mul(b, a),
        Laws::DISTR_L => mul(a, add(b, c)) == add(mul(a, b), mul(a, c)),
        Laws::DISTR_R => mul(add(a, b), c) == add(mul(a, c), mul(b, c)),
        Laws::ADD_IDEM => add(a, a) == a,
        Laws::INDEX_COUNTS => {
            let next = |k: i64| count(scalar, k + 1) == add(count(scalar, k), one);
            count(scalar, 0) == zero && COUNTS.into_iter().all(next)
        }
        _ => panic!("a law without a test: {law}"),
    };
    let triples =
        values.iter().flat_map(|a| values.iter().flat_map(move |b| values.iter().map(move |c| [*a, *b, *c])));
    triples.into_iter().find(|t| !holds(*t))
}

/// The scalar types on which the algebra has operations.
fn meanings(semiring: &Semiring) -> Vec<(Scalar, Ops)> {
    Scalar::ALL.into_iter().filter_map(|s| semiring.on(s).map(|ops| (s, ops))).collect()
}

#[test]
fn claimed_laws_hold() {
    for semiring in ALL {
        for (scalar, ops) in meanings(semiring) {
            let values = carrier_samples(semiring, scalar);
            for (name, law) in Laws::TABLE.iter().filter(|(_, law)| semiring.algebra.laws.has(*law)) {
                let found = counterexample(*law, scalar, ops, &values);
                assert!(found.is_none(), "{name} of {}<{scalar}>: {found:?}", semiring.algebra.name);
            }
        }
    }
}

#[test]
fn laws_not_claimed_fail() {
    for semiring in ALL {
        // An index is an element of the ordinary algebra, and of another one only as a view of that.
        let claimed = semiring.algebra.laws.and(Laws::INDEX_COUNTS);
        for (name, law) in Laws::TABLE.iter().filter(|(_, law)| !claimed.has(*law)) {
            let fails = meanings(semiring).into_iter().any(|(scalar, ops)| {
                counterexample(*law, scalar, ops, &carrier_samples(semiring, scalar)).is_some()
            });
            assert!(fails, "{name} of {} could be claimed", semiring.algebra.name);
        }
    }
}

#[test]
fn carriers_leave_out_only_what_breaks_a_law() {
    for semiring in ALL.iter().filter(|s| s.admits(Scalar::F64)) {
        let ops = semiring.on(Scalar::F64).expect("it is admitted");
        for outside in samples(Scalar::F64) {
            let Value::Float(x) = outside else { panic!("a float") };
            if semiring.carrier.accepts(x) {
                continue;
            }
            let mut values = carrier_samples(semiring, Scalar::F64);
            values.push(outside);
            let claimed = Laws::TABLE.iter().filter(|(_, law)| semiring.algebra.laws.has(*law));
            let broken =
                claimed.into_iter().any(|(_, law)| counterexample(*law, Scalar::F64, ops, &values).is_some());
            assert!(broken, "{x} could belong to {}", semiring.algebra.name);
        }
    }
}

#[test]
fn constants_belong_to_the_carrier() {
    for semiring in ALL {
        for (scalar, ops) in meanings(semiring) {
            for c in [ops.zero, ops.one] {
                let inside = match constant(scalar, c) {
                    Value::Float(x) => semiring.carrier.contains(x),
                    Value::Int(n) => wrap(scalar, n) == Value::Int(n),
                };
                assert!(inside, "{c:?} of {}<{scalar}>", semiring.algebra.name);
            }
        }
    }
}

#[test]
fn tables_are_sorted_and_found_by_name() {
    assert!(ALL.is_sorted_by_key(|s| s.algebra.name));
    assert!(REDUCTIONS.is_sorted_by_key(|(name, _)| name));
    for semiring in ALL {
        assert!(std::ptr::eq(by_name(semiring.algebra.name).expect("listed"), *semiring));
        assert!(std::ptr::eq(of(semiring.algebra).expect("listed"), *semiring));
    }
    assert_eq!(reduction("prod").map(|s| s.algebra.name), Some("times"));
    assert!(elem(Scalar::I32, "min_plus").is_none());
    assert_eq!(elem(Scalar::F32, "min_plus").map(|e| e.to_string()), Some("min_plus<f32>".into()));
}

#[test]
fn ordinary_arguments_are_not_checked() {
    assert!(Carrier::Real.accepts(f64::NAN) && !Carrier::Real.contains(f64::NAN));
    assert!(!Carrier::NonNegative.accepts(-1.0) && Carrier::NonNegative.accepts(0.0));
}

#[test]
fn operations_that_leave_a_carrier_are_known() {
    let unary = |prim, x: f64| match prim {
        Prim::Neg => Some(-x),
        Prim::Abs => Some(x.abs()),
        Prim::Call(function) => Double::call(function, &[x]),
        _ => None,
    };
    let binary = |prim, x: f64, y: f64| match prim {
        Prim::Sub => Some(x - y),
        Prim::Div => Some(x / y),
        Prim::Min => Some(x.min(y)),
        Prim::Max => Some(x.max(y)),
        Prim::Call(function) => Double::call(function, &[x, y]).or(Double::call(function, &[x, y, x])),
        _ => None,
    };
    let of_numbers = [Prim::Neg, Prim::Abs, Prim::Sub, Prim::Div, Prim::Min, Prim::Max];
    let prims = of_numbers.into_iter().chain(Function::ALL.iter().map(|function| Prim::Call(*function)));
    for semiring in ALL.iter().filter(|s| s.admits(Scalar::F64)) {
        let carrier = semiring.carrier;
        let numbers: Vec<f64> =
            [0.0, 0.25, 1.0, 3.0, 4.0, -2.5].into_iter().filter(|x| carrier.contains(*x)).collect();
        for prim in prims.clone() {
            let pairs = numbers.iter().flat_map(|x| numbers.iter().map(move |y| (*x, *y)));
            let results = pairs.filter_map(|(x, y)| unary(prim, x).or(binary(prim, x, y)));
            let stays = results.filter(|z| z.is_finite()).all(|z| carrier.contains(z));
            assert_eq!(carrier.closed_under(prim), stays, "{prim:?} of {}", semiring.algebra.name);
        }
        for other in ALL.iter().filter(|s| s.admits(Scalar::F64)) {
            let included = !other.carrier.contains(-1.0) || carrier.contains(-1.0);
            assert_eq!(carrier.includes(other.carrier), included);
        }
    }
}
