//! Relations as arguments of a program's function: tables whose columns are the axes of its tensors.
//!
//! An axis is called as the size that it has, `R: i64[A, B]`, and the column of that name says where on it a
//! row stands. All columns of one size share a dictionary, their distinct values in order, so that rows meet
//! where their values are equal, and compare as their values do. One more column has the elements; without it
//! each row counts one. What is computed is a tensor, and it is read back as a table.

mod axes;
mod merged;

use crate::query::{Answer, Table, Value, Values};
use atl_diag::{Diagnostic, Span, err};
use atl_driver::elements::{dtype, zero};
use atl_driver::signature::{Extent, Operand, Signature};
use atl_driver::{Arguments, Bound, Compiled, End, Failure, Program, StopCondition};
use atl_kernel::Elem;
use atl_lang::Function;
use atl_runtime::{Buffer, Coordinates, DType, Duplicates, Parts, Tensor, Wish, Zeros, with_element};
use atl_scalars::{Machine as _, Value as Literal};
use atl_semirings::Constant;
use axes::{Domains, domains};
use merged::merged;
use std::fmt::Write as _;

/// The most elements of a tensor of which all are stored.
const MOST_ELEMENTS: usize = 1 << 28;

type Refusal = Box<Diagnostic>;

/// A parameter that takes a relation.
struct Wanted<'f> {
    name: &'f str,
    elem: Elem,
    /// The sizes of its axes.
    axes: Vec<&'f str>,
    sparse: Option<&'f Operand>,
    span: Span,
}

/// A table as the argument of a parameter.
struct Given<'a> {
    wanted: Wanted<'a>,
    table: &'a Table,
    /// The columns of its axes.
    keys: Vec<usize>,
    value: Option<usize>,
}

/// The arguments of a function, and what is needed to read its result.
#[derive(Clone, Debug)]
pub struct Relations {
    arguments: Arguments,
    /// The values along the result's axes, and what these are called.
    axes: Vec<(String, Vec<Value>)>,
    zero: Option<f64>,
    name: String,
    description: String,
}

/// The names of a function's parameters that are tensors, each of which is a relation.
pub fn names_of(signature: &Signature) -> Vec<&str> {
    let dense = signature.arrays.iter().filter(|a| !a.extents.is_empty() && a.operand.is_none());
    dense.map(|a| a.name.as_str()).chain(signature.operands.iter().map(|s| s.name.as_str())).collect()
}

impl Relations {
    /// Tables as the arguments of a function, by the names of its parameters.
    ///
    /// The numbers are scalars and sizes. A size that is an axis is then how many values it has: the integers
    /// from 0.
    ///
    /// # Errors
    /// A table that is missing, or that no parameter takes; columns that are not those of the axes; values
    /// that are no elements.
    pub fn new(
        program: &Program,
        f: &Function,
        tables: &[Table],
        numbers: &[(String, String)],
    ) -> Result<Relations, Failure> {
        relations(&Signature::of(f), tables, numbers).map_err(|d| Failure::new(program.sources(), *d))
    }

    /// What the tables are to the function: where the rows of each stand, and what the axes' values are.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// The arguments, checked.
    ///
    /// # Errors
    /// What the call is refused for.
    pub fn bound(&self, kernel: &Compiled) -> Result<Bound<'_>, Failure> {
        kernel.call(&self.arguments.arrays(), &self.arguments.sizes()).bind()
    }

    /// The result as a table, of the elements that are not the semiring's zero.
    ///
    /// # Errors
    /// What the call meets.
    pub fn answer(&self, bound: &Bound<'_>) -> Result<Answer, Failure> {
        self.table(bound.kernel(), &bound.dense()?)
    }

    /// The same of the last of many calls, each with the result before for this relation, how many there
    /// were, and why it was the last.
    ///
    /// # Errors
    /// As for [`Bound::iterate`].
    pub fn iterated(
        &self,
        bound: &Bound<'_>,
        name: &str,
        stop: StopCondition,
    ) -> Result<(Answer, u64, End), Failure> {
        let reached = bound.iterate(name, stop)?;
        Ok((self.table(bound.kernel(), &reached.value)?, reached.calls, reached.end))
    }

    fn table(&self, kernel: &Compiled, result: &Buffer) -> Result<Answer, Failure> {
        let values = numbers(result).map_err(|why| kernel.fail(err!(E0550, "the result: {why}")))?;
        let mut names: Vec<String> = Vec::new();
        for name in self.axes.iter().map(|(name, _)| name).chain([&self.name]) {
            let taken = |name: &str| names.iter().any(|other| other.eq_ignore_ascii_case(name));
            let another = (2..).map(|k| format!("{name}_{k}")).find(|other| !taken(other));
            names.push(if taken(name) { another.unwrap_or_default() } else { name.clone() });
        }
        let absent = |value: &Value| match (value, self.zero) {
            (Value::Int(n), Some(zero)) => *n as f64 == zero,
            (Value::Float(x), Some(zero)) => *x == zero,
            _ => false,
        };
        let kept = values.into_iter().enumerate().filter(|(_, v)| self.axes.is_empty() || !absent(v));
        let row = |(place, value): (usize, Value)| {
            let mut rest = place;
            let mut row = vec![value];
            for (_, domain) in self.axes.iter().rev() {
                row.push(domain[rest % domain.len()].clone());
                rest /= domain.len();
            }
            row.reverse();
            row
        };
        Ok(Answer { names, rows: kept.map(row).collect() })
    }
}

