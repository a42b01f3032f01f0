//! The CUDA C that is printed, run with no GPU and compared with the oracle: `shim/` holds a driver and an NVRTC of the host, which
//! take the place of NVIDIA's. They are built with the system's C++ compiler; then this program starts itself again, with these
//! libraries before all others, and runs the tests of [`on_the_shim`].

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Says to the second process that the shim is there.
const MARK: &str = "SQUEEZE_SHIM";
const COMPILER: &str = "c++";

/// The folder of the libraries, built unless they are there. `None` where there is no C++ compiler; under CI it is required.
fn shim() -> Option<PathBuf> {
    let version = Command::new(COMPILER).arg("--version").output().ok().filter(|version| version.status.success());
    let Some(version) = version else {
        assert!(std::env::var("CI").as_deref() != Ok("true"), "under CI a C++ compiler is required");
        println!("SKIPPED: there is no C++ compiler, so no kernel of CUDA C is run");
        return None;
    };
    let sources = squeeze_tests::root().join("tests/shim");
    let mut hasher = DefaultHasher::new();
    (version.stdout, &sources).hash(&mut hasher);
    for path in squeeze_tests::files(&sources, &["cpp", "h"]) {
        std::fs::read(path).unwrap().hash(&mut hasher);
    }
    // What was built and compiled by other sources is of no use.
    let all = squeeze_tests::root().join("target/shim");
    let folder = all.join(format!("{:016x}", hasher.finish()));
    if !folder.exists() {
        _ = std::fs::remove_dir_all(&all);
        let building = all.join(format!("building-{}", std::process::id()));
        std::fs::create_dir_all(&building).unwrap();
        for name in ["cuda", "nvrtc"] {
            let mut compile = Command::new(COMPILER);
            compile.args(["-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared"]);
            compile.arg(format!("-DSHIM_FOLDER=\"{}\"", sources.display()));
            compile.arg(format!("-DSHIM_COMPILER=\"{COMPILER}\""));
            compile.arg("-o").arg(building.join(format!("lib{name}.so"))).arg(sources.join(format!("{name}.cpp")));
            let done = compile.arg("-ldl").output().unwrap();
            assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        }
        std::fs::rename(&building, &folder).unwrap();
    }
    Some(folder)
}

/// Runs this program's tests of one name with the shim as the driver.
fn run(folder: &Path, name: &str) {
    let mut tests = Command::new(std::env::current_exe().unwrap());
    tests.args(["--ignored", "--exact", "--nocapture", &format!("on_the_shim::{name}")]);
    tests.env(MARK, "1").env("LD_LIBRARY_PATH", folder).env("SQUEEZE_NVRTC", folder);
    let done = tests.env("SQUEEZE_CACHE", folder.join("cache")).output().unwrap();
    let said = String::from_utf8_lossy(&done.stdout);
    print!("{said}");
    assert!(done.status.success(), "{} {said}{}", done.status, String::from_utf8_lossy(&done.stderr));
    assert!(said.contains("agree"), "nothing was compared: {said}");
}

macro_rules! without_a_gpu {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            if let Some(folder) = shim_once() {
                run(&folder, stringify!($name));
            }
        })*
    };
}

/// Tests of one process build it once.
fn shim_once() -> Option<PathBuf> {
    static SHIM: std::sync::OnceLock<Option<PathBuf>> = std::sync::OnceLock::new();
    SHIM.get_or_init(shim).clone()
}

without_a_gpu! {
    lanes draws far ahead members member_lanes crowds sweeps overlaps packing papers programs_by_chance masks packed activity graphs maps
    wrong_kernels_are_found
}

mod on_the_shim {
    use super::MARK;
    use squeeze::bench::encodings::compare_on_gpu;
    use squeeze::compiler::emit::papers::{BlockGrid, Map};
    use squeeze::compiler::layout::Layout;
    use squeeze::compiler::numerics::digest::mix;
    use squeeze::compiler::plan::{Candidate, Machine, candidates, member_candidates};
    use squeeze::compiler::source::Sources;
    use squeeze::compiler::{NoFiles, Target, check, compile, diagnostics};
    use squeeze::edges::{rule_on, with_flags};
    use squeeze::engine::EngineError;
    use squeeze::ir::Axes;
    use squeeze::mask::{Mask, Packer, Processor};
    use squeeze::overlap::{Counts, Kernel};
    use squeeze::simulation::SimulationError;
    use squeeze::sweep::work::{self, How, Watch};
    use squeeze::sweep::{Shard, Sweep, SweepFolder, Wishes};
    use squeeze::{
        Backend, Domain, Ensemble, Fractal, Member, Rule, Simulation, SimulationBuilder, Strategy, StrategyChoice,
        Value, cuda, params, resolve,
    };
    use squeeze_testing::{Kind, choices, program, widened};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    /// More operations take the compiler too long.
    const MOST_OPERATIONS: f64 = 1000.0;
    const STRIDES: [u64; 3] = [1, 2, 9];

    /// Whether the driver is the shim: not if somebody runs all ignored tests.
    fn is_here() -> bool {
        let here = std::env::var_os(MARK).is_some();
        if here {
            assert_eq!(cuda::device_name().unwrap(), "the host in place of a GPU");
        }
        here
    }

    /// What can be seen of a simulation, from the beginning on.
    fn sights(builder: SimulationBuilder) -> Vec<String> {
        try_sights(builder).expect("it has kernels")
    }

    /// As [`sights`]; `None` if there are no kernels for the rule on the layout.
    fn try_sights(builder: SimulationBuilder) -> Option<Vec<String>> {
        let mut simulation = match builder.build() {
            Err(SimulationError::Engine(EngineError::NoKernel { .. })) => return None,
            built => built.unwrap_or_else(|error| panic!("{error}")),
        };
        let look = |simulation: &Simulation| {
            format!("{:?} {:?}", simulation.digests().unwrap(), simulation.observe().unwrap())
        };
        let mut sights = vec![look(&simulation)];
        for steps in STRIDES {
            simulation.step(steps).unwrap();
            sights.push(look(&simulation));
        }
        Some(sights)
    }

    fn digests_of(simulation: &Simulation) -> Vec<u64> {
        simulation.digests().unwrap().into_iter().map(|(_, digest)| digest).collect()
    }

    fn builder(domain: &Domain, rule: &Arc<Rule>) -> SimulationBuilder {
        let builder = Simulation::builder(Arc::clone(domain.fractal()), Arc::clone(rule));
        builder.level(domain.level()).seed(7).threads(1)
    }

    /// A fractal at the largest level with so many cells, and not many more places.
    fn domain(fractal: &Arc<Fractal>, most_cells: u64) -> Domain {
        let axes = fractal.dimension.axes() as u32;
        let fits = |side: u64, cells| side.saturating_pow(axes) <= 16 * most_cells && cells <= most_cells;
        Domain::new(Arc::clone(fractal), Domain::largest_level_where(fractal, fits)).unwrap()
    }

    /// Everything that ships and fits together.
    fn shipped() -> Vec<(Arc<Fractal>, Arc<Rule>)> {
        let fractals = squeeze_tests::fractals().into_iter().map(|name| resolve::fractal(&name).unwrap());
        let mut rules: Vec<_> = squeeze_tests::rules().iter().map(|name| resolve::rule(name).unwrap()).collect();
        rules.push(resolve::rule("gpu/operations.rule").unwrap());
        let pairs = fractals.flat_map(|fractal| {
            rules.iter().map(move |rule| (Arc::clone(&fractal), Arc::clone(rule))).collect::<Vec<_>>()
        });
        pairs.filter(|(fractal, rule)| domain(fractal, 100).admits(rule).is_ok()).collect()
    }

