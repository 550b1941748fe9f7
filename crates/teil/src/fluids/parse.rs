//! The reader.
//!
//! ```text
//! program ::= decl+ [elem] stmt+
//! decl    ::= "var" ["input" | "output"] id ":" type | "type" id ":" type          type ::= id | "[" size* "]"
//! elem    ::= "elem" "[" id* "]" size ("first" | "last")                           stmt ::= id "=" expr
//! expr    ::= term   [("+" | "-") expr]                                            operators associate to the right
//! term    ::= factor [("*" | "/" | ".") term]
//! factor  ::= atom   [("#" | "^") factor]
//! atom    ::= id | int | "[" expr* "]" | "(" expr ")"
//! ```
//! Commas in brackets are blanks, `//` begins a comment, and a size may be a name: these are ours.

use crate::Refusal;
use crate::language::{Placed, Role, Shape, Size};
use crate::spacing::{Items, spaced};
use crate::tokens::{Class, Cursor};
use atl_diag::{Diagnostic, FileId, Span, codes, err, warning};

/// A program.
pub(super) struct Program {
    pub(super) variables: Vec<Variable>,
    pub(super) elements: Option<Elements>,
    pub(super) statements: Vec<(Placed<String>, Expr)>,
}

/// A variable.
pub(super) struct Variable {
    pub(super) role: Role,
    pub(super) name: Placed<String>,
    pub(super) shape: Shape,
}

/// The variables that have a dimension of elements, how many, and where.
pub(super) struct Elements {
    pub(super) variables: Vec<Placed<String>>,
    pub(super) count: Size,
    pub(super) last: bool,
}

/// An expression.
pub(super) struct Expr {
    pub(super) kind: Kind,
    pub(super) span: Span,
}

/// Positions from 0, in groups.
pub(super) type Groups = Vec<Vec<Placed<usize>>>;

/// The expressions.
pub(super) enum Kind {
    Name(String),
    Number(String),
    Binary(char, Box<Expr>, Box<Expr>),
    /// `a . [[i j] ..]`
    Contract(Box<Expr>, Groups),
    /// `a ^ [[i j] ..]`
    Exchange(Box<Expr>, Groups),
    /// `[a b c]`
    Stack(Vec<Expr>),
}

/// Reads a program.
pub(super) fn parse(file: FileId, text: &str) -> Result<(Program, Vec<Diagnostic>), Refusal> {
    let (program, warnings, _) = read(&mut Cursor::new(file, text, codes::E0295)?)?;
    Ok((program, warnings))
}

/// The text in canonical layout.
pub(super) fn formatted(file: FileId, text: &str) -> Result<String, Refusal> {
    let mut cursor = Cursor::new(file, text, codes::E0295)?;
    let (_, _, begin) = read(&mut cursor)?;
    Ok(spaced(&cursor, &begin))
}

/// The program, warnings, and where declarations and statements begin.
fn read(cursor: &mut Cursor<'_>) -> Result<(Program, Vec<Diagnostic>, Items), Refusal> {
    let mut reader = Reader { cursor, types: vec![], warnings: vec![], warned: None, operation: None };
    let mut begin = Items::new();
    let mut program = Program { variables: vec![], elements: None, statements: vec![] };
    while reader.cursor.class() != Class::End {
        begin.push(reader.cursor.span().start);
        match (reader.cursor.peek(), reader.cursor.ahead(1)) {
            ("var", next) if next != "=" => program.variables.push(reader.variable()?),
            ("type", next) if next != "=" => {
                reader.cursor.take();
                let name = reader.name("the type's name")?;
                if reader.types.iter().any(|(other, _)| *other == name.value) {
                    return Err(twice(name.span, &format!("the type `{}` is declared", name.value)));
                }
                reader.cursor.need(":")?;
                let shape = reader.shape()?;
                reader.types.push((name.value, shape));
            }
            ("elem", "[") => {
                let start = reader.cursor.span();
                if program.elements.is_some() {
                    let refusal = twice(start, "`elem` is said");
                    return Err(Box::new(refusal.help("put all variables of the elements into one list")));
                }
                program.elements = Some(reader.elements()?);
            }
            _ => {
                let target = reader.name("`var`, `type`, `elem`, or a name and `=`")?;
                reader.cursor.need("=")?;
                program.statements.push((target, reader.expr()?));
            }
        }
    }
    Ok((program, reader.warnings, begin))
}

