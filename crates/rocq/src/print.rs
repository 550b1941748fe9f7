//! Terms in Rocq's words.
//!
//! Printing is directed by types: the algebra of every zero and the extent of every access are written out.
//! What a term needs of the outside (carriers, algebras, scalar functions, definitions) is collected while it
//! is printed.

use crate::error::{Refusal, Result};
use crate::raw;
use crate::scope::{Scope, Side, Slot};
use atl_kernel::{Cmp, Definition, Elem, Expr, Ix, IxOp, Label, Node, Number, Pred, Prim, Scalar, Type, Var};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::Arc;

/// What the printed text needs declared before it.
#[derive(Default)]
pub(crate) struct Needs {
    /// Carriers, by the name of the scalar type.
    pub(crate) carriers: BTreeSet<String>,
    /// Algebras: their names, with their carriers.
    pub(crate) algebras: BTreeMap<String, String>,
    /// Laws, by algebra and their place in the kernel's table.
    pub(crate) laws: BTreeSet<(String, usize)>,
    /// Functions and constants of scalars, with their types.
    pub(crate) functions: BTreeMap<String, String>,
    /// Differences that are sums: an algebra, the function, and -1.
    pub(crate) differences: BTreeSet<[String; 3]>,
    /// The scalar types whose ranges are used.
    pub(crate) ranges: BTreeMap<String, (i64, i64)>,
    /// Operators that are applied, for these types of operands; their texts stand in `definitions`.
    operators: Vec<(Arc<Definition>, Vec<Type>, String)>,
    /// The text of their definitions, in order.
    pub(crate) definitions: String,
}

fn op_symbol(op: IxOp) -> &'static str {
    match op {
        IxOp::Add => "+",
        IxOp::Sub => "-",
        IxOp::Mul => "*",
        IxOp::Div => "/",
        IxOp::Mod => "mod",
        IxOp::Min => "Z.min",
        IxOp::Max => "Z.max",
    }
}

/// A number as an identifier's part.
fn spelled(n: i128) -> String {
    if n < 0 { format!("m{}", n.unsigned_abs()) } else { n.to_string() }
}

/// The name of the function that takes an index to an element, by the name of the element type's algebra.
pub(crate) fn index_of(algebra: &str) -> String {
    format!("index_{}", algebra.strip_prefix("A_").unwrap_or(algebra))
}

impl Needs {
    /// The name of a scalar's carrier.
    pub(crate) fn carrier(&mut self, scalar: Scalar) -> String {
        self.carriers.insert(scalar.name().to_owned());
        format!("V_{}", scalar.name())
    }

    /// The name of an element type's algebra.
    pub(crate) fn algebra(&mut self, elem: Elem) -> String {
        let carrier = self.carrier(elem.scalar);
        let name = format!("A_{}", elem_name(elem));
        self.algebras.insert(name.clone(), carrier);
        name
    }

    fn function(&mut self, name: String, ty: String) -> String {
        self.functions.insert(name.clone(), ty);
        name
    }

    /// A pointwise operation on scalars, for operands of these element types and this result.
    pub(crate) fn prim(&mut self, f: Prim, args: &[Elem], result: Elem) -> String {
        match f {
            Prim::Add => return format!("(add {})", self.algebra(result)),
            Prim::Mul => return format!("(mul {})", self.algebra(result)),
            _ => {}
        }
        let name = match f {
            Prim::Where => "where".to_owned(),
            Prim::Cast(_) => "cast".to_owned(),
            Prim::Eq => "equal".to_owned(),
            Prim::Lt => "less".to_owned(),
            Prim::Le => "less_or_equal".to_owned(),
            Prim::Call(function) => function.name().to_owned(),
            other => format!("{other:?}").to_lowercase(),
        };
        let mut ty = String::new();
        for elem in args {
            let _ = write!(ty, "{} -> ", self.carrier(elem.scalar));
        }
        ty += &self.carrier(result.scalar);
        let last = args.last().map_or("", |e| e.scalar.name());
        let name = match f {
            Prim::Cast(to) => format!("{name}_{last}_{}", to.scalar.name()),
            _ => format!("{name}_{last}"),
        };
        self.function(name, ty)
    }

