//! Random bits: the planes of a draw compared with probabilities, plane by plane from the top.
//!
//! A lane of a class is true if the number that its bits spell is below the class's probability. It is decided by the first plane in which both differ, most lanes
//! by one of the first, so planes are made only until all lanes of some blocks are decided, or until nothing but zeros is left of every
//! probability. As many blocks are compared at once as a vector has elements. Where the columns of a superblock are whole blocks, as many as
//! fill vectors, they are compared where they stand; else the lanes of all columns are moved to where their bits stand in blocks of
//! Philox, and the results are moved back.
//!
//! Members of an ensemble that share a seed share planes, too (`kept`).
//!
//! Functions that are called for each vector take no closures: the functions of the standard library that would call them are compiled without the
//! instructions that vectors need, and are not inlined where these are enabled.
//!
//! `objdump -d -C target/release/squeeze | grep 'call.*core_arch'` must name nothing in this module: each such line is a call for every vector.
//! Blocks with few undecided lanes are not gathered: putting them together after eight planes cost more than the planes it saved (2.4 µs instead of 1.9 for 8 columns).

mod colours;
mod kept;
mod planes;
mod vector;

use colours::ColouredBlocks;
use kept::{KeptPlanes, Place, listed};
use planes::{Keys, Philox};
use squeeze_codegen::AvailableIsa;
#[cfg(all(target_arch = "x86_64", unix))]
use squeeze_codegen::Isa;
use squeeze_compiler::Off;
use squeeze_compiler::numbers::numbering::LaneNumbers;
use squeeze_compiler::numbers::philox::{BLOCK_CELLS, PLANES, bit_of, further, planes};
use squeeze_compiler::numbers::random::DrawKey;
use squeeze_compiler::passes::classes::MOST_CLASSES;
use squeeze_compiler::passes::split::MOST_EACH;
use vector::Vector;

/// Classes of a set: the lanes whose probability has a one in some plane are looked up among the unions of a set's classes.
const SET: usize = 3;
/// Two vectors of lanes for each union of a set's classes.
type Unions<V> = [[V; 2]; Union::ALL.len()];
/// The most sets.
const MOST_SETS: usize = MOST_CLASSES.div_ceil(SET);

/// A union of the classes of a set. Eight variants tell the compiler that each is a valid place among [`Unions`].
#[derive(Clone, Copy, Debug)]
#[repr(u8)]
enum Union {
    Empty,
    A,
    B,
    Ab,
    C,
    Ac,
    Bc,
    Abc,
}

impl Union {
    /// A bit of its place for each class.
    const ALL: [Union; 1 << SET] =
        [Union::Empty, Union::A, Union::B, Union::Ab, Union::C, Union::Ac, Union::Bc, Union::Abc];
}

/// The probabilities of some classes, plane by plane: one for each random bit.
#[derive(Clone, Debug)]
pub(crate) struct Thresholds {
    /// The number of classes.
    count: usize,
    /// The number of random bits.
    each: usize,
    /// The random bits and the classes whose lanes are always true.
    always: Vec<(usize, usize)>,
    /// The classes that are compared: the others are never true.
    open: Vec<usize>,
    /// The classes compared for each random bit, by set of open classes.
    compared: Vec<Union>,
    /// The classes that have a one in a plane: by plane that decides anything, from the top, by random bit, and by set of open classes. The
    /// number of planes is even.
    ones: Vec<Union>,
    /// The sets, with those that have no classes: there is code for this number of them.
    sets: usize,
}

