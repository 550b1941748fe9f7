//! `wavefront x by a, b [in m, n [along s]] [as Y]`: compute the elements of a `rec` by fronts, all of one
//! rank at once, or by fronts of tiles.
//!
//! **Statement.** The rank of `x[i, j]` is `a * i + b * j`. `rec x = gen i < n, j < m { e(i, j, x) }` =
//! `iterate front < F from x = zeros { gen i < n, j < m { select(a * i + b * j == front, e(i, j, x), x[i, j])
//! } }`, of any number of indices. With `as Y` the fronts are rows: `Y[front, i]` is the element of that
//! rank, in place of the last index that counts 1, and where `x[i, j]` was read it is `Y[a * i + b * j, i]`.
//! With `in m, n` tiles of `m` by `n` elements are computed as elements are without: all tiles of the rank
//! `a * io + b * jo` at once, and a tile in its own order, as a `rec` of the name `tile`. It is kept as
//! `x[io, jo, ii, ji]`, or `Y[front, io, ii, ji]`, so what read `x[i, j]` reads `x[i / m, j / n, i % m, j %
//! n]`. `along s` moves each index but the first: `j + s * i` in place of `j`, so the sides of tiles are
//! parallel to a read at `[i - 1, j + s]`.
//! **Requires.** Each element reads elements of lower rank, in tiles also of its own tile, as the `rec`
//! does. No law: every bit is kept. So it is for iterations inside each other that set one element a round,
//! as a sweep of Gauss and Seidel; what they read as it was before must have the same or a higher rank. In
//! tiles nothing is read as it was before.
//! **Fails when.** An element reads one of its own front, or of a later one: `x?[i - 1, j + 1]` by 1, 1. Then
//! `2, 1` is right, and in tiles `along 1`.
//! **Example.** `wavefront d by 1, 1 as y; ring y by 3; peel y/i; vectorize y/i` computes an edit distance by
//! antidiagonals, in lanes, three of which are kept; their first and last cells are apart. `wavefront d by
//! 1, 1 in 64, 256; parallel d/i.o` computes tiles in threads; `wavefront tile by 1, 1 as z` then computes
//! each by its own antidiagonals.
//! **See also.** `batch`, for many recurrences side by side; `ring`; `parallel`, `vectorize`; the rule
//! `wavefront`.

use crate::args::Args;
use crate::command::Command;
use crate::names::{fresh_name, unused_name};
use crate::refusal::{Refusal, RefusedAt};
use crate::session::Session;
use atl_diag::{Span, err};
use atl_kernel::{Child, Ctx, Entry, Expr, Ix, Node, Result as Kernel, Thm};
use atl_lang::counterexample;
use atl_lang::print::print_ix;
use atl_rules::fronts::Conflict;
use atl_rules::lets::{Lifted, let_out};
use atl_rules::rules::wavefront::{
    Storage, by_tiles, conflict, conflict_of_tiles, indices, read_through, wavefront,
};
use atl_rules::tiles::Tiling;
use atl_rules::{Chain, Cx};
use atl_syntax::Style;
use atl_syntax::ast::{Clause, Step};

/// See the module.
pub static COMMAND: Command = Command {
    name: "wavefront",
    usage: "wavefront x by A, B [in M, N [along S]] [as Y]",
    equation: "rec x = gen i<n, j<m. e(i, j, x)  =  iterate f<F from x = zeros { gen i<n, j<m. select(a*i+b*j == f, e(i, j, x), x[i, j]) }",
    run,
};

/// The largest number that a remedy has an index count.
const LARGEST: i64 = 4;

