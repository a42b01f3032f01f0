//! Machine code against a plain evaluation, word by word, on memory filled by chance.

use super::{compile, instructions};
use crate::tests::world::ready;
use crate::{AvailableIsa, Call, CodeError, ColumnOrder, Isa};
use proptest::prelude::*;
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::{Axes, Dimension, Fractal, Rule, Value};
use squeeze_compiler::kernel::{
    Direction, Interface, Kernel, LaneType, Load, LogicOp, MicroFractal, Neighbours, Node, Op, Planes, ValueId,
    Variable,
};
use squeeze_compiler::layout::columns::{OVERREAD, Shape};
use squeeze_compiler::layout::{Layout, Storage};
use squeeze_compiler::numbers::digest::mix;
use squeeze_compiler::text::source::Sources;
use squeeze_compiler::{NoFiles, shipped};
use squeeze_compiler::{lower, passes::Ready, target::KernelPass};
use std::sync::Arc;

/// Words before and after a new buffer that must not change.
const CANARY: usize = 16;
/// Words for short and whole vectors, for loops whose last vector overlaps, and for loops that fit.
const WORDS: [usize; 11] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 32];

/// The memory that a kernel sees.
struct Harness<'a> {
    kernel: &'a Kernel,
    words: usize,
    reads: Vec<Vec<u32>>,
    presence: Vec<Vec<u32>>,
    odd_corners: Vec<Vec<u32>>,
    params: Vec<u64>,
    new: Vec<Vec<u32>>,
}

impl Harness<'_> {
    fn new(kernel: &Kernel, words: usize, seed: u64) -> Harness<'_> {
        let mut count = seed << 32;
        let mut chance = |length: usize| -> Vec<u32> {
            let mut word = || {
                count += 1;
                mix(count) as u32
            };
            (0..length).map(|_| word()).collect()
        };
        let directions = Direction::count(kernel.micro.dimension);
        let block = |state: &Variable| kernel.micro.cells.len() * usize::from(state.planes.count()) * words;
        let beyond = OVERREAD / 4;
        let reads = kernel.states.iter().flat_map(|state| vec![block(state) + beyond; directions + 1]);
        Harness {
            kernel,
            words,
            reads: reads.map(&mut chance).collect(),
            presence: (0..directions).map(|_| chance(words + beyond)).collect(),
            odd_corners: (0..8).map(|_| chance(words + beyond)).collect(),
            params: kernel.params.iter().map(|_| u64::from(chance(1)[0])).collect(),
            new: kernel.states.iter().map(|state| chance(block(state) + 2 * CANARY)).collect(),
        }
    }

    /// The first word of a column.
    fn column(&self, state: u16, plane: u8, micro: u32) -> usize {
        let planes = usize::from(self.kernel.states[usize::from(state)].planes.count());
        (micro as usize * planes + usize::from(plane)) * self.words
    }

    /// The new buffers as they should be.
    fn wanted(&self) -> Vec<Vec<u32>> {
        let (mut new, dimension) = (self.new.clone(), self.kernel.micro.dimension);
        let places = Direction::count(dimension) + 1;
        let mut values: Vec<Vec<u32>> = Vec::new();
        for node in &self.kernel.nodes {
            let of = |id: &ValueId, i: usize| values[id.0 as usize][i];
            let word = |i: usize| match &node.op {
                Op::Load(Load { state, plane, direction, micro }) => {
                    let place = direction.index(dimension).map_or(0, |index| index + 1);
                    self.reads[usize::from(*state) * places + place][self.column(*state, *plane, *micro) + i]
                }
                Op::Presence(direction) => self.presence[direction.index(dimension).expect("not the centre")][i],
                Op::OddCorner(axes) => self.odd_corners[usize::from(axes.set())][i],
                Op::Param { param, plane } => (self.params[usize::from(*param)] >> plane & 1) as u32 * u32::MAX,
                Op::Const(value) => u32::from(*value == Value::Bit(true)) * u32::MAX,
                Op::Not(a) => !of(a, i),
                Op::Logic(LogicOp::And, a, b) => of(a, i) & of(b, i),
                Op::Logic(LogicOp::Or, a, b) => of(a, i) | of(b, i),
                Op::Logic(LogicOp::Xor, a, b) => of(a, i) ^ of(b, i),
                Op::Logic(LogicOp::AndNot, a, b) => of(a, i) & !of(b, i),
                Op::Table { table, operands } => (0..32).fold(0, |word, bit| {
                    let row = operands.iter().fold(0, |row, id| row << 1 | (of(id, i) >> bit & 1));
                    word | u32::from(table >> row & 1) << bit
                }),
                Op::Store { value, .. } => of(value, i),
                other => panic!("{other:?}"),
            };
            let value: Vec<u32> = (0..self.words).map(word).collect();
            if let Op::Store { state, plane, micro, .. } = node.op {
                let from = CANARY + self.column(state, plane, micro);
                new[usize::from(state)][from..][..self.words].copy_from_slice(&value);
            }
            values.push(value);
        }
        new
    }

    fn shape(&self) -> Shape {
        Shape { lanes: 32 * self.words, words: self.words, stride: 32 * self.words }
    }

    /// The new buffers as machine code leaves them.
    fn computed(&self, isa: AvailableIsa) -> Result<Vec<Vec<u32>>, CodeError> {
        let code = compile(&ready(self.kernel, Some(isa.isa())), self.shape(), ColumnOrder::Superblocks, isa)?;
        let mut new = self.new.clone();
        let reads: Vec<*const u8> = self.reads.iter().map(|block| block.as_ptr().cast()).collect();
        let writes: Vec<*mut u8> = new.iter_mut().map(|block| block[CANARY..].as_mut_ptr().cast()).collect();
        let presence: Vec<*const u32> = self.presence.iter().map(|words| words.as_ptr()).collect();
        let odd_corners: Vec<*const u32> = self.odd_corners.iter().map(|words| words.as_ptr()).collect();
        let call = Call {
            reads: reads.as_ptr(),
            writes: writes.as_ptr(),
            presence: presence.as_ptr(),
            params: self.params.as_ptr(),
            lane_corners: std::ptr::null(),
            odd_corners: odd_corners.as_ptr(),
            superblock_corner: [0; 3],
            time: 1,
            level: 0,
            side: 0,
            random: std::ptr::null(),
            chance: no_chance,
            drawn: std::ptr::null(),
        };
        // SAFETY: the call is filled as it says, for this shape, and `code` lives.
        unsafe { code.run(&call) };
        Ok(new)
    }
}

