//! Theorems of the file's own: proved when the file is read, and again at every use.
//!
//! A theorem's steps are a script on its left side, in the context of its sizes, conditions and tensors; what
//! they leave is compared with the right side, by the automatic prover where they differ. That shows that the
//! theorem holds. A use is an instance, for other sizes and terms, and the kernel has no rule that turns one
//! into the other: so at a use the steps run again, where the instance is. There the names of the theorem
//! mean what they stand for: sizes are replaced in the steps by terms, tensors and
//! loops keep the theorem's names, and all names around get the prefix `outer.`, so that none is taken for
//! one of the theorem's.

use crate::library::Library;
use crate::reads::in_bounds;
use crate::refusal::Refusal;
use crate::script::run_all;
use crate::session::Session;
use crate::substitute::Arguments;
use crate::theorem::Theorem;
use atl_diag::{Diagnostic, Span, err};
use atl_kernel::{Ctx, Entry, Error, Expr, Label, Laws, Node, Prover, Result as Kernel, Rule, Thm, Type};
use atl_lang::print::{Options, index_to_ast, print};
use atl_lang::{DeclaredMonoid, Module, Statement};
use atl_rules::Cx;
use atl_rules::monoids::carried_out_in;
use atl_rules::schema::{Direction, Instance, Proof, Schema, automatic};
use atl_syntax::ast::{self, Step};
use atl_syntax::{Style, print_expr};
use std::sync::Arc;

impl Library {
    /// The tactics and theorems of a file, and what is wrong with them; what is refused is left out. No
    /// theorem is proved where a tactic is wrong.
    pub fn new(module: &Module, prover: &mut dyn Prover) -> (Arc<Library>, Vec<Diagnostic>) {
        let (mut library, mut diagnostics) = Library::of_tactics(&module.tactics);
        let monoids = module.monoids.iter().flat_map(DeclaredMonoid::operations);
        library.monoids = monoids.map(carried_out_in).collect();
        let mut library = Arc::new(library);
        if !diagnostics.is_empty() {
            return (library, diagnostics);
        }
        for theorem in &module.theorems {
            let name = &theorem.name;
            if atl_rules::by_name(&name.text).is_some() {
                diagnostics.push(
                    err!(E0335, name.span, "`{}` is a rule of the catalogue", name.text)
                        .label("choose another name"),
                );
                continue;
            }
            match Theorem::prove(theorem, module, &library, prover) {
                Ok(proved) => {
                    let mut longer = Library::clone(&library);
                    longer.theorems.insert(name.text.clone(), Arc::new(proved));
                    library = Arc::new(longer);
                }
                Err(why) => diagnostics.extend(why),
            }
        }
        (library, diagnostics)
    }
}

impl Theorem {
    /// Prove a theorem, with the tactics and theorems before it.
    ///
    /// # Errors
    /// What is wrong with its statement; the step that was refused; or what is left to show.
    pub(crate) fn prove(
        theorem: &ast::Theorem,
        module: &Module,
        library: &Arc<Library>,
        prover: &mut dyn Prover,
    ) -> Result<Theorem, Vec<Diagnostic>> {
        let statement = atl_lang::statement(theorem, module, prover)?;
        let Statement { ctx, lhs, rhs, .. } = &statement;
        let mut session = Session::new(ctx, lhs, prover).with_library(library);
        for side in [lhs, rhs] {
            in_bounds(&mut session.cx, theorem, side).map_err(|refusal| vec![*refusal])?;
        }
        let laws = shown(&mut session, theorem, rhs).map_err(|refusal| vec![*refusal])?;
        let (steps, sides) = (theorem.proof.clone(), (lhs.clone(), rhs.clone()));
        let (span, params) = (theorem.span, statement.params.iter().map(|p| p.name.clone()).collect());
        let again = Again { steps, span, lhs: sides.0, params, laws, library: library.clone() };
        let proof = Proof::By(Arc::new(move |cx, instance, lhs, rhs| again.run(cx, instance, lhs, rhs)));
        let schema = Schema::new(statement, proof);
        let mut cx = Cx::new(schema.statement().ctx.clone(), prover);
        let mut args = |direction| {
            let wanted = schema.arguments(&mut cx, direction);
            let sizes = schema.statement().sizes.iter().filter(|size| wanted.contains(&size.span));
            sizes.map(|size| size.name.clone()).collect()
        };
        let (forwards, backwards) = (args(Direction::Forwards), args(Direction::Backwards));
        let statement = format!("{}{}", in_words(theorem), needs(schema.statement(), laws));
        Ok(Theorem { statement, schema, forwards, backwards })
    }
}

