//! Random bits: the words of a draw compared with thresholds, plane by plane from the top.
//!
//! A lane of a class is true if its word is below the class's threshold. Most lanes are decided by their first plane in which word and
//! threshold differ, so planes are made only until all lanes of some blocks are decided, or until nothing but zeros is left of every
//! threshold. The lanes of a superblock's columns are moved to where their bits stand in blocks of Philox, all blocks of all columns are
//! compared, as many at once as a vector has elements, and the results are moved back.

mod vector;

use super::machine::Isa;
use super::random::Moment;
use squeeze_compiler::numerics::philox::{BLOCK_CELLS, KEY_INCREMENTS, MULTIPLIERS, PLANES, ROUNDS};
use squeeze_compiler::passes::classes::MOST_CLASSES;
use vector::Vector;

/// The threshold of a class whose lanes are always true.
pub const ALWAYS: u64 = 1 << 32;

/// The thresholds of some classes, plane by plane.
#[derive(Clone, Debug)]
pub struct Thresholds {
    /// The number of classes.
    count: usize,
    /// The classes whose lanes are always true.
    always: Vec<usize>,
    /// Those that are compared: the others are never true.
    open: Vec<usize>,
    /// For each plane that decides anything, from the top, and each open class a word of ones where the threshold has a one.
    bits: Vec<u64>,
}

impl Thresholds {
    /// Of ⌊p · 2^32⌋ of each class, at most [`ALWAYS`].
    pub fn new(thresholds: &[u64]) -> Thresholds {
        let of = |wanted: &dyn Fn(u64) -> bool| -> Vec<usize> {
            (0..thresholds.len()).filter(|class| wanted(thresholds[*class])).collect()
        };
        let open = of(&|threshold| (1..ALWAYS).contains(&threshold));
        // All planes below the lowest bit of every threshold decide nothing.
        let lowest = open.iter().map(|&class| thresholds[class].trailing_zeros()).min();
        let planes = lowest.map_or(0, |lowest| PLANES - lowest);
        let bit = |plane: u32, class: usize| 0u64.wrapping_sub(thresholds[class] >> (PLANES - 1 - plane) & 1);
        let bits = (0..planes).flat_map(|plane| open.iter().map(move |&class| bit(plane, class))).collect();
        Thresholds { count: thresholds.len(), always: of(&|threshold| threshold >= ALWAYS), open, bits }
    }
}

/// A column of lanes whose words of one draw are compared.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// The digit-reversed index of lane 0.
    pub first: u64,
    /// Where among the bytes of the classes the planes of this column begin: one for each class, of so many words of 32 lanes as a
    /// column has.
    pub classes: usize,
    /// Where its results begin.
    pub result: usize,
}

/// Classes with the same bits of lanes, moved to blocks, and the blocks: memory that is used again.
#[derive(Default)]
pub struct Staging {
    /// The numbers of the blocks.
    blocks: Vec<u64>,
    /// For each class the bits of the blocks' cells, two words a block.
    classes: Vec<Vec<u64>>,
    /// The same of the results.
    results: Vec<u64>,
    /// A column with zeros around it.
    padded: Vec<u64>,
}

/// Zero words before and behind a padded column: it may move by two words, and one more is looked at.
const PADDING: usize = 4;
/// Blocks are filled up to a multiple of the longest vector.
const MOST_AT_ONCE: usize = 8;

/// A draw whose words are compared with the thresholds of classes, of which a lane has one or none. Lanes of no class are false.
#[derive(Clone, Copy, Debug)]
pub struct Comparison<'a> {
    /// Seed and time.
    pub moment: Moment,
    /// The draw's number.
    pub draw: u32,
    /// The thresholds of the classes.
    pub thresholds: &'a Thresholds,
    /// The lanes of a column.
    pub lanes: usize,
}

