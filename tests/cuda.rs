//! The CUDA C of some fractals and rules against texts and hashes in `cuda/`, and all of it through NVIDIA's compiler. Tests run
//! in their package's folder.

use squeeze::Failure as _;
use squeeze::compiler::emit::cuda::{End, Job, Members, emit, measuring_kernels, moving_kernels, shared_structs};
use squeeze::compiler::emit::papers::{BlockGrid, Map};
use squeeze::compiler::kernel::Planes;
use squeeze::compiler::pipeline::compile_totals;
use squeeze::compiler::plan::{Plan, member_candidates};
use squeeze::compiler::reduce::weighted_bits::is_exact;
use squeeze::compiler::target::Machine;
use squeeze::compiler::{Compiled, Target, compile};
use squeeze::cuda::{self, Architecture, CudaError, Nvrtc, Output};
use squeeze::geometry::FittedRule;
use squeeze::{Backend, Domain, Simulation, SimulationBuilder, Strategy, StrategyChoice, resolve};
use squeeze_tests::golden::{self, Golden};
use squeeze_tests::maps;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Parts of instructions that round otherwise than IEEE demands.
const INEXACT: [&str; 4] = ["fma.", ".approx", ".full.", ".ftz"];

/// The first such instruction. Sums that a rule with `flush` asks for are not meant.
fn inexact<'p>(ptx: &'p str, text: &str) -> Option<&'p str> {
    let asked = |line: &str| {
        let sum = ["add.ftz.f32", "sub.ftz.f32"].iter().any(|sum| line.contains(sum));
        sum && text.contains("__device__ __forceinline__ float flushed_")
    };
    ptx.lines().find(|line| INEXACT.iter().any(|part| line.contains(part)) && !asked(line))
}

#[test]
fn the_code_is_as_it_was() {
    golden::check("cuda", &[Golden::lanes(), Golden::rows(), Golden::beside(), Golden::papers()].concat());
    let golden = &Golden::lanes()[0];
    assert_eq!(golden.text(), golden.text(), "the same twice");
}

/// NVRTC, if it can be had: `cargo xtask test` fetches it. Where CI=true it must be there.
fn nvrtc() -> Option<Nvrtc> {
    match Nvrtc::in_folder(Path::new("../target/nvrtc/nvidia/cu13/lib")).or_else(|_| Nvrtc::find()) {
        Ok(nvrtc) => Some(nvrtc),
        Err(error) => {
            assert!(std::env::var("CI").as_deref() != Ok("true"), "{error}: {}", error.help().join("; "));
            println!("SKIPPED: {error}");
            None
        }
    }
}

/// Whether nothing is kept in local memory, but the digits of large numbers whose sines are asked for.
fn is_in_registers(ptx: &str, text: &str) -> bool {
    !ptx.contains(".local") || text.contains("sin_f32")
}

#[test]
fn the_code_compiles_for_old_and_new_architectures() {
    let Some(nvrtc) = nvrtc() else { return };
    for golden in [Golden::lanes(), Golden::rows()].concat() {
        let (name, text) = (&golden.name, golden.text());
        for architecture in [75, 90].map(Architecture) {
            let compile = |output| nvrtc.compile(&text, architecture, output).unwrap_or_else(|e| panic!("{name}: {e}"));
            let ptx = String::from_utf8(compile(Output::Ptx)).unwrap();
            assert!(ptx.contains(&format!(".target sm_{}", architecture.0)));
            let wrong = inexact(&ptx, &text);
            assert_eq!(wrong, None, "{name} is not compiled exactly");
            assert!(is_in_registers(&ptx, &text), "{name} keeps something in local memory");
            // Machine code takes long; what people read stands for the others.
            if golden.is_kept() {
                assert!(compile(Output::Cubin).starts_with(b"\x7fELF"));
            }
        }
    }
    let (fractal, rule) = (resolve::fractal("vicsek").unwrap(), resolve::rule("gpu/operations.rule").unwrap());
    let rule = Domain::new(fractal, 5).unwrap().fit(&rule).unwrap();
    let text = cuda::program(&rule, &compile(&rule, &Target::cuda()).unwrap()).text;
    nvrtc.compile(&text, Architecture(75), Output::Ptx).unwrap_or_else(|e| panic!("{e}"));
}

