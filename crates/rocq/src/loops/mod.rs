//! The loops: that running them leaves the term's value in the output, and never traps.
//!
//! The term's normal form and the loop program that the C printer is given are walked side by side. Written
//! are both as words (`proofs/replay/Words.v`), and how the one computes the other: for each construct the
//! lemma that says so, with evidence for what it asks, that index terms which are written differently are
//! equal, and reads in range. The program's text is made on the way, from the loop program and nothing else,
//! but for the names of constants and operations, of which the machine knows only the bits: those are the
//! term's, if the machine's are the same.
//!
//! Nothing here is trusted: where the loops do something else a step does not fit, and Rocq refuses the file.

mod evidence;
mod fill;
mod indices;
mod operators;
mod pairs;
mod parts;
mod place;
mod plain;
mod round_loops;
mod rounds;
mod several;
mod speech;
mod states;
mod step;
mod term;
mod typed;
mod updates;
mod value;
mod vectors;
mod windows;
mod words;
mod written;

use crate::deep::{BY_LEVEL, Deep};
use crate::error::Result;
use crate::prove::{Export, enter_context};
use crate::raw;
use crate::scope::{Scope, Side, Slot};
use atl_arith::Arith;
use atl_kernel::{Elem, Expr, Ix, Laws, Node, Number, Pred, Scalar, Thm, Type};
use atl_loops::passes::without_table_checks;
use atl_loops::{Access, Bool, BufferParam, Init, Kernel, Name, Stmt};
use evidence::Shared;
use place::Place;
use plain::{without_asked_prefetches, without_prefetches, without_searches};
use speech::{Leaves, Signature};
use states::{InMemory, Update};
use std::collections::{BTreeMap, BTreeSet};
use step::step;
pub use step::{Arg, Evidence, Step};
use term::Binders;
pub use words::operation;
use words::{Names, Text, is_hoisted, ix, list, mismatch, nested};

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
    /// A state that is updated, which is no target of `Outcome.v`.
    Replaced,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Unset => "Unset",
            Kind::Zeroed => "Zeroed",
            Kind::Adding => "Adding",
            Kind::Replaced => "Replaced",
        }
    }
}

/// Where a term goes.
#[derive(Clone)]
struct Target {
    buf: Name,
    elem: Elem,
    place: Place,
    kind: Kind,
    update: Option<Update>,
}

struct Lowering<'e, 'p> {
    export: &'e mut Export<'p>,
    names: Names,
    /// The tensors that are in memory, by level, in the order of the goal.
    known: Vec<(u32, Name)>,
    /// Those of them that are states of iterations.
    states: BTreeMap<u32, InMemory>,
    /// How many entries the claim's context has.
    base: u32,
    /// Scratch that is there, with its extents; what was allocated last comes first, as in the goal.
    scratch: Vec<(Name, Vec<Ix>)>,
    /// The levels of the indices that were entered since the beginning, and of those that loops around the
    /// statement have.
    entered: Vec<u32>,
    binders: Vec<u32>,
    speech: Signature,
    shared: Shared,
    leaves: Leaves,
    /// Where several results go, in order.
    results: Vec<(Name, Type)>,
    /// Which of them are there already, and the level of the tensor that each is.
    made: BTreeMap<usize, u32>,
    /// Are all values of one type, as in an export to Rocq?
    has_one_type: bool,
}

/// What simplification decides of a predicate, as lowering does.
fn decided(scope: &Scope, p: &Pred) -> Option<bool> {
    match atl_arith::simplify_pred(&scope.ctx, p) {
        Pred::True => Some(true),
        Pred::False => Some(false),
        _ => None,
    }
}

