//! Stores past the caches: each thread fences its own before others may look at what it stored.

use super::syntax::{Form, Statement as Text};
use super::{Read, differs};

/// Does a fence follow each store past the caches, in its thread and before the function returns?
pub(super) fn all_fenced(body: &[Text], line: u64) -> Read<()> {
    match pending(body, false)? {
        true => unfenced(line),
        false => Ok(()),
    }
}

fn unfenced<T>(line: u64) -> Read<T> {
    differs(line, "stores past the caches that no fence follows")
}

/// Is there a store, at the end of the statements, that no fence has followed, where `waits` says whether
/// there is one at their beginning?
fn pending(text: &[Text], mut waits: bool) -> Read<bool> {
    let mut is_thread = false;
    for statement in text {
        if !is_thread {
            waits = after(statement, waits)?;
        } else if after(statement, false)? {
            return unfenced(statement.line);
        }
        // A pragma may follow another.
        is_thread = match &statement.form {
            Form::Pragma(words) => is_thread || words.starts_with("omp parallel"),
            _ => false,
        };
    }
    Ok(waits)
}

fn after(statement: &Text, waits: bool) -> Read<bool> {
    Ok(match &statement.form {
        Form::Call(name, _) if name == "atl_fence" => false,
        Form::Call(name, _) => waits || name.starts_with("atl_stream_"),
        Form::Block(inner) => pending(inner, waits)?,
        // There may be no iteration.
        Form::For(inner) => waits | pending(&inner.body, waits)?,
        Form::Skipping(inner) => waits | pending(&inner.body, waits)?,
        Form::If(_, then, otherwise) => {
            pending(then, waits)? | pending(otherwise.as_deref().unwrap_or_default(), waits)?
        }
        Form::Return(_) if waits => return unfenced(statement.line),
        _ => waits,
    })
}
