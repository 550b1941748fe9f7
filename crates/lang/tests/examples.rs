//! Every program of `examples/` elaborates without a complaint, and is what it prints as.

use atl_arith::Arith;
use atl_diag::{Color, FileId, SourceMap};
use atl_lang::print::{self, Options};
use atl_lang::{Loader, NoImports, elaborate};
use std::path::{Path, PathBuf};

/// Imports among the examples.
struct Folder<'a> {
    root: &'a Path,
    sources: SourceMap,
    known: Vec<(PathBuf, FileId)>,
}

impl Folder<'_> {
    fn open(&mut self, path: &str) -> Result<(FileId, String), String> {
        let full = self.root.join(path);
        let text = std::fs::read_to_string(&full).map_err(|e| e.to_string())?;
        if let Some((_, id)) = self.known.iter().find(|(p, _)| *p == full) {
            return Ok((*id, text));
        }
        let id = self.sources.add(path, &text);
        self.known.push((full, id));
        Ok((id, text))
    }
}

impl Loader for Folder<'_> {
    fn load(&mut self, _: FileId, path: &str) -> Result<(FileId, String), String> {
        self.open(path)
    }
}

#[test]
fn the_examples_elaborate() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut names: Vec<String> = std::fs::read_dir(&root)
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().into_string().ok())
        .filter(|name| name.ends_with(".atl"))
        .collect();
    names.sort();
    assert!(!names.is_empty());
    let mut wrong = String::new();
    for name in names {
        let mut folder = Folder { root: &root, sources: SourceMap::new(), known: Vec::new() };
        let (id, text) = folder.open(&name).unwrap();
        let parse = atl_syntax::parse_file(id, &text);
        let (module, found) = elaborate(&parse.tree, &mut folder, &mut Arith::new());
        for d in parse.diagnostics.iter().chain(&found) {
            wrong += &d.render(&folder.sources, Color::Never);
        }
        for f in &module.functions {
            let printed = print::print_function(f, &f.body, Options::default());
            let parse = atl_syntax::parse_file(FileId(0), &printed);
            let (again, _) = elaborate(&parse.tree, &mut NoImports, &mut Arith::new());
            let same = again.functions.first().is_some_and(|g| g.ctx == f.ctx && g.body == f.body);
            assert!(same, "{name}: {printed}");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
