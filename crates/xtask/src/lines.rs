//! `cargo xtask lines`: how large each crate is, and what bounds it. A change that needs more raises its bound here and says why.
//!
//! A *product line* is a line of a source that is no test: files and folders called `tests`, files of modules under `#[cfg(test)]` or the
//! feature `probe`, which tests alone switch on, and such modules within a file are left out.

use super::without::satellites;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// The most product lines and public functions of each crate, of the core and of all together.
///
/// Decided at 92 123 lines, of which 78 900 were the core's, were 87 000 and 75 000; what came later might raise them by what it needed, and if the
/// first merge gave less than 60% of what it promised, they were to move. Since then results that hold, real places, newcomers and wrong results
/// without a word have needed 10 355 lines, all in the core. So all may have 97 355. The first merge gave 104 lines of 460, 23%; the core's bound
/// moves by this share: 78 900 less 23% of the 3 900 lines that were to go, and 10 355 more, are 88 358.
///
/// Since then values that were wrong, lost or refused without a word have needed 3 761 lines, all but two in the core: 947 for files (damaged tables, checksums, outputs that
/// are inputs, members that are written down together), 726 for the language (types of literals, one operand behind `else`, names of columns, casts), 549 for the
/// mode of floats, parameters that follow and memory, 495 for errors of means, 456 for colours and kept lets, 420 for Golly's texts and letters, 168 for the command.
/// Numbers of units, slots and lanes by types of their own took 346; domains in parts, which show that none is taken for another, 310; parameters, values, members
/// and kernels that safe code cannot swap or make up, 149. Programs that engines accept gave 25 back. Parts on GPUs took 166, choices apart from plans, with a model of rows that
/// `info` shows, 98, partials and one driver of passes 64, activity by measured times 34; members that are lanes and begin by themselves gave 126 back.
/// Engines behind one door and sweeps that compile once gave 114 back, vectors by a table of instructions 99; longer names, one for each type, took 165; texts and masks in
/// memory 109, the count of names 60, a run that is planned before a device is asked 88, and a facade to which `unstable` only adds 36.
///
/// Fields that can be looked at by windows, tiles and sums of blocks took 1 175, their kernels on GPUs 500; diagnostics as values, initial values from arrays, copies, errors after
/// a fork and the command as a function 560; verdicts of papers judged over their ranges, with their illustrations and fragment of F16, 800 (satellites); neighbours and names once 133 back.
///
/// Ordered steps, with an engine that takes a cell after the other and random programs of their own, took 1 436 lines, rows that take turns and sheared strips 1 289; looks at states by whole words 60. Kernels of single
/// cells in the crate of their only user gave the core 297 back, a third buffer of watched passes on GPUs 78, instructions of AVX2 for packed numbers 103.
///
/// Calls in the checker, lowering, kernels' buffers and sums of blocks as one value each, with defaults that are derived, gave the core 243 back; inputs, with records of them,
/// took 785. Python took 1 139 outside the core, 160 of them for DLPack, 16 for wavefronts, 12 for texts in memory as long as inputs, 6 for cases by day in all crates, and 20 in the commands that test it. Draws by place and colour on masks and boxes took 456. Words for how ordered steps run, with tiles' memory, took 189; rolling states with their errors 500, strips with threads, squares in vectors and inputs in place 620. Padded rows of bits, with kernels that shift words themselves, took 890.
/// Chances that further planes decide, in every engine, took 310: each kind of compiled code asks the host where a word is equal to its threshold.
/// Rows of rolling states that are stored alone took 130 lines, loops of bits along strips with letters as planes 430, threads for what else runs in strips 15. Ordered steps on GPUs, as rows in turn and as waves with three ways to wait, took 900, strips whose work three warps share 250, rolling states there and fronts of cells for all other orders 350. Calls that go along the rows of a strip, with the rows before in registers, took 600. Tiles of overlaps from the machine's parameters, with a search and measurements of them, took 660, the core's 320, those of GPUs 240. Tiles of ordered steps that are forced, chosen and measured beside a model took 670 in the core, their page and that of overlaps in `figures` 235. Split rows for kernels that draw, with a kernel for each quarter of a block, took 325. Marches, which compute several steps of numbers in one pass of a GPU, took 460 (two changes that met came to 50 more). Faults that two readers of it found took 36.
///
/// Sums over many neighbours as running sums took 620 (what a rule asks of them 330, the rows of a CPU 290), numbers of few bits as logic with tables as diagrams 400, of which
/// comparisons of long counts gave 30 back, radii up to 500 25.
/// Bonds, values of pairs of neighbours that draw and are reduced, took 1 340, what readers found of kept bonds, clusters and exchange 130, with 107 for random programs of them: checks with their messages 350, code of pairs turned into code of cells 420, the oracle's own way 130. Bonds that are kept took 370, with 27 for random programs: states of pairs and their numbers 110, checks 140, names and records of them 60. Clusters took 1 520: questions with their errors, fields and numbers of draws 960, the oracle's own way 190, the engine 370. Clusters on GPUs took 877: tiles with their memory 165, kernels' structs and their text 130, what starts the kernels 582. On CPUs by runs of words they took 1 650: words of bits along rows with the links between them 560, forests on several threads 420, values by pieces with draws of roots 430, bits to and from words, rounds and chances that are constants 240; cell by cell they were 299, and took 39 ns a cell where now they take 6 to 10. Words of short replicas that are read at once took 20. Frames that pages get though another's cannot be read, and rules that a view cannot draw, took 23.
/// Curves between members took 2 210: sums over the samples of all members with free energies, errors, places and a search for exponents 900, the systems of a sweep with what is refused 950, weights in rules 140, the command 210. Members that exchange their states took 1 358: ladders with what is refused 230, decisions, counts and their tables 420, advised values 95, crews and engines whose members take other inputs 220, weights by their parts 65, the sweep around it 200, a plot 60, the command 85. What weights say of states that follow from a parameter, with what is drawn for them, took 240, fluctuations within disorders, searches from several exponents and reasons of what is missing 388, warnings of clusters 45, their random programs 80, vectors whose names are given again 25.
///
/// Ranks took 2 150: messages with their checks and deadlines 650, MPI by a library that is found at run time 480, wires of threads and of faults 200, launchers and machines 240, the command as one of several processes, which also resume runs, 600.
/// Ranks on GPUs took 1 300: parts on CPUs and GPUs behind one door, columns packed by kernels into memory that the next device reaches, marks and streams for them, ranks that are threads with a device each, and `--devices`; what ranks send, counted before a run, 260. Sweeps whose members are dealt out among GPUs and ranks took 880: who leads, deals and attends to threads 430, the dealer and its words 190, messages between ranks 190, the command 110, a listener to many ranks 50; the sweep of one worker goes the same way. Their script for SLURM took 106, GPUs in Python 20, and a note that rows are slow 8.
/// The engine of a rank took 1 649 more: commands of rank 0, columns that kernels read across cuts, cells and partial results on their way, put together to few, and reads of parts by whole columns. A view in a browser took 1 769 outside the core (its server, its messages, its run, the pencil and the way back; 53 of them for steps that end when they are told to, states kept on the way back and a bound of what pages did), and in it 225 for colours without drawing and 230 for its command and arguments that `run` and `view` share. Views of saved runs and of runs that go on took 330 lines, the command that reproduces what is seen 230, pictures, patterns and films 230, shapes that are drawn 170, the text of the rule 150, all but 13 of these outside the core or in its command, where they took 325; what all kinds of views share is in files of its own. The view in a terminal took 335, 104 of them for the terminal's modes in the command, solids that turn 58, 32 of them in the core, and what a reader found of states, rows and strokes that were told as others 46. Plans of kernels that are compiled with a program took 5, masks with few cells and runs that cannot be divided 12. A view in a notebook took 327: its messages and what it shares with the page 217, its Python 111. Members of a sweep that pages choose took 155 (58 in `view`, 67 in the command, 30 to begin one), and sums of blocks that all threads count 18. Pictures in terminals, of kitty's protocol and as sixels, took 163, and interrupts of notebooks 16. What a reader found of several views of one simulation, of interrupts and of members took 61. A browser for tests by day took 54. Parts of boxes that are whole rows without tables, and several steps of rows a pass on several GPUs, took 150; layouts planned for ranks, with links in files of machines and the time of a pass that `info` expects, 440. Several steps of rows a pass on parts on processors took 130, exchanges that copy less and go on beside kernels 120, machines that ranks share, with processors for each, 120. States whose chunks are dealt out among ranks took 419, what a reader found of them (full disks told once, folders that are tried, handles that are synced) 93, curves of sweeps with many close values 4.
/// The functions `tan asin acos log2`, with one root for all machines that write functions down, and `exponential()` took 180, values beyond single sides 320.
/// Vectors and complex numbers took 1 165: what takes them apart in the checker, with its errors, 970, their words in texts 90, names of components elsewhere 60, `on_sphere()` 45. Random rules of vectors, each written a second time with numbers, took 472, and words of errors about clusters and components 25. The variance and quantiles of values of clusters took 85: what is counted beside them in checks and the oracle 59, the rounds of engines 26. Pictures and views of their directions took 160, frames of views that are coloured beside steps 74. Long tables, which are read in memory by every engine, took 377: the tables and the operation in kernels 160, its code for processors 63, CUDA C and Rust 80, Golly's tables and trees that become such tables 70.
const BOUNDS: [(&str, usize, usize); 20] = [
    ("bench", 2_728, 69),
    ("cli", 9_328, 1),
    ("codegen", 6_765, 17),
    ("compiler", 50_746, 694),
    ("drawing", 2_300, 40),
    ("engine", 30_987, 314),
    ("golly", 1_592, 15),
    ("host", 1_619, 75),
    ("macros", 1_235, 19),
    ("overlap", 3_081, 53),
    ("packing", 2_147, 29),
    ("papers", 5_653, 36),
    ("python", 1_302, 0),
    ("records", 18_747, 192),
    ("squeeze", 476, 5),
    ("testing", 2_154, 19),
    ("view", 4_154, 18),
    ("xtask", 1_273, 0),
    (CORE, 129_950, 1_460),
    (ALL, 146_287, 1_594),
];
/// The names of the bounds of all crates together, and of those that are no satellites.
const ALL: &str = "all";
const CORE: &str = "core";

