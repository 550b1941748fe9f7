//! A function under a schedule: the theorem, the checks, and the loops.

use crate::auto::{self, Chosen};
use crate::copies;
use crate::failure::Failure;
use crate::ready::Ready;
use crate::safety_errors;
use crate::signature::Signature;
use crate::stack::on_deep;
use atl_annotations::{Annotation, Annotations, RequestId};
use atl_arith::Arith;
use atl_check::{Obligation, Violation};
use atl_diag::{Diagnostic, SourceMap, Span, err};
use atl_kernel::{Expr, Node, Pred, Prover, Rounding, Thm, subst};
use atl_lang::{Function, SparseParam};
use atl_loops::prefetch::Missing;
use atl_loops::{Kernel, validate};
use atl_lower::{Assembly, Carried, LowerError, LowerInput, Marked, NeverLeft, Scanned};
use atl_rules::occurrences::mentions;
use atl_rules::sparse::is_placed;
use atl_schedule::{Derivation, Library, Session};
use atl_syntax::ast;
use std::collections::BTreeSet;
use std::ops::Deref;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A function with the program that its schedule makes of it.
#[derive(Clone)]
pub struct Scheduled {
    /// The texts that diagnostics point into.
    pub sources: Arc<SourceMap>,
    /// The function.
    pub function: Function,
    /// The schedule's name, if there is one.
    pub schedule: Option<String>,
    /// The steps; none without a schedule.
    pub derivation: Option<Arc<Derivation>>,
    /// How the schedule, or its end, was chosen, if it is not all written.
    pub chosen: Option<Arc<Chosen>>,
    span: Span,
    /// The prover, which remembers answers.
    arith: Arc<Mutex<Arith>>,
    /// The loops, once they are made.
    lowered: Arc<OnceLock<Lowered>>,
}

/// Loops with their evidence.
#[derive(Clone)]
pub struct Lowered {
    /// The function and its loops.
    pub ready: Ready,
    /// Was the schedule, or its end, chosen?
    pub is_chosen: bool,
    /// The name of the schedule, or the function.
    pub span: Span,
    /// The program that was lowered: the schedule's result.
    pub body: Expr,
    /// The source equals the normal form of which the loops are the translation.
    pub theorem: Thm,
    /// What was shown of the normal form before anything was printed.
    pub obligations: Vec<Obligation>,
    /// The windows that are carried along loops, and why their rows are there already.
    pub carried: Vec<Carried>,
    /// What the schedule asks of lowering.
    pub annotations: Arc<Annotations>,
    /// The loops that were to be vectors or unrolled.
    pub marked: Vec<Marked>,
    /// The requests that some loop or `let` carries out.
    pub found: BTreeSet<RequestId>,
    /// The step that was to iterate over stored entries.
    pub sparsified: Option<Span>,
    /// Was the order of the loops chosen after that?
    pub reordered: bool,
    /// What is not prefetched in a loop that is meant, and why.
    pub missing: Vec<(RequestId, Missing)>,
    /// The parts of the result that are put in order by looking at all of their places.
    pub scanned: Vec<Scanned>,
    /// The rounds that end by themselves and are in lanes, which none of them leaves.
    pub never_left: Vec<NeverLeft>,
}

impl Deref for Lowered {
    type Target = Ready;

    fn deref(&self) -> &Ready {
        &self.ready
    }
}

impl From<Lowered> for Ready {
    fn from(lowered: Lowered) -> Ready {
        lowered.ready
    }
}

impl Scheduled {
    /// The function under this schedule, or as it is written: derived, and checked to be safe.
    ///
    /// # Errors
    /// A step or a check that was refused.
    pub fn derive(
        sources: &Arc<SourceMap>,
        function: &Function,
        schedule: Option<&ast::Schedule>,
        library: &Arc<Library>,
    ) -> Result<Scheduled, Failure> {
        match schedule.filter(|schedule| auto::is_open(schedule)) {
            Some(schedule) => auto::completed(sources, function, schedule, library),
            None => Scheduled::derive_by(&Arc::default(), sources, function, schedule, library),
        }
    }

