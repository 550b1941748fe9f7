//! Stores past the caches: each thread fences its own before others may look at what it stored.

use super::syntax::{Form, Statement as Text};
use super::{Read, differs};

/// Does a fence follow each store past the caches, in its thread and before the function returns?
pub(super) fn all_fenced(body: &[Text], line: u64) -> Read<()> {
    match pending(body)? {
        true => unfenced(line),
        false => Ok(()),
    }
}

fn unfenced<T>(line: u64) -> Read<T> {
    differs(line, "stores past the caches that no fence follows")
}

/// Is there a store, at the end of the statements, that no fence has followed?
fn pending(text: &[Text]) -> Read<bool> {
    let (mut waits, mut is_thread) = (false, false);
    for statement in text {
        let inside = match &statement.form {
            Form::Call(name, _) => {
                waits &= name != "atl_fence";
                name.starts_with("atl_stream_")
            }
            Form::Block(inner) => pending(inner)?,
            Form::For(inner) => pending(&inner.body)?,
            Form::If(_, then, otherwise) => {
                pending(then)? | pending(otherwise.as_deref().unwrap_or_default())?
            }
            Form::Return(_) if waits => return unfenced(statement.line),
            _ => false,
        };
        if is_thread && inside {
            return unfenced(statement.line);
        }
        waits |= inside;
        is_thread = matches!(&statement.form, Form::Pragma(words) if words.starts_with("omp parallel"));
    }
    Ok(waits)
}
