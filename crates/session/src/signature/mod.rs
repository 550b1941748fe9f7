//! What a call of a function looks like: made once from its head, read by position afterwards.
//!
//! The one idea: everything that a call must know of a parameter stands here with the parameter's position:
//! name, element type, extents as terms over the sizes, format, what is checked. Binding, packing,
//! allocation, the C interface, its pages and the JSON of `atl build` read it instead of the function's
//! parameters, and a type is printed and evaluated in one place.
//!
//! It says nothing of loops: the same function under two schedules differs in what its result may be stored
//! over, at most.

mod shapes;

use crate::assembly::assembly;
use crate::display;
use crate::elements::{dtype, zero};
use atl_diag::Span;
use atl_formats::Format;
use atl_kernel::{Elem, Ix, Pred, Type};
use atl_lang::print::{Names, print_for_all, print_ix_of_names, print_type_of_names};
use atl_lang::{Complex, ForAll, Function, ResultPart, SizeSource, Stored};
use atl_loops::{Kernel, Name};
use atl_runtime::DType;
use atl_semirings::Carrier;
use atl_syntax::Style;
use std::ops::Range;

/// What a call of a function looks like.
#[derive(Clone, Debug)]
pub struct Signature {
    /// The function's name.
    pub name: String,
    /// Where the name is written.
    pub span: Span,
    /// The sizes, in calling order.
    pub sizes: Vec<Size>,
    /// The arrays, in calling order. A scalar is an array without dimensions; a tensor in a format is several
    /// arrays.
    pub arrays: Vec<Array>,
    /// The parameters in formats, whose arrays are among [`arrays`](Signature::arrays).
    pub operands: Vec<Operand>,
    /// What the sizes must satisfy, besides being 0 or more.
    pub conditions: Vec<Condition>,
    /// What the elements of the arrays must satisfy.
    pub contents: Vec<Contents>,
    /// The complex parameters and results: each is two of the arrays, or of the results, next to each other.
    pub complex: Vec<Complex>,
    /// The result; of several, the first.
    pub result: ResultType,
    /// The other results, where there are several; all of them are stored row-major.
    pub more: Vec<ResultType>,
    /// The position of the size at each level of the function's context.
    positions: Vec<Option<usize>>,
}

/// A size: a natural number.
#[derive(Clone, Debug)]
pub struct Size {
    /// Its name.
    pub name: String,
    /// Where it first appears.
    pub span: Span,
    /// What determines it: an argument of its own, or extents of arrays, by the arrays' positions.
    pub source: SizeSource,
    /// The parameters in formats whose shape has it for an extent: position and axis.
    pub operands: Vec<(usize, usize)>,
    /// Its level in the function's context.
    pub level: u32,
}

/// An array that a call takes.
#[derive(Clone, Debug)]
pub struct Array {
    /// Its name.
    pub name: String,
    /// Where it is declared.
    pub span: Span,
    /// The element type, with its semiring.
    pub elem: Elem,
    /// The element type in memory.
    pub dtype: DType,
    /// The extents, outermost first; the array is dense and row-major.
    pub extents: Vec<Extent>,
    /// The type as it is written.
    pub ty: String,
    /// The numbers over which its semiring's laws hold, where these are not all.
    pub carrier: Option<Carrier>,
    /// The parameter in a format that it is a part of.
    pub operand: Option<usize>,
    /// Does a call look at what it holds? So it is where a condition speaks of its elements, or memory is
    /// read by them.
    pub is_inspected: bool,
    /// Its level in the function's context.
    pub level: u32,
}

/// An extent: a term over the sizes.
#[derive(Clone, Debug)]
pub struct Extent {
    /// As it is written.
    pub text: String,
    /// The term, over the levels of sizes.
    pub term: Ix,
}

/// A tensor parameter in a format, given by arrays.
#[derive(Clone, Debug)]
pub struct Operand {
    /// Its name.
    pub name: String,
    /// Where it is declared.
    pub span: Span,
    /// The element type, with its semiring.
    pub elem: Elem,
    /// The element type in memory.
    pub dtype: DType,
    /// What elements are that are not stored, if that is a number.
    pub zero: Option<f64>,
    /// The extents of the tensor, outermost first.
    pub extents: Vec<Extent>,
    /// The type as it is written, without the format.
    pub ty: String,
    /// Its format.
    pub format: Format,
    /// The positions of its arrays: those of each level, then the values.
    pub arrays: Range<usize>,
}

/// Something that sizes must satisfy.
#[derive(Clone, Debug)]
pub struct Condition {
    /// As it is written.
    pub text: String,
    /// Where it is written.
    pub span: Span,
    /// The condition, over the levels of sizes.
    pub holds: Pred,
}

/// Something that elements of arrays must satisfy.
#[derive(Clone, Debug)]
pub struct Contents {
    /// As it is written.
    pub text: String,
    /// Where it is written.
    pub span: Span,
    /// What is stated of all integers.
    pub stated: ForAll,
}

