//! Vectors and complex numbers: each rule is one of components that are written by hand, and gives the same bits.

use super::ground::{domain, domains, observed};
use squeeze::compiler::geometry::with_flags;
use squeeze::compiler::text::diagnostics::render;
use squeeze::compiler::text::source::Sources;
use squeeze::compiler::{NoFiles, check};
use squeeze::{Backend, Rule, Simulation};
use squeeze_testing::vectors::{RulesOfVectors, rules_of_vectors};
use squeeze_testing::{all_cases, choices};
use squeeze_tests::course::in_parallel;
use std::sync::Arc;

/// The first rule of each pair computes with vectors, the second with their components.
const RULES: &str = "
    const up = vec3(0.0, 0.0, 1.0)
    fn turned(a: vec2, angle: f32) -> vec2 = {
        let unit = a / norm(a)
        vec2(unit.x * cos(angle) - unit.y * sin(angle), unit.x * sin(angle) + unit.y * cos(angle))
    }
    fn longer(a: vec3, b: vec3) -> bit = dot(a, a) > dot(b, b)

    rule spins {
        param field: vec3 = 0.25 * up
        param turn: f32 = 0.5
        state m: vec3
        state flat: vec2
        init m = vec3(1.0, uniform(), 0.5)
        init flat = turned(vec2(m.x, m.y), 0.1)
        let pull = sum(von_neumann, nb.m) + field
        step go {
            let mixed = if longer(pull, m) { pull } else { cross(m, pull) - 0.5 * (m[1, 0] else field) }
            next m = mixed / max(1.0, norm(mixed))
            next flat = match x % 3 { 0 => flat, 1 => turned(flat, turn), _ => { let back = -flat  back + vec2(1.0, uniform()) } }
        }
        step again when m.z > 0.0 {
            next flat = (mean(von_neumann, nb.flat) else flat) + vec2(m[0, 1].x else 2.0, sum(moore, nb.m).y)
        }
        observe all = sum(m)
        observe size = norm(mean(flat))
        observe along = mean(dot(m, up))
    }
    fn turned_x(p: f32, q: f32, angle: f32) -> f32 = {
        let size = sqrt(p * p + q * q)
        (p / size) * cos(angle) - (q / size) * sin(angle)
    }
    fn turned_y(p: f32, q: f32, angle: f32) -> f32 = {
        let size = sqrt(p * p + q * q)
        (p / size) * sin(angle) + (q / size) * cos(angle)
    }
    rule spins_by_hand {
        param fx: f32 = 0.25 * 0.0
        param fy: f32 = 0.25 * 0.0
        param fz: f32 = 0.25 * 1.0
        param turn: f32 = 0.5
        state mx: f32
        state my: f32
        state mz: f32
        state a: f32
        state b: f32
        init mx = 1.0
        init my = uniform()
        init mz = 0.5
        init a = turned_x(mx, my, 0.1)
        init b = turned_y(mx, my, 0.1)
        let px = sum(von_neumann, nb.mx) + fx
        let py = sum(von_neumann, nb.my) + fy
        let pz = sum(von_neumann, nb.mz) + fz
        step go {
            let longer = px * px + py * py + pz * pz > mx * mx + my * my + mz * mz
            let cx = if longer { px } else { (my * pz - mz * py) - 0.5 * (mx[1, 0] else fx) }
            let cy = if longer { py } else { (mz * px - mx * pz) - 0.5 * (my[1, 0] else fy) }
            let cz = if longer { pz } else { (mx * py - my * px) - 0.5 * (mz[1, 0] else fz) }
            let size = max(1.0, sqrt(cx * cx + cy * cy + cz * cz))
            next mx = cx / size
            next my = cy / size
            next mz = cz / size
            let more = uniform()
            next a = match x % 3 { 0 => a, 1 => turned_x(a, b, turn), _ => -a + 1.0 }
            next b = match x % 3 { 0 => b, 1 => turned_y(a, b, turn), _ => -b + more }
        }
        step again when mz > 0.0 {
            next a = (mean(von_neumann, nb.a) else a) + (mx[0, 1] else 2.0)
            next b = (mean(von_neumann, nb.b) else b) + sum(moore, nb.my)
        }
        observe all_x = sum(mx)
        observe all_y = sum(my)
        observe all_z = sum(mz)
        observe size = sqrt(mean(a) * mean(a) + mean(b) * mean(b))
        observe along = mean(mx * 0.0 + my * 0.0 + mz * 1.0)
    }
    rule drawn {
        state m: vec3
        state k: complex
        init m = on_sphere()
        init k = complex(exponential(), normal())
        next m = if random(0.5) { pick(von_neumann, nb.m) else m } else { -on_sphere() }
        observe along = mean(m)
    }
    rule drawn_by_hand {
        state v: f32
        state w: f32
        state mx: f32
        state my: f32
        state mz: f32
        state kx: f32
        state ky: f32
        init v = uniform()
        init w = uniform()
        init mz = 1.0 - 2.0 * v
        init mx = sqrt(1.0 - mz * mz) * cos(tau * w)
        init my = sqrt(1.0 - mz * mz) * sin(tau * w)
        init kx = exponential()
        init ky = normal()
        let keeps = random(0.5)
        let from = below(u32(degree(von_neumann)))
        let rank = i32(from)
        let a = uniform()
        let b = uniform()
        let height = 1.0 - 2.0 * a
        let beside = sqrt(1.0 - height * height)
        let left = degree([(0, -1)])
        let west = left + degree([(-1, 0)])
        let east = west + degree([(1, 0)])
        let other_x = if rank < left { mx[0, -1] else mx } else if rank < west { mx[-1, 0] else mx } else if rank < east { mx[1, 0] else mx } else { mx[0, 1] else mx }
        let other_y = if rank < left { my[0, -1] else my } else if rank < west { my[-1, 0] else my } else if rank < east { my[1, 0] else my } else { my[0, 1] else my }
        let other_z = if rank < left { mz[0, -1] else mz } else if rank < west { mz[-1, 0] else mz } else if rank < east { mz[1, 0] else mz } else { mz[0, 1] else mz }
        next mx = if keeps { other_x } else { -(beside * cos(tau * b)) }
        next my = if keeps { other_y } else { -(beside * sin(tau * b)) }
        next mz = if keeps { other_z } else { -height }
        observe along_x = mean(mx)
        observe along_y = mean(my)
        observe along_z = mean(mz)
    }

    rule waves {
        param k: complex<f64> = complex(0.5, -0.25)
        state u: complex<f64>
        init u = complex(f64(x % 5) / 3.0, f64(normal()))
        global all = sum(u)
        let lap = sum(von_neumann, nb.u - u)
        next u = {
            let square = u * conj(u)
            let turned = k * lap * complex(0.0, 1.0) + square.x * u
            if re(u) > im(u) { u + 0.01 * turned } else { u - turned / 16.0 - 0.001 * all }
        }
        observe energy = sum(dot(u, u))
        observe phase = arg(mean(u))
        observe far = max(arg(u))
    }
    rule waves_by_hand {
        param kx: f64 = 0.5
        param ky: f64 = -0.25
        state ux: f64
        state uy: f64
        init ux = f64(x % 5) / 3.0
        init uy = f64(normal())
        global ax = sum(ux)
        global ay = sum(uy)
        let lx = sum(von_neumann, nb.ux - ux)
        let ly = sum(von_neumann, nb.uy - uy)
        let px = kx * lx - ky * ly
        let py = kx * ly + ky * lx
        let qx = px * 0.0 - py * 1.0
        let qy = px * 1.0 + py * 0.0
        let square = ux * ux - uy * -uy
        let tx = qx + square * ux
        let ty = qy + square * uy
        next ux = if ux > uy { ux + 0.01 * tx } else { ux - tx / 16.0 - 0.001 * ax }
        next uy = if ux > uy { uy + 0.01 * ty } else { uy - ty / 16.0 - 0.001 * ay }
        observe energy = sum(ux * ux + uy * uy)
        observe phase = atan2(mean(uy), mean(ux))
        observe far = max(atan2(uy, ux))
    }";

