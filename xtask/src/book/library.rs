//! The page of the standard library: the functions and monoids of its modules, with their comments.

use super::head;
use crate::tree::Tree;
use std::fmt::Write;

/// Where the modules are.
const FOLDER: &str = "crates/lang/src/library/";

/// The page.
pub(super) fn render(tree: &Tree) -> Result<String, String> {
    let mut page = head("The standard library", FOLDER);
    page.push_str(INTRO);
    let modules =
        tree.files.iter().filter(|file| file.path.starts_with(FOLDER) && file.path.ends_with(".atl"));
    for file in modules {
        let name = file.path.trim_start_matches(FOLDER).trim_end_matches(".atl");
        let about = file.text.lines().next().and_then(|line| line.strip_prefix("// "));
        let about = about.ok_or(format!("{}: no comment in its first line", file.path))?;
        // Writing to a string does not fail.
        let described = functions(&file.text);
        let on_tuples = described.iter().any(|(head, _)| MONOIDS.iter().any(|word| head.starts_with(word)));
        let what = if on_tuples { "elements" } else { "function" };
        let _ = write!(page, "\n## `std.{name}`\n\n{about}\n\n| {what} | value |\n|---|---|\n");
        for (head, doc) in described {
            let _ = writeln!(page, "| `{}` | {} |", head.replace('|', "\\|"), doc.replace('|', "\\|"));
        }
    }
    Ok(page)
}

/// How monoids and semirings on tuples begin.
const MONOIDS: [&str; 2] = ["monoid ", "semiring "];

/// The heads of the functions and monoids that have comments, with these; of monoids, also the laws that they
/// claim.
fn functions(text: &str) -> Vec<(String, String)> {
    let (mut found, mut doc) = (Vec::new(), Vec::new());
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(said) = line.strip_prefix("///") {
            doc.push(said.trim());
            continue;
        }
        if MONOIDS.iter().any(|word| line.starts_with(word)) && !doc.is_empty() {
            let own = lines.by_ref().take_while(|line| *line != "}");
            let laws = own.filter_map(|line| line.trim().strip_prefix("laws ")).last();
            let laws = laws.map(|laws| format!("Laws: {}.", laws.trim_end_matches(';')));
            let said = doc.iter().map(|said| (*said).to_owned()).chain(laws).collect::<Vec<_>>();
            found.push((line.trim_end_matches(" {").to_owned(), said.join(" ")));
        }
        if let Some(rest) = line.strip_prefix("fn ")
            && !doc.is_empty()
        {
            let mut head = rest.to_owned();
            while !head.ends_with('{') {
                let Some(more) = lines.next() else { break };
                let space = if head.ends_with('(') || more.trim().starts_with(')') { "" } else { " " };
                head = format!("{}{space}{}", head.trim_end_matches(','), more.trim());
            }
            found.push((head.trim_end_matches('{').trim_end().to_owned(), doc.join(" ")));
        }
        doc.clear();
    }
    found
}

const INTRO: &str = "Modules in the language, which the compiler brings along. `use std.nn.{relu, softmax};` at the head of a file makes \
functions of one known in it, and monoids. What is not used costs nothing, and no name is taken that a file does not ask for.

```atl
use std.image.{gaussian_blur};
use std.nn.{relu};

fn edges(img: f32[H, W]) -> f32[H, W] {
    relu(img - gaussian_blur(img, 1.5, 4))
}
```

A call is the function's body in place, so schedules act on its loops as on those of the program. Most functions are
[generic](language.md#generic-functions): `T` is the element type of the arguments. Functions of numbers take tensors, too, [element by
element](language.md#element-by-element). [Monoids and semirings on tuples](language.md#tuples-and-monoids) are used like those of the
program: `sum i < N in least { (x[i], i64(i)) }`. `atl explain std.image` prints a module's page, `atl explain std.image.sobel` that of a function.

Each is compared with NumPy and SciPy, for several element types and on every back end, by `tests/numpy/library.py`.
A function adds in the type of its arguments: sums of many `f16` or `bf16` are inexact, or infinite, also in `softmax`, `layer_norm` and `mean`.
Convert before: `softmax(f32(x))`.
";

#[cfg(test)]
mod tests {
    use super::functions;

    #[test]
    fn functions_without_comments_are_the_modules_own() {
        let text = "// About.\n\nfn own(x: f32) -> f32 {\n    x\n}\n\n/// One.\n/// Two.\nfn f<T: any>(\n    x: T,\n) -> T {\n    x\n}\n";
        assert_eq!(functions(text), [("f<T: any>(x: T) -> T".to_owned(), "One. Two.".to_owned())]);
    }

    #[test]
    fn monoids_have_their_laws() {
        let text = "/// Least.\nmonoid least on (v: f64) {\n    zero inf;\n    add min(a, b);\n    laws associative;\n}\n";
        let expected = ("monoid least on (v: f64)".to_owned(), "Least. Laws: associative.".to_owned());
        assert_eq!(functions(text), [expected]);
    }
}
