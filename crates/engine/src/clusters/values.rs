//! What cells are given of their clusters.

use super::ValueInput;
use super::bits::{gather, scatter};
use super::forest::{ClusterForest, RunPiece, each};
use crate::packed;
use rayon::ThreadPool;
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::{ClusterQuantity, Type, Value};
use squeeze_compiler::layout::row_words::RowWords;
use squeeze_compiler::numbers::{philox, scalar};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};

/// Memory that is kept for the next search.
#[derive(Default)]
pub(super) struct Memory {
    /// By roots, what is combined.
    folded: Vec<AtomicI64>,
    /// By draw numbers, which cells are drawn for, then which of them are true.
    drawn: Vec<AtomicU64>,
    /// By roots, which of them are true.
    of_roots: Vec<u8>,
    /// Words of a field of bits.
    own: Vec<u64>,
}

/// How the values of a cluster's cells are combined; in any order.
#[derive(Clone, Copy)]
enum ValueFold {
    Sum,
    Any,
    All,
    Min,
    Max,
}

impl ValueFold {
    fn begin(self) -> i64 {
        match self {
            ValueFold::Sum | ValueFold::Any => 0,
            ValueFold::All => 1,
            ValueFold::Min => i64::MAX,
            ValueFold::Max => i64::MIN,
        }
    }

    #[inline(always)]
    fn combine(self, a: i64, b: i64) -> i64 {
        match self {
            ValueFold::Sum => a.wrapping_add(b),
            ValueFold::Any => a | b,
            ValueFold::All => a & b,
            ValueFold::Min => a.min(b),
            ValueFold::Max => a.max(b),
        }
    }

    /// Adds a value where other threads add theirs.
    fn add(self, to: &AtomicI64, value: i64) {
        match self {
            ValueFold::Sum => to.fetch_add(value, Relaxed),
            ValueFold::Any => to.fetch_or(value, Relaxed),
            ValueFold::All => to.fetch_and(value, Relaxed),
            ValueFold::Min => to.fetch_min(value, Relaxed),
            ValueFold::Max => to.fetch_max(value, Relaxed),
        };
    }
}

/// Clusters that were found.
pub(super) struct FoundClusters<'a> {
    pub domain: &'a Domain,
    pub words: &'a RowWords,
    pub forest: &'a ClusterForest,
    /// Which cells belong to clusters, if not all do.
    pub when: Option<&'a [u64]>,
    /// By roots, which clusters go round each axis.
    pub rounds: &'a BTreeMap<u32, [bool; 3]>,
    /// What is combined, or the argument of a draw.
    pub of: &'a ValueInput,
    pub pool: Option<&'a ThreadPool>,
    pub seed: u64,
    pub time: u32,
}

impl Memory {
    /// What the cluster of a piece has combined.
    #[inline(always)]
    fn of(&self, piece: &RunPiece) -> i64 {
        self.folded[piece.root as usize].load(Relaxed)
    }
}