/// The result of a call.
#[derive(Clone, Debug)]
pub struct ResultType {
    /// Its name, if it is one of several.
    pub name: Option<String>,
    /// The element type, with its semiring.
    pub elem: Elem,
    /// The element type in memory.
    pub dtype: DType,
    /// What elements are that are not stored, if that is a number.
    pub zero: Option<f64>,
    /// The extents, by dimension.
    pub extents: Vec<Extent>,
    /// The type as it is written.
    pub ty: String,
    /// The extents in memory, where every element is stored: those of [`extents`](ResultType::extents), but
    /// for the order of a layout.
    pub memory: Vec<Extent>,
    /// The type in memory.
    pub memory_ty: String,
    /// How it is stored.
    pub storage: Storage,
    /// The array whose memory may hold the result, by position: `reuse` in a schedule.
    pub over: Option<usize>,
}

/// How a result is stored.
#[derive(Clone, Debug)]
pub enum Storage {
    /// Every element, row-major.
    RowMajor,
    /// Every element, in the order of a layout.
    Layout(Stored),
    /// In a format: arrays that grow.
    Sparse {
        /// The format.
        stored: Stored,
        /// Each array with its element type: those of each level, then the values.
        arrays: Vec<(String, DType)>,
        /// The operand of the same format whose places the result has, zero or not: `keep` in a schedule.
        pattern_of: Option<usize>,
    },
}

impl Signature {
    /// What a call of a function looks like, whatever its schedule.
    pub fn of(f: &Function) -> Signature {
        let names = Names::of(&f.ctx);
        let extents = |shape: &[Ix]| extents(&names, shape);
        let written = |ty: &Type| print_type_of_names(&names, ty, Style::LINE);
        let holder = |k: usize| f.sparse.iter().position(|s| s.arrays.contains(&k));
        let arrays = f.params.iter().enumerate().map(|(k, p)| Array {
            name: p.name.clone(),
            span: p.span,
            elem: p.ty.elem,
            dtype: dtype(p.ty.elem.scalar),
            extents: extents(&p.ty.shape),
            ty: written(&p.ty),
            carrier: carrier(p.ty.elem),
            operand: holder(k),
            is_inspected: f.requires_all.iter().any(|stated| mentions(stated, p.level)),
            level: p.level,
        });
        let operands = f.sparse.iter().map(|s| Operand {
            name: s.name.clone(),
            span: s.span,
            elem: s.ty.elem,
            dtype: dtype(s.ty.elem.scalar),
            zero: zero(s.ty.elem),
            extents: extents(&s.ty.shape),
            ty: written(&s.ty),
            format: s.format.clone(),
            arrays: s.arrays.clone(),
        });
        let sizes = f.sizes.iter().map(|s| {
            let is_it = |n: &Ix| *n == Ix::free(s.level);
            let axes = |(k, p): (usize, &atl_lang::SparseParam)| {
                let axes = p.ty.shape.iter().enumerate().filter(|(_, n)| is_it(n));
                axes.map(|(axis, _)| (k, axis)).collect::<Vec<_>>()
            };
            Size {
                name: s.name.clone(),
                span: s.span,
                source: s.source.clone(),
                operands: f.sparse.iter().enumerate().flat_map(axes).collect(),
                level: s.level,
            }
        });
        let conditions = f.requires.iter().map(|(p, span)| Condition {
            text: display::pred(&f.ctx, p),
            span: *span,
            holds: p.clone(),
        });
        let contents = f.requires_all.iter().map(|stated| Contents {
            text: print_for_all(&f.ctx, stated, Style::LINE),
            span: stated.span,
            stated: stated.clone(),
        });
        let memory = f.body_type();
        let storage = match (f.assembled(), f.in_order()) {
            (Some(stored), _) => {
                let assembly = assembly(stored, &f.result.shape, "out");
                let arrays = assembly.arrays(f.result.elem.scalar);
                let arrays = arrays.map(|(name, scalar)| (name.to_owned(), dtype(scalar))).collect();
                Storage::Sparse { stored: stored.clone(), arrays, pattern_of: None }
            }
            (None, Some(stored)) => Storage::Layout(stored.clone()),
            (None, None) => Storage::RowMajor,
        };
        let mut positions = vec![None; f.sizes.iter().map(|s| s.level as usize + 1).max().unwrap_or(0)];
        f.sizes.iter().enumerate().for_each(|(k, s)| positions[s.level as usize] = Some(k));
        Signature {
            name: f.name.clone(),
            span: f.span,
            sizes: sizes.collect(),
            arrays: arrays.collect(),
            operands: operands.collect(),
            conditions: conditions.collect(),
            contents: contents.collect(),
            complex: f.complex.clone(),
            result: ResultType {
                name: f.several.first().map(|part| part.name.clone()),
                elem: f.result.elem,
                dtype: dtype(f.result.elem.scalar),
                zero: zero(f.result.elem),
                extents: extents(&f.result.shape),
                ty: written(&f.result),
                memory: extents(&memory.shape),
                memory_ty: written(&memory),
                storage,
                over: None,
            },
            more: f.several.iter().skip(1).map(|part| row_major(&names, part)).collect(),
            positions,
        }
    }

