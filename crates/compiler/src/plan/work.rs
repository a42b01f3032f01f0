//! The work for a cell in a time step: the operations of a rule, its draws, and the bits of its states.

use crate::geometry::Domain;
use crate::ir::NodeId;
use crate::ir::fractal::Dimension;
use crate::ir::rule::{Aggregate, AggregateKind, Body, Node, Op, Rule, Step};
use crate::kernel::Planes;
use crate::layout::Layout;
use crate::numbers::operators::BinaryOp;
use crate::numbers::philox::planes;
use crate::numbers::value::Value;
use crate::target::speciality::Speciality;
use crate::target::warps::LaneWork;
use crate::target::{MOST_RESULTS, Machine};

/// The most places that are asked whether they are cells. Guess: shares are right to one percent.
const SAMPLE: u64 = 10_000;

/// Work per cell and time step, before any sharing.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Work {
    /// Operations on vectors of bits.
    pub logic: f64,
    /// Operations on numbers, in registers of the widest number.
    pub numeric: f64,
    /// Bits of all states of one cell.
    pub bits: f64,
    /// Bits of the widest number, 1 if all states are bits.
    pub widest: u64,
    /// Random bits that kernels of bits decide.
    pub random_bits: f64,
    /// The same on a GPU.
    pub draws: Draws,
    /// Whether kernels make random words.
    pub random_words: bool,
    /// Whether there are states of bits.
    pub stores_bits: bool,
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
            bits: planes.iter().map(bits_of).sum::<u64>() as f64,
            widest: planes.iter().filter(number).map(bits_of).max().unwrap_or(1),
            stores_bits: planes.iter().any(|planes| matches!(planes, Planes::Bits(_))),
            ..Work::default()
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
            work.draws = Draws::of(rule, |_| 1.0);
        }
        let neighbours = |number: u16| {
            mean_neighbours(domain, &rule.neighbourhoods[usize::from(number)].offsets(domain.dimension()))
        };
        for step in &rule.steps {
            let type_of = |node: &Node| match &node.op {
                Op::Aggregate(aggregate) => step.body.node(aggregate.value).ty,
                _ => node.ty,
            };
            for node in &step.body.nodes {
                let (times, ty) = match &node.op {
                    Op::Math(..) | Op::Math2(..) if of_bits => (1.0, node.ty),
                    Op::RandomBits { .. }
                    | Op::RandomBit { .. }
                    | Op::RandomBelow { .. }
                    | Op::RandomUniform { .. } => (60.0, rule.states[0].ty),
                    op => (step.body.operations(op, neighbours), type_of(node)),
                };
                match Planes::of(rule, ty) {
                    Planes::Bits(count) => work.logic += times * f64::from(count.max(1)),
                    Planes::Number(_) => work.numeric += times,
                }
            }
        }
        if rule.draws() && !of_bits {
            work.widest = work.widest.max(32);
            work.random_words = true;
        }
        work
    }

    /// The properties of kernels that decide which threads of a GPU a column has.
    pub(super) fn of_lanes(&self, layout: &Layout, far: bool) -> LaneWork {
        LaneWork {
            bits: self.widest == 1,
            decides: self.random_bits > 0.0,
            beside: !layout.is_whole() && !far,
            words: self.random_words,
            stores_bits: self.stores_bits,
        }
    }

    /// The work where steps draw only for the cells that they cover.
    fn of_covered_cells(self, rule: &Rule) -> Work {
        let covered = |step: &Step| {
            let divisors = step.guard.and_then(|_| divisors_of(&step.body)).unwrap_or_default();
            1.0 / divisors.iter().product::<u64>() as f64
        };
        // Draws of kernels that compare words count as operations already.
        let draws = if self.random_bits > 0.0 { Draws::of(rule, covered) } else { self.draws };
        Work { draws, ..self }
    }
}

/// Random bits by their share of the planes of one that takes all.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Draws {
    /// Where a thread has one word.
    pub words: f64,
    /// Where a thread has four, so that those of one draw share their planes, and those of which few planes decide make no more.
    pub fours: f64,
}

