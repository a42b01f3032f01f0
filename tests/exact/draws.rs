//! Rules that draw: the probabilities of a small system's next states, by summing over all possible draws. A domain holds thousands of copies
//! of a small system, apart from one another.

use super::ground::{Ground, domains, observed, set_small, simulation, small};
use squeeze::Simulation;
use std::collections::HashMap;

/// The copies of a small system.
struct Copies {
    /// The cells of each, in the order of the first one's places: all are shifts of the first.
    cells: Vec<Vec<usize>>,
    /// The cells that lie beside and around each cell of a copy, as numbers within the copy.
    sides: Vec<Vec<usize>>,
    around: Vec<Vec<usize>>,
    /// The cell of a copy that lies each [`WAYS`] of one, if any does.
    ways: Vec<[Option<usize>; 4]>,
    /// Where the cells of the first one are.
    places: Vec<[i64; 3]>,
}

impl Copies {
    fn of(run: &Simulation) -> Copies {
        let ground = Ground::of(run);
        let all_around = ground.offsets(1, false);
        let mut known = vec![false; ground.cells()];
        let mut cells = Vec::new();
        for start in 0..ground.cells() {
            if std::mem::replace(&mut known[start], true) {
                continue;
            }
            let (mut copy, mut ends) = (vec![start], vec![start]);
            while let Some(c) = ends.pop() {
                for d in all_around.iter().filter_map(|offset| ground.at(c, *offset)) {
                    if !std::mem::replace(&mut known[d], true) {
                        copy.push(d);
                        ends.push(d);
                    }
                }
            }
            copy.sort_unstable();
            cells.push(copy);
        }
        let first: &Vec<usize> = &cells[0];
        let at = |c: usize, offset: [i64; 3]| {
            let there = ground.at(c, offset)?;
            first.iter().position(|known| *known == there)
        };
        let near = |offsets: &[[i64; 3]]| -> Vec<Vec<usize>> {
            first.iter().map(|c| offsets.iter().filter_map(|offset| at(*c, *offset)).collect()).collect()
        };
        let (sides, around) = (near(&ground.offsets(1, true)), near(&all_around));
        let ways = first.iter().map(|c| WAYS.map(|offset| at(*c, offset))).collect();
        let places = first.iter().map(|c| ground.places[*c]).collect();
        Copies { cells, sides, around, ways, places }
    }
}

/// Sets all copies to a state, and counts the states that they are in after some steps.
fn counted(run: &mut Simulation, copies: &[Vec<usize>], start: &[u8], steps: u64) -> HashMap<Vec<u8>, f64> {
    let state = &run.rule().states[0].name.clone();
    let mut cells = vec![0; copies.len() * start.len()];
    for copy in copies {
        copy.iter().zip(start).for_each(|(c, value)| cells[*c] = *value);
    }
    set_small(run, state, &cells);
    run.step(steps).expect("it runs");
    let end = small(run, state);
    let mut counts = HashMap::new();
    for copy in copies {
        *counts.entry(copy.iter().map(|c| end[*c]).collect::<Vec<u8>>()).or_insert(0.0) += 1.0;
    }
    counts
}

/// Whether counts are those that probabilities lead to: χ² of the states that are expected five times or more, and of all others together.
fn agree(what: &str, counts: &HashMap<Vec<u8>, f64>, chances: &HashMap<Vec<u8>, f64>) {
    let all: f64 = counts.values().sum();
    assert!((chances.values().sum::<f64>() - 1.0).abs() < 1e-9, "{what}: probabilities do not add up");
    if let Some(state) = counts.keys().find(|state| !chances.contains_key(*state)) {
        panic!("{what}: {state:?} cannot be");
    }
    let (mut square, mut kinds, mut rare, mut rarely) = (0.0, -1.0, 0.0, 0.0);
    for (state, chance) in chances {
        let (expected, found) = (all * chance, counts.get(state).copied().unwrap_or(0.0));
        if expected < 5.0 {
            rare += expected;
            rarely += found;
        } else {
            square += (found - expected).powi(2) / expected;
            kinds += 1.0;
        }
    }
    if rare >= 5.0 {
        square += (rarely - rare).powi(2) / rare;
        kinds += 1.0;
    }
    let deviation = (square - kinds) / f64::sqrt(2.0 * f64::max(kinds, 1.0));
    assert!(deviation < 5.0, "{what}: χ² is {square} of {kinds} degrees of freedom");
}

