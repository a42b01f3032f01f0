//! The CUDA C of some fractals and rules against texts and hashes in `cuda/`, and all of it through NVIDIA's compiler. Tests run
//! in their package's folder.

use squeeze::Failure as _;
use squeeze::compiler::emit::cuda::{End, Head, Job, emit, look_kernels, measuring_kernels, shared_structs};
use squeeze::compiler::kernel::Planes;
use squeeze::compiler::plan::{Plan, member_candidates};
use squeeze::compiler::reduce::weighted_bits::is_exact;
use squeeze::compiler::target::{Machine, Members};
use squeeze::compiler::{Program, Target};
use squeeze::cuda::{self, Architecture, CudaError, Nvrtc, Output};
use squeeze::geometry::FittedRule;
use squeeze::{Domain, resolve};
use squeeze_tests::golden::{self, Emitter, Golden};
use std::path::Path;
use std::sync::Arc;

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
    golden::check("cuda", &Golden::cuda());
    let golden = &Golden::lanes()[0];
    assert_eq!(golden.text(), golden.text(), "the same twice");
}

/// NVRTC, if it can be had: `cargo xtask test` fetches it. Where CI=true it must be there.
fn nvrtc() -> Option<Nvrtc> {
    // SAFETY: NVIDIA's package lies there.
    match unsafe { Nvrtc::in_folder(Path::new("../target/nvrtc/nvidia/cu13/lib")) }.or_else(|_| Nvrtc::find()) {
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
    for (number, golden) in [Golden::lanes(), Golden::rows()].concat().into_iter().enumerate() {
        let (name, text) = (&golden.name, golden.text());
        // By day every twelfth text that is kept as a hash alone is compiled, for one of the two by turns.
        let both = golden.is_kept() || squeeze_tests::all_cases();
        if !both && !squeeze_tests::is_chosen(number, 12) {
            continue;
        }
        let architectures = if both { vec![75, 90] } else { vec![[75, 90][number / 12 % 2]] };
        for architecture in architectures.into_iter().map(Architecture) {
            let compile = |output| nvrtc.compile(&text, architecture, output).unwrap_or_else(|e| panic!("{name}: {e}"));
            let ptx = String::from_utf8(compile(Output::Ptx).to_vec()).unwrap();
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
    for name in ["gpu/operations.rule", "gpu/tables.rule"] {
        let (fractal, rule) = (resolve::fractal("vicsek").unwrap(), resolve::rule(name).unwrap());
        let rule = Domain::new(fractal, 5).unwrap().fit(&rule).unwrap();
        let text = cuda::program(&Program::of(&rule, &Target::cuda()).unwrap(), None).text;
        nvrtc.compile(&text, Architecture(75), Output::Ptx).unwrap_or_else(|e| panic!("{e}"));
    }
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
        let Program { plan, init, steps, .. } =
            Program::of(&rule, &Target::cuda().with_members(Members::InTurn(4096))).unwrap();
        let mut texts = vec![emit(&plan, std::iter::once(&init).chain(&steps).map(Job::new), &Head::default()).text];
        if !rule.draws() && Planes::are_bits(&rule) {
            let choice = member_candidates(&domain, &rule, &Machine::gpu(), 4000).remove(0);
            let target = Target::cuda().with_members(choice.members).demanding(Some(choice));
            let program = Program::of(&rule, &target).unwrap();
            let plan = &program.plan;
            let jobs = std::iter::once(&program.init).chain(&program.steps).map(Job::new);
            texts.push(emit(plan, jobs, &Head::default()).text);
            assert!(texts[1].contains(" random_bits_of_members<"), "each member draws by its own seed");
            if (0..rule.reductions.len()).all(|index| is_exact(&rule, index)) {
                let (kernel, totals) = program.totals(&rule).unwrap();
                let job = Job { end: End::AddUp(&totals), ..Job::new(&kernel) };
                texts.push(emit(plan, [job], &Head::default()).text);
            }
        }
        for (text, architecture) in texts.iter().flat_map(|text| [75, 90].map(|number| (text, Architecture(number)))) {
            let compiled = nvrtc.compile(text, architecture, Output::Ptx);
            let ptx = String::from_utf8(compiled.unwrap_or_else(|e| panic!("{}: {e}", rule.name)).to_vec()).unwrap();
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
            let program = Program::of(rule, &target).unwrap();
            let Program { init, steps, plan, .. } = &program;
            if packed {
                let jobs = std::iter::once(init).chain(steps).map(Job::new);
                texts.push(emit(plan, jobs, &Head::default()).text);
            }
            if !rule.reductions.is_empty() && (0..rule.reductions.len()).all(|index| is_exact(rule, index)) {
                let (kernel, totals) = program.totals(rule).unwrap();
                let job = Job { end: End::AddUp(&totals), ..Job::new(&kernel) };
                texts.push(emit(plan, [job], &Head::default()).text);
            }
        }
        let architecture = Architecture([90, 75][number / rules.len() % 2]);
        for text in texts {
            let compiled = nvrtc.compile(&text, architecture, Output::Ptx);
            let ptx = compiled.unwrap_or_else(|e| panic!("{} on {}: {e}", rule.name, domain.fractal().name));
            assert_eq!(
                inexact(std::str::from_utf8(&ptx).unwrap(), &text),
                None,
                "{} is not compiled exactly",
                rule.name
            );
        }
    }
}

/// Passes that compute only cells that can change.
#[test]
fn the_code_of_watched_passes_compiles() {
    let rules = ["conway", "heat", "ising", "gray_scott", "greenberg_hastings", "sandpile", "life_3d"];
    let rules = rules.map(|name| resolve::rule(name).unwrap());
    let mut watched = 0;
    let mut check = |rule: &FittedRule, plan: &Plan, job: Job| {
        let domain = rule.domain();
        let Some(nvrtc) = nvrtc() else { return };
        let text = emit(plan, [Job { end: End::Compare, ..job }], &Head::default()).text;
        let compiled = nvrtc.compile(&text, Architecture([90, 75][watched % 2]), Output::Ptx);
        let ptx = compiled.unwrap_or_else(|e| panic!("{} on {}: {e}", rule.name, domain.fractal().name));
        let ptx = String::from_utf8(ptx.to_vec()).unwrap();
        assert_eq!(inexact(&ptx, &text), None, "{} is not compiled exactly", rule.name);
        watched += 1;
    };
    let fractals = [("sierpinski_triangle", 9), ("sierpinski_carpet", 5), ("full_square", 8), ("menger_sponge", 3)];
    for (number, (name, level)) in fractals.into_iter().enumerate() {
        let domain = Domain::new(resolve::fractal(name).unwrap(), level).unwrap();
        for (_, rule) in rules.iter().enumerate().filter(|(turn, _)| (turn + number) % 2 == 0) {
            if let Ok(rule) = &domain.fit(rule) {
                let Program { steps, plan, .. } = Program::of(rule, &Target::cuda()).unwrap();
                assert_eq!(plan.rests(), !rule.draws(), "{} draws or not", rule.name);
                if plan.rests() {
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
            let Program { plan, steps, .. } = Program::of(rule, &target).unwrap();
            assert_eq!(plan.rests(), !rule.draws(), "{} draws or not", rule.name);
            if !plan.rests() {
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
    let compiled = Program::of(&rule, &Target::cuda()).unwrap();
    let text = cuda::program(&compiled, None).text;
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
    let text = cuda::program(&Program::of(&rule, &Target::cuda()).unwrap(), None).text;
    assert!(text.contains("hidden((-0.0f))") && text.contains("hidden(0.0)"), "{text}");
    let Some(nvrtc) = nvrtc() else { return };
    let ptx = nvrtc.compile(&text, Architecture(90), Output::Ptx).unwrap_or_else(|e| panic!("{e}"));
    let ptx = String::from_utf8(ptx.to_vec()).unwrap();
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
            let compiled = Program::of(&rule, &Target::cuda()).unwrap();
            let text = cuda::program(&compiled, None).text;
            let lines = text.lines().filter(|line| !line.starts_with("    {")).count();
            assert!(text.contains("++link") && lines < 800, "{name} on {}: {lines} lines", fractal.name);
            let Some(nvrtc) = &nvrtc else { continue };
            let compiled = nvrtc.compile(&text, Architecture(90), Output::Ptx);
            let ptx = String::from_utf8(compiled.unwrap_or_else(|e| panic!("{name}: {e}")).to_vec()).unwrap();
            assert_eq!(inexact(&ptx, &text), None, "{name} is not compiled exactly");
            assert!(is_in_registers(&ptx, &text), "{name} keeps something in local memory");
        }
    }
}

/// Old architectures as PTX, whose instructions can be counted, new ones to machine code: every fourth program, unless all are asked for.
#[cfg(feature = "papers")]
#[test]
fn the_code_of_the_papers_strategies_compiles() {
    let Some(nvrtc) = nvrtc() else { return };
    for (_, golden) in
        Golden::papers().into_iter().enumerate().filter(|(number, _)| squeeze_tests::is_chosen(*number, 4))
    {
        let (name, program) = (&golden.name, golden.papers_program());
        let compile = |architecture, output| {
            nvrtc.compile(&program.text, Architecture(architecture), output).unwrap_or_else(|e| panic!("{name}: {e}"))
        };
        let ptx = String::from_utf8(compile(75, Output::Ptx).to_vec()).unwrap();
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

/// The structs that the host fills are those that CUDA C declares: the C++ compiler of this machine and NVIDIA's place all fields where Rust does.
#[test]
fn structs_of_kernels_stand_as_the_host_fills_them() {
    let mut text = "typedef unsigned char u8;\ntypedef unsigned int u32;\ntypedef unsigned long long u64;\n".to_owned();
    text += "typedef unsigned short u16;\ntypedef long long i64;\ntypedef u32 CellIndex;\n";
    // NVRTC up to 13.0 does not know the builtin of C++ compilers, and has the offset as the constant address of a field at 0.
    text += "#ifdef __CUDACC_RTC__\n#define OFFSET(type, field) __INTADDR__(&((type *)0)->field)\n";
    text += "#else\n#define OFFSET(type, field) __builtin_offsetof(type, field)\n#endif\n";
    let mut all = shared_structs();
    #[cfg(feature = "packing")]
    all.extend(squeeze_packing::cuda::shared_structs());
    #[cfg(feature = "papers")]
    all.extend(squeeze_papers::abi::shared_structs());
    for (number, shared) in all.into_iter().enumerate() {
        let name = shared.name;
        text += &format!(
            "namespace of_{number} {{\n{}static_assert(sizeof({name}) == {}, \"size\");\n",
            shared.text, shared.size
        );
        for (field, offset) in &shared.offsets {
            text += &format!("static_assert(OFFSET({name}, {field}) == {offset}, \"{field}\");\n");
        }
        text += "}\n";
        // All kinds of kernels have one of this name, and no struct has one in it.
        if name != "World" {
            text += &format!("using of_{number}::{name};\n");
        }
    }
    assert!(text.matches("assert(OFFSET").count() > 50, "{text}");
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
        for text in [measuring_kernels(), look_kernels()] {
            let cubin = nvrtc.compile(&text, architecture, Output::Cubin);
            cubin.unwrap_or_else(|error| panic!("{error}"));
        }
    }
}

#[cfg(feature = "overlap")]
#[test]
fn kernels_of_overlaps_compile_and_spill_nothing() {
    use squeeze_overlap::cuda::GpuKernel::{Mma, Popc};
    let Some(nvrtc) = nvrtc() else { return };
    let all = [(Popc, &[75, 80, 90, 100, 120][..]), (Mma, &[80, 89, 90])];
    let texts = all.into_iter().flat_map(|(kernel, all)| kernel.shapes(1).map(move |shape| (kernel, shape, all)));
    for (kernel, shape, architectures) in texts {
        let text = &kernel.text(shape);
        for architecture in architectures.iter().copied().map(Architecture) {
            assert!(nvrtc.compile(text, architecture, Output::Cubin).unwrap().starts_with(b"\x7fELF"));
            let ptx = String::from_utf8(nvrtc.compile(text, architecture, Output::Ptx).unwrap().to_vec()).unwrap();
            assert!(!ptx.contains(".local"), "something is kept in local memory for {architecture:?}");
            let products = ptx.matches("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc").count();
            assert_eq!(products > 0, kernel == Mma, "{architecture:?}");
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
    // By day for the oldest and the one that is used most.
    let architectures = if squeeze_tests::all_cases() { &[75, 80, 90, 100, 120][..] } else { &[75, 90] };
    for text in [packing_kernels(), encodings()] {
        for architecture in architectures.iter().copied().map(Architecture) {
            assert!(nvrtc.compile(&text, architecture, Output::Cubin).unwrap().starts_with(b"\x7fELF"));
            let ptx = String::from_utf8(nvrtc.compile(&text, architecture, Output::Ptx).unwrap().to_vec()).unwrap();
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
    for golden in Golden::cuda().into_iter().filter(|golden| golden.emitter != Emitter::Beside) {
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
    let refused = |architecture, output| {
        let error = nvrtc.compile("", Architecture(architecture), output).expect_err("it is refused");
        assert!(error.is_users() && matches!(error, CudaError::NoArchitecture { .. }), "{error}");
        format!("{error}: {}", error.help().join("; "))
    };
    // NVRTC 13 knows no sm_50, and letters only of later ones.
    for (number, output) in [(50, Output::Cubin), (999, Output::Ptx), (75, Output::OwnPtx), (90, Output::FamilyCubin)] {
        let message = refused(number, output);
        assert!(message.contains(&format!("sm_{number}")) && message.contains("sm_75, sm_80"), "{message}");
    }
    for output in [Output::OwnPtx, Output::OwnCubin] {
        assert!(nvrtc.compile("", Architecture(90), output).is_ok());
    }
    assert!(nvrtc.version().0 >= 12);
}

/// Every map on tensor cores of a million random blocks, of a tenth by the other ways, and of all beside the places where a digit
/// changes, against arithmetic of 64 bits.
#[cfg(feature = "papers")]
#[test]
fn maps_on_a_gpu_are_exact() {
    use squeeze_papers::emit::MapUnit;
    use squeeze_tests::maps;
    if let Err(error) = cuda::device_name() {
        println!("SKIPPED: {error}");
        return;
    }
    for (name, grid) in maps::grids() {
        // The products of matrices are what could round; the other maps are sums of integers.
        maps::compare(&name, &grid, if matches!(grid.map, MapUnit::Wmma | MapUnit::WmmaF16) { 62_500 } else { 6_250 });
    }
}

/// Every fractal, rule, strategy and map against the oracle, with blocks of all sizes by turns.
#[cfg(feature = "papers")]
#[test]
fn strategies_on_a_gpu_agree_with_the_oracle() {
    use squeeze::{Backend, Simulation, SimulationBuilder};
    use squeeze_papers::emit::{BlockGrid, MapUnit};
    use squeeze_papers::{ByStrategy, Strategy, StrategyChoice};
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
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
    let ways: Vec<(Strategy, Option<MapUnit>)> = std::iter::once((Strategy::BoundingBox, None))
        .chain([Strategy::Lambda, Strategy::Squeeze].into_iter().flat_map(|s| MapUnit::ALL.map(|map| (s, Some(map)))))
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

/// A rule of this name with states, parameters and values of these names.
fn rule_of_names(rule: &str, states: &[&str], params: &[&str], lets: &[&str]) -> String {
    let mut text = format!("rule {rule} {{\n");
    params.iter().for_each(|name| text += &format!("    param {name}: f32 = 0.5\n"));
    states.iter().for_each(|name| text += &format!("    state {name}: f32\n"));
    let all = |names: &[&str]| names.iter().fold("0.0".to_owned(), |sum, name| format!("{sum} + {name}"));
    text += "    state zz_own: f32\n    init zz_own = uniform()\n    let zz_sum = sum(von_neumann, nb.zz_own)\n";
    for (number, name) in lets.iter().enumerate() {
        text += &format!("    let {name} = zz_own * {number}.5 + sqrt(zz_sum)\n");
    }
    text += &format!("    next zz_own = {} + {} + {}\n", all(states), all(params), all(lets));
    states.iter().for_each(|name| text += &format!("    next {name} = exp(abs({name})) * zz_sum\n"));
    text + "    observe zz_whole = sum(zz_own)\n}\n"
}

fn printed(text: &str) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("names.rule");
    std::fs::write(&file, text).unwrap();
    let rule = resolve::rule(file.to_str().unwrap()).ok()?;
    let rule = Domain::new(resolve::fractal("vicsek").unwrap(), 2).unwrap().fit(&rule).unwrap();
    Some(cuda::program(&Program::of(&rule, &Target::cuda()).unwrap(), None).text)
}

/// Whether a rule may give something this name.
fn is_free(name: &str) -> bool {
    checks(&format!("rule r {{ state {name}: bit next {name} = !{name} }}"))
        && checks(&format!("rule r {{ param {name}: bit = 1 state own: bit next own = {name} }}"))
}

fn checks(text: &str) -> bool {
    let mut sources = squeeze::compiler::text::source::Sources::new();
    let root = sources.add("names", text);
    squeeze::compiler::check(&mut sources, root, &mut squeeze::compiler::NoFiles).is_ok()
}

/// Words of a text outside of its comments.
fn words(text: &str) -> std::collections::BTreeSet<&str> {
    let code = text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split("//").next().unwrap());
    code.flat_map(|line| line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')).collect()
}

/// A macro of a header that stands before the text would become something else in it.
#[test]
fn no_name_in_a_text_is_a_macro_of_a_header() {
    let macros: Vec<&str> = include_str!("../templates/macros.txt").split_whitespace().collect();
    assert!(
        macros.len() > 1500
            && ["EOF", "NULL", "errno", "linux", "I", "INFINITY"].iter().all(|name| macros.contains(name))
    );
    let free: Vec<&str> = macros.iter().copied().filter(|name| is_free(name)).collect();
    for (number, names) in free.chunks(90).enumerate() {
        let third = names.len() / 3;
        let (states, params, lets) = (&names[..third], &names[third..2 * third], &names[2 * third..]);
        let text = printed(&rule_of_names(names[0], states, params, lets)).expect("it is sound");
        let words = words(&text);
        let found: Vec<&&str> = macros.iter().filter(|name| words.contains(**name)).collect();
        assert_eq!(found, [&""; 0], "of the names {number}");
    }
}

/// The names that headers of C and CUDA declare on this machine.
fn names_of_headers() -> Vec<String> {
    let headers = "assert complex ctype errno fenv float inttypes limits locale math setjmp signal stdarg stddef stdint stdio stdlib string time wchar wctype";
    let text: String = headers.split(' ').map(|header| format!("#include <{header}.h>\n")).collect();
    let unpacked = Path::new("../target/nvcc/nvidia/cu13/include");
    let cuda = [unpacked, Path::new("/usr/local/cuda/include")].into_iter().find(|folder| folder.exists());
    let cuda = cuda.map(|folder| (folder, "#include <cuda_runtime.h>\n"));
    let mut names = std::collections::BTreeSet::new();
    for (folder, text) in [(unpacked, text.as_str())].into_iter().chain(cuda) {
        let mut compiler = std::process::Command::new("c++");
        compiler.args([
            "-x",
            "c++",
            "-std=c++17",
            "-E",
            "-P",
            "-w",
            "-D__CUDACC__",
            "-D__NVCC__",
            "-D__CUDA_ARCH__=900",
        ]);
        compiler.args(["-D__CUDACC_VER_MAJOR__=13", "-I"]).arg(folder).arg("-");
        let (stdin, stdout) = (std::process::Stdio::piped(), std::process::Stdio::piped());
        let Ok(mut child) = compiler.stdin(stdin).stdout(stdout).stderr(std::process::Stdio::null()).spawn() else {
            continue;
        };
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), text.as_bytes()).unwrap();
        let found = String::from_utf8_lossy(&child.wait_with_output().unwrap().stdout).into_owned();
        let is_name = |word: &&str| word.starts_with(|c: char| c.is_ascii_alphabetic());
        names.extend(words(&found).into_iter().filter(is_name).map(str::to_owned));
    }
    names.into_iter().collect()
}

/// A rule, its states, its parameters and its values may be called as anything that C or CUDA has.
#[test]
fn names_of_headers_are_names_of_rules() {
    let Some(nvrtc) = nvrtc() else { return };
    let compiles = |rule: &str, text: &str| {
        let text = printed(text).unwrap_or_else(|| panic!("a rule may be called {rule}: {text}"));
        nvrtc.compile(&text, Architecture(90), Output::Ptx).unwrap_or_else(|error| panic!("{rule}: {error}"));
    };
    let rules = "main norm erf hypot y0 j1 rsqrt expf clock64 random select gamma exit remove printf malloc sqrtf fmaf \
        float4 dim3 cudaMalloc reversed World u64 std int8_t errno EOF tanhf signal";
    // One in 24 of them by day.
    let rules = rules.split_whitespace().enumerate().filter(|(number, _)| squeeze_tests::is_chosen(*number, 24));
    for (_, rule) in rules.filter(|(_, rule)| is_free(rule)) {
        compiles(rule, &rule_of_names(rule, &[], &[], &[]));
    }
    let mut names = names_of_headers();
    let clash = names.iter().find(|name| name.starts_with("squeeze")).cloned();
    assert_eq!(clash, None, "kernels have names of their own kind");
    // And as what stands in a text itself.
    for golden in [Golden::lanes(), Golden::rows()].concat().iter().filter(|golden| golden.is_kept()) {
        let text = golden.text();
        let is_name = |word: &&&str| word.starts_with(|c: char| c.is_ascii_alphabetic());
        names.extend(words(&text).iter().filter(is_name).map(|word| (*word).to_owned()).collect::<Vec<_>>());
    }
    names.sort_unstable();
    names.dedup();
    let free: Vec<&str> = names.iter().map(String::as_str).filter(|name| is_free(name)).collect();
    println!("{} of {} names of headers are free", free.len(), names.len());
    for (_, names) in free.chunks(150).enumerate().filter(|(number, _)| squeeze_tests::is_chosen(*number, 24)) {
        let (states, rest) = names.split_at(names.len().min(50));
        let (params, lets) = rest.split_at(rest.len().min(50));
        compiles(names[0], &rule_of_names(names[0], states, params, lets));
    }
}

/// One rule on several fractals, at several levels, by several strategies and on a mask, by text and by header, beside other people's names.
#[test]
fn printed_programs_link_into_one_without_a_warning() {
    let Some(nvcc) = squeeze_testing::nvcc() else { return };
    let folder = tempfile::tempdir().unwrap();
    let run = |program: &str, arguments: &[&str]| {
        let done = std::process::Command::new(program).args(arguments).current_dir(&folder).output().unwrap();
        assert!(done.status.success(), "{program} {arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
    };
    let life = resolve::rule("life").unwrap();
    let of_fractal = |name: &str, level| Domain::new(resolve::fractal(name).unwrap(), level).unwrap();
    let torus = resolve::fractal("vicsek").unwrap().with_periodic(squeeze::ir::Axes([true; 3]));
    let domains = [
        of_fractal("vicsek", 4),
        of_fractal("vicsek", 5),
        Domain::new(Arc::new(torus), 4).unwrap(),
        of_fractal("sierpinski_triangle", 4),
        Domain::new(squeeze_tests::masks::mask("half"), 1).unwrap(),
    ];
    #[cfg(feature = "papers")]
    use squeeze_papers::{Strategy, StrategyChoice, emit::MapUnit, engine};
    let mut printed = Vec::new();
    // Threads of Ising take four words.
    let ising = (of_fractal("sierpinski_carpet", 6), resolve::rule("ising").unwrap());
    for (domain, rule) in domains.map(|domain| (domain, Arc::clone(&life))).into_iter().chain([ising]) {
        let rule = domain.fit(&rule).unwrap();
        let compiled = Program::of(&rule, &Target::cuda()).unwrap();
        for prefix in [None, Some("norm")].into_iter().take(1 + usize::from(printed.is_empty())) {
            let program = cuda::program(&compiled, prefix);
            let header = cuda::header(&compiled, &program);
            let names = program.entries.iter().map(|entry| entry.name.clone()).collect::<Vec<_>>();
            printed.push((program.text, header, names));
        }
    }
    #[cfg(feature = "papers")]
    for strategy in [Strategy::Lambda, Strategy::Squeeze] {
        let domain = of_fractal("vicsek", 4);
        let choice = StrategyChoice { strategy: Some(strategy), map: Some(MapUnit::Warp), rho: None };
        let grid = choice.grid(&domain).unwrap().unwrap();
        let rule = domain.fit(&life).unwrap();
        let program = engine::program(&grid, &rule, None).unwrap();
        let header = engine::header(&grid, &rule, &program);
        let names = program.kernels.iter().map(|kernel| kernel.name.clone()).collect();
        printed.push((program.text, header, names));
    }
    let warn = ["-arch=sm_90", "-std=c++17", "-Werror", "all-warnings", "-Xcompiler", "-Wall,-Wextra,-Werror"];
    let flags = [&warn[..], &squeeze::compiler::emit::cuda::FLAGS].concat();
    let (mut headers, mut texts) =
        (String::new(), "#include <cstdint>\ntypedef uint64_t u64;\nstruct World {};\n".to_owned());
    let (mut launches, mut objects) = (String::new(), Vec::new());
    for (number, (text, header, names)) in printed.iter().enumerate() {
        let (text_file, header_file, object) = (format!("{number}.cu"), format!("{number}.h"), format!("{number}.o"));
        std::fs::write(folder.path().join(&text_file), text).unwrap();
        std::fs::write(folder.path().join(&header_file), header).unwrap();
        let c = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-x", "c", "-c", &header_file, "-o", "c.o"];
        run("cc", &c);
        run(nvcc, &[&flags[..], &["-c", &text_file, "-o", &object]].concat());
        headers += &format!("#include \"{header_file}\"\n#include \"{header_file}\"\n");
        texts += &format!("#include \"{text_file}\"\n");
        for name in names {
            launches += &format!(
                "    cudaLaunchKernel(reinterpret_cast<const void *>({name}), dim3({name}_BLOCKS), dim3({name}_BLOCK_THREADS), nullptr, 0, 0);\n"
            );
        }
        objects.push(object);
    }
    let main = format!("{headers}int main() {{\n{launches}    return 0;\n}}\n");
    std::fs::write(folder.path().join("main.cu"), main).unwrap();
    std::fs::write(folder.path().join("together.cu"), texts).unwrap();
    run(nvcc, &[&flags[..], &["-c", "together.cu", "-o", "together.o"]].concat());
    let objects: Vec<&str> = objects.iter().map(String::as_str).collect();
    run(nvcc, &[&flags[..], &["main.cu"], &objects, &["-o", "all"]].concat());
}