impl Comparison<'_> {
    /// Compares the lanes of some columns, and writes over their results. What the bits behind the last lane are in them means nothing.
    ///
    /// # Panics
    /// If a column does not lie in the bytes.
    pub fn run(&self, isa: Option<Isa>, staging: &mut Staging, columns: &[Column], classes: &[u8], results: &mut [u8]) {
        #[cfg(all(target_arch = "x86_64", unix))]
        match isa.or_else(Isa::detected) {
            // SAFETY: the instruction set is there: it was detected, or checked before it was demanded.
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
        self.stage(staging, columns, classes);
        self.compare::<V>(staging);
        self.put_back(staging, columns, results);
    }

    /// Words of 64 lanes of a column, the last of them in part.
    fn wide_words(&self) -> usize {
        self.lanes.div_ceil(64)
    }

    /// The blocks in which a column has lanes.
    fn blocks(&self, column: &Column) -> std::ops::Range<u64> {
        column.first / BLOCK_CELLS..(column.first + self.lanes as u64).div_ceil(BLOCK_CELLS)
    }

    /// Moves the bits of all columns' classes to where their cells stand in blocks.
    #[inline(always)]
    fn stage(&self, staging: &mut Staging, columns: &[Column], classes: &[u8]) {
        let Staging { blocks, classes: staged, results, padded } = staging;
        blocks.clear();
        columns.iter().for_each(|column| blocks.extend(self.blocks(column)));
        let all = blocks.len().next_multiple_of(MOST_AT_ONCE);
        blocks.resize(all, 0);
        results.clear();
        results.resize(2 * all, 0);
        staged.resize_with(self.thresholds.count, Vec::new);
        let wide = self.wide_words();
        let plane_bytes = 4 * self.lanes.div_ceil(32);
        padded.clear();
        padded.resize(wide + 2 * PADDING, 0);
        for (class, staged) in staged.iter_mut().enumerate() {
            staged.clear();
            for column in columns {
                let bytes = &classes[column.classes + class * plane_bytes..][..plane_bytes];
                read_words(bytes, self.lanes, &mut padded[PADDING..PADDING + wide]);
                let shift = (column.first % BLOCK_CELLS) as usize;
                let blocks = self.blocks(column);
                let count = 2 * (blocks.end - blocks.start) as usize;
                let (skipped, bits) = (PADDING - shift / 64, (shift % 64) as u32);
                let (here, before) = (&padded[skipped..][..count], &padded[skipped - 1..][..count]);
                // Of the word before nothing is taken if the shift is 0.
                staged.extend(here.iter().zip(before).map(|(here, before)| here << bits | before >> 1 >> (63 - bits)));
            }
            staged.resize(2 * all, 0);
        }
    }

    /// Moves the results of all columns back.
    #[inline(always)]
    fn put_back(&self, staging: &mut Staging, columns: &[Column], results: &mut [u8]) {
        let Staging { results: staged, padded, .. } = staging;
        staged.extend([0; PADDING]);
        let wide = self.wide_words();
        let plane_bytes = 4 * self.lanes.div_ceil(32);
        let mut at = 0;
        for column in columns {
            let shift = (column.first % BLOCK_CELLS) as usize;
            let (first, bits) = (at + shift / 64, (shift % 64) as u32);
            let (here, behind) = (&staged[first..][..wide], &staged[first + 1..][..wide]);
            let moved = here.iter().zip(behind).map(|(here, behind)| here >> bits | behind << 1 << (63 - bits));
            padded[..wide].iter_mut().zip(moved).for_each(|(word, moved)| *word = moved);
            let out = &mut results[column.result..][..plane_bytes];
            for (bytes, word) in out.chunks_mut(8).zip(&padded[..wide]) {
                bytes.copy_from_slice(&word.to_le_bytes()[..bytes.len()]);
            }
            let blocks = self.blocks(column);
            at += 2 * (blocks.end - blocks.start) as usize;
        }
    }

    /// Compares the staged blocks.
    #[inline(always)]
    fn compare<V: Vector>(&self, staging: &mut Staging) {
        let Staging { blocks, classes, results, .. } = staging;
        let Thresholds { always, open, bits, .. } = self.thresholds;
        let planes = bits.len().checked_div(open.len()).unwrap_or(0) as u32;
        let keys = self.keys::<V>();
        let mut memory = [[V::splat(0); 2]; MOST_CLASSES];
        let masks = &mut memory[..open.len()];
        for (at, blocks) in blocks.chunks_exact(V::LENGTH).enumerate() {
            let from = 2 * V::LENGTH * at;
            let halves = |words: &[u64]| [V::load(&words[from..]), V::load(&words[from + V::LENGTH..])];
            let (mut result, mut undecided) = ([V::splat(0); 2], [V::splat(0); 2]);
            for &class in always {
                let lanes = halves(&classes[class]);
                result = [result[0].or(lanes[0]), result[1].or(lanes[1])];
            }
            for (mask, &class) in masks.iter_mut().zip(open) {
                *mask = halves(&classes[class]);
                undecided = [undecided[0].or(mask[0]), undecided[1].or(mask[1])];
            }
            if undecided[0].or(undecided[1]).any() {
                let philox = Philox::new(self, &keys, blocks);
                let mut bits = bits.chunks_exact(open.len());
                for plane in (0..planes).step_by(2) {
                    // Two planes at once: one waits for its multiplications while the other goes on.
                    for random in philox.two_planes(PLANES * self.draw + plane) {
                        let Some(bits) = bits.next() else { break };
                        let mut threshold = [V::splat(0); 2];
                        for (mask, bit) in masks.iter().zip(bits) {
                            let bit = V::splat(*bit);
                            threshold = [threshold[0].or_and(mask[0], bit), threshold[1].or_and(mask[1], bit)];
                        }
                        for half in 0..2 {
                            let below = undecided[half].and(threshold[half].and_not(random[half]));
                            result[half] = result[half].or(below);
                            undecided[half] = undecided[half].and_equal(threshold[half], random[half]);
                        }
                    }
                    if !undecided[0].or(undecided[1]).any() {
                        break;
                    }
                }
            }
            result[0].store(&mut results[from..]);
            result[1].store(&mut results[from + V::LENGTH..]);
        }
    }

    /// The keys of all rounds.
    #[inline(always)]
    fn keys<V: Vector>(&self) -> [[V; 2]; ROUNDS as usize] {
        let mut key = [self.moment.seed as u32, (self.moment.seed >> 32) as u32];
        std::array::from_fn(|_| {
            let now = key.map(|word| V::splat(u64::from(word)));
            key = [0, 1].map(|i| key[i].wrapping_add(KEY_INCREMENTS[i]));
            now
        })
    }
}

