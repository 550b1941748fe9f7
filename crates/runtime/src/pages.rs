//! Huge pages for large arrays.
//!
//! A kernel that streams through megabytes spends part of its time in looking up pages, and the first touch of each costs
//! more. Linux gives larger pages to who asks; asking is advice, which changes no byte, so a refusal is ignored.

use std::mem::MaybeUninit;

/// The size of a huge page on the usual processors; smaller arrays gain nothing.
const HUGE: usize = 2 << 20;

/// Asks for huge pages for memory that is to be touched for the first time.
pub(crate) fn ask_for_huge_pages<T>(memory: &mut [MaybeUninit<T>]) {
    #[cfg(target_os = "linux")]
    advise(memory, libc::MADV_HUGEPAGE);
    #[cfg(not(target_os = "linux"))]
    let _ = memory;
}

/// Asks for huge pages in place of small ones for memory that is there: an allocator may have had it in use before, and then the
/// first touch was long ago. Linux does this since 6.1.
pub(crate) fn gather_into_huge_pages<T: Copy>(memory: &mut [T]) {
    #[cfg(target_os = "linux")]
    advise(memory, libc::MADV_COLLAPSE);
    #[cfg(not(target_os = "linux"))]
    let _ = memory;
}

#[cfg(target_os = "linux")]
fn advise<T>(memory: &mut [T], advice: libc::c_int) {
    const PAGE: usize = 4096;
    if size_of_val(memory) >= HUGE {
        let start = memory.as_mut_ptr().cast::<u8>();
        let skipped = start.align_offset(PAGE);
        let bytes = (size_of_val(memory) - skipped) / PAGE * PAGE;
        // SAFETY: the pages lie in `memory`, which is borrowed uniquely; neither advice changes their content or whether they
        // may be accessed.
        unsafe { libc::madvise(start.add(skipped).cast(), bytes, advice) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asking_changes_nothing() {
        for cells in [0, 1, HUGE / 8, HUGE + 77] {
            let mut memory: Vec<u64> = Vec::with_capacity(cells);
            ask_for_huge_pages(memory.spare_capacity_mut());
            memory.resize(cells, 7);
            gather_into_huge_pages(&mut memory);
            assert!(memory.iter().all(|cell| *cell == 7));
        }
    }
}
