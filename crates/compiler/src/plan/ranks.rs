//! The cost of dividing a fractal's superblocks among ranks, which is added to that of computing them.
//!
//! A rank computes the superblocks that need nothing of others while columns come from there, so it waits only if these are done first. The columns are those on the border of
//! its superblocks, in all lanes: few where the copies of a pattern touch at single cells, as those of the triangle do. With a digit moved from lanes to superblocks there are
//! fewer lanes and more superblocks, and the border's share falls. Figures of links are those of the machine ([`RankLink`](crate::target::RankLink)).

use crate::ir::fractal::Pattern;
use crate::layout::Layout;
use crate::target::Machine;

/// How many more columns are counted on a border than its length says. Measured: 1.4 to 1.6, where all were counted.
const UNEVEN: f64 = 1.5;

/// The cells of a side of a pattern that touch those of the copy beside it, along the axis where most do.
fn touching(pattern: &Pattern) -> f64 {
    let across = |axis: usize| {
        let side = |at: u32| pattern.replicas.iter().filter(move |place| place[axis] == at);
        let others =
            |place: &[u32; 3]| (0..3).filter(|other| *other != axis).map(|other| place[other]).collect::<Vec<_>>();
        let last = pattern.scale[axis] - 1;
        side(last).filter(|place| side(0).any(|beyond| others(beyond) == others(place))).count()
    };
    (0..pattern.dimension.axes()).map(across).max().unwrap_or(0).max(1) as f64
}

/// The length of the border of some superblocks, in cells and in superblocks, if it were that of one side alone.
fn side_of(layout: &Layout, superblocks: f64) -> [f64; 2] {
    let low = (1..=layout.low().level()).map(|level| layout.low().pattern(level));
    let (mut all, mut side) = (1.0, [1.0, 1.0]);
    for pattern in low {
        side[0] *= touching(pattern);
    }
    for pattern in layout.middle_patterns() {
        let (k, touching) = (pattern.k() as f64, touching(pattern));
        // Of the last level a part.
        let share = if all * k > superblocks { (superblocks / all).max(1.0).ln() / k.ln() } else { 1.0 };
        side = side.map(|length| length * touching.powf(share));
        all *= k;
        if share < 1.0 {
            break;
        }
    }
    side
}

/// Nanoseconds by which a pass of a rank takes longer than to compute its superblocks, which is done in `computing` nanoseconds; its kernels look
/// `distance` places far, at columns of `bytes_of_column` bytes.
pub(super) fn waiting(layout: &Layout, distance: u32, bytes_of_column: f64, computing: f64, machine: &Machine) -> f64 {
    if machine.ranks == 1 {
        return 0.0;
    }
    let (superblocks, sides) =
        (f64::from(layout.superblocks()) / f64::from(machine.ranks), 2.0 * layout.dimension().axes() as f64);
    let [cells, length] = side_of(layout, superblocks);
    let border = (UNEVEN * sides * length / superblocks).min(1.0);
    let bytes = UNEVEN * sides * f64::from(distance.max(1)) * cells * bytes_of_column;
    let peers = sides.min(f64::from(machine.ranks - 1));
    machine.wait(computing, border, (peers, bytes))
}
