//! The arguments of a call as a command line gives them: files by name, and numbers by name.
//!
//! A number is a size, or a scalar parameter; it is read as the parameter's type, rounded once, or refused.
//! That arguments fit together is checked where they are bound, by [`Call::bind`](crate::Call::bind). Files
//! are read where their formats are known.

use crate::call::Named;
use crate::made_up;
use crate::sparse::{check_shape, packed, sizes_of};
use atl_diag::{Diagnostic, codes, err};
use atl_kernel::Ix;
use atl_lang::{Function, SizeSource, solved};
use atl_runtime::{Buffer, DType, Tensor, bf16, f16, with_element};
use atl_session::Failure;
use atl_session::Program;
use atl_session::signature::{Array, Extent, Operand, Signature, Size};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Arrays and sizes for a call.
#[derive(Clone, Debug, Default)]
pub struct Arguments {
    /// The arrays, by parameter.
    pub arrays: Vec<(String, Buffer)>,
    /// The sizes that are given as such.
    pub sizes: Vec<(String, i64)>,
    /// The shapes of the tensors for parameters in formats, which their arrays do not show, by parameter.
    pub shapes: Vec<(String, Vec<usize>)>,
    /// What the files hold that the arrays do not, a sentence each.
    pub notes: Vec<String>,
    /// The files that do not say their shape.
    pub guessed: Vec<Guessed>,
}

/// A file whose shape was taken from its greatest coordinates.
#[derive(Clone, Debug)]
pub struct Guessed {
    path: PathBuf,
    /// The extents that its parameter has, as they are written.
    extents: Vec<String>,
}

impl Arguments {
    /// Remembers a file that does not say its shape.
    pub fn guess(&mut self, path: &Path, extents: &[Extent]) {
        let extents = extents.iter().map(|n| n.text.clone()).collect();
        self.guessed.push(Guessed { path: path.into(), extents });
    }

    /// What a call with these arguments was refused for: where extents disagree, also that a file did not say
    /// its own, and how it can.
    pub fn explain(&self, mut failure: Failure) -> Failure {
        for d in failure.diagnostics.iter_mut().filter(|d| d.code == codes::E0504) {
            for Guessed { path, extents } in &self.guessed {
                let (from, to) = (path.display(), path.with_extension("npz"));
                let (to, extents) = (to.display(), extents.join(","));
                let why =
                    format!("{from} does not say its shape, which was taken from its greatest coordinates");
                let help = format!(
                    "`atl convert {from} {to} --shape {extents}` makes a file of it that says its shape"
                );
                *d = d.clone().note(why).help(help);
            }
        }
        failure
    }

    /// Gives a parameter in a format this tensor.
    pub fn pack(
        &mut self,
        signature: &Signature,
        operand: &Operand,
        tensor: &Tensor,
    ) -> Result<(), Box<Diagnostic>> {
        let packed = packed(signature, operand, tensor)?;
        self.shaped(signature, operand, &packed.shape)?;
        self.arrays.extend(packed.arrays);
        Ok(())
    }

    /// Gives a parameter in a format the sizes of a tensor of this shape, whose arrays are given apart.
    ///
    /// # Errors
    /// The shape does not agree with what is given before.
    pub fn shaped(
        &mut self,
        signature: &Signature,
        operand: &Operand,
        shape: &[usize],
    ) -> Result<(), Box<Diagnostic>> {
        for (name, n) in sizes_of(signature, operand, shape)? {
            match self.sizes.iter().find(|(known, _)| *known == name) {
                Some((_, known)) if *known != n => {
                    return Err(Box::new(
                        err!(
                            E0504,
                            operand.span,
                            "the argument `{}` makes `{name}` {n}, and it is {known}",
                            operand.name
                        )
                        .label("declared here")
                        .help("give arrays whose shapes agree"),
                    ));
                }
                Some(_) => {}
                None => self.sizes.push((name, n)),
            }
        }
        self.shapes.push((operand.name.clone(), shape.to_vec()));
        // Extents that are made of sizes may determine these only together.
        for (s, found) in signature.sizes.iter().zip(self.solved_sizes(signature)) {
            match (&s.source, found) {
                (SizeSource::Argument, Some(Ok(n)))
                    if !self.sizes.iter().any(|(name, _)| *name == s.name) =>
                {
                    self.sizes.push((s.name.clone(), n));
                }
                (SizeSource::Argument, Some(Err(_))) => {
                    let (name, ty) = (&operand.name, &operand.ty);
                    return Err(Box::new(
                        err!(E0504, s.span, "no whole number `{}` gives `{name}` its shape", s.name)
                            .label("this size")
                            .note(format!("`{name}` has shape {shape:?}, and its type is `{ty}`"))
                            .help("give a tensor whose extents are of the form that the type says"),
                    ));
                }
                _ => {}
            }
        }
        check_shape(signature, operand, shape, &self.stated(signature))
    }

