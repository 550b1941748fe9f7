//! The bounds checker: whether kernels that were written for other tools stay inside of their tensors, for
//! all sizes.
//!
//! The one idea: whatever a kernel is written in, it is assignments of products of reads, with sizes; each
//! index has a range, and each dimension that it stands in has an obligation to be as long. Three verdicts
//! are kept apart: **safe**; **in bounds, but of a part**, where entries are left out in silence; and
//! **unsafe**, with the smallest sizes for which an access is outside. What is safe is printed as a program
//! in TeIL, if that has words for it.

mod assumed;
mod infer;
mod kernel;
mod linear;
mod needs;
mod program;
mod ranges;
mod read;
mod written;

use assumed::{Assumed, Condition, Definition};
use atl_diag::{SourceMap, err};
use atl_teil::Refusal;
use atl_teil::language::{Fact, Placed, Program, Reduction, Shape, Size, shape};
use atl_teil::typing;
use kernel::Sizes;
use kernel::{Kernel, Reduced};
use linear::Linear;
use needs::{Needs, described, facts, needs};
use ranges::{Clash, Obligation, Range, Ranges, obligations, ranges, witness};
use std::collections::BTreeSet;

/// The report on a kernel that is safe.
#[derive(Clone, Debug)]
pub struct Safe {
    /// The tensors with their sizes, those that are inferred included.
    pub tensors: Vec<(String, Shape)>,
    /// The ranges of each statement's indices, as `i < n`, and how those that the target lacks are reduced.
    pub indices: Vec<Vec<(String, Option<Reduction>)>>,
    /// What is assumed of sizes.
    pub assumed: Option<String>,
    /// Results not all of whose cells are certainly written: what is known of each.
    pub unwritten: Vec<String>,
    /// The program in TeIL, or what that has no word for.
    pub program: Result<Program, String>,
}

/// Examines a kernel, with declarations such as `A=m,n`, where sizes satisfy conditions such as `m + 1 <= n`.
/// The texts are added to the sources, which refusals point into.
///
/// # Errors
/// It cannot be read (E0297), accesses something outside (E0298), or leaves entries out (E0299).
pub fn check(
    sources: &mut SourceMap,
    name: &str,
    text: &str,
    declarations: &[String],
    conditions: &[String],
) -> Result<Safe, Refusal> {
    let file = sources.add(name, text);
    let mut declared: Vec<(Placed<String>, Shape)> = Vec::new();
    for text in declarations {
        let file = sources.add("the declaration", text);
        declared.push(read::declaration(file, text)?);
    }
    let kernel = read::kernel(file, text, declared)?;
    let mut assumed = Vec::new();
    for text in conditions {
        let file = sources.add("the assumption", text);
        assumed.extend(read::conditions(file, text)?);
    }
    examine(kernel, assumed)
}

fn examine(kernel: Kernel, conditions: Vec<Condition>) -> Result<Safe, Refusal> {
    said_once(&kernel)?;
    let given = kernel.declared.len();
    let Inferred { kernel, ranges, assumed } = inferred(kernel, &conditions)?;
    let found = unmet(&kernel, &ranges, &assumed);
    if found.is_empty() {
        return Ok(safe(&kernel, &ranges, &assumed));
    }
    Err(refusal(&kernel, given, &ranges, &assumed, &found, &conditions))
}

/// The size variables, each once.
fn variables(kernel: &Kernel, ranges: &[Ranges], definitions: &[Definition]) -> Vec<String> {
    let declared = kernel.declared.iter().flat_map(|(_, shape)| shape);
    let ranges = || ranges.iter().flat_map(|ranges| &ranges.of);
    let mut names: Vec<String> = Vec::new();
    let mut add = |name: &String| {
        if !names.contains(name) {
            names.push(name.clone());
        }
    };
    for size in declared.chain(ranges().map(|range| &range.size)) {
        if let Size::Variable(name) = size {
            add(name);
        }
    }
    let bounds = definitions.iter().flat_map(|definition| definition.bounds.iter().map(|(_, most)| most));
    let linear = ranges().map(|range| &range.from).chain(bounds);
    linear.flat_map(|linear| linear.parts().1).for_each(|(name, _)| add(name));
    names
}

/// Demands that each tensor is declared once, and each range of a statement stated once, by sizes and no
/// indices.
fn said_once(kernel: &Kernel) -> Result<(), Refusal> {
    if let Some(Placed { value, span }) = second(kernel.declared.iter().map(|(name, _)| name)) {
        return Err(Box::new(err!(E0297, *span, "`{value}` is declared twice")));
    }
    kernel.statements.iter().try_for_each(|statement| {
        match second(statement.ranges.iter().map(|stated| &stated.index)) {
            Some(Placed { value, span }) => {
                Err(Box::new(err!(E0297, *span, "the range of `{value}` is stated twice")))
            }
            None => ranges_of_sizes(statement),
        }
    })
}

