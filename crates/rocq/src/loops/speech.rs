//! What words need of the program: its algebras, numbers and functions, each with its number in the signature
//! (`Words.v`).

use atl_kernel::Laws;
use atl_loops::Name;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// Names that are numbered in the order of their first use.
#[derive(Default)]
pub(super) struct Numbered(Vec<String>);

impl Numbered {
    pub(super) fn number(&mut self, name: &str) -> usize {
        if let Some(k) = self.0.iter().position(|known| known == name) {
            return k;
        }
        self.0.push(name.to_owned());
        self.0.len() - 1
    }

    fn list(&self) -> String {
        format!("[{}]", self.0.join("; "))
    }
}

/// Numbers, variables and buffers in words: each is defined once and named, since Rocq takes long to read a
/// number or a string.
#[derive(Default)]
pub(super) struct Leaves(RefCell<BTreeMap<String, String>>);

impl Leaves {
    /// The name of `Lit 3`, `Free 2` or `Bound 0`. No name of the program has such a mark; a buffer's has
    /// two.
    pub(super) fn name(&self, text: &str) -> String {
        let plain: String = text.replace('-', "m").chars().filter(char::is_ascii_alphanumeric).collect();
        self.defined(plain.to_lowercase() + "'", text)
    }

    /// The name of a buffer's name.
    pub(super) fn buffer(&self, buf: &Name) -> String {
        self.defined(format!("{buf}''"), &format!("\"{buf}\"%string"))
    }

    fn defined(&self, name: String, text: &str) -> String {
        self.0.borrow_mut().insert(name.clone(), text.to_owned());
        name
    }

    /// The definitions.
    pub(super) fn definitions(&self) -> String {
        self.0.borrow().iter().map(|(name, text)| format!("Definition {name} := {text}.\n")).collect()
    }
}

/// The signature, and the laws that are used.
#[derive(Default)]
pub(super) struct Signature {
    pub(super) algebras: Numbered,
    pub(super) numbers: Numbered,
    pub(super) indices: Numbered,
    /// Functions of one, two and three operands.
    pub(super) functions: [Numbered; 3],
    pub(super) laws: BTreeSet<(usize, usize)>,
}

/// The constructors for the laws that lowering uses, by their names in the kernel.
const LAWS: [(&str, &str); 3] = [("ADD_0_L", "Add_0_l"), ("ADD_0_R", "Add_0_r"), ("ADD_ASSOC", "Add_assoc")];

impl Signature {
    /// A number, by its text as a term.
    pub(super) fn constant(&mut self, text: &str) -> String {
        match text.strip_prefix("(zero ").and_then(|text| text.strip_suffix(')')) {
            Some(algebra) => format!("(CZero {})", self.algebras.number(algebra)),
            None => format!("(CNamed {})", self.numbers.number(text)),
        }
    }

    /// The constructor for the words of a function, and its number.
    pub(super) fn function(&mut self, text: &str, operands: usize) -> (&'static str, usize) {
        let operands = operands.clamp(1, 3);
        (["One", "Two", "Three"][operands - 1], self.functions[operands - 1].number(text))
    }

    /// The record of Rocq.
    pub(super) fn record(&self) -> String {
        let lists = [&self.algebras, &self.numbers, &self.indices].into_iter().chain(&self.functions);
        lists.fold("Signature".to_owned(), |text, names| text + " " + &names.list())
    }

    /// The algebra whose zero stands for what no word names.
    pub(super) fn any(&self) -> &str {
        self.algebras.0.first().map_or("", String::as_str)
    }

    /// The laws as the goal lists them, and the tactic that shows them.
    pub(super) fn lawful(&self) -> (String, String) {
        let (mut laws, mut proofs) = (Vec::new(), "apply Forall_nil".to_owned());
        for &(algebra, law) in &self.laws {
            let name = Laws::TABLE[law].0;
            if let Some((_, constructor)) = LAWS.iter().find(|(known, _)| *known == name) {
                laws.insert(0, format!("({algebra}%nat, {constructor})"));
                let proof = format!("{}_{}", self.algebras.0[algebra], name.to_lowercase());
                proofs = format!("apply Forall_cons; [exact {proof}|{proofs}]");
            }
        }
        (format!("[{}]", laws.join("; ")), proofs)
    }
}
