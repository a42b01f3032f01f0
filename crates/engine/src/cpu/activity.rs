//! Parts of a pass that need not be computed again.
//!
//! Where all that a *unit* (a superblock, or a column of rows) looks at is what it was two passes ago, the unit becomes what it was one pass ago:
//! if its kernel draws nothing and does not ask for the time. That value stands in the buffer that the pass would write, so nothing
//! is done. So regions at rest cost nothing, and neither do those that alternate between two values, as blinkers do.
//!
//! A pass that is *watched* compares its results with the old content, and marks the units that changed. The next pass computes these
//! and the units that look at them. If these are more than three quarters of all, all are computed, and the next passes are not watched.
//!
//! Several kernels may make a pass in turn, where one alone writes each state: the buffer that it writes then holds what was there two passes ago,
//! whichever kernels run between. Each looks at what those before it changed in this pass, and the others in the pass before.

use squeeze_compiler::Speciality;
use squeeze_compiler::kernel::Planes;
use squeeze_compiler::layout::columns::Columns;
use squeeze_compiler::layout::unit::Slot;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// How many passes are not watched once more than three quarters of the units would have to be computed. Guess: not measured.
const REST: u32 = 32;

/// Lanes at either end of a unit that are looked at apart.
pub(super) const END: usize = 32;

/// A bit for each unit.
pub(super) type Bits = Vec<AtomicU64>;

/// Bits of units, few of which are set: those of words that have one are found by bits of their own.
#[derive(Default)]
pub(super) struct Sparse {
    words: Bits,
    /// A bit for each word.
    touched: Bits,
}

impl Sparse {
    /// Nothing marked yet, of `units` units.
    pub(super) fn new(units: usize) -> Sparse {
        let bits = |count: usize| (0..count.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Sparse { words: bits(units), touched: bits(units.div_ceil(64)) }
    }

    /// Whether it was made for no units.
    pub(super) fn has_no_units(&self) -> bool {
        self.words.is_empty()
    }

    /// The word of this number.
    pub(super) fn word(&self, index: usize) -> u64 {
        self.words[index].load(Relaxed)
    }

    /// The numbers of the words that are not 0, in order.
    pub(super) fn touched(&self) -> impl Iterator<Item = usize> + '_ {
        let words = self.touched.iter().enumerate();
        words.flat_map(|(index, word)| set_bits(word.load(Relaxed)).map(move |bit| 64 * index + bit as usize))
    }

    /// Sets a bit.
    pub(super) fn set(&self, unit: usize) {
        set(&self.words, unit);
        set(&self.touched, unit / 64);
    }

    /// Sets the bits of a word that are set in another.
    pub(super) fn or(&mut self, index: usize, bits: u64) {
        if bits != 0 {
            *self.words[index].get_mut() |= bits;
            *self.touched[index / 64].get_mut() |= 1 << (index % 64);
        }
    }

    /// Lists the bits that are set, in order, and takes them away.
    pub(super) fn take(&mut self, mut visit: impl FnMut(usize)) {
        for (index, touched) in self.touched.iter_mut().enumerate().filter_map(|(index, word)| {
            let touched = std::mem::take(word.get_mut());
            (touched != 0).then_some((index, touched))
        }) {
            for word in set_bits(touched).map(|bit| 64 * index + bit as usize) {
                let bits = std::mem::take(self.words[word].get_mut());
                set_bits(bits).for_each(|bit| visit(64 * word + bit as usize));
            }
        }
    }
}

/// Sets a bit, if it is not set: threads would wait for each other to write it again.
fn set(bits: &Bits, index: usize) {
    let (word, bit) = (&bits[index / 64], 1 << (index % 64));
    if word.load(Relaxed) & bit == 0 {
        word.fetch_or(bit, Relaxed);
    }
}

/// The units that changed in a pass.
#[derive(Default)]
pub(super) struct Marks {
    /// The units.
    pub any: Sparse,
    /// The units of which lanes at the low or high end changed, where that is told apart.
    pub low: Bits,
    pub high: Bits,
    /// The units that the next pass computes, while they are found.
    pub active: Sparse,
}

/// Where in a unit something changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Change {
    pub any: bool,
    pub low: bool,
    pub high: bool,
}

