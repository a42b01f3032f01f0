//! Runs of joined cells as trees.
//!
//! A *run* is cells side by side that bonds to the right join, and goes by its first cell, which is its least one. Other bonds join runs: those that follow from the bond before and the
//! runs themselves are left out. A root may hang below any lesser cell of another tree, without a search for that one's root; most runs are roots still when the first
//! bond to them comes. The rest is searched for, later. So each root is the least cell of its cluster.
//!
//! Threads have stretches of the words. Each joins what lies in its stretch; pairs across borders are few, and joined by one thread.

use crate::cpu::vectors::with_vectors;
use crate::install;
use rayon::ThreadPool;
use rayon::prelude::*;
use squeeze_compiler::layout::row_words::{CellsOfWord, RowWords, WordLink, WordLinks, shifted};
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Pairs whose roots are searched for together.
const LATER: usize = 1024;

/// Two runs that a bond joins, by their first cells, and how often it goes around each joined axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seam {
    pub from: u32,
    pub to: u32,
    pub round: [i8; 3],
}

/// What joins cells, by words.
pub(super) struct OpenBonds<'a> {
    pub words: &'a RowWords,
    /// Which bonds are open, and the pairs.
    pub open: Vec<(&'a [u64], &'a WordLinks)>,
    /// The open bonds to the right, if the bond has them.
    pub along: Option<&'a [u64]>,
    /// Which cells belong to clusters, if not all do.
    pub when: Option<&'a [u64]>,
}

impl OpenBonds<'_> {
    #[inline(always)]
    pub(super) fn belong(&self, number: usize, cells: u64) -> u64 {
        self.when.map_or(cells, |when| when[number])
    }
}

/// The runs of all words, as trees.
#[derive(Default)]
pub(super) struct ClusterForest {
    /// Which places begin a run; those of holes do not.
    starts: Vec<u64>,
    /// The run that comes in from the left, where the first cell of a word begins none.
    carried: Vec<u32>,
    /// The cell above the first cell of each run.
    parent: Vec<AtomicU32>,
    /// Which places are roots.
    pub(super) tops: Vec<u64>,
    /// The stretches of threads, and the roots of their pieces.
    pub(super) stretches: Vec<(Range<usize>, Vec<u32>)>,
}

/// The cells of a run within a word.
#[derive(Clone, Copy)]
pub(super) struct RunPiece {
    /// The block of the word, its number in the block, and in the whole domain.
    pub block: usize,
    pub word: usize,
    pub number: usize,
    /// The places of the cells, and those of the whole word.
    pub places: u64,
    /// The root of its cluster.
    pub root: u32,
}

impl RunPiece {
    /// The indices of its cells.
    #[inline(always)]
    pub(super) fn cells<'w>(&self, words: &'w RowWords) -> impl Iterator<Item = u32> + use<'w> {
        let of_word = words.cells_at(self.block, self.word);
        places_of(self.places).map(move |place| of_word.at(place))
    }
}

impl ClusterForest {
    /// Joins all cells that bonds join; but for those around joined axes, which are returned, if `keep_seams`.
    pub(super) fn grow(&mut self, bonds: &OpenBonds<'_>, pool: Option<&ThreadPool>, keep_seams: bool) -> Vec<Seam> {
        let words = bonds.words;
        let threads = pool.map_or(1, ThreadPool::current_num_threads);
        let ranges = words.stretches(threads);
        let mut before = std::mem::take(&mut self.stretches).into_iter().map(|(_, roots)| roots);
        self.stretches = ranges.into_iter().map(|range| (range, before.next().unwrap_or_default())).collect();
        self.starts.resize(words.len(), 0);
        self.carried.resize(words.len(), 0);
        self.parent.resize_with(words.cells(), AtomicU32::default);
        let (mut starts, mut carried, mut parent) = (&mut self.starts[..], &mut self.carried[..], &mut self.parent[..]);
        let mut parts = Vec::new();
        for (range, _) in &self.stretches {
            let cells = words.cells_of(range);
            parts.push((
                range.clone(),
                cells.start as u32,
                starts.split_off_mut(..range.len()).unwrap_or_default(),
                carried.split_off_mut(..range.len()).unwrap_or_default(),
                parent.split_off_mut(..(cells.end - cells.start) as usize).unwrap_or_default(),
            ));
        }
        let begin = |(range, first, starts, carried, parent): (_, u32, &mut [u64], &mut [u32], &mut [AtomicU32])| {
            parent.iter_mut().zip(first..).for_each(|(parent, c)| *parent.get_mut() = c);
            begin_runs(bonds, range, starts, carried);
        };
        each(pool, parts, begin);
        let runs = Runs { words, starts: &self.starts, carried: &self.carried, parent: &self.parent };
        let ranges = self.stretches.iter().map(|(range, _)| range.clone()).collect();
        let apart = each(pool, ranges, |range| join_within(bonds, &runs, range, keep_seams));
        let mut seams = Vec::new();
        for (across, of_seams) in apart {
            across.into_iter().for_each(|(a, b)| unite(&self.parent, a, b));
            seams.extend(of_seams);
        }
        seams
    }

