//! `fuse L, M`, `fuse L, M as F`: two nested loops as one; two producers in one loop, or of the same rounds.
//!
//! **Statement.** `gen L < n, M < m { e(L, M) } = split(m, gen F < n*m { e(F / m, F % m) })`, without the `split` below a `flatten`;
//! likewise for two sums. Of two `let`s, one after the other, `let X = gen i < n { a }; let Y = gen i < n { b }; f(X, Y)` =
//! `let F = transpose(gen i < n { (gen _ < 1 { a }) ++ (gen _ < 1 { b }) }); f(F[0], F[1])`: one loop computes both, into a tensor
//! that has one above the other. Producers that iterate: `let X = (iterate t < n from x = e { s(t, x) });
//! let Y = (iterate t < n from y = d { r(t, y) }); f(X, Y)` = `iterate t < n from x = e, y = d { s(t, x),
//! r(t, y) } in let X = x; let Y = y; f(X, Y)`, and so do starts that are iterations themselves, as after
//! `unroll t by k`. Of these there may be more than two.
//! **Requires.** Loops: the inner extent does not depend on the outer index; `0 < m` unless a `flatten` stands around. Two sums
//! are reassociated: `rounding real`. Producers: equal types, and `Y` does not read `X`; of rounds any
//! types, and as many rounds. No law for producers: every bit is kept.
//! **Fails when.** Something but guards stands between the loops, the producers' types or rounds differ,
//! rounds end by `until`, or what follows iterations is several results.
//! **Example.** `fuse y, x` makes one loop over all pixels, for `parallel` to spread evenly.
//! **See also.** `split`, which it undoes; `compute`, which brings a producer into its consumer's loop;
//! `fission`; the rule `iterate_fuse`.

use crate::args::Args;
use crate::collapse::Pair;
use crate::command::Command;
use crate::names::{fresh_name, unused_name};
use crate::nest::{Place, Sort, subterm};
use crate::refusal::{Refusal, wrong_arguments};
use crate::rounds::has_rounds_that_end;
use crate::session::Session;
use atl_diag::{Span, err};
use atl_kernel::{Child, Error, Expr, Ix, Label, LoopKind, Node, Result as Kernel, Rule, Thm, Var, subst};
use atl_rules::gather::by_gather;
use atl_rules::scans::lets_joined;
use atl_rules::{Cx, rules::guard_inward::guards_inward};
use std::sync::Arc;

/// See the module.
pub static COMMAND: Command = Command {
    name: "fuse",
    usage: "fuse L, M, .. [as F]",
    equation: "gen i<n. gen j<m. e(i, j)  =  split(m, gen f<n*m. e(f / m, f % m))",
    run: |session, step| {
        let args = Args::new(step, COMMAND.usage, &["as"])?;
        let all = args.loops()?;
        let [first, others @ .., second] = all.as_slice() else {
            return Err(wrong_arguments(step.span, COMMAND.usage));
        };
        let name = match step.clause("as") {
            Some(_) => fresh_name(session, args.clause_arg("as")?, COMMAND.usage)?,
            None => unused_name(session, &format!("{}_{}", first.name.text, second.name.text)),
        };
        let is_plain = all.iter().all(|one| one.within.is_none());
        let producers = all.iter().map(|one| session.lets(&one.name.text, one.name.span).ok());
        if let (true, Some(producers)) = (is_plain, producers.collect::<Option<Vec<_>>>()) {
            return producers_in_one(session, step.span, &producers, &name);
        }
        if !others.is_empty() {
            return Err(wrong_arguments(step.span, COMMAND.usage));
        }
        let inner = session.loops(second)?;
        let outer = session.loops(first)?;
        nested(session, step.span, &outer, &inner, &name)
    },
};

