//! Clusters, by a union of cells that loses no time on being fast: the root of each cluster is its least cell, and cells know where they lie beside the cell
//! above them, so that a cluster that goes round an axis meets itself at another place.

use super::Oracle;
use super::evaluate::{ReadableValues, happens};
use super::grid::There;
use crate::ir::{ClusterInput, ClusterQuantity, Clusters, Value};
use crate::numbers::{philox, scalar};

/// Bytes that each cell takes.
pub(super) const BYTES: u64 = 96;

/// Cells in trees, the least one of each cluster at the top.
struct Trees {
    parent: Vec<usize>,
    /// The place of a cell relative to its parent, in places of the unrolled domain.
    shift: Vec<[i64; 3]>,
    /// By roots: whether the cluster goes round each axis.
    wraps: Vec<[bool; 3]>,
}

impl Trees {
    fn of(cells: usize) -> Trees {
        Trees { parent: (0..cells).collect(), shift: vec![[0; 3]; cells], wraps: vec![[false; 3]; cells] }
    }

    /// The root of a cell's cluster, and where the cell lies from there.
    fn find(&mut self, cell: usize) -> (usize, [i64; 3]) {
        let mut path = Vec::new();
        let mut root = cell;
        while self.parent[root] != root {
            path.push(root);
            root = self.parent[root];
        }
        let mut from_root = [0; 3];
        for below in path.into_iter().rev() {
            for (along, own) in from_root.iter_mut().zip(self.shift[below]) {
                *along += own;
            }
            (self.parent[below], self.shift[below]) = (root, from_root);
        }
        (root, from_root)
    }

    fn join(&mut self, a: usize, b: usize, offset: [i64; 3]) {
        let ((a, from_a), (b, from_b)) = (self.find(a), self.find(b));
        let apart = [0, 1, 2].map(|axis| from_a[axis] + offset[axis] - from_b[axis]);
        if a == b {
            (0..3).for_each(|axis| self.wraps[a][axis] |= apart[axis] != 0);
            return;
        }
        let (least, other) = (a.min(b), a.max(b));
        (self.parent[other], self.shift[other]) = (least, if least == a { apart } else { apart.map(|v| -v) });
        (0..3).for_each(|axis| self.wraps[least][axis] |= self.wraps[other][axis]);
    }
}

impl Oracle {
    /// Finds clusters among what can be read, and hands over the values that are asked of them: the state, the place, the value.
    pub(super) fn find_clusters(
        &self,
        clusters: &Clusters,
        view: &ReadableValues<'_>,
        set: &mut dyn FnMut(usize, usize, Value),
    ) {
        let (grid, count) = (&self.grid, self.grid.cells.len());
        let bit = |state: usize, place: usize| view.states[state].get(place) == Value::Bit(true);
        let belongs = |place: usize| clusters.when.is_none_or(|when| bit(usize::from(when.0), place));
        let mut number_of = vec![usize::MAX; grid.mask.len()];
        grid.cells.iter().enumerate().for_each(|(c, place)| number_of[*place] = c);
        let mut trees = Trees::of(count);
        for (bond, offset) in clusters.bonds() {
            let offset = offset.map(i64::from);
            for (c, &place) in grid.cells.iter().enumerate() {
                if let There::Cell(there) = grid.look(grid.coordinate(place), offset)
                    && bit(usize::from(bond.0), place)
                    && belongs(place)
                    && belongs(there)
                {
                    trees.join(c, number_of[there], offset);
                }
            }
        }
        let roots: Vec<Option<usize>> = (0..count).map(|c| belongs(grid.cells[c]).then(|| trees.find(c).0)).collect();
        let mut groups: Vec<Vec<usize>> = vec![Vec::new(); count];
        roots.iter().enumerate().for_each(|(c, root)| groups[root.unwrap_or(c)].push(c));
        for value in &clusters.values {
            let is_of_all =
                !value.kind.draws() && !matches!(value.kind, ClusterQuantity::Root | ClusterQuantity::IsRoot);
            let mut by_root: Vec<Option<Value>> = vec![None; if is_of_all { count } else { 0 }];
            let ty = self.rule.state(value.to).ty;
            let of = |c: usize| match value.of {
                ClusterInput::Nothing => None,
                ClusterInput::Field(of) => Some(view.states[usize::from(of.0)].get(grid.cells[c])),
                ClusterInput::Constant(value) => Some(value),
            };
            for (c, root) in roots.iter().enumerate() {
                let at_root = root.and_then(|root| *by_root.get(root)?);
                if let Some(given) = at_root {
                    set(usize::from(value.to.0), grid.cells[c], given);
                    continue;
                }
                let members = || root.iter().flat_map(|root| &groups[*root]).copied();
                let numbers = || members().filter_map(|other| of(other)?.as_i128().map(|number| number as i64));
                let is_true = |other: usize| of(other) == Some(Value::Bit(true));
                let q = grid.draw_numbers[root.unwrap_or(c)];
                let word = |draw: u32| philox::draw(view.seed, q, view.time, draw);
                let typed = |number: i64| scalar::cast(ty, Value::I64(number));
                let given = match value.kind {
                    ClusterQuantity::Root => Value::I64(root.map_or(-1, |root| root as i64)),
                    ClusterQuantity::IsRoot => Value::Bit(*root == Some(c)),
                    ClusterQuantity::Count if value.of == ClusterInput::Nothing => Value::I64(members().count() as i64),
                    ClusterQuantity::Count => Value::I64(members().filter(|other| is_true(*other)).count() as i64),
                    ClusterQuantity::Sum => Value::I64(numbers().fold(0, i64::wrapping_add)),
                    ClusterQuantity::Any => Value::Bit(members().any(is_true)),
                    ClusterQuantity::All => Value::Bit(members().all(is_true)),
                    ClusterQuantity::Min => typed(numbers().min().unwrap_or(0)),
                    ClusterQuantity::Max => typed(numbers().max().unwrap_or(0)),
                    ClusterQuantity::Spans(axis) => {
                        let axis = usize::from(axis);
                        let along = |other: usize| grid.coordinate(grid.cells[other])[axis];
                        Value::Bit(match grid.periodic[axis] {
                            true => root.is_some_and(|root| trees.wraps[root][axis]),
                            false => {
                                members().any(|other| along(other) == 0)
                                    && members().any(|other| along(other) == grid.sides[axis] as i64 - 1)
                            }
                        })
                    }
                    ClusterQuantity::Bits(draw) => Value::U32(word(draw)),
                    ClusterQuantity::Uniform(draw) => Value::F32(philox::uniform(word(draw))),
                    ClusterQuantity::Below(draw) => match of(c) {
                        Some(Value::U32(bound)) => Value::U32(philox::below(word(draw), bound)),
                        bound => unreachable!("the rule was checked: {bound:?} is a u32"),
                    },
                    ClusterQuantity::Chance(draw) => {
                        let p = scalar::probability(of(c).expect("the rule was checked: it has a probability"));
                        Value::Bit(happens(view.seed, q, view.time, draw, p))
                    }
                };
                if let Some(known) = root.and_then(|root| by_root.get_mut(root)) {
                    *known = Some(given);
                }
                set(usize::from(value.to.0), grid.cells[c], given);
            }
        }
    }
}