impl Thresholds {
    /// For each class `each` probabilities, one for every random bit.
    pub(super) fn new(probabilities: &[f64], each: usize) -> Thresholds {
        let count = probabilities.len() / each;
        let of = |bit: usize, class: usize| probabilities[class * each + bit];
        let is_open = |bit: usize, class: usize| planes(of(bit, class)) > 0;
        let open: Vec<usize> = (0..count).filter(|class| (0..each).any(|bit| is_open(bit, *class))).collect();
        // All planes below the lowest bit of every probability decide nothing.
        let planes = probabilities.iter().map(|p| planes(*p)).max().unwrap_or(0).next_multiple_of(2);
        let sets = match (open.len().div_ceil(SET), each) {
            (0 | 1, 1..=3) => 1,
            (2, 1) => 2,
            (0..=3, 1..=7) => 3,
            _ => MOST_SETS,
        };
        let unions = |wanted: &dyn Fn(usize, usize) -> bool| -> Vec<Union> {
            let of_set = |bit: usize, set: usize| {
                let classes = (0..).zip(open.iter().skip(SET * set).take(SET));
                Union::ALL[classes.map(|(place, &class)| usize::from(wanted(bit, class)) << place).sum::<usize>()]
            };
            (0..each).flat_map(|bit| (0..sets).map(move |set| (bit, set))).map(|(bit, set)| of_set(bit, set)).collect()
        };
        let one = |plane: u32| unions(&|bit, class| is_open(bit, class) && bit_of(of(bit, class), plane));
        let always = (0..each).flat_map(|bit| (0..count).map(move |class| (bit, class)));
        Thresholds {
            count,
            each,
            always: always.filter(|(bit, class)| of(*bit, *class) >= 1.0).collect(),
            compared: unions(&is_open),
            ones: (0..planes).flat_map(one).collect(),
            open,
            sets,
        }
    }
}

/// A column of lanes whose words of one draw are compared.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    /// The numbers of its lanes.
    pub numbers: LaneNumbers,
    /// Where among the bytes of the classes the planes of this column begin: one for each class, of as many words of 32 lanes as a column
    /// has.
    pub classes: usize,
    /// The offset of its results, a plane for each random bit.
    pub result: usize,
}

impl Column {
    fn first(&self) -> u64 {
        self.numbers.first()
    }

    /// The number of the block that lanes counted by blocks have, as bytes.
    #[inline(always)]
    fn block(&self, number: u64) -> [u8; 8] {
        (self.numbers.of_place(BLOCK_CELLS * number) / BLOCK_CELLS).to_le_bytes()
    }
}

/// Classes with the same bits of lanes, moved to blocks, and the blocks: memory that is used again.
#[derive(Default)]
pub(crate) struct Staging {
    /// The numbers of the blocks, as bytes.
    blocks: Vec<[u8; 8]>,
    /// For each class the bits of the blocks' cells.
    classes: Vec<u8>,
    /// The same for each random bit.
    results: Vec<u8>,
    /// Planes that others made.
    kept: KeptPlanes,
    coloured: ColouredBlocks,
    /// Where the halves of vectors stand, of the classes and of results.
    halves: Vec<[usize; 2]>,
}

impl Staging {
    /// A pass begins that compares words of this key.
    pub(super) fn begin(&mut self, draw_key: DrawKey, off: Off) {
        self.kept.begin(draw_key, off);
    }
}

/// The bytes of a plane of a block.
const BLOCK_BYTES: usize = BLOCK_CELLS as usize / 8;
/// Columns with room behind are compared where they stand if at most this part of their lanes is compared besides, for nothing. Guess: not measured.
const LANES_FOR_ONE_MORE: usize = 5;
/// Behind the results of the last block a word is looked at, of which nothing is taken.
const PADDING: usize = 16;

/// A draw that is compared with the probabilities of classes, of which a lane has one or none. Lanes of no class are false.
#[derive(Clone, Copy, Debug)]
pub(super) struct Comparison<'a> {
    /// Seed and time.
    pub draw_key: DrawKey,
    /// The draw's number.
    pub draw: u32,
    /// The probabilities of the classes.
    pub thresholds: &'a Thresholds,
    /// The lanes of a column.
    pub lanes: usize,
    /// Bytes from the plane of a class, or of a random bit, to the next: those of the lanes' words, or more.
    pub plane: usize,
    /// Of columns of places: which lanes are cells, unless all are.
    pub cells: Option<&'a [u32]>,
}

