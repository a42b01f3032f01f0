//! Looks at states that stay on the device: the values of some cells, and sums over blocks of cells. The kernels of `templates/looks.cu` are the same for all
//! simulations, and are compiled when the first of them is needed.
//!
//! Only what was asked for comes to the host: a look costs two copies and a launch, however large the state is. [`Mirror`](crate::mirror::Mirror) says when its
//! copy of the whole state is better.

use super::Cuda;
use super::code::image;
use super::driver::Blocks;
use super::look_kernels::LookKernels;
use super::stored::Stored;
use super::trace::Road;
use crate::Result;
use crate::engine::TypedState;
use crate::mirror::check_host;
use crate::packed;
use crate::reduce::{inside, ks};
use crate::sample::{AskedSums, Sample};
use squeeze_compiler::emit::cuda::{FoldLaunch, FoldPlace, FoldPlan, THREADS, look_kernels};
use squeeze_compiler::ir::{StateId, Type};
use squeeze_compiler::kernel::{LaneType, Planes};
use squeeze_compiler::layout::Layout;
use std::ops::Range;

/// The most bytes of sums between two launches.
const MOST_BETWEEN: u64 = 32 << 20;
/// Threads of a multiprocessor that count. Measured on an H200 with 440 MB of bits: 512, as many as it holds by their registers, take 225 us, 256 of them 321,
/// 1 024 of them 263, 2 048 of them 354.
const COUNTING: u64 = 512;
/// Rows that a thread counts at least, if there are as many. Guess: 64 of them cost about what the 32 sums in the end do.
const LEAST_ROWS: u64 = 64;

/// Blocks of cells that stand in the columns of replica lanes: in each lane the same rows of columns.
struct LaneBlocks {
    /// The level of the blocks: lanes hold whole ones, and their cells can be counted in 32 bits.
    level: u32,
    /// Columns of a block.
    rows: u64,
    /// The blocks of each lane, counted in the lane.
    blocks: Range<u64>,
    /// The lanes, in the order of their replicas.
    lanes: Vec<u32>,
    /// How many of the first of these blocks, replica by replica, were not asked for.
    skipped: usize,
    /// How many were asked for.
    count: usize,
}

impl LaneBlocks {
    /// Parts of blocks of level `mu`, of a member that has a lane for itself or all lanes.
    fn new(layout: &Layout, cells: impl Fn(u32) -> u64, mu: u32, blocks: &Range<u64>, own: Option<u32>) -> LaneBlocks {
        let is_counted = |level: &u32| cells(*level) <= u64::from(u32::MAX);
        let level = (0..=mu.min(inside(layout))).rev().find(is_counted).unwrap_or(0);
        let (rows, together) = (cells(level), cells(mu) / cells(level));
        let (of_lane, wanted) = (layout.lane_stride() / rows, blocks.start * together..blocks.end * together);
        let replicas = wanted.start / of_lane..(wanted.end - 1) / of_lane + 1;
        let before = replicas.start * of_lane;
        let blocks = match replicas.end - replicas.start {
            1 => wanted.start - before..wanted.end - before,
            _ => 0..of_lane,
        };
        let lanes = &layout.lanes_of_replicas()[replicas.start as usize..replicas.end as usize];
        LaneBlocks {
            level,
            rows,
            lanes: own.map_or_else(|| lanes.to_vec(), |own| vec![own]),
            skipped: (wanted.start - before - blocks.start) as usize,
            count: (wanted.end - wanted.start) as usize,
            blocks,
        }
    }

    fn of_lane(&self) -> u64 {
        self.blocks.end - self.blocks.start
    }

    /// The groups of `together` lanes of a column that have some of the lanes, ascending.
    fn groups(&self, together: u32) -> Vec<u32> {
        let mut groups: Vec<u32> = self.lanes.iter().map(|lane| lane / together).collect();
        groups.sort_unstable();
        groups.dedup();
        groups
    }