impl<'e, 'p> Lowering<'e, 'p> {
    /// Where the loops begin: the inputs are tensors in memory, if values are of one type only those of that.
    fn begin(
        export: &'e mut Export<'p>,
        scope: &mut Scope,
        given: &Loops<'_>,
        body: &Stmt,
        one_type: Option<Scalar>,
    ) -> Result<Lowering<'e, 'p>> {
        let mut asked = BTreeSet::new();
        body.for_each(&mut |stmt| {
            stmt.for_each_read(&mut |name, _| {
                asked.insert(name.clone());
            });
        });
        let mut lowering = Lowering {
            names: Names::default(),
            known: Vec::new(),
            states: BTreeMap::new(),
            base: scope.level(),
            scratch: Vec::new(),
            entered: Vec::new(),
            binders: Vec::new(),
            speech: Signature::default(),
            shared: Shared::default(),
            leaves: Leaves::default(),
            results: Vec::new(),
            made: BTreeMap::new(),
            has_one_type: one_type.is_some(),
            export,
        };
        lowering.names.vars = given.sizes.iter().map(|(level, name)| (Name::new(name), *level)).collect();
        for (level, name) in &given.inputs {
            let input = given.kernel.params.iter().find(|input| input.name.as_str() == name);
            if input.is_some_and(|input| one_type.is_none_or(|scalar| scalar == input.scalar)) {
                lowering.known.push((*level, Name::new(name)));
            }
            let ty = scope.tensor(atl_kernel::Var::Free(*level), Side::Left)?.1;
            if asked.contains(&Name::new(name)) && ty.shape.len() == 1 {
                lowering.names.arrays.insert(Name::new(name), *level);
            }
        }
        lowering.export.script.clear();
        lowering.export.indent = 1;
        Ok(lowering)
    }

    /// What lowering decided of a predicate, where the loops have this condition. In a copy of what was
    /// written out, more is known than before: a condition that asks what is known there was left open.
    fn decided_at(&self, scope: &Scope, p: &Pred, cond: Option<&Bool>) -> Option<bool> {
        let known = decided(scope, p)?;
        let asked = cond.and_then(|cond| words::pred(&self.names, cond).ok());
        (asked.and_then(|asked| decided(scope, &asked)) != Some(known)).then_some(known)
    }