impl Comparison<'_> {
    /// Compares the lanes of some columns, and writes over their results, in which bits behind the last lane mean nothing. Without a column, blocks are compared
    /// that are listed, whose classes are staged.
    ///
    /// # Panics
    /// If a column does not lie in the bytes.
    pub(super) fn run(
        &self,
        isa: Option<AvailableIsa>,
        staging: &mut Staging,
        columns: &[Column],
        classes: &[u8],
        results: &mut [u8],
    ) {
        if columns.iter().any(|column| matches!(column.numbers, LaneNumbers::Places { .. })) {
            return self.run_by_colour(isa, staging, columns, classes, results);
        }
        #[cfg(all(target_arch = "x86_64", unix))]
        match isa.map(AvailableIsa::isa) {
            // SAFETY: this machine has the instruction set, as its type says.
            Some(Isa::Avx512) => return unsafe { self.run_avx512(staging, columns, classes, results) },
            // SAFETY: as above.
            Some(Isa::Avx2) => return unsafe { self.run_avx2(staging, columns, classes, results) },
            Some(Isa::Sse41) | None => {}
        }
        #[cfg(not(all(target_arch = "x86_64", unix)))]
        let _ = isa;
        self.run_with::<u64>(staging, columns, classes, results);
    }

    /// # Safety
    /// The processor must have AVX-512 F, VL, BW and DQ.
    #[cfg(all(target_arch = "x86_64", unix))]
    #[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq")]
    unsafe fn run_avx512(&self, staging: &mut Staging, columns: &[Column], classes: &[u8], results: &mut [u8]) {
        self.run_with::<vector::Eight>(staging, columns, classes, results);
    }

    /// # Safety
    /// The processor must have AVX2.
    #[cfg(all(target_arch = "x86_64", unix))]
    #[target_feature(enable = "avx2")]
    unsafe fn run_avx2(&self, staging: &mut Staging, columns: &[Column], classes: &[u8], results: &mut [u8]) {
        self.run_with::<vector::Four>(staging, columns, classes, results);
    }

    #[inline(always)]
    fn run_with<V: Vector>(&self, staging: &mut Staging, columns: &[Column], classes: &[u8], results: &mut [u8]) {
        match (self.thresholds.sets, self.thresholds.each) {
            (1, 1) => self.run_sets::<V, 1, 1>(staging, columns, classes, results),
            (2, 1) => self.run_sets::<V, 2, 1>(staging, columns, classes, results),
            (3, 1) => self.run_sets::<V, 3, 1>(staging, columns, classes, results),
            (_, 1) => self.run_sets::<V, MOST_SETS, 1>(staging, columns, classes, results),
            (1, _) => self.run_sets::<V, 1, 3>(staging, columns, classes, results),
            (3, _) => self.run_sets::<V, 3, 7>(staging, columns, classes, results),
            _ => self.run_sets::<V, MOST_SETS, MOST_EACH>(staging, columns, classes, results),
        }
    }

    /// With `SETS` sets of classes, and at most `EACH` random bits.
    #[inline(always)]
    fn run_sets<V: Vector, const SETS: usize, const EACH: usize>(
        &self,
        staging: &mut Staging,
        columns: &[Column],
        classes: &[u8],
        results: &mut [u8],
    ) {
        let plane_bytes = self.plane_bytes();
        if self.thresholds.count == 0 {
            for column in columns {
                let planes = (0..self.thresholds.each).map(|bit| column.result + bit * self.plane);
                planes.for_each(|from| results[from..][..plane_bytes].fill(0));
            }
            return;
        }
        let keys = Keys::<V>::of(self.draw_key.seed);
        let mut unions = [[[V::splat(0); 2]; Union::ALL.len()]; SETS];
        let are_staged = columns.is_empty();
        let stand_in_blocks = !are_staged && self.stand_in_blocks(V::LENGTH, columns);
        staging.halves.clear();
        let stride = if stand_in_blocks {
            self.list_halves(V::LENGTH, staging, columns);
            self.plane
        } else {
            if !are_staged {
                self.list_blocks(V::LENGTH, staging, columns);
                self.stage(staging, columns, classes);
            }
            let bytes = BLOCK_BYTES * staging.blocks.len();
            staging.halves.extend((0..bytes).step_by(8 * V::LENGTH).map(|at| [at; 2]));
            bytes
        };
        let Staging { blocks, classes: staged_classes, results: staged, kept, halves, .. } = &mut *staging;
        let classes = if stand_in_blocks { classes } else { staged_classes };
        let to = if stand_in_blocks { &mut *results } else { &mut staged[..] };
        for (blocks, halves) in blocks.chunks_exact(V::LENGTH).zip(halves.as_chunks().0) {
            let blocks = blocks.as_flattened();
            let random = (V::load(blocks), kept.next::<V>(listed(blocks), self.draw));
            self.compare::<V, SETS, EACH>(&keys, &mut unions, random, (classes, &mut *to), (*halves, stride));
        }
        if !stand_in_blocks {
            for bit in 0..self.thresholds.each {
                self.put_back(staging, columns, bit, results);
            }
        }
    }

    /// The bytes of a plane of a column.
    fn plane_bytes(&self) -> usize {
        4 * self.lanes.div_ceil(32)
    }

    /// The blocks in which a column has lanes.
    fn blocks(&self, column: &Column) -> std::ops::Range<u64> {
        column.first() / BLOCK_CELLS..(column.first() + self.lanes as u64).div_ceil(BLOCK_CELLS)
    }

    /// Whether columns are compared where they stand: the lanes of each are whole vectors of blocks, or nearly whole halves of vectors with room behind.
    fn stand_in_blocks(&self, at_once: usize, columns: &[Column]) -> bool {
        let are_whole = (self.lanes as u64).is_multiple_of(BLOCK_CELLS * at_once as u64);
        let half = 64 * at_once;
        let with_room =
            at_once > 1 && LANES_FOR_ONE_MORE * (self.lanes.next_multiple_of(half) - self.lanes) <= self.lanes;
        columns.iter().all(|column| {
            let has_room = matches!(column.numbers, LaneNumbers::EverySecond { .. });
            column.first().is_multiple_of(BLOCK_CELLS) && (are_whole || with_room && has_room)
        })
    }

    /// Lists where the halves of vectors stand in columns, and their blocks. The last half is there twice if their number is odd.
    #[inline(always)]
    fn list_halves(&self, at_once: usize, Staging { blocks, halves, .. }: &mut Staging, columns: &[Column]) {
        blocks.clear();
        let half = 8 * at_once;
        for column in columns {
            let count = self.plane_bytes().div_ceil(half);
            halves.extend((0..count).map(|number| [column.classes + half * number, column.result + half * number]));
            let first = column.first() / BLOCK_CELLS;
            let numbers = first..first + (count * at_once).div_ceil(2) as u64;
            blocks.extend(numbers.map(|block| column.block(block)));
        }
        if halves.len() % 2 == 1 {
            halves.extend_from_within(halves.len() - 1..);
            blocks.extend_from_within(blocks.len() - at_once / 2..);
        }
    }

    /// Lists the blocks of all columns, filled up to a multiple of `at_once`.
    #[inline(always)]
    fn list_blocks(&self, at_once: usize, Staging { blocks, .. }: &mut Staging, columns: &[Column]) {
        blocks.clear();
        for column in columns {
            for block in self.blocks(column) {
                blocks.push(column.block(block));
            }
        }
        blocks.resize(blocks.len().next_multiple_of(at_once), [0; 8]);
    }

    /// Moves the bits of all columns' classes to where their cells stand in the blocks, whose other bits mean nothing.
    #[inline(always)]
    fn stage(&self, staging: &mut Staging, columns: &[Column], classes: &[u8]) {
        let Staging { blocks, classes: staged, results, .. } = staging;
        let (class_bytes, plane_bytes) = (BLOCK_BYTES * blocks.len(), self.plane_bytes());
        results.resize(self.thresholds.each * class_bytes + PADDING, 0);
        staged.resize(self.thresholds.count * class_bytes, 0);
        for (class, staged) in staged.chunks_exact_mut(class_bytes.max(1)).enumerate() {
            let mut to = staged;
            for column in columns {
                let bytes = &classes[column.classes + class * self.plane..][..plane_bytes];
                let blocks = self.blocks(column);
                let (here, behind) = to.split_at_mut(BLOCK_BYTES * (blocks.end - blocks.start) as usize);
                move_up(bytes, (column.first() % BLOCK_CELLS) as usize, here);
                to = behind;
            }
            // Blocks of no column have no cells.
            to.fill(0);
        }
    }

    /// Moves one random bit of all columns back.
    #[inline(always)]
    fn put_back(&self, staging: &mut Staging, columns: &[Column], bit: usize, results: &mut [u8]) {
        let mut at = bit * BLOCK_BYTES * staging.blocks.len();
        for column in columns {
            let shift = (column.first() % BLOCK_CELLS) as usize;
            let (from, bits) = (staging.results[at + shift / 64 * 8..].as_chunks::<8>().0, (shift % 64) as u32);
            let (whole, rest) = results[column.result + bit * self.plane..][..self.plane_bytes()].as_chunks_mut::<8>();
            for (index, word) in whole.iter_mut().enumerate() {
                *word = moved_down(from, index, bits).to_le_bytes();
            }
            if !rest.is_empty() {
                let word = moved_down(from, whole.len(), bits).to_le_bytes();
                rest.copy_from_slice(&word[..rest.len()]);
            }
            let blocks = self.blocks(column);
            at += BLOCK_BYTES * (blocks.end - blocks.start) as usize;
        }
    }

    /// Compares the blocks of one vector, whose planes may be kept; its halves say where they stand. The planes of the classes' lanes stand `stride` bytes
    /// apart, and so do those of results.
    #[inline(always)]
    fn compare<V: Vector, const SETS: usize, const EACH: usize>(
        &self,
        keys: &Keys<V>,
        unions: &mut [Unions<V>; SETS],
        (blocks, kept): (V, Option<Place<'_>>),
        (classes, results): (&[u8], &mut [u8]),
        (halves, stride): ([[usize; 2]; 2], usize),
    ) {
        let Thresholds { always, open, compared, .. } = self.thresholds;
        let zero = V::splat(0);
        let mut lanes = Lanes { result: [[zero; 2]; EACH], undecided: [[zero; 2]; EACH] };
        for &(bit, class) in always {
            let result = &mut lanes.result[bit % EACH];
            *result = either(*result, both(classes, halves, class * stride));
        }
        for (set, unions) in unions.iter_mut().enumerate() {
            let mut planes = [[zero; 2]; SET];
            for (number, plane) in planes.iter_mut().enumerate() {
                if let Some(class) = open.get(SET * set + number) {
                    *plane = both(classes, halves, class * stride);
                }
            }
            let [a, b, c] = planes;
            let ab = either(a, b);
            // In the order of the enum; the first is always empty.
            unions[1..].copy_from_slice(&[a, b, ab, c, either(a, c), either(b, c), either(ab, c)]);
        }
        let each = self.each::<EACH>();
        for (undecided, compared) in lanes.undecided[..each].iter_mut().zip(compared.as_chunks::<SETS>().0) {
            *undecided = united(unions, compared);
        }
        if lanes.are_undecided(each) {
            self.decide(keys, unions, blocks, kept, &mut lanes);
        }
        for (bit, result) in lanes.result[..each].iter().enumerate() {
            result[0].store(&mut results[halves[0][1] + bit * stride..]);
            result[1].store(&mut results[halves[1][1] + bit * stride..]);
        }
    }

    /// The number of random bits. A single bit is known when the program is made, so that its vectors stay in registers.
    #[inline(always)]
    fn each<const EACH: usize>(&self) -> usize {
        if EACH == 1 { 1 } else { self.thresholds.each.min(EACH) }
    }

    /// Compares plane after plane until nothing is undecided.
    #[inline(always)]
    fn decide<V: Vector, const SETS: usize, const EACH: usize>(
        &self,
        keys: &Keys<V>,
        unions: &[Unions<V>; SETS],
        blocks: V,
        mut kept: Option<Place<'_>>,
        lanes: &mut Lanes<V, EACH>,
    ) {
        let each = self.each::<EACH>();
        let mut ones = self.thresholds.ones.as_chunks::<SETS>().0.chunks_exact(2 * each);
        let mut pairs = 0;
        if let Some(place) = &kept {
            while pairs < place.pairs() {
                let Some(ones) = ones.next() else { return };
                lanes.compare(&place.pair(pairs), unions, ones, each);
                pairs += 1;
                if !lanes.are_undecided(each) {
                    return;
                }
            }
        }
        let mut philox = Philox::new(keys, blocks.for_interleaving(), self.draw_key.time);
        let first = PLANES * self.draw;
        let (mut turn, mut plane) = (0, 2 * pairs as u32);
        // Two planes at once: one waits for its multiplications while the other goes on.
        for ones in ones {
            if plane == PLANES {
                // Once in 4·10^9 draws.
                (turn, plane) = (turn + 1, 0);
                let blocks = blocks.or(V::splat(further(0, turn)));
                philox = Philox::new(keys, blocks.for_interleaving(), self.draw_key.time);
            }
            let random = philox.two_planes(first.wrapping_add(plane));
            plane += 2;
            if let Some(place) = &mut kept {
                place.push(&random);
            }
            lanes.compare(&random, unions, ones, each);
            if !lanes.are_undecided(each) {
                return;
            }
        }
    }
}

