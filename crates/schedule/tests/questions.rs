//! What a derivation asks of the prover grows no faster than it should.

use atl_arith::Arith;
use atl_diag::FileId;
use atl_kernel::{Cert, Ctx, Pred, Prover};
use atl_schedule::{Session, derive};

/// A prover whose questions are counted.
#[derive(Default)]
struct Counted {
    arith: Arith,
    questions: usize,
}

impl Prover for Counted {
    fn prove(&mut self, ctx: &Ctx, goal: &Pred) -> Option<Cert> {
        self.questions += 1;
        self.arith.prove(ctx, goal)
    }
}

/// How many questions the schedule `s` of `f` asks.
fn questions(text: &str) -> usize {
    let parse = atl_syntax::parse_file(FileId(0), text);
    let mut arith = Arith::default();
    let (module, wrong) = atl_lang::elaborate(&parse.tree, &mut atl_lang::NoImports, &mut arith);
    assert!(wrong.is_empty(), "{wrong:?}");
    let (f, schedule) = (module.function("f").expect("a function"), &module.schedules[0]);
    let mut counted = Counted::default();
    let done = derive(Session::new(&f.ctx, &f.body, &mut counted), &schedule.steps, schedule.span);
    assert!(done.is_ok(), "the schedule is carried out");
    counted.questions
}

/// `sum .. A[i, j, ..] * B[..]`, of this rank, where both are compressed in every dimension; the second's
/// indices are in the same order or the other way round.
fn products(rank: usize, reversed: bool) -> String {
    let index: Vec<char> = ('i'..).take(rank).collect();
    let list = |index: &[char]| index.iter().map(char::to_string).collect::<Vec<_>>().join(", ");
    let turned: Vec<char> = if reversed { index.iter().rev().copied().collect() } else { index.clone() };
    let shape = |index: &[char]| list(&index.iter().map(char::to_ascii_uppercase).collect::<Vec<_>>());
    let loops: String = index.iter().map(|i| format!("sum {i} < {} {{ ", i.to_ascii_uppercase())).collect();
    format!(
        "fn f(A: f64[{}] as csf, B: f64[{}] as csf) -> f64 {{ {loops} A[{}] * B[{}] {} }}\nschedule s of f {{ sparsify; }}\n",
        shape(&index),
        shape(&turned),
        list(&index),
        list(&turned),
        "}".repeat(rank)
    )
}

#[test]
fn loops_that_go_inward_ask_nothing_again_of_what_they_move_past() {
    for reversed in [false, true] {
        let [three, four, six] = [3, 4, 6].map(|rank| questions(&products(rank, reversed)));
        assert!(4 * three > 2 * four && 3 * four > six, "{three} {four} {six}");
        // Four derivations, where another order of the operands is tried.
        assert!(six < 1_000, "{six}");
    }
}
