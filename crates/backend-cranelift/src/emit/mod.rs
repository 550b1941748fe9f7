//! A kernel as one function: entry, checks, body.

mod bits;
mod elementary;
mod halves;
mod ints;
mod memory;
mod merge;
mod search;
mod stmts;
mod touched;
mod values;

use crate::{Error, host, status};
use atl_loops::{Access, Bool, Int, Kernel, Name, Scalar};
use cranelift_codegen::ir::{AbiParam, FuncRef, InstBuilder, MemFlagsData, Signature, Type, Value, types};
use cranelift_frontend::{FunctionBuilder, Variable};
use cranelift_jit::JITModule;
use cranelift_module::{Linkage, Module};
use halves::Halves;
use memory::Place;
use std::collections::BTreeMap;

/// The machine type of a scalar.
fn machine_type(scalar: Scalar) -> Type {
    match (scalar.is_float(), scalar.bits()) {
        (_, 16) => types::I16,
        (true, 32) => types::F32,
        (true, _) => types::F64,
        (false, 8) => types::I8,
        (false, 32) => types::I32,
        (false, _) => types::I64,
    }
}

/// A signature in the platform's C calling convention.
pub(crate) fn signature(module: &JITModule, params: &[Type], returns: &[Type]) -> Signature {
    let mut signature = module.make_signature();
    signature.params.extend(params.iter().map(|ty| AbiParam::new(*ty)));
    signature.returns.extend(returns.iter().map(|ty| AbiParam::new(*ty)));
    signature
}

/// The functions of the host, declared in the function that is built.
struct Host {
    cells: FuncRef,
    alloc: FuncRef,
    free: FuncRef,
    grow: FuncRef,
    marks: FuncRef,
    mark: FuncRef,
    take: FuncRef,
    unmarked: FuncRef,
    turn: [FuncRef; 3],
    fmod: [FuncRef; 2],
    halves: [Halves; 2],
}

impl Host {
    fn declare(module: &mut JITModule, builder: &mut FunctionBuilder<'_>) -> Result<Host, Error> {
        let pointer = module.target_config().pointer_type();
        let mut declare = |name: &str, params: &[Type], returns: &[Type]| -> Result<FuncRef, Error> {
            let signature = signature(module, params, returns);
            let id = module
                .declare_function(name, Linkage::Import, &signature)
                .map_err(|error| Error::Backend(error.to_string()))?;
            Ok(module.declare_func_in_func(id, builder.func))
        };
        Ok(Host {
            cells: declare("atl_cells", &[types::I64; 2], &[types::I64])?,
            alloc: declare("atl_alloc", &[types::I64; 2], &[pointer])?,
            grow: declare("atl_grow", &[pointer], &[])?,
            free: declare("atl_free", &[pointer, types::I64, types::I64], &[])?,
            marks: declare("atl_marks", &[types::I64], &[pointer])?,
            mark: declare("atl_mark", &[pointer, types::I64], &[])?,
            take: declare("atl_take", &[pointer], &[types::I64])?,
            unmarked: declare("atl_unmarked", &[pointer], &[])?,
            turn: [
                declare("atl_turn_high", &[types::F64], &[types::F64])?,
                declare("atl_turn_low", &[types::F64], &[types::F64])?,
                declare("atl_turn_quarters", &[types::F64], &[types::I64])?,
            ],
            halves: [
                Halves::declare(host::HALVES[0], &mut declare)?,
                Halves::declare(host::HALVES[1], &mut declare)?,
            ],
            fmod: [
                declare("atl_fmod_f32", &[types::F32; 2], &[types::F32])?,
                declare("atl_fmod_f64", &[types::F64; 2], &[types::F64])?,
            ],
        })
    }
}

/// The function that is built, and what is in scope at the point where instructions go.
struct Emitter<'a> {
    builder: FunctionBuilder<'a>,
    host: Host,
    pointer: Type,
    /// The types of all buffers.
    types: BTreeMap<Name, Scalar>,
    /// Sizes and loop variables.
    vars: BTreeMap<Name, Value>,
    /// Touched buffers.
    touched: BTreeMap<Name, touched::Touched>,
    /// The searches that go on along the loops around.
    fingers: Vec<search::Finger>,
    /// Buffers.
    places: BTreeMap<Name, Place>,
    /// The bits of [`status`] so far.
    status: Variable,
    /// A zero, for loads out of bounds.
    spare_zero: Value,
    /// A cell that no load reads, for stores out of bounds.
    spare_cell: Value,
}

