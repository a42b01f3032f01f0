//! Looks at states that stay on the device: values of ranges of cells, and sums over blocks, beside those of the CPU's fields.

#![allow(clippy::single_range_in_vec_init, reason = "lists of one range are meant")]

use super::cases::{domain, in_parallel};
use squeeze::compiler::Speciality;
use squeeze::compiler::numbers::digest::mix;
use squeeze::compiler::plan::member_candidates;
use squeeze::compiler::target::{Choice, Machine};
use squeeze::cpu::Cpu;
use squeeze::cuda::{Cuda, Road, trace};
use squeeze::engine::sample::{AskedSums, Sample};
use squeeze::engine::{Engine, EngineOptions, MemberInputs};
use squeeze::ir::{StateId, Type, Value};
use squeeze::packed::{self, StateValues};
use squeeze::{Domain, Rule, params, resolve};
use squeeze_tests::course::library;
use std::ops::Range;
use std::sync::Arc;

/// Values of all types, and domains of which whole states take longer to fetch than a look takes.
const TEXT: &str = "
rule numbers {
    state a: u8
    state b: u16
    state c: i32
    state d: u32
    state e: i64
    state f: f32
    state g: f64
    init a = u8(below(200))
    init b = u16(below(60000))
    init c = i32(below(1000)) - 500
    init d = bits()
    init e = i64(bits()) * i64(bits())
    init f = uniform(-1, 1)
    init g = f64(uniform()) - 0.3
    next a = max(von_neumann, nb.a) else a
    next b = b + 7
    next c = c - 3
    next d = d + 5
    next e = e + i64(x)
    next f = 0.75 * f + 0.25 * (f[1, 0] else 0.0)
    next g = 0.9 * g + 0.01 * f64(y)
}

rule kinds {
    state on: bit
    state way: enum { north, east, south, west, nowhere }
    init on = random(0.4)
    init way = match below(5) { 0 => north, 1 => east, 2 => south, 3 => west, _ => nowhere }
    next on = on != any(von_neumann, nb.on)
    next way = if on { east } else { way }
}

domain box { size (811, 673) }
domain torus { size (352, 201)  periodic }
domain mask { size (1030, 740)  cells random(0.9) && y % 8 != 3 }
domain small_mask { size (400, 190)  cells random(0.9) && y % 8 != 3 }
domain layers { size (91, 63, 31)  cells z % 3 != 1 && random(0.9)  periodic x }
";

/// The looks that follow each other, each after a step.
const TURNS: u32 = 8;

/// Engines of one simulation, or of members.
struct Beside {
    rule: Arc<Rule>,
    domain: Domain,
    gpu: Cuda,
    /// The members that are compared, the first and the last.
    cpus: Vec<(usize, Cpu)>,
}

impl Beside {
    fn new(domain: &Domain, rule: &Arc<Rule>, members: u64, packed: bool, choice: Option<Choice>) -> Beside {
        let fitted = domain.fit(rule).unwrap();
        let params = params::resolve(&fitted, &[""; 0]).unwrap();
        let inputs: Vec<_> = (0..members).map(|seed| MemberInputs::new(&fitted, 7 + seed, &params)).collect();
        let mut options = EngineOptions::default();
        (options.threads, options.packed) = (Some(1), packed);
        let compared = [0, inputs.len() - 1].into_iter().take(inputs.len());
        let cpus = compared.map(|member| (member, Cpu::new(&fitted, &inputs[member], &options).unwrap())).collect();
        options.choice = choice;
        let gpu = Cuda::new(&fitted, inputs, &options).unwrap();
        Beside { rule: Arc::clone(rule), domain: domain.clone(), gpu, cpus }
    }

    fn step(&mut self) {
        self.gpu.prepare(1).unwrap();
        self.gpu.run(1).unwrap();
        for (_, cpu) in &mut self.cpus {
            cpu.prepare(1).unwrap();
            cpu.run(1).unwrap();
        }
    }

    fn states(&self) -> impl Iterator<Item = (StateId, Type)> + use<> {
        let states: Vec<_> = self.rule.states.iter().map(|state| state.ty).collect();
        (0..).map(StateId).zip(states)
    }

    /// All values of a member's state.
    fn field(&self, member: usize, (state, ty): (StateId, Type)) -> Vec<Value> {
        let cells = self.domain.cells();
        let mut bytes = vec![0; packed::bytes(ty, cells) as usize];
        let cpu = self.cpus.iter().find(|(number, _)| *number == member).map(|(_, cpu)| cpu).unwrap();
        cpu.read(0, state, 0..cells, &mut bytes).unwrap();
        (0..cells).map(|cell| packed::value(ty, &bytes, cell)).collect()
    }

