//! Encodings of a mask that find the place of a cell from its number, from *Binary scan encoding with backward application* (Langer and Summ, 2025).
//!
//! With S_k the number of cells before place k, the *fixed* trees have two layers: sums of 16 bits for each 2^a places, relative to sums of 32 bits
//! for each 2^(a+b). The exclusive tree holds the sum before each block, the inclusive tree the sum at its end. The *dynamic* tree has sums for
//! each 1024 places in 16 bits, relative to sums for each 2^15 in 32 bits, and as many layers above, each of a 32nd part, as it takes until at most
//! 32 sums are left. The *permutation* is the list of all cells' places, and [`Rank`] is this project's own.

use super::{Mask, MaskError, Rank, select_in_word};
use rayon::prelude::*;

/// Words of the blocks of the dynamic tree's finest layer.
const WORDS_OF_BLOCK: usize = 32;
/// Blocks of a layer that one of the layer above stands for.
const FACTOR: usize = 32;

/// A way to find cells by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// The list of the cells' places.
    Permutation,
    /// Two layers of sums up to the ends of blocks of 2^a and 2^(a+b) places; a is at least 5, and a + b at most 15.
    FixedInclusive {
        /// The finer blocks.
        a: u32,
        /// The coarser blocks are 2^b of the finer ones.
        b: u32,
    },
    /// Two layers of sums before blocks of 2^a and 2^(a+b) places; a is at least 5, and a + b at most 16.
    FixedExclusive {
        /// The finer blocks.
        a: u32,
        /// The coarser blocks are 2^b of the finer ones.
        b: u32,
    },
    /// As many layers of sums as the mask takes.
    DynamicExclusive,
    /// [`Rank`].
    Ranks,
}

impl Encoding {
    /// All encodings, with the sizes of blocks that their authors chose.
    pub const ALL: [Encoding; 5] = [
        Encoding::Permutation,
        Encoding::FixedInclusive { a: 7, b: 8 },
        Encoding::FixedExclusive { a: 8, b: 8 },
        Encoding::DynamicExclusive,
        Encoding::Ranks,
    ];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Encoding::Permutation => "permutation",
            Encoding::FixedInclusive { .. } => "fixed-inclusive",
            Encoding::FixedExclusive { .. } => "fixed-exclusive",
            Encoding::DynamicExclusive => "dynamic-exclusive",
            Encoding::Ranks => "ours",
        }
    }

    /// Bytes of the encoding of a mask of `places` places and `cells` cells, beside the mask's own bits.
    pub fn bytes(self, places: u64, cells: u64) -> u64 {
        let blocks = |bits: u32| places.div_ceil(1 << bits);
        match self {
            Encoding::Permutation => 4 * cells,
            Encoding::FixedInclusive { a, b } | Encoding::FixedExclusive { a, b } => 2 * blocks(a) + 4 * blocks(a + b),
            Encoding::DynamicExclusive => {
                let coarse: u64 = layers(places as usize).skip(1).map(|blocks| 4 * blocks as u64).sum();
                2 * blocks(10) + coarse
            }
            Encoding::Ranks => 4 * blocks(5),
        }
    }

    /// Whether the mask's own bits are needed to find cells.
    pub(crate) const fn needs_mask(self) -> bool {
        !matches!(self, Encoding::Permutation)
    }

    /// Encodes a mask.
    ///
    /// # Errors
    /// If there are no blocks of these sizes.
    pub(crate) fn encode(self, mask: &Mask) -> Result<Encoded<'_>, MaskError> {
        let most = match self {
            Encoding::FixedInclusive { .. } => 15,
            _ => 16,
        };
        let name = self.name();
        let structure = match self {
            Encoding::Permutation => Structure::Places(places(mask)),
            Encoding::FixedInclusive { a, b } | Encoding::FixedExclusive { a, b } if a < 5 || a + b > most => {
                return Err(MaskError(format!(
                    "`{name}` with blocks of 2^{a} and 2^{b} does not exist: a is at least 5, and a + b at most {most}, so that sums fit in 16 \
                     bits"
                )));
            }
            Encoding::FixedInclusive { a, b } => Structure::Fixed(Fixed::new(mask, a, b, true)),
            Encoding::FixedExclusive { a, b } => Structure::Fixed(Fixed::new(mask, a, b, false)),
            Encoding::DynamicExclusive => Structure::Dynamic(Dynamic::new(mask)),
            Encoding::Ranks => Structure::Ranks(Rank::new(mask)),
        };
        Ok(Encoded { mask, structure })
    }
}

