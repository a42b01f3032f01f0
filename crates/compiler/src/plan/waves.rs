//! How a GPU takes the cells of an ordered step of a plane: in waves over tiles.
//!
//! A *strip* is as many lines as a warp has threads, or a multiple of that: a thread has a few lines that follow each other. A strip goes through the columns
//! of the sheared plane, where no coordinate of a dependence is negative; each thread is a column behind the one before it. A *tile* is a stretch of the columns
//! of a strip. It waits for the tile before it in its strip and for the same one of the strip before.

use super::Relay;
use crate::geometry::FittedRule;
use crate::ir::{Rule, Strips};
use crate::kernel::{Direction, Interface, Kernel, Load, Planes};
use crate::target::speciality::Speciality;
use crate::target::{Target, Wavefront};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// An ordered step in waves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waves {
    /// Where lines and columns lie.
    pub strips: Strips,
    /// The sides along a line and across lines.
    pub sides: [u32; 2],
    /// Whether these axes wrap.
    pub wraps: [bool; 2],
    /// The lines of a thread.
    pub lines: u32,
    /// How many lines before its own a cell sees values of this step on, at most, and how many columns back.
    pub above: u32,
    /// See [`above`](Waves::above).
    pub back: u32,
    /// The planes of states of which new values are seen.
    pub kept: BTreeSet<(u16, u8)>,
    /// The inputs, with the axis of each.
    pub inputs: BTreeMap<u16, u8>,
    /// Whether a strip waits for the one before.
    pub waits: bool,
    /// How many lines behind its own a cell looks at, at most.
    pub below: u32,
    /// Whether threads of a warp read in memory what others write in the same walk.
    pub meets: bool,
    /// How far along a line a cell looks.
    pub reach: u32,
    /// Whether numbers may wait in shared memory before they are written.
    pub stages: bool,
    /// The warps of a block.
    pub warps: u32,
    /// The columns of a tile.
    pub tile: u32,
    /// How tiles wait.
    pub wavefront: Wavefront,
    /// How the warps of a block share the work of a strip, if they do.
    pub relay: Option<Box<Relay>>,
}

/// The threads of a warp.
pub(super) const WARP: u32 = 32;
/// The lines of a thread, by the lines of a domain. Guess: not measured.
const LINES: [(u32, u32); 3] = [(8_192, 4), (2_048, 2), (0, 1)];
/// The most lines of a thread.
const MOST_LINES: u32 = 8;
/// The warps of a block where all blocks wait for each other and one is enough.
const WARPS: u32 = 4;
/// Numbers of a line in shared memory, and bytes that a block has there at most.
const PITCH: u32 = 66;
/// See [`PITCH`].
pub(super) const MOST_SHARED: u32 = 48 << 10;
/// Operations of all lines of a thread. Guess: the cache of instructions holds them.
const MOST_OPERATIONS: usize = 1200;
/// Microseconds of a diagonal of tiles without their columns, whether it is a launch or ends at a barrier; of a column of a strip, and of each line of a thread
/// in it, without old values and with them; and the columns that a tile's beginning and end take as long as. Its first columns, which nobody asked for ahead, take
/// longer by a share. Measured: on an H200, `bench --wavefronts`.
const DIAGONAL: f64 = 18.0;
/// As of `DIAGONAL`.
const COLUMN: f64 = 0.05;
/// As of `DIAGONAL`.
const LINE: [f64; 2] = [0.02, 0.28];
/// As of `DIAGONAL`.
const ENDS: f64 = 30.0;
/// As of `DIAGONAL`.
pub const FIRST_COLUMNS: (f64, f64) = (112.0, 0.55);
/// The most columns of tiles whose diagonals follow each other, in blocks of a warp.
const MOST_BLOCKS: u32 = 32;

