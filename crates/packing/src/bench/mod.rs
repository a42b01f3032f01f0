//! The encodings of masks side by side: the time to build them, the time to pack arrays with them, and their size.
//!
//! These are the experiments of *Binary scan encoding with backward application* (Langer and Summ, 2025), on the processor and on a GPU: bandwidths of the
//! setup are bytes of the mask over time, those of the application bytes of the array that is packed (four a place) over time. *together* goes down the
//! dynamic tree once for 32 cells, all other trees are searched for each cell by itself; *ours* goes through the mask and looks for no cell.

mod claims;
mod cpu;
mod gpu;

use crate::Encoding;
use claims::claims;
use cpu::ProcessorBench;
use gpu::GpuBench;
use rayon::ThreadPoolBuilder;
use squeeze_bench::claim::Claim;
use squeeze_engine::failure::{Error, Result};
use squeeze_host::{memory, numbers};
use squeeze_records::chart::{self, ChartAxis, Curve, CurvePoint, Page, Panel, Scale};

/// Places of the largest mask on the processor, unless others are asked for.
pub const PLACES: u32 = 1 << 22;
/// Places of the largest mask on a GPU, unless others are asked for.
pub const GPU_PLACES: u32 = 1 << 28;
/// The densities of the document, from all cells down to one in a hundred.
const DENSITIES: [f64; 13] = [1.0, 0.95, 0.8, 0.65, 0.5, 0.35, 0.3, 0.2, 0.1, 0.05, 0.035, 0.02, 0.01];

/// A curve: its name, and its points; where nothing was measured, the y is NaN.
pub type NamedPoints = (String, Vec<(f64, f64)>);

/// Something measured against something that varies.
#[derive(Clone, Debug, PartialEq)]
pub struct Experiment {
    /// A short name, that of its plot's file.
    pub name: &'static str,
    /// Its title.
    pub title: String,
    /// The label of the quantity that varies.
    pub x: &'static str,
    /// The label of the quantity that is measured.
    pub y: &'static str,
    /// Whether the axis of what varies is logarithmic, with powers of two.
    pub logarithmic: bool,
    /// The curves that are compared.
    pub curves: Vec<NamedPoints>,
}

impl Experiment {
    /// As SVG.
    pub fn svg(&self, note: &str) -> String {
        let curve = |(ink, (name, points)): (usize, &NamedPoints)| Curve {
            name: name.clone(),
            points: points.iter().map(|(x, y)| CurvePoint::new(*x, *y)).collect(),
            ink,
            marked: true,
        };
        let scale = if self.logarithmic { Scale::Doublings } else { Scale::Linear };
        let panel = Panel {
            x: ChartAxis { label: self.x.to_owned(), scale },
            y: ChartAxis { label: self.y.to_owned(), scale: Scale::Linear },
            curves: self.curves.iter().enumerate().map(curve).collect(),
            ..Panel::default()
        };
        let page = Page { title: self.title.clone(), note: note.to_owned(), columns: 1, panels: vec![panel] };
        chart::sheet(&page, None).to_svg()
    }

    /// Where a curve is highest, among the points that were measured.
    fn best(&self, curve: &str) -> f64 {
        let points = self.curves.iter().find(|(name, _)| name == curve).map(|(_, points)| &points[..]);
        let best = points.into_iter().flatten().filter(|point| !point.1.is_nan()).max_by(|a, b| a.1.total_cmp(&b.1));
        best.map_or(f64::NAN, |point| point.0)
    }

    /// The value of a curve at a place.
    fn at(&self, curve: &str, x: f64) -> f64 {
        let points = self.curves.iter().find(|(name, _)| name == curve).map(|(_, points)| &points[..]);
        points.into_iter().flatten().find(|point| point.0 == x).map_or(f64::NAN, |point| point.1)
    }
}

/// All experiments, and the document's claims about them.
#[derive(Clone, Debug)]
pub struct EncodingComparison {
    /// The device that ran them.
    pub device: String,
    /// Places of the largest mask.
    pub places: u64,
    /// The experiments.
    pub experiments: Vec<Experiment>,
    /// Its claims.
    pub claims: Vec<Claim>,
}

/// A way to pack an array.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PackingMethod {
    /// Each cell is found by itself.
    Each(Encoding),
    /// 32 cells are found together.
    Together(Encoding),
    /// Word by word of the mask.
    Ours,
}

const WAYS: [PackingMethod; 6] = [
    PackingMethod::Each(Encoding::Permutation),
    PackingMethod::Each(Encoding::FixedInclusive { a: 7, b: 8 }),
    PackingMethod::Each(Encoding::FixedExclusive { a: 8, b: 8 }),
    PackingMethod::Each(Encoding::DynamicExclusive),
    PackingMethod::Together(Encoding::DynamicExclusive),
    PackingMethod::Ours,
];