/// Kernels of bits alone have no random words.
unsafe extern "C" fn no_chance(_: *const Call, _: usize, _: f64) -> bool {
    unreachable!("there are no random words")
}

/// Compares, with all instruction sets of this machine.
fn check(kernel: &Kernel, words: usize) {
    assert!(Interface::of(kernel).bitwise);
    let world = Harness::new(kernel, words, kernel.nodes.len() as u64);
    let wanted = world.wanted();
    for isa in Isa::ALL.into_iter().filter_map(Isa::available) {
        let computed = world.computed(isa).unwrap_or_else(|error| panic!("{error}"));
        assert!(computed == wanted, "{isa:?}, {words} words: {kernel}");
    }
}

fn fractal(name: &str) -> Arc<Fractal> {
    let mut sources = Sources::default();
    let id = sources.add(name, shipped::fractal_source(name).expect("shipped"));
    let library = squeeze_compiler::check(&mut sources, id, &mut NoFiles).expect("shipped fractals are fine");
    library.fractals[0].clone()
}

/// A rule with features that the shipped ones lack: several states of several planes, and a parameter of bits.
const PHASES: &str = "
rule phases {
    param wild: bit = true
    param mode: enum { plain, odd, even } = odd
    state phase: enum { rest, excited, tired, refractory, dead }
    state mark: bit
    let n = count(moore, nb.phase == excited)
    let marks = count(von_neumann, nb.mark)
    next phase = if phase == rest { if n == 2 || (wild && n == 1) { excited } else { rest } }
                 else if phase == excited { if marks > 2 { dead } else { tired } }
                 else if phase == tired { refractory }
                 else if phase == refractory { rest }
                 else { if mode == even { dead } else { rest } }
    next mark = if mode == odd { !mark } else { mark && phase == dead }
}";

/// The shipped rules, and [`PHASES`].
fn rules() -> Vec<Arc<Rule>> {
    let compiled = shipped::RULES.iter().chain([&("phases", PHASES)]).map(|(name, text)| {
        let mut sources = Sources::default();
        let id = sources.add(*name, *text);
        squeeze_compiler::check(&mut sources, id, &mut NoFiles).expect("these rules are fine").rules[0].clone()
    });
    compiled.collect()
}

