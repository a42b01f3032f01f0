//! The CUDA C of some fractals and rules against texts in `cuda/`, and all of it through NVIDIA's compiler. Tests run in
//! their package's folder.

use squeeze::cuda::{self, Architecture, CudaError, Nvrtc, Output};
use squeeze::{Domain, resolve};
use std::path::{Path, PathBuf};

/// Fractal, rule, level: bits alone, numbers, both, three dimensions, mixed fractals, several named steps.
const GOLDEN: [(&str, &str, u32); 5] = [
    ("sierpinski_triangle", "life", 12),
    ("vicsek", "heat", 7),
    ("tetrix", "life_3d", 7),
    ("sierpinski_carpet", "ising", 6),
    ("lace", "wave", 6),
];

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
            let inexact = ["fma.", ".approx", ".full.", ".ftz"];
            let wrong = ptx.lines().find(|line| inexact.iter().any(|part| line.contains(part)));
            assert_eq!(wrong, None, "{fractal} {rule} is not compiled exactly");
            assert!(compile(Output::Cubin).starts_with(b"\x7fELF"));
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
