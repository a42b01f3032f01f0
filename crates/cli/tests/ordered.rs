//! Rules with ordered steps, by the command: numbers that textbooks know, both backends that have orders, and runs that are resumed.
#![cfg(unix)]

mod command;

use command::{refuse, succeed};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const RULES: &str = "
rule gauss_seidel {
    state f: f32
    state u: f64
    init f = 0.0
    init u = f64(uniform())
    step relax from (+x, +y) { next u = 0.25 * (f64(f) + sum(von_neumann, nb.u)) }
    observe most = max(abs(u))
}

rule sor {
    param omega: f64 in 0.0..=2.0 = 1.5
    state u: f64
    init u = f64(uniform())
    step relax from (+x, +y) { next u = u + omega * (0.25 * sum(von_neumann, nb.u) - u) }
    observe most = max(abs(u))
}

rule summed_area {
    state v: i32
    state s: i32
    init v = 1 + x + 3 * y
    init s = 0
    step add from (+x, +y) { next s = v + (s[-1, 0] else 0) + (s[0, -1] else 0) - s[-1, -1] else 0 }
    observe all = max(s)
}

rule geodesic {
    const far = 1000000000
    state d: i32
    state changed: bit
    init d = if y == 0 { 0 } else { far }
    init changed = false
    step begin { next changed = false }
    step go from all {
        let near = min(d, (min(von_neumann, nb.d) else far) + 1)
        next d = near
        next changed = changed || near != d
    }
    observe left = count(changed)
    observe farthest = max(if d == far { 0 } else { d })
    observe reached = count(d != far)
    stop when left == 0
}

rule tasep {
    param p: f64 in 0.0..=1.0 = 0.5
    param density: f64 in 0.0..=1.0 = 0.25
    state n: bit
    state taken: bit
    init n = random(density)
    init taken = false
    step begin { next taken = false }
    step hop from (-x) {
        let stays = n && !(taken[1, 0] else false)
        let takes = !stays && (n[-1, 0] else false) && random(p)
        next n = stays || takes
        next taken = takes
    }
    step seam when x == width - 1 { next n = n && !(taken[1, 0] else false) }
    observe current = mean(if taken { 1.0 } else { 0.0 })
    observe share = mean(if n { 1.0 } else { 0.0 })
}

rule space_time {
    state c: bit
    init c = y == 0 && x == width / 2
    step rows from (+y) when y > 0 { next c = (c[-1, -1] else false) != ((c[0, -1] else false) || (c[1, -1] else false)) }
    observe on = sum(c)
    observe last = sum(if y == height - 1 { i32(c) } else { 0 })
}

rule adi {
    param r: f64 = 0.5
    state u: f64
    state c: f64
    state d: f64
    state was: f64
    init u = f64(uniform())
    init c = 0.0
    init d = 0.0
    init was = u
    step keep { next was = u }
    step forth from (+x) {
        let below = 1.0 + 2.0 * r + r * (c[-1, 0] else 0.0)
        next c = -r / below
        next d = (u + r * (d[-1, 0] else 0.0)) / below
    }
    step back from (-x) { next u = d - c * (u[1, 0] else 0.0) }
    observe fault = max(abs((1.0 + 2.0 * r) * u - r * ((u[-1, 0] else 0.0) + u[1, 0] else 0.0) - was))
}

rule dither {
    state grey: f32
    state error: f32
    state ink: bit
    init grey = uniform()
    init error = 0.0
    init ink = false
    step scan from (+x, +y) {
        let here = grey + (7.0 * (error[-1, 0] else 0.0) + (error[-1, -1] else 0.0) + 5.0 * (error[0, -1] else 0.0) + 3.0 * (error[1, -1] else 0.0)) / 16.0
        next ink = here < 0.5
        next error = here - if here < 0.5 { 0.0 } else { 1.0 }
    }
    observe dark = count(ink)
}

rule exponential_filter {
    param alpha: f32 in 0.0..=1.0 = 0.1
    state v: f32
    state s: f32
    init v = uniform()
    init s = 0.0
    step forth from (+x) { next s = (s[-1, 0] else v) * (1.0 - alpha) + v * alpha }
    observe mean_s = mean(s)
}