/// Fuse every copy of two nested loops.
fn nested(
    session: &mut Session<'_>,
    span: Span,
    outer: &[Place],
    inner: &[Place],
    name: &str,
) -> Result<Thm, Refusal> {
    let mut paths = Vec::new();
    for place in outer {
        let between = inner.iter().filter_map(|p| p.path.strip_prefix(place.path.as_slice()));
        let between: Vec<&[Child]> = between.collect();
        let adjacent = between.iter().any(|way| only_guards(session, &place.path, way));
        let same = inner.iter().all(|p| p.sort == place.sort);
        if !adjacent || !same {
            return Err(not_nested(span, &place.label.name));
        }
        let above = place.path.split_last().map(|(_, above)| above);
        let flattened = above.and_then(|path| subterm(&session.body, path)).is_some_and(
            |e| matches!(&**e, Node::Op(def, ..) if def.name == "flatten" && place.sort == Sort::Gen),
        );
        paths.push(match (above, flattened) {
            (Some(above), true) => above.to_vec(),
            _ => place.path.clone(),
        });
    }
    paths.reverse();
    let sites: Vec<&[Child]> = paths.iter().map(Vec::as_slice).collect();
    let mut dependent = false;
    let mut annotations = session.annotations.clone();
    let thm = session.convert_at(span, &sites, &mut |cx, e| {
        let flattened = matches!(**e, Node::Op(..));
        let way: &[Child] = if flattened { &[Child::Arg(0), Child::Body] } else { &[Child::Body] };
        let ready = cx.at(e, way, &mut guards_inward)?;
        let ready = cx.total(e, ready)?;
        let now = ready.rhs().clone();
        let loops = if flattened { now.child(Child::Arg(0)).unwrap_or(&now) } else { &now };
        let Some(pair) = Pair::new(cx, loops, Arc::make_mut(&mut annotations)) else {
            dependent = true;
            return Ok(ready);
        };
        let fused = match &**loops {
            Node::Sum(..) => pair.sums(cx, &now, name)?,
            _ => pair.gens(cx, flattened, name)?,
        };
        ready.trans(fused)
    });
    session.annotations = annotations;
    if dependent {
        return Err(Box::new(
            err!(E0353, span, "the inner loop's extent depends on the outer loop")
                .label("they do not make a rectangle")
                .help("only loops with independent extents can be fused"),
        ));
    }
    thm
}

/// Do only guards stand between a loop and the one at this way from it?
fn only_guards(session: &Session<'_>, from: &[Child], way: &[Child]) -> bool {
    (1..way.len()).all(|k| {
        let path = [from, &way[..k]].concat();
        matches!(subterm(&session.body, &path).map(|e| &**e), Some(Node::Guard(..)))
    }) && !way.is_empty()
}

fn not_nested(span: Span, outer: &str) -> Refusal {
    Box::new(
        err!(E0353, span, "these loops are not nested, one directly inside the other")
            .label(format!("something else stands between loop `{outer}` and the other"))
            .help(
                "`reorder` brings loops of a nest together; two loops fused are of one kind, `gen` or `sum`",
            ),
    )
}

/// `let`s, one after the other, from one loop, or from the same rounds.
fn producers_in_one(
    session: &mut Session<'_>,
    span: Span,
    producers: &[Vec<Place>],
    name: &str,
) -> Result<Thm, Refusal> {
    let neighbours = |why: &str| {
        Box::new(
            err!(E0353, span, "these producers cannot share a loop")
                .label(why.to_owned())
                .help("`compute X at L` brings a producer into the loop of its consumer"),
        )
    };
    let single = |places: &Vec<Place>| <[Place; 1]>::try_from(places.clone()).ok();
    let Some(places) = producers.iter().map(single).collect::<Option<Vec<_>>>() else {
        return Err(neighbours("one of them is computed at several places"));
    };
    let first = &places[0][0];
    let below = |k: usize| [first.path.as_slice(), &vec![Child::Body; k]].concat();
    if places.iter().enumerate().any(|(k, [place])| place.path != below(k)) {
        return Err(neighbours("each must directly follow the one before"));
    }
    if places.iter().any(|[place]| subterm(&session.body, &place.path).is_some_and(bound_is_left)) {
        return Err(neighbours("one of them iterates until a condition holds, and the others would go on"));
    }
    let are_rounds =
        places.iter().all(|[place]| subterm(&session.body, &place.path).is_some_and(bound_iterates));
    if are_rounds && subterm(&session.body, &below(places.len())).is_some_and(is_several) {
        return Err(several_results(span));
    }
    let mut why = None;
    let thm = session.convert(span, std::slice::from_ref(first), &mut |cx, e| {
        let found = match lets_joined(cx, e, places.len())? {
            None if places.len() == 2 => together(cx, e, name)?,
            joined => joined,
        };
        if found.is_none() {
            why = Some("they are not `gen`s of one type or rounds of one number, or one reads another");
        }
        cx.total(e, found)
    })?;
    why.map_or(Ok(thm), |why| Err(neighbours(why)))
}