impl PackingMethod {
    fn encoding(self) -> Encoding {
        match self {
            PackingMethod::Each(encoding) | PackingMethod::Together(encoding) => encoding,
            PackingMethod::Ours => Encoding::Ranks,
        }
    }

    fn name(self) -> String {
        match self {
            PackingMethod::Each(encoding) => encoding.name().to_owned(),
            PackingMethod::Together(encoding) => format!("{}, together", encoding.name()),
            PackingMethod::Ours => Encoding::Ranks.name().to_owned(),
        }
    }
}

/// Measures encodings.
trait EncodingBench {
    /// A mask where it is measured.
    type Mask;

    /// The sizes of blocks, in units of [`BLOCK_IS`](Self::BLOCK_IS): in experiments that do not vary it, and in the one that does.
    const BLOCK: usize;
    const BLOCKS: &[usize];
    /// The unit of a block's size.
    const BLOCK_IS: &str;
    /// The largest mask has this many times as many places as those of the experiment with densities.
    const SMALLER: u32;

    /// A row of places of which about this share are cells.
    fn draw(&self, places: u32, density: f64) -> Result<Self::Mask>;

    /// Bytes of an encoding, beside the mask's bits.
    fn bytes(encoding: Encoding, places: u64, cells: u64) -> u64 {
        encoding.bytes(places, cells)
    }

    /// Gigabytes of a mask's bits in a second while it is encoded.
    fn setup(&self, encoding: Encoding, mask: &Self::Mask, block: Option<usize>) -> Result<f64>;

    /// Gigabytes of an array in a second while it is packed.
    fn apply(&self, way: PackingMethod, mask: &Self::Mask, block: usize) -> Result<f64>;
}

/// A place is a cell where the upper half of what `mix` makes of its number is below this.
fn bound(density: f64) -> u64 {
    (density * 4_294_967_296.0) as u64
}

/// A curve for each of some things.
fn curves<T: Copy, N: Into<String>>(
    all: impl IntoIterator<Item = T>,
    name: impl Fn(T) -> N,
    points: impl Fn(T) -> Result<Vec<(f64, f64)>>,
) -> Result<Vec<NamedPoints>> {
    all.into_iter().map(|one| Ok((name(one).into(), points(one)?))).collect()
}

/// A point of a curve for each of `all`.
fn points<T: Copy>(all: &[T], point: impl Fn(T) -> Result<(f64, f64)>) -> Result<Vec<(f64, f64)>> {
    all.iter().map(|one| point(*one)).collect()
}

/// Fails if more memory is needed than there is.
fn expect_room(places: u32, needed: u64, available: u64) -> Result<()> {
    if needed <= available {
        return Ok(());
    }
    let [needed, available] = [needed, available].map(|bytes| numbers::bytes(bytes as f64));
    Err(Error::system(format!("{places} places need {needed} of memory, and {available} are there")))
}

/// Runs all experiments on `threads` threads, with masks of at most `places` places, each point for about `seconds` seconds.
///
/// # Errors
/// If the system refuses threads, or there is too little memory.
pub fn compare(threads: usize, places: u32, seconds: f64, begin: impl Fn(&str) + Send) -> Result<EncodingComparison> {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| Error::system(format!("no threads: {error}")))?;
    // Four bytes a place each: the array, what is packed, the permutation, the places while they are made.
    expect_room(places, 16 * u64::from(places), memory::available())?;
    let experiments = pool.install(move || experiments(&ProcessorBench { seconds }, places, &begin))?;
    Ok(EncodingComparison {
        device: memory::processor_name(),
        places: places.into(),
        claims: claims(&experiments, f64::from(places)),
        experiments,
    })
}

/// Runs all experiments on the first GPU, with masks of at most `places` places, and checks the packed values.
///
/// # Errors
/// Without a driver, a device or NVRTC, if one of them fails or there is too little memory, and if something is packed wrongly.
pub fn compare_on_gpu(places: u32, begin: impl Fn(&str)) -> Result<EncodingComparison> {
    let gpu = GpuBench::new(places)?;
    let mut experiments = experiments(&gpu, places, &begin)?;
    experiments.extend(gpu.more(places, &sizes(places), &begin)?);
    Ok(EncodingComparison {
        device: gpu.device.name(),
        places: places.into(),
        claims: claims(&experiments, f64::from(places)),
        experiments,
    })
}

/// Places of the masks that differ in size.
fn sizes(most: u32) -> Vec<u32> {
    (0..6).map(|step| most >> (2 * step)).rev().collect()
}

