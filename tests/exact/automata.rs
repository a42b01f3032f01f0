//! Automata, gases and clusters against plain Rust, which knows nothing of kernels.

use super::ground::{GROUNDS, Ground, domain, observed, set_small, simulation, small};
use std::collections::HashMap;

fn of(near: &[u8], value: u8) -> usize {
    near.iter().filter(|known| **known == value).count()
}

/// The next value of a cell, by its own value and its neighbours'.
type Cell = fn(u8, &[u8]) -> u8;

/// A rule, its settings, its radius, whether along all axes together, and its next value.
const AUTOMATA: [(&str, &[&str], i64, bool, Cell); 10] = [
    ("conway", &[], 1, false, |own, near| u8::from(of(near, 1) == 3 || own == 1 && of(near, 1) == 2)),
    ("life", &[], 1, false, |own, near| u8::from(of(near, 1) == 2 || own == 1 && of(near, 1) == 3)),
    ("life_3d", &[], 1, false, |own, near| {
        u8::from(of(near, 1) == 3 || of(near, 1) == 4 || own == 1 && of(near, 1) == 5)
    }),
    ("larger_than_life", &[], 2, false, |own, near| {
        u8::from((3..=5).contains(&of(near, 1)) || own == 1 && of(near, 1) == 6)
    }),
    ("brians_brain", &[], 1, false, |own, near| match own {
        0 => u8::from(of(near, 1) == 2),
        1 => 2,
        _ => 0,
    }),
    ("wireworld", &[], 1, false, |own, near| match (own, of(near, 1)) {
        (0, _) => 0,
        (1, _) => 2,
        (3, 1 | 2) => 1,
        _ => 3,
    }),
    ("cyclic", &[], 1, true, |own, near| if of(near, (own + 1) % 8) >= 1 { (own + 1) % 8 } else { own }),
    ("cyclic", &["threshold=2"], 1, true, |own, near| if of(near, (own + 1) % 8) >= 2 { (own + 1) % 8 } else { own }),
    ("greenberg_hastings", &["spark=0"], 1, true, |own, near| match own {
        0 => u8::from(of(near, 1) >= 1),
        1 => 2,
        _ => 0,
    }),
    ("greenberg_hastings", &["spark=0", "threshold=2"], 1, true, |own, near| match own {
        0 => u8::from(of(near, 1) >= 2),
        1 => 2,
        _ => 0,
    }),
];

#[test]
fn automata_do_what_their_texts_say() {
    for name in GROUNDS {
        let domain = domain(name);
        for (rule, settings, radius, together, next) in AUTOMATA {
            if rule == "life_3d" && !name.contains("sp") {
                continue;
            }
            let mut run = simulation(&domain, rule, 3, settings);
            let state = run.rule().states[0].name.clone();
            let near = Ground::of(&run).near(radius, together);
            let mut cells = small(&run, &state);
            for step in 1..=12 {
                let around = |c: usize| near[c].iter().map(|d| cells[*d]).collect::<Vec<u8>>();
                cells = (0..cells.len()).map(|c| next(cells[c], &around(c))).collect();
                run.step(1).expect("it runs");
                assert_eq!(small(&run, &state), cells, "{rule} {settings:?} on {name}, step {step}");
            }
        }
    }
}

/// Gliders, ships of Brian's brain and electrons come back where their text-book says, on tori with even and odd sides.
#[test]
fn what_moves_alone_moves_as_known() {
    /// A rule, a domain, the cells that are not 0, after how many steps they come back, and how far away.
    type Moving<'a> = (&'a str, &'a str, &'a [(i64, i64, u8)], u64, [i64; 2]);
    let moving: [Moving<'_>; 3] = [
        ("conway", "even_torus", &[(1, 0, 1), (2, 1, 1), (0, 2, 1), (1, 2, 1), (2, 2, 1)], 4, [1, 1]),
        ("conway", "odd_torus", &[(1, 0, 1), (2, 1, 1), (0, 2, 1), (1, 2, 1), (2, 2, 1)], 4, [1, 1]),
        ("brians_brain", "odd_torus", &[(3, 3, 2), (3, 4, 2), (4, 3, 1), (4, 4, 1)], 1, [1, 0]),
    ];
    for (rule, name, pattern, steps, [right, down]) in moving {
        let mut run = simulation(&domain(name), rule, 0, &[]);
        let state = run.rule().states[0].name.clone();
        let ground = Ground::of(&run);
        let [width, height, _] = ground.sides;
        for times in 0..3 * width {
            let mut cells = vec![0u8; ground.cells()];
            for (x, y, value) in pattern {
                let place = [(x + times * right) % width, (y + times * down) % height, 0];
                cells[ground.places.iter().position(|known| *known == place).expect("it is full")] = *value;
            }
            if times == 0 {
                set_small(&mut run, &state, &cells);
            }
            assert_eq!(small(&run, &state), cells, "{rule} on {name} after {times} times {steps} steps");
            run.step(steps).expect("it runs");
        }
    }
}