fn run(session: &mut Session<'_>, step: &Step) -> Result<Thm, Refusal> {
    let args = Args::new(step, COMMAND.usage, &["by", "in", "along", "as"])?;
    let (name, span) = args.one_name()?;
    let by = args.clause("by")?;
    let weights = weights(by)?;
    let tiling = match step.clause("in") {
        Some(sizes) => Some(tiling(session, step, sizes)?),
        None => None,
    };
    let storage = match step.clause("as") {
        Some(_) => Storage::ByFronts(fresh_name(session, args.clause_arg("as")?, COMMAND.usage)?),
        None => Storage::InPlace,
    };
    let mut places = Vec::new();
    walk(&session.body, &name, &mut Vec::new(), &mut places);
    let Some((_, rank)) = places.first() else { return Err(unknown(&name, span)) };
    if *rank != weights.len() {
        return Err(Box::new(
            err!(E0306, by.span, "`{name}` has {rank} indices, and this has {}", weights.len())
                .label("what each index counts in the rank of an element")
                .help(format!("for example `wavefront {name} by {}`", vec!["1"; *rank].join(", "))),
        ));
    }
    if matches!(storage, Storage::ByFronts(_)) && !weights.contains(&1) {
        return Err(Box::new(
            err!(E0306, by.span, "no index of `{name}` counts 1")
                .label("the rank does not say what is left out of a place")
                .help("leave out `as`: then elements are kept where the tensor has them"),
        ));
    }
    let indices = tiling
        .iter()
        .flat_map(|(clause, tiling)| [(*clause, tiling.sizes.len()), (*clause, tiling.skews.len())]);
    if let Some((clause, count)) = indices.into_iter().find(|(_, count)| *count != weights.len()) {
        return Err(Box::new(
            err!(E0306, clause.span, "`{name}` has {rank} indices, and tiles have {count}")
                .label("the extents of a tile, one for each index")
                .help(format!(
                    "for example `wavefront {name} by {} in {}`",
                    vec!["1"; *rank].join(", "),
                    vec!["32"; *rank].join(", ")
                )),
        ));
    }
    let front = unused_name(session, "front");
    let paths: Vec<&[Child]> = places.iter().map(|(path, _)| path.as_slice()).collect();
    let mut refused = None;
    let thm = session.convert_at(step.span, &paths, &mut |cx, e| {
        let computed = match &tiling {
            None => wavefront(cx, e, &weights, &storage, &front)?,
            Some((_, tiling)) => by_tiles(cx, e, (&weights, tiling), &storage, &front)?,
        };
        Ok(match computed {
            Ok(thm) => thm,
            Err(found) => {
                let of = Asked { name: &name, weights: &weights, tiling: tiling.as_ref().map(|(_, t)| t) };
                refused = Some(refusal(cx, e, &of, by.span, &found)?);
                cx.refl(e)?
            }
        })
    })?;
    match refused {
        Some(refused) => Err(refused),
        None => outward(&mut session.cx, thm, &paths).refused_at(step.span),
    }
}

/// What `x` binds begins with the fronts: they stand before `x`, and where `x` is read they are.
fn outward(cx: &mut Cx<'_>, thm: Thm, paths: &[&[Child]]) -> Kernel<Thm> {
    let mut chain = Chain::of(thm.lhs());
    chain.push(thm)?;
    for path in paths {
        let Some((Child::Bound, around)) = path.split_last() else { continue };
        chain.apply(cx, |cx, e| {
            cx.at(e, around, &mut |cx, e| match &**e {
                Node::Let(_, bound, _) if matches!(**bound, Node::Let(..)) => {
                    let before = let_out(cx, e, Child::Bound, Lifted::Constant)?;
                    cx.then(before, |cx, e| cx.child(e, Child::Body, read_through)).map(Some)
                }
                _ => Ok(None),
            })
        })?;
    }
    chain.total(cx)
}

/// The tiles that a step asks for.
fn tiling<'s>(
    session: &Session<'_>,
    step: &'s Step,
    clause: &'s Clause,
) -> Result<(&'s Clause, Tiling), Refusal> {
    let sizes = weights(clause)?;
    if let Some(arg) = clause.args.iter().zip(&sizes).find_map(|(arg, n)| (*n == 0).then_some(arg)) {
        return Err(Box::new(
            err!(E0307, arg.span, "a tile has at least one cell along each index")
                .label("tiles of zero elements cover nothing")
                .help("choose a positive number"),
        ));
    }
    let skews = match step.clause("along") {
        Some(moved) => [vec![0], weights(moved)?].concat(),
        None => vec![0; sizes.len()],
    };
    Ok((clause, Tiling { sizes, skews, name: unused_name(session, "tile") }))
}

/// The numbers that the indices count.
fn weights(by: &Clause) -> Result<Vec<i64>, Refusal> {
    let number = |arg: &atl_syntax::ast::Argument| {
        arg.as_int().and_then(|n| i64::try_from(n).ok()).filter(|n| (0..=1 << 16).contains(n)).ok_or_else(
            || {
                Box::new(
                    err!(E0307, arg.span, "expected a natural number")
                        .label("how much an index counts in the rank of an element")
                        .help("`by 1, 1` has the elements of a diagonal in one front"),
                )
            },
        )
    };
    by.args.iter().map(number).collect()
}

/// The outermost iterations that compute a tensor of this name by elements, and how many indices these have.
fn walk(e: &Expr, name: &str, way: &mut Vec<Child>, found: &mut Vec<(Vec<Child>, usize)>) {
    if let Node::Iterate(it) = &**e
        && it.states.first().is_some_and(|state| &*state.label.name == name)
        && let Some(rank) = indices(e)
    {
        found.push((way.clone(), rank));
        return;
    }
    for at in e.children() {
        let Some(child) = e.child(at) else { continue };
        way.push(at);
        walk(child, name, way, found);
        way.pop();
    }
}

fn unknown(name: &str, span: Span) -> Refusal {
    Box::new(
        err!(E0383, span, "`{name}` is not computed element by element")
            .label("no `rec` of this name is here")
            .note("fronts are of a `rec`, whose element is one term of earlier elements, or of iterations inside each other, the last of which sets one element a round")
            .help("write the tensor as `rec x: f64 = gen i < n, j < m { .. };`"),
    )
}