    /// From numbers of each block of these groups, group by group, those that were asked for in canonical order.
    fn in_order<'a, T: Copy>(
        &'a self,
        found: &'a [T],
        groups: &'a [u32],
        together: u32,
    ) -> impl Iterator<Item = T> + 'a {
        let of_lane = move |lane: &u32| {
            let group = groups.binary_search(&(lane / together)).unwrap_or_else(|_| unreachable!("it is among them"));
            let place = group * together as usize + (lane % together) as usize;
            found[place..].iter().step_by(groups.len() * together as usize).copied()
        };
        self.lanes.iter().flat_map(of_lane).skip(self.skipped).take(self.count)
    }
}

impl Cuda {
    fn look_kernels(&self) -> Result<&LookKernels> {
        if let Some(kernels) = self.looks.get() {
            return Ok(kernels);
        }
        let image = image(&self.nvrtc, &self.cache, self.architecture, &look_kernels())?;
        let lanes = match self.stored() {
            Stored::Replicas { layout, .. } => layout.lanes_of_replicas(),
            Stored::Rows { .. } => &[],
        };
        let kernels = LookKernels::new(&self.device, &image, lanes)?;
        Ok(self.looks.get_or_init(|| kernels))
    }

    /// Whether a look with an answer of these bytes is to be taken on the device.
    fn looks_here(&self, member: usize, state: StateId, bytes: u64) -> bool {
        let rule = &self.program.rule;
        let whole = packed::bytes(rule.state(state).ty, rule.domain().cells());
        let fits = || check_host(rule.domain(), self.program.plan.storage.bytes_of(&self.host_memory())).is_ok();
        !self.program.plan.storage.is_cut() && !self.mirror.is_better((member, state), bytes, whole, fits)
    }

    /// Reads the values of a state of this type in these cells, as [`Engine::read_ranges`](crate::Engine::read_ranges) does; false if the host's copy is to be read.
    pub(super) fn gather(
        &self,
        member: usize,
        field: TypedState,
        ranges: &[Range<u64>],
        bytes: &mut [u8],
    ) -> Result<bool> {
        let (state, ty) = field;
        if !self.looks_here(member, state, bytes.len() as u64) {
            return Ok(false);
        }
        let of_unit = if ty == Type::Bit { 0 } else { ty.bytes() };
        let (mut list, mut units) = (Vec::with_capacity(3 * ranges.len()), 0);
        for cells in ranges.iter().filter(|cells| !cells.is_empty()) {
            list.extend([cells.start, cells.end, units]);
            units += packed::bytes(ty, cells.end - cells.start) / of_unit.max(1);
        }
        if units == 0 {
            return Ok(true);
        }
        let looks = self.look_kernels()?;
        let done = looks.with_room(
            || self.bytes_left(),
            [8 * list.len() as u64, bytes.len() as u64],
            |memory, [asked, answer]| {
                memory.upload(asked as usize, &list)?;
                let ((columns, count), lists) = (self.columns_of(member, state), list.len() as u32 / 3);
                let state = (columns, count, looks.lanes.address());
                let lists = (memory.address() + asked, lists, units);
                let arguments = (state, lists, of_unit as u32, memory.address() + answer);
                // SAFETY: the arguments are those of the kernel. The state and its tables have `count` columns and live as long as the simulation; the memory has the
                // list, and room for the units that it comes to, and is waited for below.
                unsafe { looks.gather.launch(Blocks::of_threads(units, THREADS)?, arguments)? };
                Ok(memory.download(answer as usize, bytes)?)
            },
        )?;
        if done.is_some() {
            Road::CellsGathered.taken();
        }
        Ok(done.is_some())
    }

