//! The tables of a printed kernel's `World` as a file, for programs of others that run it.

use crate::params::Params;
use squeeze_compiler::emit::cuda::{FarTables, LayoutTables};
use squeeze_compiler::ir::Rule;
use squeeze_compiler::kernel::Direction;
use squeeze_compiler::layout::Geometry;
use squeeze_compiler::layout::table::{TouchedSides, neighbours_of};
use squeeze_compiler::layout::unit::Unit;
use squeeze_compiler::plan::Plan;
use std::io::{self, Write};

/// How the file begins.
const MAGIC: &[u8; 8] = b"SQWORLD1";

/// Writes the tables that `World` in the CUDA C of [`program`](super::program) points to, except the clock.
///
/// All numbers are little-endian. `SQWORLD1`, then as u64: the cells of a lane, the superblocks, the level, the side, and the
/// time steps of a pass; then ten tables: nine in the order of `World`'s pointers (`neighbours`, `edges`, `sources`, `presence`,
/// `first_terms`, `terms`, `params`, `lane_corners`, `superblock_corners`), and the replica of each lane, each as a u64 with its length in bytes and its
/// bytes, filled up with zeros to a multiple of 8. Behind the parameters stand the numbers that kernels
/// [derive](squeeze_compiler::kernel::derived) from them. The table `superblock_corners` is empty where the rule names no coordinate. Where kernels look
/// beyond the superblocks beside their own it is not, and three more tables follow: `places`, `lanes_at` and `lane_places`.
///
/// # Errors
/// As `out`, and if the plan is not one of replicas, or the parameters are those of another rule.
pub fn write_world(out: &mut impl Write, plan: &Plan, rule: &Rule, params: &Params) -> io::Result<()> {
    let refused = |why| Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    if params.fitting(rule) < params.len().max(rule.params.len()) {
        return refused("the parameters are those of another rule");
    }
    let Geometry::Replicas(layout) = &plan.storage.geometry else {
        return refused("masks and boxes have other tables");
    };
    let far = plan.far;
    let superblocks = layout.superblocks();
    out.write_all(MAGIC)?;
    let side = layout.side();
    for number in [layout.lane_stride(), superblocks.into(), layout.level().into(), side, plan.steps.into()] {
        out.write_all(&number.to_le_bytes())?;
    }
    let directions = Direction::all(layout.dimension());
    let mut neighbours = vec![None; directions.len()];
    // Superblock by superblock: a whole table may be larger than this machine's memory.
    table(out, u64::from(superblocks) * 4 * directions.len() as u64, |out| {
        for superblock in 0..superblocks {
            neighbours_of(layout, Unit(superblock), &directions, &mut neighbours);
            for neighbour in &neighbours {
                let there = neighbour.map_or(superblocks, |Unit(there)| there);
                out.write_all(&there.to_le_bytes())?;
            }
        }
        Ok(())
    })?;
    table(out, superblocks.into(), |out| {
        let mut edges = (0..superblocks).map(|superblock| neighbours_of(layout, Unit(superblock), &[], &mut []));
        edges.try_for_each(|TouchedSides(edges)| out.write_all(&[edges]))
    })?;
    let LayoutTables { sources, presence, first_terms, terms, lane_corners } = LayoutTables::new(layout);
    let terms = terms.iter().flat_map(|term| [term.word, term.rotate, term.mask]).collect();
    for words in [sources, presence, first_terms, terms] {
        whole(out, words.into_iter().flat_map(u32::to_le_bytes).collect())?;
    }
    let params = plan.derived().with_params(params.iter().map(|param| param.bits()).collect());
    whole(out, params.into_iter().flat_map(u64::to_le_bytes).collect())?;
    whole(out, lane_corners.into_iter().flat_map(i32::to_le_bytes).collect())?;
    let named = if rule.names_coordinates || far { superblocks } else { 0 };
    table(out, 12 * u64::from(named), |out| {
        // A rule that names coordinates runs only where they fit into 32 bits.
        let mut corners = (0..named).flat_map(|superblock| layout.superblock_corner(Unit(superblock)));
        corners.try_for_each(|corner| out.write_all(&(corner as i32).to_le_bytes()))
    })?;
    whole(out, layout.replicas().iter().copied().flat_map(u32::to_le_bytes).collect())?;
    if far {
        let FarTables { places, lanes_at, lane_places } = FarTables::new(layout, &plan.storage.part);
        whole(out, places.into_iter().flat_map(u32::to_le_bytes).collect())?;
        whole(out, lanes_at.into_iter().flat_map(u32::to_le_bytes).collect())?;
        whole(out, lane_places.into_iter().flat_map(i32::to_le_bytes).collect())?;
    }
    Ok(())
}

/// A table of `length` bytes, filled up to a multiple of 8.
fn table<W: Write>(out: &mut W, length: u64, write: impl FnOnce(&mut W) -> io::Result<()>) -> io::Result<()> {
    out.write_all(&length.to_le_bytes())?;
    write(out)?;
    out.write_all(&[0; 7][..(length.next_multiple_of(8) - length) as usize])
}

fn whole(out: &mut impl Write, bytes: Vec<u8>) -> io::Result<()> {
    table(out, bytes.len() as u64, |out| out.write_all(&bytes))
}
