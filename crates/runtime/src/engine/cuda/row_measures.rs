//! Digests and observables of masks and boxes, by the kernels of `templates/row_measures.cu`, which are the same for all simulations.
//!
//! Observables fold 32 cells that follow each other by index, then 32 of those, and so on. For some rows at a time the terms are computed into
//! columns, packed in the order of indices, and folded once; what is left of all cells is then folded until one value is left.

use super::Cuda;
use super::code::image;
use super::driver::{Address, Blocks, Device, Function, Memory, Module};
use super::error::CudaError;
use super::neighbours::PassTables;
use super::pass::Pass;
use super::programs::passes_of;
use super::room::LARGEST_VALUE;
use super::trace::Road;
use crate::engine::terms::{Source, sources};
use crate::engine::{EngineError, Result};
use squeeze_compiler::emit::cuda::THREADS;
use squeeze_compiler::ir::{ReductionKind, Rule};
use squeeze_compiler::kernel::{LaneType, Planes};
use squeeze_compiler::layout::columns::Columns;
use squeeze_compiler::layout::rows::RowGrid;
use squeeze_compiler::pipeline::compile_observables;
use squeeze_compiler::reduce::fold::{FOLD_OF_CELLS, ObservedValue};
use std::ffi::c_void;
use std::ops::Range;
use std::sync::Arc;

/// About so many places have their terms computed and packed at a time.
const PLACES_AT_ONCE: u64 = 1 << 22;
/// Bytes of a value that is folded.
const FOLDED: u64 = 8;

/// `Columns` of the template.
#[derive(Clone, Copy)]
#[repr(C)]
struct MeasuredColumns {
    values: Address,
    mask: Address,
    cell_indices: Address,
    first: u64,
    planes: u32,
    ty: u32,
    words: u32,
    wide: u32,
    columns_of_row: u32,
    width: u32,
    packed: u32,
}

/// The kernels.
pub(super) struct RowMeasures {
    device: Arc<Device>,
    module: Module,
    digest: Function,
    pack: Function,
    /// By kind, of integers and of floats.
    folds: [[Function; 2]; 3],
    multiprocessors: u32,
}

impl RowMeasures {
    /// From `ROW_MEASURES`, compiled.
    pub fn new(device: &Arc<Device>, image: &[u8]) -> Result<RowMeasures, CudaError> {
        let module = Module::new(device, image)?;
        let folds = |kind: &str| -> Result<[Function; 2], CudaError> {
            let of = |values: &str| module.function(&format!("fold_{kind}_{values}"));
            Ok([of("integers")?, of("floats")?])
        };
        Ok(RowMeasures {
            device: Arc::clone(device),
            digest: module.function("digest_rows")?,
            pack: module.function("pack_terms")?,
            folds: [folds("sum")?, folds("min")?, folds("max")?],
            multiprocessors: device.multiprocessors()?,
            module,
        })
    }

    /// The columns from this one on, of a state whose columns from this one on begin at `values`.
    fn columns(
        grid: &RowGrid,
        neighbours: &PassTables,
        planes: Planes,
        values: Address,
        first: usize,
    ) -> MeasuredColumns {
        let PassTables::Rows(tables) = neighbours else { unreachable!("masks have rows") };
        let words = grid.shape.words;
        let skipped =
            |table: Address, bytes: usize| if table == 0 { 0 } else { table + (bytes * first * words) as u64 };
        MeasuredColumns {
            mask: skipped(tables.mask, 4),
            cell_indices: skipped(tables.cell_indices, if grid.wide_indices() { 8 } else { 4 }),
            first: first as u64,
            words: words as u32,
            wide: grid.wide_indices().into(),
            columns_of_row: grid.columns_of_row() as u32,
            width: grid.extent()[0] as u32,
            ..RowMeasures::values(planes, values)
        }
    }

