//! The texts that the emitters print for some programs, as they were when they were last looked at: those of `KEPT` in full,
//! which people read, and the hashes of all others. `cargo xtask golden` shows how a text differs from what an earlier commit printed.
//!
//! `cargo xtask validate` compiles all of them for every architecture and reports spilled registers.

use squeeze::compiler::emit::cuda::{End, Head, Job, emit};
use squeeze::compiler::kernel::Planes;
use squeeze::compiler::passes::Ready;
use squeeze::compiler::plan::{Plan, member_candidates};
use squeeze::compiler::reduce::weighted_bits::{WeightedBits, is_exact};
use squeeze::compiler::target::{Choice, Machine, Members};
use squeeze::compiler::{Program, Target};
use squeeze::geometry::FittedRule;
use squeeze::{Domain, cpu, cuda, resolve};
#[cfg(feature = "papers")]
use squeeze_papers::emit::{MapUnit, StrategyText};
#[cfg(feature = "papers")]
use squeeze_papers::{Strategy, StrategyChoice};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The texts that are kept in full: bits, numbers, draws in named steps, three dimensions, a mixed fractal, several states; a mask; each
/// strategy and map of the papers; a program in Rust.
const KEPT: [&str; 18] = [
    "cuda/sierpinski_triangle_life",
    "cuda/chandelier_life",
    "cuda/vicsek_heat",
    "cuda/sierpinski_carpet_ising",
    "cuda/menger_sponge_life",
    "cuda/filigree_life",
    "cuda/vicsek_gray_scott",
    "cuda/rows/cluster_ising",
    "cuda/grid/sierpinski_triangle_life_bounding-box",
    "cuda/grid/sierpinski_triangle_life_lambda",
    "cuda/grid/sierpinski_triangle_life_squeeze",
    "cuda/grid/sierpinski_triangle_life_squeeze_warp",
    "cuda/grid/sierpinski_triangle_life_squeeze_wmma",
    "cuda/grid/sierpinski_triangle_life_squeeze_wmma-f16",
    "cuda/grid/sierpinski_triangle_heat_squeeze",
    "cuda/grid/sierpinski_triangle_ising_squeeze",
    "cuda/grid/tetrix_life_3d_squeeze",
    "rust/sierpinski_triangle_life",
];

/// Lanes in CUDA C: bits alone, numbers, both, three dimensions, mixed fractals, several named steps. `life` on every fractal and
/// every rule on one come after them.
const LANES: [(&str, &str, u32); 7] = [
    ("sierpinski_triangle", "life", 12),
    ("sierpinski_triangle", "heat", 12),
    ("vicsek", "heat", 7),
    ("vicsek", "gray_scott", 5),
    ("tetrix", "life_3d", 7),
    ("sierpinski_carpet", "ising", 6),
    ("lace", "wave", 6),
];

/// Masks and boxes in CUDA C: draws in named steps, bits on edges of all kinds, numbers in space. Every rule on some mask or box comes after them.
const ROWS: [(&str, &str); 5] =
    [("cluster", "ising"), ("half", "life"), ("sheet", "life"), ("sponge", "heat"), ("torus", "larger_than_life")];

/// Cases for the code of passes beside those of a simulation in CUDA C: of bits, numbers and both, with one observable and several, on fractals and masks.
const BESIDE: [(&str, &str, u32); 16] = [
    ("sierpinski_triangle", "life", 12),
    ("sierpinski_triangle", "ising", 12),
    ("sierpinski_triangle", "greenberg_hastings", 9),
    ("sierpinski_carpet", "sandpile", 5),
    ("sierpinski_carpet", "potts", 5),
    ("menger_sponge", "life_3d", 3),
    ("full_square", "conway", 8),
    ("full_square", "larger_than_life", 8),
    ("vicsek", "heat", 5),
    ("cluster", "ising", 1),
    ("torus", "conway", 1),
    ("half", "life", 1),
    ("sheet", "greenberg_hastings", 1),
    ("lumps", "sandpile", 1),
    ("sponge", "heat", 1),
    ("solid", "life_3d", 1),
];

/// Rust: bits alone, numbers, both with random draws.
const RUST: [(&str, &str, u32); 3] =
    [("sierpinski_triangle", "life", 7), ("vicsek", "heat", 4), ("sierpinski_carpet", "ising", 3)];

/// How the part of a Rust program begins that is the same in all: `templates/` as they are.
pub const SHARED_RUST: &str = "\n// The program around the kernels:";

