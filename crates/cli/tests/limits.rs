//! Inputs that are large, long or many get an answer in time, and a message that says what was too much.

use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

fn squeeze(arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_squeeze"));
    command.args(arguments).envs(variables.iter().copied()).stdin(Stdio::null());
    let start = Instant::now();
    let output = command.output().expect("the command starts");
    assert!(start.elapsed() < Duration::from_secs(60), "{arguments:?} took {:?}", start.elapsed());
    output
}

/// The error output of a command that is refused.
fn refuse(arguments: &[&str], variables: &[(&str, &str)]) -> String {
    let output = squeeze(arguments, variables);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{errors}");
    errors
}

/// The output of a command that must succeed.
fn succeed(arguments: &[&str]) -> String {
    let output = squeeze(arguments, &[]);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Runs a rule of this text and gives the digests.
fn digests(text: &str, fractal: &str, level: &str, steps: &str, backend: &str) -> serde_json::Value {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.rule");
    std::fs::write(&path, text).unwrap();
    let rule = path.to_str().unwrap();
    let text =
        succeed(&["run", fractal, "--rule", rule, "--level", level, "--steps", steps, "--backend", backend, "--json"]);
    let all: serde_json::Value = serde_json::from_str(&text).unwrap();
    all["digest"].clone()
}

#[test]
fn a_level_that_is_far_too_high_is_refused_for_the_backend_that_was_asked() {
    for backend in ["cpu", "auto"] {
        let errors = refuse(
            &["run", "sierpinski_triangle", "--rule", "life", "--level", "40", "--steps", "1", "--backend", backend],
            &[],
        );
        assert!(errors.contains("of memory on the backend `c") && errors.contains("the largest level"), "{errors}");
    }
}

#[test]
fn emit_names_no_backend_that_it_does_not_have() {
    let errors = refuse(&["emit", "sierpinski_triangle", "--rule", "life", "--level", "40", "--target", "ir"], &[]);
    assert!(errors.contains("cannot unroll") && errors.contains("`squeeze run --backend reference`"), "{errors}");
}

/// What is too long for NVRTC is said before it is printed, with the observable's name.
#[test]
fn an_observable_that_is_too_long_for_a_gpu_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wide.rule");
    let wide = "rule wide { state a: f32\ninit a = uniform()\nnext a = a * 0.5\n\
                observe far = sum(sum(moore(60), nb.a * f32(dx + dy))) }\ndomain sheet { size (300, 200) }\n";
    std::fs::write(&path, wide).unwrap();
    let (rule, sheet) = (path.to_str().unwrap(), format!("{}#sheet", path.display()));
    let errors = refuse(&["emit", &sheet, "--rule", rule, "--target", "cuda"], &[]);
    let wanted = "the kernel of the observable `far` would have more than 20000 operands";
    assert!(errors.contains(wanted) && errors.contains("`--backend cpu`"), "{errors}");
}

/// The value after a step is made from that after the step before, as often as there are steps.
#[test]
fn two_thousand_steps_run() {
    let numbers: String = (0..2000).map(|i| format!("step s{i} {{ next a = a * u32(3) + u32({i}) }}\n")).collect();
    let bits: String =
        (0..2000).map(|i| format!("step s{i} when b || a {{ next a = a ^ b  next b = !a }}\n")).collect();
    for text in [
        format!("rule r {{ state a: u32\ninit a = bits()\n{numbers}observe o = sum(a)\n}}\n"),
        format!("rule r {{ state a: bit state b: bit\ninit a = random(0.5)\ninit b = random(0.5)\n{bits}}}\n"),
    ] {
        let run = |backend| digests(&text, "sierpinski_triangle", "3", "3", backend);
        assert_eq!(run("cpu"), run("reference"));
    }
}

#[test]
fn more_steps_than_kernels_hold_are_refused_by_check() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.rule");
    let steps: String = (0..4097).map(|i| format!("step s{i} {{ next a = !a }}\n")).collect();
    std::fs::write(&path, format!("rule r {{ state a: bit\n{steps}}}\n")).unwrap();
    let errors = refuse(&["check", path.to_str().unwrap()], &[]);
    assert!(errors.contains("rule `r` has more than 4096 steps"), "{errors}");
}

