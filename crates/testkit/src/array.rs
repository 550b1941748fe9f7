//! Arrays of machine scalars, and their notation in the suite.
//!
//! The notation is what a person would write: `[[1, 2], [3, 4]]`, `2.5`, `-inf`, `true`. Where brackets cannot say
//! the shape, or would be long, it follows: `[] of [0, 3]`; `iota of [2, 3]` counts from 0.

use crate::choices::Choices;
use atl_driver::elements::dtype;
use atl_driver::{Buffer, BufferView};
use atl_interp::{Number, Ratio, Tensor, Value};
use atl_kernel::{Elem, Scalar};
use atl_lang::Stored;
use atl_runtime::with_element;
use atl_scalars::Machine;

/// An array.
#[derive(Clone, PartialEq, Debug)]
pub struct Array {
    /// The elements' type.
    pub scalar: Scalar,
    /// The extents, outermost first.
    pub shape: Vec<usize>,
    /// The elements, row-major.
    pub data: Vec<Value>,
}

impl Array {
    /// The array in memory, as a call takes it.
    ///
    /// # Errors
    /// It does not fit memory.
    pub fn to_buffer(&self) -> Result<Buffer, String> {
        with_element!(dtype(self.scalar), T => {
            let cells = self.data.iter().map(|v| <T>::of(*v));
            Buffer::from_vec::<T>(cells.collect(), &self.shape).map_err(|e| e.to_string())
        })
    }

    /// What is in memory.
    ///
    /// # Errors
    /// The memory is not of this type.
    pub fn from_view(scalar: Scalar, view: &BufferView<'_>) -> Result<Array, String> {
        if view.dtype() != dtype(scalar) {
            return Err(format!("{} where {scalar} was expected", view.dtype()));
        }
        let data = with_element!(view.dtype(), T => {
            view.as_slice::<T>().map_err(|e| e.to_string())?.iter().map(|x| x.value()).collect()
        });
        Ok(Array { scalar, shape: view.shape().to_vec(), data })
    }

    /// The same elements by the axes along which a result is stored; padding is this zero.
    #[must_use]
    pub fn by_axes(&self, stored: &Stored, zero: Value) -> Array {
        let reshape = stored.format.reshape();
        let extents = reshape.axes().iter().map(|axis| axis.extent(&self.shape).unwrap_or(0));
        let shape: Vec<usize> = extents.collect();
        let at = |mut place: usize| {
            let mut at = vec![0; shape.len()];
            for (x, n) in at.iter_mut().zip(&shape).rev() {
                *x = (place % n) as i64;
                place /= n;
            }
            let cell = |index: Vec<i64>| {
                index.iter().zip(&self.shape).fold(0, |cell, (i, n)| cell * n + *i as usize)
            };
            reshape.index(&at, &self.shape).map_or(zero, |index| self.data[cell(index)])
        };
        Array {
            scalar: self.scalar,
            data: (0..shape.iter().product()).map(at).collect(),
            shape: shape.clone(),
        }
    }

    /// For the interpreter over machine scalars.
    ///
    /// # Errors
    /// The number of elements is not that of the shape.
    pub fn to_tensor(&self, elem: Elem) -> Result<Tensor<Value>, String> {
        Tensor::try_new(elem, self.shape.clone(), self.data.clone()).map_err(|e| e.to_string())
    }

    /// For the interpreter over exact numbers: floats become decimals of three digits, so that `0.1` is a tenth.
    ///
    /// # Errors
    /// An element has no such decimal.
    pub fn to_exact(&self, elem: Elem) -> Result<Tensor<Number>, String> {
        let exact = |v: &Value| match v.to_f64() {
            _ if !v.scalar().is_float() => Ok(Number::Discrete(*v)),
            f64::INFINITY => Ok(Number::Infinity),
            f64::NEG_INFINITY => Ok(Number::NegInfinity),
            x if x.abs() < 1e12 => {
                Ratio::decimal((x * 1e3).round() as i128, -3).map(Number::Ratio).ok_or("overflow")
            }
            _ => Err("not a small number"),
        };
        let data = self.data.iter().map(exact).collect::<Result<_, _>>()?;
        Tensor::try_new(elem, self.shape.clone(), data).map_err(|e| e.to_string())
    }

    /// The result of an interpretation.
    pub fn of_tensor(tensor: &Tensor<Value>) -> Array {
        Array { scalar: tensor.elem().scalar, shape: tensor.shape().to_vec(), data: tensor.data().to_vec() }
    }

    /// All results of a function: a single one as it is; of several, the elements one after the other.
    pub fn joined(mut results: Vec<Array>) -> Option<Array> {
        if results.len() == 1 {
            return results.pop();
        }
        let scalar = results.first()?.scalar;
        let data: Vec<Value> = results.into_iter().flat_map(|result| result.data).collect();
        Some(Array { scalar, shape: vec![data.len()], data })
    }