    /// Does something with each item and its number, on all cores.
    fn in_parallel<T: Sync>(items: &[T], act: impl Fn(usize, &T) + Sync) {
        let next = AtomicUsize::new(0);
        let work = || {
            while let Some((number, item)) = Some(next.fetch_add(1, Relaxed)).and_then(|i| Some((i, items.get(i)?))) {
                act(number, item);
            }
        };
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        std::thread::scope(|scope| (0..threads).for_each(|_| _ = scope.spawn(work)));
    }

    /// A layout and a number of steps that this number chooses among those with short kernels.
    fn plan(domain: &Domain, rule: &Rule, number: usize) -> Option<Candidate> {
        let mut all = candidates(domain, rule, &Machine::gpu());
        all.retain(|candidate| candidate.operations <= MOST_OPERATIONS);
        // A prime that shares no factor with the numbers of layouts.
        (!all.is_empty()).then(|| all.swap_remove(number * 7919 % all.len()))
    }

    #[test]
    #[ignore = "the test `lanes` runs it on the shim"]
    fn lanes() {
        if !is_here() {
            return;
        }
        let pairs = shipped();
        // Runs on the planner's layout, on another one, and of these with several lanes and with several steps a pass.
        let [tried, planned, chosen, wide, several] = [0; 5].map(AtomicUsize::new);
        in_parallel(&pairs, |number, (fractal, rule)| {
            // A fifth of them at a smaller level as well.
            let sizes = [(number, 400), (number + pairs.len(), 100)];
            for (number, most_cells) in sizes.into_iter().take(if number % 5 == 0 { 2 } else { 1 }) {
                tried.fetch_add(1, Relaxed);
                let domain = domain(fractal, most_cells);
                let wanted = sights(builder(&domain, rule).backend(Backend::Reference));
                let found = builder(&domain, rule).backend(Backend::Cuda);
                let plan = if number % 4 == 0 { None } else { plan(&domain, rule, number) };
                let what = format!("{} on {} at level {}, {plan:?}", rule.name, fractal.name, domain.level());
                let Some(plan) = plan else {
                    assert_eq!(sights(found), wanted, "{what}");
                    planned.fetch_add(1, Relaxed);
                    continue;
                };
                let (lanes, steps) = (plan.layout.lanes(), plan.steps);
                if let Some(found) = try_sights(found.plan(plan)) {
                    assert_eq!(found, wanted, "{what}");
                    chosen.fetch_add(1, Relaxed);
                    wide.fetch_add(usize::from(lanes > 1), Relaxed);
                    several.fetch_add(usize::from(steps > 1), Relaxed);
                }
            }
        });
        let [tried, planned, chosen, wide, several] =
            [tried, planned, chosen, wide, several].map(AtomicUsize::into_inner);
        println!(
            "{planned} planned and {chosen} chosen layouts agree, {wide} of several lanes, {several} of several steps"
        );
        assert!(20 * (planned + chosen) >= 19 * tried, "more than one in twenty of {tried} have no kernels");
        // Rules that draw, most of those that ship, compute one step in a pass.
        assert!(
            3 * wide > chosen && 12 * several > chosen,
            "all kinds of layouts are tried: {wide} and {several} of {chosen}"
        );
    }

    /// Kernels whose warps share the planes of their superblocks and decide the last cells one by one, in a simulation and in members, beside the
    /// backend `cpu`, which other tests compare with the oracle. Not all warps are full, and members begin in the midst of a block.
    #[test]
    #[ignore = "the test `draws` runs it on the shim"]
    fn draws() {
        if !is_here() {
            return;
        }
        // Columns of 243 lanes are two threads of four words, those of 125 one, and the others lie on whole blocks.
        let layouts = [
            ("sierpinski_triangle", [(7, 5, 1), (9, 5, 1), (10, 5, 2)].as_slice()),
            ("vicsek", &[(5, 3, 1), (6, 3, 0)]),
            ("sierpinski_carpet", &[(4, 3, 0), (4, 3, 1)]),
            ("full_square", &[(6, 4, 1), (6, 5, 0)]),
        ];
        let rules = ["ising", "forest_fire", "voter", "greenberg_hastings"].map(|name| resolve::rule(name).unwrap());
        let mut cases = Vec::new();
        for (fractal, layouts) in layouts {
            let fractal = resolve::fractal(fractal).unwrap();
            for (level, lane_digits, micro_digits) in layouts {
                let domain = Domain::new(Arc::clone(&fractal), *level).unwrap();
                let layout = Layout::new(&domain, *lane_digits, *micro_digits).unwrap();
                let plan = Candidate { layout, ..Candidate::of_rows(&domain).unwrap() };
                cases.extend(rules.iter().map(|rule| (domain.clone(), Arc::clone(rule), plan.clone())));
            }
        }
        let by_warps = AtomicUsize::new(0);
        in_parallel(&cases, |_, (domain, rule, plan)| {
            let what = format!("{} on {} at level {}, {plan:?}", rule.name, domain.fractal().name, domain.level());
            let planned = builder(domain, rule).backend(Backend::Cuda).plan(plan.clone());
            assert_eq!(sights(planned.clone()), sights(builder(domain, rule).backend(Backend::Cpu)), "{what}");
            let seeds = [7, 0, 0xffff_ffff_0000_0001];
            let members = planned.members(seeds.map(Member::new)).build();
            let mut ensemble = members.unwrap_or_else(|error| panic!("{what}: {error}"));
            ensemble.step(5).unwrap();
            let alone = seeds.map(|seed| {
                let mut simulation = builder(domain, rule).seed(seed).backend(Backend::Cpu).build().unwrap();
                simulation.step(5).unwrap();
                format!("{:?}", simulation.digests().unwrap())
            });
            let found: Vec<String> = ensemble.digests().unwrap().iter().map(|digests| format!("{digests:?}")).collect();
            assert_eq!(found, alone, "{what}");
            let compiled = compile(rule, domain, &Target { demanded: Some(plan.clone()), ..Target::cuda() }).unwrap();
            let text = cuda::program(domain, rule, &compiled).text;
            by_warps.fetch_add(usize::from(text.contains("blocks_of_warp(first_cell")), Relaxed);
        });
        let by_warps = by_warps.into_inner();
        println!("{} layouts agree, {by_warps} whose warps share planes", cases.len());
        assert_eq!(by_warps, 20, "all on the triangle and on Vicsek's");
    }

    /// A layout of single cells that look far.
    fn far_plan(domain: &Domain, lane_digits: u32) -> Candidate {
        let layout = Layout::new(domain, lane_digits, 0).unwrap().looking_far();
        Candidate { layout, ..Candidate::of_rows(domain).unwrap() }
    }

    /// Rules that look farther than beside their superblock, whatever their layout.
    #[test]
    #[ignore = "the test `far` runs it on the shim"]
    fn far() {
        if !is_here() {
            return;
        }
        let names = ["far_count", "far_weights", "far_waves", "far_extremes", "far_steps"];
        let fractals = ["full_square", "sierpinski_carpet", "sierpinski_triangle", "candy", "menger_sponge", "tetrix"];
        let mut cases = Vec::new();
        for (turn, fractal) in fractals.into_iter().map(|name| resolve::fractal(name).unwrap()).enumerate() {
            for (number, name) in names.into_iter().enumerate() {
                let rule = resolve::rule(&format!("gpu/far.rule#{name}")).unwrap();
                let periodic = if turn % 2 == 0 { Axes::of(fractal.dimension) } else { Axes::NONE };
                let domain = domain(&Arc::new(Fractal { periodic, ..Fractal::clone(&fractal) }), 700);
                if domain.admits(&rule).is_ok() {
                    cases.push((number + turn, domain, rule));
                }
            }
        }
        let mirrored = Domain::new(resolve::fractal("gpu/far.rule#mirrored").unwrap(), 4).unwrap();
        cases.push((1, mirrored, resolve::rule("gpu/far.rule#far_same").unwrap()));
        let [planned, demanded] = [0; 2].map(AtomicUsize::new);
        in_parallel(&cases, |_, (number, domain, rule)| {
            let wanted = sights(builder(domain, rule).backend(Backend::Reference));
            let what = format!("{} on {} at level {}", rule.name, domain.fractal().name, domain.level());
            // As planned, and with ways across the border that lead any number of lanes away.
            let found = builder(domain, rule).backend(Backend::Cuda);
            match number % 3 {
                0 => {
                    assert_eq!(sights(found), wanted, "{what}");
                    planned.fetch_add(1, Relaxed);
                }
                turn => {
                    let plan = far_plan(domain, if turn == 1 { 1 } else { domain.level() - 1 });
                    assert_eq!(sights(found.plan(plan.clone())), wanted, "{what}, {plan:?}");
                    demanded.fetch_add(1, Relaxed);
                }
            }
        });
        let (planned, demanded) = (planned.into_inner(), demanded.into_inner());
        println!("{planned} planned and {demanded} demanded layouts agree");
        assert!(planned >= 6 && demanded >= 12, "{planned} and {demanded} of {}", cases.len());
    }

