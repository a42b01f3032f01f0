//! Which cells of a mask hang together: union of neighbours, a stretch of a row at a time, on all threads.
//!
//! If a step to the place beside joins cells, all cells of a *run*, a stretch of cells in a row, hang together, and runs are joined: 8 bytes
//! for each, and a row has at most one for two places. Otherwise every cell is a run of its own. The root of a component is the first of its
//! runs in reading order. Threads join the runs of some rows each; runs in rows of two threads are joined at the end.

use super::bitmap::Bitmap;
use super::threads::on_threads;
use std::collections::BTreeMap;
use std::ops::Range;

/// Places that a thread takes at least.
const LEAST_PLACES: u64 = 1 << 16;

/// The components of a bitmap.
pub(super) struct Components<'b> {
    bitmap: &'b Bitmap,
    /// Whether runs are single cells.
    single: bool,
    /// By row the number of its first run; at the end the number of all.
    first_of_row: Vec<u32>,
    /// By run the root of its component.
    roots: Vec<u32>,
}

/// By distance of rows along y and z, the ranges of distances along x that join cells.
type JoiningRanges = BTreeMap<[i32; 2], Vec<[i64; 2]>>;

impl<'b> Components<'b> {
    /// The components that these steps, and the steps back, make.
    pub(crate) fn new(bitmap: &'b Bitmap, offsets: &[[i32; 3]], periodic: [bool; 3]) -> Self {
        let single = !offsets.iter().any(|offset| matches!(offset, [1 | -1, 0, 0]));
        let rows = (bitmap.extent[1] as usize) * bitmap.extent[2] as usize;
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = threads.min((bitmap.places() / LEAST_PLACES) as usize).clamp(1, rows);
        let pieces: Vec<Range<usize>> =
            (0..threads).map(|piece| piece * rows / threads..(piece + 1) * rows / threads).collect();

        let mut components = Components { bitmap, single, first_of_row: Vec::new(), roots: Vec::new() };
        let counts: Vec<Vec<u32>> =
            on_threads(pieces.clone(), |rows| rows.map(|row| components.runs(row).count() as u32).collect());
        let mut all = 0u32;
        components.first_of_row = Vec::with_capacity(rows + 1);
        for count in counts.into_iter().flatten() {
            components.first_of_row.push(all);
            all += count;
        }
        components.first_of_row.push(all);

        let links = links(offsets);
        let mut roots: Vec<u32> = (0..all).collect();
        let mut rest = &mut roots[..];
        let mut works = Vec::new();
        for rows in pieces.clone() {
            let first = components.first_of_row[rows.start];
            let (own, others) = rest.split_at_mut((components.first_of_row[rows.end] - first) as usize);
            rest = others;
            works.push((rows, Forest { first, parents: own }));
        }
        on_threads(works, |(rows, mut forest)| {
            components.join(rows.clone(), &links, periodic, |row| rows.contains(&row), &mut forest);
        });
        let mut forest = Forest { first: 0, parents: &mut roots };
        for rows in pieces {
            components.join(rows.clone(), &links, periodic, |row| !rows.contains(&row), &mut forest);
        }
        // Parents come before their children, so that those of all before are roots already.
        for run in 0..roots.len() {
            roots[run] = roots[roots[run] as usize];
        }
        components.roots = roots;
        components
    }

