//! How a thread computes with floats stays what it was.
//!
//! One idea: what the interpreters say is right is computed in this process, so nothing may change how the process rounds. A library that was
//! linked with `-ffast-math` or the like does: code that runs when it is loaded has denormal numbers become zero from then on, in the
//! whole thread and in those that it starts, and the interpreters would agree with such a library. So the register that says it
//! is put back.

/// Runs what may change how this thread computes with floats, and takes the change back.
pub(crate) fn kept<T>(work: impl FnOnce() -> T) -> T {
    let before = control();
    let done = work();
    if control() != before {
        set_control(before);
    }
    done
}

#[cfg(target_arch = "x86_64")]
fn control() -> u64 {
    let mut word = 0u32;
    // SAFETY: the instruction stores 32 bits to the address that it is given, and every x86-64 processor has it.
    unsafe { std::arch::asm!("stmxcsr [{}]", in(reg) &raw mut word, options(nostack, preserves_flags)) };
    // The lowest six bits record what has happened, and say nothing of what will.
    u64::from(word & !0x3f)
}

#[cfg(target_arch = "x86_64")]
fn set_control(word: u64) {
    let word = word as u32;
    // SAFETY: it loads what `control` has stored, so no bit is set that the processor does not know.
    unsafe {
        std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const word, options(nostack, preserves_flags, readonly))
    };
}

#[cfg(target_arch = "aarch64")]
fn control() -> u64 {
    let word: u64;
    // SAFETY: the instruction reads a register that every thread may read.
    unsafe { std::arch::asm!("mrs {}, fpcr", out(reg) word, options(nomem, nostack, preserves_flags)) };
    word
}

#[cfg(target_arch = "aarch64")]
fn set_control(word: u64) {
    // SAFETY: it writes back what `control` has read.
    unsafe { std::arch::asm!("msr fpcr, {}", in(reg) word, options(nomem, nostack, preserves_flags)) };
}

/// Elsewhere no compiler is known to link such code.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn control() -> u64 {
    0
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn set_control(_: u64) {}