    /// Joins two runs.
    pub(super) fn unite(&self, a: u32, b: u32) {
        unite(&self.parent, a, b);
    }

    /// The root of a run's cluster.
    pub(super) fn root(&self, run: u32) -> u32 {
        root_of(&self.parent, run)
    }

    /// Finds the root of each piece.
    pub(super) fn find_roots(&mut self, words: &RowWords, pool: Option<&ThreadPool>) {
        let (starts, carried, parent) = (&self.starts[..], &self.carried[..], &self.parent[..]);
        self.tops.resize(words.len(), 0);
        let (mut tops, mut parts) = (&mut self.tops[..], Vec::new());
        for (range, roots) in &mut self.stretches {
            parts.push((range.clone(), roots, tops.split_off_mut(..range.len()).unwrap_or_default()));
        }
        each(pool, parts, |(range, roots, tops): (Range<usize>, &mut Vec<u32>, &mut [u64])| {
            roots.clear();
            let pieces: u32 = starts[range.clone()].iter().map(|starts| starts.count_ones()).sum();
            // A piece more for each word that a run goes into.
            roots.reserve(pieces as usize + range.len());
            find_roots_of((words, starts, carried), parent, range, (roots, tops));
        });
    }

    /// Visits the pieces of a stretch.
    #[inline(always)]
    pub(super) fn for_each_piece(&self, words: &RowWords, stretch: usize, visit: impl FnMut(&RunPiece)) {
        visit_pieces(self, words, stretch, visit);
    }
}

with_vectors! {
    for ["bmi1" "bmi2" "lzcnt" "popcnt"]
    /// Visits the pieces of a stretch.
    fn visit_pieces<V: FnMut(&RunPiece)> = visit_each_piece(forest: &ClusterForest, words: &RowWords, stretch: usize, visit: V)
}

#[inline(always)]
fn visit_each_piece(forest: &ClusterForest, words: &RowWords, stretch: usize, mut visit: impl FnMut(&RunPiece)) {
    let (range, roots) = &forest.stretches[stretch];
    let mut roots = roots.iter();
    for (block, range) in words.by_block(range.clone()) {
        for word in range {
            let (number, cells) = (block * words.words_of_block() + word, words.words()[word].cells);
            let mut starts = forest.starts[number] | cells & cells.wrapping_neg();
            while starts != 0 {
                let first = starts & starts.wrapping_neg();
                starts ^= first;
                // Up to the next one, or to the end.
                let places = (starts & starts.wrapping_neg()).wrapping_sub(first) & cells;
                let Some(&root) = roots.next() else { unreachable!("each piece has a root") };
                visit(&RunPiece { block, word, number, places, root });
            }
        }
    }
}

/// Does something for each item, on the threads of a pool if there is one.
pub(super) fn each<I: Send, T: Send>(
    pool: Option<&ThreadPool>,
    items: Vec<I>,
    work: impl Fn(I) -> T + Sync + Send,
) -> Vec<T> {
    match pool {
        Some(pool) if items.len() > 1 => install(pool, || items.into_par_iter().map(work).collect()),
        _ => items.into_iter().map(work).collect(),
    }
}

/// The runs of all words while they are joined.
struct Runs<'a> {
    words: &'a RowWords,
    starts: &'a [u64],
    carried: &'a [u32],
    parent: &'a [AtomicU32],
}

impl Runs<'_> {
    /// The runs of a word.
    #[inline(always)]
    fn of(&self, (block, word): (usize, usize)) -> RunsOfWord<'_> {
        let number = block * self.words.words_of_block() + word;
        let (starts, carried) = (self.starts[number], self.carried[number]);
        RunsOfWord { starts, carried, cells: self.words.cells_at(block, word) }
    }
}

/// The runs of a word.
#[derive(Clone, Copy)]
struct RunsOfWord<'a> {
    starts: u64,
    carried: u32,
    cells: CellsOfWord<'a>,
}