    /// Three members of a rule, with other values of its first number where it has one.
    fn members_of(rule: &Rule) -> Vec<(u64, Option<String>)> {
        let number = rule.params.iter().find_map(|param| match param.default {
            Value::F32(value) if param.derived.is_none() => Some((&param.name, f64::from(value))),
            Value::F64(value) if param.derived.is_none() => Some((&param.name, value)),
            _ => None,
        });
        let setting = |seed: u64| {
            let setting = number.map(|(name, value)| format!("{name}={}", value * (1.0 - 0.03 * seed as f64)));
            setting.filter(|setting| params::resolve(rule, std::slice::from_ref(setting)).is_ok())
        };
        [7, 0, 0xffff_ffff_0000_0001].into_iter().enumerate().map(|(i, seed)| (seed, setting(i as u64))).collect()
    }

    /// Observations that the host asks for together, of one run and of members.
    #[test]
    #[ignore = "the test `ahead` runs it on the shim"]
    fn ahead() {
        if !is_here() {
            return;
        }
        let totals = |name: &str| resolve::rule(&format!("gpu/totals.rule#{name}")).unwrap();
        let mut rules = vec![totals("totals"), totals("quiet")];
        rules.push(resolve::rule("life").unwrap());
        rules.push(resolve::rule("ising").unwrap());
        let fractals = ["sierpinski_triangle", "sierpinski_carpet", "full_square", "vicsek"];
        let pairs: Vec<_> = fractals.iter().flat_map(|name| rules.iter().map(move |rule| (*name, rule))).collect();
        in_parallel(&pairs, |number, (name, rule)| {
            let domain = domain(&resolve::fractal(name).unwrap(), if number % 2 == 0 { 900 } else { 100 });
            let mut wanted = builder(&domain, rule).backend(Backend::Reference).seed(5).build().unwrap();
            // Fewer and more steps between observations than a pass computes; as many as are recorded; what is left of a pass.
            let strides: [(u32, u32); 7] = [(2, 5), (1, 9), (3, 2), (7, 3), (1, 40), (1, 40), (1, 80)];
            let wanted: Vec<Vec<String>> = strides
                .iter()
                .map(|(every, times)| {
                    let mut look = || {
                        wanted.step(u64::from(*every)).unwrap();
                        format!("{:?}", wanted.observe().unwrap())
                    };
                    (0..*times).map(|_| look()).collect()
                })
                .collect();
            let plan = if number % 3 == 0 { None } else { plan(&domain, rule, number) };
            let one = plan.iter().fold(builder(&domain, rule), |builder, plan| builder.plan(plan.clone()));
            let mut one = match one.backend(Backend::Cuda).seed(5).build() {
                Err(SimulationError::Engine(EngineError::NoKernel { .. })) => return,
                built => built.unwrap(),
            };
            assert!(one.observes_ahead());
            let what = format!("{} on {name} at level {}, {plan:?}", rule.name, domain.level());
            for ((every, times), wanted) in strides.iter().zip(&wanted) {
                let found: Vec<String> =
                    one.step_observing(*every, *times).unwrap().iter().map(|values| format!("{values:?}")).collect();
                assert_eq!(found, *wanted, "{what}, {times} times after {every}");
                assert_eq!(format!("{:?}", one.observe().unwrap()), *wanted.last().unwrap(), "{what}");
            }
            let (digests, mut again) =
                (one.digests().unwrap(), builder(&domain, rule).backend(Backend::Cpu).seed(5).build().unwrap());
            again.step(strides.iter().map(|(every, times)| u64::from(every * times)).sum()).unwrap();
            assert_eq!(digests, again.digests().unwrap(), "{what}");
            let seeds = [9, 5, 5].map(Member::new);
            let mut members = builder(&domain, rule).backend(Backend::Cuda).members(seeds).build().unwrap();
            for ((every, times), wanted) in strides.iter().zip(&wanted).take(4) {
                let found = members.step_observing(*every, *times).unwrap();
                for (found, wanted) in found.iter().zip(wanted) {
                    for member in &found[1..] {
                        assert_eq!(format!("{member:?}"), *wanted, "{what}, members");
                    }
                }
            }
        });
        println!("{} cases agree", pairs.len());
    }

    /// Members of everything that ships, in one set of kernels.
    #[test]
    #[ignore = "the test `members` runs it on the shim"]
    fn members() {
        if !is_here() {
            return;
        }
        let pairs: Vec<_> = shipped().into_iter().enumerate().filter(|(number, _)| number % 5 == 0).collect();
        let [compared, wide] = [0; 2].map(AtomicUsize::new);
        in_parallel(&pairs, |_, (number, (fractal, rule))| {
            let domain = domain(fractal, if number % 2 == 0 { 300 } else { 60 });
            let all = members_of(rule);
            let of = |(seed, setting): &(u64, Option<String>)| {
                setting.iter().fold(builder(&domain, rule).seed(*seed), |builder, setting| builder.set(setting))
            };
            let plan = if number % 4 == 0 { None } else { plan(&domain, rule, *number) };
            wide.fetch_add(usize::from(plan.as_ref().is_some_and(|plan| plan.layout.lanes() > 1)), Relaxed);
            let what = format!("{} on {} at level {}, {plan:?}", rule.name, fractal.name, domain.level());
            let ensemble = builder(&domain, rule).backend(Backend::Cuda);
            let ensemble = plan.into_iter().fold(ensemble, |builder, plan| builder.plan(plan));
            let member = |(seed, setting): &(u64, Option<String>)| {
                setting.iter().fold(Member::new(*seed), |member, setting| member.set(setting))
            };
            let list: Vec<Member> = all.iter().map(member).collect();
            let mut ensemble = match ensemble.members(list.clone()).build() {
                Err(SimulationError::Engine(EngineError::NoKernel { .. })) => return,
                built => built.unwrap_or_else(|error| panic!("{what}: {error}")),
            };
            let look = |ensemble: &Ensemble| -> Vec<String> {
                let (digests, observed) = (ensemble.digests().unwrap(), ensemble.observe().unwrap());
                digests.iter().zip(&observed).map(|(digests, observed)| format!("{digests:?} {observed:?}")).collect()
            };
            let wanted: Vec<Vec<String>> = all.iter().map(|one| sights(of(one).backend(Backend::Reference))).collect();
            // Again from the beginning, in another order.
            for turn in 0..2 {
                let mut found = vec![look(&ensemble)];
                for steps in STRIDES {
                    ensemble.step(steps).unwrap();
                    found.push(look(&ensemble));
                }
                for (index, sights) in found.iter().enumerate() {
                    let now: Vec<String> = (0..3).map(|one| wanted[(one + turn) % 3][index].clone()).collect();
                    assert_eq!(*sights, now, "{what}, turn {turn}");
                }
                ensemble.restart(&[1, 2, 0].map(|one| list[one].clone())).unwrap();
            }
            compared.fetch_add(1, Relaxed);
        });
        let [compared, wide] = [compared, wide].map(AtomicUsize::into_inner);
        println!("{compared} ensembles agree, {wide} of several lanes");
        assert!(10 * compared >= 9 * pairs.len() && 4 * wide > compared, "{compared} and {wide} of {}", pairs.len());
        // Members are looked at and changed one by one, and large ones are folded in groups.
        let (carpet, rule) = (resolve::fractal("sierpinski_carpet").unwrap(), resolve::rule("heat").unwrap());
        let domain = Domain::new(carpet, 3).unwrap();
        let members = [3, 4].map(Member::new);
        let mut ensemble = builder(&domain, &rule).backend(Backend::Cuda).members(members.clone()).build().unwrap();
        let mut apart = builder(&domain, &rule).backend(Backend::Cpu).members(members).build().unwrap();
        for ensemble in [&mut ensemble, &mut apart] {
            ensemble.step(2).unwrap();
            ensemble.set_field(1, "u", 100, &[5.0f32, f32::NAN, -1.0]).unwrap();
            ensemble.step(3).unwrap();
        }
        let u: Vec<u32> = ensemble.field::<f32>("u").unwrap().into_iter().map(f32::to_bits).collect();
        assert_eq!(u, apart.field::<f32>("u").unwrap().into_iter().map(f32::to_bits).collect::<Vec<_>>());
        assert_eq!(u.len(), 2 * 512);
        assert_ne!(u[..512], u[512..]);
        assert_eq!(ensemble.digests().unwrap(), apart.digests().unwrap());
        assert_eq!(ensemble.members()[1].value("u", 7).unwrap(), apart.members()[1].value("u", 7).unwrap());
    }