    /// The sums of some blocks of replica lanes, as [`Engine::block_sums`](crate::Engine::block_sums) gives them; `None` if the host's copy is to be read.
    pub(super) fn sums_of_blocks(&self, member: usize, asked: &AskedSums<'_>) -> Result<Option<Vec<[f64; 3]>>> {
        let AskedSums { state, mu, ref blocks, sample } = *asked;
        let Stored::Replicas { layout, members, .. } = self.stored() else { return Ok(None) };
        let domain = self.program.rule.domain();
        if blocks.is_empty() {
            return Ok(Some(Vec::new()));
        }
        let own = members.as_lanes().then_some(member as u32);
        let lanes = LaneBlocks::new(layout, |level| domain.cell_product(level), mu, blocks, own);
        match (self.program.plan.states()[usize::from(state.0)].columns.planes, sample) {
            (Planes::Bits(_), _) => self.counts_of_blocks(member, asked, &lanes),
            (Planes::Number(ty), Sample::Value) => {
                let Some(mut sums) = self.sums_of_lanes(member, (state, ty), layout, &lanes)? else { return Ok(None) };
                // Blocks of several lanes, level by level.
                for k in ks(layout, lanes.level..mu) {
                    sums = sums.chunks(k as usize).map(|sums| sums.iter().fold(0.0, |sum, v| sum + v)).collect();
                }
                Ok(Some(sums.into_iter().map(|sum| sample.sum(&[sum])).collect()))
            }
            (Planes::Number(_), Sample::Table(_)) => Ok(None),
        }
    }

    /// The sums of blocks of a state of bits or of an enum, which are made of how often each value occurs.
    fn counts_of_blocks(
        &self,
        member: usize,
        &AskedSums { state, mu, sample, .. }: &AskedSums<'_>,
        lanes: &LaneBlocks,
    ) -> Result<Option<Vec<[f64; 3]>>> {
        let rule = &self.program.rule;
        let cells = rule.domain().cell_product(mu);
        let variants = match rule.state(state).ty {
            Type::Enum(id) => rule.enum_type(id).variants.len() as u64,
            _ => 2,
        };
        let words = lanes.groups(32);
        let (width, of_lane) = (words.len() as u64, lanes.of_lane());
        let of_value = 4 * 32 * width * of_lane;
        // Cells of other values have the value 0.
        let bytes = of_value * (variants - 1);
        if !self.looks_here(member, state, bytes) {
            return Ok(None);
        }
        let looks = self.look_kernels()?;
        let most = COUNTING * u64::from(self.device.multiprocessors()?);
        let pieces = (most / (width * of_lane)).clamp(1, lanes.rows.div_ceil(LEAST_ROWS));
        let found = looks.with_room(
            || self.bytes_left(),
            [bytes, 4 * width],
            |memory, [answer, asked]| {
                memory.upload(asked as usize, &words)?;
                memory.fill(bytes as usize, 0)?;
                let (columns, _) = self.columns_of(member, state);
                let threads = Blocks::of_threads(width * of_lane * pieces, THREADS)?;
                for value in 1..variants {
                    let chosen = (value as u32, memory.address() + asked, width as u32);
                    let rows = (lanes.blocks.start * lanes.rows, lanes.rows, of_lane, pieces as u32);
                    let counts = memory.address() + answer + (value - 1) * of_value;
                    // SAFETY: the arguments are those of the kernel. The state has the words and rows, and lives as long as the simulation; the memory has the list of
                    // words and 32 counts for each word of a block, and is waited for below.
                    unsafe { looks.count.launch(threads, (columns, chosen, rows, counts))? };
                }
                let mut found = vec![0; bytes as usize];
                memory.download(answer as usize, &mut found)?;
                Ok(found)
            },
        )?;
        let Some(found) = found else { return Ok(None) };
        Road::BlocksCounted.taken();
        let found: Vec<u32> = found.as_chunks::<4>().0.iter().map(|count| u32::from_le_bytes(*count)).collect();
        let together = (cells / lanes.rows) as usize;
        let variants = variants as usize;
        let mut counts = vec![0.0; lanes.count / together * variants];
        for (value, found) in (1..).zip(found.chunks(found.len() / (variants - 1))) {
            let mut found = lanes.in_order(found, &words, 32);
            for counts in counts.chunks_mut(variants) {
                counts[value] = found.by_ref().take(together).map(f64::from).sum();
            }
        }
        let sum_of = |counts: &mut [f64]| {
            counts[0] = cells as f64 - counts.iter().sum::<f64>();
            match sample {
                Sample::Table(_) => sample.sum(counts),
                Sample::Value => {
                    sample.sum(&[(0..).zip(&*counts).map(|(value, count)| f64::from(value) * count).sum()])
                }
            }
        };
        Ok(Some(counts.chunks_mut(variants).map(sum_of).collect()))
    }