/// Does a `let` bind an iteration?
fn bound_iterates(e: &Expr) -> bool {
    matches!(&**e, Node::Let(_, bound, _) if matches!(**bound, Node::Iterate(_)))
}

/// Is it several results, below `let`s perhaps?
fn is_several(e: &Expr) -> bool {
    match &**e {
        Node::Let(_, _, body) => is_several(body),
        e => matches!(e, Node::Bundle(..)),
    }
}

fn several_results(span: Span) -> Refusal {
    Box::new(
        err!(E0353, span, "these producers cannot share their rounds")
            .label("what follows them is several results")
            .note("the joined rounds hold what follows them, and rounds end in one tensor")
            .help(
                "write them as one in the program, `let (a, b) = scan t < n from x = .., y = .. { .., .. } give (x, y);`: \
                 these share a loop without a schedule",
            ),
    )
}

/// Does what a `let` binds have rounds that end by `until`?
fn bound_is_left(e: &Expr) -> bool {
    matches!(&**e, Node::Let(_, bound, _) if has_rounds_that_end(bound))
}

/// The theorem for two `let`s; nothing where they do not fit.
fn together(cx: &mut Cx<'_>, e: &Expr, name: &str) -> Kernel<Option<Thm>> {
    let Node::Let(_, a, rest) = &**e else { return Ok(None) };
    let level = cx.ctx.level();
    let Node::Let(_, b, _) = &*subst::open(rest, level) else { return Ok(None) };
    let b = b.clone();
    let reads = subst::close(&b, level) != b;
    let (Node::Gen(label, n, one), Node::Gen(_, m, two)) = (&**a, &*b) else { return Ok(None) };
    if reads || cx.type_of(a)? != cx.type_of(&b)? && !cx.equal(n, m) {
        return Ok(None);
    }
    let single = |body: &Expr| -> Expr {
        let element = subst::open(body, level);
        Arc::new(Node::Gen(Label::new("c"), Ix::ONE, element))
    };
    let pair = subst::close(&atl_ops::concat(single(one), single(two)), level);
    let label = Label { kind: LoopKind::Serial, ..label.clone() };
    let both = atl_ops::transpose(Arc::new(Node::Gen(label, n.clone(), pair)));
    let part = |e: &Expr, k: i64| -> Expr { Arc::new(Node::Get(e.clone(), Ix::Lit(k))) };
    // Each producer is a part of the pair; then the pair is bound once, and the producers' names go.
    let first = cx.child(e, Child::Bound, |cx, e| by_gather(cx, e, &part(&both, 0)))?;
    let thm = cx.total(e, first)?;
    let thm = cx.then(thm, |cx, e| {
        cx.at(e, &[Child::Body, Child::Bound], &mut |cx, e| by_gather(cx, e, &part(&both, 1)).map(Some))
    })?;
    let Node::Let(x, _, rest) = &**thm.rhs() else { return Err(Error::Mismatch("the producer is gone")) };
    let Node::Let(y, _, body) = &*subst::open(rest, level) else {
        return Err(Error::Mismatch("the producer is gone"));
    };
    let name_of_pair: Expr = Arc::new(Node::Var(Var::Free(level + 1)));
    let second: Expr = Arc::new(Node::Let(y.clone(), part(&name_of_pair, 1), body.clone()));
    let lets = Node::Let(x.clone(), part(&name_of_pair, 0), subst::close(&second, level));
    let bound: Expr = Arc::new(Node::Let(Label::new(name), both, subst::close(&Arc::new(lets), level + 1)));
    let thm = thm.trans(cx.rule(Rule::LetInline, &bound)?.sym())?;
    let thm = cx.then(thm, |cx, e| cx.child(e, Child::Body, |cx, e| cx.rule(Rule::LetInline, e)))?;
    cx.then(thm, |cx, e| cx.child(e, Child::Body, |cx, e| cx.rule(Rule::LetInline, e))).map(Some)
}
