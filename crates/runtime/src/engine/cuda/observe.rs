//! Observables, folded where the states are.
//!
//! The terms of an observable stand in columns: those of a state if the term is a state's own value, else those that the kernel of the terms
//! writes. The rows of all columns follow each other in canonical order, lane by lane. Kernels fold the digits of the rows, a few digits a
//! launch ([`FoldPlan`]), until one value is left for each lane, or for each word of bits; those few come to the host, which folds the
//! digits of the lanes.
//!
//! Terms and what is folded once are kept for one piece of the rows at a time, in memory that fits in what is left to kernels beside the
//! states.

use super::Cuda;
use super::code::image;
use super::driver::{Address, Blocks, Function, Memory, Module};
use super::error::CudaError;
use super::pass::Pass;
use super::programs::passes_of;
use super::trace::Road;
use crate::engine::terms::{Source, sources};
use crate::engine::{EngineError, Result};
use rayon::prelude::*;
use squeeze_compiler::emit::cuda::{FoldKernel, FoldLaunch, FoldPlace, FoldPlan, FoldSource, THREADS, emit_folds};
use squeeze_compiler::ir::{Reduction, Rule};
use squeeze_compiler::kernel::Planes;
use squeeze_compiler::layout::Layout;
use squeeze_compiler::layout::columns::{Columns, Shape};
use squeeze_compiler::pipeline::compile_observables;
use squeeze_compiler::reduce::fold::{FloatFold, FoldTree, ObservedValue};
use std::ffi::c_void;

/// The most bytes of terms at a time.
const MOST_TERMS: u64 = 16 << 20;
/// The most bytes of values that were folded once, at a time.
const MOST_FOLDED: u64 = 32 << 20;
/// Bytes of a value that was folded.
const FOLDED: u64 = 8;

/// An observable that is folded.
struct Folding {
    source: Source,
    kernel: FoldKernel,
    first: Function,
    next: Function,
    /// Bytes of a row of its terms.
    row_bytes: u64,
    /// Values of a plane of a row, as they stand in memory.
    stride: u64,
    /// Places of a row.
    width: u32,
    /// A row for each group of rows.
    groups: Memory,
    /// Where its rows of the results begin, one for each member, in bytes.
    result: u64,
}

/// What computes terms.
struct Terms {
    pass: Pass,
    /// Of each term the columns of one piece.
    columns: Vec<Memory>,
    /// Bytes of one superblock of each.
    block_bytes: Vec<u64>,
}

/// The kernels and the memory that the observables of a simulation take.
pub(super) struct Observer {
    module: Module,
    members: usize,
    /// Whether they are the lanes.
    as_lanes: bool,
    lanes: u32,
    micro_cells: u64,
    plan: FoldPlan,
    foldings: Vec<Folding>,
    terms: Option<Terms>,
    /// What launches leave for the next one, in turn.
    between: [Memory; 2],
    /// The rows of each observable, one after the other.
    results: Memory,
    /// The k of each digit of a lane, the finest first.
    lane_digits: Vec<u64>,
    lanes_of_replicas: Vec<u32>,
}

/// The k of the levels after `first` up to `last`, the finest first.
fn digits(layout: &Layout, first: u32, last: u32) -> Vec<u64> {
    (first + 1..=last).map(|mu| layout.low().fractal().pattern(mu).k()).collect()
}

/// Places of a row of columns.
fn width(shape: Shape, planes: Planes) -> u64 {
    match planes {
        Planes::Bits(_) => shape.words as u64,
        Planes::Number(_) => shape.lanes as u64,
    }
}

/// Bytes of a row of columns.
fn row_bytes(shape: Shape, planes: Planes) -> u64 {
    Columns::new(planes, shape, 1).block as u64
}