fn experiments<B: EncodingBench>(bench: &B, most: u32, begin: &impl Fn(&str)) -> Result<Vec<Experiment>> {
    let sizes = sizes(most);
    let mut experiments = Vec::new();
    begin("setup, sizes");
    let by_size: Vec<(u32, B::Mask)> =
        sizes.iter().map(|places| Ok((*places, bench.draw(*places, 0.5)?))).collect::<Result<_>>()?;
    experiments.push(Experiment {
        name: "setup-by-size",
        title: "Setup of encodings, half of the places cells".to_owned(),
        x: "places",
        y: "GB/s of mask",
        logarithmic: true,
        curves: curves(Encoding::ALL, Encoding::name, |encoding| {
            let point = |(places, mask): &(u32, B::Mask)| Ok((f64::from(*places), bench.setup(encoding, mask, None)?));
            by_size.iter().map(point).collect()
        })?,
    });
    begin("packing, sizes");
    experiments.push(Experiment {
        name: "apply-by-size",
        title: "Packing an array, half of the places cells".to_owned(),
        x: "places",
        y: "GB/s of array",
        logarithmic: true,
        curves: curves(WAYS, PackingMethod::name, |way| {
            let point = |(places, mask): &(u32, B::Mask)| Ok((f64::from(*places), bench.apply(way, mask, B::BLOCK)?));
            by_size.iter().map(point).collect()
        })?,
    });
    drop(by_size);
    let half = bench.draw(most, 0.5)?;
    begin("packing, blocks");
    experiments.push(Experiment {
        name: "apply-by-block",
        title: format!("Packing an array, by {}", B::BLOCK_IS),
        x: B::BLOCK_IS,
        y: "GB/s of array",
        logarithmic: true,
        curves: curves(WAYS.into_iter().filter(|way| *way != PackingMethod::Ours), PackingMethod::name, |way| {
            points(B::BLOCKS, |block| Ok((block as f64, bench.apply(way, &half, block)?)))
        })?,
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
            let curve = |b: u32| {
                let all: Vec<u32> = (5..=most_bits - b).step_by(2).collect();
                points(&all, |a| {
                    let speed = match applied {
                        false => bench.setup(of(a, b), &half, None)?,
                        true => bench.apply(PackingMethod::Each(of(a, b)), &half, B::BLOCK)?,
                    };
                    Ok((f64::from(a), speed))
                })
            };
            experiments.push(Experiment {
                name,
                title: format!(
                    "{}, {encoding} with layers of 2^a and 2^(a+b) places",
                    if applied { "Packing" } else { "Setup" }
                ),
                x: "a",
                y: if applied { "GB/s of array" } else { "GB/s of mask" },
                logarithmic: false,
                curves: curves([2, 4, 6, 8], |b| format!("b = {b}"), curve)?,
            });
        }
    }
    drop(half);
    begin("packing, densities");
    let mut by_density: Vec<NamedPoints> = WAYS.map(|way| (way.name(), Vec::new())).to_vec();
    for density in DENSITIES.into_iter().rev() {
        let mask = bench.draw(most / B::SMALLER, density)?;
        for (way, (_, points)) in WAYS.into_iter().zip(&mut by_density) {
            points.push((density, bench.apply(way, &mask, B::BLOCK)?));
        }
    }
    experiments.push(Experiment {
        name: "apply-by-density",
        title: "Packing an array, by the share of places that are cells".to_owned(),
        x: "density",
        y: "GB/s of array",
        logarithmic: true,
        curves: by_density,
    });
    experiments.extend([false, true].map(memory_of::<B>));
    Ok(experiments)
}

/// The bytes of encodings, with the mask or without.
fn memory_of<B: EncodingBench>(whole: bool) -> Experiment {
    let (name, title) = match whole {
        false => ("memory-of-structures", "Bytes of encodings over those of the mask, without it"),
        true => ("memory-of-all", "Bytes of encodings over those of the mask, with it where it is needed"),
    };
    let places = 1u64 << 29;
    let share = |encoding: Encoding, density: f64| {
        let bytes = B::bytes(encoding, places, (density * places as f64) as u64) as f64 / (places / 8) as f64;
        (density, if whole && encoding.needs_mask() { 1.0 + bytes } else { bytes })
    };
    let curve = |encoding: Encoding| DENSITIES.iter().rev().map(|density| share(encoding, *density)).collect();
    Experiment {
        name,
        title: title.to_owned(),
        x: "density",
        y: "of the mask's bytes",
        logarithmic: true,
        curves: Encoding::ALL.map(|encoding| (encoding.name().to_owned(), curve(encoding))).to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use squeeze_bench::claim::{FORMULA, Verdict};

    #[test]
    fn small_experiments_have_all_points_and_claims() {
        let compared = compare(2, 1 << 15, 1e-4, |_| ()).unwrap();
        for experiment in &compared.experiments {
            for (name, points) in &experiment.curves {
                assert!(points.len() >= 2, "{} {name}", experiment.name);
                assert!(points.iter().all(|(_, y)| *y > 0.0), "{} {name}: {points:?}", experiment.name);
            }
            assert!(experiment.svg("a test").starts_with("<svg"));
        }
        assert_eq!((compared.experiments.len(), compared.claims.len()), (10, 12));
        let memory = compared.claims.iter().filter(|claim| claim.hardware == FORMULA);
        assert!(memory.clone().count() == 3 && memory.clone().all(|claim| claim.verdict == Verdict::Held));
    }
}