/// Kernels of many members, of bits, of random bits and of numbers.
#[test]
fn the_code_of_members_compiles() {
    let Some(nvrtc) = nvrtc() else { return };
    for (fractal, rule, level) in
        [("sierpinski_triangle", "life", 8), ("sierpinski_triangle", "ising", 8), ("vicsek", "heat", 5)]
    {
        let (fractal, rule) = (resolve::fractal(fractal).unwrap(), resolve::rule(rule).unwrap());
        let domain = Domain::new(fractal, level).unwrap();
        let rule = domain.fit(&rule).unwrap();
        let Compiled { plan, init, steps, .. } = compile(&rule, &Target::cuda().with_members(4096)).unwrap();
        let members = Members::InTurn { params: plan.derived.end() };
        let mut texts = vec![emit(&plan, members, std::iter::once(&init).chain(&steps).map(Job::new), &[]).text];
        if !rule.draws() && Planes::are_bits(&rule) {
            let plan = member_candidates(&domain, &rule, &Machine::gpu(), 4000).remove(0);
            let target = Target::cuda().demanding(Some(plan));
            let Compiled { plan, steps, .. } = compile(&rule, &target).unwrap();
            let members = Members::AsLanes { members: 4000 };
            texts.push(emit(&plan, members, steps.iter().map(Job::new), &[]).text);
            if (0..rule.reductions.len()).all(|index| is_exact(&rule, index)) {
                let (kernel, totals) = compile_totals(&rule, &plan, &target).unwrap();
                let job = Job { end: End::AddUp(&totals), ..Job::new(&kernel) };
                texts.push(emit(&plan, members, [job], &[]).text);
            }
        }
        texts.push(moving_kernels());
        for (text, architecture) in texts.iter().flat_map(|text| [75, 90].map(|number| (text, Architecture(number)))) {
            let compiled = nvrtc.compile(text, architecture, Output::Ptx);
            let ptx = String::from_utf8(compiled.unwrap_or_else(|e| panic!("{}: {e}", rule.name))).unwrap();
            let wrong = inexact(&ptx, text);
            assert_eq!(wrong, None, "{} is not compiled exactly", rule.name);
            assert!(!ptx.contains(".local"), "{} keeps something in local memory", rule.name);
        }
    }
}

/// States that hold the cells of masks alone, and what is added up of them and of columns.
#[test]
fn the_code_of_packed_states_compiles() {
    let Some(nvrtc) = nvrtc() else { return };
    let rules = ["life", "heat", "ising", "gray_scott", "greenberg_hastings"].map(|name| resolve::rule(name).unwrap());
    for (number, mask) in squeeze_tests::masks::masks().into_iter().enumerate() {
        let domain = Domain::new(mask, 1).unwrap();
        let Ok(rule) = &domain.fit(&rules[number % rules.len()]) else { continue };
        let mut texts = Vec::new();
        for packed in [true, false] {
            let target = Target::cuda().within(u64::MAX, packed);
            let Compiled { init, steps, plan, .. } = compile(rule, &target).unwrap();
            if packed {
                let jobs = std::iter::once(&init).chain(&steps).map(Job::new);
                texts.push(emit(&plan, Members::One, jobs, &[]).text);
            }
            if !rule.reductions.is_empty() && (0..rule.reductions.len()).all(|index| is_exact(rule, index)) {
                let (kernel, totals) = compile_totals(rule, &plan, &target).unwrap();
                let job = Job { end: End::AddUp(&totals), ..Job::new(&kernel) };
                texts.push(emit(&plan, Members::One, [job], &[]).text);
            }
        }
        let architecture = Architecture([90, 75][number / rules.len() % 2]);
        for text in texts {
            let compiled = nvrtc.compile(&text, architecture, Output::Ptx);
            let ptx = compiled.unwrap_or_else(|e| panic!("{} on {}: {e}", rule.name, domain.fractal().name));
            assert_eq!(inexact(&String::from_utf8(ptx).unwrap(), &text), None, "{} is not compiled exactly", rule.name);
        }
    }
}

