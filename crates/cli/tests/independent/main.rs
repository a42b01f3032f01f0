//! A second implementation, written from the text of the design (§1, §4, §5) and the shipped rules and fractals alone,
//! by someone who had not seen the first: plain, slow, std only. At the end, the `squeeze` binary must agree with it.
//!
//! Where the text left a choice, a comment that begins with CHOICE says what was chosen.

mod rules;

use rules::{Outcome, RULES};
use std::collections::BTreeMap;
use std::sync::LazyLock;

// ---- Fractals (§1) -------------------------------------------------------------------------------------------------

/// A coordinate `[x, y, z]`; z is 0 in two dimensions.
type Place = [i64; 3];

/// One level's scale s along each axis (1 where there is none) and its replica table H, typed by hand from the fractal files.
#[derive(Clone, Copy)]
struct Pattern {
    scale: Place,
    replicas: &'static [Place],
}

/// `0: (0, 0)  1: (0, 1)  2: (1, 1)`.
const TRIANGLE: Pattern = Pattern { scale: [2; 3], replicas: &[[0, 0, 0], [0, 1, 0], [1, 1, 0]] };

/// `### #.# ###`.
const CARPET: Pattern = Pattern {
    scale: [3; 3],
    replicas: &[[0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 1, 0], [2, 1, 0], [0, 2, 0], [1, 2, 0], [2, 2, 0]],
};

/// `.#. ### .#.`.
const VICSEK: Pattern = Pattern { scale: [3; 3], replicas: &[[1, 0, 0], [0, 1, 0], [1, 1, 0], [2, 1, 0], [1, 2, 0]] };

/// `#.# .#. #.#`, from the list of shipped fractals.
const X_FRACTAL: Pattern =
    Pattern { scale: [3; 3], replicas: &[[0, 0, 0], [2, 0, 0], [1, 1, 0], [0, 2, 0], [2, 2, 0]] };

/// `### #.# ###`, `#.# ... #.#`, `### #.# ###`: z slowest, then y, then x.
const SPONGE: Pattern = Pattern {
    scale: [3; 3],
    #[rustfmt::skip]
    replicas: &[
        [0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 1, 0], [2, 1, 0], [0, 2, 0], [1, 2, 0], [2, 2, 0],
        [0, 0, 1], [2, 0, 1], [0, 2, 1], [2, 2, 1],
        [0, 0, 2], [1, 0, 2], [2, 0, 2], [0, 1, 2], [2, 1, 2], [0, 2, 2], [1, 2, 2], [2, 2, 2],
    ],
};

/// `## #.`, `#. ..`.
const TETRIX: Pattern = Pattern { scale: [2; 3], replicas: &[[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]] };

/// `### #.#`, with a scale for each axis.
const BRIDGE: Pattern =
    Pattern { scale: [3, 2, 1], replicas: &[[0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 1, 0], [2, 1, 0]] };

/// `#.#` on a line.
const CANTOR: Pattern = Pattern { scale: [3, 1, 1], replicas: &[[0, 0, 0], [2, 0, 0]] };

/// `##` on a line.
const LINE: Pattern = Pattern { scale: [2, 1, 1], replicas: &[[0, 0, 0], [1, 0, 0]] };

/// The fractals of the table: name, dimension, the list of level patterns (finest first), the level to try.
/// Lace has level 4 too: at level 3 its k are 8, 5, 8, which read the same from both ends.
const FRACTALS: &[(&str, usize, &[Pattern], u32)] = &[
    ("sierpinski_triangle", 2, &[TRIANGLE], 5),
    ("sierpinski_carpet", 2, &[CARPET], 3),
    ("menger_sponge", 3, &[SPONGE], 2),
    ("tetrix", 3, &[TETRIX], 4),
    ("lace", 2, &[CARPET, VICSEK], 3),
    ("lace", 2, &[CARPET, VICSEK], 4),
    ("filigree", 2, &[VICSEK, X_FRACTAL, CARPET], 4),
    ("bridge", 2, &[BRIDGE], 4),
    ("line", 1, &[LINE], 7),
    ("cantor_line", 1, &[CANTOR], 6),
];

/// A fractal at a level.
struct Domain {
    dimension: usize,
    /// `k_1, k_2, …`: finest first.
    ks: Vec<usize>,
    /// The coordinate of each cell, by canonical index.
    places: Vec<Place>,
    /// The canonical index of each coordinate that is a cell; what is absent is a hole or outside.
    cells: BTreeMap<Place, usize>,
}