    /// Words of the statements.
    fn spoken<T>(&self, write: impl FnOnce(&Deep<'_>) -> T) -> T {
        self.spelled(&self.binders, write)
    }

    /// The number of an algebra.
    fn ring_of(&mut self, elem: Elem) -> usize {
        let algebra = self.export.needs.algebra(elem);
        self.speech.algebras.number(&algebra)
    }

    /// The algebra has the law.
    fn law(&mut self, to: &Target, law: &str) {
        let algebra = self.export.needs.algebra(to.elem);
        if let Some(k) = Laws::TABLE.iter().position(|(name, _)| *name == law) {
            self.speech.laws.insert((self.speech.algebras.number(&algebra), k));
            self.export.needs.laws.insert((algebra, k));
        }
    }

    fn extents(&self, extents: &[atl_loops::Int]) -> Result<Vec<Ix>> {
        if extents.iter().any(atl_loops::Int::reads) {
            return mismatch("a temporary whose size is read from an array");
        }
        extents.iter().map(|n| ix(&self.names, n)).collect()
    }

    /// What cells hold at first; `e` is what they are for.
    fn init_text(&mut self, scope: &mut Scope, init: &Init, e: &Expr) -> Result<Text> {
        match init {
            Init::Uninit => Ok(Text { plain: "None".to_owned(), deep: "None".to_owned() }),
            Init::Value(zero) => {
                let elem = scope.ty(e, Side::Left)?.elem;
                Ok(self.constant(zero, elem, Number::Zero)?.under("Some", "Some"))
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
    ) -> Result<Text> {
        let (shape, init) =
            (self.export.needs.shape(scope, Side::Left, extents)?, self.init_text(scope, init, e)?);
        let deep = self.spoken(|deep| deep.list(extents));
        Ok(Text {
            plain: format!("Alloc \"{buf}\" {shape} {}", init.plain),
            deep: format!("LAlloc {} {deep} {}", self.leaves.buffer(buf), init.deep),
        })
    }

    /// Evidence that there is as much room for the extents of scratch as for a shape. Of leading ones there
    /// may be more: each is 1 here.
    fn same_room(&mut self, scope: &Scope, extents: &[Ix], shape: &[Ix]) -> Result<Vec<Evidence>> {
        let more = extents.len().saturating_sub(shape.len());
        let mut row =
            extents[..more].iter().map(|n| self.equal(scope, n, &Ix::ONE)).collect::<Result<Vec<_>>>()?;
        row.extend(self.equals(scope, &extents[more..], shape)?);
        Ok(row)
    }

    /// Prove `makes G X stmts output shape e (Some None)`: the program's text.
    fn output(
        &mut self,
        scope: &mut Scope,
        stmts: &[Stmt],
        (e, shape): (&Expr, &[Ix]),
        output: &Name,
    ) -> Result<(Vec<Text>, Replay)> {
        match stmts {
            [alloc @ Stmt::Alloc { buf, extents, init, body, .. }] if is_hoisted(alloc) => {
                let extents = self.extents(extents)?;
                let text = self.alloc_text(scope, buf, &extents, init, e)?;
                self.export.line("apply makes_alloc; [exact eq_refl|exact eq_refl|].");
                self.scratch.insert(0, (buf.clone(), extents));
                let (texts, mut replay) = self.output(scope, list(body), (e, shape), output)?;
                self.scratch.remove(0);
                replay.outermost = step!("Spared", replay.outermost);
                Ok((vec![text.around(&nested(&texts))], replay))
            }
            [Stmt::Reset { buf, init: init @ Init::Value(_) }, rest @ ..]
                if buf == output && self.results.len() < 2 =>
            {
                self.export.line("apply makes_any. apply makes_reset; [exact eq_refl|].");
                let begun = self.init_text(scope, init, e)?;
                let text = Text {
                    plain: format!("(Reset \"{buf}\" {})", begun.plain),
                    deep: format!("(LReset {} {})", self.leaves.buffer(buf), begun.deep),
                };
                let (texts, mut replay) = self.whole(scope, rest, (e, shape), output, init)?;
                replay.outermost = step!("Begun", replay.outermost);
                // The lemma of a beginning speaks of what follows it, be it nothing.
                Ok((vec![text, nested(&texts)], replay))
            }
            stmts => self.whole(scope, stmts, (e, shape), output, &Init::Uninit),
        }
    }

    /// All of the output, in cells that begin as `init` says.
    fn whole(
        &mut self,
        scope: &mut Scope,
        stmts: &[Stmt],
        (e, shape): (&Expr, &[Ix]),
        output: &Name,
        init: &Init,
    ) -> Result<(Vec<Text>, Replay)> {
        let elem = results(scope, e)?[0].elem;
        let (algebra, ring) = (self.export.needs.algebra(elem), self.ring_of(elem));
        let (kind, lemma) = match init {
            Init::Uninit => (Kind::Unset, "makes_unset"),
            Init::Value(_) => (Kind::Zeroed, "makes_zeroed"),
        };
        self.export.line(&format!("apply ({lemma} {algebra}); [exact eq_refl|]."));
        // Without Rocq nobody reads it.
        let word = match self.has_one_type {
            true => self.word(scope, e, &mut Binders::default())?,
            false => String::new(),
        };
        let spare = crate::deep::list(&self.scratch.clone(), |(name, extents)| {
            format!("(\"{name}\", {})", self.closed_shape(extents))
        });
        let to = Target { buf: output.clone(), elem, place: Place::whole(shape), kind, update: None };
        let (texts, how) = self.fill(scope, stmts, e, shape, &to)?;
        let (shape, kind) = (self.closed_shape(shape), kind.name());
        let target = format!("(Target \"{output}\" {ring} {shape} [] {kind})");
        let outermost = how.clone();
        Ok((texts.clone(), Replay { words: nested(&texts).deep, word, how, outermost, target, shape, spare }))
    }
}

/// The outputs of loops that can be followed: they come after the inputs.
fn outputs_of<'k>(given: &Loops<'k>) -> Result<&'k [BufferParam]> {
    let params = given.kernel.params.as_slice();
    let Some((inputs, outputs)) = params.split_at_checked(given.inputs.len()) else {
        return mismatch("fewer buffers than inputs");
    };
    if inputs.iter().any(|input| input.access != Access::Read) || outputs.is_empty() {
        return mismatch("no output");
    }
    let is_plain = |output: &BufferParam| {
        matches!(output.access, Access::Write | Access::Stream) && output.over.is_none()
    };
    if !outputs.iter().all(is_plain) {
        return mismatch("an output that grows, or may be stored over an input");
    }
    Ok(outputs)
}

/// The one output that Rocq's theorem speaks of.
fn output_of<'k>(given: &Loops<'k>) -> Result<&'k BufferParam> {
    match outputs_of(given)? {
        [output] => Ok(output),
        _ => mismatch("several outputs"),
    }
}