rule labels {
    state label: i32
    state changed: bit
    init label = x + width * y
    init changed = false
    step begin { next changed = false }
    step forth from (+x, +y) { let least = min(label, min(von_neumann, nb.label) else label)  next changed = changed || least != label  next label = least }
    step back from (-x, -y) { let least = min(label, min(von_neumann, nb.label) else label)  next changed = changed || least != label  next label = least }
    observe left = count(changed)
    observe parts = count(label == x + width * y)
    stop when left == 0
}

rule raster {
    state on: bit
    init on = random(0.3)
    step scan from (+x, +y) { next on = count(moore, nb.on) in {3, 5, 7} || on && count(moore, nb.on) in 2..=4 }
    observe alive = count(on)
}

rule common {
    /// The longest common subsequence of two texts of four letters, which follow from the coordinates.
    state length: i32
    init length = 0
    step fill from (+x, +y) {
        let same = (x * x + x / 3) % 4 == (y * y * y + y / 2) % 4
        let before = length[-1, -1] else 0
        next length = max(max(length[-1, 0] else 0, length[0, -1] else 0), if same { before + 1 } else { 0 })
    }
    observe longest = max(length)
}

rule several {
    global mood = mean(f64(weight)) + f64(uniform())
    state kind: enum { empty, left, right }
    state weight: u8
    state far: f64
    state still: u8
    init kind = if random(0.4) { left } else { if random(0.5) { right } else { empty } }
    init weight = u8(below(200))
    init far = 0.0
    init still = u8(x)
    let noise = f64(still) + f64(uniform())
    step go from (-y, +x) when weight > 20 {
        next kind = pick(von_neumann, nb.kind) else empty
        next weight = u8(max(moore, nb.weight) else 3) + u8(mood > 60.0)
        next far = (noise[2, -1] else 1.0) + (far[2, -1] else 0.5) * 0.25 + f64(count(von_neumann, nb.kind == left))
    }
    step turn colour of von_neumann { next weight = weight ^ u8(count(von_neumann, nb.kind == right)) }
    step down from (+y) { next far = sum(moore, nb.far) * 0.125 }
    observe kinds = count(kind == left) - count(kind == right)
    observe all_far = sum(far)
}

rule drawn {
    global mood = uniform()
    state u: u32
    state v: u32
    init u = 0
    init v = u32(x) + 3 * u32(y)
    step go from all { next u = (u ^ bits()) + max(u[-1, 0] else 7, u[0, 1] else 9)  next v = v + u32(mood > 0.5) }
    step on colour of von_neumann { next v = v + u + sum(von_neumann, nb.v) }
    observe all = sum(v)
}
";

const DOMAINS: &str = "
domain sheet { size (15, 15) }
domain picture { size (7, 5) }
domain wide { size (63, 32) }
domain ring { size (6000, 1)  periodic }
domain torus { size (9, 8)  periodic }
domain maze { size (17, 13)  cells (x * 7 + y * 3 + x * y) % 5 != 0 }
domain long { size (1200000, 1) }
";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("all.rule"), RULES).unwrap();
    fs::write(folder.path().join("all.fractal"), DOMAINS).unwrap();
    folder
}

/// What a run prints, as JSON.
fn run(folder: &Path, domain: &str, rule: &str, steps: &str, more: &[&str]) -> Value {
    let (domain, rule) = (format!("all.fractal#{domain}"), format!("all.rule#{rule}"));
    let all = [&["run", &domain, "-r", &rule, "-n", steps, "--backend", "cpu", "--json"], more].concat();
    serde_json::from_str(&succeed(folder, &all)).unwrap()
}

fn observed(folder: &Path, domain: &str, rule: &str, steps: &str, more: &[&str], name: &str) -> f64 {
    run(folder, domain, rule, steps, more)["observables"][name].as_f64().unwrap()
}

