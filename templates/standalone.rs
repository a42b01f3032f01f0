// The program around the kernels: where cells are kept, which superblocks are neighbours, and the command line.

/// One level of the fractal: a box of `scale` places along x, y and z, some of which are replicas.
struct Pattern {
    scale: [u64; 3],
    /// The places (x, y, z), by replica.
    replicas: &'static [[u64; 3]],
}

/// A state of the cells.
struct State {
    name: &'static str,
    /// Planes of bits of a column, or 0 for numbers.
    planes: usize,
    /// Bytes of one number.
    bytes: usize,
}

/// A parameter that the command line may set.
struct Param {
    name: &'static str,
    ty: &'static str,
    /// The names of an enum's values, by number.
    variants: &'static [&'static str],
    default: u64,
    /// The values that it may have, in words, and whether it may have these bits.
    valid: &'static str,
    admits: fn(u64) -> bool,
}

/// A kernel and what it reads and writes.
struct Pass {
    code: KernelFn,
    /// The states that it reads in its own superblock.
    own: &'static [usize],
    /// State, direction and micro cells of what it reads of neighbours.
    halo: &'static [(usize, usize, &'static [usize])],
    /// The directions in which it asks who exists.
    presence: &'static [usize],
    /// The states that it writes.
    writes: &'static [usize],
    /// Micro cell and draw of the random words that it reads.
    random: &'static [(u64, u32)],
}

/// Directions to other superblocks.
const DIRECTIONS: usize = 3usize.pow(AXES as u32) - 1;

/// What exists nowhere.
const ABSENT: u32 = u32::MAX;

/// The axes' steps of a direction: reading order, without the centre.
fn direction(index: usize) -> [i64; 3] {
    let place = (index + usize::from(index >= DIRECTIONS / 2)) as i64;
    let step = |axis: usize| if axis < AXES { place / 3i64.pow(axis as u32) % 3 - 1 } else { 0 };
    std::array::from_fn(step)
}

fn pattern(level: u32) -> &'static Pattern {
    &PATTERNS[level as usize % PATTERNS.len()]
}

/// Cells of the fractal made of some levels; the finest is 0.
fn cells(levels: Range<u32>) -> u64 {
    levels.map(|level| pattern(level).replicas.len() as u64).product()
}

/// Its sides.
fn sides(levels: Range<u32>) -> [u64; 3] {
    std::array::from_fn(|axis| levels.clone().map(|level| pattern(level).scale[axis]).product())
}

/// The point of a cell of the fractal made of some levels.
fn lambda(levels: Range<u32>, mut c: u64) -> [u64; 3] {
    let (mut point, mut unit) = ([0; 3], [1; 3]);
    for level in levels {
        let Pattern { scale, replicas } = pattern(level);
        let k = replicas.len() as u64;
        let replica = replicas[(c % k) as usize];
        for axis in 0..3 {
            point[axis] += replica[axis] * unit[axis];
            unit[axis] *= scale[axis];
        }
        c /= k;
    }
    point
}

/// The cell at a point of the fractal made of some levels; none if it is a hole.
fn nu(levels: Range<u32>, mut point: [u64; 3]) -> Option<u64> {
    let (mut c, mut unit) = (0, 1);
    for level in levels {
        let Pattern { scale, replicas } = pattern(level);
        let place: [u64; 3] = std::array::from_fn(|axis| point[axis] % scale[axis]);
        c += replicas.iter().position(|replica| *replica == place)? as u64 * unit;
        unit *= replicas.len() as u64;
        point = std::array::from_fn(|axis| point[axis] / scale[axis]);
    }
    Some(c)
}

/// The levels between lanes and micro cells: their cells are the superblocks.
const MIDDLE: Range<u32> = MICRO_DIGITS..LEVEL - LANE_DIGITS;
/// The levels of the lanes.
const TOP: Range<u32> = LEVEL - LANE_DIGITS..LEVEL;

