//! Ordered steps: whole rows in turn, and waves with each way to wait.

use super::cases::{builder, in_parallel, try_sights};
use squeeze::compiler::ir::{StepSchedule, Value};
use squeeze::compiler::target::Wavefront;
use squeeze::geometry::with_flags;
use squeeze::{Backend, Domain, Rule, SimulationBuilder, resolve};
use squeeze_testing::ordered::{Chance, OrderedProgram, given};
use squeeze_tests::course::library;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

const DOMAINS: &str = "
    domain sheet { size (70, 5) }
    domain row { size (40, 1) }
    domain column { size (1, 9) }
    domain torus { size (67, 6)  periodic }
    domain small { size (3, 5)  periodic }
    domain tube { size (33, 40)  periodic y }
    domain rock { size (66, 65)  cells (x * 3 + y * y) % 4 != 1 }
    domain islands { size (300, 6)  periodic x  cells (x * x + 3 * y) % 97 < 9 }
    domain tall { size (12, 75) }
    domain broad { size (70, 80)  periodic }
    domain belt { size (75, 64)  periodic x }
    domain cave { size (50, 70)  periodic y  cells (x * x + 5 * y) % 11 > 2 }
    domain high { size (5, 2100) }
    domain higher { size (3, 8200)  periodic y }
    domain block { size (34, 4, 3) }
    domain ring { size (5, 5, 6)  periodic }
    domain carpet { fractal sierpinski_carpet }";

/// The most random programs on domains with long sides.
const MOST_LONG: usize = 4;

/// Whether a GPU takes a step of a rule in waves, and one in fronts, if the rule runs there.
fn taken(domain: &Domain, rule: &Arc<Rule>) -> Option<[bool; 2]> {
    let fitted = domain.fit(rule).ok()?;
    let all: Vec<StepSchedule> = fitted.steps.iter().map(|step| fitted.taken_by_gpu(step)).collect();
    let in_waves = all.iter().any(|taken| matches!(taken, StepSchedule::InStrips(..)));
    Some([in_waves, all.iter().any(|taken| matches!(taken, StepSchedule::Singly(_)))])
}

/// As planned, the smallest tiles, one that holds all, and others.
fn tiles(number: usize) -> Option<[u32; 2]> {
    [None, Some([1, 1]), Some([u32::MAX; 2]), Some([64, 7]), Some([128, 33])][number % 5]
}

/// Random programs on domains whose cells a GPU takes, beside the oracle.
pub(crate) fn ordered_programs() {
    let domains = library(DOMAINS).fractals;
    let mut chance = Chance(23);
    let (mut cases, mut in_waves, mut in_fronts, mut long) = (Vec::new(), 0, 0, 0);
    let most = if squeeze_tests::all_cases() { 400 } else { 32 };
    for number in 0.. {
        let fractal = &domains[number % domains.len()];
        let axes = fractal.dimension.axes();
        let program = match number / domains.len() % 3 {
            2 => OrderedProgram::rolling_by_chance(&mut chance, axes),
            _ => OrderedProgram::by_chance(&mut chance, axes, fractal.periodic.any() || number % 2 == 0),
        };
        let rule = library(&program.text()).rules.remove(0);
        let edges = match number % 3 {
            _ if fractal.periodic.any() => None,
            0 => Some("reflect"),
            1 => Some("1"),
            _ => None,
        };
        let names = (0..=program.states.len()).map(|state| program.name(state));
        let flags: Vec<String> =
            edges.iter().flat_map(|edge| names.clone().map(move |name| format!("{name}={edge}"))).collect();
        let Ok(fractal) = with_flags(fractal, &flags) else { continue };
        let domain = Domain::new(fractal, if number % domains.len() == domains.len() - 1 { 2 } else { 1 }).unwrap();
        let values = (0..domain.extent()[0] as i64).map(|x| Value::I32(given(x)));
        let rule = Arc::new(rule.with_input("a", values));
        let Some([waves, fronts]) = taken(&domain, &rule) else { continue };
        // Waves have more that may be wrong: of others every twelfth one. Long sides take long here.
        let is_long = domain.extent().into_iter().max() > Some(400);
        let is_wanted = if fronts { number % 5 == 0 } else { waves || number % 12 == 0 };
        if is_wanted && (!is_long || waves && !fronts && long < MOST_LONG) {
            long += usize::from(is_long);
            in_waves += usize::from(waves);
            in_fronts += usize::from(fronts);
            cases.push((domain, rule, Wavefront::ALL[number % 3], program.text()));
        }
        if cases.len() == most {
            break;
        }
    }
    let compared = AtomicUsize::new(0);
    in_parallel(&cases, |number, (domain, rule, wavefront, text)| {
        let wanted = try_sights(builder(domain, rule).backend(Backend::Reference)).unwrap();
        let packed = number % 6 == 5 && domain.levels().is_none() && domain.cells() < 1000;
        let found = builder(domain, rule).backend(Backend::Cuda).wavefront(*wavefront).packed(packed);
        let found = try_sights(tiles(number / 3).into_iter().fold(found, SimulationBuilder::tile));
        if let Some(found) = found {
            assert_eq!(found, wanted, "{domain}, {wavefront:?}, {:?}\n{text}", tiles(number / 3));
            compared.fetch_add(1, Relaxed);
        }
    });
    let compared = compared.into_inner();
    println!("{compared} of {} ordered programs agree, {in_waves} in waves, {in_fronts} in fronts", cases.len());
    assert!(2 * in_waves > cases.len() && in_fronts > 2 && 10 * compared > 9 * cases.len());
}