    /// The runs of a row: their first places in it and the ones behind their last.
    fn runs(&self, row: usize) -> impl Iterator<Item = [u32; 2]> + '_ {
        let width = u64::from(self.bitmap.extent[0]);
        let (first, end) = (row as u64 * width, (row as u64 + 1) * width);
        let mut at = first;
        std::iter::from_fn(move || {
            let start = self.bitmap.next(at, end, true);
            if start == end {
                return None;
            }
            at = if self.single { start + 1 } else { self.bitmap.next(start, end, false) };
            Some([(start - first) as u32, (at - first) as u32])
        })
    }

    /// Joins the runs of some rows with those in rows for which `other` is true.
    fn join(
        &self,
        rows: Range<usize>,
        links: &JoiningRanges,
        periodic: [bool; 3],
        other: impl Fn(usize) -> bool,
        forest: &mut Forest<'_>,
    ) {
        let [width, height, depth] = self.bitmap.extent.map(i64::from);
        let (mut own, mut there) = (Vec::new(), Vec::new());
        for row in rows {
            own.clear();
            for (&[dz, dy], ranges) in links {
                let turned = |v: i64, side: i64, periodic: bool| match (0..side).contains(&v) {
                    true => Some(v),
                    false => periodic.then(|| v.rem_euclid(side)),
                };
                let y = turned(row as i64 % height + i64::from(dy), height, periodic[1]);
                let Some((y, z)) = y.zip(turned(row as i64 / height + i64::from(dz), depth, periodic[2])) else {
                    continue;
                };
                let neighbour = (z * height + y) as usize;
                if !other(neighbour) {
                    continue;
                }
                if own.is_empty() {
                    own.extend(self.runs(row));
                }
                there.clear();
                there.extend(self.runs(neighbour));
                let firsts = [self.first_of_row[row], self.first_of_row[neighbour]];
                for &[low, high] in ranges {
                    let mut next = 0;
                    for (index, &[start, end]) in own.iter().enumerate() {
                        let run = firsts[0] + index as u32;
                        let (start, end) = (i64::from(start) + low, i64::from(end) + high);
                        while there.get(next).is_some_and(|[_, end]| i64::from(*end) <= start) {
                            next += 1;
                        }
                        forest.join_all(run, firsts[1], &there, next, end);
                        if !periodic[0] || start >= 0 && end <= width {
                            continue;
                        }
                        // A stretch that leaves the row on one side comes back on the other.
                        let turns = [start.div_euclid(width), (end - 1).div_euclid(width)];
                        for turn in (turns[0]..=turns[1]).filter(|turn| *turn != 0) {
                            let (start, end) = (start - turn * width, end - turn * width);
                            let next = there.partition_point(|[_, end]| i64::from(*end) <= start);
                            forest.join_all(run, firsts[1], &there, next, end);
                        }
                    }
                }
            }
        }
    }

    /// Which runs are roots, and by run its root, or at a root the fold of its component's runs by `fold`.
    fn folded(&mut self, fold: impl Fn(u32, usize, [u32; 2]) -> u32) -> (Vec<u32>, Vec<u32>) {
        // A root needs no entry for its own root: the fold stands there.
        let mut is_root = vec![0u32; self.roots.len().div_ceil(32)];
        let mut folds = std::mem::take(&mut self.roots);
        for run in 0..folds.len() {
            if folds[run] as usize == run {
                is_root[run / 32] |= 1 << (run % 32);
                folds[run] = 0;
            }
        }
        let rows = 0..self.first_of_row.len() - 1;
        let mut number = 0;
        for row in rows {
            for run in self.runs(row) {
                let root = root_of(&is_root, &folds, number);
                folds[root] = fold(folds[root], row, run);
                number += 1;
            }
        }
        (is_root, folds)
    }

    /// The numbers of cells of all components.
    pub(crate) fn sizes(mut self) -> Vec<u64> {
        let (is_root, folds) = self.folded(|size, _, [start, end]| size + (end - start));
        let roots = (0..folds.len()).filter(|run| is_root[run / 32] >> (run % 32) & 1 == 1);
        roots.map(|root| u64::from(folds[root])).collect()
    }

    /// The words of a bitmap that has the cells of the largest component alone; of equal ones that of the first.
    pub(crate) fn largest(mut self) -> Vec<u32> {
        let (is_root, folds) = self.folded(|size, _, [start, end]| size + (end - start));
        let roots = (0..folds.len()).rev().filter(|run| is_root[run / 32] >> (run % 32) & 1 == 1);
        let largest = roots.max_by_key(|root| folds[*root]);
        self.kept(|run| Some(root_of(&is_root, &folds, run)) == largest)
    }

    /// The words of a bitmap that has the cells of those components alone that touch both sides along an axis; `None` if there is none.
    pub(crate) fn spanning(mut self, axis: usize) -> Option<Vec<u32>> {
        let [width, height, depth] = self.bitmap.extent;
        let touches = |touched: u32, row: usize, [start, end]: [u32; 2]| {
            let (y, z) = (row as u32 % height, row as u32 / height);
            let (low, high) = [(start == 0, end == width), (y == 0, y + 1 == height), (z == 0, z + 1 == depth)][axis];
            touched | u32::from(low) | u32::from(high) << 1
        };
        let (is_root, folds) = self.folded(touches);
        let mut roots = (0..folds.len()).filter(|run| is_root[run / 32] >> (run % 32) & 1 == 1);
        roots.any(|root| folds[root] == 3).then(|| self.kept(|run| folds[root_of(&is_root, &folds, run)] == 3))
    }

    /// The words of a bitmap with the runs for which `keep` is true.
    fn kept(&self, keep: impl Fn(usize) -> bool) -> Vec<u32> {
        let mut bitmap = Bitmap::empty(self.bitmap.dimension, self.bitmap.extent);
        let width = u64::from(self.bitmap.extent[0]);
        let mut number = 0;
        for row in 0..self.first_of_row.len() - 1 {
            for [start, end] in self.runs(row) {
                if keep(number) {
                    bitmap.fill(row as u64 * width + u64::from(start), u64::from(end - start), true);
                }
                number += 1;
            }
        }
        bitmap.into_words()
    }
}

