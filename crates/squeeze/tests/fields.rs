//! Fields, windows and sums of blocks, of every storage, against what is read value by value and against the oracle's states.

use squeeze::{Backend, Dimension, Element, Sample, Simulation, StateId, StateView, Type, Value, Window, resolve};

/// A state of each type.
const RULE: &str = "
rule types {
    state up: bit
    state kind: enum { a, b, c, d, e }
    state n: u8
    state h: u16
    state k: i32
    state w: u32
    state l: i64
    state u: f32
    state v: f64
    init up = random(0.3)
    init kind = if random(0.3) { e } else if random(0.4) { c } else { a }
    init n = u8(below(256))
    init h = u16(below(65536))
    init k = i32(bits())
    init w = bits()
    init l = i64(bits()) * i64(bits())
    init u = uniform(-1.0, 1.0)
    init v = f64(normal())
    next up = count(von_neumann, nb.up) == 1
    next u = u * 0.5 + 0.1 * sum(von_neumann, nb.u)
}";

/// Masks and boxes. The shipped fractals beside them have one to three dimensions; one is mixed.
const DOMAINS: &str = "
domain torus { size (75, 13)  periodic }
domain wide { size (700, 9) }
domain porous { size (130, 40)  cells random(0.6)  periodic x }
domain sparse { size (513, 14)  cells random(0.05) }
domain half { size (420, 9)  cells x > 99 && x < 333 || random(0.5) }
domain solid { size (35, 14, 15)  cells random(0.8) }
";

fn simulations() -> Vec<(String, Simulation, Simulation)> {
    let (rule, _) = resolve::rule_of_text("types", RULE, None).unwrap();
    let mut all = Vec::new();
    let mut add = |name: &str, fractal, level: u32, packed: bool| {
        let builder = |backend| {
            let builder = Simulation::builder(std::sync::Arc::clone(&fractal), rule.clone()).level(level).seed(5);
            let mut simulation = builder.backend(backend).packed(packed).threads(2).build().unwrap();
            simulation.step(3).unwrap();
            simulation
        };
        all.push((format!("{name} {level}, packed {packed}"), builder(Backend::Cpu), builder(Backend::Reference)));
    };
    let shipped = [
        ("sierpinski_triangle", 7),
        ("full_square", 5),
        ("sierpinski_carpet", 4),
        ("vicsek", 4),
        ("cantor_line", 9),
        ("menger_sponge", 2),
        ("random_carpet", 3),
    ];
    for (name, level) in shipped {
        add(name, resolve::fractal(name).unwrap(), level, false);
    }
    for name in ["torus", "wide", "porous", "sparse", "half", "solid"] {
        let text = DOMAINS.lines().find(|line| line.starts_with(&format!("domain {name}"))).unwrap();
        for packed in [false, true] {
            add(name, resolve::fractal_of_text(name, text, None, &resolve::Edges::default()).unwrap().0, 1, packed);
        }
    }
    all
}

/// A number that is hard to guess.
fn mix(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *seed >> 33
}

fn check_window<T: Element + PartialEq + std::fmt::Debug>(view: StateView<'_>, all: &[T], window: &Window, name: &str) {
    let values = view.window::<T>(window).unwrap();
    let [width, height, depth] = window.size;
    assert_eq!(values.values.len() as u64, width * height * depth);
    for (i, value) in (0..).zip(&values.values) {
        let at = [i % width, i / width % height, i / width / height];
        let place = [0, 1, 2].map(|axis| window.origin[axis].checked_add(at[axis]));
        let cell = place.into_iter().collect::<Option<Vec<u64>>>().and_then(|p| view.domain().nu([p[0], p[1], p[2]]));
        assert_eq!(
            value.map(|v| format!("{v:?}")),
            cell.map(|c| format!("{:?}", all[c as usize])),
            "{name}, {at:?} of {window:?}"
        );
        assert_eq!(values.get(at.map(|v| v as usize)), *value);
    }
}

fn check<T: Element + PartialEq + std::fmt::Debug>(name: &str, both: [&Simulation; 2], state: StateId, seed: &mut u64) {
    let views = both.map(|simulation| StateView::numbered(simulation, state).unwrap());
    let cells = both[0].domain().cells();
    let label = &both[0].rule().state(state).name;
    let name = format!("`{label}` of {name}");
    let [all, wanted] = both.map(|simulation| simulation.field::<T>(label).unwrap());
    assert_eq!(format!("{all:?}"), format!("{wanted:?}"), "{name}");
    for _ in 0..6 {
        let (a, b) = (mix(seed) % (cells + 1), mix(seed) % (cells + 1));
        let part = a.min(b)..a.max(b);
        let values = views[0].values::<T>(part.clone()).unwrap();
        assert_eq!(
            format!("{values:?}"),
            format!("{:?}", &all[part.start as usize..part.end as usize]),
            "{name}, {part:?}"
        );
    }
    let extent = both[0].domain().extent();
    let axes = if both[0].domain().dimension() == Dimension::Three { 3 } else { 2 };
    for number in 0..6 {
        let mut window = Window { origin: [0; 3], size: [1; 3] };
        for (axis, side) in extent.into_iter().enumerate().take(axes) {
            let most = [side, 9][usize::from(axes == 3)];
            window.origin[axis] = mix(seed) % (side + 2);
            window.size[axis] = mix(seed) % (most.min(90) + 3);
        }
        match number {
            0 => window.origin[0] = u64::MAX - 3,
            1 => window = Window { origin: [0; 3], size: extent.map(|side| side.min(300)) },
            _ => {}
        }
        check_window(views[0], &all, &window, &name);
    }
}