impl Draws {
    /// The draws of a rule each of whose steps draws for the share `part` of all cells.
    fn of(rule: &Rule, part: impl Fn(&Step) -> f64) -> Draws {
        let mut all = Draws::default();
        for step in &rule.steps {
            let part = part(step);
            for node in step.body.nodes.iter().filter(|node| node.op.draws()) {
                let draws = Draws::of_one(&step.body, &node.op);
                all.words += draws.words * part;
                all.fours += draws.fours * part;
            }
        }
        all
    }

    /// One draw's share.
    fn of_one(body: &Body, draw: &Op) -> Draws {
        /// Planes until most lanes are decided. Guess: a register has 512 lanes, of which each plane leaves half.
        const ALL: f64 = 12.0;
        let decided_by = |p: f64| f64::from(planes(p));
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
pub(super) struct Works<'a> {
    machine: &'a Machine,
    words: Work,
    /// Where numbers of few values become classes of bits.
    classes: Work,
    /// The work where steps draw only for the cells that they cover.
    covered: Work,
    /// The divisors of coordinates; `None` if these are used otherwise.
    divisors: Option<Vec<u64>>,
}

impl<'a> Works<'a> {
    pub(super) fn of(rule: &Rule, domain: &Domain, machine: &'a Machine) -> Works<'a> {
        let classes = Work::of(rule, domain, machine.off.allows(Speciality::Planes));
        let (words, covered) = (Work::of(rule, domain, false), classes.of_covered_cells(rule));
        Works { machine, words, classes, covered, divisors: divisors(rule) }
    }

    /// Where kernels must be of bits altogether, coordinates must be known for each micro cell, or be asked whether they are odd.
    pub(super) fn on(&self, layout: &Layout) -> &Work {
        if !self.machine.splits_columns || self.machine.off.has(Speciality::Planes) {
            return &self.classes;
        }
        // A coordinate divided by it leaves the same in all superblocks.
        let sides = &layout.low().extent()[..layout.dimension().axes()];
        let divides = |divisor: u64| sides.iter().all(|side| side.is_multiple_of(divisor));
        let all =
            |holds: &dyn Fn(u64) -> bool| self.divisors.as_ref().is_some_and(|all| all.iter().all(|of| holds(*of)));
        if !all(&|divisor| divisor == 2 || divides(divisor)) {
            return &self.words;
        }
        // Coordinates that are known for each micro cell say what a step covers.
        if all(&divides) { &self.covered } else { &self.classes }
    }
}

/// The divisors by which the steps of a rule divide coordinates; `None` if they use them otherwise.
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

/// How many of a neighbourhood's places are cells, on average over the finest levels: as many as have few enough cells to look
/// at each, but at least those whose side holds the neighbourhood. Of these one cell in several is looked at.
pub(super) fn mean_neighbours(domain: &Domain, offsets: &[[i32; 3]]) -> f64 {
    let most = SAMPLE / offsets.len().max(1) as u64;
    let reach = offsets.iter().flatten().map(|v| u64::from(v.unsigned_abs())).max().unwrap_or(0);
    let side = |mu: u32| shortest(domain.scale_product(mu), domain.dimension());
    let level = (0..=domain.level())
        .take_while(|mu| domain.cell_product(*mu) <= most || *mu == 0 || side(*mu - 1) <= 2 * reach)
        .last()
        .unwrap_or(0);
    mean_neighbours_of(&domain.between(0, level), offsets, most)
}

/// The same over about `most` of these cells.
fn mean_neighbours_of(domain: &Domain, offsets: &[[i32; 3]], most: u64) -> f64 {
    // The steps vary, so that the lowest digits do.
    let stride = (domain.cells() / most.max(1)).max(1);
    let looked_at = domain.cells().min(most.max(1));
    let neighbours_of = |i: u64| {
        let place = domain.lambda(i * stride + i % stride);
        offsets.iter().filter(|offset| domain.neighbour(place, **offset).is_some()).count()
    };
    (0..looked_at).map(neighbours_of).sum::<usize>() as f64 / looked_at as f64
}

/// The shortest side along the axes that there are.
pub(super) fn shortest(sides: [u64; 3], dimension: Dimension) -> u64 {
    sides[..dimension.axes()].iter().copied().min().unwrap_or(1)
}