/// What a step asks for.
struct Asked<'a> {
    name: &'a str,
    weights: &'a [i64],
    tiling: Option<&'a Tiling>,
}

impl Asked<'_> {
    /// The front of an element.
    fn front(&self, place: &[i128]) -> i128 {
        let tile = self.tiling.map_or_else(|| place.to_vec(), |tiling| tiling.tile(place));
        tile.iter().zip(self.weights).map(|(p, w)| p * i128::from(*w)).sum()
    }
}

/// Why the fronts do not have what is read: where, and which do.
fn refusal(cx: &mut Cx<'_>, e: &Expr, of: &Asked<'_>, span: Span, found: &Conflict) -> Kernel<Refusal> {
    let name = of.name;
    let element = |at: &[Ix]| {
        let at: Vec<String> = at.iter().map(|ix| print_ix(&found.ctx, ix, Style::LINE)).collect();
        format!("{name}[{}]", at.join(", "))
    };
    let (read, place) = (element(&found.read), element(&found.place));
    let mut refusal = err!(E0382, span, "these fronts do not have `{read}` as it is when `{place}` reads it")
        .label("what each index counts in the rank of an element");
    refusal = match example(found, of) {
        Some(example) => refusal.note(example),
        None => refusal.note(format!(
            "it is not known that the front of `{read}` is before that of `{place}` where the element itself is"
        )),
    };
    Ok(Box::new(match other(cx, e, of)? {
        Some(other) => refusal.help(format!("`wavefront {name} {other}`")),
        None => refusal
            .help("leave the step out, or guard the read by the condition that it is of an earlier front"),
    }))
}

/// Two elements that are in conflict, in words.
fn example(found: &Conflict, of: &Asked<'_>) -> Option<String> {
    let at = counterexample::find(&found.ctx, &found.goal)?;
    let numbers = |place: &[Ix]| {
        place.iter().map(|ix| counterexample::value_of(ix, &at)).collect::<Option<Vec<i128>>>()
    };
    let (read, place) = (numbers(&found.read)?, numbers(&found.place)?);
    let element = |place: &[i128]| {
        let place: Vec<String> = place.iter().map(i128::to_string).collect();
        format!("{}[{}]", of.name, place.join(", "))
    };
    let (first, second) = (of.front(&read), of.front(&place));
    let what = if of.tiling.is_some() { "their tiles" } else { "they" };
    let fronts = match (first == second, of.tiling) {
        (true, None) => format!("both are in front {first}"),
        (true, Some(_)) => format!("their tiles are both in front {first}"),
        (false, _) => format!("{what} are in the fronts {first} and {second}"),
    };
    let order = if read < place { "computed before it" } else { "as it was before" };
    Some(format!(
        "with {}, `{}` reads `{}`, {order}; {fronts}",
        sizes(&found.ctx, &at),
        element(&place),
        element(&read)
    ))
}

/// "`N = 2, M = 2`".
fn sizes(ctx: &Ctx, at: &[(u32, i64)]) -> String {
    let value = |(level, value): &(u32, i64)| match ctx.entry(*level) {
        Some(Entry::Index(label)) => Some(format!("{} = {value}", label.name)),
        _ => None,
    };
    let all: Vec<String> = at.iter().filter_map(value).collect();
    format!("`{}`", all.join(", "))
}

/// What would be right instead: what the indices count, smallest numbers first, or how far tiles move.
fn other(cx: &mut Cx<'_>, e: &Expr, of: &Asked<'_>) -> Kernel<Option<String>> {
    let (rank, words) = (of.weights.len(), |numbers: &[i64]| {
        numbers.iter().map(i64::to_string).collect::<Vec<_>>().join(", ")
    });
    if let Some(tiling) = of.tiling {
        for skew in 1..=LARGEST {
            let skews = [vec![0], vec![skew; rank - 1]].concat();
            let moved = Tiling { skews, ..tiling.clone() };
            if conflict_of_tiles(cx, e, (of.weights, &moved))?.is_none() {
                let (by, sizes) = (words(of.weights), words(&tiling.sizes));
                return Ok(Some(format!("by {by} in {sizes} along {}", words(&moved.skews[1..]))));
            }
        }
        return Ok(None);
    }
    let mut all: Vec<Vec<i64>> = vec![Vec::new()];
    for _ in 0..rank {
        let longer = |some: Vec<i64>| (0..=LARGEST).map(move |w| [&some[..], &[w]].concat());
        all = all.into_iter().flat_map(longer).collect();
    }
    all.sort_by_key(|weights| weights.iter().sum::<i64>());
    for weights in all.into_iter().take(64) {
        if conflict(cx, e, &weights)?.is_none() {
            return Ok(Some(format!("by {}", words(&weights))));
        }
    }
    Ok(None)
}