    /// The same of a schedule that has all of its steps, by a prover that remembers answers.
    pub(crate) fn derive_by(
        prover: &Arc<Mutex<Arith>>,
        sources: &Arc<SourceMap>,
        function: &Function,
        schedule: Option<&ast::Schedule>,
        library: &Arc<Library>,
    ) -> Result<Scheduled, Failure> {
        on_deep(&function.body, || Scheduled::derive_here(prover, sources, function, schedule, library))
    }

    fn derive_here(
        prover: &Arc<Mutex<Arith>>,
        sources: &Arc<SourceMap>,
        function: &Function,
        schedule: Option<&ast::Schedule>,
        library: &Arc<Library>,
    ) -> Result<Scheduled, Failure> {
        let mut locked = prover.lock().unwrap_or_else(PoisonError::into_inner);
        let arith = &mut *locked;
        let unsafe_source = safety_errors::of_function(function, arith);
        if !unsafe_source.is_empty() {
            return Err(Failure { sources: sources.clone(), diagnostics: unsafe_source });
        }
        let function = match schedule {
            Some(schedule) => under(sources, function, schedule, arith)?,
            None => function.clone(),
        };
        let derivation = schedule
            .map(|s| {
                let start = Session::new(&function.ctx, &function.body, arith)
                    .with_library(library)
                    .with_marks(&function.spans);
                atl_schedule::derive(start, &s.steps, s.span)
            })
            .transpose()
            .map_err(|failed| Failure::new(sources, failed.why))?;
        Ok(Scheduled {
            sources: sources.clone(),
            span: schedule.map_or(function.span, |s| s.name.span),
            function,
            schedule: schedule.map(|s| s.name.text.clone()),
            derivation: derivation.map(Arc::new),
            chosen: None,
            arith: prover.clone(),
            lowered: Arc::default(),
        })
    }

    /// The same, chosen so.
    pub(crate) fn with_choice(self, chosen: Chosen) -> Scheduled {
        Scheduled { chosen: Some(Arc::new(chosen)), ..self }
    }

    /// The program after the schedule.
    pub fn body(&self) -> &Expr {
        self.derivation.as_ref().map_or(&self.function.body, |d| d.thm.rhs())
    }

    /// `source = scheduled`; none without a schedule.
    pub fn theorem(&self) -> Option<&Thm> {
        self.derivation.as_ref().map(|d| &d.thm)
    }

    /// What the schedule asks of lowering.
    fn annotations(&self) -> Arc<Annotations> {
        self.derivation.as_ref().map(|d| d.annotations.clone()).unwrap_or_default()
    }

    /// Where the last step stands that makes such a request; the schedule's name if there is none.
    fn request_span(&self, is_one: fn(&Annotation) -> bool) -> Span {
        let annotations = self.annotations();
        let last = annotations.all(|one| is_one(one).then_some(())).next_back();
        last.map_or(self.span, |(request, ())| request.span)
    }

    /// Refuses a result that is to be stored over two parameters.
    fn one_reused(&self) -> Result<(), Failure> {
        let annotations = self.annotations();
        let reused = |one: &Annotation| match one {
            Annotation::Reuse { input } => Some(*input),
            _ => None,
        };
        let mut reused = annotations.all(reused);
        let first = reused.next().map(|(_, input)| input);
        match reused.find(|(_, input)| Some(*input) != first) {
            None => Ok(()),
            Some((second, _)) => Err(Failure::new(
                &self.sources,
                err!(E0414, second.span, "the result cannot be stored over two parameters")
                    .label("the second one")
                    .help("choose one of them"),
            )),
        }
    }