/// What is called as an index is no size: a range that depends on another index is a triangle, of which
/// nothing is known.
fn ranges_of_sizes(statement: &kernel::Statement) -> Result<(), Refusal> {
    let indices =
        || [&statement.target].into_iter().chain(statement.reads()).flat_map(|access| &access.indices);
    let ends = statement.ranges.iter().flat_map(|stated| [(stated, &stated.from), (stated, &stated.to)]);
    for (stated, end) in ends {
        // In a `compute` an index and its extent may have one name.
        let others = end.terms.iter().filter(|(_, name)| *name != stated.index.value);
        if let Some((_, name)) =
            others.into_iter().find(|(_, name)| indices().any(|index| index.mentions(name)))
        {
            return Err(Box::new(
                err!(E0297, end.span, "`{name}` is an index, and ends a range")
                    .label("ranges are from a sum of sizes to another")
                    .help("if a size is meant, give the index another name"),
            ));
        }
    }
    Ok(())
}

/// The first name that stood before.
fn second<'k>(mut names: impl Iterator<Item = &'k Placed<String>>) -> Option<&'k Placed<String>> {
    let mut known = BTreeSet::new();
    names.find(|name| !known.insert(&name.value))
}

/// A kernel with the sizes of all results, the ranges of each statement, and what is known of sizes.
struct Inferred {
    kernel: Kernel,
    ranges: Vec<Ranges>,
    assumed: Assumed,
}

fn inferred(mut kernel: Kernel, conditions: &[Condition]) -> Result<Inferred, Refusal> {
    let (mut all, mut definitions) = (Vec::new(), Vec::new());
    for statement in kernel.statements.clone() {
        let ranges = ranges(&kernel, &statement, &mut definitions)?;
        let target = &statement.target;
        if kernel.shape(&target.tensor.value).is_none() {
            let size = |index: &kernel::Affine| {
                index.plain().and_then(|index| ranges.size(index)).cloned().ok_or_else(|| {
                    Box::new(
                        err!(E0297, index.span, "nothing says the sizes of `{}`", target.tensor.value)
                            .label("its indices are no names")
                            .help(format!("declare it: `-d {}=n,m`", target.tensor.value)),
                    )
                })
            };
            let shape: Result<Shape, Refusal> = target.indices.iter().map(size).collect();
            kernel.declared.push((target.tensor.clone(), shape?));
            // Which may be read in the same statement.
            statement.reads().try_for_each(|read| ranges::shape_of(&kernel, &statement, read).map(drop))?;
        }
        all.push(ranges);
    }
    let names = variables(&kernel, &all, &definitions);
    let assumed = Assumed::new(conditions.to_vec(), definitions, names)?;
    Ok(Inferred { kernel, ranges: all, assumed })
}

/// The obligations that do not hold for all sizes, with the statement of each.
fn unmet<'k>(kernel: &'k Kernel, ranges: &[Ranges], assumed: &Assumed) -> Vec<(usize, Obligation<'k>)> {
    let each = kernel.statements.iter().zip(ranges).enumerate();
    each.flat_map(|(k, (statement, ranges))| {
        obligations(kernel, statement, ranges, assumed).into_iter().map(move |obligation| (k, obligation))
    })
    .collect()
}

fn safe(kernel: &Kernel, ranges: &[Ranges], assumed: &Assumed) -> Safe {
    let tensors = kernel.declared.iter().map(|(name, shape)| (name.value.clone(), shape.clone())).collect();
    let indices = kernel.statements.iter().zip(ranges).map(|(statement, ranges)| {
        let stays = |index: &str| statement.target.indices.iter().any(|affine| affine.mentions(index));
        let op = match statement.reduced {
            Reduced::EachTerm => Reduction::Sum,
            Reduced::Whole(op) => op,
        };
        let of = |range: &Range| (range.text(), (!stays(&range.index)).then_some(op));
        ranges.of.iter().map(of).collect()
    });
    Safe {
        tensors,
        indices: indices.collect(),
        assumed: assumed.text(),
        unwritten: written::unwritten(kernel, ranges, assumed),
        program: well_typed(kernel, ranges, &assumed.facts()),
    }
}

/// The program with these facts, which the checker of TeIL accepts.
fn well_typed(kernel: &Kernel, ranges: &[Ranges], facts: &[Fact]) -> Result<Program, String> {
    let program = program::program(kernel, ranges, facts)?;
    let verdict = typing::check(&program).map(drop).map_err(|why| why.message.clone());
    verdict.map(|()| program)
}