#[test]
fn textbooks_know_these_numbers() {
    let folder = folder();
    let at = folder.path();
    // Rates of convergence on N × N places: cos²(π / (N + 1)), and ω − 1 at the best ω, which is approached from above.
    let most = |rule: &str, steps: &str, more: &[&str]| observed(at, "sheet", rule, steps, more, "most");
    let of_gauss = (most("gauss_seidel", "300", &[]) / most("gauss_seidel", "250", &[])).powf(0.02);
    assert!((of_gauss - (std::f64::consts::PI / 16.0).cos().powi(2)).abs() < 1e-6, "{of_gauss}");
    let omega = 2.0 / (1.0 + (std::f64::consts::PI / 16.0).sin());
    let set = ["--set", &format!("omega={omega}")];
    let of_sor = (most("sor", "400", &set) / most("sor", "200", &set)).powf(0.005);
    assert!((of_sor / (omega - 1.0) - 1.0).abs() < 0.01, "{of_sor}");
    let sum: i64 = (0..5).flat_map(|y| (0..7).map(move |x| 1 + x + 3 * y)).sum();
    assert_eq!(observed(at, "picture", "summed_area", "1", &[], "all"), sum as f64);
    // Rule 30 from a single cell: known counts of ones in its rows.
    assert_eq!(observed(at, "wide", "space_time", "1", &[], "last"), f64::from(rule_30(31).0));
    assert_eq!(observed(at, "wide", "space_time", "1", &[], "on"), f64::from(rule_30(31).1));
    assert!(observed(at, "sheet", "adi", "3", &[], "fault") < 1e-14);
    for (p, expected) in [(0.5, 0.1071), (0.8, 0.1875)] {
        let current = observed(at, "ring", "tasep", "40", &["--set", &format!("p={p}")], "current");
        assert!((current - expected).abs() < 0.012, "{p}: {current}");
    }
}

/// The ones in the last of some rows of rule 30 from a single cell, and in all of them with the first.
fn rule_30(rows: usize) -> (u32, u32) {
    let mut row = vec![false; 2 * rows + 5];
    let middle = row.len() / 2;
    row[middle] = true;
    let mut all = 1;
    for _ in 0..rows {
        row = (0..row.len())
            .map(|x| {
                let at = |x: usize| row.get(x).copied().unwrap_or(false);
                at(x.wrapping_sub(1)) != (at(x) || at(x + 1))
            })
            .collect();
        all += row.iter().filter(|on| **on).count() as u32;
    }
    (row.iter().filter(|on| **on).count() as u32, all)
}

/// All rules, on boxes, tori, masks and fractals, in one dimension as far as they fit there.
#[test]
fn both_backends_compute_the_same() {
    let folder = folder();
    let at = folder.path();
    let places = [
        ("all.fractal#sheet", "0"),
        ("all.fractal#wide", "0"),
        ("all.fractal#torus", "0"),
        ("all.fractal#maze", "0"),
        ("sierpinski_carpet", "3"),
        ("sierpinski_triangle", "5"),
    ];
    let names = RULES.lines().filter_map(|line| line.strip_prefix("rule ")?.strip_suffix(" {"));
    for rule in names {
        for (place, level) in places {
            let rule = format!("all.rule#{rule}");
            let of = |backend: &str| -> Value {
                let level = if level == "0" { vec![] } else { vec!["-l", level] };
                let more = ["-r", &rule, "-n", "3", "--seed", "5", "--backend", backend, "--json"];
                serde_json::from_str(&succeed(at, &[&["run", place][..], &level, &more].concat())).unwrap()
            };
            let [cpu, reference] = ["cpu", "reference"].map(of);
            assert!(cpu["backend"] == "cpu" && cpu["digest"].is_object(), "{cpu}");
            for of in ["digest", "observables", "steps", "time"] {
                assert_eq!(cpu[of], reference[of], "{rule} on {place}");
            }
        }
    }
}