/// The number that the digits of a cell make if the top one comes first, with weight 1.
fn reversed(levels: Range<u32>, mut c: u64) -> u64 {
    let mut number = 0;
    for level in levels {
        let k = pattern(level).replicas.len() as u64;
        (number, c) = (number * k + c % k, c / k);
    }
    number
}

/// The replica of the top levels that is a lane: lanes stand in the order of their reversed digits.
fn replica_of(lane: usize) -> u64 {
    let (mut rest, mut replica) = (lane as u64, 0);
    for level in TOP.rev() {
        let k = pattern(level).replicas.len() as u64;
        (replica, rest) = (replica * k + rest % k, rest / k);
    }
    replica
}

/// `(column[word] rotated left) & mask`
struct Term {
    word: usize,
    rotate: u32,
    mask: u32,
}

/// How lanes move on the way to a neighbour in another lane.
struct Wrap {
    /// By lane the lane that it sees.
    sources: Vec<u32>,
    /// By word what it is made of.
    terms: Vec<Vec<Term>>,
    /// The lanes that see one.
    presence: Vec<u32>,
}

impl Wrap {
    fn new(step: [i64; 3]) -> Wrap {
        let mut wrap = Wrap { sources: vec![ABSENT; LANES], terms: Vec::new(), presence: vec![0; WORDS] };
        wrap.terms.resize_with(WORDS, Vec::new);
        let sides = sides(TOP).map(|side| side as i64);
        for lane in 0..LANES {
            let place = lambda(TOP, replica_of(lane));
            let there: [i64; 3] = std::array::from_fn(|axis| {
                let v = place[axis] as i64 + step[axis];
                if PERIODIC[axis] { v.rem_euclid(sides[axis]) } else { v }
            });
            if (0..3).any(|axis| !(0..sides[axis]).contains(&there[axis])) {
                continue;
            }
            let Some(from) = nu(TOP, there.map(|v| v as u64)) else { continue };
            let from = reversed(TOP, from) as usize;
            wrap.sources[lane] = from as u32;
            wrap.presence[lane / 32] |= 1 << (lane % 32);
            let (word, rotate) = (from / 32, (lane + 32 - from % 32) as u32 % 32);
            let terms = &mut wrap.terms[lane / 32];
            match terms.iter_mut().find(|term| (term.word, term.rotate) == (word, rotate)) {
                Some(term) => term.mask |= 1 << (lane % 32),
                None => terms.push(Term { word, rotate, mask: 1 << (lane % 32) }),
            }
        }
        wrap
    }

    /// Moves the lanes of a column.
    fn apply(&self, state: &State, from: &[u8], to: &mut [u8]) {
        if state.planes == 0 {
            for (lane, value) in to.chunks_exact_mut(state.bytes).take(LANES).enumerate() {
                match self.sources[lane] {
                    ABSENT => value.fill(0),
                    source => value.copy_from_slice(&from[source as usize * state.bytes..][..state.bytes]),
                }
            }
            return;
        }
        for (from, to) in from.chunks_exact(4 * WORDS).zip(to.chunks_exact_mut(4 * WORDS)) {
            let word = |index: usize| u32::from_le_bytes(from[4 * index..4 * index + 4].try_into().unwrap());
            for (terms, value) in self.terms.iter().zip(to.chunks_exact_mut(4)) {
                let moved = terms.iter().fold(0, |bits, term| bits | word(term.word).rotate_left(term.rotate) & term.mask);
                value.copy_from_slice(&moved.to_le_bytes());
            }
        }
    }
}

/// What all passes share.
struct HostTables {
    superblocks: usize,
    /// `superblock * DIRECTIONS + direction`: the neighbour, and the wrap on the way to it.
    neighbours: Vec<(u32, u32)>,
    wraps: Vec<Wrap>,
    lane_corners: [Vec<i32>; 3],
    /// By the set of axes the lanes whose corners have an odd sum on them, and the others.
    odd_lanes: [[Vec<u32>; 2]; 8],
    zeros: Vec<u64>,
    ones: Vec<u32>,
    params: Vec<u64>,
    seed: u64,
}

