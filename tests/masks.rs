//! Masks and boxes on the CPU: every rule agrees with the oracle, a fractal that was drawn as a mask behaves as the fractal, and a margin without
//! cells changes nothing.

use squeeze::compiler::numbers::philox;
use squeeze::compiler::text::source::Sources;
use squeeze::compiler::{CellSettings, NoFiles, check};
use squeeze::ir::{Rule, Value};
use squeeze::{Backend, Domain, Fractal, ObservedValue, Simulation, resolve};
use squeeze_tests::course::without_caches;
use squeeze_tests::is_chosen;
use squeeze_tests::masks::{mask, masks};
use std::sync::Arc;

fn simulation(fractal: &Arc<Fractal>, level: u32, rule: &Arc<Rule>, backend: Backend) -> Simulation {
    let builder = Simulation::builder(Arc::clone(fractal), Arc::clone(rule)).level(level).seed(7);
    builder.backend(backend).threads(2).build().unwrap_or_else(|error| panic!("{error}"))
}

/// Digests and observables, from the beginning on.
fn sights(fractal: &Arc<Fractal>, rule: &Arc<Rule>, backend: Backend) -> Vec<String> {
    sights_of(simulation(fractal, 1, rule, backend))
}

fn sights_of(mut simulation: Simulation) -> Vec<String> {
    let mut look = |steps: u64| {
        simulation.step(steps).unwrap();
        format!("{:?} {:?}", simulation.digests().unwrap(), simulation.observe().unwrap())
    };
    // Whole passes of several steps, and what is left of them.
    [0, 1, 5].map(&mut look).to_vec()
}

/// In one of three ways by turns: rows, the cells alone, and rows of which nothing is watched, so that several steps are computed in one pass.
#[test]
fn every_rule_agrees_with_the_oracle_on_every_mask() {
    let rules: Vec<_> = squeeze_tests::rules().iter().map(|name| resolve::rule(name).unwrap()).collect();
    let (mut agreed, mut in_bands) = ([0; 3], [0; 2]);
    for (turn, mask) in masks().into_iter().enumerate() {
        let domain = Domain::new(Arc::clone(&mask), 1).unwrap();
        for (number, rule) in rules.iter().enumerate().filter(|(_, rule)| domain.admits(rule).is_ok()) {
            // By day each mask meets every fourth rule.
            if !is_chosen(turn + number + number / 3, 4) {
                continue;
            }
            let builder = Simulation::builder(Arc::clone(&mask), Arc::clone(rule)).level(1).seed(7);
            let builder = builder.backend(Backend::Cpu).threads(2);
            let way = (turn + number) % 3;
            let simulation = match way {
                0 => builder,
                1 => builder.packed(true),
                _ => builder.activity(false).hardware(without_caches()),
            };
            let simulation = simulation.build().unwrap();
            assert_eq!(simulation.strategy(), if way == 1 { "packed" } else { "lanes" });
            if way == 2 && simulation.steps_of_pass() > 1 {
                in_bands[usize::from(rule.steps.len() > 1)] += 1;
            }
            let wanted = sights(&mask, rule, Backend::Reference);
            assert_eq!(sights_of(simulation), wanted, "{} on {}, way {way}", rule.name, mask.name);
            agreed[way] += 1;
        }
    }
    assert!(agreed.iter().all(|agreed| *agreed > 48), "{agreed:?} runs");
    assert!(in_bands[0] > 28 && in_bands[1] > 2, "{in_bands:?} in bands");
}