/// The optimised kernels of a rule; none if it does not fit.
fn kernels(fractal: &str, rule: &Rule, l: u32, steps: u32) -> Vec<Kernel> {
    let domain = Domain::new(self::fractal(fractal), l + 2).expect("small");
    let layout = Layout::new(&domain, 1, l).expect("small");
    let Ok(rule) = domain.fit(&Arc::new(rule.clone())) else { return Vec::new() };
    if rule.step_by_step() && steps > 1 {
        return Vec::new();
    }
    lower::lower(&rule, (&Storage::replicas(layout), false), steps)
        .unwrap_or_default()
        .into_iter()
        .map(|kernel| {
            Kernel::clone(&Ready::unverified(kernel, &[KernelPass::Boolean, KernelPass::Adders, KernelPass::Legalise]))
        })
        .collect()
}

#[test]
fn shipped_rules_compute_what_their_kernels_say() {
    let mut checked = std::collections::BTreeMap::<String, usize>::new();
    for (name, most) in
        [("sierpinski_triangle", 3), ("sierpinski_carpet", 2), ("vicsek", 2), ("menger_sponge", 1), ("lace", 1)]
    {
        for rule in rules() {
            for (l, steps) in (1..=most).flat_map(|l| [(l, 1), (l, 2)]) {
                for (i, kernel) in
                    kernels(name, &rule, l, steps).iter().enumerate().filter(|(_, k)| Interface::of(k).bitwise)
                {
                    *checked.entry(rule.name.clone()).or_default() += 1;
                    let words = WORDS.iter().enumerate().filter(|(w, _)| kernel.nodes.len() < 500 || w % 3 == i % 3);
                    words.for_each(|(_, words)| check(kernel, *words));
                }
            }
        }
    }
    for rule in ["life", "conway", "larger_than_life", "life_3d", "phases"] {
        assert!(checked.get(rule).is_some_and(|count| *count > 0), "{rule} was not checked: {checked:?}");
    }
}

/// The random numbers that a node is made from.
type Seed = (u8, u32, u32, u32, u8);