impl HostTables {
    fn new(seed: u64, params: Vec<u64>) -> HostTables {
        let superblocks = cells(MIDDLE) as usize;
        let sides_between = sides(MIDDLE).map(|side| side as i64);
        let mut neighbours = vec![(ABSENT, ABSENT); superblocks * DIRECTIONS];
        for (superblock, row) in neighbours.chunks_exact_mut(DIRECTIONS).enumerate() {
            let place = lambda(MIDDLE, superblock as u64);
            for (index, neighbour) in row.iter_mut().enumerate() {
                let (mut there, mut wrap) = ([0; 3], [0; 3]);
                for (axis, step) in direction(index).into_iter().enumerate().take(AXES) {
                    let v = place[axis] as i64 + step;
                    wrap[axis] = if (0..sides_between[axis]).contains(&v) { 0 } else { step };
                    there[axis] = v.rem_euclid(sides_between[axis]) as u64;
                }
                if let Some(c) = nu(MIDDLE, there) {
                    let wrap = (0..DIRECTIONS).find(|way| direction(*way) == wrap);
                    *neighbour = (c as u32, wrap.map_or(ABSENT, |way| way as u32));
                }
            }
        }
        let unit = sides(0..LEVEL - LANE_DIGITS);
        let corner = |axis: usize, lane: usize| (lambda(TOP, replica_of(lane))[axis] * unit[axis]) as i32;
        let corners = |axis| (0..STRIDE).map(|lane| if lane < LANES { corner(axis, lane) } else { 0 }).collect();
        let odd_lanes = |set: usize, flip: bool| {
            let mut words = vec![0; WORDS];
            for lane in (0..LANES).filter(|lane| is_odd(set, std::array::from_fn(|axis| corner(axis, *lane))) != flip) {
                words[lane / 32] |= 1 << (lane % 32);
            }
            words
        };
        let largest = STATES.iter().map(|state| block_bytes(state)).max().unwrap_or(0);
        HostTables {
            superblocks,
            neighbours,
            wraps: (0..DIRECTIONS).map(|index| Wrap::new(direction(index))).collect(),
            lane_corners: std::array::from_fn(corners),
            odd_lanes: std::array::from_fn(|set| [false, true].map(|flip| odd_lanes(set, flip))),
            zeros: vec![0; largest / 8 + 8],
            ones: vec![u32::MAX; WORDS],
            params,
            seed,
        }
    }
}

/// Whether the coordinates of a corner on a set of axes have an odd sum.
fn is_odd(set: usize, corner: [i32; 3]) -> bool {
    (0..3).filter(|axis| set >> axis & 1 == 1 && corner[*axis] % 2 == 1).count() % 2 == 1
}

/// Bytes of a column of all planes.
fn column_bytes(state: &State) -> usize {
    if state.planes == 0 { STRIDE * state.bytes } else { state.planes * 4 * WORDS }
}

/// Bytes of a superblock's columns.
fn block_bytes(state: &State) -> usize {
    MICRO_CELLS * column_bytes(state)
}

/// The two buffers of a state.
struct Field {
    now: Vec<u64>,
    next: Vec<u64>,
}

/// Pointers for all threads: each superblock writes only its own columns.
struct Shared(Vec<(*const u8, *mut u8)>);

// SAFETY: what is read is not written while a pass runs, and written places are different ones.
unsafe impl Sync for Shared {}

impl Pass {
    /// Runs on all superblocks.
    fn run(&self, surroundings: &HostTables, fields: &mut [Field], time: u32) {
        let pointers = |field: &mut Field| (field.now.as_ptr().cast(), field.next.as_mut_ptr().cast());
        let shared = &Shared(fields.iter_mut().map(pointers).collect());
        let next = &AtomicUsize::new(0);
        let threads = std::thread::available_parallelism().map_or(1, |threads| threads.get());
        let piece = surroundings.superblocks.div_ceil(16 * threads).max(64);
        let work = move || {
            let mut worker = Worker::new(self, surroundings, time);
            loop {
                let first = next.fetch_add(piece, Ordering::Relaxed);
                if first >= surroundings.superblocks {
                    return;
                }
                (first..(first + piece).min(surroundings.superblocks)).for_each(|superblock| worker.run(shared, superblock));
            }
        };
        let helpers = threads.min(surroundings.superblocks.div_ceil(piece)) - 1;
        std::thread::scope(|scope| {
            (0..helpers).for_each(|_| drop(scope.spawn(work)));
            work();
        });
        for &state in self.writes {
            let field = &mut fields[state];
            std::mem::swap(&mut field.now, &mut field.next);
        }
    }
}