impl Change {
    /// Where blocks of a state differ; padding behind the last lane does not count. Ends are told apart if `tell_ends`.
    pub(super) fn of(columns: &Columns, before: &[u8], after: &[u8], tell_ends: bool) -> Change {
        let any = differ(columns, before, after);
        if !any || !tell_ends {
            return Change { any, ..Change::default() };
        }
        let plane = columns.shape.column_bytes(columns.planes.ty());
        let end = (plane * END.min(columns.shape.lanes)).div_ceil(columns.shape.lanes);
        let differ = |from: usize| {
            let planes = before.chunks_exact(plane).zip(after.chunks_exact(plane));
            { planes }.any(|(before, after)| before[from..from + end] != after[from..from + end])
        };
        Change { any, low: differ(0), high: differ(plane - end) }
    }

    /// The changes of this state and of another, together.
    pub(super) fn or(self, other: Change) -> Change {
        Change { any: self.any | other.any, low: self.low | other.low, high: self.high | other.high }
    }
}

/// Whether blocks differ in any lane; padding behind the last lane does not count.
fn differ(columns: &Columns, before: &[u8], after: &[u8]) -> bool {
    let shape = columns.shape;
    let (column, used) = match columns.planes {
        Planes::Bits(_) => (4 * shape.words, shape.lanes),
        Planes::Number(ty) => {
            let size = ty.scalar().bytes() as usize;
            (shape.stride * size, 8 * shape.lanes * size)
        }
    };
    if used == 8 * column {
        return before != after;
    }
    let (whole, rest) = (used / 8, (1u8 << (used % 8)) - 1);
    let columns = before.chunks_exact(column).zip(after.chunks_exact(column));
    { columns }.any(|(before, after)| {
        before[..whole] != after[..whole] || rest != 0 && (before[whole] ^ after[whole]) & rest != 0
    })
}

impl Marks {
    /// No marks yet, of `units` units, ends apart or not.
    pub(super) fn new(units: usize, ends: bool) -> Marks {
        let bits = || (0..if ends { units.div_ceil(64) } else { 0 }).map(|_| AtomicU64::new(0)).collect();
        Marks { any: Sparse::new(units), low: bits(), high: bits(), active: Sparse::new(units) }
    }

    /// Whether changes at ends are told apart.
    pub(crate) fn tells_ends(&self) -> bool {
        !self.low.is_empty()
    }

    /// Marks a unit.
    pub(super) fn mark(&self, unit: usize, change: Change) {
        if !change.any {
            return;
        }
        self.any.set(unit);
        for (changed, bits) in [(change.low, &self.low), (change.high, &self.high)] {
            if changed && !bits.is_empty() {
                set(bits, unit);
            }
        }
    }

    fn clear(&mut self) {
        let Marks { any, low, high, .. } = self;
        any.take(|unit| {
            for bits in [&mut *low, &mut *high].into_iter().filter(|bits| !bits.is_empty()) {
                *bits[unit / 64].get_mut() = 0;
            }
        });
    }
}

/// Which units a pass computes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Extent {
    /// All.
    #[default]
    All,
    /// All, and changes are marked.
    Watched,
    /// The units of [`Activity::units`], and changes are marked.
    Listed,
}

/// Changes in the passes before, and the units that the next pass therefore computes.
#[derive(Default)]
pub(super) struct Activity {
    on: bool,
    /// The units that changed in the pass before, if that was watched; where several kernels make a pass, those that its kernels have changed so far.
    pub marks: Marks,
    /// The units that changed in the pass before, where several kernels make a pass.
    before: Marks,
    /// Which units the pass computes.
    pub extent: Extent,
    /// The units that the next kernel computes, unless `extent` says all.
    pub units: Vec<Slot>,
    /// Whether `marks` hold what changed in the pass before, and whether that pass had no unit to compute.
    known: bool,
    still: bool,
    /// Time steps of a pass.
    steps: u32,
    /// Passes of `steps` steps that have computed all since this was forgotten. After one the buffer that is written holds the states of the pass before,
    /// after two what other kernels of a pass left there.
    passes: u32,
    /// Passes that are still not watched.
    rest: u32,
}

impl Activity {
    /// Nothing is known yet.
    pub(super) fn new(on: bool) -> Activity {
        Activity { on, ..Activity::default() }
    }

    /// Whether anything may be left out.
    pub(super) fn is_on(&self) -> bool {
        self.on
    }

    /// Forgets all: states or parameters have changed.
    pub(crate) fn reset(&mut self) {
        (self.known, self.still, self.steps, self.passes, self.rest) = (false, false, 0, 0, 0);
        self.extent = Extent::All;
    }

