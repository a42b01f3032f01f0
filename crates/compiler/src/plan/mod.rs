//! Which T, L and t to take: a small model of what a pass over all superblocks costs.
//!
//! For every T, L and t that fit, the model adds up what one superblock costs and divides it by the cells and steps that it
//! advances. It knows
//! - *lane density*: a column takes whole vector registers, so 243 lanes of 256 are worth more than 9 of 256;
//! - *halo volume*: within distance d of a micro-fractal of side S lie about `((S + 2d) / S)^h` times as many cells, h being
//!   the Hausdorff dimension of the micro-fractal; phases that others follow compute those too;
//! - *registers*: values beyond them are stored and loaded once more;
//! - *code*: what no cache of instructions holds is fetched again by each pass of a GPU;
//! - *random planes*: a draw takes as many as its probability needs, for the cells that guards let through, and twice the blocks where columns of a GPU
//!   begin in the midst of one and no warp shares them;
//! - *lines*: a warp whose threads read columns of several superblocks waits for a line of memory of each;
//! - *the first cache*: a superblock whose columns and halo do not fit waits for the second;
//! - *the superblock itself*: its entry of the neighbour table, and the permutation of lanes at the border, which in three
//!   dimensions is most of the work on a GPU;
//! - *memory*: each pass reads and writes the state once, and reads the neighbour table, from the cache that holds them;
//! - *parallelism*: fewer superblocks than threads leave threads idle.
//!
//! It does not run anything, and lowers nothing. The figures of a machine stand in [`Machine`], and follow for other machines from their parameters ([`Hardware`]).

mod hardware;
mod machine;
mod members;
mod memory;

pub use hardware::{CpuHardware, GpuHardware, Hardware};
pub use machine::{Machine, RandomBits};
pub use members::member_candidates;
pub use memory::{StateMemory, state_memory};

use crate::diagnostics::counted;
use crate::geometry::{Cells, Domain};
use crate::ir::NodeId;
use crate::ir::fractal::Dimension;
use crate::ir::kernel::{Direction, Planes};
use crate::ir::operators::BinaryOp;
use crate::ir::rule::{Aggregate, AggregateKind, Body, Node, Op, Rule};
use crate::ir::value::{Type, Value};
use crate::layout::table::NeighbourTable;
use crate::layout::{Layout, LayoutError};
use crate::numerics::philox::{PLANES, threshold};
use crate::passes::classes::MOST_RESULTS;
use crate::target::Target;
use std::fmt;

/// A layout and a number of steps, and what the model says of it.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The layout.
    pub layout: Layout,
    /// t, the time steps of one pass.
    pub steps: u32,
    /// Picoseconds for one cell and step, all threads working.
    pub cost: f64,
    /// Of a vector register's elements those that are cells.
    pub density: f64,
    /// Cells computed for one that is kept.
    pub overlap: f64,
    /// About so many operations has the kernel.
    pub operations: f64,
    /// True if memory, not operations, says how long a pass takes.
    pub memory_bound: bool,
}

impl Candidate {
    /// Rows as lanes: to kernels each cell of a mask or a box is a superblock of its own, and they may look at any distance. One step a pass.
    ///
    /// # Errors
    /// If there are more columns than 32 bits can number.
    pub fn of_rows(domain: &Domain) -> Result<Candidate, LayoutError> {
        let layout = Layout::new(domain, 0, 0)?.looking_far();
        Ok(Candidate { layout, steps: 1, cost: 0.0, density: 1.0, overlap: 1.0, operations: 0.0, memory_bound: true })
    }
}

/// The most steps in one pass that are tried.
const MOST_STEPS: u32 = 4;

/// Operations for one neighbour's bit in a count, as measured on life after all passes.
const ADDER: f64 = 2.0;
/// Where there are no others, kernels may be so many times as long as is good for the machine.
const LENGTHENED: f64 = 10.0;
/// The same where kernels look farther than beside their superblock: the fewer cells these have, the more neighbours are looked for.
const LENGTHENED_FAR: f64 = 16.0;
/// The most places of the map of superblocks.
const MOST_PLACES: u64 = 1 << 28;
/// The most places that are asked whether they are cells.
const SAMPLE: u64 = 10_000;

/// Work per cell and time step, before any sharing.
#[derive(Clone, Copy, Debug)]
struct Work {
    /// Operations on vectors of bits.
    logic: f64,
    /// Operations on numbers, in registers of the widest number.
    numeric: f64,
    /// Bits of all states of one cell.
    bits: f64,
    /// Bits of the widest number, 1 if all states are bits.
    widest: u64,
    /// Random bits that kernels of bits decide.
    random_bits: f64,
    /// The same on a GPU: of all cells, and of those that guards let through.
    draws: [Draws; 2],
}

