//! The encodings of masks side by side: the time to build them, the time to pack arrays with them, and their size.
//!
//! These are the experiments of *Binary scan encoding with backward application* (Langer and Summ, 2025), on the CPU: bandwidths of the setup are
//! bytes of the mask over time, those of the application bytes of the array that is packed (four a place) over time. Each cell is found by
//! itself, as a thread of a GPU does it; *together* goes down the dynamic tree once for 32 cells; *ours* packs word by word and looks for none.

use super::clock::time;
use super::error::{BenchError, Result};
use crate::chart::{self, Axis, Curve, Page, Panel, Point, Scale};
use crate::figures::claim::{Claim, FORMULA, short};
use crate::mask::{Encoding, Mask, Rank};
use crate::memory;
use rayon::ThreadPoolBuilder;
use rayon::prelude::*;
use squeeze_compiler::numerics::digest::mix;
use std::convert::Infallible;

/// The GPU of the document.
const HARDWARE: &str = "RTX 4080";
/// The shortest repeat in seconds.
const SHORTEST: f64 = 0.004;
/// Places of the largest mask, unless others are asked for.
pub const PLACES: u32 = 1 << 22;
/// Cells that a thread finds at a time, where that does not vary.
const BLOCK: usize = 4096;
/// The densities of the document, from all cells down to one in a hundred.
const DENSITIES: [f64; 12] = [1.0, 0.95, 0.8, 0.65, 0.5, 0.35, 0.2, 0.1, 0.05, 0.035, 0.02, 0.01];

/// A curve: its name, and its points; where nothing was measured, the y is NaN.
pub type NamedPoints = (String, Vec<(f64, f64)>);

/// Something measured against something that varies.
#[derive(Clone, Debug, PartialEq)]
pub struct Experiment {
    /// A short name, that of its plot's file.
    pub name: &'static str,
    /// What it shows.
    pub title: String,
    /// What varies.
    pub x: &'static str,
    /// What is measured.
    pub y: &'static str,
    /// Whether what varies does so by powers of two.
    pub doublings: bool,
    /// What is compared.
    pub curves: Vec<NamedPoints>,
}

impl Experiment {
    /// As SVG.
    pub fn svg(&self, note: &str) -> String {
        let curve = |(ink, (name, points)): (usize, &NamedPoints)| Curve {
            name: name.clone(),
            points: points.iter().map(|(x, y)| Point::new(*x, *y)).collect(),
            ink,
            marked: true,
        };
        let scale = if self.doublings { Scale::Doublings } else { Scale::Linear };
        let panel = Panel {
            x: Axis { label: self.x.to_owned(), scale },
            y: Axis { label: self.y.to_owned(), scale: Scale::Linear },
            curves: self.curves.iter().enumerate().map(curve).collect(),
            ..Panel::default()
        };
        chart::svg(&Page { title: self.title.clone(), note: note.to_owned(), columns: 1, panels: vec![panel] })
    }

    /// What a curve has at a place.
    fn at(&self, curve: &str, x: f64) -> f64 {
        let points = self.curves.iter().find(|(name, _)| name == curve).map(|(_, points)| &points[..]);
        points.into_iter().flatten().find(|point| point.0 == x).map_or(f64::NAN, |point| point.1)
    }
}

/// All experiments, and what the document says of them.
#[derive(Clone, Debug)]
pub struct Compared {
    /// Places of the largest mask.
    pub places: u64,
    /// The experiments.
    pub experiments: Vec<Experiment>,
    /// Its claims.
    pub claims: Vec<Claim>,
}

/// A way to pack an array.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Each cell is found by itself.
    Each(Encoding),
    /// 32 cells are found together.
    Together(Encoding),
    /// By [`Rank::pack_into`].
    Ours,
}

const WAYS: [Way; 6] = [
    Way::Each(Encoding::Permutation),
    Way::Each(Encoding::FixedInclusive { a: 7, b: 8 }),
    Way::Each(Encoding::FixedExclusive { a: 8, b: 8 }),
    Way::Each(Encoding::DynamicExclusive),
    Way::Together(Encoding::DynamicExclusive),
    Way::Ours,
];

impl Way {
    fn name(self) -> String {
        match self {
            Way::Each(encoding) => encoding.name().to_owned(),
            Way::Together(encoding) => format!("{}, together", encoding.name()),
            Way::Ours => Encoding::Ranks.name().to_owned(),
        }
    }
}

