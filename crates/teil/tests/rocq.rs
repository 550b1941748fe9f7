//! TeIL here and TeIL in Rocq, `proofs/teil/`, are one language: random expressions have the same types and
//! elements.
//!
//! The expressions stand in `proofs/teil/Agreement.v` with what this crate says of each: its type and a
//! checksum of its elements, or that it is refused. Rocq computes both again when it builds the library; the
//! test here says that the file has what this crate says today. `UPDATE_EXPECT=1` writes it.

use atl_kernel::Scalar;
use atl_teil::evaluate::{Contents, Element, Memory, Values, element, indices};
use atl_teil::language::{
    Declaration, Expr, Function, Kind, Placed, Pointwise, Reduction, Role, Size, contr, diag, expa, mul,
    pointwise, prod, proj, sum,
};
use atl_teil::typing::{Context, Sizes};
use std::fmt::Write;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../proofs/teil/Agreement.v");

/// The tensors that expressions read.
const TENSORS: [(&str, &[u64]); 6] =
    [("s", &[]), ("u", &[2]), ("v", &[3]), ("q", &[2, 2]), ("w", &[2, 3]), ("c", &[3, 2, 3])];

/// The operations, and how many expressions of each are accepted and refused; some are never refused.
const WORDS: [&str; 12] =
    ["add", "sub", "mul", "red+", "red*", "transp", "diag", "contr", "expa", "proj", "prod", "neg"];
const NEVER_REFUSED: [&str; 2] = ["prod", "neg"];
const OF_EACH: usize = 8;
/// The most characters of one, and the most elements.
const LENGTH: usize = 100;
const MOST_ELEMENTS: u64 = 36;

/// Elements are numbers modulo this, so that they stay small.
const MODULUS: i64 = 97;

#[derive(Clone, Copy, PartialEq, Debug)]
struct Residue(i64);

impl Residue {
    fn of(n: i64) -> Residue {
        Residue(n.rem_euclid(MODULUS))
    }
}

impl Element for Residue {
    fn unit(reduction: Reduction) -> Residue {
        match reduction {
            Reduction::Sum => Residue(0),
            Reduction::Product => Residue(1),
            other => unreachable!("{other:?}"),
        }
    }

    fn number(text: &str) -> Option<Residue> {
        text.parse().ok().map(Residue::of)
    }

    fn mul(self, other: Residue) -> Residue {
        Residue::of(self.0 * other.0)
    }

    fn pointwise(op: Pointwise, a: Residue, b: Residue) -> Residue {
        match op {
            Pointwise::Add => Residue::of(a.0 + b.0),
            Pointwise::Sub => Residue::of(a.0 - b.0),
            op => unreachable!("{op:?}"),
        }
    }

    fn apply(function: Function, a: Residue) -> Residue {
        assert_eq!(function, Function::Neg);
        Residue::of(-a.0)
    }
}

/// An expression in Rocq's syntax.
fn in_rocq(e: &Expr) -> String {
    let one = |e: &Expr| format!("({})", in_rocq(e));
    let two = |a: &Expr, b: &Expr| format!("({}) ({})", in_rocq(a), in_rocq(b));
    match &e.kind {
        Kind::Name(name) => format!("Var \"{name}\""),
        Kind::Number(text) => format!("Number {text}%Z"),
        Kind::Pointwise(Pointwise::Add, a, b) => format!("Pointwise plus {}", two(a, b)),
        Kind::Pointwise(_, a, b) => format!("Pointwise minus {}", two(a, b)),
        Kind::Mul(a, b) => format!("Mul {}", two(a, b)),
        Kind::Prod(a, b) => format!("Prod {}", two(a, b)),
        Kind::Reduce(Reduction::Product, i, e) => format!("Red products {} {}", i.value, one(e)),
        Kind::Reduce(_, i, e) => format!("Red residues {} {}", i.value, one(e)),
        Kind::Transp(i, j, e) => format!("Transp {} {} {}", i.value, j.value, one(e)),
        Kind::Diag(i, j, e) => format!("Diag {} {} {}", i.value, j.value, one(e)),
        Kind::Contr(i, j, e) => format!("Contr {} {} {}", i.value, j.value, one(e)),
        Kind::Expa(i, n, e) => format!("Expa {} {} {}", i.value, n.value, one(e)),
        Kind::Proj(i, m, e) => format!("Proj {} {} {}", i.value, m.value, one(e)),
        Kind::Apply(_, e) => format!("Apply negated {}", one(e)),
        Kind::Stack(_) => unreachable!("not generated"),
    }
}

/// A stream of numbers, always the same one.
struct Choices(u64);

