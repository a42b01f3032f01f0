//! Strips: ordered steps of planes whose cells are computed many at once.
//!
//! A strip is a few lines of the slowest axis, side by side as lanes. Its *rows* are sheared, so that no cell of a row waits for another: the cell whose
//! coordinates in the step's order are (p, q), q along the lanes, lies in row p + shear · q. Rows follow each other, and so do strips. What a strip reads
//! beside itself is new where that strip is earlier and old where it is later, as the order asks.

use super::dependences::wraps;
use super::fractal::{Axes, Dimension};
use super::order::{SignedAxis, StepOrder};
use super::rule::{Rule, Step};
use std::fmt;

/// How an ordered step of a plane is computed in strips.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strips {
    /// The axis along which a lane goes on from row to row.
    pub along: SignedAxis,
    /// The axis of the lanes.
    pub across: SignedAxis,
    /// By how many rows a lane is behind the lane before.
    pub shear: i32,
}

/// A shear above this would leave most lanes idle. Guess: not measured.
const MOST_SHEAR: u64 = 8;

/// How much of a strip is computed at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TileSize {
    /// The lanes of its rows: those of the strip, and those beside it that are read.
    pub lanes: i64,
    /// Its rows.
    pub rows: i64,
    /// How many lanes and rows beside itself a cell may look at.
    pub reach: [i64; 2],
    /// The groups of lines that one call of a kernel goes along; 0 if each row is a call.
    pub groups: u8,
    /// The lines of a group: [`GROUP`](TileSize::GROUP), or [`GROUP_OF_BITS`](TileSize::GROUP_OF_BITS).
    pub group: i64,
    /// The most lines of the strip, if it is to have fewer than there is room for.
    pub most: i64,
}

impl TileSize {
    /// Lines of a group.
    pub const GROUP: i64 = 16;
    /// Lines of a group in kernels of bits alone.
    pub const GROUP_OF_BITS: i64 = 512;
    /// The most groups.
    pub(crate) const MOST_GROUPS: u8 = 4;

    /// The lines of a strip.
    pub fn lines(&self) -> i64 {
        let room = if self.groups > 0 { self.group * i64::from(self.groups) } else { self.lanes - 2 * self.reach[0] };
        room.min(self.most)
    }

    /// The lanes of a row before those of the strip.
    pub fn lanes_before(&self) -> i64 {
        if self.groups > 0 { self.group } else { self.reach[0] }
    }

    /// The lanes of rows with these groups of `group` lines, and as much room at both ends as a group has.
    pub(crate) const fn lanes_of(groups: u8, group: i64) -> i64 {
        // A multiple of 32.
        2 * group * ((groups as i64 + 3) / 2)
    }

    /// The same tile where each row is a call.
    #[must_use]
    pub fn by_rows(self) -> TileSize {
        TileSize { groups: 0, ..self }
    }
}

/// How the backend `cpu` takes the cells of an ordered step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepSchedule {
    /// All at once: none waits for another.
    AtOnce,
    /// The rows of strips one after the other, the cells of each at once. The tile depends on the domain.
    InStrips(Strips, Option<TileSize>),
    /// Whole rows one after the other.
    InRows,
    /// One after the other, and why.
    Singly(&'static str),
}

/// In some words.
impl fmt::Display for StepSchedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StepSchedule::AtOnce => f.write_str("all cells at once"),
            StepSchedule::InStrips(_, None) => f.write_str("in strips"),
            StepSchedule::InStrips(_, Some(tile)) => {
                write!(f, "in strips of {} lanes, tiles of {} rows", tile.lines(), tile.rows)
            }
            StepSchedule::InRows => f.write_str("rows in turn"),
            StepSchedule::Singly(why) => write!(f, "one after the other, since {why}"),
        }
    }
}

impl StepSchedule {
    /// The schedule of packed states.
    #[doc(hidden)]
    pub fn packed() -> StepSchedule {
        StepSchedule::Singly("its states are packed")
    }

    /// The same of the backend `cuda`.
    #[doc(hidden)]
    pub fn on_gpu(&self) -> String {
        match self {
            StepSchedule::InStrips(..) => "in waves".to_owned(),
            StepSchedule::Singly(why) => format!("in fronts, slowly, since {why}"),
            StepSchedule::AtOnce | StepSchedule::InRows => self.to_string(),
        }
    }
}

/// The rows of a tile whose step draws: random words are made for 256 places of a row at once. On an EPYC `tasep` took a quarter more with 64 rows than with
/// 128, and a tenth more with 256.
const ROWS_OF_DRAWS: i64 = 128;
/// The least and the most rows of other tiles. On one thread of an EPYC `lcs`, Gauss–Seidel, `smith_waterman` and `dither` took 1.2 to 1.8 times as long with
/// 128 rows as with 384 on a side of 4096 and above, and `lcs` and Gauss–Seidel 0.87 to 0.97 times as long on one of 512 to 2048; 512 rows leave caches.
const ROWS: [i64; 2] = [128, 384];
/// Tiles of fewer rows are not worth moving.
const LEAST_ROWS: i64 = 4;
/// The most lanes of a strip, and the least. On an EPYC 512 lanes were faster than 256 and 1024 on a side of 4096, and slower than 256 on one of 512, where
/// most rows of a strip have lanes without cells.
const LANES: [i64; 2] = [512, 32];
/// A strip has at most this share of the places along a lane as lanes, but no fewer than [`FEW`] for that.
const SHARE: i64 = 8;
const FEW: i64 = 256;

