//! Arguments at random.

use atl_elementary::Function;

/// Random bits; the same ones each time.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(2) | 1)
    }

    pub(crate) fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// From the first to the second.
    pub(crate) fn between(&mut self, (low, high): (f64, f64)) -> f64 {
        low + (high - low) * ((self.bits() >> 11) as f64 / 2f64.powi(53))
    }

    /// A quarter of them are any bits, a quarter have any sign and any exponent not far from 0, the others are where the
    /// function is looked at most.
    pub(crate) fn argument(&mut self, function: Function) -> f64 {
        match self.bits() & 3 {
            0 => f64::from_bits(self.bits()),
            1 => {
                let size = self.between((1.0, 2.0)) * 2f64.powi(self.between((-40.0, 10.0)) as i32);
                if self.bits() & 1 == 0 { size } else { -size }
            }
            _ => self.between(interesting(function)),
        }
    }

    /// The operands of the function.
    pub(crate) fn operands(&mut self, function: Function) -> Vec<f64> {
        let first = self.argument(function);
        let more = (1..function.arity()).map(|_| match function {
            Function::Pow => self.between((-40.0, 40.0)),
            _ => self.argument(function),
        });
        std::iter::once(first).chain(more.collect::<Vec<_>>()).collect()
    }
}

/// Where the function is neither constant nor infinite.
fn interesting(function: Function) -> (f64, f64) {
    match function {
        Function::Exp | Function::Expm1 | Function::Sinh | Function::Cosh => (-746.0, 711.0),
        Function::Exp2 => (-1080.0, 1025.0),
        Function::Exp10 => (-325.0, 309.0),
        Function::Tanh => (-22.0, 22.0),
        Function::Asin | Function::Acos => (-1.0, 1.0),
        Function::Erf => (-6.5, 6.5),
        Function::Erfc => (-6.0, 27.3),
        Function::Log1p => (-1.0, 4.0),
        Function::Log | Function::Log2 | Function::Log10 | Function::Pow => (0.0, 4.0),
        Function::Sin | Function::Cos | Function::Tan => (-100.0, 100.0),
        _ => (-10.0, 10.0),
    }
}
