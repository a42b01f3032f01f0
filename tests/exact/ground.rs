//! Domains of all kinds, and what lies around a cell, found by coordinates alone.

use squeeze::compiler::text::source::Sources;
use squeeze::compiler::{NoFiles, check};
use squeeze::ir::Type;
use squeeze::{Backend, Fractal, ObservedValue, Simulation, resolve};
use std::collections::HashMap;
use std::sync::Arc;

const DOMAINS: &str = "
    domain chain { size (9, 1) }
    domain ring { size (7, 1)  periodic x }
    domain open { size (4, 3) }
    domain odd { size (5, 3)  periodic }
    domain even { size (4, 4)  periodic }
    domain tube { size (7, 2)  periodic x }
    domain straight { size (8, 2)  periodic x }
    domain holes { size (5, 4)  cells (x + 2 * y) % 5 != 2  periodic }
    domain three { size (3, 3)  periodic }
    domain brick { size (3, 2, 2) }
    domain pipe { size (3, 3, 2)  periodic x, y }
    domain gaps { size (4, 3, 2)  cells (x + y + z) % 4 != 3  periodic x }
    domain corner { size (2, 2, 2) }
    domain carpet { fractal sierpinski_carpet  periodic }
    domain wide { size (64, 64) }
    domain joined { size (64, 64)  periodic }
    domain wide_torus { size (65, 64)  periodic }
    domain layers { size (33, 32, 5)  periodic }
    domain rags { size (70, 61)  cells random(0.8)  periodic }

    domain odd_torus { size (13, 11)  periodic }
    domain even_torus { size (16, 12)  periodic }
    domain mask { size (17, 15)  cells (x * x + 3 * y) % 7 != 3  periodic y }
    domain odd_space { size (7, 9, 11)  periodic }
    domain even_space { size (8, 12, 10)  periodic }
    domain sponge { size (8, 6, 7)  cells (x + 2 * y + 3 * z) % 5 != 1  periodic x }
    domain hoop { size (24, 1)  periodic x }
";

/// Domains of one to three dimensions, joined along even and odd sides, with holes and without, all wide enough for rules that look three cells far.
pub(crate) const GROUNDS: [&str; 7] = ["line", "fractal", "odd_torus", "even_torus", "mask", "odd_space", "sponge"];

/// A domain of those above, or a shipped fractal.
pub(crate) fn domain(name: &str) -> Arc<Fractal> {
    let name = if name == "fractal" { "sierpinski_carpet" } else { name };
    let ours = domains(DOMAINS).into_iter().find(|domain| domain.name == name);
    ours.unwrap_or_else(|| resolve::fractal(name).expect("it ships"))
}

/// The domains of a text.
pub(crate) fn domains(text: &str) -> Vec<Arc<Fractal>> {
    let mut sources = Sources::new();
    let root = sources.add("domains", text);
    check(&mut sources, root, &mut NoFiles).expect("the text is right").fractals
}

/// A rule on a domain; fractals of one to three dimensions have 32, 64 and 20 cells or more.
pub(crate) fn simulation(domain: &Arc<Fractal>, rule: &str, seed: u64, settings: &[&str]) -> Simulation {
    let rule = resolve::rule(rule).expect("it ships");
    let level = match domain.name.as_str() {
        "line" => 5,
        "sierpinski_carpet" => 2,
        _ => 1,
    };
    let mut builder =
        Simulation::builder(Arc::clone(domain), rule).level(level).seed(seed).backend(Backend::Cpu).threads(1);
    for setting in settings {
        builder = builder.set(*setting);
    }
    builder.build().expect("the rule runs")
}

/// One number that a rule observes.
pub(crate) fn observed(simulation: &Simulation, name: &str) -> f64 {
    let all = simulation.observe().expect("it can be observed");
    match &all.iter().find(|(known, _)| *known == name).expect("the rule observes it").1 {
        ObservedValue::Integer(value) => *value as f64,
        ObservedValue::Float(value) => *value,
        ObservedValue::List(_) => panic!("{name} is a list"),
    }
}

