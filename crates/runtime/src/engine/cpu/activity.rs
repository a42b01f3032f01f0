//! Parts of a pass that need not be computed again.
//!
//! Where all that a *unit* (a superblock, or a column of rows) looks at is what it was two passes ago, the unit becomes what it was one pass ago:
//! if its kernel draws nothing and does not ask for the time. That value stands in the buffer that the pass would write, so nothing
//! is done. So regions at rest cost nothing, and neither do those that alternate between two values, as blinkers do.
//!
//! A pass that is *watched* compares what it writes with what stood there, and marks the units that changed. The next one computes these
//! and those that look at them. Where most units change, passes are watched now and then only.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// So many passes are not watched after most units have changed.
const REST: u32 = 32;

/// A bit for each unit.
pub(super) type Bits = Vec<AtomicU64>;

/// What changed in a pass.
#[derive(Default)]
pub(super) struct Marks {
    /// The units.
    pub any: Bits,
    /// Those of which lanes at the low or high end changed, where that is told apart.
    pub low: Bits,
    pub high: Bits,
}

/// Where in a unit something changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Change {
    pub any: bool,
    pub low: bool,
    pub high: bool,
}

impl Marks {
    /// For so many units, ends apart or not.
    pub fn new(units: usize, ends: bool) -> Marks {
        let bits = |wanted: bool| (0..if wanted { units.div_ceil(64) } else { 0 }).map(|_| AtomicU64::new(0)).collect();
        Marks { any: bits(true), low: bits(ends), high: bits(ends) }
    }

    /// Marks a unit.
    pub fn mark(&self, unit: usize, change: Change) {
        let parts = [(change.any, &self.any), (change.low, &self.low), (change.high, &self.high)];
        for (_, bits) in parts.into_iter().filter(|(changed, bits)| *changed && !bits.is_empty()) {
            bits[unit / 64].fetch_or(1 << (unit % 64), Relaxed);
        }
    }

    fn clear(&mut self) {
        for bits in [&mut self.any, &mut self.low, &mut self.high] {
            bits.iter_mut().for_each(|word| *word.get_mut() = 0);
        }
    }
}

/// Which units a pass computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// All.
    All,
    /// All, and changes are marked.
    Watched,
    /// Those of [`Activity::units`], and changes are marked.
    Listed,
}

/// What is known of the passes before.
pub(super) struct Activity {
    on: bool,
    /// What changed in the pass before, if that was watched.
    pub marks: Marks,
    /// The units that the pass computes.
    pub units: Vec<u32>,
    known: bool,
    /// So many time steps had each of the last passes, since something else was written than passes write.
    steps: u32,
    passes: u32,
    /// So many passes are still not watched.
    rest: u32,
}

impl Activity {
    /// Nothing is known yet.
    pub fn new(on: bool) -> Activity {
        Activity { on, marks: Marks::default(), units: Vec::new(), known: false, steps: 0, passes: 0, rest: 0 }
    }

    /// Whether anything may be left out.
    pub fn is_on(&self) -> bool {
        self.on
    }

    /// Forgets all: states or parameters have changed.
    pub fn reset(&mut self) {
        (self.known, self.steps, self.passes, self.rest) = (false, 0, 0, 0);
    }

    /// Which units a pass of so many steps computes, of `all`. `make` makes empty marks; `spread` lists the marked units and those that look at them.
    pub fn begin(
        &mut self,
        steps: u32,
        all: usize,
        make: impl FnOnce() -> Marks,
        spread: impl FnOnce(&Marks, &mut Vec<u32>),
    ) -> Extent {
        if !self.on {
            return Extent::All;
        }
        if self.steps != steps {
            self.reset();
            self.steps = steps;
        }
        // The buffer that is written must hold what a pass of so many steps has made.
        if self.passes == 0 {
            return Extent::All;
        }
        if self.known {
            self.units.clear();
            spread(&self.marks, &mut self.units);
            self.marks.clear();
            if 4 * self.units.len() <= 3 * all {
                return Extent::Listed;
            }
            (self.known, self.rest) = (false, REST);
        }
        if self.rest > 0 {
            self.rest -= 1;
            return Extent::All;
        }
        if self.marks.any.is_empty() {
            self.marks = make();
        }
        Extent::Watched
    }

    /// How many passes follow that are not watched.
    pub fn unwatched(&self) -> u32 {
        if self.on { self.rest } else { u32::MAX }
    }

    /// Instead of so many of them there was one pass, which left something else behind.
    pub fn pass_unwatched(&mut self, passes: u32) {
        self.rest = self.rest.saturating_sub(passes);
        (self.known, self.passes) = (false, 0);
    }

    /// A pass has computed what [`begin`](Self::begin) said.
    pub fn finish(&mut self, extent: Extent) {
        self.known = extent != Extent::All;
        self.passes = self.passes.saturating_add(1);
    }
}

/// The units whose bits are set.
pub(super) fn set_bits(word: u64) -> impl Iterator<Item = u32> {
    std::iter::successors(Some(word), |word| Some(word & word.wrapping_sub(1)))
        .take_while(|word| *word != 0)
        .map(u64::trailing_zeros)
}

/// The word of a bit set.
pub(super) fn word(bits: &Bits, index: usize) -> u64 {
    bits[index].load(Relaxed)
}