    /// The sizes that are given as numbers, by position.
    pub(crate) fn stated(&self, signature: &Signature) -> Vec<Option<i64>> {
        let number = |s: &Size| self.sizes.iter().find(|(name, _)| *name == s.name).map(|(_, n)| *n);
        signature.sizes.iter().map(number).collect()
    }

    /// Gives a size or a scalar this number.
    pub fn set(&mut self, signature: &Signature, name: &str, text: &str) -> Result<(), Box<Diagnostic>> {
        let not_a = |what: &str| {
            Box::new(
                err!(E0521, "`{text}` is not {what}, which `{name}` is to be")
                    .help(format!("give `--set {name}=VALUE` a number of that type")),
            )
        };
        if let Some(size) = signature.sizes.iter().find(|s| s.name == name) {
            let value = text.parse().map_err(|_| not_a("a whole number below 2^63"))?;
            // An argument in a format may say the same.
            return match self.sizes.iter().find(|(known, _)| known == name) {
                Some((_, known)) if *known != value => Err(Box::new(
                    err!(E0504, size.span, "the size `{name}` is {value}, and an argument makes it {known}")
                        .label("this size")
                        .help("give arrays whose shapes agree; a size that arrays have need not be given"),
                )),
                Some(_) => Ok(()),
                None => {
                    self.sizes.push((name.to_owned(), value));
                    Ok(())
                }
            };
        }
        match signature.arrays.iter().find(|array| array.name == name) {
            Some(array) if array.extents.is_empty() => {
                let dtype = array.dtype;
                let value = scalar(dtype, text).ok_or_else(|| not_a(&format!("a number of type {dtype}")))?;
                self.arrays.push((name.to_owned(), value));
                Ok(())
            }
            Some(array) => Err(Box::new(
                err!(E0521, array.span, "`{name}` is an array, and `--set` gives single numbers")
                    .label("this parameter")
                    .help(format!("give it with `--in {name}=PATH`")),
            )),
            None => {
                let scalars = signature.arrays.iter().filter(|a| a.extents.is_empty()).map(|a| &a.name);
                let sizes = signature.sizes.iter().map(|s| &s.name);
                let known: Vec<String> = sizes.chain(scalars).map(|n| format!("`{n}`")).collect();
                Err(Box::new(
                    err!(E0509, signature.span, "`{}` has no size or scalar `{name}`", signature.name)
                        .label("this function")
                        .note(format!(
                            "it has {}",
                            if known.is_empty() { "none".to_owned() } else { known.join(", ") }
                        ))
                        .help("check the name after `--set`"),
                ))
            }
        }
    }