/// An encoded mask.
pub(crate) struct Encoded<'m> {
    mask: &'m Mask,
    structure: Structure,
}

enum Structure {
    Places(Vec<u32>),
    Fixed(Fixed),
    Dynamic(Dynamic),
    Ranks(Rank),
}

impl Encoded<'_> {
    /// Writes the values of successive cells, from number `first` on, taken from the values of all places; each place is found by itself.
    ///
    /// # Panics
    /// If there are not as many values as places, or fewer cells.
    pub(crate) fn gather(&self, values: &[u32], first: u64, packed: &mut [u32]) {
        match &self.structure {
            Structure::Places(places) => {
                let places = &places[first as usize..][..packed.len()];
                packed.iter_mut().zip(places).for_each(|(packed, place)| *packed = values[*place as usize]);
            }
            Structure::Fixed(tree) => self.each(values, first, packed, |cell| tree.select(self.mask.words(), cell)),
            Structure::Dynamic(tree) => self.each(values, first, packed, |cell| tree.select(self.mask.words(), cell)),
            Structure::Ranks(rank) => {
                self.each(values, first, packed, |cell| rank.select(cell.into()).expect("there are as many cells"));
            }
        }
    }

    fn each(&self, values: &[u32], first: u64, packed: &mut [u32], select: impl Fn(u32) -> u64) {
        for (packed, cell) in packed.iter_mut().zip(first as u32..) {
            *packed = values[select(cell) as usize];
        }
    }

    /// As [`gather`](Self::gather), with one way down the dynamic tree for 32 cells: where the last of them lies in the block of the first,
    /// the others do, else each is found by itself. Of other encodings the same as [`gather`](Self::gather).
    ///
    /// # Panics
    /// As [`gather`](Self::gather).
    pub(crate) fn gather_together(&self, values: &[u32], first: u64, packed: &mut [u32]) {
        let Structure::Dynamic(tree) = &self.structure else { return self.gather(values, first, packed) };
        let words = self.mask.words();
        for (packed, first) in packed.chunks_mut(FACTOR).zip((first as u32..).step_by(FACTOR)) {
            let (block, before) = tree.block(first);
            let last = first + packed.len() as u32 - 1;
            let (mut index, mut before) = (block * WORDS_OF_BLOCK, before);
            let end = (index + WORDS_OF_BLOCK).min(words.len());
            let here: u32 = words[index..end].iter().map(|word| word.count_ones()).sum();
            if last >= before + here {
                let select = |cell| tree.select(words, cell);
                self.each(values, first.into(), packed, select);
                continue;
            }
            // The cells lie in this block: their words follow each other.
            for (packed, cell) in packed.iter_mut().zip(first..) {
                while cell >= before + words[index].count_ones() {
                    before += words[index].count_ones();
                    index += 1;
                }
                *packed = values[32 * index + select_in_word(words[index], cell - before) as usize];
            }
        }
    }
}

/// The places of all cells.
fn places(mask: &Mask) -> Vec<u32> {
    let ones: Vec<usize> = mask.words().par_chunks(1 << 12).map(|words| ones(words) as usize).collect();
    let mut places = vec![0; mask.cells() as usize];
    let mut rest = &mut places[..];
    let mut pieces = Vec::new();
    for (index, count) in ones.into_iter().enumerate() {
        let (now, after) = rest.split_at_mut(count);
        pieces.push((index << 12, now));
        rest = after;
    }
    pieces.into_par_iter().zip(mask.words().par_chunks(1 << 12)).for_each(|((first, places), words)| {
        let mut places = places.iter_mut();
        for (word, index) in words.iter().zip(first as u32..) {
            let mut word = *word;
            while word != 0 {
                *places.next().expect("as many as were counted") = 32 * index + word.trailing_zeros();
                word &= word - 1;
            }
        }
    });
    places
}

fn ones(words: &[u32]) -> u32 {
    words.iter().map(|word| word.count_ones()).sum()
}

