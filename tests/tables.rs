//! Tables that are looked up in memory: those of a text beside the formula that they were made by, and Golly's of more transitions than decisions take.

use squeeze::{Backend, Rule, Simulation, resolve};
use std::fmt::Write;
use std::sync::Arc;

/// Where the neighbours are that Golly's tables name, clockwise from the north.
const AROUND: [[i64; 2]; 4] = [[0, -1], [1, 0], [0, 1], [-1, 0]];
/// Width and height of the box.
const SIDES: [i64; 2] = [37, 23];
/// Time steps.
const STEPS: usize = 3;

/// The next state of a cell by its own and its neighbours' states, of so many.
fn formula(states: u64, own: u64, [north, east, south, west]: [u64; 4]) -> u64 {
    let sum = 7 * own + 5 * north + 3 * east + 11 * south + 13 * west + north * east + south * west * own;
    ((sum * 2_654_435_769) % (1 << 32) / 256) % states
}

/// All neighbourhoods in order, the last place fastest, each the cell itself and its neighbours.
fn neighbourhoods(states: u64) -> impl Iterator<Item = (u64, [u64; 4])> {
    let digit = move |number: u64, place: u32| number / states.pow(4 - place) % states;
    (0..states.pow(5)).map(move |number| (digit(number, 0), [1, 2, 3, 4].map(|place| digit(number, place))))
}

/// Initial states.
fn beginning(states: u64) -> Vec<u64> {
    (0..(SIDES[0] * SIDES[1]) as u64).map(|number| number * number * 48_271 % 65_537 % states).collect()
}

/// The states after the steps by the formula. Beyond the box is state 0.
fn wanted(states: u64) -> Vec<u64> {
    let mut cells = beginning(states);
    for _ in 0..STEPS {
        let at = |x: i64, y: i64| {
            let inside = (0..SIDES[0]).contains(&x) && (0..SIDES[1]).contains(&y);
            if inside { cells[(y * SIDES[0] + x) as usize] } else { 0 }
        };
        let next = (0..cells.len() as i64).map(|number| {
            let (x, y) = (number % SIDES[0], number / SIDES[0]);
            formula(states, at(x, y), AROUND.map(|[dx, dy]| at(x + dx, y + dy)))
        });
        cells = next.collect();
    }
    cells
}

/// The states after the steps of a rule, all at once and one by one.
fn found(rule: &Arc<Rule>, states: u64, backend: Backend) -> [Vec<u64>; 2] {
    let [width, height] = SIDES;
    let text = format!("domain sheet {{ size ({width}, {height}) }}\n");
    let sheet = squeeze_tests::course::library(&text).fractals[0].clone();
    [vec![STEPS as u64], vec![1; STEPS]].map(|turns| {
        let builder = Simulation::builder(sheet.clone(), Arc::clone(rule)).backend(backend);
        let mut simulation = builder.build().unwrap();
        let bytes: Vec<u8> = beginning(states).into_iter().map(|state| state as u8).collect();
        simulation.write(squeeze::ir::StateId(0), 0..bytes.len() as u64, &bytes).unwrap();
        turns.into_iter().for_each(|steps| simulation.step(steps).unwrap());
        (0..bytes.len() as u64).map(|cell| simulation.value("cell", cell).unwrap().as_f64() as u64).collect()
    })
}

/// Tables of all types and indices of all whole types, on domains of all kinds.
#[test]
fn engines_agree_on_tables_of_all_types() {
    let text = "domain torus { size (65, 65)  periodic }
        domain wide { size (200, 131)  periodic }
        domain holes { size (90, 70)  cells random(0.6) }";
    let mut domains: Vec<_> =
        squeeze_tests::course::library(text).fractals.into_iter().map(|domain| (domain, 1)).collect();
    for (name, level) in [("sierpinski_triangle", 6), ("sierpinski_carpet", 3), ("menger_sponge", 2)] {
        domains.push((resolve::fractal(name).unwrap(), level));
    }
    let rule = resolve::rule("gpu/tables.rule").unwrap();
    for (domain, level) in domains {
        let sights = |backend, threads, turns: &[u64]| {
            let builder = Simulation::builder(Arc::clone(&domain), Arc::clone(&rule)).level(level).seed(3);
            let mut simulation = builder.backend(backend).threads(threads).build().unwrap();
            turns.iter().for_each(|steps| simulation.step(*steps).unwrap());
            (
                simulation.digests().unwrap().iter().map(|(_, digest)| *digest).collect::<Vec<_>>(),
                format!("{:?}", simulation.observe().unwrap()),
            )
        };
        let wanted = sights(Backend::Reference, 1, &[3]);
        for (threads, turns) in [(1, &[3][..]), (2, &[1, 2])] {
            assert_eq!(sights(Backend::Cpu, threads, turns), wanted, "{}, {threads} threads", domain.name);
        }
    }
}

/// Compares a rule on both engines.
fn compare(rule: &Arc<Rule>, states: u64) {
    let wanted = wanted(states);
    for backend in [Backend::Reference, Backend::Cpu] {
        for found in found(rule, states, backend) {
            assert_eq!(found, wanted, "{} with {states} states by {backend:?}", rule.name);
        }
    }
}

#[test]
fn long_tables_say_what_was_written() {
    for states in [5, 8] {
        let entries: Vec<String> =
            neighbourhoods(states).map(|(own, near)| formula(states, own, near).to_string()).collect();
        let index = AROUND
            .iter()
            .fold("i32(cell)".to_owned(), |index, [x, y]| format!("({index}) * {states} + i32(cell[{x}, {y}] else 0)"));
        let text = format!(
            "rule written {{\n    const next_of: [u8] = [{}]\n    state cell: u8\n    init cell = 0\n    next cell = next_of[{index}]\n}}\n",
            entries.join(", ")
        );
        compare(&squeeze_tests::course::library(&text).rules[0], states);
    }
}

/// A file of Golly's.
fn of_golly(text: &str) -> Arc<Rule> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("golly.rule");
    std::fs::write(&path, text).unwrap();
    resolve::rule(path.to_str().unwrap()).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn tables_and_trees_of_golly_that_become_tables_say_what_was_written() {
    const STATES: u64 = 7;
    let mut table = format!("@RULE long\n@TABLE\nn_states:{STATES}\nneighborhood:vonNeumann\nsymmetries:none\n");
    for (own, near) in neighbourhoods(STATES) {
        let next = formula(STATES, own, near);
        writeln!(table, "{own},{},{next}", near.map(|state| state.to_string()).join(",")).unwrap();
    }
    compare(&of_golly(&table), STATES);
    // A tree asks for north, west, east, south and the cell itself, and what it asks last stands first.
    let mut tree = format!("@RULE tall\n@TREE\nnum_states={STATES}\nnum_neighbors=4\nnum_nodes=0\n");
    let digit = |number: u64, place: u32| number / STATES.pow(place) % STATES;
    let mut below = 0;
    for depth in 1..=5 {
        let nodes = STATES.pow(5 - depth);
        for node in 0..nodes {
            let [south, east, west, north] = [0, 1, 2, 3].map(|place| digit(node, place));
            let goal = |state: u64| match depth {
                1 => formula(STATES, state, [north, east, south, west]),
                _ => below + node * STATES + state,
            };
            let goals: Vec<String> = (0..STATES).map(|state| goal(state).to_string()).collect();
            writeln!(tree, "{depth} {}", goals.join(" ")).unwrap();
        }
        below += if depth == 1 { 0 } else { nodes * STATES };
    }
    compare(&of_golly(&tree), STATES);
}