/// The values of a bit, a `u8` or an enum.
pub(crate) fn small(simulation: &Simulation, state: &str) -> Vec<u8> {
    match is_bit(simulation, state) {
        true => simulation.field::<bool>(state).expect("it has the state").into_iter().map(u8::from).collect(),
        false => simulation.field(state).expect("it has the state"),
    }
}

/// Sets the values of a bit, a `u8` or an enum.
pub(crate) fn set_small(simulation: &mut Simulation, state: &str, values: &[u8]) {
    let set = match is_bit(simulation, state) {
        true => simulation.set_field(state, 0, &values.iter().map(|value| *value == 1).collect::<Vec<bool>>()),
        false => simulation.set_field(state, 0, values),
    };
    set.expect("it takes the values");
}

fn is_bit(simulation: &Simulation, state: &str) -> bool {
    simulation.rule().states.iter().any(|known| known.name == state && known.ty == Type::Bit)
}

/// The mean over seeds of means over time, and its error.
pub(crate) fn sampled(seeds: u64, mean_of: impl FnMut(u64) -> f64) -> (f64, f64) {
    let means: Vec<f64> = (1..=seeds).map(mean_of).collect();
    let mean = means.iter().sum::<f64>() / seeds as f64;
    let spread = means.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / (seeds - 1) as f64;
    (mean, (spread / seeds as f64).sqrt())
}

/// The cells of a domain by their coordinates.
pub(crate) struct Ground {
    /// Where each is.
    pub places: Vec<[i64; 3]>,
    /// Width, height and depth.
    pub sides: [i64; 3],
    axes: usize,
    joined: [bool; 3],
    index: HashMap<[i64; 3], usize>,
}

impl Ground {
    /// The ground of a simulation.
    pub(crate) fn of(simulation: &Simulation) -> Ground {
        let domain = simulation.domain();
        let places: Vec<[i64; 3]> = (0..domain.cells()).map(|c| domain.lambda(c).map(|x| x as i64)).collect();
        let index = places.iter().enumerate().map(|(c, place)| (*place, c)).collect();
        let sides = domain.extent().map(|side| side as i64);
        Ground { places, sides, axes: domain.dimension().axes(), joined: domain.periodic().0, index }
    }

    /// How many cells there are.
    pub(crate) fn cells(&self) -> usize {
        self.places.len()
    }

    /// The cell at this offset from another one, if it exists.
    pub(crate) fn at(&self, c: usize, offset: [i64; 3]) -> Option<usize> {
        let mut place = self.places[c];
        for axis in 0..3 {
            place[axis] += offset[axis];
            if self.joined[axis] {
                place[axis] = place[axis].rem_euclid(self.sides[axis]);
            }
        }
        self.index.get(&place).copied()
    }

    /// The offsets within a distance, in reading order: along all axes together, or along each.
    pub(crate) fn offsets(&self, radius: i64, together: bool) -> Vec<[i64; 3]> {
        let along = |axis: usize| if axis < self.axes { -radius..=radius } else { 0..=0 };
        let mut offsets = Vec::new();
        for dz in along(2) {
            for dy in along(1) {
                for dx in along(0) {
                    let far = if together { dx.abs() + dy.abs() + dz.abs() } else { 1 };
                    if (dx, dy, dz) != (0, 0, 0) && far <= radius {
                        offsets.push([dx, dy, dz]);
                    }
                }
            }
        }
        offsets
    }

    /// The neighbours of each cell at these offsets.
    pub(crate) fn near(&self, radius: i64, together: bool) -> Vec<Vec<usize>> {
        let offsets = self.offsets(radius, together);
        (0..self.cells()).map(|c| offsets.iter().filter_map(|offset| self.at(c, *offset)).collect()).collect()
    }

    /// The neighbours of each cell that share a side with it.
    pub(crate) fn sides_of(&self) -> Vec<Vec<usize>> {
        self.near(1, true)
    }

    /// All pairs of cells that share a side, each once.
    pub(crate) fn pairs(&self) -> Vec<(usize, usize)> {
        let near = self.sides_of();
        (0..self.cells()).flat_map(|c| near[c].iter().filter(move |d| c < **d).map(move |d| (c, *d))).collect()
    }
}