/// What a thread needs to run a pass.
struct Worker<'a> {
    pass: &'a Pass,
    surroundings: &'a HostTables,
    time: u32,
    reads: Vec<*const u8>,
    writes: Vec<*mut u8>,
    presence: Vec<*const u32>,
    /// Columns with their lanes moved, one block for each entry of the pass's halo.
    moved: Vec<Vec<u64>>,
    random: Vec<u32>,
}

impl<'a> Worker<'a> {
    fn new(pass: &'a Pass, surroundings: &'a HostTables, time: u32) -> Worker<'a> {
        let memory = |&(state, ..): &(usize, usize, &[usize])| vec![0; block_bytes(&STATES[state]).div_ceil(8)];
        Worker {
            pass,
            surroundings,
            time,
            reads: vec![null(); STATES.len() * (DIRECTIONS + 1)],
            writes: vec![null_mut(); STATES.len()],
            presence: vec![null(); DIRECTIONS],
            moved: pass.halo.iter().map(memory).collect(),
            random: vec![0; pass.random.len() * STRIDE],
        }
    }

    fn run(&mut self, shared: &Shared, superblock: usize) {
        let Worker { pass, surroundings, .. } = *self;
        let old = |state: usize, index: usize| shared.0[state].0.wrapping_add(index * block_bytes(&STATES[state]));
        for &state in pass.own {
            self.reads[state * (DIRECTIONS + 1)] = old(state, superblock);
        }
        for (&(state, way, micro), moved) in pass.halo.iter().zip(&mut self.moved) {
            let read = match surroundings.neighbours[superblock * DIRECTIONS + way] {
                (ABSENT, _) => surroundings.zeros.as_ptr().cast(),
                (index, ABSENT) => old(state, index as usize),
                (index, wrap) => {
                    let (width, bytes) = (column_bytes(&STATES[state]), block_bytes(&STATES[state]));
                    // SAFETY: the block of a superblock that exists, which nobody writes now; the other is ours.
                    let (from, to) = unsafe {
                        (from_raw_parts(old(state, index as usize), bytes), from_raw_parts_mut(moved.as_mut_ptr().cast(), bytes))
                    };
                    for &micro in micro {
                        let place = micro * width..(micro + 1) * width;
                        surroundings.wraps[wrap as usize].apply(&STATES[state], &from[place.clone()], &mut to[place]);
                    }
                    moved.as_ptr().cast()
                }
            };
            self.reads[state * (DIRECTIONS + 1) + 1 + way] = read;
        }
        for &way in pass.presence {
            self.presence[way] = match surroundings.neighbours[superblock * DIRECTIONS + way] {
                (ABSENT, _) => surroundings.zeros.as_ptr().cast(),
                (_, ABSENT) => surroundings.ones.as_ptr(),
                (_, wrap) => surroundings.wraps[wrap as usize].presence.as_ptr(),
            };
        }
        for &state in pass.writes {
            self.writes[state] = shared.0[state].1.wrapping_add(superblock * block_bytes(&STATES[state]));
        }
        let drawn = DrawnCells { seed: surroundings.seed, superblock: superblock as u64, random: pass.random };
        for (&(micro, draw), words) in pass.random.iter().zip(self.random.chunks_exact_mut(STRIDE)) {
            random_words(surroundings.seed, drawn.first(micro), self.time, draw, words);
        }
        let unit = sides(0..MICRO_DIGITS);
        let corner = lambda(MIDDLE, superblock as u64);
        let superblock_corner = std::array::from_fn(|axis| (corner[axis] * unit[axis]) as i32);
        let odd_corners: [*const u32; 8] = std::array::from_fn(|set| {
            surroundings.odd_lanes[set][usize::from(is_odd(set, superblock_corner))].as_ptr()
        });
        let lane_corners: [*const i32; 3] = std::array::from_fn(|axis| surroundings.lane_corners[axis].as_ptr());
        let call = Call {
            reads: self.reads.as_ptr(),
            writes: self.writes.as_ptr(),
            presence: self.presence.as_ptr(),
            params: surroundings.params.as_ptr(),
            lane_corners: lane_corners.as_ptr(),
            odd_corners: odd_corners.as_ptr(),
            superblock_corner,
            time: self.time,
            level: LEVEL as i32,
            side: sides(0..LEVEL).into_iter().max().and_then(|side| i32::try_from(side).ok()).unwrap_or(0),
            random: self.random.as_ptr(),
            chance,
            drawn: (&raw const drawn).cast(),
        };
        // SAFETY: all that the kernel names has just been filled, and it writes the columns of this superblock alone.
        unsafe { (pass.code)(&raw const call) }
    }
}

