//! Lowering as a whole: from a term in a context to a kernel with its evidence.

use crate::annotations::coiteration::CoiterationStrategy;
use crate::cx::{Buffer, LowerCx};
use crate::error::{LowerError, MAX_WORK};
use crate::names::Names;
use crate::normal::{Begins, normalise};
use crate::notes::{Carried, Carries, Marked, NeverLeft, Scanned};
use crate::requires;
use crate::results::{result_types, stored};
use crate::sparse_output::assemble::{Assembly, COORDINATES, assemble};
use atl_annotations::{Annotation, Annotations, RequestId};
use atl_check::{Obligation, Report, check_term};
use atl_kernel::{Ctx, Entry, Expr, Node, Pred, Prover, Rounding, Thm, Type, Var};
use atl_loops::passes::{DEVICE_PASSES, PASSES, Pass, sequential};
use atl_loops::prefetch::Missing;
use atl_loops::{Access, Bool, BufferParam, Int, Kernel, Name, Stmt, validate};
use atl_rules::{Cx, Work};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// What to lower.
#[derive(Clone, Debug)]
pub struct LowerInput {
    /// The context: sizes, inputs, and what is required of the sizes.
    pub ctx: Arc<Ctx>,
    /// The levels and names of the sizes, in calling order.
    pub sizes: Vec<(u32, String)>,
    /// The levels and names of the input tensors, in calling order.
    pub inputs: Vec<(u32, String)>,
    /// The names of the output tensors: one, or as many as the body has results.
    pub outputs: Vec<String>,
    /// The name of the kernel.
    pub name: String,
    /// What to compute.
    pub body: Expr,
    /// The arrays in which the output is stored, if it has a format.
    pub assembly: Option<Assembly>,
    /// What the schedule asks for; the binders of the body have its tags.
    pub annotations: Arc<Annotations>,
}

/// A kernel, and why it is right.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The kernel, tidied by the loop IR's passes.
    pub kernel: Kernel,
    /// The kernel as it was translated, construct by construct.
    pub plain: Kernel,
    /// The same with a device's blocks and threads, if loops are marked so.
    pub device: Option<Kernel>,
    /// The body equals its normal form, of which the kernel is the translation.
    pub theorem: Thm,
    /// What the translation relies on, shown of the normal form.
    pub obligations: Vec<Obligation>,
    /// For each window that is carried, why its rows are there already.
    pub carried: Vec<Carried>,
    /// The loops that are to be lanes or to be written out.
    pub marked: Vec<Marked>,
    /// The requests that some loop or `let` carries out.
    pub found: BTreeSet<RequestId>,
    /// What is not prefetched in a loop that is meant, and why.
    pub missing: Vec<(RequestId, Missing)>,
    /// The parts of a result in a format that are put in order by looking at all of their places.
    pub scanned: Vec<Scanned>,
    /// The rounds that end by themselves and are in lanes, which none of them leaves.
    pub never_left: Vec<NeverLeft>,
}

/// Lower a term to loops that compute it bit by bit. A guard's or pad's zero is not added: on the right, on the machine,
/// it changes no accumulator that began as zero.
pub fn lower(input: &LowerInput, prover: &mut dyn Prover) -> Result<Lowered, LowerError> {
    lower_within(input, Rounding::Bitwise, prover)
}

/// Lower a term to loops that preserve as much of it as `rounding` says: with `Real`, a sum within a sum adds
/// straight into the outer one's accumulator. A schedule that has regrouped sums already loses nothing by it.
pub fn lower_within(
    input: &LowerInput,
    rounding: Rounding,
    prover: &mut dyn Prover,
) -> Result<Lowered, LowerError> {
    shown(check_term(&input.ctx, &input.body, prover), &input.body)?;
    let has = |is_one| has(&input.annotations, is_one);
    let begins = if has(|one| *one == Annotation::Stop) { Begins::Operand } else { Begins::Zero };
    let work = Work::limited(MAX_WORK);
    let mut cx = Cx::new(input.ctx.clone(), prover).with_work(&work);
    let theorem = normalise(&mut cx, &input.body, rounding, begins);
    if work.is_spent() {
        return Err(LowerError::TooMuchWork);
    }
    let theorem = theorem?;
    let normal = theorem.rhs();
    let obligations = shown(check_term(&input.ctx, normal, prover), normal)?;
    let Translated { kernel, carried, marked: loops, found, missing, scanned, never_left } =
        translate(input, normal, prover)?;
    let valid = |kernel| valid(kernel, &input.annotations);
    let marked = valid(kernel)?;
    let is_device = has(|one| matches!(one, Annotation::Device(..) | Annotation::Shared(_)));
    let device = is_device.then(|| valid(tidied(DEVICE_PASSES, &marked))).transpose()?;
    let plain = valid(sequential(&marked))?;
    CoiterationStrategy::of(&input.annotations).all_merged(&plain)?;
    let kernel = valid(tidied(PASSES, &plain))?;
    Ok(Lowered {
        kernel,
        plain,
        device,
        theorem,
        obligations,
        carried,
        marked: loops,
        found,
        missing,
        scanned,
        never_left,
    })
}