/// Random bits by their share of the planes of one that takes all.
#[derive(Clone, Copy, Debug, Default)]
struct Draws {
    /// Where a thread has one word.
    words: f64,
    /// Where a thread has four, so that those of one draw share their planes, and those of which few planes decide make no more.
    fours: f64,
}

impl Work {
    /// With numbers of few values as classes of bits, if they may be.
    fn of(rule: &Rule, domain: &Domain, classes: bool) -> Work {
        let planes: Vec<Planes> = rule.kept_states().map(|state| Planes::of(rule, state.ty)).collect();
        let bits_of = |planes: &Planes| match planes {
            Planes::Bits(count) => u64::from(*count),
            Planes::Number(ty) => 8 * ty.scalar().bytes(),
        };
        let number = |planes: &&Planes| matches!(planes, Planes::Number(_));
        let mut work = Work {
            logic: 0.0,
            numeric: 0.0,
            bits: planes.iter().map(bits_of).sum::<u64>() as f64,
            widest: planes.iter().filter(number).map(bits_of).max().unwrap_or(1),
            random_bits: 0.0,
            draws: [Draws::default(); 2],
        };
        // Numbers of few values become classes of bits.
        let bodies = || rule.steps.iter().map(|step| &step.body);
        let draws = || {
            bodies().flat_map(|body| body.nodes.iter().map(move |node| (body, &node.op))).filter(|(_, op)| op.draws())
        };
        let by_planes = |(body, op): (&Body, &Op)| match op {
            Op::RandomBelow { bound, .. } => most_of(rule, body, *bound, domain.dimension()) <= MOST_RESULTS,
            op => matches!(op, Op::RandomBit { .. }),
        };
        let of_bits = classes && work.widest == 1 && rule.draws() && draws().all(by_planes);
        if of_bits {
            work.random_bits = draws().count() as f64;
            for step in &rule.steps {
                let divisors = step.guard.and_then(|_| divisors_of(&step.body)).unwrap_or_default();
                let covered = 1.0 / divisors.iter().product::<u64>() as f64;
                for node in step.body.nodes.iter().filter(|node| node.op.draws()) {
                    let draws = Draws::of(&step.body, &node.op);
                    for (all, share) in work.draws.iter_mut().zip([1.0, covered]) {
                        all.words += draws.words * share;
                        all.fours += draws.fours * share;
                    }
                }
            }
        }
        for step in &rule.steps {
            for node in &step.body.nodes {
                let (times, ty) = match &node.op {
                    Op::Math(..) | Op::Math2(..) if of_bits => (1.0, node.ty),
                    Op::Aggregate(aggregate) => {
                        let offsets =
                            rule.neighbourhoods[usize::from(aggregate.neighbourhood)].offsets(domain.dimension());
                        let constant = constant_nodes(&step.body);
                        let free = |id: &u32| {
                            constant[*id as usize] || matches!(step.body.nodes[*id as usize].op, Op::Neighbour(_))
                        };
                        let term = aggregate.term.clone().filter(|id| !free(id));
                        let ty = step.body.node(aggregate.value).ty;
                        let adding = if ty == Type::Bit { ADDER } else { 1.0 };
                        (mean_neighbours(domain, &offsets) * (term.count() as f64 + adding), ty)
                    }
                    Op::Math(..) | Op::Math2(..) => (40.0, node.ty),
                    Op::RandomBits { .. }
                    | Op::RandomBit { .. }
                    | Op::RandomBelow { .. }
                    | Op::RandomUniform { .. } => (60.0, rule.states[0].ty),
                    Op::Const(_) | Op::Param(_) | Op::State(_) | Op::Neighbour(_) => (0.0, node.ty),
                    _ => (1.0, node.ty),
                };
                match Planes::of(rule, ty) {
                    Planes::Bits(count) => work.logic += times * f64::from(count.max(1)),
                    Planes::Number(_) => work.numeric += times,
                }
            }
        }
        if rule.draws() && !of_bits {
            work.widest = work.widest.max(32);
        }
        work
    }
}