impl RunsOfWord<'_> {
    /// The first cell of the run that the cell at a place belongs to.
    #[inline(always)]
    fn at(self, place: u32) -> u32 {
        let starts = self.starts & u64::MAX >> (63 - place);
        // Both are looked up: no processor guesses which one it is.
        let own = self.cells.at(63 - (starts | 1).leading_zeros());
        if starts == 0 { self.carried } else { own }
    }
}

/// Finds where runs begin in a stretch.
fn begin_runs(bonds: &OpenBonds<'_>, range: Range<usize>, starts: &mut [u64], carried: &mut [u32]) {
    let words = bonds.words;
    for (block, inner) in words.by_block(range.clone()) {
        for word in inner {
            let (number, of) = (block * words.words_of_block() + word, &words.words()[word]);
            let Some(along) = bonds.along else {
                starts[number - range.start] = of.cells;
                continue;
            };
            let belong = bonds.belong(number, of.cells);
            let mut joined = (along[number] & belong & of.chained & belong >> 1) << 1;
            if let Some((left_number, left)) = left_of(bonds, along, (block, word), number)
                && left_number >= range.start
            {
                joined |= 1;
                let before = starts[left_number - range.start];
                carried[number - range.start] = match before {
                    0 => carried[left_number - range.start],
                    _ => words.cell(left.0, left.1, 63 - before.leading_zeros()),
                };
            }
            starts[number - range.start] = of.cells & !joined;
        }
    }
}

/// The word whose last cell an open bond joins to the first cell of a word: its number, and its block and number there.
#[inline(always)]
fn left_of(
    bonds: &OpenBonds<'_>,
    along: &[u64],
    (block, word): (usize, usize),
    number: usize,
) -> Option<(usize, (usize, usize))> {
    let words = bonds.words;
    let left = words.left(block, word)?;
    let left_number = left.0 * words.words_of_block() + left.1;
    let cells = words.words()[left.1].cells;
    let last = 1u64 << (63 - cells.leading_zeros());
    let joined = along[left_number] & bonds.belong(left_number, cells) & last != 0;
    (joined && bonds.belong(number, words.words()[word].cells) & 1 == 1).then_some((left_number, left))
}

/// Pairs that are left: of runs in different stretches, and around joined axes.
type SetApart = (Vec<(u32, u32)>, Vec<Seam>);

with_vectors! {
    for ["bmi1" "bmi2" "lzcnt" "popcnt"]
    /// Joins the runs of a stretch. Returns the pairs of which one run is in another one and, if they are kept, those around joined axes.
    fn join_within = join_each(bonds: &OpenBonds<'_>, runs: &Runs<'_>, range: Range<usize>, keep_seams: bool) -> SetApart
}

#[inline(always)]
fn join_each(bonds: &OpenBonds<'_>, runs: &Runs<'_>, range: Range<usize>, keep_seams: bool) -> SetApart {
    let words = bonds.words;
    let (mut across, mut seams) = (Vec::new(), Vec::new());
    let mut later = Later { pairs: [(0, 0); LATER + 64], count: 0 };
    for (block, inner) in words.by_block(range.clone()) {
        let first = block * words.words_of_block();
        if let Some(along) = bonds.along.filter(|_| range.len() < words.len()) {
            // Runs end with their stretch.
            let is_cut = |word: &usize| {
                words
                    .left(block, *word)
                    .is_some_and(|left| !range.contains(&(left.0 * words.words_of_block() + left.1)))
            };
            for word in inner.clone().filter(is_cut) {
                if let Some((_, left)) = left_of(bonds, along, (block, word), first + word) {
                    let last = 63 - words.words()[left.1].cells.leading_zeros();
                    across.push((runs.of(left).at(last), words.cell(block, word, 0)));
                }
            }
        }
        for (open, links) in &bonds.open {
            for (to_block, round, links) in words.links_from(links, block, &inner) {
                let is_seam = keep_seams && round != [0; 3];
                for link in links {
                    let (from, to) = ((block, link.from as usize), (to_block, link.to as usize));
                    let numbers = [first + from.1, to_block * words.words_of_block() + to.1];
                    let pairs = pairs_of(bonds, runs, open, link, numbers);
                    if pairs == 0 {
                        continue;
                    }
                    let (from, to) = (runs.of(from), runs.of(to));
                    let ends = |place: u32| (from.at(place), to.at(place.wrapping_add_signed(link.shift)));
                    if is_seam || !range.contains(&numbers[1]) {
                        for (from, to) in places_of(pairs).map(ends) {
                            match is_seam {
                                true => seams.push(Seam { from, to, round }),
                                false => across.push((from, to)),
                            }
                        }
                        continue;
                    }
                    let mut rest = pairs;
                    while rest != 0 {
                        let (a, b) = ends(rest.trailing_zeros());
                        rest &= rest - 1;
                        later.join(runs.parent, a, b);
                    }
                    if later.count >= LATER {
                        later.finish(runs.parent);
                    }
                }
            }
        }
    }
    later.finish(runs.parent);
    (across, seams)
}