/// How far the lanes of some blocks are decided, for each random bit.
struct Lanes<V, const EACH: usize> {
    /// The lanes whose numbers are below their probabilities.
    result: [[V; 2]; EACH],
    /// The lanes whose bits have been those of their probabilities.
    undecided: [[V; 2]; EACH],
}

impl<V: Vector, const EACH: usize> Lanes<V, EACH> {
    #[inline(always)]
    fn are_undecided(&self, each: usize) -> bool {
        let mut any = V::splat(0);
        for undecided in &self.undecided[..each] {
            any = any.or(undecided[0].or(undecided[1]));
        }
        any.any()
    }

    /// Compares two planes with those of the probabilities: `ones` says for each plane and each random bit which classes of each set have ones.
    #[inline(always)]
    fn compare<const SETS: usize>(
        &mut self,
        random: &[[V; 2]; 2],
        unions: &[Unions<V>; SETS],
        ones: &[[Union; SETS]],
        each: usize,
    ) {
        for bit in 0..each {
            let (result, undecided) = (&mut self.result[bit], &mut self.undecided[bit]);
            for (plane, random) in random.iter().enumerate() {
                let threshold = united(unions, &ones[plane * each + bit]);
                for half in 0..2 {
                    let below = undecided[half].and(threshold[half].and_not(random[half]));
                    result[half] = result[half].or(below);
                    undecided[half] = undecided[half].and_equal(threshold[half], random[half]);
                }
            }
        }
    }
}