/// The cells of a superblock, and micro cell and draw of the columns of their random words.
struct DrawnCells {
    seed: u64,
    superblock: u64,
    random: &'static [(u64, u32)],
}

impl DrawnCells {
    /// The digit-reversed index of the first cell of a column.
    fn first(&self, micro: u64) -> u64 {
        LANES as u64 * (reversed(MIDDLE, self.superblock) + cells(MIDDLE) * reversed(0..MICRO_DIGITS, micro))
    }
}

/// Whether the number that the bits of a cell spell, plane after plane, is less than p.
unsafe extern "C" fn chance(call: *const Call, place: usize, p: f64) -> bool {
    // SAFETY: the call is one of a worker, which points to its cells.
    let (time, drawn) = unsafe { ((*call).time, &*(*call).drawn.cast::<DrawnCells>()) };
    let (micro, draw) = drawn.random[place / STRIDE];
    let q = drawn.first(micro) + (place % STRIDE) as u64;
    if p.is_nan() || p <= 0.0 || p >= 1.0 {
        return p >= 1.0;
    }
    let (mut left, mut j) = (p, 0);
    while left > 0.0 {
        // Doubled, what is left shows its next digit.
        left *= 2.0;
        let digit = u32::from(left >= 1.0);
        left -= f64::from(digit);
        let block = q / 128 + (u64::from(j / 32) << 57);
        if philox(drawn.seed, block, time, 32 * draw + j % 32)[(q / 32 % 4) as usize] >> (q % 32) & 1 != digit {
            return digit == 1;
        }
        j += 1;
    }
    false
}

/// The random words of cells whose digit-reversed indices follow each other from `first` on: bit 31 - j of a word is a bit of plane j.
fn random_words(seed: u64, first: u64, time: u32, draw: u32, words: &mut [u32]) {
    for block in first / 128..=(first + words.len() as u64 - 1) / 128 {
        let planes: [[u32; 4]; 32] = std::array::from_fn(|j| philox(seed, block, time, 32 * draw + j as u32));
        for q in (128 * block).max(first)..(128 * block + 128).min(first + words.len() as u64) {
            let bit = |word: u32, plane: &[u32; 4]| word << 1 | plane[(q / 32 % 4) as usize] >> (q % 32) & 1;
            words[(q - first) as usize] = planes.iter().fold(0, bit);
        }
    }
}

/// Philox4x32-10: the block with counter (block, time, number) and key `seed`.
fn philox(seed: u64, block: u64, time: u32, number: u32) -> [u32; 4] {
    let mut counter = [block as u32, (block >> 32) as u32, time, number];
    let mut key = [seed as u32, (seed >> 32) as u32];
    for _ in 0..10 {
        let a = 0xD251_1F53_u64 * u64::from(counter[0]);
        let b = 0xCD9E_8D57_u64 * u64::from(counter[2]);
        counter = [(b >> 32) as u32 ^ counter[1] ^ key[0], b as u32, (a >> 32) as u32 ^ counter[3] ^ key[1], a as u32];
        key = [key[0].wrapping_add(0x9E37_79B9), key[1].wrapping_add(0xBB67_AE85)];
    }
    counter
}