/// A refusal of what stands a second time.
fn twice(span: Span, what: &str) -> Refusal {
    Box::new(err!(E0295, span, "{what} twice").label("the second time"))
}

struct Reader<'c, 't> {
    cursor: &'c mut Cursor<'t>,
    types: Vec<(String, Shape)>,
    warnings: Vec<Diagnostic>,
    /// The last operation that was warned of.
    warned: Option<Span>,
    /// The last operation that was read.
    operation: Option<Span>,
}

impl Reader<'_, '_> {
    fn name(&mut self, what: &str) -> Result<Placed<String>, Refusal> {
        let (text, span) = self.cursor.name(what)?;
        Ok(Placed { value: text.to_owned(), span })
    }

    fn variable(&mut self) -> Result<Variable, Refusal> {
        self.cursor.take();
        let (mut input, mut output) = (false, false);
        while self.cursor.ahead(1) != ":" {
            match self.cursor.peek() {
                "input" => input = true,
                "output" => output = true,
                _ => return Err(self.cursor.unexpected("`input`, `output`, or a name and `:`")),
            }
            self.cursor.take();
        }
        let role = match (input, output) {
            (true, true) => Role::Inout,
            (true, false) => Role::Input,
            (false, true) => Role::Output,
            (false, false) => Role::Alloc,
        };
        let name = self.name("the variable's name")?;
        self.cursor.need(":")?;
        Ok(Variable { role, name, shape: self.shape()? })
    }

    fn size(&mut self) -> Result<Size, Refusal> {
        match self.cursor.class() {
            Class::Word => Ok(Size::Variable(self.name("a size")?.value)),
            _ => Ok(Size::Number(self.cursor.whole("a size")?.0)),
        }
    }

    fn shape(&mut self) -> Result<Shape, Refusal> {
        if self.cursor.eat("[") {
            let mut shape = Vec::new();
            while !self.cursor.eat("]") {
                shape.push(self.size()?);
                self.cursor.eat(",");
            }
            return Ok(shape);
        }
        let name = self.name("a type, or `[` and sizes")?;
        let known = self.types.iter().find(|(known, _)| *known == name.value);
        known.map(|(_, shape)| shape.clone()).ok_or_else(|| {
            let refusal = err!(E0295, name.span, "there is no type `{}`", name.value);
            Box::new(refusal.help(format!("declare it before: `type {} : [4 4]`", name.value)))
        })
    }

    fn elements(&mut self) -> Result<Elements, Refusal> {
        self.cursor.take();
        self.cursor.need("[")?;
        let mut variables = Vec::new();
        while !self.cursor.eat("]") {
            let variable = self.name("a variable or `]`")?;
            if variables.iter().any(|other: &Placed<String>| other.value == variable.value) {
                return Err(twice(variable.span, &format!("`{}` is listed", variable.value)));
            }
            variables.push(variable);
            self.cursor.eat(",");
        }
        let count = self.size()?;
        let last = match self.cursor.peek() {
            "first" => false,
            "last" => true,
            _ => return Err(self.cursor.unexpected("`first` or `last`")),
        };
        self.cursor.take();
        Ok(Elements { variables, count, last })
    }

    fn expr(&mut self) -> Result<Expr, Refusal> {
        self.binary(&["+", "-"], Self::term)
    }

    fn term(&mut self) -> Result<Expr, Refusal> {
        self.binary(&["*", "/", "."], Self::factor)
    }

    fn factor(&mut self) -> Result<Expr, Refusal> {
        self.binary(&["#", "^"], Self::atom)
    }

