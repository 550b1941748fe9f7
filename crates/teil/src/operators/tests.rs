//! Operators against their matrices, over exact numbers.

use super::{Clash, Factor, Made, Operator, Tensor, program};
use crate::evaluate::{Contents, Memory, Values, run};
use crate::language::{Pointwise, Size};
use crate::typing::check;

/// The contents of an input: small numbers that depend on its name.
fn input(name: &str, shape: &[u64]) -> Contents<i64> {
    let seed: u64 = name.bytes().map(u64::from).sum();
    let elements = (0..shape.iter().product()).map(|k| ((k * 7 + seed * 13 + k * k * seed) % 11) as i64 - 5);
    Contents { shape: shape.to_vec(), elements: elements.collect() }
}

fn numbers(shape: &[Size]) -> Vec<u64> {
    let number = |size: &Size| match size {
        Size::Number(n) => *n,
        Size::Variable(_) => panic!("the sizes of tests are numbers"),
    };
    shape.iter().map(number).collect()
}

type Matrix = Vec<Vec<i64>>;

fn product(a: &Matrix, b: &Matrix) -> Matrix {
    let entry = |row: &Vec<i64>, j: usize| row.iter().zip(b).map(|(x, row)| x * row[j]).sum();
    a.iter().map(|row| (0..b[0].len()).map(|j| entry(row, j)).collect()).collect()
}

fn each(a: &Matrix, b: &Matrix, f: impl Fn(i64, i64) -> i64) -> Matrix {
    a.iter().zip(b).map(|(x, y)| x.iter().zip(y).map(|(x, y)| f(*x, *y)).collect()).collect()
}

/// The operator as a matrix, rows and columns flattened row by row.
fn matrix(p: &Operator) -> Matrix {
    let (m, n) = (numbers(&p.outs).iter().product::<u64>(), numbers(&p.ins).iter().product::<u64>());
    let filled = |f: &dyn Fn(u64, u64) -> i64| (0..m).map(|i| (0..n).map(|j| f(i, j)).collect()).collect();
    match &p.made {
        Made::Matrix(name) => {
            let all = input(name, &[m, n]).elements;
            filled(&|i, j| all[(i * n + j) as usize])
        }
        Made::Identity => filled(&|i, j| i64::from(i == j)),
        Made::Diagonal(name) => {
            let all = input(name, &[m]).elements;
            filled(&|i, j| if i == j { all[i as usize] } else { 0 })
        }
        Made::Product(a, b) => {
            let (a, b) = (matrix(a), matrix(b));
            let rows = a.iter().flat_map(|x| b.iter().map(move |y| (x, y)));
            rows.map(|(x, y)| x.iter().flat_map(|s| y.iter().map(move |t| s * t)).collect()).collect()
        }
        Made::Sum(op, a, b) => {
            each(&matrix(a), &matrix(b), |x, y| if *op == Pointwise::Add { x + y } else { x - y })
        }
        Made::Scaled(Factor::Named(name), a) => {
            let s = input(name, &[]).elements[0];
            each(&matrix(a), &matrix(a), |x, _| s * x)
        }
        Made::Scaled(Factor::Number(s), a) => each(&matrix(a), &matrix(a), |x, _| *s as i64 * x),
        Made::Opposite(a) => each(&matrix(a), &matrix(a), |x, _| -x),
        Made::Composed(a, b) => product(&matrix(a), &matrix(b)),
    }
}

/// What is computed is the product with the matrix.
fn agrees(p: &Operator) {
    let u = Tensor::new("u", p.ins.clone());
    let v = p.apply(&u).expect("the tensor is made for it");
    let computed = program("v", &v);
    let checked = check(&computed).unwrap_or_else(|why| panic!("{computed}\n{}", why.message));
    let mut memory = Memory::new();
    for declaration in &checked.context.declarations {
        let shape = numbers(&crate::typing::declared(declaration));
        memory.insert(&declaration.name.value, input(&declaration.name.value, &shape));
    }
    run(&checked, &Values::new(), &mut memory).expect("well-typed programs do not trap");
    let column: Matrix = input("u", &numbers(&p.ins)).elements.iter().map(|x| vec![*x]).collect();
    let expected: Vec<i64> = product(&matrix(p), &column).into_iter().flatten().collect();
    assert_eq!(memory.tensor("v").expect("it is declared").elements, expected, "{computed}");
}

