//! In which launches the rows of a layout are folded into one.

use super::FOLD_DIGITS;

/// A thread folds about so many rows.
const TOGETHER: u64 = 64;

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
    /// One of two places for what the next launch folds on.
    Between(usize),
    /// What groups came to, from the group of this number on.
    Groups(u64),
    /// The rows in the end, from the member of this number on.
    Result(u64),
}

/// One launch of a folding kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoldLaunch {
    /// Where the rows are that it folds.
    pub source: FoldPlace,
    /// The digits that it folds.
    pub digits: FoldDigits,
    /// How many rows it makes.
    pub rows: u64,
    /// Where it puts them.
    pub target: FoldPlace,
}

/// Some groups whose rows are in memory together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoldPiece {
    /// The first of its groups.
    pub first: u64,
    /// How many it has.
    pub groups: u64,
}

/// How the rows of a layout are folded into one for each member. Rows that share their top digits are a group, which is folded for itself; a
/// piece is some groups that follow each other, also those of several members.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoldPlan {
    inside: Vec<FoldDigits>,
    outside: Vec<FoldDigits>,
    /// The rows of a group.
    pub group: u64,
    /// How many groups there are, of all members.
    pub groups: u64,
    members: u64,
    groups_at_once: u64,
}

impl FoldPlan {
    /// For the rows of so many members that follow each other, each with digits of these k, the finest first, of which the first `whole` are
    /// not divided: pieces of at most `most` rows, if groups can be as small.
    pub fn new(ks: &[u64], whole: usize, most: u64, members: u64) -> FoldPlan {
        let rows = |digits: usize| -> u64 { ks[..digits].iter().product() };
        let digits = (whole..=ks.len()).rev().find(|digits| rows(*digits) <= most).unwrap_or(whole);
        let group = rows(digits);
        let groups = rows(ks.len()) / group * members;
        let mut inside = launches(&ks[..digits]);
        if inside.is_empty() {
            // No digit to fold, but values become what folds make of them.
            inside.push([1; FOLD_DIGITS]);
        }
        let groups_at_once = (most / group).clamp(1, groups);
        FoldPlan { inside, outside: launches(&ks[digits..]), group, groups, members, groups_at_once }
    }

    /// How many rows one launch folds into one of the first rows that are left, where rows have these digits.
    pub fn first_folds(ks: &[u64]) -> u64 {
        launches(ks).first().map_or(1, rows_of)
    }

    /// The pieces, one after the other.
    pub fn pieces(&self) -> impl Iterator<Item = FoldPiece> {
        (0..self.groups).step_by(self.groups_at_once as usize).map(|first| {
            let groups = self.groups_at_once.min(self.groups - first);
            FoldPiece { first, groups }
        })
    }

    /// The most rows of a piece.
    pub fn most_rows(&self) -> u64 {
        self.groups_at_once * self.group
    }

    /// The most rows that a launch leaves between two launches.
    pub fn most_between(&self) -> u64 {
        let of = |launches: &[FoldDigits], rows: u64| match launches {
            [first, _, ..] => rows / rows_of(first),
            _ => 0,
        };
        of(&self.inside, self.most_rows()).max(of(&self.outside, self.groups))
    }

    /// The rows that stand for groups.
    pub fn group_rows(&self) -> u64 {
        if self.outside.is_empty() { 0 } else { self.groups }
    }

    /// The launches that fold each group of a piece into a row.
    pub fn of_piece(&self, piece: FoldPiece) -> Vec<FoldLaunch> {
        let target =
            if self.outside.is_empty() { FoldPlace::Result(piece.first) } else { FoldPlace::Groups(piece.first) };
        chain(&self.inside, piece.groups, FoldPlace::Columns, target)
    }

