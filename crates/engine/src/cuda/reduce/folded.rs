//! Floats, folded where the states are, in the order of their indices.
//!
//! The terms of an observable stand in columns: those of a state if the term is a state's own value, else those that the kernel of the terms
//! writes. The rows of columns of replica lanes follow each other in canonical order, lane by lane; terms of a mask or a box are packed in that order
//! first. Kernels fold rows, a few digits a launch ([`FoldPlan`]), until one is left for each member; those few come to the host, which folds
//! the digits of the lanes.
//!
//! Terms, and what is packed or folded once, are kept for one piece of the cells at a time.

use crate::cuda::Cuda;
use crate::cuda::driver::{Address, Blocks, Function, Memory};
use crate::cuda::error::CudaError;
use crate::cuda::pass::{Beside, DeviceKernel};
use crate::cuda::stored::Stored;
use crate::cuda::trace::Road;
use crate::reduce::{inside, ks};
use crate::terms::{Source, sources};
use crate::{EngineError, Result};
use rayon::prelude::*;
use squeeze_compiler::emit::cuda::{FoldLaunch, FoldPlace, FoldPlan, Job, THREADS, fold_kernel, fold_kind};
use squeeze_compiler::ir::{Combine, RuleParts};
use squeeze_compiler::kernel::{LaneType, Planes};
use squeeze_compiler::layout::columns::Columns;
use squeeze_compiler::layout::rows::RowGrid;
use squeeze_compiler::layout::storage::LARGEST_VALUE;
use squeeze_compiler::layout::unit::{CellIndex, PackedIndex};
use squeeze_compiler::reduce::fold::{FOLD_OF_CELLS, FloatFold, FoldTree, ObservedValue};
use std::ops::Range;

/// The most bytes of terms of replica lanes at a time. Guess: not measured.
const MOST_TERMS: u64 = 16 << 20;
/// The most bytes of values that were folded once, at a time. Guess: not measured.
const MOST_FOLDED: u64 = 32 << 20;
/// The approximate number of places of rows whose terms are computed and packed at a time. Guess: not measured.
const PLACES_AT_ONCE: u64 = 1 << 22;
/// Bytes of a value that was folded or packed.
const FOLDED: u64 = 8;

/// Some cells whose terms are in memory together.
struct Piece {
    /// The superblocks or rows of the grid whose terms are computed.
    units: Range<u32>,
    /// Their columns; where the cells alone are stored these cells, from one on with which a block of [`FOLD_OF_CELLS`] begins.
    stored: Range<u64>,
    /// The rows of values that are folded: those of columns of lanes, or of masks the cells themselves.
    rows: Range<u64>,
}

impl Piece {
    /// Some superblocks, of `micro_cells` columns each.
    fn of_lanes(rows: Range<u64>, micro_cells: u64) -> Piece {
        let units = (rows.start / micro_cells) as u32..(rows.end / micro_cells) as u32;
        Piece { units, stored: rows.clone(), rows }
    }

    /// All cells of a grid, in pieces of about `places` places. All but the last end with a block of [`FOLD_OF_CELLS`].
    fn of_grid(grid: &RowGrid, packed: bool, places: u64) -> Vec<Piece> {
        let lanes = (grid.columns_of_row() * grid.shape.lanes) as u64;
        let rows = (places / lanes).max(1) as usize;
        let whole = |cell: u64| cell / FOLD_OF_CELLS * FOLD_OF_CELLS;
        let mut pieces = Vec::new();
        let mut first = 0;
        for row in (0..grid.rows()).step_by(rows) {
            let end_row = (row + rows).min(grid.rows());
            let CellIndex(before_end) = grid.first_cell(grid.columns_of(0..end_row).end);
            let end = if end_row == grid.rows() { before_end } else { whole(before_end) };
            if end > first {
                let rows = grid.row_of(CellIndex(first))..grid.row_of(CellIndex(end - 1)) + 1;
                let columns = grid.columns_of(rows.clone());
                let packed_cells = || {
                    let PackedIndex(end) = grid.packed(grid.first_cell(columns.end));
                    grid.packed(CellIndex(whole(grid.first_cell(columns.start).0))).0..end
                };
                let stored = if packed { packed_cells() } else { u64::from(columns.start.0)..u64::from(columns.end.0) };
                pieces.push(Piece { units: rows.start as u32..rows.end as u32, stored, rows: first..end });
                first = end;
            }
        }
        pieces
    }
}