/// Names in a rule of vectors, each with that in the rule by hand.
type PairsOfNames = &'static [(&'static str, &'static str)];

/// The states and observables of a rule of vectors, and those of the same rule by hand.
const NAMES: [(&str, PairsOfNames, PairsOfNames); 3] = [
    (
        "spins",
        &[("m.x", "mx"), ("m.y", "my"), ("m.z", "mz"), ("flat.x", "a"), ("flat.y", "b")],
        &[("all.x", "all_x"), ("all.y", "all_y"), ("all.z", "all_z"), ("size", "size"), ("along", "along")],
    ),
    (
        "drawn",
        &[("m.x", "mx"), ("m.y", "my"), ("m.z", "mz"), ("k.x", "kx"), ("k.y", "ky")],
        &[("along.x", "along_x"), ("along.y", "along_y"), ("along.z", "along_z")],
    ),
    ("waves", &[("u.x", "ux"), ("u.y", "uy")], &[("energy", "energy"), ("phase", "phase"), ("far", "far")]),
];

fn digest(simulation: &Simulation, state: &str) -> u64 {
    let all = simulation.digests().expect("the states can be read");
    all.into_iter().find(|(name, _)| *name == state).expect("there is this state").1
}

#[test]
fn vectors_are_their_components() {
    let mut sources = Sources::new();
    let root = sources.add("rules", RULES);
    let rules = check(&mut sources, root, &mut NoFiles).expect("the text is right").rules;
    let rule = |name: &str| rules.iter().find(|rule| rule.name == name).expect("there is this rule").clone();
    for place in ["ring", "open", "odd", "holes", "carpet", "rags"] {
        for (name, states, totals) in NAMES {
            let run = |rule: Arc<Rule>, backend, threads| {
                let level = if place == "carpet" { 2 } else { 1 };
                let builder = Simulation::builder(domain(place), rule).level(level).seed(5);
                let mut simulation = builder.backend(backend).threads(threads).build().expect("the rule runs");
                simulation.step(3).expect("it runs");
                simulation
            };
            let by_hand = run(rule(&format!("{name}_by_hand")), Backend::Reference, 1);
            for (backend, threads) in [(Backend::Reference, 1), (Backend::Cpu, 1), (Backend::Cpu, 2)] {
                let of_vectors = run(rule(name), backend, threads);
                for (component, state) in states {
                    let (found, wanted) = (digest(&of_vectors, component), digest(&by_hand, state));
                    assert_eq!(found, wanted, "{component} of {name} on {place}");
                }
                for (component, total) in totals {
                    let (found, wanted) = (observed(&of_vectors, component), observed(&by_hand, total));
                    assert_eq!(found.to_bits(), wanted.to_bits(), "{component} of {name} on {place}");
                }
            }
        }
    }
}