    /// Compares the values of ranges of cells with those of the field.
    fn read(&self, member: usize, (state, ty): (StateId, Type), ranges: &[Range<u64>]) {
        let field = self.field(member, (state, ty));
        let count = ranges.iter().map(|cells| packed::bytes(ty, cells.end - cells.start) as usize).sum();
        let mut bytes = vec![0xa5; count];
        self.gpu.read_ranges(member, (state, ty), ranges, &mut bytes).unwrap();
        for (cells, bytes) in packed::split(ty, ranges, &mut bytes) {
            let found: Vec<Value> = (0..cells.end - cells.start).map(|i| packed::value(ty, bytes, i)).collect();
            let wanted = &field[cells.start as usize..cells.end as usize];
            assert!(found == wanted, "{} on {}: {ty:?}, {cells:?}", self.rule.name, self.domain);
            if ty == Type::Bit && !found.len().is_multiple_of(8) {
                assert_eq!(bytes[bytes.len() - 1] >> (found.len() % 8), 0, "bits behind the last one");
            }
        }
    }

    /// Some ranges with ends inside of words, columns and replicas, among them none and a single cell.
    fn ranges(&self, ty: Type, chance: u64) -> Vec<Range<u64>> {
        let all = self.domain.cells();
        let whole = |cell: u64| if ty == Type::Bit { cell / 8 * 8 } else { cell };
        let mut ranges = vec![0..whole(13), whole(100)..whole(100)];
        for part in 1..6 {
            let first = whole(all * part / 7 + mix(chance + part) % (all / 20));
            ranges.push(first..whole(first + 8 + mix(chance * 31 + part) % (all / 90).min(300)));
        }
        ranges.push(all - 9..all - 8);
        ranges.push(whole(all - 8).max(all - 8)..all);
        ranges
    }

    /// The sums of some blocks by their definition.
    fn sums(&self, field: &[Value], mu: u32, blocks: &Range<u64>, sample: Sample<'_>) -> Vec<[f64; 3]> {
        let size = self.domain.cell_product(mu);
        let cells = &field[(blocks.start * size) as usize..(blocks.end * size) as usize];
        match sample {
            Sample::Table(table) => {
                let sum = |cells: &[Value]| {
                    let count = |number| cells.iter().filter(|value| value.bits() as usize == number).count() as f64;
                    (0..table.len()).fold([0.0; 3], |sum, number| {
                        std::array::from_fn(|i| sum[i] + count(number) * table[number][i])
                    })
                };
                cells.chunks(size as usize).map(sum).collect()
            }
            Sample::Value => {
                let mut sums: Vec<f64> = cells.iter().map(|value| value.as_f64()).collect();
                for level in 1..=mu {
                    let k = self.domain.cell_product(level) / self.domain.cell_product(level - 1);
                    sums = sums.chunks(k as usize).map(|sums| sums.iter().fold(0.0, |sum, v| sum + v)).collect();
                }
                sums.into_iter().map(|sum| [sum, 0.0, 0.0]).collect()
            }
        }
    }

    /// Compares the sums of blocks with the definition, if the device gives them.
    fn sum(&self, member: usize, (state, ty): (StateId, Type), mu: u32, blocks: Range<u64>) {
        let table: Vec<[f64; 3]> = (0..5).map(|i| [0.25 * f64::from(i + 1), 1.0, f64::from(i)]).collect();
        let sample = match ty {
            Type::Bit if mu.is_multiple_of(2) => Sample::Table(&table[..2]),
            Type::Enum(_) if mu.is_multiple_of(2) => Sample::Table(&table),
            _ => Sample::Value,
        };
        let asked = AskedSums { state, mu, blocks: blocks.clone(), sample };
        let Some(found) = self.gpu.block_sums(member, &asked).unwrap() else { return };
        let wanted = self.sums(&self.field(member, (state, ty)), mu, &blocks, sample);
        let bits = |sums: &[[f64; 3]]| -> Vec<[u64; 3]> { sums.iter().map(|sum| sum.map(f64::to_bits)).collect() };
        let what = format!("{} on {}: {ty:?}, level {mu}, {blocks:?}", self.rule.name, self.domain);
        assert!(bits(&found) == bits(&wanted), "{what}");
    }