/// A row of places of which about this share are cells.
fn random(places: u32, density: f64) -> Mask {
    let bound = (density * 4_294_967_296.0) as u64;
    let list: Vec<bool> = (0..places).into_par_iter().map(|place| mix(u64::from(place)) >> 32 < bound).collect();
    Mask::from_places([places, 1, 1], &list).expect("a row has few places")
}

/// Seconds of some work, the median.
fn clocked(seconds: f64, mut work: impl FnMut()) -> f64 {
    let timed = time(1, SHORTEST.min(seconds), seconds, |times| {
        (0..times).for_each(|_| work());
        Ok::<(), Infallible>(())
    });
    timed.map_or(f64::NAN, |timing| timing.median)
}

/// Gigabytes of a mask's bits in a second while it is encoded.
fn setup(encoding: Encoding, mask: &Mask, seconds: f64) -> f64 {
    let bytes = mask.places() as f64 / 8.0;
    bytes / 1e9 / clocked(seconds, || drop(std::hint::black_box(encoding.encode(mask))))
}

/// Gigabytes of an array in a second while it is packed, so many cells at a time.
fn apply(way: Way, mask: &Mask, block: usize, seconds: f64) -> f64 {
    let values: Vec<u32> = (0..mask.places() as u32).collect();
    let mut packed = vec![0; mask.cells() as usize];
    let (rank, encoding) = match way {
        Way::Each(encoding) | Way::Together(encoding) => (None, encoding),
        Way::Ours => (Some(Rank::new(mask)), Encoding::Ranks),
    };
    let Ok(encoded) = encoding.encode(mask) else { return f64::NAN };
    let once = || match &rank {
        Some(rank) => rank.pack_into(&values, &mut packed).expect("both lists are of this mask"),
        None => packed.par_chunks_mut(block).enumerate().for_each(|(index, packed)| {
            let first = (index * block) as u64;
            match way {
                Way::Together(_) => encoded.gather_together(&values, first, packed),
                Way::Each(_) | Way::Ours => encoded.gather(&values, first, packed),
            }
        }),
    };
    4.0 * mask.places() as f64 / 1e9 / clocked(seconds, once)
}

/// Runs all experiments on so many threads, with masks of at most so many places, each point for about so many seconds.
///
/// # Errors
/// If the system refuses threads, or there is too little memory.
pub fn compare(threads: usize, places: u32, seconds: f64, begin: impl Fn(&str) + Send) -> Result<Compared> {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| BenchError::System(format!("no threads: {error}")))?;
    // The array, what is packed, the permutation, the places while they are made.
    let needed = 16 * u64::from(places);
    if needed > memory::available() {
        let (needed, available) = (memory::describe(needed as f64), memory::describe(memory::available() as f64));
        return Err(BenchError::System(format!("{places} places need {needed} of memory, and {available} are there")));
    }
    Ok(pool.install(|| compare_up_to(places, seconds, begin)))
}

