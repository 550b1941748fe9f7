//! backend-cranelift