/// A kernel with two states of one and three planes, on three cells.
fn by_chance(dimension: Dimension, seeds: &[Seed], stores: &[(u32, bool)]) -> Kernel {
    let bits = |name: &str, planes| Variable { name: name.to_owned(), planes: Planes::Bits(planes) };
    let micro = MicroFractal { dimension, sides: dimension.scales(2), cells: vec![[0, 0, 0], [0, 1, 0], [1, 1, 0]] };
    let directions = Direction::all(dimension);
    let mut nodes: Vec<Node> = Vec::new();
    let add = |nodes: &mut Vec<Node>, op: Op| {
        let ty = (!matches!(op, Op::Store { .. })).then_some(LaneType::Bits);
        // A store has no value, and so no name.
        let name = ty.map_or(String::new(), |_| format!("v{}", nodes.len()));
        nodes.push(Node { name, ty, op });
    };
    add(&mut nodes, Op::Const(Value::Bit(true)));
    for (kind, a, b, c, table) in seeds {
        let id = |seed: &u32| ValueId(seed % nodes.len() as u32);
        let direction = directions[*b as usize % directions.len()];
        let state = u16::from(table & 1 == 1);
        let op = match kind % 16 {
            0..4 => Op::Load(Load {
                state,
                plane: if state == 0 { 0 } else { table / 2 % 3 },
                direction: if a % 3 == 0 { Direction::CENTRE } else { direction },
                micro: c % 3,
            }),
            4 if c % 4 == 0 => Op::OddCorner(Axes([table & 1 == 1, table & 2 == 2, false])),
            4 => Op::Presence(direction),
            5 => Op::Const(Value::Bit(table & 1 == 1)),
            6 => Op::Param { param: 0, plane: table % 2 },
            7 => Op::Not(id(a)),
            8 => Op::Logic(LogicOp::And, id(a), id(b)),
            9 => Op::Logic(LogicOp::Or, id(a), id(b)),
            10 => Op::Logic(LogicOp::Xor, id(a), id(b)),
            11 => Op::Logic(LogicOp::AndNot, id(a), id(b)),
            _ => Op::Table { table: *table, operands: [id(a), id(b), id(c)] },
        };
        add(&mut nodes, op);
    }
    let values = nodes.len() as u32;
    let columns = (0..3).flat_map(|micro| [(0, 0, micro), (1, 0, micro), (1, 1, micro), (1, 2, micro)]);
    for ((state, plane, micro), (value, stored)) in columns.zip(stores) {
        if *stored {
            // Late values need the most of the others.
            let value = ValueId(values - 1 - value % values.min(20));
            add(&mut nodes, Op::Store { state, plane, micro, value });
        }
    }
    let (states, params) = (vec![bits("a", 1), bits("b", 3)], vec![bits("p", 2)]);
    Kernel {
        name: "chance".to_owned(),
        micro,
        neighbours: Neighbours::Beside,
        steps: 1,
        flush: false,
        states,
        params,
        nodes,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn kernels_by_chance(
        flat in any::<bool>(),
        seeds in prop_oneof![
            3 => proptest::collection::vec(any::<Seed>(), 1..80),
            1 => proptest::collection::vec(any::<Seed>(), 300..900),
        ],
        stores in proptest::collection::vec(any::<(u32, bool)>(), 12),
        words in proptest::sample::select(&WORDS[..]),
    ) {
        check(&by_chance(if flat { Dimension::Two } else { Dimension::Three }, &seeds, &stores), words);
    }
}

/// Every function of three bits, of loads, alone and with equal and constant operands.
#[test]
fn all_tables() {
    let load = (0, 1, 0, 0, 0);
    for table in 0..=255 {
        let seeds = [(0, 0, 0, 0, 0), (0, 0, 0, 1, 0), (0, 0, 0, 2, 0), load, (5, 0, 0, 0, 0)];
        let operands =
            [(1, 2, 3), (3, 1, 2), (1, 1, 2), (2, 1, 1), (1, 2, 1), (0, 1, 2), (1, 0, 5), (1, 1, 1), (4, 3, 2)];
        let tables = operands.map(|(a, b, c)| (12, a, b, c, table));
        let seeds: Vec<Seed> = seeds.into_iter().chain(tables).collect();
        let stores: Vec<(u32, bool)> = (0..12).map(|i| (i, true)).collect();
        check(&by_chance(Dimension::Two, &seeds, &stores), 8);
    }
}

/// Live values that take several pages of stack; many more are refused.
#[test]
fn deep_stacks() {
    let kernel = |count: u32| {
        let mut seeds: Vec<Seed> = vec![(0, 0, 0, 0, 0), (0, 0, 0, 1, 0)];
        // Each is unlike the ones before, and all are needed again in the opposite order.
        seeds.extend((0..count).map(|i| (10 + (i % 2) as u8 * 2, i + 2, i + 1, i.max(1), 0x2D)));
        seeds.extend((0..count).map(|i| (10, 2 + count + i, 2 + count - i, 0, 0)));
        by_chance(Dimension::Two, &seeds, &[(0, true)])
    };
    let deep = kernel(900);
    for isa in Isa::ALL.into_iter().filter_map(Isa::available) {
        let world = Harness::new(&deep, 8, 1);
        let kernel_of_isa = ready(&deep, Some(isa.isa()));
        let made = instructions(&kernel_of_isa, world.shape(), ColumnOrder::Superblocks, isa.isa()).expect("it fits");
        let frame = made.body.below + made.body.slots * made.table.vector;
        assert!(frame > 3 * 4096, "{isa:?}: {frame}");
        assert!(world.computed(isa).expect("it fits") == world.wanted());
        let too_deep = kernel(40_000);
        let refused = Harness::new(&too_deep, 8, 1).computed(isa).map(drop);
        assert!(matches!(refused, Err(CodeError::TooLarge { .. })), "{refused:?}");
    }
}

/// Bounds 4% above the number reached, for 27 or 81 cells, without the code before the loop: a worse pass or a worse allocation is seen here.
#[test]
fn life_takes_few_instructions() {
    let rules = rules();
    let life = rules.iter().find(|rule| rule.name == "life").expect("shipped");
    let bounds = [
        (3, 1, [415, 310, 240]),
        (3, 2, [950, 720, 480]),
        (3, 4, [2800, 2170, 1350]),
        (4, 1, [1170, 870, 675]),
        (4, 2, [2460, 1830, 1215]),
        (4, 4, [5950, 4580, 2835]),
    ];
    for (l, steps, bounds) in bounds {
        for kernel in kernels("sierpinski_triangle", life, l, steps) {
            for (isa, bound) in Isa::ALL.into_iter().map(Isa::available).zip(bounds) {
                let Some(isa) = isa else { continue };
                let shape = Shape { lanes: 243, words: 8, stride: 248 };
                let made = instructions(&ready(&kernel, Some(isa.isa())), shape, ColumnOrder::Cached, isa.isa());
                let body = made.expect("it is of bits").body;
                let count = body.loads.len() + body.looped.len();
                assert!(count <= bound, "L{l} t{steps} {isa:?}: {count}");
            }
        }
    }
}

#[test]
fn code_may_be_shared_between_threads() {
    fn is_shared<T: Send + Sync>() {}
    is_shared::<super::X86Code>();
}
