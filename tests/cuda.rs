//! The CUDA C of some fractals and rules against texts in `cuda/`, and all of it through NVIDIA's compiler. Tests run in
//! their package's folder.

use squeeze::compiler::back::cuda::grid::{Map, Program};
use squeeze::cuda::{self, Architecture, CudaError, Nvrtc, Output};
use squeeze::{Domain, Strategy, Tactics, resolve};
use std::path::{Path, PathBuf};

/// Fractal, rule, level: bits alone, numbers, both, three dimensions, mixed fractals, several named steps.
const GOLDEN: [(&str, &str, u32); 5] = [
    ("sierpinski_triangle", "life", 12),
    ("vicsek", "heat", 7),
    ("tetrix", "life_3d", 7),
    ("sierpinski_carpet", "ising", 6),
    ("lace", "wave", 6),
];

/// Parts of instructions that round otherwise than IEEE demands.
const INEXACT: [&str; 4] = ["fma.", ".approx", ".full.", ".ftz"];

fn text(fractal: &str, rule: &str, level: u32) -> Option<String> {
    let (fractal, rule) = (resolve::fractal(fractal).unwrap(), resolve::rule(rule).unwrap());
    let domain = Domain::new(fractal, level).unwrap();
    domain.admits(&rule).ok()?;
    let plan = cuda::plan(&domain, &rule).unwrap();
    Some(cuda::program(&domain, &rule, plan).text)
}