/// What a tile is chosen by, beside the domain and the kernel.
#[derive(Clone, Copy, Debug)]
pub struct TileWish {
    /// Whether the step draws.
    pub draws: bool,
    /// The threads that take strips.
    pub threads: i64,
    /// The lines and rows that were asked for.
    pub asked: Option<[u32; 2]>,
}

impl Strips {
    /// Where an offset leads: over so many lanes and rows.
    pub fn offset(&self, offset: [i32; 3]) -> [i32; 3] {
        let [p, q] = [self.along, self.across].map(|signed| {
            let along = offset[usize::from(signed.axis)];
            if signed.backwards { -along } else { along }
        });
        [q, p + self.shear * q, 0]
    }

    /// The tile of a kernel that looks at so many lanes and rows beside a cell, where the sides along a lane and across lanes are these and may wrap;
    /// `None` if the domain is too short along an axis that wraps. A call goes along `groups` groups of `group` lines, or computes a row.
    pub fn tile(
        &self,
        reach: [i64; 2],
        (sides, wraps): ([i64; 2], [bool; 2]),
        (groups, group): (u8, i64),
        wish: TileWish,
    ) -> Option<TileSize> {
        let tile = self.largest_tile(reach, sides, wish);
        let tile = match groups {
            0 => tile,
            _ => {
                // No more than the domain has lines, or the strip is to have.
                let lines = sides[1].min(tile.most) as u64;
                let groups = groups.min(lines.div_ceil(group as u64).min(u8::MAX.into()) as u8);
                // Letters go from lane to lane, and a register has those of so many rows.
                let rows = if group == TileSize::GROUP_OF_BITS { tile.rows.min(group) } else { tile.rows };
                TileSize { lanes: TileSize::lanes_of(groups, group), rows, groups, group, ..tile }
            }
        };
        let (TileSize { rows, .. }, own) = (tile, tile.lines());
        // Places beyond a seam were moved back when they are moved in again, or have not been computed.
        let beyond = 2 * reach[1] + 1;
        let is_alone = wraps[1] && reach[0] > 0 && sides[1] <= own;
        let rows = if wraps[0] { rows.min(sides[0] - beyond) } else { rows };
        let rows = if is_alone { rows.min(i64::from(self.shear) * sides[1] - beyond) } else { rows };
        let least = if wish.asked.is_some() { 1 } else { LEAST_ROWS };
        (rows >= least && own >= 1).then_some(TileSize { rows, ..tile })
    }

    /// The same on a domain that is long enough; no smaller for kernels that look farther.
    pub(crate) fn largest_tile(&self, reach: [i64; 2], sides: [i64; 2], wish: TileWish) -> TileSize {
        if let Some([lines, rows]) = wish.asked.map(|asked| asked.map(|side| i64::from(side).max(1))) {
            let lanes = (lines.min(sides[1]) + 2 * reach[0] + 31) / 32 * 32;
            let rows = rows.min(sides[0] + i64::from(self.shear) * sides[1]);
            return TileSize { lanes, rows, reach, groups: 0, group: TileSize::GROUP, most: lines };
        }
        let most = if sides[0] / SHARE >= LANES[0] { LANES[0] } else { FEW };
        let lanes = std::iter::successors(Some(most), |lanes| Some(lanes / 2));
        let suits = |lanes: &i64| *lanes == LANES[1] || lanes / 2 < sides[1] + 2 * reach[0];
        let lanes = lanes.take_while(|lanes| *lanes >= LANES[1]).find(suits).unwrap_or(most);
        // A strip begins some tiles after the one before: with long ones other threads would wait for the first strips.
        let rows = match wish.draws {
            true => ROWS_OF_DRAWS,
            false => (sides[0] / (2 * (wish.threads + 4))).clamp(ROWS[0], ROWS[1]),
        };
        TileSize { lanes, rows, reach, groups: 0, group: TileSize::GROUP, most: i64::MAX }
    }
}

