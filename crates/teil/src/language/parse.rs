//! TeIL's reader.
//!
//! ```text
//! program ::= { item [";"] }
//! item    ::= ("alloc" | "input" | "output" | "inout") name ":" [type] "[" [size {"," size}] "]"
//!           | "where" fact {"," fact}                      fact ::= size ("<=" | "<" | "==") size {..}
//!           | "where" ".."                                 what must hold of sizes, and no more
//!           | name "=" expr
//! expr    ::= name | number | "(" expr ")"
//!           | ("add" | "sub" | "mul" | "div" | "min" | "max" | "prod") expr expr
//!           | ("red+" | "red*" | "redmin" | "redmax") pos expr
//!           | ("transp" | "diag" | "contr") pos pos expr | ("expa" | "proj") pos size expr
//!           | "stack" count expr .. expr
//!           | ("neg" | "exp" | "log" | "sqrt" | "abs" | "recip") expr
//! ```

use super::{
    Assignment, Declaration, Expr, Fact, Function, Item, Kind, Placed, Pointwise, Position, Program,
    Reduction, Relation, Role, Size,
};
use crate::Refusal;
use crate::spacing::{Items, spaced};
use crate::tokens::{Class, Cursor};
use atl_diag::{FileId, codes, err};
use atl_kernel::Scalar;

/// The most dimensions that a tensor may have, intermediate ones included.
pub const MAX_DIMENSIONS: usize = 24;

/// The most tensors side by side.
const MAX_STACKED: u64 = 64;

/// The most items of a program.
const MAX_ITEMS: usize = 512;

/// Operations whose words are in no list of their own.
const OPERATIONS: &[&str] = &["mul", "prod", "transp", "diag", "contr", "expa", "proj", "stack"];

/// Reads a program.
///
/// # Errors
/// The first mistake, at its place.
pub fn parse(file: FileId, text: &str) -> Result<Program, Refusal> {
    Ok(read(&mut Cursor::new(file, text, codes::E0281)?)?.0)
}

/// The text of a program in canonical layout; its tokens and comments stay as they are.
///
/// # Errors
/// It is no program.
pub fn formatted(file: FileId, text: &str) -> Result<String, Refusal> {
    let mut cursor = Cursor::new(file, text, codes::E0281)?;
    let (_, begin) = read(&mut cursor)?;
    Ok(spaced(&cursor, &begin))
}

/// The program, and where its items begin.
fn read(cursor: &mut Cursor<'_>) -> Result<(Program, Items), Refusal> {
    let mut reader = Reader { cursor };
    let (mut items, mut begin): (Vec<Item>, Items) = (Vec::new(), Items::new());
    while reader.cursor.class() != Class::End {
        if items.len() == MAX_ITEMS {
            let span = reader.cursor.span();
            return Err(Box::new(err!(E0281, span, "the program has more than {MAX_ITEMS} items")));
        }
        begin.push(reader.cursor.span().start);
        let before = items.last();
        let item = reader.item().map_err(|refusal| match before {
            Some(Item::Assign(assignment)) => meant(reader.cursor, &items, assignment, refusal),
            _ => refusal,
        });
        items.push(item?);
        reader.cursor.eat(";");
    }
    Ok((Program { items }, begin))
}

