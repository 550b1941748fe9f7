//! Allocations as C.
//!
//! An allocation becomes a block: a local array or variable, or a heap buffer whose scope is the branch where the
//! allocation succeeded. A failure therefore needs no jump, which a parallel region would forbid: the kernel continues
//! without that scope and returns a status.

use crate::STATUS_NO_MEMORY;
use crate::scalars::c_type;
use crate::stmts::Printer;
use crate::vector_type::Vector;
use atl_c_text::Dialect;
use atl_loops::{Init, Int, Name, Scalar, Stmt, Storage};

impl<'a> Printer<'a> {
    /// An allocation and its scope, up to the end of the C block.
    pub(crate) fn alloc(&mut self, stmt: &Stmt) {
        let Stmt::Alloc { buf, scalar, extents, storage, init, body } = stmt else { return };
        match storage {
            Storage::Heap | Storage::Touched => self.heap(buf, *scalar, extents, *storage, init, body),
            Storage::Register if extents.is_empty() => {
                self.terms.add_local(buf);
                let (variable, ty) = (self.terms.identifier(buf), c_type(*scalar));
                let first = match init {
                    Init::Value(value) => format!(" = {}", self.terms.val(value)),
                    Init::Uninit if self.uses.may_stay_empty(buf) => " = 0".to_owned(),
                    Init::Uninit => String::new(),
                };
                self.line(&format!("{ty} {variable}{first};"));
                self.mark_unread(buf);
                self.tail_statement(body);
            }
            Storage::Register if let Some(tile) = self.terms.register(buf) => {
                let empty = if tile.in_parts || self.uses.may_stay_empty(buf) { " = {0}" } else { "" };
                for (variable, vector) in self.vectors_of(buf) {
                    let unread = if self.uses.is_unread(buf) { " __attribute__((unused))" } else { "" };
                    let ty = self.terms.vector_type(vector);
                    self.line(&format!("{ty} {variable}{unread}{empty};"));
                }
                self.initialise(buf, init);
                self.tail_statement(body);
            }
            Storage::Stack | Storage::Register | Storage::Shared(_) => {
                let (variable, ty) = (self.terms.identifier(buf), c_type(*scalar));
                // The validator has bounded the extents.
                let cells = Int::product(extents).constant().unwrap_or(0);
                let uninit = *init == Init::Uninit;
                let first = if uninit && self.uses.may_stay_empty(buf) { " = {0}" } else { "" };
                self.line(&format!("{ty} {variable}[{}] __attribute__((aligned(64))){first};", cells.max(1)));
                self.cells.insert(buf.clone(), cells.to_string());
                self.mark_unread(buf);
                self.initialise(buf, init);
                self.tail_statement(body);
            }
        }
    }

    /// The named vectors that a buffer is.
    fn vectors_of(&mut self, buf: &Name) -> Vec<(String, Vector)> {
        let Some(tile) = self.terms.register(buf) else { return Vec::new() };
        (0..tile.count).map(|k| (self.terms.part(buf, k), tile.vector)).collect()
    }

    /// Compilers warn of a local that is not read, unless something says that this is meant.
    pub(crate) fn mark_unread(&mut self, buf: &Name) {
        if self.uses.is_unread(buf) {
            let variable = self.terms.identifier(buf);
            self.line(&format!("(void){variable};"));
        }
    }

    fn heap(
        &mut self,
        buf: &Name,
        scalar: Scalar,
        extents: &[Int],
        storage: Storage,
        init: &Init,
        body: &Stmt,
    ) {
        self.terms.helpers().extend(["atl_take", "atl_cells"]);
        let (variable, ty) = (self.terms.identifier(buf), c_type(scalar));
        let count = format!("atl_cells_{variable}");
        let factors: Vec<String> = extents.iter().map(|extent| self.terms.int(extent)).collect();
        let product = match factors.as_slice() {
            [] => "1".to_owned(),
            [only] => format!("atl_cells({only}, 1)"),
            [first, others @ ..] => {
                others.iter().fold(first.clone(), |product, factor| format!("atl_cells({product}, {factor})"))
            }
        };
        self.line(&format!("const int64_t {count} = {product};"));
        if let (Storage::Touched, Init::Value(first)) = (storage, init) {
            self.touched.insert(buf.clone(), first.clone());
            return self.touched(buf, scalar, &count, init, body);
        }
        self.line(&format!(
            "{ty} *restrict {variable} = atl_take(atl_pool_{variable}, {count}, sizeof({ty}));"
        ));
        self.scope_of(buf, |printer| {
            printer.set_cells(buf, count);
            printer.initialise(buf, init);
            // The memory is given back in this block, after whatever scope the body opens.
            printer.stmt(body);
        });
    }

    /// How many cells a buffer has, as C.
    pub(crate) fn set_cells(&mut self, buf: &Name, count: String) {
        self.cells.insert(buf.clone(), count);
    }

    /// The scope of memory that was taken from the buffer's pool, if there was any.
    pub(crate) fn scope_of(&mut self, buf: &Name, body: impl FnOnce(&mut Printer<'a>)) {
        let variable = self.terms.identifier(buf);
        self.pools.push(variable.clone());
        self.block(&format!("if ({variable} == NULL) "), |printer| {
            if printer.parallel > 0 {
                printer.line("#pragma omp atomic write");
            }
            printer.line(&format!("atl_status = {STATUS_NO_MEMORY};"));
        });
        self.otherwise(|printer| {
            body(printer);
            printer.line(&format!("atl_give(atl_pool_{variable}, {variable});"));
        });
    }

    /// Begins a lifetime.
    pub(crate) fn initialise(&mut self, buf: &Name, init: &Init) {
        let Init::Value(value) = init else { return };
        for (variable, vector) in self.vectors_of(buf) {
            let value = self.terms.vector_of(value, vector);
            self.line(&format!("{variable} = {value};"));
        }
        if self.terms.register(buf).is_some() {
            return;
        }
        let (variable, value) = (self.terms.identifier(buf), self.terms.val(value));
        if self.terms.is_local(buf) {
            return self.line(&format!("{variable} = {value};"));
        }
        let cells = self.cells.get(buf).cloned().unwrap_or_else(|| "0".to_owned());
        if cells == "1" {
            return self.line(&format!("{variable}[0] = {value};"));
        }
        self.line(&format!("for (int64_t atl_k = 0; atl_k < {cells}; atl_k++) {variable}[atl_k] = {value};"));
    }
}