    /// The operand whose places the result is to have.
    fn kept(&self) -> Result<Option<&SparseParam>, Failure> {
        let f = &self.function;
        let annotations = self.annotations();
        let mut steps = annotations.all(|one| match one {
            Annotation::Keep { operand } => Some(operand),
            _ => None,
        });
        let Some((step, name)) = steps.next() else { return Ok(None) };
        let refused = |why: String, at: Span| {
            Err(Failure::new(
                &self.sources,
                err!(E0418, at, "the result cannot have the pattern of `{name}`: {why}")
                    .label("requested here")
                    .help(
                        "name an operand with the format and the shape of the result, or remove `pattern_of`",
                    ),
            ))
        };
        if let Some((second, other)) = steps.find(|(_, other)| *other != name) {
            return refused(format!("another step asks for that of `{other}`"), second.span);
        }
        let Some(operand) = f.sparse.iter().find(|operand| operand.name == *name) else {
            return refused("it is not an operand in a format".to_owned(), step.span);
        };
        match f.assembled() {
            None => refused("it has no format".to_owned(), step.span),
            Some(stored) if stored.format != operand.format => refused(
                format!("it is stored as {}, and `{name}` as {}", stored.format, operand.format),
                step.span,
            ),
            _ if f.result.shape != operand.ty.shape => refused("its shape differs".to_owned(), step.span),
            _ => Ok(Some(operand)),
        }
    }

    /// What the schedule preserves in floating point: what its theorem does, or less if it declares so.
    pub fn rounding(&self) -> Rounding {
        self.theorem().map_or(Rounding::Bitwise, Thm::rounding).max(self.declared())
    }

    /// What the schedule declares that its code may do, and where.
    fn declaration(&self) -> Option<(Rounding, Span)> {
        let annotations = self.annotations();
        let class = |one: &Annotation| match one {
            Annotation::Rounding(class) => Some(*class),
            _ => None,
        };
        // Of several that say the same, the first.
        let declared = annotations.all(class).rev();
        declared.max_by_key(|(_, class)| *class).map(|(request, class)| (class, request.span))
    }

    /// What the schedule declares that its code may do.
    fn declared(&self) -> Rounding {
        self.declaration().map_or(Rounding::Bitwise, |(class, _)| class)
    }

    /// Refuse a schedule that preserves less than this.
    ///
    /// # Errors
    /// The first step above it.
    pub fn require_rounding(&self, at_most: Rounding) -> Result<(), Failure> {
        if let Some((class, span)) = self.declaration().filter(|(class, _)| *class > at_most) {
            return Err(Failure::new(
                &self.sources,
                err!(E0702, span, "the schedule declares `{class}`, and `{at_most}` was asked for")
                    .label("its code may round otherwise")
                    .help("leave the step out, or allow it with `--rounding`"),
            ));
        }
        let above = self.derivation.iter().filter(|d| d.thm.rounding() > at_most);
        match above.flat_map(|d| &d.steps).find(|step| step.part().rounding() > at_most) {
            None => Ok(()),
            Some(step) => Err(Failure::new(
                &self.sources,
                err!(
                    E0702,
                    step.span,
                    "this step is `{}` in floating point, and `{at_most}` was asked for",
                    step.part().rounding()
                )
                .label("it may change rounding")
                .note(format!("it uses {}", step.part().laws()))
                .help("leave the step out, or allow it with `--rounding`"),
            )),
        }
    }

    /// Lower to loops, after showing that this is safe. They are made once.
    ///
    /// # Errors
    /// Each condition that was not shown.
    pub fn lower(&self) -> Result<Lowered, Failure> {
        let lowered = match self.lowered.get() {
            Some(lowered) => lowered.clone(),
            None => {
                let lowered = on_deep(self.body(), || self.lower_here())?;
                self.lowered.get_or_init(|| lowered).clone()
            }
        };
        // It may have been lowered before it was chosen.
        Ok(Lowered { is_chosen: self.chosen.is_some(), ..lowered })
    }