#[test]
fn ways_end_where_nothing_changes() {
    let folder = folder();
    let at = folder.path();
    let arguments = [
        ["run", "all.fractal#maze", "-r", "all.rule#geodesic", "-n", "100"].as_slice(),
        &["--observe-every", "1", "--out", "ways"],
    ];
    succeed(at, &arguments.concat());
    let table = fs::read_to_string(at.join("ways/observables.csv")).unwrap();
    let numbers = table.lines().last().unwrap().split(',').map(|number| number.parse::<i64>().unwrap());
    let numbers: Vec<i64> = numbers.collect();
    // Breadth first: the cells at each distance from the upper edge.
    let is_cell = |x: i64, y: i64| (0..17).contains(&x) && (0..13).contains(&y) && (x * 7 + y * 3 + x * y) % 5 != 0;
    let mut reached: BTreeSet<(i64, i64)> = (0..17).map(|x| (x, 0)).filter(|(x, y)| is_cell(*x, *y)).collect();
    let (mut last, mut farthest) = (reached.clone(), 0);
    loop {
        let beside = |(x, y): &(i64, i64)| [(x - 1, *y), (x + 1, *y), (*x, y - 1), (*x, y + 1)];
        let next: BTreeSet<(i64, i64)> = last.iter().flat_map(beside).filter(|(x, y)| is_cell(*x, *y)).collect();
        last = next.difference(&reached).copied().collect();
        if last.is_empty() {
            break;
        }
        farthest += 1;
        reached.extend(&last);
    }
    assert!(numbers[0] < 20 && farthest > 13, "{table}");
    assert_eq!(numbers[1..], [0, farthest, reached.len() as i64], "{table}");
}

#[test]
fn runs_are_resumed_and_members_are_runs() {
    let folder = folder();
    let at = folder.path();
    // A run may go on with another backend.
    for (domain, backend) in [("torus", "reference"), ("maze", "cpu")] {
        let whole = run(at, domain, "drawn", "9", &["--seed", "4"]);
        let out = format!("{domain}.run");
        let part = ["--seed", "4", "--save-every", "3", "--observe-every", "3", "--out", &out];
        run(at, domain, "drawn", "6", &part);
        succeed(at, &["resume", &out, "--steps", "9", "--quiet", "--backend", backend]);
        let table = fs::read_to_string(at.join(&out).join("observables.csv")).unwrap();
        let all = whole["observables"]["all"].to_string();
        let last = table.lines().last().unwrap();
        assert!(last.starts_with("9,") && last.contains(&all), "{table}");
        let (domain, out) = (format!("all.fractal#{domain}"), format!("{domain}.sweep"));
        let of_members = ["--seeds", "3..6", "--observe-every", "9", "--backend", backend, "--out", &out];
        succeed(at, &[&["sweep", &domain, "-r", "all.rule#drawn", "-n", "9"][..], &of_members].concat());
        let table = fs::read_to_string(at.join(out).join("observables.csv")).unwrap();
        assert!(table.lines().any(|line| line.starts_with("1,9,") && line.contains(&all)), "{table}\n{all}");
    }
}

#[test]
fn others_refuse_orders_and_say_who_does_not() {
    let folder = folder();
    let at = folder.path();
    let run = ["run", "all.fractal#sheet", "-r", "all.rule#sor", "-n", "1"];
    fs::write(at.join("own.cu"), "").unwrap();
    let on_triangle = ["run", "sierpinski_triangle", "-r", "all.rule#sor", "-l", "3", "-n", "1"];
    let emit =
        |target: &'static str| vec!["emit", "sierpinski_triangle", "-r", "all.rule#sor", "-l", "4", "--target", target];
    let mut all: Vec<Vec<&str>> = Vec::new();
    for run in [&on_triangle[..], &run[..]] {
        all.push([run, &["--backend", "cuda", "--load-cuda", "own.cu"]].concat());
    }
    all.extend(["cuda", "rust", "ptx"].map(emit));
    all.push([&on_triangle[..], &["--strategy", "bounding-box"]].concat());
    // No flag of waves is without effect.
    let told = refuse(at, &[&run[..], &["--backend", "cpu", "--wavefront", "barrier"]].concat());
    assert!(told.contains("`--wavefront barrier` has no effect: the backend `cpu` runs no waves"), "{told}");
    let told =
        refuse(at, &["run", "all.fractal#sheet", "-r", "heat", "-n", "1", "--backend", "cuda", "--wavefront", "flags"]);
    assert!(told.contains("`heat` has no step with an order"), "{told}");
    for arguments in all {
        let told = refuse(at, &arguments);
        assert!(
            told.contains("`from (+x, +y)`") && told.contains("`relax`") && told.contains("cpu`"),
            "{arguments:?}: {told}"
        );
    }
    for level in ["3", "5"] {
        // A line has no second axis.
        fs::write(at.join("line.fractal"), "fractal line { dimension 1  scale 3  pattern { \"#.#\" } }").unwrap();
        let told = refuse(
            at,
            &["run", "line.fractal", "-r", "all.rule#sor", "-l", level, "-n", "1", "--backend", "reference"],
        );
        assert!(told.contains("has no axis `y`") && told.contains("from all"), "{told}");
        succeed(at, &["run", "line.fractal", "-r", "all.rule#drawn", "-l", level, "-n", "1", "--backend", "reference"]);
    }
}

