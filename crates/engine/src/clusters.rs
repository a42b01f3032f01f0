//! Clusters: the connected components of bonds, found by the host between two kernels, for any engine whose states it reads and writes.
//!
//! Cells are joined by a union of their numbers in which the lesser root wins, so that each root is the least cell of its cluster and stands before all others
//! of it: one pass over the cells in their order then gives each its root. What goes round joined axes is found in a second pass, where it is asked for.

use crate::packed::{self, StateValues};
use crate::{Engine, Result};
use squeeze_compiler::geometry::{Domain, FittedRule};
use squeeze_compiler::ir::{ClusterQuantity, Clusters, StateId, Type, Value};
use squeeze_compiler::numbers::{philox, scalar};
use std::borrow::Cow;

/// Where there is no cell.
const NONE: u32 = u32::MAX;

/// For each cell the one at an offset.
pub(crate) struct ClusterNeighbours {
    offset: [i32; 3],
    cells: Vec<u32>,
}

impl ClusterNeighbours {
    /// The neighbours at all offsets of the bonds whose clusters a rule asks for, the cells of which are numbered in 32 bits.
    pub(crate) fn of(rule: &FittedRule) -> Vec<ClusterNeighbours> {
        let mut offsets: Vec<[i32; 3]> = rule.all_clusters().flat_map(|of| of.offsets.iter().copied()).collect();
        offsets.sort_unstable();
        offsets.dedup();
        let domain = rule.domain();
        let cells = domain.cells() as usize;
        let mut all: Vec<ClusterNeighbours> =
            offsets.into_iter().map(|offset| ClusterNeighbours { offset, cells: Vec::with_capacity(cells) }).collect();
        for c in 0..domain.cells() {
            let place = domain.lambda(c);
            for of in &mut all {
                of.cells.push(domain.neighbour(place, of.offset).map_or(NONE, |there| there as u32));
            }
        }
        all
    }
}

/// The packed values of a state or field of a member in all cells.
struct FieldValues {
    ty: Type,
    bytes: Vec<u8>,
}

impl FieldValues {
    fn read(rule: &FittedRule, engine: &impl Engine, member: usize, state: StateId) -> Result<FieldValues> {
        let (ty, cells) = (rule.state(state).ty, rule.domain().cells());
        let mut bytes = vec![0; packed::bytes(ty, cells) as usize];
        engine.read(member, state, 0..cells, &mut bytes)?;
        Ok(FieldValues { ty, bytes })
    }

    fn value(&self, c: usize) -> Value {
        packed::value(self.ty, &self.bytes, c as u64)
    }

    fn bit(&self, c: usize) -> bool {
        packed::bits(self.ty, &self.bytes, c as u64) != 0
    }

    /// A bit or an integer as a number.
    fn number(&self, c: usize) -> i64 {
        match self.value(c) {
            Value::Bit(bit) => i64::from(bit),
            value => value.as_i128().map_or(0, |number| number as i64),
        }
    }
}

/// The bonds between cells that belong to clusters: a cell, the cell that it is joined to, and the offset.
struct Joined<'n> {
    bonds: Vec<(FieldValues, &'n ClusterNeighbours)>,
    when: Option<FieldValues>,
}

impl Joined<'_> {
    fn belongs(&self, c: usize) -> bool {
        self.when.as_ref().is_none_or(|when| when.bit(c))
    }

    fn for_each(&self, cells: usize, mut join: impl FnMut(usize, usize, [i32; 3])) {
        for c in 0..cells {
            for (open, neighbours) in &self.bonds {
                let there = neighbours.cells[c];
                if there != NONE && open.bit(c) && self.belongs(c) && self.belongs(there as usize) {
                    join(c, there as usize, neighbours.offset);
                }
            }
        }
    }
}