impl Observer {
    /// Compiles the kernels for what a rule like the simulation's reduces, and takes the memory; `None` if the device has too little.
    ///
    /// # Errors
    /// If the device or NVRTC fails.
    pub fn new(cuda: &Cuda, rule: &Rule) -> Result<Option<Observer>> {
        match Observer::with_memory(cuda, rule) {
            Ok(observer) => Ok(Some(observer)),
            Err(EngineError::Cuda(CudaError::NoMemory { .. })) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn with_memory(cuda: &Cuda, rule: &Rule) -> Result<Observer> {
        let (layout, shape) = (cuda.plan.layout(), cuda.shape());
        let lanes_from = layout.micro_digits() + layout.middle().level();
        let ks = digits(layout, 0, lanes_from);
        let micro_cells = u64::from(layout.micro_cells());
        let planes: Vec<Planes> = rule.reductions.iter().map(|observable| Planes::of(rule, observable.ty)).collect();
        let widths: Vec<u64> = planes.iter().map(|planes| width(shape, *planes)).collect();
        let (sources, computed) = sources(rule);
        let term_planes: Vec<Planes> =
            computed.reductions.iter().map(|observable| Planes::of(rule, observable.ty)).collect();

        let (widest, all_places) = (widths.iter().copied().max().unwrap_or(1), widths.iter().sum::<u64>());
        let term_row: u64 = term_planes.iter().map(|planes| row_bytes(shape, *planes)).sum();
        let most_folded = MOST_FOLDED / (FOLDED * widest) * FoldPlan::first_folds(&ks);
        let most_terms = MOST_TERMS.checked_div(term_row).unwrap_or(u64::MAX);
        let (whole, members) = (layout.micro_digits() as usize, cuda.turns());
        let plan = FoldPlan::new(&ks, whole, most_folded.min(most_terms), members as u64);
        if plan.pieces().count() > 1 {
            Road::FoldsInPieces.taken();
        }
        if plan.group_rows() > 0 {
            Road::FoldsOfGroups.taken();
        }
        let between = FOLDED * widest * plan.most_between();
        let needed =
            2 * between + FOLDED * all_places * (plan.group_rows() + members as u64) + term_row * plan.most_rows();
        if needed > cuda.device.free_memory()? {
            return Err(CudaError::NoMemory { bytes: needed }.into());
        }

        let kernel = |(observable, planes): (&Reduction, &Planes)| FoldKernel {
            kind: observable.kind,
            source: FoldSource::Columns(*planes),
        };
        let kernels: Vec<FoldKernel> = rule.reductions.iter().zip(&planes).map(kernel).collect();
        let text = emit_folds(&kernels);
        let module = Module::new(&cuda.device, &image(&cuda.nvrtc, &cuda.cache, cuda.architecture, &text)?)?;
        let zeroed = |bytes: u64| Memory::zeroed(&cuda.device, bytes);
        let mut result = 0;
        let mut foldings = Vec::new();
        for (index, (kernel, source)) in kernels.into_iter().zip(sources).enumerate() {
            let row = FOLDED * widths[index];
            foldings.push(Folding {
                source,
                kernel,
                first: module.function(&kernel.name())?,
                next: module.function(&kernel.next().name())?,
                row_bytes: row_bytes(shape, planes[index]),
                stride: match planes[index] {
                    Planes::Bits(_) => shape.words as u64,
                    Planes::Number(_) => shape.stride as u64,
                },
                width: widths[index] as u32,
                groups: zeroed(row * plan.group_rows())?,
                result,
            });
            result += row * members as u64;
        }
        let terms = match computed.reductions.is_empty() {
            true => None,
            false => Some(Terms::new(cuda, &computed, &term_planes, plan.most_rows() / micro_cells)?),
        };
        Ok(Observer {
            module,
            members: cuda.members.len(),
            as_lanes: cuda.sharing.as_lanes(),
            lanes: shape.lanes as u32,
            micro_cells,
            foldings,
            terms,
            between: [zeroed(between)?, zeroed(between)?],
            results: zeroed(result)?,
            lane_digits: digits(layout, lanes_from, layout.level()),
            lanes_of_replicas: layout.lanes_of_replicas().to_vec(),
            plan,
        })
    }

    /// For each member the reductions of the present states, in the order of its rule.
    ///
    /// # Errors
    /// If the device fails.
    pub fn observe(&self, cuda: &Cuda) -> Result<Vec<Vec<ObservedValue>>> {
        for piece in self.plan.pieces() {
            let (first, rows) = (piece.first * self.plan.group, piece.groups * self.plan.group);
            if let Some(terms) = &self.terms {
                terms.compute(cuda, first / self.micro_cells, rows / self.micro_cells)?;
            }
            for folding in &self.foldings {
                let columns = match (folding.source, &self.terms) {
                    (Source::State(state), _) => cuda.fields[state].now.address() + first * folding.row_bytes,
                    (Source::Term(term), Some(terms)) => terms.columns[term].address(),
                    (Source::Term(_), None) => unreachable!("there is a kernel of terms if one is to be computed"),
                };
                for launch in self.plan.of_piece(piece) {
                    self.launch(folding, columns, launch)?;
                }
            }
        }
        for folding in &self.foldings {
            for launch in self.plan.of_groups() {
                self.launch(folding, 0, launch)?;
            }
        }
        let mut bytes = vec![0; self.results.len()];
        self.results.download(0, &mut bytes)?;
        let values: Vec<u64> = bytes.as_chunks::<8>().0.iter().map(|value| u64::from_le_bytes(*value)).collect();
        let of = |folding: &Folding, member: usize| {
            let width = folding.width as usize;
            let first = (folding.result / FOLDED) as usize;
            let row = match self.as_lanes {
                true => &values[first + member..][..1],
                false => &values[first + member * width..][..width],
            };
            match folding.kernel.source.folded() {
                FoldSource::Floats => {
                    let mut fold =
                        FloatFold::new(folding.kernel.kind, &FoldTree::of_digits(self.lane_digits.iter().copied()));
                    // Lanes come in their order of digits, replicas in canonical order.
                    self.lanes_of_replicas.iter().for_each(|&lane| fold.push(f64::from_bits(row[lane as usize])));
                    ObservedValue::Float(fold.finish())
                }
                FoldSource::Integers | FoldSource::Columns(_) => {
                    ObservedValue::Integer(folding.kernel.kind.exact_of(row.iter().map(|bits| *bits as i64)))
                }
            }
        };
        let of_member = |member| self.foldings.iter().map(|folding| of(folding, member)).collect();
        Ok((0..self.members).into_par_iter().map(of_member).collect())
    }

    /// Starts a launch of the plan.
    fn launch(&self, folding: &Folding, columns: Address, launch: FoldLaunch) -> Result<()> {
        let FoldLaunch { source, mut digits, mut rows, target } = launch;
        let (mut width, mut lanes, mut stride) = (folding.width, self.lanes, u64::from(folding.width));
        let mut function = folding.next;
        if source == FoldPlace::Columns {
            (function, stride) = (folding.first, folding.stride);
        }
        let row = FOLDED * u64::from(width);
        let place = |place: FoldPlace| match place {
            FoldPlace::Columns => columns,
            FoldPlace::Between(index) => self.between[index].address(),
            FoldPlace::Groups(first) => folding.groups.address() + first * row,
            FoldPlace::Result(first) => self.results.address() + folding.result + first * row,
        };
        let (mut source, mut target) = (place(source), place(target));
        let blocks = Blocks::of_threads(rows * u64::from(width), THREADS)?;
        let mut arguments: [*mut c_void; 7] = [
            (&raw mut source).cast(),
            (&raw mut stride).cast(),
            (&raw mut width).cast(),
            (&raw mut lanes).cast(),
            (&raw mut rows).cast(),
            (&raw mut digits).cast(),
            (&raw mut target).cast(),
        ];
        // SAFETY: the arguments are those of a folding kernel. Columns are those of a piece, which has as many rows as the plan's
        // launches of it fold; every other place has room for the rows that the plan puts there, of 8 bytes for each place of the
        // widest row. All live as long as the simulation, which waits for the device before anything is dropped.
        unsafe { self.module.launch(function, blocks, &mut arguments)? };
        Ok(())
    }
}

impl Terms {
    /// For the observables of this rule, for so many superblocks at a time.
    fn new(cuda: &Cuda, rule: &Rule, planes: &[Planes], superblocks: u64) -> Result<Terms> {
        let (layout, shape) = (cuda.plan.layout(), cuda.shape());
        let kernel = compile_observables(rule, &cuda.plan, &cuda.target)?;
        let program = cuda.print(rule, [&kernel])?;
        let image = image(&cuda.nvrtc, &cuda.cache, cuda.architecture, &program.text)?;
        let pass = passes_of(&cuda.device, &image, program)?.remove(0);
        let block = |planes: &Planes| row_bytes(shape, *planes) * u64::from(layout.micro_cells());
        let block_bytes: Vec<u64> = planes.iter().map(block).collect();
        let columns = block_bytes.iter().map(|bytes| Memory::zeroed(&cuda.device, bytes * superblocks));
        Ok(Terms { pass, columns: columns.collect::<std::result::Result<_, _>>()?, block_bytes })
    }

    /// Starts to compute the terms of so many superblocks.
    fn compute(&self, cuda: &Cuda, first: u64, count: u64) -> Result<()> {
        let states = cuda.fields.len();
        // Kernels count superblocks from 0, but only the columns of these are there.
        let columns = |state: usize| {
            let term = state - states;
            self.columns[term].address().wrapping_sub(first * self.block_bytes[term])
        };
        cuda.launch(&self.pass, cuda.time, first as u32..(first + count) as u32, columns)
    }
}