/// As many blocks of Philox as a vector has elements of 64 bits, whose upper halves mean nothing: multiplications give 64 bits, and so
/// one half of each product stands right without being moved.
struct Philox<'a, V> {
    keys: &'a [[V; 2]; ROUNDS as usize],
    multipliers: [V; 2],
    /// The last three words of the counter after the first round, but for the number of the plane in the second of them.
    after_first: [V; 3],
    /// The product of its first word.
    product: V,
}

impl<'a, V: Vector> Philox<'a, V> {
    #[inline(always)]
    fn new(comparison: &Comparison<'_>, keys: &'a [[V; 2]; ROUNDS as usize], blocks: &[u64]) -> Self {
        let multipliers = MULTIPLIERS.map(|word| V::splat(u64::from(word)));
        let blocks = V::load_for_interleaving(blocks);
        let time = V::splat(u64::from(comparison.moment.time));
        let (a, b) = (multipliers[0].multiply(blocks), multipliers[1].multiply(time));
        let first = b.high().parity(blocks.high(), keys[0][0]);
        let third = a.high().parity(keys[0][1], V::splat(0));
        Philox { keys, multipliers, after_first: [b, third, a], product: multipliers[0].multiply(first) }
    }

    /// Plane `number` of the blocks' cells and the plane after it.
    #[inline(always)]
    fn two_planes(&self, number: u32) -> [[V; 2]; 2] {
        let [second, third, fourth] = self.after_first;
        // The rest of the second round.
        let mut counters = [number, number.wrapping_add(1)].map(|number| {
            let product = self.multipliers[1].multiply(third.parity(V::splat(u64::from(number)), V::splat(0)));
            let key = self.keys[1];
            [product.high().parity(second, key[0]), product, self.product.high().parity(fourth, key[1]), self.product]
        });
        for key in &self.keys[2..] {
            for c in &mut counters {
                let (a, b) = (self.multipliers[0].multiply(c[0]), self.multipliers[1].multiply(c[2]));
                *c = [b.high().parity(c[1], key[0]), b, a.high().parity(c[3], key[1]), a];
            }
        }
        counters.map(|c| V::interleave(c[0].with_high(c[1]), c[2].with_high(c[3])))
    }
}

