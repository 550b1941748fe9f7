//! `tile L, M by k, l`: split the loops, and bring the tile loops outside, the inner loops inside.
//!
//! **Statement.** `split L by k; split M by l; reorder L.o, M.o, L.i, M.i`.
//! **Requires.** What `split` and `reorder` require.
//! **Fails when.** The loops are not one nest, or a factor is not provably positive.
//! **Example.** `tile y, x by 64, 64`.
//! **See also.** `split`, `reorder`, `peel`.

use crate::args::Args;
use crate::command::Command;
use crate::commands::reorder::reorder;
use crate::commands::split::split;
use crate::nest::outermost;
use crate::refusal::RefusedAt;
use crate::session::About;
use atl_kernel::Thm;
use atl_syntax::ast::LoopRef;
use std::sync::Arc;

/// See the module.
pub static COMMAND: Command = Command {
    name: "tile",
    usage: "tile L, M by k, l",
    equation: "split L by k; split M by l; reorder L.o, M.o, L.i, M.i",
    run: |session, step| {
        let args = Args::new(step, COMMAND.usage, &["by"])?;
        let loops = args.loops()?;
        let factors = args.factors(session, loops.len())?;
        // What is misspelt is told of before the first loop is split, but for a part that its split makes.
        let parts =
            |l: &LoopRef| loops.iter().any(|of| l.name.text.starts_with(&format!("{}.", of.name.text)));
        for l in loops.iter().filter(|l| !parts(l)) {
            session.loops(l)?;
        }
        let mut thm: Option<Thm> = None;
        for (target, factor) in loops.iter().zip(&factors) {
            let split = split(session, About::Body, step.span, target, factor)?;
            session.body = split.rhs().clone();
            thm = atl_rules::join(thm, Some(split)).refused_at(step.span)?;
        }
        let suffixed = |suffix: &'static str| {
            loops.iter().map(move |l| {
                let mut l = l.clone();
                l.name.text = format!("{}.{suffix}", l.name.text);
                l
            })
        };
        let order: Vec<_> = suffixed("o").chain(suffixed("i")).collect();
        let names: Vec<Arc<str>> = order.iter().map(|l| Arc::from(l.name.text.as_str())).collect();
        let mut places = Vec::new();
        for l in &order {
            places.extend(session.loops(l)?);
        }
        let tops = outermost(places);
        let reordered = reorder(session, step.span, &tops, &names)?;
        atl_rules::join(thm, Some(reordered.clone()))
            .refused_at(step.span)
            .map(|thm| thm.unwrap_or(reordered))
    },
};