/// Prints the counts.
///
/// # Errors
/// If a bound is passed.
pub(crate) fn lines(root: &Path) -> Result<(), String> {
    let count = Count::of(root)?;
    print!("{}", count.to_text());
    match count.passed() {
        passed if passed.is_empty() => Ok(()),
        passed => Err(format!("{}\nmake it fewer, or raise the bound in {} and say why", passed.join("\n"), file!())),
    }
}

/// Lines and public functions.
#[derive(Default)]
struct Count {
    /// Product lines of each folder, or of each file that lies in none: `compiler/layout`, `compiler/target.rs`.
    folders: BTreeMap<String, usize>,
    /// Product lines and public functions of each crate.
    crates: BTreeMap<String, (usize, usize)>,
    templates: usize,
}

impl Count {
    fn of(root: &Path) -> Result<Count, String> {
        let mut outside = satellites(root)?;
        // Nothing depends on it.
        outside.push("python".to_owned());
        let mut count = Count::of_products(&products(root)?, &outside);
        let mut paths = Vec::new();
        gather(&root.join("templates"), &mut paths)?;
        for path in paths {
            count.templates += read(&path)?.lines().count();
        }
        Ok(count)
    }

    fn of_products(products: &BTreeMap<String, Vec<String>>, satellites: &[String]) -> Count {
        let mut count = Count::default();
        for (name, product) in products {
            let functions = product.iter().filter(|line| is_public_function(line)).count();
            let folder = match name.rsplit_once('/') {
                Some((folder, _)) if folder.contains('/') => folder,
                _ => name,
            };
            *count.folders.entry(folder.to_owned()).or_default() += product.len();
            let (crate_name, _) = name.split_once('/').expect("a crate's folder");
            let of_core = (!satellites.iter().any(|name| name == crate_name)).then_some(CORE);
            for sum in [crate_name, ALL].into_iter().chain(of_core) {
                let (lines, public) = count.crates.entry(sum.to_owned()).or_default();
                (*lines, *public) = (*lines + product.len(), *public + functions);
            }
        }
        count
    }

