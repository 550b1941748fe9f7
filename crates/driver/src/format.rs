//! Source text in canonical layout.

use crate::failure::Failure;
use atl_diag::SourceMap;
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
/// The text is not a program; it is left alone.
pub fn format(name: &str, text: &str) -> Result<String, Failure> {
    let mut sources = SourceMap::new();
    let file = sources.add(name, text);
    atl_syntax::format(file, text).map_err(|diagnostics| Failure { sources: Arc::new(sources), diagnostics })
}
