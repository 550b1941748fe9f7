//! backend-c