    /// The sums of blocks of a state of numbers.
    fn sums_of_lanes(
        &self,
        member: usize,
        (state, ty): (StateId, LaneType),
        layout: &Layout,
        lanes: &LaneBlocks,
    ) -> Result<Option<Vec<f64>>> {
        let chosen = lanes.groups(1);
        let (width, count) = (chosen.len() as u64, lanes.of_lane());
        let bytes = 8 * width * count;
        if !self.looks_here(member, state, bytes) {
            return Ok(None);
        }
        let (looks, ks) = (self.look_kernels()?, ks(layout, 0..lanes.level).collect::<Vec<u64>>());
        let most = MOST_BETWEEN / (8 * width) * FoldPlan::first_folds(&ks);
        let plan = FoldPlan::new(&ks, 0, most, count);
        let most_rows = plan.pieces().map(|rows| rows.end - rows.start).max().unwrap_or(0);
        let [between, groups] = [plan.most_between(most_rows), plan.group_rows()].map(|rows| 8 * width * rows);
        let sizes = [4 * width, bytes, groups, between, between];
        let found = looks.with_room(
            || self.bytes_left(),
            sizes,
            |memory, [asked, answer, groups, even, odd]| {
                memory.upload(asked as usize, &chosen)?;
                let (columns, _) = self.columns_of(member, state);
                let start = |launch: FoldLaunch, first: u64| -> Result<()> {
                    let place = |place: FoldPlace| match place {
                        FoldPlace::Columns => {
                            let row = u64::from(columns.stride * columns.bytes);
                            columns.values + (lanes.blocks.start * lanes.rows + first) * row
                        }
                        FoldPlace::Between(number) => memory.address() + [even, odd][number],
                        FoldPlace::Groups(first) => memory.address() + groups + 8 * width * first,
                        FoldPlace::Result(first) => memory.address() + answer + 8 * width * first,
                    };
                    let (ty, stride, list) = match launch.source {
                        FoldPlace::Columns => (ty, u64::from(columns.stride), memory.address() + asked),
                        _ => (LaneType::F64, width, 0),
                    };
                    let source = (place(launch.source), ty as u32, stride, list, width as u32);
                    let blocks = Blocks::of_threads(launch.results() * width, THREADS)?;
                    // SAFETY: the arguments are those of the kernel. The columns live as long as the simulation; the memory has room for what the plan puts at each place, and
                    // is waited for below.
                    unsafe { looks.sum.launch(blocks, (source, launch.rows, launch.digits, place(launch.target)))? };
                    Ok(())
                };
                for rows in plan.pieces() {
                    plan.of_piece(&rows).into_iter().try_for_each(|launch| start(launch, rows.start))?;
                }
                plan.of_groups().into_iter().try_for_each(|launch| start(launch, 0))?;
                let mut found = vec![0; bytes as usize];
                memory.download(answer as usize, &mut found)?;
                Ok(found)
            },
        )?;
        let Some(found) = found else { return Ok(None) };
        Road::BlocksSummed.taken();
        let found: Vec<f64> = found.as_chunks::<8>().0.iter().map(|sum| f64::from_le_bytes(*sum)).collect();
        Ok(Some(lanes.in_order(&found, &chosen, 1).collect()))
    }
}