/// All terms, piece by piece, and how they are folded.
struct Pieces {
    plan: FoldPlan,
    pieces: Vec<Piece>,
    /// Values of a row.
    width: u64,
    /// Rows that are left of each observable.
    members: u64,
    /// How lanes are folded; those of masks have one.
    of_lanes: FoldTree,
    lanes_of_replicas: Vec<u32>,
}

impl Stored<'_> {
    /// The pieces for terms of which `term_row` bytes are computed for each column.
    fn pieces(self, term_row: u64) -> Pieces {
        let (layout, turns) = match self {
            Stored::Replicas { layout, members, .. } => (layout, u64::from(members.turns())),
            Stored::Rows { grid, packed, .. } => {
                return Pieces {
                    plan: FoldPlan::of_cells(grid.cells()),
                    pieces: Piece::of_grid(grid, packed, PLACES_AT_ONCE),
                    width: 1,
                    members: 1,
                    of_lanes: FoldTree::of_digits([]),
                    lanes_of_replicas: vec![0],
                };
            }
        };
        let lanes_from = inside(layout);
        let (inner, width) = (ks(layout, 0..lanes_from).collect::<Vec<u64>>(), self.shape().lanes as u64);
        let most_folded = MOST_FOLDED / (FOLDED * width) * FoldPlan::first_folds(&inner);
        let most = MOST_TERMS.checked_div(term_row).unwrap_or(u64::MAX).min(most_folded);
        let plan = FoldPlan::new(&inner, layout.micro_digits() as usize, most, turns);
        let micro_cells = u64::from(layout.micro_cells());
        Pieces {
            pieces: plan.pieces().map(|rows| Piece::of_lanes(rows, micro_cells)).collect(),
            plan,
            width,
            members: turns,
            of_lanes: FoldTree::of_digits(ks(layout, lanes_from..layout.level())),
            lanes_of_replicas: layout.lanes_of_replicas().to_vec(),
        }
    }
}

/// An observable that is folded.
struct Folding {
    source: Source,
    kind: Combine,
    ty: LaneType,
    /// The kernel that folds its terms.
    function: Function,
    /// A row for each group of rows.
    groups: Memory,
}

/// The kernel of terms, and memory for them.
struct Terms {
    pass: DeviceKernel,
    /// The columns, or cells, of each term in one piece.
    memory: Vec<(LaneType, Memory)>,
}

/// The kernels and the memory that the observables of a simulation take which are folded.
pub(super) struct Folds {
    cells: Pieces,
    /// Values from one row of columns to the next.
    stride: u64,
    foldings: Vec<Folding>,
    terms: Option<Terms>,
    /// The terms of a piece, where they are packed.
    packed: Option<Memory>,
    /// The kernel that folds the results of folds.
    next: Function,
    /// The results that launches leave for the next one, in turn.
    between: [Memory; 2],
    /// Rows of each observable, by member.
    results: Memory,
}

/// The bytes of `count` columns of numbers; where the cells alone are stored, of `count` cells.
fn bytes_of(cuda: &Cuda, ty: LaneType, count: u64) -> u64 {
    match cuda.stored().is_packed() {
        true => ty.scalar().bytes() * count,
        false => Columns::new(Planes::Number(ty), cuda.stored().shape(), 1).block as u64 * count,
    }
}

