//! The order of the dimensions that a tensor grows by when it leaves loops: `X[i, j]`.

use crate::refusal::{Refusal, list, wrong_arguments};
use atl_diag::{Span, err};
use atl_syntax::ast::{Argument, ExprKind};
use std::sync::Arc;

/// Loops, in the order in which they become dimensions.
pub(crate) struct Dimensions {
    /// Their names.
    pub(crate) names: Vec<Arc<str>>,
    span: Span,
}

impl Dimensions {
    /// The tensor of `X` or `X[i, j]`, and its dimensions where they are stated.
    pub(crate) fn of(arg: &Argument, usage: &'static str) -> Result<(Argument, Option<Dimensions>), Refusal> {
        let ExprKind::Access { base, indices, .. } = &arg.value.kind else { return Ok((arg.clone(), None)) };
        let names = indices.iter().map(|index| Some(Arc::from(index.as_name()?.text)));
        let Some(names) = names.collect::<Option<Vec<Arc<str>>>>() else {
            return Err(wrong_arguments(arg.span, usage));
        };
        let tensor = Argument { name: None, value: (**base).clone(), span: base.span };
        Ok((tensor, Some(Dimensions { names, span: arg.span })))
    }

    /// Refuse dimensions that are not just those that a tensor grows by.
    pub(crate) fn check(&self, tensor: &str, grows_by: &[Arc<str>]) -> Result<(), Refusal> {
        let sorted = |names: &[Arc<str>]| {
            let mut names = names.to_vec();
            names.sort();
            names
        };
        if sorted(&self.names) == sorted(grows_by) {
            return Ok(());
        }
        let names: Vec<String> = grows_by.iter().map(ToString::to_string).collect();
        let (has, advice) = match names.as_slice() {
            [] => (
                "it has none: no loop around it is left that it depends on".to_owned(),
                format!("write `{tensor}`"),
            ),
            names => (
                format!("it has one for each of {}", list(names)),
                format!("name each of them once, such as `{tensor}[{}]`", names.join(", ")),
            ),
        };
        Err(Box::new(
            err!(E0367, self.span, "`{tensor}` has other dimensions than these")
                .label("not its loops")
                .note(has)
                .help(advice),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::Dimensions;
    use atl_diag::{FileId, Span};

    /// Dimensions `[i]` of a tensor `t` that has others.
    fn check(grows_by: &[&str], advice: &str) {
        let dimensions = Dimensions { names: vec!["i".into()], span: Span::new(FileId(0), 0, 1) };
        let grows_by: Vec<_> = grows_by.iter().map(|name| (*name).into()).collect();
        let refusal = dimensions.check("t", &grows_by).expect_err("others");
        assert_eq!(refusal.help[0].text, advice);
    }

    #[test]
    fn the_advice_is_what_to_write() {
        check(&["j", "i"], "name each of them once, such as `t[j, i]`");
        check(&[], "write `t`");
    }
}
