//! `compress A as csr;` in a schedule: the function under it takes `A` in that format.
//!
//! A program means the same for every format of its parameters, so a schedule may choose them. Under such a schedule the function is
//! the one that is written with the format in its head, and its theorem is about that function.

use atl_diag::{Diagnostic, err};
use atl_syntax::ast::{ExprKind, Format, Function, Schedule, Step, TypeKind};

/// The directive.
const COMPRESS: &str = "compress";

/// The function with the formats that a schedule gives its parameters; none if it gives none.
pub(super) fn compressed(f: &Function, schedule: &Schedule) -> Result<Option<Function>, Box<Diagnostic>> {
    let mut steps = schedule.steps.iter().filter(|step| step.name.text == COMPRESS).peekable();
    if steps.peek().is_none() {
        return Ok(None);
    }
    let mut made = f.clone();
    steps.try_for_each(|step| give(&mut made, step))?;
    Ok(Some(made))
}

/// Gives the parameter that a step names its format.
fn give(f: &mut Function, step: &Step) -> Result<(), Box<Diagnostic>> {
    let (param, wanted) = parts(step).ok_or_else(|| {
        err!(E0372, step.span, "`compress` takes a parameter and a format")
            .label("as in `compress A as csr`")
            .help("a list of levels is a format too: `compress A as [dense, compressed]`")
    })?;
    let names: Vec<String> = f.params.iter().map(|param| format!("`{}`", param.name.text)).collect();
    let Some(found) = f.params.iter_mut().find(|p| p.name.text == param.0) else {
        return Err(Box::new(
            err!(E0372, param.1, "`{}` has no parameter `{}`", f.name.text, param.0)
                .label("a parameter is compressed")
                .note(format!("its parameters are {}", names.join(", "))),
        ));
    };
    match &mut found.ty.kind {
        TypeKind::Tensor { format: Some(_), .. } => Err(Box::new(
            err!(E0372, step.span, "`{}` has a format already", param.0)
                .label("this would be another")
                .also(found.ty.span, "the format in its type")
                .help("leave one of them out"),
        )),
        TypeKind::Tensor { format, .. } => {
            *format = Some(Box::new(wanted));
            Ok(())
        }
        TypeKind::Size | TypeKind::Error | TypeKind::Several(_) => {
            let refusal = err!(E0372, param.1, "`{}` is no tensor", param.0);
            Err(Box::new(
                refusal.label("a number is not stored in a format").also(found.span, "this parameter"),
            ))
        }
    }
}

/// The name of the parameter, where it stands, and the format.
fn parts(step: &Step) -> Option<((String, atl_diag::Span), Format)> {
    let ([arg], [clause], []) = (step.args.as_slice(), step.clauses.as_slice(), step.blocks.as_slice())
    else {
        return None;
    };
    let [wanted] = clause.args.as_slice() else { return None };
    match &arg.value.kind {
        ExprKind::Name(name) if clause.word.text == "as" && arg.name.is_none() && wanted.name.is_none() => {
            Some(((name.clone(), arg.span), wanted.value.as_format()?))
        }
        _ => None,
    }
}
