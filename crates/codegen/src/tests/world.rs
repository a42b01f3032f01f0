//! A superblock in memory, filled by chance, and the results of a kernel on it by its meaning.

#[cfg(all(target_arch = "x86_64", unix))]
use crate::machine;
#[cfg(any(feature = "cranelift", not(all(target_arch = "x86_64", unix))))]
use crate::native;
use crate::{Call, Isa};
use squeeze_compiler::ir::{BinaryOp, Value};
use squeeze_compiler::kernel::{Direction, Interface, Kernel, LaneType, Load, LogicOp, Op, RandomWord, ValueId};
use squeeze_compiler::layout::columns::{Columns, OVERREAD, Shape};
use squeeze_compiler::numbers::numbering::LaneNumbers;
use squeeze_compiler::numbers::random;
use squeeze_compiler::numbers::{digest::mix, flush, philox, scalar};
use squeeze_compiler::passes::{Body, Ready};
use squeeze_compiler::target::{Flushes, KernelPass};

/// A source of choices.
pub(crate) struct Dice(pub u64);

impl Dice {
    pub(crate) fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(1);
        mix(self.0)
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.word() % n as u64) as usize
    }

    pub(crate) fn one_of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    /// A value that may stand in a field, often a hard one.
    pub(crate) fn value(&mut self, ty: LaneType) -> Value {
        let edges = edges(ty);
        let value = match self.below(3) {
            0 => edges[self.below(edges.len())],
            1 => Value::from_bits(ty.scalar(), self.word()),
            _ => scalar::cast(ty.scalar(), Value::I32(self.below(40) as i32 - 20)),
        };
        scalar::canonical(value)
    }
}

/// Values of a type at which operations change their ways.
pub(crate) fn edges(ty: LaneType) -> Vec<Value> {
    let integers: [u32; 20] =
        [0, 1, 2, 3, 5, 7, 8, 9, 31, 32, 33, 127, 128, 200, 254, 255, 256, 0x7fff_ffff, 0x8000_0000, 0xffff_fffe];
    let floats =
        [0.0, 0.3, 0.5, 0.499_999_999_999_999_94, 1.0, 1.5, 2.5, 3.0, 88.5, 1e-40, 4.2e9, 2_147_483_648.0, 3e38];
    let more = [f64::MIN_POSITIVE, 5e-324, 1e300, 255.5, 8_388_607.5, 4_503_599_627_370_495.5, f64::INFINITY, f64::NAN];
    let more = more.iter().chain(&[9.3e18, 65_535.5, 4_611_686_018_427_387_904.0]);
    let float = |v: &f64| scalar::canonical(scalar::cast(ty.scalar(), Value::F64(*v)));
    match ty {
        LaneType::Bits => vec![Value::Bit(false), Value::Bit(true)],
        LaneType::U8 => integers[..16].iter().map(|v| Value::U8(*v as u8)).collect(),
        LaneType::U16 => integers.iter().flat_map(|v| [*v as u16, (*v >> 16) as u16]).map(Value::U16).collect(),
        LaneType::I64 => {
            let longs = [1 << 32, 0xffff_ffff, (1 << 53) + 1, 0x7fff_ffff_8000_0001, 0x1234_5678_9abc_def0, i64::MIN];
            let all = integers.iter().map(|v| i64::from(*v)).chain(longs);
            all.flat_map(|v| [v, v.wrapping_neg()]).map(Value::I64).collect()
        }
        LaneType::I32 => {
            integers.iter().flat_map(|v| [*v as i32, (*v as i32).wrapping_neg()]).map(Value::I32).collect()
        }
        LaneType::U32 => integers.iter().flat_map(|v| [*v, v.wrapping_neg()]).map(Value::U32).collect(),
        LaneType::F32 | LaneType::F64 => floats.iter().chain(more).flat_map(|v| [float(v), float(&-v)]).collect(),
    }
}

