//! Calls with complex arguments or results, and conversions.

use super::{Pending, Split, Value, Width, names_of, parts_of, text};
use atl_diag::{Span, err};
use atl_syntax::ast::{ElementType, Expr, ExprKind, Name};

/// The functions of complex numbers that the language has. `abs`, `sqrt` and `select` are those of real
/// numbers.
const OF_COMPLEX: [&str; 4] = ["arg", "conj", "im", "re"];

/// Functions of floats that the library has for complex numbers.
const OF_LIBRARY: [&str; 9] = ["cos", "cosh", "exp", "log", "pow", "sin", "sinh", "tan", "tanh"];

impl Split<'_> {
    pub(super) fn call(
        &mut self,
        e: &Expr,
        callee: &Name,
        args: &[Expr],
        want: Option<Width>,
    ) -> Option<Value> {
        let file = self.file;
        if let Some(head) = file.heads.get(&callee.text) {
            let call = self.call_of(e, callee, args)?;
            return match &head.results[..] {
                [Some(width)] => {
                    let name =
                        Name::new(self.unused(callee.text.rsplit('.').next().unwrap_or("call")), e.span);
                    let names = names_of(&name);
                    if head.is_number {
                        self.numbers.extend(parts_of(&name.text));
                    }
                    let parts = names.clone().map(|name| text::name(name.text, e.span));
                    self.pending.push(Pending { names: names.into(), value: call });
                    Some(Value::Complex(Some(*width), Box::new(parts)))
                }
                _ => Some(Value::Plain(call)),
            };
        }
        if let Some((base, method)) = callee.text.rsplit_once('.')
            && self.is_complex_name(base)
        {
            let is_function = |name: &str| {
                OF_COMPLEX.contains(&name)
                    || file.heads.contains_key(name)
                    || crate::builtins::is_function(name)
            };
            let refusal = super::super::methods::refusal(e.span, callee, (base, method), args, is_function);
            return self.report(refusal);
        }
        match (callee.text.as_str(), args) {
            ("select", [p, a, b]) => self.choice(e, p, [a, b], want),
            ("relayout", [layout, of]) => Some(self.value(of, want)?.map(|of| {
                let args = vec![layout.clone(), of];
                Expr::new(ExprKind::Call { callee: callee.clone(), args }, e.span)
            })),
            ("min" | "max", [a, b]) => {
                let is_complex = |val: &Value| matches!(val, Value::Complex(..));
                let (x, y) = (self.value(a, want)?, self.value(b, want)?);
                if is_complex(&x) || is_complex(&y) {
                    return self.no_order(e.span, &callee.text, a, b);
                }
                self.plain_call(e, callee, args)
            }
            (name, [z]) if OF_COMPLEX.contains(&name) || name == "abs" || name == "sqrt" => {
                self.part_or_size(e, callee, z, want)
            }
            (name, _) => match atl_ops::by_name(name) {
                Some(op) => self.reshaped(e, callee, args, op.index_params.len(), want),
                None => self.plain_call(e, callee, args),
            },
        }
    }

    /// A function of the language, of real numbers.
    fn plain_call(&mut self, e: &Expr, callee: &Name, args: &[Expr]) -> Option<Value> {
        let mut plain = Vec::new();
        for arg in args {
            match self.value(arg, None)? {
                Value::Plain(arg) => plain.push(arg),
                Value::Complex(..) => return self.not_of_complex(callee, e.span),
            }
        }
        Some(Value::Plain(Expr::new(ExprKind::Call { callee: callee.clone(), args: plain }, e.span)))
    }

    fn not_of_complex<T>(&mut self, callee: &Name, span: Span) -> Option<T> {
        let name = &callee.text;
        let refusal = err!(E0394, span, "`{name}` is not defined on complex numbers");
        self.report(match OF_LIBRARY.contains(&name.as_str()) {
            true => refusal.help(format!("the library has it, as `c{name}`: `use std.complex.{{c{name}}};`")),
            false => refusal.help("it is of real numbers: `re(z)`, `im(z)`, `abs(z)` or `arg(z)`"),
        })
    }

    /// `conj re im arg abs sqrt`.
    fn part_or_size(&mut self, e: &Expr, callee: &Name, z: &Expr, want: Option<Width>) -> Option<Value> {
        let name = callee.text.as_str();
        let inner = if matches!(name, "conj" | "sqrt") { want } else { None };
        let (width, parts) =
            match self.value(z, inner)? {
                Value::Complex(width, parts) => (width, parts),
                Value::Plain(real) if OF_COMPLEX.contains(&name) => {
                    return self.report(
                        err!(E0214, z.span, "`{name}` is of complex numbers, and this is a real one")
                            .suggest("convert it", z.span, format!("c128({})", text::written(&real))),
                    );
                }
                Value::Plain(real) => {
                    let args = vec![real];
                    return Some(Value::Plain(Expr::new(
                        ExprKind::Call { callee: callee.clone(), args },
                        e.span,
                    )));
                }
            };
        let span = e.span;
        let [a, b] = *parts;
        Some(match name {
            "re" => Value::Plain(a),
            "im" => Value::Plain(b),
            "conj" => Value::Complex(width, Box::new([a, text::neg(b, span)])),
            "abs" => Value::Plain(text::call("hypot", [a, b], span)),
            "arg" => Value::Plain(text::call("atan2", [b, a], span)),
            _ => match width {
                Some(of) => Value::Complex(width, Box::new(self.root([a, b], of, e))),
                None => {
                    return self.report(
                        err!(E0224, z.span, "nothing says which element type this complex number has")
                            .suggest(
                                "say it with a conversion",
                                z.span,
                                format!("c128({})", text::written(z)),
                            ),
                    );
                }
            },
        })
    }

    fn choice(&mut self, e: &Expr, p: &Expr, values: [&Expr; 2], want: Option<Width>) -> Option<Value> {
        let p = self.plain(p)?;
        let a = self.body(values[0], want)?;
        let b = self.body(values[1], want)?;
        let choose = |a: Expr, b: Expr| text::call("select", [p.clone(), a, b], e.span);
        if let (Value::Plain(a), Value::Plain(b)) = (&a, &b) {
            return Some(Value::Plain(choose(a.clone(), b.clone())));
        }
        let width = self.agree(&a, &b, e, "`select`")?.or(want);
        let a = self.as_complex(a, width, values[0], "`select`")?;
        let b = self.as_complex(b, width, values[1], "`select`")?;
        Some(Value::Complex(width, Box::new(super::value::pairs(a, b).map(|(a, b)| choose(a, b)))))
    }

    /// An operator on shapes: of each part.
    fn reshaped(
        &mut self,
        e: &Expr,
        callee: &Name,
        args: &[Expr],
        indices: usize,
        want: Option<Width>,
    ) -> Option<Value> {
        let (mut first, mut second, mut width) = (Vec::new(), Vec::new(), None);
        let mut is_complex = false;
        for (k, arg) in args.iter().enumerate() {
            match self.value(arg, want)? {
                Value::Plain(_) if k >= indices && is_complex => {
                    return self.report(
                        err!(E0214, arg.span, "`{}` has complex and real operands", callee.text).suggest(
                            "convert this one",
                            arg.span,
                            format!("c128({})", text::written(arg)),
                        ),
                    );
                }
                Value::Plain(real) => {
                    first.push(real.clone());
                    second.push(real);
                }
                Value::Complex(found, parts) => {
                    is_complex = true;
                    width = width.or(found);
                    let [re, im] = *parts;
                    first.push(re);
                    second.push(im);
                }
            }
        }
        let call = |args| Expr::new(ExprKind::Call { callee: callee.clone(), args }, e.span);
        Some(match is_complex {
            true => Value::Complex(width, Box::new([call(first), call(second)])),
            false => Value::Plain(call(first)),
        })
    }

    /// A call that has one complex result and nothing else, which needs no further name.
    pub(super) fn lone_call(&mut self, e: &Expr) -> Option<(Width, Option<Expr>)> {
        let ExprKind::Call { callee, args } = &e.kind else { return None };
        let [Some(width)] = self.file.heads.get(&callee.text)?.results[..] else { return None };
        Some((width, self.call_of(e, callee, args)))
    }

    /// The call of a function of the program, of the parts of its arguments.
    fn call_of(&mut self, e: &Expr, callee: &Name, args: &[Expr]) -> Option<Expr> {
        let file = self.file;
        let head = file.heads.get(&callee.text)?;
        if args.len() != head.params.len() {
            let (takes, given) = (head.params.len(), args.len());
            let s = if takes == 1 { "" } else { "s" };
            return self.report(err!(
                E0227,
                e.span,
                "`{}` takes {takes} argument{s}, and {given} are given",
                callee.text
            ));
        }
        let mut made = Vec::new();
        for (arg, of) in args.iter().zip(&head.params) {
            let val = self.value(arg, *of)?;
            match (of, val) {
                (Some(of), val) => {
                    let what = format!("this argument of `{}`", callee.text);
                    made.extend(self.as_complex(val, Some(*of), arg, &what)?);
                }
                (None, Value::Plain(arg)) => made.push(arg),
                (None, Value::Complex(..)) => {
                    return self.report(
                        err!(E0214, arg.span, "`{}` takes real numbers here, and this is complex", callee.text)
                            .help("take a part of it, `re(z)` or `im(z)`; the functions of the library for complex numbers are in `std.complex`"),
                    );
                }
            }
        }
        Some(Expr::new(ExprKind::Call { callee: callee.clone(), args: made }, e.span))
    }

    /// What has several results, and the names of their parts, which are entered.
    pub(super) fn several(&mut self, e: &Expr, names: &[Name]) -> Option<(Vec<Name>, Expr)> {
        let file = self.file;
        let (widths, value) = match &e.kind {
            ExprKind::Call { callee, args } => match file.heads.get(&callee.text) {
                Some(head) if head.results.len() == names.len() => {
                    (head.results.clone(), self.call_of(e, callee, args)?)
                }
                _ => (vec![None; names.len()], self.plain(e)?),
            },
            _ if !self.touches(e) => (vec![None; names.len()], e.clone()),
            _ => match self.ends(e)? {
                (widths, value) if widths.len() == names.len() => (widths, value),
                _ => (vec![None; names.len()], e.clone()),
            },
        };
        let mut made = Vec::new();
        for (name, width) in names.iter().zip(&widths) {
            self.bind(name, *width);
            match width {
                Some(_) => {
                    self.is_free_part(name)?;
                    made.extend(names_of(name));
                }
                None => made.push(name.clone()),
            }
        }
        Some((made, value))
    }

    /// `c128(re, im)`; `c128(e)`: of a complex number, the conversion of each part; of a real one, its
    /// imaginary part is 0.
    pub(super) fn conversion(
        &mut self,
        e: &Expr,
        to: &str,
        element: &ElementType,
        value: &Expr,
    ) -> Option<Value> {
        let Some(width) = Width::parse(to) else {
            let val = self.value(value, None)?;
            let Value::Plain(value) = val else {
                return self.report(
                    err!(E0214, e.span, "a complex number is not converted to `{to}`")
                        .note("its imaginary part would be lost")
                        .suggest("take the real part", e.span, format!("{to}(re({}))", text::written(value))),
                );
            };
            let kind = ExprKind::Convert { to: element.clone(), value: Box::new(value) };
            return Some(Value::Plain(Expr::new(kind, e.span)));
        };
        if let ExprKind::Tuple(parts) = &value.kind {
            let [re, im] = &parts[..] else {
                return self.report(
                    err!(E0227, value.span, "a complex number has two parts, and {} are given", parts.len())
                        .help(format!("it is `{to}(re, im)`")),
                );
            };
            let parts = [self.plain(re)?, self.plain(im)?];
            let parts = parts.map(|part| text::convert(width.part(), part, e.span));
            return Some(Value::Complex(Some(width), Box::new(parts)));
        }
        let parts = match self.value(value, Some(width))? {
            Value::Complex(_, parts) => parts.map(|part| text::convert(width.part(), part, e.span)),
            Value::Plain(real) => {
                let real = if self.is_number(&real) { real } else { self.shared_real(real, "real") };
                let zeros = self.zeros(&real, width);
                [text::convert(width.part(), real, e.span), zeros]
            }
        };
        Some(Value::Complex(Some(width), Box::new(parts)))
    }
}