/// The place of the cell with `number` cells before it, from a word on.
fn select_from(words: &[u32], mut index: usize, mut number: u32) -> u64 {
    while number >= words[index].count_ones() {
        number -= words[index].count_ones();
        index += 1;
    }
    32 * index as u64 + u64::from(select_in_word(words[index], number))
}

/// The number of cells before each block of `words` words; at the end all of them.
fn sums(mask: &Mask, words: usize) -> Vec<u32> {
    let mut sums: Vec<u32> = mask.words().par_chunks(words).map(ones).collect();
    let all = sums.iter_mut().fold(0, |sum, count| std::mem::replace(count, sum) + sum);
    sums.push(all);
    sums
}

/// A tree of two layers.
struct Fixed {
    a: u32,
    b: u32,
    inclusive: bool,
    fine: Vec<u16>,
    coarse: Vec<u32>,
}

impl Fixed {
    fn new(mask: &Mask, a: u32, b: u32, inclusive: bool) -> Fixed {
        let sums = sums(mask, 1 << (a - 5));
        let blocks = sums.len() - 1;
        let end = usize::from(inclusive);
        let fine = (0..blocks).map(|block| (sums[block + end] - sums[block >> b << b]) as u16).collect();
        let coarse = (0..blocks.div_ceil(1 << b)).map(|section| sums[((section + end) << b).min(blocks)]).collect();
        Fixed { a, b, inclusive, fine, coarse }
    }

    fn select(&self, words: &[u32], cell: u32) -> u64 {
        let (section, fine, before);
        if self.inclusive {
            section = self.coarse.partition_point(|sum| *sum <= cell);
            before = if section > 0 { self.coarse[section - 1] } else { 0 };
        } else {
            section = self.coarse.partition_point(|sum| *sum <= cell) - 1;
            before = self.coarse[section];
        }
        let first = section << self.b;
        let blocks = &self.fine[first..self.fine.len().min(first + (1 << self.b))];
        let rest = cell - before;
        let until = blocks.partition_point(|sum| u32::from(*sum) <= rest);
        if self.inclusive {
            fine = until;
            let before = if fine > 0 { blocks[fine - 1] } else { 0 };
            return select_from(words, (first + fine) << (self.a - 5), rest - u32::from(before));
        }
        fine = until - 1;
        select_from(words, (first + fine) << (self.a - 5), rest - u32::from(blocks[fine]))
    }
}

/// The number of blocks of each layer of the dynamic tree, the finest first.
fn layers(places: usize) -> impl Iterator<Item = usize> {
    let finest = places.div_ceil(32 * WORDS_OF_BLOCK);
    std::iter::successors(Some(finest), |blocks| (*blocks > FACTOR).then(|| blocks.div_ceil(FACTOR)))
}

/// A tree of as many layers as it takes.
struct Dynamic {
    /// Before each block of 1024 places, counted from the block of 2^15 that it lies in.
    fine: Vec<u16>,
    /// Before each block of each layer above, the finest first.
    coarse: Vec<Vec<u32>>,
}

impl Dynamic {
    fn new(mask: &Mask) -> Dynamic {
        let sums = sums(mask, WORDS_OF_BLOCK);
        let blocks = sums.len() - 1;
        let fine = (0..blocks).map(|block| (sums[block] - sums[block / FACTOR * FACTOR]) as u16).collect();
        let mut coarse: Vec<Vec<u32>> = Vec::new();
        for _ in layers(mask.places() as usize).skip(1) {
            let below = coarse.last().map_or(&sums[..blocks], |layer| layer);
            coarse.push(below.iter().copied().step_by(FACTOR).collect());
        }
        Dynamic { fine, coarse }
    }

    /// The block of 1024 places that a cell lies in, and how many cells come before it.
    fn block(&self, cell: u32) -> (usize, u32) {
        let mut section = 0;
        let mut before = 0;
        let mut children = |layer: &[u32], parent: usize| {
            let first = parent * FACTOR;
            let layer = &layer[first..layer.len().min(first + FACTOR)];
            let child = layer.partition_point(|sum| *sum <= cell) - 1;
            before = layer[child];
            first + child
        };
        for layer in self.coarse.iter().rev() {
            section = children(layer, section);
        }
        let first = if self.coarse.is_empty() { 0 } else { section * FACTOR };
        let blocks = &self.fine[first..self.fine.len().min(first + FACTOR)];
        let block = blocks.partition_point(|sum| u32::from(*sum) <= cell - before) - 1;
        (first + block, before + u32::from(blocks[block]))
    }