fn tidied(passes: &[Pass], kernel: &Kernel) -> Kernel {
    passes.iter().fold(kernel.clone(), |kernel, pass| (pass.apply)(&kernel))
}

/// The obligations, if there are no violations.
fn shown(report: Report, term: &Expr) -> Result<Vec<Obligation>, LowerError> {
    match report.is_ok() {
        true => Ok(report.obligations),
        false => Err(LowerError::Unsafe { violations: report.violations, term: term.clone() }),
    }
}

fn valid(kernel: Kernel, annotations: &Annotations) -> Result<Kernel, LowerError> {
    let violations = validate::validate(&kernel);
    if let Some(violation) = violations.iter().find(|violation| violation.rule == validate::Rule::Stream) {
        return Err(LowerError::NotOnlySet(violation.clone()));
    }
    let saves = |violation: &&validate::Violation| violation.rule == validate::Rule::EarlyExit;
    if let Some(violation) = violations.iter().find(saves) {
        let mut requests = annotations.requests().map(|(_, request)| request);
        let at = requests.find(|request| request.annotation == Annotation::Stop).map(|request| request.span);
        return Err(LowerError::NotSaved { at, why: violation.to_string() });
    }
    if let Some(violation) = violations.iter().find(|violation| violation.rule == validate::Rule::Over) {
        return Err(LowerError::NotOver(violation.to_string()));
    }
    if violations.is_empty() { Ok(kernel) } else { Err(LowerError::Invalid(violations)) }
}

/// Loops, and what has become of requests.
struct Translated {
    kernel: Kernel,
    carried: Vec<Carried>,
    marked: Vec<Marked>,
    found: BTreeSet<RequestId>,
    missing: Vec<(RequestId, Missing)>,
    scanned: Vec<Scanned>,
    never_left: Vec<NeverLeft>,
}

fn translate(input: &LowerInput, normal: &Expr, prover: &mut dyn Prover) -> Result<Translated, LowerError> {
    let mut source_let_names = BTreeSet::new();
    lets(&input.body, &mut source_let_names);
    let mut cx = LowerCx {
        ctx: (*input.ctx).clone(),
        prover,
        names: Names::default(),
        indices: BTreeMap::new(),
        buffers: BTreeMap::new(),
        loops: Vec::new(),
        outer: input.ctx.level(),
        annotations: &input.annotations,
        found: BTreeSet::new(),
        missing: Vec::new(),
        scanned: Vec::new(),
        never_left: Vec::new(),
        inputs: input.inputs.iter().map(|(_, name)| Name::new(name)).collect(),
        outputs: input.outputs.iter().map(|name| Name::new(name)).collect(),
        around: Vec::new(),
        source_let_names,
        lets: Vec::new(),
        around_lets: Vec::new(),
        marked: Vec::new(),
        carries: Carries::default(),
        coiteration: CoiterationStrategy::of(&input.annotations),
        shown: HashMap::new(),
    };
    for (level, name) in &input.sizes {
        reserve(&mut cx, name)?;
        cx.indices.insert(*level, Name::new(name));
    }
    let mut params = Vec::new();
    for (level, name) in &input.inputs {
        reserve(&mut cx, name)?;
        let Some(Entry::Tensor(_, ty)) = input.ctx.entry(*level) else {
            return Err(LowerError::Unbound(Var::Free(*level)));
        };
        let buffer = Buffer {
            name: Name::new(name),
            elem: ty.elem,
            extents: ty.shape.clone(),
            turn: None,
            part: None,
        };
        params.push(param(&mut cx, &buffer, Access::Read)?);
        cx.buffers.insert(*level, buffer);
    }
    let types = result_types(&mut cx, normal)?;
    let (Some(ty), true) = (types.first(), types.len() == input.outputs.len()) else {
        return Err(LowerError::NotNormal(normal.clone()));
    };
    if let Some(assembly) = &input.assembly {
        for (name, scalar) in assembly.arrays(ty.elem.scalar) {
            reserve(&mut cx, name)?;
            let (name, extents) = (Name::new(name), vec![Int::Lit(0)]);
            params.push(BufferParam { name, scalar, extents, access: Access::Append, over: None });
        }
    } else {
        input.outputs.iter().try_for_each(|name| reserve(&mut cx, name))?;
    }
    let over = over(&mut cx, input, &types)?;
    let buffer = |(name, ty): (&String, &Type)| Buffer {
        name: Name::new(name),
        elem: ty.elem,
        extents: over.as_ref().map_or_else(|| ty.shape.clone(), |over| over.extents.clone()),
        turn: None,
        part: None,
    };
    let outputs: Vec<Buffer> = input.outputs.iter().zip(&types).map(buffer).collect();
    if input.assembly.is_none() {
        let is_streamed = has(&input.annotations, |one| *one == Annotation::Stream);
        let access = if is_streamed { Access::Stream } else { Access::Write };
        for output in &outputs {
            let over = over.as_ref().map(|over| over.name.clone());
            params.push(BufferParam { over, ..param(&mut cx, output, access)? });
        }
    }
    let mut requires = requires::on_sizes(&cx)?;
    if let Some(assembly) = &input.assembly {
        let stored =
            assembly.compressed().map(|d| cx.translate_ix(&ty.shape[d])).collect::<Result<Vec<_>, _>>()?;
        let fits = stored.into_iter().map(|n| Bool::le(n, Int::Lit(COORDINATES)));
        let fits: Vec<Bool> =
            fits.filter(|fits| *fits != Bool::Lit(true) && !requires.contains(fits)).collect();
        requires.extend(fits);
    }
    let requires_all = requires::on_elements(&mut cx)?;
    let sizes = input.sizes.iter().map(|(_, name)| Name::new(name)).collect();
    let kernel = |body| Kernel { name: Name::new(&input.name), sizes, params, requires, requires_all, body };
    if cx.is_unreachable() {
        let (kernel, found) =
            (kernel(Stmt::skip()), input.annotations.requests().map(|(id, _)| id).collect());
        return Ok(Translated {
            kernel,
            carried: Vec::new(),
            marked: Vec::new(),
            found,
            missing: Vec::new(),
            scanned: Vec::new(),
            never_left: Vec::new(),
        });
    }
    let body = match &input.assembly {
        Some(assembly) => assemble(&mut cx, normal, assembly)?,
        None => stored(&mut cx, normal, &outputs)?,
    };
    let carried = cx.all_carried()?;
    cx.all_found()?;
    let LowerCx { marked, found, missing, scanned, never_left, .. } = cx;
    Ok(Translated { kernel: kernel(body), carried, marked, found, missing, scanned, never_left })
}