    /// All looks, also at what was just written.
    fn compare(mut self) {
        let all = self.domain.cells();
        for turn in 0..TURNS {
            self.step();
            let (own, other) = (turn as usize % self.cpus.len(), (turn + 1) as usize % self.cpus.len());
            let (member, other) = (self.cpus[own].0, self.cpus[other].0);
            for (state, ty) in self.states() {
                let level = self.domain.level();
                let mu = match turn {
                    2 => level,
                    3 => level - 1,
                    4 => (level.div_ceil(2) + u32::from(state.0) % 2).min(level),
                    _ => 3.min(level),
                };
                let blocks = all / self.domain.cell_product(mu);
                match turn {
                    0 | 1 => self.read(member, (state, ty), &self.ranges(ty, u64::from(turn) + u64::from(state.0))),
                    2 | 3 => self.sum(member, (state, ty), mu, 0..blocks),
                    4 => self.sum(member, (state, ty), mu, blocks / 3..blocks - blocks / 4),
                    5 => self.sum(member, (state, ty), mu, blocks / 2..blocks / 2 + 2.min(blocks - blocks / 2)),
                    6 => {
                        // Values that the device has yet to get.
                        let cells = all / 2 / 8 * 8..all / 2 / 8 * 8 + 16;
                        let bytes = vec![1; packed::bytes(ty, 16) as usize];
                        let fitted = self.domain.fit(&self.rule).unwrap();
                        let values = StateValues::new(&fitted, state, cells.clone(), &bytes).unwrap();
                        self.gpu.write(member, &values).unwrap();
                        self.cpus[own].1.write(0, &values).unwrap();
                        self.read(member, (state, ty), &[cells.start - 8..cells.end + 8]);
                        self.read(other, (state, ty), &[cells.start - 8..cells.end + 8]);
                    }
                    _ => self.read(member, (state, ty), &[all / 2 / 8 * 8 - 8..all / 2 / 8 * 8 + 24]),
                }
            }
        }
    }
}

/// Values of all types in all storages.
pub(crate) fn looks() {
    let texts = library(TEXT);
    let rule = |name: &str| Arc::clone(texts.rules.iter().find(|rule| rule.name == name).unwrap());
    let own = |name: &str| {
        let found = texts.fractals.iter().find(|fractal| fractal.name == name).unwrap();
        Domain::new(Arc::clone(found), 1).unwrap()
    };
    let shipped = |name: &str, cells: u64| domain(&resolve::fractal(name).unwrap(), cells);
    let (numbers, kinds) = (rule("numbers"), rule("kinds"));
    let few = shipped("vicsek", 80_000);
    let lanes = member_candidates(&few, &few.fit(&kinds).unwrap(), &Machine::gpu(), 40).remove(0);
    let cases: Vec<LookCase<'_>> = vec![
        (shipped("h_fractal", 900_000), &kinds, 1, false, None),
        (few.clone(), &numbers, 1, false, None),
        (shipped("sierpinski_triangle", 60_000), &numbers, 3, false, None),
        (shipped("random_carpet", 60_000), &numbers, 1, false, None),
        (own("torus"), &numbers, 1, false, None),
        (own("small_mask"), &numbers, 1, false, None),
        (own("small_mask"), &numbers, 1, true, None),
        (own("layers"), &kinds, 1, false, None),
        (shipped("random_carpet", 300_000), &kinds, 2, false, None),
        (own("box"), &kinds, 1, false, None),
        (own("mask"), &kinds, 1, false, None),
        (own("mask"), &kinds, 1, true, None),
        (few, &kinds, 40, false, Some(lanes)),
    ];
    _ = trace();
    in_parallel(&cases, |_, (domain, rule, members, packed, choice)| {
        Beside::new(domain, rule, *members, *packed, choice.clone()).compare();
    });
    let taken = trace();
    for road in [Road::CellsGathered, Road::BlocksCounted, Road::BlocksSummed] {
        assert!(taken.roads.contains(&road), "{road:?}");
    }
    for kind in [Speciality::MembersInTurn, Speciality::MemberLanes] {
        assert!(taken.specialities.contains(&kind), "{kind:?}");
    }
    println!("{} simulations agree", cases.len());
}

/// A domain, its rule, the number of members, whether the cells alone are stored, and the choice that is demanded.
type LookCase<'a> = (Domain, &'a Arc<Rule>, u64, bool, Option<Choice>);

/// Bytes that come over the bus: of a small look its answer, of many looks no more than twice a state.
pub(crate) fn little_is_copied() {
    let heat = resolve::rule("heat").unwrap();
    let domain = domain(&resolve::fractal("sierpinski_carpet").unwrap(), 300_000);
    let mut beside = Beside::new(&domain, &heat, 1, false, None);
    let (state, whole) = ((StateId(0), Type::F32), 4 * domain.cells());
    beside.step();
    // The first look brings a table along.
    beside.read(0, state, &[0..1]);
    _ = trace();
    beside.read(0, state, &[5..70, 100_000..100_300]);
    assert_eq!(trace().copied, 2 * 24 + 4 * 365, "two ranges and their values");
    beside.sum(0, state, domain.level(), 0..1);
    assert!(trace().copied < 20_000, "sums of lanes");
    for cell in 0..100 {
        beside.read(0, state, &[cell..cell + 1]);
    }
    let (copied, roads) = {
        let trace = trace();
        (trace.copied, trace.roads)
    };
    assert!(roads.contains(&Road::CellsGathered) && (whole..2 * whole).contains(&copied), "{copied} of {whole}");
    beside.read(0, state, &[0..domain.cells()]);
    assert_eq!(trace().copied, 0, "the host has a copy");
    beside.step();
    _ = trace();
    beside.read(0, state, &[7..8]);
    assert!(trace().copied < 100, "after a step it has none");
    println!("{copied} bytes agree");
}