/// Rings, squares, chains with a bend, and tori with an odd side; the last stand behind one another in space.
const SYSTEMS: &str = "
    domain odd_rings { size (5, 4000)  cells y % 2 == 0  periodic x }
    domain even_rings { size (4, 4000)  cells y % 2 == 0  periodic x }
    domain squares { size (6000, 2)  cells x % 3 != 2 }
    domain bends { size (6000, 2)  cells x % 3 == 0 || x % 3 == 1 && y == 0 }
    domain corners { size (2, 2, 6000)  cells z % 3 == 0 && x * y == 0 || z % 3 == 1 && x + y == 0 }";

/// The chance of each value of a cell, by its own value and its neighbours'.
type Chances = fn(u8, &[u8]) -> Vec<f64>;

/// A rule whose cells draw apart from one another, its settings, what the cells of a system begin with, and its chances.
const CHAINS: [(&str, &[&str], [u8; 5], Chances); 6] = [
    ("voter", &["noise=0.1"], [1, 0, 0, 1, 0], |own, near| {
        let ayes = near.iter().filter(|value| **value == 1).count() as f64;
        let other = if near.is_empty() { f64::from(own) } else { ayes / near.len() as f64 };
        let aye = 0.05 + 0.9 * (0.5 * other + 0.5 * f64::from(own));
        vec![1.0 - aye, aye]
    }),
    ("voter", &["noise=0"], [1, 1, 0, 0, 0], |own, near| {
        let ayes = near.iter().filter(|value| **value == 1).count() as f64;
        let aye = 0.5 * ayes / near.len() as f64 + 0.5 * f64::from(own);
        vec![1.0 - aye, aye]
    }),
    ("sir", &["infection=0.4", "recovery=0.3"], [0, 1, 0, 0, 1], |own, near| {
        let sick = near.iter().filter(|value| **value == 1).count() as i32;
        match own {
            0 => vec![0.6f64.powi(sick), 1.0 - 0.6f64.powi(sick), 0.0],
            1 => vec![0.0, 0.7, 0.3],
            _ => vec![0.0, 0.0, 1.0],
        }
    }),
    ("forest_fire", &["growth=0.3", "lightning=0.2"], [1, 0, 1, 2, 1], |own, near| match own {
        0 => vec![0.7, 0.3, 0.0],
        1 if near.contains(&2) => vec![0.0, 0.0, 1.0],
        1 => vec![0.0, 0.8, 0.2],
        _ => vec![1.0, 0.0, 0.0],
    }),
    ("greenberg_hastings", &["spark=0.25"], [0, 0, 1, 2, 0], |own, near| match own {
        0 if near.contains(&1) => vec![0.0, 1.0, 0.0],
        0 => vec![0.75, 0.25, 0.0],
        1 => vec![0.0, 0.0, 1.0],
        _ => vec![1.0, 0.0, 0.0],
    }),
    ("greenberg_hastings", &["spark=0.25", "threshold=2"], [1, 0, 1, 2, 0], |own, near| match own {
        0 if near.iter().filter(|value| **value == 1).count() >= 2 => vec![0.0, 1.0, 0.0],
        0 => vec![0.75, 0.25, 0.0],
        1 => vec![0.0, 0.0, 1.0],
        _ => vec![1.0, 0.0, 0.0],
    }),
];

/// All states of a system one step later, with their chances.
fn after(states: &HashMap<Vec<u8>, f64>, near: &[Vec<usize>], chances: Chances) -> HashMap<Vec<u8>, f64> {
    let mut next = HashMap::new();
    for (state, weight) in states {
        let mut open = vec![(Vec::new(), *weight)];
        for (c, own) in state.iter().enumerate() {
            let around: Vec<u8> = near[c].iter().map(|d| state[*d]).collect();
            let values = chances(*own, &around);
            let longer = |(begun, weight): &(Vec<u8>, f64)| {
                let with = |(value, chance): (usize, &f64)| ([&begun[..], &[value as u8]].concat(), weight * chance);
                values.iter().enumerate().filter(|(_, chance)| **chance > 0.0).map(with).collect::<Vec<_>>()
            };
            open = open.iter().flat_map(longer).collect();
        }
        for (state, weight) in open {
            *next.entry(state).or_insert(0.0) += weight;
        }
    }
    next
}

