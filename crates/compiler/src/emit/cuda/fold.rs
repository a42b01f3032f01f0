//! In which launches of `templates/reduce.cu` floats are folded.
//!
//! Terms stand in rows, which follow each other in canonical order: a row has a place for each lane of a column, and each place is folded for itself. A
//! launch folds consecutive rows, as many as its digits multiply to, into one row of f64. [`reduce::fold`](crate::reduce::fold) says what comes out.

use crate::ir::Combine;
use crate::kernel::LaneType;
use crate::reduce::fold::FOLD_OF_CELLS;
use std::ops::Range;

/// The most digits that a launch folds.
pub const FOLD_DIGITS: usize = 4;

/// The approximate number of rows that a thread folds.
const TOGETHER: u64 = 64;

/// The kernel that folds terms of a type of floats.
pub const fn fold_kernel(ty: LaneType) -> &'static str {
    if matches!(ty, LaneType::F64) { "fold_f64" } else { "fold_f32" }
}

/// The number of a kind of reduction in that kernel.
pub const fn fold_kind(kind: Combine) -> u32 {
    match kind {
        Combine::Sum | Combine::Count => 0,
        Combine::Min => 1,
        Combine::Max => 2,
    }
}

/// The digits of one launch, the finest first: as many rows become one.
pub type FoldDigits = [u32; FOLD_DIGITS];

/// How many rows a launch folds into one.
fn rows_of(digits: &FoldDigits) -> u64 {
    digits.iter().map(|k| u64::from(*k)).product()
}

/// Where rows stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoldPlace {
    /// The columns of a piece, from its first row on.
    Columns,
    /// One of two places for rows that the next launch folds on.
    Between(usize),
    /// The results of groups, from the group of this number on.
    Groups(u64),
    /// The rows in the end, from the member of this number on.
    Result(u64),
}

/// One launch of a folding kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoldLaunch {
    /// Where the rows are that it folds.
    pub source: FoldPlace,
    /// How many there are.
    pub rows: u64,
    /// The digits that it folds. The last rows may be fewer.
    pub digits: FoldDigits,
    /// Where it puts the rows that it makes.
    pub target: FoldPlace,
}

impl FoldLaunch {
    /// How many rows it makes.
    pub fn results(&self) -> u64 {
        self.rows.div_ceil(rows_of(&self.digits))
    }
}

/// How rows are folded into one for each member. Rows that share their top digits are a group, which is folded for itself; a
/// piece is some groups that follow each other, also those of several members, whose rows are in memory together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoldPlan {
    inside: Vec<FoldDigits>,
    outside: Vec<FoldDigits>,
    /// The rows of a group, but for the last one.
    group: u64,
    /// The rows of all members.
    rows: u64,
    groups_at_once: u64,
}

impl FoldPlan {
    /// The plan for the consecutive rows of `members` members, each with digits of `ks`, the finest first. The first `whole` digits are
    /// not divided: pieces of at most `most` rows, if groups can be as small.
    pub fn new(ks: &[u64], whole: usize, most: u64, members: u64) -> FoldPlan {
        let rows = |digits: usize| -> u64 { ks[..digits].iter().product() };
        let digits = (whole..=ks.len()).rev().find(|digits| rows(*digits) <= most).unwrap_or(whole);
        let group = rows(digits);
        let groups = rows(ks.len()) / group * members;
        let mut inside = launches(&ks[..digits]);
        if inside.is_empty() {
            // There is no digit to fold, but a launch turns terms into folds.
            inside.push([1; FOLD_DIGITS]);
        }
        let groups_at_once = (most / group).clamp(1, groups);
        FoldPlan { inside, outside: launches(&ks[digits..]), group, rows: groups * group, groups_at_once }
    }

    /// The plan for `cells` cells without digits, each a row: groups of [`FOLD_OF_CELLS`]. The caller chooses the pieces.
    pub fn of_cells(cells: u64) -> FoldPlan {
        let block = [FOLD_OF_CELLS as u32, 1, 1, 1];
        let blocks = |rows: &u64| (*rows > 1).then(|| rows.div_ceil(FOLD_OF_CELLS));
        let outside = std::iter::successors(Some(cells.div_ceil(FOLD_OF_CELLS)), blocks).skip(1).map(|_| block);
        FoldPlan {
            inside: vec![block],
            outside: outside.collect(),
            group: FOLD_OF_CELLS,
            rows: cells,
            groups_at_once: 1,
        }
    }