    fn to_text(&self) -> String {
        let mut text = String::from("product lines by folder\n");
        for (folder, lines) in &self.folders {
            writeln!(text, "{lines:8} {folder}").expect("text");
        }
        text += "\n   lines   bound  pub fn   bound  crate\n";
        for (name, most, most_functions) in BOUNDS {
            let (lines, functions) = self.crates.get(name).copied().unwrap_or_default();
            writeln!(text, "{lines:8}{most:8}{functions:8}{most_functions:8}  {name}").expect("text");
        }
        writeln!(text, "{:8}                          templates", self.templates).expect("text");
        text
    }

    /// The counts that exceed their bounds.
    fn passed(&self) -> Vec<String> {
        let mut passed = Vec::new();
        let mut compare = |what: String, count: usize, most: usize| {
            if count > most {
                passed.push(format!("{what}: {count}, at most {most}"));
            }
        };
        for (name, &(lines, functions)) in &self.crates {
            let bound = BOUNDS.iter().find(|(known, ..)| known == name);
            let (_, most, most_functions) = bound.copied().unwrap_or(("", 0, 0));
            compare(format!("product lines of {name}"), lines, most);
            compare(format!("public functions of {name}"), functions, most_functions);
        }
        passed
    }
}

/// The product lines of each file, which is called as its folder without `src`: `compiler/layout/unit.rs`.
pub(crate) fn products(root: &Path) -> Result<BTreeMap<String, Vec<String>>, String> {
    let crates = root.join("crates");
    let mut sources = Vec::new();
    gather(&crates, &mut sources)?;
    let mut texts = BTreeMap::new();
    for path in sources {
        let name = path.strip_prefix(&crates).expect("it lies there").to_string_lossy().into_owned();
        if let Some((folder, file)) = name.split_once("/src/")
            && file.ends_with(".rs")
        {
            texts.insert(format!("{folder}/{file}"), read(&path)?);
        }
    }
    Ok(products_of(texts))
}