fn square(name: &str) -> Operator {
    Operator::matrix(name, 3u64, 3u64)
}

#[test]
fn operators_are_their_matrices() {
    let (a, b, c, d) = (square("A"), square("B"), square("C"), square("D"));
    let (ab, cd, ba) = (&a * &b, &c * &d, &b * &a);
    // These are those whose code, as published, has wrong values.
    agrees(&ab.compose(&cd.compose(&ba).unwrap()).unwrap());
    agrees(&(&ab + &ab.compose(&cd).unwrap()).unwrap());
    agrees(&(&ab.compose(&cd).unwrap() + &ab).unwrap());
    agrees(&ab.compose(&cd).unwrap().compose(&ba).unwrap());
    let (r, s) = (Operator::matrix("R", 4u64, 2u64), Operator::matrix("S", 2u64, 5u64));
    agrees(&(&r * &s));
    agrees(&(&(&s * &r) * &Operator::diagonal("L", 3u64)));
    agrees(&(&(-2.0 * &ab) - &cd.scaled(Factor::Named("k".to_owned()))).unwrap());
    let i = Operator::identity(3u64);
    let laplacian = (&(&(&a * &i) * &i) + &(&(&i * &a) * &i)).unwrap();
    agrees(&(&laplacian + &(&(&i * &i) * &a)).unwrap());
}

/// A random operator of this many dimensions, from `ins`.
fn random(next: &mut impl FnMut(u64) -> u64, ins: &[u64], depth: u32) -> Operator {
    if let ([n], true) = (ins, depth == 0 || next(3) == 0) {
        let name = ["A", "B", "C", "D"][next(4) as usize];
        return match next(4) {
            0 => Operator::identity(*n),
            1 => Operator::diagonal(&format!("L{n}"), *n),
            _ => {
                let m = 1 + next(3);
                Operator::matrix(&format!("{name}{m}{n}"), m, *n)
            }
        };
    }
    let depth = depth.saturating_sub(1);
    match next(5) {
        0 if depth > 0 => {
            let q = random(next, ins, depth);
            let between = numbers(&q.outs);
            random(next, &between, depth).compose(&q).expect("it takes what the other gives")
        }
        1 => -&random(next, ins, depth),
        2 => {
            let p = random(next, ins, depth);
            (&p + &p.scaled(Factor::Number(3.0))).expect("both have one space")
        }
        _ if ins.len() > 1 => {
            let k = 1 + next(ins.len() as u64 - 1) as usize;
            &random(next, &ins[..k], depth) * &random(next, &ins[k..], depth)
        }
        _ => random(next, ins, depth),
    }
}

#[test]
fn random_operators_are_their_matrices() {
    let mut state = 1u64;
    let mut next = move |n: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % n
    };
    for _ in 0..300 {
        let rank = 1 + next(3);
        let ins: Vec<u64> = (0..rank).map(|_| 1 + next(3)).collect();
        let p = random(&mut next, &ins, 3);
        agrees(&p);
    }
}

#[test]
fn index_spaces_are_compared_when_operators_are_built() {
    let (a, r) = (square("A"), Operator::matrix("R", 4u64, 3u64));
    assert_eq!(
        (&a + &r).unwrap_err().to_string(),
        "a sum, of what is given: the index spaces are [3] and [4], which differ in dimension 1"
    );
    assert!(a.compose(&r).is_err() && r.compose(&a).is_ok());
    assert!(matches!((&a * &a).apply(&Tensor::new("u", [9u64])), Err(Clash { what: "an application", .. })));
    assert!(Tensor::new("u", ["n"]).times(&Tensor::new("w", ["m"])).is_err());
}
