//! The languages that the guard reads. All share assignments, `A(i,j) = B(i,k) * C(k,j) + D(i,j)`; what
//! stands around them differs.
//!
//! | text | is |
//! |---|---|
//! | `A(i,j) = ..; A(i,j) += ..` | index notation; the sizes are declared besides |
//! | `ij,jk->ik` | an einsum string; its operands are those declared, in order |
//! | `def f(float(M, K) A, ..) -> (C) { C(i,j) +=! A(i,k) * .. }` | Tensor Comprehensions |
//! | `{"tensors": {"A": ["m", "k"]}, "name": "C", "body": ".."}` | a `compute` as TVM has them, in JSON |
//!
//! ```text
//! notation  ::= { assign [";"] }
//! assign    ::= access how expr ["where" index "in" affine ":" affine {"," ..}], of sizes
//! how       ::= "=" | "+=" | "*=" | "max=" | "min=", and with "!" behind them, as in "+=!", what was there is forgotten
//! expr      ::= ["-"] term {("+" | "-") term}          term ::= factor {("*" | "/") factor}
//! factor    ::= number | access | "(" expr ")" | function "(" expr ["," expr] ")"
//! access    ::= tensor ["(" [affine {"," affine}] ")"]        also with "[" and "]"
//! affine    ::= part {("+" | "-") part}                part ::= number ["*" index] | index ["*" number]
//! function  ::= "exp" | "log" | "sqrt" | "abs" | "min" | "max", where no tensor is called so
//! einsum    ::= letters {"," letters} ["->" letters]
//! comprehension ::= "def" name "(" type ["(" sizes ")"] tensor {"," ..} ")" "->" "(" tensor {"," tensor} ")" "{" notation "}"
//! ```

mod comprehension;
mod compute;
mod einsum;

use super::assumed::Condition;
use super::kernel::{Access, Affine, Kernel, Reduced, Stated, Statement, Value};
use atl_diag::{FileId, Span, codes, err};
use atl_teil::Refusal;
use atl_teil::language::{Function, Placed, Pointwise, Reduction, Relation, Shape, Size};
use atl_teil::tokens::{Class, Cursor};

/// Reads a kernel in one of the languages, with the sizes that are declared besides.
pub(super) fn kernel(
    file: FileId,
    text: &str,
    declared: Vec<(Placed<String>, Shape)>,
) -> Result<Kernel, Refusal> {
    let tensors: Vec<String> = declared.iter().map(|(name, _)| name.value.clone()).collect();
    let reader = |text| {
        let tensors = tensors.clone();
        Cursor::new(file, text, codes::E0297).map(|cursor| Reader {
            cursor,
            tensors,
            sizes: vec![],
            comprehends: false,
        })
    };
    match text.trim_start() {
        whole if whole.starts_with('{') => reader(text)?.compute(declared),
        whole if whole.starts_with("def ") => {
            reader(text)?.comprehension(declared).and_then(no_size_is_an_index)
        }
        whole if !whole.contains('=') => einsum::einsum(file, text, declared),
        _ => {
            let mut reader = reader(text)?;
            let mut kernel = Kernel { declared, ..Kernel::default() };
            while reader.cursor.class() != Class::End {
                kernel.statements.push(reader.statement()?);
                reader.cursor.eat(";");
            }
            match kernel.statements.is_empty() {
                true => Err(reader.cursor.unexpected("a tensor that is assigned")),
                false => no_size_is_an_index(kernel),
            }
        }
    }
}

/// Reads a declaration, `A=m,n`; a scalar is `s=`.
pub(super) fn declaration(file: FileId, text: &str) -> Result<(Placed<String>, Shape), Refusal> {
    let cursor = Cursor::new(file, text, codes::E0297)?;
    let mut reader = Reader { cursor, tensors: vec![], sizes: vec![], comprehends: false };
    let name = reader.name("the name of a tensor")?;
    reader.cursor.need("=")?;
    let mut shape = Vec::new();
    while reader.cursor.class() != Class::End {
        if !shape.is_empty() {
            let sum = ["+", "-", "*", "/"].contains(&reader.cursor.peek());
            reader.cursor.need(",").map_err(|refusal| match sum {
                true => Box::new(refusal.help(
                    "a size is a name or a number: give it a name, and say what it is by `--assume \"m + 2 == n\"`",
                )),
                false => refusal,
            })?;
        }
        shape.push(reader.size()?);
    }
    Ok((name, shape))
}

