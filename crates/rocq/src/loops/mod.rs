//! The loops: that running them leaves the term's value in the output, and never traps.
//!
//! The term's normal form and the loop program that the C printer is given are walked side by side, and a lemma of
//! `Lowering.v` and what follows it is applied for each construct. Index terms that are written differently are shown equal, and reads
//! shown in range, by certificates. The program's text is made on the way, from the loop program and nothing else, but for the names of
//! constants and operations, of which the machine knows only the bits: those are the term's, if the machine's are the same.
//!
//! Nothing here is trusted: loops that do something else do not fit a lemma, and Rocq refuses the file.

mod fill;
mod indices;
mod operators;
mod parts;
mod place;
mod value;
mod vectors;
mod windows;
mod words;
mod written;

use crate::error::Result;
use crate::prove::Export;
use crate::scope::{Scope, Side};
use atl_kernel::{Elem, Expr, Ix, Laws, Number, Pred};
use atl_loops::{Access, Bool, Init, Kernel, Name, Stmt};
use place::Place;
use std::collections::BTreeSet;
use words::{Names, is_hoisted, ix, list, mismatch, nested};

/// The loops of a function.
#[derive(Clone, Debug)]
pub struct Loops<'a> {
    /// What the C printer is given.
    pub kernel: &'a Kernel,
    /// The levels and names of the sizes.
    pub sizes: Vec<(u32, String)>,
    /// The levels and names of the inputs.
    pub inputs: Vec<(u32, String)>,
}

/// What a cell holds before it gets an element; those of `Outcome.v`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Unset,
    Zeroed,
    Adding,
}

/// Where a term goes.
#[derive(Clone)]
struct Target {
    buf: Name,
    elem: Elem,
    place: Place,
    kind: Kind,
}

struct Lowering<'e, 'p> {
    export: &'e mut Export<'p>,
    names: Names,
    /// The tensors that are in memory, by level, in the order of the goal.
    known: Vec<(u32, Name)>,
    /// Scratch that is there, with its extents.
    scratch: Vec<(Name, Vec<Ix>)>,
}

/// What simplification decides of a predicate, as lowering does.
fn decided(scope: &Scope, p: &Pred) -> Option<bool> {
    match atl_arith::simplify_pred(&scope.ctx, p) {
        Pred::True => Some(true),
        Pred::False => Some(false),
        _ => None,
    }
}

impl Lowering<'_, '_> {
    /// What lowering decided of a predicate, where the loops have this condition. In a copy of what was written out, more is known than
    /// before: a condition that asks what is known there was left open.
    fn decided_at(&self, scope: &Scope, p: &Pred, cond: Option<&Bool>) -> Option<bool> {
        let known = decided(scope, p)?;
        let asked = cond.and_then(|cond| words::pred(&self.names, cond).ok());
        (asked.and_then(|asked| decided(scope, &asked)) != Some(known)).then_some(known)
    }

    /// The proof of the first goal.
    fn by(&mut self, proof: &str) {
        self.export.line(&format!("{{ exact {proof}. }}"));
    }

    /// The proof of one goal of several.
    fn goal<T>(&mut self, run: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.export.line("{");
        self.export.indent += 1;
        let result = run(self);
        self.export.indent -= 1;
        self.export.line("}");
        result
    }

    fn assuming<T>(
        &mut self,
        scope: &mut Scope,
        p: &Pred,
        run: impl FnOnce(&mut Self, &mut Scope) -> Result<T>,
    ) -> Result<T> {
        let level = scope.level();
        let name = scope.push_hyp(p);
        self.export.line(&format!("intros {name}."));
        let result = run(self, scope);
        scope.truncate(level);
        result
    }

    fn denying<T>(
        &mut self,
        scope: &mut Scope,
        p: &Pred,
        run: impl FnOnce(&mut Self, &mut Scope) -> Result<T>,
    ) -> Result<T> {
        let level = scope.level();
        let lemma = if matches!(p, Pred::Not(_)) { "of_negb_false" } else { "negb_of_false" };
        let name = scope.push_hyp(&Pred::not(p.clone()));
        self.export.line(&format!("intros {name}. apply {lemma} in {name}."));
        let result = run(self, scope);
        scope.truncate(level);
        result
    }

    /// The variable is again what it was outside of its loop.
    fn restore(&mut self, var: &Name, before: Option<u32>) {
        match before {
            Some(before) => self.names.vars.insert(var.clone(), before),
            None => self.names.vars.remove(var),
        };
    }

    /// The hypothesis that the algebra has a law.
    fn law_name(&mut self, to: &Target, law: &str) -> String {
        let algebra = self.export.needs.algebra(to.elem);
        if let Some(k) = Laws::TABLE.iter().position(|(name, _)| *name == law) {
            self.export.needs.laws.insert((algebra.clone(), k));
        }
        format!("{algebra}_{}", law.to_lowercase())
    }