/// Passes that compute only what can change.
#[test]
fn the_code_of_watched_passes_compiles() {
    let rules = ["conway", "heat", "ising", "gray_scott", "greenberg_hastings", "sandpile", "life_3d"];
    let rules = rules.map(|name| resolve::rule(name).unwrap());
    let mut watched = 0;
    let mut check = |rule: &FittedRule, plan: &Plan, job: Job| {
        let domain = rule.domain();
        let Some(nvrtc) = nvrtc() else { return };
        let text = emit(plan, Members::One, [Job { end: End::Compare, ..job }], &[]).text;
        let compiled = nvrtc.compile(&text, Architecture([90, 75][watched % 2]), Output::Ptx);
        let ptx = compiled.unwrap_or_else(|e| panic!("{} on {}: {e}", rule.name, domain.fractal().name));
        let ptx = String::from_utf8(ptx).unwrap();
        assert_eq!(inexact(&ptx, &text), None, "{} is not compiled exactly", rule.name);
        watched += 1;
    };
    let fractals = [("sierpinski_triangle", 9), ("sierpinski_carpet", 5), ("full_square", 8), ("menger_sponge", 3)];
    for (number, (name, level)) in fractals.into_iter().enumerate() {
        let domain = Domain::new(resolve::fractal(name).unwrap(), level).unwrap();
        for (_, rule) in rules.iter().enumerate().filter(|(turn, _)| (turn + number) % 2 == 0) {
            if let Ok(rule) = &domain.fit(rule) {
                let Compiled { steps, plan, .. } = compile(rule, &Target::cuda()).unwrap();
                assert_eq!(plan.rests, !rule.draws(), "{} draws or not", rule.name);
                if plan.rests {
                    check(rule, &plan, Job::new(&steps[0]));
                }
            }
        }
    }
    for (number, mask) in squeeze_tests::masks::masks().into_iter().enumerate() {
        let domain = Domain::new(mask, 1).unwrap();
        for (_, rule) in rules.iter().enumerate().filter(|(turn, _)| (turn + number) % 3 == 0) {
            let Ok(rule) = &domain.fit(rule) else { continue };
            let target = Target::cuda();
            let Compiled { plan, steps, .. } = compile(rule, &target).unwrap();
            assert_eq!(plan.rests, !rule.draws(), "{} draws or not", rule.name);
            if !plan.rests {
                continue;
            }
            let jobs = [Some(Job::new(&steps[0])), Job::in_window(&plan, &steps)];
            jobs.into_iter().flatten().for_each(|job| check(rule, &plan, job));
        }
    }
    println!("{watched} kernels compile");
}

#[test]
fn classes_of_the_border_are_there_where_neighbours_may_be_missing() {
    let (fractal, rule) = (resolve::fractal("full_square").unwrap(), resolve::rule("ising").unwrap());
    let rule = Domain::new(fractal, 14).unwrap().fit(&rule).unwrap();
    let compiled = compile(&rule, &Target::cuda()).unwrap();
    let text = cuda::program(&rule, &compiled).text;
    // Away from the border a spin has four neighbours, whose sum has five values; at the border it has three or two.
    assert!(text.contains("decide<32, 1, 9>") && text.contains("decide<32, 1, 5>"), "{text}");
    // Their thresholds are read.
    assert!(!text.contains("exp_f32") && !text.contains("__shared__"), "{text}");
}