/// The lanes of both.
#[inline(always)]
fn either<V: Vector>(a: [V; 2], b: [V; 2]) -> [V; 2] {
    [a[0].or(b[0]), a[1].or(b[1])]
}

/// The lanes of some classes of each set.
#[inline(always)]
fn united<V: Vector, const SETS: usize>(unions: &[Unions<V>; SETS], classes: &[Union; SETS]) -> [V; 2] {
    let mut all = [V::splat(0); 2];
    for (unions, &classes) in unions.iter().zip(classes) {
        all = either(all, unions[classes as usize]);
    }
    all
}

/// Two vectors of a plane, which begins `plane` bytes behind that of class 0.
#[inline(always)]
fn both<V: Vector>(classes: &[u8], halves: [[usize; 2]; 2], plane: usize) -> [V; 2] {
    [V::load(&classes[halves[0][0] + plane..]), V::load(&classes[halves[1][0] + plane..])]
}

/// Moves bits up by less than 128. The result has room for all of them and zeros around them.
#[inline(always)]
fn move_up(bytes: &[u8], shift: usize, result: &mut [u8]) {
    let (skipped, bits) = (shift / 64, (shift % 64) as u32);
    let (words, rest) = bytes.as_chunks::<8>();
    let rest = rest.first_chunk::<4>().map_or(0, |rest| u64::from(u32::from_le_bytes(*rest)));
    let (zeros, result) = result.as_chunks_mut::<8>().0.split_at_mut(skipped);
    zeros.as_flattened_mut().fill(0);
    // The word before gives nothing if the shift is 0.
    let moved = |word: u64, before: u64| (word << bits | before >> 1 >> (63 - bits)).to_le_bytes();
    let mut before = 0;
    let (whole, behind) = result.split_at_mut(words.len().min(result.len()));
    for (to, word) in whole.iter_mut().zip(words) {
        let word = u64::from_le_bytes(*word);
        *to = moved(word, before);
        before = word;
    }
    for (to, word) in behind.iter_mut().zip([rest, 0, 0, 0]) {
        *to = moved(word, before);
        before = word;
    }
}

