//! Kernels of rows that add up: what a thread of a tile finds it keeps for the next tile of its block.

use super::{End, RowsKernel, print as print_rows};
use crate::emit::cuda::THREADS;
use crate::emit::cuda::text::{CudaText, Entry, name_of_argument, render};
use crate::emit::cuda::totals::Adding;
use crate::layout::rows::RowGrid;
use crate::passes::Ready;
use crate::reduce::weighted_bits::WeightedBits;
use minijinja::context;

const ADDED: &str = include_str!("../../../../templates/added.cu");

/// Prints the kernel that adds up [totals](crate::pipeline::compile_totals) of a mask or a box, as [`emit_totals`](super::super::emit_totals) does on
/// fractals. Any number of blocks does.
pub fn emit_totals_of_rows(
    grid: &RowGrid,
    packed: bool,
    kernel: &Ready,
    totals: &[WeightedBits],
    head: &[String],
) -> CudaText {
    print_rows(grid, packed, vec![RowsKernel::once(kernel)], head, End::AddUp(totals))
}

/// Prints the kernel that calls a function for all tiles, so many of which stand across a row.
pub(super) fn print(
    adding: &Adding,
    entry: &mut Entry,
    (of_tile, across): (&str, usize),
    arguments: &[String],
) -> String {
    entry.adds_up = true;
    render(
        ADDED,
        context! {
            threads => THREADS,
            name => entry.name.clone(),
            arguments => arguments.to_vec(),
            declarations => adding.declarations(),
            across,
            rows => entry.together,
            of_tile,
            names => arguments.iter().map(|argument| name_of_argument(argument)).collect::<Vec<_>>(),
            kept => adding.references().1,
            leave => adding.leave(false),
        },
    )
}