    /// Random elements of a carrier, small ones mostly, and such that regrouping floats shows.
    pub fn random(elem: Elem, shape: &[usize], choices: &mut Choices) -> Array {
        let carrier = atl_semirings::of(elem.algebra).map(|s| s.carrier);
        Array::filled(elem, shape, || number(elem.scalar, choices), |x| carrier.is_none_or(|c| c.contains(x)))
    }

    /// Random elements that a call accepts: a third of the floats are NaN, infinite, a zero of either sign, denormal,
    /// or at the end of the range.
    pub fn extreme(elem: Elem, shape: &[usize], choices: &mut Choices) -> Array {
        let carrier = atl_semirings::of(elem.algebra).map(|s| s.carrier);
        Array::filled(elem, shape, || extreme(elem.scalar, choices), |x| carrier.is_none_or(|c| c.accepts(x)))
    }

    /// Elements drawn until each float is wanted.
    fn filled(
        elem: Elem,
        shape: &[usize],
        mut draw: impl FnMut() -> Value,
        wanted: impl Fn(f64) -> bool,
    ) -> Array {
        let mut element = || loop {
            let value = draw();
            if wanted(value.to_f64()) {
                return value;
            }
        };
        let data = (0..shape.iter().product()).map(|_| element()).collect();
        Array { scalar: elem.scalar, shape: shape.to_vec(), data }
    }

    /// Read the notation; the type is what the parameter's is.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn parse(scalar: Scalar, text: &str) -> Result<Array, String> {
        let (body, shape) = match text.rsplit_once(" of ") {
            Some((body, shape)) => (body.trim(), Some(extents(shape)?)),
            None => (text.trim(), None),
        };
        if body == "iota" {
            let shape = shape.ok_or("`iota` needs a shape: `iota of [2, 3]`")?;
            let cells: usize = shape.iter().product();
            let data = (0..cells).map(|k| parse_value(scalar, &k.to_string())).collect::<Result<_, _>>()?;
            return Ok(Array { scalar, shape, data });
        }
        let (found, data, rest) = read(scalar, body)?;
        if !rest.trim().is_empty() {
            return Err(format!("`{}` after the array", rest.trim()));
        }
        let shape = shape.unwrap_or(found);
        if shape.iter().product::<usize>() != data.len() {
            return Err(format!("{} elements are not of shape {shape:?}", data.len()));
        }
        Ok(Array { scalar, shape, data })
    }
}

/// A small number of a type, now and then an extreme one.
fn number(scalar: Scalar, choices: &mut Choices) -> Value {
    let small = i32::try_from(choices.below(19)).unwrap_or_default() - 9;
    let rare = choices.one_in(12);
    match scalar {
        Scalar::F32 => {
            Value::F32(if rare { f32::INFINITY } else { small as f32 * 0.3 + f32::from(rare) * 1e3 })
        }
        Scalar::F16 | Scalar::BF16 => {
            Value::F64(if rare { f64::NEG_INFINITY } else { f64::from(small) * 0.3 }).convert(scalar)
        }
        Scalar::F64 => Value::F64(if rare { f64::NEG_INFINITY } else { f64::from(small) * 0.1 }),
        Scalar::Bool => Value::Bool(choices.one_in(2)),
        // Near an end of the type, so that sums wrap.
        _ if rare => {
            let (least, greatest) = scalar.range().unwrap_or_default();
            Value::of_integer(scalar, if scalar.bits() == 64 { least + 2 } else { greatest - 3 })
        }
        _ if Value::least(scalar) == Value::zero(scalar) => {
            Value::of_integer(scalar, small.unsigned_abs().into())
        }
        _ => Value::of_integer(scalar, small.into()),
    }
}

/// A small number of a type, or one where rounding, order or a special case may show.
fn extreme(scalar: Scalar, choices: &mut Choices) -> Value {
    macro_rules! special {
        ($ty:ident) => {
            [
                $ty::NAN,
                $ty::INFINITY,
                $ty::NEG_INFINITY,
                -0.0,
                0.0,
                $ty::from_bits(1),
                -$ty::from_bits(3),
                $ty::MIN_POSITIVE,
                $ty::MAX,
                1.0 + $ty::EPSILON,
            ]
        };
    }
    match scalar {
        Scalar::F32 if choices.one_in(3) => Value::F32(*choices.of(&special!(f32))),
        Scalar::F16 | Scalar::BF16 if choices.one_in(3) => {
            let infinity = Value::greatest(scalar).bits();
            let one = Value::of_integer(scalar, 1).bits();
            let bits = [
                infinity + 1,
                infinity,
                infinity | 0x8000,
                0x8000,
                0,
                1,
                0x8003,
                infinity & (infinity >> 3),
                infinity - 1,
                one + 1,
            ];
            Value::of_bits(scalar, *choices.of(&bits))
        }
        Scalar::F64 if choices.one_in(3) => Value::F64(*choices.of(&special!(f64))),
        _ => number(scalar, choices),
    }
}

