//! The two checkers agree: the kernel's, and the independent one that was written from the format's document.
//!
//! They share no code, so what one accepts and the other refuses is an error in one of them, or in the document. On the
//! files made by hand each is tested by itself.

use atl_kernel::{Laws, Scalar};
use atl_testkit::choices::Choices;
use atl_testkit::mutation::{Mutation, mutants, mutate, original};

/// How many changes of each derivation's file are tried.
const MUTANTS: usize = 3;

fn by_kernel(text: &str) -> Result<(), String> {
    let file = atl_proof::read(text).map_err(|e| e.to_string())?;
    atl_proof::check(&file).map(|_| ()).map_err(|e| e.to_string())
}

fn by_recheck(text: &str) -> Result<(), String> {
    atl_recheck::check(text.as_bytes()).map(|_| ()).map_err(|e| e.to_string())
}

/// How the verdicts on a text differ, if they do.
fn difference(name: &str, text: &str) -> Option<String> {
    let (kernel, recheck) = (by_kernel(text), by_recheck(text));
    if kernel.is_ok() == recheck.is_ok() {
        return None;
    }
    Some(format!("{name}: the kernel says {kernel:?}, recheck says {recheck:?}"))
}

/// What the second checker says otherwise of a derivation's file than the kernel, which accepts it, and of changed ones.
pub(crate) fn differences(name: &str, text: &str) -> Vec<String> {
    let refused = by_recheck(text).err().map(|why| format!("{name} is refused: {why}"));
    let mut choices = Choices::new(name.bytes().fold(11, |seed, b| seed * 31 % 65_521 + u64::from(b)));
    let mutants = (0..MUTANTS).filter_map(|_| {
        let mutation = *choices.of(&Mutation::ALL);
        let mutant = mutate(text, mutation, &mut choices)?;
        difference(&format!("{name}, {mutation:?}"), &mutant)
    });
    refused.into_iter().chain(mutants).collect()
}

/// A file that claims `(x + x) + x = x + (x + x)`, or `x + x = x + x` by commutativity, in a class.
fn claim(rule: &str, algebra: &str, scalar: Scalar, class: &str) -> String {
    let (sides, claimed) = match rule {
        "add_comm" => ("t1 prim add t0 t0\ns0 rule add_comm t1\n", "t1 t1"),
        _ => ("t1 prim add t0 t0\nt2 prim add t1 t0\nt3 prim add t0 t1\ns0 rule add_assoc t2\n", "t2 t3"),
    };
    let text = format!(
        "atlp 1\nfunction \"f\"\ngiven\nsource\nschedule\nresult\nlaws {rule}\nrounding {class}\nproof\n\
         l0 \"x\" serial auto\na0 {algebra}\nt0 free 0\n{sides}x0 tensor l0 {scalar} a0\nclaim {claimed} s0\n"
    );
    format!("{text}end {}\n", text.lines().count())
}

/// A theorem about floats is not `bitwise`, and one about integers is nothing else: both checkers refuse other
/// claims.
#[test]
fn the_class_of_a_law_by_type_is_one_in_both_checkers() {
    let (mut accepted, mut tried) = (0, 0);
    for semiring in atl_semirings::instances::ALL {
        for scalar in Scalar::ALL.into_iter().filter(|s| semiring.admits(*s)) {
            for rule in ["add_assoc", "add_comm"] {
                let accepts = |class: &&str| {
                    let text = claim(rule, semiring.algebra.name, scalar, class);
                    assert_eq!(difference(&format!("{rule} {scalar} {class}"), &text), None);
                    by_kernel(&text).is_ok()
                };
                let classes: Vec<&str> = ["bitwise", "finite", "real"].into_iter().filter(accepts).collect();
                let expected = match (rule, semiring.algebra.laws.has(Laws::ADD_IDEM)) {
                    _ if !scalar.is_float() => "bitwise",
                    ("add_comm", _) | (_, true) => "finite",
                    _ => "real",
                };
                assert_eq!(classes, [expected], "{rule} over {}<{scalar}>", semiring.algebra.name);
                (accepted, tried) = (accepted + 1, tried + 3);
            }
        }
    }
    println!("{accepted} of {tried} claims are accepted");
}

#[test]
fn mutants_have_one_verdict() {
    let wrong: Vec<String> =
        mutants(12).iter().filter_map(|mutant| difference(&mutant.name, &mutant.text)).collect();
    assert!(wrong.is_empty(), "{} verdicts differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// Of every function, and of names and operands that are none, the kernel and the second checker say the same.
#[test]
fn both_know_the_functions_of_floats() {
    let says = |text: &str| {
        let kernel = atl_proof::read(text).ok().is_some_and(|file| atl_proof::check(&file).is_ok());
        let second = atl_recheck::check(text.as_bytes()).is_ok();
        assert_eq!(kernel, second, "{text}");
        kernel
    };
    let proof = |scalar: &str, value: &str| {
        original(&format!(
            "fn f(x: {scalar}[N]) -> {scalar}[N] {{ gen i < N {{ {value} }} }} schedule s of f {{ split i by 4; peel; }}"
        ))
    };
    for function in atl_kernel::Function::ALL {
        let operands = vec!["x[i]"; function.arity()].join(", ");
        let text = proof("f32", &format!("{}({operands})", function.name()));
        assert!(says(&text), "{}", function.name());
        let spelt = format!("prim {} ", function.name());
        assert!(text.contains(&spelt), "{text}");
        assert!(!says(&text.replace(&spelt, "prim gamma ")));
        // Another number of operands.
        let other = if function.arity() == 1 { "pow" } else { "sin" };
        assert!(!says(&text.replace(&spelt, &format!("prim {other} "))));
    }
    // A product of integers becomes a power, and their absolute value a sine.
    for (value, from, to) in [("x[i] * x[i]", "mul", "pow"), ("abs(x[i])", "abs", "sin")] {
        let text = proof("i32", value);
        assert!(says(&text));
        let forged = text.replace(&format!("prim {from} "), &format!("prim {to} "));
        assert_ne!(forged, text);
        assert!(!says(&forged));
    }
}