/// The names of the `let`s of a term.
fn lets(e: &Expr, names: &mut BTreeSet<Arc<str>>) {
    if let Node::Let(label, ..) = &**e {
        names.insert(label.name.clone());
    }
    e.children().filter_map(|at| e.child(at)).for_each(|part| lets(part, names));
}

/// Does a step make such a request?
fn has(annotations: &Annotations, is_one: fn(&Annotation) -> bool) -> bool {
    annotations.requests().any(|(_, request)| is_one(&request.annotation))
}

/// The input that the output may be stored over, whose extents are those of the output in the input's words.
fn over(cx: &mut LowerCx<'_>, input: &LowerInput, types: &[Type]) -> Result<Option<Buffer>, LowerError> {
    let reused = |one: &Annotation| match one {
        Annotation::Reuse { input } => Some(*input),
        _ => None,
    };
    let Some((_, level)) = input.annotations.all(reused).next() else { return Ok(None) };
    let refused = |why: &str| Err(LowerError::NotOver(why.to_owned()));
    if input.assembly.is_some() {
        return refused("it has a format");
    }
    let [ty] = types else { return refused("there are several results") };
    let Some(buffer) = cx.buffers.get(&level).cloned() else {
        return refused("it is not an array parameter of the kernel");
    };
    let mut pairs = buffer.extents.iter().zip(&ty.shape);
    let is_alike = buffer.elem == ty.elem
        && buffer.extents.len() == ty.shape.len()
        && pairs.all(|(a, b)| cx.proves(&Pred::eq(a.clone(), b.clone())));
    if is_alike {
        Ok(Some(buffer))
    } else {
        refused(&format!("`{}` has another type or other extents", buffer.name))
    }
}

fn reserve(cx: &mut LowerCx<'_>, name: &str) -> Result<(), LowerError> {
    match Name::new(name).is_well_formed() && cx.names.reserve(name) {
        true => Ok(()),
        false => Err(LowerError::Name(name.to_owned())),
    }
}

fn param(cx: &mut LowerCx<'_>, buffer: &Buffer, access: Access) -> Result<BufferParam, LowerError> {
    let extents = buffer.extents.iter().map(|n| cx.translate_ix(n)).collect::<Result<Vec<_>, _>>()?;
    Ok(BufferParam { name: buffer.name.clone(), scalar: buffer.elem.scalar, extents, access, over: None })
}
