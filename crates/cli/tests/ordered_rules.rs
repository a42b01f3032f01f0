//! The shipped rules with ordered steps against plain programs and the laws that textbooks know.
#![cfg(unix)]

mod command;

use command::succeed;
use serde_json::Value;
use std::collections::{HashMap, VecDeque};
use std::f64::consts::PI;
use std::fs;
use std::path::Path;

const DOMAINS: &str = "
domain pair { size inputs }
domain maze { size (23, 17)  cells (x * 7 + y * 3 + x * y) % 5 != 0 }
";

const PAIR: [&str; 4] = ["--input", "a=a.txt", "--input", "b=b.txt"];

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("all.fractal"), DOMAINS).unwrap();
    folder
}

fn run(folder: &Path, domain: &str, rule: &str, more: &[&str]) -> Value {
    serde_json::from_str(&succeed(folder, &[&["run", domain, "-r", rule, "--json"], more].concat())).unwrap()
}

fn observed(folder: &Path, domain: &str, rule: &str, more: &[&str], name: &str) -> f64 {
    run(folder, domain, rule, &[&["--backend", "cpu"], more].concat())["observables"][name].as_f64().unwrap()
}

/// Numbers that look like chance.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    fn text(&mut self, length: u64, letters: &[u8]) -> String {
        (0..length).map(|_| letters[self.below(letters.len() as u64) as usize] as char).collect()
    }

    /// A file of numpy with numbers from 0 to 1, and the numbers.
    fn array(&mut self, path: &Path, length: u64) -> Vec<f64> {
        let values: Vec<f64> = (0..length).map(|_| self.below(1 << 20) as f64 / f64::from(1 << 20)).collect();
        let head = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({length},), }}\n");
        let mut bytes = b"\x93NUMPY\x01\0".to_vec();
        bytes.extend((head.len() as u16).to_le_bytes());
        bytes.extend(head.bytes());
        values.iter().for_each(|value| bytes.extend(value.to_le_bytes()));
        fs::write(path, bytes).unwrap();
        values
    }
}

/// Two texts; the first pairs are the ones that catch mistakes.
fn pairs() -> Vec<(String, String)> {
    let mut dice = Dice(3);
    let known = [
        ("A", "A"),
        ("A", "C"),
        ("ACGT", "T"),
        ("G", "TTGT"),
        ("GATTACA", "GATTACA"),
        ("AAAA", "CCC"),
        ("AAAAAA", "AAA"),
    ];
    let known = known.map(|(a, b)| (a.to_owned(), b.to_owned()));
    let by_chance = (0..4).map(|n| {
        let (width, height) = (1 + dice.below(90), 1 + dice.below(40));
        let letters: &[u8] = if n % 2 == 0 { b"ACGT" } else { b"AB" };
        (dice.text(width, letters), dice.text(height, letters))
    });
    known.into_iter().chain(by_chance.collect::<Vec<_>>()).collect()
}

/// The points of the best alignment by the definition: for each cell all lengths of a last gap are tried.
fn aligned(a: &str, b: &str, local: bool) -> i64 {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let gap = |length: usize| if length == 0 { 0 } else { 3 + (length as i64 - 1) };
    let mut best = vec![vec![0i64; a.len() + 1]; b.len() + 1];
    for j in 0..=b.len() {
        for i in 0..=a.len() {
            let mut points = if local { 0 } else { -gap(i + j) };
            if i > 0 && j > 0 {
                let pair = best[j - 1][i - 1] + if a[i - 1] == b[j - 1] { 2 } else { -1 };
                points = if local { pair.max(0) } else { pair };
                points = (1..=i).map(|k| best[j][i - k] - gap(k)).fold(points, i64::max);
                points = (1..=j).map(|k| best[j - k][i] - gap(k)).fold(points, i64::max);
            }
            best[j][i] = points;
        }
    }
    if local { best.into_iter().flatten().max().unwrap() } else { best[b.len()][a.len()] }
}

/// The lengths of the longest common subsequences of all beginnings.
fn common(a: &str, b: &str) -> Vec<Vec<i32>> {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut all = vec![vec![0; a.len() + 1]; b.len() + 1];
    for (j, i) in (0..b.len()).flat_map(|j| (0..a.len()).map(move |i| (j, i))) {
        all[j + 1][i + 1] = if a[i] == b[j] { all[j][i] + 1 } else { all[j][i + 1].max(all[j + 1][i]) };
    }
    all
}

#[test]
fn sequences_are_aligned_as_by_the_definition() {
    let folder = folder();
    let at = folder.path();
    for (number, (a, b)) in pairs().into_iter().enumerate() {
        fs::write(at.join("a.txt"), &a).unwrap();
        fs::write(at.join("b.txt"), format!(">b\n{b}\n")).unwrap();
        let length = f64::from(*common(&a, &b).last().unwrap().last().unwrap());
        let backend = if number % 3 == 2 { "reference" } else { "cpu" };
        for (rule, name, expected) in [
            ("lcs", "length", length),
            ("lcs_bits", "length", length),
            ("needleman_wunsch", "score", aligned(&a, &b, false) as f64),
            ("smith_waterman", "score", aligned(&a, &b, true) as f64),
        ] {
            let found = run(at, "all.fractal#pair", rule, &[&["-n", "1", "--backend", backend], &PAIR[..]].concat());
            assert_eq!(found["observables"][name], expected, "{rule} of {a} and {b}");
        }
    }
}