fn products_of(texts: BTreeMap<String, String>) -> BTreeMap<String, Vec<String>> {
    let tests: BTreeSet<String> = texts.iter().flat_map(|(name, text)| test_modules(name, text)).collect();
    let is_product = |name: &str| {
        let module = name.strip_suffix(".rs").unwrap_or(name);
        !module.split('/').any(|part| part == "tests") && !tests.iter().any(|test| Path::new(module).starts_with(test))
    };
    let lines = |text: String| product_lines(&text).into_iter().map(str::to_owned).collect();
    texts.into_iter().filter(|(name, _)| is_product(name)).map(|(name, text)| (name, lines(text))).collect()
}

/// Every file below a folder whose links are not followed.
pub(crate) fn gather(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), String> {
    let told = |error: std::io::Error| format!("{}: {error}", folder.display());
    for entry in fs::read_dir(folder).map_err(told)? {
        let entry = entry.map_err(told)?;
        let kind = entry.file_type().map_err(told)?;
        if kind.is_dir() {
            gather(&entry.path(), files)?;
        } else if kind.is_file() {
            files.push(entry.path());
        }
    }
    files.sort_unstable();
    Ok(())
}

pub(crate) fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// The modules under `#[cfg(test)]` that are files, as paths without the extension.
fn test_modules(name: &str, text: &str) -> Vec<String> {
    let module = name.strip_suffix(".rs").unwrap_or(name);
    let folder = match module.rsplit_once('/') {
        Some((folder, "mod" | "lib" | "main")) => folder,
        _ => module,
    };
    let mut found = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if is_of_tests(line) {
            while lines.next_if(|line| line.starts_with("#[")).is_some() {}
            let words: Vec<&str> = lines.peek().map_or("", |line| line).split(' ').collect();
            if let [.., "mod", last] = words.as_slice()
                && let Some(test) = last.strip_suffix(';')
            {
                found.push(format!("{folder}/{test}"));
            }
        }
    }
    found
}

fn is_of_tests(line: &str) -> bool {
    ["#[cfg(test)]", "#[cfg(all(test", "#[cfg(feature = \"probe\")]"].iter().any(|head| line.starts_with(head))
}

/// All lines but those of modules of tests within the file.
fn product_lines(text: &str) -> Vec<&str> {
    let lines: Vec<&str> = text.lines().collect();
    let mut product = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let attributes = lines[at..].iter().take_while(|line| line.starts_with("#[")).count();
        let begins = lines.get(at + attributes).is_some_and(|line| {
            let words: Vec<&str> = line.split(' ').collect();
            matches!(words.as_slice(), ["mod", _, "{"] | [_, "mod", _, "{"])
        });
        if is_of_tests(lines[at]) && begins {
            at += lines[at..].iter().take_while(|line| **line != "}").count() + 1;
        } else {
            product.push(lines[at]);
            at += 1;
        }
    }
    product
}

fn is_public_function(line: &str) -> bool {
    let mut words = line.trim_start().strip_prefix("pub ").unwrap_or_default().split(' ');
    words.find(|word| !matches!(*word, "const" | "unsafe" | "extern" | "\"C\"")) == Some("fn")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_bound_is_passed() {
        let count = Count::of(&super::super::commands::root()).unwrap();
        assert_eq!(count.passed(), Vec::<String>::new(), "`cargo xtask lines` shows all counts");
    }

    #[test]
    fn tests_are_no_product_and_bounds_are_kept() {
        let texts = [
            ("a/lib.rs", "mod b;\n#[cfg(test)]\nmod probe;\npub const unsafe fn f() {}\n"),
            ("a/b/mod.rs", "fn g() {}\n#[cfg(test)]\n#[allow(missing_docs)]\npub mod tests {\n    fn h() {}\n}\n"),
            ("a/probe.rs", "pub fn seen() {}\n"),
            ("a/probe/more.rs", "pub fn seen() {}\n"),
            ("a/b/tests.rs", "pub fn seen() {}\n"),
        ];
        let texts = texts.map(|(name, text)| (name.to_owned(), text.to_owned()));
        let mut count = Count::of_products(&products_of(texts.into()), &[]);
        assert_eq!(count.folders, [("a/b".to_owned(), 1), ("a/lib.rs".to_owned(), 4)].into());
        assert_eq!(count.crates["a"], (5, 1));
        assert_eq!(count.passed(), ["product lines of a: 5, at most 0", "public functions of a: 1, at most 0"]);
        let of_all = BOUNDS.iter().find(|(name, ..)| *name == ALL).expect("there is one of all");
        count.crates = [(ALL.to_owned(), (of_all.1 + 1, 0))].into();
        assert_eq!(count.passed().len(), 1);
    }
}