fn compare_up_to(most: u32, seconds: f64, begin: impl Fn(&str)) -> Compared {
    let sizes: Vec<u32> = (0..6).map(|step| most >> (2 * step)).rev().collect();
    let encodings = Encoding::ALL;
    let half = random(most, 0.5);
    let mut experiments = Vec::new();
    let mut add = |experiment: Experiment| experiments.push(experiment);
    begin("setup, sizes");
    let by_size: Vec<Mask> = sizes.iter().map(|places| random(*places, 0.5)).collect();
    add(Experiment {
        name: "setup-by-size",
        title: "Setup of encodings, half of the places cells".to_owned(),
        x: "places",
        y: "GB/s of mask",
        doublings: true,
        curves: (encodings.iter())
            .map(|encoding| {
                let point = |mask: &Mask| (mask.places() as f64, setup(*encoding, mask, seconds));
                (encoding.name().to_owned(), by_size.iter().map(point).collect())
            })
            .collect(),
    });
    begin("packing, sizes");
    add(Experiment {
        name: "apply-by-size",
        title: "Packing an array, half of the places cells".to_owned(),
        x: "places",
        y: "GB/s of array",
        doublings: true,
        curves: (WAYS.iter())
            .map(|way| {
                let point = |mask: &Mask| (mask.places() as f64, apply(*way, mask, BLOCK, seconds));
                (way.name(), by_size.iter().map(point).collect())
            })
            .collect(),
    });
    begin("packing, blocks");
    add(Experiment {
        name: "apply-by-block",
        title: "Packing an array, by the cells that a thread finds at a time".to_owned(),
        x: "cells at a time",
        y: "GB/s of array",
        doublings: true,
        curves: (WAYS.iter().filter(|way| **way != Way::Ours))
            .map(|way| {
                let point = |shift: u32| (f64::from(1 << shift), apply(*way, &half, 1 << shift, seconds));
                (way.name(), (6..=16).step_by(2).map(point).collect())
            })
            .collect(),
    });
    for (inclusive, most_bits) in [(true, 15), (false, 16)] {
        let of = |a: u32, b: u32| match inclusive {
            true => Encoding::FixedInclusive { a, b },
            false => Encoding::FixedExclusive { a, b },
        };
        let encoding = of(7, 8).name();
        for applied in [false, true] {
            begin(&format!("{encoding}, sizes of layers"));
            let name = match (inclusive, applied) {
                (true, false) => "setup-inclusive-layers",
                (true, true) => "apply-inclusive-layers",
                (false, false) => "setup-exclusive-layers",
                (false, true) => "apply-exclusive-layers",
            };
            let point = |a: u32, b: u32| {
                let speed = match applied {
                    false => setup(of(a, b), &half, seconds),
                    true => apply(Way::Each(of(a, b)), &half, BLOCK, seconds),
                };
                (f64::from(a), speed)
            };
            add(Experiment {
                name,
                title: format!(
                    "{}, {encoding} with layers of 2^a and 2^(a+b) places",
                    if applied { "Packing" } else { "Setup" }
                ),
                x: "a",
                y: if applied { "GB/s of array" } else { "GB/s of mask" },
                doublings: false,
                curves: [2, 4, 6, 8]
                    .map(|b| (format!("b = {b}"), (5..=most_bits - b).step_by(2).map(|a| point(a, b)).collect()))
                    .to_vec(),
            });
        }
    }
    begin("packing, densities");
    let by_density: Vec<(f64, Mask)> = DENSITIES.iter().map(|density| (*density, random(most / 4, *density))).collect();
    add(Experiment {
        name: "apply-by-density",
        title: "Packing an array, by the share of places that are cells".to_owned(),
        x: "density",
        y: "GB/s of array",
        doublings: true,
        curves: (WAYS.iter())
            .map(|way| {
                let point = |(density, mask): &(f64, Mask)| (*density, apply(*way, mask, BLOCK, seconds));
                (way.name(), by_density.iter().rev().map(point).collect())
            })
            .collect(),
    });
    for (whole, name, title) in [
        (false, "memory-of-structures", "Bytes of encodings over those of the mask, without it"),
        (true, "memory-of-all", "Bytes of encodings over those of the mask, with it where it is needed"),
    ] {
        let places = 1u64 << 29;
        let share = |encoding: Encoding, density: f64| {
            let bytes = encoding.bytes(places, (density * places as f64) as u64) as f64 / (places / 8) as f64;
            (density, if whole && encoding.needs_mask() { 1.0 + bytes } else { bytes })
        };
        add(Experiment {
            name,
            title: title.to_owned(),
            x: "density",
            y: "of the mask's bytes",
            doublings: true,
            curves: (encodings.iter())
                .map(|encoding| {
                    let points = DENSITIES.iter().rev().map(|density| share(*encoding, *density)).collect();
                    (encoding.name().to_owned(), points)
                })
                .collect(),
        });
    }
    let claims = claims(&experiments, f64::from(most));
    Compared { places: most.into(), experiments, claims }
}

