//! The file: what it declares, the definitions, a lemma for each step, the theorem.

use crate::error::Result;
use crate::loops::{self, Loops};
use crate::print::{Needs, index_of};
use crate::prove::{Export, Kind, Step, enter_context, replay};
use crate::scope::{Scope, Side};
use atl_arith::Arith;
use atl_kernel::{Ctx, Entry, Laws, Thm};
use std::fmt::Write;

/// Texts for people, which stand in a comment at the head of the file.
#[derive(Clone, Default, Debug)]
pub struct Header {
    /// The function's name.
    pub function: String,
    /// The two sides, and the schedule, in the surface language.
    pub text: String,
}

/// What was written.
#[derive(Clone, Debug)]
pub struct Exported {
    /// The file.
    pub text: String,
    /// Inferences by a primitive rule.
    pub inferences: usize,
    /// Certificates.
    pub certificates: usize,
}

/// The top-level chain of a proof: the equations that lead from one side to the other.
fn chain<'a>(step: &'a Step, links: &mut Vec<&'a Step>) {
    match &step.kind {
        Kind::Trans(p, q) => {
            chain(p, links);
            chain(q, links);
        }
        _ => links.push(step),
    }
}

/// A theorem as a file for Rocq.
///
/// # Errors
/// The theorem is not exported; the refusal says why.
pub fn export(thm: &Thm, given: Option<&Loops<'_>>, header: &Header) -> Result<Exported> {
    let step = replay(thm.ctx(), thm.proof())?;
    let mut prover = Arith::new();
    let mut export = Export::new(&mut prover);
    let mut scope = Scope::default();
    enter_context(&mut scope, thm.ctx());
    let shape = scope.ty(thm.lhs(), Side::Left)?.shape;
    let at = export.needs.shape(&scope, Side::Left, &shape)?;
    let mut links = Vec::new();
    chain(&step, &mut links);
    let mut body = String::new();
    let first = export.needs.term(&mut scope, Side::Left, thm.lhs())?;
    let _ = writeln!(body, "(** The program. *)\nDefinition source :=\n  {first}.\n");
    let mut before = ("source".to_owned(), thm.lhs());
    let mut proof = String::from("  apply refl.\n");
    for (k, link) in links.iter().enumerate() {
        let name = if k + 1 == links.len() { "scheduled".to_owned() } else { format!("step'{}", k + 1) };
        let rhs = link.thm.rhs();
        let text = export.needs.term(&mut scope, Side::Left, rhs)?;
        export.script.clear();
        export.indent = 1;
        export.prove(&mut scope, &shape, before.1, rhs, link)?;
        let (from, script) = (&before.0, &export.script);
        let _ = writeln!(body, "Definition {name} :=\n  {text}.\n");
        let _ = writeln!(
            body,
            "Lemma {name}_equal : teq {at} {from} {name}.\nProof.\n  unfold {from}, {name}.\n{script}Qed.\n"
        );
        if k == 0 {
            proof = format!("  exact {name}_equal.\n");
        } else {
            proof = proof.replacen("  exact ", &format!("  exact (trans {at} _ {from} _ "), 1);
            let end = proof.trim_end().trim_end_matches('.').to_owned();
            proof = format!("{end} {name}_equal).\n");
        }
        before = (name, rhs);
    }
    let loops = match given {
        Some(given) => loops::loops(&mut export, &mut scope, (thm.rhs(), &shape), given)?,
        None => String::new(),
    };
    let (inferences, certificates) = (export.inferences, export.certificates);
    let declarations = declarations(&mut export.needs, &scope, thm.ctx())?;
    let (claim, last) = match given {
        Some(_) => (LOOPS, "computed"),
        None => (DERIVATION_ONLY, "certified"),
    };
    let comment = header.text.replace("(*", "( *").replace("*)", "* )").replace('"', "'");
    let text = format!(
        "(** {}: {claim}\n\n{comment}*)\n{PRELUDE}\n{declarations}\n{}\n{body}(** For all that is declared above, the scheduled program is the program. *)\nTheorem certified : teq {at} source scheduled.\nProof.\n{proof}Qed.\n\n{loops}End Program.\n\nPrint Assumptions {last}.\n",
        header.function, export.needs.definitions
    );
    Ok(Exported { text, inferences, certificates })
}

