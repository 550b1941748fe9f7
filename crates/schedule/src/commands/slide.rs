//! `slide X along L by k`: a window of the producer that serves `k` iterations of `L`.
//!
//! **Statement.** `split L by k; compute X at L.o`: if an iteration of `L` reads a window of `w` elements
//! that moves by one from iteration to iteration, a block of `k` iterations keeps `w + k - 1` elements. Each
//! is computed once for the block, and read by up to `w` iterations of it.
//! **Requires.** What `split` and `compute` require.
//! **Fails when.** They do.
//! **Example.** `slide rows along y by 32` of a blur computes 34 rows for 32, instead of 3 for each.
//!
//! The `w - 1` elements that two blocks share are computed for both, which is why blocks may run in parallel.
//! `carry` keeps them from one iteration to the next, in a loop that runs in order.
//! **See also.** `compute`; `carry`; `store X at L`.

use crate::args::Args;
use crate::command::Command;
use crate::commands::compute::{compute_at, out_of_scope};
use crate::commands::split::split;
use crate::nest::Place;
use crate::refusal::{RefusedAt, wrong_arguments};
use crate::session::About;
use atl_kernel::Child;

/// See the module.
pub static COMMAND: Command = Command {
    name: "slide",
    usage: "slide X along L by k",
    equation: "split L by k; compute X at L.o",
    run: |session, step| {
        let args = Args::new(step, COMMAND.usage, &["along", "by"])?;
        let (name, span) = args.one_name()?;
        let along = args.clause_arg("along")?;
        let Some(mut target) = along.as_loop() else {
            return Err(wrong_arguments(along.span, COMMAND.usage));
        };
        let factor = args.factors(session, 1)?.remove(0);
        let along_name = target.name.text.clone();
        let blocks = split(session, About::Body, step.span, &target, &factor)?;
        session.body = blocks.rhs().clone();
        let home = session.one_let(&name, span)?;
        target.name.text.push_str(".o");
        let inside = [home.path.as_slice(), &[Child::Body]].concat();
        let loops: Vec<Place> =
            session.loops(&target)?.into_iter().filter(|p| p.path.starts_with(&inside)).collect();
        if loops.is_empty() {
            return Err(out_of_scope(session, &home, &along_name, along.span));
        }
        let computed = compute_at(session, About::Body, step.span, &home, &loops, &name)?;
        blocks.trans(computed).refused_at(step.span)
    },
};