/// The emitter of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Emitter {
    /// CUDA C for replica lanes.
    Lanes,
    /// CUDA C for a mask or a box.
    Rows,
    /// CUDA C of the passes beside those of a simulation: watched, adding up, of members and of packed states, one text after the other.
    Beside,
    /// CUDA C for a strategy of the papers.
    #[cfg(feature = "papers")]
    Papers(Strategy, Option<MapUnit>),
    /// Rust, without the part that is the same in all programs.
    Rust,
}

/// A program whose text is kept, or its hash.
#[derive(Clone, Debug)]
pub struct Golden {
    /// Its path in `tests/`, without the extension.
    pub name: String,
    /// The fractal's name.
    pub fractal: String,
    /// The rule's name.
    pub rule: String,
    /// The level.
    pub level: u32,
    /// Its emitter.
    pub emitter: Emitter,
}

impl Golden {
    /// All of them.
    pub fn all() -> Vec<Golden> {
        [Golden::cuda(), Golden::rust()].concat()
    }

    /// All in CUDA C.
    pub fn cuda() -> Vec<Golden> {
        [
            Golden::lanes(),
            Golden::rows(),
            Golden::beside(),
            #[cfg(feature = "papers")]
            Golden::papers(),
        ]
        .concat()
    }

    fn new(fractal: &str, rule: &str, level: u32, emitter: Emitter) -> Golden {
        let name = match emitter {
            Emitter::Lanes => format!("cuda/{fractal}_{rule}"),
            Emitter::Rows => format!("cuda/rows/{fractal}_{rule}"),
            Emitter::Beside => format!("cuda/beside/{fractal}_{rule}"),
            Emitter::Rust => format!("rust/{fractal}_{rule}"),
            #[cfg(feature = "papers")]
            Emitter::Papers(strategy, map) => {
                let map = map.map_or(String::new(), |map| format!("_{}", map.name()));
                format!("cuda/grid/{fractal}_{rule}_{}{map}", strategy.name())
            }
        };
        Golden { name, fractal: fractal.to_owned(), rule: rule.to_owned(), level, emitter }
    }

    /// Lanes in CUDA C: `LANES`, and `life` on every fractal and every rule on one.
    pub fn lanes() -> Vec<Golden> {
        let mut goldens =
            LANES.map(|(fractal, rule, level)| Golden::new(fractal, rule, level, Emitter::Lanes)).to_vec();
        let mut add = |fractal: &str, rule: &str, level: u32| {
            if !goldens.iter().any(|known| known.fractal == fractal && known.rule == rule) {
                goldens.push(Golden::new(fractal, rule, level, Emitter::Lanes));
            }
        };
        for fractal in crate::fractals() {
            add(&fractal, "life", grid_level(&fractal));
        }
        for rule in crate::rules() {
            let fractal = if needs_three_dimensions(&rule) { "tetrix" } else { "sierpinski_triangle" };
            add(fractal, &rule, 7);
        }
        goldens
    }

    /// Masks and boxes in CUDA C: `ROWS`, and every rule on one.
    pub fn rows() -> Vec<Golden> {
        let mut goldens = ROWS.map(|(mask, rule)| Golden::new(mask, rule, 1, Emitter::Rows)).to_vec();
        for rule in crate::rules() {
            let mask = if needs_three_dimensions(&rule) { "layers" } else { "thin" };
            goldens.push(Golden::new(mask, &rule, 1, Emitter::Rows));
        }
        goldens
    }

    /// The passes beside those of simulations.
    pub fn beside() -> Vec<Golden> {
        BESIDE.map(|(fractal, rule, level)| Golden::new(fractal, rule, level, Emitter::Beside)).to_vec()
    }

    /// The papers' strategies: `life` on every fractal and every rule on one, by every strategy and by every map.
    #[cfg(feature = "papers")]
    pub fn papers() -> Vec<Golden> {
        let mut goldens = Vec::new();
        let mut add = |fractal: &str, rule: &str, strategy: Strategy, map: Option<MapUnit>| {
            goldens.push(Golden::new(fractal, rule, grid_level(fractal), Emitter::Papers(strategy, map)));
        };
        let isotropic = |name: &String| resolve::fractal(name).expect("it ships").is_isotropic();
        for fractal in crate::fractals().into_iter().filter(isotropic) {
            for strategy in [Strategy::Squeeze, Strategy::Lambda, Strategy::BoundingBox] {
                add(&fractal, "life", strategy, None);
            }
        }
        for rule in crate::rules().into_iter().filter(|rule| rule != "life") {
            let fractal = if needs_three_dimensions(&rule) { "tetrix" } else { "sierpinski_triangle" };
            add(fractal, &rule, Strategy::Squeeze, None);
        }
        for fractal in ["sierpinski_triangle", "candy", "menger_sponge", "lace"] {
            for map in MapUnit::ALL.into_iter().filter(|map| *map != MapUnit::Scalar) {
                add(fractal, "life", Strategy::Squeeze, Some(map));
                add(fractal, "life", Strategy::Lambda, Some(map));
            }
        }
        goldens
    }