const LOOPS: &str = "what a schedule's loops compute, with the proof.

Claimed of the derivation (`certified`), and of the loops that the C printer is given (`computed`).";

const DERIVATION_ONLY: &str = "a schedule's theorem, with its proof.

Claimed of the derivation only (`certified`): nothing is said here of loops.";

const PRELUDE: &str = "Require Import String ZArith List Bool.
Require Import Atl.replay.Replay.
Import ListNotations.
Open Scope string_scope.
Open Scope Z_scope.

(* Index terms are compared as they are written, before their arithmetic is taken apart. *)
Strategy 1000 [Z.add Z.sub Z.mul Z.div Z.modulo Z.min Z.max Z.leb Z.ltb Z.eqb].

Section Program.
";

/// Carriers, algebras with the laws that are used, functions of scalars, and the context.
fn declarations(needs: &mut Needs, scope: &Scope, ctx: &Ctx) -> Result<String> {
    let mut sizes = String::new();
    for (entry, slot) in ctx.entries().zip(&scope.slots) {
        use crate::scope::Slot;
        let _ = match (entry, slot) {
            (_, Slot::Index(name)) => writeln!(sizes, "Variable {name} : Z."),
            (Entry::Tensor(_, ty), Slot::Tensor { name, .. }) => {
                writeln!(sizes, "Variable {name} : tensor {}.", needs.carrier(ty.elem.scalar))
            }
            (_, Slot::Hyp(p, name)) => {
                writeln!(sizes, "Hypothesis {name} : {} = true.", needs.pred(scope, Side::Left, p, &[])?)
            }
            (_, Slot::All(count, p, name)) => {
                let variables: Vec<String> = (0..*count).map(|k| format!("z{k}")).collect();
                let p = needs.pred(scope, Side::Left, p, &variables)?;
                writeln!(sizes, "Hypothesis {name} : forall {} : Z, {p} = true.", variables.join(" "))
            }
            _ => Ok(()),
        };
    }
    let mut text = String::from(
        "(** Carriers, their algebras with the laws that are used, and functions of scalars. *)\n",
    );
    for carrier in &needs.carriers {
        let _ = writeln!(text, "Variable V_{carrier} : Type.");
    }
    for (algebra, carrier) in &needs.algebras {
        let _ = writeln!(text, "Variable {algebra} : algebra {carrier}.");
    }
    for (name, ty) in &needs.functions {
        let _ = writeln!(text, "Variable {name} : {ty}.");
    }
    for (algebra, law) in &needs.laws {
        let (law, bit) = Laws::TABLE[*law];
        let law = law.to_lowercase();
        let of = if bit == Laws::INDEX_COUNTS { index_of(algebra) } else { String::new() };
        let _ = writeln!(text, "Hypothesis {algebra}_{law} : law_{law} {algebra} {of}.");
    }
    for [algebra, difference, minus] in &needs.differences {
        let sum = format!("add {algebra} a (mul {algebra} {minus} b)");
        let _ = writeln!(text, "Hypothesis {difference}_as_add : forall a b, {difference} a b = {sum}.");
    }
    for (scalar, (least, greatest)) in &needs.ranges {
        let int = format!("int_of_{scalar} v");
        let _ = writeln!(
            text,
            "Hypothesis range_of_{scalar} : forall v, (({least}) <=? {int}) && ({int} <=? ({greatest})) = true."
        );
    }
    Ok(format!("{text}\n(** Sizes, arguments and preconditions. *)\n{sizes}"))
}