    /// Which units the first kernel of a pass of `steps` steps computes, of `all`; `several` says whether others follow. `make` makes empty marks;
    /// `spread` lists the marked units and those that look at them.
    pub(super) fn begin(
        &mut self,
        (steps, several): (u32, bool),
        all: usize,
        make: impl Fn() -> Marks,
        spread: impl FnOnce(&mut Marks, &mut Vec<Slot>),
    ) {
        (self.extent, self.still) = (Extent::All, false);
        if !self.on {
            return;
        }
        if self.steps != steps {
            self.reset();
            self.steps = steps;
        }
        if self.passes < if several { 2 } else { 1 } {
            self.passes += 1;
            return;
        }
        if self.known {
            self.units.clear();
            spread(&mut self.marks, &mut self.units);
            if several {
                std::mem::swap(&mut self.marks, &mut self.before);
            }
            self.marks.clear();
            if 4 * self.units.len() <= 3 * all {
                Speciality::Activity.reached();
                (self.extent, self.still) = (Extent::Listed, self.units.is_empty());
                return;
            }
            (self.known, self.rest) = (false, REST);
        }
        if self.rest > 0 {
            self.rest -= 1;
            return;
        }
        if self.marks.any.has_no_units() {
            self.marks = make();
        }
        if several && self.before.any.has_no_units() {
            self.before = make();
        }
        self.extent = Extent::Watched;
    }

    /// Whether a pass of `steps` steps would begin with all units, unwatched, whatever changes before.
    pub(crate) fn begins_with_all(&self, steps: u32) -> bool {
        !self.on || self.steps != steps || !self.known && (self.passes == 0 || self.rest > 0)
    }

    /// The units that a kernel computes which is not the first of its pass.
    pub(super) fn go_on(&mut self, mut spread: impl FnMut(&mut Marks, &mut Vec<Slot>)) {
        if self.extent == Extent::Listed {
            self.units.clear();
            spread(&mut self.before, &mut self.units);
            spread(&mut self.marks, &mut self.units);
            self.units.sort_unstable();
            self.units.dedup();
        }
    }

    /// How many passes follow that are not watched.
    pub(crate) fn unwatched(&self) -> u32 {
        if self.on { self.rest } else { u32::MAX }
    }

    /// Notes that `passes` unwatched passes ran as one: marks of changes are void.
    pub(crate) fn pass_unwatched(&mut self, passes: u32) {
        self.rest = self.rest.saturating_sub(passes);
        (self.known, self.still, self.passes) = (false, false, 0);
    }

    /// Whether it matters which units change elsewhere.
    pub(crate) fn is_known(&self) -> bool {
        self.known
    }

    /// Marks a unit that is computed elsewhere as changed, as if the kernel that ran last had changed it.
    pub(crate) fn see(&mut self, unit: usize) {
        if self.known {
            self.marks.mark(unit, Change { any: true, low: true, high: true });
        }
        self.still = false;
    }

    /// A kernel has computed what [`begin`](Self::begin) or [`go_on`](Self::go_on) said.
    pub(super) fn finish(&mut self) {
        self.known = self.extent != Extent::All;
    }

    /// Whether no pass of `steps` steps computes anything, until something else is written.
    pub(crate) fn is_still(&self, steps: u32) -> bool {
        self.still && self.steps == steps
    }
}

/// The numbers of the bits that are set in a word, from the lowest on.
pub(super) fn set_bits(word: u64) -> impl Iterator<Item = u32> {
    std::iter::successors(Some(word), |word| Some(word & word.wrapping_sub(1)))
        .take_while(|word| *word != 0)
        .map(u64::trailing_zeros)
}

/// The word of a bit set.
pub(super) fn word(bits: &Bits, index: usize) -> u64 {
    bits[index].load(Relaxed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_found_again_and_taken_away() {
        let mut bits = Sparse::new(10_000);
        let units = [0, 63, 64, 4095, 4096, 9999];
        units.iter().for_each(|unit| bits.set(*unit));
        bits.or(3, 0b101);
        assert_eq!(bits.touched().collect::<Vec<_>>(), [0, 1, 3, 63, 64, 156]);
        for expected in [vec![0, 63, 64, 192, 194, 4095, 4096, 9999], vec![]] {
            let mut found = Vec::new();
            bits.take(|unit| found.push(unit));
            assert_eq!(found, expected);
        }
        assert_eq!(bits.touched().count(), 0);
    }
}