/// Finds clusters of a member, and gives its cells the values that are asked of them. Draws are made with its seed for a time.
///
/// # Errors
/// If the machine fails.
pub(crate) fn find(
    rule: &FittedRule,
    clusters: &Clusters,
    neighbours: &[ClusterNeighbours],
    (member, seed, time): (usize, u64, u32),
    engine: &mut impl Engine,
) -> Result<()> {
    let cells = rule.domain().cells() as usize;
    let mut bonds = Vec::new();
    for (bond, offset) in clusters.bonds() {
        let near = neighbours.iter().find(|of| of.offset == offset);
        let Some(near) = near else { unreachable!("neighbours are known at all offsets of bonds") };
        bonds.push((FieldValues::read(rule, engine, member, bond)?, near));
    }
    let when = clusters.when.map(|when| FieldValues::read(rule, engine, member, when)).transpose()?;
    let joined = Joined { bonds, when };
    let roots = roots(cells, &joined);
    let goes_round = |kind: ClusterQuantity| match kind {
        ClusterQuantity::Spans(axis) => rule.domain().periodic().0[usize::from(axis)],
        _ => false,
    };
    let wraps = match clusters.values.iter().any(|value| goes_round(value.kind)) {
        true => wraps(cells, &joined),
        false => Vec::new(),
    };
    for value in &clusters.values {
        let of = value.of.map(|of| FieldValues::read(rule, engine, member, of)).transpose()?;
        let found = Found { domain: rule.domain(), roots: &roots, wraps: &wraps, of: of.as_ref(), seed, time };
        let ty = rule.state(value.to).ty;
        let mut bytes = vec![0; packed::bytes(ty, cells as u64) as usize];
        found.give(value.kind, ty, &mut bytes);
        let given = StateValues { state: value.to, cells: 0..cells as u64, bytes: Cow::Owned(bytes) };
        engine.write(member, &given)?;
    }
    Ok(())
}

/// The root of each cell's cluster, or `NONE`.
fn roots(cells: usize, joined: &Joined<'_>) -> Vec<u32> {
    let mut parent: Vec<u32> = (0..cells as u32).collect();
    let find = |parent: &mut [u32], mut c: u32| {
        while parent[c as usize] != c {
            let above = parent[parent[c as usize] as usize];
            parent[c as usize] = above;
            c = above;
        }
        c
    };
    joined.for_each(cells, |a, b, _| {
        let (a, b) = (find(&mut parent, a as u32), find(&mut parent, b as u32));
        parent[a.max(b) as usize] = a.min(b);
    });
    // Parents stand before their cells.
    for c in 0..cells {
        parent[c] = if joined.belongs(c) { parent[parent[c] as usize] } else { NONE };
    }
    parent
}

/// By roots, whether the cluster goes round each axis: whether a cell of it is met at two places of the unrolled domain.
fn wraps(cells: usize, joined: &Joined<'_>) -> Vec<[bool; 3]> {
    let mut parent: Vec<u32> = (0..cells as u32).collect();
    let mut shift = vec![[0i64; 3]; cells];
    let mut wraps = vec![[false; 3]; cells];
    let mut path = Vec::new();
    let mut find = |parent: &mut [u32], shift: &mut [[i64; 3]], c: usize| {
        let mut root = c;
        while parent[root] as usize != root {
            path.push(root);
            root = parent[root] as usize;
        }
        let mut from_root = [0; 3];
        for below in path.drain(..).rev() {
            from_root = [0, 1, 2].map(|axis| from_root[axis] + shift[below][axis]);
            (parent[below], shift[below]) = (root as u32, from_root);
        }
        (root, from_root)
    };
    joined.for_each(cells, |a, b, offset| {
        let (a, from_a) = find(&mut parent, &mut shift, a);
        let (b, from_b) = find(&mut parent, &mut shift, b);
        let apart = [0, 1, 2].map(|axis| from_a[axis] + i64::from(offset[axis]) - from_b[axis]);
        if a == b {
            (0..3).for_each(|axis| wraps[a][axis] |= apart[axis] != 0);
            return;
        }
        let (least, other) = (a.min(b), a.max(b));
        (parent[other], shift[other]) = (least as u32, if least == a { apart } else { apart.map(|v| -v) });
        (0..3).for_each(|axis| wraps[least][axis] |= wraps[other][axis]);
    });
    wraps
}

/// Clusters that were found.
struct Found<'a> {
    domain: &'a Domain,
    roots: &'a [u32],
    wraps: &'a [[bool; 3]],
    of: Option<&'a FieldValues>,
    seed: u64,
    time: u32,
}