/// The bits of a value of a column.
fn value(state: &State, column: &[u8], lane: usize) -> u64 {
    let mut value = 0;
    if state.planes == 0 {
        let bytes = &column[lane * state.bytes..][..state.bytes];
        bytes.iter().rev().for_each(|byte| value = value << 8 | u64::from(*byte));
    }
    for plane in 0..state.planes {
        value |= u64::from(column[4 * WORDS * plane + lane / 8] >> (lane % 8) & 1) << plane;
    }
    value
}

/// The digest of a state: the sum over its cells of a hash of canonical index and value.
fn digest(surroundings: &HostTables, state: &State, now: &[u64]) -> u64 {
    fn mix(v: u64) -> u64 {
        let v = v.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let v = (v ^ v >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let v = (v ^ v >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        v ^ v >> 31
    }
    let bytes = bytes(surroundings, state, now);
    let lane_cells = (surroundings.superblocks * MICRO_CELLS) as u64;
    let mut sum = 0u64;
    for (first, column) in (0u64..).zip(bytes.chunks_exact(column_bytes(state))) {
        for lane in 0..LANES {
            sum = sum.wrapping_add(mix(mix(first + replica_of(lane) * lane_cells) ^ value(state, column, lane)));
        }
    }
    sum
}

/// The columns of a state.
fn bytes<'a>(surroundings: &HostTables, state: &State, now: &'a [u64]) -> &'a [u8] {
    // SAFETY: any memory can be read as bytes, and as many were asked for.
    unsafe { from_raw_parts(now.as_ptr().cast(), surroundings.superblocks * block_bytes(state)) }
}

/// A number about all cells, or a list of them.
#[derive(Clone)]
enum Number {
    Whole(i64),
    Float(f64),
    List(Vec<Number>),
}

use Number::{Float, Whole};

/// Operations of whole numbers, and of floats: of both if one of the operands is one.
macro_rules! operations {
    ($($name:ident |$a:tt, $b:tt| $whole:expr, $float:expr;)*) => {
        impl Number {
            $(fn $name(&self, other: &Number) -> Number {
                match (self, other) {
                    (&Whole($a), &Whole($b)) => $whole,
                    (a, b) => {
                        let ($a, $b) = (a.float(), b.float());
                        $float
                    }
                }
            })*
        }
    };
}

// An operation of one operand ignores the second.
operations! {
    add |a, b| Whole(a.wrapping_add(b)), Float(a + b);
    subtract |a, b| Whole(a.wrapping_sub(b)), Float(a - b);
    multiply |a, b| Whole(a.wrapping_mul(b)), Float(a * b);
    divide |a, b| Whole(if b == 0 { 0 } else { a.wrapping_div(b) }), Float(a / b);
    remainder |a, b| Whole(if b == 0 { 0 } else { a.wrapping_rem(b) }), Float(a % b);
    and |a, b| Whole(a & b), Float(f64::NAN);
    or |a, b| Whole(a | b), Float(f64::NAN);
    xor |a, b| Whole(a ^ b), Float(f64::NAN);
    min |a, b| Whole(a.min(b)), Float(if b < a { b } else { a });
    max |a, b| Whole(a.max(b)), Float(if a < b { b } else { a });
    equal |a, b| Whole((a == b).into()), Whole((a == b).into());
    not_equal |a, b| Whole((a != b).into()), Whole((a != b).into());
    less |a, b| Whole((a < b).into()), Whole((a < b).into());
    less_equal |a, b| Whole((a <= b).into()), Whole((a <= b).into());
    greater |a, b| Whole((a > b).into()), Whole((a > b).into());
    greater_equal |a, b| Whole((a >= b).into()), Whole((a >= b).into());
    not |a, _| Whole((a == 0).into()), Whole((a == 0.0).into());
    negate |a, _| Whole(a.wrapping_neg()), Float(-a);
    abs |a, _| Whole(a.wrapping_abs()), Float(a.abs());
    to_float |a, _| Float(a as f64), Float(a);
    to_whole |a, _| Whole(a as f64 as i64), Whole(a as i64);
    sqrt |a, _| Float((a as f64).sqrt()), Float(a.sqrt());
    floor |a, _| Float(a as f64), Float(a.floor());
    ceil |a, _| Float(a as f64), Float(a.ceil());
    round |a, _| Float(a as f64), Float(a.round());
}

