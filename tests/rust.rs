//! The programs of `squeeze emit --target rust`: what is made for some against texts in `rust/`, and all of these compiled by rustc alone and run
//! beside the oracle. Tests run in their package's folder.

use squeeze::{Backend, Domain, ObservedValue, Simulation, cpu, resolve};
use squeeze_tests::golden::{self, Golden, SHARED_RUST};
use std::path::Path;
use std::process::Command;

/// Three dimensions and enums; mixed fractals; every operation and tables of every type.
const MORE: [(&str, &str, u32); 4] = [
    ("tetrix", "life_3d", 5),
    ("lace", "greenberg_hastings", 4),
    ("filigree", "gpu/operations.rule", 3),
    ("filigree", "gpu/tables.rule", 3),
];

fn text(fractal: &str, rule: &str, level: u32) -> String {
    let (fractal, rule) = (resolve::fractal(fractal).unwrap(), resolve::rule(rule).unwrap());
    cpu::program(&Domain::new(fractal, level).unwrap().fit(&rule).unwrap()).unwrap()
}

#[test]
fn the_code_is_as_it_was() {
    golden::check("rust", &Golden::rust());
    let goldens = Golden::rust();
    let shared = |(fractal, rule, level)| {
        let printed = text(fractal, rule, level);
        assert_eq!(printed, text(fractal, rule, level), "the same twice");
        printed.split_once(SHARED_RUST).expect("every program has both parts").1.to_owned()
    };
    let parts_in_common: Vec<String> = goldens.iter().map(Golden::parts).map(shared).collect();
    assert!(parts_in_common.windows(2).all(|pair| pair[0] == pair[1]), "what surrounds the kernels is the same");
}

/// Runs a command and gives its standard output, and its standard error if it fails.
fn run(command: &mut Command) -> Result<String, String> {
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    if output.status.success() { Ok(text(output.stdout)) } else { Err(text(output.stderr)) }
}

/// The lines that a program prints of a simulation: digests, and the observables but `left_out`.
fn printed(simulation: &Simulation, left_out: &[&str]) -> Vec<String> {
    fn number(value: &ObservedValue) -> String {
        match value {
            ObservedValue::Integer(value) => value.to_string(),
            ObservedValue::Float(value) => format!("{value:?}"),
            ObservedValue::List(list) => format!("[{}]", list.iter().map(number).collect::<Vec<_>>().join(", ")),
        }
    }
    let observed = simulation.observe().unwrap();
    let observed = observed.iter().filter(|(name, _)| !left_out.contains(name));
    let observed = observed.map(|(name, value)| format!("{name} = {}", number(value)));
    simulation.digests().unwrap().iter().map(|(name, v)| format!("{name} {v:016x}")).chain(observed).collect()
}

#[test]
fn programs_compile_alone_and_agree_with_the_oracle() {
    let folder = tempfile::tempdir().unwrap();
    let goldens = Golden::rust();
    for (fractal, rule, level) in goldens.iter().map(Golden::parts).chain(MORE) {
        let name = Path::new(rule).file_stem().unwrap().to_str().unwrap();
        let (source, program) = (folder.path().join(format!("{name}.rs")), folder.path().join(name));
        std::fs::write(&source, text(fractal, rule, level)).unwrap();
        let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or("rustc".into()));
        rustc.args(["-O", "--edition", "2024", "--deny", "warnings", "-o"]).arg(&program).arg(&source);
        run(&mut rustc).unwrap_or_else(|error| panic!("{fractal} {rule}: {error}"));
        let (fractal, rule) = (resolve::fractal(fractal).unwrap(), resolve::rule(rule).unwrap());
        for (steps, seed) in [(0, 1), (7, 5)] {
            let builder = Simulation::builder(fractal.clone(), rule.clone()).level(level).seed(seed);
            let mut oracle = builder.backend(Backend::Reference).build().unwrap();
            oracle.step(steps).unwrap();
            let found = run(Command::new(&program).args([steps.to_string(), seed.to_string()])).unwrap();
            let wanted = printed(&oracle, &[]);
            assert_eq!(found.lines().collect::<Vec<_>>(), wanted, "{} on {}, {steps} steps", rule.name, fractal.name);
        }
    }
    // Periodic edges, where coordinates go around too.
    let torus = folder.path().join("torus.fractal");
    std::fs::write(&torus, "domain tube { fractal sierpinski_carpet  periodic y }\n").unwrap();
    let torus = torus.to_str().unwrap();
    for rule in ["ising", "heat"] {
        let (source, program) = (folder.path().join("torus.rs"), folder.path().join("torus"));
        std::fs::write(&source, text(torus, rule, 3)).unwrap();
        let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or("rustc".into()));
        rustc.args(["-O", "--edition", "2024", "--deny", "warnings", "-o"]).arg(&program).arg(&source);
        run(&mut rustc).unwrap();
        let builder = Simulation::builder(resolve::fractal(torus).unwrap(), resolve::rule(rule).unwrap());
        let mut oracle = builder.level(3).seed(5).backend(Backend::Reference).build().unwrap();
        oracle.step(7).unwrap();
        let found = run(Command::new(&program).args(["7", "5"])).unwrap();
        assert_eq!(found.lines().collect::<Vec<_>>(), printed(&oracle, &[]), "{rule}");
    }
    // Parameters, and arguments that are none.
    let heat = |arguments: &[&str]| run(Command::new(folder.path().join("heat")).args(arguments));
    let (fractal, rule) = (resolve::fractal("vicsek").unwrap(), resolve::rule("heat").unwrap());
    let builder = Simulation::builder(fractal, rule).level(4).set("alpha=0.2").backend(Backend::Reference);
    let mut oracle = builder.build().unwrap();
    oracle.step(3).unwrap();
    assert_eq!(heat(&["3", "alpha=0.2"]).unwrap().lines().collect::<Vec<_>>(), printed(&oracle, &[]));
    for wrong in ["alpha=x", "alpha=0.3", "alpha=nan", "alpha=-1e-9", "beta=1", "-1", "x"] {
        assert!(heat(&[wrong]).unwrap_err().contains(wrong), "{wrong}");
    }
    let help = heat(&["--help"]).unwrap();
    assert!(
        help.starts_with("Usage: STEPS [SEED] [NAME=VALUE]...")
            && help.contains("  alpha: f32; valid are 0.0 to 0.25\n"),
        "{help}"
    );
    // A bit is said as `--set` takes it.
    let gate = folder.path().join("gate.rule");
    let rule =
        "rule gate { param open: bit = false  state a: bit  init a = random(0.5)  next a = if open { !a } else { a } }";
    std::fs::write(&gate, rule).unwrap();
    let (source, program) = (folder.path().join("gate.rs"), folder.path().join("gate"));
    std::fs::write(&source, text("vicsek", gate.to_str().unwrap(), 2)).unwrap();
    let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or("rustc".into()));
    run(rustc.args(["--edition", "2024", "-o"]).arg(&program).arg(&source)).unwrap();
    let with = |value: &str| run(Command::new(&program).args(["1", "3", &format!("open={value}")]));
    assert_eq!((with("0").unwrap(), with("1").unwrap()), (with("false").unwrap(), with("true").unwrap()));
    assert!(with("0").unwrap() != with("1").unwrap() && with("2").unwrap_err().contains("open=2"));
}