/// Minima and maxima of PTX tell zeros apart, choices do not.
#[test]
fn choices_of_a_zero_stay_choices() {
    let (fractal, rule) = (resolve::fractal("vicsek").unwrap(), resolve::rule("gpu/zeros.rule").unwrap());
    let rule = Domain::new(fractal, 4).unwrap().fit(&rule).unwrap();
    let text = cuda::program(&rule, &compile(&rule, &Target::cuda()).unwrap()).text;
    assert!(text.contains("hidden((-0.0f))") && text.contains("hidden(0.0)"), "{text}");
    let Some(nvrtc) = nvrtc() else { return };
    let ptx = nvrtc.compile(&text, Architecture(90), Output::Ptx).unwrap_or_else(|e| panic!("{e}"));
    let ptx = String::from_utf8(ptx).unwrap();
    let extreme = ptx.lines().find(|line| ["min.f", "max.f"].iter().any(|part| line.contains(part)));
    assert_eq!(extreme, None);
}

/// Neighbours that are many stand in loops, which compile at once and hold nothing in local memory.
#[test]
fn the_code_of_loops_compiles() {
    let names = ["far_count", "far_weights", "far_waves", "far_extremes", "far_steps"];
    let nvrtc = nvrtc();
    for (fractal, level) in [("full_square", 9), ("sierpinski_carpet", 5), ("menger_sponge", 3)] {
        let fractal = resolve::fractal(fractal).unwrap();
        for name in names {
            let rule = resolve::rule(&format!("gpu/far.rule#{name}")).unwrap();
            let rule = Domain::new(Arc::clone(&fractal), level).unwrap().fit(&rule).unwrap();
            let compiled = compile(&rule, &Target::cuda()).unwrap();
            let text = cuda::program(&rule, &compiled).text;
            let lines = text.lines().filter(|line| !line.starts_with("    {")).count();
            assert!(text.contains("++link") && lines < 800, "{name} on {}: {lines} lines", fractal.name);
            let Some(nvrtc) = &nvrtc else { continue };
            let compiled = nvrtc.compile(&text, Architecture(90), Output::Ptx);
            let ptx = String::from_utf8(compiled.unwrap_or_else(|e| panic!("{name}: {e}"))).unwrap();
            assert_eq!(inexact(&ptx, &text), None, "{name} is not compiled exactly");
            assert!(is_in_registers(&ptx, &text), "{name} keeps something in local memory");
        }
    }
}

/// Old architectures as PTX, whose instructions can be counted, new ones to machine code.
#[test]
fn the_code_of_the_papers_strategies_compiles() {
    let Some(nvrtc) = nvrtc() else { return };
    for golden in Golden::papers() {
        let (name, program) = (&golden.name, golden.papers_program());
        let compile = |architecture, output| {
            nvrtc.compile(&program.text, Architecture(architecture), output).unwrap_or_else(|e| panic!("{name}: {e}"))
        };
        let ptx = String::from_utf8(compile(75, Output::Ptx)).unwrap();
        let wrong = inexact(&ptx, &program.text);
        assert_eq!(wrong, None, "{name} is not compiled exactly");
        assert!(is_in_registers(&ptx, &program.text), "{name} keeps something in local memory");
        assert_eq!(ptx.matches("mma.sync").count(), program.products, "{name} multiplies matrices");
        // Machine code takes long; one strategy stands for the others, whose code is part of it.
        if name.contains("_squeeze") {
            assert!(compile(90, Output::Cubin).starts_with(b"\x7fELF"));
        } else {
            compile(90, Output::Ptx);
        }
    }
}