/// As the manual shows it: back from the last cell, by the saved lengths.
#[test]
fn saved_lengths_give_the_letters() {
    let folder = folder();
    let at = folder.path();
    let (a, b) = (Dice(8).text(61, b"ACGT"), Dice(9).text(47, b"ACGT"));
    fs::write(at.join("a.txt"), &a).unwrap();
    fs::write(at.join("b.txt"), &b).unwrap();
    run(at, "all.fractal#pair", "lcs", &[&["-n", "1", "--out", "run", "--backend", "cpu"], &PAIR[..]].concat());
    succeed(at, &["export", "run", "--field", "l", "-o", "l.npy"]);
    let bytes = fs::read(at.join("l.npy")).unwrap();
    let numbers = &bytes[bytes.len() - 4 * a.len() * b.len()..];
    let at_place = |x: usize, y: usize| {
        let place = 4 * (y * a.len() + x);
        i32::from_le_bytes(numbers[place..place + 4].try_into().unwrap())
    };
    let lengths = common(&a, &b);
    let all = (0..b.len()).flat_map(|y| (0..a.len()).map(move |x| (x, y)));
    assert!(all.clone().all(|(x, y)| at_place(x, y) == lengths[y + 1][x + 1]));
    let (mut x, mut y, mut letters) = (a.len(), b.len(), Vec::new());
    while x > 0 && y > 0 {
        let here = at_place(x - 1, y - 1);
        if a.as_bytes()[x - 1] == b.as_bytes()[y - 1] {
            letters.push(a.as_bytes()[x - 1]);
            (x, y) = (x - 1, y - 1);
        } else if x > 1 && at_place(x - 2, y - 1) == here {
            x -= 1;
        } else {
            y -= 1;
        }
    }
    letters.reverse();
    assert_eq!(letters.len() as i32, *lengths.last().unwrap().last().unwrap());
    for text in [&a, &b] {
        let mut left = text.bytes();
        assert!(letters.iter().all(|letter| left.any(|other| other == *letter)), "{letters:?} in {text}");
    }
}

#[test]
fn ways_are_those_of_a_search_in_breadth() {
    let folder = folder();
    let at = folder.path();
    let is_cell = |x: i64, y: i64| (0..23).contains(&x) && (0..17).contains(&y) && (x * 7 + y * 3 + x * y) % 5 != 0;
    let mut ways: HashMap<(i64, i64), i64> = (0..23).filter(|x| is_cell(*x, 0)).map(|x| ((x, 0), 0)).collect();
    let mut open: VecDeque<(i64, i64)> = ways.keys().copied().collect();
    while let Some((x, y)) = open.pop_front() {
        let way = ways[&(x, y)];
        for place in [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)] {
            if is_cell(place.0, place.1) && !ways.contains_key(&place) {
                ways.insert(place, way + 1);
                open.push_back(place);
            }
        }
    }
    let found = run(at, "all.fractal#maze", "geodesic", &["-n", "500", "--observe-every", "1", "--backend", "cpu"]);
    let found = &found["observables"];
    assert_eq!(found["left"], 0);
    assert_eq!((&found["reached"], &found["farthest"]), (&ways.len().into(), &(*ways.values().max().unwrap()).into()));
}

#[test]
fn sweeps_converge_as_textbooks_say() {
    let folder = folder();
    let at = folder.path();
    Dice(5).array(&at.join("u.npy"), 225);
    let residual = |rule: &str, steps: &str, more: &[&str]| {
        let begin = ["-n", steps, "--set", "source=0.0", "--init", "u=u.npy"];
        observed(at, "P15,15", rule, &[&begin[..], more].concat(), "residual")
    };
    let of_gauss = (residual("gauss_seidel", "300", &[]) / residual("gauss_seidel", "250", &[])).powf(0.02);
    assert!((of_gauss - (PI / 16.0).cos().powi(2)).abs() < 1e-6, "{of_gauss}");
    let omega = 2.0 / (1.0 + (PI / 16.0).sin());
    let set = ["--set", &format!("omega={omega}")];
    let of_sor = (residual("sor", "400", &set) / residual("sor", "200", &set)).powf(0.005);
    assert!(of_sor > omega - 1.0 && of_sor < 1.01 * (omega - 1.0), "{of_sor}");
    let [gauss, sor] = ["gauss_seidel", "sor"].map(|rule| run(at, "P15,15", rule, &["-n", "9", "--set", "source=2.0"]));
    assert_ne!(gauss["digest"]["u"], sor["digest"]["u"]);
    let one = run(at, "P15,15", "sor", &["-n", "9", "--set", "source=2.0", "--set", "omega=1.0"]);
    let close = one["observables"]["highest"].as_f64().unwrap() - gauss["observables"]["highest"].as_f64().unwrap();
    assert!(close.abs() < 1e-12, "{close}");
}

