//! Source text in canonical layout.

use atl_diag::SourceMap;
use atl_session::Failure;
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
/// The text is not a program, of the language that the ending of its name says.
pub fn format(name: &str, text: &str) -> Result<String, Failure> {
    let mut sources = SourceMap::new();
    let file = sources.add(name, text);
    let formatted = match crate::teil::layout(name) {
        Some(layout) => layout(file, text).map_err(|refusal| vec![*refusal]),
        None => atl_syntax::format(file, text),
    };
    formatted.map_err(|diagnostics| Failure { sources: Arc::new(sources), diagnostics })
}

#[cfg(test)]
mod tests {
    use super::format;

    #[test]
    fn files_are_of_the_language_that_their_ending_says() {
        let codes = |name, text| format(name, text).map_err(|refused| refused.codes());
        assert_eq!(codes("f.teil", "input A:[n]"), Ok("input A : [n]\n".to_owned()));
        assert_eq!(codes("a/f.cfd", "var input A:[n]"), Ok("var input A : [n]\n".to_owned()));
        assert_eq!(codes("a/f.cfd", "input A : [n]"), Err(vec!["E0295".to_owned()]));
        assert!(codes("f.atl", "input A : [n]").is_err());
    }
}