/// What the host fills is what CUDA C declares: the C++ compiler of this machine and NVIDIA's place all fields where Rust does.
#[test]
fn structs_of_kernels_stand_as_the_host_fills_them() {
    let mut text = "typedef unsigned char u8;\ntypedef unsigned int u32;\ntypedef unsigned long long u64;\n".to_owned();
    text += "typedef unsigned short u16;\ntypedef long long i64;\ntypedef u32 CellIndex;\n";
    let mut all = shared_structs();
    #[cfg(feature = "packing")]
    all.extend(squeeze_packing::cuda::shared_structs());
    for (number, shared) in all.into_iter().enumerate() {
        let name = shared.name;
        text += &format!(
            "namespace of_{number} {{\n{}static_assert(sizeof({name}) == {}, \"size\");\n",
            shared.text, shared.size
        );
        for (field, offset) in &shared.offsets {
            text += &format!("static_assert(__builtin_offsetof({name}, {field}) == {offset}, \"{field}\");\n");
        }
        text += "}\n";
        // All kinds of kernels have one of this name, and no struct has one in it.
        if name != "World" {
            text += &format!("using of_{number}::{name};\n");
        }
    }
    assert!(text.matches("__builtin_offsetof").count() > 50, "{text}");
    if let Some(nvrtc) = nvrtc() {
        nvrtc.compile(&text, Architecture(90), Output::Ptx).unwrap_or_else(|error| panic!("{error}"));
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("structs.cpp");
    std::fs::write(&file, text).unwrap();
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "c++".to_owned());
    match std::process::Command::new(compiler).args(["-std=c++17", "-fsyntax-only"]).arg(&file).output() {
        Err(error) => assert!(std::env::var("CI").as_deref() != Ok("true"), "a C++ compiler: {error}"),
        Ok(done) => assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr)),
    }
}

#[test]
fn what_all_simulations_share_compiles() {
    let Some(nvrtc) = nvrtc() else { return };
    for architecture in [75, 90].map(Architecture) {
        let cubin = nvrtc.compile(&measuring_kernels(), architecture, Output::Cubin);
        cubin.unwrap_or_else(|error| panic!("{error}"));
    }
}

#[cfg(feature = "overlap")]
#[test]
fn kernels_of_overlaps_compile_and_spill_nothing() {
    use squeeze_overlap::cuda::{MMA, POPC};
    let Some(nvrtc) = nvrtc() else { return };
    for (text, architectures) in [(POPC, &[75, 80, 90, 100, 120][..]), (MMA, &[80, 89, 90])] {
        for architecture in architectures.iter().copied().map(Architecture) {
            assert!(nvrtc.compile(text, architecture, Output::Cubin).unwrap().starts_with(b"\x7fELF"));
            let ptx = String::from_utf8(nvrtc.compile(text, architecture, Output::Ptx).unwrap()).unwrap();
            assert!(!ptx.contains(".local"), "something is kept in local memory for {architecture:?}");
            let products = ptx.matches("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc").count();
            assert_eq!(products > 0, text == MMA, "{architecture:?}");
        }
    }
}

#[cfg(feature = "overlap")]
#[test]
fn the_kernel_of_overlaps_for_one_architecture_spills_nothing() {
    use squeeze_overlap::cuda::WGMMA;
    let Some(nvrtc) = nvrtc() else { return };
    let log = nvrtc.resources(WGMMA, Architecture(90), Output::OwnCubin).unwrap();
    // Products that wait for each other are reported as a loss.
    assert!(!log.contains("Potential Performance Loss"), "{log}");
    assert_eq!(log.matches("0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads").count(), 4, "{log}");
    assert!(nvrtc.compile(WGMMA, Architecture(90), Output::Cubin).is_err());
}

#[cfg(feature = "packing")]
#[test]
fn kernels_that_pack_compile_and_spill_nothing() {
    use squeeze_packing::cuda::{encodings, packing_kernels};
    let Some(nvrtc) = nvrtc() else { return };
    for text in [packing_kernels(), encodings()] {
        for architecture in [75, 80, 90, 100, 120].map(Architecture) {
            assert!(nvrtc.compile(&text, architecture, Output::Cubin).unwrap().starts_with(b"\x7fELF"));
            let ptx = String::from_utf8(nvrtc.compile(&text, architecture, Output::Ptx).unwrap()).unwrap();
            assert!(!ptx.contains(".local"), "something is kept in local memory for {architecture:?}");
        }
    }
}