fn extents(text: &str) -> Result<Vec<usize>, String> {
    let inner =
        text.trim().strip_prefix('[').and_then(|t| t.strip_suffix(']')).ok_or("a shape is `[2, 3]`")?;
    let parts = inner.split(',').map(str::trim).filter(|t| !t.is_empty());
    parts.map(|t| t.parse().map_err(|_| format!("`{t}` is no extent"))).collect()
}

/// Nested brackets, or one element: its shape, its elements, and the text after it.
fn read(scalar: Scalar, text: &str) -> Result<(Vec<usize>, Vec<Value>, &str), String> {
    let text = text.trim_start();
    let Some(mut rest) = text.strip_prefix('[') else {
        let end = text.find([',', ']']).unwrap_or(text.len());
        return Ok((vec![], vec![parse_value(scalar, text[..end].trim())?], &text[end..]));
    };
    let (mut count, mut row, mut data) = (0, None, Vec::new());
    loop {
        rest = rest.trim_start();
        if let Some(after) = rest.strip_prefix(']') {
            let inner: Vec<usize> = row.unwrap_or_default();
            return Ok(([vec![count], inner].concat(), data, after));
        }
        let (shape, more, after) = read(scalar, rest)?;
        if row.as_ref().is_some_and(|row| *row != shape) {
            return Err("rows of different lengths".to_owned());
        }
        row = Some(shape);
        data.extend(more);
        count += 1;
        rest = after.trim_start();
        rest = rest.strip_prefix(',').unwrap_or(rest);
    }
}

fn parse_value(scalar: Scalar, text: &str) -> Result<Value, String> {
    Value::parse(scalar, &text.replace('_', "")).ok_or_else(|| format!("`{text}` is no {scalar}"))
}

/// One element, as it is read.
pub fn show_value(value: Value) -> String {
    with_element!(dtype(value.scalar()), T => <T>::of(value).to_string())
}

/// At most so many characters on a line.
const WIDTH: usize = 100;

impl std::fmt::Display for Array {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.shape.contains(&0) && self.shape.len() > 1 {
            return write!(f, "[] of {:?}", self.shape);
        }
        let flat = nested(&self.shape, &self.data, "");
        match flat.len() > WIDTH && self.shape.len() > 1 {
            true => f.write_str(&nested(&self.shape, &self.data, "\n  ")),
            false => f.write_str(&flat),
        }
    }
}

/// Brackets around the elements; `between` separates the rows of the outermost dimension.
fn nested(shape: &[usize], data: &[Value], between: &str) -> String {
    let Some((n, inner)) = shape.split_first() else {
        return data.iter().map(|v| show_value(*v)).collect();
    };
    let cells: usize = inner.iter().product();
    let rows: Vec<String> = (0..*n).map(|k| nested(inner, &data[k * cells..][..cells], "")).collect();
    if between.is_empty() {
        format!("[{}]", rows.join(", "))
    } else {
        format!("[{between}{}]", rows.join(&format!(",{between}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(scalar: Scalar, text: &str, expected: Result<&[usize], &str>) {
        match (Array::parse(scalar, text), expected) {
            (Ok(array), Ok(shape)) => {
                assert_eq!(array.shape, shape, "{text}");
                let shown = array.to_string();
                assert_eq!(Array::parse(scalar, &shown), Ok(array), "{shown}");
            }
            (Err(why), Err(part)) => assert!(why.contains(part), "{why}"),
            (found, expected) => panic!("{text}: {found:?}, not {expected:?}"),
        }
    }

    #[test]
    fn notation() {
        check(Scalar::F32, "2.5", Ok(&[]));
        check(Scalar::F32, "[1, -inf, 0.1]", Ok(&[3]));
        check(Scalar::I32, "[[1, 2], [3, 4], [5, 6]]", Ok(&[3, 2]));
        check(Scalar::I32, "[[[1], [2]]]", Ok(&[1, 2, 1]));
        check(Scalar::Bool, "[true, false]", Ok(&[2]));
        check(Scalar::F64, "[]", Ok(&[0]));
        check(Scalar::F64, "[] of [0, 3]", Ok(&[0, 3]));
        check(Scalar::U8, "iota of [4, 5]", Ok(&[4, 5]));
        check(Scalar::I64, "iota of [12, 12]", Ok(&[12, 12]));
        check(Scalar::I32, "[1.5]", Err("no i32"));
        check(Scalar::I32, "[[1, 2], [3]]", Err("different lengths"));
        check(Scalar::I32, "[1] [2]", Err("after the array"));
        check(Scalar::I32, "[1, 2] of [3]", Err("not of shape"));
    }
}
