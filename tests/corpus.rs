//! Every shipped fractal works with every shipped rule. Whatever is put into their folders is tested.

use squeeze::ir::StateId;
use squeeze::picture::{self, Style};
use squeeze::simulation::SimulationError;
use squeeze::{Backend, Fractal, Rule, Simulation, files, resolve};
use squeeze_tests::matrix::cases::{PARTS, least_level};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

fn corpus() -> Vec<PathBuf> {
    let files = |folder: &str, extension| squeeze_tests::files(&squeeze_tests::root().join(folder), &[extension]);
    let rules = ["rules", "rules/ordered", "rules/bonds", "rules/vectors"].map(|folder| files(folder, "rule"));
    [files("fractals", "fractal"), rules.concat()].concat()
}

fn name(path: &std::path::Path) -> &str {
    path.file_stem().and_then(|stem| stem.to_str()).expect("names are in ASCII")
}

fn fractals() -> Vec<Arc<Fractal>> {
    let paths = squeeze_tests::files(&squeeze_tests::root().join("fractals"), &["fractal"]);
    paths
        .iter()
        .map(|path| resolve::fractal(name(path)).unwrap_or_else(|e| panic!("{}: {e}", path.display())))
        .collect()
}

fn rules() -> Vec<Arc<Rule>> {
    let paths = squeeze_tests::files(&squeeze_tests::root().join("rules"), &["rule"]);
    paths.iter().map(|path| resolve::rule(name(path)).unwrap_or_else(|e| panic!("{}: {e}", path.display()))).collect()
}

#[test]
fn every_file_passes_the_check_and_is_in_canonical_form() {
    for path in corpus() {
        let bytes = files::read_text_bytes(&path).unwrap();
        let checked = resolve::check(&path, &bytes).unwrap_or_else(|error| panic!("{error}"));
        assert!(checked.warnings.is_empty(), "{}", checked.render(false));
        let library = checked.library;
        assert_eq!(library.fractals.len() + library.rules.len(), 1, "{} defines one thing", path.display());
        let formatted = resolve::format(&path, &bytes).unwrap_or_else(|error| panic!("{error}"));
        assert!(formatted.as_bytes() == bytes, "`squeeze fmt -w {}` changes it", path.display());
        let again = resolve::format(&path, formatted.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(again, formatted);
    }
}

/// Runs a rule on a fractal at a level with some hundred cells, or fewer where they are scattered over many places, by the oracle, if the two fit. `agreement` compares all pairs on the CPU.
fn run(fractal: &Arc<Fractal>, rule: &Arc<Rule>) {
    let axes = fractal.dimension.axes() as u32;
    let is_small =
        |side: u64, cells: u64| cells < 1000 && side.checked_pow(axes).is_some_and(|places| places < 1 << 22);
    let level = squeeze::Domain::largest_level_where(fractal, is_small);
    let what = format!("{} on {} at level {level}", rule.name, fractal.name);
    let builder = Simulation::builder(Arc::clone(fractal), Arc::clone(rule)).level(level).seed(7);
    match builder.backend(Backend::Reference).build() {
        Ok(mut simulation) => {
            simulation.step(3).unwrap();
            assert_eq!(simulation.time(), 3);
            assert_eq!(simulation.observe().unwrap().len(), rule.observables.len(), "{what}");
        }
        Err(SimulationError::Misfit(_)) if rule.needs_three_dimensions => {
            assert!(fractal.dimension.axes() < 3, "{what}")
        }
        Err(error) => panic!("{what}: {error}"),
    }
}

#[test]
fn every_rule_runs_on_every_fractal() {
    let (fractals, rules) = (fractals(), rules());
    for fractal in &fractals {
        for rule in &rules {
            run(fractal, rule);
        }
    }
}

#[test]
fn every_kind_of_state_can_be_drawn() {
    let (flat, solid) = (resolve::fractal("vicsek").unwrap(), resolve::fractal("tetrix").unwrap());
    for rule in rules() {
        let fractal = if rule.needs_three_dimensions { &solid } else { &flat };
        let mut simulation = Simulation::builder(Arc::clone(fractal), rule).level(2).build().unwrap();
        simulation.step(2).unwrap();
        assert!(
            !picture::of_simulation(&simulation, StateId(0), None, &Style::default())
                .unwrap()
                .sheet
                .to_image()
                .to_png()
                .is_empty()
        );
    }
}

/// The cases that `tests/gpu/all.sh` compares with the CPU: no rule, domain or number of members is missing beside another.
#[test]
fn the_matrix_of_a_gpu_has_all_pairs() {
    let cases = PARTS.iter().find(|(part, _)| *part == "matrix").expect("there is such a part").1();
    let (mut members_of_rules, mut members_of_domains) = (BTreeMap::new(), BTreeMap::new());
    let mut pairs = BTreeSet::new();
    for case in &cases {
        let (rule, is_mask) = (case.rule.name.clone(), case.fractal.extent.is_some());
        let domain = (case.fractal.name.clone(), case.fractal.periodic.any());
        assert!(pairs.insert((rule.clone(), domain.clone())), "{} is there twice", case.name);
        members_of_rules.entry(rule).or_insert_with(BTreeSet::new).insert(case.members);
        if !is_mask {
            members_of_domains.entry(domain).or_insert_with(BTreeSet::new).insert(case.members);
        }
    }
    for fractal in fractals() {
        let domain = (fractal.name.clone(), fractal.periodic.any());
        for rule in rules() {
            let pair = (rule.name.clone(), domain.clone());
            assert_eq!(least_level(&fractal, &rule).is_some(), pairs.contains(&pair), "{pair:?}");
        }
    }
    for (name, members) in members_of_rules {
        assert_eq!(members.len(), 5, "{name} has {members:?} members");
    }
    for (name, members) in members_of_domains {
        assert_eq!(members.len(), 5, "{name:?} has {members:?} members");
    }
}