/// Width, height and depth wherever a rule may ask for them, against numbers written by hand.
#[test]
fn boxes_and_rectangles_know_their_sides() {
    let text = "
        domain wide { size (60, 40) }
        domain tall { size (40, 60)  cells x != 7 }
        domain ring { size (5, 9)  periodic y }
        domain block { size (6, 7, 40)  periodic }
        fractal bridge { scale (3, 2)  pattern { \"###\" \"#.#\" } }
        fractal line { dimension 1  scale 3  pattern { \"##.\" } }
        rule sides {
            param factor: i32 = 3
            state first: i32
            state next_first: i32
            state last: bit
            state seen: i32
            fn volume() -> i32 = width * height * depth
            global whole = sum(first) * 0 + width * height * depth
            init first = width + 1000 * height + 1000000 * depth
            let far = width - x
            step all when x < width && y < height {
                next next_first = first + volume()
                next last = x == width - 1 && y == height - 1
                next seen = i32(whole) + sum(von_neumann, nb.far + height - far - height)
            }
            observe w = width
            observe h = height
            observe d = depth
            observe product = width * height * depth * factor
            observe share = f64(count(last)) / f64(width)
            observe firsts = max(first)
            observe nexts = min(next_first)
            observe far_ones = max(if x == width / 2 { far } else { 0 })
        }";
    let mut sources = Sources::new();
    let root = sources.add("sides", text);
    let library = check(&mut sources, root, &mut NoFiles).unwrap_or_else(|errors| panic!("{errors:?}"));
    for (name, level, [width, height, depth]) in [
        ("wide", 1, [60i64, 40, 1]),
        ("tall", 1, [40, 60, 1]),
        ("ring", 1, [5, 9, 1]),
        ("block", 1, [6, 7, 40]),
        ("bridge", 3, [27, 8, 1]),
        ("line", 3, [27, 1, 1]),
    ] {
        let domain = library.fractal(Some(name)).expect("it is there");
        for backend in [Backend::Reference, Backend::Cpu] {
            let mut simulation = simulation(domain, level, &library.rules[0], backend);
            simulation.step(1).unwrap();
            let observed = simulation.observe().unwrap();
            let number = |name: &str| match &observed.iter().find(|(known, _)| *known == name).unwrap().1 {
                ObservedValue::Integer(value) => *value as f64,
                ObservedValue::Float(value) => *value,
                ObservedValue::List(_) => panic!("{name} is a list"),
            };
            let (volume, first) = (width * height * depth, width + 1000 * height + 1_000_000 * depth);
            let wanted = [("w", width), ("h", height), ("d", depth), ("product", 3 * volume), ("firsts", first)];
            for (name, wanted) in wanted.into_iter().chain([("nexts", first + volume)]) {
                assert_eq!(number(name), wanted as f64, "{name} of {}", domain.name);
            }
            if domain.extent.is_some() {
                assert_eq!(number("share"), depth as f64 / width as f64, "{}", domain.name);
                assert_eq!(number("far_ones"), (width - width / 2) as f64, "{}", domain.name);
            }
            let seen = simulation.value_at("seen", [1, 0, 0]).unwrap();
            let next_to_it = |x: u64| simulation.value_at("seen", [x, 0, 0]).unwrap().is_some();
            // Neighbours along x cancel where both are there.
            if let (true, true, Some(Value::I32(seen))) = (next_to_it(0), next_to_it(2), seen) {
                assert_eq!(i64::from(seen), volume, "{}", domain.name);
            }
        }
        let look = |backend| sights_of(self::simulation(domain, level, &library.rules[0], backend));
        assert_eq!(look(Backend::Cpu), look(Backend::Reference), "{}", domain.name);
    }
}

/// Rows that are several long columns, whole or with holes, open or not; bands of rows for two threads, and around a seam.
#[test]
fn long_columns_and_several_steps_agree_with_the_oracle() {
    let text = "
        domain open { size (16384, 9) }
        domain torus { size (16384, 9)  periodic }
        domain ragged { size (16461, 5)  periodic x }
        domain holes { size (16384, 9)  cells random(0.7)  periodic }
        domain thin { size (9000, 9)  cells x % 3000 < 40 || y == 4  periodic y }
        domain tall { size (70, 600)  cells random(0.9)  periodic }
        domain low { size (5000, 3)  periodic }
    ";
    let mut sources = Sources::new();
    let root = sources.add("long", text.to_owned());
    let names = ["life", "heat", "gray_scott", "wave", "ising", "greenberg_hastings", "sandpile", "forest_fire"];
    for (turn, mask) in check(&mut sources, root, &mut NoFiles).unwrap().fractals.into_iter().enumerate() {
        // Every other rule, by turns.
        for name in names.into_iter().skip(turn % 2).step_by(2) {
            let rule = resolve::rule(name).unwrap();
            let wanted = sights(&mask, &rule, Backend::Reference);
            for (activity, threads) in [(true, 1), (false, 1), (false, 2)] {
                let builder = Simulation::builder(Arc::clone(&mask), Arc::clone(&rule)).level(1).seed(7);
                let builder = builder.backend(Backend::Cpu).threads(threads).activity(activity);
                let rows = builder.hardware(without_caches()).build().unwrap();
                let told = || format!("{name} on {}, activity {activity}, {threads} threads", mask.name);
                assert_eq!(sights_of(rows), wanted, "{}", told());
            }
        }
    }
}

/// Without room for rows the cells alone are stored, in the bytes that they take; fields can be read and written there, and a run can begin again.
#[test]
fn cells_alone_are_stored_where_rows_do_not_fit() {
    let (mask, heat) = (mask("sparse"), resolve::rule("heat").unwrap());
    let cells = Domain::new(Arc::clone(&mask), 1).unwrap().cells();
    let places = 130 * 40;
    let build = |limit: u64| {
        let builder = Simulation::builder(Arc::clone(&mask), Arc::clone(&heat)).level(1).backend(Backend::Cpu);
        builder.threads(2).memory_limit(limit).build()
    };
    let mut rows = build(1 << 20).unwrap();
    let limit = 8 * cells + places / 4 + 2000;
    let mut packed = build(limit).unwrap();
    assert_eq!((rows.strategy(), packed.strategy()), ("lanes", "packed"));
    assert!(rows.state_bytes() > limit && packed.state_bytes() == 8 * cells, "{} bytes", packed.state_bytes());
    let too_large = build(8 * cells).err().unwrap().to_string();
    assert!(too_large.contains("`sparse` needs"), "{too_large}");
    let values: Vec<f32> = (0..cells).map(|c| (c as f32).sin()).collect();
    for simulation in [&mut rows, &mut packed] {
        simulation.step(3).unwrap();
        simulation.set_field("u", 0, &values).unwrap();
        simulation.step(7).unwrap();
    }
    assert_eq!(packed.digests().unwrap(), rows.digests().unwrap());
    assert_eq!(packed.field::<f32>("u").unwrap(), rows.field::<f32>("u").unwrap());
}

/// Rules that do not draw, on a carpet and on the mask that has the same places.
#[test]
fn a_fractal_drawn_as_a_mask_has_the_fractals_fields() {
    let (carpet, fractal) = (mask("carpet"), resolve::fractal("sierpinski_carpet").unwrap());
    let (places, domain) =
        (Domain::new(Arc::clone(&carpet), 1).unwrap(), Domain::new(Arc::clone(&fractal), 4).unwrap());
    assert_eq!((places.cells(), places.extent()), (domain.cells(), domain.extent()));
    let heat = resolve::rule("heat").unwrap();
    let run = |fractal: &Arc<Fractal>, level: u32| {
        let mut simulation = simulation(fractal, level, &heat, Backend::Cpu);
        simulation.step(60).unwrap();
        simulation.field::<f32>("u").unwrap()
    };
    let (of_mask, of_fractal) = (run(&carpet, 1), run(&fractal, 4));
    for c in 0..domain.cells() {
        let cell_index = places.nu(domain.lambda(c)).expect("it is a cell of both");
        assert_eq!(of_mask[cell_index as usize].to_bits(), of_fractal[c as usize].to_bits(), "cell {c}");
    }
    assert!(of_mask.iter().filter(|u| **u > 0.0).count() > 1000, "the heat has spread");
}

/// Behind the places of a row and of a column: others would change by which numbers cells draw.
#[test]
fn a_margin_without_cells_changes_nothing() {
    let text = "
        domain bare { size (130, 40)  cells (x * x + 3 * y) % 5 < 3 }
        domain behind { size (250, 61)  cells x < 130 && y < 40 && (x * x + 3 * y) % 5 < 3 }
    ";
    let mut sources = Sources::new();
    let root = sources.add("margins", text.to_owned());
    let domains = check(&mut sources, root, &mut NoFiles).unwrap().fractals;
    let mut compared = 0;
    for rule in squeeze_tests::rules().iter().map(|name| resolve::rule(name).unwrap()) {
        let admitted = domains.iter().all(|fractal| Domain::new(Arc::clone(fractal), 1).unwrap().admits(&rule).is_ok());
        if rule.names_coordinates || !admitted {
            continue;
        }
        let [bare, behind] = [0, 1].map(|which: usize| sights(&domains[which], &rule, Backend::Cpu));
        assert_eq!(bare, behind, "{}", rule.name);
        compared += 1;
    }
    assert!(compared > 5, "{compared} rules name no coordinates");
}

/// Domains, and life with a pulsar, a blinker and the cells of an expression.
fn periods(more: &str) -> (Vec<Arc<Fractal>>, Arc<Rule>) {
    life(&format!(
        "{{
            let a = abs(x - 20)
            let b = abs(y - 20)
            a in 2..=4 && (b == 1 || b == 6) || b in 2..=4 && (a == 1 || a == 6) || y == 5 && x in 40..=42 || {more}
        }}"
    ))
}

/// Domains, and life that begins with the cells of an expression, with a state of several bits that follows it.
fn life(alive: &str) -> (Vec<Arc<Fractal>>, Arc<Rule>) {
    let text = format!(
        "domain tall {{ size (70, 192) }}
        domain torus {{ size (96, 200)  periodic }}
        domain wide {{ size (1100, 60)  periodic y }}
        domain holes {{ size (70, 192)  cells x < 60 || y % 7 != 3 }}
        domain half {{ size (600, 192)  cells x < 70 || x > 590 }}
        rule periods {{
            param born: i32 = 3
            state alive: bit
            state age: enum {{ none, young, middle, old }}
            init alive = {alive}
            let n = count(moore, nb.alive)
            let lives = n == born || n == 2 && alive
            next alive = lives
            next age = if !lives {{ none }} else {{ match age {{ none => young, young => middle, _ => old }} }}
            observe population = sum(if alive {{ 1 }} else {{ 0 }})
        }}"
    );
    let mut sources = Sources::new();
    let root = sources.add("periods", text);
    let program = check(&mut sources, root, &mut NoFiles).unwrap_or_else(|errors| panic!("{errors:?}"));
    (program.fractals.clone(), Arc::clone(&program.rules[0]))
}

/// Oscillators of all periods and gliders between them, while states are written and the run begins again: what rests and what
/// moves agree, in the memory that states take without it.
#[test]
fn what_comes_again_rests_and_agrees_with_the_oracle() {
    // A pentadecathlon, of a period of 15, and a glider.
    let moves = "y == 40 && x in 31..=40 || y == 48 && x == 46 || y == 49 && x == 47 || y == 50 && x in 45..=47";
    let (domains, rule) = periods(moves);
    for domain in &domains {
        let course = |backend: Backend, activity: bool| {
            let builder = Simulation::builder(Arc::clone(domain), Arc::clone(&rule)).level(1).backend(backend);
            let builder = if backend == Backend::Cpu { builder.threads(2).activity(activity) } else { builder };
            let mut simulation = builder.build().unwrap();
            let (mut seen, mut bytes) = (Vec::new(), vec![simulation.state_bytes()]);
            let mut step = |simulation: &mut Simulation, steps: &[u64]| {
                for steps in steps {
                    simulation.step(*steps).unwrap();
                    seen.push(format!("{:?} {:?}", simulation.digests().unwrap(), simulation.observe().unwrap()));
                }
                simulation.state_bytes()
            };
            bytes.push(step(&mut simulation, &[1, 7, 220, 1, 1, 1, 1, 1, 1, 2, 3, 5, 6, 40, 41]));
            let (id, cells) = (squeeze::ir::StateId(0), simulation.domain().cells());
            let mut states = vec![0; squeeze::packed::bytes(simulation.rule().states[0].ty, cells) as usize];
            simulation.read(id, 0..cells, &mut states).unwrap();
            states.reverse();
            simulation.write(id, 0..cells, &states).unwrap();
            bytes.push(step(&mut simulation, &[1, 2, 3, 1, 10, 190, 1, 4]));
            simulation.restart(3, &["born=2"]).unwrap();
            step(&mut simulation, &[1, 2, 30]);
            simulation.restart(3, &[] as &[&str]).unwrap();
            bytes.push(step(&mut simulation, &[1, 220, 1, 2, 7]));
            (seen, bytes)
        };
        // The oracle would take long on larger ones.
        let backend = if domain.name == "tall" { Backend::Reference } else { Backend::Cpu };
        let (wanted, _) = course(backend, false);
        let (found, bytes) = course(Backend::Cpu, true);
        assert_eq!(found, wanted, "{}", domain.name);
        assert!(bytes.iter().all(|kept| *kept == bytes[0]), "{}: {bytes:?}", domain.name);
    }
}

/// Steps at rest, or with a period of two, take no time.
#[test]
fn a_run_at_rest_goes_on_for_any_number_of_steps() {
    let (domains, rule) = life("y == 5 && x in 40..=42 || y in 10..=11 && x in 10..=11");
    let mut simulation = simulation(&domains[0], 1, &rule, Backend::Cpu);
    simulation.step(600).unwrap();
    let wanted: Vec<String> = (0..2)
        .map(|_| {
            simulation.step(1).unwrap();
            format!("{:?}", simulation.digests().unwrap())
        })
        .collect();
    assert_eq!(wanted.iter().collect::<std::collections::BTreeSet<_>>().len(), 2);
    // At step 602 now, as at 600.
    for steps in [3_000_000_000, 1_000_000_001, 0, 1, 5] {
        simulation.step(steps).unwrap();
        let time = u64::from(simulation.time());
        assert_eq!(format!("{:?}", simulation.digests().unwrap()), wanted[((time + 1) % 2) as usize], "{time}");
    }
}

/// Life by Conway's rule with one glider at a place, and a bit that is drawn and stays.
fn glider([x, y]: [u64; 2]) -> Arc<Rule> {
    let text = format!(
        "rule gliding {{
            state alive: bit
            state drawn: bit
            init alive = y == {y} && x == {x} + 1 || y == {y} + 1 && x == {x} + 2 || y == {y} + 2 && x >= {x} && x <= {x} + 2
            init drawn = random(0.3)
            let n = count(moore, nb.alive)
            next alive = n == 3 || n == 2 && alive
            next drawn = drawn
        }}"
    );
    let mut sources = Sources::new();
    let root = sources.add("gliding", text);
    check(&mut sources, root, &mut NoFiles).unwrap().rules[0].clone()
}