#[test]
fn small_systems_go_through_their_states_as_often_as_all_ways_together() {
    for domain in domains(SYSTEMS) {
        let copies = Copies::of(&simulation(&domain, "voter", 0, &[]));
        for (number, (rule, settings, start, chances)) in CHAINS.into_iter().enumerate() {
            let mut run = simulation(&domain, rule, 40 + number as u64, settings);
            let start = &start[..copies.sides.len()];
            let mut states = HashMap::from([(start.to_vec(), 1.0)]);
            for _ in 0..3 {
                states = after(&states, &copies.sides, chances);
            }
            let counts = counted(&mut run, &copies.cells, start, 3);
            agree(&format!("{rule} {settings:?} on {}", domain.name), &counts, &states);
        }
    }
}

/// Systems in which something goes from cell to cell: the way that each cell draws decides.
const MOVING: &str = "
    domain plates { size (8000, 2)  cells x % 4 != 3 }
    domain tubes { size (3, 6000)  cells y % 3 != 2  periodic x }
    domain corners { size (2, 2, 6000)  cells z % 3 == 0 || z % 3 == 1 && x == 0 && y == 0 }";

/// The four ways, as cells draw them.
const WAYS: [[i64; 3]; 4] = [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0]];

/// The next state of a system, by its state and the ways that its cells draw.
type Move = fn(&Copies, &[u8], &[usize]) -> Vec<u8>;

/// Cells that want to move do so if no other comes to the same free place.
fn moved(copies: &Copies, state: &[u8], wants: impl Fn(usize) -> bool, ways: &[usize]) -> Vec<u8> {
    let mut comers: HashMap<usize, Vec<usize>> = HashMap::new();
    for c in (0..state.len()).filter(|c| wants(*c)) {
        if let Some(to) = copies.ways[c][ways[c]].filter(|to| state[*to] == 0) {
            comers.entry(to).or_default().push(c);
        }
    }
    let mut next = state.to_vec();
    for (to, from) in comers {
        if let [from] = from[..] {
            next[to] = state[from];
            next[from] = 0;
        }
    }
    next
}