impl Folds {
    /// Compiles the kernels for the reductions of a rule like the simulation's, all of them floats, and takes the memory; `None` if the device has too little.
    ///
    /// # Errors
    /// If the device or NVRTC fails.
    pub(super) fn new(cuda: &Cuda, rule: &RuleParts) -> Result<Option<Folds>> {
        match Folds::with_memory(cuda, rule) {
            Ok(folds) => Ok(Some(folds)),
            Err(EngineError::Cuda(CudaError::NoMemory { .. })) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn with_memory(cuda: &Cuda, rule: &RuleParts) -> Result<Folds> {
        let shape = cuda.stored().shape();
        let (sources, computed) = sources(rule);
        let types = |rule: &RuleParts| -> Vec<LaneType> {
            rule.reductions.iter().map(|observable| Planes::of(rule, observable.ty).ty()).collect()
        };
        let term_types = types(&computed);
        let term_row = term_types.iter().map(|ty| bytes_of(cuda, *ty, 1)).sum();
        let cells = cuda.stored().pieces(term_row);
        let Pieces { plan, pieces, width, members, .. } = &cells;
        if pieces.len() > 1 {
            Road::FoldsInPieces.taken();
        }
        if plan.group_rows() > 0 {
            Road::FoldsOfGroups.taken();
        }
        let most = |range: fn(&Piece) -> &Range<u64>| {
            pieces.iter().map(|piece| range(piece).end - range(piece).start).max().unwrap_or(0)
        };
        let (most_stored, most_rows) = (most(|piece| &piece.stored), most(|piece| &piece.rows));
        let zeroed = |bytes: u64| Memory::zeroed(&cuda.device, bytes);
        let between = FOLDED * width * plan.most_between(most_rows);
        let terms = match computed.reductions.is_empty() {
            true => None,
            false => Some(Terms::new(cuda, &computed, term_types, most_stored)?),
        };
        let packed = cuda.stored().grid().map(|_| zeroed(FOLDED * most_rows)).transpose()?;
        let next = cuda.measure.module.function(fold_kernel(LaneType::F64))?;
        let all = rule.reductions.iter().zip(sources).zip(types(rule));
        let folding = |((observable, source), ty): ((&squeeze_compiler::ir::Reduction, Source), LaneType)| {
            Ok(Folding {
                source,
                kind: observable.kind,
                ty,
                function: if packed.is_some() {
                    next.clone()
                } else {
                    cuda.measure.module.function(fold_kernel(ty))?
                },
                groups: zeroed(FOLDED * width * plan.group_rows())?,
            })
        };
        let foldings = all.map(folding).collect::<Result<Vec<_>>>()?;
        Ok(Folds {
            stride: shape.stride as u64,
            results: zeroed(FOLDED * width * members * foldings.len() as u64)?,
            foldings,
            terms,
            packed,
            next,
            between: [zeroed(between)?, zeroed(between)?],
            cells,
        })
    }

    /// For each member the reductions of the present states, in the order of its rule.
    ///
    /// # Errors
    /// If the device fails.
    pub(super) fn observe(&self, cuda: &Cuda) -> Result<Vec<Vec<ObservedValue>>> {
        for piece in &self.cells.pieces {
            if let Some(terms) = &self.terms {
                terms.compute(cuda, piece)?;
            }
            for (number, folding) in self.foldings.iter().enumerate() {
                let values = match (folding.source, &self.terms) {
                    (Source::State(state), _) => {
                        cuda.fields[state].now.address() + bytes_of(cuda, folding.ty, piece.stored.start)
                    }
                    (Source::Term(term), Some(terms)) => terms.memory[term].1.address(),
                    (Source::Term(_), None) => unreachable!("there is a kernel of terms if one is to be computed"),
                };
                let values = match &self.packed {
                    None => values,
                    Some(packed) => {
                        let (planes, values) = (Planes::Number(folding.ty), (values, piece.stored.start));
                        let columns = cuda.stored().columns(&cuda.surroundings, planes, values);
                        let count = piece.stored.end - piece.stored.start;
                        let places = if cuda.stored().is_packed() { count } else { count * columns.lanes };
                        cuda.measure.pack(columns, places, &piece.rows, packed)?;
                        packed.address()
                    }
                };
                for launch in self.cells.plan.of_piece(&piece.rows) {
                    self.launch(number, values, launch)?;
                }
            }
        }
        for number in 0..self.foldings.len() {
            for launch in self.cells.plan.of_groups() {
                self.launch(number, 0, launch)?;
            }
        }
        self.finish(cuda)
    }

    /// Waits for the folds, and folds the lanes.
    fn finish(&self, cuda: &Cuda) -> Result<Vec<Vec<ObservedValue>>> {
        let mut bytes = vec![0; self.results.len()];
        self.results.download(0, &mut bytes)?;
        let values: Vec<f64> = bytes.as_chunks::<8>().0.iter().map(|value| f64::from_le_bytes(*value)).collect();
        let Pieces { width, of_lanes, lanes_of_replicas, .. } = &self.cells;
        let (width, members) = (*width as usize, cuda.members.len());
        let rows = values.len() / width / self.foldings.len();
        let of = |(number, folding): (usize, &Folding), member: usize| {
            let first = number * rows * width;
            let row = match cuda.program.plan.members.as_lanes() {
                true => &values[first + member..][..1],
                false => &values[first + member * width..][..width],
            };
            let mut fold = FloatFold::new(folding.kind, of_lanes);
            // Lanes come in their order of digits, replicas in canonical order.
            lanes_of_replicas.iter().for_each(|&lane| fold.push(row[lane as usize]));
            ObservedValue::Float(fold.finish())
        };
        let of_member = |member| self.foldings.iter().enumerate().map(|folding| of(folding, member)).collect();
        Ok((0..members).into_par_iter().map(of_member).collect())
    }

    /// Starts a launch of the plan, for the observable of this number.
    fn launch(&self, number: usize, values: Address, launch: FoldLaunch) -> Result<()> {
        let (folding, width) = (&self.foldings[number], self.cells.width);
        let (row, each) = (FOLDED * width, self.results.len() as u64 / self.foldings.len() as u64);
        let place = |place: FoldPlace| match place {
            FoldPlace::Columns => values,
            FoldPlace::Between(index) => self.between[index].address(),
            FoldPlace::Groups(first) => folding.groups.address() + first * row,
            FoldPlace::Result(first) => self.results.address() + number as u64 * each + first * row,
        };
        let (function, stride) = match (launch.source, &self.packed) {
            (FoldPlace::Columns, None) => (&folding.function, self.stride),
            _ => (&self.next, width),
        };
        let (source, target) = (place(launch.source), place(launch.target));
        let blocks = Blocks::of_threads(launch.results() * width, THREADS)?;
        let kind = fold_kind(folding.kind);
        let arguments = (source, stride, width as u32, launch.rows, launch.digits, kind, target);
        // SAFETY: the arguments are those of a folding kernel. The values are those of a piece, which has as many rows as the plan's
        // launches of it fold; every other place has room for the rows that the plan puts there. All live as long as the simulation, which waits for
        // the device before anything is dropped.
        unsafe { function.launch(blocks, arguments)? };
        Ok(())
    }
}

impl Terms {
    /// For the observables of this rule, of `stored` columns, or cells, at a time.
    fn new(cuda: &Cuda, rule: &RuleParts, types: Vec<LaneType>, stored: u64) -> Result<Terms> {
        let kernel = cuda.program.terms(rule)?;
        let pass = cuda.load(format!("{} at run time", rule.name), [Job::new(&kernel)])?.remove(0);
        let beyond = if cuda.stored().is_packed() { LARGEST_VALUE } else { 0 };
        let memory = |ty: LaneType| -> Result<_> {
            Ok((ty, Memory::zeroed(&cuda.device, bytes_of(cuda, ty, stored) + beyond)?))
        };
        Ok(Terms { pass, memory: types.into_iter().map(memory).collect::<Result<_>>()? })
    }

    /// Starts to compute the terms of a piece.
    fn compute(&self, cuda: &Cuda, piece: &Piece) -> Result<()> {
        let states = cuda.fields.len();
        // Kernels count columns from 0, but only those of the piece are there.
        let new = |state: usize| {
            let (ty, memory) = &self.memory[state - states];
            memory.address().wrapping_sub(bytes_of(cuda, *ty, piece.stored.start))
        };
        cuda.launch(&self.pass, cuda.time, piece.units.clone(), new, Beside::Nothing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use squeeze_compiler::geometry::Domain;
    use squeeze_compiler::layout::unit::Slot;
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
                let mut next = 0;
                let of_cells = Piece::of_grid(&grid, true, places);
                for (piece, of_cells) in Piece::of_grid(&grid, false, places).into_iter().zip(&of_cells) {
                    let Piece { units, stored, rows } = piece;
                    let columns = Slot(stored.start as u32)..Slot(stored.end as u32);
                    let held = grid.first_cell(columns.start).0..grid.first_cell(columns.end).0;
                    let cells = &of_cells.stored;
                    assert!(cells.start <= rows.start && cells.start % FOLD_OF_CELLS == 0 && cells.end == held.end);
                    assert!(held.start - cells.start < FOLD_OF_CELLS && of_cells.rows == rows);
                    assert!(rows.start == next && rows.start % FOLD_OF_CELLS == 0 && rows.end > rows.start);
                    next = rows.end;
                    assert_eq!(columns, grid.columns_of(units.start as usize..units.end as usize));
                    assert!(held.start <= rows.start && rows.end <= held.end, "{held:?} {rows:?}");
                }
                assert_eq!(next, grid.cells());
            }
        }
    }
}