/// Emits the kernel into an empty function of type `(*const i64, *const *mut u8) -> i32`.
pub(crate) fn kernel(
    kernel: &Kernel,
    mut builder: FunctionBuilder<'_>,
    module: &mut JITModule,
) -> Result<(), Error> {
    let host = Host::declare(module, &mut builder)?;
    let config = module.target_config();
    let entry = builder.create_block();
    builder.append_block_params_for_function_params(entry);
    builder.switch_to_block(entry);
    builder.seal_block(entry);
    let (sizes, buffers) = (builder.block_params(entry)[0], builder.block_params(entry)[1]);

    let mut emitter = Emitter {
        status: builder.declare_var(types::I32),
        spare_zero: memory::spare(&mut builder, config.pointer_type()),
        spare_cell: memory::spare(&mut builder, config.pointer_type()),
        builder,
        host,
        pointer: config.pointer_type(),
        types: kernel.buffer_types(),
        vars: BTreeMap::new(),
        touched: BTreeMap::new(),
        fingers: Vec::new(),
        places: BTreeMap::new(),
    };
    let ok = emitter.builder.ins().iconst(types::I32, 0);
    emitter.builder.def_var(emitter.status, ok);
    for (offset, size) in (0i32..).step_by(8).zip(&kernel.sizes) {
        let value = emitter.builder.ins().load(types::I64, MemFlagsData::trusted(), sizes, offset);
        emitter.vars.insert(size.clone(), value);
    }
    emitter.check_requirements(kernel);
    let width = i32::from(config.pointer_bytes());
    for (position, param) in (0i32..).zip(&kernel.params) {
        let pointer_type = emitter.pointer;
        let flags = MemFlagsData::trusted();
        let base = emitter.builder.ins().load(pointer_type, flags, buffers, position * width);
        let cells = emitter.int(&Int::product(&param.extents));
        let place = match param.access {
            Access::Append => Place::Appended(base),
            _ => Place::Memory { base, cells },
        };
        emitter.places.insert(param.name.clone(), place);
    }
    emitter.stmt(&kernel.body);
    let status = emitter.builder.use_var(emitter.status);
    emitter.builder.ins().return_(&[status]);
    emitter.builder.finalize(config);
    Ok(())
}

impl Emitter<'_> {
    /// Returns with a refusal unless the sizes satisfy what the kernel requires. Signs of sizes and extents are the
    /// caller's to check: it compares lengths anyway.
    fn check_requirements(&mut self, kernel: &Kernel) {
        let Some(requirements) = kernel.requires.iter().cloned().reduce(Bool::and) else { return };
        let holds = self.bool(&requirements);
        let (go, refuse) = (self.builder.create_block(), self.builder.create_block());
        self.builder.ins().brif(holds, go, &[], refuse, &[]);
        self.enter_sealed(refuse);
        let refused = self.builder.ins().iconst(types::I32, status::REFUSED);
        self.builder.ins().return_(&[refused]);
        self.enter_sealed(go);
    }

    /// Goes on in a block all of whose predecessors are known.
    fn enter_sealed(&mut self, block: cranelift_codegen::ir::Block) {
        self.builder.switch_to_block(block);
        self.builder.seal_block(block);
    }

    /// Adds bits to the status where the condition holds.
    fn add_status(&mut self, condition: Value, bits: i64) {
        let old = self.builder.use_var(self.status);
        let bits = self.builder.ins().iconst(types::I32, bits);
        let with = self.builder.ins().bor(old, bits);
        let new = self.builder.ins().select(condition, with, old);
        self.builder.def_var(self.status, new);
    }

    /// The only result of a call.
    fn call(&mut self, function: FuncRef, args: &[Value]) -> Value {
        let call = self.builder.ins().call(function, args);
        self.builder.inst_results(call)[0]
    }
}
