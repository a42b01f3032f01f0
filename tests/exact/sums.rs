//! Rules with clusters against sums over all states, over all sets of open bonds and over all sets of sites: how far means lie off, in errors, over all of them.

use super::clusters::rule;
use super::ground::{Ground, domain};
use squeeze::{Backend, ObservedValue, Simulation, resolve};
use squeeze_testing::all_cases;
use std::sync::Arc;

/// What is observed, its power, and its mean over all that there is.
type Wanted = Vec<(&'static str, i32, f64)>;

fn simulation(name: &str, rule: &str) -> Simulation {
    let rule = resolve::rule(rule).expect("it ships");
    let builder = Simulation::builder(domain(name), Arc::clone(&rule)).level(1).backend(Backend::Cpu).threads(1);
    builder.build().expect("the rule runs")
}

/// Adds how far the means of each lie off, in errors by seeds. These have Student's distribution, and are shrunk to a variance of 1.
fn scores(run: &mut Simulation, settings: &[&str], wanted: &Wanted, scores: &mut Vec<f64>) {
    let (seeds, samples) = if all_cases() { (48, 150) } else { (16, 16) };
    let mut means = vec![Vec::new(); wanted.len()];
    // Seeds of their own, since all cases would lean to one side together.
    let first = 1000 * scores.len() as u64;
    for seed in first..first + seeds {
        run.restart(seed, settings).expect("it begins anew");
        // Where q is 4, a step draws a quarter of all clusters anew.
        run.step(100).expect("it runs");
        let mut sums = vec![0.0; wanted.len()];
        for _ in 0..samples {
            run.step(1).expect("it runs");
            let values = run.observe().expect("it can be observed");
            for (sum, (name, power, _)) in sums.iter_mut().zip(wanted) {
                let (_, value) = values.iter().find(|(known, _)| known == name).expect("the rule observes it");
                let value = match value {
                    ObservedValue::Integer(value) => *value as f64,
                    ObservedValue::Float(value) => *value,
                    ObservedValue::List(_) => panic!("{name} is a list"),
                };
                *sum += value.powi(*power) / f64::from(samples);
            }
        }
        means.iter_mut().zip(sums).for_each(|(all, mean)| all.push(mean));
    }
    let count = seeds as f64;
    let shrink = ((count - 3.0) / (count - 1.0)).sqrt();
    let of = |(all, (name, power, exact)): (&Vec<f64>, &(&str, i32, f64))| {
        let mean = all.iter().sum::<f64>() / count;
        let error = (all.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / (count - 1.0) / count).sqrt();
        let z = shrink * (mean - exact) / error;
        assert!(z.abs() < 5.0, "{name}^{power} with {settings:?}: {mean} ± {error}, exactly {exact}");
        z
    };
    scores.extend(means.iter().zip(wanted).map(of));
}

/// Each pair of neighbours: its cells and the axis along which they lie.
fn pairs(ground: &Ground) -> Vec<(usize, usize, usize)> {
    let mut all = Vec::new();
    for c in 0..ground.cells() {
        for axis in 0..3 {
            let mut offset = [0; 3];
            offset[axis] = 1;
            if ground.sides[axis] > 1
                && let Some(other) = ground.at(c, offset)
            {
                all.push((c, other, axis));
            }
        }
    }
    all
}

/// The sizes of clusters and how many of them reach across along x, or around it where it is joined.
fn clusters(
    ground: &Ground,
    joined: bool,
    open: &[(usize, usize, usize)],
    site: impl Fn(usize) -> bool,
) -> (Vec<usize>, usize) {
    let mut place: Vec<Option<i64>> = vec![None; ground.cells()];
    let (mut sizes, mut across) = (Vec::new(), 0);
    for root in (0..ground.cells()).filter(|c| site(*c)) {
        if place[root].is_some() {
            continue;
        }
        place[root] = Some(0);
        let (mut all, mut next, mut round) = (vec![root], 0, false);
        while let Some(&c) = all.get(next) {
            next += 1;
            let here = place[c].expect("it was reached");
            for (a, b, axis) in open {
                let (there, moved) = match c {
                    _ if c == *a => (*b, 1),
                    _ if c == *b => (*a, -1),
                    _ => continue,
                };
                let x = here + if *axis == 0 { moved } else { 0 };
                match place[there] {
                    None => {
                        place[there] = Some(x);
                        all.push(there);
                    }
                    Some(known) => round |= known != x,
                }
            }
        }
        let side = |x: i64| all.iter().any(|c| ground.places[*c][0] == x);
        across += usize::from(if joined { round } else { side(0) && side(ground.sides[0] - 1) });
        sizes.push(all.len());
    }
    (sizes, across)
}

/// Means over all sets of open bonds, each set with a weight for a bond and one for a cluster: of number, largest, bonds, the mean size of a cell's cluster, and how many reach across.
fn over_bonds(ground: &Ground, joined: bool, p: f64, q: f64) -> [f64; 5] {
    let (pairs, mut sums, mut all) = (pairs(ground), [0.0; 5], 0.0);
    for set in 0..1u32 << pairs.len() {
        let open: Vec<_> =
            pairs.iter().enumerate().filter(|(at, _)| set >> at & 1 == 1).map(|(_, pair)| *pair).collect();
        let (sizes, across) = clusters(ground, joined, &open, |_| true);
        let closed = (pairs.len() - open.len()) as i32;
        let weight = p.powi(open.len() as i32) * (1.0 - p).powi(closed) * q.powi(sizes.len() as i32);
        let squares = sizes.iter().map(|size| size * size).sum::<usize>() as f64 / ground.cells() as f64;
        let largest = sizes.iter().max().copied().expect("clusters") as f64;
        let values = [sizes.len() as f64, largest, open.len() as f64, squares, across as f64];
        sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += weight * value);
        all += weight;
    }
    sums.map(|sum| sum / all)
}

