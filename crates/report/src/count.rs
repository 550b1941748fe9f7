//! How often a program uses each construct: the measure by which the literature compares schedules' results.

use atl_kernel::{Expr, Node};
use atl_session::Failure;
use atl_session::Program;
use std::collections::BTreeMap;

/// How often each construct stands in a term: `gen`, `sum`, `let`, `guard`, `select`, and each operator by
/// its name.
pub type Counts = BTreeMap<&'static str, usize>;

/// The counts of a function's body, after its schedule if one is named.
///
/// # Errors
/// The schedule is refused.
pub fn count(program: &Program, function: &str, schedule: Option<&str>) -> Result<Counts, Failure> {
    let scheduled = program.scheduled(function, schedule)?;
    let mut counts = Counts::new();
    add(scheduled.body(), &mut counts);
    Ok(counts)
}

fn add(e: &Expr, counts: &mut Counts) {
    let construct = match &**e {
        Node::Gen(..) => Some("gen"),
        Node::Sum(..) => Some("sum"),
        Node::Let(..) => Some("let"),
        Node::Iterate(_) => Some("iterate"),
        Node::Guard(..) => Some("guard"),
        Node::Select(..) => Some("select"),
        Node::Op(definition, ..) => Some(definition.name),
        Node::Var(_) | Node::Lit(..) | Node::Index(..) | Node::Get(..) => None,
        Node::Prim(..) | Node::View(..) | Node::Bundle(..) => None,
    };
    if let Some(name) = construct {
        *counts.entry(name).or_default() += 1;
    }
    for at in e.children() {
        if let Some(child) = e.child(at) {
            add(child, counts);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_construct_is_counted_where_it_stands() {
        let text = "fn f(a: f32[N, M]) -> f32[M, N] { transpose(gen i < N, j < M { [i < 2] * a[i, j] }) }";
        let program = Program::parse("f.atl", text).unwrap();
        let counts = count(&program, "f", None).unwrap();
        assert_eq!(counts.into_iter().collect::<Vec<_>>(), [("gen", 2), ("guard", 1), ("transpose", 1)]);
    }
}