/// What the document says, and what came of it.
fn claims(experiments: &[Experiment], most: f64) -> Vec<Claim> {
    let of = |name: &str| experiments.iter().find(|experiment| experiment.name == name).expect("it was run");
    let [setup, apply, density, memory] =
        ["setup-by-size", "apply-by-size", "apply-by-density", "memory-of-all"].map(of);
    let [permutation, inclusive, exclusive, dynamic, _] = Encoding::ALL.map(Encoding::name);
    let together = Way::Together(Encoding::DynamicExclusive).name();
    let best = |x: f64| {
        [inclusive, exclusive, dynamic, &together].map(|name| density.at(name, x)).into_iter().fold(0.0, f64::max)
    };
    let ratio = |a: f64, b: f64| a / b;
    let times = |value: f64| format!("{} times", short(value));
    let mut claims = Vec::new();
    let mut say = |name: &'static str, says: &str, here: String, holds: bool| {
        claims.push(Claim::new(name, says, HARDWARE, here, holds));
    };
    let dense = ratio(density.at(permutation, 0.95), best(0.95));
    say(
        "apply-by-density",
        "the permutation packs 2 to 3 times as fast as trees at high densities",
        times(dense),
        (2.0..=3.0).contains(&dense),
    );
    let sparse = ratio(density.at(permutation, 0.02), best(0.02));
    say("apply-by-density", "and is still faster at low ones", times(sparse), sparse > 1.0);
    let gain = ratio(density.at(permutation, 0.5), best(0.5)) / sparse;
    say("apply-by-density", "trees gain on it below a density of about 4%", times(gain), gain > 1.0);
    let fixed = |x: f64| density.at(exclusive, x).max(density.at(inclusive, x));
    let tree = |x: f64| density.at(dynamic, x).max(density.at(&together, x));
    let high = ratio(tree(0.5), fixed(0.5));
    say(
        "apply-by-density",
        "the dynamic tree packs about 40% faster than the fixed ones at high densities",
        times(high),
        (1.2..=1.6).contains(&high),
    );
    let low = ratio(tree(0.02), fixed(0.02));
    say("apply-by-density", "and slower at low ones", times(low), low < 1.0);
    let orders = density.at(permutation, 0.5) > tree(0.5)
        && tree(0.5) > density.at(exclusive, 0.5)
        && density.at(exclusive, 0.5) > density.at(inclusive, 0.5);
    let speeds = [permutation, dynamic, exclusive, inclusive].map(|name| short(density.at(name, 0.5))).join(", ");
    say(
        "apply-by-density",
        "at half density: permutation, dynamic, exclusive, inclusive, from fast to slow",
        speeds,
        orders,
    );
    let always = (apply.curves[0].1.iter()).all(|(x, _)| apply.at(exclusive, *x) > apply.at(inclusive, *x));
    let at_most = ratio(apply.at(exclusive, most), apply.at(inclusive, most));
    say("apply-by-size", "the fixed exclusive tree is always faster than the inclusive one", times(at_most), always);
    let set = ratio(setup.at(dynamic, most), setup.at(permutation, most));
    say("setup-by-size", "trees are set up faster than the permutation", times(set), set > 1.0);
    let mut tell =
        |says: &str, here: String, holds: bool| claims.push(Claim::new("memory-of-all", says, FORMULA, here, holds));
    let smaller = memory.at(exclusive, 0.5) < memory.at(inclusive, 0.5);
    tell("the fixed exclusive tree is smaller than the inclusive one", short(memory.at(exclusive, 0.5)), smaller);
    let least = [inclusive, exclusive].iter().all(|name| memory.at(dynamic, 0.5) < memory.at(name, 0.5));
    tell("the dynamic tree is the smallest", short(memory.at(dynamic, 0.5)), least);
    let largest = [inclusive, exclusive, dynamic].iter().all(|name| memory.at(permutation, 0.5) > memory.at(name, 0.5));
    let smallest =
        [inclusive, exclusive, dynamic].iter().all(|name| memory.at(permutation, 0.02) < memory.at(name, 0.02));
    let both = format!("{} and {}", short(memory.at(permutation, 0.5)), short(memory.at(permutation, 0.02)));
    tell("the permutation takes the most memory at half density and the least at 2%", both, largest && smallest);
    claims.push(Claim::not_measured(
        "apply-by-block",
        "best: 64 or 128 threads a block, to set up 256 or 512",
        HARDWARE,
        "blocks of threads are a GPU's",
    ));
    claims
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_experiments_have_all_points_and_claims() {
        let compared = compare_up_to(1 << 15, 1e-4, |_| ());
        for experiment in &compared.experiments {
            for (name, points) in &experiment.curves {
                assert!(points.len() >= 2, "{} {name}", experiment.name);
                assert!(points.iter().all(|(_, y)| *y > 0.0), "{} {name}: {points:?}", experiment.name);
            }
            assert!(experiment.svg("a test").starts_with("<svg"));
        }
        assert_eq!((compared.experiments.len(), compared.claims.len()), (10, 12));
        let memory = compared.claims.iter().filter(|claim| claim.hardware == FORMULA);
        assert!(
            memory.clone().count() == 3
                && memory.clone().all(|claim| claim.verdict == crate::figures::claim::Verdict::Held)
        );
    }
}
