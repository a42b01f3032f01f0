//! Strips whose work three warps share: one computes a block of columns, one reads the next block, and one writes the block before. They hand columns over in
//! rings in shared memory, and a strip tells the next one its last lines by messages, each of which says to which step it belongs. So the warp that
//! computes waits for no memory, and nobody asks for a flag or empties a cache.

use super::Waves;
use super::waves::{MOST_SHARED, WARP};
use crate::ir::{Rule, StateId, StepOrder};
use crate::kernel::{Interface, Kernel, Planes};
use crate::target::Wavefront;
use std::collections::BTreeMap;

/// The columns of a ring, and how many numbers lie between its lines: an even number, so that threads meet in no bank of the memory.
const RING: u32 = 64;
const PITCH: u32 = 66;
/// The columns of a block. On an H200 `lcs` took 8.3 ms with 16 on a side of 65536; rings that are read and written have room for 8 alone.
const BLOCKS: [u32; 2] = [2 * WARP / 4, WARP / 4];
/// Bytes in front of the messages.
const TICKET: u64 = 256;
/// The strips that have messages at once. The next but one after a strip says a column when the next one has, which it does after it heard the strip's: so two
/// would do.
const SPEAKERS: u32 = 4;

/// How the warps of a strip share its work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relay {
    /// The columns of a block.
    pub columns: u32,
    /// How many blocks the warp that writes is behind.
    pub behind: u32,
    /// How many further blocks of old values are read ahead.
    pub ahead: u32,
    /// The states that are handed over.
    pub rings: BTreeMap<usize, Ring>,
    /// Of states whose new values are seen on the lines above, on how many.
    pub above: BTreeMap<u16, u32>,
    /// How many messages of 64 bits a column of a strip has.
    pub messages: u32,
    /// How many strips have messages at once: the strips in turn.
    pub speakers: u32,
}

/// Columns of a state in shared memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ring {
    /// How many lines before the strip it has, and how many behind it.
    pub around: [u32; 2],
    /// How many columns before and behind its own a cell looks at.
    pub reach: [u32; 2],
    /// Whether old values are read.
    pub loads: bool,
    /// Whether new values are written.
    pub stores: bool,
    /// Of a rolling state, how many last lines of the strip it has, and no others; else 0.
    pub last: u32,
}

impl Ring {
    /// The lines that it has, by those of the strip.
    fn lines(self, strip: u32) -> u32 {
        if self.last > 0 { self.last } else { strip + self.around[0] + self.around[1] }
    }

    /// Whether it has room for all blocks of so many columns that the warps are at.
    fn holds(self, columns: u32, [behind, ahead]: [u32; 2]) -> bool {
        let computed = (WARP - 1 + self.reach[0]).div_ceil(columns);
        let before = if self.stores { computed.max(behind) } else { computed };
        let after = if self.loads { ahead + 1 } else { 0 };
        (before + 1 + after) * columns <= RING
    }
}

impl Relay {
    /// The relay of a kernel in waves on a box without holes, and the lines of a thread; `None` where there is no room for rings, or where a strip needs
    /// more of the one before than its last lines. Blocks of fewer columns may be asked for.
    pub(super) fn of(
        (kernel, interface): (&Kernel, &Interface),
        rule: &Rule,
        waves: &Waves,
        asked: Option<[u32; 2]>,
    ) -> Option<(Relay, u32)> {
        let bytes = |state: usize| match kernel.states[state].planes {
            Planes::Number(ty) => Some(ty.scalar().bytes() as u32),
            Planes::Bits(_) => None,
        };
        let is_apart = waves.wraps == [false; 2] && waves.strips.along.axis == 0;
        let are_numbers = interface.writes.iter().all(|state| bytes(*state).is_some());
        if waves.wavefront != Wavefront::Flags || !is_apart || !are_numbers {
            return None;
        }
        let stored = |state: &usize| (*state, Ring { stores: true, ..Ring::default() });
        let mut rings: BTreeMap<usize, Ring> = interface.writes.iter().map(stored).collect();
        let mut above = BTreeMap::new();
        for load in kernel.nodes.iter().filter_map(|node| node.op.load()) {
            let state = usize::from(load.state);
            let is_written = interface.writes.contains(&state);
            if let Some([line, _]) = waves.seen(load.direction).filter(|_| is_written) {
                let most = above.entry(load.state).or_insert(0);
                *most = line.max(*most as usize) as u32;
                continue;
            }
            if bytes(state).is_none() || waves.inputs.contains_key(&load.state) {
                continue;
            }
            let beside = waves.columns_of(load.direction);
            let ring = rings.entry(state).or_default();
            ring.loads = true;
            for (most, offset) in
                ring.around.iter_mut().chain(&mut ring.reach).zip([-beside[0], beside[0], -beside[1], beside[1]])
            {
                *most = (*most).max(offset.max(0) as u32);
            }
        }
        above.retain(|_, lines| *lines > 0);
        // What rolling states keep is the last line of the last strip.
        let is_last =
            |order: &StepOrder| matches!(order, StepOrder::Along(axes) if axes.last() == Some(&waves.strips.across));
        if rule.steps.iter().filter_map(|step| step.order.as_ref()).all(is_last) {
            for (state, ring) in rings.iter_mut().filter(|(state, _)| rule.is_rolling(StateId(**state as u16))) {
                ring.last = above.get(&(*state as u16)).copied().unwrap_or(1);
            }
        }
        if waves.waits && above.is_empty() {
            return None;
        }
        let of_line = |state: usize| PITCH * bytes(state).unwrap_or(0);
        let messages = above.iter().map(|(state, lines)| lines * bytes(usize::from(*state)).unwrap_or(0).div_ceil(4));
        let messages = messages.sum();
        let beside = 4 * RING * messages + RING * waves.inputs.len() as u32 * 8;
        let room = |lines: u32, rings: &BTreeMap<usize, Ring>| {
            let of = |(state, ring): (&usize, &Ring)| of_line(*state) * ring.lines(WARP * lines);
            beside + rings.iter().map(of).sum::<u32>() <= MOST_SHARED
        };
        let least = waves.above.max(1).next_power_of_two();
        if !room(least, &rings) {
            // States that keep their values can be read where they are.
            rings.retain(|_, ring| ring.stores);
        }
        let lines = std::iter::successors(Some(waves.lines), |lines| Some(lines / 2));
        let lines = lines.take_while(|lines| *lines >= least).find(|lines| room(*lines, &rings))?;
        let right = rings.values().map(|ring| ring.reach[1]).max().unwrap_or(0);
        let of_columns = |columns: &u32| [(WARP - 1).div_ceil(*columns) + 1, right.div_ceil(*columns)];
        let holds = |columns: &u32| rings.values().all(|ring| ring.holds(*columns, of_columns(columns)));
        let suits = |columns: &u32| asked.is_none_or(|[_, asked]| *columns <= asked.max(BLOCKS[1]));
        let columns = BLOCKS.into_iter().filter(suits).find(holds)?;
        let [behind, ahead] = of_columns(&columns);
        Some((Relay { columns, behind, ahead, rings, above, messages, speakers: SPEAKERS }, lines))
    }

    /// Whether it leaves rolling states with their last lines.
    pub fn keeps_last_lines(&self) -> bool {
        self.rings.values().any(|ring| ring.last > 0)
    }

    /// Bytes of the ticket and of the messages.
    pub(super) fn bytes(&self, waves: &Waves) -> usize {
        let speakers = u64::from(self.speakers.min(waves.strips()));
        (TICKET + 8 * u64::from(self.messages) * u64::from(waves.sides[0]) * speakers) as usize
    }
}
