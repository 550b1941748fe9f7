//! The arguments of a call as a command line gives them: files by name, and numbers by name.
//!
//! A file is loaded with the element type and the number of dimensions of its parameter. A number is a size, or a scalar
//! parameter; it is read as the parameter's type, rounded once, or refused. That arguments fit together is checked where
//! they are bound, by [`Call::bind`](crate::Call::bind).

use crate::call::{Named, given_once};
use crate::data::{Role, holds_entries, refused, save_entries};
use crate::elements::zero;
use crate::failure::Failure;
use crate::made_up;
use crate::program::Program;
use crate::signature::{Array, Extent, Operand, Signature, Size};
use crate::sparse::{check_shape, packed};
use crate::sparse_result::SparseResult;
use atl_diag::{Diagnostic, codes, err};
use atl_kernel::Ix;
use atl_lang::{Function, SizeSource, solved};
use atl_runtime::{
    Buffer, DType, DataError, Request, Structure, Tensor, Wanted, load_filled, load_tensor, save,
    says_no_shape, shape_note,
};
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

/// The shapes of arguments, by name.
pub(crate) type Shapes<'a> = [(&'a str, &'a [usize])];

impl Arguments {
    /// Reads files (`--in NAME=PATH`) and numbers (`--set NAME=VALUE`) for the parameters of a function. `structure` says
    /// whether the places of entries are looked at.
    ///
    /// # Errors
    /// A file that cannot be read as its parameter, a number that is not one of its parameter's type, or two values for
    /// one name.
    pub fn read(
        program: &Program,
        function: &Function,
        files: &[(String, PathBuf)],
        numbers: &[(String, String)],
        structure: Structure,
    ) -> Result<Arguments, Failure> {
        Arguments::read_checked(program, function, files, numbers, structure, &|_| Ok(()))
    }