    fn lower_here(&self) -> Result<Lowered, Failure> {
        let f = &self.function;
        self.one_reused()?;
        let kept = self.kept()?;
        let assembly = f.assembled().map(|stored| Assembly {
            same_pattern: kept.map(|operand| crate::assembly::same_pattern(f, operand)),
            ..crate::assembly::assembly(stored, &f.result.shape, &output_name(f))
        });
        let input = LowerInput {
            ctx: f.ctx.clone(),
            sizes: f.sizes.iter().map(|s| (s.level, s.name.clone())).collect(),
            inputs: f
                .params
                .iter()
                .chain(f.copies.iter().flat_map(|copy| &copy.arrays))
                .map(|p| (p.level, p.name.clone()))
                .collect(),
            outputs: output_names(f),
            name: f.name.clone(),
            body: self.body().clone(),
            assembly,
            annotations: self.annotations(),
        };
        let mut arith = self.arith.lock().unwrap_or_else(PoisonError::into_inner);
        let lowered = atl_lower::lower_within(&input, self.declared(), &mut *arith)
            .map_err(|why| self.not_lowered(&why, &mut *arith))?;
        let kernel = self.with_copies(lowered.kernel, lowered.device.is_some())?;
        let theorem = match self.theorem() {
            Some(thm) => thm.clone().trans(lowered.theorem),
            None => Ok(lowered.theorem),
        };
        let theorem = theorem
            .map_err(|e| Failure::new(&self.sources, atl_lang::kernel_error(&e, &f.ctx, Some(self.span))))?;
        let (mut sparsified, mut reordered) = (None, false);
        for (request, one) in input.annotations.all(Some) {
            match one {
                Annotation::Sparsify(None) => (sparsified, reordered) = (Some(request.span), false),
                Annotation::Reorder => reordered = true,
                _ => {}
            }
        }
        let ready = Ready {
            sources: self.sources.clone(),
            function: f.clone(),
            signature: Arc::new(Signature::of_kernel(f, &kernel, kept.map(|operand| &*operand.name))),
            kernel,
            device: lowered.device,
            rounding: theorem.rounding().max(self.rounding()),
            dear: Vec::new(),
            term: Some(self.body().clone()),
        };
        Ok(Lowered {
            ready,
            is_chosen: self.chosen.is_some(),
            span: self.span,
            body: self.body().clone(),
            annotations: input.annotations,
            marked: lowered.marked,
            found: lowered.found,
            sparsified,
            reordered,
            theorem,
            obligations: lowered.obligations,
            carried: lowered.carried,
            missing: lowered.missing,
            scanned: lowered.scanned,
            never_left: lowered.never_left,
        })
    }