/// A word of such a result, moved down again by less than 64.
#[inline(always)]
fn moved_down(words: &[[u8; 8]], index: usize, bits: u32) -> u64 {
    u64::from_le_bytes(words[index]) >> bits | u64::from_le_bytes(words[index + 1]) << 1 << (63 - bits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use squeeze_compiler::numbers::{digest::mix, philox};

    /// Every instruction set gives what the definition gives, wherever columns lie in blocks, and where 32 planes and more are those of a lane.
    #[test]
    fn planes_are_compared_with_probabilities() {
        let draw_key = DrawKey { seed: 0x0123_4567_89ab_cdef, time: 77 };
        let unit = (-32f64).exp2();
        // Numbers that begin with the word of a lane: of one that stands in a block wherever columns begin.
        let of_word = |q: u64, draw: u32, more: f64| {
            (f64::from(philox::draw(draw_key.seed, q, draw_key.time, draw)) + more) * unit
        };
        let near = |q: u64| [0.0, 0.25, 0.5, 0.75, 0.9999].map(|more| of_word(q, 5, more));
        let (first, second) = (near(3), near(130));
        let small = (0..1 << 13).min_by_key(|q| philox::draw(draw_key.seed, *q, draw_key.time, 5)).unwrap_or(0);
        // So small that 64 planes may be equal.
        let deep = (0..64).fold(0.0, |sum, plane| {
            let bit = philox::plane(draw_key.seed, small / 128, draw_key.time, 5, plane)[small as usize / 32 % 4];
            sum + f64::from(bit >> (small % 32) & 1) * 2f64.powi(-(plane as i32) - 1)
        });
        let lists: [(&[f64], usize); 15] = [
            (&[], 1),
            (&[0.5], 1),
            (&[1.0, 0.0], 1),
            (&[0.25, 1.0 - unit, unit], 1),
            (&[0.071_111_111; 9], 1),
            (&[0.75, 2.0, 5.0 * unit, f64::NAN, 0.000_244_140_625], 1),
            (&[], 3),
            (&[0.25, 0.5, 0.75], 3),
            (&[1.0 / 3.0, 2.0 / 3.0, 0.5, 1.0, -1.0, 7.0 * unit], 2),
            (&[0.066_7; 60], 15),
            (&first, 1),
            (&second[1..4], 3),
            (&[first[2], 0.5 * unit, first[3], 1e-12], 2),
            (&[f64::from_bits(1), 1e-300, 0.5 * unit], 1),
            (&[deep, deep.next_up(), deep.next_down()], 1),
        ];
        for (number, (all, each)) in lists.into_iter().enumerate() {
            // The first of each class, to say how many there are.
            let thresholds: Vec<f64> = all.iter().copied().step_by(each).collect();
            for lanes in [1, 9, 31, 32, 64, 81, 96, 128, 243, 729, 1000] {
                let words = lanes_to_words(lanes);
                let kind = (number + lanes) % 3;
                let of_places = kind == 1;
                // Lanes of every second place may have room behind.
                let plane = 4 * words + if kind == 2 { 64 } else { 0 };
                let firsts = [0, 128, 5, 64, 127, 0xffff_fff7 * 128 + 77, 1 << 40, small / 256 * 256];
                let columns: Vec<Column> = (firsts.iter().enumerate())
                    .map(|(i, &first)| Column {
                        numbers: match kind {
                            0 => LaneNumbers::Consecutive(first),
                            1 => LaneNumbers::Places { first, odd: i % 3 == 1 },
                            _ => {
                                let first = if number % 2 == 0 { first / 128 * 128 } else { first };
                                LaneNumbers::EverySecond { first, odd: i % 3 == 1 }
                            }
                        },
                        classes: i * plane * thresholds.len(),
                        result: i * each * plane,
                    })
                    .collect();
                // A lane has one class or none; behind the last lane stands anything.
                let mut classes = vec![0u8; columns.len() * plane * thresholds.len()];
                let class_of = |column: usize, lane: usize| match of_places && column % 3 == lane % 2 {
                    // Every second lane has none, so that blocks are left out.
                    true => thresholds.len(),
                    false => mix((number + 100 * column + 1000 * lane) as u64) as usize % (thresholds.len() + 1),
                };
                let some: Vec<u32> = (0..words).map(|word| 0xf0f3_f5ff >> (word % 8)).collect();
                let cells = of_places.then_some(&some[..]);
                let is_cell = |lane: usize| !of_places || some[lane / 32] >> (lane % 32) & 1 == 1;
                for column in 0..columns.len() {
                    for lane in 0..32 * words {
                        if let Some(byte) = (class_of(column, lane) < thresholds.len())
                            .then(|| (column * thresholds.len() + class_of(column, lane)) * plane + lane / 8)
                        {
                            classes[byte] |= 1 << (lane % 8);
                        }
                    }
                }
                for draw in [0, 5, philox::MOST_DRAWS - 1] {
                    let compared = Thresholds::new(all, each);
                    let comparison = Comparison { draw_key, draw, thresholds: &compared, lanes, plane, cells };
                    let mut wanted = vec![0u8; columns.len() * each * plane];
                    for (index, column) in columns.iter().enumerate() {
                        for lane in 0..lanes {
                            let DrawKey { seed, time } = draw_key;
                            let q = column.numbers.of(lane as u64);
                            for bit in 0..each {
                                let below = all
                                    .get(class_of(index, lane) * each + bit)
                                    .is_some_and(|p| is_cell(lane) && philox::is_below(seed, q, time, draw, *p));
                                wanted[column.result + bit * plane + lane / 8] |= u8::from(below) << (lane % 8);
                            }
                        }
                    }
                    for isa in
                        std::iter::once(None).chain(Isa::ALL.map(Isa::available).into_iter().filter(Option::is_some))
                    {
                        let mut results = vec![0xa5; wanted.len()];
                        comparison.run(isa, &mut Staging::default(), &columns, &classes, &mut results);
                        let valid = |bytes: &[u8]| -> Vec<u8> {
                            bytes
                                .chunks(plane)
                                .flat_map(|column| (0..lanes).map(|lane| column[lane / 8] >> (lane % 8) & 1))
                                .collect()
                        };
                        assert_eq!(valid(&results), valid(&wanted), "{isa:?}, {lanes} lanes, {all:?}");
                        // Others with the same words, and other thresholds before: the planes are kept from the second time on.
                        let other = Thresholds::new(&vec![0.5; all.len()], each);
                        let mut staging = Staging::default();
                        for thresholds in [&compared, &other, &other, &compared, &compared] {
                            staging.begin(draw_key, Off::none());
                            results.fill(0xa5);
                            let comparison = Comparison { thresholds, ..comparison };
                            comparison.run(isa, &mut staging, &columns, &classes, &mut results);
                        }
                        assert_eq!(valid(&results), valid(&wanted), "kept: {isa:?}, {lanes} lanes, {all:?}");
                    }
                }
            }
        }
    }

    fn lanes_to_words(lanes: usize) -> usize {
        lanes.div_ceil(32)
    }
}
