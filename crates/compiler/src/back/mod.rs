//! Back ends that print: from verified kernels to the text of another language.

pub mod cuda;
pub mod rust;
