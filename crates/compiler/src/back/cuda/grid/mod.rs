//! The strategies of the papers on CUDA: blocks of side ρ, visited and kept expanded or compact. Begun: the plan of a grid,
//! the proof of exact products, λ and ν level by level, and a rule's code for one cell.

mod body;
mod exact;
mod plan;
mod scalar;
mod vanish;

pub use exact::{Fragment, Inexact, Product, Row, prove};
pub use plan::{Grid, GridError, Map, Strategy};