impl Number {
    fn of_bits(ty: &str, bits: u64) -> Number {
        match ty {
            "f32" => Number::Float(f32::from_bits(bits as u32).into()),
            "f64" => Number::Float(f64::from_bits(bits)),
            "i32" => Number::Whole((bits as i32).into()),
            _ => Number::Whole(bits as i64),
        }
    }

    fn float(&self) -> f64 {
        match self {
            Number::Whole(value) => *value as f64,
            Number::Float(value) => *value,
            Number::List(_) => f64::NAN,
        }
    }

    fn text(&self) -> String {
        match self {
            Number::Whole(value) => value.to_string(),
            Number::Float(value) => format!("{value:?}"),
            Number::List(list) => format!("[{}]", list.iter().map(Number::text).collect::<Vec<_>>().join(", ")),
        }
    }
}

/// The terms of the cells of a replica, folded digit by digit: those of each of its replicas, and then what these came to. Sums of floats begin
/// at 0.0.
fn folded(kind: &str, terms: &mut dyn Iterator<Item = Number>, level: u32) -> Number {
    let Some(below) = level.checked_sub(1) else { return terms.next().unwrap_or(Number::Whole(0)) };
    let combine = match kind {
        "min" => Number::min,
        "max" => Number::max,
        _ => Number::add,
    };
    let first = folded(kind, terms, below);
    let first = if kind == "sum" { Number::Whole(0).add(&first) } else { first };
    (1..pattern(below).replicas.len()).fold(first, |so_far, _| combine(&so_far, &folded(kind, terms, below)))
}

/// What the terms of each reduction come to at a time.
fn reduced(surroundings: &HostTables, mut fields: Vec<Field>, time: u32) -> Result<Vec<Number>, String> {
    let first = fields.len();
    for state in &STATES[first..] {
        fields.push(Field { now: Vec::new(), next: memory(surroundings, state)? });
    }
    terms().iter().for_each(|pass| pass.run(surroundings, &mut fields, time));
    let lane_cells = (surroundings.superblocks * MICRO_CELLS) as u64;
    let reduction = |((kind, ty), (state, field)): (&(&str, &str), (&State, &Field))| {
        let columns = bytes(surroundings, state, &field.now);
        let column = |c: u64| &columns[(c % lane_cells) as usize * column_bytes(state)..];
        let term = |c: u64| Number::of_bits(ty, value(state, column(c), reversed(TOP, c / lane_cells) as usize));
        folded(kind, &mut (0..cells(0..LEVEL)).map(term), LEVEL)
    };
    Ok(REDUCTIONS.iter().zip(STATES.iter().zip(&fields).skip(first)).map(reduction).collect())
}

/// Memory of zeros for all superblocks of a state.
fn memory(surroundings: &HostTables, state: &State) -> Result<Vec<u64>, String> {
    let words = (surroundings.superblocks * block_bytes(state)).div_ceil(8);
    let mut memory = Vec::new();
    memory.try_reserve_exact(words).map_err(|error| format!("{} bytes for `{}`: {error}", 8 * words, state.name))?;
    memory.resize(words, 0);
    Ok(memory)
}

impl Param {
    /// The bits of a value.
    fn parse(&self, text: &str) -> Option<u64> {
        match self.ty {
            "bit" => match text {
                "true" | "1" => Some(1),
                "false" | "0" => Some(0),
                _ => None,
            },
            "u8" => text.parse::<u8>().ok().map(u64::from),
            "u16" => text.parse::<u16>().ok().map(u64::from),
            "i32" => text.parse::<i32>().ok().map(|v| u64::from(v as u32)),
            "u32" => text.parse::<u32>().ok().map(u64::from),
            "i64" => text.parse::<i64>().ok().map(|v| v as u64),
            "f32" => text.parse::<f32>().ok().map(|v| u64::from(v.to_bits())),
            "f64" => text.parse::<f64>().ok().map(f64::to_bits),
            _ => self.variants.iter().position(|variant| *variant == text).map(|number| number as u64),
        }
    }
}