impl Rule {
    /// How a step is computed in strips in a box; if it is not, why.
    pub(crate) fn strips(
        &self,
        step: &Step,
        dimension: Dimension,
        sides: [u64; 3],
        periodic: Axes,
    ) -> Result<Strips, &'static str> {
        let strips = self.sheared(step, dimension, sides, periodic)?;
        if self.has_sides() {
            return Err("sides differ in what is beyond them");
        }
        if self.reflects() {
            return Err("an edge is mirrored");
        }
        Ok(strips)
    }

    /// The same where a mirrored edge is in nobody's way.
    fn sheared(
        &self,
        step: &Step,
        dimension: Dimension,
        sides: [u64; 3],
        periodic: Axes,
    ) -> Result<Strips, &'static str> {
        let Some(StepOrder::Along(named)) = &step.order else { return Err("it has no order") };
        if dimension != Dimension::Two {
            return Err("the domain is no plane");
        }
        let turns = self.turns(step, dimension, sides, periodic);
        let found = self.dependences(step, dimension, wraps(sides, periodic)).ok_or("it reads too many places")?;
        match turns[..] {
            [along, across] if found.weights[0] == 1 && found.weights[1] <= MOST_SHEAR => {
                Ok(Strips { along, across, shear: found.weights[1] as i32 })
            }
            [_, _] => Err("a weight of Π is above 8"),
            // Lines that do not look at one another; rows need no strips.
            [along] if along.axis == 0 => {
                let reads = self.reads_of_changed(step, dimension).ok_or("it reads too many places")?;
                let across = SignedAxis { axis: 1, backwards: false };
                let apart = reads.iter().all(|(_, offset)| offset[1] == 0);
                let strips = Strips { along, across, shear: 0 };
                (apart && named.len() <= 2).then_some(strips).ok_or("the cells of a column look at one another")
            }
            _ => Err("its cells do not wait along rows"),
        }
    }

    /// How the cells of an ordered step are taken in a box, if nothing is switched off.
    pub(crate) fn taken(&self, step: &Step, dimension: Dimension, sides: [u64; 3], periodic: Axes) -> StepSchedule {
        let turns = self.turns(step, dimension, sides, periodic);
        match self.strips(step, dimension, sides, periodic) {
            _ if turns.is_empty() => StepSchedule::AtOnce,
            _ if turns.iter().all(|signed| signed.axis != 0) => StepSchedule::InRows,
            Ok(strips) => StepSchedule::InStrips(strips, None),
            Err(why) => StepSchedule::Singly(why),
        }
    }
}

impl Rule {
    /// How the backend `cuda` takes the cells of an ordered step in a box. The shear of its strips is the least that
    /// leaves no coordinate of a dependence negative.
    pub(crate) fn taken_by_gpu(
        &self,
        step: &Step,
        dimension: Dimension,
        sides: [u64; 3],
        periodic: Axes,
    ) -> StepSchedule {
        let turns = self.turns(step, dimension, sides, periodic);
        if turns.iter().all(|signed| signed.axis != 0) {
            return if turns.is_empty() { StepSchedule::AtOnce } else { StepSchedule::InRows };
        }
        let strips = match self.sheared(step, dimension, sides, periodic) {
            Ok(strips) => strips,
            Err(why) => return StepSchedule::Singly(why),
        };
        let [p, q] = [strips.along, strips.across].map(|signed| usize::from(signed.axis));
        if sides[p] == 1 || sides[q] == 1 {
            return StepSchedule::Singly("no two of its cells can be computed at once");
        }
        let reads = self.reads_of_changed(step, dimension).unwrap_or_default();
        let diagonal = || reads.iter().map(|(_, offset)| [offset[p], offset[q]]).filter(|[p, q]| *p != 0 && *q != 0);
        if periodic.0[p] && diagonal().next().is_some() {
            return StepSchedule::Singly("neighbours meet diagonally beyond a seam");
        }
        // A seam across the lines turns an offset around: the one cell is earlier by nearly all lines.
        let beyond = |[p, offset]: [i32; 2]| {
            let lines = (sides[q] - u64::from(offset.unsigned_abs())).max(1);
            u64::from(p.unsigned_abs()).div_ceil(lines)
        };
        let seam = diagonal().map(beyond).max().filter(|_| periodic.0[q]).unwrap_or(0);
        match seam.max(strips.shear.max(1) as u64 - 1) {
            shear if shear < MOST_SHEAR => StepSchedule::InStrips(Strips { shear: shear as i32, ..strips }, None),
            _ => StepSchedule::Singly("a weight of Π is above 8"),
        }
    }
}

impl Rule {
    /// The axes of an ordered step with weights: in a box cells whose coordinates in the order have the same sum with these do not wait for one another, and
    /// cells wait for lesser sums alone.
    pub(crate) fn fronts(
        &self,
        step: &Step,
        dimension: Dimension,
        sides: [u64; 3],
        periodic: Axes,
    ) -> Vec<(SignedAxis, u64)> {
        let Some(StepOrder::Along(named)) = &step.order else { return Vec::new() };
        let weights = match self.dependences(step, dimension, wraps(sides, periodic)) {
            Some(found) => found.weights.to_vec(),
            // A group after the other.
            None => {
                let before = |end: usize| named[..end].iter().map(|signed| sides[usize::from(signed.axis)]).product();
                (0..named.len()).map(before).collect()
            }
        };
        named.iter().copied().zip(weights).collect()
    }
}

/// Whether the sides of a plane are numbers of rows of strips.
pub(crate) fn have_numbers(sides: [u64; 3]) -> bool {
    sides[0].checked_add(MOST_SHEAR.saturating_mul(sides[1])).is_some_and(|rows| rows <= i32::MAX as u64)
}