#[test]
fn particles_have_the_current_of_the_theory() {
    let folder = folder();
    let at = folder.path();
    for p in [0.5, 0.8] {
        let (p_set, density) = (format!("p={p}"), "density=0.25");
        let found = run(at, "T6000,1", "tasep", &["-n", "60", "--backend", "cpu", "--set", &p_set, "--set", density]);
        let [current, share] = ["current", "share"].map(|name| found["observables"][name].as_f64().unwrap());
        let expected = p * share * (1.0 - share) / (1.0 - p * share);
        assert!((current - expected).abs() < 0.012 && (share - 0.25).abs() < 0.02, "{p}: {current}, not {expected}");
        // The order matters: the other one has another current.
        let mirrored = p * share * (1.0 - share) / (1.0 - p * (1.0 - share));
        assert!((current - mirrored).abs() > 0.03, "{p}: {current}");
        let before = run(at, "T6000,1", "tasep", &["-n", "0", "--backend", "cpu", "--set", &p_set, "--set", density]);
        assert_eq!(before["observables"]["share"], found["observables"]["share"], "none is lost");
    }
}

#[test]
fn filters_rows_and_dots_are_those_of_plain_programs() {
    let folder = folder();
    let at = folder.path();
    let (width, height) = (37, 11);
    let signal = Dice(6).array(&at.join("v.npy"), width * height);
    let mut sum = 0.0;
    for row in signal.chunks(width as usize) {
        row.iter().fold(row[0], |before, value| {
            let smooth = before * (1.0 - 0.25) + value * 0.25;
            sum += smooth;
            smooth
        });
    }
    let set = ["-n", "1", "--set", "alpha=0.25", "--init", "v=v.npy"];
    let found = observed(at, "P37,11", "exponential_filter", &set, "mean_s");
    assert!((found - sum / signal.len() as f64).abs() < 1e-12, "{found}");
    for number in [30u32, 90, 110, 184] {
        let mut row: Vec<u32> = (0..41).map(|x| u32::from(x == 20)).collect();
        let (mut all, on) =
            (1, |row: &[u32], x: i64| usize::try_from(x).ok().and_then(|x| row.get(x)).copied().unwrap_or(0));
        for _ in 1..33 {
            row = (0..41).map(|x| number >> (4 * on(&row, x - 1) + 2 * on(&row, x) + on(&row, x + 1)) & 1).collect();
            all += row.iter().sum::<u32>();
        }
        let found =
            run(at, "P41,33", "space_time", &["-n", "1", "--backend", "cpu", "--set", &format!("number={number}")]);
        assert_eq!(
            (&found["observables"]["all"], &found["observables"]["last"]),
            (&all.into(), &row.iter().sum::<u32>().into()),
            "{number}"
        );
    }
    let mut error = vec![vec![0.0f64; width as usize + 2]; height as usize + 1];
    let mut dark = 0;
    for y in 0..height as usize {
        for x in 0..width as usize {
            let here = x as f64 / (width - 1) as f64 + error[y][x + 1] / 16.0;
            let left = here - if here < 0.5 { 0.0 } else { 1.0 };
            dark += u32::from(here < 0.5);
            error[y][x + 2] += 7.0 * left;
            error[y + 1][x] += 3.0 * left;
            error[y + 1][x + 1] += 5.0 * left;
            error[y + 1][x + 2] += left;
        }
    }
    let found = observed(at, "P37,11", "dither", &["-n", "1"], "dark");
    assert_eq!(found, f64::from(dark));
    assert!((found / 407.0 - 0.5).abs() < 0.03, "{found} of 407 dots");
}

#[test]
fn backends_agree_on_what_ships_and_others_refuse_it() {
    let folder = folder();
    let at = folder.path();
    fs::write(at.join("a.txt"), "GATTACA\n").unwrap();
    fs::write(at.join("b.txt"), "TACGATTACCAT\n").unwrap();
    let of_pairs = ["lcs", "lcs_bits", "needleman_wunsch", "smith_waterman"];
    let others = ["geodesic", "gauss_seidel", "sor", "tasep", "exponential_filter", "space_time", "dither"];
    let list = succeed(at, &["list", "rules"]);
    for rule in of_pairs.into_iter().chain(others) {
        assert!(list.lines().any(|line| line.split_whitespace().next() == Some(rule)), "{rule}: {list}");
        let (domain, inputs): (&str, &[&str]) =
            if of_pairs.contains(&rule) { ("all.fractal#pair", &PAIR) } else { ("all.fractal#maze", &[]) };
        let of = |backend: &str| {
            run(at, domain, rule, &[&["-n", "2", "--seed", "4", "--backend", backend], inputs].concat())
        };
        let [cpu, reference] = ["cpu", "reference"].map(of);
        for of in ["digest", "observables"] {
            assert_eq!(cpu[of], reference[of], "{rule}");
        }
        let with_waves = ["run", domain, "-r", rule, "-n", "1", "--backend", "reference", "--wavefront", "flags"];
        let told = command::refuse(at, &[&with_waves[..], inputs].concat());
        assert!(told.contains("the backend `reference` runs no waves"), "{told}");
    }
}