/// `lhs == rhs if conditions`, on one line.
fn in_words(theorem: &ast::Theorem) -> String {
    let print = |e: &ast::Expr| print_expr(e, Style::LINE);
    let equation = format!("{}  ==  {}", print(&theorem.lhs), print(&theorem.rhs));
    match theorem.conditions.as_slice() {
        [] => equation,
        conditions => {
            let conditions: Vec<String> = conditions.iter().map(print).collect();
            format!("{equation}  if {}", conditions.join(" && "))
        }
    }
}

/// The laws that element type variables need: `;  T with add_comm`. The laws of several are not told apart.
fn needs(statement: &Statement, laws: Laws) -> String {
    let mut any: Vec<&str> = Vec::new();
    for elem in statement.params.iter().map(|p| p.ty.elem).filter(|elem| atl_lang::is_variable(*elem)) {
        if !any.contains(&elem.algebra.name) {
            any.push(elem.algebra.name);
        }
    }
    match (any.is_empty(), laws.is_empty()) {
        (true, _) => String::new(),
        (false, true) => format!(";  any {}", any.join(", ")),
        (false, false) => format!(";  {} with {laws}", any.join(", ")),
    }
}

/// Show the theorem in its own context, where the session's body is its left side; the laws that it takes.
fn shown(session: &mut Session<'_>, theorem: &ast::Theorem, rhs: &Expr) -> Result<Laws, Refusal> {
    let at_name = |why: Refusal| {
        let here = format!("in the proof of the theorem `{}`", theorem.name.text);
        why.also(theorem.name.span, here)
    };
    let steps = run_all(session, &theorem.proof, theorem.span).map_err(|why| {
        let goal = difference(session, rhs);
        Box::new(at_name(why).note(goal))
    })?;
    let left = session.body.clone();
    match close(&mut session.cx, &left, rhs) {
        Ok(rest) => Ok(steps.laws().and(rest.laws())),
        Err(error) => {
            let goal = difference(session, rhs);
            let why = atl_lang::kernel_error(&error, &session.cx.ctx, None);
            let mut refusal =
                err!(E0336, theorem.name.span, "the theorem `{}` is not proved", theorem.name.text)
                    .label(match theorem.proof.is_empty() {
                        true => "not proved automatically",
                        false => "its steps do not lead to the right side",
                    })
                    .note(goal)
                    .note(format!("the automatic prover stops here: {}", why.message));
            refusal.notes.extend(why.notes);
            Err(Box::new(refusal.help(
                "give the steps that turn the left side into the right one, or a condition after `if`",
            )))
        }
    }
}

/// What is left to show.
fn difference(session: &Session<'_>, rhs: &Expr) -> String {
    let options = Options { style: Style::LINE, annotations: false, ..Options::default() };
    let print = |e: &Expr| print(&session.cx.ctx, e, None, options);
    format!("what is left to show: `{}`  ==  `{}`", print(&session.body), print(rhs))
}

/// Prove what the steps leave equal to the right side: the same, the same up to arithmetic, or by the
/// automatic provers.
fn close(cx: &mut Cx<'_>, left: &Expr, rhs: &Expr) -> Kernel<Thm> {
    if left == rhs {
        return cx.relabel(left, rhs);
    }
    if let Some(thm) = cx.try_rule(Rule::ArithEq(rhs.clone()), left) {
        return Ok(thm);
    }
    automatic(cx, left, rhs)
}