/// Means over all sets of sites: of sites, number, largest, and how many reach across.
fn over_sites(ground: &Ground, joined: bool, p: f64) -> [f64; 4] {
    let (pairs, mut sums) = (pairs(ground), [0.0; 4]);
    for set in 0..1u32 << ground.cells() {
        let site = |c: usize| set >> c & 1 == 1;
        let open: Vec<_> = pairs.iter().filter(|(a, b, _)| site(*a) && site(*b)).copied().collect();
        let (sizes, across) = clusters(ground, joined, &open, site);
        let sites = set.count_ones() as i32;
        let weight = p.powi(sites) * (1.0 - p).powi(ground.cells() as i32 - sites);
        let values =
            [f64::from(sites), sizes.len() as f64, sizes.iter().max().copied().unwrap_or(0) as f64, across as f64];
        sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += weight * value);
    }
    sums
}

/// How many states of q kinds have which number of agreeing pairs, and of cells of kind 0.
fn over_states(ground: &Ground, q: usize) -> Vec<Vec<f64>> {
    let (pairs, cells) = (pairs(ground), ground.cells());
    let mut counts = vec![vec![0.0; cells + 1]; pairs.len() + 1];
    let mut kinds = vec![0; cells];
    for state in 0..q.pow(cells as u32) {
        let mut rest = state;
        for kind in &mut kinds {
            (*kind, rest) = (rest % q, rest / q);
        }
        let agree = pairs.iter().filter(|(a, b, _)| kinds[*a] == kinds[*b]).count();
        counts[agree][kinds.iter().filter(|kind| **kind == 0).count()] += 1.0;
    }
    counts
}

/// The mean of something of agreeing pairs and cells of kind 0, where an agreeing pair weighs exp(beta).
fn weighed(counts: &[Vec<f64>], beta: f64, of: impl Fn(f64, f64) -> f64) -> f64 {
    let (mut sum, mut all) = (0.0, 0.0);
    for (agree, row) in counts.iter().enumerate() {
        for (zeros, count) in row.iter().enumerate() {
            let weight = count * (beta * agree as f64).exp();
            (sum, all) = (sum + weight * of(agree as f64, zeros as f64), all + weight);
        }
    }
    sum / all
}