/// A name that takes the place of a vector's is made of the old components alone, in blocks, steps and functions.
#[test]
fn names_that_are_given_again_are_made_of_what_they_were() {
    let text = "
        fn unit(a: vec2) -> vec2 = { let a = a / norm(a)  a }
        rule again {
            state m: vec2
            state z: complex
            state v: vec3
            init m = vec2(3.0, 4.0)
            init z = complex(1.0, 2.0)
            init v = vec3(3.0, 4.0, 5.0)
            let u = vec2(6.0, 8.0)
            step blocks {
                next m = { let m = vec2(m.y, m.x)  let m = m / norm(m)  m }
                next z = { let z = z * z  let z = z * z  z }
                next v = { let v = cross(v, vec3(0.0, 0.0, 1.0))  v }
            }
            step lets {
                let u = vec2(u.y, u.x)
                let m = vec2(m.y, m.x) + unit(u)
                next m = vec2(u.x, u.y) + m
            }
            observe m = mean(m)
            observe z = mean(z)
            observe v = mean(v)
        }";
    let mut sources = Sources::new();
    let root = sources.add("again", text);
    let rule = check(&mut sources, root, &mut NoFiles).expect("the text is right").rules.remove(0);
    for backend in [Backend::Reference, Backend::Cpu] {
        let builder = Simulation::builder(domain("odd"), Arc::clone(&rule)).level(1).backend(backend).threads(1);
        let mut simulation = builder.build().expect("the rule runs");
        simulation.step(1).expect("it runs");
        // The block makes (0.8, 0.6) of m, the unit of (8, 6) is the same.
        let wanted = [
            ("m.x", 8.0 + 0.6 + 0.8),
            ("m.y", 6.0 + 0.8 + 0.6),
            ("z.x", -7.0),
            ("z.y", -24.0),
            ("v.x", 4.0),
            ("v.y", -3.0),
            ("v.z", 0.0),
        ];
        for (name, wanted) in wanted {
            let found = observed(&simulation, name);
            assert!((found - wanted).abs() < 1e-5, "{name}: {found}, {wanted}");
        }
    }
}