/// Boxes, a torus and a mask of more than 2^32 cells: a glider that crosses the cell of number 2^32, or the seam, is where it is in a small box, and drawn
/// bits are those of the cells' numbers.
#[test]
#[ignore = "takes 3 GB and a minute: cargo test --release -p squeeze-tests --test masks beyond -- --ignored"]
fn cells_beyond_32_bits_are_computed() {
    let text = "
        domain small { size (64, 64) }
        domain sheet { size (65536, 65600) }
        domain torus { size (65536, 65600)  periodic }
        domain lines { size (65536, 66000)  cells y % 4000 != 77 }
    ";
    let mut sources = Sources::new();
    let root = sources.add("large", text.to_owned());
    let domains = check(&mut sources, root, &mut NoFiles).unwrap().fractals;
    for (number, corner, packed) in
        [(1, [505, 65_530], false), (2, [65_530, 65_595], true), (3, [1020, 65_550], false), (3, [1020, 65_550], true)]
    {
        // Columns at rest are left out where columns are stored.
        let steps = if packed { 4 } else { 40 };
        let mut small = simulation(&domains[0], 1, &glider([5, 5]), Backend::Cpu);
        small.step(steps).unwrap();
        let (domain, rule) = (&domains[number], glider(corner));
        let builder = Simulation::builder(Arc::clone(domain), rule).level(1).seed(7).backend(Backend::Cpu);
        let mut large = builder.threads(2).packed(packed).build().unwrap();
        large.step(steps).unwrap();
        let extent = large.domain().extent();
        let at = |by: [u64; 2]| [(corner[0] + by[0]) % extent[0], (corner[1] + by[1]) % extent[1], 0];
        let mut alive = 0;
        for (y, x) in (0..16).flat_map(|y| (0..16).map(move |x| (y, x))) {
            let wanted = small.value_at("alive", [5 + x, 5 + y, 0]).unwrap();
            assert_eq!(large.value_at("alive", at([x, y])).unwrap(), wanted, "{} {corner:?}: {x} {y}", domain.name);
            alive += u32::from(wanted == Some(Value::Bit(true)));
        }
        assert_eq!(alive, 5);
        for c in [0, (1 << 32) - 1, 1 << 32, (1 << 32) + 12_345_678 % 4_000_000, large.domain().cells() - 1] {
            let [x, y, _] = large.domain().lambda(c);
            let wanted =
                philox::draw(7, large.domain().draw_number(c), 0, 0) < (0.3 * f64::from(1u32 << 31) * 2.0) as u32;
            assert_eq!(large.value_at("drawn", [x, y, 0]).unwrap(), Some(Value::Bit(wanted)), "{}: {c}", domain.name);
        }
    }
}