/// Energies and moments of spins, numbers of clusters and how many go round: by Swendsen and Wang, Wolff, Chayes and Machta, of Potts models and percolation.
#[test]
fn rules_of_clusters_have_the_means_of_exact_sums() {
    let mut all = Vec::new();
    let night = all_cases();
    let names: &[&str] = if night {
        &["chain", "ring", "open", "odd", "even", "tube", "holes", "three", "brick", "carpet"]
    } else {
        &["carpet", "open"]
    };
    for name in names {
        for rule in ["swendsen_wang", "wolff"] {
            let mut run = simulation(name, rule);
            let ground = Ground::of(&run);
            let (counts, cells, bonds) = (over_states(&ground, 2), ground.cells() as f64, pairs(&ground).len() as f64);
            for beta in if night { vec![0.2, 0.3, 0.44, 0.7] } else { vec![0.3, 0.7] } {
                // Parameters are of f32.
                let coupling = 2.0 * f64::from(beta as f32);
                let moment = |power| weighed(&counts, coupling, |_, zeros| ((2.0 * zeros - cells) / cells).powi(power));
                let energy = |power| weighed(&counts, coupling, |agree, _| (bonds - 2.0 * agree).powi(power));
                let mut wanted: Wanted = vec![
                    ("energy", 1, energy(1)),
                    ("energy", 2, energy(2)),
                    ("m2", 1, moment(2)),
                    ("m2", 2, moment(4)),
                ];
                if rule == "swendsen_wang" {
                    wanted.push(("improved", 1, moment(2)));
                    wanted.push(("m4", 1, moment(4)));
                }
                scores(&mut run, &[&format!("beta={beta}")], &wanted, &mut all);
            }
        }
    }
    for (name, joined) in if night {
        vec![("ring", true), ("carpet", true), ("three", true), ("open", false)]
    } else {
        vec![("carpet", true)]
    } {
        let mut run = simulation(name, "chayes_machta");
        let ground = Ground::of(&run);
        for q in [1.5, 2.5, 4.0] {
            let [number, largest, bonds, ..] = over_bonds(&ground, joined, 0.6, q);
            let wanted = vec![("number", 1, number), ("largest", 1, largest), ("bonds", 1, bonds)];
            scores(&mut run, &["p=0.6", &format!("q={q}")], &wanted, &mut all);
        }
        let mut run = simulation(name, "bond_percolation_clusters");
        for p in [0.35, 0.5, 0.65] {
            let [number, largest, _, size, across] = over_bonds(&ground, joined, p, 1.0);
            let wanted =
                vec![("number", 1, number), ("largest", 1, largest), ("mean_size", 1, size), ("across", 1, across)];
            scores(&mut run, &[&format!("p={p}")], &wanted, &mut all);
        }
        let mut run = simulation(name, "potts_clusters");
        for (q, beta) in [(3, 0.5), (3, 1.0), (4, 0.75)].into_iter().filter(|(q, _)| *q == 3 || ground.cells() < 9) {
            let counts = over_states(&ground, q);
            let [first, second] = [1, 2].map(|power| weighed(&counts, beta, |agree, _| agree.powi(power)));
            let wanted = vec![("agreements", 1, first), ("agreements", 2, second)];
            if ground.cells() < 10 {
                scores(&mut run, &[&format!("q={q}"), &format!("beta={beta}")], &wanted, &mut all);
            }
        }
    }
    for (name, joined) in
        if night { vec![("even", true), ("open", false), ("three", true)] } else { vec![("three", true)] }
    {
        let mut run = simulation(name, "site_percolation");
        let ground = Ground::of(&run);
        for p in [0.4, 0.5, 0.6, 0.7] {
            let [sites, number, largest, across] = over_sites(&ground, joined, p);
            let wanted =
                vec![("sites", 1, sites), ("number", 1, number), ("largest", 1, largest), ("across", 1, across)];
            scores(&mut run, &[&format!("p={p}")], &wanted, &mut all);
        }
    }
    let rms = (all.iter().map(|z| z * z).sum::<f64>() / all.len() as f64).sqrt();
    println!("{} means, the root of the mean square of their deviations {rms:.3} errors", all.len());
    let (least, bounds) = if night { (200, 0.9..1.1) } else { (60, 0.7..1.3) };
    assert!(all.len() >= least && bounds.contains(&rms), "rms {rms} of {}", all.len());
}

