//! From names of the loop IR to C identifiers.
//!
//! Two names of one kernel never get one identifier, and none gets a word that means something else where
//! the printed code stands. Names that are fine in C stay as they are.

use atl_loops::Name;
use std::collections::{BTreeMap, BTreeSet};

/// Words of C that are no words of C++, and of the headers that the printed code includes.
const OWN: &str = "restrict typeof i386 aligned_alloc free realloc size_t";

/// The macros of the headers that the printed code includes, besides those that limit types.
const MACROS: &str = include_str!("macros.txt");

/// What the C library and POSIX call something, functions and types: a kernel of the same name would replace it in the program that links it.
const LIBRARY: &str = include_str!("library.txt");

/// How the functions of OpenMP's runtimes begin, which the printed code calls in compiled form.
const RUNTIMES: [&str; 6] = ["omp_", "ompx_", "GOMP_", "GOACC_", "kmp_", "kmpc_"];

/// The identifiers of one kernel.
pub(crate) struct Names {
    given: BTreeMap<Name, String>,
    parts: BTreeMap<(Name, String), String>,
    taken: BTreeSet<String>,
}

impl Names {
    /// Names of which none gets one of these identifiers.
    pub(crate) fn besides(taken: impl IntoIterator<Item = String>) -> Names {
        Names { given: BTreeMap::new(), parts: BTreeMap::new(), taken: taken.into_iter().collect() }
    }

    /// The identifier of a size, loop variable or buffer.
    pub(crate) fn identifier(&mut self, name: &Name) -> String {
        if let Some(identifier) = self.given.get(name) {
            return identifier.clone();
        }
        let identifier = self.fresh(plain(name));
        self.given.insert(name.clone(), identifier.clone());
        identifier
    }

    /// The identifier of something that belongs to a name: one of the variables that a buffer is kept in, the end of a loop.
    pub(crate) fn part(&mut self, name: &Name, part: &str) -> String {
        let key = (name.clone(), part.to_owned());
        if let Some(identifier) = self.parts.get(&key) {
            return identifier.clone();
        }
        let identifier = self.fresh(format!("{}_{part}", plain(name)));
        self.parts.insert(key, identifier.clone());
        identifier
    }

    /// An identifier like this one that nothing else has.
    fn fresh(&mut self, mut identifier: String) -> String {
        while is_reserved(&identifier) || self.taken.contains(&identifier) {
            identifier.push('_');
        }
        self.taken.insert(identifier.clone());
        identifier
    }
}

fn is_reserved(word: &str) -> bool {
    atl_c_text::names::is_reserved(word, &[OWN, MACROS])
}

/// The parameters of a trampoline.
pub(crate) const TRAMPOLINE_PARAMETERS: [&str; 2] = ["sizes", "buffers"];

/// The name of the function of a kernel.
pub(crate) fn function(name: &Name) -> String {
    let mut identifier = plain(name);
    let is_taken = |word: &str| {
        is_reserved(word)
            || RUNTIMES.iter().any(|prefix| word.starts_with(prefix))
            || LIBRARY.split_ascii_whitespace().any(|known| known == word)
            || TRAMPOLINE_PARAMETERS.contains(&word)
    };
    if is_taken(&identifier) {
        identifier.push('_');
    }
    identifier
}

/// The name in the characters of C, outside what the language and the helpers (`atl_`) keep for themselves.
fn plain(name: &Name) -> String {
    let spelling = name.as_str().replace('\'', "_prime");
    let is_of_a_header = ["_t", "_MAX", "_MIN", "_C"].iter().any(|end| spelling.ends_with(end));
    if spelling.starts_with('_') || spelling.starts_with("atl_") || is_of_a_header {
        return format!("v_{spelling}");
    }
    spelling
}

#[cfg(test)]
mod tests {
    use super::{LIBRARY, Names, function};

    #[test]
    fn no_kernel_replaces_what_the_printed_code_calls() {
        for name in ["omp_get_thread_num", "GOMP_parallel", "kmpc_fork_call", "malloc"] {
            assert_eq!(function(&name.into()), format!("{name}_"));
        }
        assert_eq!(function(&"compute".into()), "compute");
    }

    #[test]
    fn identifiers_are_distinct_and_harmless() {
        let mut names = Names::besides(["blur".to_owned()]);
        let given = [
            "x",
            "int",
            "int_",
            "x'",
            "x_prime",
            "_Bool",
            "atl_min",
            "int64_t",
            "x",
            "INT32_MAX",
            "INT64_C",
            "FD_SETSIZE",
            "blur",
        ];
        let identifiers: Vec<String> = given.iter().map(|name| names.identifier(&(*name).into())).collect();
        let expected = [
            "x",
            "int_",
            "int__",
            "x_prime",
            "x_prime_",
            "v__Bool",
            "v_atl_min",
            "v_int64_t",
            "x",
            "v_INT32_MAX",
            "v_INT64_C",
            "FD_SETSIZE_",
            "blur_",
        ];
        assert_eq!(identifiers, expected);
    }

    #[test]
    fn kernels_replace_no_library_function() {
        for word in LIBRARY.split_ascii_whitespace() {
            assert_eq!(function(&word.into()), format!("{word}_"));
        }
        for known in ["exp", "memchr", "send", "main", "fork", "uint", "BIG_ENDIAN", "EXIT_FAILURE"] {
            assert_eq!(function(&known.into()), format!("{known}_"));
        }
        assert_eq!(function(&"sizes".into()), "sizes_");
        assert_eq!(function(&"blur".into()), "blur");
    }
}