    pub(crate) fn literal(&mut self, elem: Elem, number: Number) -> String {
        let carrier = self.carrier(elem.scalar);
        let name = match number {
            Number::Zero => return format!("(zero {})", self.algebra(elem)),
            Number::One => return format!("(one {})", self.algebra(elem)),
            Number::Infinity => format!("inf_{}", elem.scalar.name()),
            Number::NegInfinity => format!("minus_inf_{}", elem.scalar.name()),
            Number::Decimal(m, x) => {
                format!("number_{}_{}e{}", elem.scalar.name(), spelled(m), spelled(x.into()))
            }
        };
        self.function(name, carrier)
    }

    /// The function that takes an index to an element.
    pub(crate) fn index_function(&mut self, elem: Elem) -> String {
        let (name, carrier) = (index_of(&self.algebra(elem)), self.carrier(elem.scalar));
        self.function(name, format!("Z -> {carrier}"))
    }

    /// An index term; `binders` are the names of bound variables, the innermost first.
    pub(crate) fn ix(&mut self, scope: &Scope, side: Side, ix: &Ix, binders: &[String]) -> Result<String> {
        Ok(match ix {
            Ix::Lit(n) if *n < 0 => format!("({n})"),
            Ix::Lit(n) => n.to_string(),
            Ix::Var(Var::Bound(k)) => {
                let name =
                    binders.get(*k as usize).ok_or(Refusal::Unknown("a bound index without its binder"))?;
                name.clone()
            }
            Ix::Var(Var::Free(l)) => match scope.slots.get(*l as usize) {
                Some(Slot::Index(name)) => name.clone(),
                _ => return Err(Refusal::Unknown("an index variable that the context does not have")),
            },
            Ix::Bin(op @ (IxOp::Min | IxOp::Max), ab) => {
                let (a, b) = (self.ix(scope, side, &ab.0, binders)?, self.ix(scope, side, &ab.1, binders)?);
                format!("({} {a} {b})", op_symbol(*op))
            }
            Ix::Bin(op, ab) => {
                let (a, b) = (self.ix(scope, side, &ab.0, binders)?, self.ix(scope, side, &ab.1, binders)?);
                format!("({a} {} {b})", op_symbol(*op))
            }
            Ix::Read(v, at) => {
                let array = self.array(scope, side, *v)?;
                let at = at.iter().map(|i| self.ix(scope, side, i, binders)).collect::<Result<Vec<_>>>()?;
                format!("({array} [{}])", at.join("; "))
            }
        })
    }

    /// The reading of an array of integers: a function of index lists.
    pub(crate) fn array(&mut self, scope: &Scope, side: Side, v: Var) -> Result<String> {
        let (name, ty) = scope.tensor(v, side)?;
        let (name, ty) = (name.to_owned(), ty.clone());
        let shape = self.shape(scope, side, &ty.shape)?;
        let to_int = self.integer_of(ty.elem.scalar);
        Ok(format!("read {shape} {to_int} {name}"))
    }

    /// The function that takes an element to an integer.
    pub(crate) fn integer_of(&mut self, scalar: Scalar) -> String {
        let carrier = self.carrier(scalar);
        self.function(format!("int_of_{}", scalar.name()), format!("{carrier} -> Z"))
    }

    /// The hypothesis that a scalar type has this range.
    pub(crate) fn range(&mut self, scalar: &str, least: i64, greatest: i64) -> String {
        self.ranges.insert(scalar.to_owned(), (least, greatest));
        format!("range_of_{scalar}")
    }

    pub(crate) fn shape(&mut self, scope: &Scope, side: Side, shape: &[Ix]) -> Result<String> {
        let extents = shape.iter().map(|n| self.ix(scope, side, n, &[])).collect::<Result<Vec<_>>>()?;
        Ok(format!("[{}]", extents.join("; ")))
    }

