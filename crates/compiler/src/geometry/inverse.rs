//! The inverse of a replica table: which replica stands at a place, if any.

use crate::ir::Pattern;

/// Up to this many places, the inverse is a table with one entry for each.
const DENSE_PLACES: u64 = 1 << 16;

/// Marks a place without a replica. Replica tables come from texts of at most 16 MiB, so no number reaches it.
const NO_REPLICA: u32 = u32::MAX;

/// `H⁻¹`: from a place in the box of a pattern to the number of the replica there.
///
/// A scale may be as large as 65536 with a handful of replicas, so memory follows the number of replicas, not that of places,
/// as soon as the latter is large.
#[derive(Clone, Debug)]
pub(super) enum InverseTable {
    /// One entry per place, in reading order.
    Dense {
        /// The scales.
        scale: [u64; 3],
        /// Replica numbers or [`NO_REPLICA`].
        replicas: Vec<u32>,
    },
    /// Of replicas in reading order that fill a good part of a box: for each 32 places a word of bits, and how many replicas stand before.
    Ranked {
        /// Width, height and depth.
        extent: [u64; 3],
        /// Bits and ranks.
        words: Vec<(u32, u32)>,
    },
    /// (place, replica), sorted by place.
    Sorted(Vec<([u32; 3], u32)>),
}

impl InverseTable {
    /// The inverse of a pattern's replica table; of masks the extent is told.
    pub(super) fn new(pattern: &Pattern, extent: Option<[u32; 3]>) -> Self {
        if let Some(extent) = extent {
            return Self::ranked(pattern, extent.map(u64::from));
        }
        let scale = pattern.scale.map(u64::from);
        let numbered = pattern.replicas.iter().zip(0u32..);
        // Each scale is at most 2^16.
        match scale.iter().product::<u64>() {
            places if places <= DENSE_PLACES => {
                let mut replicas = vec![NO_REPLICA; places as usize];
                for (place, replica) in numbered {
                    replicas[reading_order(place.map(u64::from), scale)] = replica;
                }
                InverseTable::Dense { scale, replicas }
            }
            _ => {
                let mut entries: Vec<_> = numbered.map(|(place, replica)| (*place, replica)).collect();
                entries.sort_unstable();
                InverseTable::Sorted(entries)
            }
        }
    }

    fn ranked(pattern: &Pattern, extent @ [width, height, depth]: [u64; 3]) -> Self {
        let mut words = vec![(0u32, 0u32); (width * height * depth).div_ceil(32) as usize];
        for replica in &pattern.replicas {
            let [x, y, z] = replica.map(u64::from);
            let place = (z * height + y) * width + x;
            words[(place / 32) as usize].0 |= 1 << (place % 32);
        }
        let mut before = 0;
        for (bits, rank) in &mut words {
            *rank = before;
            before += bits.count_ones();
        }
        InverseTable::Ranked { extent, words }
    }

    /// The replica at a place whose coordinates are all below the scales.
    pub(super) fn replica_at(&self, place: [u64; 3]) -> Option<u64> {
        match self {
            InverseTable::Dense { scale, replicas } => {
                let replica = replicas[reading_order(place, *scale)];
                (replica != NO_REPLICA).then_some(u64::from(replica))
            }
            InverseTable::Ranked { extent, words } => {
                if (0..3).any(|axis| place[axis] >= extent[axis]) {
                    return None;
                }
                let place = (place[2] * extent[1] + place[1]) * extent[0] + place[0];
                let (bits, rank) = words[(place / 32) as usize];
                let below = bits & ((1 << (place % 32)) - 1);
                (bits >> (place % 32) & 1 == 1).then(|| u64::from(rank + below.count_ones()))
            }
            InverseTable::Sorted(entries) => {
                // Coordinates are below the scales, which are u32.
                let place = place.map(|coordinate| coordinate as u32);
                let found = entries.binary_search_by_key(&place, |(place, _)| *place).ok()?;
                Some(u64::from(entries[found].1))
            }
        }
    }
}

/// The number of a place when places are numbered x first, then y, then z.
fn reading_order([x, y, z]: [u64; 3], [width, height, _]: [u64; 3]) -> usize {
    ((z * height + y) * width + x) as usize
}