/// The most that the bound of a draw can be, as far as the rule says it.
fn most_of(rule: &Rule, body: &Body, bound: NodeId, dimension: Dimension) -> u32 {
    match &body.node(bound).op {
        Op::Const(Value::U32(bound)) => *bound,
        Op::Cast(count) => match &body.node(*count).op {
            Op::Aggregate(Aggregate { kind: AggregateKind::Count, neighbourhood, .. }) => {
                rule.neighbourhoods[usize::from(*neighbourhood)].offsets(dimension).len() as u32
            }
            _ => u32::MAX,
        },
        _ => u32::MAX,
    }
}

/// The work of a rule on layouts of a machine.
struct Works<'a> {
    machine: &'a Machine,
    words: Work,
    /// Where numbers of few values become classes of bits.
    classes: Work,
    /// What coordinates are divided by; `None` if they are used otherwise.
    divisors: Option<Vec<u64>>,
}

impl<'a> Works<'a> {
    fn of(rule: &Rule, domain: &Domain, machine: &'a Machine) -> Works<'a> {
        let classes = Work::of(rule, domain, machine.random_bits != RandomBits::Words);
        Works { machine, words: Work::of(rule, domain, false), classes, divisors: divisors(rule) }
    }

    /// Where kernels must be of bits altogether, coordinates must be known for each micro cell, or be asked whether they are odd.
    fn on(&self, layout: &Layout) -> Work {
        if self.machine.random_bits != RandomBits::PlanesOfBits {
            return self.classes;
        }
        let divides = |divisor: u64| divides_sides(layout, divisor);
        let all =
            |holds: &dyn Fn(u64) -> bool| self.divisors.as_ref().is_some_and(|all| all.iter().all(|of| holds(*of)));
        if !all(&|divisor| divisor == 2 || divides(divisor)) {
            return self.words;
        }
        // Where coordinates are known for each micro cell, steps draw for what they cover alone.
        let [all_cells, covered] = self.classes.draws;
        Work { draws: if all(&divides) { [covered; 2] } else { [all_cells; 2] }, ..self.classes }
    }
}

/// Whether a coordinate divided by it leaves the same in all superblocks.
fn divides_sides(layout: &Layout, divisor: u64) -> bool {
    layout.low().extent()[..layout.dimension().axes()].iter().all(|side| side.is_multiple_of(divisor))
}

impl Draws {
    /// Those of one draw.
    fn of(body: &Body, draw: &Op) -> Draws {
        /// Planes until most lanes are decided.
        const ALL: f64 = 12.0;
        let decided_by = |p: f64| f64::from(PLANES - threshold(p).trailing_zeros().min(PLANES));
        let Op::RandomBit { probability, .. } = draw else {
            // One of a few choices: kernels of bits draw nothing else.
            return Draws { words: 3.0, fours: 0.5 };
        };
        let planes = match body.node(*probability).op {
            Op::Const(Value::F32(p)) => decided_by(f64::from(p)),
            Op::Const(Value::F64(p)) => decided_by(p),
            _ => ALL,
        };
        // Four threads make four planes at once.
        Draws { words: (4.0 * (planes / 4.0).ceil()).min(ALL) / ALL, fours: planes.min(ALL) / ALL }
    }
}

/// What the steps of a rule divide coordinates by; `None` if they use them otherwise.
fn divisors(rule: &Rule) -> Option<Vec<u64>> {
    rule.steps.iter().try_fold(Vec::new(), |mut all, step| {
        all.extend(divisors_of(&step.body)?);
        Some(all)
    })
}

/// The same of one step.
fn divisors_of(body: &Body) -> Option<Vec<u64>> {
    if !body.nodes.iter().any(|node| matches!(node.op, Op::Coordinate(_))) {
        return Some(Vec::new());
    }
    let constant = |id: NodeId| match body.node(id).op {
        Op::Const(Value::I32(divisor)) => u64::try_from(divisor).ok().filter(|divisor| *divisor > 0),
        _ => None,
    };
    let divisor = |node: &Node| match node.op {
        Op::Binary(BinaryOp::Remainder, _, divisor) => constant(divisor),
        _ => None,
    };
    let divisors: Vec<u64> = body.nodes.iter().filter_map(divisor).collect();
    if divisors.is_empty() { None } else { Some(divisors) }
}

/// Which nodes of a body are known for each offset before any cell is.
fn constant_nodes(body: &Body) -> Vec<bool> {
    let mut constant: Vec<bool> = Vec::with_capacity(body.nodes.len());
    for node in &body.nodes {
        let is_input = matches!(
            node.op,
            Op::Neighbour(_) | Op::State(_) | Op::Param(_) | Op::Coordinate(_) | Op::Level | Op::Side | Op::Time
        ) || matches!(
            node.op,
            Op::Read { .. }
                | Op::Aggregate(_)
                | Op::RandomBits { .. }
                | Op::RandomBit { .. }
                | Op::RandomBelow { .. }
                | Op::RandomUniform { .. }
        );
        let mut of_constants = true;
        node.op.clone().visit_operands(|id| of_constants &= constant[id.0 as usize]);
        constant.push(!is_input && of_constants);
    }
    constant
}

/// How many of a neighbourhood's places are cells, on average over the finest levels: as many as have few enough cells to look
/// at each, but at least those whose side holds the neighbourhood. Of these every so many-th cell is looked at.
fn mean_neighbours(domain: &Domain, offsets: &[[i32; 3]]) -> f64 {
    let most = SAMPLE / offsets.len().max(1) as u64;
    let reach = offsets.iter().flatten().map(|v| u64::from(v.unsigned_abs())).max().unwrap_or(0);
    let side = |mu: u32| shortest(domain.scale_product(mu), domain.dimension());
    let level = (0..=domain.level())
        .take_while(|mu| domain.cell_product(*mu) <= most || *mu == 0 || side(*mu - 1) <= 2 * reach)
        .last()
        .unwrap_or(0);
    mean_neighbours_of(&domain.between(0, level), offsets, most)
}

/// The same over about so many of these cells.
fn mean_neighbours_of(cells: &impl Cells, offsets: &[[i32; 3]], most: u64) -> f64 {
    // The steps vary, so that the lowest digits do.
    let stride = (cells.count() / most.max(1)).max(1);
    let looked_at = cells.count().min(most.max(1));
    let neighbours_of = |i: u64| {
        let place = cells.locate(i * stride + i % stride);
        offsets.iter().filter(|offset| cells.neighbour(place, **offset).is_some()).count()
    };
    (0..looked_at).map(neighbours_of).sum::<usize>() as f64 / looked_at as f64
}

/// All layouts and numbers of steps that fit, the cheapest first. Where all kernels would be longer than is good for the machine,
/// long ones are better than none: they follow in the order of their lengths.
pub fn candidates(domain: &Domain, rule: &Rule, machine: &Machine) -> Vec<Candidate> {
    candidates_of(domain, rule, machine, 1)
}

/// The same where one pass computes so many members.
fn candidates_of(domain: &Domain, rule: &Rule, machine: &Machine, members: u32) -> Vec<Candidate> {
    let works = Works::of(rule, domain, machine);
    let (reach, farthest) = (rule.reach(domain.dimension()), rule.farthest_reach(domain.dimension()));
    let most_steps = if rule.step_by_step() { 1 } else { MOST_STEPS };
    let (mut candidates, mut long) = (Vec::new(), Vec::new());
    for micro_digits in 0..=domain.level() {
        if domain.cell_product(micro_digits) > crate::layout::MOST_MICRO {
            break;
        }
        for lane_digits in 0..=domain.level() - micro_digits {
            let Ok(layout) = Layout::new(domain, lane_digits, micro_digits) else { continue };
            let work = &works.on(&layout);
            if layout.lanes() as u64 * work.widest > machine.most_column_bits && lane_digits > 1 {
                break;
            }
            for steps in 1..=most_steps {
                let holds = |reach: u32| {
                    layout.is_whole()
                        || u64::from(reach) * u64::from(steps) <= shortest(layout.low().extent(), layout.dimension())
                };
                // Named steps are kernels of their own where the rule draws, or where together they reach too far.
                let fused = !rule.step_by_step() && holds(reach);
                if !(fused || steps == 1 && rule.may_be_apart() && holds(farthest)) {
                    continue;
                }
                let reach = if fused { reach } else { farthest };
                let candidate = judge(&layout, layout.lanes(), steps, work, reach, machine, members);
                let most = if layout.is_whole() { machine.longest_whole } else { machine.longest_kernel };
                let fits = candidate.operations <= most;
                if fits {
                    candidates.push(candidate);
                } else if candidate.operations <= LENGTHENED * machine.longest_kernel {
                    long.push(candidate);
                }
            }
        }
    }
    candidates.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    // A single superblock fits whatever its length, and may be too long to be lowered.
    if candidates.iter().all(|candidate| candidate.operations > machine.longest_kernel) {
        long.sort_by(|a, b| a.operations.total_cmp(&b.operations).then(a.cost.total_cmp(&b.cost)));
        candidates.append(&mut long);
    }
    candidates
}

/// Layouts whose kernels look farther than into the superblocks beside their own, for one step at a time: the shortest kernels of each
/// number of lanes that fit, the cheapest first.
fn far_candidates(domain: &Domain, rule: &Rule, target: &Target) -> Vec<Candidate> {
    let machine = &target.machine;
    let (works, reach) = (Works::of(rule, domain, machine), rule.farthest_reach(domain.dimension()));
    let mut candidates = Vec::new();
    let most_micro_digits = if target.loops { 0 } else { domain.level() };
    for micro_digits in 0..=most_micro_digits {
        if domain.cell_product(micro_digits) > crate::layout::MOST_MICRO {
            break;
        }
        for lane_digits in 0..=domain.level() - micro_digits {
            let Ok(layout) = Layout::new(domain, lane_digits, micro_digits) else { continue };
            let work = &works.on(&layout);
            if layout.lanes() as u64 * work.widest > machine.most_column_bits && lane_digits > 1 {
                break;
            }
            // Loops find superblocks by a map, and lanes quickly if they are not farther away than beside their own.
            let sides = layout.middle().extent();
            let beside = lane_digits == 0 || shortest(sides, layout.dimension()) >= u64::from(reach);
            let places = sides.into_iter().fold(1, u64::saturating_mul);
            if target.loops && !(beside && places <= MOST_PLACES) {
                continue;
            }
            let lanes = layout.lanes();
            let mut candidate = judge(&layout.looking_far(), lanes, 1, work, reach, machine, target.members);
            if target.loops {
                candidate.cost = cost_of_loops(&candidate, work, reach, machine);
            }
            if candidate.operations <= LENGTHENED_FAR * machine.longest_kernel || micro_digits == 0 {
                candidates.push(candidate);
            }
        }
    }
    candidates.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    candidates
}

/// Picoseconds for one cell and step where each thread goes through all neighbours: it finds each one's superblock, and across the border its
/// lane, loads it and adds it.
fn cost_of_loops(candidate: &Candidate, work: &Work, reach: u32, machine: &Machine) -> f64 {
    /// Operations to find and load a neighbour, for one that computes with it.
    const FINDING: f64 = 8.0;
    let layout = &candidate.layout;
    let threads = if work.widest == 1 { layout.words() } else { 32 * layout.words() } as f64;
    let side = mean_side(layout.middle().extent(), layout.dimension());
    let border = (2.0 * f64::from(reach) * layout.dimension().axes() as f64 / side).min(2.0);
    let neighbours = (work.logic + work.numeric) * FINDING * (1.0 + border);
    let busy = machine.threads.min(f64::from(layout.superblocks()) * threads);
    1000.0 * neighbours * machine.numeric * threads / layout.lanes() as f64 / busy
}

/// What is to be compiled and run: a layout, the time steps of one pass, and the memory that the states take.
///
/// All superblocks of the layout belong to one member, whose run is on one device. A part of them, or cells that are no fractal's would be
/// told here: whoever runs kernels takes what it needs to know from the plan. Members of an ensemble share a plan ([`Target::members`]).
#[derive(Clone, Debug)]
pub struct Plan {
    /// The choice, and what the model says of it.
    pub candidate: Candidate,
    /// The memory of each state of the rule.
    pub states: Vec<StateMemory>,
}

impl Plan {
    /// The plan of a choice that was made.
    pub fn of(rule: &Rule, candidate: Candidate) -> Plan {
        let states = state_memory(rule, &candidate.layout);
        Plan { candidate, states }
    }