    /// The loops, which make the copies of operands that the schedule asks for.
    fn with_copies(&self, kernel: Kernel, is_device: bool) -> Result<Kernel, Failure> {
        let Some(copy) = self.function.copies.first() else { return Ok(kernel) };
        let refused = |why: &'static str| {
            let (at, what) = (Some(copy.arrays[0].span), format!("the copy `{}`", copy.name));
            let refused = LowerError::NotMapped { at, what, why: why.into() };
            self.not_lowered(&refused, &mut Arith::default())
        };
        if is_device {
            return Err(refused("its entries are put in order one by one"));
        }
        let made = copies::with_copies(kernel, &self.function);
        let kernel = made.ok_or_else(|| refused("the loops lack an array of it"))?;
        let violations = validate::validate(&kernel);
        match violations.is_empty() {
            true => Ok(kernel),
            false => Err(self.not_lowered(&LowerError::Invalid(violations), &mut Arith::default())),
        }
    }

    /// A violation, at the step that leaves it, if that is found.
    fn violated(&self, violation: &Violation, prover: &mut dyn Prover) -> Diagnostic {
        let steps = self.derivation.as_ref().map_or(&[][..], |d| &d.steps);
        match safety_errors::culprit(&self.function.ctx, steps, &violation.kind, prover) {
            None => safety_errors::diagnostic(violation, &|_| None, self.span),
            Some(step) => {
                let found = safety_errors::diagnostic(violation, &|_| None, step.span);
                let found = found.note(format!("it was not so before `{}`", step.text));
                let found = match (step.command == "sparsify", self.function.assembled().is_some()) {
                    (false, _) => found,
                    // No program has what the loops over entries read, so no index can be clamped.
                    (true, false) => Diagnostic { help: Vec::new(), ..found }
                        .help("leave this operand out, `sparsify B` of the others alone: all its elements are visited then, zeros too, with the same value")
                        .help("or store it in a format of which the loops are shown to be in bounds: `csr`, `csc` and `coo` are for every reduction"),
                    (true, true) => found.help("the result's format stores elements in another order than the operands: remove `sparsify`, which computes all elements and stores the nonzero ones"),
                };
                step.uses.iter().rev().fold(found, |d, place| d.also(*place, "in this use of a tactic"))
            }
        }
    }

    fn not_lowered(&self, why: &LowerError, prover: &mut dyn Prover) -> Failure {
        let diagnostics = match why {
            LowerError::Unsafe { violations, .. } => {
                Diagnostic::distinct(violations.iter().map(|v| self.violated(v, prover)))
            }
            LowerError::Kernel(e) => vec![atl_lang::kernel_error(e, &self.function.ctx, Some(self.span))],
            LowerError::NotOnlySet(violation) => vec![
                err!(E0409, self.request_span(|one| *one == Annotation::Stream), "this result cannot be streamed")
                    .label("this asks for stores past the caches")
                    .note(format!("in the loops, {violation}"))
                    .note("stores past the caches are for cells that are stored once, and not zeroed or read before")
                    .help("add sums up in a `let`, as `stage L as acc` does, or leave `stream` out"),
            ],
            LowerError::NotOver(why) => vec![
                err!(E0414, self.request_span(|one| matches!(one, Annotation::Reuse { .. })), "the result cannot be stored over a parameter")
                    .label("requested here")
                    .note(format!("in the loops, {why}"))
                    .help("`hoist` what reads other elements, such as a sum, before the loops that store")
                    .help("or `stage X at root as copy`, which reads the parameter before anything is stored; or remove `reuse`"),
            ],
            LowerError::NotCarried { at, tensor, why } => vec![
                err!(E0413, at.unwrap_or(self.span), "`{tensor}` is not carried: {why}")
                    .label("requested here")
                    .help(why.remedy()),
            ],
            LowerError::NotSamePattern(name, why) => vec![
                err!(E0418, self.request_span(|one| matches!(one, Annotation::Keep { .. })), "the result cannot have the pattern of `{name}`: {why}")
                    .label("requested here")
                    .note("the loops that store the result must visit each entry of the operand once, in order")
                    .help(self.places(name))
                    .help("or remove `pattern_of`: then no zeros are stored"),
            ],
            LowerError::NotMapped { at, what, why } => vec![
                err!(E0380, at.unwrap_or(self.span), "{what} cannot be mapped to a device: {why}")
                    .label("requested here")
                    .help("put `blocks`, `threads` and `store .. in shared` after the steps that split or inline loops; `split L by k` gives a loop of a constant extent, and a tile by `swizzle(B, M, S)` has a multiple of 2^(B + M + |S|) cells"),
            ],
            LowerError::NotSaved { at, why } => vec![
                err!(E0420, at.unwrap_or(self.span), "this step has no effect: {why}")
                    .label("requested here")
                    .help("`early_exit` takes a sum over `or`, `min` or `max` that accumulates in a register; put it and `store .. in tracked` after the steps that inline or move the loop or the `let`, or remove them"),
            ],
            LowerError::NotMerged(why) => vec![
                err!(E0421, self.request_span(|one| matches!(one, Annotation::Sparsify(Some(_)))), "these operands cannot be merged: {why}")
                    .label("requested here")
                    .note("a merge advances the factors that share an index, or the summands of a result in a format, one position at a time; the coordinates of each must increase")
                    .help("remove `by merge`: operands that cannot be merged are then searched, or accumulated in a workspace"),
            ],
            LowerError::Ordered(label) => vec![
                err!(E0411, self.span, "the loop `{label}` cannot be parallel or vectorized: it appends to a result in a format")
                    .label("of this")
                    .note("its iterations append to the same arrays, one after the other")
                    .help("remove the annotation, or annotate a loop inside that computes one element"),
            ],
            LowerError::Product(elem, parts) => vec![
                err!(E0415, self.span, "products of `{elem}` become too large")
                    .label("in this")
                    .note(format!("a formula names an operand several times: one product has {parts} parts"))
                    .help("bind the product of some of the factors with `let`, so that it occurs once"),
            ],
            LowerError::TooLong(nodes) => {
                vec![crate::safety_errors::too_long(self.span, *nodes).label("of this")]
            }
            LowerError::TooMuchWork => vec![
                err!(E0422, self.span, "this program takes too much work to lower")
                    .label("of this")
                    .note(format!(
                        "its normal form, in which accesses are carried out, takes more than {} nodes to read",
                        atl_lower::MAX_WORK
                    ))
                    .note("an inlined term is copied to each of its reads, with everything that it reads")
                    .help("bind what is read more than once with `let`, so that it is computed once and read from memory"),
            ],
            other => vec![
                err!(E0608, self.span, "this program cannot be lowered to loops: {other}")
                    .label("of this")
                    .help("please report it with the program; another schedule may do"),
            ],
        };
        Failure { sources: self.sources.clone(), diagnostics }
    }
}