/// Particles of four directions, and where they fly to.
const WAYS: [(&str, [i64; 3]); 4] =
    [("east", [1, 0, 0]), ("west", [-1, 0, 0]), ("south", [0, 1, 0]), ("north", [0, -1, 0])];

#[test]
fn a_gas_collides_flies_and_comes_back_from_walls() {
    for name in GROUNDS {
        let mut gas = simulation(&domain(name), "lattice_gas", 5, &[]);
        let ground = Ground::of(&gas);
        let mut flies: Vec<Vec<u8>> = WAYS.iter().map(|(state, _)| small(&gas, state)).collect();
        let momentum = |flies: &[Vec<u8>]| {
            let all = |way: usize| flies[way].iter().map(|flies| i64::from(*flies)).sum::<i64>();
            [all(0) - all(1), all(2) - all(3)]
        };
        let (start, full) = (momentum(&flies), name.ends_with("torus") || name == "odd_space");
        for step in 1..=15 {
            let mut next = vec![vec![0; ground.cells()]; 4];
            for c in 0..ground.cells() {
                let mut here: Vec<u8> = flies.iter().map(|way| way[c]).collect();
                if here == [1, 1, 0, 0] || here == [0, 0, 1, 1] {
                    here.iter_mut().for_each(|flies| *flies = 1 - *flies);
                }
                for (way, (_, offset)) in WAYS.iter().enumerate() {
                    match ground.at(c, *offset) {
                        Some(there) => next[way][there] += here[way],
                        None => next[way ^ 1][c] += here[way],
                    }
                }
            }
            flies = next;
            gas.step(1).expect("it runs");
            for (way, (state, _)) in WAYS.iter().enumerate() {
                assert_eq!(small(&gas, state), flies[way], "{state} on {name}, step {step}");
            }
            assert!(!full || momentum(&flies) == start, "momentum on {name}, step {step}");
        }
    }
}

/// Names spread over whole clusters and water to all that is open from the top edge, as walking from cell to cell finds them.
#[test]
fn clusters_are_those_that_walking_finds() {
    for name in GROUNDS {
        for p in ["0.45", "0.7"] {
            let setting = format!("p={p}");
            let mut run = simulation(&domain(name), "percolation", 7, &[&setting]);
            let ground = Ground::of(&run);
            let near = ground.sides_of();
            let open = small(&run, "open");
            let names = run.field::<u32>("name").expect("it has the state");
            run.step(ground.cells() as u64).expect("it runs");
            let (labels, wet) = (run.field::<u32>("label").expect("it has the state"), small(&run, "wet"));
            let mut cluster: HashMap<usize, usize> = HashMap::new();
            let (mut clusters, mut soaked, mut deepest) = (0, 0, -1);
            for start in (0..ground.cells()).filter(|c| open[*c] == 1) {
                if cluster.contains_key(&start) {
                    continue;
                }
                let (mut members, mut open_ends) = (vec![start], vec![start]);
                cluster.insert(start, clusters);
                while let Some(c) = open_ends.pop() {
                    for d in near[c].iter().filter(|d| open[**d] == 1) {
                        if cluster.insert(*d, clusters).is_none() {
                            members.push(*d);
                            open_ends.push(*d);
                        }
                    }
                }
                clusters += 1;
                let greatest = members.iter().map(|c| names[*c]).max().expect("it has a cell");
                let begins = members.iter().any(|c| ground.places[*c][1] == 0);
                for c in members {
                    assert_eq!((labels[c], wet[c] == 1), (greatest, begins), "{name}, p = {p}, cell {c}");
                    if begins {
                        soaked += 1;
                        deepest = deepest.max(ground.places[c][1]);
                    }
                }
            }
            let found = ["clusters", "wet_cells", "depth"].map(|name| observed(&run, name));
            assert_eq!(found, [clusters as f64, f64::from(soaked), deepest as f64], "{name}, p = {p}");
        }
    }
}