/// The types of the results of a program.
fn results(scope: &mut Scope, e: &Expr) -> Result<Vec<Type>> {
    match &**e {
        Node::Bundle(_, parts) => parts.iter().map(|part| scope.ty(part, Side::Left)).collect(),
        Node::Let(label, bound, body) => {
            let (ty, level) = (scope.ty(bound, Side::Left)?, scope.level());
            scope.push_tensor(label, ty);
            let types = results(scope, &raw::open(body, level));
            scope.truncate(level);
            types
        }
        _ => Ok(vec![scope.ty(e, Side::Left)?]),
    }
}

/// A loop program, and the steps by which it computes a theorem's right side.
#[derive(Clone, Debug)]
pub struct Followed {
    /// The loops that the C printer is given, with searches and intersections as the loops that they mean, and without
    /// checks of tables, and prefetches under conditions that read arrays.
    pub body: Stmt,
    /// The outermost step.
    pub step: Step,
    /// The laws that the loops use.
    pub laws: Laws,
}

/// The steps by which loops compute a theorem's right side, without Rocq.
///
/// # Errors
/// The loops are not followed; the refusal says why.
pub fn steps(thm: &Thm, given: &Loops<'_>) -> Result<Followed> {
    let mut prover = Arith::new();
    let mut export = Export::new(&mut prover);
    let mut scope = Scope::default();
    enter_context(&mut scope, thm.ctx());
    let types = results(&mut scope, thm.rhs())?;
    typed::is_plain(&mut scope, thm.rhs())?;
    let outputs = outputs_of(given)?;
    if outputs.len() != types.len() {
        return mismatch("another number of outputs than of results");
    }
    let whole = without_searches(&without_table_checks(&given.kernel.body));
    let (body, plain) = (without_asked_prefetches(&whole), without_prefetches(&whole.plain_loops()));
    let mut lowering = Lowering::begin(&mut export, &mut scope, given, &plain, None)?;
    lowering.results = outputs.iter().map(|output| output.name.clone()).zip(types).collect();
    let (output, ty) = lowering.results[0].clone();
    let (_, replay) = lowering.output(&mut scope, list(&plain), (thm.rhs(), &ty.shape), &output)?;
    let laws = lowering.speech.laws.iter().fold(Laws::NONE, |laws, (_, k)| laws.and(Laws::TABLE[*k].1));
    Ok(Followed { body, step: replay.outermost, laws })
}

/// What is replayed: statements and term as words, how the one fills with the other, where to, and the
/// scratch that is there.
struct Replay {
    words: String,
    word: String,
    how: Step,
    /// The same, within scratch and what the output's cells begin as: `Spared` and `Begun` around it.
    outermost: Step,
    target: String,
    shape: String,
    spare: String,
}

