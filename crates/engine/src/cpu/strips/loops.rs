//! Calls that go along all rows of a tile: what they are given, and how a tile is parted among those with and without masks.

use super::{StripRows, StripRun, StripWorker, TileRow, shift};
use squeeze_compiler::layout::columns::OVERREAD;
use std::ops::Range;

impl StripRows {
    /// Words of presence of all rows, for each move and for cells.
    pub(super) fn moved_words(&self) -> usize {
        let Some(moves) = &self.loops else { return 0 };
        let rows = (self.rows + 2 * self.reach[1] + 1) as usize;
        (moves.len() + 1) * (rows * self.lanes.shape.words + OVERREAD / 4)
    }

    /// Where the words of a row begin, for the strip's lanes.
    pub(super) fn row_of_words(&self, words: *const u32, number: i64) -> *const u32 {
        words.wrapping_byte_offset((4 * number * self.lanes.shape.words as i64 + self.before / 8) as isize)
    }
}

impl StripWorker<'_> {
    /// Computes rows of a tile in place, as [`compute_row`](Self::compute_row) does, by calls that go along them.
    ///
    /// # Safety
    /// As of [`compute`](Self::compute); all that the rows look at was moved in.
    pub(super) unsafe fn compute_rows(
        &mut self,
        strip: &Range<i64>,
        computed: Range<i64>,
        [corner, top]: [i64; 2],
        moves: &[i32],
    ) {
        let StripRun { rows, .. } = *self.run;
        let StripWorker { tile, buffers, worker, inside, moved, letters, .. } = self;
        let inner = rows.inside(strip);
        let start = inner.start.clamp(computed.start, computed.end);
        let inner = start..inner.end.clamp(start, computed.end);
        let words = rows.lanes.shape.words;
        let of_moves = moved.len() / (moves.len() + 1);
        if inner != computed {
            let (of_presence, cells) = moved.split_at_mut(moves.len() * of_moves);
            let presence = tile.presence.all_words();
            if rows.is_full {
                for row in computed.start - rows.reach[1]..computed.end + rows.reach[1] {
                    let (first, there) = ((row - top) as usize * words, rows.marked((corner, row)));
                    for (moved, by) in of_presence.chunks_exact_mut(of_moves).zip(moves) {
                        mark_lanes(&mut moved[first..][..words], &there, corner + i64::from(*by));
                    }
                }
            } else {
                of_presence.fill(0);
                for (moved, by) in of_presence.chunks_exact_mut(of_moves).zip(moves) {
                    shift(presence, *by, &mut moved[..presence.len()]);
                }
            }
            for row in computed.clone() {
                let (first, here) = ((row - top) as usize * words, rows.cells_of(row, strip));
                let cells = &mut cells[first..][..words];
                mark_lanes(cells, &here, corner);
                if !rows.is_full {
                    cells.iter_mut().zip(&presence[first..]).for_each(|(mask, presence)| *mask &= presence);
                }
            }
        }
        for (part, is_inside) in
            [(computed.start..inner.start, false), (inner.clone(), true), (inner.end..computed.end, false)]
        {
            if part.is_empty() {
                continue;
            }
            let number = (part.start - top) as usize;
            for input in rows.letters.iter().flatten() {
                input.put(part.start - i64::from(rows.strips.shear) * strip.start, letters);
            }
            let unit = TileRow {
                number,
                corner: [strip.start, part.start],
                presence: std::ptr::null(),
                words: std::ptr::null(),
                moved: moved.as_ptr(),
                letters: letters.as_ptr(),
            };
            let worker = inside.as_mut().filter(|_| is_inside).unwrap_or(&mut *worker);
            let cells = rows.row_of_words(moved.as_ptr().wrapping_add(moves.len() * of_moves), number as i64);
            let in_tile = |state: usize| buffers.new[state].at(number * rows.pitches[state]);
            let eighths = (part.end - part.start) as u64 * 4 * words as u64;
            // SAFETY: the tile is this thread's own. What is loaded of a row is loaded before results are stored there.
            unsafe { worker.run_strip(buffers, unit, in_tile, (cells, eighths)) };
        }
    }
}

/// Marks some lanes in words of which the first lane is this one.
fn mark_lanes(words: &mut [u32], lanes: &Range<i64>, first: i64) {
    words.fill(0);
    let end = first + 32 * words.len() as i64;
    let [start, end] = [lanes.start, lanes.end].map(|lane| (lane.clamp(first, end) - first) as usize);
    if start >= end {
        return;
    }
    let (low, high) = (start / 32, (end - 1) / 32);
    words[low..=high].fill(u32::MAX);
    words[low] &= u32::MAX << (start % 32);
    words[high] &= u32::MAX >> (31 - (end - 1) % 32);
}