/// Where no layout holds a neighbourhood, kernels look into superblocks at any distance; observables do so by themselves.
#[test]
fn rules_look_as_far_as_they_like() {
    let wide = "rule r { state a: f32\ninit a = uniform()\nlet w = sum(moore(13), nb.a * exp(-f32(dx*dx+dy*dy)/60.0))\n\
                next a = w / (1.0 + w) }\n";
    let reads = "rule r { state a: i32\ninit a = x * 7 + y * y\n\
                 next a = (a + sum(moore(6), nb.a) + (a[11, -3] else 5)) % 1000 }\n";
    let observed = "rule r { state a: bit\ninit a = random(0.5)\nnext a = any(von_neumann, nb.a) && !a\n\
                    observe g = sum(if a[9, 0] else false { 1 } else { 0 })\n\
                    observe h = sum(if a[-37, 20] else false { 1 } else { 0 }) }\n";
    let colours = "rule r { param beta: f32 = 0.3\nstate up: bit\ninit up = random(0.5)\n\
                   let field = sum(moore, if nb.up { 1.0 } else { -1.0 })\n\
                   step a when x % 2 == 0 && y % 2 == 0 { next up = random(1.0 / (1.0 + exp(-2.0 * beta * field))) }\n\
                   step b when x % 2 == 1 && y % 2 == 0 { next up = random(1.0 / (1.0 + exp(-2.0 * beta * field))) }\n\
                   step c when x % 2 == 0 && y % 2 == 1 { next up = random(1.0 / (1.0 + exp(-2.0 * beta * field))) }\n\
                   step d when x % 2 == 1 && y % 2 == 1 { next up = random(1.0 / (1.0 + exp(-2.0 * beta * field))) } }\n";
    for (text, fractal, level) in [
        (wide, "full_square", "6"),
        (wide, "sierpinski_triangle", "6"),
        (reads, "vicsek", "4"),
        (reads, "h_fractal", "3"),
        (observed, "sierpinski_carpet", "4"),
        (observed, "lace", "4"),
        (colours, "sierpinski_carpet", "4"),
    ] {
        let run = |backend| digests(text, fractal, level, "2", backend);
        assert_eq!(run("cpu"), run("reference"), "{fractal}");
    }
}

#[test]
fn large_neighbourhoods_have_a_layout_on_small_squares() {
    for radius in [5, 6, 8] {
        let text = format!(
            "rule r {{ state a: bit\ninit a = random(0.3)\nlet n = count(moore({radius}), nb.a)\n\
             next a = n in 20..=40 }}\n"
        );
        let run = |backend| digests(&text, "full_square", "7", "1", backend);
        assert_eq!(run("cpu"), run("reference"), "radius {radius}");
    }
}

#[test]
fn a_name_of_100_kilobytes_is_refused_at_once() {
    let setting = format!("{}=1", "b".repeat(100_000));
    let errors = refuse(&["run", "vicsek", "--rule", "ising", "--level", "2", "--steps", "1", "--set", &setting], &[]);
    assert!(errors.len() < 1000 && errors.contains("its parameters are"), "{} bytes", errors.len());
}

/// Deep chains of calls are nested when they are inlined.
#[test]
fn deep_calls_are_no_crash() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep.rule");
    let inner = |i: u32| if i < 62 { format!("g{}(a)", i + 1) } else { "a".to_owned() };
    let functions: String =
        (0..63).map(|i| format!("fn g{i}(a: f32) -> f32 = {}{}\n", inner(i), " + a".repeat(990))).collect();
    std::fs::write(&path, format!("{functions}rule r {{ state a: f32 init a = uniform() next a = g0(a) }}\n")).unwrap();
    let output = squeeze(&["check", path.to_str().unwrap()], &[]);
    let errors = String::from_utf8(output.stderr).unwrap();
    let is_told = errors.contains("nests deeper than the stack that the system gives");
    assert_eq!(output.status.code(), Some(i32::from(is_told)), "{errors}");
}

#[test]
fn threads_beyond_use_take_no_time() {
    let start = Instant::now();
    succeed(&["run", "vicsek", "--rule", "life", "--level", "4", "--steps", "10", "--threads", "4096"]);
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

#[test]
fn very_many_threads_are_refused() {
    let errors = refuse(
        &["run", "vicsek", "--rule", "life", "--level", "2", "--steps", "1"],
        &[("RAYON_NUM_THREADS", "100000")],
    );
    assert!(errors.contains("`RAYON_NUM_THREADS` asks for 100000 threads; at most 4096"), "{errors}");
}