    fn select(&self, words: &[u32], cell: u32) -> u64 {
        let (block, before) = self.block(cell);
        select_from(words, block * WORDS_OF_BLOCK, cell - before)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::random;
    use super::*;
    use squeeze_compiler::numbers::digest::mix;

    fn all() -> Vec<Encoding> {
        let more = [(5, 0), (5, 10), (9, 6), (15, 0)];
        let inclusive = more.map(|(a, b)| Encoding::FixedInclusive { a, b });
        let exclusive = more.map(|(a, b)| Encoding::FixedExclusive { a, b: b + 1 });
        [&Encoding::ALL[..], &inclusive, &exclusive].concat()
    }

    #[test]
    fn every_encoding_finds_every_cell() {
        for places in [1, 31, 32, 33, 1023, 1024, 1025, 32_767, 32_769, 65_535, 65_537, 1_100_000] {
            for density in [0.0005, 0.04, 0.3, 0.5, 0.97, 1.0] {
                let mask = random(places, density);
                let values: Vec<u32> = (0..places).collect();
                let packed = Rank::new(&mask).pack(&values).unwrap();
                for encoding in all() {
                    let encoded = encoding.encode(&mask).unwrap();
                    for draw in 0..packed.len().min(300) as u64 {
                        let (cell, mut found) = (mix(draw) % mask.cells(), [0]);
                        encoded.gather(&values, cell, &mut found);
                        assert_eq!(found, [packed[cell as usize]], "{encoding:?} {places} {density} {cell}");
                    }
                    let first = packed.len() / 3;
                    let mut part = vec![0; (packed.len() - first).min(5000)];
                    for together in [false, true] {
                        part.fill(0);
                        match together {
                            false => encoded.gather(&values, first as u64, &mut part),
                            true => encoded.gather_together(&values, first as u64, &mut part),
                        }
                        assert_eq!(part, packed[first..][..part.len()], "{encoding:?} {places} {density} {together}");
                    }
                }
            }
        }
    }

    #[test]
    fn bytes_are_those_of_the_tables() {
        for places in [1, 1024, 32_768, 32_769, 1 << 20, (1 << 20) + 1, 3_000_000] {
            let mask = random(places, 0.4);
            for encoding in all() {
                let bytes = match encoding.encode(&mask).unwrap().structure {
                    Structure::Places(places) => 4 * places.len(),
                    Structure::Fixed(tree) => 2 * tree.fine.len() + 4 * tree.coarse.len(),
                    Structure::Dynamic(tree) => {
                        2 * tree.fine.len() + tree.coarse.iter().map(|layer| 4 * layer.len()).sum::<usize>()
                    }
                    Structure::Ranks(rank) => rank.bytes() as usize / 2,
                };
                assert_eq!(encoding.bytes(mask.places(), mask.cells()), bytes as u64, "{encoding:?} {places}");
            }
        }
        let share = |encoding: Encoding| encoding.bytes(1 << 29, 0) as f64 / (1 << 26) as f64;
        let [_, inclusive, exclusive, dynamic, ours] = Encoding::ALL.map(share);
        assert!((inclusive - 0.1260).abs() < 1e-4 && (exclusive - 0.0630).abs() < 1e-4, "{inclusive} {exclusive}");
        assert!((dynamic - 0.0166).abs() < 1e-4 && ours == 1.0, "{dynamic} {ours}");
    }

    #[test]
    fn blocks_whose_sums_are_too_large_are_refused() {
        let mask = random(70_000, 1.0);
        for wrong in [
            Encoding::FixedInclusive { a: 8, b: 8 },
            Encoding::FixedExclusive { a: 8, b: 9 },
            Encoding::FixedExclusive { a: 4, b: 8 },
        ] {
            assert!(wrong.encode(&mask).err().is_some_and(|error| error.to_string().contains("16 bits")));
        }
    }
}
