//! Clusters: against cells found by walking, sums over all states and over all bonds, and the oracle.

use super::ground::{Ground, domain, domains, observed, sampled};
use squeeze::compiler::text::source::Sources;
use squeeze::compiler::{NoFiles, check};
use squeeze::{Backend, Rule, Simulation, resolve};
use std::sync::Arc;

const DOMAINS: [&str; 12] =
    ["chain", "ring", "open", "odd", "even", "tube", "holes", "three", "brick", "pipe", "gaps", "carpet"];

/// The only rule of a text.
pub(super) fn rule(text: &str) -> Arc<Rule> {
    let mut sources = Sources::new();
    let root = sources.add("rules", text);
    check(&mut sources, root, &mut NoFiles)
        .map_err(|errors| errors[0].message.clone())
        .expect("the text is right")
        .rules
        .remove(0)
}

fn simulation(name: &str, rule: &Arc<Rule>, backend: Backend, seed: u64) -> Simulation {
    let builder = Simulation::builder(domain(name), Arc::clone(rule)).seed(seed).backend(backend).threads(1);
    builder.level(1).build().expect("the rule runs")
}

/// Keeps all that can be asked of clusters in states.
const ASKED: &str = "
    rule asked {
        state site: bit
        state n: i32
        bond open over von_neumann: bit
        clusters c of open
        clusters d of open when site
        init site = random(0.7)
        init n = i32(below(50)) - 20
        init open = random(0.55)
        state root: i32
        state size: i32
        state inside: i32
        state sites: i32
        state total: i32
        state least: i32
        state most: i32
        state any_high: bit
        state all_low: bit
        state along_x: bit
        state along_y: bit
        step ask {
            next root = i32(root(c))
            next size = i32(count() of c)
            next inside = i32(root(d))
            next sites = i32(count(n > 3) of d + sum(n > 3) of d)
            next total = i32(sum(n) of d)
            next least = min(n) of d else 100
            next most = max(n) of c
            next any_high = any(n > 24) of c
            next all_low = all(n < 20) of d
            next along_x = spans(c, x)
            next along_y = spans(d, y)
        }
        observe number = count(true per c)
        observe inner = count(true per d)
        observe largest = max(count() of c)
        observe squares = sum(count() of c * count() of c per c)
        observe highest = max(max(n) of c per c)
        observe mean = mean(n per d)
        observe spread = variance(n per d)
        observe middle = median(count() of c per c)
        observe upper = quantile(f32(n) * 0.5 per d, 0.7)
        observe sizes = histogram(count() of c per c, 1, 5, 4)
    }";

/// The cells of each cluster, by walking along bonds; and for each, whether it reaches both sides of an open axis or goes round a joined one.
fn walked(of: &Simulation, belongs: &[bool]) -> Vec<(Vec<usize>, [bool; 3])> {
    let (domain, cells) = (of.domain(), belongs.len());
    let open: Vec<Vec<bool>> = (0..3).map_while(|at| of.field::<bool>(&format!("open.{at}")).ok()).collect();
    let mut near: Vec<Vec<(usize, [i64; 3])>> = vec![Vec::new(); cells];
    for (at, open) in open.iter().enumerate() {
        let mut offset = [0; 3];
        offset[at] = 1;
        for c in (0..cells).filter(|c| open[*c]) {
            let there =
                domain.neighbour(domain.lambda(c as u64), offset).expect("no bond is open where no pair is") as usize;
            if belongs[c] && belongs[there] {
                near[c].push((there, offset.map(i64::from)));
                near[there].push((c, offset.map(|v| -i64::from(v))));
            }
        }
    }
    let mut places: Vec<Option<[i64; 3]>> = vec![None; cells];
    let mut found = Vec::new();
    for root in (0..cells).filter(|c| belongs[*c]) {
        if places[root].is_some() {
            continue;
        }
        places[root] = Some([0; 3]);
        let (mut all, mut next, mut round) = (vec![root], 0, [false; 3]);
        while let Some(&c) = all.get(next) {
            next += 1;
            for &(there, offset) in &near[c] {
                let place = [0, 1, 2].map(|axis| places[c].expect("it was reached")[axis] + offset[axis]);
                match places[there] {
                    None => {
                        places[there] = Some(place);
                        all.push(there);
                    }
                    Some(known) => (0..3).for_each(|axis| round[axis] |= known[axis] != place[axis]),
                }
            }
        }
        let spans = [0, 1, 2].map(|axis| match domain.periodic().0[axis] {
            true => round[axis],
            false => [0, domain.extent()[axis] - 1]
                .iter()
                .all(|side| all.iter().any(|c| domain.lambda(*c as u64)[axis] == *side)),
        });
        found.push((all, spans));
    }
    found
}