/// The refusal of what stands behind an assignment, with what may have been meant: operations of other
/// languages.
fn meant(cursor: &Cursor<'_>, items: &[Item], before: &Assignment, refusal: Refusal) -> Refusal {
    const SIGNS: [(&str, &str); 5] =
        [("*", "mul"), ("+", "add"), ("-", "sub"), ("/", "div"), ("@", "contr 2 3 (prod a b)")];
    let product = "the product of two matrices is `contr 2 3 (prod A B)`";
    let declared =
        |name: &str| items.iter().any(|item| matches!(item, Item::Declare(d) if d.name.value == name));
    let help = match (&before.value.kind, SIGNS.iter().find(|(sign, _)| *sign == cursor.peek())) {
        (_, Some((sign @ "*", word))) => {
            format!(
                "operations stand before their operands: `{sign}` is `{word} a b`, element by element; {product}"
            )
        }
        (_, Some(("@", _))) => format!("operations stand before their operands: {product}"),
        (_, Some((sign, word))) => {
            format!("operations stand before their operands: `{sign}` is `{word} a b`, element by element")
        }
        (Kind::Name(name), None)
            if ["matmul", "dot", "mm", "einsum", "tensordot"].contains(&name.as_str()) =>
        {
            format!("there is no operation `{name}`: {product}")
        }
        (Kind::Name(name), None) if name == "sum" => {
            "there is no operation `sum`: the sum along dimension `i` is `red+ i a`".to_owned()
        }
        (Kind::Name(name), None) if !declared(name) => {
            format!(
                "`{name}` is read as a tensor, which takes no operands; operations are {}",
                OPERATIONS.join(", ")
            )
        }
        _ => return refusal,
    };
    Box::new(refusal.help(help))
}

/// Whether a word is one of the language, and so no name.
fn is_reserved(word: &str) -> bool {
    word == "where"
        || OPERATIONS.contains(&word)
        || Role::ALL.iter().any(|(_, role)| *role == word)
        || Pointwise::of_word(word).is_some()
        || Reduction::of_word(word).is_some()
        || Function::of_word(word).is_some()
}

struct Reader<'c, 't> {
    cursor: &'c mut Cursor<'t>,
}

impl Reader<'_, '_> {
    fn item(&mut self) -> Result<Item, Refusal> {
        if let Some((role, _)) = Role::ALL.iter().find(|(_, word)| *word == self.cursor.peek()) {
            return Ok(Item::Declare(self.declaration(*role)?));
        }
        if self.cursor.eat("where") {
            if self.cursor.eat("..") {
                return Ok(Item::Infer);
            }
            return Ok(Item::Where(self.facts()?));
        }
        let target = self.name("a declaration, `where`, or a name and `=`")?;
        self.cursor.need("=")?;
        Ok(Item::Assign(Assignment { target, value: self.expr()? }))
    }

    fn name(&mut self, what: &str) -> Result<Placed<String>, Refusal> {
        if is_reserved(self.cursor.peek()) {
            let mut refusal = self.cursor.unexpected(what);
            *refusal = refusal.help("this word belongs to the language; choose another name");
            return Err(refusal);
        }
        let (text, span) = self.cursor.name(what)?;
        Ok(Placed { value: text.to_owned(), span })
    }

    fn declaration(&mut self, role: Role) -> Result<Declaration, Refusal> {
        self.cursor.take();
        let name = self.name("the tensor's name")?;
        self.cursor.need(":")?;
        let element =
            match Scalar::parse(self.cursor.peek()).filter(|s| *s != Scalar::Bool && *s != Scalar::U8) {
                Some(scalar) => {
                    self.cursor.take();
                    scalar
                }
                None => Scalar::F64,
            };
        if !self.cursor.eat("[") {
            return Err(self
                .cursor
                .unexpected("`[` and the sizes, or `f32`, `f64`, `i32` or `i64` before them"));
        }
        let mut shape = Vec::new();
        while self.cursor.peek() != "]" || !shape.is_empty() {
            shape.push(self.size("a size: a number or a name")?);
            if !self.cursor.eat(",") {
                break;
            }
        }
        if !self.cursor.eat("]") {
            return Err(self.cursor.unexpected("`,` or `]`"));
        }
        Ok(Declaration { role, name, element, shape })
    }

    fn size(&mut self, what: &str) -> Result<Placed<Size>, Refusal> {
        if self.cursor.class() == Class::Word {
            let name = self.name(what)?;
            return Ok(Placed { value: Size::Variable(name.value), span: name.span });
        }
        let (n, span) = self.cursor.whole(what)?;
        Ok(Placed { value: Size::Number(n), span })
    }

