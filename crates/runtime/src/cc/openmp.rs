//! Whether the compiler makes OpenMP programs.
//!
//! One idea: compile one and see. The sound answer "yes" is an artefact of the cache; a "no" is remembered for the
//! process only, since installing a library changes it.

use std::path::Path;
use std::sync::OnceLock;

use super::compile_shared;

/// The flag that turns OpenMP on.
pub const OPENMP_FLAG: &str = "-fopenmp";

const PROBE: &str = "#include <omp.h>\nint atl_openmp_probe(void) {\n    int n = 0;\n#pragma omp parallel for reduction(+ : n)\n    for (int i = 0; i < 8; i++) n += omp_get_num_threads();\n    return n;\n}\n";

/// Whether the machine's compiler compiles and links OpenMP programs.
pub fn supports_openmp(cache: &Path) -> bool {
    static SUPPORTED: OnceLock<bool> = OnceLock::new();
    *SUPPORTED.get_or_init(|| compile_shared(PROBE, &[OPENMP_FLAG.to_owned()], cache).is_ok())
}
