//! A signature for other programs: JSON that `atl build --json` prints, of a stable form.
//!
//! The form is documented in the book, on the page of the C interface; a change that takes something away, or
//! gives a field another meaning, raises [`SIGNATURE_VERSION`]. Sizes, arrays and operands are numbered by
//! position everywhere, and terms are data: a number, `{"size": k}`, or an operation with its operands, so
//! that a loader in another language needs no parser.

use atl_backend_c::Declaration;
use atl_formats::Format;
use atl_kernel::{Cmp, Ix, IxOp, Pred, Var};
use atl_lang::{Complex, SizeSource};
use atl_session::signature::{Array, Contents, Extent, Operand, ResultType, Signature, Size, Storage};
use serde_json::{Value, json};
use std::ops::Deref;

/// The version of the form.
pub const SIGNATURE_VERSION: u32 = 1;

/// A signature for other programs, with the C functions that are declared so.
pub fn schema(signature: &Signature, c: &Declaration) -> Value {
    Schema(signature).json(c)
}

/// What is described.
struct Schema<'s>(&'s Signature);

impl Deref for Schema<'_> {
    type Target = Signature;

    fn deref(&self) -> &Signature {
        self.0
    }
}

impl Schema<'_> {
    fn json(&self, c: &Declaration) -> Value {
        let parameters = c.parameters.iter().map(|p| json!({ "name": p.name, "type": p.ty }));
        let conditions =
            self.conditions.iter().map(|c| json!({ "text": c.text, "holds": self.pred(&c.holds) }));
        json!({
            "version": SIGNATURE_VERSION,
            "function": self.name,
            "c": {
                "function": c.function,
                "call": c.trampoline,
                "release": c.release,
                "parameters": list(parameters),
            },
            "sizes": list(self.sizes.iter().map(|size| self.described_size(size))),
            "arrays": list(self.arrays.iter().map(|array| self.described_array(array))),
            "operands": list(self.operands.iter().map(|operand| self.described_operand(operand))),
            "complex": list(self.complex.iter().map(|complex| self.described_complex(complex))),
            "conditions": list(conditions),
            "contents": list(self.contents.iter().map(|contents| self.described_contents(contents))),
            "result": self.described_result(&self.result),
            "results": list(self.results().map(|result| self.described_result(result))),
        })
    }

    fn described_size(&self, size: &Size) -> Value {
        let from = match &size.source {
            SizeSource::Argument => json!({ "kind": "argument" }),
            SizeSource::Extent { param, axis } => json!({ "kind": "extent", "array": param, "axis": axis }),
            SizeSource::Extents(found) => {
                let extents = found
                    .extents
                    .iter()
                    .map(|(factor, (array, axis))| json!({ "factor": factor, "array": array, "axis": axis }));
                let sizes = found.sizes.iter().filter_map(|(factor, level)| {
                    Some(json!({ "factor": factor, "size": self.position(*level)? }))
                });
                json!({
                    "kind": "solved",
                    "extents": list(extents),
                    "sizes": list(sizes),
                    "constant": found.constant,
                    "divisor": found.divisor,
                })
            }
        };
        let operands = size.operands.iter().map(|(k, axis)| json!({ "operand": k, "axis": axis }));
        json!({ "name": size.name, "from": from, "operands": list(operands) })
    }

    fn described_array(&self, array: &Array) -> Value {
        let carrier = array.carrier.map(|carrier| {
            let (least, greatest) = carrier.ends();
            json!([number(least), number(greatest)])
        });
        json!({
            "name": array.name,
            "type": array.ty,
            "element": array.elem.to_string(),
            "dtype": array.dtype.to_string(),
            "extents": self.extents(&array.extents),
            "strides": self.strides(&array.extents),
            "operand": array.operand,
            "carrier": carrier,
            "inspected": array.is_inspected,
        })
    }

    fn described_operand(&self, operand: &Operand) -> Value {
        json!({
            "name": operand.name,
            "type": operand.ty,
            "element": operand.elem.to_string(),
            "dtype": operand.dtype.to_string(),
            "extents": self.extents(&operand.extents),
            "format": operand.format.to_string(),
            "levels": levels(&operand.format),
            "zero": operand.zero.map(number),
            "arrays": list(operand.arrays.clone().map(|place| json!(place))),
        })
    }

    /// A complex parameter or result, with the positions of its parts.
    fn described_complex(&self, complex: &Complex) -> Value {
        let place = |part: &String| match complex.is_result {
            true => self.results().position(|result| result.name.as_ref() == Some(part)),
            false => self.array(part),
        };
        json!({
            "name": complex.name,
            "type": complex.ty,
            "dtype": if complex.is_double { "c128" } else { "c64" },
            "of": if complex.is_result { "results" } else { "arrays" },
            "parts": list(complex.parts.iter().map(|part| json!(place(part)))),
        })
    }

    fn described_contents(&self, contents: &Contents) -> Value {
        let variables =
            contents.stated.variables.iter().map(
                |v| json!({ "name": &*v.label.name, "from": self.term(&v.lo), "below": self.term(&v.hi) }),
            );
        json!({
            "text": contents.text,
            "variables": list(variables),
            "holds": self.pred(&contents.stated.holds),
        })
    }

    fn described_result(&self, result: &ResultType) -> Value {
        let mut described = json!({
            "name": result.name,
            "type": result.ty,
            "element": result.elem.to_string(),
            "dtype": result.dtype.to_string(),
            "extents": self.extents(&result.extents),
            "over": result.over,
        });
        let storage = match &result.storage {
            Storage::RowMajor | Storage::Layout(_) => json!({
                "storage": if matches!(result.storage, Storage::RowMajor) { "row_major" } else { "layout" },
                "memory": self.extents(&result.memory),
                "memory_strides": self.strides(&result.memory),
            }),
            Storage::Sparse { stored, arrays, pattern_of } => {
                let arrays =
                    arrays.iter().map(|(name, dtype)| json!({ "name": name, "dtype": dtype.to_string() }));
                json!({
                    "storage": "sparse",
                    "format": stored.format.to_string(),
                    "levels": levels(&stored.format),
                    "zero": result.zero.map(number),
                    "arrays": list(arrays),
                    "pattern_of": pattern_of,
                })
            }
        };
        if let (Value::Object(described), Value::Object(storage)) = (&mut described, storage) {
            described.extend(storage);
        }
        described
    }

    fn extents(&self, extents: &[Extent]) -> Value {
        list(extents.iter().map(|n| json!({ "text": n.text, "value": self.term(&n.term) })))
    }

    /// How many elements lie between neighbours along each axis: row-major.
    fn strides(&self, extents: &[Extent]) -> Value {
        let inner = |k: usize| extents[k + 1..].iter().map(|n| n.term.clone());
        let product = |k| inner(k).reduce(|product, n| Ix::bin(IxOp::Mul, product, n)).unwrap_or(Ix::ONE);
        list((0..extents.len()).map(|axis| self.term(&product(axis))))
    }

    fn term(&self, ix: &Ix) -> Value {
        match ix {
            Ix::Lit(n) => json!(n),
            Ix::Var(Var::Bound(k)) => json!({ "variable": k }),
            Ix::Var(Var::Free(level)) => json!({ "size": self.position(*level) }),
            Ix::Bin(op, ab) => {
                let name = match op {
                    IxOp::Add => "add",
                    IxOp::Sub => "sub",
                    IxOp::Mul => "mul",
                    IxOp::Div => "div",
                    IxOp::Mod => "mod",
                    IxOp::Min => "min",
                    IxOp::Max => "max",
                };
                json!({ name: [self.term(&ab.0), self.term(&ab.1)] })
            }
            Ix::Read(array, at) => {
                let level = if let Var::Free(level) = array { Some(*level) } else { None };
                let place = self.arrays.iter().position(|array| Some(array.level) == level);
                json!({ "array": place, "at": list(at.iter().map(|ix| self.term(ix))) })
            }
        }
    }

    fn pred(&self, p: &Pred) -> Value {
        match p {
            Pred::True => json!(true),
            Pred::False => json!(false),
            Pred::Cmp(cmp, a, b) => {
                let name = match cmp {
                    Cmp::Eq => "eq",
                    Cmp::Lt => "lt",
                    Cmp::Le => "le",
                };
                json!({ name: [self.term(a), self.term(b)] })
            }
            Pred::Not(p) => json!({ "not": self.pred(p) }),
            Pred::And(pq) => json!({ "and": [self.pred(&pq.0), self.pred(&pq.1)] }),
            Pred::Or(pq) => json!({ "or": [self.pred(&pq.0), self.pred(&pq.1)] }),
        }
    }
}

/// Numbers that JSON has not are strings, as Python and JavaScript read them.
fn number(x: f64) -> Value {
    match x {
        f64::INFINITY => json!("Infinity"),
        f64::NEG_INFINITY => json!("-Infinity"),
        x => json!(x),
    }
}

/// The levels of a format, outermost first, each with its axes and parameters.
fn levels(format: &Format) -> Value {
    list(format.entries().iter().map(|entry| {
        let axes = list(entry.axes.iter().map(|axis| json!(axis.to_string())));
        json!({ "level": entry.kind.name, "axes": axes, "parameters": entry.parameters })
    }))
}

fn list(items: impl Iterator<Item = Value>) -> Value {
    items.collect()
}

#[cfg(test)]
#[path = "schema_tests.rs"]
mod tests;
