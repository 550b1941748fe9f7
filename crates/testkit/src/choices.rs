//! A stream of choices: everything random in this crate comes from one number.
//!
//! A failure is repeated from its seed alone, on every machine.

/// A stream of choices, the same ones for the same seed.
#[derive(Clone, Debug)]
pub struct Choices(u64);

impl Choices {
    /// The stream of this seed.
    pub fn new(seed: u64) -> Choices {
        let mut choices = Choices(seed ^ 0x9e37_79b9_7f4a_7c15);
        choices.next();
        choices
    }

    /// The next 31 bits.
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        u32::try_from(self.0 >> 33).unwrap_or_default()
    }

    /// A number below `n`, which is positive.
    pub fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.next()).unwrap_or_default() % n.max(1)
    }

    /// Once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// One of these, of which there is at least one.
    pub fn of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}