    /// Programs in Rust.
    pub fn rust() -> Vec<Golden> {
        RUST.map(|(fractal, rule, level)| Golden::new(fractal, rule, level, Emitter::Rust)).to_vec()
    }

    /// Fractal, rule and level.
    pub fn parts(&self) -> (&str, &str, u32) {
        (&self.fractal, &self.rule, self.level)
    }

    fn resolved(&self) -> FittedRule {
        let rule = resolve::rule(&self.rule);
        let fractal = match self.emitter {
            Emitter::Rows => crate::masks::mask(&self.fractal),
            Emitter::Beside => resolve::fractal(&self.fractal).unwrap_or_else(|_| crate::masks::mask(&self.fractal)),
            _ => resolve::fractal(&self.fractal).expect("it ships"),
        };
        let domain = Domain::new(fractal, self.level).expect("the level exists");
        domain.fit(&rule.expect("it ships")).expect("the rule runs on it")
    }

    /// The program of a strategy of the papers.
    ///
    /// # Panics
    /// If it is none.
    #[cfg(feature = "papers")]
    pub fn papers_program(&self) -> StrategyText {
        let Emitter::Papers(strategy, map) = self.emitter else { panic!("{} is not of the papers", self.name) };
        let rule = self.resolved();
        let strategy_choice = StrategyChoice { strategy: Some(strategy), map, rho: None };
        let grid =
            strategy_choice.grid(rule.domain()).expect("the domain has a grid").expect("the strategy has a grid");
        squeeze_papers::engine::program(&grid, &rule, None).expect("it can be printed")
    }

    /// The text that is printed now.
    pub fn text(&self) -> String {
        match self.emitter {
            #[cfg(feature = "papers")]
            Emitter::Papers(..) => self.papers_program().text,
            Emitter::Lanes | Emitter::Rows => {
                let rule = self.resolved();
                let compiled = Program::of(&rule, &Target::cuda()).expect("there is a kernel for it");
                cuda::program(&compiled, None).text
            }
            Emitter::Beside => texts_beside(&self.resolved()).concat(),
            Emitter::Rust => {
                let text = cpu::program(&self.resolved()).expect("there is a kernel for it");
                let (own, _) = text.split_once(SHARED_RUST).expect("every program has both parts");
                own.to_owned()
            }
        }
    }

    /// Whether the text is kept in full.
    pub fn is_kept(&self) -> bool {
        KEPT.contains(&self.name.as_str())
    }

    /// Its file's name below a folder.
    pub fn path(&self, folder: &Path) -> PathBuf {
        let extension = if self.emitter == Emitter::Rust { "rs" } else { "cu" };
        // The names have a full stop nowhere.
        folder.join(&self.name).with_extension(extension)
    }
}

/// The texts of the passes beside those of a simulation.
fn texts_beside(rule: &FittedRule) -> Vec<String> {
    let target = Target::cuda();
    let compiled = |target: &Target| Program::of(rule, target).expect("there is a kernel for it");
    let program = compiled(&target);
    let Program { plan, steps, .. } = &program;
    let mut texts = Vec::new();
    let all = |Program { plan, init, steps, .. }: &Program| {
        emit(plan, std::iter::once(init).chain(steps).map(Job::new), &Head::default()).text
    };
    let compare = |job: Job| emit(plan, [Job { end: End::Compare, ..job }], &Head::default()).text;
    let add = |plan: &Plan, (kernel, totals): &(Ready, Vec<WeightedBits>)| {
        emit(plan, [Job { end: End::AddUp(totals), ..Job::new(kernel) }], &Head::default()).text
    };
    let is_exact = !rule.reductions.is_empty() && (0..rule.reductions.len()).all(|index| is_exact(rule, index));
    let totals = |program: &Program| is_exact.then(|| program.totals(rule).expect("there is a kernel for it"));
    if plan.grid().is_some() {
        let packed = compiled(&Target::cuda().within(u64::MAX, true));
        texts.push(all(&packed));
        let watched = [Job::new(&steps[0]).into(), Job::in_window(plan, steps)];
        texts.extend(watched.into_iter().flatten().filter(|_| plan.rests()).map(compare));
        for program in [&packed, &program] {
            texts.extend(totals(program).map(|totals| add(&program.plan, &totals)));
        }
        return texts;
    }
    let demanding = |choice: &Choice, members: Members| {
        compiled(&Target::cuda().with_members(members).demanding(Some(choice.clone())))
    };
    let program_in_turn = demanding(plan, Members::InTurn(2));
    let in_turn = &program_in_turn.plan;
    texts.push(all(&program_in_turn));
    texts.extend(plan.rests().then(|| compare(Job::new(&steps[0]))));
    if let Some(totals) = totals(&program) {
        texts.extend([plan, in_turn].map(|plan| add(plan, &totals)));
        let observed = program.observed_steps(plan.steps, 1);
        texts.extend(observed.expect("there is a kernel for it").map(|observed| add(in_turn, &observed)));
    }
    let candidates = member_candidates(rule.domain(), rule, &Machine::gpu(), 4000);
    if let Some(candidate) = candidates.into_iter().next().filter(|_| !rule.draws() && Planes::are_bits(rule)) {
        let program = demanding(&candidate, candidate.members);
        texts.push(all(&program));
        texts.extend(totals(&program).map(|totals| add(&program.plan, &totals)));
    }
    texts
}

