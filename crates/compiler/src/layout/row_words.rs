//! Cells as words of bits along rows, for what looks at many cells side by side at once, as finding clusters does.
//!
//! A *word* is at most 64 places of a row that follow each other. A *block* is the fractal of so low a level that its rows fit into words; all blocks have the
//! same words, so that what is known of a block's words serves the whole domain. A mask or a box is one block, whose rows take several words each.
//! Words without a cell are left out. The words of a block stand in reading order, and blocks in the order of their cells.
//!
//! Bits come from canonical order and return to it by [`BitMove`]s: those of a row of a block are taken from where its cells stand among all of the block. A
//! pair of cells at some offset is a bit of a [`WordLink`] between two words.

use crate::geometry::Domain;
use crate::ir::fractal::Pattern;
use crate::numbers::numbering::PlaceNumbering;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The most places of a word.
const WIDTH: u64 = 64;
/// The most cells of a block of a fractal, and the most rows, if it has more than one level.
const MOST_CELLS: u64 = 1 << 18;
const MOST_ROWS: u64 = 1 << 14;
/// Where there is no word.
const NONE: u32 = u32::MAX;

/// Bytes that a word takes in [`RowWords`], and a link.
const BYTES_OF_WORD: u64 = (size_of::<RowWord>() + size_of::<u32>()) as u64;
const BYTES_OF_LINK: u64 = size_of::<WordLink>() as u64;

/// The words of a domain, and the links between them.
#[derive(Debug)]
pub struct RowWords {
    /// The words of a block.
    words: Vec<RowWord>,
    blocks: usize,
    cells_of_block: u64,
    cells: u64,
    /// For each word of a block the number within the block of the cell at each of 64 places. Empty for words of consecutive cells.
    numbers: Vec<[u32; 64]>,
    moves: Vec<BitMove>,
    /// The corners of the blocks.
    corners: Vec<[u64; 3]>,
    extent: [u64; 3],
    draws: WordDraws,
    /// The blocks at some distance from each block; the first ones are the blocks themselves.
    near: Vec<Vec<NearBlock>>,
    /// The list of the blocks to the left.
    to_the_left: Option<usize>,
    links: Vec<WordLinks>,
}

/// The word of one row.
#[derive(Clone, Copy, Debug)]
pub struct RowWord {
    /// Where its place 0 stands in the block.
    corner: [u32; 3],
    /// Which places are cells.
    pub cells: u64,
    /// Which of them have a cell to the right that is in this word, and of a greater index.
    pub chained: u64,
    /// The number of the first cell within the block.
    first: u32,
    /// The word to the left, whose last cell stands beside place 0 and has a lesser index: of the same block, or of the block to the left.
    left: u32,
    left_is_own: bool,
    moves: [u32; 2],
}

/// The indices of the cells of a word.
#[derive(Clone, Copy)]
pub struct CellsOfWord<'w> {
    /// That of the first cell, or of the first one of the block.
    first: u32,
    cells: u64,
    numbers: Option<&'w [u32; 64]>,
}

impl CellsOfWord<'_> {
    /// The index of the cell at a place.
    #[inline(always)]
    pub fn at(self, place: u32) -> u32 {
        self.first
            + match self.numbers {
                Some(numbers) => numbers[place as usize % 64],
                None => (self.cells & !(u64::MAX << (place % 64))).count_ones(),
            }
    }
}

/// Bits that go between canonical order and a word: those at the ones of `cells`, counted from a cell, to the ones of `places`, in this order.
#[derive(Clone, Copy, Debug)]
pub struct BitMove {
    /// The cell of the lowest bit.
    pub at: u32,
    /// How many bits are looked at from there.
    pub length: u32,
    /// Which of them.
    pub cells: u64,
    /// Where they go.
    pub places: u64,
}

/// Pairs of cells at an offset between two words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WordLink {
    /// The word of the first cells of the pairs, in a block.
    pub from: u32,
    /// That of the second ones, in the block that the list of links is about.
    pub to: u32,
    /// The places of the first ones.
    pub places: u64,
    /// How much greater the places of the second ones are.
    pub shift: i32,
}

