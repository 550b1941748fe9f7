//! A whole text: what stands before its function, the function, and what calls it and frees its memory.

use super::lexer::tokens;
use super::parser::Parser;
use super::syntax::{Expr, Statement, is_free};
use super::typed::named_type;
use super::{Read, helpers, outside};
use crate::prelude::*;
use std::collections::BTreeSet;

/// Functions of C's library that compilers know, or call for loops, and names that are taken in what
/// follows a function.
const KNOWN: &str = "sizes buffers main abort exit atexit malloc calloc realloc aligned_alloc free madvise abs labs llabs div \
    memcpy memmove memset memcmp memchr memccpy mempcpy memrchr strcat strchr strcmp strcpy strcspn strdup strlen strncat \
    strncmp strncpy strndup strnlen strpbrk strrchr strspn strstr stpcpy stpncpy strcasecmp strncasecmp wcslen wmemset \
    wmemcpy bcmp bcopy bzero index rindex ffs printf puts putchar fprintf alloca acos acosh asin asinh atan atan2 atanh cbrt ceil \
    copysign cos cosh erf erfc exp exp2 expm1 fabs fdim floor fma fmax fmin fmod frexp gamma hypot ilogb ldexp lgamma \
    llrint llround log log10 log1p log2 logb lrint lround modf nan nearbyint nextafter nexttoward pow remainder remquo \
    rint round scalbln scalbn sin sincos sinh sqrt tan tanh tgamma trunc";

/// Is it the name of a function of the library, or of what compilers call for OpenMP?
fn is_known(name: &str) -> bool {
    let is = |name: &str| KNOWN.split_ascii_whitespace().any(|known| known == name);
    let of_another_float = |end| name.strip_suffix(end).is_some_and(is);
    is(name)
        || of_another_float('f')
        || of_another_float('l')
        || ["GOMP_", "omp_", "kmp", "_"].into_iter().any(|word| name.starts_with(word))
}

/// A parameter: a size, or an array.
pub(super) struct Parameter {
    pub(super) name: String,
    /// The type of the cells, and whether nothing stores to them.
    pub(super) array: Option<(Scalar, bool)>,
}

/// A text.
pub(super) struct Frame {
    pub(super) name: String,
    pub(super) parameters: Vec<Parameter>,
    pub(super) body: Vec<Statement>,
    pub(super) helpers: BTreeSet<String>,
    pub(super) pools: Vec<String>,
    /// The line of the function's head.
    pub(super) line: u64,
}

/// Bytes of a text.
const BYTES: usize = 1 << 24;

impl Frame {
    pub(super) fn of(text: &str) -> Read<Frame> {
        if text.len() > BYTES || text.contains(|c: char| c.is_control() && c != '\n') {
            return outside(1, "a text that is too large, or has control characters");
        }
        let prelude = helpers::prelude(text)?;
        let function = &text[prelude.length..];
        let line = helpers::line(text, prelude.length);
        let Some((function, rest)) = function.split_once("\n}\n") else {
            return outside(line, "a function without an end");
        };
        let mut parser =
            Parser { tokens: tokens(&format!("{function}\n}}"), line)?, at: 0, depth: 0, operators: 0 };
        parser.expect("int32_t")?;
        let name = parser.name()?;
        let parameters = parser.parameters()?;
        let body = parser.block()?;
        if parser.peek(0).is_some() || !is_free(&name) || is_known(&name) {
            return outside(line, "a function of this form");
        }
        let frame = Frame { name, parameters, body, helpers: prelude.helpers, pools: prelude.pools, line };
        if rest != frame.after() {
            return outside(line, "other functions after it than those that call it and free its memory");
        }
        Ok(frame)
    }

    /// What must stand after the function.
    fn after(&self) -> String {
        let name = &self.name;
        let count =
            |is: fn(&Parameter) -> bool| self.parameters.iter().filter(|parameter| is(parameter)).count();
        let sizes = (0..count(|parameter| parameter.array.is_none())).map(|k| format!("sizes[{k}]"));
        let buffers = (0..count(|parameter| parameter.array.is_some())).map(|k| format!("buffers[{k}]"));
        let operands = sizes.chain(buffers).collect::<Vec<_>>().join(", ");
        let mut text = format!(
            "\nint32_t {name}_call(const int64_t *sizes, void *const *buffers) {{\n  (void)sizes;\n  (void)buffers;\n  \
             return {name}({operands});\n}}\n"
        );
        if !self.pools.is_empty() {
            text += &format!("\n__attribute__((destructor, cold)) void {name}_release(void) {{\n");
            for pool in &self.pools {
                text += &format!(
                    "  for (int k = 0; k < ATL_POOL; k++) free(__atomic_exchange_n(&{pool}[k], NULL, __ATOMIC_ACQUIRE));\n"
                );
            }
            text += "}\n";
        }
        text
    }
}

impl Parser {
    /// Sizes, then arrays of which no two overlap.
    fn parameters(&mut self) -> Read<Vec<Parameter>> {
        self.expect("(")?;
        let mut parameters: Vec<Parameter> = Vec::new();
        if self.has("void") {
            self.expect(")")?;
            return Ok(parameters);
        }
        loop {
            let line = self.line();
            let is_constant = self.has("const");
            let ty = self.name()?;
            let array = if self.has("*") {
                if !self.has("restrict") {
                    return outside(line, "an array that may overlap with others");
                }
                let Some(scalar) = named_type(&ty).filter(|_| ty != "int") else {
                    return outside(line, "an array of this type");
                };
                Some((scalar, is_constant))
            } else {
                if ty != "int64_t"
                    || is_constant
                    || parameters.last().is_some_and(|last| last.array.is_some())
                {
                    return outside(line, "a parameter of this form");
                }
                None
            };
            let name = self.name()?;
            if !is_free(&name) || parameters.iter().any(|other| other.name == name) {
                return outside(line, format!("the name `{name}` of a parameter"));
            }
            parameters.push(Parameter { name, array });
            if self.has(")") {
                return Ok(parameters);
            }
            self.expect(",")?;
        }
    }
}

/// An expression in a pragma.
pub(super) fn expression(text: &str, line: u64) -> Read<Expr> {
    let mut parser = Parser { tokens: tokens(text, line)?, at: 0, depth: 0, operators: 0 };
    let expr = parser.expr()?;
    match parser.peek(0) {
        None => Ok(expr),
        Some(_) => outside(line, "more than an expression"),
    }
}