impl Domain {
    /// Level μ takes `list[(μ − 1) mod length]`. Adding a level puts its digit above the ones there: the index grows
    /// by `d · K_{μ-1}`, the coordinate by `H_μ[d] · S_{μ-1}`.
    fn new(dimension: usize, list: &[Pattern], level: u32) -> Domain {
        let (mut side, mut ks, mut places) = ([1; 3], Vec::new(), vec![[0, 0, 0]]);
        for mu in 1..=level as usize {
            let pattern = list[(mu - 1) % list.len()];
            let mut larger = Vec::new();
            for h in pattern.replicas {
                for p in &places {
                    larger.push([p[0] + h[0] * side[0], p[1] + h[1] * side[1], p[2] + h[2] * side[2]]);
                }
            }
            places = larger;
            ks.push(pattern.replicas.len());
            side = [0, 1, 2].map(|axis| side[axis] * pattern.scale[axis]);
        }
        let cells = places.iter().enumerate().map(|(index, place)| (*place, index)).collect();
        Domain { dimension, ks, places, cells }
    }

    /// For each cell, the existing ones among the offsets that `wanted` accepts, in reading order: z, then y, then x.
    fn neighbours(&self, wanted: fn(i64, i64, i64) -> bool) -> Vec<Vec<usize>> {
        let [height, depth] = [2, 3].map(|dimension| i64::from(self.dimension >= dimension));
        let mut lists = vec![Vec::new(); self.places.len()];
        for (list, [x, y, z]) in lists.iter_mut().zip(&self.places) {
            for dz in -depth..=depth {
                for dy in -height..=height {
                    for dx in -1..=1 {
                        if wanted(dx, dy, dz) {
                            list.extend(self.cells.get(&[x + dx, y + dy, z + dz]));
                        }
                    }
                }
            }
        }
        lists
    }

    /// The digit-reversed index of a cell: its top digit has weight 1.
    fn reversed(&self, c: usize) -> u64 {
        let (mut rest, mut q) = (c, 0);
        for k in &self.ks {
            q = q * *k as u64 + (rest % k) as u64;
            rest /= k;
        }
        q
    }

    /// A new state: `value` of every canonical index.
    fn each<T>(&self, value: impl Fn(usize) -> T) -> Vec<T> {
        (0..self.places.len()).map(value).collect()
    }
}

/// Chebyshev distance 1.
fn moore(dx: i64, dy: i64, dz: i64) -> bool {
    dx.abs().max(dy.abs()).max(dz.abs()) == 1
}

/// Taxicab distance 1.
fn von_neumann(dx: i64, dy: i64, dz: i64) -> bool {
    dx.abs() + dy.abs() + dz.abs() == 1
}

// ---- Random numbers (§4) -------------------------------------------------------------------------------------------

/// Philox4x32 with ten rounds (Salmon and others, "Parallel random numbers: as easy as 1, 2, 3", 2011).
fn philox(counter: [u32; 4], key: [u32; 2]) -> [u32; 4] {
    let ([mut a, mut b, mut c, mut d], [mut k0, mut k1]) = (counter, key);
    for _ in 0..10 {
        let p = 0xD251_1F53_u64 * u64::from(a);
        let q = 0xCD9E_8D57_u64 * u64::from(c);
        (a, b, c, d) = ((q >> 32) as u32 ^ b ^ k0, q as u32, (p >> 32) as u32 ^ d ^ k1, p as u32);
        k0 = k0.wrapping_add(0x9E37_79B9);
        k1 = k1.wrapping_add(0xBB67_AE85);
    }
    [a, b, c, d]
}

/// `bits()`: the word of draw number `draw` of the cell with digit-reversed index `q` for the state at time `t`.
fn bits(seed: u64, q: u64, t: u32, draw: u32) -> u32 {
    let mut word = 0;
    for j in 0..32 {
        let block = q / 128;
        let planes = philox([block as u32, (block >> 32) as u32, t, 32 * draw + j], [seed as u32, (seed >> 32) as u32]);
        word |= (planes[(q / 32 % 4) as usize] >> (q % 32) & 1) << (31 - j);
    }
    word
}

/// `uniform()` of a word.
fn uniform(word: u32) -> f32 {
    (word >> 8) as f32 / 16_777_216.0
}

/// `random(p)` of a word. CHOICE: an f32 p is widened to f64 by the caller; the f64 product is exact.
fn random(word: u32, p: f64) -> bool {
    if p >= 1.0 {
        true
    } else if p > 0.0 {
        u64::from(word) < (p * 4_294_967_296.0).floor() as u64
    } else {
        false
    }
}