/// `STEPS [SEED] [NAME=VALUE]...`
fn arguments() -> Result<(u32, u64, Vec<u64>), String> {
    let mut params: Vec<u64> = PARAMS.iter().map(|param| param.default).collect();
    let (mut numbers, mut steps, mut seed) = (0, 0, 0);
    for argument in std::env::args().skip(1) {
        let wrong = || format!("`{argument}` is not understood; valid are: STEPS [SEED] [NAME=VALUE]...");
        if let Some((name, text)) = argument.split_once('=') {
            let index = PARAMS.iter().position(|param| param.name == name);
            let index = index.ok_or_else(|| format!("`{argument}` names no parameter; `--help` lists them"))?;
            let Param { ty, valid, admits, .. } = PARAMS[index];
            let bits = PARAMS[index].parse(text).filter(|bits| admits(*bits));
            params[index] = bits.ok_or_else(|| format!("`{argument}` does not fit `{name}: {ty}`{valid}"))?;
            continue;
        }
        match numbers {
            0 => steps = argument.parse().map_err(|_| wrong())?,
            1 => seed = argument.parse().map_err(|_| wrong())?,
            _ => return Err(wrong()),
        }
        numbers += 1;
    }
    Ok((steps, seed, params))
}

fn run() -> Result<(), String> {
    let (steps, seed, params) = arguments()?;
    let surroundings = HostTables::new(seed, params);
    let mut fields = Vec::new();
    for state in &STATES[..STATES.len() - REDUCTIONS.len()] {
        fields.push(Field { now: memory(&surroundings, state)?, next: memory(&surroundings, state)? });
    }
    initial_values().run(&surroundings, &mut fields, 0);
    let (one, several) = (one_step(), several_steps());
    let began = Instant::now();
    let mut time = 0;
    while time < steps {
        let (passes, taken) = if steps - time >= STEPS { (&several, STEPS) } else { (&one, 1) };
        for pass in passes {
            pass.run(&surroundings, &mut fields, time + 1);
        }
        time += taken;
    }
    let seconds = began.elapsed().as_secs_f64() / f64::from(steps.max(1));
    eprintln!("{seconds:.3e} seconds a step, {}", Instructions::best().name());
    for (state, field) in STATES.iter().zip(&fields).take(SHOWN) {
        println!("{} {:016x}", state.name, digest(&surroundings, state, &field.now));
    }
    let reductions = reduced(&surroundings, fields, steps)?;
    for (name, number) in observables(&reductions, &surroundings.params, steps) {
        println!("{name} = {}", number.text());
    }
    if !LEFT_OUT.is_empty() {
        eprintln!("not computed: {}", LEFT_OUT.join(", "));
    }
    Ok(())
}

/// What `--help` prints.
fn help() {
    println!("Usage: STEPS [SEED] [NAME=VALUE]...\n\nComputes STEPS steps and prints the digest of each state and the observables. `stop when` is not asked.");
    if !LEFT_OUT.is_empty() {
        println!("Observables that it does not compute, and `squeeze run` does: {}.", LEFT_OUT.join(", "));
    }
    for Param { name, ty, variants, valid, .. } in &PARAMS {
        println!("  {name}: {}{valid}", if variants.is_empty() { (*ty).to_owned() } else { variants.join(", ") });
    }
}

fn main() {
    // A library that was loaded with the program may have changed it.
    FloatMode::DEFAULT.set();
    if std::env::args().any(|argument| argument == "--help" || argument == "-h") {
        return help();
    }
    if let Err(problem) = run() {
        eprintln!("error: {problem}");
        std::process::exit(2);
    }
}