    pub(crate) fn pred(&mut self, scope: &Scope, side: Side, p: &Pred, binders: &[String]) -> Result<String> {
        Ok(match p {
            Pred::True => "true".to_owned(),
            Pred::False => "false".to_owned(),
            Pred::Cmp(c, a, b) => {
                let (a, b) = (self.ix(scope, side, a, binders)?, self.ix(scope, side, b, binders)?);
                let symbol = match c {
                    Cmp::Eq => "=?",
                    Cmp::Lt => "<?",
                    Cmp::Le => "<=?",
                };
                format!("({a} {symbol} {b})")
            }
            Pred::Not(q) => format!("(negb {})", self.pred(scope, side, q, binders)?),
            Pred::And(pq) => {
                let (p, q) =
                    (self.pred(scope, side, &pq.0, binders)?, self.pred(scope, side, &pq.1, binders)?);
                format!("({p} && {q})")
            }
            Pred::Or(pq) => {
                let (p, q) =
                    (self.pred(scope, side, &pq.0, binders)?, self.pred(scope, side, &pq.1, binders)?);
                format!("({p} || {q})")
            }
        })
    }

    /// `fun i => body`, for the body of a loop.
    pub(crate) fn under(
        &mut self,
        scope: &mut Scope,
        side: Side,
        label: &Label,
        n: &Ix,
        body: &Expr,
    ) -> Result<String> {
        let level = scope.level();
        let body = raw::open(body, level);
        let [i, ..] = scope.push_loop(label, n);
        let text = self.term(scope, side, &body);
        scope.truncate(level);
        Ok(format!("(fun {i} => {})", text?))
    }

    /// `fun x => body`, for the body of a `let` that binds a tensor of this type.
    pub(crate) fn under_let(
        &mut self,
        scope: &mut Scope,
        side: Side,
        label: &Label,
        ty: Type,
        body: &Expr,
    ) -> Result<String> {
        let level = scope.level();
        let body = raw::open(body, level);
        let carrier = self.carrier(ty.elem.scalar);
        let x = scope.push_tensor(label, ty);
        let text = self.term(scope, side, &body);
        scope.truncate(level);
        Ok(format!("(fun {x} : tensor {carrier} => {})", text?))
    }

    /// A term that is locally closed.
    pub(crate) fn term(&mut self, scope: &mut Scope, side: Side, e: &Expr) -> Result<String> {
        Ok(match &**e {
            Node::Var(v) => scope.tensor(*v, side)?.0.to_owned(),
            Node::Lit(elem, number) => format!("(scalar {})", self.literal(*elem, *number)),
            Node::Index(elem, ix) => {
                let f = self.index_function(*elem);
                format!("(scalar ({f} {}))", self.ix(scope, side, ix, &[])?)
            }
            Node::Gen(l, n, body) => {
                let extent = self.ix(scope, side, n, &[])?;
                format!("(gen {extent} {})", self.under(scope, side, l, n, body)?)
            }
            Node::Sum(l, n, body) => {
                let a = self.algebra_of(scope, side, e)?;
                let extent = self.ix(scope, side, n, &[])?;
                format!("(sum {a} {extent} {})", self.under(scope, side, l, n, body)?)
            }
            Node::Guard(p, body) => {
                let a = self.algebra_of(scope, side, body)?;
                let p = self.pred(scope, side, p, &[])?;
                format!("(guard {a} {p} {})", self.term(scope, side, body)?)
            }
            Node::Select(p, a, b) => {
                let p = self.pred(scope, side, p, &[])?;
                let (a, b) = (self.term(scope, side, a)?, self.term(scope, side, b)?);
                format!("(select {p} {a} {b})")
            }
            Node::Let(l, bound, body) => {
                let ty = scope.ty(bound, side)?;
                let bound = self.term(scope, side, bound)?;
                format!("(let_in {bound} {})", self.under_let(scope, side, l, ty, body)?)
            }
            Node::Iterate(it) => format!("(iterated {})", self.rounds(scope, side, it)?.join(" ")),
            Node::Get(a, k) => {
                let ty = scope.ty(a, side)?;
                let n = ty.shape.first().ok_or(Refusal::Unknown("an access to a scalar"))?;
                let n = self.ix(scope, side, n, &[])?;
                let (algebra, k) = (self.algebra(ty.elem), self.ix(scope, side, k, &[])?);
                format!("(get {algebra} {n} {} {k})", self.term(scope, side, a)?)
            }
            Node::Prim(f, args) => {
                let elems = args.iter().map(|a| Ok(scope.ty(a, side)?.elem)).collect::<Result<Vec<_>>>()?;
                let f = self.prim(*f, &elems, scope.ty(e, side)?.elem);
                let args = args.iter().map(|a| self.term(scope, side, a)).collect::<Result<Vec<_>>>()?;
                format!("(prim{} {f} {})", args.len(), args.join(" "))
            }
            Node::View(_, a) => format!("(view {})", self.term(scope, side, a)?),
            Node::Bundle(..) => return Err(Refusal::Unknown("several results")),
            Node::Op(def, ixs, args) => {
                let types = args.iter().map(|a| scope.ty(a, side)).collect::<Result<Vec<_>>>()?;
                let mut text = format!("({}", self.operator(def, &types)?);
                for k in ixs.iter().chain(types.iter().flat_map(|ty| &ty.shape)) {
                    let _ = write!(text, " {}", self.ix(scope, side, k, &[])?);
                }
                for arg in args {
                    let _ = write!(text, " {}", self.term(scope, side, arg)?);
                }
                text + ")"
            }
        })
    }