    /// [`Arguments::read`], with a look at the shapes of what the files hold before anything else is done with them.
    ///
    /// # Errors
    /// As for `read`, and what the look refuses.
    pub(crate) fn read_checked(
        program: &Program,
        function: &Function,
        files: &[(String, PathBuf)],
        numbers: &[(String, String)],
        structure: Structure,
        look: &dyn Fn(&Shapes<'_>) -> Result<(), Failure>,
    ) -> Result<Arguments, Failure> {
        let signature = &Signature::of(function);
        let fail = |d: Diagnostic| Failure::new(program.sources(), d);
        let mut arguments = Arguments::default();
        let names = files.iter().map(|(name, _)| name).chain(numbers.iter().map(|(name, _)| name));
        given_once(signature, names.map(String::as_str)).map_err(|d| fail(*d))?;
        let mut sparse: Vec<(&Operand, Tensor)> = Vec::new();
        for (name, path) in files {
            if let Some(operand) = signature.operand(name) {
                let notes = &mut arguments.notes;
                let tensor = tensor_of(operand, path, structure, notes).map_err(|d| fail(*d))?;
                arguments.notes.extend(shape_note(path, tensor.shape()));
                arguments.guess(path, &operand.extents);
                sparse.push((operand, tensor));
                continue;
            }
            let param = signature.array(name).map(|k| &signature.arrays[k]);
            let wanted = param
                .map_or(Wanted::default(), |p| Wanted { dtype: Some(p.dtype), rank: Some(p.extents.len()) });
            // What is not stored is the zero of the elements, as it is where the parameter has a format.
            let absent = param.and_then(|p| zero(p.elem)).unwrap_or_default();
            let role = Role::Argument(name, param.map(|p| p.span));
            let loaded = load_filled(path, wanted, absent).map_err(|why| {
                let d = refused(&why, role);
                let number = param.is_some_and(|p| p.extents.is_empty());
                fail(if number {
                    d.help(format!("`{name}` is one number: `--set {name}=NUMBER` gives it"))
                } else {
                    d
                })
            })?;
            arguments.notes.extend(loaded.notes);
            param.iter().for_each(|param| arguments.guess(path, &param.extents));
            arguments.arrays.push((name.clone(), loaded.buffer));
        }
        let dense = arguments.arrays.iter().map(|(name, buffer)| (name.as_str(), buffer.shape()));
        let packed = sparse.iter().map(|(operand, tensor)| (operand.name.as_str(), tensor.shape()));
        look(&dense.chain(packed).collect::<Vec<_>>())?;
        for (operand, tensor) in sparse {
            arguments.pack(signature, operand, &tensor).map_err(|d| arguments.explain(fail(*d)))?;
        }
        for (name, text) in numbers {
            arguments.set(signature, name, text).map_err(|d| arguments.explain(fail(*d)))?;
        }
        Ok(arguments)
    }

    /// Remembers a file that does not say its shape.
    fn guess(&mut self, path: &Path, extents: &[Extent]) {
        if says_no_shape(path) {
            let extents = extents.iter().map(|n| n.text.clone()).collect();
            self.guessed.push(Guessed { path: path.into(), extents });
        }
    }

    /// What a call with these arguments was refused for: where extents disagree, also that a file did not say its own, and
    /// how it can.
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
        for (name, n) in packed.sizes {
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
        self.shapes.push((operand.name.clone(), packed.shape.clone()));
        // Extents that are made of sizes may determine these only together.
        for (s, found) in signature.sizes.iter().zip(self.solved_sizes(signature)) {
            match (&s.source, found) {
                (SizeSource::Argument, Some(Ok(n)))
                    if !self.sizes.iter().any(|(name, _)| *name == s.name) =>
                {
                    self.sizes.push((s.name.clone(), n));
                }
                (SizeSource::Argument, Some(Err(_))) => {
                    let (name, shape, ty) = (&operand.name, &packed.shape, &operand.ty);
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
        check_shape(signature, operand, &packed.shape, &self.stated(signature))?;
        self.arrays.extend(packed.arrays);
        Ok(())
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

    /// Gives every array that is missing a made-up content, and every size that nothing determines this value, or one near it
    /// for which the function has a meaning.
    ///
    /// For measuring and for examples: the values are small, positive and exact in every element type, so they lie in
    /// the carrier of every semiring; integers satisfy what the function requires of them, as far as such are found.
    ///
    /// # Errors
    /// Sizes for which the function has no meaning, or too large for memory.
    pub fn complete(&mut self, program: &Program, f: &Function, size: i64) -> Result<(), Failure> {
        self.complete_with(program, f, size, &|k| k)
    }

    /// The same, with the made-up numbers taken in this order.
    pub(crate) fn complete_with(
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

    /// The value of each size, as far as what is given says it: the extents of the arrays and tensors at hand, and numbers.
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

/// What a file holds, for a parameter in a format.
fn tensor_of(
    operand: &Operand,
    path: &Path,
    structure: Structure,
    notes: &mut Vec<String>,
) -> Result<Tensor, Box<Diagnostic>> {
    let (dtype, rank) = (Some(operand.dtype), Some(operand.extents.len()));
    let request = Request { dtype, rank, structure, ..Request::default() };
    let role = Role::Argument(&operand.name, Some(operand.span));
    load_tensor(path, &request, notes).map_err(|why| Box::new(refused(&why, role)))
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
        DType::F32 => read!(f32, |x| x.is_finite() || x.is_nan() || written),
        DType::F64 => read!(f64, |x| x.is_finite() || x.is_nan() || written),
        DType::I32 => read!(i32, |_| true),
        DType::I64 => read!(i64, |_| true),
        DType::U8 => read!(u8, |_| true),
        DType::Bool => read!(bool, |_| true),
    }
}

/// Refuses a path to which no result could be saved, before there is one.
///
/// # Errors
/// The path is of no known format, its folder is missing, or it is something else than a file.
pub fn check_target(program: &Program, path: impl AsRef<Path>) -> Result<(), Failure> {
    atl_runtime::check_target(path).map_err(|why| unsaved(program, &why))
}

/// Writes a result to a file, in the format of the path's extension; what the file holds otherwise is said, a sentence each.
///
/// # Errors
/// The file cannot be written, or its format cannot hold the array.
pub fn save_result(
    program: &Program,
    path: impl AsRef<Path>,
    result: &Buffer,
) -> Result<Vec<String>, Failure> {
    save(path, result).map_err(|why| unsaved(program, &why))
}

/// Write a result in a format to a file; the extension says how. A matrix in `csr` or `csc` is written so where the file may
/// hold it. What the file holds otherwise is said, a sentence each.
///
/// # Errors
/// The file cannot be written or cannot hold the tensor.
pub fn save_sparse(
    program: &Program,
    path: impl AsRef<Path>,
    result: &SparseResult,
) -> Result<Vec<String>, Failure> {
    let path = path.as_ref();
    let invalid = |why: String| {
        Failure::new(
            program.sources(),
            err!(E0607, "the result is not well formed: {why}").help("please report this with the program"),
        )
    };
    match holds_entries(path) {
        true => save_entries(path, &result.format, result.entries().map_err(invalid)?).map(|()| Vec::new()),
        false => save_result(program, path, &result.to_dense().map_err(invalid)?),
    }
}

fn unsaved(program: &Program, why: &DataError) -> Failure {
    let d = err!(E0522, "the result cannot be saved: {why}");
    let help = match why {
        DataError::Io { .. } => "check the path after `--out`",
        _ => "`--out NAME.npy` holds any array; `--out -` prints it",
    };
    Failure::new(program.sources(), d.help(help))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(dtype: DType, text: &str, accepted: bool) {
        assert_eq!(scalar(dtype, text).is_some(), accepted, "{text} as {dtype}");
    }

    #[test]
    fn numbers_are_of_the_type_or_refused() {
        check(DType::F32, "0.1", true);
        check(DType::F32, "1e39", false);
        check(DType::F64, "1e39", true);
        check(DType::F32, "-inf", true);
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
        let mut arguments =
            Arguments::read(&program, f, &[], &[("M".into(), "3".into())], Structure::Check).unwrap();
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