/// How many clusters of bonds go round a torus of a side, along x and along y: those that hang together with a copy of themselves where the torus is unrolled 2, 3, 5
/// or 7 times. Bonds are given by their cell, in reading order, and the axis.
fn round(side: usize, open: &[(usize, usize)]) -> [usize; 2] {
    let mut goes = vec![[false; 2]; side * side];
    let mut root = vec![0; 7 * side * side];
    let find = |root: &[usize], mut cell: usize| {
        while root[cell] != cell {
            cell = root[cell];
        }
        cell
    };
    let mut joined = |folds: usize, axis: usize| -> Vec<usize> {
        let sides = [if axis == 0 { folds } else { 1 } * side, if axis == 1 { folds } else { 1 } * side];
        (0..sides[0] * sides[1]).for_each(|cell| root[cell] = cell);
        for (cell, along) in open {
            for copy in 0..folds {
                let mut place = [cell % side, cell / side];
                place[axis] += copy * side;
                let here = place[0] + sides[0] * place[1];
                place[*along] = (place[*along] + 1) % sides[*along];
                let (a, b) = (find(&root, here), find(&root, place[0] + sides[0] * place[1]));
                root[a.max(b)] = a.min(b);
            }
        }
        let of = |cell: usize, copy: usize| {
            let mut place = [cell % side, cell / side];
            place[axis] += copy * side;
            find(&root, place[0] + sides[0] * place[1])
        };
        (0..side * side)
            .flat_map(|cell| (0..folds).map(move |copy| (cell, copy)))
            .map(|(cell, copy)| of(cell, copy))
            .collect()
    };
    for axis in 0..2 {
        for folds in [2, 3, 5, 7] {
            let roots = joined(folds, axis);
            for (cell, goes) in goes.iter_mut().enumerate() {
                let copies = &roots[cell * folds..][..folds];
                goes[axis] |= copies[1..].contains(&copies[0]);
            }
        }
    }
    let roots = joined(1, 0);
    [0, 1].map(|axis| (0..side * side).filter(|cell| roots[*cell] == *cell && goes[*cell][axis]).count())
}

/// Clusters that go round tori: by all sets of bonds of 3 × 3 cells, and of sites of 4 × 4; by day some of them.
#[test]
fn clusters_go_round_as_on_unrolled_tori() {
    let text = "rule given {
        state site: bit
        bond open over von_neumann: bit
        clusters c of open
        clusters d of open when site
        init site = false
        init open = false
        next site = site
        next open = open
        observe bonds_x = count(spans(c, x) per c)
        observe bonds_y = count(spans(c, y) per c)
        observe sites_x = count(spans(d, x) per d)
        observe sites_y = count(spans(d, y) per d)
    }";
    let given = rule(text);
    let step = if all_cases() { 1 } else { 211 };
    for (name, side, sets) in [("three", 3usize, 1u32 << 18), ("even", 4, 1 << 16)] {
        let builder = Simulation::builder(domain(name), Arc::clone(&given)).level(1).backend(Backend::Cpu).threads(1);
        let mut run = builder.build().expect("it runs");
        let cells = side * side;
        let mut found = [0; 2];
        for set in (0..sets).step_by(step) {
            let bit = |at: usize| set >> at & 1 == 1;
            let fields = match side {
                3 => [
                    (0..cells).map(bit).collect::<Vec<bool>>(),
                    (cells..2 * cells).map(bit).collect(),
                    vec![true; cells],
                ],
                _ => [vec![true; cells], vec![true; cells], (0..cells).map(bit).collect()],
            };
            for (field, values) in ["open.0", "open.1", "site"].into_iter().zip(&fields) {
                run.set_field(field, 0, values).expect("it takes the values");
            }
            let is_open = |cell: usize, axis: usize| {
                let other = if axis == 0 { cell / side * side + (cell + 1) % side } else { (cell + side) % cells };
                fields[axis][cell] && fields[2][cell] && fields[2][other]
            };
            let pairs = (0..cells).flat_map(|cell| [(cell, 0), (cell, 1)]);
            let open: Vec<(usize, usize)> = pairs.filter(|(cell, axis)| is_open(*cell, *axis)).collect();
            let wanted = round(side, &open);
            let values = run.observe().expect("it can be observed");
            let of = |name: &str| match values.iter().find(|(known, _)| *known == name) {
                Some((_, ObservedValue::Integer(value))) => *value as usize,
                _ => panic!("{name} is no number"),
            };
            assert_eq!([of("sites_x"), of("sites_y")], wanted, "{name}, set {set}");
            if side == 3 {
                assert_eq!([of("bonds_x"), of("bonds_y")], wanted, "{name}, set {set}");
            }
            [0, 1].iter().for_each(|axis| found[*axis] += usize::from(wanted[*axis] > 0));
        }
        assert!(found.iter().all(|count| *count > 10), "{name}: {found:?}");
    }
}