/// Bytes that a thread of a kernel may keep in local memory: two registers. ptxas decides by itself how many blocks share a processor, and
/// spills a register or two where that lets one more in: on sm_90 one store and one load among 728 to 1 792 instructions, in a line of the
/// first cache. No launch bounds suit all: those that let a kernel keep its registers cost it one to three blocks of seven, and tighter ones
/// spill ten times as much elsewhere.
const SPILL_ALLOWED: u32 = 8;

/// Texts of a hundred that may spill that little. More would tell of kernels that grew, not of ptxas' choices.
const PERCENT_MAY_SPILL: usize = 2;

/// Bytes of the stack and of stores and loads of spilled registers, in a line of the compiler.
fn frame(line: &str) -> Option<[u32; 3]> {
    let number = |what: &str| line.split_once(what)?.0.rsplit(' ').next()?.parse().ok();
    Some([number(" bytes stack frame")?, number(" bytes spill stores")?, number(" bytes spill loads")?])
}

#[test]
fn frames_are_read() {
    let line = "ptxas         .     8 bytes stack frame, 4 bytes spill stores, 12 bytes spill loads";
    assert_eq!(frame(line), Some([8, 4, 12]));
    assert_eq!(frame("ptxas info    : Used 64 registers"), None);
}

/// `cargo xtask validate` runs this: every text, for all architectures that the emitter promises, fits in registers, but for the few words
/// that [`SPILL_ALLOWED`] and [`PERCENT_MAY_SPILL`] let pass.
#[test]
#[ignore = "takes minutes; `cargo xtask validate` runs it"]
fn all_texts_compile_for_all_architectures_without_spills() {
    let nvrtc = nvrtc().expect("NVRTC is there: `cargo xtask fetch-nvrtc` brings it");
    let (mut texts, mut spilt, mut wrong) = (0, Vec::new(), Vec::new());
    for golden in [Golden::lanes(), Golden::rows(), Golden::papers()].concat() {
        let (name, text) = (&golden.name, golden.text());
        for architecture in [75, 80, 90, 100, 120].map(Architecture) {
            let log = nvrtc.resources(&text, architecture, Output::Cubin).unwrap_or_else(|e| panic!("{name}: {e}"));
            let frames: Vec<[u32; 3]> = log.lines().filter_map(frame).collect();
            assert!(!frames.is_empty(), "{name}: the compiler says nothing of frames:\n{log}");
            texts += 1;
            let most = frames.iter().flatten().copied().max().unwrap_or(0);
            let place = format!("{name} for sm_{}: {} kernels", architecture.0, frames.len());
            match most {
                0 => println!("{place}, no local memory"),
                1..=SPILL_ALLOWED => {
                    println!("{place}, at most {most} bytes of local memory");
                    spilt.push(place);
                }
                _ => {
                    println!("{place}, {most} bytes of local memory: too much");
                    wrong.push(place);
                }
            }
        }
    }
    println!("{} of {texts} texts spill at most {SPILL_ALLOWED} bytes:\n{}", spilt.len(), spilt.join("\n"));
    assert!(wrong.is_empty(), "registers do not hold {}: {wrong:?}", wrong.len());
    assert!(100 * spilt.len() <= PERCENT_MAY_SPILL * texts, "{} of {texts} texts spill: too many", spilt.len());
}

#[test]
fn the_compilers_words_reach_the_user() {
    let Some(nvrtc) = nvrtc() else { return };
    let Err(CudaError::Nvrtc { what, reason }) = nvrtc.compile("int x = y;", Architecture::USUAL, Output::Ptx) else {
        panic!("this is no program")
    };
    assert!(what.contains("compute_90") && reason.contains('y'), "{what}: {reason}");
    assert!(nvrtc.compile("", Architecture(50), Output::Cubin).is_err(), "NVRTC 13 knows no sm_50");
    assert!(nvrtc.version().0 >= 12);
}

