//! Clusters on the device. Bonds, and all else that they are found from, are states or fields that stand there, and so is all that they give: nothing comes to the
//! host.
//!
//! The kernels of `templates/clusters.cu` know cells by tiles ([`TilesOfClusters`](squeeze_compiler::plan::TilesOfClusters)): bits are first gathered into the rows of tiles, whatever the storage, and
//! bits that are given go back from there. Numbers are read and written where they stand.

use super::Cuda;
use super::cluster_finder::{ClusterKernels, DeviceClusters};
use super::driver::{Address, Arguments, Blocks, Function};
use crate::Result;
use squeeze_compiler::emit::cuda::{ClusterDraw, ClusterField, ClusterWork, THREADS, TILES_OF_BLOCK};
use squeeze_compiler::geometry::FittedRule;
use squeeze_compiler::ir::{ClusterInput, ClusterQuantity, ClusterValue, Clusters, StateId, Type};
use squeeze_compiler::kernel::Planes;
use squeeze_compiler::numbers::scalar;

/// Threads that take a tile.
const OF_TILE: u32 = 32;

/// How the values of cells combine, by the numbers that kernels know.
#[derive(Clone, Copy)]
enum ClusterCombine {
    Add,
    Or,
    And,
    Least,
    Greatest,
}

/// What is combined.
#[derive(Clone, Copy)]
enum ClusterTerm {
    Ones,
    Bits,
    Numbers,
    Ends,
}

/// What cells are given of their own where they belong to no cluster.
#[derive(Clone, Copy)]
enum Otherwise {
    Zero,
    One,
    OwnDraw,
}

/// What cells are given one by one.
#[derive(Clone, Copy)]
enum ClusterGiven {
    Root,
    IsRoot,
    Value,
    Word,
    Uniform,
    Below,
    Chance,
}

/// Clusters of which values are given.
struct ClusterTask<'a> {
    cuda: &'a Cuda,
    finder: &'a DeviceClusters,
    kernels: &'a ClusterKernels,
    work: ClusterWork,
    time: u32,
}

impl Cuda {
    /// Starts to find the clusters before a step, and to give cells what is asked of them.
    pub(super) fn start_clusters(&self, before: usize, time: u32) -> Result<()> {
        let Some(finder) = &self.clusters else { unreachable!("the rule asks clusters") };
        let rule = &self.program.rule;
        for clusters in &rule.steps[before].clusters {
            let Some(kernels) = finder.kernels.get(&clusters.offsets) else {
                unreachable!("there are kernels for all offsets")
            };
            ClusterTask { cuda: self, finder, kernels, work: finder.work, time }.find(rule, clusters)?;
        }
        Ok(())
    }
}