    /// The launches after those of all pieces: they fold the rows of the groups.
    pub fn of_groups(&self) -> Vec<FoldLaunch> {
        chain(&self.outside, self.members, FoldPlace::Groups(0), FoldPlace::Result(0))
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

/// Launches of which each folds on what the one before it made, to so many rows in the end.
fn chain(launches: &[FoldDigits], results: u64, source: FoldPlace, target: FoldPlace) -> Vec<FoldLaunch> {
    let mut rows = results * launches.iter().map(rows_of).product::<u64>();
    let last = launches.len().saturating_sub(1);
    let launch = |(index, digits): (usize, &FoldDigits)| {
        rows /= rows_of(digits);
        FoldLaunch {
            source: if index == 0 { source } else { FoldPlace::Between((index - 1) % 2) },
            digits: *digits,
            rows,
            target: if index == last { target } else { FoldPlace::Between(index % 2) },
        }
    };
    launches.iter().enumerate().map(launch).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::ReductionKind;
    use crate::numbers::digest::mix;
    use crate::reduce::fold::{FloatFold, FoldTree};

    /// What a kernel makes of rows of one place.
    fn run(kind: ReductionKind, source: &[f64], digits: FoldDigits, rows: u64) -> Vec<f64> {
        let mut values = source.to_vec();
        for k in digits {
            let fold = |chunk: &[f64]| chunk.iter().fold(None, |before, value| Some(kind.float(before, *value)));
            values = values.chunks(k as usize).map(|chunk| fold(chunk).expect("no digit of 0")).collect();
        }
        values.truncate(rows as usize);
        values
    }

    fn follow(kind: ReductionKind, plan: &FoldPlan, terms: &[f64]) -> Vec<f64> {
        let mut between = [vec![], vec![]];
        let (mut groups, mut result) = (vec![f64::NAN; plan.group_rows() as usize], vec![]);
        let mut launches: Vec<(u64, FoldLaunch)> = Vec::new();
        for piece in plan.pieces() {
            assert!(piece.groups * plan.group <= plan.most_rows());
            launches.extend(plan.of_piece(piece).into_iter().map(|launch| (piece.first * plan.group, launch)));
        }
        launches.extend(plan.of_groups().into_iter().map(|launch| (0, launch)));
        for (first, FoldLaunch { source, digits, rows, target }) in launches {
            let from = match source {
                FoldPlace::Columns => &terms[first as usize..],
                FoldPlace::Between(index) => &between[index],
                FoldPlace::Groups(first) => &groups[first as usize..],
                FoldPlace::Result(_) => panic!("the end"),
            };
            let taken = (rows * rows_of(&digits)) as usize;
            let made = run(kind, &from[..taken], digits, rows);
            match target {
                FoldPlace::Columns => panic!("terms are not written"),
                FoldPlace::Between(index) => {
                    assert!(made.len() as u64 <= plan.most_between());
                    between[index] = made;
                }
                FoldPlace::Groups(first) => groups[first as usize..][..made.len()].copy_from_slice(&made),
                FoldPlace::Result(first) => {
                    assert_eq!(result.len() as u64, first);
                    result.extend(made);
                }
            }
        }
        assert_eq!(result.len() as u64, plan.members);
        result
    }

    #[test]
    fn all_plans_fold_as_the_definition_does() {
        let kinds = [ReductionKind::Sum, ReductionKind::Min, ReductionKind::Max];
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
                            let found: Vec<u64> = follow(kind, &plan, &terms).into_iter().map(f64::to_bits).collect();
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
        assert_eq!((plan.group, plan.groups, plan.most_rows()), (3u64.pow(11), 81, 2 * 3u64.pow(11)));
        assert_eq!(plan.pieces().count(), 41);
        assert_eq!(plan.pieces().map(|piece| piece.groups).sum::<u64>(), 81);
        assert_eq!(FoldPlan::new(&ks, 3, 5, 1).group, 27, "micro cells stay together");
        assert_eq!(FoldPlan::new(&[], 0, 5, 1).pieces().count(), 1);
        assert_eq!(FoldPlan::new(&ks, 0, u64::MAX, 1).of_groups(), []);
    }
}