/// A flag about a component goes before what the domain says of the vector at a side, and other components keep what is said of them.
#[test]
fn flags_of_components_are_merged_with_edges_of_vectors() {
    let text = "
        domain written { size (5, 4)  edge m = 0.0  edge m = 5.0 at -x }
        domain merged { size (5, 4)  edge m.x = 1.0  edge m.y = 0.0  edge m.y = 5.0 at -x }
        domain at_a_side { size (5, 4)  edge m.x = 1.0  edge m.x = 2.0 at -x  edge m.y = 0.0  edge m.y = 5.0 at -x }
        domain replaced { size (5, 4)  edge m.x = 1.0  edge m.x = 9.0 at -x  edge m.y = 0.0  edge m.y = 9.0 at -x }
        rule moved {
            state m: vec2
            init m = vec2(f32(x), f32(y))
            next m = (m[-1, 0] else m) + (m[1, 1] else m)
        }";
    let mut sources = Sources::new();
    let root = sources.add("moved", text);
    let rule = check(&mut sources, root, &mut NoFiles).expect("the text is right").rules.remove(0);
    let all = domains(text);
    let with = |flags: &[&str]| {
        let flags: Vec<String> = flags.iter().map(|flag| (*flag).to_owned()).collect();
        with_flags(&all[0], &flags).expect("each is given once")
    };
    let cases: [(&[&str], _); 3] = [
        (&["m.x=1.0"], &all[1]),
        (&["m.x=2.0 at -x", "m.x=1.0"], &all[2]),
        // A flag about the vector at that side goes before, and takes the place of what the domain says there.
        (&["m=9.0 at -x", "m.x=1.0"], &all[3]),
    ];
    for (flags, wanted) in cases {
        let digests = |fractal: &Arc<squeeze::Fractal>| {
            let builder = Simulation::builder(Arc::clone(fractal), Arc::clone(&rule)).level(1).threads(1);
            let mut simulation = builder.backend(Backend::Cpu).build().expect("the rule runs");
            simulation.step(3).expect("it runs");
            ["m.x", "m.y"].map(|state| digest(&simulation, state))
        };
        assert_eq!(digests(&with(flags)), digests(wanted), "{flags:?}");
    }
}

/// Random rules of vectors, beside the same rules of numbers, on the oracle and the CPU. `PROPTEST_CASES` says how many.
#[test]
fn random_rules_of_vectors_are_those_of_their_components() {
    let asked = std::env::var("PROPTEST_CASES").ok().map(|cases| cases.parse().expect("a number"));
    let numbers: Vec<u64> = (0..asked.unwrap_or(if all_cases() { 4000 } else { 24 })).collect();
    in_parallel(&numbers, |&number| {
        let RulesOfVectors { text, states, observables } = rules_of_vectors(&choices(number));
        let mut sources = Sources::new();
        let root = sources.add("random", &text);
        let rules = check(&mut sources, root, &mut NoFiles)
            .unwrap_or_else(|errors| panic!("{number}: {}\n{text}", render(&errors, &sources, false)))
            .rules;
        let place = ["hoop", "odd_torus", "even_torus", "mask", "carpet", "rags"][number as usize % 6];
        let run = |rule: usize, backend| {
            let builder = Simulation::builder(domain(place), Arc::clone(&rules[rule])).level(2).seed(number);
            let builder = if place == "carpet" { builder } else { builder.level(1) };
            let mut simulation = builder.backend(backend).threads(1 + number as usize % 2).build().expect("it runs");
            simulation.step(3).expect("it runs");
            simulation
        };
        let [of_vectors, by_hand, on_cpu] =
            [run(0, Backend::Reference), run(1, Backend::Reference), run(0, Backend::Cpu)];
        for [one, other] in &states {
            let wanted = digest(&by_hand, other);
            for (simulation, name) in [(&of_vectors, "oracle"), (&on_cpu, "CPU")] {
                assert_eq!(digest(simulation, one), wanted, "{number}: {one} on {place}, {name}\n{text}");
            }
        }
        for [one, other] in &observables {
            let wanted = observed(&by_hand, other);
            for found in [&of_vectors, &on_cpu].map(|simulation| observed(simulation, one)) {
                let is_same = found.to_bits() == wanted.to_bits() || found.is_nan() && wanted.is_nan();
                assert!(is_same, "{number}: {one} on {place} is {found}, not {wanted}\n{text}");
            }
        }
    });
}
