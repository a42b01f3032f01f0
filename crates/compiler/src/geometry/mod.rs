//! Where the cells of a fractal are: the maps λ and ν between a cell's number and its place.
//!
//! A [`Domain`] is a fractal at a level r. Its cells are the points
//! `p = Σ_{μ=1..r} H_μ[d_μ] · S_{μ−1}` of a grid of side `S_r`: one digit `d_μ ∈ [0, k_μ)` for each level μ
//! (1 is the finest), where the pattern of level μ has scale `s_μ`, `k_μ` replicas and the replica table `H_μ`, and
//! `S_μ = s_1 · … · s_μ`. Every other point of the grid is a *hole*. All entries of `H_μ` are distinct, so
//! different digits give different points; a *mixed* fractal, whose levels have different patterns, is no special
//! case, because everything here goes digit by digit.
//!
//! A scale may differ from axis to axis (`scale (3, 2)`): then S and all that is divided by it has one value for each axis, and nothing
//! else changes. In one dimension y and z are 0 and their scales 1.
//!
//! The *canonical index* of a cell is the number `c = Σ d_μ · K_{μ−1}` with `K_μ = k_1 · … · k_μ`: the digits read as
//! a number with mixed radix, finest digit lowest. It does not depend on any layout in memory; files, digests and
//! random numbers use it.
//!
//! - **λ** ([`Domain::lambda`]) goes from the index to the point: it reads the digits of the index and adds up their
//!   replicas' places.
//! - **ν** ([`Domain::nu`]) goes back: it reads the digits `θ_μ = ⌊p / S_{μ−1}⌋ mod s_μ` of every coordinate and looks up
//!   which replica stands at θ_μ. If at some level none does, the point is a hole, and ν says so.
//!
//! ν(λ(c)) = c for every cell, and λ(ν(p)) = p for every point that is not a hole. A neighbour of a cell is therefore
//! found without any grid in memory: λ, add the offset, ν ([`Domain::neighbour`]).
//!
//! Numbers are u64 throughout. A level whose side or number of cells does not fit is refused when the domain is made
//! ([`LevelError`]); after that nothing overflows. The volume of the grid may be larger: it is u128 or f64 ([`Sizes`]).
//!
//! [`CompactSpace`] is the papers' two-dimensional numbering of the same cells; the papers' formulas as they print
//! them (corrected) stand in `papers.rs`, where tests hold them against the definitions above.
//!
//! Deliberately absent: layouts, blocks, lanes and halos, which the strategies build out of these maps; and the
//! reference simulator's expanded grid, which must share no arithmetic with them.

pub mod bitmap;
mod casts;
mod compact;
pub(crate) mod components;
mod domain;
mod edges;
mod fitted;
mod inverse;
#[cfg(test)]
mod papers;
mod rolling;
mod sizes;
#[cfg(test)]
mod tests;
pub mod threads;

pub use compact::CompactSpace;
pub use domain::{Domain, LevelError, RuleMisfit};
pub use edges::with_flags;
pub use fitted::FittedRule;
pub use sizes::{Sizes, hausdorff_dimension};