#[test]
fn the_code_is_as_it_was() {
    for (fractal, rule, level) in GOLDEN {
        let path = PathBuf::from(format!("cuda/{fractal}_{rule}.cu"));
        let printed = text(fractal, rule, level).unwrap();
        assert_eq!(Some(&printed), text(fractal, rule, level).as_ref(), "the same twice");
        if std::env::var_os("SQUEEZE_UPDATE").is_some() {
            std::fs::write(&path, &printed).unwrap();
        }
        let wanted = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(printed == wanted, "{} differs; SQUEEZE_UPDATE=1 rewrites it:\n{printed}", path.display());
    }
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

#[test]
fn the_code_compiles_for_old_and_new_architectures() {
    let Some(nvrtc) = nvrtc() else { return };
    for (fractal, rule, level) in GOLDEN {
        let text = text(fractal, rule, level).unwrap();
        for architecture in [75, 90].map(Architecture) {
            let compile =
                |output| nvrtc.compile(&text, architecture, output).unwrap_or_else(|e| panic!("{fractal} {rule}: {e}"));
            let ptx = String::from_utf8(compile(Output::Ptx)).unwrap();
            assert!(ptx.contains(&format!(".target sm_{}", architecture.0)));
            let wrong = ptx.lines().find(|line| INEXACT.iter().any(|part| line.contains(part)));
            assert_eq!(wrong, None, "{fractal} {rule} is not compiled exactly");
            assert!(compile(Output::Cubin).starts_with(b"\x7fELF"));
        }
    }
}

/// A fractal's highest level of at most some hundred thousand places: its texts do not grow much beyond.
fn grid_level(fractal: &str) -> u32 {
    let fractal = resolve::fractal(fractal).unwrap();
    let axes = fractal.dimension.axes() as u32;
    Domain::largest_level_where(&fractal, |side, _| side.saturating_pow(axes) <= 300_000)
}

/// Name and program of everything whose text is kept: `life` on every fractal and every rule on one, by every strategy of the papers
/// and by every map.
fn grid_programs() -> Vec<(String, Program)> {
    let mut programs = Vec::new();
    let mut add = |fractal: &str, rule: &str, strategy: Strategy, map: Option<Map>| {
        let (resolved, checked) = (resolve::fractal(fractal).unwrap(), resolve::rule(rule).unwrap());
        let domain = Domain::new(resolved, grid_level(fractal)).unwrap();
        let tactics = Tactics { strategy: Some(strategy), map, rho: None };
        let program = cuda::grid_program(&tactics.grid(&domain).unwrap().unwrap(), &checked).unwrap();
        let map = map.map_or(String::new(), |map| format!("_{}", map.name()));
        programs.push((format!("{fractal}_{rule}_{}{map}", strategy.name()), program));
    };
    for path in squeeze_tests::files(Path::new("../fractals"), &["fractal"]) {
        let fractal = path.file_stem().unwrap().to_str().unwrap();
        for strategy in [Strategy::Squeeze, Strategy::Lambda, Strategy::BoundingBox] {
            add(fractal, "life", strategy, None);
        }
    }
    for path in squeeze_tests::files(Path::new("../rules"), &["rule"]) {
        let rule = path.file_stem().unwrap().to_str().unwrap();
        let deep = resolve::rule(rule).unwrap().needs_three_dimensions;
        if rule != "life" {
            add(if deep { "tetrix" } else { "sierpinski_triangle" }, rule, Strategy::Squeeze, None);
        }
    }
    for fractal in ["sierpinski_triangle", "candy", "menger_sponge", "lace"] {
        for map in [Map::Warp, Map::Wmma] {
            add(fractal, "life", Strategy::Squeeze, Some(map));
            add(fractal, "life", Strategy::Lambda, Some(map));
        }
    }
    programs
}

#[test]
fn the_code_of_the_papers_strategies_is_as_it_was() {
    let mut wrong = Vec::new();
    for (name, program) in grid_programs() {
        let path = PathBuf::from(format!("cuda/grid/{name}.cu"));
        if std::env::var_os("SQUEEZE_UPDATE").is_some() {
            std::fs::write(&path, &program.text).unwrap();
        }
        if std::fs::read_to_string(&path).unwrap_or_default() != program.text {
            wrong.push(path.display().to_string());
        }
    }
    assert!(wrong.is_empty(), "these differ; SQUEEZE_UPDATE=1 rewrites them: {}", wrong.join(" "));
}

/// Old architectures as PTX, whose instructions can be counted, new ones to machine code.
#[test]
fn the_code_of_the_papers_strategies_compiles() {
    let Some(nvrtc) = nvrtc() else { return };
    for (name, program) in grid_programs() {
        let compile = |architecture, output| {
            nvrtc.compile(&program.text, Architecture(architecture), output).unwrap_or_else(|e| panic!("{name}: {e}"))
        };
        let ptx = String::from_utf8(compile(75, Output::Ptx)).unwrap();
        let wrong = ptx.lines().find(|line| INEXACT.iter().any(|part| line.contains(part)));
        assert_eq!(wrong, None, "{name} is not compiled exactly");
        assert!(!ptx.contains(".local"), "{name} keeps something in local memory");
        assert_eq!(ptx.matches("mma.sync").count(), program.products, "{name} multiplies matrices");
        // Machine code takes long; one strategy stands for the others, whose code is part of it.
        if name.contains("_squeeze") {
            assert!(compile(90, Output::Cubin).starts_with(b"\x7fELF"));
        } else {
            compile(90, Output::Ptx);
        }
    }
}

#[test]
fn what_all_simulations_share_compiles() {
    let Some(nvrtc) = nvrtc() else { return };
    for architecture in [75, 90].map(Architecture) {
        let cubin = nvrtc.compile(squeeze::compiler::back::cuda::MEASURE, architecture, Output::Cubin);
        cubin.unwrap_or_else(|error| panic!("{error}"));
    }
}

/// `cargo xtask validate` runs this: every text in `cuda/`, for all architectures that the emitter promises, fits in registers.
#[test]
#[ignore = "takes a minute; `cargo xtask validate` runs it"]
fn all_texts_compile_for_all_architectures_without_spills() {
    let nvrtc = nvrtc().expect("NVRTC is there: `cargo xtask fetch-nvrtc` brings it");
    let files = |folder| squeeze_tests::files(Path::new(folder), &["cu"]);
    for path in files("cuda").into_iter().chain(files("cuda/grid")) {
        let text = std::fs::read_to_string(&path).unwrap();
        for architecture in [75, 80, 90, 100, 120].map(Architecture) {
            let log = nvrtc.resources(&text, architecture).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            let frames: Vec<&str> = log.lines().filter(|line| line.contains("bytes stack frame")).collect();
            assert!(!frames.is_empty(), "{}: the compiler says nothing of frames:\n{log}", path.display());
            let none = "0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads";
            let wrong = frames
                .iter()
                .find(|line| !line.trim_start_matches(['p', 't', 'x', 'a', 's', ' ', '.']).starts_with(none));
            assert_eq!(wrong, None, "{} for sm_{}", path.display(), architecture.0);
            println!("{} for sm_{}: {} kernels, no local memory", path.display(), architecture.0, frames.len());
        }
    }
}

#[test]
fn every_rule_compiles() {
    let Some(nvrtc) = nvrtc() else { return };
    for path in squeeze_tests::files(Path::new("../rules"), &["rule"]) {
        let rule = path.file_stem().unwrap().to_str().unwrap();
        let fractal =
            if resolve::rule(rule).unwrap().needs_three_dimensions { "tetrix" } else { "sierpinski_triangle" };
        let text = text(fractal, rule, 7).unwrap();
        nvrtc.compile(&text, Architecture::USUAL, Output::Ptx).unwrap_or_else(|e| panic!("{rule}: {e}"));
    }
    let text = text("vicsek", "gpu/operations.rule", 5).unwrap();
    nvrtc.compile(&text, Architecture(75), Output::Ptx).unwrap_or_else(|e| panic!("{e}"));
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
