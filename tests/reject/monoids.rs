//! Laws of monoids in proof files: both checkers have one verdict on whatever is changed, and what they
//! accept says its claims.

use atl_kernel::{
    Child, Ctx, Elem, Expr, Label, Laws, Monoid, Node, Number, Prim, Rule, Scalar, Thm, Type, Var,
};
use atl_proof::Header;
use atl_semirings::instances::PLUS_TIMES;
use std::sync::Arc;

const F32: Elem = Elem { scalar: Scalar::F32, algebra: &PLUS_TIMES };
const I32: Elem = Elem { scalar: Scalar::I32, algebra: &PLUS_TIMES };

fn prim(f: Prim, args: &[&Expr]) -> Expr {
    Arc::new(Node::Prim(f, args.iter().copied().cloned().collect()))
}

fn var(level: u32) -> Expr {
    Arc::new(Node::Var(Var::Free(level)))
}

/// The lesser of two numbers, with its place; the earlier of equal ones.
fn least() -> Arc<Monoid> {
    let [a, i, b, k] = [0, 1, 2, 3].map(var);
    let earlier = prim(Prim::And, &[&prim(Prim::Eq, &[&a, &b]), &prim(Prim::Le, &[&i, &k])]);
    let first = prim(Prim::Or, &[&prim(Prim::Lt, &[&a, &b]), &earlier]);
    let sum = [(&a, &b), (&i, &k)].map(|(x, y)| prim(Prim::Where, &[&first, x, y]));
    let lit = |elem, number| Arc::new(Node::Lit(elem, number));
    let zero = vec![lit(F32, Number::Infinity), lit(I32, Number::Decimal(i32::MAX.into(), 0))];
    Arc::new(Monoid::new("least", vec![F32, I32], zero, sum.to_vec(), Laws::ADD_COMM_MONOID).unwrap())
}

/// `-((a + b) + c) = -((b + c) + a)`, in the second field.
fn theorem() -> Thm {
    let (monoid, mut ctx) = (least(), Ctx::new());
    for elem in [F32, I32].into_iter().cycle().take(6) {
        ctx.push_tensor(Label::new("x"), Type { elem, shape: vec![] });
    }
    let (ctx, arith) = (Arc::new(ctx), &mut atl_arith::Arith::new());
    let [a, b, c] = [0, 2, 4].map(|first| vec![var(first), var(first + 1)]);
    let left = monoid.sum(&monoid.sum(&a, &b), &c)[1].clone();
    let law = |law, elements: &[&Vec<Expr>]| {
        Rule::Law(monoid.clone(), law, 1, elements.iter().copied().cloned().collect())
    };
    let thm = Thm::rule(&ctx, law(Laws::ADD_ASSOC, &[&a, &b, &c]), &left, arith).unwrap();
    let bc = monoid.sum(&b, &c);
    let turned = Thm::rule(&ctx, law(Laws::ADD_COMM, &[&a, &bc]), thm.rhs(), arith).unwrap();
    let thm = thm.trans(turned).unwrap();
    Thm::congruence(&ctx, &prim(Prim::Neg, &[&left]), Child::Arg(0), thm, arith).unwrap()
}

fn checked(text: &str) -> Option<Thm> {
    atl_proof::read(text).ok().and_then(|file| atl_proof::check(&file).ok())
}

fn rechecked(text: &str) -> Option<String> {
    atl_recheck::check(text.as_bytes()).ok().map(|claim| claim.to_string())
}

#[test]
fn a_file_says_on_which_laws_its_claim_rests() {
    let thm = theorem();
    let text = atl_proof::write(&thm, &Header::default()).unwrap();
    let again = checked(&text).unwrap();
    let claims = [(least(), Laws::ADD_COMM.and(Laws::ADD_ASSOC))];
    assert_eq!((again.lhs(), again.rhs(), again.claims()), (thm.lhs(), thm.rhs(), thm.claims()));
    assert_eq!(thm.claims(), claims);
    let said = rechecked(&text).unwrap();
    assert!(said.contains("\nif \"least\" with these fields has the laws add_comm add_assoc\n"), "{said}");
}

#[test]
fn what_is_changed_is_refused_or_makes_another_claim() {
    let thm = theorem();
    let text = atl_proof::write(&thm, &Header::default()).unwrap();
    let said = rechecked(&text).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let terms = lines.iter().filter(|line| line.starts_with('t')).count();
    let (mut refused, mut others) = (0, 0);
    for (k, line) in lines.iter().enumerate() {
        let words: Vec<&str> = line.split(' ').collect();
        if !line.starts_with('m') && !line.contains("rule monoid_law") {
            continue;
        }
        for at in 1..words.len() {
            let alternatives: Vec<String> = match words[at].chars().next().unwrap_or(' ') {
                't' if words[at].len() > 1 => (0..terms).map(|t| format!("t{t}")).collect(),
                'a' if words[at].starts_with("add") => {
                    Laws::TABLE.iter().map(|(name, _)| name.to_lowercase()).collect()
                }
                'f' | 'i' => ["f32", "i32", "f64", "bool"].map(str::to_owned).to_vec(),
                '0'..='9' => ["0", "1", "2", "3", "4294967295"].map(str::to_owned).to_vec(),
                '"' => vec!["\"most\"".to_owned()],
                _ => vec!["none".to_owned()],
            };
            for word in alternatives.iter().filter(|word| *word != words[at]) {
                let mut changed: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
                let mut words = words.clone();
                words[at] = word;
                changed[k] = words.join(" ");
                let changed = changed.join("\n") + "\n";
                let (first, second) = (checked(&changed), rechecked(&changed));
                assert_eq!(first.is_some(), second.is_some(), "{} for {line}", words.join(" "));
                let (Some(found), Some(second)) = (first, second) else {
                    refused += 1;
                    continue;
                };
                // Only what is claimed and not used changes nothing.
                let same = found.claims() == thm.claims();
                let printed = (found.lhs(), found.rhs()) == (thm.lhs(), thm.rhs()) && second == said;
                let unused = words[0] == "m0" && word.starts_with("add") || same;
                assert!(!printed || unused, "{} for {line}", words.join(" "));
                others += usize::from(!printed);
            }
        }
    }
    assert!(refused > 500 && others > 0, "{refused}, {others}");
}