impl ClusterTask<'_> {
    /// A state or field as kernels take it.
    fn field(&self, state: StateId) -> ClusterField {
        let columns = &self.cuda.program.plan.states()[usize::from(state.0)].columns;
        let (planes, bytes, is_signed) = match columns.planes {
            Planes::Bits(planes) => (u32::from(planes), 0, false),
            Planes::Number(ty) => (0, ty.scalar().bytes() as u32, ty.is_signed()),
        };
        let stored = self.cuda.program.plan.storage.stored() as u64;
        ClusterField {
            values: self.cuda.fields[usize::from(state.0)].now.address(),
            of_member: columns.block as u64 * stored,
            planes,
            bytes,
            is_signed: is_signed.into(),
            unused: 0,
        }
    }

    /// Starts a kernel of which a warp takes a tile, and a block some tiles.
    fn of_tiles(&self, function: &Function, arguments: impl Arguments) -> Result<()> {
        self.in_blocks_of(TILES_OF_BLOCK, function, arguments)
    }

    /// The same where a block takes as many tiles.
    fn in_blocks_of(&self, tiles: u32, function: &Function, arguments: impl Arguments) -> Result<()> {
        let all = u64::from(self.finder.tiles.count) * u64::from(self.finder.geometry.members);
        let blocks = Blocks::new(all.div_ceil(tiles.into()), OF_TILE * tiles)?;
        // SAFETY: the arguments are those of the kernel; lists, tables and states have the sizes that it was printed for, and live as long as the simulation,
        // which waits for the device before anything is dropped.
        unsafe { function.launch(blocks, (self.finder.geometry, self.work, arguments))? };
        Ok(())
    }

    /// Starts to gather a field of bits into rows of tiles; of no field, the cells.
    fn gather(&self, field: Option<StateId>, rows: Address) -> Result<()> {
        let field = field.map_or(ClusterField::default(), |field| self.field(field));
        let finder = self.finder;
        let (function, threads) = match finder.tiles.in_lanes && field.values != 0 {
            true => (&self.kernels.gather_lanes, finder.threads_of_lanes()),
            false => (&self.kernels.gather_rows, finder.threads_of_rows()),
        };
        // SAFETY: as above.
        unsafe { function.launch(Blocks::of_threads(threads, THREADS)?, (finder.geometry, field, rows))? };
        Ok(())
    }

    /// Starts to give a field of bits what stands in the rows of tiles.
    fn scatter(&self, field: StateId) -> Result<()> {
        let (field, finder) = (self.field(field), self.finder);
        let (function, threads) = match finder.tiles.in_lanes {
            true => (&self.kernels.scatter_lanes, finder.threads_of_lanes()),
            false => (&self.kernels.scatter_rows, finder.threads_of_rows()),
        };
        // SAFETY: as above.
        unsafe { function.launch(Blocks::of_threads(threads, THREADS)?, (finder.geometry, field, self.work.given))? };
        Ok(())
    }

    fn find(&mut self, rule: &FittedRule, clusters: &Clusters) -> Result<()> {
        // To look cells up in a mask takes longer than to read them.
        if clusters.when.is_some() || self.finder.geometry.mask != 0 {
            self.gather(clusters.when, self.finder.belong)?;
            self.work.belong = self.finder.belong;
        }
        for ((bond, _), number) in clusters.bonds().zip(0..) {
            self.gather(Some(bond), self.work.bonds + 4 * self.work.of_bond * number)?;
        }
        let kernels = self.kernels;
        self.in_blocks_of(1, &kernels.label_tiles, ())?;
        self.of_tiles(&kernels.join_tiles, ())?;
        self.of_tiles(&kernels.find_roots, ())?;
        clusters.values.iter().try_for_each(|value| self.give(rule, value))
    }

    /// Starts to give cells a value.
    fn give(&self, rule: &FittedRule, value: &ClusterValue) -> Result<()> {
        use ClusterQuantity as Q;
        let &ClusterValue { kind, of: input, to } = value;
        let of = input.field();
        let number = self.combined_of(rule, of);
        match kind {
            Q::Root => self.give_cells(value, ClusterGiven::Root, 0),
            Q::IsRoot => self.give_cells(value, ClusterGiven::IsRoot, 0),
            Q::Count | Q::Sum => {
                self.combine(of, number, ClusterCombine::Add, 0)?;
                self.give_cells(value, ClusterGiven::Value, 0)
            }
            Q::Any => {
                self.combine(of, number, ClusterCombine::Or, 0)?;
                self.give_bits(to, None, Otherwise::Zero, None)
            }
            Q::All => {
                self.combine(of, number, ClusterCombine::And, 0)?;
                self.give_bits(to, None, Otherwise::One, None)
            }
            Q::Min => {
                self.combine(of, ClusterTerm::Numbers, ClusterCombine::Least, 0)?;
                self.give_cells(value, ClusterGiven::Value, 0)
            }
            Q::Max => {
                self.combine(of, ClusterTerm::Numbers, ClusterCombine::Greatest, 0)?;
                self.give_cells(value, ClusterGiven::Value, 0)
            }
            Q::Spans(axis) if rule.domain().periodic().0[usize::from(axis)] => {
                let kernels = self.kernels;
                self.of_tiles(&kernels.begin_values, 0u64)?;
                self.of_tiles(&kernels.begin_rounds, ())?;
                self.of_tiles(&kernels.join_rounds, u32::from(axis))?;
                self.of_tiles(&kernels.gather_rounds, ())?;
                self.give_bits(to, None, Otherwise::Zero, None)
            }
            Q::Spans(axis) => {
                self.combine(None, ClusterTerm::Ends, ClusterCombine::Or, axis.into())?;
                self.give_bits(to, Some(3), Otherwise::Zero, None)
            }
            Q::Bits(draw) => self.give_word(value, ClusterGiven::Word, draw),
            Q::Uniform(draw) => self.give_word(value, ClusterGiven::Uniform, draw),
            Q::Below(draw) => self.give_word(value, ClusterGiven::Below, draw),
            Q::Chance(draw) => match input {
                ClusterInput::Constant(p) => {
                    let draw = ClusterDraw { probability: scalar::probability(p).to_bits(), ..self.draw(draw) };
                    self.of_tiles(&self.kernels.draw_values, (draw, 0u32))?;
                    self.give_bits(to, None, Otherwise::OwnDraw, Some(draw))
                }
                ClusterInput::Nothing | ClusterInput::Field(_) => self.give_cells(value, ClusterGiven::Chance, draw),
            },
        }
    }

    /// What is combined of a field, or of nothing but the cells.
    fn combined_of(&self, rule: &FittedRule, of: Option<StateId>) -> ClusterTerm {
        match of {
            None => ClusterTerm::Ones,
            Some(of) if rule.state(of).ty == Type::Bit => ClusterTerm::Bits,
            Some(_) => ClusterTerm::Numbers,
        }
    }

    fn combine(&self, of: Option<StateId>, term: ClusterTerm, combine: ClusterCombine, axis: u32) -> Result<()> {
        if let (Some(of), ClusterTerm::Bits) = (of, term) {
            self.gather(Some(of), self.work.given)?;
        }
        let nothing = match combine {
            ClusterCombine::Add | ClusterCombine::Or => 0,
            ClusterCombine::And => -1,
            ClusterCombine::Least => i64::MAX,
            ClusterCombine::Greatest => i64::MIN,
        };
        let field = of.map_or(ClusterField::default(), |of| self.field(of));
        self.of_tiles(&self.kernels.begin_values, nothing as u64)?;
        self.in_blocks_of(1, &self.kernels.combine_cells, (field, term as u32, combine as u32, axis))
    }

    fn draw(&self, number: u32) -> ClusterDraw {
        let tables = &self.cuda.surroundings;
        ClusterDraw {
            seeds: tables.seeds(),
            seed: self.cuda.members[0].seed,
            clock: tables.clock.address(),
            probability: 0,
            number,
            later: self.time.wrapping_sub(self.cuda.clock),
        }
    }

    /// Gives cells a bit: whether the value of their cluster is this one, or not 0.
    fn give_bits(
        &self,
        to: StateId,
        wanted: Option<u64>,
        otherwise: Otherwise,
        draw: Option<ClusterDraw>,
    ) -> Result<()> {
        let arguments = (draw.unwrap_or_default(), wanted.unwrap_or(u64::MAX), otherwise as u32);
        self.of_tiles(&self.kernels.give_bits, arguments)?;
        self.scatter(to)
    }

    fn give_word(&self, value: &ClusterValue, given: ClusterGiven, draw: u32) -> Result<()> {
        self.of_tiles(&self.kernels.draw_values, (self.draw(draw), 1u32))?;
        self.give_cells(value, given, draw)
    }

    fn give_cells(&self, value: &ClusterValue, given: ClusterGiven, draw: u32) -> Result<()> {
        let field = value.of.field().map_or(ClusterField::default(), |of| self.field(of));
        let arguments = (self.draw(draw), field, self.field(value.to), given as u32);
        self.of_tiles(&self.kernels.give_cells, arguments)?;
        match given {
            ClusterGiven::IsRoot | ClusterGiven::Chance => self.scatter(value.to),
            ClusterGiven::Root
            | ClusterGiven::Value
            | ClusterGiven::Word
            | ClusterGiven::Uniform
            | ClusterGiven::Below => Ok(()),
        }
    }
}