    /// The arrays as a call takes them.
    pub fn arrays(&self) -> Vec<Named<'_>> {
        self.arrays.iter().map(|(name, buffer)| (name.as_str(), buffer.view())).collect()
    }

    /// The sizes as a call takes them.
    pub fn sizes(&self) -> Vec<(&str, i64)> {
        self.sizes.iter().map(|(name, n)| (name.as_str(), *n)).collect()
    }

    /// Gives every array that is missing a made-up content, and every size that nothing determines this
    /// value, or one near it for which the function has a meaning.
    ///
    /// For measuring and for examples: the values are small, positive and exact in every element type, so
    /// they lie in the carrier of every semiring; integers satisfy what the function requires of them, as far
    /// as such are found.
    ///
    /// # Errors
    /// Sizes for which the function has no meaning, or too large for memory.
    pub fn complete(&mut self, program: &Program, f: &Function, size: i64) -> Result<(), Failure> {
        self.complete_with(program, f, size, &|k| k)
    }

    /// The same, with the made-up numbers taken in this order.
    pub fn complete_with(
        &mut self,
        program: &Program,
        f: &Function,
        size: i64,
        order: &dyn Fn(usize) -> usize,
    ) -> Result<(), Failure> {
        let signature = &Signature::of(f);
        let refused = |why: String| {
            Failure::new(
                program.sources(),
                err!(E0506, signature.span, "these sizes are refused: {why}")
                    .label("this function")
                    .help("give sizes with `--set`"),
            )
        };
        self.complete_sparse(signature, size).map_err(|d| Failure::new(program.sources(), *d))?;
        let known = self.known_sizes(signature);
        let like = made_up::sizes_like(signature, &known, size);
        let sizes = like.unwrap_or_else(|| known.iter().map(|n| n.unwrap_or(size)).collect());
        let shapes = signature.shapes(&sizes).map_err(refused)?;
        let given: BTreeSet<String> = self.arrays.iter().map(|(name, _)| name.clone()).collect();
        for (array, shape) in signature.arrays.iter().zip(shapes) {
            if !self.arrays.iter().any(|(name, _)| *name == array.name) {
                let made = made_up::array_by(array.dtype, &shape, order);
                let made = made.map_err(|e| refused(e.to_string()))?;
                self.arrays.push((array.name.clone(), made));
            }
        }
        made_up::satisfy(signature, &sizes, &mut self.arrays, &given, order);
        self.sizes = signature.sizes.iter().map(|s| s.name.clone()).zip(sizes).collect();
        Ok(())
    }

    /// Gives every parameter in a format that is missing a made-up tensor.
    fn complete_sparse(&mut self, signature: &Signature, size: i64) -> Result<(), Box<Diagnostic>> {
        for operand in &signature.operands {
            let given = |array: &Array| self.arrays.iter().any(|(known, _)| *known == array.name);
            if signature.arrays[operand.arrays.clone()].iter().any(given) {
                continue;
            }
            let sizes: Vec<_> =
                self.known_sizes(signature).into_iter().map(|known| known.or(Some(size))).collect();
            let Some(shape) = signature.known_shape(&operand.extents, &sizes) else { continue };
            let tensor = made_up::entries(operand.dtype, &shape);
            let tensor = tensor.map_err(|why| {
                err!(E0537, operand.span, "no entries were made up for `{}`: {why}", operand.name)
                    .label("this parameter")
                    .help(format!("give it with `--in {}=PATH`", operand.name))
            })?;
            self.pack(signature, operand, &tensor)?;
        }
        Ok(())
    }

    /// The value of each size, as far as what is given says it: the extents of the arrays and tensors at
    /// hand, and numbers.
    pub(crate) fn known_sizes(&self, signature: &Signature) -> Vec<Option<i64>> {
        self.solved_sizes(signature).into_iter().map(|found| found?.ok()).collect()
    }

    /// The same; an error where the extents are those of no whole number.
    fn solved_sizes(&self, signature: &Signature) -> Vec<Option<Result<i64, i64>>> {
        let mut extents: Vec<(Ix, i64)> = Vec::new();
        let mut add = |shape: &[Extent], found: &[usize]| {
            let found = found.iter().map(|n| i64::try_from(*n).unwrap_or(i64::MAX));
            extents.extend(shape.iter().map(|n| n.term.clone()).zip(found));
        };
        for array in &signature.arrays {
            if let Some((_, buffer)) = self.arrays.iter().find(|(name, _)| *name == array.name) {
                add(&array.extents, buffer.shape());
            }
        }
        for operand in &signature.operands {
            if let Some((_, shape)) = self.shapes.iter().find(|(name, _)| *name == operand.name) {
                add(&operand.extents, shape);
            }
        }
        // An extent that is the size itself goes before others that are made of it.
        extents.sort_by_key(|(extent, _)| !matches!(extent, Ix::Var(_)));
        let stated = self.stated(signature);
        let sizes = || signature.sizes.iter().zip(&stated);
        let unknown: Vec<u32> = sizes().filter(|(_, n)| n.is_none()).map(|(s, _)| s.level).collect();
        let mut found = solved(&unknown, &extents).into_iter();
        let at = |level: u32| stated.get(signature.position(level)?).copied().flatten();
        let value = |(_, stated): (&Size, &Option<i64>)| match stated {
            Some(n) => Some(Ok(*n)),
            None => found.next().flatten()?.value(&|n| Some(*n), &at),
        };
        sizes().map(value).collect()
    }
}

