//! Clusters: the connected components of bonds, found by the host between two kernels, for any engine whose states it reads and writes.
//!
//! Bits of all cells become words along rows (`bits`), in which cells joined to the right are *runs*. Trees of runs, with the least cell of each cluster at the top,
//! are the clusters (`forest`). What goes round joined axes is found among the clusters that end there (`rounds`). Cells are given values by *pieces*, a
//! run's cells within a word (`values`), so that most are computed once for many cells.

mod bits;
mod forest;
mod rounds;
#[cfg(test)]
mod tests;
mod values;

use crate::packed::{self, StateValues};
use crate::{Engine, Result};
use forest::{ClusterForest, OpenBonds, each};
use rayon::ThreadPool;
use squeeze_compiler::geometry::FittedRule;
use squeeze_compiler::ir::{ClusterInput, ClusterQuantity, Clusters, StateId, Type, Value};
use squeeze_compiler::layout::row_words::RowWords;
use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};
use values::FoundClusters;

/// Fewer cells are searched by one thread. Guess: not measured.
const CELLS_WORTH_THREADS: usize = 1 << 14;

/// Finds the clusters of a rule's steps.
pub(crate) struct ClusterFinder {
    words: RowWords,
    /// Memory of searches that have ended.
    idle: Mutex<Vec<Memory>>,
}

/// What a search needs, kept for the next one.
#[derive(Default)]
struct Memory {
    forest: ClusterForest,
    /// Bits of bonds and of a condition.
    bits: Vec<Vec<u64>>,
    bytes: Vec<u8>,
    values: values::Memory,
}

/// What cells bring to the values of their clusters.
enum ValueInput {
    Nothing,
    /// The packed values of a field.
    Field(Type, Vec<u8>),
    /// The same value each.
    Constant(Value),
}

impl ValueInput {
    fn read(rule: &FittedRule, engine: &impl Engine, member: usize, of: ClusterInput) -> Result<ValueInput> {
        let field = match of {
            ClusterInput::Nothing => return Ok(ValueInput::Nothing),
            ClusterInput::Constant(value) => return Ok(ValueInput::Constant(value)),
            ClusterInput::Field(field) => field,
        };
        let (ty, cells) = (rule.state(field).ty, rule.domain().cells());
        let mut bytes = vec![0; packed::bytes(ty, cells) as usize];
        engine.read(member, field, 0..cells, &mut bytes)?;
        Ok(ValueInput::Field(ty, bytes))
    }

    /// The value that all cells have, if they have the same.
    fn constant(&self) -> Option<Value> {
        match self {
            ValueInput::Nothing => None,
            ValueInput::Constant(value) => Some(*value),
            ValueInput::Field(ty, bytes) => {
                let size = packed::bytes(*ty, 1) as usize;
                let is_one = *ty != Type::Bit && bytes[size..] == bytes[..bytes.len() - size];
                is_one.then(|| self.value(0))
            }
        }
    }

    fn value(&self, c: u32) -> Value {
        match self {
            ValueInput::Nothing => Value::I64(1),
            ValueInput::Constant(value) => *value,
            ValueInput::Field(ty, bytes) => packed::value(*ty, bytes, u64::from(c)),
        }
    }

    /// A bit or an integer as a number; where nothing is combined, cells count.
    fn number(&self, c: u32) -> i64 {
        match self.value(c) {
            Value::Bit(bit) => i64::from(bit),
            value => value.as_i128().map_or(0, |number| number as i64),
        }
    }
}

impl ClusterFinder {
    /// A finder of all clusters that a rule asks for, the cells of which are numbered in 32 bits.
    pub(crate) fn new(rule: &FittedRule) -> ClusterFinder {
        let mut offsets: Vec<[i32; 3]> = rule.all_clusters().flat_map(|of| of.offsets.iter().copied()).collect();
        offsets.sort_unstable();
        offsets.dedup();
        ClusterFinder { words: RowWords::new(rule.domain(), &offsets), idle: Mutex::default() }
    }

    /// Finds clusters of a member, and gives its cells the values that are asked of them. Draws are made with its seed for a time.
    ///
    /// # Errors
    /// If the machine fails.
    pub(crate) fn find(
        &self,
        rule: &FittedRule,
        clusters: &Clusters,
        of_member: (usize, u64, u32),
        engine: &mut impl Engine,
    ) -> Result<()> {
        let mut memory = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
        let done = self.find_with(rule, clusters, of_member, engine, &mut memory);
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(memory);
        done
    }

    fn find_with(
        &self,
        rule: &FittedRule,
        clusters: &Clusters,
        (member, seed, time): (usize, u64, u32),
        engine: &mut impl Engine,
        memory: &mut Memory,
    ) -> Result<()> {
        let (words, cells) = (&self.words, rule.domain().cells());
        let pool = engine.pool().filter(|pool| words.cells() >= CELLS_WORTH_THREADS && pool.current_num_threads() > 1);
        let pool: Option<Arc<ThreadPool>> = pool.cloned();
        let pool = pool.as_deref();
        let Memory { forest, bits, bytes, values } = memory;
        let states: Vec<StateId> = clusters.bonds().map(|(bond, _)| bond).chain(clusters.when).collect();
        bits.resize_with(states.len(), Vec::new);
        for (state, bits) in states.into_iter().zip(bits.iter_mut()) {
            bytes.resize(packed::bytes(Type::Bit, cells) as usize, 0);
            engine.read(member, state, 0..cells, bytes)?;
            self.gather(pool, bytes, bits);
        }
        let bits = bits.iter().map(Vec::as_slice);
        let open = clusters.offsets.iter().zip(bits.clone()).map(|(offset, bits)| (bits, words.links(*offset)));
        let along = clusters.offsets.iter().zip(bits.clone()).find(|(offset, _)| **offset == [1, 0, 0]);
        let along = along.map(|(_, bits)| bits);
        let when = clusters.when.and(bits.clone().next_back());
        let bonds = OpenBonds { words, open: open.collect(), along, when };
        let goes_round = |kind: ClusterQuantity| match kind {
            ClusterQuantity::Spans(axis) => rule.domain().periodic().0[usize::from(axis)],
            _ => false,
        };
        let keeps_seams = clusters.values.iter().any(|value| goes_round(value.kind));
        let seams = forest.grow(&bonds, pool, keeps_seams);
        let rounds = rounds::join_seams(forest, &seams);
        forest.find_roots(words, pool);
        for value in &clusters.values {
            let of = ValueInput::read(rule, engine, member, value.of)?;
            let domain = rule.domain();
            let found = FoundClusters { domain, words, forest, when, rounds: &rounds, of: &of, pool, seed, time };
            let ty = rule.state(value.to).ty;
            bytes.clear();
            bytes.resize(packed::bytes(ty, cells) as usize, 0);
            found.give(value.kind, ty, bytes, values);
            engine.write(member, &StateValues { state: value.to, cells: 0..cells, bytes: Cow::Borrowed(bytes) })?;
        }
        Ok(())
    }

    /// The words of bits that are packed in canonical order.
    fn gather(&self, pool: Option<&ThreadPool>, bytes: &[u8], out: &mut Vec<u64>) {
        out.resize(self.words.len(), 0);
        let (mut rest, mut parts) = (&mut out[..], Vec::new());
        for stretch in self.words.stretches(pool.map_or(1, ThreadPool::current_num_threads)) {
            let own = rest.split_off_mut(..stretch.len()).unwrap_or_default();
            parts.push((stretch, own));
        }
        each(pool, parts, |(stretch, out)| bits::gather(&self.words, &stretch, bytes, out));
    }
}