/// Reads conditions, `p + r - 1 <= n, 2 <= r`.
pub(super) fn conditions(file: FileId, text: &str) -> Result<Vec<Condition>, Refusal> {
    let cursor = Cursor::new(file, text, codes::E0297)?;
    let mut reader = Reader { cursor, tensors: vec![], sizes: vec![], comprehends: false };
    let mut conditions = Vec::new();
    loop {
        let mut left = reader.affine()?;
        let mut first = true;
        loop {
            let (relation, turned) = match reader.cursor.peek() {
                "<=" => (Relation::AtMost, false),
                "<" => (Relation::Less, false),
                "==" => (Relation::Equal, false),
                ">=" => (Relation::AtMost, true),
                ">" => (Relation::Less, true),
                _ if first => return Err(reader.cursor.unexpected("`<=`, `<`, `==`, `>=` or `>`")),
                _ => break,
            };
            reader.cursor.take();
            let right = reader.affine()?;
            let (less, more) = if turned { (right.clone(), left) } else { (left, right.clone()) };
            conditions.push(Condition { left: less, relation, right: more });
            (left, first) = (right, false);
        }
        if !reader.cursor.eat(",") && !reader.cursor.eat("and") {
            break;
        }
    }
    match reader.cursor.class() {
        Class::End => Ok(conditions),
        _ => Err(reader.cursor.unexpected("`,` or the end of the condition")),
    }
}

/// Where indices are not named apart from accesses, one that is called as a size is may be meant as that.
fn no_size_is_an_index(kernel: Kernel) -> Result<Kernel, Refusal> {
    let is_size = |name: &String| {
        kernel.declared.iter().any(|(_, shape)| shape.contains(&Size::Variable(name.clone())))
    };
    let accesses = kernel.statements.iter().flat_map(|s| [&s.target].into_iter().chain(s.reads()));
    for index in accesses.flat_map(|access| &access.indices) {
        if let Some((_, name)) = index.terms.iter().find(|(_, name)| is_size(name)) {
            return Err(Box::new(
                err!(E0297, index.span, "`{name}` is a size, and stands here as an index")
                    .label(format!(
                        "as an index it would run over a dimension; entry number {name} is another"
                    ))
                    .help(match index.plain() {
                        Some(_) => "give the index a name of its own".to_owned(),
                        None => format!(
                            "give the index a name of its own; if entry number `{}` is meant, say it as a Tensor \
                             Comprehension, where `{name}` is a number: `def f(float({name}) x) -> (y) {{ .. }}`",
                            index.text()
                        ),
                    }),
            ));
        }
    }
    Ok(kernel)
}

/// A function of one or two numbers.
enum Meaning {
    One(Function),
    Two(Pointwise),
}

/// Of these so many are told when another is looked for; the others are the same of `float`.
const PLAIN: usize = 11;

/// The functions by the names that tools give them.
const FUNCTIONS: [(&str, Meaning); 17] = [
    ("exp", Meaning::One(Function::Exp)),
    ("log", Meaning::One(Function::Log)),
    ("sqrt", Meaning::One(Function::Sqrt)),
    ("abs", Meaning::One(Function::Abs)),
    ("fabs", Meaning::One(Function::Abs)),
    ("min", Meaning::Two(Pointwise::Min)),
    ("max", Meaning::Two(Pointwise::Max)),
    ("fmin", Meaning::Two(Pointwise::Min)),
    ("fmax", Meaning::Two(Pointwise::Max)),
    ("minimum", Meaning::Two(Pointwise::Min)),
    ("maximum", Meaning::Two(Pointwise::Max)),
    ("expf", Meaning::One(Function::Exp)),
    ("logf", Meaning::One(Function::Log)),
    ("sqrtf", Meaning::One(Function::Sqrt)),
    ("fabsf", Meaning::One(Function::Abs)),
    ("fminf", Meaning::Two(Pointwise::Min)),
    ("fmaxf", Meaning::Two(Pointwise::Max)),
];

struct Reader<'t> {
    cursor: Cursor<'t>,
    /// What is declared, and so no function.
    tensors: Vec<String>,
    /// Sizes that are numbers where they stand in an access.
    sizes: Vec<String>,
    /// Whether it is a tensor comprehension.
    comprehends: bool,
}

/// A product, or the one factor of it.
fn one(mut factors: Vec<Value>) -> Value {
    if factors.len() == 1 { factors.remove(0) } else { Value::Product(factors) }
}