    fn law(&mut self, to: &Target, law: &str) {
        let name = self.law_name(to, law);
        self.by(&name);
    }

    fn extents(&self, extents: &[atl_loops::Int]) -> Result<Vec<Ix>> {
        if extents.iter().any(atl_loops::Int::reads) {
            return mismatch("a temporary whose size is read from an array");
        }
        extents.iter().map(|n| ix(&self.names, n)).collect()
    }

    /// What cells hold at first; `e` is what they are for.
    fn init_text(&mut self, scope: &mut Scope, init: &Init, e: &Expr) -> Result<String> {
        match init {
            Init::Uninit => Ok("None".to_owned()),
            Init::Value(zero) => {
                let elem = scope.ty(e, Side::Left)?.elem;
                Ok(format!("(Some {})", self.constant(zero, elem, Number::Zero)?))
            }
        }
    }

    /// An allocation without its body.
    fn alloc_text(
        &mut self,
        scope: &mut Scope,
        buf: &Name,
        extents: &[Ix],
        init: &Init,
        e: &Expr,
    ) -> Result<String> {
        let (shape, init) =
            (self.export.needs.shape(scope, Side::Left, extents)?, self.init_text(scope, init, e)?);
        Ok(format!("Alloc \"{buf}\" {shape} {init}"))
    }

    /// A proof that there is as much room for the extents of scratch as for a shape. Of leading ones there may be more: each is 1 here.
    fn same_room(&mut self, scope: &Scope, extents: &[Ix], shape: &[Ix]) -> Result<String> {
        if extents.len() > shape.len() {
            let one = self.export.equal(scope, &extents[0], &Ix::ONE, &[])?;
            let rest = self.same_room(scope, &extents[1..], shape)?;
            return Ok(format!("(eq_trans (room_one _ _ {one}) {rest})"));
        }
        let equal = self.export.same_shape(scope, extents, shape, &[])?;
        Ok(format!("(f_equal room {equal})"))
    }

    /// Prove `makes G X stmts output shape e (Some None)`.
    fn output(
        &mut self,
        scope: &mut Scope,
        stmts: &[Stmt],
        (e, shape): (&Expr, &[Ix]),
        output: &Name,
    ) -> Result<Vec<String>> {
        match stmts {
            [alloc @ Stmt::Alloc { buf, extents, init, body, .. }] if is_hoisted(alloc) => {
                let extents = self.extents(extents)?;
                let text = self.alloc_text(scope, buf, &extents, init, e)?;
                self.export.line("apply makes_alloc.");
                self.by("eq_refl");
                self.by("eq_refl");
                self.scratch.push((buf.clone(), extents));
                let inside = self.output(scope, list(body), (e, shape), output);
                self.scratch.pop();
                Ok(vec![format!("({text} {})", nested(&inside?))])
            }
            [Stmt::Reset { buf, init }, rest @ ..] if buf == output => {
                self.export.line("apply makes_any. apply makes_reset.");
                self.by("eq_refl");
                let text = format!("(Reset \"{buf}\" {})", self.init_text(scope, init, e)?);
                let inside = self.makes(scope, rest, (e, shape), output, init)?;
                Ok([vec![text], inside].concat())
            }
            stmts => self.makes(scope, stmts, (e, shape), output, &Init::Uninit),
        }
    }
}