impl FoundClusters<'_> {
    /// Writes a value of each cell's cluster to zeros.
    pub(super) fn give(&self, kind: ClusterQuantity, ty: Type, bytes: &mut [u8], memory: &mut Memory) {
        use ClusterQuantity as Q;
        let in_type = |number: i64| scalar::cast(ty, Value::I64(number)).bits();
        let all_if = |piece: &RunPiece, is_true: bool| if is_true { piece.places } else { 0 };
        match kind {
            Q::Root => {
                self.put_numbers(ty, bytes, |piece| if self.belongs(piece) { u64::from(piece.root) } else { u64::MAX })
            }
            Q::IsRoot => {
                self.put_words(bytes, |_, first, words| {
                    for (number, word) in (first..).zip(words) {
                        *word = self.forest.tops[number] & self.when.map_or(u64::MAX, |when| when[number]);
                    }
                });
            }
            Q::Count | Q::Sum => {
                self.fold(ValueFold::Sum, memory);
                self.put_numbers(ty, bytes, |piece| if self.belongs(piece) { memory.of(piece) as u64 } else { 0 });
            }
            Q::Any => {
                self.fold(ValueFold::Any, memory);
                self.put_bits(bytes, |piece| all_if(piece, self.belongs(piece) && memory.of(piece) != 0));
            }
            Q::All => {
                self.fold(ValueFold::All, memory);
                self.put_bits(bytes, |piece| all_if(piece, !self.belongs(piece) || memory.of(piece) != 0));
            }
            Q::Min | Q::Max => {
                self.fold(if kind == Q::Min { ValueFold::Min } else { ValueFold::Max }, memory);
                self.put_numbers(ty, bytes, |piece| in_type(if self.belongs(piece) { memory.of(piece) } else { 0 }));
            }
            Q::Spans(axis) => {
                let axis = usize::from(axis);
                if self.domain.periodic().0[axis] {
                    let goes_round = |piece: &RunPiece| self.rounds.get(&piece.root).is_some_and(|round| round[axis]);
                    return self.put_bits(bytes, |piece| all_if(piece, self.belongs(piece) && goes_round(piece)));
                }
                self.fold_pieces(ValueFold::Any, memory, |piece| {
                    let [first, last] = self.words.sides(piece.block, piece.word, axis);
                    i64::from(piece.places & first != 0) | i64::from(piece.places & last != 0) << 1
                });
                self.put_bits(bytes, |piece| all_if(piece, self.belongs(piece) && memory.of(piece) == 3));
            }
            Q::Bits(draw) => {
                self.draw(draw, memory);
                self.put_numbers(ty, bytes, |piece| memory.of(piece) as u64);
            }
            Q::Uniform(draw) => {
                self.draw(draw, memory);
                self.put_numbers(ty, bytes, |piece| philox::uniform(memory.of(piece) as u32).to_bits().into());
            }
            Q::Below(draw) => {
                self.draw(draw, memory);
                let below = |word: i64, c: u32| philox::below(word as u32, self.of.number(c) as u32);
                self.put_by_cell(ty, bytes, |piece, c| below(memory.of(piece), c).into());
            }
            Q::Chance(draw) => self.chance(draw, bytes, memory),
        }
    }

    #[inline(always)]
    fn belongs(&self, piece: &RunPiece) -> bool {
        self.when.is_none_or(|when| when[piece.number] & piece.places != 0)
    }

    /// Calls `visit` with each root of a stretch: the block, the word, and its place.
    #[inline(always)]
    fn for_each_root(&self, stretch: usize, mut visit: impl FnMut(usize, usize, u32)) {
        let words = self.words;
        for (block, range) in words.by_block(self.forest.stretches[stretch].0.clone()) {
            for word in range {
                let mut rest = self.forest.tops[block * words.words_of_block() + word];
                while rest != 0 {
                    visit(block, word, rest.trailing_zeros());
                    rest &= rest - 1;
                }
            }
        }
    }

    /// Does something for each stretch of words.
    fn each<T: Send>(&self, work: impl Fn(usize) -> T + Sync + Send) -> Vec<T> {
        each(self.pool, (0..self.forest.stretches.len()).collect(), work)
    }

    /// By roots, something of all cells of a cluster.
    fn fold(&self, fold: ValueFold, memory: &mut Memory) {
        let bits = match self.of {
            ValueInput::Nothing => return self.fold_pieces(fold, memory, |piece| i64::from(piece.places.count_ones())),
            ValueInput::Field(Type::Bit, bits) if !matches!(fold, ValueFold::Min | ValueFold::Max) => bits,
            ValueInput::Field(..) | ValueInput::Constant(_) => {
                return self.fold_pieces(fold, memory, |piece| {
                    piece.cells(self.words).fold(fold.begin(), |all, c| fold.combine(all, self.of.number(c)))
                });
            }
        };
        let mut own = std::mem::take(&mut memory.own);
        own.resize(self.words.len(), 0);
        gather(self.words, &(0..self.words.len()), bits, &mut own);
        self.fold_pieces(fold, memory, |piece| {
            let here = own[piece.number] & piece.places;
            match fold {
                ValueFold::All => i64::from(here == piece.places),
                ValueFold::Any => i64::from(here != 0),
                _ => i64::from(here.count_ones()),
            }
        });
        memory.own = own;
    }

    /// By roots, something of all pieces of a cluster.
    fn fold_pieces(&self, fold: ValueFold, memory: &mut Memory, of_piece: impl Fn(&RunPiece) -> i64 + Sync + Send) {
        memory.folded.resize_with(self.words.cells(), AtomicI64::default);
        let (folded, is_alone) = (&memory.folded[..], self.forest.stretches.len() == 1);
        let add = |root: u32, value: i64| match (&folded[root as usize], is_alone) {
            (to, true) => to.store(fold.combine(to.load(Relaxed), value), Relaxed),
            (to, false) => fold.add(to, value),
        };
        self.each(|stretch| {
            self.for_each_root(stretch, |block, word, place| {
                folded[self.words.cell(block, word, place) as usize].store(fold.begin(), Relaxed);
            });
        });
        self.each(|stretch| {
            // Neighbouring pieces of a cluster are added together.
            let mut together: Option<(u32, i64)> = None;
            self.forest.for_each_piece(self.words, stretch, |piece| {
                let value = of_piece(piece);
                together = Some(match together {
                    Some((root, so_far)) if root == piece.root => (root, fold.combine(so_far, value)),
                    before => {
                        before.into_iter().for_each(|(root, value)| add(root, value));
                        (piece.root, value)
                    }
                });
            });
            together.into_iter().for_each(|(root, value)| add(root, value));
        });
    }

    /// Gives the cells of each piece a number, the same for all.
    fn put_numbers(&self, ty: Type, bytes: &mut [u8], of_piece: impl Fn(&RunPiece) -> u64 + Sync + Send) {
        self.put_all(bytes, ty, |piece, first, bytes| {
            let bits = of_piece(piece);
            piece.cells(self.words).for_each(|c| packed::put(ty, bytes, u64::from(c) - first, bits));
        });
    }

    /// Gives each cell a number.
    fn put_by_cell(&self, ty: Type, bytes: &mut [u8], of_cell: impl Fn(&RunPiece, u32) -> u64 + Sync + Send) {
        self.put_all(bytes, ty, |piece, first, bytes| {
            piece.cells(self.words).for_each(|c| packed::put(ty, bytes, u64::from(c) - first, of_cell(piece, c)));
        });
    }

    /// Lets each piece be written to the bytes of its stretch, which begin with some cell.
    fn put_all(&self, bytes: &mut [u8], ty: Type, put: impl Fn(&RunPiece, u64, &mut [u8]) + Sync + Send) {
        let ranges: Vec<Range<u64>> =
            self.forest.stretches.iter().map(|(range, _)| self.words.cells_of(range)).collect();
        let parts = packed::split(ty, &ranges, bytes).enumerate().collect();
        each(self.pool, parts, |(stretch, (cells, bytes)): (usize, (Range<u64>, &mut [u8]))| {
            self.forest.for_each_piece(self.words, stretch, |piece| put(piece, cells.start, bytes));
        });
    }

    /// Gives the cells of each piece a bit: those at some of its places are true.
    fn put_bits(&self, bytes: &mut [u8], of_piece: impl Fn(&RunPiece) -> u64 + Sync + Send) {
        self.put_words(bytes, |stretch, first, words| {
            let (mut number, mut word) = (first, 0);
            self.forest.for_each_piece(self.words, stretch, |piece| {
                if piece.number != number {
                    words[number - first] = word;
                    (number, word) = (piece.number, 0);
                }
                word |= of_piece(piece);
            });
            words[number - first] = word;
        });
    }

    /// Gives cells bits, from the words of stretches: `make` has the number of a stretch, that of its first word, and zeros.
    fn put_words(&self, bytes: &mut [u8], make: impl Fn(usize, usize, &mut [u64]) + Sync + Send) {
        self.put_stretches(bytes, |stretch, first, bytes| {
            let (range, _) = &self.forest.stretches[stretch];
            let mut words = vec![0; range.len()];
            make(stretch, range.start, &mut words);
            scatter(self.words, range, &words, first, bytes);
        });
    }

    /// Gives cells bits, from those of stretches: `make` has the number of a stretch, the cell of the first bit, and zeros.
    fn put_stretches(&self, bytes: &mut [u8], make: impl Fn(usize, u64, &mut [u8]) + Sync + Send) {
        if let [_] = &self.forest.stretches[..] {
            return make(0, 0, bytes);
        }
        let of_stretch = |stretch: usize| {
            let cells = self.words.cells_of(&self.forest.stretches[stretch].0);
            let first = cells.start / 8 * 8;
            let mut own = vec![0; (cells.end - first).div_ceil(8) as usize];
            make(stretch, first, &mut own);
            (first, own)
        };
        for (first, own) in self.each(of_stretch) {
            bytes[first as usize / 8..].iter_mut().zip(own).for_each(|(byte, own)| *byte |= own);
        }
    }

    /// By roots, the word of a draw.
    fn draw(&self, draw: u32, memory: &mut Memory) {
        memory.folded.resize_with(self.words.cells(), AtomicI64::default);
        self.each(|stretch| {
            self.for_each_root(stretch, |block, word, place| {
                let drawn = philox::draw(self.seed, self.words.draw_number(block, word, place), self.time, draw);
                let root = self.words.cell(block, word, place);
                memory.folded[root as usize].store(i64::from(drawn), Relaxed);
            });
        });
    }

    /// `random(p)` of each cell, by the root's word.
    fn chance(&self, draw: u32, bytes: &mut [u8], memory: &mut Memory) {
        let p = |c: u32| scalar::probability(self.of.value(c));
        let constant = self.of.constant().map(scalar::probability);
        let mut of_roots = std::mem::take(&mut memory.of_roots);
        of_roots.clear();
        of_roots.resize(bytes.len(), 0);
        if let Some(p) = constant {
            self.decide(draw, p, &mut memory.drawn);
        }
        let happens = |block: usize, word: usize, place: u32| {
            let q = self.words.draw_number(block, word, place);
            match constant {
                Some(_) => memory.drawn[(q / 64) as usize].load(Relaxed) >> (q % 64) & 1 == 1,
                None => philox::is_below(self.seed, q, self.time, draw, p(self.words.cell(block, word, place))),
            }
        };
        self.put_stretches(&mut of_roots, |stretch, first, bits| {
            self.for_each_root(stretch, |block, word, place| {
                let at = u64::from(self.words.cell(block, word, place)) - first;
                bits[at as usize / 8] |= u8::from(happens(block, word, place)) << (at % 8);
            });
        });
        let of_root = |root: u32| of_roots[root as usize / 8] >> (root % 8) & 1;
        if constant.is_some() {
            self.put_bits(bytes, |piece| u64::from(of_root(piece.root)).wrapping_neg() & piece.places);
        } else {
            // A cell with another probability than its root has the same word, which may say otherwise.
            let happens = |root: u32, c: u32| match p(c) == p(root) {
                true => of_root(root) == 1,
                false => philox::is_below(self.seed, self.domain.draw_number(root.into()), self.time, draw, p(c)),
            };
            self.put_bits(bytes, |piece| {
                let (mut places, mut are_true) = (piece.places, 0);
                for c in piece.cells(self.words) {
                    let place = places & places.wrapping_neg();
                    places ^= place;
                    are_true |= if happens(piece.root, c) { place } else { 0 };
                }
                are_true
            });
        }
        memory.of_roots = of_roots;
    }

    /// By draw numbers, `random(p)` of all roots.
    fn decide(&self, draw: u32, p: f64, drawn: &mut Vec<AtomicU64>) {
        drawn.clear();
        drawn.resize_with(self.words.draw_numbers().div_ceil(128) as usize * 2, AtomicU64::default);
        let (asked, is_alone) = (&drawn[..], self.forest.stretches.len() == 1);
        self.each(|stretch| {
            self.for_each_root(stretch, |block, word, place| {
                let q = self.words.draw_number(block, word, place);
                let (to, bit) = (&asked[(q / 64) as usize], 1 << (q % 64));
                match is_alone {
                    true => to.store(to.load(Relaxed) | bit, Relaxed),
                    false => _ = to.fetch_or(bit, Relaxed),
                }
            });
        });
        /// Blocks that a thread takes at once.
        const BLOCKS: usize = 64;
        let chunks = drawn.chunks_mut(2 * BLOCKS).enumerate().collect();
        each(self.pool, chunks, |(chunk, drawn): (usize, &mut [AtomicU64])| {
            for (number, block) in drawn.as_chunks_mut::<2>().0.iter_mut().enumerate() {
                let asked = u128::from(*block[0].get_mut()) | u128::from(*block[1].get_mut()) << 64;
                if asked != 0 {
                    let happens = chances((self.seed, (chunk * BLOCKS + number) as u64, self.time, draw), p, asked);
                    *block = [AtomicU64::new(happens as u64), AtomicU64::new((happens >> 64) as u64)];
                }
            }
        });
    }
}

/// `random(p)` of those cells of a block of draw numbers that are asked for.
fn chances((seed, block, time, draw): (u64, u64, u32, u32), p: f64, asked: u128) -> u128 {
    let (mut equal, mut less) = (asked, 0);
    for plane in 0..philox::planes(p) {
        let words = philox::plane(seed, block, time, draw, plane);
        let drawn = words.iter().rev().fold(0, |all, word| all << 32 | u128::from(*word));
        if philox::bit_of(p, plane) {
            less |= equal & !drawn;
            equal &= drawn;
        } else {
            equal &= !drawn;
        }
        if equal == 0 {
            return less;
        }
    }
    // Where nothing but zeros of p is left, what is equal is not below it.
    if p >= 1.0 { asked } else { less }
}