/// A rule, its settings, states of six cells, and how they move.
type Moving = (&'static str, &'static [&'static str], &'static [[u8; 6]], Move);

const MOVES: [Moving; 3] = [
    ("random_walkers", &[], &[[1, 0, 1, 0, 0, 1], [1, 1, 0, 0, 1, 0]], |copies, state, ways| {
        let mut next = state.to_vec();
        for (c, next) in next.iter_mut().enumerate() {
            let to = |c: usize| copies.ways[c][ways[c]];
            if let Some(d) = to(c).filter(|d| to(*d) == Some(c)) {
                *next = state[d];
            }
        }
        next
    }),
    // 0 is free, 1 a walker, 2 ice.
    ("aggregation", &[], &[[1, 0, 1, 0, 0, 1], [2, 0, 0, 1, 0, 1], [0, 0, 2, 1, 0, 0]], |copies, state, ways| {
        let freezes = |c: usize| copies.sides[c].iter().any(|d| state[*d] == 2);
        let mut next = moved(copies, state, |c| state[c] == 1 && !freezes(c), ways);
        (0..state.len()).filter(|c| state[*c] == 1 && freezes(*c)).for_each(|c| next[c] = 2);
        next
    }),
    // 0 is free, 1 and 2 are groups.
    (
        "schelling",
        &["wish=0.6"],
        &[[1, 2, 0, 0, 1, 0], [0, 2, 1, 1, 0, 0], [1, 0, 2, 0, 2, 1]],
        |copies, state, ways| {
            let unhappy = |c: usize| {
                let of = |like: bool| {
                    copies.around[c].iter().filter(|d| state[**d] != 0 && (state[**d] == state[c]) == like).count()
                };
                state[c] != 0 && (of(true) as f64) < 0.6 * (of(true) + of(false)) as f64
            };
            moved(copies, state, unhappy, ways)
        },
    ),
];

#[test]
fn what_moves_goes_each_way_as_often_as_it_is_drawn() {
    for domain in domains(MOVING) {
        let copies = Copies::of(&simulation(&domain, "voter", 0, &[]));
        for (rule, settings, starts, step) in MOVES {
            let mut run = simulation(&domain, rule, 77, settings);
            for start in starts {
                let start = &start[..copies.sides.len()];
                let mut chances = HashMap::new();
                let all = 4usize.pow(start.len() as u32);
                for draws in 0..all {
                    let ways: Vec<usize> = (0..start.len() as u32).map(|c| draws / 4usize.pow(c) % 4).collect();
                    *chances.entry(step(&copies, start, &ways)).or_insert(0.0) += 1.0 / all as f64;
                }
                let counts = counted(&mut run, &copies.cells, start, 1);
                agree(&format!("{rule} from {start:?} on {}", domain.name), &counts, &chances);
            }
        }
    }
}

/// Small sheets beside one another, all of which reach from the top edge to the bottom: open, closed to tubes with an even or odd circumference, with a hole.
/// In space, sheets lie behind one another, and bonds are in their planes.
const SHEETS: &str = "
    domain sheets { size (8000, 3)  cells x % 4 != 3 }
    domain frames { size (8000, 3)  cells x % 4 != 3 && (x % 4 != 1 || y != 1) }
    domain odd_tubes { size (3, 2, 4000)  cells z % 2 == 0  periodic x }
    domain even_tubes { size (4, 2, 4000)  cells z % 2 == 0  periodic x }
    domain piles { size (6000, 2, 2)  cells x % 3 != 2 }";

#[test]
fn bonds_percolate_as_often_as_all_sets_of_open_ones_together() {
    for domain in domains(SHEETS) {
        let mut run = simulation(&domain, "bond_percolation", 21, &["p=0.4"]);
        let copies = Copies::of(&run);
        // A pile's sheets are joined by no bond: one stands for all.
        let first: Vec<usize> = (0..copies.places.len()).filter(|c| copies.places[*c][2] == 0).collect();
        let systems = copies.cells.len() as f64 * copies.places.len() as f64 / first.len() as f64;
        let bonds: Vec<(usize, usize)> =
            first.iter().flat_map(|c| [0, 2].map(|way| Some((*c, copies.ways[*c][way]?)))).flatten().collect();
        let height = run.domain().extent()[1] as i64;
        let on = |c: usize, y: i64| copies.places[c][1] == y;
        // The mean and the mean square of the cells that get wet, and of those at the bottom.
        let mut sums = [0.0; 4];
        for open in 0u32..1 << bonds.len() {
            let weight =
                (0.4f64).powi(open.count_ones() as i32) * 0.6f64.powi((bonds.len() as u32 - open.count_ones()) as i32);
            let mut wet: Vec<bool> = first.iter().map(|c| on(*c, 0)).collect();
            let mut more = true;
            while more {
                more = false;
                for (number, (a, b)) in bonds.iter().enumerate() {
                    if open >> number & 1 == 1 && wet[*a] != wet[*b] {
                        (wet[*a], wet[*b], more) = (true, true, true);
                    }
                }
            }
            let cluster = wet.iter().filter(|wet| **wet).count() as f64;
            let across = (0..first.len()).filter(|c| wet[*c] && on(*c, height - 1)).count() as f64;
            for (sum, value) in sums.iter_mut().zip([cluster, cluster * cluster, across, across * across]) {
                *sum += weight * value;
            }
        }
        run.step(20).expect("it runs");
        assert_eq!(observed(&run, "active"), 0.0, "{}", domain.name);
        for (name, [mean, square]) in [("cluster", [sums[0], sums[1]]), ("across", [sums[2], sums[3]])] {
            let (found, error) = (observed(&run, name) / systems, ((square - mean * mean) / systems).sqrt());
            assert!((found - mean).abs() < 4.5 * error, "{name} on {}: {found} ± {error}, exactly {mean}", domain.name);
        }
    }
}