    /// The layout.
    pub fn layout(&self) -> &Layout {
        &self.candidate.layout
    }

    /// t, the most time steps of one pass.
    pub fn steps(&self) -> u32 {
        self.candidate.steps
    }
}

/// What may be tried, in this order: the layout that the target demands, or those that the model finds cheapest.
pub fn choices(domain: &Domain, rule: &Rule, target: &Target) -> Vec<Plan> {
    /// More layouts than these are not tried.
    const MOST_TRIES: usize = 12;
    let candidates = match &target.demanded {
        Some(candidate) => vec![candidate.clone()],
        None => candidates_of(domain, rule, &target.machine, target.members),
    };
    let suits = |candidate: &Candidate| {
        (target.whole || !candidate.layout.is_whole()) && candidate.operations <= target.most_operations
    };
    // Loops are short: then a kernel that is too long beside its own superblock does better to look far.
    let unrolled = |candidate: &Candidate| candidate.operations <= target.machine.longest_kernel;
    let looks_far = target.far && target.demanded.is_none();
    let far = if looks_far { far_candidates(domain, rule, target) } else { vec![] };
    let far_first = target.loops && looks_far && !candidates.first().is_some_and(unrolled);
    let tried = |candidates: Vec<Candidate>| candidates.into_iter().filter(suits).take(MOST_TRIES);
    let (first, then) = if far_first { (far, candidates) } else { (candidates, far) };
    tried(first).chain(tried(then)).map(|candidate| Plan::of(rule, candidate)).collect()
}

/// The shortest side along the axes that there are.
fn shortest(sides: [u64; 3], dimension: Dimension) -> u64 {
    sides[..dimension.axes()].iter().copied().min().unwrap_or(1)
}

/// The side of a square or cube of as many places.
fn mean_side(sides: [u64; 3], dimension: Dimension) -> f64 {
    let sides = &sides[..dimension.axes()];
    if sides.iter().all(|side| *side == sides[0]) {
        return sides[0] as f64;
    }
    sides.iter().map(|side| *side as f64).product::<f64>().powf(1.0 / sides.len() as f64)
}

/// Threads of a GPU for a column of numbers of so many lanes: whole warps if no more than a quarter of them is idle.
fn threads_of_numbers(lanes: usize) -> usize {
    let whole = lanes.next_multiple_of(WARP);
    if 4 * lanes >= 3 * whole { whole } else { lanes }
}

/// Threads of a warp.
const WARP: usize = 32;

/// Of so many lines of memory, each of 128 bytes, a warp reads when each of its threads reads a word of its column, if a column has so many threads and
/// superblocks stand so many bytes apart.
fn lines(threads: f64, apart: f64) -> f64 {
    let warp = WARP as f64;
    let columns = if threads % warp == 0.0 {
        1.0
    } else if warp % threads == 0.0 {
        warp / threads
    } else {
        1.0 + (warp - 1.0) / threads
    };
    (columns * (apart / 128.0).min(1.0)).max(1.0)
}

/// The blocks of random planes of 128 cells that are made for four words of a column, whose threads share what they make or whose warps do: more than
/// one where columns begin in the midst of a block.
fn blocks_of_four_words(lanes: usize, shares: bool) -> f64 {
    let words = lanes.div_ceil(32);
    if lanes.is_multiple_of(32 * words.min(4)) {
        1.0
    } else if shares {
        1.1
    } else {
        2.0
    }
}

/// The superblocks of a simulation with those that would fill up its last warp, where so many threads that take four words of a column serve one. `None`
/// where many members each would leave too many threads idle.
pub(crate) fn warps_of_superblocks(layout: &Layout, threads: usize, of_many: bool) -> Option<u32> {
    let of_warp = (1..=WARP).find(|superblocks| (superblocks * threads).is_multiple_of(WARP)).unwrap_or(WARP);
    let (own, filled) = (layout.superblocks(), layout.superblocks().next_multiple_of(of_warp as u32));
    (!of_many || 5 * u64::from(filled) <= 6 * u64::from(own)).then_some(filled)
}

/// Whether, where a thread takes four words, the blocks of random planes that a warp needs are hardly more than its threads if its superblocks follow each
/// other by reversed number, while each thread's own would be two.
pub(crate) fn warps_share_planes(layout: &Layout, lanes: usize) -> bool {
    let quads = lanes.div_ceil(32) / 4;
    let levels: Vec<u64> = layout.middle().replicas().collect();
    // Then the superblock of a reversed number is that with the digits of the number reversed.
    let alike = levels.iter().eq(levels.iter().rev());
    !lanes.is_multiple_of(128) && quads > 0 && WARP.is_multiple_of(quads) && alike
}

/// The code of so many draws stays in the cache of a processor's instructions.
const FEW_DRAWS: f64 = 8.0;

/// Columns have so many lanes, whatever they are.
fn judge(
    layout: &Layout,
    lanes: usize,
    steps: u32,
    work: &Work,
    reach: u32,
    machine: &Machine,
    members: u32,
) -> Candidate {
    let words = lanes.div_ceil(32);
    let superblocks = f64::from(layout.superblocks()) * f64::from(members);
    let (cells, lanes) = (f64::from(layout.micro_cells()), lanes as f64);
    // Processors compute with elements of 32 bits at least.
    let widest = if machine.splits_columns || work.widest == 1 { work.widest } else { work.widest.max(32) };
    let vectors = |bits_a_lane: u64| (lanes * bits_a_lane as f64 / machine.vector_bits as f64).ceil();
    let side = mean_side(layout.low().extent(), layout.dimension());
    let dimension = if side > 1.0 { cells.ln() / side.ln() } else { layout.dimension().axes() as f64 };
    let volume = |distance: u32| {
        if layout.is_whole() { 1.0 } else { ((side + 2.0 * f64::from(distance)) / side).powf(dimension) }
    };
    // Phase j of t is needed within (t − j) times the reach.
    let overlap = (0..steps).map(|later| volume(later * reach)).sum::<f64>() / f64::from(steps);
    let updates = cells * f64::from(steps) * overlap;
    let threads = match (machine.splits_columns, widest) {
        (false, _) => 1.0,
        (true, 1) => words as f64,
        (true, _) => threads_of_numbers(lanes as usize) as f64,
    };
    let registers_of_numbers = if machine.splits_columns { threads } else { vectors(widest) };
    let operations =
        work.logic * vectors(1) * machine.operation + work.numeric * registers_of_numbers * machine.numeric;
    let state_vectors = (lanes * work.bits / machine.vector_bits as f64).ceil();
    let halo = (volume(steps * reach) - 1.0) * cells;
    let live = if machine.splits_columns {
        // A thread loads all that it needs before it computes.
        cells * volume(steps * reach) * work.bits / work.widest as f64
    } else {
        cells.min(side * 2.0) * work.bits.min(8.0) * volume(steps.saturating_sub(1) * reach)
    };
    // A block of random planes serves four words: a thread takes as many where it can.
    let fours = machine.splits_columns && work.widest == 1 && work.random_bits > 0.0 && vectors(1) % 4.0 == 0.0;
    let live = if fours { 4.0 * live } else { live };
    let spilt = (live / machine.registers - 1.0).clamp(0.0, 1.0);
    let spills = spilt * updates * vectors(widest);
    let wraps = mean_side(layout.middle().extent(), layout.dimension());
    let all = Direction::count(layout.dimension()) as f64;
    let border = (2.0 * layout.dimension().axes() as f64 / wraps).min(1.0);
    let (in_space, scattered) = (layout.dimension() == Dimension::Three, work.widest == 1 && vectors(1) > 1.0);
    let operations = operations * if in_space { machine.operation_in_space } else { 1.0 };
    let permutation = if work.widest == 1 { machine.permutation } else { machine.permutation_of_numbers };
    let permutation = permutation * if in_space && scattered { machine.permutation_in_space } else { 1.0 };
    // What the threads of a column read at once.
    let bytes = if work.widest == 1 { 4.0 * words as f64 } else { lanes * work.widest as f64 / 8.0 };
    let column_bytes = if work.widest == 1 { 4.0 * words as f64 } else { lanes * work.bits / 8.0 };
    let column_bytes = (column_bytes / machine.transaction).ceil() * machine.transaction;
    let column_bytes = column_bytes.max(work.bits * lanes / 8.0);
    let touched = (2.0 * cells + halo) * column_bytes;
    let scatter =
        if machine.splits_columns { 1.0 + machine.scatter * (lines(threads, cells * bytes) - 1.0) } else { 1.0 };
    let compute = updates * operations
        + (touched - machine.first_cache).max(0.0) * machine.beyond_first_cache
        + ((2.0 * cells + halo) * state_vectors * scatter + 2.0 * spills) * machine.load
        + border * halo * state_vectors * permutation
        + machine.superblock * (1.0 + all / 8.0) * if fours { threads / 4.0 } else { threads };
    let table = NeighbourTable::bytes(layout) as f64 / f64::from(layout.superblocks());
    let moved = 2.0 * cells * column_bytes + table;
    let whole = moved * superblocks;
    let nanoseconds_a_byte = machine.memory.iter().find(|(bytes, _)| whole <= *bytes).map_or(0.0, |(_, cost)| *cost);
    let crowding = if work.widest > 1 { 1.0 + live / machine.crowded } else { 1.0 };
    let memory = moved * nanoseconds_a_byte * crowding / machine.threads.min(machine.memory_threads);
    let pieces = superblocks * threads;
    let busy = machine.threads.min(pieces);
    // A block of random planes is made for four words, whether the column has them or not.
    let drawn = if machine.splits_columns { 4.0 * (vectors(1) / 4.0).ceil() } else { vectors(1) };
    let whole_warps = fours.then(|| warps_of_superblocks(layout, words / 4, members > 1)).flatten();
    let shares = whole_warps.is_some() && warps_share_planes(layout, lanes as usize);
    let drawn = drawn * if machine.splits_columns { blocks_of_four_words(lanes as usize, shares) } else { 1.0 };
    let drawn = drawn + machine.random_start;
    let drawn = drawn * whole_warps.map_or(1.0, |superblocks| f64::from(superblocks) / f64::from(layout.superblocks()));
    let random_bits = match (machine.splits_columns, fours) {
        (false, _) => work.random_bits,
        (true, true) => work.draws[0].fours,
        (true, false) => work.draws[0].words,
    };
    let draws = updates * random_bits;
    let slower = match fours {
        true => (1.0 + machine.random_code * (draws - FEW_DRAWS).max(0.0)) * (1.0 + spilt),
        false => 1.0,
    };
    let drawing = if fours { pieces / 4.0 } else { pieces };
    let random = draws * slower * drawn * machine.random / machine.random_threads.min(drawing);
    let useful = cells * lanes * f64::from(steps);
    let compute = compute / busy + random;
    let time = if machine.hides_memory { (compute.powi(3) + memory.powi(3)).cbrt() } else { compute + memory };
    let operations = updates * (work.logic + work.numeric);
    let code = machine.code * (operations - machine.code_kept).max(0.0);
    let last_resort = if live > machine.most_live { 1000.0 } else { 1.0 };
    Candidate {
        layout: layout.clone(),
        steps,
        cost: 1000.0 * (time + (machine.pass + code) / superblocks) / useful * last_resort,
        density: lanes * widest as f64 / (vectors(widest) * machine.vector_bits as f64),
        overlap,
        operations,
        memory_bound: memory > compute,
    }
}

/// The choice and its reasons, in one sentence each.
impl fmt::Display for Candidate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let layout = &self.layout;
        writeln!(
            f,
            "T = {}: {} lanes a column fill {:.0}% of the vector registers they take",
            layout.lane_digits(),
            layout.lanes(),
            100.0 * self.density
        )?;
        writeln!(
            f,
            "L = {}: {} a superblock, about {:.0} operations; {}",
            layout.micro_digits(),
            counted(layout.micro_cells(), "micro cell"),
            self.operations,
            counted(layout.superblocks(), "superblock")
        )?;
        let bound = if self.memory_bound { "memory" } else { "operations" };
        writeln!(
            f,
            "t = {}: {:.2} cells computed for one that is kept; bound by {bound}, {:.2} ps a cell and step expected",
            self.steps, self.overlap, self.cost
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Neighbourhood;
    use crate::lower::lower;
    use crate::samples;

    #[test]
    fn plans_exist_and_can_be_lowered() {
        let larger = samples::life_like("larger", Neighbourhood::Moore(2), &[3, 4, 5], &[3, 4, 5, 6]);
        for fractal in samples::fractals() {
            for rule in [samples::life(), samples::heat(), larger.clone()] {
                for level in [0, 1, 2, 4, 7, 12] {
                    let domain = Domain::new(fractal.clone(), level).expect("fits");
                    let plans = choices(&domain, &rule, &Target::cpu(2));
                    let plan = plans.first().expect("there is a layout");
                    lower(&rule, plan.layout(), plan.steps()).expect("the plan holds the reach");
                    assert!(plan.candidate.cost.is_finite() && plan.candidate.to_string().lines().count() == 3);
                }
            }
        }
    }

    /// What every cell of a neighbourhood looks at is counted on a fractal that is larger than the neighbourhood.
    #[test]
    fn large_neighbourhoods_have_layouts_at_every_level() {
        let square = samples::fractals().swap_remove(3);
        for radius in 1..=8 {
            let rule = samples::life_like("large", Neighbourhood::Moore(radius), &[3], &[3, 4]);
            for level in [5, 6, 7, 10] {
                let domain = Domain::new(square.clone(), level).expect("fits");
                let plans = candidates(&domain, &rule, &Machine::cpu(2));
                let lowered = plans.iter().take(12).any(|plan| lower(&rule, &plan.layout, plan.steps).is_ok());
                assert!(lowered, "moore({radius}) at level {level}");
            }
            let offsets = Neighbourhood::Moore(radius).offsets(Dimension::Two);
            let mean = mean_neighbours(&Domain::new(square.clone(), 10).expect("fits"), &offsets);
            let share = mean / offsets.len() as f64;
            assert!((0.4..=1.0).contains(&share), "moore({radius}): {mean} of {}", offsets.len());
        }
    }

    #[test]
    fn dense_lanes_are_preferred() {
        let domain = Domain::new(samples::triangle(), 16).expect("fits");
        let plans = choices(&domain, &samples::life(), &Target::cpu(1));
        let choice = &plans.first().expect("there is a layout").candidate;
        assert!(choice.density > 0.7 && choice.layout.lanes() > 512, "{choice}");
    }
}