/// Every kind of number about all cells, some of which programs leave out.
const NUMBERS: &str = "rule numbers {
    param share: f32 = 0.3
    param most: i32 = -7
    state u: f32
    state n: u8
    state up: bit
    state kind: enum { low, high }
    init u = uniform(-1.0, 1.0)
    init n = u8(below(200))
    init up = random(0.5)
    next u = u + 0.1 * sum(von_neumann, nb.u - u)
    next up = count(moore, nb.up) > 3
    next kind = if up { high } else { low }
    observe total = sum(f64(u) * 1.1)
    observe mean_u = mean(u)
    observe root = sqrt(mean(u * u)) + f64(share)
    observe least = min(u)
    observe greatest = max(i32(n) - 100)
    observe least_n = min(n)
    observe ups = sum(up)
    observe signs = sum(if up { 1 } else { -1 })
    observe edges = sum(count(von_neumann, nb.up != up))
    observe highs = count(kind == high) * most
    observe bins = histogram(u, -1.0, 1.0, 4)
    observe both = [f64(signs), mean_u / 0.0]
    observe whole = i64(total) / (ups - ups) + abs(signs) % 3 + i64(step) * cells + side
    observe chosen = if ups > 10 && least < 0.0 { min(total, -2.5) } else { max(least, floor(total)) }
    observe spread = variance(u)
    observe twice = 2.0 * spread
    observe middle = median(u)
    observe parts = sum(u) by level 2
    observe power = exp(mean_u)
}";

#[test]
fn programs_print_observables_and_say_which_they_do_not() {
    let folder = tempfile::tempdir().unwrap();
    let [file, source, program] = ["numbers.rule", "numbers.rs", "numbers"].map(|name| folder.path().join(name));
    std::fs::write(&file, NUMBERS).unwrap();
    let left_out = ["spread", "twice", "middle", "parts", "power"];
    for (fractal, level) in [("vicsek", 4), ("lace", 3), ("tetrix", 2)] {
        std::fs::write(&source, text(fractal, file.to_str().unwrap(), level)).unwrap();
        let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or("rustc".into()));
        run(rustc.args(["--edition", "2024", "--deny", "warnings", "-o"]).arg(&program).arg(&source)).unwrap();
        let rule = resolve::rule(file.to_str().unwrap()).unwrap();
        let builder = Simulation::builder(resolve::fractal(fractal).unwrap(), rule).level(level).seed(9);
        let mut oracle = builder.set("most=11").backend(Backend::Reference).build().unwrap();
        oracle.step(3).unwrap();
        let found = run(Command::new(&program).args(["3", "9", "most=11"])).unwrap();
        assert_eq!(found.lines().collect::<Vec<_>>(), printed(&oracle, &left_out), "{fractal}");
        let help = run(Command::new(&program).arg("--help")).unwrap();
        assert!(help.contains("does: spread, twice, middle, parts, power."), "{help}");
    }
}