/// Of a kernel's tensors this number, the first ones, are declared, not inferred.
fn refusal(
    kernel: &Kernel,
    given: usize,
    ranges: &[Ranges],
    assumed: &Assumed,
    found: &[(usize, Obligation<'_>)],
    conditions: &[Condition],
) -> Refusal {
    // Where the smallest of several sizes is taken, nothing is outside, unless the range is stated.
    let smallest = |k: usize, obligation: &Obligation<'_>| {
        let stated = |index: &str| kernel.statements[k].ranges.iter().any(|s| s.index.value == index);
        kernel.smallest && obligation.whole && obligation.index().plain().is_some_and(|index| !stated(index))
    };
    let clash = |(k, obligation): &(usize, Obligation<'_>)| {
        let (sizes, clash) = witness(obligation, &ranges[*k], assumed)?;
        Some((sizes, if smallest(*k, obligation) { Clash::Part } else { clash }))
    };
    let clashes: Vec<Option<(Sizes, Clash)>> = found.iter().map(clash).collect();
    let worded = |sizes: &Sizes| {
        let mut sizes = sizes.clone();
        sizes.retain(|name, _| !assumed.is_spelled(name));
        worded(&sizes, " for ")
    };
    let outside = |clash: &Option<(Sizes, Clash)>| matches!(clash, Some((_, Clash::Outside { .. })));
    let first = clashes.iter().position(outside).unwrap_or(0);
    let (k, obligation) = &found[first];
    let (access, ranges_here) = (obligation.access, &ranges[*k]);
    let index = obligation.index().text();
    let (text, dimension) = (access.text(), obligation.dimension + 1);
    let refusal = match &clashes[first] {
        Some((sizes, Clash::Outside { at, place })) => {
            let at: Vec<String> = at.iter().map(|(name, n)| format!("{name} = {n}")).collect();
            let size = ranges::value(&obligation.size, sizes);
            let whence = if at.is_empty() { String::new() } else { format!("{}: ", at.join(", ")) };
            let entries = if size == 1 { "1 entry".to_owned() } else { format!("{size} entries") };
            err!(E0298, access.span, "`{text}` is outside of `{}`{}", access.tensor.value, worded(sizes))
                .label(format!("{whence}place {place} of dimension {dimension}, which has {entries}"))
        }
        Some((sizes, Clash::Part)) if smallest(*k, obligation) => {
            let range = ranges_here.size(&index).map_or(String::new(), Size::to_string);
            let smaller = format!("the smaller of {range} and {}", obligation.size);
            err!(E0299, access.span, "`{index}` runs below {smaller}, which differ{}", worded(sizes))
                .label("entries beyond it are left out")
        }
        Some((sizes, Clash::Part)) => {
            let size = &obligation.size;
            err!(
                E0299,
                access.span,
                "dimension {dimension} of `{text}` is gone through in part{}",
                worded(sizes)
            )
            .label(format!("`{index}` may stop before {size}"))
            .note(format!("where a part is meant, state how far it goes: `where {index} in 0:{size} - 1`"))
        }
        // No small sizes show it.
        None if obligation.whole && is_inside(obligation, ranges_here, assumed) => {
            let size = &obligation.size;
            err!(E0299, access.span, "dimension {dimension} of `{text}` may be gone through in part")
                .label(format!("`{index}` may stop before {size}"))
        }
        None => err!(E0298, access.span, "`{text}` is not certainly inside").label(format!("at `{index}`")),
    };
    let runs = |(_, name): &(i64, String)| {
        let Range { from, size, .. } = ranges_here.get(name)?;
        let from = if *from == Linear::default() { String::new() } else { format!("from {} ", from.text()) };
        let size = assumed.spelled(Linear::size(size)).text();
        Some(format!("`{name}` runs {from}below {size}"))
    };
    let runs: Vec<String> = obligation.index().terms.iter().filter_map(runs).collect();
    let tensors: Vec<String> =
        kernel.declared.iter().map(|(name, sizes)| format!("{} : {}", name.value, shape(sizes))).collect();
    let mut refusal =
        refusal.note(format!("{}; {}", tensors.join(", "), runs.join(", ")).trim_end_matches("; "));
    let mut help = "correct the indices, or the sizes that are declared".to_owned();
    match needs(found, ranges, assumed) {
        Needs::Never(why) => {
            let all = ranges.iter().flat_map(|ranges| &ranges.of);
            let may_be_empty = all.into_iter().any(|range| range.defined || !range.begins_at_0());
            let target = &kernel.statements[*k].target;
            let is_given =
                kernel.declared.iter().take(given).any(|(name, _)| *name.value == target.tensor.value);
            let moves = obligation
                .index()
                .terms
                .iter()
                .any(|(_, name)| target.indices.iter().any(|i| i.mentions(name)));
            if !is_given && moves && !kernel.smallest {
                let name = &target.tensor.value;
                help =
                    format!("declare the result, as in `-d {name}=m`: its indices run as far as that says");
            }
            let none = if may_be_empty { "safe only where nothing is accessed" } else { "safe for no sizes" };
            refusal = refusal.note(format!("{none}: {why}"));
        }
        Needs::Unsure(needs) => {
            refusal = refusal.note(format!(
                "it needs {}, and no sizes are known with which that holds",
                described(&needs, assumed)
            ));
        }
        Needs::All(needs) => {
            refusal = refusal.note(format!("safe if {}", described(&needs, assumed)));
            help += &format!(", or say so: `--assume \"{}\"`", described(&needs, assumed));
            if let Some(facts) = facts(&needs).map(|facts| [assumed.facts(), facts].concat())
                && let Ok(program) = well_typed(kernel, ranges, &facts)
            {
                let program = program.to_string();
                refusal = refusal.note(format!("then it is\n{}", program.trim_end()));
            }
        }
    }
    if found.iter().any(|(_, o)| o.size == Size::Number(1))
        && matches!(clashes[first], Some((_, Clash::Outside { .. })))
    {
        refusal = refusal.note("some tools repeat a dimension of size 1; `expa` says so");
    }
    Box::new(match exchange(kernel, conditions) {
        Some(how) => refusal.help(format!("declare {how}")),
        None => refusal.help(help),
    })
}

/// Does an access stay inside, though it may not reach all entries?
fn is_inside(obligation: &Obligation<'_>, ranges: &Ranges, assumed: &Assumed) -> bool {
    let inside = Obligation { whole: false, size: obligation.size.clone(), ..*obligation };
    inside.is_met(ranges, assumed)
}

/// ` for m = 1, n = 2`
fn worded(sizes: &Sizes, before: &str) -> String {
    let sizes: Vec<String> = sizes.iter().map(|(name, n)| format!("{name} = {n}")).collect();
    if sizes.is_empty() { String::new() } else { format!("{before}{}", sizes.join(", ")) }
}

/// The exchange of two dimensions of one or two tensors with which everything is safe.
fn exchange(kernel: &Kernel, conditions: &[Condition]) -> Option<String> {
    const MOST: usize = 24;
    let pairs = kernel.declared.iter().enumerate().flat_map(|(tensor, (_, shape))| {
        (0..shape.len()).flat_map(move |i| (i + 1..shape.len()).map(move |j| (tensor, i, j)))
    });
    let pairs: Vec<(usize, usize, usize)> = pairs.take(MOST).collect();
    let ones = pairs.iter().map(|pair| vec![*pair]);
    let twos = pairs.iter().flat_map(|a| pairs.iter().filter(|b| a.0 < b.0).map(|b| vec![*a, *b]));
    ones.chain(twos).find_map(|exchanges| {
        let mut changed = kernel.clone();
        exchanges.iter().for_each(|(tensor, i, j)| changed.declared[*tensor].1.swap(*i, *j));
        let Inferred { kernel: changed, ranges, assumed } = inferred(changed, conditions).ok()?;
        if !unmet(&changed, &ranges, &assumed).is_empty() {
            return None;
        }
        let declared = |(tensor, ..): &(usize, usize, usize)| {
            let (name, sizes) = &changed.declared[*tensor];
            format!("`{} : {}`", name.value, shape(sizes))
        };
        Some(exchanges.iter().map(declared).collect::<Vec<_>>().join(" and "))
    })
}

impl Safe {
    /// In words, and as a program.
    pub fn to_text(&self) -> String {
        let tensors: Vec<String> =
            self.tensors.iter().map(|(name, sizes)| format!("{name} : {}", shape(sizes))).collect();
        let with = self.assumed.as_ref().map_or(String::new(), |conditions| format!(" with {conditions}"));
        let mut text = format!("safe for all sizes{with}: {}\n", tensors.join(", "));
        for indices in &self.indices {
            let each: Vec<String> = indices
                .iter()
                .map(|(range, reduced)| format!("{range}{}", reduced.map_or("", in_words)))
                .collect();
            text += &format!("{}\n", if each.is_empty() { "no indices".to_owned() } else { each.join(", ") });
        }
        self.unwritten.iter().for_each(|note| text += &format!("{note}\n"));
        match &self.program {
            Ok(program) => text += &format!("\n{program}"),
            Err(why) => text += &format!("no program in TeIL: {why}\n"),
        }
        text
    }
}

fn in_words(op: Reduction) -> &'static str {
    match op {
        Reduction::Sum => " (summed)",
        Reduction::Product => " (multiplied)",
        Reduction::Min => " (the smallest)",
        Reduction::Max => " (the largest)",
    }
}

#[cfg(test)]
mod tests;