/// Words of 64 lanes of a plane of so many lanes; the bits behind the last lane are zeros.
#[inline(always)]
fn read_words(bytes: &[u8], lanes: usize, words: &mut [u64]) {
    let (whole, rest) = bytes.as_chunks::<8>();
    for (word, bytes) in words.iter_mut().zip(whole) {
        *word = u64::from_le_bytes(*bytes);
    }
    if let (Some(last), Ok(rest)) = (words.last_mut(), <[u8; 4]>::try_from(rest)) {
        *last = u64::from(u32::from_le_bytes(rest));
    }
    if let Some(last) = words.last_mut().filter(|_| !lanes.is_multiple_of(64)) {
        *last &= (1 << (lanes % 64)) - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use squeeze_compiler::numerics::{digest::mix, philox};

    /// Every instruction set gives what the definition gives, wherever columns lie in blocks.
    #[test]
    fn words_are_compared_with_thresholds() {
        let moment = Moment { seed: 0x0123_4567_89ab_cdef, time: 77 };
        let lists: [&[u64]; 6] = [
            &[],
            &[1 << 31],
            &[ALWAYS, 0],
            &[0x4000_0000, 0xffff_ffff, 1],
            &[0x1234_5678; 9],
            &[3 << 30, ALWAYS, 5, 0, 1 << 20],
        ];
        for (number, thresholds) in lists.into_iter().enumerate() {
            for lanes in [1, 9, 31, 32, 64, 81, 96, 128, 243, 729, 1000] {
                let words = lanes_to_words(lanes);
                let plane = 4 * words;
                let firsts = [0, 128, 5, 64, 127, 0xffff_fff7 * 128 + 77, 1 << 40];
                let columns: Vec<Column> = (firsts.iter().enumerate())
                    .map(|(i, &first)| Column { first, classes: i * plane * thresholds.len(), result: i * plane })
                    .collect();
                // A lane has one class or none; behind the last lane stands anything.
                let mut classes = vec![0u8; columns.len() * plane * thresholds.len()];
                let class_of = |column: usize, lane: usize| {
                    mix((number + 100 * column + 1000 * lane) as u64) as usize % (thresholds.len() + 1)
                };
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
                    let compared = Thresholds::new(thresholds);
                    let comparison = Comparison { moment, draw, thresholds: &compared, lanes };
                    let mut wanted = vec![0u8; columns.len() * plane];
                    for (index, column) in columns.iter().enumerate() {
                        for lane in 0..lanes {
                            let word = philox::draw(moment.seed, column.first + lane as u64, moment.time, draw);
                            let below = thresholds
                                .get(class_of(index, lane))
                                .is_some_and(|threshold| u64::from(word) < *threshold);
                            wanted[column.result + lane / 8] |= u8::from(below) << (lane % 8);
                        }
                    }
                    for isa in [None, Some(Isa::Sse41), Some(Isa::Avx2), Some(Isa::Avx512)] {
                        if isa.is_some_and(|isa| !isa.is_available()) {
                            continue;
                        }
                        let mut results = vec![0xa5; wanted.len()];
                        comparison.run(isa, &mut Staging::default(), &columns, &classes, &mut results);
                        let valid = |bytes: &[u8]| -> Vec<u8> {
                            bytes
                                .chunks(plane)
                                .flat_map(|column| (0..lanes).map(|lane| column[lane / 8] >> (lane % 8) & 1))
                                .collect()
                        };
                        assert_eq!(valid(&results), valid(&wanted), "{isa:?}, {lanes} lanes, {thresholds:?}");
                    }
                }
            }
        }
    }

    fn lanes_to_words(lanes: usize) -> usize {
        lanes.div_ceil(32)
    }
}