    /// How many rows one launch folds into one of the first rows that are left, where rows have these digits.
    pub fn first_folds(ks: &[u64]) -> u64 {
        launches(ks).first().map_or(1, rows_of)
    }

    /// The rows of each piece.
    pub fn pieces(&self) -> impl Iterator<Item = Range<u64>> {
        let most = self.groups_at_once * self.group;
        (0..self.rows).step_by(most as usize).map(move |first| first..(first + most).min(self.rows))
    }

    /// The most rows between two launches, for pieces of at most `piece` rows.
    pub fn most_between(&self, piece: u64) -> u64 {
        let of = |launches: &[FoldDigits], rows: u64| match launches {
            [first, _, ..] => rows.div_ceil(rows_of(first)),
            _ => 0,
        };
        of(&self.inside, piece).max(of(&self.outside, self.groups()))
    }

    /// How many groups there are, of all members.
    fn groups(&self) -> u64 {
        self.rows.div_ceil(self.group)
    }

    /// The rows that stand for groups.
    pub fn group_rows(&self) -> u64 {
        if self.outside.is_empty() { 0 } else { self.groups() }
    }

    /// The launches that fold each group of a piece into a row.
    pub fn of_piece(&self, rows: &Range<u64>) -> Vec<FoldLaunch> {
        let first = rows.start / self.group;
        let target = if self.outside.is_empty() { FoldPlace::Result(first) } else { FoldPlace::Groups(first) };
        chain(&self.inside, rows.end - rows.start, FoldPlace::Columns, target)
    }

    /// The launches after those of all pieces: they fold the rows of the groups.
    pub fn of_groups(&self) -> Vec<FoldLaunch> {
        chain(&self.outside, self.groups(), FoldPlace::Groups(0), FoldPlace::Result(0))
    }
}

/// Digits, the finest first, shared out over launches.
fn launches(ks: &[u64]) -> Vec<FoldDigits> {
    let mut launches: Vec<FoldDigits> = Vec::new();
    let mut used = FOLD_DIGITS;
    for &k in ks {
        match launches.last_mut().filter(|last| used < FOLD_DIGITS && rows_of(last) * k <= TOGETHER) {
            Some(last) => last[used] = k as u32,
            None => {
                used = 0;
                let mut digits = [1; FOLD_DIGITS];
                digits[0] = k as u32;
                launches.push(digits);
            }
        }
        used += 1;
    }
    launches
}

