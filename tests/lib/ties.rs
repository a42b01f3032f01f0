//! Draws whose words are equal to the first 32 planes of their probabilities, so that further planes decide: of all cells, where each has a probability of its
//! own, or of a cell of each class.

use crate::course::library;
use squeeze::compiler::numbers::philox;
use squeeze::{Backend, Domain, Rule, Simulation, SimulationBuilder};
use std::sync::Arc;

/// Fractals with few and many lanes, tori, a mask, a box in space.
const DOMAINS: &str = "
fractal triangle { scale 2  replicas { 0: (0, 0)  1: (0, 1)  2: (1, 1) } }
fractal carpet { scale 3  pattern { ###
#.#
### } }
domain torus { size (130, 9)  periodic }
domain ring { size (300, 3)  periodic x }
domain holes { size (90, 12)  cells random(0.6) }
domain dust { size (700, 8)  cells random(0.03) }
domain space { size (20, 6, 5) }
";

/// `each` and `turns` take the numbers of cells, the others are of bits.
const RULES: &str = "
rule each { state p: f64  state q: f32  state hit: bit  state low: bit  next hit = random(p)  next low = random(q) }
rule turns { state p: f64  state hit: bit  step s from (+x, -y) { next hit = random(p) != (hit[-1, 0] else false) } }
rule classes {
    param a: f64 = 0.5
    param b: f64 = 0.5
    param c: f64 = 0.5
    param d: f64 = 0.5
    state s: bit
    state t: bit
    state hit: bit
    init s = random(0.5)
    init t = random(0.5)
    next hit = random(if s { if t { a } else { b } } else { if t { c } else { d } })
}
rule guarded {
    param a: f64 = 0.5
    param b: f64 = 0.5
    state s: bit
    state hit: bit
    init s = random(0.5)
    step even when (x + y) % 2 == 0 { next hit = random(if s { a } else { b }) }
    step odd when (x + y) % 2 == 1 { next hit = random(if s { b } else { a }) }
}
rule same { param a: f64 = 0.5  state hit: bit  next hit = random(a) }
";

/// A simulation with ties in its first step.
pub struct TiedRun {
    /// Its names.
    pub what: String,
    /// The domain and the rule.
    pub domain: Domain,
    /// The rule.
    pub rule: Arc<Rule>,
    /// The parameters that are set.
    pub settings: Vec<String>,
    numbers: Vec<f64>,
}

/// The seed of all runs.
pub const SEED: u64 = 0x1234_5678_9abc;

impl TiedRun {
    fn new(domain: &Domain, rule: &Arc<Rule>) -> TiedRun {
        let what = format!("{} on {}", rule.name, domain.fractal().name);
        TiedRun { what, domain: domain.clone(), rule: Arc::clone(rule), settings: Vec::new(), numbers: Vec::new() }
    }

    /// Begins to describe it.
    pub fn builder(&self) -> SimulationBuilder {
        let builder = Simulation::builder(Arc::clone(self.domain.fractal()), Arc::clone(&self.rule));
        let builder = builder.level(self.domain.level()).seed(SEED);
        let builder = self.settings.iter().fold(builder, |builder, setting| builder.set(setting));
        if self.numbers.is_empty() {
            return builder;
        }
        let builder = builder.initial("p", self.numbers.clone());
        match self.rule.states.iter().any(|state| state.name == "q") {
            true => builder.initial("q", self.numbers.iter().map(|p| *p as f32).collect::<Vec<_>>()),
            false => builder,
        }
    }

    /// Which cells the first step hits, and the digests after some more.
    ///
    /// # Panics
    /// If it does not run.
    pub fn hits(&self, builder: SimulationBuilder) -> (Vec<bool>, Vec<u64>) {
        let mut simulation = builder.build().unwrap_or_else(|error| panic!("{}: {error}", self.what));
        let failed = |error| -> Vec<bool> { panic!("{}: {error}", self.what) };
        simulation.step(1).unwrap();
        let hits = simulation.field("hit").unwrap_or_else(failed);
        simulation.step(3).unwrap();
        (hits, simulation.digests().unwrap().into_iter().map(|(_, digest)| digest).collect())
    }
}

/// The number that a cell's word of draw 0 and half a bit more spell, or a quarter.
fn near(domain: &Domain, cell: u64) -> f64 {
    let word = philox::draw(SEED, domain.draw_number(cell), 1, 0);
    (f64::from(word) + [0.5, 0.25, 0.75, 0.999][cell as usize % 4]) / 32f64.exp2()
}

/// Runs on all domains of all rules, `some` of each that have one probability a class.
pub fn tied_runs(some: u64) -> Vec<TiedRun> {
    let (domains, rules) = (library(DOMAINS).fractals, library(RULES).rules);
    let mut runs = Vec::new();
    for fractal in &domains {
        let level = if fractal.name == "triangle" {
            7
        } else if fractal.name == "carpet" {
            4
        } else {
            1
        };
        let domain = Domain::new(Arc::clone(fractal), level).expect("the level is small");
        for rule in rules.iter().filter(|rule| domain.admits(rule).is_ok()) {
            let run = TiedRun::new(&domain, rule);
            if rule.params.is_empty() {
                runs.push(TiedRun { numbers: (0..domain.cells()).map(|c| near(&domain, c)).collect(), ..run });
                continue;
            }
            // The first cells of each class behind some place.
            let begun = run.builder().backend(Backend::Reference).build().expect("the oracle runs what is small");
            let bits = |name: &str| begun.field::<bool>(name).unwrap_or_else(|_| vec![false; domain.cells() as usize]);
            let (s, t) = (bits("s"), bits("t"));
            for number in 0..some {
                let behind = domain.cells() * number / some;
                let class = |s_is: bool, t_is: bool| {
                    let cells = (behind..domain.cells()).chain(0..behind);
                    let cell = cells.clone().find(|c| (s[*c as usize], t[*c as usize]) == (s_is, t_is));
                    near(&domain, cell.unwrap_or(behind))
                };
                let all = match rule.params.len() {
                    4 => vec![class(true, true), class(true, false), class(false, true), class(false, false)],
                    2 => vec![class(true, false), class(false, false)],
                    _ => vec![near(&domain, behind)],
                };
                let settings = rule.params.iter().zip(&all).map(|(param, p)| format!("{}={p:?}", param.name));
                let what = format!("{}, {all:?}", run.what);
                let (domain, rule) = (run.domain.clone(), Arc::clone(rule));
                runs.push(TiedRun { what, domain, rule, settings: settings.collect(), numbers: Vec::new() });
            }
        }
    }
    runs
}

/// How many cells further planes decide in the first step of `each`, by what they decide.
pub fn decided(run: &TiedRun, hits: &[bool]) -> [usize; 2] {
    let mut both = [0; 2];
    for (cell, p) in run.numbers.iter().enumerate().filter(|_| run.rule.name == "each") {
        let q = run.domain.draw_number(cell as u64);
        assert_eq!(hits[cell], philox::is_below(SEED, q, 1, 0, *p), "{}, cell {cell}", run.what);
        both[usize::from(hits[cell])] += 1;
    }
    both
}
