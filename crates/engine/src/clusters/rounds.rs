//! Which clusters go round joined axes.
//!
//! Clusters were found without the bonds around joined axes, so that all cells of each have one place beside its root. OpenBonds around axes join these clusters, each a number of
//! rounds further than the other: two ways between the same clusters that differ in it make a closed one that goes round.

use super::forest::{ClusterForest, Seam};
use std::collections::BTreeMap;

/// The roots of clusters that go round each axis, by all bonds. Joins the clusters that the seams join.
pub(super) fn join_seams(forest: &ClusterForest, seams: &[Seam]) -> BTreeMap<u32, [bool; 3]> {
    let roots = |seam: &Seam| [forest.root(seam.from), forest.root(seam.to)];
    let mut numbers: Vec<u32> = seams.iter().flat_map(roots).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let number = |root: u32| numbers.partition_point(|other| *other < root);
    let mut parts = RoundParts {
        parent: (0..numbers.len()).collect(),
        rounds: vec![[0; 3]; numbers.len()],
        goes_round: vec![[false; 3]; numbers.len()],
    };
    for seam in seams {
        let [from, to] = roots(seam).map(number);
        parts.join(from, to, seam.round.map(i64::from));
    }
    seams.iter().for_each(|seam| forest.unite(seam.from, seam.to));
    let mut all = BTreeMap::new();
    for part in 0..numbers.len() {
        let (top, _) = parts.find(part);
        if parts.goes_round[top] != [false; 3] {
            all.insert(forest.root(numbers[top]), parts.goes_round[top]);
        }
    }
    all
}

/// Clusters without seams, as trees.
struct RoundParts {
    parent: Vec<usize>,
    /// How many rounds further each is than its parent.
    rounds: Vec<[i64; 3]>,
    /// Of the topmost ones.
    goes_round: Vec<[bool; 3]>,
}

impl RoundParts {
    /// The topmost one above a part, and how many rounds further the part is.
    fn find(&mut self, part: usize) -> (usize, [i64; 3]) {
        let (mut top, mut path) = (part, Vec::new());
        while self.parent[top] != top {
            path.push(top);
            top = self.parent[top];
        }
        let mut from_top = [0; 3];
        for below in path.into_iter().rev() {
            from_top = [0, 1, 2].map(|axis| from_top[axis] + self.rounds[below][axis]);
            (self.parent[below], self.rounds[below]) = (top, from_top);
        }
        (top, from_top)
    }

    fn join(&mut self, a: usize, b: usize, round: [i64; 3]) {
        let ((a, of_a), (b, of_b)) = (self.find(a), self.find(b));
        // How much further the top of b is than that of a.
        let further = [0, 1, 2].map(|axis| of_a[axis] + round[axis] - of_b[axis]);
        if a == b {
            (0..3).for_each(|axis| self.goes_round[a][axis] |= further[axis] != 0);
            return;
        }
        (self.parent[b], self.rounds[b]) = (a, further);
        (0..3).for_each(|axis| self.goes_round[a][axis] |= self.goes_round[b][axis]);
    }
}