/// A domain's cells follow from its parameters and the disorder seed, and a run's record of them gives them again.
#[test]
fn cells_have_parameters_and_a_seed_of_disorder() {
    let folder = tempfile::tempdir().unwrap();
    let text = "domain rock { param p: f32 = 0.6  param shift: i32 = 2  size (64, 40)  cells random(p) from disorder && (x + shift) % 5 > 0 }
domain again { size (64, 40)  cells random(0.25) && (x - 1) % 5 > 0  seed 9 }
domain same { size (64, 40)  cells random(0.6) && (x + 2) % 5 > 0  seed 0 }";
    let path = folder.path().join("rock.fractal");
    std::fs::write(&path, text).unwrap();
    let of = |name: &str, params: &[&str], disorder: u64| {
        let cells = CellSettings { params: params.iter().map(|set| (*set).to_owned()).collect(), disorder };
        let spec = format!("{}#{name}", path.display());
        resolve::domain_with_cells(&spec, &resolve::Edges::default(), &cells)
    };
    let places =
        |name: &str, params: &[&str], disorder: u64| of(name, params, disorder).unwrap().0.patterns[0].places.clone();
    assert_eq!(places("rock", &[], 0), places("same", &[], 5));
    assert_eq!(places("rock", &["rock.p=0.9", "rock.p = 0.25", "rock.shift=-1"], 9), places("again", &[], 0));
    assert_ne!(places("rock", &[], 1), places("rock", &[], 2));
    let (rock, texts) = of("rock", &["rock.p=0.25", "rock.shift=-1"], 9).unwrap();
    assert_eq!(rock.patterns[0].places, places("again", &[], 0));
    drop(folder);
    assert_eq!(*texts.fractal().unwrap(), *rock);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rock.fractal");
    std::fs::write(&path, text).unwrap();
    for (set, words) in [
        ("rock.q=1", "there is no parameter `rock.q` of a domain"),
        ("again.p=1", "there is no parameter `again.p` of a domain"),
        ("rock.p=abc", "`rock.p` cannot be set to `abc`"),
        ("rock.shift=1.5", "`rock.shift` cannot be set to `1.5`"),
    ] {
        let cells = CellSettings { params: vec![set.to_owned()], disorder: 0 };
        let spec = format!("{}#rock", path.display());
        let error = resolve::domain_with_cells(&spec, &resolve::Edges::default(), &cells).unwrap_err().to_string();
        assert!(error.contains(words), "{set}: {error}");
    }
}