fn relations(f: &Signature, tables: &[Table], numbers: &[(String, String)]) -> Result<Relations, Refusal> {
    let size = |n: &Extent| f.size_of(n).map(|place| f.sizes[place].name.as_str());
    let axes = |shape: &[Extent], what: &str, span: Span| {
        shape.iter().map(size).collect::<Option<Vec<&str>>>().ok_or_else(|| {
            Box::new(
                err!(E0550, span, "{what} has an axis that is no size")
                    .label("declared here")
                    .help("the axes of relations are called by sizes, as in `R: i64[A, B]`"),
            )
        })
    };
    let names = names_of(f);
    if let Some(stray) = tables.iter().find(|t| !names.iter().any(|n| t.name.eq_ignore_ascii_case(n))) {
        let message = err!(E0502, f.span, "`{}` has no relation `{}`", f.name, stray.name);
        return Err(Box::new(message.label("this function").help(format!("it has {}", names.join(", ")))));
    }
    let mut given = Vec::new();
    for name in &names {
        let sparse = f.operand(name);
        let dense = f.array(name).map(|k| &f.arrays[k]);
        let sparse_ty = sparse.map(|s| (s.elem, &s.extents, s.span));
        let Some((elem, extents, span)) = sparse_ty.or(dense.map(|a| (a.elem, &a.extents, a.span))) else {
            continue;
        };
        let wanted = Wanted { name, elem, axes: axes(extents, &format!("`{name}`"), span)?, sparse, span };
        let Some(table) = tables.iter().find(|t| t.name.eq_ignore_ascii_case(name)) else {
            let message = err!(E0501, span, "the relation `{name}` is missing").label("declared here");
            return Err(Box::new(message.help(format!("give it with `{name}=FILE.csv`"))));
        };
        given.push(columns(wanted, table)?);
    }
    let result = axes(&f.result.extents, "the result", f.span)?;
    let named = |name: &str| {
        result.contains(&name) || given.iter().any(|relation| relation.wanted.axes.contains(&name))
    };
    let of_axes: Vec<_> = numbers.iter().filter(|(name, _)| named(name)).collect();
    let domains = domains(&given, &of_axes)?;
    let mut arguments = Arguments::default();
    let mut description = String::new();
    for relation in &given {
        let entries = entries(relation, &domains)?;
        let Wanted { name, elem, sparse, span, .. } = &relation.wanted;
        let _ = writeln!(description, "{}", described(relation));
        let failed = |why: String| {
            Box::new(
                err!(E0550, *span, "the relation `{name}`: {why}")
                    .label("declared here")
                    .help(
                        "rows of equal keys are added up where `+` is a sum, and the least or the greatest counts where it chooses \
                         one; else each key stands once",
                    ),
            )
        };
        let entries = merged(entries, *elem).map_err(|why| failed(why.to_string()))?;
        // Sums of numbers add up; a semiring that a program declares itself is not asked to.
        let duplicates = if atl_lang::is_ordinary(*elem) { Duplicates::Add } else { Duplicates::Refuse };
        let arranged =
            Coordinates::try_new(entries).and_then(|e| e.arranged(Wish { duplicates, zeros: Zeros::Keep }));
        let arranged = arranged.map_err(|why| failed(why.to_string()))?;
        match sparse {
            Some(operand) => arguments.pack(f, operand, &Tensor::Sparse(arranged))?,
            None => {
                let count = arranged.coordinates.shape().iter().try_fold(1usize, |n, m| n.checked_mul(*m));
                if count.is_none_or(|n| n > MOST_ELEMENTS) {
                    let message =
                        err!(E0548, *span, "the relation `{name}` has more than {MOST_ELEMENTS} elements");
                    return Err(Box::new(
                        message
                            .label("all of them are stored")
                            .help(format!("give `{name}` a format, as in `as csr`")),
                    ));
                }
                let absent =
                    zero(*elem).ok_or_else(|| failed("elements that are absent have no value".to_owned()))?;
                let dense =
                    arranged.coordinates.to_dense_of(absent).map_err(|why| failed(why.to_string()))?;
                arguments.arrays.push(((*name).to_owned(), dense));
            }
        }
    }
    for (name, text) in numbers {
        arguments.set(f, name, text)?;
    }
    let domain = |size: &&str| {
        domains.get(size).map(|axis| ((*size).to_owned(), axis.values.clone())).ok_or_else(|| {
            let message =
                err!(E0550, f.span, "no relation has the axis `{size}` of the result").label("this function");
            let help = "the values along it come from the columns of relations";
            Box::new(message.help(format!("{help}; or `--set {size}=N`: they are the integers below N")))
        })
    };
    description.push('\n');
    domains.iter().for_each(|(name, axis)| {
        let _ = writeln!(description, "{name}: {axis}");
    });
    let axes = result.iter().map(domain).collect::<Result<Vec<_>, Refusal>>()?;
    let count = axes.iter().try_fold(1usize, |n, (_, values)| n.checked_mul(values.len()));
    if count.is_none_or(|n| n > MOST_ELEMENTS) {
        let message = err!(E0548, f.span, "the result has more than {MOST_ELEMENTS} elements")
            .label("of this function");
        return Err(Box::new(message.help("sum over more of its axes")));
    }
    Ok(Relations { arguments, axes, zero: f.result.zero, name: f.name.clone(), description })
}

