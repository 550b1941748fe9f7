//! What the names of a file mean that stand outside of functions: functions, generic ones and constants.

use super::constant::Constant;
use crate::module::Function;
use atl_diag::FileId;
use atl_syntax::ast;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

/// The functions and constants of a file and of what it imports; `None` is one that was refused.
#[derive(Default)]
pub(crate) struct Functions {
    made: BTreeMap<String, Option<Function>>,
    generic: BTreeMap<String, ast::Function>,
    /// Instances of generic functions, by name and element types, `f<f32>`.
    instances: Mutex<BTreeMap<String, Option<Function>>>,
    pub(super) constants: BTreeMap<String, Constant>,
    /// The constants that are tensors, each after those that it is made of.
    pub(super) tables: Vec<String>,
    /// The constants that a function or constant may mention, those of its callees included.
    pub(super) mentions: BTreeMap<String, BTreeSet<String>>,
    /// The files that each imports, directly or by way of others.
    pub(super) imports: BTreeMap<FileId, BTreeSet<FileId>>,
}

impl Functions {
    pub(crate) fn get(&self, name: &str) -> Option<&Option<Function>> {
        self.made.get(name)
    }

    pub(crate) fn insert(&mut self, name: String, function: Option<Function>) {
        self.made.insert(name, function);
    }

    pub(crate) fn generic(&self, name: &str) -> Option<&ast::Function> {
        self.generic.get(name)
    }

    pub(crate) fn insert_generic(&mut self, function: ast::Function) {
        self.generic.insert(function.name.text.clone(), function);
    }

    /// Is there a function of this name, generic or not?
    pub(crate) fn contains_key(&self, name: &str) -> bool {
        self.made.contains_key(name) || self.generic.contains_key(name)
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = &String> {
        self.made.keys().chain(self.generic.keys())
    }

    /// The constants that have a meaning in a file: its own, and those of its imports. What another
    /// file calls a size stays one.
    pub(super) fn visible(&self, file: FileId) -> impl Iterator<Item = (&String, &Constant)> {
        let imported = self.imports.get(&file);
        let sees = move |of: FileId| of == file || imported.is_some_and(|files| files.contains(&of));
        self.constants.iter().filter(move |(_, constant)| sees(constant.span.file))
    }

    pub(super) fn instance(&self, name: &str) -> Option<Option<Function>> {
        self.instances.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    pub(super) fn insert_instance(&self, name: &str, function: Option<Function>) {
        let mut instances = self.instances.lock().unwrap_or_else(PoisonError::into_inner);
        instances.insert(name.to_owned(), function);
    }
}

impl FromIterator<(String, Option<Function>)> for Functions {
    fn from_iter<I: IntoIterator<Item = (String, Option<Function>)>>(functions: I) -> Functions {
        Functions { made: functions.into_iter().collect(), ..Functions::default() }
    }
}
