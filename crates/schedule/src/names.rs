//! Names for what a step introduces.

use crate::nest::binders;
use crate::refusal::{Refusal, wrong_arguments};
use crate::session::Session;
use atl_diag::err;
use atl_kernel::Entry;
use atl_syntax::ast::Argument;
use std::sync::Arc;

/// A name that nothing has yet.
pub(crate) fn fresh_name(
    session: &Session<'_>,
    arg: &Argument,
    usage: &'static str,
) -> Result<Arc<str>, Refusal> {
    let Some(name) = arg.as_name() else { return Err(wrong_arguments(arg.span, usage)) };
    if is_taken(session, &name.text) {
        return Err(Box::new(
            err!(E0322, arg.span, "the name `{}` is taken", name.text)
                .label("something is called so already")
                .help("choose another name"),
        ));
    }
    Ok(Arc::from(name.text.as_str()))
}

/// Is something called so: a loop, a `let`, a parameter or a size?
pub(crate) fn is_taken(session: &Session<'_>, name: &str) -> bool {
    let label = |entry: &Entry| match entry {
        Entry::Index(label) | Entry::Tensor(label, _) => &*label.name == name,
        Entry::Hyp(..) | Entry::All(..) => false,
    };
    binders(&session.body).iter().any(|p| &*p.label.name == name) || session.cx.ctx.entries().any(label)
}

/// This name, or this name with the first number that makes it new.
pub(crate) fn unused_name(session: &Session<'_>, base: &str) -> Arc<str> {
    let numbered = (2..).map(|k| format!("{base}_{k}"));
    let found = std::iter::once(base.to_owned()).chain(numbered).find(|name| !is_taken(session, name));
    Arc::from(found.unwrap_or_else(|| base.to_owned()))
}