/// A number of this type; none if the text is not one, or is out of its range.
fn scalar(dtype: DType, text: &str) -> Option<Buffer> {
    macro_rules! read {
        ($ty:ty, $fits:expr) => {{
            let value = text.parse::<$ty>().ok().filter($fits)?;
            Buffer::from_slice(&[value], &[]).ok()
        }};
    }
    // Infinity is a number where it is written, and not where digits overflow.
    let written = text.trim_start_matches(['+', '-']).starts_with(['i', 'I']);
    match dtype {
        DType::F16 => read!(f16, |x| x.is_finite() || x.is_nan() || written),
        DType::BF16 => read!(bf16, |x| x.is_finite() || x.is_nan() || written),
        DType::F32 => read!(f32, |x| x.is_finite() || x.is_nan() || written),
        DType::F64 => read!(f64, |x| x.is_finite() || x.is_nan() || written),
        _ => with_element!(dtype, T => read!(T, |_| true)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Compile;

    fn check(dtype: DType, text: &str, accepted: bool) {
        assert_eq!(scalar(dtype, text).is_some(), accepted, "{text} as {dtype}");
    }

    #[test]
    fn numbers_are_of_the_type_or_refused() {
        check(DType::F32, "0.1", true);
        check(DType::F32, "1e39", false);
        check(DType::F64, "1e39", true);
        check(DType::F32, "-inf", true);
        check(DType::F16, "65504", true);
        check(DType::F16, "65520", false);
        check(DType::F16, "inf", true);
        check(DType::BF16, "1e39", false);
        check(DType::BF16, "nan", true);
        check(DType::F32, "", false);
        check(DType::I32, "1.5", false);
        check(DType::I32, "2147483648", false);
        check(DType::I64, "2147483648", true);
        check(DType::U8, "-1", false);
        check(DType::Bool, "true", true);
        check(DType::Bool, "2", false);
    }

    #[test]
    fn floats_are_rounded_once() {
        // Halfway between two floats in double precision, above it as written.
        let text = "1.00000005960464477540";
        assert_eq!(
            scalar(DType::F32, text).unwrap().as_slice::<f32>().unwrap(),
            [text.parse::<f32>().unwrap()]
        );
    }

    #[test]
    fn missing_arrays_are_made_up_to_fit() {
        let text = "fn f(a: f32[M, K], x: f32[K], y: f32[M + 1]) -> f32[M] { gen i < M { y[i] } }";
        let program = Program::parse("f.atl", text).unwrap();
        let f = &program.functions()[0];
        let mut arguments = Arguments::default();
        arguments.set(&Signature::of(f), "M", "3").unwrap();
        arguments.complete(&program, f, 5).unwrap();
        let shapes: Vec<&[usize]> = arguments.arrays.iter().map(|(_, b)| b.shape()).collect();
        assert_eq!(shapes, [&[3usize, 5][..], &[5], &[4]]);
    }

    #[test]
    fn missing_sparse_tensors_are_made_up_to_satisfy_what_is_required() {
        for format in ["csr", "csc", "coo", "dcsr", "dia", "bitmask", "bcsr(2, 3)", "ell(8)"] {
            let head = format!("fn f(a: f64[N, M] as {format}, x: f64[M]) -> f64[N]");
            let text = format!("{head} {{ gen i < N {{ sum j < M {{ a[i, j] * x[j] }} }} }}");
            let program = Program::parse("f.atl", &text).expect("it is accepted");
            let mut arguments = Arguments::default();
            arguments.complete(&program, &program.functions()[0], 9).expect("all is made up");
            let lowered = program.scheduled("f", None).and_then(|s| s.lower()).expect("it is lowered");
            let backend = &crate::backends::interp::BACKEND;
            let kernel = lowered.compile(backend, Default::default()).expect("it compiles");
            kernel
                .call(&arguments.arrays(), &arguments.sizes())
                .bind()
                .unwrap_or_else(|e| panic!("{format}: {e}"));
        }
    }
}
