//! semirings