impl Found<'_> {
    /// Writes a value of each cell's cluster.
    fn give(&self, kind: ClusterQuantity, ty: Type, bytes: &mut [u8]) {
        use ClusterQuantity as Q;
        let own = |c: usize| self.of.map_or(1, |of| of.number(c));
        let mut put = |c: usize, bits: u64| packed::put(ty, bytes, c as u64, bits);
        let in_type = |number: i64| scalar::cast(ty, Value::I64(number)).bits();
        match kind {
            Q::Root => self.each(|c, root| put(c, root.map_or(-1i64, |root| root as i64) as u64)),
            Q::IsRoot => self.each(|c, root| put(c, u64::from(root == Some(c)))),
            Q::Count | Q::Sum => {
                let sums = self.folded(0, |so_far, c| so_far.wrapping_add(own(c)));
                self.each(|c, root| put(c, root.map_or(0, |root| sums[root]) as u64));
            }
            Q::Any => {
                let any = self.folded(0, |so_far, c| so_far | own(c));
                self.each(|c, root| put(c, root.map_or(0, |root| any[root]) as u64));
            }
            Q::All => {
                let all = self.folded(1, |so_far, c| so_far & own(c));
                self.each(|c, root| put(c, root.map_or(1, |root| all[root]) as u64));
            }
            Q::Min => {
                let least = self.folded(i64::MAX, |so_far, c| so_far.min(own(c)));
                self.each(|c, root| put(c, in_type(root.map_or(0, |root| least[root]))));
            }
            Q::Max => {
                let most = self.folded(i64::MIN, |so_far, c| so_far.max(own(c)));
                self.each(|c, root| put(c, in_type(root.map_or(0, |root| most[root]))));
            }
            Q::Spans(axis) => {
                let axis = usize::from(axis);
                if self.domain.periodic().0[axis] {
                    self.each(|c, root| put(c, u64::from(root.is_some_and(|root| self.wraps[root][axis]))));
                    return;
                }
                let last = self.domain.extent()[axis] - 1;
                let sides = |c: usize| {
                    let along = self.domain.lambda(c as u64)[axis];
                    i64::from(along == 0) | i64::from(along == last) << 1
                };
                let reached = self.folded(0, |so_far, c| so_far | sides(c));
                self.each(|c, root| put(c, u64::from(root.is_some_and(|root| reached[root] == 3))));
            }
            Q::Bits(draw) => self.drawn(draw, |_, word| word, &mut put),
            Q::Uniform(draw) => self.drawn(draw, |_, word| philox::uniform(word).to_bits(), &mut put),
            Q::Below(draw) => self.drawn(draw, |c, word| philox::below(word, own(c) as u32), &mut put),
            Q::Chance(draw) => {
                // A root stands before the other cells of its cluster, most of which have its probability.
                let mut known: Vec<(u64, bool)> = vec![(0, false); self.roots.len()];
                self.each(|c, root| {
                    let root = root.unwrap_or(c);
                    let p = scalar::probability(self.of.map_or(Value::F64(0.0), |of| of.value(c)));
                    let same = root != c && known[root].0 == p.to_bits();
                    let happens = match same {
                        true => known[root].1,
                        false => philox::is_below(self.seed, self.domain.draw_number(root as u64), self.time, draw, p),
                    };
                    if root == c {
                        known[c] = (p.to_bits(), happens);
                    }
                    put(c, u64::from(happens));
                });
            }
        }
    }

    /// Calls `give` with each cell and its root, if it belongs to a cluster.
    fn each(&self, mut give: impl FnMut(usize, Option<usize>)) {
        for (c, root) in self.roots.iter().enumerate() {
            give(c, (*root != NONE).then_some(*root as usize));
        }
    }

    /// By roots, something of all cells of a cluster.
    fn folded(&self, begin: i64, fold: impl Fn(i64, usize) -> i64) -> Vec<i64> {
        let mut values = vec![begin; self.roots.len()];
        self.each(|c, root| {
            if let Some(root) = root {
                values[root] = fold(values[root], c);
            }
        });
        values
    }

    /// Gives each cell a number made of the word of its root.
    fn drawn(&self, draw: u32, number: impl Fn(usize, u32) -> u32, put: &mut impl FnMut(usize, u64)) {
        let mut words = vec![0; self.roots.len()];
        self.each(|c, root| {
            let root = root.unwrap_or(c);
            if root == c {
                words[c] = philox::draw(self.seed, self.domain.draw_number(c as u64), self.time, draw);
            }
            put(c, u64::from(number(c, words[root])));
        });
    }
}
