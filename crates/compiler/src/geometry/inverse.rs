//! The inverse of a replica table: which replica stands at a place, if any.

use crate::ir::{Pattern, Places};
use std::sync::Arc;

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
    /// The cells of a mask find themselves.
    Mask(Arc<Places>),
    /// (place, replica), sorted by place.
    Sorted(Vec<([u32; 3], u32)>),
}

impl InverseTable {
    /// The inverse of a pattern's replica table.
    pub(super) fn new(pattern: &Pattern) -> Self {
        if let Some(places) = &pattern.places {
            return InverseTable::Mask(Arc::clone(places));
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

    /// The replica at a place whose coordinates are all below the scales.
    pub(super) fn replica_at(&self, place: [u64; 3]) -> Option<u64> {
        match self {
            InverseTable::Dense { scale, replicas } => {
                let replica = replicas[reading_order(place, *scale)];
                (replica != NO_REPLICA).then_some(u64::from(replica))
            }
            InverseTable::Mask(places) => places.cell_at_point(place),
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