/// Where a share of the values lies below, on a straight line between two of them.
fn quantile_of(mut values: Vec<f64>, share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let Some(last) = values.len().checked_sub(1) else { return f64::NAN };
    let place = share * last as f64;
    let [low, high] = [place.floor(), place.ceil()].map(|place| values[place as usize]);
    low + (high - low) * (place - place.floor())
}

#[test]
fn all_that_is_asked_is_found_by_walking() {
    let rule = rule(ASKED);
    for (name, seed) in DOMAINS.iter().flat_map(|name| (1..=6).map(move |seed| (*name, seed))) {
        let begun = simulation(name, &rule, Backend::Cpu, seed);
        let (site, n) = (begun.field::<bool>("site").expect("a state"), begun.field::<i32>("n").expect("a state"));
        let cells = n.len();
        let (all, inner) = (walked(&begun, &vec![true; cells]), walked(&begun, &site));
        let with =
            |clusters: &[(Vec<usize>, [bool; 3])], none: i32, value: &dyn Fn(&[usize], [bool; 3]) -> i32| -> Vec<i32> {
                let mut values = vec![none; cells];
                for (members, spans) in clusters {
                    members.iter().for_each(|c| values[*c] = value(members, *spans));
                }
                values
            };
        let wanted = [
            ("root", with(&all, -1, &|members, _| members[0] as i32)),
            ("size", with(&all, 0, &|members, _| members.len() as i32)),
            ("inside", with(&inner, -1, &|members, _| members[0] as i32)),
            ("sites", with(&inner, 0, &|members, _| 2 * members.iter().filter(|c| n[**c] > 3).count() as i32)),
            ("total", with(&inner, 0, &|members, _| members.iter().map(|c| n[*c]).sum())),
            ("least", with(&inner, 100, &|members, _| members.iter().map(|c| n[*c]).min().expect("cells"))),
            ("most", with(&all, 0, &|members, _| members.iter().map(|c| n[*c]).max().expect("cells"))),
            ("any_high", with(&all, 0, &|members, _| i32::from(members.iter().any(|c| n[*c] > 24)))),
            ("all_low", with(&inner, 1, &|members, _| i32::from(members.iter().all(|c| n[*c] < 20)))),
            ("along_x", with(&all, 0, &|_, spans| i32::from(spans[0]))),
            ("along_y", with(&inner, 0, &|_, spans| i32::from(spans[1]))),
        ];
        for backend in [Backend::Cpu, Backend::Reference] {
            let mut asked = simulation(name, &rule, backend, seed);
            let squares: usize = all.iter().map(|(members, _)| members.len().pow(2)).sum();
            let largest = all.iter().map(|(members, _)| members.len()).max().expect("clusters");
            let mean = inner.iter().map(|(members, _)| f64::from(n[members[0]])).sum::<f64>() / inner.len() as f64;
            let found = ["number", "inner", "largest", "squares", "highest"].map(|name| observed(&asked, name));
            let highest = f64::from(*n.iter().max().expect("cells"));
            let of = [all.len() as f64, inner.len() as f64, largest as f64, squares as f64, highest];
            assert_eq!(found, of, "{name} {seed}");
            assert!(inner.is_empty() || (observed(&asked, "mean") - mean).abs() < 1e-9, "{name} {seed}");
            let spread = inner.iter().map(|(members, _)| (f64::from(n[members[0]]) - mean).powi(2)).sum::<f64>();
            let (middle, upper) = (
                quantile_of(all.iter().map(|(members, _)| members.len() as f64).collect(), 0.5),
                quantile_of(inner.iter().map(|(members, _)| 0.5 * f64::from(n[members[0]])).collect(), 0.7),
            );
            for (of, wanted) in [("spread", spread / inner.len() as f64), ("middle", middle), ("upper", upper)] {
                let found = observed(&asked, of);
                let is_same = (found - wanted).abs() < 1e-6 || found.is_nan() && inner.is_empty();
                assert!(is_same, "{of} on {name} {seed}: {found}, {wanted}");
            }
            let sizes = |size: usize| all.iter().filter(|(members, _)| members.len().min(4) == size).count() as f64;
            let histogram = asked.observe().expect("it can be observed").pop().expect("the last").1.to_string();
            let wanted_sizes = [1, 2, 3, 4].map(sizes).map(|count| count.to_string()).join(", ");
            assert!(histogram.contains(&wanted_sizes), "{name} {seed}: {histogram}, {wanted_sizes}");
            asked.step(1).expect("it runs");
            for (state, wanted) in &wanted {
                let values: Vec<i32> = match asked.field::<bool>(state) {
                    Ok(bits) => bits.into_iter().map(i32::from).collect(),
                    Err(_) => asked.field(state).expect("a state"),
                };
                assert_eq!(values, *wanted, "{state} on {name} {seed}");
            }
        }
    }
}