/// The program of loops, that it computes the term, and the theorem about it: the text, of which the last sentence is the
/// theorem `computed`. The shape is that of the derivation's theorem.
pub(crate) fn loops(
    export: &mut Export<'_>,
    scope: &mut Scope,
    (e, shape): (&Expr, &[Ix]),
    given: &Loops<'_>,
) -> Result<String> {
    let at = export.needs.shape(scope, Side::Left, shape)?;
    let [inputs @ .., output] = given.kernel.params.as_slice() else { return mismatch("no output") };
    if !matches!(output.access, Access::Write | Access::Stream) || output.over.is_some() {
        return mismatch("an output that grows, or may be stored over an input");
    }
    if inputs.len() != given.inputs.len() || inputs.iter().any(|input| input.access != Access::Read) {
        return mismatch("several outputs");
    }
    let mut one = output.scalar == scope.ty(e, Side::Left)?.elem.scalar;
    let body = without_prefetches(&given.kernel.body);
    let mut asked = BTreeSet::new();
    body.for_each(&mut |stmt| {
        if let Stmt::Alloc { scalar, .. } = stmt {
            one &= *scalar == output.scalar;
        }
        stmt.for_each_read(&mut |name, _| {
            asked.insert(name.clone());
        });
    });
    if !one {
        return mismatch("buffers of several scalar types");
    }
    // Of another type are arrays that index terms read. Where a value is read from one, that is refused.
    let scalar =
        |name: &str| inputs.iter().find(|input| input.name.as_str() == name).map(|input| input.scalar);
    let mut lowering = Lowering { names: Names::default(), known: Vec::new(), scratch: Vec::new(), export };
    lowering.names.vars = given.sizes.iter().map(|(level, name)| (Name::new(name), *level)).collect();
    for (level, name) in &given.inputs {
        if scalar(name) == Some(output.scalar) {
            lowering.known.push((*level, Name::new(name)));
        }
        let ty = scope.tensor(atl_kernel::Var::Free(*level), Side::Left)?.1;
        if asked.contains(&Name::new(name)) && ty.shape.len() == 1 {
            lowering.names.arrays.insert(Name::new(name), *level);
        }
    }
    let (held, arrays) = (lowering.known.clone(), lowering.names.arrays.clone());
    lowering.export.script.clear();
    lowering.export.indent = 1;
    let texts = lowering.output(scope, list(&body), (e, shape), &output.name)?;
    let carrier = format!("V_{}", output.scalar.name());
    let mut known = Vec::new();
    for (level, name) in &held {
        let (tensor, ty) = scope.tensor(atl_kernel::Var::Free(*level), Side::Left)?;
        let (tensor, ty) = (tensor.to_owned(), ty.clone());
        let shape = export.needs.shape(scope, Side::Left, &ty.shape)?;
        known.push(format!("(Known \"{name}\" {shape} {tensor})"));
    }
    let mut lie = Vec::new();
    for (name, level) in &arrays {
        let (tensor, ty) = scope.tensor(atl_kernel::Var::Free(*level), Side::Left)?;
        let (tensor, ty) = (tensor.to_owned(), ty.clone());
        let shape = export.needs.shape(scope, Side::Left, &ty.shape)?;
        let to_int = export.needs.integer_of(ty.elem.scalar);
        lie.push((indices::lies(name), format!("lies ints \"{name}\" {shape} {to_int} {tensor}")));
    }
    let memory: Vec<String> = known.iter().map(|known| format!("  holds h {known} ->\n")).collect();
    let lying: Vec<String> = lie.iter().map(|(_, what)| format!("  {what} ->\n")).collect();
    let lies: String = lie.iter().map(|(name, _)| format!(" {name}")).collect();
    let proofs: Vec<String> = (0..known.len()).map(|k| format!("H{k}")).collect();
    let held = proofs
        .iter()
        .rev()
        .fold("(Forall_nil _)".to_owned(), |rest, h| format!("(Forall_cons _ {h} {rest})"));
    let (name, script) = (&output.name, &export.script);
    let (lying, known, memory) = (lying.concat(), known.join("; "), memory.concat());
    Ok(format!(
        "(** The loops that the C printer is given. *)
Definition kernel : statement {carrier} :=
  {}.

Lemma kernel_makes : forall ints : arrays,
{lying}  makes ints [{known}] [] kernel \"{name}\" {at} scheduled (Some None).
Proof.
  intros ints{lies}. unfold kernel, scheduled.
{script}Qed.

(** Run on memory that has the arguments, and an output without values: nothing traps, the output has the value of the program
    at each index, and no other buffer has changed. *)
Theorem computed : forall (ints : arrays) (h : memory {carrier}),
{lying}{memory}  h \"{name}\" = Some (fresh (room {at}) None) ->
  exists h', run ints kernel h = Some h' /\\ (forall b, b <> \"{name}\" -> h' b = h b) /\\
    forall l, inbox l {at} -> load h' \"{name}\" (flat {at} l) = Some (source l).
Proof.
  intros ints h{lies} {} Hout.
  exact (computes _ _ _ _ _ _ (kernel_makes ints{lies}) certified h {held} Hout).
Qed.

",
        nested(&texts),
        proofs.join(" "),
    ))
}

/// The statement without prefetches, and without loops and conditions that hold nothing else.
fn without_prefetches(stmt: &Stmt) -> Stmt {
    let mut any = false;
    stmt.for_each(&mut |stmt| any |= matches!(stmt, Stmt::Prefetch { .. }));
    if !any {
        return stmt.clone();
    }
    let is_nothing = |stmt: &Stmt| matches!(stmt, Stmt::Seq(stmts) if stmts.is_empty());
    match stmt {
        Stmt::Prefetch { .. } => Stmt::skip(),
        stmt => match stmt.map_parts(&mut without_prefetches) {
            Stmt::For { body, .. } if is_nothing(&body) => Stmt::skip(),
            Stmt::If { then, otherwise, .. }
                if is_nothing(&then) && otherwise.as_deref().is_none_or(is_nothing) =>
            {
                Stmt::skip()
            }
            stmt => stmt,
        },
    }
}
