//! What a C program sees of a kernel: its functions with their parameters, as data, and the header made of them.
//!
//! The one idea: the source's own head and the header print the same declaration, so they cannot differ; the
//! JSON signature of `atl build` reads it too.

use crate::append;

/// The functions of a printed kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Declaration {
    /// The name of the function with the kernel's own parameters.
    pub function: String,
    /// The name of the function with the uniform ones.
    pub trampoline: String,
    /// The name of the function that frees what the kernel keeps between calls, if it keeps anything.
    pub release: Option<String>,
    /// The parameters of the first: sizes, inputs, outputs.
    pub parameters: Vec<Parameter>,
    /// Is an output an `atl_array`?
    pub grows: bool,
}

/// A parameter of a C function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// Its type: `const float *restrict`.
    pub ty: String,
    /// Its name, as C has it.
    pub name: String,
    /// What the words mean that C has no type for: `f16`.
    pub note: Option<&'static str>,
}

impl Parameter {
    pub(crate) fn new(ty: impl Into<String>, name: impl Into<String>) -> Parameter {
        Parameter { ty: ty.into(), name: name.into(), note: None }
    }

    fn to_text(&self) -> String {
        let Parameter { ty, name, note } = self;
        let note = note.map(|note| format!(" /* {note} */")).unwrap_or_default();
        if ty.ends_with('*') { format!("{ty}{name}{note}") } else { format!("{ty} {name}{note}") }
    }
}

impl Declaration {
    /// The head of the function with the kernel's own parameters.
    pub(crate) fn head(&self) -> String {
        let function = &self.function;
        if self.parameters.is_empty() {
            return format!("int32_t {function}(void)");
        }
        let parameters: Vec<String> = self.parameters.iter().map(Parameter::to_text).collect();
        let line = format!("int32_t {function}({})", parameters.join(", "));
        if line.len() <= 110 {
            line
        } else {
            format!("int32_t {function}(\n    {})", parameters.join(",\n    "))
        }
    }

    /// The head of the uniform function.
    pub(crate) fn uniform(&self) -> String {
        format!("int32_t {}(const int64_t *sizes, void *const *buffers)", self.trampoline)
    }

    /// The header that declares the functions; the source does not include it.
    pub fn header(&self) -> String {
        let guard = format!("ATL_{}_H", self.function.to_uppercase());
        let array = if self.grows { append::TYPE } else { "" };
        let release = self.release.iter().map(|name| format!("void {name}(void);\n")).collect::<String>();
        format!(
            "#ifndef {guard}\n#define {guard}\n\n#include <stdint.h>\n\n\
             #ifdef __cplusplus\n#define restrict __restrict\nextern \"C\" {{\n#endif\n\n\
             {array}{};\n{};\n{release}\n\
             #ifdef __cplusplus\n}}\n#undef restrict\n#endif\n\n#endif\n",
            self.head(),
            self.uniform()
        )
    }
}