/// A draw at clusters is the draw of that number at the root's place.
#[test]
fn clusters_draw_as_their_roots() {
    let text = |draw: &str| {
        rule(&format!(
            "rule r {{
                state root: i32
                state w: u32
                state b: bit
                state u: f32
                bond open over von_neumann: bit
                clusters c of open
                init open = random(0.5)
                next root = i32(root(c))
                next w = bits() {draw} ^ below(1000) {draw}
                next b = random(0.123456) {draw}
                next u = uniform() {draw} + normal() {draw} + uniform(2.0, 3.0) {draw}
                next open = open
            }}"
        ))
    };
    let (own, of_roots) = (text(""), text("at c"));
    for name in DOMAINS {
        let run = |rule: &Arc<Rule>, backend| {
            let mut run = simulation(name, rule, backend, 5);
            run.step(3).expect("it runs");
            let root = run.field::<i32>("root").expect("a state");
            let bits = |values: Vec<f32>| values.into_iter().map(f32::to_bits).collect::<Vec<_>>();
            (
                root,
                run.field::<u32>("w").expect("w"),
                run.field::<bool>("b").expect("b"),
                bits(run.field("u").expect("u")),
            )
        };
        let (roots, w, b, u) = run(&own, Backend::Cpu);
        let at = |root: &i32| *root as usize;
        for backend in [Backend::Cpu, Backend::Reference] {
            let found = run(&of_roots, backend);
            assert_eq!(found.1, roots.iter().map(|root| w[at(root)]).collect::<Vec<_>>(), "{name}");
            assert_eq!(found.2, roots.iter().map(|root| b[at(root)]).collect::<Vec<_>>(), "{name}");
            assert_eq!(found.3, roots.iter().map(|root| u[at(root)]).collect::<Vec<_>>(), "{name}");
        }
    }
}

