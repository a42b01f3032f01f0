//! Replica lanes: the layout of a fractal's cells in columns, and the way from a rule to kernels on it.

pub mod layout;
#[cfg(test)]
mod samples;
pub mod table;