/// A fractal's highest level of at most some hundred thousand places: its texts do not grow much beyond.
fn grid_level(fractal: &str) -> u32 {
    let fractal = resolve::fractal(fractal).expect("it ships");
    let axes = fractal.dimension.axes() as u32;
    Domain::largest_level_where(&fractal, |side, _| side.saturating_pow(axes) <= 300_000)
}

fn needs_three_dimensions(rule: &str) -> bool {
    resolve::rule(rule).expect("it ships").needs_three_dimensions
}

/// FNV-1a, 64 bits.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Compares what is printed with the texts and the hashes in `tests/FOLDER`, or writes these anew if `SQUEEZE_UPDATE` is set.
///
/// # Panics
/// If a text differs, or one is kept that no golden prints.
pub fn check(folder: &str, goldens: &[Golden]) {
    let tests = crate::root().join("tests");
    let table = tests.join(folder).join("hashes.txt");
    let update = std::env::var_os("SQUEEZE_UPDATE").is_some();
    let known = std::fs::read_to_string(&table).unwrap_or_default();
    let known: BTreeMap<&str, &str> = known.lines().filter_map(|line| line.split_once(' ')).collect();
    let (mut hashes, mut wrong) = (BTreeMap::new(), Vec::new());
    for golden in goldens {
        let text = golden.text();
        let path = golden.path(&tests);
        let same = if golden.is_kept() {
            if update {
                std::fs::create_dir_all(path.parent().expect("it lies in a folder")).expect("there is room");
                std::fs::write(&path, &text).expect("there is room");
            }
            std::fs::read_to_string(&path).unwrap_or_default() == text
        } else {
            let hash = format!("{:016x}", hash(&text));
            let same = known.get(golden.name.as_str()) == Some(&hash.as_str());
            hashes.insert(golden.name.clone(), hash);
            same
        };
        if !same {
            wrong.push(golden.name.as_str());
        }
    }
    if update {
        let lines = hashes.iter().fold(String::new(), |mut lines, (name, hash)| {
            writeln!(lines, "{name} {hash}").expect("text");
            lines
        });
        std::fs::write(&table, lines).expect("there is room");
    }
    let strays: Vec<PathBuf> = texts(&tests.join(folder))
        .into_iter()
        .filter(|path| !goldens.iter().any(|golden| golden.is_kept() && golden.path(&tests) == *path))
        .collect();
    assert_eq!(strays, Vec::<PathBuf>::new(), "nobody prints these any more; delete them");
    assert!(
        update || wrong.is_empty(),
        "{} texts differ: `cargo xtask golden {} --against HEAD` shows how, SQUEEZE_UPDATE=1 accepts all:\n{}",
        wrong.len(),
        wrong.first().unwrap_or(&""),
        wrong.join("\n")
    );
    let forgotten = known.keys().find(|name| !update && !hashes.contains_key(**name));
    assert_eq!(forgotten, None, "{} names what nobody prints", table.display());
}

/// All texts below a folder.
fn texts(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder is there").map(|entry| entry.expect("it can be listed"));
    let (folders, files): (Vec<PathBuf>, Vec<PathBuf>) =
        entries.map(|entry| entry.path()).partition(|path| path.is_dir());
    let files = files.into_iter().filter(|path| path.extension().is_some_and(|extension| extension != "txt"));
    files.chain(folders.iter().flat_map(|folder| texts(folder))).collect()
}