/// A kernel as an instruction set's compiler takes it, or Cranelift.
pub(crate) fn ready(kernel: &Kernel, isa: Option<Isa>) -> Body {
    use KernelPass::{CutAtDraws, Flush, FlushRest, Logic3};
    let is_fused = kernel.nodes.iter().any(|node| matches!(node.op, Op::Table { .. }));
    let passes: &[KernelPass] = match isa {
        None => &[CutAtDraws, Flush(Flushes::Nothing)],
        Some(Isa::Avx512) if !is_fused => &[CutAtDraws, Logic3, FlushRest],
        Some(Isa::Sse41 | Isa::Avx2 | Isa::Avx512) => &[CutAtDraws, FlushRest],
    };
    Ready::unverified(kernel.clone(), passes).bodies()[0].clone()
}

/// The first byte of a column in a superblock's block.
fn column(kernel: &Kernel, shape: Shape, state: u16, plane: u8, micro: u32) -> u64 {
    let planes = kernel.states[usize::from(state)].planes;
    Columns::new(planes, shape, kernel.micro.cells.len()).offset(plane, micro)
}

/// The bytes of one number; `None` for bits.
fn element_bytes(ty: LaneType) -> Option<u64> {
    (ty != LaneType::Bits).then(|| u64::from(ty.width() / 8))
}

/// [`Call::chance`]; what has drawn is a [`Harness`].
unsafe extern "C" fn decide(call: *const Call, place: usize, p: f64) -> bool {
    // SAFETY: the harness lives while kernels run.
    let harness = unsafe { &*(*call).drawn.cast::<Harness<'_>>() };
    let RandomWord { micro, draw } = Interface::of(harness.kernel).random[place / harness.shape.stride];
    harness.happens((draw, micro, place % harness.shape.stride), p)
}

/// Everything that a call of a kernel needs.
pub(crate) struct Harness<'a> {
    kernel: &'a Kernel,
    shape: Shape,
    /// Per state and place its columns.
    reads: Vec<Vec<u8>>,
    presence: Vec<Vec<u32>>,
    corners: Vec<Vec<i32>>,
    odd_corners: Vec<Vec<u32>>,
    params: Vec<u64>,
    superblock_corner: [i32; 3],
    time: u32,
    seed: u64,
    /// By micro cell the digit-reversed index of lane 0.
    first: Vec<u64>,
}

const LEVEL: i32 = 11;
const SIDE: i32 = 2048;