/// Every map on tensor cores of a million random blocks, of a tenth by the other ways, and of all beside the places where a digit
/// changes, against arithmetic of 64 bits.
#[test]
fn maps_on_a_gpu_are_exact() {
    if let Err(error) = cuda::device_name() {
        println!("SKIPPED: {error}");
        return;
    }
    for (name, grid) in maps::grids() {
        // The products of matrices are what could round; the other maps are sums of integers.
        maps::compare(&name, &grid, if grid.map == Map::Wmma { 62_500 } else { 6_250 });
    }
}

/// Every fractal, rule, strategy and map against the oracle, with blocks of all sizes by turns.
#[test]
fn strategies_on_a_gpu_agree_with_the_oracle() {
    let (fractal, rule) = (resolve::fractal("sierpinski_triangle").unwrap(), resolve::rule("life").unwrap());
    // As long as it lives, the device stays open for all others.
    let _open = match Simulation::builder(fractal, rule).backend(Backend::Cuda).build() {
        Ok(simulation) => simulation,
        Err(error) => return println!("SKIPPED: {error}"),
    };
    let names = |folder: &str, ending: &str| {
        let files = squeeze_tests::files(Path::new(folder), &[ending]);
        files.into_iter().map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let mut rules = names("../rules", "rule");
    rules.push("gpu/operations.rule".to_owned());
    let ways: Vec<(Strategy, Option<Map>)> = std::iter::once((Strategy::BoundingBox, None))
        .chain([Strategy::Lambda, Strategy::Squeeze].into_iter().flat_map(|s| Map::ALL.map(|map| (s, Some(map)))))
        .collect();
    let mut cases = Vec::new();
    for fractal in names("../fractals", "fractal") {
        for rule in &rules {
            cases.push((fractal.clone(), rule.clone()));
        }
    }
    let (next, agreed) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let work = || {
        while let Some((fractal, rule)) = cases.get(next.fetch_add(1, Relaxed)) {
            let (resolved, checked) = (resolve::fractal(fractal).unwrap(), resolve::rule(rule).unwrap());
            let axes = resolved.dimension.axes() as u32;
            let fits = |side: u64, cells| side.saturating_pow(axes) <= 100_000 && cells <= 20_000;
            let domain = Domain::new(resolved.clone(), Domain::largest_level_where(&resolved, fits)).unwrap();
            if domain.admits(&checked).is_err() || !resolved.is_isotropic() {
                continue;
            }
            let outcome = |builder: SimulationBuilder| {
                let mut simulation = builder.level(domain.level()).seed(7).build().unwrap_or_else(|e| panic!("{e}"));
                simulation.step(5).unwrap();
                format!("{:?} {:?}", simulation.digests().unwrap(), simulation.observe().unwrap())
            };
            let builder = || Simulation::builder(resolved.clone(), checked.clone());
            let wanted = outcome(builder().backend(Backend::Reference));
            let sides = BlockGrid::sides(&domain);
            for (turn, (strategy, map)) in ways.iter().enumerate() {
                let place = (next.load(Relaxed) + 3 * turn) % (sides.len() + 1);
                let rho = sides.get(place).copied();
                let strategy_choice = StrategyChoice { strategy: Some(*strategy), map: *map, rho };
                let found = outcome(builder().backend(Backend::Cuda).strategy_choice(strategy_choice));
                assert_eq!(found, wanted, "{fractal} {rule} {strategy_choice:?}");
                agreed.fetch_add(1, Relaxed);
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| (0..threads).for_each(|_| _ = scope.spawn(work)));
    println!("{} runs agree", agreed.load(Relaxed));
}
