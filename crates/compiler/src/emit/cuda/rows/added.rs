//! Kernels of rows that add up: what a thread of a tile finds it keeps for the next tile of its block.

use crate::emit::cuda::THREADS;
use crate::emit::cuda::text::{Entry, name_of_argument, render};
use crate::emit::cuda::totals::Adding;
use minijinja::context;

const ADDED: &str = include_str!("../../../../templates/added.cu");

/// Prints the kernel that calls a function for all tiles, `across` of which stand across a row.
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
