//! How much stack a thread has left for deep work.
//!
//! **The one idea.** Texts and terms are deep, and what recurses over them starts a thread with a stack of a
//! stated size, whatever thread its caller is on. To start one costs as much as to elaborate a small
//! function. A thread that was given a large stack says so ([`known`]), and work that fits what is left of
//! it ([`room`]) stays on that thread. Of any other thread nothing is known, and its room is 0.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

use std::cell::Cell;

thread_local! {
    /// The address below which the stack of this thread may end.
    static END: Cell<Option<usize>> = const { Cell::new(None) };
}

/// What the frames below the caller of [`known`], and above that of [`room`], may take of a stack.
const MARGIN: usize = 64 << 10;

/// Does something on a thread that began with a stack of this size in bytes, and has used next to nothing of it.
pub fn known<T>(bytes: usize, work: impl FnOnce() -> T) -> T {
    let before = END.replace(here().checked_sub(bytes.saturating_sub(MARGIN)));
    let done = work();
    END.set(before);
    done
}

/// How many bytes of this thread's stack are left at least.
#[inline(never)]
pub fn room() -> usize {
    END.get().map_or(0, |end| here().saturating_sub(end).saturating_sub(MARGIN))
}

/// An address in the frame of the caller, or near it.
#[inline(never)]
fn here() -> usize {
    let place = 0u8;
    std::hint::black_box(&raw const place).addr()
}

#[cfg(test)]
mod tests {
    use super::*;

    const STACK: usize = 8 << 20;

    /// The room at a depth of some frames of 16 KiB each.
    fn at(depth: usize) -> usize {
        let mut frame = [0u8; 16 << 10];
        std::hint::black_box(&mut frame);
        let found = if depth == 0 { room() } else { at(depth - 1) };
        std::hint::black_box(&mut frame);
        found
    }

    #[test]
    fn room_is_what_is_left() {
        assert_eq!(room(), 0, "nothing is known of this thread");
        let thread = std::thread::Builder::new().stack_size(STACK);
        let measured = thread.spawn(|| {
            let inside = known(STACK, || (at(0), at(100), std::thread::spawn(room).join().ok()));
            (inside, room())
        });
        let measured = measured.expect("memory for a thread").join().expect("a thread that ends");
        let ((first, deep, other), after) = measured;
        assert!((STACK - (256 << 10)..STACK).contains(&first), "{first}");
        assert!((100 * (16 << 10)..130 * (16 << 10)).contains(&(first - deep)), "{first} {deep}");
        assert_eq!((other, after), (Some(0), 0), "another thread has another stack");
    }
}