impl Scheduled {
    /// What helps where a result does not have the places of this operand.
    fn places(&self, name: &str) -> String {
        let annotations = self.annotations();
        let goes = annotations.requests().any(|(_, one)| one.annotation == Annotation::Sparsify(None));
        if !is_read(&self.function.body, name) {
            format!(
                "`{name}` is not read; `pattern_of` takes an operand that is a factor of the whole result"
            )
        } else if goes {
            format!(
                "`pattern_of` takes an operand that is a factor of the whole result; if `{name}` is one, let it drive: \
                 name it first, as in `sparsify {name}, ..`, and give operands that share an index with it a format with dense rows, such as `csr`"
            )
        } else {
            "put `sparsify` first, so that the loops iterate over entries".to_owned()
        }
    }
}

/// Is an operand of this name read?
fn is_read(body: &Expr, name: &str) -> bool {
    // A level that no context reaches.
    const LEVEL: u32 = u32::MAX;
    let mut at = body;
    while let Node::Let(label, bound, rest) = &**at {
        if *label.name == *name && is_placed(bound) {
            return mentions(&subst::open(rest, LEVEL), LEVEL);
        }
        at = rest;
    }
    true
}

/// A function with what a schedule of it assumes, and the copies that it has made.
pub fn under(
    sources: &Arc<SourceMap>,
    function: &Function,
    schedule: &ast::Schedule,
    prover: &mut Arith,
) -> Result<Function, Failure> {
    let mut function = function.clone();
    let stated = atl_schedule::assumptions(&function.ctx, &schedule.steps, prover);
    assume(&mut function, stated.map_err(|refusal| Failure::new(sources, refusal))?);
    let mut ctx = (*function.ctx).clone();
    let copies = atl_schedule::copies(&mut ctx, &function, &schedule.steps);
    for (copy, fits) in copies.map_err(|refusal| Failure::new(sources, refusal))? {
        function.requires.extend(fits.map(|fits| (fits, copy.arrays[1].span)));
        function.copies.push(copy);
    }
    function.ctx = Arc::new(ctx);
    Ok(function)
}

/// What a schedule assumes is a precondition of the function under it: a hypothesis of its theorems, checked
/// at each call.
fn assume(function: &mut Function, stated: Vec<(Pred, Span)>) {
    if stated.is_empty() {
        return;
    }
    let mut ctx = (*function.ctx).clone();
    stated.iter().for_each(|(p, _)| ctx.push_hyp(p.clone()));
    function.ctx = Arc::new(ctx);
    function.requires.extend(stated);
}

/// The names of the outputs: those of several results are their own.
fn output_names(f: &Function) -> Vec<String> {
    match f.several.is_empty() {
        true => vec![output_name(f)],
        false => f.several.iter().map(|part| part.name.clone()).collect(),
    }
}

/// A name for the output that no parameter has.
fn output_name(f: &Function) -> String {
    let taken =
        |name: &str| f.params.iter().any(|p| p.name == name) || f.sizes.iter().any(|s| s.name == name);
    let mut name = "out".to_owned();
    while taken(&name) {
        name.push('_');
    }
    name
}
