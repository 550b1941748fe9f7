//! Long tests on all cores: a test is one thread, and most of these are alone in their file.

use std::sync::Mutex;
use std::thread;

/// What `visit` makes of each item, in their order. Items are taken by whatever thread is free.
///
/// # Panics
/// As `visit` does, once all threads have ended.
pub fn in_parallel<T: Send, R: Send>(
    items: impl IntoIterator<Item = T>,
    visit: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    let left = Mutex::new(items.into_iter().collect::<Vec<T>>().into_iter().enumerate());
    let next = || left.lock().ok()?.next();
    let work = || -> Vec<(usize, R)> {
        std::iter::from_fn(next).map(|(place, item)| (place, visit(item))).collect()
    };
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let mut found: Vec<(usize, R)> = thread::scope(|scope| {
        let threads: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        threads
            .into_iter()
            .flat_map(|thread| thread.join().unwrap_or_else(|why| std::panic::resume_unwind(why)))
            .collect()
    });
    found.sort_by_key(|(place, _)| *place);
    found.into_iter().map(|(_, result)| result).collect()
}