/// The root of a run, in a list that has something else at roots.
fn root_of(is_root: &[u32], roots: &[u32], run: usize) -> usize {
    if is_root[run / 32] >> (run % 32) & 1 == 1 { run } else { roots[run] as usize }
}

/// Steps by row, each once: a step and the step back join the same cells.
fn links(offsets: &[[i32; 3]]) -> JoiningRanges {
    let mut distances: BTreeMap<[i32; 2], Vec<i64>> = BTreeMap::new();
    for &[x, y, z] in offsets {
        let forward = (z, y, x) > (0, 0, 0);
        let [x, y, z] = if forward { [x, y, z] } else { [-x, -y, -z] };
        distances.entry([z, y]).or_default().push(i64::from(x));
    }
    let ranges = |mut distances: Vec<i64>| {
        distances.sort_unstable();
        distances.dedup();
        let mut ranges: Vec<[i64; 2]> = Vec::new();
        for distance in distances {
            match ranges.last_mut() {
                Some([_, high]) if *high + 1 == distance => *high = distance,
                _ => ranges.push([distance; 2]),
            }
        }
        ranges
    };
    distances.into_iter().map(|(row, distances)| (row, ranges(distances))).collect()
}

/// Components of runs, joined step by step: each run points to an earlier run of its component, or to itself.
struct Forest<'r> {
    /// The number of the first run.
    first: u32,
    parents: &'r mut [u32],
}

