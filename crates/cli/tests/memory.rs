//! The memory that commands report is the memory that they take, and a command that gets too little says so.
#![cfg(target_os = "linux")]

use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Rules, each with lets, globals, observables of another kind.
const RULES: &str = "
rule plain { state u: f32  init u = uniform()  next u = u * 0.5 + 0.1 * sum(von_neumann, nb.u) }
rule with_global {
    state s: f32
    init s = uniform()
    let a = i32(s * 10.0)
    global m = max(sum(a[-1, 0] else 0), 3)
    next s = sum(moore, f32(nb.a)) / f32(m)
    observe t = sum(s)
}
rule two_steps {
    state s: f32
    init s = uniform()
    let a = s * 10.0
    let b = s + 1.0
    step one { next s = sum(moore, nb.a) }
    step two { next s = sum(moore, nb.b) }
    observe t = sum(s)
}
rule observed {
    state s: f32
    init s = uniform()
    let a = s * 10.0
    let b = a[1, 0] else 2.0
    next s = s
    observe t = sum(sum(moore, nb.a))
    observe w = sum(sum(moore, nb.b))
}
rule drawn { state s: f32  init s = uniform()  let k = uniform()  next s = s * 0.5 + sum(von_neumann, nb.k)  observe v = variance(s) }
rule sorted { state s: f32  init s = uniform()  next s = s * 0.5  observe m = median(s)  observe h = histogram(s, 0.0, 1.0, 20) }
rule coloured { state s: f32  init s = uniform()  step a colour of von_neumann { next s = s * 0.5 + 0.1 * sum(von_neumann, nb.s) } }
rule numbered { state s: f32  init s = uniform()  global m = sum(if cell == 7 { 1 } else { 0 })  next s = s + f32(m) }
rule listed { state s: f32  init s = uniform()  next s = s * 0.5  observe l = sum(s) by level 4 }
rule wide { state s: f64  init s = exp(f64(uniform()))  next s = s * 0.5  observe m = mean(s) }
";

/// Domains on which a state of f32 takes some 20 MB on each backend.
const DOMAINS: &str = "
fractal thin { scale (5, 4) pattern { \".....\" \"..0..\" \".....\" \"..1..\" } }
domain cluster { size (2300, 2300) cells random(0.6) }
";

/// The peak resident memory of a command in bytes, and its output.
fn measured(arguments: &[&str]) -> (u64, serde_json::Value) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_squeeze"));
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    #[expect(clippy::zombie_processes, reason = "`wait4` waits for it, and says what it held")]
    let child = command.spawn().unwrap();
    let pid = child.id() as libc::pid_t;
    let mut text = String::new();
    std::io::Read::read_to_string(&mut child.stdout.unwrap(), &mut text).unwrap();
    // SAFETY: it holds numbers alone.
    let (mut status, mut usage): (i32, libc::rusage) = (0, unsafe { std::mem::zeroed() });
    // SAFETY: the child is ours, and no other code waits for it.
    let ended = unsafe { libc::wait4(pid, &raw mut status, 0, &raw mut usage) };
    assert!(ended == pid && status == 0, "{arguments:?}");
    (usage.ru_maxrss as u64 * 1024, serde_json::from_str(&text).unwrap())
}

#[test]
fn what_is_said_of_memory_is_what_is_taken() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).unwrap();
        folder.path().join(name).to_str().unwrap().to_owned()
    };
    let (rules, domains) = (at("r.rule", RULES), at("d.fractal", DOMAINS));
    let names = RULES.lines().filter_map(|line| line.strip_prefix("rule ")?.split_whitespace().next());
    let mut wrong = Vec::new();
    for name in names {
        let rule = format!("{rules}#{name}");
        let (thin, cluster) = (format!("{domains}#thin"), format!("{domains}#cluster"));
        let all: [(&str, &str, Option<&str>); 3] =
            [("reference", &thin, Some("5")), ("cpu", &cluster, None), ("cpu", "sierpinski_triangle", Some("14"))];
        for (backend, fractal, level) in all {
            // The memory of masks beside states is the same for all rules.
            if fractal == cluster && !["with_global", "drawn", "sorted"].contains(&name) {
                continue;
            }
            // A few steps, so that all buffers are touched; one thread, which has short kernels.
            let run = |fractal: &str, level: Option<&str>| {
                let level = level.map(|level| ["--level", level]);
                let level = level.iter().flatten().copied();
                let threads = if backend == "cpu" { &["--threads", "1"][..] } else { &[] };
                let more = ["--backend", backend, "--json", "-n", "5"].into_iter().chain(threads.iter().copied());
                let arguments: Vec<&str> = ["run", fractal, "-r", &rule].into_iter().chain(level).chain(more).collect();
                measured(&arguments)
            };
            // The memory of the program itself.
            let (own, _) = run("sierpinski_triangle", Some(if name == "listed" { "4" } else { "2" }));
            let (taken, json) = run(fractal, level);
            let (taken, said) = (taken as f64 - own as f64, json["memory_bytes"].as_f64().unwrap());
            // Half a table and compilers of kernels take some MB.
            if taken > 1.05 * said + 6e6 || taken < 0.95 * said - 6e6 {
                wrong.push(format!(
                    "{name} on {fractal}, {backend}: {:.1} MB said, {:.1} taken",
                    said / 1e6,
                    taken / 1e6
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn in_shell(script: &str, arguments: &[&str]) -> Output {
    let command = env!("CARGO_BIN_EXE_squeeze");
    Command::new("sh").args(["-c", script, "sh", command]).args(arguments).stdin(Stdio::null()).output().unwrap()
}

#[test]
fn too_little_memory_is_an_error_with_words() {
    let run = ["run", "sierpinski_triangle", "-r", "life", "-l", "6", "-n", "2", "--quiet"];
    let mut refused = 0;
    for limit in (2..40).step_by(3) {
        for (flag, kilobytes) in [("d", 1000 * limit), ("v", 30_000 + 3000 * limit)] {
            let output = in_shell(&format!("ulimit -{flag} {kilobytes}; exec \"$@\""), &run);
            let errors = String::from_utf8_lossy(&output.stderr);
            // Below some size not even the loader finds room for the program's own libraries.
            let is_loader = errors.contains("error while loading shared libraries");
            let is_told = output.status.code() == Some(1) && errors.starts_with("error: ");
            assert!(
                output.status.success() || is_told || is_loader,
                "ulimit -{flag} {kilobytes}: {:?} {errors}",
                output.status
            );
            refused += usize::from(is_told);
        }
    }
    assert!(refused > 2, "{refused} were refused");
}

/// Without `/proc` nothing says how much memory there is.
#[test]
fn memory_that_is_not_known_is_said_to_be_so() {
    let run = |script: &str, arguments: &[&str]| {
        in_shell(&format!("exec unshare --mount --map-root-user sh -c '{script}; exec \"$@\"' sh \"$@\""), arguments)
    };
    if !run("mount -t tmpfs none /proc", &["--version"]).status.success() || Path::new("/proc/self/status").is_dir() {
        return;
    }
    let said = |arguments: &[&str]| {
        let output = run("mount -t tmpfs none /proc", arguments);
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
    };
    let doctor = said(&["doctor"]);
    assert!(doctor.contains("how much memory is available is not known"), "{doctor}");
    assert!(said(&["doctor", "--json"]).contains("\"memory_available_bytes\":null"));
    assert!(said(&["info", "vicsek"]).contains("How much memory is available here is not known"));
    assert!(!doctor.contains("EB"), "{doctor}");
}
