//! A printed expression: its text, and how tightly it binds.

/// How tightly a printed expression binds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Precedence {
    /// Goes in parentheses inside anything.
    Loose,
    /// Of a sum.
    Sum,
    /// Of a product.
    Product,
    /// Needs no parentheses.
    Atom,
}

/// A printed expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Code {
    /// The text.
    pub text: String,
    /// How tightly it binds.
    pub level: Precedence,
    /// The least and the greatest value of an index term, if the language computes it in 32 bits.
    pub narrow: Option<(i64, i64)>,
}

impl Code {
    /// An expression of 64 bits.
    pub fn new(text: impl Into<String>, level: Precedence) -> Code {
        Code { text: text.into(), level, narrow: None }
    }

    /// An expression that needs no parentheses.
    pub fn atom(text: impl Into<String>) -> Code {
        Code::new(text, Precedence::Atom)
    }

    /// An expression in parentheses inside anything.
    pub fn loose(text: impl Into<String>) -> Code {
        Code::new(text, Precedence::Loose)
    }

    /// A number or a name, which is loose if it has a sign.
    pub fn signed(text: String) -> Code {
        if text.starts_with('-') { Code::loose(text) } else { Code::atom(text) }
    }

    /// The text, in parentheses unless it binds at least as tightly as `level`.
    pub fn at(&self, level: Precedence) -> String {
        if self.level >= level { self.text.clone() } else { format!("({})", self.text) }
    }

    /// The text as an operand of anything.
    pub fn operand(&self) -> String {
        self.at(Precedence::Atom)
    }

    /// `a symbol b`, where the right operand must bind more tightly.
    pub fn infix(symbol: &str, a: &Code, b: &Code, level: Precedence, tighter: Precedence) -> Code {
        Code::new(format!("{} {symbol} {}", a.at(level), b.at(tighter)), level)
    }

    /// `cond ? then : otherwise`.
    pub fn ternary(cond: &Code, then: &Code, otherwise: &Code) -> Code {
        Code::loose(format!("{} ? {} : {}", cond.operand(), then.operand(), otherwise.operand()))
    }
}