/// The places of open bonds of a link, without those that follow from the one before and from runs.
#[inline(always)]
fn pairs_of(bonds: &OpenBonds<'_>, runs: &Runs<'_>, open: &[u64], link: &WordLink, [from, to]: [usize; 2]) -> u64 {
    let words = bonds.words.words();
    let cells = [words[link.from as usize].cells, words[link.to as usize].cells];
    let pairs =
        open[from] & link.places & bonds.belong(from, cells[0]) & shifted(bonds.belong(to, cells[1]), link.shift);
    // Which cells have the next one in their run.
    let goes_on = [(cells[0] & !runs.starts[from]) >> 1, (cells[1] & !runs.starts[to]) >> 1];
    let both = pairs & goes_on[0] & shifted(goes_on[1], link.shift);
    pairs & !(both << 1)
}

/// The places of the ones of a word.
fn places_of(word: u64) -> impl Iterator<Item = u32> {
    let rest = std::iter::successors(Some(word), |word| Some(word & word.wrapping_sub(1)));
    rest.take_while(|word| *word != 0).map(u64::trailing_zeros)
}

/// Pairs whose roots are searched for later.
struct Later {
    pairs: [(u32, u32); LATER + 64],
    count: usize,
}

impl Later {
    /// Joins two runs, or leaves that for later.
    #[inline(always)]
    fn join(&mut self, parent: &[AtomicU32], a: u32, b: u32) {
        let (low, high) = (a.min(b), a.max(b));
        let above = [low, high].map(|run| parent[run as usize].load(Relaxed));
        // No way leads from the lesser one to this root: it would be greater.
        let is_root = above[1] == high;
        parent[high as usize].store(if is_root { above[0] } else { above[1] }, Relaxed);
        self.pairs[self.count] = (low, high);
        // Where both hang below the same cell, or one below the other, nothing is left to do.
        self.count += usize::from(!is_root & (above[1] != above[0]) & (above[1] != low));
    }

    fn finish(&mut self, parent: &[AtomicU32]) {
        self.pairs[..self.count].iter().for_each(|(a, b)| unite(parent, *a, *b));
        self.count = 0;
    }
}

/// Joins the clusters of two runs.
#[inline]
fn unite(parent: &[AtomicU32], a: u32, b: u32) {
    let [a, b] = [a, b].map(|mut run| {
        loop {
            let above = parent[run as usize].load(Relaxed);
            if above == run {
                return run;
            }
            let next = parent[above as usize].load(Relaxed);
            parent[run as usize].store(next, Relaxed);
            run = next;
        }
    });
    parent[a.max(b) as usize].store(a.min(b), Relaxed);
}

/// The root above a run, which is put directly below it.
#[inline(always)]
fn root_of(parent: &[AtomicU32], run: u32) -> u32 {
    let above = parent[run as usize].load(Relaxed);
    let mut root = parent[above as usize].load(Relaxed);
    loop {
        let next = parent[root as usize].load(Relaxed);
        if next == root {
            break;
        }
        root = next;
    }
    parent[run as usize].store(root, Relaxed);
    root
}

with_vectors! {
    for ["bmi1" "bmi2" "lzcnt" "popcnt"]
    /// The roots of the pieces of a stretch.
    fn find_roots_of = find_each_root(runs: (&RowWords, &[u64], &[u32]), parent: &[AtomicU32], range: Range<usize>, found: (&mut Vec<u32>, &mut [u64]))
}

#[inline(always)]
fn find_each_root(
    (words, starts, carried): (&RowWords, &[u64], &[u32]),
    parent: &[AtomicU32],
    range: Range<usize>,
    (roots, tops): (&mut Vec<u32>, &mut [u64]),
) {
    for (block, inner) in words.by_block(range.clone()) {
        for word in inner {
            let (number, cells) = (block * words.words_of_block() + word, words.words()[word].cells);
            let (mut rest, of_word) = (starts[number], words.cells_at(block, word));
            if cells & cells.wrapping_neg() & !rest != 0 {
                roots.push(root_of(parent, carried[number]));
            }
            let mut top = 0;
            while rest != 0 {
                let (place, first) = (rest & rest.wrapping_neg(), of_word.at(rest.trailing_zeros()));
                let root = root_of(parent, first);
                top |= if root == first { place } else { 0 };
                roots.push(root);
                rest ^= place;
            }
            tops[number - range.start] = top;
        }
    }
}