    /// Members as lanes of the same columns: rules that draw nothing in their steps, of all kinds of states and observables.
    #[test]
    #[ignore = "the test `member_lanes` runs it on the shim"]
    fn member_lanes() {
        if !is_here() {
            return;
        }
        let floats = "rule floats {
            state u: f32
            state v: f64
            state small: u8
            init u = uniform() - 0.5
            init v = f64(uniform())
            init small = if random(0.5) { 7 } else { 250 }
            next u = u + 0.1 * sum(moore, nb.u - u) / (1.0 + abs(u))
            next v = v + 0.25 * f64(u[1, 0] else 0.5)
            next small = small + if (x + 2 * y) % 5 == 0 { 3 } else { 1 }
            observe mean_u = mean(u)
            observe least = min(v)
            observe spread = variance(v)
            observe smallest = min(small)
            observe sum_small = sum(small)
        }";
        let mut rules = vec![Arc::clone(&squeeze_tests::course::library(floats).rules[0])];
        rules.extend(["gpu/totals.rule#quiet"].map(|name| resolve::rule(name).unwrap()));
        let shipped = squeeze_tests::rules().into_iter().map(|name| resolve::rule(&name).unwrap());
        rules.extend(shipped.filter(|rule| !rule.draws() && rule.globals.is_empty()));
        let fractals = ["sierpinski_triangle", "vicsek", "sierpinski_carpet", "full_square", "h_fractal", "tetrix"];
        let mut cases = Vec::new();
        for (number, rule) in rules.iter().enumerate() {
            for (turn, name) in fractals.iter().enumerate().filter(|(turn, _)| number < 2 || (turn + number) % 6 == 0) {
                let fractal = resolve::fractal(name).unwrap();
                let periodic = if turn % 2 == 0 { Axes::NONE } else { Axes::of(fractal.dimension) };
                let fractal = Arc::new(Fractal { periodic, ..Fractal::clone(&fractal) });
                let domain = domain(&fractal, if number % 2 == 0 { 300 } else { 90 });
                if domain.admits(rule).is_ok() {
                    cases.push((number + turn, domain, Arc::clone(rule)));
                }
            }
        }
        let [compared, several, observed] = [0; 3].map(AtomicUsize::new);
        in_parallel(&cases, |_, (number, domain, rule)| {
            let members = [33, 64, 100, 257][number % 4];
            let mut plans = member_candidates(domain, rule, &Machine::gpu(), members);
            plans.retain(|plan| plan.operations <= MOST_OPERATIONS);
            if plans.is_empty() {
                return;
            }
            let plan = plans.swap_remove(number * 7919 % plans.len());
            let what = format!(
                "{} on {} at level {}, {members} members, {plan:?}",
                rule.name,
                domain.fractal().name,
                domain.level()
            );
            let list: Vec<Member> = (0..members as u64).map(|seed| Member::new(3 * seed + 1)).collect();
            let ensemble =
                builder(domain, rule).backend(Backend::Cuda).plan(plan.clone()).members(list.clone()).build();
            let mut ensemble = match ensemble {
                Err(SimulationError::Engine(EngineError::NoKernel { .. })) => return,
                built => built.unwrap_or_else(|error| panic!("{what}: {error}")),
            };
            assert_eq!(ensemble.execution().unwrap().lane_digits, 0, "{what}");
            let some = [0, 1, 31, 32, members - 1];
            let look = |ensemble: &Ensemble| -> Vec<String> {
                let (digests, observed) = (ensemble.digests().unwrap(), ensemble.observe().unwrap());
                some.iter().map(|member| format!("{:?} {:?}", digests[*member], observed[*member])).collect()
            };
            let wanted: Vec<Vec<String>> = some
                .iter()
                .map(|member| sights(builder(domain, rule).seed(3 * *member as u64 + 1).backend(Backend::Reference)))
                .collect();
            for turn in 0..2 {
                let mut found = vec![look(&ensemble)];
                for steps in STRIDES {
                    ensemble.step(steps).unwrap();
                    found.push(look(&ensemble));
                }
                for (time, sights) in found.iter().enumerate() {
                    let now: Vec<&String> = wanted.iter().map(|member| &member[time]).collect();
                    assert_eq!(sights.iter().collect::<Vec<_>>(), now, "{what}, turn {turn}, look {time}");
                }
                ensemble.restart(&list).unwrap();
            }
            // What is observed while members step is what is observed then.
            for (every, times) in [(1, 5), (3, 3), (10, 2)] {
                let ahead = ensemble.step_observing(every, times).unwrap();
                observed.fetch_add(ahead.len(), Relaxed);
                let last: Vec<String> = ahead.last().unwrap().iter().map(|values| format!("{values:?}")).collect();
                let now: Vec<String> = ensemble.observe().unwrap().iter().map(|values| format!("{values:?}")).collect();
                assert_eq!(last, now, "{what}, observed every {every}");
            }
            let mut one =
                builder(domain, rule).seed(3 * members as u64 - 2).backend(Backend::Reference).build().unwrap();
            one.step(34).unwrap();
            let digests = ensemble.digests().unwrap();
            assert_eq!(digests[members - 1], one.digests().unwrap(), "{what}");
            several.fetch_add(usize::from(plan.steps > 1), Relaxed);
            compared.fetch_add(1, Relaxed);
        });
        let [compared, several, observed] = [compared, several, observed].map(AtomicUsize::into_inner);
        println!("{compared} ensembles of lanes agree, {several} of several steps, {observed} observations");
        assert!(
            10 * compared >= 9 * cases.len() && 4 * several > compared,
            "{compared} and {several} of {}",
            cases.len()
        );
        // Members are looked at and changed one by one, and go apart where their parameters begin to differ.
        let (carpet, rule) = (resolve::fractal("sierpinski_carpet").unwrap(), resolve::rule("heat").unwrap());
        let domain = Domain::new(carpet, 2).unwrap();
        let members: Vec<Member> = (0..70).map(Member::new).collect();
        let plan = member_candidates(&domain, &rule, &Machine::gpu(), 70).remove(0);
        let ensemble = builder(&domain, &rule).backend(Backend::Cuda).plan(plan);
        let mut ensemble = ensemble.members(members.clone()).build().unwrap();
        let mut apart = builder(&domain, &rule).backend(Backend::Cpu).members(members).build().unwrap();
        assert_eq!(ensemble.execution().unwrap().lane_digits, 0);
        let u = |ensemble: &Ensemble| -> Vec<u32> {
            ensemble.field::<f32>("u").unwrap().into_iter().map(f32::to_bits).collect()
        };
        for different in [false, true] {
            let alpha = &rule.params[0].name;
            let alpha =
                |seed: u64| Member::new(seed).param(alpha, if different { 0.01 * (1 + seed % 7) as f64 } else { 0.07 });
            let members: Vec<Member> = (9..79).map(alpha).collect();
            for ensemble in [&mut ensemble, &mut apart] {
                ensemble.step(2).unwrap();
                ensemble.set_field(41, "u", 10, &[5.0f32, f32::NAN, -1.0]).unwrap();
                ensemble.step(3).unwrap();
            }
            assert_eq!(u(&ensemble), u(&apart));
            assert!(u(&ensemble)[41 * 64..42 * 64].iter().any(|bits| f32::from_bits(*bits).is_nan()));
            assert_eq!(ensemble.digests().unwrap(), apart.digests().unwrap());
            assert_eq!(ensemble.members()[41].value("u", 7).unwrap(), apart.members()[41].value("u", 7).unwrap());
            for ensemble in [&mut ensemble, &mut apart] {
                ensemble.restart(&members).unwrap();
            }
        }
        for ensemble in [&mut ensemble, &mut apart] {
            ensemble.step(4).unwrap();
        }
        assert_eq!(ensemble.digests().unwrap(), apart.digests().unwrap());
    }

    /// Thousands of members as lanes, as planned, observed ahead after any number of steps, against those of the CPU.
    #[test]
    #[ignore = "the test `crowds` runs it on the shim"]
    fn crowds() {
        if !is_here() {
            return;
        }
        let (triangle, rule) = (resolve::fractal("sierpinski_triangle").unwrap(), resolve::rule("life").unwrap());
        let domain = Domain::new(triangle, 4).unwrap();
        let members: Vec<Member> = (0..4096).map(Member::new).collect();
        let [mut ensemble, mut wanted] = [Backend::Cuda, Backend::Cpu]
            .map(|backend| builder(&domain, &rule).backend(backend).members(members.clone()).build().unwrap());
        assert_eq!(ensemble.execution().unwrap().lane_digits, 0, "the planner takes lanes");
        assert_eq!(ensemble.backend(), Backend::Cuda);
        for (every, times) in [(10, 2), (3, 3), (1, 5)] {
            let [found, wanted] = [&mut ensemble, &mut wanted].map(|ensemble| {
                ensemble
                    .step_observing(every, times)
                    .unwrap()
                    .iter()
                    .map(|values| format!("{values:?}"))
                    .collect::<Vec<_>>()
            });
            assert_eq!(found, wanted, "observed every {every}");
        }
        let digests = |ensemble: &Ensemble, member: usize| ensemble.members()[member].digests().unwrap()[0].1;
        for member in (0..4096).step_by(61) {
            assert_eq!(digests(&ensemble, member), digests(&wanted, member), "member {member}");
        }
        println!("crowds agree");
    }

    /// Sweeps give the same tables on the CPU and on the device, whatever is computed together and what was there before.
    #[test]
    #[ignore = "the test `sweeps` runs it on the shim"]
    fn sweeps() {
        if !is_here() {
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let diverging = folder.path().join("diverging.rule");
        let text = "rule diverging {\n    param a: f64 = 1.0\n    state u: f64\n    init u = 1.0 + f64(uniform())\n    next u = u * a\n    \
                    observe total = sum(u)\n    observe halves = sum(u) by level 1\n}\n";
        std::fs::write(&diverging, text).unwrap();
        let diverging = diverging.display().to_string();
        let cases: [(&str, &str, u32, &[&str]); 5] = [
            ("sierpinski_carpet", "ising", 2, &["beta=0.3,0.5"]),
            ("sierpinski_triangle", "heat", 4, &["alpha=0.05,0.1"]),
            // It draws one cell for all and stops when nothing is left.
            ("vicsek", "aggregation", 2, &[]),
            ("sierpinski_triangle", "driven_sandpile", 3, &[]),
            ("vicsek", &diverging, 1, &["a=1,1e200"]),
        ];
        for (number, (fractal, rule, level, settings)) in cases.into_iter().enumerate() {
            let (fractal, fractal_texts) = resolve::domain_with_texts(fractal, &resolve::Edges::default()).unwrap();
            let (rule, rule_texts) = resolve::rule_with_texts(rule).unwrap();
            let settings: Vec<String> = settings.iter().map(|&setting| setting.to_owned()).collect();
            let wishes = Wishes {
                seeds: "0..5",
                settings: &settings,
                observe_every: Some(7),
                observe_at: None,
                discard: None,
                shard: Shard::WHOLE,
            };
            let domain = Domain::new(fractal, level).unwrap();
            let sweep = Sweep::new(fractal_texts, rule_texts, &rule, &domain, 30, wishes).unwrap();
            let tables = [Backend::Cpu, Backend::Cuda].map(|backend| {
                let path = folder.path().join(format!("{number}-{}", backend.name()));
                let kept = SweepFolder::create(&path, &sweep).unwrap();
                let how = How { backend, threads: (backend == Backend::Cpu).then_some(2) };
                work::run(&kept, &sweep, how, &mut Nobody).unwrap().expect("nobody stops it");
                ["members.csv", "observables.csv", "summary.csv"]
                    .map(|table| std::fs::read_to_string(path.join(table)).unwrap())
            });
            assert_eq!(tables[0], tables[1], "{} on {}", rule.name, domain.fractal().name);
            assert!(tables[0][1].lines().count() > 5, "{}", tables[0][1]);
        }
        println!("{} sweeps agree", cases.len());
    }

    /// What rows of bits have in common, and the matrices of sweeps, whose members are computed together.
    #[test]
    #[ignore = "the test `packing` runs it on the shim"]
    fn packing() {
        if !is_here() {
            return;
        }
        let device = cuda::PackDevice::first().unwrap();
        let sizes = [1, 31, 32, 33, 1023, 1024, 1025, 32_769, 65_535, 65_536, 65_537, 150_001];
        for (number, places) in sizes.into_iter().enumerate() {
            for density in [0, 3, 40, 230, 256] {
                let cell = |place: u64| mix(place * 31 + density) % 256 < density;
                let mask =
                    Mask::from_places([places, 1, 1], &(0..u64::from(places)).map(cell).collect::<Vec<_>>()).unwrap();
                let size = [1, 2, 4, 8, 16][(number + density as usize) % 5];
                let values: Vec<u8> = (0..u64::from(places) * size as u64).map(|byte| mix(byte) as u8).collect();
                let told = format!("{places} places of {size} bytes, {density} of 256 cells");
                let packed = Processor.pack(&mask, size, &values).unwrap();
                assert!(device.pack(&mask, size, &values).unwrap() == packed, "{told}");
                let hole: Vec<u8> = (0..size as u8).collect();
                let unpacked = Processor.unpack(&mask, &hole, &packed).unwrap();
                assert!(device.unpack(&mask, &hole, &packed).unwrap() == unpacked, "{told}");
            }
        }
        // Each point is checked before it is measured.
        for places in [1 << 10, 20_001] {
            let compared = compare_on_gpu(places, |_| ()).unwrap();
            assert!(compared.experiments.iter().any(|experiment| experiment.name == "unpack-of-copy"));
        }
        println!("what is packed and unpacked agrees with the processor");
    }

    #[test]
    #[ignore = "the test `overlaps` runs it on the shim"]
    fn overlaps() {
        if !is_here() {
            return;
        }
        let device = cuda::OverlapDevice::first().unwrap();
        assert_eq!(device.kernels(), [cuda::GpuKernel::Mma, cuda::GpuKernel::Popc]);
        for (rows, bits) in [(1, 1), (2, 33), (5, 513), (31, 700), (33, 2049), (70, 1000), (129, 4097), (257, 97)] {
            let own = squeeze::bench::overlap::random(rows, bits);
            let expected = Counts::of(&own, Kernel::best());
            for kernel in device.kernels() {
                let mut counts = Counts::new(rows);
                counts.add_by(&device, kernel, &own).unwrap();
                assert!(counts == expected, "{rows} rows of {bits} bits by {}", kernel.name());
            }
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("spins.rule");
        let text = "rule spins {\n    param p: f32 = 0.5\n    state up: bit\n    state kind: enum { a, b }\n    init up = random(p)\n    \
                    init kind = if random(0.3) { a } else { b }\n    let near = any(moore, nb.up)\n    \
                    next up = if near { random(p) } else { !up }\n    observe ups = sum(up)\n    observe q = overlap(up)\n    \
                    observe bond = overlap(up != up[0, 1] else true)\n    observe few = overlap(kind == a && !all(moore, nb.near))\n}\n";
        std::fs::write(&path, text).unwrap();
        let (fractal, fractal_texts) = resolve::domain_with_texts("vicsek", &resolve::Edges::default()).unwrap();
        let (rule, rule_texts) = resolve::rule_with_texts(&path.display().to_string()).unwrap();
        let settings = ["p=0.3,0.6".to_owned()];
        let wishes = Wishes {
            seeds: "0..4",
            settings: &settings,
            observe_every: Some(4),
            observe_at: None,
            discard: None,
            shard: Shard::WHOLE,
        };
        let domain = Domain::new(fractal, 3).unwrap();
        let sweep = Sweep::new(fractal_texts, rule_texts, &rule, &domain, 10, wishes).unwrap();
        let matrices = [Backend::Reference, Backend::Cuda].map(|backend| {
            let path = folder.path().join(backend.name());
            let kept = SweepFolder::create(&path, &sweep).unwrap();
            work::run(&kept, &sweep, How { backend, threads: None }, &mut Nobody).unwrap().expect("nobody stops it");
            let of_step = |name: &str, step: u32| {
                std::fs::read(path.join("overlap").join(name).join(format!("{step}.npy"))).unwrap()
            };
            ["q", "bond", "few"].map(|name| [0, 4, 8, 10].map(|step| of_step(name, step)))
        });
        assert!(matrices[0] == matrices[1] && matrices[0][0][0] != matrices[0][1][0]);
        println!("counts and 12 matrices agree");
    }

    /// Somebody who looks away.
    struct Nobody;

    impl Watch for Nobody {}

    /// `life` on every fractal and one in twelve of all other pairs, by every strategy and map, with blocks of all sizes by turns.
    #[test]
    #[ignore = "the test `papers` runs it on the shim"]
    fn papers() {
        if !is_here() {
            return;
        }
        let by_map = [Strategy::Lambda, Strategy::Squeeze].into_iter().flat_map(|s| Map::ALL.map(|map| (s, Some(map))));
        let ways: Vec<(Strategy, Option<Map>)> = [(Strategy::BoundingBox, None)].into_iter().chain(by_map).collect();
        let pairs = shipped().into_iter().enumerate();
        let pairs = pairs.filter(|(number, (_, rule))| rule.name == "life" || number % 12 == 0);
        let pairs = pairs.filter(|(_, (fractal, _))| fractal.is_isotropic());
        let pairs: Vec<_> = pairs.map(|(_, pair)| pair).collect();
        in_parallel(&pairs, |number, (fractal, rule)| {
            let domain = domain(fractal, 300);
            let wanted = sights(builder(&domain, rule).backend(Backend::Reference));
            let sides = BlockGrid::sides(&domain);
            for (turn, (strategy, map)) in ways.iter().enumerate() {
                let rho = sides.get((number + 3 * turn) % (sides.len() + 1)).copied();
                let strategy_choice = StrategyChoice { strategy: Some(*strategy), map: *map, rho };
                let found = sights(builder(&domain, rule).backend(Backend::Cuda).strategy_choice(strategy_choice));
                assert_eq!(found, wanted, "{} on {}, {strategy_choice:?}", rule.name, fractal.name);
            }
        });
        println!("{} runs agree", pairs.len() * ways.len());
    }

    #[test]
    #[ignore = "the test `programs_by_chance` runs it on the shim"]
    fn programs_by_chance() {
        if !is_here() {
            return;
        }
        let numbers: Vec<u64> = (1000..1080).collect();
        let compared = AtomicUsize::new(0);
        in_parallel(&numbers, |number, &chance| {
            let kind = Kind { dimension: 2 + (chance % 2) as u32, bits: chance % 3 == 0 };
            let looks_far = number % 4 == 3;
            let program = program(kind, &choices(chance));
            let text = if looks_far { widened(program).text } else { program.text };
            let mut sources = Sources::new();
            let root = sources.add("chance", text.clone());
            let library = check(&mut sources, root, &mut NoFiles)
                .unwrap_or_else(|errors| panic!("{}\n{text}", diagnostics::render(&errors, &sources, false)));
            let rule = library.rules.last().unwrap();
            // The last one: but a torus may be too small for the rule.
            let domains = library.fractals.iter().rev().map(|fractal| domain(fractal, 300));
            let admitted = domains.filter_map(|domain| Some((rule_on(domain.fractal(), rule).ok()?, domain)));
            let found = { admitted }.find(|(rule, domain)| domain.admits(rule).is_ok());
            let Some((rule, domain)) = found else {
                assert!(looks_far, "a fractal of program {chance} admits its rule");
                return;
            };
            let rule = &rule;
            let wanted = sights(builder(&domain, rule).backend(Backend::Reference));
            // By lanes and by a strategy of the papers.
            let plan = match looks_far {
                true => Some(far_plan(&domain, number as u32 / 4 % 3)),
                false => plan(&domain, rule, number),
            };
            let by_lanes = |plan: &Candidate| builder(&domain, rule).backend(Backend::Cuda).plan(plan.clone());
            if let Some(found) = plan.as_ref().and_then(|plan| try_sights(by_lanes(plan))) {
                assert_eq!(found, wanted, "{chance} at level {}, {plan:?}\n{text}", domain.level());
                compared.fetch_add(1, Relaxed);
            }
            let strategy = [Strategy::Squeeze, Strategy::Lambda, Strategy::BoundingBox][number % 3];
            let strategy_choice = StrategyChoice { strategy: Some(strategy), map: None, rho: None };
            compared.fetch_add(1, Relaxed);
            if domain.periodic().any() || !rule.edges.is_empty() || !domain.fractal().is_isotropic() {
                return;
            }
            let found = sights(builder(&domain, rule).backend(Backend::Cuda).strategy_choice(strategy_choice));
            assert_eq!(found, wanted, "{chance} at level {}, {strategy_choice:?}\n{text}", domain.level());
        });
        let (compared, all) = (compared.into_inner(), 2 * numbers.len());
        println!("{compared} of {all} runs agree");
        // Two programs in five may have no short kernels on their layout.
        assert!(10 * compared >= 8 * all, "only {compared} of {all} runs could be compared");
    }

    /// Every rule on masks and boxes.
    #[test]
    #[ignore = "the test `masks` runs it on the shim"]
    fn masks() {
        if !is_here() {
            return;
        }
        let mut rules: Vec<_> = squeeze_tests::rules().iter().map(|name| resolve::rule(name).unwrap()).collect();
        rules.push(resolve::rule("gpu/operations.rule").unwrap());
        let mut pairs = Vec::new();
        for (number, mask) in squeeze_tests::masks::masks().into_iter().enumerate() {
            let domain = Domain::new(mask, 1).unwrap();
            // Every rule on every third mask, life on all: each text is compiled on its own.
            let chosen = rules.iter().enumerate().filter(|(turn, rule)| {
                (rule.name.starts_with("life") || (turn + number) % 3 == 0) && domain.admits(rule).is_ok()
            });
            pairs.extend(chosen.map(|(_, rule)| (domain.clone(), Arc::clone(rule))));
        }
        // And with something beyond their edges.
        for (number, name) in ["sheet", "sparse", "ring", "maze", "block", "half", "dense", "tube"].iter().enumerate() {
            for (turn, (rule, edges)) in [
                ("heat", "u=-1.5"),
                ("heat", "u=reflect"),
                ("life", "alive=true"),
                ("life", "alive=reflect"),
                ("random_walkers", ""),
            ]
            .into_iter()
            .enumerate()
            {
                let (mask, rule) = (squeeze_tests::masks::mask(name), resolve::rule(rule).unwrap());
                let read = rule.read_at_neighbours().into_iter().map(|id| rule.state(id).name.clone());
                let all: Vec<String> = if edges.is_empty() {
                    read.map(|name| format!("{name}=reflect")).collect()
                } else {
                    vec![edges.to_owned()]
                };
                if mask.periodic != Axes::of(mask.dimension) && (number + turn) % 2 == 0 {
                    let domain = Domain::new(with_flags(&mask, &all).unwrap(), 1).unwrap();
                    pairs.push((domain, rule));
                }
            }
        }
        in_parallel(&pairs, |_, (domain, rule)| {
            let wanted = sights(builder(domain, rule).backend(Backend::Reference));
            let found = sights(builder(domain, rule).backend(Backend::Cuda));
            assert_eq!(found, wanted, "{} on {}", rule.name, domain.fractal().name);
        });
        println!("{} runs agree", pairs.len());
    }

    /// The same of states that hold the cells alone.
    #[test]
    #[ignore = "the test `packed` runs it on the shim"]
    fn packed() {
        if !is_here() {
            return;
        }
        let mut rules: Vec<_> = squeeze_tests::rules().iter().map(|name| resolve::rule(name).unwrap()).collect();
        rules.push(resolve::rule("gpu/operations.rule").unwrap());
        let mut pairs = Vec::new();
        let full = std::env::var_os("SQUEEZE_SHIM_ALL").is_some();
        for (number, mask) in squeeze_tests::masks::masks().into_iter().enumerate() {
            let domain = Domain::new(mask, 1).unwrap();
            // Every rule on one or two masks, unless all are asked for: each text is compiled on its own.
            let chosen = rules.iter().enumerate().filter(|(turn, rule)| {
                let is_wanted = full || rule.name == "life" && number % 2 == 0 || (turn + number) % 17 == 0;
                is_wanted && domain.admits(rule).is_ok()
            });
            pairs.extend(chosen.map(|(_, rule)| (domain.clone(), Arc::clone(rule))));
        }
        in_parallel(&pairs, |_, (domain, rule)| {
            let wanted = sights(builder(domain, rule).backend(Backend::Reference));
            let on_shim = builder(domain, rule).backend(Backend::Cuda).packed(true);
            assert_eq!(sights(on_shim), wanted, "{} on {}, packed", rule.name, domain.fractal().name);
        });
        println!("{} packed runs agree", pairs.len());
    }

    /// Boxes and masks of several tiles, and rules by which most cells rest, for ever, for a while, or in turns of two or three steps.
    const RESTING: &str = "
domain open { size (2500, 100) }
domain ragged_torus { size (2061, 45)  periodic }
domain torus { size (3072, 48)  periodic }
domain holes { size (2100, 50)  cells random(0.9)  periodic x }
domain sparse { size (2100, 40)  cells x / 300 % 2 == 0 && random(0.9)  periodic }
domain space { size (70, 37, 9)  periodic }
domain slab { size (1100, 11, 5)  cells random(0.95)  periodic y }
domain small { size (300, 50)  periodic y }
rule glider {
    state alive: bit
    init alive = x == 4 && y == 3 || x == 5 && y == 4 || y == 5 && x in 3..=5 || y == 19 && x in 35..=37
    let n = count(moore, nb.alive)
    next alive = if alive { n in 2..=3 } else { n == 3 }
}
rule backwards {
    state alive: bit
    init alive = x == 4 && y == 6 || x == 3 && y == 5 || y == 4 && x in 3..=5
        || x == 1021 && y == 25 || x == 1022 && y == 26 || y == 27 && x in 1020..=1022
    let n = count(moore, nb.alive)
    next alive = if alive { n in 2..=3 } else { n == 3 }
}
rule soup {
    state alive: bit
    init alive = x < 40 && y < 30 && random(0.4)
    let n = count(moore, nb.alive)
    next alive = if alive { n in 2..=3 } else { n == 3 }
}
rule growth { state a: bit  init a = x == 7 && y == 6 || x + y == 0 || x == 121 && y == 121  next a = a || any(von_neumann, nb.a)  observe all = count(a) }
rule turns {
    state phase: enum { a, b, c }
    state other: bit
    init phase = if x > 20 { b } else { a }
    next phase = if phase == a { a } else if phase == b { c } else { b }
    next other = if x == 9 { !other } else { other || (other[2, 0] else false) && phase != a }
}
rule pile {
    state sand: i32
    init sand = if x == 10 && y == 4 { 90 } else { 1 }
    next sand = sand - (if sand >= 4 { 4 } else { 0 }) + sum(von_neumann, if nb.sand >= 4 { 1 } else { 0 })
}
rule far { state u: f32  init u = f32(x * y % 5)  next u = if u < 3.0 { u } else { 0.5 * u + 0.25 * (u[-40, 3] else u) } }
rule mixed {
    state on: bit
    state u: f64
    init on = x == 50 && y == 20
    init u = -0.0
    next on = on || any(von_neumann, nb.on) && u < 4.0
    next u = if on { u + 1.0 } else { -u }
}
";

    /// Digests in a run that is watched from the first steps on, while something else is written and when it begins again. All numbers of steps are
    /// multiples of `unit` but the last one.
    fn course_of(builder: SimulationBuilder, unit: u64) -> (Vec<Vec<u64>>, Vec<String>) {
        let mut simulation = builder.build().unwrap_or_else(|error| panic!("{error}"));
        let (mut course, mut observed) = (Vec::new(), Vec::new());
        let mut step = |simulation: &mut Simulation, steps: &[u64]| {
            for steps in steps {
                simulation.step(*steps * unit).unwrap();
                course.push(digests_of(simulation));
            }
        };
        step(&mut simulation, &[1, 2, 1, 1, 30, 7, 60]);
        let (id, cells) = (squeeze::ir::StateId(0), simulation.domain().cells());
        let mut bytes = vec![0; squeeze::packed::bytes(simulation.rule().states[0].ty, cells) as usize];
        simulation.read(id, 0..cells, &mut bytes).unwrap();
        bytes.reverse();
        simulation.write(id, 0..cells, &bytes).unwrap();
        step(&mut simulation, &[1, 1, 12, 40]);
        simulation.restart(3, &[] as &[&str]).unwrap();
        step(&mut simulation, &[20, 5]);
        for (every, times) in [(3, 9), (1, 5), (50, 3)] {
            let seen = simulation.step_observing(every * unit as u32, times).unwrap();
            observed.push(format!("{seen:?}"));
            step(&mut simulation, &[0, 6]);
        }
        simulation.step(3).unwrap();
        course.push(digests_of(&simulation));
        (course, observed)
    }

    #[test]
    #[ignore = "the test `activity` runs it on the shim"]
    fn activity() {
        if !is_here() {
            return;
        }
        let library = squeeze_tests::course::library(RESTING);
        let fractals = resting_fractals();
        let of_masks = squeeze_tests::masks::masks();
        let mut pairs = Vec::new();
        for (number, mask) in library.fractals.iter().chain(&of_masks).enumerate() {
            let domain = Domain::new(Arc::clone(mask), 1).unwrap();
            let several = number < library.fractals.len();
            let chosen = library.rules.iter().enumerate().filter(|(turn, rule)| {
                let numbers = matches!(rule.name.as_str(), "pile" | "far" | "mixed");
                let wanted = if several { !numbers || domain.cells() < 100_000 } else { (turn + number) % 8 == 0 };
                wanted && domain.admits(rule).is_ok()
            });
            pairs.extend(chosen.map(|(_, rule)| (domain.clone(), Arc::clone(rule))));
        }
        for domain in &fractals {
            let rules = library.rules.iter().filter(|rule| domain.admits(rule).is_ok());
            pairs.extend(rules.map(|rule| (domain.clone(), Arc::clone(rule))));
        }
        in_parallel(&pairs, |number, (domain, rule)| {
            // Passes are of several steps, of as many as go into what is asked for.
            let unit = if domain.is_mask() { [4, 1][number % 2] } else { [1, 6, 2, 3][number % 4] };
            let wanted = course_of(builder(domain, rule).backend(Backend::Cpu).activity(false), unit);
            let found = course_of(builder(domain, rule).backend(Backend::Cuda).activity_at_once(), unit);
            assert_eq!(found, wanted, "{} on {}", rule.name, domain.fractal().name);
        });
        // To compute all cells of so many steps would take days.
        let mut blinker = builder(&Domain::new(Arc::clone(&library.fractals[1]), 1).unwrap(), &library.rules[3]);
        for steps in [1_000_000_000, 1_000_000_001] {
            blinker = blinker.backend(Backend::Cuda).activity_at_once();
            let mut simulation = blinker.clone().build().unwrap();
            simulation.step(2000).unwrap();
            let wanted = [0, 1].map(|more| {
                simulation.step(more).unwrap();
                digests_of(&simulation)
            });
            simulation.step(steps).unwrap();
            assert_eq!(digests_of(&simulation), wanted[usize::from(steps % 2 == 0)]);
        }
        let filled = &library.rules.iter().find(|rule| rule.name == "growth").unwrap();
        for domain in &fractals[..2] {
            let mut simulation = builder(domain, filled).backend(Backend::Cuda).activity_at_once().build().unwrap();
            simulation.step(3000).unwrap();
            let wanted = digests_of(&simulation);
            simulation.step(1_000_000_000).unwrap();
            assert_eq!(digests_of(&simulation), wanted);
        }
        println!("{} runs agree", pairs.len());
    }

    /// Fractals of all dimensions, one with periodic edges, on which rules come to rest.
    fn resting_fractals() -> Vec<Domain> {
        let triangle = resolve::fractal("sierpinski_triangle").unwrap();
        let ring = Arc::new(Fractal { periodic: squeeze::ir::Axes([true, true, false]), ..Fractal::clone(&triangle) });
        let named = [("sierpinski_triangle", 8), ("sierpinski_carpet", 4), ("vicsek", 5), ("menger_sponge", 2)];
        let named = named.map(|(name, level)| Domain::new(resolve::fractal(name).unwrap(), level).unwrap());
        named.into_iter().chain([Domain::new(ring, 7).unwrap()]).collect()
    }

    /// So many steps that passes are recorded as graphs.
    #[test]
    #[ignore = "the test `graphs` runs it on the shim"]
    fn graphs() {
        if !is_here() {
            return;
        }
        for (fractal, rule) in [("sierpinski_triangle", "life"), ("vicsek", "ising")] {
            let domain = domain(&resolve::fractal(fractal).unwrap(), 100);
            let rule = resolve::rule(rule).unwrap();
            let digests = |backend| {
                let mut simulation = builder(&domain, &rule).backend(backend).build().unwrap();
                simulation.step(1003).unwrap();
                simulation.step(701).unwrap();
                digests_of(&simulation)
            };
            assert_eq!(digests(Backend::Cuda), digests(Backend::Reference), "{} on {fractal}", rule.name);
        }
        println!("graphs agree");
    }

    #[test]
    #[ignore = "the test `maps` runs it on the shim"]
    fn maps() {
        if !is_here() {
            return;
        }
        let grids = squeeze_tests::maps::grids();
        in_parallel(&grids, |_, (name, grid)| squeeze_tests::maps::compare(name, grid, 10));
        println!("{} maps agree", grids.len());
    }

    /// Whole passes: what is loaded carries no others.
    const STEPS: u64 = 4;

    /// Kernels with one mistake each.
    #[test]
    #[ignore = "the test `wrong_kernels_are_found` runs it on the shim"]
    fn wrong_kernels_are_found() {
        if !is_here() {
            return;
        }
        let (triangle, rule) = (resolve::fractal("sierpinski_triangle").unwrap(), resolve::rule("life").unwrap());
        // The lowest level at which columns have several lanes.
        let domain = Domain::new(triangle, 11).unwrap();
        let lanes = cuda::program(&domain, &rule, &compile(&rule, &domain, &Target::cuda()).unwrap()).text;
        assert!(!lanes.contains("constexpr u32 LANES = 1;"));
        let by_warps = StrategyChoice { strategy: Some(Strategy::Squeeze), map: Some(Map::Warp), rho: Some(4) };
        let squeeze = cuda::grid_program(&by_warps.grid(&domain).unwrap().unwrap(), &rule).unwrap().text;
        let with = |strategy_choice: StrategyChoice, text: &str, right: &str, wrong: &str| {
            assert!(text.contains(right), "`{right}` stands in the text");
            let text = text.replacen(right, wrong, 1);
            let builder = builder(&domain, &rule).backend(Backend::Cuda).strategy_choice(strategy_choice);
            let code = cuda::LoadedCode { name: "wrong.cu".to_owned(), text };
            // SAFETY: it is what is printed, with a mistake that leaves all addresses within their memory.
            let mut simulation = unsafe { builder.load_cuda(code) }.build().ok()?;
            simulation.step(STEPS).ok()?;
            Some(simulation.digests().ok()?.into_iter().map(|(_, digest)| digest).collect::<Vec<_>>())
        };
        // Other tests compare this backend with the oracle.
        let mut right = builder(&domain, &rule).backend(Backend::Cpu).build().unwrap();
        right.step(STEPS).unwrap();
        let wanted = Some(digests_of(&right));
        let by_lanes = StrategyChoice::default();
        for (strategy_choice, text) in [(by_lanes, &lanes), (by_warps, &squeeze)] {
            assert_eq!(with(strategy_choice, text, "__global__", "__global__"), wanted, "as it was printed");
        }
        for (strategy_choice, text, right, wrong) in [
            (by_lanes, &lanes, "lop3<0x96>", "lop3<0x69>"),
            (by_lanes, &lanes, ".wrap != STAY", ".wrap == STAY"),
            (by_lanes, &lanes, "superblock >= world.end", "superblock + 1 >= world.end"),
            (by_lanes, &lanes, "& term.mask", "| term.mask"),
            (by_warps, &squeeze, "__syncthreads();", ""),
            (by_warps, &squeeze, "distance /= 2", "distance /= 4"),
            (by_warps, &squeeze, "if (lane % WIDTH == 0", "if (lane == 0"),
            // Not all threads of a warp meet. After such a fault nothing runs any more, so it is the last.
            (by_warps, &squeeze, "sum_of_levels(corner.x)", "(lane == 5 ? 0 : sum_of_levels(corner.x))"),
        ] {
            assert_ne!(with(strategy_choice, text, right, wrong), wanted, "`{wrong}` instead of `{right}`");
        }
        println!("right kernels agree, and wrong ones do not");
    }
}
