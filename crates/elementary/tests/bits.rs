//! The bits of all results, as one number a format: a change of one of them is meant, or found here.

use crate::arguments::Random;
use atl_elementary::{Double, Function, Single};

/// A running hash of words.
struct Hash(u64);

impl Hash {
    fn feed(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x0000_0100_0000_01b3);
        self.0 ^= self.0 >> 29;
    }
}

#[test]
fn results_have_the_bits_that_they_had() {
    let mut hash = Hash(0xcbf2_9ce4_8422_2325);
    for function in Function::ALL {
        let mut random = Random::new(3);
        for _ in 0..4000 {
            let operands = random.operands(*function);
            let singles: Vec<f32> = operands.iter().map(|x| *x as f32).collect();
            let double = Double::call(*function, &operands).expect("takes as many operands");
            let single = Single::call(*function, &singles).expect("takes as many operands");
            // A NaN is a NaN.
            hash.feed(if double.is_nan() { 1 } else { double.to_bits() });
            hash.feed(if single.is_nan() { 1 } else { u64::from(single.to_bits()) });
        }
    }
    assert_eq!(format!("{:016x}", hash.0), "9d2b18ff6bdb033b");
}