impl Choices {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }

    /// One operation, on expressions that are well typed; it need not be.
    fn operation(&mut self, pool: &[(Expr, Vec<u64>)]) -> Expr {
        // Of two, that with more dimensions.
        let (a, b) = (self.below(pool.len()), self.below(pool.len()));
        let (e, shape) = if pool[a].1.len() > pool[b].1.len() { &pool[a] } else { &pool[b] }.clone();
        // Every other time the second operand has the first one's type.
        let alike: Vec<&Expr> = pool.iter().filter(|(_, s)| *s == shape).map(|(e, _)| e).collect();
        let other = match self.below(2) {
            0 => alike[self.below(alike.len())].clone(),
            _ => pool[self.below(pool.len())].0.clone(),
        };
        let (i, j) = (self.below(shape.len() + 2), self.below(shape.len() + 2));
        let size = Size::Number(self.below(4) as u64);
        match self.below(18) {
            0 => pointwise(Pointwise::Add, e, other),
            1 => pointwise(Pointwise::Sub, e, other),
            2 => mul(e, other),
            3 => mul(other, e),
            4 | 5 => prod(e, other),
            6 => sum(i, e),
            7 => Expr::new(Kind::Reduce(Reduction::Product, Placed::unplaced(i), Box::new(e))),
            8 | 9 => Expr::new(Kind::Transp(Placed::unplaced(i), Placed::unplaced(j), Box::new(e))),
            10 | 11 => diag(i, j, e),
            12 | 13 => contr(i, j, e),
            14 => expa(i, size, e),
            15 | 16 => proj(i, size, e),
            _ => Expr::new(Kind::Apply(Function::Neg, Box::new(e))),
        }
    }
}

fn numbers(shape: &[Size]) -> Vec<u64> {
    let number = |size: &Size| match size {
        Size::Number(n) => *n,
        Size::Variable(name) => unreachable!("{name}"),
    };
    shape.iter().map(number).collect()
}

fn list(shape: &[u64]) -> String {
    let sizes: Vec<String> = shape.iter().map(u64::to_string).collect();
    format!("[{}]", sizes.join("; "))
}

/// The text between the heading and the theorems: what this crate says.
fn said() -> String {
    let declared = |(name, shape): (&str, &[u64])| Declaration {
        role: Role::Input,
        name: Placed::unplaced(name.to_owned()),
        element: Scalar::F64,
        shape: shape.iter().map(|n| Placed::unplaced(Size::Number(*n))).collect(),
    };
    let declarations: Vec<Declaration> = TENSORS.into_iter().map(declared).collect();
    let context = Context { declarations: declarations.iter().collect(), sizes: Sizes::new(vec![]) };
    let mut memory = Memory::new();
    for (at, (name, shape)) in TENSORS.into_iter().enumerate() {
        let value = |k: &Vec<u64>| Residue::of(k.iter().fold(at as i64 + 2, |v, m| v * 7 + *m as i64));
        let elements = indices(shape).iter().map(value).collect();
        memory.insert(name, Contents { shape: shape.to_vec(), elements });
    }
    let mut pool: Vec<(Expr, Vec<u64>)> =
        TENSORS.iter().map(|(name, shape)| (Expr::name(name), shape.to_vec())).collect();
    pool.push((Expr::new(Kind::Number("5".to_owned())), vec![]));
    let (mut accepted, mut refused): (Vec<String>, Vec<String>) = (vec![], vec![]);
    let (mut good, mut bad) = ([0; WORDS.len()], [0; WORDS.len()]);
    let mut choices = Choices(9);
    while accepted.len() < OF_EACH * WORDS.len()
        || refused.len() < OF_EACH * (WORDS.len() - NEVER_REFUSED.len())
    {
        let e = choices.operation(&pool);
        let (text, word) = (in_rocq(&e), WORDS.iter().position(|word| *word == e.word()).expect("its word"));
        if text.len() > LENGTH {
            continue;
        }
        match context.type_of(&e) {
            Ok(typed) if good[word] < OF_EACH => {
                let shape = numbers(&typed.shape);
                if shape.iter().product::<u64>() > MOST_ELEMENTS {
                    continue;
                }
                let all = indices(&shape).into_iter().map(|k| {
                    element(&typed, &Values::new(), &memory, &k)
                        .unwrap_or_else(|trap| panic!("{text}: {trap}"))
                });
                let checksum = all.fold(0, |sum, v: Residue| (sum * 31 + v.0) % 9973);
                let case = format!("({text}, {}, {checksum}%Z)", list(&shape));
                if !accepted.contains(&case) {
                    good[word] += 1;
                    accepted.push(case);
                    pool.push((e.clone(), shape));
                }
            }
            // A limit on dimensions is no rule of the language.
            Err(_) if bad[word] < OF_EACH && !refused.contains(&text) && e.word() != "prod" => {
                bad[word] += 1;
                refused.push(text);
            }
            _ => {}
        }
    }
    let mut said = String::new();
    let tensors: Vec<String> =
        TENSORS.iter().map(|(name, shape)| format!("(\"{name}\", {})", list(shape))).collect();
    let _ = writeln!(said, "Definition declared : list (string * sizes) :=\n  [{}].\n", tensors.join("; "));
    let accepted = accepted.join(";\n  ");
    let _ = writeln!(said, "Definition accepted : list (expr Z * sizes * Z) := [\n  {accepted}].\n");
    let _ = writeln!(said, "Definition refused : list (expr Z) := [\n  {}].\n", refused.join(";\n  "));
    said
}

#[test]
fn types_and_elements_are_those_that_rocq_computes() {
    let file = std::fs::read_to_string(FILE).expect("the file for Rocq");
    let (heading, rest) = file.split_once("Definition declared").expect("where it begins");
    let (_, theorems) = rest.split_once("(** * What Rocq says *)").expect("where it ends");
    let expected = format!("{heading}{}(** * What Rocq says *){theorems}", said());
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(FILE, expected).expect("it can be written");
        return;
    }
    assert!(file == expected, "`UPDATE_EXPECT=1` writes what is said now to proofs/teil/Agreement.v");
}