impl Waves {
    /// The waves of a kernel in strips of a domain, or the reason against them.
    ///
    /// # Errors
    /// The reason in words.
    pub fn of(
        (kernel, interface): (&Kernel, &Interface),
        strips: Strips,
        rule: &FittedRule,
        (wavefront, asked): (Wavefront, Option<[u32; 2]>),
    ) -> Result<Waves, &'static str> {
        let domain = rule.domain();
        let axes = [strips.along, strips.across].map(|signed| usize::from(signed.axis));
        let sides = axes.map(|axis| domain.extent()[axis] as u32);
        let (mut above, mut back, mut kept, mut waits, mut below) = (0, 0, BTreeSet::new(), false, 0);
        let written = |load: &Load| interface.writes.contains(&usize::from(load.state));
        for Load { direction, state, plane, .. } in
            kernel.nodes.iter().filter_map(|node| node.op.load()).filter(written)
        {
            let [line, column] = columns_of(strips, direction);
            waits |= line != 0;
            below = below.max(line.max(0) as u32);
            if line.min(column) >= 0 {
                continue;
            }
            if line.max(column) > 0 {
                return Err("a mirrored edge is read across the order");
            }
            kept.insert((state, plane));
            (above, back) = (above.max(line.unsigned_abs()), back.max(column.unsigned_abs()));
        }
        if above > MOST_LINES {
            return Err("it looks back over too many lines");
        }
        let wanted = LINES.iter().find(|(least, _)| sides[1] >= *least).map_or(1, |(_, lines)| *lines);
        let most = (MOST_OPERATIONS / kernel.nodes.len().max(1)) as u32;
        let least = above.max(1).next_power_of_two();
        let bytes = |state: &usize| match kernel.states[*state].planes {
            Planes::Number(ty) => ty.scalar().bytes() as u32,
            Planes::Bits(_) => 0,
        };
        let of_line = interface.writes.iter().map(bytes).sum::<u32>() * WARP * PITCH;
        let inputs: BTreeMap<u16, u8> = rule.named_inputs().map(|(input, _)| (input.field.0, input.axis)).collect();
        let all = sides[0] + strips.shear as u32 * (sides[1] - 1);
        let (mut lines, tile) = match (wavefront, asked) {
            (_, Some([lines, columns])) => (lines.div_ceil(WARP).min(MOST_LINES), columns.clamp(1, all)),
            // A strip is behind the one before by a tile and what it waits; its own tiles take no longer if they are many.
            (Wavefront::Flags, None) => (wanted.min(most), WARP),
            (Wavefront::Launches | Wavefront::Barrier, None) => {
                let is_old = |load: Load| {
                    let [line, column] = columns_of(strips, load.direction);
                    let is_new = written(&load) && line.max(column) <= 0 && (line, column) != (0, 0);
                    !is_new && !inputs.contains_key(&load.state)
                };
                let looks_back = kernel.nodes.iter().filter_map(|node| node.op.load()).any(is_old);
                let suits = |lines: &u32| {
                    let is_small = *lines <= most && *lines * of_line <= MOST_SHARED;
                    *lines >= least && (*lines == least || is_small)
                };
                let tiles = [1, 2, 4, MOST_LINES].into_iter().filter(suits);
                let tiles = tiles.flat_map(|lines| (1..=MOST_BLOCKS).map(move |blocks| (lines, WARP * blocks)));
                let time = |(lines, columns): &(u32, u32)| {
                    let diagonals = sides[1].div_ceil(WARP * lines) + all.div_ceil(*columns) - 1;
                    let column = COLUMN + f64::from(*lines) * LINE[usize::from(looks_back)];
                    let columns = f64::from(*columns);
                    let first = FIRST_COLUMNS.1 * columns.min(FIRST_COLUMNS.0);
                    f64::from(diagonals) * (DIAGONAL + column * (ENDS + columns + first))
                };
                tiles.min_by(|a, b| time(a).total_cmp(&time(b))).unwrap_or((least, WARP))
            }
        };
        lines = lines.max(least).next_power_of_two();
        // Flags are set where a warp's threads begin a block of columns together.
        let tile = if wavefront == Wavefront::Flags { tile.next_multiple_of(WARP) } else { tile };
        let wraps = axes.map(|axis| domain.periodic().0[axis]);
        let meets = below > 0 || wraps[1];
        let reach = |direction: Direction| direction.0[axes[0]].unsigned_abs();
        let reach = kernel.nodes.iter().filter_map(|node| node.op.direction()).map(reach).max().unwrap_or(0);
        while lines > least && lines * of_line > MOST_SHARED {
            lines /= 2;
        }
        let staged = lines * of_line;
        // What is read beyond a seam must have been written.
        let stages = !wraps[1] && (!wraps[0] || sides[0] >= 4 * WARP) && staged > 0 && staged <= MOST_SHARED;
        let mut waves = Waves {
            strips,
            sides,
            wraps,
            lines,
            above,
            back,
            kept,
            inputs,
            waits,
            below,
            meets,
            reach,
            stages,
            warps: 1,
            tile,
            wavefront,
            relay: None,
        };
        // A tile that begins anew looks for old values behind the seam, which the last strip has just changed if it follows so soon.
        if wraps[1] && waves.strips() <= 2 && wavefront != Wavefront::Flags {
            waves.tile = waves.columns();
        }
        if wavefront == Wavefront::Barrier && waves.widest() <= WARPS {
            waves.warps = WARPS;
        }
        waves.stages &= waves.warps == 1;
        Ok(waves)
    }

    /// The same, where the warps of a block share the work of a strip if they can: the domain is `full` if it has no holes.
    #[must_use]
    pub(crate) fn relayed(self, of: (&Kernel, &Interface), rule: &Rule, full: bool, target: &Target) -> Waves {
        let relay = Relay::of(of, rule, &self, target.tile);
        match relay.filter(|_| full && target.off().allows(Speciality::Relays)) {
            Some((relay, lines)) => {
                Waves { lines, stages: false, warps: 3, tile: relay.columns, relay: Some(Box::new(relay)), ..self }
            }
            None => self,
        }
    }

    /// Over how many lines and columns a direction leads.
    pub(crate) fn columns_of(&self, direction: Direction) -> [i32; 2] {
        columns_of(self.strips, direction)
    }

    /// Over how many lines and columns a direction leads back, if a cell sees values of this step there.
    pub(crate) fn seen(&self, direction: Direction) -> Option<[usize; 2]> {
        let [line, column] = columns_of(self.strips, direction);
        let is_earlier = line <= 0 && column <= 0 && (line, column) != (0, 0);
        is_earlier.then(|| [line, column].map(|v| v.unsigned_abs() as usize))
    }

    /// How many strips there are.
    pub fn strips(&self) -> u32 {
        self.sides[1].div_ceil(WARP * self.lines)
    }

    /// How many columns.
    pub fn columns(&self) -> u32 {
        self.sides[0] + self.strips.shear as u32 * (self.sides[1] - 1)
    }

    /// How many tiles a strip has.
    pub fn tiles(&self) -> u32 {
        self.columns().div_ceil(self.tile)
    }

    /// The strips of a diagonal of tiles: the first one, and the one behind the last.
    pub fn diagonal(&self, number: u32) -> [u32; 2] {
        [number.saturating_sub(self.tiles() - 1), (number + 1).min(self.strips())]
    }

    /// The most strips of a diagonal.
    pub fn widest(&self) -> u32 {
        self.strips().min(self.tiles())
    }

    /// Bytes of the flags, one for each strip, or of messages, and of a ticket.
    pub fn flag_bytes(&self) -> usize {
        match &self.relay {
            Some(relay) => relay.bytes(self),
            None => 4 * (self.strips() as usize + 2),
        }
    }

    /// How many diagonals of tiles there are.
    pub fn diagonals(&self) -> u32 {
        self.strips() + self.tiles() - 1
    }
}

/// In some words.
impl fmt::Display for Waves {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "in waves over strips of {} lines, tiles of {} columns", WARP * self.lines, self.tile)
    }
}

/// Over how many lines and columns a direction leads.
fn columns_of(strips: Strips, Direction(offset): Direction) -> [i32; 2] {
    let [line, column, _] = strips.offset(offset);
    [line, column]
}