impl<'a> Harness<'a> {
    /// Fills a world by chance.
    pub(crate) fn new(kernel: &'a Kernel, lanes: usize, dice: &mut Dice) -> Harness<'a> {
        let shape = Shape { lanes, words: lanes.div_ceil(32), stride: lanes.next_multiple_of(8) };
        let directions = Direction::count(kernel.micro.dimension);
        let mut reads = Vec::new();
        for state in 0..kernel.states.len() {
            for _ in 0..=directions {
                let ty = kernel.states[state].planes.ty();
                let size = column(kernel, shape, state as u16, 0, kernel.micro.cells.len() as u32) as usize;
                let mut block: Vec<u8> = match element_bytes(ty) {
                    None => (0..size).map(|_| dice.word() as u8).collect(),
                    Some(bytes) => (0..size / bytes as usize)
                        .flat_map(|_| dice.value(ty).bits().to_le_bytes()[..bytes as usize].to_vec())
                        .collect(),
                };
                block.resize(size + OVERREAD, 0xee);
                reads.push(block);
            }
        }
        Harness {
            kernel,
            shape,
            reads,
            presence: (0..directions)
                .map(|_| (0..shape.words + OVERREAD / 4).map(|_| dice.word() as u32).collect())
                .collect(),
            odd_corners: (0..8)
                .map(|_| (0..shape.words + OVERREAD / 4).map(|_| dice.word() as u32).collect())
                .collect(),
            corners: (0..3)
                .map(|_| (0..shape.stride + OVERREAD / 4).map(|_| dice.below(2000) as i32).collect())
                .collect(),
            params: (kernel.params.iter())
                .map(|param| {
                    if param.planes.ty() == LaneType::Bits { dice.word() } else { dice.value(param.planes.ty()).bits() }
                })
                .collect(),
            superblock_corner: std::array::from_fn(|_| dice.below(2000) as i32),
            time: dice.word() as u32,
            seed: dice.word(),
            first: kernel.micro.cells.iter().map(|_| dice.word() >> 8).collect(),
        }
    }

    /// Sets the own column of a number in micro cell 0.
    pub(crate) fn set(&mut self, state: u16, values: &[Value]) {
        let size = element_bytes(self.kernel.states[usize::from(state)].planes.ty()).expect("a number") as usize;
        let places = 1 + Direction::count(self.kernel.micro.dimension);
        let block = &mut self.reads[usize::from(state) * places];
        for (lane, value) in values.iter().enumerate() {
            block[lane * size..(lane + 1) * size].copy_from_slice(&value.bits().to_le_bytes()[..size]);
        }
    }

    /// Compiles the kernel with all engines and instruction sets that there are, runs it, and compares all that it stores.
    pub(crate) fn check(&self) {
        let kernel = self.kernel;
        let wanted = self.meaning();
        #[cfg(any(feature = "cranelift", not(all(target_arch = "x86_64", unix))))]
        {
            let ready = ready(kernel, None);
            let compiled = native::compile(&ready, self.shape).unwrap_or_else(|error| panic!("{error}\n{kernel}"));
            // SAFETY: the call is as `Call` says, for this shape.
            self.check_code("cranelift", &|call| unsafe { (compiled.function)(call) }, &wanted);
        }
        #[cfg(all(target_arch = "x86_64", unix))]
        for isa in Isa::ALL.into_iter().filter_map(Isa::available) {
            let name = isa.isa().name();
            let compiled =
                machine::compile(&self::ready(kernel, Some(isa.isa())), self.shape, crate::ColumnOrder::Rows, isa);
            let compiled = compiled.unwrap_or_else(|error| panic!("{name}: {error}\n{kernel}"));
            // SAFETY: the call is as `Call` says, for this shape.
            self.check_code(name, &|call| unsafe { compiled.run(call) }, &wanted);
        }
    }

    fn check_code(&self, engine: &str, run: &dyn Fn(&Call), wanted: &[Vec<Value>]) {
        let kernel = self.kernel;
        let places = 1 + self.presence.len();
        let mut loaded = vec![false; self.reads.len()];
        for node in &kernel.nodes {
            if let Some(Load { state, direction, .. }) = node.op.load() {
                loaded[usize::from(state) * places + self.place(direction)] = true;
            }
        }
        let reads: Vec<*const u8> = self
            .reads
            .iter()
            .zip(loaded)
            .map(|(block, loaded)| if loaded { block.as_ptr() } else { std::ptr::null() })
            .collect();
        const CANARY: u8 = 0xa5;
        let size = |state: usize| column(kernel, self.shape, state as u16, 0, kernel.micro.cells.len() as u32) as usize;
        let mut new: Vec<Vec<u8>> =
            (0..kernel.states.len()).map(|state| vec![CANARY; size(state) + 2 * OVERREAD]).collect();
        let written = Interface::of(kernel).writes;
        let writes: Vec<*mut u8> = (new.iter_mut().enumerate())
            .map(
                |(state, block)| {
                    if written.contains(&state) { block[OVERREAD..].as_mut_ptr() } else { std::ptr::null_mut() }
                },
            )
            .collect();
        let presence: Vec<*const u32> = self.presence.iter().map(|words| words.as_ptr()).collect();
        let corners: Vec<*const i32> = self.corners.iter().map(|list| list.as_ptr()).collect();
        let odd_corners: Vec<*const u32> = self.odd_corners.iter().map(|words| words.as_ptr()).collect();
        let words = Interface::of(kernel).random;
        let mut random = vec![0; words.len() * self.shape.stride + OVERREAD / 4];
        let draw_key = random::DrawKey { seed: self.seed, time: self.time };
        for (word, column) in words.iter().zip(random.chunks_exact_mut(self.shape.stride)) {
            let numbers = LaneNumbers::Consecutive(self.first[word.micro as usize]);
            random::fill(draw_key, numbers, word.draw, None, column);
        }
        let call = Call {
            reads: reads.as_ptr(),
            writes: writes.as_ptr(),
            presence: presence.as_ptr(),
            params: self.params.as_ptr(),
            lane_corners: corners.as_ptr(),
            odd_corners: odd_corners.as_ptr(),
            superblock_corner: self.superblock_corner,
            time: self.time,
            level: LEVEL,
            side: SIDE,
            random: random.as_ptr(),
            chance: decide,
            drawn: std::ptr::from_ref(self).cast(),
        };
        // All lists are as `Call` says, for the shape that the kernel was compiled for.
        run(&call);
        for (node, values) in kernel.nodes.iter().zip(wanted) {
            let Op::Store { state, plane, micro, .. } = node.op else { continue };
            let block = &new[usize::from(state)][OVERREAD..];
            for (lane, value) in values.iter().enumerate() {
                let found = self.element(block, state, plane, micro, lane);
                assert_eq!(
                    found,
                    value.bits(),
                    "{engine}: {value:?} of lane {lane} of {}, plane {plane}, micro cell {micro}: {:?}\n{kernel}",
                    self.shape.lanes,
                    Value::from_bits(value.ty(), found),
                );
            }
        }
        for (state, block) in new.iter().enumerate() {
            let inside = OVERREAD..OVERREAD + if written.contains(&state) { size(state) } else { 0 };
            let outside = |(place, byte): (usize, &u8)| inside.contains(&place) || *byte == CANARY;
            assert!(block.iter().enumerate().all(outside), "{engine}: a write beyond the columns\n{kernel}");
        }
    }

    /// The random word of a lane of a micro cell.
    pub(super) fn word(&self, (draw, micro, lane): (u32, u32, usize)) -> u32 {
        philox::draw(self.seed, self.first[micro as usize] + lane as u64, self.time, draw)
    }

    fn happens(&self, (draw, micro, lane): (u32, u32, usize), p: f64) -> bool {
        philox::is_below(self.seed, self.first[micro as usize] + lane as u64, self.time, draw, p)
    }

    fn place(&self, direction: Direction) -> usize {
        direction.index(self.kernel.micro.dimension).map_or(0, |index| 1 + index)
    }

    /// The bits of one element of a block of columns.
    fn element(&self, block: &[u8], state: u16, plane: u8, micro: u32, lane: usize) -> u64 {
        let start = column(self.kernel, self.shape, state, plane, micro) as usize;
        match element_bytes(self.kernel.states[usize::from(state)].planes.ty()) {
            None => u64::from(block[start + lane / 8] >> (lane % 8) & 1),
            Some(size) => {
                let mut bytes = [0; 8];
                let at = start + lane * size as usize;
                bytes[..size as usize].copy_from_slice(&block[at..at + size as usize]);
                u64::from_le_bytes(bytes)
            }
        }
    }

    /// Per node and lane its value; of a store the stored value.
    fn meaning(&self) -> Vec<Vec<Value>> {
        let mut values: Vec<Vec<Value>> = Vec::new();
        for node in &self.kernel.nodes {
            let ty = node.ty.unwrap_or(LaneType::Bits);
            values.push((0..self.shape.lanes).map(|lane| self.value(&values, ty, &node.op, lane)).collect());
        }
        values
    }

    fn value(&self, values: &[Vec<Value>], ty: LaneType, op: &Op, lane: usize) -> Value {
        let of = |id: &ValueId| values[id.0 as usize][lane];
        let bit = |id: &ValueId| scalar::bit(of(id));
        let scalar_ty = ty.scalar();
        let flush = self.kernel.flush;
        let flushed = |value| if flush { flush::flushed(value) } else { value };
        match op {
            Op::Binary(op, a, b) if flush => flush::binary(*op, of(a), of(b)),
            Op::Cast(a) if flush => flush::cast(scalar_ty, of(a)),
            Op::Load(Load { state, plane, direction, micro }) => {
                let places = 1 + self.presence.len();
                let block = &self.reads[usize::from(*state) * places + self.place(*direction)];
                Value::from_bits(scalar_ty, self.element(block, *state, *plane, *micro, lane))
            }
            Op::Presence(direction) => {
                let words = &self.presence[self.place(*direction) - 1];
                Value::Bit(words[lane / 32] >> (lane % 32) & 1 == 1)
            }
            Op::LaneCorner(axis) => Value::I32(self.corners[usize::from(*axis)][lane]),
            Op::OddCorner(axes) => {
                let words = &self.odd_corners[usize::from(axes.set())];
                Value::Bit(words[lane / 32] >> (lane % 32) & 1 == 1)
            }
            Op::SuperblockCorner(axis) => Value::I32(self.superblock_corner[usize::from(*axis)]),
            Op::Param { param, plane } => Value::from_bits(scalar_ty, self.params[usize::from(*param)] >> plane),
            Op::Level => Value::I32(LEVEL),
            Op::Side => Value::I32(SIDE),
            Op::Time { ahead } => Value::U32(self.time.wrapping_add(*ahead)),
            Op::Random { draw, micro } => {
                let q = self.first[*micro as usize] + lane as u64;
                Value::U32(philox::draw(self.seed, q, self.time, *draw))
            }
            Op::RandomBit { .. } => unreachable!("kernels are split where random bits are decided"),
            Op::Const(value) => *value,
            Op::Not(a) => Value::Bit(!bit(a)),
            Op::Logic(op, a, b) => Value::Bit(match op {
                LogicOp::And => bit(a) & bit(b),
                LogicOp::Or => bit(a) | bit(b),
                LogicOp::Xor => bit(a) ^ bit(b),
                LogicOp::AndNot => bit(a) & !bit(b),
            }),
            Op::Table { table, operands: [a, b, c] } => {
                let place = 4 * u8::from(bit(a)) + 2 * u8::from(bit(b)) + u8::from(bit(c));
                Value::Bit(table >> place & 1 == 1)
            }
            Op::Count(terms) => Value::I32(terms.iter().filter(|term| bit(term)).count() as i32),
            Op::Digit { value, bit } => Value::Bit(of(value).bits() >> bit & 1 == 1),
            Op::Widen(planes) => {
                let number = planes.iter().zip(0..).map(|(plane, place)| u32::from(bit(plane)) << place).sum();
                scalar::cast(scalar_ty, Value::U32(number))
            }
            Op::Unary(op, a) => scalar::unary(*op, of(a)),
            Op::Binary(op, a, b) => scalar::binary(*op, of(a), of(b)),
            Op::Shift { left, value, count } => scalar::shift(*left, of(value), of(count)),
            Op::Compare(op, a, b) => Value::Bit(scalar::compare(*op, of(a), of(b))),
            Op::Select { condition, then, otherwise } => of(if bit(condition) { then } else { otherwise }),
            Op::Cast(a) => scalar::cast(scalar_ty, of(a)),
            Op::Math(function, a) => flushed(scalar::math(*function, of(a))),
            Op::Math2(function, a, b) => flushed(scalar::math2(*function, of(a), of(b))),
            Op::LookUp { table, index } => {
                Value::from_bits(scalar_ty, table.at(of(index).as_i128().expect("an I32")).bits())
            }
            Op::AddWhere { condition, sum, term } => {
                if bit(condition) {
                    flushed(scalar::binary(BinaryOp::Add, of(sum), of(term)))
                } else {
                    of(sum)
                }
            }
            Op::Canonical(a) => scalar::canonical(of(a)),
            Op::Chance { word, probability } => {
                let (draw, micro) = self.kernel.drawn(*word);
                Value::Bit(self.happens((draw, micro, lane), scalar::probability(of(probability))))
            }
            Op::Below { .. } => unreachable!("verified: passes leave none"),
            Op::Store { value, .. } => of(value),
        }
    }
}