/// A relation in words: its rows, where they stand, and what is there.
fn described(relation: &Given<'_>) -> String {
    let Given { wanted, table, keys, value } = relation;
    let column = |at: &usize| table.columns[*at].name.as_str();
    let keys: Vec<&str> = keys.iter().map(column).collect();
    let what = value.as_ref().map_or("one for each row".to_owned(), |at| format!("`{}`", column(at)));
    format!("{}[{}]: {what}, of {} rows", wanted.name, keys.join(", "), table.rows)
}

/// Which column is which: by the names of the axes, or in order where two axes have one name.
fn columns<'a>(wanted: Wanted<'a>, table: &'a Table) -> Result<Given<'a>, Refusal> {
    let Wanted { name, axes, span, .. } = &wanted;
    let twice = axes.iter().enumerate().any(|(k, a)| axes[..k].iter().any(|b| a.eq_ignore_ascii_case(b)));
    let header = table.header.join("`, `");
    let keys = axes.iter().enumerate().map(|(k, axis)| {
        let found = if twice { (k < table.columns.len()).then_some(k) } else { table.column(axis) };
        found.ok_or_else(|| {
            let message = err!(E0550, *span, "the relation `{name}` lacks a column `{axis}`")
                .label("declared here")
                .note(format!("its columns are `{header}`"));
            let free = |column: &&str| !axes.iter().any(|axis| axis.eq_ignore_ascii_case(column));
            let free: Vec<&str> = table.header.iter().map(String::as_str).filter(free).collect();
            let only = if let [one] = free[..] { Some(one) } else { None };
            let close = atl_diag::spelling::closest(axis, free.iter().copied()).or(only);
            Box::new(message.help(match close {
                Some(close) => format!("did you mean `{close}`?"),
                None => "an axis and its column have one name".to_owned(),
            }))
        })
    });
    let keys = keys.collect::<Result<Vec<usize>, Refusal>>()?;
    let others: Vec<usize> = (0..table.columns.len()).filter(|k| !keys.contains(k)).collect();
    let value = match others[..] {
        [] => None,
        [one] => Some(one),
        _ => {
            let others: Vec<&str> = others.iter().map(|k| table.columns[*k].name.as_str()).collect();
            let message =
                err!(E0550, *span, "the relation `{name}` has more columns than axes and an element");
            return Err(Box::new(
                message
                    .label(format!("its axes are `{}`", axes.join("`, `")))
                    .note(format!("besides them there are `{}`", others.join("`, `")))
                    .help("leave out all of them but one, or give the relation more axes"),
            ));
        }
    };
    Ok(Given { table, keys, value, wanted })
}

