//! Tensor Comprehensions: assignments, with the sizes of operands in front.

use super::Reader;
use crate::kernel::{Kernel, Statement};
use atl_diag::err;
use atl_teil::Refusal;
use atl_teil::language::{Placed, Shape, Size};
use atl_teil::tokens::Class;

impl Reader<'_> {
    /// `def f(float(M, K) A, ..) -> (C) { statements }`
    pub(super) fn comprehension(
        &mut self,
        mut declared: Vec<(Placed<String>, Shape)>,
    ) -> Result<Kernel, Refusal> {
        self.comprehends = true;
        self.cursor.need("def")?;
        self.name("the name of the kernel")?;
        self.cursor.need("(")?;
        while self.cursor.peek() != ")" {
            self.name("the type of a tensor's elements")?;
            let mut shape = Vec::new();
            if self.cursor.eat("(") {
                while self.cursor.peek() != ")" {
                    let size = self.size()?;
                    // Its name is the number that it is, in an access, too.
                    if let Size::Variable(name) = &size {
                        self.sizes.push(name.clone());
                    }
                    shape.push(size);
                    self.cursor.eat(",");
                }
                self.cursor.need(")")?;
            }
            let name = self.name("the tensor's name")?;
            self.tensors.push(name.value.clone());
            declared.push((name, shape));
            self.cursor.eat(",");
        }
        self.cursor.need(")")?;
        self.cursor.need("->")?;
        self.cursor.need("(")?;
        let mut results: Vec<Placed<String>> = Vec::new();
        while !self.cursor.eat(")") {
            let result = self.name("a result's name")?;
            if results.iter().any(|other| other.value == result.value) {
                return Err(Box::new(err!(E0297, result.span, "`{}` is a result twice", result.value)));
            }
            self.tensors.push(result.value.clone());
            results.push(result);
            self.cursor.eat(",");
        }
        self.cursor.need("{")?;
        let mut statements = Vec::new();
        while !self.cursor.eat("}") {
            statements.push(self.statement()?);
            self.cursor.eat(";");
        }
        let is_assigned = |result: &Placed<String>| {
            statements.iter().any(|statement: &Statement| statement.target.tensor.value == result.value)
        };
        if let Some(result) = results.iter().find(|result| !is_assigned(result)) {
            let refusal = err!(E0297, result.span, "nothing is assigned to `{}`", result.value);
            return Err(Box::new(refusal.label("promised here").help("assign it, or leave it out")));
        }
        match self.cursor.class() {
            Class::End => Ok(Kernel { declared, statements, smallest: true }),
            _ => Err(self.cursor.unexpected("the end of the text")),
        }
    }
}