/// All pairs of cells at an offset, but for those that are chained.
#[derive(Debug)]
pub struct WordLinks {
    offset: [i32; 3],
    /// Links to blocks at some distance, by the list of these blocks.
    groups: Vec<(usize, Vec<WordLink>)>,
}

/// A block at some distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NearBlock {
    /// Its number, or `NONE`.
    block: u32,
    /// How often the way there goes around each joined axis.
    pub round: [i8; 3],
}

impl NearBlock {
    /// The number of the block, if there is one.
    #[inline]
    pub fn block(&self) -> Option<usize> {
        (self.block != NONE).then_some(self.block as usize)
    }
}

/// The numbers by which cells draw.
#[derive(Debug)]
enum WordDraws {
    Places(PlaceNumbering),
    /// Of a cell within a block, and of a block: the first number times that of blocks, and the second one.
    Reversed {
        cells: Vec<u32>,
        blocks: Vec<u32>,
    },
}

/// The parts of a domain that blocks are of, and lie in.
struct WordBlocks {
    own: Domain,
    all: Domain,
}

impl WordBlocks {
    fn of(domain: &Domain) -> WordBlocks {
        let fits = |level: &u32| {
            let sides = domain.scale_product(*level);
            sides[0] <= WIDTH && sides[1] * sides[2] <= MOST_ROWS && domain.cell_product(*level) <= MOST_CELLS
        };
        let level = match domain.levels() {
            None => 1,
            Some(levels) => (1..=levels).take_while(fits).last().unwrap_or(levels.min(1)),
        };
        WordBlocks { own: domain.between(0, level), all: domain.between(level, domain.level()) }
    }

    fn words_of_row(&self) -> u64 {
        self.own.extent()[0].div_ceil(WIDTH)
    }

    /// How many words a block has at most.
    fn words(&self) -> u64 {
        let rows = |pattern: &Pattern| match pattern.places {
            Some(_) => u64::from(pattern.scale[1]) * u64::from(pattern.scale[2]),
            None => pattern.replicas.iter().map(|place| (place[1], place[2])).collect::<BTreeSet<_>>().len() as u64,
        };
        let rows: u64 = (1..=self.own.level()).map(|level| rows(self.own.pattern(level))).product();
        (rows * self.words_of_row()).min(self.own.cells())
    }
}

impl RowWords {
    /// The words of a domain of less than 2^32 cells, with the links at some offsets.
    pub fn new(domain: &Domain, offsets: &[[i32; 3]]) -> RowWords {
        let blocks = WordBlocks::of(domain);
        let all = blocks.all.cells() as usize;
        let sides = blocks.own.extent();
        let corner = |block: usize| {
            let place = blocks.all.lambda(block as u64);
            [0, 1, 2].map(|axis| place[axis] * sides[axis])
        };
        let mut words = RowWords {
            words: Vec::new(),
            blocks: all,
            cells_of_block: blocks.own.cells(),
            cells: domain.cells(),
            numbers: Vec::new(),
            moves: Vec::new(),
            corners: (0..all).map(corner).collect(),
            extent: domain.extent(),
            draws: match domain.levels() {
                None => WordDraws::Places(PlaceNumbering::of(domain.extent())),
                Some(_) => WordDraws::Reversed {
                    cells: (0..blocks.own.cells()).map(|c| blocks.own.reversed(c) as u32).collect(),
                    blocks: (0..all as u64).map(|block| blocks.all.reversed(block) as u32).collect(),
                },
            },
            near: Vec::new(),
            to_the_left: None,
            links: Vec::new(),
        };
        let slots = match domain.levels() {
            None => words.add_rows(&blocks),
            Some(_) => words.add_block(&blocks),
        };
        let mut lists = BTreeMap::new();
        words.near_blocks([0; 3], &blocks, &mut lists);
        for offset in offsets {
            let links = words.links_at(*offset, &blocks, &slots, &mut lists);
            words.links.push(links);
        }
        words
    }

