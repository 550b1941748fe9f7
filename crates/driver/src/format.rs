//! Source text in canonical layout.

use crate::failure::Failure;
use atl_diag::{SourceMap, err};
use std::sync::Arc;

/// The text of a program in canonical layout; its tokens and comments stay as they are.
///
/// ```
/// let text = atl_driver::format("f.atl", "fn f(x:f32[N])->f32[N]{gen i<N{x[i]}}")?;
/// assert_eq!(text, "fn f(x: f32[N]) -> f32[N] {\n    gen i < N { x[i] }\n}\n");
/// # Ok::<(), atl_driver::Failure>(())
/// ```
///
/// # Errors
/// The text is not a program, or one in another language by the ending of its name; it is left alone.
pub fn format(name: &str, text: &str) -> Result<String, Failure> {
    let mut sources = SourceMap::new();
    let file = sources.add(name, text);
    if crate::teil::reader(name).is_some() {
        let refusal =
            err!(E0601, "cannot read `{name}` as a program: it becomes one, and has no canonical layout")
                .help("`atl show` prints the program that it becomes");
        return Err(Failure { sources: Arc::new(sources), diagnostics: vec![refusal] });
    }
    atl_syntax::format(file, text).map_err(|diagnostics| Failure { sources: Arc::new(sources), diagnostics })
}

#[cfg(test)]
mod tests {
    use super::format;

    #[test]
    fn what_only_becomes_a_program_is_left_alone() {
        for name in ["f.teil", "a/f.cfd"] {
            assert_eq!(
                format(name, "input A : [n]").map_err(|refused| refused.codes()),
                Err(vec!["E0601".to_owned()])
            );
        }
    }
}
