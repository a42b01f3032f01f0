//! Errors of sweeps of rules whose answers can be summed: eight spins around a hole, all of whose states are known.

use super::{Hard, known};
use squeeze::Backend;
use squeeze::analysis::{Column, Combination, analyse};
use squeeze::resolve::{self, Edges};
use squeeze::statistics::Estimate;
use squeeze::sweep::work::{self, How, Watch};
use squeeze::sweep::{Discard, Sweep, SweepFolder, Wishes};
use squeeze::{Domain, Error};

const FIELDS: &str = "rule fields {
    state up: bit
    state field: bit
    init up = random(0.5)
    init field = random(0.3) from disorder
    let h = f64(sum(von_neumann, if nb.up { 1 } else { -1 })) + (if field { f64(1.0) } else { f64(-1.0) })
    step flip colour of von_neumann { next up = random(1.0 / (1.0 + exp(-1.0 * h))) }
    observe m = mean(if up { f64(1.0) } else { f64(-1.0) })
}";

const SPINS: &str = "rule spins {
    state up: bit
    init up = random(0.5)
    let h = f64(sum(von_neumann, if nb.up { 1 } else { -1 }))
    step flip colour of von_neumann { next up = random(1.0 / (1.0 + exp(-1.8 * h))) }
    observe m = mean(if up { f64(1.0) } else { f64(-1.0) })
}";

const HITS: &str = "rule hits {
    state hit: bit
    init hit = random(0.0125)
    next hit = hit
    observe m = if sum(hit) > 0 { 1 } else { 0 } at end
}";

const SCALES: &str = "rule scales {
    state slow: bit
    state noise: f32
    init slow = random(0.5)
    init noise = normal()
    next slow = slow != random(0.005)
    next noise = normal()
    observe m = mean(noise + (if slow { 0.3 } else { -0.3 }))
}";

struct Nobody;

impl Watch for Nobody {}

/// A rule and the sweep of it that is analysed.
struct Told {
    rule: &'static str,
    steps: u32,
    every: u32,
    seeds: u64,
    disorders: u64,
    combination: Combination,
}

impl Told {
    /// The estimate of a combination of `m`, from seeds of this repetition alone.
    fn estimate(&self, time: u64) -> Result<Estimate, Error> {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let text = folder.path().join("told.rule");
        std::fs::write(&text, self.rule).expect("a file can be written");
        let (fractal, fractal_texts) = resolve::domain_with_texts("sierpinski_carpet", &Edges::default())?;
        let (rule, rule_texts) = resolve::rule_with_texts(&text.display().to_string())?;
        let list = |count: u64| format!("{}..{}", time * count, (time + 1) * count);
        let (seeds, disorder) = (list(self.seeds), list(self.disorders));
        let mut wishes = Wishes::default();
        (wishes.seeds, wishes.observe_every) = (&seeds, Some(self.every));
        wishes.disorder = (self.disorders > 0).then_some(disorder.as_str());
        wishes.discard = Some(Discard::Steps(self.steps.min(40) / 2));
        let domain = Domain::new(fractal, 1).expect("it has eight cells");
        let sweep = Sweep::new(fractal_texts, rule_texts, &rule, &[domain], self.steps, wishes, &[])?;
        let path = folder.path().join("sweep");
        let kept = SweepFolder::create(&path, &sweep)?;
        let mut how = How::default();
        (how.backend, how.threads) = (Backend::Cpu, Some(1));
        work::run(&kept, &sweep, how, &[], &mut Nobody)?;
        let column = Column::parse(self.combination, "told=m")?;
        let columns = if self.combination == Combination::Mean { Vec::new() } else { vec![column] };
        let found = analyse(&path, None, &columns)?;
        Ok(*found.summary.rows[0].estimates.last().expect("it is observed"))
    }

    fn compare(&self, time: u64, answer: f64) -> (f64, Option<f64>) {
        let found = self.estimate(time).expect("a sweep");
        (found.mean - answer, known(found.error))
    }
}

/// The sum of neighbours' products and that of spins, for each state of eight spins.
fn spins() -> impl Iterator<Item = (u32, f64, f64)> {
    (0..256u32).map(|state| {
        let spin = |i: u32| if state >> (i % 8) & 1 == 1 { 1.0 } else { -1.0 };
        (state, (0..8).map(|i| spin(i) * spin(i + 1)).sum(), (0..8).map(spin).sum())
    })
}

fn fields(time: u64, seeds: u64, disorders: u64) -> (f64, Option<f64>) {
    let beta = 0.5;
    let of_field = |field: u32| {
        let (mut weights, mut sum) = (0.0, 0.0);
        for (state, pairs, spins) in spins() {
            let along = 8.0 - 2.0 * f64::from((state ^ field).count_ones());
            let weight = f64::exp(beta * (pairs + along));
            (weights, sum) = (weights + weight, sum + weight * spins / 8.0);
        }
        let up = field.count_ones() as i32;
        0.3f64.powi(up) * 0.7f64.powi(8 - up) * sum / weights
    };
    let told = Told { rule: FIELDS, steps: 60, every: 5, seeds, disorders, combination: Combination::Mean };
    told.compare(time, (0..256).map(of_field).sum())
}

fn peaks(time: u64) -> (f64, Option<f64>) {
    let (mut weights, mut sum) = (0.0, 0.0);
    for (_, pairs, spins) in spins() {
        let weight = f64::exp(0.9 * pairs);
        (weights, sum) = (weights + weight, sum + weight * (spins / 8.0).powi(2));
    }
    let told =
        Told { rule: SPINS, steps: 60, every: 10, seeds: 128, disorders: 0, combination: Combination::Fluctuation };
    told.compare(time, sum / weights)
}

fn hits(time: u64) -> (f64, Option<f64>) {
    let told = Told { rule: HITS, steps: 2, every: 1, seeds: 16, disorders: 0, combination: Combination::Mean };
    told.compare(time, 1.0 - (1.0f64 - 0.0125).powi(8))
}

fn scales(time: u64) -> (f64, Option<f64>) {
    let told = Told { rule: SCALES, steps: 4000, every: 1, seeds: 1, disorders: 0, combination: Combination::Mean };
    told.compare(time, 0.0)
}

/// All kinds.
pub fn rules() -> Vec<Hard> {
    let kind = |name, compute, printed, chi_square| Hard { name, compute, printed, chi_square };
    vec![
        kind("rule: spins in random fields, 8 seeds go with 8 disorders", |t| fields(t, 8, 8), 0.9..=1.0, 0.4..=1.6),
        kind("rule: the same with one seed", |t| fields(t, 1, 8), 0.0..=0.0, 0.0..=f64::MAX),
        kind("rule: fluctuation of spins that agree, 128 seeds", peaks, 0.9..=1.0, 0.05..=1.6),
        kind("rule: a rare event in 16 members", hits, 0.5..=0.95, 0.2..=1.6),
        kind("rule: a slow sign under noise, one run of 40 slow times", scales, 0.0..=0.1, 0.0..=f64::MAX),
    ]
}
