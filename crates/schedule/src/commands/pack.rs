//! `pack a at L as X by OP`: copy what is read in another layout, and read the copy.
//!
//! **Statement.** `e(a[i])` = `let X = OP(gen t < w { a?[b + t] }); e(X[theta(i - b)])`, where `theta` is the
//! index to which `OP` moves an element: `transpose` exchanges two indices, `split(k)` replaces one by
//! `i / k, i % k`. Several operators are applied in order, each to the first axes: `rotate_3` and
//! `unrotate_4` bring another axis there and back, as in `rotate_3, split(16), transpose, unrotate_4` for the
//! columns of a batch of matrices. All of `a` is copied, without a window.
//! **Requires.** What the operators require; `0 < k` for `split(k)`.
//! **Fails when.** `a` is not read inside `L`; an operator takes more dimensions than there are, or loses an
//! element that is read.
//! **Example.** `pack b at root as panels by transpose, split(8), rotate_3`: panels of 8 columns, each read
//! contiguously.
//! **See also.** `stage`, which copies without another layout; the reshape operators.

use crate::args::{Args, index};
use crate::command::Command;
use crate::commands::stage::through;
use crate::names::fresh_name;
use crate::refusal::{Refusal, closest, wrong_arguments};
use crate::session::Session;
use atl_diag::err;
use atl_ops::Link;
use atl_syntax::ast::{Argument, Clause, ExprKind};

/// See the module.
pub static COMMAND: Command = Command {
    name: "pack",
    usage: "pack a at L as X by OP, ..",
    equation: "e(a[i])  =  let X = OP(gen t<w. a?[b+t]); e(X[theta(i-b)])",
    run: |session, step| {
        let args = Args::new(step, COMMAND.usage, &["at", "as", "by"])?;
        let name = fresh_name(session, args.clause_arg("as")?, COMMAND.usage)?;
        let [source] = step.args.as_slice() else { return Err(wrong_arguments(step.span, COMMAND.usage)) };
        let links = operators(session, args.clause("by")?)?;
        through(session, step.span, source, args.clause_arg("at")?, &name, &links, COMMAND.usage)
    },
};

/// The operators of the clause `by`.
fn operators(session: &mut Session<'_>, clause: &Clause) -> Result<Vec<Link>, Refusal> {
    if clause.args.is_empty() {
        return Err(wrong_arguments(clause.span, COMMAND.usage));
    }
    clause.args.iter().map(|arg| operator(session, arg)).collect()
}

fn operator(session: &mut Session<'_>, arg: &Argument) -> Result<Link, Refusal> {
    let (name, given) = match (&arg.name, &arg.value.kind) {
        (None, ExprKind::Call { callee, args }) => (callee.text.clone(), args.as_slice()),
        _ => match arg.as_name() {
            Some(name) => (name.text, &[][..]),
            None => return Err(wrong_arguments(arg.span, COMMAND.usage)),
        },
    };
    let unary = |op: &&&'static atl_ops::Operator| op.tensor_params.len() == 1;
    let Some(op) = atl_ops::TABLE.iter().filter(unary).find(|op| op.name == name) else {
        let known: Vec<String> = atl_ops::TABLE.iter().filter(unary).map(|op| op.name.to_owned()).collect();
        return Err(Box::new(
            err!(E0321, arg.span, "there is no operator `{name}` of one tensor")
                .label("unknown")
                .help(closest(&name, &known)),
        ));
    };
    if given.len() != op.index_params.len() {
        return Err(Box::new(
            err!(E0306, arg.span, "wrong arguments for this operator").label("these arguments").help(
                match op.index_params {
                    [] => format!("write `{name}`; the tensor is understood"),
                    params => format!("write `{name}({})`; the tensor is understood", params.join(", ")),
                },
            ),
        ));
    }
    let ixs = given.iter().map(|e| index(session, e)).collect::<Result<_, _>>()?;
    Ok((op, ixs))
}
