//! Planes that stay for others to compare with. Members of an ensemble that have one seed draw the same words, so if they are computed step by
//! step in turn, the first one makes the planes of a step and the others find them: a plane is made in sixty operations and read in one.

use super::vector::Vector;
use squeeze_compiler::numbers::random::DrawKey;
use squeeze_compiler::{Off, Speciality};

/// Pairs of planes that are kept of each vector of blocks: few lanes need more.
const PAIRS: usize = 8;
/// The most vectors of which planes are kept: 4 MB with AVX2 and 8 MB with AVX-512.
const MOST_VECTORS: usize = 1 << 12;

/// Bytes in a line of the cache, so that no vector lies in two of them.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line(#[expect(dead_code, reason = "lines are read as the bytes of several")] [u8; 64]);

/// The planes of the last key, of one vector of blocks after the other in the order in which a pass compares them. They are kept if
/// the same key comes more than once.
#[derive(Default)]
pub(super) struct KeptPlanes {
    draw_key: Option<DrawKey>,
    /// Whether the key before came more than once, and whether this one did.
    came_again: [bool; 2],
    /// The number of the next vector that is compared.
    next: usize,
    vectors: Vec<Kept>,
    lines: Vec<Line>,
}

/// The numbers of a vector's blocks, with zeros behind them, as bytes.
pub(super) type Blocks = [u8; 8 * MOST_BLOCKS];
/// The blocks of the longest vector.
const MOST_BLOCKS: usize = 8;

/// These blocks, of which there are no more than the longest vector has.
#[inline(always)]
pub(super) fn listed(blocks: &[u8]) -> Blocks {
    let mut all = [0; 8 * MOST_BLOCKS];
    all[..blocks.len()].copy_from_slice(blocks);
    all
}

/// A vector of blocks whose planes are kept.
struct Kept {
    /// Its blocks, as [`Place`] is asked for.
    blocks: Blocks,
    draw: u32,
    /// Pairs of planes that are there.
    pairs: usize,
}

/// Where the planes of a vector of blocks are kept.
pub(super) struct Place<'a> {
    pairs: &'a mut usize,
    bytes: &'a mut [u8],
}

impl KeptPlanes {
    /// A pass begins.
    pub(super) fn begin(&mut self, draw_key: DrawKey, off: Off) {
        if self.draw_key == Some(draw_key) && off.allows(Speciality::KeptPlanes) {
            self.came_again[1] = true;
        } else {
            self.draw_key = Some(draw_key);
            self.came_again = [self.came_again[1], false];
            self.vectors.clear();
        }
        self.next = 0;
    }

    /// The place of the vector of blocks that is compared next; none if its planes are not kept.
    #[inline(always)]
    pub(super) fn next<V: Vector>(&mut self, blocks: Blocks, draw: u32) -> Option<Place<'_>> {
        if self.came_again == [false; 2] || self.next == MOST_VECTORS {
            return None;
        }
        let number = self.next;
        self.next += 1;
        let lines = PAIRS * 4 * 8 * V::LENGTH / size_of::<Line>();
        if number == self.vectors.len() {
            self.vectors.push(Kept { blocks, draw, pairs: 0 });
            if self.lines.len() < (number + 1) * lines {
                self.lines.resize((number + 1) * lines, Line([0; 64]));
            }
        }
        let kept = &mut self.vectors[number];
        // Threads may share out superblocks in another order.
        if (kept.blocks, kept.draw) != (blocks, draw) {
            *kept = Kept { blocks, draw, pairs: 0 };
        }
        let lines = &mut self.lines[number * lines..][..lines];
        // SAFETY: a line is its bytes, without padding.
        let bytes = unsafe { std::slice::from_raw_parts_mut(lines.as_mut_ptr().cast(), size_of_val(lines)) };
        Some(Place { pairs: &mut kept.pairs, bytes })
    }
}

impl Place<'_> {
    /// How many pairs of planes are there.
    #[inline(always)]
    pub(super) fn pairs(&self) -> usize {
        *self.pairs
    }

    /// One of the pairs that are there.
    #[inline(always)]
    pub(super) fn pair<V: Vector>(&self, number: usize) -> [[V; 2]; 2] {
        let bytes = &self.bytes[number * 4 * 8 * V::LENGTH..][..4 * 8 * V::LENGTH];
        let vector = 8 * V::LENGTH;
        [[V::load(bytes), V::load(&bytes[vector..])], [V::load(&bytes[2 * vector..]), V::load(&bytes[3 * vector..])]]
    }

    /// Keeps a further pair of planes, if there is room.
    #[inline(always)]
    pub(super) fn push<V: Vector>(&mut self, pair: &[[V; 2]; 2]) {
        if *self.pairs == PAIRS {
            return;
        }
        let vector = 8 * V::LENGTH;
        let bytes = &mut self.bytes[*self.pairs * 4 * vector..][..4 * vector];
        for plane in 0..2 {
            for half in 0..2 {
                pair[plane][half].store(&mut bytes[(2 * plane + half) * vector..]);
            }
        }
        *self.pairs += 1;
    }
}