/// Rules whose states are rolling, of which a GPU stores the last line alone, with inputs along both axes.
pub(crate) fn last_lines() {
    let order = |number: usize| [["+x", "+y"], ["-x", "+y"], ["+x", "-y"], ["-x", "-y"]][number % 4];
    let text = |number: usize, ty: &str| {
        let [x, y] = order(number);
        let [dx, dy] = [x, y].map(|axis| if axis.starts_with('+') { -1 } else { 1 });
        let near = if (number / 4).is_multiple_of(2) { 0 } else { -dx };
        format!(
            "rule r {{ input a: u8 along x  input b: i32 along y  state l: {ty} rolling  state m: {ty} rolling
            step go from ({x}, {y}) {{
                next l = if i32(a) == b {{ (l[{dx}, {dy}] else {ty}(1)) + {ty}(1) }} else {{ max(l[{dx}, 0] else {ty}(x % 3), l[0, {dy}] else {ty}(2)) }}
                next m = (m[{near}, {dy}] else {ty}(a)) + (l[0, {dy}] else {ty}(b))
            }}
            observe most = max(i32(l))  observe all = sum(i32(m)) }}"
        )
    };
    // The last lines of the last one have no cells.
    let domains = library(
        "domain sheet { size (70, 45) }  domain high { size (33, 140) }  domain line { size (90, 1) }
        domain gap { size (2, 40)  cells y > 0 && y < 39 }",
    );
    let mut compared = 0;
    for (number, ty) in ["u8", "i32", "u32", "f32", "f64"].iter().cycle().take(10).enumerate() {
        for fractal in &domains.fractals[number % 2..] {
            let domain = Domain::new(Arc::clone(fractal), 1).unwrap();
            let [width, height, _] = domain.extent().map(|side| side as i64);
            let rule = library(&text(number, ty)).rules.remove(0);
            let rule = rule.with_input("a", (0..width).map(|x| Value::U8((x * x % 7) as u8)));
            let rule = Arc::new(rule.with_input("b", (0..height).map(|y| Value::I32((y * y % 5) as i32))));
            let wanted = try_sights(builder(&domain, &rule).backend(Backend::Reference));
            for wavefront in if number == 0 { &Wavefront::ALL[..] } else { &[Wavefront::Flags] } {
                let found = builder(&domain, &rule).backend(Backend::Cuda).wavefront(*wavefront);
                let bytes = found.clone().build().unwrap().memory_bytes();
                let is_line = *wavefront == Wavefront::Flags && height > 1 && domain.cells() == (width * height) as u64;
                assert!(!is_line || bytes < 24 << 10, "{bytes} bytes on {domain}");
                assert_eq!(try_sights(found), wanted, "{} on {domain}, {wavefront:?}", text(number, ty));
                compared += 1;
            }
        }
    }
    println!("{compared} runs with last lines agree");
}

/// The shipped rules.
pub(crate) fn ordered_rules() {
    let letters = |count: usize, salt: usize| (0..count).map(move |i| Value::U8(b"ACGT"[(i * i + i / 3 + salt) % 4]));
    let domains = library(DOMAINS).fractals;
    let mut cases = Vec::new();
    for (number, name) in squeeze_tests::ordered_rules().iter().enumerate() {
        let rule = resolve::rule(name).unwrap();
        for (turn, fractal) in domains.iter().enumerate() {
            let domain = Domain::new(Arc::clone(fractal), 1).unwrap();
            let [width, height, _] = domain.extent().map(|side| side as usize);
            let mut rule = Rule::clone(&rule);
            for (input, side) in [("a", width), ("b", height)] {
                if rule.named_inputs().any(|(_, state)| state.name == input) {
                    rule = rule.with_input(input, letters(side, side));
                }
            }
            let rule = Arc::new(rule);
            let is_long = domain.extent().into_iter().max() > Some(400);
            let chosen = if is_long { rule.name == "lcs" } else { squeeze_tests::is_chosen(number + turn, 7) };
            let found = taken(&domain, &rule);
            if found.is_some_and(|[_, fronts]| chosen && !(fronts && (is_long || turn % 2 == 0))) {
                cases.push((domain, rule, Wavefront::ALL[(number + turn) / 3 % 3]));
            }
        }
    }
    in_parallel(&cases, |_, (domain, rule, wavefront)| {
        let wanted = try_sights(builder(domain, rule).backend(Backend::Reference));
        let found = try_sights(builder(domain, rule).backend(Backend::Cuda).wavefront(*wavefront));
        assert_eq!(found, wanted, "{} on {domain}, {wavefront:?}", rule.name);
    });
    println!("{} runs of ordered rules agree", cases.len());
    assert!(cases.len() > 15, "{} cases", cases.len());
}