/// The energy, the square of the magnetisation and the number of clusters in the mean over all states and all bonds.
fn summed(pairs: &[(usize, usize)], cells: usize, beta: f64) -> [f64; 3] {
    let (mut all, mut energy, mut square) = (0.0, 0.0, 0.0);
    for state in 0..1u32 << cells {
        let spin = |c: usize| if state >> c & 1 == 1 { 1.0 } else { -1.0 };
        let e: f64 = pairs.iter().map(|(a, b)| -spin(*a) * spin(*b)).sum();
        let (m, weight) = ((0..cells).map(spin).sum::<f64>(), (-beta * e).exp());
        (all, energy, square) = (all + weight, energy + weight * e, square + weight * m * m);
    }
    if pairs.len() > 12 {
        return [energy / all, square / all, f64::NAN];
    }
    let (mut bonds, mut number) = (0.0, 0.0);
    let p = 1.0 - (-2.0 * beta).exp();
    for open in 0..1u32 << pairs.len() {
        let mut root: Vec<usize> = (0..cells).collect();
        for (_, (a, b)) in pairs.iter().enumerate().filter(|(at, _)| open >> at & 1 == 1) {
            let (from, to) = (root[*a].max(root[*b]), root[*a].min(root[*b]));
            root.iter_mut().filter(|one| **one == from).for_each(|one| *one = to);
        }
        let clusters = (0..cells).filter(|c| root[*c] == *c).count() as f64;
        let weight = p.powi(open.count_ones() as i32)
            * (1.0 - p).powi(pairs.len() as i32 - open.count_ones() as i32)
            * clusters.exp2();
        (bonds, number) = (bonds + weight, number + weight * clusters);
    }
    [energy / all, square / all, number / bonds]
}

#[test]
fn clusters_of_spins_give_the_sums_over_all_states() {
    let (mut squares, mut count) = (0.0, 0);
    for (name, beta) in [("carpet", 0.3), ("three", 0.25), ("ring", 0.5), ("chain", 0.6)] {
        for (rule, is_all) in [("swendsen_wang", true), ("wolff", false)] {
            let rule = resolve::rule(rule).expect("it ships");
            let pairs = Ground::of(&simulation(name, &rule, Backend::Cpu, 0)).pairs();
            let cells = pairs.iter().map(|(_, b)| b + 1).max().expect("pairs");
            let wanted = summed(&pairs, cells, beta);
            let mut of_seeds: Vec<[f64; 4]> = Vec::new();
            for seed in 1..=16 {
                let builder = Simulation::builder(domain(name), Arc::clone(&rule)).level(1).seed(seed).threads(1);
                let mut run = builder.backend(Backend::Cpu).set(format!("beta={beta}")).build().expect("it runs");
                run.step(8).expect("it runs");
                let mut sums = [0.0; 4];
                for _ in 0..120 {
                    run.step(1).expect("it runs");
                    let (m, more) =
                        (observed(&run, "magnetisation"), if is_all { ["improved", "number"] } else { ["energy"; 2] });
                    let per_cell = if is_all { (cells * cells) as f64 } else { 1.0 };
                    let all =
                        [observed(&run, "energy"), m * m, observed(&run, more[0]) * per_cell, observed(&run, more[1])];
                    sums.iter_mut().zip(all).for_each(|(sum, value)| *sum += value / 120.0);
                }
                of_seeds.push(sums);
            }
            let known = if is_all {
                [wanted[0], wanted[1], wanted[1], wanted[2]]
            } else {
                [wanted[0], wanted[1], wanted[0], wanted[0]]
            };
            for (at, wanted) in known.into_iter().enumerate().take(if is_all { 4 } else { 2 }) {
                let (mean, error) = sampled(16, |seed| of_seeds[seed as usize - 1][at]);
                let z = (mean - wanted) / error;
                if !wanted.is_nan() {
                    assert!(z.abs() < 4.5, "{name} at {beta}: {mean} ± {error}, {wanted}");
                    (squares, count) = (squares + z * z, count + 1);
                }
            }
        }
    }
    let rms = f64::sqrt(squares / f64::from(count));
    assert!((0.5..1.5).contains(&rms), "{rms} of {count}");
}

