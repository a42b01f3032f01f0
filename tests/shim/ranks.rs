//! Ranks whose parts are on GPUs: `squeeze_tests::ranks`. Two devices of the shim do not reach each other's memory, so that columns go between them through the host.

use squeeze::compiler::plan::Window;
use squeeze::compiler::{Program, Target};
use squeeze::geometry::with_flags;
use squeeze::{Backend, EngineError, Error, Fractal, Rule, Simulation, SimulationBuilder, resolve};
use squeeze_tests::course::{Case, in_parallel, library};
use squeeze_tests::is_chosen;
use squeeze_tests::masks::mask;
use squeeze_tests::parts::{SUMS, choice, domains};
use squeeze_tests::ranks::{agree, agree_with};
use std::sync::Arc;

/// Whole passes of several steps, and what is left of them.
const STRIDES: &[u32] = &[1, 2, 5];

/// The builder of a case, with a layout by its number.
fn builder(case: &Case, number: u64, ranks: usize) -> SimulationBuilder {
    let builder = case.builder().backend(Backend::Cuda).threads(1);
    let demanded = if number.is_multiple_of(2) { choice(case, Backend::Cuda, ranks as u32, number) } else { None };
    demanded.into_iter().fold(builder, SimulationBuilder::plan)
}

/// Bits and numbers, draws and none, globals, several named steps, observables of all kinds, on replicas and rows; ranks on one device and on two.
pub(crate) fn ranks() {
    let names = ["life", "ising", "heat", "gray_scott", "forest_fire", "wave"];
    let mut rules: Vec<_> = names.into_iter().map(|name| resolve::rule(name).unwrap()).collect();
    rules.extend(library(SUMS).rules);
    let domains = domains();
    let pairs = rules.iter().flat_map(|rule| domains.iter().map(move |domain| (rule, domain)));
    let cases: Vec<(u64, Case)> = (0..)
        .zip(pairs)
        .filter_map(|(number, (rule, (fractal, level)))| {
            Some((number, Case::admitted(fractal, *level, rule, number, STRIDES)?))
        })
        .filter(|(number, _)| is_chosen(*number as usize, 4))
        .collect();
    let cases = [cases, few_rows(), windows()].concat();
    let agreed = in_parallel(&cases, |(number, case)| match number % 3 {
        0 => agree(case, 2, || builder(case, *number, 2)),
        1 => agree_with(case, builder(case, *number, 3).devices(&[0, 1, 0])),
        _ => agree_with(case, builder(case, *number, 5).devices(&[1, 1, 0, 0, 1])),
    });
    let differ: String = agreed.into_iter().filter_map(Result::err).collect();
    assert!(differ.is_empty(), "{differ}");
    refused();
    println!("{} domains agree on several devices", cases.len());
}

/// Parts of fewer rows than a rule looks at.
fn few_rows() -> Vec<(u64, Case)> {
    let text = "
        domain low { size (1540, 8)  cells random(0.8) }
        domain flat { size (70, 3, 3)  cells random(0.8)  periodic z }
        rule wide { state a: bit  init a = random(0.4)  next a = count(moore(5), nb.a) in 20..=40  observe all = sum(a) }
        rule deep { state u: f32  init u = f32(x + 2 * z)  next u = 0.5 * u + 0.1 * sum(von_neumann, nb.u) }";
    let all = library(text);
    let pairs = [(0, 0), (0, 1), (1, 1)].map(|(domain, rule)| (&all.fractals[domain], &all.rules[rule]));
    (0..)
        .zip(pairs)
        .filter_map(|(number, (domain, rule))| Some((number, Case::admitted(domain, 1, rule, number, STRIDES)?)))
        .collect()
}

/// Several steps of rows a pass, in registers and in marches: boxes and masks of odd widths, with holes and edges, and parts of as few rows as there may be.
fn windows() -> Vec<(u64, Case)> {
    const LONG: &[u32] = &[1, 4, 13];
    let text = "
        domain torus { size (64, 70)  periodic }
        domain ragged { size (1075, 33)  periodic }
        domain sheet { size (33, 62) }
        domain tube { size (75, 61)  periodic x }
        domain ring { size (130, 64)  periodic y }
        domain holes { size (257, 65)  cells random(0.8)  periodic }";
    let domains = library(text).fractals;
    let rule = |name: &str| resolve::rule(name).unwrap();
    let (life, heat, scott, wave) = (rule("life"), rule("heat"), rule("gray_scott"), rule("wave"));
    let edged = |fractal: &Arc<Fractal>, edge: &str| with_flags(fractal, &[edge.to_owned()]).unwrap();
    let mut cases: Vec<(Arc<Fractal>, Arc<Rule>)> =
        domains.iter().map(|domain| (domain.clone(), life.clone())).collect();
    cases.extend([0, 1, 2, 5].map(|number| (domains[number].clone(), heat.clone())));
    // A wave's state before is looked at in its own cell alone.
    cases.extend([0, 5].map(|number| (domains[number].clone(), wave.clone())));
    cases.extend([(domains[0].clone(), scott), (edged(&domains[3], "u=reflect"), heat)]);
    let case = |(number, (domain, rule)): (u64, (Arc<Fractal>, Arc<Rule>))| {
        let case = Case::new(&domain, 1, &rule, number, LONG);
        let program = Program::of(&case.rule, &Target::cuda()).unwrap();
        let window = program.plan.cut(&case.rule, (0, [2, 3, 5][number as usize % 3]), None).window();
        assert!(window != Window::Kernel, "{} on {}: each step is a pass", rule.name, case.domain());
        (number, case)
    };
    (0..).zip(cases).map(case).filter(|(number, _)| is_chosen(*number as usize, 2)).collect()
}

/// What does not go is said.
fn refused() {
    let triangle = resolve::fractal("sierpinski_triangle").unwrap();
    let life = || Simulation::builder(triangle.clone(), resolve::rule("life").unwrap()).level(7);
    let told = |builder: SimulationBuilder| match builder.build().map_err(Error::from) {
        Ok(_) => panic!("it was built"),
        Err(error) => (error.is_users(), error.to_string()),
    };
    let (is_users, said) = told(life().devices(&[0, 7]));
    assert!(is_users && said.contains("there is no GPU 7: the driver sees 2, from 0 to 1"), "{said}");
    let (is_users, said) = told(life().devices(&[0, 1]).backend(Backend::Cpu));
    assert!(is_users && said.contains("the backend `cpu` runs on no GPU"), "{said}");
    let (is_users, said) = told(life().level(1).devices(&[0, 1, 0, 1]));
    assert!(is_users && said.contains("too small for 4 ranks"), "{said}");
    let masked = Simulation::builder(mask("sparse"), resolve::rule("life").unwrap()).packed(true).devices(&[0, 1]);
    let (is_users, said) = told(masked);
    assert!(is_users && said.contains("several GPUs do not exchange the cells of a mask"), "{said}");
    let (is_users, said) = told(life().devices(&[u32::MAX]));
    assert!(is_users && said.contains("there is no GPU 2147483647"), "{said}");
    let few = life().devices(&[0, 1]).memory_limit(1 << 10).build().map(drop).unwrap_err();
    assert!(matches!(few, squeeze::simulation::SimulationError::Engine(EngineError::Memory { .. })), "{few}");
}
