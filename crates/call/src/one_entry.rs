//! A cache of one entry: what was found for the last key, kept for the next one.
//!
//! Whether a kernel's arithmetic bears some sizes takes as long to show as a small kernel runs, and most
//! calls have the sizes of the call before.

use std::sync::{Mutex, PoisonError};

/// The value that was found for the last key; no failure is kept.
pub(crate) struct OneEntry<K, V>(Mutex<Option<(K, V)>>);

impl<K, V: Clone> OneEntry<K, V> {
    /// Nothing yet.
    pub(crate) fn empty() -> OneEntry<K, V> {
        OneEntry(Mutex::new(None))
    }

    /// The value of the last key, if that `is_it`; else what `find` gives, which becomes the last.
    pub(crate) fn get_or<E>(
        &self,
        is_it: impl FnOnce(&K) -> bool,
        find: impl FnOnce() -> Result<(K, V), E>,
    ) -> Result<V, E> {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((last, value)) = &*lock()
            && is_it(last)
        {
            return Ok(value.clone());
        }
        let (key, value) = find()?;
        *lock() = Some((key, value.clone()));
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::OneEntry;
    use std::cell::Cell;

    #[test]
    fn the_last_value_is_found_once() {
        let (cache, found) = (OneEntry::empty(), Cell::new(0));
        let half = |n: i64| {
            let find = || {
                found.set(found.get() + 1);
                if n % 2 == 0 { Ok((n, n / 2)) } else { Err(()) }
            };
            cache.get_or(|last| *last == n, find)
        };
        assert_eq!([half(4), half(4), half(6), half(4)], [Ok(2), Ok(2), Ok(3), Ok(2)]);
        assert_eq!(found.get(), 3);
        // A failure is found again, and forgets nothing.
        assert_eq!([half(3), half(3), half(4)], [Err(()), Err(()), Ok(2)]);
        assert_eq!(found.get(), 5);
    }
}