#[test]
fn fields_and_windows_of_every_storage_are_the_values_of_their_cells() {
    let mut seed = 1;
    for (name, cpu, oracle) in &simulations() {
        assert_eq!(cpu.digests().unwrap(), oracle.digests().unwrap(), "{name}");
        for number in 0..9 {
            let state = StateId(number);
            let both = [cpu, oracle];
            match StateView::numbered(cpu, state).unwrap().ty() {
                Type::Bit => check::<bool>(name, both, state, &mut seed),
                Type::U8 | Type::Enum(_) => check::<u8>(name, both, state, &mut seed),
                Type::U16 => check::<u16>(name, both, state, &mut seed),
                Type::I32 => check::<i32>(name, both, state, &mut seed),
                Type::U32 => check::<u32>(name, both, state, &mut seed),
                Type::I64 => check::<i64>(name, both, state, &mut seed),
                Type::F32 => check::<f32>(name, both, state, &mut seed),
                Type::F64 => check::<f64>(name, both, state, &mut seed),
            }
        }
    }
}

/// The sum of a block as it is defined, without a table of any kind.
fn sum(simulation: &Simulation, state: &str, level: u32, block: u64) -> f64 {
    let domain = simulation.domain();
    if level == 0 {
        return simulation.value(state, block).unwrap().as_f64();
    }
    let cells = domain.cells();
    if domain.levels().is_none() {
        let stretch = |first: u64| {
            let cells = first..(first + 4096).min(cells);
            cells.fold(0.0, |sum, c| sum + simulation.value(state, c).unwrap().as_f64())
        };
        return (0..cells).step_by(4096).fold(0.0, |sum, first| sum + stretch(first));
    }
    let k = domain.replicas().nth(level as usize - 1).unwrap();
    (block * k..(block + 1) * k).fold(0.0, |total, below| total + sum(simulation, state, level - 1, below))
}

#[test]
fn sums_of_blocks_have_the_same_bits_everywhere() {
    let table = [[0.1, 2.0, -1.5], [0.7, 0.3, 1e-3], [3.0, 0.2, 0.0], [0.9, 0.9, 0.9], [0.05, 7.0, 1.0]];
    let mut seed = 2;
    for (name, cpu, oracle) in &simulations() {
        let domain = cpu.domain();
        let ks: Vec<u64> = domain.replicas().collect();
        for (number, state) in (0..).zip(&cpu.rule().states) {
            let views = [cpu, oracle].map(|simulation| StateView::numbered(simulation, StateId(number)).unwrap());
            for level in 0..=domain.level() {
                let of_block: u64 = ks[..level as usize].iter().product();
                let blocks = domain.cells() / of_block;
                let (a, b) = (mix(&mut seed) % (blocks + 1), mix(&mut seed) % (blocks + 1));
                for range in [0..blocks, a.min(b)..a.max(b)] {
                    let [here, there] = views.map(|view| view.block_sums(level, range.clone(), Sample::Value).unwrap());
                    assert_eq!(here.len() as u64, range.end - range.start);
                    let bits = |sums: &[[f64; 3]]| sums.iter().map(|sum| sum.map(f64::to_bits)).collect::<Vec<_>>();
                    assert_eq!(bits(&here), bits(&there), "`{}` of {name}, level {level}, {range:?}", state.name);
                    for block in range.clone().step_by(1 + blocks as usize / 2) {
                        let wanted = sum(oracle, &state.name, level, block);
                        let found = here[(block - range.start) as usize][0];
                        assert_eq!(
                            found.to_bits(),
                            wanted.to_bits(),
                            "`{}` of {name}, block {block} of {level}",
                            state.name
                        );
                    }
                    if !matches!(state.ty, Type::Bit | Type::Enum(_)) {
                        continue;
                    }
                    let [here, there] =
                        views.map(|view| view.block_sums(level, range.clone(), Sample::Table(&table)).unwrap());
                    assert_eq!(
                        bits(&here),
                        bits(&there),
                        "colours of `{}` of {name}, level {level}, {range:?}",
                        state.name
                    );
                    for block in range.clone().step_by(1 + blocks as usize / 2) {
                        let mut counts = [0.0; 5];
                        for c in block * of_block..(block + 1) * of_block {
                            let value = oracle.value(&state.name, c).unwrap().as_f64();
                            counts[value as usize] += 1.0;
                        }
                        let wanted: [f64; 3] =
                            std::array::from_fn(|i| (0..5).fold(0.0, |sum, v| sum + counts[v] * table[v][i]));
                        assert_eq!(here[(block - range.start) as usize], wanted, "`{}` of {name}", state.name);
                    }
                }
            }
        }
    }
}