/// Rules put together of parts, on all domains, on the CPU beside the oracle.
#[test]
fn rules_of_clusters_agree_with_the_oracle() {
    let bonds = [
        "bond b over von_neumann = a == nb.a && random(0.7)",
        "bond b over moore = n < nb.n + 2 && n > nb.n - 3",
        "bond b over von_neumann: bit\n init b = random(0.5)\n next b = b != random(0.3)",
        "bond b over moore: bit\n init b = dx == 1 || random(0.2) from disorder\n next b = b && n != nb.n || random(0.4)",
        "bond b over [(2, 0), (-2, 0), (0, 1), (0, -1)] = a || nb.a",
    ];
    let conditions = ["", " when a", " when n % 3 != 0 || a", " when count(von_neumann, nb.a) > 1"];
    let values = [
        "n + i32(count() of c) + i32(sum(n) of c) % 5",
        "(n * 3 + (max(n + x) of c else 5) - (min(n) of c else -1) + i32(near)) % 17",
        "i32(below(u32(7)) at c) + i32(root(c)) + seen",
        "n + i32(u32(9.0 * uniform() at c)) - i32(count(n > 2) of c) + i32(drawn)",
    ];
    let bits = [
        "a != random(0.5) at c",
        "any(n > 4) of c != (all(a) of c && spans(c, x))",
        "random(if a { 0.25 } else { 0.5 + 1e-12 }) at c",
        "spans(c, y) != a || inner > 3",
    ];
    let mut number = 0;
    for (at, bond) in bonds.iter().enumerate() {
        for (of, condition) in conditions.iter().enumerate() {
            let pick = (7 * at + 5 * of) % 4;
            let observed = match bond.contains("= a == nb.a && random") {
                true => "observe all = sum(n)",
                false => {
                    "observe number = count(true per c)
                     observe sizes = sum(f64(count() of c) * 0.1 per c)
                     observe spread = variance(f64(n) * 0.1 per c)
                     observe spread_of_sizes = variance(count() of c per c)
                     observe middle = median(count() of c per c)
                     observe lower = quantile(f64(n) * 0.1 per c, 0.3)
                     observe near_most = max(near)
                     global largest = max(count() of c)
                     observe most = max(root(c))"
                }
            };
            let guard = match (observed.contains("largest"), of % 2) {
                (true, 0) => "when count() of c > 1 || a",
                (true, _) => "when i64(n) < largest + 3",
                _ => "",
            };
            let (first, next) = match bond.split_once("\n next") {
                Some((first, next)) => (first, format!("next{next}")),
                None => (*bond, String::new()),
            };
            let text = format!(
                "rule r {{
                    state a: bit
                    state n: i32
                    {first}
                    clusters c of b{condition}
                    init a = random(0.6)
                    init n = i32(below(12)) - 3
                    let mine = root(c)
                    let near = count(von_neumann, nb.mine != mine)
                    let inner = count() of c
                    let seen = sum(von_neumann, i32(nb.inner))
                    let drawn = below(4) at c
                    {observed}
                    step one {{ next n = {}  {next} }}
                    step two {guard} {{ next a = {}  next n = {} }}
                }}",
                values[pick],
                bits[(pick + of) % 4],
                values[(pick + 1 + at) % 4]
            );
            let rule = rule(&text);
            for name in [DOMAINS[number % 12], DOMAINS[(number + 5) % 12]] {
                number += 1;
                let builder = |backend| {
                    let builder =
                        Simulation::builder(domain(name), Arc::clone(&rule)).level(1).seed(number as u64).threads(1);
                    builder.disorder(3).backend(backend).build()
                };
                // Joined sides must be longer than twice what the rule looks at.
                let (Ok(mut cpu), Ok(mut oracle)) = (builder(Backend::Cpu), builder(Backend::Reference)) else {
                    continue;
                };
                for step in 0..4 {
                    let of = |run: &Simulation| {
                        format!("{:?} {:?}", run.digests().expect("digests"), run.observe().expect("values"))
                    };
                    assert_eq!(of(&cpu), of(&oracle), "step {step} on {name}\n{text}");
                    cpu.step(1).expect("it runs");
                    oracle.step(1).expect("it runs");
                }
            }
        }
    }
    assert!(number >= 40);
}

