//! Masks and boxes on the CPU: rows as lanes.
//!
//! A column is a stretch of a row ([`RowGrid`](squeeze_compiler::layout::rows::RowGrid)), and a superblock is one column: the kernels are those of
//! replica lanes for a superblock of a single cell that looks at any distance. Neighbours within a row are a shifted column, made of two that follow each
//! other; whether there is a cell is a shifted mask. Lanes that are no cells hold 0 between passes, as kernels expect of absent cells;
//! memory at the ends of rows is read as it is where its values cannot matter (`Halo::guarded`).

pub(super) mod band;
pub(super) mod bits;
pub(super) mod blocks;
pub(super) mod clear;
mod dense;
pub(super) mod lines;
pub(super) mod padded;
mod spread;
pub(super) mod storage;
pub(super) mod sums;