#[test]
fn tiles_are_the_sums_of_their_replicas() {
    for (name, cpu, _) in &simulations() {
        let (view, domain) = (StateView::named(cpu, "u").unwrap(), cpu.domain());
        let bits = |sums: &[[f64; 3]]| sums.iter().map(|sum| sum[0].to_bits()).collect::<Vec<_>>();
        if domain.levels().is_none() {
            let [_, height, depth] = domain.extent();
            let last = (height * depth).div_ceil(4) - 1;
            let all = view.block_sums(0, 0..domain.cells(), Sample::Value).unwrap();
            let rows: Vec<u64> = (0..=last).collect();
            assert_eq!(bits(&view.tiles(0, 2, &rows, Sample::Value).unwrap()), bits(&all), "{name}");
            let row = |c: u64| {
                let [_, y, z] = domain.lambda(c);
                (z * height + y) / 4
            };
            let wanted: Vec<[f64; 3]> = [last, 1]
                .iter()
                .flat_map(|tile| {
                    (0..domain.cells()).filter(|c| row(*c) == *tile).map(|c| all[c as usize]).collect::<Vec<_>>()
                })
                .collect();
            assert_eq!(bits(&view.tiles(0, 2, &[last, 1], Sample::Value).unwrap()), bits(&wanted), "{name}");
            assert!(view.tiles(1, 2, &[0], Sample::Value).is_err());
            continue;
        }
        let ks: Vec<u64> = domain.replicas().collect();
        let mu = u32::from(ks.len() > 2);
        let of_block = ks[..mu as usize].iter().product::<u64>();
        let of_tile = of_block * ks[mu as usize];
        let all = view.block_sums(mu, 0..domain.cells() / of_block, Sample::Value).unwrap();
        let tile =
            |number: u64| &all[(number * of_tile / of_block) as usize..((number + 1) * of_tile / of_block) as usize];
        let wanted = [tile(2), tile(0), tile(1)].concat();
        assert_eq!(bits(&view.tiles(mu, mu + 1, &[2, 0, 1], Sample::Value).unwrap()), bits(&wanted), "{name}");
        assert!(view.tiles(2, 1, &[0], Sample::Value).is_err() && view.tiles(0, 99, &[0], Sample::Value).is_err());
        assert!(view.tiles(0, 1, &[u64::MAX], Sample::Value).is_err(), "{name}");
    }
}

#[test]
fn wrong_questions_are_refused() {
    let (_, cpu, oracle) = simulations().swap_remove(0);
    let view = StateView::named(&cpu, "u").unwrap();
    let cells = cpu.domain().cells();
    assert!(view.values::<bool>(0..1).unwrap_err().to_string().contains("is of type f32"));
    assert!(view.values::<f32>(0..cells + 1).unwrap_err().to_string().contains("cells, counted from 0"));
    assert!(view.block_sums(1, 0..cells, Sample::Value).is_err() && view.block_sums(99, 0..1, Sample::Value).is_err());
    assert!(StateView::named(&cpu, "w u").err().unwrap().to_string().contains("no state"));
    assert!(StateView::numbered(&cpu, StateId(9)).is_err());
    let huge = Window { origin: [0; 3], size: [u64::MAX; 3] };
    assert!(view.window::<f32>(&huge).unwrap_err().to_string().contains("do not fit in memory"));
    assert_eq!(view.window::<f32>(&Window { origin: [3; 3], size: [0, 4, 1] }).unwrap().values, []);
    assert_eq!(cpu.value_at("up", [u64::MAX, 0, 0]).unwrap().map(Value::bits), None);
    let table = [[0.5; 3], [1.5; 3], [2.5; 3], [3.5; 3], [4.5; 3], [f64::INFINITY; 3]];
    for simulation in [&cpu, &oracle] {
        for (state, wanted) in [("up", 2), ("kind", 5)] {
            let view = StateView::named(simulation, state).unwrap();
            let sums = |level: u32, length: usize| view.block_sums(level, 0..1, Sample::Table(&table[..length]));
            for (level, length) in [0, 7].into_iter().flat_map(|level| (0..wanted).map(move |length| (level, length))) {
                let message = sums(level, length).unwrap_err().to_string();
                assert!(message.contains(&format!("{wanted} are wanted")), "{message}");
                assert!(message.contains(&format!("{length} entries")), "{message}");
            }
            assert_eq!(sums(7, wanted).unwrap(), sums(7, 6).unwrap(), "what no value has is not counted");
            assert!(view.tiles(0, 1, &[0], Sample::Table(&[])).is_err());
        }
        let message = StateView::named(simulation, "n").unwrap().block_sums(0, 0..1, Sample::Table(&table));
        let message = message.unwrap_err().to_string();
        assert!(message.contains("`n` of type u8: only bits and enums have one"), "{message}");
    }
}