impl Reader<'_> {
    fn name(&mut self, what: &str) -> Result<Placed<String>, Refusal> {
        let (text, span) = self.cursor.name(what)?;
        Ok(Placed { value: text.to_owned(), span })
    }

    fn size(&mut self) -> Result<Size, Refusal> {
        match self.cursor.class() {
            Class::Word => Ok(Size::Variable(self.name("a size")?.value)),
            _ => {
                let (n, span) = self.cursor.whole("a size: a number or a name")?;
                match n {
                    0 => Err(Box::new(err!(E0297, span, "a dimension has at least one entry"))),
                    n => Ok(Size::Number(n)),
                }
            }
        }
    }

    /// `A(i,j) = ..`
    fn statement(&mut self) -> Result<Statement, Refusal> {
        let target = self.access()?;
        let (op, keeps) = self.how()?;
        let value = self.sum()?;
        let mut ranges = Vec::new();
        if self.cursor.eat("where") {
            while ranges.is_empty() || self.cursor.eat(",") {
                let index = self.name("an index")?;
                self.cursor.need("in")?;
                let from = self.affine()?;
                self.cursor.need(":")?;
                ranges.push(Stated { index, from, to: self.affine()? });
            }
        }
        let reduced = match op {
            Some(op) if self.comprehends || op != Reduction::Sum => Reduced::Whole(op),
            _ => Reduced::EachTerm,
        };
        let onto = op.filter(|_| keeps);
        let stated: Vec<Placed<String>> = ranges.iter().map(|stated| stated.index.clone()).collect();
        let statement = Statement { target, onto, value, reduced, ranges };
        let stays = |index: &str| statement.target.indices.iter().any(|affine| affine.mentions(index));
        if let Some(index) = stated.iter().find(|i| !stays(&i.value) && !statement.value.has(&i.value)) {
            return Err(Box::new(err!(E0297, index.span, "`{}` stands nowhere but here", index.value)));
        }
        if self.comprehends && op.is_none() {
            let mut indices = statement.reads().flat_map(|read| &read.indices);
            if let Some((affine, index)) = indices
                .find_map(|a| a.terms.iter().find(|(_, index)| !stays(index)).map(|(_, index)| (a, index)))
            {
                let refusal = err!(E0297, affine.span, "`{index}` stands on the right of `=` only");
                return Err(Box::new(
                    refusal
                        .label("nothing says how its values are joined")
                        .help("`+=!` adds them up, `max=!` takes the largest"),
                ));
            }
        }
        if statement.reduced == Reduced::EachTerm {
            let is_reduced = |index: &str| !stays(index);
            let uneven = statement.value.uneven(&is_reduced);
            if let Some(span) = uneven {
                return Err(Box::new(
                    err!(E0297, span, "a sum within a product can be read in two ways")
                        .label("do the sums over indices stand inside or outside?")
                        .help("multiply it out, or assign the sum to a tensor of its own first"),
                ));
            }
        }
        Ok(statement)
    }

    /// How the right side is joined over indices that the target lacks, and whether what was there is kept.
    fn how(&mut self) -> Result<(Option<Reduction>, bool), Refusal> {
        let words = [("max", Reduction::Max), ("min", Reduction::Min)];
        let word = words.iter().find(|(word, _)| self.cursor.peek() == *word && self.cursor.ahead(1) == "=");
        if let Some((_, op)) = word {
            self.cursor.take();
            self.cursor.take();
            return Ok((Some(*op), !self.cursor.eat("!")));
        }
        let signs = [
            ("+=!", Some(Reduction::Sum), false),
            ("+=", Some(Reduction::Sum), true),
            ("*=!", Some(Reduction::Product), false),
            ("*=", Some(Reduction::Product), true),
            ("=", None, false),
        ];
        match signs.into_iter().find(|(sign, ..)| self.cursor.eat(sign)) {
            Some((_, op, keeps)) => Ok((op, keeps)),
            None => Err(self.cursor.unexpected("`=`, `+=`, `*=`, `max=`, `min=`, or one of these with `!`")),
        }
    }

    /// `a + b - c`
    fn sum(&mut self) -> Result<Value, Refusal> {
        let start = self.cursor.span();
        let mut terms = Vec::new();
        let mut negative = self.cursor.eat("-");
        loop {
            terms.push((negative, self.product()?));
            negative = match self.cursor.peek() {
                "+" => false,
                "-" => true,
                _ => break,
            };
            self.cursor.take();
        }
        Ok(match terms.as_slice() {
            [(false, _)] => terms.remove(0).1,
            _ => Value::Sum(terms, start.to(self.cursor.last())),
        })
    }

    /// `a * b / c`
    fn product(&mut self) -> Result<Value, Refusal> {
        let mut factors = Vec::new();
        loop {
            match self.factor()? {
                Value::Product(inner) => factors.extend(inner),
                factor => factors.push(factor),
            }
            while self.cursor.eat("/") {
                let above = one(std::mem::take(&mut factors));
                factors.push(Value::Two(Pointwise::Div, Box::new([above, self.factor()?])));
            }
            if !self.cursor.eat("*") {
                return Ok(one(factors));
            }
        }
    }

    fn factor(&mut self) -> Result<Value, Refusal> {
        if matches!(self.cursor.class(), Class::Whole | Class::Fraction) {
            return Ok(Value::Number(self.cursor.take().0.to_owned()));
        }
        if self.cursor.peek() == "(" {
            self.cursor.take();
            let inner = self.nested()?;
            self.cursor.need(")")?;
            return Ok(inner);
        }
        let word = self.cursor.peek();
        let is_call = self.cursor.ahead(1) == "(" && !self.tensors.iter().any(|known| known == word);
        let known = FUNCTIONS.iter().find(|(name, _)| is_call && *name == word);
        let Some((_, meaning)) = known else { return Ok(Value::Read(self.access()?)) };
        self.cursor.take();
        self.cursor.take();
        let first = self.nested()?;
        let value = match meaning {
            Meaning::One(f) => Value::Apply(*f, Box::new(first)),
            Meaning::Two(op) => {
                self.cursor.need(",")?;
                Value::Two(*op, Box::new([first, self.nested()?]))
            }
        };
        self.cursor.need(")")?;
        Ok(value)
    }

    fn nested(&mut self) -> Result<Value, Refusal> {
        self.cursor.enter()?;
        let inner = self.sum()?;
        self.cursor.leave();
        Ok(inner)
    }

    fn access(&mut self) -> Result<Access, Refusal> {
        let tensor = self.name("a tensor")?;
        let closer = match self.cursor.peek() {
            "(" => ")",
            "[" => "]",
            _ => return Ok(Access { span: tensor.span, tensor, indices: vec![] }),
        };
        self.cursor.take();
        let mut indices = Vec::new();
        while self.cursor.peek() != closer || !indices.is_empty() {
            let mut affine = self.affine()?;
            // A size that stands alone is more likely meant as an index.
            if affine.plain().is_none() {
                (affine.sizes, affine.terms) =
                    affine.terms.into_iter().partition(|(_, name)| self.sizes.contains(name));
            }
            indices.push(affine);
            if !self.cursor.eat(",") {
                break;
            }
        }
        let call = self.cursor.peek() == "(";
        let is_tensor = self.tensors.contains(&tensor.value);
        self.cursor.need(closer).map_err(|refusal| match (call, is_tensor) {
            (true, true) => {
                Box::new(refusal.help("an index is a sum of names and numbers: nothing is read in it"))
            }
            (true, false) => {
                let known: Vec<&str> = FUNCTIONS.iter().take(PLAIN).map(|(name, _)| *name).collect();
                let why = err!(E0297, tensor.span, "there is no function `{}`", tensor.value);
                Box::new(why.help(format!(
                    "there are {}; where only accesses matter, any of them may stand for it",
                    known.join(", ")
                )))
            }
            _ => refusal,
        })?;
        Ok(Access { span: tensor.span.to(self.cursor.last()), tensor, indices })
    }

    /// `2 * i + j - 1`
    fn affine(&mut self) -> Result<Affine, Refusal> {
        let start = self.cursor.span();
        let mut affine = Affine { terms: vec![], sizes: vec![], constant: 0, span: start };
        let mut sign = 1;
        loop {
            // No number of a text is so large that it does not fit.
            let number = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
            if self.cursor.class() == Class::Whole {
                let by = sign * number(self.cursor.whole("a number")?.0);
                match self.cursor.eat("*") {
                    true => affine.add(by, self.name("an index")?.value),
                    false => affine.constant += by,
                }
            } else {
                let index = self.name("an index or a number")?.value;
                let by = if self.cursor.eat("*") { number(self.cursor.whole("a number")?.0) } else { 1 };
                affine.add(sign * by, index);
            }
            sign = match self.cursor.peek() {
                "+" => 1,
                "-" => -1,
                _ => break,
            };
            self.cursor.take();
        }
        affine.span = start.to(self.cursor.last());
        Ok(affine)
    }
}

impl Affine {
    fn add(&mut self, by: i64, index: String) {
        match self.terms.iter_mut().find(|(_, known)| *known == index) {
            Some((so_far, _)) => *so_far += by,
            None => self.terms.push((by, index)),
        }
    }
}

fn plain(index: &str, span: Span) -> Affine {
    Affine { terms: vec![(1, index.to_owned())], sizes: vec![], constant: 0, span }
}