/// Launches in a chain: the first folds `rows` rows, each later one the rows of the launch before it.
fn chain(launches: &[FoldDigits], mut rows: u64, source: FoldPlace, target: FoldPlace) -> Vec<FoldLaunch> {
    let last = launches.len().saturating_sub(1);
    let launch = |(index, digits): (usize, &FoldDigits)| {
        let launch = FoldLaunch {
            source: if index == 0 { source } else { FoldPlace::Between((index - 1) % 2) },
            rows,
            digits: *digits,
            target: if index == last { target } else { FoldPlace::Between(index % 2) },
        };
        rows = launch.results();
        launch
    };
    launches.iter().enumerate().map(launch).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Combine;
    use crate::numbers::digest::mix;
    use crate::reduce::fold::{FloatFold, FoldTree};

    /// The result of a kernel on the rows of one place.
    fn run(kind: Combine, source: &[f64], digits: FoldDigits) -> Vec<f64> {
        let mut values = source.to_vec();
        for k in digits {
            let fold = |chunk: &[f64]| chunk.iter().fold(None, |before, value| Some(kind.float(before, *value)));
            values = values.chunks(k as usize).map(|chunk| fold(chunk).expect("no digit of 0")).collect();
        }
        values
    }

    fn follow(kind: Combine, plan: &FoldPlan, pieces: &[Range<u64>], terms: &[f64]) -> Vec<f64> {
        let mut between = [vec![], vec![]];
        let (mut groups, mut result) = (vec![f64::NAN; plan.group_rows() as usize], vec![]);
        let mut launches: Vec<(u64, FoldLaunch)> = Vec::new();
        let most = pieces.iter().map(|piece| piece.end - piece.start).max().unwrap_or(0);
        for piece in pieces {
            launches.extend(plan.of_piece(piece).into_iter().map(|launch| (piece.start, launch)));
        }
        launches.extend(plan.of_groups().into_iter().map(|launch| (0, launch)));
        for (first, launch) in launches {
            let from = match launch.source {
                FoldPlace::Columns => &terms[first as usize..],
                FoldPlace::Between(index) => &between[index],
                FoldPlace::Groups(first) => &groups[first as usize..],
                FoldPlace::Result(_) => panic!("the end"),
            };
            let made = run(kind, &from[..launch.rows as usize], launch.digits);
            assert_eq!(made.len() as u64, launch.results());
            match launch.target {
                FoldPlace::Columns => panic!("terms are not written"),
                FoldPlace::Between(index) => {
                    assert!(made.len() as u64 <= plan.most_between(most));
                    between[index] = made;
                }
                FoldPlace::Groups(first) => groups[first as usize..][..made.len()].copy_from_slice(&made),
                FoldPlace::Result(first) => {
                    assert_eq!(result.len() as u64, first);
                    result.extend(made);
                }
            }
        }
        result
    }

    #[test]
    fn cells_without_digits_are_folded_as_the_definition_says() {
        for cells in [2, 31, 32, 33, 1023, 1024, 1025, 1056, 1057, 33_000] {
            let terms: Vec<f64> = (0..cells).map(|c| mix(c) as i64 as f64 / (1.0 + c as f64)).collect();
            let plan = FoldPlan::of_cells(cells);
            for most in [32, 96, 40_000] {
                let pieces: Vec<_> = (0..cells).step_by(most).map(|c| c..(c + most as u64).min(cells)).collect();
                for kind in [Combine::Sum, Combine::Min, Combine::Max] {
                    let mut fold = FloatFold::new(kind, &FoldTree::of_cells(cells));
                    terms.iter().for_each(|term| fold.push(*term));
                    let found = follow(kind, &plan, &pieces, &terms);
                    assert_eq!(found.iter().map(|v| v.to_bits()).collect::<Vec<_>>(), [fold.finish().to_bits()]);
                }
            }
        }
    }

    #[test]
    fn all_plans_fold_as_the_definition_does() {
        let kinds = [Combine::Sum, Combine::Min, Combine::Max];
        let lists: [&[u64]; 8] =
            [&[3], &[3; 8], &[2; 13], &[5; 5], &[8, 3, 8, 3, 8], &[1, 2, 1, 3], &[100, 7], &[2, 70, 2]];
        for ks in lists {
            let cells: u64 = ks.iter().product();
            for members in [1, 3] {
                let mut terms: Vec<f64> =
                    (0..members * cells).map(|c| mix(c) as i64 as f64 / (1.0 + c as f64)).collect();
                terms[cells as usize / 3] = f64::NAN;
                for kind in kinds {
                    let of_member = |terms: &[f64]| {
                        let mut fold = FloatFold::new(kind, &FoldTree::of_digits(ks.iter().copied()));
                        terms.iter().for_each(|term| fold.push(*term));
                        fold.finish().to_bits()
                    };
                    let wanted: Vec<u64> = terms.chunks(cells as usize).map(of_member).collect();
                    for whole in 0..=ks.len().min(3) {
                        for most in [0, 1, 2, 5, 9, 27, 100, 1000, u64::MAX] {
                            let plan = FoldPlan::new(ks, whole, most, members);
                            let pieces: Vec<_> = plan.pieces().collect();
                            let found = follow(kind, &plan, &pieces, &terms);
                            let found: Vec<u64> = found.into_iter().map(f64::to_bits).collect();
                            assert_eq!(found, wanted, "{ks:?} {kind:?} {plan:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn pieces_are_no_larger_than_they_must_be() {
        let ks = [3; 15];
        let plan = FoldPlan::new(&ks, 3, 500_000, 1);
        let pieces: Vec<u64> = plan.pieces().map(|piece| piece.end - piece.start).collect();
        assert_eq!((plan.group, plan.groups(), pieces[0]), (3u64.pow(11), 81, 2 * 3u64.pow(11)));
        assert_eq!((pieces.len(), pieces.iter().sum::<u64>()), (41, 81 * 3u64.pow(11)));
        assert_eq!(FoldPlan::new(&ks, 3, 5, 1).group, 27, "micro cells stay together");
        assert_eq!(FoldPlan::new(&[], 0, 5, 1).pieces().count(), 1);
        assert_eq!(FoldPlan::new(&ks, 0, u64::MAX, 1).of_groups(), []);
    }
}