    /// The results, in order: one, or several.
    pub fn results(&self) -> impl Iterator<Item = &ResultType> {
        std::iter::once(&self.result).chain(&self.more)
    }

    /// The complex parameter with this name, and the positions of its parts.
    pub fn complex_array(&self, name: &str) -> Option<(&Complex, [usize; 2])> {
        let complex = self.complex.iter().find(|complex| !complex.is_result && complex.name == name)?;
        let [re, im] = &complex.parts;
        Some((complex, [self.array(re)?, self.array(im)?]))
    }

    /// The results as the program declares them: positions, of which a complex one has two.
    pub fn declared_results(&self) -> Vec<(Option<&Complex>, usize)> {
        let mut declared = Vec::new();
        for (k, result) in self.results().enumerate() {
            let named = |part: &String| Some(part) == result.name.as_ref();
            let complex = self.complex.iter().filter(|complex| complex.is_result);
            match complex.clone().find(|complex| named(&complex.parts[0])) {
                Some(complex) => declared.push((Some(complex), k)),
                None if complex.clone().any(|complex| named(&complex.parts[1])) => {}
                None => declared.push((None, k)),
            }
        }
        declared
    }

    /// The same under a schedule, with the operand whose places its result has.
    pub fn of_kernel(f: &Function, kernel: &Kernel, like: Option<&str>) -> Signature {
        let mut signature = Signature::of(f).with_kernel(kernel);
        let place = like.and_then(|name| signature.operands.iter().position(|operand| operand.name == name));
        if let Storage::Sparse { pattern_of, .. } = &mut signature.result.storage {
            *pattern_of = place;
        }
        signature
    }

    /// The same for these loops: by which arrays they read memory, and what their result may be stored over.
    pub fn with_kernel(mut self, kernel: &Kernel) -> Signature {
        let mut reads = kernel.index_reads();
        for requirement in &kernel.requires_all {
            requirement.for_each_read(&mut |name, _| {
                reads.insert(name);
            });
        }
        for array in &mut self.arrays {
            array.is_inspected |= reads.iter().any(|read| read.as_str() == array.name);
        }
        let over = kernel.params.iter().find_map(|param| param.over.as_ref()).map(Name::as_str);
        self.result.over = over.and_then(|name| self.array(name));
        self
    }

    /// The position of the array of this name.
    pub fn array(&self, name: &str) -> Option<usize> {
        self.arrays.iter().position(|array| array.name == name)
    }

    /// The position of the size of this name.
    pub fn size(&self, name: &str) -> Option<usize> {
        self.sizes.iter().position(|size| size.name == name)
    }

    /// The position of the size at this level of the function's context.
    pub fn position(&self, level: u32) -> Option<usize> {
        *self.positions.get(level as usize)?
    }

    /// The parameter in a format of this name.
    pub fn operand(&self, name: &str) -> Option<&Operand> {
        self.operands.iter().find(|operand| operand.name == name)
    }

    /// The names of the parameters as they are written: a tensor in a format by its own, and not by those of
    /// its arrays.
    pub fn declared(&self) -> Vec<&str> {
        let own = |(k, array): (usize, &'_ Array)| match array.operand {
            Some(of) if self.operands[of].arrays.start == k => Some(of),
            Some(_) => None,
            None => Some(usize::MAX),
        };
        let name = |(k, array)| match own((k, array))? {
            usize::MAX => Some(self.arrays[k].name.as_str()),
            of => Some(self.operands[of].name.as_str()),
        };
        self.arrays.iter().enumerate().filter_map(name).collect()
    }

    /// Sizes with their names: `N = 3, M = 4`.
    pub fn named(&self, sizes: &[i64]) -> String {
        let named = self.sizes.iter().zip(sizes).map(|(s, n)| format!("{} = {n}", s.name));
        named.collect::<Vec<_>>().join(", ")
    }
}

fn extents(names: &Names, shape: &[Ix]) -> Vec<Extent> {
    let text = |n: &Ix| print_ix_of_names(names, n, Style::LINE);
    shape.iter().map(|n| Extent { text: text(n), term: n.clone() }).collect()
}

/// One of several results.
fn row_major(names: &Names, part: &ResultPart) -> ResultType {
    let (extents, ty) = (extents(names, &part.ty.shape), print_type_of_names(names, &part.ty, Style::LINE));
    ResultType {
        name: Some(part.name.clone()),
        elem: part.ty.elem,
        dtype: dtype(part.ty.elem.scalar),
        zero: zero(part.ty.elem),
        memory: extents.clone(),
        extents,
        memory_ty: ty.clone(),
        ty,
        storage: Storage::RowMajor,
        over: None,
    }
}

/// The carrier of an element type, where it is not all numbers.
fn carrier(elem: Elem) -> Option<Carrier> {
    atl_semirings::of(elem.algebra).map(|semiring| semiring.carrier).filter(|carrier| !carrier.accepts_all())
}

/// Does the requirement read the array of this level?
pub fn mentions(stated: &ForAll, level: u32) -> bool {
    let ranges = stated.variables.iter().any(|v| v.lo.mentions(level) || v.hi.mentions(level));
    ranges || stated.holds.mentions(level)
}