    /// An operand, and after an operator all the rest: to the right.
    fn binary(
        &mut self,
        operators: &[&str],
        below: fn(&mut Self) -> Result<Expr, Refusal>,
    ) -> Result<Expr, Refusal> {
        let left = below(self)?;
        let operator = self.cursor.peek();
        if !operators.contains(&operator) {
            return Ok(left);
        }
        let (_, at) = self.cursor.take();
        let sign = operator.chars().next().unwrap_or_default();
        let groups = matches!(sign, '.' | '^')
            && self.cursor.peek() == "["
            && matches!(self.cursor.ahead(1), "[" | "]");
        let kind = if groups || sign == '^' {
            let groups = self.groups()?;
            if operators.contains(&self.cursor.peek()) {
                let mut refusal = self.cursor.unexpected("the end of this operation");
                *refusal =
                    refusal.help("operators take all that follows: put what stands before in parentheses");
                return Err(refusal);
            }
            match sign {
                '^' => Kind::Exchange(Box::new(left), groups),
                _ => Kind::Contract(Box::new(left), groups),
            }
        } else {
            self.cursor.enter()?;
            let right = self.binary(operators, below)?;
            self.cursor.leave();
            // What stands in parentheses is placed with them.
            let bracketed = self.operation.take() != Some(right.span);
            let in_chain = self.warned.take() == Some(right.span) && !bracketed;
            if let ('-' | '/', Kind::Binary(next, ..)) = (sign, &right.kind)
                && operators.contains(&next.to_string().as_str())
                && !bracketed
            {
                // Of a chain of them the first is warned of, for all.
                self.warnings.truncate(if in_chain { self.warnings.len() - 1 } else { self.warnings.len() });
                let mut warning = warning!(E0259, at, "`{sign}` takes all that follows, `{next}` too")
                    .label(format!("this is a {sign} (b {next} c)"));
                if in_chain {
                    warning = warning.note("those that follow it do, too");
                }
                let help = format!("write the parentheses, or (a {sign} b) {next} c if that is meant");
                self.warnings.push(warning.help(help));
                let warned = self.placed(at, Kind::Binary(sign, Box::new(left), Box::new(right)));
                self.warned = Some(warned.span);
                self.operation = Some(warned.span);
                return Ok(warned);
            }
            Kind::Binary(sign, Box::new(left), Box::new(right))
        };
        let placed = self.placed(at, kind);
        self.operation = Some(placed.span);
        Ok(placed)
    }

    fn placed(&self, at: Span, kind: Kind) -> Expr {
        let start = match &kind {
            Kind::Binary(_, left, _) | Kind::Contract(left, _) | Kind::Exchange(left, _) => left.span,
            _ => at,
        };
        Expr { kind, span: start.to(self.cursor.last()) }
    }

    /// `[[0 1] [2 3]]`
    fn groups(&mut self) -> Result<Groups, Refusal> {
        let mut groups = Vec::new();
        self.cursor.need("[")?;
        while !self.cursor.eat("]") {
            self.cursor.need("[")?;
            let mut group = Vec::new();
            while !self.cursor.eat("]") {
                let (n, span) = self.cursor.whole("a position from 0, or `]`")?;
                group.push(Placed { value: usize::try_from(n).unwrap_or(usize::MAX), span });
                self.cursor.eat(",");
            }
            groups.push(group);
            self.cursor.eat(",");
        }
        Ok(groups)
    }

    fn atom(&mut self) -> Result<Expr, Refusal> {
        let start = self.cursor.span();
        let kind = match (self.cursor.peek(), self.cursor.class()) {
            ("(", _) => {
                self.cursor.take();
                self.cursor.enter()?;
                let inner = self.expr()?;
                self.cursor.leave();
                self.cursor.need(")")?;
                inner.kind
            }
            ("[", _) => {
                self.cursor.take();
                self.cursor.enter()?;
                let mut all = Vec::new();
                while !self.cursor.eat("]") {
                    all.push(self.expr()?);
                    self.cursor.eat(",");
                }
                self.cursor.leave();
                Kind::Stack(all)
            }
            (_, Class::Word) => Kind::Name(self.name("a variable")?.value),
            (_, Class::Whole) => Kind::Number(self.cursor.take().0.to_owned()),
            _ => return Err(self.cursor.unexpected("a variable, a number, `[` or `(`")),
        };
        Ok(Expr { kind, span: start.to(self.cursor.last()) })
    }
}