    fn facts(&mut self) -> Result<Vec<Fact>, Refusal> {
        let mut facts = Vec::new();
        loop {
            let mut left = self.size("a size")?;
            let before = facts.len();
            while let Some(relation) = [Relation::Equal, Relation::Less, Relation::AtMost]
                .into_iter()
                .find(|r| self.cursor.eat(r.word()))
            {
                let right = self.size("a size")?;
                facts.push(Fact { left, relation, right: right.clone() });
                left = right;
            }
            if facts.len() == before {
                let help = match self.cursor.peek() {
                    "=" => "sizes are equal by `==`",
                    ">" | ">=" => "the smaller one stands first: `2 <= n`",
                    "+" | "-" | "*" => "two sizes are compared, names or numbers; of sums nothing is stated",
                    _ => "`where m == n, 2 <= k` compares sizes, names or numbers",
                };
                return Err(Box::new(self.cursor.unexpected("`<=`, `<` or `==`").help(help)));
            }
            if !self.cursor.eat(",") {
                return Ok(facts);
            }
        }
    }

    fn position(&mut self) -> Result<Position, Refusal> {
        let (n, span) = self.cursor.whole("a position: a number from 1")?;
        Ok(Placed { value: usize::try_from(n).unwrap_or(usize::MAX), span })
    }

    fn expr(&mut self) -> Result<Expr, Refusal> {
        let start = self.cursor.span();
        let kind = self.kind()?;
        Ok(Expr { kind, span: start.to(self.cursor.last()) })
    }

    fn operand(&mut self) -> Result<Box<Expr>, Refusal> {
        self.cursor.enter()?;
        let operand = self.expr()?;
        self.cursor.leave();
        Ok(Box::new(operand))
    }

    fn kind(&mut self) -> Result<Kind, Refusal> {
        let word = self.cursor.peek();
        if let Some(op) = Pointwise::of_word(word) {
            self.cursor.take();
            return Ok(Kind::Pointwise(op, self.operand()?, self.operand()?));
        }
        if let Some(op) = Reduction::of_word(word) {
            self.cursor.take();
            return Ok(Kind::Reduce(op, self.position()?, self.operand()?));
        }
        if let Some(f) = Function::of_word(word) {
            self.cursor.take();
            return Ok(Kind::Apply(f, self.operand()?));
        }
        if OPERATIONS.contains(&word) {
            self.cursor.take();
        }
        match word {
            "mul" => Ok(Kind::Mul(self.operand()?, self.operand()?)),
            "prod" => Ok(Kind::Prod(self.operand()?, self.operand()?)),
            "transp" => Ok(Kind::Transp(self.position()?, self.position()?, self.operand()?)),
            "diag" => Ok(Kind::Diag(self.position()?, self.position()?, self.operand()?)),
            "contr" => Ok(Kind::Contr(self.position()?, self.position()?, self.operand()?)),
            "expa" => Ok(Kind::Expa(self.position()?, self.size("a size")?, self.operand()?)),
            "stack" => {
                let (count, span) = self.cursor.whole("how many there are")?;
                if !(1..=MAX_STACKED).contains(&count) {
                    return Err(Box::new(err!(E0281, span, "`stack` is of 1 to {MAX_STACKED} tensors")));
                }
                let all = (0..count).map(|_| self.operand().map(|e| *e));
                Ok(Kind::Stack(all.collect::<Result<_, Refusal>>()?))
            }
            "proj" => Ok(Kind::Proj(self.position()?, self.size("an index")?, self.operand()?)),
            "(" => {
                self.cursor.take();
                let inner = self.operand()?;
                self.cursor.need(")")?;
                Ok(inner.kind)
            }
            _ => match self.cursor.class() {
                Class::Word => Ok(Kind::Name(self.name("an operand")?.value)),
                Class::Whole | Class::Fraction => Ok(Kind::Number(self.cursor.take().0.to_owned())),
                _ => Err(self.cursor.unexpected("an operand: a name, a number, an operation or `(`")),
            },
        }
    }
}