impl Forest<'_> {
    /// The first run of a component, with the way there made shorter.
    fn root(&mut self, mut run: u32) -> u32 {
        loop {
            let parent = self.parents[(run - self.first) as usize];
            if parent == run {
                return run;
            }
            let above = self.parents[(parent - self.first) as usize];
            self.parents[(run - self.first) as usize] = above;
            run = above;
        }
    }

    /// Joins a run with those of a row that begin before `end`, from number `next` of them on.
    fn join_all(&mut self, run: u32, first: u32, row: &[[u32; 2]], next: usize, end: i64) {
        let reached = row[next..].iter().take_while(|[start, _]| i64::from(*start) < end).count();
        for other in next..next + reached {
            let (a, b) = (self.root(run), self.root(first + other as u32));
            self.parents[(a.max(b) - self.first) as usize] = a.min(b);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Dimension;
    use crate::numbers::digest::mix;

    /// Place by place, as the definition says.
    fn roots_of_places(bitmap: &Bitmap, offsets: &[[i32; 3]], periodic: [bool; 3]) -> Vec<Option<usize>> {
        let sides = bitmap.extent.map(i64::from);
        let count = bitmap.places() as usize;
        let mut roots: Vec<Option<usize>> =
            (0..count).map(|place| bitmap.contains(place as u64).then_some(place)).collect();
        loop {
            let before = roots.clone();
            for place in (0..count).filter(|place| bitmap.contains(*place as u64)) {
                let here =
                    [place as i64 % sides[0], place as i64 / sides[0] % sides[1], place as i64 / sides[0] / sides[1]];
                for offset in offsets {
                    let mut there = [0; 3];
                    let inside = (0..3).all(|axis| {
                        let v = here[axis] + i64::from(offset[axis]);
                        there[axis] = if periodic[axis] { v.rem_euclid(sides[axis]) } else { v };
                        (0..sides[axis]).contains(&there[axis])
                    });
                    let there = ((there[2] * sides[1] + there[1]) * sides[0] + there[0]) as usize;
                    if inside && roots[there].is_some() {
                        let least = roots[place].min(roots[there]);
                        (roots[place], roots[there]) = (least, least);
                    }
                }
            }
            if roots == before {
                return roots;
            }
        }
    }

    /// All runs in order: row, first place in it, the one behind the last, and root.
    fn all<'c>(components: &'c Components<'_>) -> impl Iterator<Item = (usize, [u32; 2], u32)> + 'c {
        let rows = 0..components.first_of_row.len() - 1;
        let runs = rows.flat_map(|row| components.runs(row).map(move |run| (row, run)));
        runs.zip(&components.roots).map(|((row, run), root)| (row, run, *root))
    }

    #[test]
    fn components_of_runs_are_those_of_places() {
        let steps: [&[[i32; 3]]; 6] = [
            &[[1, 0, 0], [0, 1, 0], [0, 0, 1]],
            &[[1, 0, 0], [-1, 1, 0], [0, 1, 0], [1, 1, 0], [0, 0, -1]],
            &[[1, 1, 0], [1, -1, 0]],
            &[[2, 0, 0], [0, 3, 0]],
            &[[-1, 0, 0], [3, 0, 0], [-4, -2, 0], [2, 5, 1]],
            &[[7, 0, 0], [1, 0, 0], [0, 0, 0]],
        ];
        let shapes = [[9, 8, 1], [33, 5, 1], [1, 30, 1], [40, 1, 1], [5, 6, 7], [64, 3, 2]];
        for (number, extent) in (0u64..).zip(shapes) {
            for density in [2, 4, 6] {
                let places: u32 = extent.iter().product();
                let dimension = if extent[2] > 1 { Dimension::Three } else { Dimension::Two };
                let is_cell = |place: u32| mix(u64::from(place) << 8 | number << 4 | density) % 8 < density;
                let bitmap = Bitmap::new(dimension, extent, (0..places).map(is_cell));
                for offsets in steps {
                    for periodic in [[false; 3], [true; 3], [true, false, true], [false, true, false]] {
                        let wanted = roots_of_places(&bitmap, offsets, periodic);
                        let components = Components::new(&bitmap, offsets, periodic);
                        let mut first_of_root = BTreeMap::new();
                        let mut found = vec![None; wanted.len()];
                        for (row, [start, end], root) in all(&components) {
                            let first = row * extent[0] as usize;
                            let root = *first_of_root.entry(root).or_insert(first + start as usize);
                            found[first + start as usize..first + end as usize].fill(Some(root));
                        }
                        assert_eq!(found, wanted, "{extent:?} {offsets:?} {periodic:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn threads_join_what_one_joins() {
        // Large enough for several threads, wherever there are some: a comb that hangs together at its last row alone, and one ring.
        let side = 600u32;
        let comb = |place: u32| (place % side).is_multiple_of(2) || place / side + 1 == side;
        let bitmap = Bitmap::new(Dimension::Two, [side, side, 1], (0..side * side).map(comb));
        let cells: u64 = bitmap.words().iter().map(|word| u64::from(word.count_ones())).sum();
        assert_eq!(bitmap.component_sizes(false), [cells]);
        let rows = |place: u32| (place / side).is_multiple_of(2) || place.is_multiple_of(side) && place / side % 4 == 1;
        let bitmap = Bitmap::new(Dimension::Two, [side, side, 1], (0..side * side).map(rows));
        assert_eq!(bitmap.component_sizes(false), vec![u64::from(2 * side + 1); side as usize / 4]);
    }
}