/// Where the rows of a relation stand, and their elements.
fn entries(relation: &Given<'_>, domains: &Domains<'_>) -> Result<Parts, Refusal> {
    let Given { wanted, table, keys, value } = relation;
    let failed = |why: String| {
        Box::new(
            err!(E0550, wanted.span, "the relation `{}`: {why}", wanted.name)
                .label(format!("its elements are of type `{}`", wanted.elem))
                .help("elements are numbers that the type holds"),
        )
    };
    let domain = |axis: &str| domains.get(axis).map_or(&[][..], |axis| &axis.values);
    let codes = wanted.axes.iter().zip(keys).map(|(axis, column)| {
        let values = &table.columns[*column].values;
        let code =
            |row| domain(axis).binary_search_by(|v| v.compare(&values.get(row).unwrap_or(Value::Null))).ok();
        (0..table.rows).map(code).collect::<Option<Vec<usize>>>()
    });
    let columns = codes.collect::<Option<Vec<_>>>().ok_or_else(|| failed("a row has no place".to_owned()))?;
    let values = match value {
        Some(column) => elements(&table.columns[*column].values, wanted.elem),
        None => one(wanted.elem)
            .ok_or_else(|| "a row without an element counts one, which there is not".to_owned())
            .and_then(|one| elements(&Values::Int(vec![one; table.rows].into()), wanted.elem)),
    };
    let shape = wanted.axes.iter().map(|axis| domain(axis).len()).collect();
    Ok(Parts { shape, columns, values: values.map_err(failed)? })
}

/// The unit of products.
fn one(elem: Elem) -> Option<i64> {
    match atl_semirings::of(elem.algebra)?.on(elem.scalar)?.one {
        Constant::Int(n) => i64::try_from(n).ok(),
        Constant::PosInf | Constant::NegInf => None,
    }
}

/// A column as elements of a type.
fn elements(values: &Values, elem: Elem) -> Result<Buffer, String> {
    let dtype = dtype(elem.scalar);
    let rows = values.len();
    let whole = |row: usize| match values.get(row) {
        Some(Value::Int(n)) => Ok(n),
        _ => Err(format!("{} where whole numbers would be expected", values.ty())),
    };
    // Rounded once.
    macro_rules! real {
        ($ty:ty) => {{
            let round = |row| match values.get(row) {
                Some(Value::Int(n)) => Ok(n as $ty),
                Some(Value::Float(x)) => Ok(x as $ty),
                Some(value @ Value::Decimal(..)) => value.to_string().parse().map_err(|_| value.to_string()),
                _ => Err(format!("{} where numbers would be expected", values.ty())),
            };
            Buffer::from_slice(&(0..rows).map(round).collect::<Result<Vec<$ty>, String>>()?, &[rows])
        }};
    }
    let buffer = match dtype {
        DType::F16 | DType::BF16 => return Err(format!("columns have no numbers of type {dtype}")),
        DType::F64 => real!(f64),
        DType::F32 => real!(f32),
        DType::Bool => {
            let truth = |row| match whole(row)? {
                0 => Ok(false),
                1 => Ok(true),
                n => Err(format!("{n} is no truth value; these are 0 and 1")),
            };
            Buffer::from_slice(&(0..rows).map(truth).collect::<Result<Vec<bool>, String>>()?, &[rows])
        }
        _ => with_element!(dtype, T => {
            let narrow = |row| {
                let value = Literal::i64(whole(row)?);
                let found = value.convert(T::SCALAR);
                let fits = found.to_integer() == value.to_integer();
                let why = || format!("{value} is not in the range of the type");
                if fits { Ok(<T>::of(value)) } else { Err(why()) }
            };
            Buffer::from_slice(&(0..rows).map(narrow).collect::<Result<Vec<T>, String>>()?, &[rows])
        }),
    };
    buffer.map_err(|why| why.to_string())
}

/// The elements of a result.
fn numbers(result: &Buffer) -> Result<Vec<Value>, String> {
    let number = |value: Literal| match value.to_integer() {
        Some(n) => i64::try_from(n).map(Value::Int).map_err(|_| format!("{n} leaves 64 signed bits")),
        None => Ok(Value::Float(value.to_f64())),
    };
    with_element!(result.dtype(), T => {
        let all = result.as_slice::<T>().map_err(|why| why.to_string())?;
        all.iter().map(|x| number(x.value())).collect()
    })
}