/// The program of loops, that it computes the term, and the theorem about it: the text, of which the last
/// sentence is the theorem `computed`. The shape is that of the derivation's theorem.
pub(crate) fn loops(
    export: &mut Export<'_>,
    scope: &mut Scope,
    (e, shape): (&Expr, &[Ix]),
    given: &Loops<'_>,
) -> Result<String> {
    let at = export.needs.shape(scope, Side::Left, shape)?;
    let output = output_of(given)?;
    // Whatever means nothing is left out.
    let body = without_prefetches(&without_table_checks(&given.kernel.body).plain_loops());
    let mut one = output.scalar == scope.ty(e, Side::Left)?.elem.scalar;
    body.for_each(&mut |stmt| {
        if let Stmt::Alloc { scalar, .. } = stmt {
            one &= *scalar == output.scalar;
        }
    });
    if !one {
        return mismatch("buffers of several scalar types");
    }
    // Of another type are arrays that index terms read. Where a value is read from one, that is refused.
    let mut lowering = Lowering::begin(export, scope, given, &body, Some(output.scalar))?;
    let (held, arrays) = (lowering.known.clone(), lowering.names.arrays.clone());
    let (texts, replay) = lowering.output(scope, list(&body), (e, shape), &output.name)?;
    let Lowering { speech, shared, leaves, .. } = lowering;
    let carrier = format!("V_{}", output.scalar.name());
    let (mut known, mut tensors, mut memory) = (Vec::new(), Vec::new(), Vec::new());
    for (level, name) in &held {
        let (tensor, ty) = scope.tensor(atl_kernel::Var::Free(*level), Side::Left)?;
        let (tensor, ty) = (tensor.to_owned(), ty.clone());
        let shape = export.needs.shape(scope, Side::Left, &ty.shape)?;
        known.push(format!("(Known \"{name}\" {shape} {tensor})"));
        memory.push(format!("Some (\"{name}\", {}, None)", BY_LEVEL.list(&ty.shape)));
        tensors.push(tensor);
    }
    let (mut lie, mut lists, mut listed) = (Vec::new(), Vec::new(), "apply Forall_nil".to_owned());
    for (name, level) in &arrays {
        let (tensor, ty) = scope.tensor(atl_kernel::Var::Free(*level), Side::Left)?;
        let (tensor, ty) = (tensor.to_owned(), ty.clone());
        let shape = export.needs.shape(scope, Side::Left, &ty.shape)?;
        let to_int = export.needs.integer_of(ty.elem.scalar);
        let lies = indices::lies(name);
        lie.push(format!("  lies ints \"{name}\" {shape} {to_int} {tensor} ->\n"));
        lists.insert(0, format!("(\"{name}\", {level}%nat, {})", BY_LEVEL.ix(&ty.shape[0])));
        listed = format!("apply Forall_cons; [exact (list_lies _ _ _ _ _ {lies})|{listed}]");
    }
    let lies: String = arrays.keys().map(|name| format!(" {}", indices::lies(name))).collect();
    let holding: Vec<String> = known.iter().map(|known| format!("  holds h {known} ->\n")).collect();
    let proofs: Vec<String> = (0..known.len()).map(|k| format!("H{k}")).collect();
    let held = proofs
        .iter()
        .rev()
        .fold("(Forall_nil _)".to_owned(), |rest, h| format!("(Forall_cons _ {h} {rest})"));
    let context = export.context(scope)?;
    let facts = Facts::of(scope);
    let typed = std::mem::take(&mut export.typed);
    let ranges =
        typed.iter().map(|level| export.range(scope, *level, "entries")).collect::<Result<Vec<_>>>()?;
    let generals = Facts::general(scope, "entries", &ranges);
    let (laws, lawful) = speech.lawful();
    let numbers: Vec<String> = (0..tensors.len()).map(|k| format!("{k}%nat")).collect();
    let (name, script, lying) = (&output.name, &export.script, lie.concat());
    let Replay { words, word, how, target, shape, spare, .. } = replay;
    Ok(format!(
        "(** The loops that the C printer is given. *)
Definition kernel : statement {carrier} :=
  {kernel}.

(** These and the scheduled program as words, with the steps by which the one is seen to compute the other. *)
Definition machine : signature {carrier} :=
  {machine}.
Definition entries : context :=
  {context}.
{leaves}Definition kernel_words : loop_word :=
  {words}.
Definition scheduled_words : tensor_word :=
  {word}.
Definition beginning : goal :=
  Goal 0 {facts} {generals} [{memory}] {spare} [{lists}] {laws}.
Definition output : target :=
  {target}.
{shared}Definition steps : how :=
  {how}.

Lemma steps_replay : fill steps beginning output {shape} [] kernel_words [] [{numbers}] None scheduled_words = true.
Proof. vm_compute. reflexivity. Qed.

Lemma at_the_beginning : forall ints : arrays,
{lying}  models {any} machine ints entries beginning entries [{tensors}].
Proof.
  intros ints{lies}.
  split; [exists []; split; reflexivity|exact {facts_hold}|exact {generals_hold}|reflexivity|{listed}|{lawful}].
Qed.

Lemma kernel_makes : forall ints : arrays,
{lying}  makes ints [{known}] [] kernel \"{name}\" {at} scheduled (Some None).
Proof.
  intros ints{lies}. unfold kernel, scheduled.
{script}  apply (replayed {any} machine ints entries steps beginning entries [{tensors}] output {shape} [] kernel_words [] [{numbers}] None scheduled_words
    _ _ _ _ _ _ _ _ _ _ (at_the_beginning ints{lies}) steps_replay); as_words.
Qed.

(** Run on memory that has the arguments, and an output without values: nothing traps, the output has the value of the program
    at each index, and no other buffer has changed. *)
Theorem computed : forall (ints : arrays) (h : memory {carrier}),
{lying}{holding}  h \"{name}\" = Some (fresh (room {at}) None) ->
  exists h', run ints kernel h = Some h' /\\ (forall b, b <> \"{name}\" -> h' b = h b) /\\
    forall l, inbox l {at} -> load h' \"{name}\" (flat {at} l) = Some (source l).
Proof.
  intros ints h{lies} {proofs} Hout.
  exact (computes _ _ _ _ _ _ (kernel_makes ints{lies}) certified h {held} Hout).
Qed.

",
        kernel = nested(&texts).plain,
        machine = speech.record(),
        shared = shared.definitions(),
        leaves = leaves.definitions(),
        any = speech.any(),
        facts = facts.list,
        facts_hold = facts.proof,
        generals = generals.list,
        generals_hold = generals.proof,
        memory = memory.join("; "),
        lists = lists.join("; "),
        numbers = numbers.join("; "),
        tensors = tensors.join("; "),
        known = known.join("; "),
        holding = holding.concat(),
        proofs = proofs.join(" "),
    ))
}

/// Hypotheses as the goal lists them, and the proof that they hold.
struct Facts {
    list: String,
    proof: String,
}

impl Facts {
    /// The newest first.
    fn of(scope: &Scope) -> Facts {
        let (mut facts, mut proof) = (Vec::new(), "I".to_owned());
        for slot in &scope.slots {
            if let Slot::Hyp(p, name) = slot {
                facts.insert(0, BY_LEVEL.pred(p));
                proof = format!("(conj {name} {proof})");
            }
        }
        Facts { list: format!("[{}]", facts.join("; ")), proof }
    }

    /// Those for all integers, in order, and then these, with their proofs.
    fn general(scope: &Scope, context: &str, ranges: &[(String, String)]) -> Facts {
        let mut facts: Vec<String> = ranges.iter().map(|(hypothesis, _)| hypothesis.clone()).collect();
        let mut proof =
            ranges.iter().rev().fold("I".to_owned(), |rest, (_, holds)| format!("({holds} {rest})"));
        for slot in scope.slots.iter().rev() {
            if let Slot::All(count, p, name) = slot {
                let hypothesis = format!("({count}%nat, {})", BY_LEVEL.pred(p));
                let instance = crate::side::instance(context, &hypothesis, *count, name);
                proof = format!("({instance} {proof})");
                facts.insert(0, hypothesis);
            }
        }
        Facts { list: format!("[{}]", facts.join("; ")), proof }
    }
}