    /// The cells from this index on, of a packed state whose cells from this one on begin at `values`.
    fn packed(grid: &RowGrid, planes: Planes, values: Address, first: u64) -> MeasuredColumns {
        let words = Columns::packed_words(grid.cells()) as u32;
        MeasuredColumns { first, words, packed: 1, ..RowMeasures::values(planes, values) }
    }

    /// What is known of values without the places.
    fn values(planes: Planes, values: Address) -> MeasuredColumns {
        let (planes, ty) = match planes {
            Planes::Bits(planes) => (u32::from(planes), 0),
            Planes::Number(ty) => {
                let sort = if ty.is_float() {
                    16
                } else if ty == LaneType::I32 {
                    32
                } else {
                    0
                };
                (0, ty.scalar().bytes() as u32 | sort)
            }
        };
        MeasuredColumns {
            values,
            mask: 0,
            cell_indices: 0,
            first: 0,
            planes,
            ty,
            words: 0,
            wide: 0,
            columns_of_row: 0,
            width: 0,
            packed: 0,
        }
    }

    /// The digest of a state whose columns begin at `state`.
    pub fn digest(
        &self,
        grid: &RowGrid,
        packed: bool,
        neighbours: &PassTables,
        planes: Planes,
        state: Address,
    ) -> Result<u64, CudaError> {
        let sum = Memory::zeroed(&self.device, 8)?;
        let (mut columns, mut places) = match packed {
            true => (RowMeasures::packed(grid, planes, state, 0), grid.cells()),
            false => {
                (RowMeasures::columns(grid, neighbours, planes, state, 0), (grid.columns() * grid.shape.lanes) as u64)
            }
        };
        let mut sum_at = sum.address();
        let mut arguments: [*mut c_void; 3] =
            [(&raw mut columns).cast(), (&raw mut places).cast(), (&raw mut sum_at).cast()];
        let blocks = places.div_ceil(THREADS.into()).min(u64::from(32 * self.multiprocessors)).max(1);
        let blocks = Blocks { count: blocks as u32, threads: THREADS };
        // SAFETY: the arguments are those of the kernel; state and tables have so many places, and the sum lives until the device was waited for.
        unsafe { self.module.launch(self.digest, blocks, &mut arguments)? };
        self.device.synchronize()?;
        let mut bytes = [0; 8];
        sum.download(0, &mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    /// Starts to pack the terms of so many columns whose cells have these indices.
    fn pack(&self, mut columns: MeasuredColumns, places: u64, cell_indices: Range<u64>, terms: &Memory) -> Result<()> {
        let (mut places, mut first, mut end, mut terms) =
            (places, cell_indices.start, cell_indices.end, terms.address());
        let blocks = Blocks::of_threads(places, THREADS)?;
        let mut arguments: [*mut c_void; 5] = [
            (&raw mut columns).cast(),
            (&raw mut places).cast(),
            (&raw mut first).cast(),
            (&raw mut end).cast(),
            (&raw mut terms).cast(),
        ];
        // SAFETY: the arguments are those of the kernel; the columns have so many places, there is room for so many terms, and all live as
        // long as the simulation, which waits for the device before anything is dropped.
        unsafe { self.module.launch(self.pack, blocks, &mut arguments)? };
        Ok(())
    }

    /// Starts to fold so many values once.
    fn fold(&self, kind: ReductionKind, float: bool, values: Address, count: u64, folds: Address) -> Result<()> {
        let kind = match kind {
            ReductionKind::Sum | ReductionKind::Count => 0,
            ReductionKind::Min => 1,
            ReductionKind::Max => 2,
        };
        let (mut values, mut count, mut folds) = (values, count, folds);
        let blocks = Blocks::of_threads(count.div_ceil(FOLD_OF_CELLS), THREADS)?;
        let mut arguments: [*mut c_void; 3] =
            [(&raw mut values).cast(), (&raw mut count).cast(), (&raw mut folds).cast()];
        // SAFETY: as in `pack`; there are so many values, and room for a 32nd part of them.
        unsafe { self.module.launch(self.folds[kind][usize::from(float)], blocks, &mut arguments)? };
        Ok(())
    }
}

/// Some rows whose terms are in memory together.
struct Piece {
    rows: Range<usize>,
    columns: Range<usize>,
    /// Of these cells the terms are folded. They begin with a block of [`FOLD_OF_CELLS`], as those of the next piece do.
    cell_indices: Range<u64>,
    /// The number of the first cell of its rows, less what is over a whole block: from there on packed terms are stored.
    base: u64,
}

impl Piece {
    /// All of them, of about so many places each.
    fn all(grid: &RowGrid, places: u64) -> Vec<Piece> {
        let lanes = (grid.columns_of_row() * grid.shape.lanes) as u64;
        let rows = (places / lanes).max(1) as usize;
        let whole = |cell_index: u64| cell_index / FOLD_OF_CELLS * FOLD_OF_CELLS;
        let mut pieces = Vec::new();
        let mut first = 0;
        for row in (0..grid.rows()).step_by(rows) {
            let end_row = (row + rows).min(grid.rows());
            let before_end = grid.first_cell(grid.columns_of(0..end_row).end);
            let end = if end_row == grid.rows() { before_end } else { whole(before_end) };
            if end > first {
                let rows = grid.row_of(first)..grid.row_of(end - 1) + 1;
                let columns = grid.columns_of(rows.clone());
                pieces.push(Piece {
                    base: whole(grid.first_cell(columns.start)),
                    columns,
                    rows,
                    cell_indices: first..end,
                });
                first = end;
            }
        }
        pieces
    }
}

/// An observable that is folded.
struct Folding {
    source: Source,
    kind: ReductionKind,
    planes: Planes,
    float: bool,
    /// A fold of each block of cells.
    blocks: Memory,
}

/// What computes terms.
struct Terms {
    pass: Pass,
    /// Of each term its columns in one piece, or its cells.
    columns: Vec<(Columns, Memory)>,
    packed: bool,
}

/// Bytes from the first value to the cell of this number, which begins a block, in packed values; of bits in the first plane.
fn packed_offset(planes: Planes, cell: u64) -> u64 {
    match planes {
        Planes::Bits(_) => cell / 8,
        Planes::Number(ty) => ty.scalar().bytes() * cell,
    }
}

/// The kernels and the memory that the observables of a simulation on a mask take.
pub(super) struct RowObserver {
    pieces: Vec<Piece>,
    foldings: Vec<Folding>,
    terms: Option<Terms>,
    packed: Memory,
    /// What folds of blocks leave for the next ones, in turn.
    between: [Memory; 2],
}

impl RowObserver {
    /// Compiles the kernels and takes the memory; `None` if the device has too little.
    ///
    /// # Errors
    /// If the device or NVRTC fails.
    pub fn new(cuda: &Cuda, rule: &Rule, grid: &RowGrid) -> Result<Option<RowObserver>> {
        // Terms of several planes, which no reduction has, would stand apart.
        let planes = rule.reductions.iter().map(|reduction| Planes::of(rule, reduction.ty));
        if cuda.is_packed() && { planes }.any(|planes| matches!(planes, Planes::Bits(2..))) {
            return Ok(None);
        }
        match RowObserver::with_memory(cuda, rule, grid) {
            Ok(observer) => Ok(Some(observer)),
            Err(EngineError::Cuda(CudaError::NoMemory { .. })) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn with_memory(cuda: &Cuda, rule: &Rule, grid: &RowGrid) -> Result<RowObserver> {
        let (sources, computed) = sources(rule);
        let pieces = Piece::all(grid, PLACES_AT_ONCE);
        if pieces.len() > 1 {
            Road::RowsInPieces.taken();
        }
        let most = |size: &dyn Fn(&Piece) -> u64| pieces.iter().map(size).max().unwrap_or(0);
        let (columns, cell_indices) = (
            most(&|piece| piece.columns.len() as u64),
            most(&|piece| piece.cell_indices.end - piece.cell_indices.start),
        );
        let stored = most(&|piece| grid.first_cell(piece.columns.end) - piece.base);
        let zeroed = |bytes: u64| Memory::zeroed(&cuda.device, bytes);
        let blocks = grid.cells().div_ceil(FOLD_OF_CELLS);
        let folding = |(reduction, source): (&squeeze_compiler::ir::Reduction, Source)| -> Result<Folding> {
            Ok(Folding {
                source,
                kind: reduction.kind,
                planes: Planes::of(rule, reduction.ty),
                float: reduction.ty.is_float(),
                blocks: zeroed(FOLDED * blocks)?,
            })
        };
        let foldings = rule.reductions.iter().zip(sources).map(folding).collect::<Result<_>>()?;
        let terms = match computed.reductions.is_empty() {
            true => None,
            false => {
                let kernel = compile_observables(&computed, &cuda.plan, &cuda.target)?;
                let program = cuda.print(&computed, [&kernel])?;
                let image = image(&cuda.nvrtc, &cuda.cache, cuda.architecture, &program.text)?;
                let pass = passes_of(&cuda.device, &image, program)?.remove(0);
                let memory = |reduction: &squeeze_compiler::ir::Reduction| -> Result<(Columns, Memory)> {
                    let of = Columns::new(Planes::of(rule, reduction.ty), grid.shape, 1);
                    let bytes = match cuda.is_packed() {
                        true => of.packed_bytes(stored) + LARGEST_VALUE,
                        false => of.block as u64 * columns,
                    };
                    Ok((of, zeroed(bytes)?))
                };
                Some(Terms {
                    pass,
                    packed: cuda.is_packed(),
                    columns: computed.reductions.iter().map(memory).collect::<Result<_>>()?,
                })
            }
        };
        let next = blocks.div_ceil(FOLD_OF_CELLS);
        let between = [zeroed(FOLDED * next)?, zeroed(FOLDED * next.div_ceil(FOLD_OF_CELLS))?];
        Ok(RowObserver { pieces, foldings, terms, packed: zeroed(FOLDED * cell_indices)?, between })
    }

    /// The observables of the present states, in the order of the rule.
    ///
    /// # Errors
    /// If the device fails.
    pub fn observe(&self, cuda: &Cuda, grid: &RowGrid, cell_indices: &RowMeasures) -> Result<Vec<ObservedValue>> {
        for piece in &self.pieces {
            if let Some(terms) = &self.terms {
                terms.compute(cuda, piece)?;
            }
            let places = (piece.columns.len() * grid.shape.lanes) as u64;
            let count = piece.cell_indices.end - piece.cell_indices.start;
            for folding in &self.foldings {
                let folds = folding.blocks.address() + FOLDED * (piece.cell_indices.start / FOLD_OF_CELLS);
                if cuda.is_packed() {
                    let (values, base) = match (folding.source, &self.terms) {
                        (Source::State(state), _) => (cuda.fields[state].now.address(), 0),
                        (Source::Term(term), Some(terms)) => (terms.columns[term].1.address(), piece.base),
                        (Source::Term(_), None) => unreachable!("there is a kernel of terms if one is to be computed"),
                    };
                    let values = values + packed_offset(folding.planes, piece.cell_indices.start - base);
                    let cells = RowMeasures::packed(grid, folding.planes, values, piece.cell_indices.start);
                    cell_indices.pack(cells, count, piece.cell_indices.clone(), &self.packed)?;
                    cell_indices.fold(folding.kind, folding.float, self.packed.address(), count, folds)?;
                    continue;
                }
                let values = match (folding.source, &self.terms) {
                    (Source::State(state), _) => {
                        let block = Columns::new(folding.planes, grid.shape, 1).block;
                        cuda.fields[state].now.address() + (block * piece.columns.start) as u64
                    }
                    (Source::Term(term), Some(terms)) => terms.columns[term].1.address(),
                    (Source::Term(_), None) => unreachable!("there is a kernel of terms if one is to be computed"),
                };
                let columns = RowMeasures::columns(
                    grid,
                    &cuda.surroundings.neighbours,
                    folding.planes,
                    values,
                    piece.columns.start,
                );
                cell_indices.pack(columns, places, piece.cell_indices.clone(), &self.packed)?;
                cell_indices.fold(folding.kind, folding.float, self.packed.address(), count, folds)?;
            }
        }
        self.foldings.iter().map(|folding| self.finish(grid, cell_indices, folding)).collect()
    }

    /// Folds what is left of all blocks.
    fn finish(&self, grid: &RowGrid, cell_indices: &RowMeasures, folding: &Folding) -> Result<ObservedValue> {
        let (mut values, mut count) = (&folding.blocks, grid.cells().div_ceil(FOLD_OF_CELLS));
        let mut turn = 0;
        while count > 1 {
            let folds = &self.between[turn % 2];
            cell_indices.fold(folding.kind, folding.float, values.address(), count, folds.address())?;
            (values, count, turn) = (folds, count.div_ceil(FOLD_OF_CELLS), turn + 1);
        }
        let mut bytes = [0; 8];
        values.download(0, &mut bytes)?;
        Ok(match folding.float {
            true => ObservedValue::Float(f64::from_le_bytes(bytes)),
            false => ObservedValue::Integer(i64::from_le_bytes(bytes)),
        })
    }
}

impl Terms {
    /// Starts to compute the terms of a piece.
    fn compute(&self, cuda: &Cuda, piece: &Piece) -> Result<()> {
        let states = cuda.fields.len();
        // Kernels count columns from 0, but only those of the piece are there.
        let new = |state: usize| {
            let (columns, memory) = &self.columns[state - states];
            let before = match self.packed {
                true => packed_offset(columns.planes, piece.base),
                false => (columns.block * piece.columns.start) as u64,
            };
            memory.address().wrapping_sub(before)
        };
        cuda.launch(&self.pass, cuda.time, piece.rows.start as u32..piece.rows.end as u32, new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use squeeze_compiler::geometry::Domain;
    use squeeze_compiler::text::source::Sources;
    use squeeze_compiler::{NoFiles, check};

    #[test]
    fn pieces_have_all_cells_once_in_whole_blocks() {
        let text = "
            domain sparse { size (70, 90)  cells y % 7 == 3 && random(0.1) }
            domain dense { size (600, 50)  cells y > 3 && random(0.9) }
            domain space { size (33, 20, 9)  cells z % 3 == 1 }
            domain column { size (1, 400) }
            domain line { size (5000, 1) }
        ";
        let mut sources = Sources::new();
        let root = sources.add("masks", text.to_owned());
        for mask in check(&mut sources, root, &mut NoFiles).unwrap().fractals {
            let grid = RowGrid::new(&Domain::new(mask, 1).unwrap());
            for places in [1, 100, 3000, 20_000, u64::MAX] {
                let pieces = Piece::all(&grid, places);
                let mut next = 0;
                for Piece { rows, columns, cell_indices, base } in &pieces {
                    assert!(
                        *base <= cell_indices.start
                            && base % FOLD_OF_CELLS == 0
                            && grid.first_cell(columns.start) - base < FOLD_OF_CELLS
                    );
                    assert!(
                        cell_indices.start == next
                            && cell_indices.start % FOLD_OF_CELLS == 0
                            && cell_indices.end > cell_indices.start
                    );
                    next = cell_indices.end;
                    assert_eq!(*columns, grid.columns_of(rows.clone()));
                    let held = grid.first_cell(columns.start)..grid.first_cell(columns.end);
                    assert!(
                        held.start <= cell_indices.start && cell_indices.end <= held.end,
                        "{held:?} {cell_indices:?}"
                    );
                }
                assert_eq!(next, grid.cells());
            }
        }
    }
}