#[test]
fn dependences_are_printed() {
    let folder = folder();
    let at = folder.path();
    let checked = succeed(at, &["check", "all.rule"]);
    let line = "gauss_seidel: step `relax` from (+x, +y): D = {(0, 1), (1, 0)}, Π = (1, 1); in boxes cpu: in strips, cuda: in waves\n";
    assert!(checked.contains(line) && checked.contains("geodesic: step `go_from_-x+y` from (-x, +y)"), "{checked}");
    let info = succeed(at, &["info", "all.fractal#sheet", "-r", "all.rule#gauss_seidel"]);
    let line = "step `relax` from (+x, +y): D = {(0, 1), (1, 0)}, Π = (1, 1); cpu: in strips of ";
    let both = " lanes, tiles of 128 rows; cuda: in waves over strips of 32 lines, tiles of 8 columns\n";
    assert!(info.contains(line) && info.contains(both), "{info}");
    assert!(info.contains("cpu, columns") && info.contains("reference"), "{info}");
    let info = succeed(at, &["info", "all.fractal#ring", "-r", "all.rule#tasep"]);
    assert!(info.contains("; one cell after the other"), "{info}");
    let info = succeed(at, &["info", "all.fractal#sheet", "-r", "all.rule#gauss_seidel", "--json"]);
    let info: Value = serde_json::from_str(&info).unwrap();
    let taken = &info["ordered_steps"][0]["cpu"];
    assert!(taken["taken"] == "in_strips" && taken["rows"] == 128 && taken["lanes"].is_u64(), "{info}");
    assert_eq!(info["ordered_steps"][0]["cuda"]["taken"], "in_waves", "{info}");
    let info = succeed(at, &["info", "sierpinski_carpet", "-l", "3", "-r", "all.rule#geodesic", "--json"]);
    let info: Value = serde_json::from_str(&info).unwrap();
    assert_eq!(info["ordered_steps"].as_array().unwrap().len(), 4);
    assert_eq!(info["ordered_steps"][1]["order"], "from (-x, +y)");
    assert_eq!(info["ordered_steps"][1]["weights"], serde_json::json!([1, 1]));
    let taken = serde_json::json!({"taken": "singly", "reason": "fractals are not stored in rows"});
    assert_eq!(info["ordered_steps"][1]["cpu"], taken);
    assert!(info["memory_bytes"]["cpu"].is_u64() && info["memory_bytes"]["cuda"].is_u64(), "{info}");
    let cuda =
        serde_json::json!({"taken": "in_fronts", "words": "in fronts, slowly, since fractals are not stored in rows"});
    assert_eq!(info["ordered_steps"][1]["cuda"], cuda);
    let ir = succeed(at, &["emit", "sierpinski_carpet", "-l", "3", "-r", "all.rule#gauss_seidel", "--target", "ir"]);
    assert!(ir.contains("// step `relax` from (+x, +y): D = ") && ir.contains("anywhere"), "{ir}");
    assert!(ir.contains("; cpu: one after the other, since fractals are not stored in rows\n"), "{ir}");
    let arguments = ["run", "all.fractal#long", "-r", "all.rule#tasep", "-n", "0", "--backend", "reference"];
    let told = command::squeeze(at, &arguments);
    let told = String::from_utf8(told.stderr).unwrap();
    assert!(told.contains("one cell after the other, all 1200000 of them"), "{told}");
}