    /// The algebra of a term.
    pub(crate) fn algebra_of(&mut self, scope: &mut Scope, side: Side, e: &Expr) -> Result<String> {
        let elem = scope.ty(e, side)?.elem;
        Ok(self.algebra(elem))
    }

    /// The name of an operator's definition for operands of these types, which is written at its first use.
    /// Its parameters are the index arguments, all extents of all operands, and the operands.
    pub(crate) fn operator(&mut self, def: &Arc<Definition>, types: &[Type]) -> Result<String> {
        let alike = |known: &[Type]| {
            let same = |a: &Type, b: &Type| a.elem == b.elem && a.shape.len() == b.shape.len();
            known.len() == types.len() && known.iter().zip(types).all(|(a, b)| same(a, b))
        };
        if let Some((.., name)) = self.operators.iter().find(|(d, known, _)| d == def && alike(known)) {
            return Ok(name.clone());
        }
        // The levels that the body speaks of come first, in its order; extents that it does not name after
        // them.
        let mut scope = Scope::default();
        let mut indices: Vec<String> =
            (0..def.index_params).map(|_| scope.push_index(&Label::new("k"))).collect();
        let after = def.tensor_params.iter().map(|named| named + 1).sum::<u32>() + def.index_params;
        let (mut extents, mut tensors, mut unnamed) = (Vec::new(), Vec::new(), Vec::new());
        for (ty, named) in types.iter().zip(&def.tensor_params) {
            let first = scope.level();
            let mut shape: Vec<Ix> = (first..first + named).map(Ix::free).collect();
            extents.extend(shape.iter().map(|_| scope.push_index(&Label::new("n"))));
            for _ in ty.shape.iter().skip(shape.len()) {
                let level = after + u32::try_from(unnamed.len()).unwrap_or(u32::MAX);
                shape.push(Ix::free(level));
                unnamed.push(format!("n_{level}"));
                extents.push(format!("n_{level}"));
            }
            let carrier = self.carrier(ty.elem.scalar);
            let name = scope.push_tensor(&Label::new("t"), Type { elem: ty.elem, shape });
            tensors.push(format!("({name} : tensor {carrier})"));
        }
        for _ in &unnamed {
            scope.push_index(&Label::new("n"));
        }
        indices.extend(extents);
        let carrier = scope.ty(&def.body, Side::Left)?.elem.scalar;
        let carrier = self.carrier(carrier);
        let body = self.term(&mut scope, Side::Left, &def.body)?;
        let plain: String =
            def.name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let name = format!("{plain}_operator'{}", self.operators.len());
        let numbers =
            if indices.is_empty() { String::new() } else { format!(" ({} : Z)", indices.join(" ")) };
        let tensors = tensors.join(" ");
        let _ = writeln!(
            self.definitions,
            "Definition {name}{numbers} {tensors} : tensor {carrier} :=\n  {body}.",
        );
        self.operators.push((def.clone(), types.to_vec(), name.clone()));
        Ok(name)
    }
}

/// `f32`, `min_plus_f32`.
pub(crate) fn elem_name(elem: Elem) -> String {
    match elem.algebra.name {
        "plus_times" => elem.scalar.name().to_owned(),
        name => format!("{name}_{}", elem.scalar.name()),
    }
}