// ---- Digests (§5) and observables (§4) -----------------------------------------------------------------------------

/// SplitMix64's output function of `v` + the golden gamma. CHOICE: the addition wraps.
fn mix(v: u64) -> u64 {
    let z = v.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// The digest of a field whose values are given as zero-extended bits in canonical order.
fn digest(values: impl Iterator<Item = u64>) -> u64 {
    values.zip(0..).fold(0, |sum, (value, c)| sum.wrapping_add(mix(mix(c) ^ value)))
}

/// The value of an observable.
#[derive(Clone, Debug, PartialEq)]
enum Observed {
    Integer(i64),
    Float(f64),
    /// One for each replica of a level.
    List(Vec<i64>),
}

/// The sum of integer terms.
fn exact(terms: impl Iterator<Item = i64>) -> Observed {
    Observed::Integer(terms.sum())
}

/// Folds each k_1 consecutive terms into one, then each k_2 of those, and so on. Sums start `from` 0.0.
/// CHOICE: `min` and `max` also go digit by digit, each from its first term (`from` is None), as in aggregates: the
/// text names only 0.0, which cannot be meant for them. At level 0 nothing is folded, so the one term is the result.
fn digit_by_digit(domain: &Domain, field: &[f32], from: Option<f64>, fold: fn(f64, f64) -> f64) -> Observed {
    let mut terms: Vec<f64> = field.iter().map(|value| f64::from(*value)).collect();
    for k in &domain.ks {
        terms = terms
            .chunks(*k)
            .map(|chunk| match from {
                Some(start) => chunk.iter().fold(start, |a, b| fold(a, *b)),
                None => chunk[1..].iter().fold(chunk[0], |a, b| fold(a, *b)),
            })
            .collect();
    }
    assert_eq!(terms.len(), 1);
    Observed::Float(terms[0])
}

// ---- The table -----------------------------------------------------------------------------------------------------

/// One run of the table and what this file says it gives.
struct Case {
    rule: &'static str,
    fractal: &'static str,
    level: u32,
    cells: usize,
    seed: u64,
    steps: u32,
    outcome: Outcome,
}

/// Every rule on every fractal, with two seeds. Up to seven steps, the f64 sums of `heat` are exact and would not show
/// the order in which they are folded; after forty they do. Computed once for all backends.
static TABLE: LazyLock<Vec<Case>> = LazyLock::new(|| {
    let mut cases = Vec::new();
    for (rule, run) in RULES {
        for (fractal, dimension, list, level) in FRACTALS {
            let domain = Domain::new(*dimension, list, *level);
            for seed in [0, 12_345_678_901_234_567_890] {
                for steps in [0, 1, 7, 40] {
                    let (cells, outcome) = (domain.places.len(), run(&domain, seed, steps));
                    cases.push(Case { rule, fractal, level: *level, cells, seed, steps, outcome });
                }
            }
        }
    }
    cases
});

/// The known answers that Random123 publishes.
#[test]
fn philox_gives_the_known_answers() {
    assert_eq!(philox([0; 4], [0; 2]), [0x6627_E8D5, 0xE169_C58D, 0xBC57_AC4C, 0x9B00_DBD8]);
    assert_eq!(philox([u32::MAX; 4], [u32::MAX; 2]), [0x408F_276D, 0x41C8_3B0E, 0xA20B_C7C6, 0x6D54_51FD]);
    assert_eq!(
        philox([0x243F_6A88, 0x85A3_08D3, 0x1319_8A2E, 0x0370_7344], [0xA409_3822, 0x299F_31D0]),
        [0xD16C_FE09, 0x94FD_CCEB, 0x5001_E420, 0x2412_6EA1]
    );
}

/// The edges of `random` and `uniform`.
#[test]
fn draws_keep_their_edges() {
    assert!(random(u32::MAX, 1.0) && random(u32::MAX, f64::INFINITY));
    assert!(!random(0, 0.0) && !random(0, -1.0) && !random(0, f64::NAN));
    assert!(random(0x7FFF_FFFF, 0.5) && !random(0x8000_0000, 0.5));
    assert!(!random(0, 1e-10), "a p below 2^-32 never comes true");
    assert_eq!([uniform(0xFF), uniform(0x100), uniform(u32::MAX)], [0.0, 0.000_000_059_604_645, 0.999_999_94]);
}

/// As many different places as `k_1 · k_2 · …`, and von Neumann neighbours are mutual.
#[test]
fn fractals_have_the_cells_they_should() {
    let counts = [243, 512, 400, 256, 320, 1600, 1000, 625, 128, 64];
    for ((name, dimension, list, level), count) in FRACTALS.iter().zip(counts) {
        let domain = Domain::new(*dimension, list, *level);
        assert_eq!([domain.places.len(), domain.cells.len()], [count, count], "{name}");
        let near = domain.neighbours(von_neumann);
        assert!((0..count).all(|c| near[c].iter().all(|nb| near[*nb].contains(&c))), "{name}");
    }
}

// ---- The comparison with the binary: everything below needs cargo and serde_json ------------------------------------

/// The number that stands after `"name":`. serde_json's own float parser may miss the last bit, std's does not.
fn float_of(text: &str, name: &str) -> Option<f64> {
    let key = format!("\"{name}\"");
    let rest = text[text.find(&key)? + key.len()..].trim_start().strip_prefix(':')?;
    rest[..rest.find([',', '}'])?].trim().parse().ok()
}

/// The digests as `--json` prints them: 16 hexadecimal digits each.
fn digests(outcome: &Outcome) -> serde_json::Value {
    let digests = outcome.digests.iter().map(|(field, digest)| ((*field).to_owned(), format!("{digest:016x}").into()));
    serde_json::Value::Object(digests.collect())
}

/// Runs a case on a backend with `--json` and says how its answer differs from the case's, if it does.
/// CHOICE: digests are 16 lower-case digits with leading zeros; "fractal" and "rule" are the names as given.
fn difference(case: &Case, backend: &str, strategy: &str) -> Result<(), String> {
    let (level, steps, seed) = (case.level.to_string(), case.steps.to_string(), case.seed.to_string());
    let own = ["drawn", "counted"].contains(&case.rule);
    let own = own.then(|| format!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/independent/{}.rule"), case.rule));
    let rule = own.as_deref().unwrap_or(case.rule);
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_squeeze"))
        .args(["run", case.fractal, "--rule", rule, "--level", &level, "--steps", &steps, "--seed", &seed])
        .args(["--backend", backend, "--json"])
        .output()
        .map_err(|error| format!("does not start: {error}"))?;
    let (text, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if !output.status.success() {
        return Err(format!("{}: {errors}", output.status));
    }
    let got: serde_json::Value = serde_json::from_str(&text).map_err(|error| format!("{error} in {text:?}"))?;
    let outcome = &case.outcome;
    let mut wrong = Vec::new();
    for (key, want) in [
        ("fractal", case.fractal.into()),
        ("rule", case.rule.into()),
        ("level", case.level.into()),
        ("cells", case.cells.into()),
        ("steps", case.steps.into()),
        ("seed", case.seed.into()),
        ("backend", backend.into()),
        ("strategy", strategy.into()),
        ("digest", digests(outcome)),
    ] {
        if got[key] != want {
            wrong.push(format!("{key} is {}, not {want}", got[key]));
        }
    }
    for (name, want) in &outcome.observables {
        let same = match want {
            Observed::List(values) => got["observables"][name] == serde_json::json!(values),
            Observed::Integer(value) => got["observables"][name].as_i64() == Some(*value),
            Observed::Float(value) => float_of(&text, name).map(f64::to_bits) == Some(value.to_bits()),
        };
        if !same {
            wrong.push(format!("{name} is {}, not {want:?}", got["observables"][name]));
        }
    }
    if got["observables"].as_object().is_none_or(|all| all.len() != outcome.observables.len()) {
        wrong.push(format!("observables are {}", got["observables"]));
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("; ")) }
}

/// A backend behind the command line agrees with this file on every run of the table.
fn agree(backend: &str, strategy: &str) {
    let mut differences = Vec::new();
    // By day a sixth of them on each backend.
    let chosen = |number: usize| squeeze_testing::is_chosen(number + 2 * usize::from(backend == "cpu"), 6);
    for (_, case) in TABLE.iter().enumerate().filter(|(number, _)| chosen(*number)) {
        if let Err(what) = difference(case, backend, strategy) {
            let Case { rule, fractal, level, seed, steps, .. } = case;
            differences.push(format!("{rule} on {fractal}, level {level}, seed {seed}, {steps} steps: {what}"));
        }
    }
    assert!(differences.is_empty(), "{} of {} runs:\n{}", differences.len(), TABLE.len(), differences.join("\n"));
}

#[test]
fn the_oracle_agrees() {
    agree("reference", "reference");
}

#[test]
fn the_lanes_of_the_cpu_agree() {
    agree("cpu", "lanes");
}