/// The proof of an instance.
struct Again {
    steps: Vec<Step>,
    span: Span,
    /// The left side as it is stated, for its names.
    lhs: Expr,
    /// The names of the tensors.
    params: Vec<String>,
    /// The laws that the theorem took of element type variables.
    laws: Laws,
    library: Arc<Library>,
}

impl Again {
    /// Prove an instance whose tensors are the last variables of the context; where that fails for want of a
    /// law, say so.
    fn run(&self, cx: &mut Cx<'_>, instance: &Instance, lhs: &Expr, rhs: &Expr) -> Kernel<Thm> {
        self.prove(cx, instance, lhs, rhs).map_err(|why| match cx.type_of(lhs) {
            Ok(Type { elem, .. }) if !self.laws.minus(elem.algebra.laws).is_empty() => {
                let laws = self.laws.minus(elem.algebra.laws);
                Error::MissingLaws { rule: "a theorem of the file", laws, elem }
            }
            _ => why,
        })
    }

    fn prove(&self, cx: &mut Cx<'_>, instance: &Instance, lhs: &Expr, rhs: &Expr) -> Kernel<Thm> {
        if self.steps.is_empty() {
            return close(cx, lhs, rhs);
        }
        let ctx = Arc::new(self.renamed(&cx.ctx));
        let own = named_like(lhs, &self.lhs);
        let sizes: Vec<(String, ast::Expr)> =
            instance.sizes().iter().map(|(name, ix)| (name.clone(), index_to_ast(&ctx, ix))).collect();
        let arguments = Arguments::new(&sizes);
        let steps = self.steps.iter().map(|step| arguments.step(step)).collect::<Result<Vec<_>, _>>();
        let mut session = Session::at(cx.within(ctx), &own).with_library(&self.library);
        let done = steps.and_then(|steps| run_all(&mut session, &steps, self.span));
        let done = done
            .map_err(|_| Error::Mismatch("a step of the theorem's proof does not apply to this instance"))?;
        let before = cx.relabel(lhs, done.lhs())?;
        let after = close(cx, &done.rhs().clone(), rhs)?;
        before.trans(done)?.trans(after)
    }

    /// The context with the names of the theorem: its tensors are the last entries.
    fn renamed(&self, ctx: &Ctx) -> Ctx {
        let outside = ctx.entries().len().saturating_sub(self.params.len());
        let mut renamed = Ctx::new();
        for (at, entry) in ctx.entries().enumerate() {
            let name = |label: &Label| match at.checked_sub(outside).and_then(|k| self.params.get(k)) {
                Some(own) => Label::new(own),
                None => Label::new(&format!("outer.{}", label.name)),
            };
            match entry {
                Entry::Index(label) => {
                    renamed.push_index(name(label));
                }
                Entry::Tensor(label, ty) => {
                    renamed.push_tensor(name(label), ty.clone());
                }
                Entry::Hyp(p, _) => renamed.push_hyp(p.clone()),
                Entry::All(variables, p) => renamed.push_all(variables.to_vec(), (**p).clone()),
            }
        }
        renamed
    }
}

/// An instance with the names that the statement gives its binders. Both have one form: tensors are variables
/// in both.
fn named_like(instance: &Expr, statement: &Expr) -> Expr {
    let mut node = (**instance).clone();
    for at in node.children() {
        if let (Some(own), Some(stated)) = (node.child(at), statement.child(at)) {
            let child = named_like(own, stated);
            node = node.with_child(at, child);
        }
    }
    match (&mut node, &**statement) {
        (Node::Gen(l, ..), Node::Gen(own, ..))
        | (Node::Sum(l, ..), Node::Sum(own, ..))
        | (Node::Let(l, ..), Node::Let(own, ..)) => l.clone_from(own),
        _ => {}
    }
    Arc::new(node)
}