/// Running sums make steps of their terms, also for what clusters are asked by observables.
#[test]
fn clusters_beside_running_sums_are_those_of_the_oracle() {
    let rule = rule(
        "rule r {
            state a: u8
            bond b over von_neumann = a == nb.a
            clusters c of b when sum(moore(2), i32(nb.a)) > 30
            init a = u8(below(4))
            next a = u8((i64(a) + count() of c) % 5)
            observe number = count(true per c)
            observe largest = max(count() of c)
        }",
    );
    let of = |backend| {
        let mut simulation = simulation("wide", &rule, backend, 3);
        let mut seen = String::new();
        for _ in 0..3 {
            seen +=
                &format!("{:?} {:?}", simulation.digests().expect("digests"), simulation.observe().expect("values"));
            simulation.step(1).expect("it runs");
        }
        seen
    };
    assert_eq!(of(Backend::Cpu), of(Backend::Reference));
}

/// Clusters are found before each step, also where several are asked for at once and rows would go through several in one pass.
#[test]
fn many_steps_at_once_find_clusters_in_each() {
    let rule = rule(
        "rule r {
            state a: bit
            state u: f32
            bond open over von_neumann: bit
            clusters c of open
            init a = random(0.5)
            init u = f32(uniform())
            step join { next open = a == nb.a && random(0.58) }
            step turn { next a = random(0.5) at c  next u = 0.5 * u + 0.125 * sum(von_neumann, nb.u) + f32(count() of c) }
        }",
    );
    for name in ["wide", "joined", "wide_torus", "carpet"] {
        let of = |backend, times: &[u64]| {
            let mut simulation = simulation(name, &rule, backend, 3);
            times.iter().for_each(|steps| simulation.step(*steps).expect("it runs"));
            format!("{:?}", simulation.digests().expect("digests"))
        };
        let wanted = of(Backend::Reference, &[9]);
        assert_eq!(of(Backend::Cpu, &[9]), wanted, "{name}");
        assert_eq!(of(Backend::Cpu, &[1, 3, 5]), wanted, "{name}");
    }
}

/// Threads share out what has many cells, fractals whose replicas are listed in another order too: all kinds of values, after several steps in one call.
#[test]
fn threads_find_the_clusters_of_large_domains() {
    let rule = rule(
        "rule r {
            state a: bit
            state n: i32
            state size: i64
            state round: bit
            state least: i32
            state coin: bit
            bond open over von_neumann: bit
            clusters c of open
            clusters d of open when n > 3
            init a = random(0.5)
            init n = i32(below(40))
            init open = random(0.5)
            step ask {
                next size = count() of c + 7 * root(d) + 100000 * count(a) of d
                next round = spans(c, x) != spans(d, y)
                next least = (min(n) of d else 3) + i32(below(u32(9)) at c)
                next coin = (any(n > 38) of c) != (all(n < 39) of d)
            }
            step turn {
                next a = (random(0.5) at c) != (random(f64(n) / 40.0) at d)
                next open = random(0.6)
            }
            observe number = count(true per c)
            observe sizes = sum(sum(n) of d per d)
        }",
    );
    let large = domains(
        "domain large { size (200, 131)  periodic }
         domain rocks { size (190, 150)  cells random(0.7)  periodic x }
         domain brick { size (30, 31, 32)  periodic z }
         fractal turned { scale 3 pattern { \"765\" \"0.4\" \"123\" } }",
    );
    let carpet = domain("sierpinski_carpet");
    for fractal in large.iter().chain([&carpet]) {
        let of = |backend, threads: Option<usize>| {
            let builder = Simulation::builder(Arc::clone(fractal), Arc::clone(&rule)).level(5).seed(4).backend(backend);
            let builder = if let Some(threads) = threads { builder.threads(threads) } else { builder };
            let mut run = builder.build().expect("it runs");
            run.step(3).expect("it runs");
            format!("{:?} {:?}", run.digests().expect("digests"), run.observe().expect("values"))
        };
        let wanted = of(Backend::Reference, None);
        for threads in 1..=3 {
            assert_eq!(of(Backend::Cpu, Some(threads)), wanted, "{} with {threads} threads", fractal.name);
        }
    }
}
