//! States that several ranks write together: each is dealt some of their cells, and writes these.
//!
//! An engine of several processes has [`StateShares`], of which the first rank's caller deals out cells. What becomes of them elsewhere is up to the
//! [`ShareWriter`] that each other rank obeys it with: engines know nothing of files.

use crate::failure;
use crate::{EngineError, Result};
use squeeze_compiler::geometry::FittedRule;
use squeeze_compiler::ir::StateId;
use std::ops::Range;

/// The writer of what a rank is dealt, on every rank but the first.
pub trait ShareWriter: Send {
    /// Whether this rank sees the place that the first rank has begun for the states of a rule, and can write there.
    fn sees(&mut self, place: &[u8], rule: &FittedRule) -> bool;

    /// Writes the values of these cells, which are not empty.
    ///
    /// # Errors
    /// If the disk is full or fails.
    fn write(&mut self, state: StateId, cells: Range<u64>, values: &[u8]) -> failure::Result<()>;

    /// Returns when all that was written since the last call can be relied on.
    ///
    /// # Errors
    /// If the disk fails.
    fn settle(&mut self) -> failure::Result<()>;
}

/// What the first rank makes of its own share: it is called once, beside the other ranks' work.
pub type OwnShare<'a> = &'a mut (dyn FnMut(&[u8]) + Send);

/// The states of an engine of several ranks, dealt out among them. The first rank calls these, and all others do their share.
pub trait StateShares {
    /// How many ranks there are.
    fn ranks(&self) -> usize;

    /// The first rank that does not [see](ShareWriter::sees) a place.
    ///
    /// # Errors
    /// If a rank fails.
    fn blind(&self, place: &[u8]) -> Result<Option<usize>>;

    /// Hands each rank the values of the cells that it is dealt, by ranks; some of these are empty, and all together are one range, of which each begins with a whole byte.
    /// Returns the first cell whose value is a float that is not finite, with its bits.
    ///
    /// # Errors
    /// If a rank fails, or cannot write its share: that of the first such rank, when all have done with theirs.
    fn deal(&self, state: StateId, shares: &[Range<u64>], own: OwnShare<'_>) -> Result<Option<(u64, u64)>>;

    /// Returns when all ranks have [settled](ShareWriter::settle).
    ///
    /// # Errors
    /// If a rank fails, as of [`deal`](Self::deal).
    fn settle(&self) -> Result<()>;
}

/// A rank that has nothing to write with, as those that are threads of one process: the first one writes all.
pub(crate) struct NoShares;

impl ShareWriter for NoShares {
    fn sees(&mut self, _: &[u8], _: &FittedRule) -> bool {
        false
    }

    fn write(&mut self, _: StateId, _: Range<u64>, _: &[u8]) -> failure::Result<()> {
        Err(EngineError::System("this rank has nothing to write with".to_owned()).into())
    }

    fn settle(&mut self) -> failure::Result<()> {
        Ok(())
    }
}