    /// Bytes that [`RowWords::new`] allocates at most, and those of a bit for each place of the domain's words.
    pub fn bytes<'o>(domain: &Domain, offsets: impl Iterator<Item = &'o [i32; 3]>) -> (u64, u64) {
        let blocks = WordBlocks::of(domain);
        let (words, all) = (blocks.words(), blocks.all.cells());
        let slots = 4 * blocks.words_of_row() * blocks.own.extent()[1] * blocks.own.extent()[2];
        let (own_cells, is_fractal) = (blocks.own.cells(), domain.levels().is_some());
        let of_cells = if is_fractal { words * (4 * WIDTH) + 4 * own_cells } else { 0 };
        let moves = if is_fractal { own_cells } else { words };
        let (mut links, mut distances) = (0, BTreeSet::from([[0; 3]]));
        for offset in offsets {
            // A word reaches into two others at most, and into a third where a row begins anew.
            links += if offset[0] == 0 { 1 } else { 3 };
            let sides = blocks.own.extent();
            let of_axis = |axis: usize| i64::from(offset[axis]).unsigned_abs().div_ceil(sides[axis]) as i64;
            let [x, y, z] = [0, 1, 2].map(|axis| -of_axis(axis)..=of_axis(axis));
            distances.extend(
                z.flat_map(|z| y.clone().map(move |y| (y, z))).flat_map(|(y, z)| x.clone().map(move |x| [x, y, z])),
            );
        }
        let near = distances.len() as u64 * size_of::<NearBlock>() as u64;
        let tables = words * (BYTES_OF_WORD + links * BYTES_OF_LINK)
            + slots
            + of_cells
            + moves * size_of::<BitMove>() as u64
            + all * (near + 24 + 4);
        (tables, 8 * words.saturating_mul(all))
    }

    /// The words of the rows of a mask or a box. Returns where each is, by rows.
    fn add_rows(&mut self, blocks: &WordBlocks) -> Vec<u32> {
        let places = blocks.own.pattern(1).places.clone();
        let Some(places) = places else { unreachable!("masks and boxes have places") };
        let [width, height, depth] = blocks.own.extent();
        let (mut slots, mut first) = (Vec::new(), 0);
        for (y, z) in (0..depth).flat_map(|z| (0..height).map(move |y| (y, z))) {
            for x in (0..width).step_by(WIDTH as usize) {
                let place = (z * height + y) * width + x;
                let part = |from: u64| {
                    let left = (width - x).saturating_sub(from).min(32) as u32;
                    u64::from(places.bits(place + from, left))
                };
                let cells = part(0) | part(32) << 32;
                if cells == 0 {
                    slots.push(NONE);
                    continue;
                }
                let own = self.words.len() as u32;
                let is_beside = |left: u32| self.words[left as usize].cells >> 63 == 1 && cells & 1 == 1;
                let left = slots.last().copied().filter(|left| x > 0 && *left != NONE && is_beside(*left));
                slots.push(own);
                let count = cells.count_ones();
                let bits = BitMove { at: first, length: count, cells: u64::MAX >> (64 - count), places: cells };
                self.words.push(RowWord {
                    corner: [x as u32, y as u32, z as u32],
                    cells,
                    chained: cells & cells >> 1,
                    first,
                    left: left.unwrap_or(NONE),
                    left_is_own: true,
                    moves: [self.moves.len() as u32, self.moves.len() as u32 + 1],
                });
                self.moves.push(bits);
                first += count;
            }
        }
        slots
    }

    /// The words of a block of a fractal. Returns where each is, by rows.
    fn add_block(&mut self, blocks: &WordBlocks) -> Vec<u32> {
        let [_, height, depth] = blocks.own.extent();
        let (of_row, side) = (blocks.words_of_row(), blocks.own.extent()[0] - 1);
        let mut rows: BTreeMap<u64, (u64, [u32; 64])> = BTreeMap::new();
        for c in 0..blocks.own.cells() {
            let [x, y, z] = blocks.own.lambda(c);
            let (cells, numbers) = rows.entry((z * height + y) * of_row + x / WIDTH).or_insert((0, [0; 64]));
            *cells |= 1 << (x % WIDTH);
            numbers[(x % WIDTH) as usize] = c as u32;
        }
        let mut slots = vec![NONE; (of_row * height * depth) as usize];
        for (at, (cells, numbers)) in rows {
            let own = self.words.len();
            slots[at as usize] = own as u32;
            let chained = (0..63).filter(|i| cells >> i & 3 == 3 && numbers[*i] < numbers[*i + 1]);
            let (x, row) = (at % of_row, at / of_row);
            // The last word of the row in the block to the left, or the one before in this block.
            let (left, left_is_own) = if x == 0 { (at + of_row - 1, false) } else { (at - 1, true) };
            let moves = self.moves.len() as u32;
            self.add_moves(cells, &numbers);
            self.words.push(RowWord {
                corner: [x * WIDTH, row % height, row / height].map(|v| v as u32),
                cells,
                chained: chained.fold(0, |all, i| all | 1 << i),
                first: numbers[cells.trailing_zeros() as usize],
                // The place among rows, until all words have numbers.
                left: left as u32,
                left_is_own,
                moves: [moves, self.moves.len() as u32],
            });
            self.numbers.push(numbers);
        }
        for at in 0..self.words.len() {
            let (word, numbers) = (self.words[at], &self.numbers);
            let left = slots[word.left as usize];
            let number = |word: u32, place: usize| numbers[word as usize][place];
            let is_beside = |left: u32| {
                let there = &self.words[left as usize];
                let end = if word.left_is_own { 63 } else { side % WIDTH };
                let ascends = !word.left_is_own || number(left, end as usize) < number(at as u32, 0);
                word.cells & 1 == 1 && there.cells >> end & 1 == 1 && ascends
            };
            self.words[at].left = if left != NONE && is_beside(left) { left } else { NONE };
        }
        slots
    }

    /// The moves of a word: as few as its cells follow each other in, within 64.
    fn add_moves(&mut self, cells: u64, numbers: &[u32; 64]) {
        let mut last: Option<u32> = None;
        for place in (0..64).filter(|place| cells >> place & 1 == 1) {
            let number = numbers[place];
            let goes_on = last.is_some_and(|last| number > last)
                && self.moves.last().is_some_and(|of: &BitMove| number - of.at < 64);
            if !goes_on {
                self.moves.push(BitMove { at: number, length: 0, cells: 0, places: 0 });
            }
            if let Some(of) = self.moves.last_mut() {
                of.cells |= 1 << (number - of.at);
                of.places |= 1 << place;
                of.length = number - of.at + 1;
            }
            last = Some(number);
        }
    }

    /// The list of the blocks at a distance, in blocks.
    fn near_blocks(&mut self, distance: [i64; 3], blocks: &WordBlocks, lists: &mut BTreeMap<[i64; 3], usize>) -> usize {
        *lists.entry(distance).or_insert_with(|| {
            let (extent, periodic) = (blocks.all.extent(), blocks.all.periodic().0);
            let near = |block: usize| {
                let place = blocks.all.lambda(block as u64);
                let (mut there, mut round) = ([0; 3], [0; 3]);
                for axis in 0..3 {
                    let (at, side) = (place[axis] as i64 + distance[axis], extent[axis] as i64);
                    if !(0..side).contains(&at) && !periodic[axis] {
                        return NearBlock { block: NONE, round };
                    }
                    (there[axis], round[axis]) = (at.rem_euclid(side) as u64, at.div_euclid(side) as i8);
                }
                NearBlock { block: blocks.all.nu(there).map_or(NONE, |block| block as u32), round }
            };
            if distance == [-1, 0, 0] {
                self.to_the_left = Some(self.near.len());
            }
            self.near.push((0..self.blocks).map(near).collect());
            self.near.len() - 1
        })
    }

    fn links_at(
        &mut self,
        offset: [i32; 3],
        blocks: &WordBlocks,
        slots: &[u32],
        lists: &mut BTreeMap<[i64; 3], usize>,
    ) -> WordLinks {
        let [width, height, depth] = blocks.own.extent().map(|side| side as i64);
        let of_row = blocks.words_of_row() as i64;
        let mut groups: BTreeMap<[i64; 3], Vec<WordLink>> = BTreeMap::new();
        for (from, word) in self.words.iter().enumerate() {
            let [x, y, z] = [0, 1, 2].map(|axis| i64::from(word.corner[axis]) + i64::from(offset[axis]));
            let row = z.rem_euclid(depth) * height + y.rem_euclid(height);
            let (mut place, end) = (0, 64 - i64::from(word.cells.leading_zeros()));
            while place < end {
                // As far as a word of the row there goes.
                let (at, block) = ((x + place).rem_euclid(width), (x + place).div_euclid(width));
                let count = (64 - at % 64).min(width - at).min(end - place);
                let slot = slots[(row * of_row + at / 64) as usize];
                if slot != NONE {
                    let shift = (at % 64 - place) as i32;
                    let places = u64::MAX >> (64 - count) << place;
                    let places = places & word.cells & shifted(self.words[slot as usize].cells, shift);
                    let is_chained = offset == [1, 0, 0] && block == 0;
                    let places = match is_chained {
                        true if slot as usize == from => places & !word.chained,
                        true if self.words[slot as usize].left == from as u32 => 0,
                        _ => places,
                    };
                    let distance = [block, y.div_euclid(height), z.div_euclid(depth)];
                    if places != 0 {
                        groups.entry(distance).or_default().push(WordLink {
                            from: from as u32,
                            to: slot,
                            places,
                            shift,
                        });
                    }
                }
                place += count;
            }
        }
        if offset == [1, 0, 0] {
            self.near_blocks([-1, 0, 0], blocks, lists);
        }
        let groups = groups.into_iter().map(|(distance, links)| (self.near_blocks(distance, blocks, lists), links));
        let groups = groups.collect();
        WordLinks { offset, groups }
    }

    /// How many words there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.words.len() * self.blocks
    }

    /// Whether there is no word, as in no domain.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// How many cells there are.
    #[inline]
    pub fn cells(&self) -> usize {
        self.cells as usize
    }

    /// How many words a block has.
    #[inline]
    pub fn words_of_block(&self) -> usize {
        self.words.len()
    }

    /// The words of a block.
    #[inline]
    pub fn words(&self) -> &[RowWord] {
        &self.words
    }

    /// A range of words, block by block.
    #[inline]
    pub fn by_block(&self, range: Range<usize>) -> impl Iterator<Item = (usize, Range<usize>)> + use<> {
        let of_block = self.words.len();
        (range.start / of_block..range.end.div_ceil(of_block)).map(move |block| {
            let first = block * of_block;
            (block, range.start.max(first) - first..range.end.min(first + of_block) - first)
        })
    }

    /// The words in about as many stretches, whose cells follow each other.
    pub fn stretches(&self, count: usize) -> Vec<Range<usize>> {
        let unit = if self.blocks == 1 && self.numbers.is_empty() { 1 } else { self.words.len() };
        let units = self.len() / unit;
        let cut = |number: usize| units * number / count * unit;
        (0..count).map(|number| cut(number)..cut(number + 1)).filter(|range| !range.is_empty()).collect()
    }

    /// The cells of a stretch.
    #[inline]
    pub fn cells_of(&self, stretch: &Range<usize>) -> Range<u64> {
        let first = |word: usize| match word {
            word if word == self.len() => self.cells,
            word if self.numbers.is_empty() => u64::from(self.words[word].first),
            word => (word / self.words.len()) as u64 * self.cells_of_block,
        };
        first(stretch.start)..first(stretch.end)
    }

    /// The index of the cell at a place of a word of a block.
    #[inline(always)]
    pub fn cell(&self, block: usize, word: usize, place: u32) -> u32 {
        self.cells_at(block, word).at(place)
    }

    /// The indices of the cells of a word of a block.
    #[inline(always)]
    pub fn cells_at(&self, block: usize, word: usize) -> CellsOfWord<'_> {
        let RowWord { cells, first, .. } = self.words[word];
        let before = (block as u64 * self.cells_of_block) as u32;
        match self.numbers.get(word) {
            Some(numbers) => CellsOfWord { first: before, cells, numbers: Some(numbers) },
            None => CellsOfWord { first, cells, numbers: None },
        }
    }

    /// The block and the word to the left of a word of a block, whose last cell stands beside the word's first place and has a lesser index.
    #[inline(always)]
    pub fn left(&self, block: usize, word: usize) -> Option<(usize, usize)> {
        let RowWord { left, left_is_own, .. } = self.words[word];
        if left == NONE {
            return None;
        }
        if left_is_own {
            return Some((block, left as usize));
        }
        let near = self.near[self.to_the_left?][block];
        (near.block < block as u32 && near.round == [0; 3]).then_some((near.block as usize, left as usize))
    }

    /// The links at an offset that was asked for.
    ///
    /// # Panics
    /// If it was not.
    #[inline]
    pub fn links(&self, offset: [i32; 3]) -> &WordLinks {
        let links = self.links.iter().find(|links| links.offset == offset);
        links.unwrap_or_else(|| unreachable!("links are known at all offsets that were asked for"))
    }

    /// The links from some words of a block, in lists, each with the block that the links go to; without those that are chained.
    #[inline]
    pub fn links_from<'l>(
        &'l self,
        links: &'l WordLinks,
        block: usize,
        words: &'l Range<usize>,
    ) -> impl Iterator<Item = (usize, [i8; 3], &'l [WordLink])> + use<'l> {
        links.groups.iter().filter_map(move |(list, group)| {
            let near = self.near[*list][block];
            let to = near.block()?;
            let is_chained = links.offset == [1, 0, 0] && near.round == [0; 3] && to > block;
            if is_chained {
                // All of them are to the right of the last words of rows.
                return None;
            }
            if *words == (0..self.words.len()) {
                return Some((to, near.round, &group[..]));
            }
            let first = group.partition_point(|link| (link.from as usize) < words.start);
            let end = group.partition_point(|link| (link.from as usize) < words.end);
            Some((to, near.round, &group[first..end]))
        })
    }

    /// The moves of a word of a block.
    #[inline(always)]
    pub fn moves(&self, word: usize) -> &[BitMove] {
        let [first, end] = self.words[word].moves;
        &self.moves[first as usize..end as usize]
    }

    /// The cell of the lowest bit of the moves of a block.
    #[inline(always)]
    pub fn first_cell(&self, block: usize) -> u64 {
        block as u64 * self.cells_of_block
    }

    /// The number by which the cell at a place of a word of a block draws.
    #[inline(always)]
    pub fn draw_number(&self, block: usize, word: usize, place: u32) -> u64 {
        match &self.draws {
            WordDraws::Places(numbering) => {
                let corner = self.words[word].corner.map(u64::from);
                numbering.from(corner).of(u64::from(place))
            }
            WordDraws::Reversed { cells, blocks } => {
                let number = self.numbers[word][place as usize % 64];
                u64::from(cells[number as usize]) * self.blocks as u64 + u64::from(blocks[block])
            }
        }
    }

    /// All draw numbers are below this one.
    #[inline]
    pub fn draw_numbers(&self) -> u64 {
        let [_, height, depth] = self.extent;
        match &self.draws {
            WordDraws::Places(numbering) => (numbering.row * height * depth).next_multiple_of(256),
            WordDraws::Reversed { .. } => self.cells,
        }
    }

    /// The places of a word of a block that are the first ones along an axis, and the last ones.
    #[inline]
    pub fn sides(&self, block: usize, word: usize, axis: usize) -> [u64; 2] {
        let at = self.corners[block][axis] + u64::from(self.words[word].corner[axis]);
        let last = self.extent[axis] - 1;
        match axis {
            0 => [if at == 0 { 1 } else { 0 }, if last - at < WIDTH { 1 << (last - at) } else { 0 }],
            _ => [if at == 0 { u64::MAX } else { 0 }, if at == last { u64::MAX } else { 0 }],
        }
    }
}

/// The bits of a word by places that are lower by `shift`.
#[inline(always)]
pub const fn shifted(word: u64, shift: i32) -> u64 {
    if shift >= 0 { word >> shift } else { word << -shift }
}
