//! Guards of results that may not change unseen: the plans of some sixty rules on fractals, masks and boxes for each kind of machine, their observables,
//! the machine instructions that their kernels become, the roads that kernels take, and how many tests there are. None depends on the machine
//! that runs this. `SQUEEZE_UPDATE=1` accepts what is there now.

use squeeze::compiler::kernel::Neighbours;
use squeeze::compiler::layout::columns::Shape;
use squeeze::compiler::layout::{Geometry, Layout};
use squeeze::compiler::passes::{Body, Ready};
use squeeze::compiler::plan::{Plan, Window};
use squeeze::compiler::{Program, Target};
use squeeze::cpu::{Isa, usual_machine};
use squeeze::geometry::FittedRule;
use squeeze::{Backend, Domain, Fractal, Simulation, resolve};
use squeeze_testing::counts;
use squeeze_tests::masks::masks;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

/// Fractals in two and three dimensions, of one pattern and of several; large ones, whose states no cache holds.
const FRACTALS: [(&str, &str, u32); 13] = [
    ("sierpinski_triangle", "life", 12),
    ("sierpinski_triangle", "ising", 12),
    ("sierpinski_triangle", "heat", 3),
    ("full_square", "conway", 10),
    ("full_square", "ising", 9),
    ("full_square", "larger_than_life", 8),
    ("vicsek", "heat", 7),
    ("tetrix", "ising_3d", 7),
    ("vicsek_3d", "life_3d", 4),
    ("lace", "wave", 5),
    ("filigree", "greenberg_hastings", 4),
    ("random_carpet", "voter", 5),
    ("cantor_line", "life", 10),
];

/// Masks and boxes: bits, numbers and draws; edges of all kinds, few cells and many.
const MASKS: [(&str, &str); 15] = [
    ("torus", "life"),
    ("ragged_torus", "ising"),
    ("tube", "heat"),
    ("long_tube", "conway"),
    ("ring", "voter"),
    ("sparse", "life"),
    ("thin", "gray_scott"),
    ("half", "forest_fire"),
    ("dense", "brians_brain"),
    ("cluster", "ising"),
    ("maze", "heat"),
    ("block", "life_3d"),
    ("sponge", "heat"),
    ("layers", "ising_3d"),
    ("plain", "larger_than_life"),
];

/// A rule on a domain.
struct Case {
    name: String,
    /// Its domain at a level that is soon computed.
    small: Domain,
    rule: FittedRule,
}

impl Case {
    /// `FRACTALS`, `MASKS`, and every rule on a carpet or a sponge.
    fn all() -> Vec<Case> {
        let mut cases = Vec::new();
        let mut add = |fractal: Arc<Fractal>, rule: &str, level: u32| {
            let rule_read = resolve::rule(rule).expect("it ships");
            let small = Domain::largest_level_where(&fractal, |_, cells| cells <= 600).min(level);
            let domain = |level| Domain::new(fractal.clone(), level).expect("the level exists");
            let name = format!("{}_{rule}_{level}", fractal.name);
            let rule_read = domain(level).fit(&rule_read).expect("the rule runs on it");
            cases.push(Case { name, small: domain(small), rule: rule_read });
        };
        for (fractal, rule, level) in FRACTALS {
            add(resolve::fractal(fractal).expect("it ships"), rule, level);
        }
        let masks = masks();
        for (mask, rule) in MASKS {
            add(masks.iter().find(|known| known.name == mask).expect("it is a mask").clone(), rule, 1);
        }
        for rule in squeeze_tests::rules() {
            let in_space = resolve::rule(&rule).expect("it ships").needs_three_dimensions;
            let (fractal, level) = if in_space { ("menger_sponge", 3) } else { ("sierpinski_carpet", 5) };
            add(resolve::fractal(fractal).expect("it ships"), &rule, level);
        }
        cases
    }

    /// The target of kernels for a CPU with this instruction set, on two threads.
    fn cpu(&self, isa: Isa) -> Target {
        // Rows are the same on all processors.
        let machine = self.rule.domain().levels().is_some().then(|| usual_machine(2, Some(isa)));
        Target::cpu(2).on(machine).with_passes(isa.passes())
    }

    fn compiled(&self, target: &Target) -> Program {
        Program::of(&self.rule, target).unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }

    /// All kernels of a plan: those of the initial values, of the steps and of the observables.
    fn kernels(&self, compiled: Program) -> Vec<Ready> {
        let observables =
            (!self.rule.reductions.is_empty()).then(|| compiled.terms(&self.rule).expect("they were lowered"));
        std::iter::once(compiled.init).chain(compiled.steps).chain(observables).collect()
    }
}

/// The layout, the memory and the kernels of a plan. The model's estimates are left out: its choices count. *Observed from afar*: observables read
/// superblocks that are not beside their own. *Units rest*: units that cannot change are left out of a pass.
fn plan_text(case: &Case, target: &Target) -> String {
    let compiled = case.compiled(target);
    let ((t, l), lanes, places) = match &compiled.plan.storage.geometry {
        Geometry::Rows(grid) => ((0, 0), grid.shape.lanes, format!("{} columns", grid.columns())),
        Geometry::Replicas(layout) => (
            (layout.lane_digits(), layout.micro_digits()),
            layout.lanes(),
            format!("{} micro cells, {} superblocks", layout.micro_cells(), layout.superblocks()),
        ),
    };
    let mut text = format!("T = {t}, L = {l}, t = {}: {lanes} lanes, {places}", compiled.plan.steps);
    if compiled.plan.observes_far() {
        text += ", observed from afar";
    }
    if compiled.plan.window() != Window::Kernel {
        write!(text, ", {:?}", compiled.plan.window()).expect("text");
    }
    if compiled.plan.rests() {
        text += ", units rest";
    }
    text += "\n";
    let states = compiled.plan.states().to_vec();
    for (state, memory) in case.rule.kept_states().zip(states) {
        let (planes, columns) = (memory.columns.planes, memory.columns);
        let buffers = memory.buffers;
        writeln!(
            text,
            "    {}: {planes:?}, {} bytes a column, {} a superblock, {buffers} buffers",
            state.name, columns.column, columns.block
        )
        .expect("text");
    }
    for kernel in case.kernels(compiled) {
        writeln!(text, "    {}: {} nodes, {}", kernel.name, kernel.nodes.len(), road(&kernel)).expect("text");
    }
    text
}

/// How a kernel is run. First how far away the superblocks are that it reads: none, *beside* its own, *far*, anywhere. Then what its lanes know: bits alone,
/// bits and numbers that are the same in all lanes, numbers of their own. Behind these what it needs: it *decides* random bits, *draws words* of random bits, has
/// *two bodies* (one for where all neighbours exist), *flushes*, asks for the *time* or for the *place*.
fn road(kernel: &Ready) -> String {
    let interface = kernel.interface();
    let mut road = match kernel.neighbours {
        Neighbours::None => "alone",
        Neighbours::Beside => "beside",
        Neighbours::Far => "far",
        Neighbours::Anywhere => "anywhere",
    }
    .to_owned();
    let lanes = match (interface.bitwise, interface.bitwise_lanes) {
        (true, _) => " bits",
        (false, true) => " bits and uniform numbers",
        (false, false) => " numbers",
    };
    road += lanes;
    let mut add = |holds: bool, what: &str| {
        if holds {
            road += what;
        }
    };
    add(interface.decides, ", decides");
    add(!interface.random.is_empty(), ", draws words");
    add(kernel.inside().is_some(), ", two bodies");
    add(kernel.flush, ", flushes");
    add(interface.time, ", in time");
    add(!interface.lane_corners.is_empty() || !interface.odd_corners.is_empty(), ", in place");
    road
}

/// The observables and digests of a run.
fn observed(case: &Case) -> String {
    let builder = Simulation::builder(case.small.fractal().clone(), case.rule.written().clone());
    let mut simulation = builder.level(case.small.level()).seed(7).backend(Backend::Cpu).build().expect("it runs");
    let mut text = format!("observed at level {}\n", case.small.level());
    let mut done = 0;
    for step in [0, 1, 9] {
        simulation.step(step - done).expect("it runs");
        done = step;
        write!(text, "    step {step}:").expect("text");
        for (name, value) in simulation.observe().expect("it is observed") {
            write!(text, " {name} = {value},").expect("text");
        }
        for (name, digest) in simulation.digests().expect("there are states") {
            write!(text, " {name} {digest:016x}").expect("text");
        }
        text += "\n";
    }
    text
}

/// Compares a text with the file, or writes it if `SQUEEZE_UPDATE` is set. Returns the first difference, if there is one.
fn compare(path: &Path, text: &str) -> Option<String> {
    if std::env::var_os("SQUEEZE_UPDATE").is_some() {
        std::fs::create_dir_all(path.parent().expect("it lies in a folder")).expect("there is room");
        std::fs::write(path, text).expect("there is room");
    }
    let known = std::fs::read_to_string(path).unwrap_or_default();
    let mut lines = known.lines().zip(text.lines());
    let (was, is) = lines.find(|(was, is)| was != is).unwrap_or(("another number of lines", ""));
    (known != text).then(|| format!("{}:\n  was {was}\n  is  {is}\n", path.display()))
}

#[test]
fn plans_roads_and_observables_are_as_they_were() {
    let folder = squeeze_tests::root().join("tests/plans");
    let (mut wrong, mut roads) = (String::new(), BTreeMap::new());
    let cases = Case::all();
    for case in &cases {
        let mut plans: Vec<(String, String)> = Vec::new();
        let targets = Isa::ALL.map(|isa| (isa.name(), case.cpu(isa))).into_iter().chain([("gpu", Target::cuda())]);
        for (name, target) in targets {
            let text = plan_text(case, &target);
            match plans.iter_mut().find(|(_, known)| *known == text) {
                Some((names, _)) => *names += &format!(", {name}"),
                None => plans.push((name.to_owned(), text)),
            }
        }
        let place = if case.rule.domain().levels().is_none() { "rows" } else { "replicas" };
        for line in plans.iter().flat_map(|(_, text)| text.lines()).filter(|line| line.contains(" nodes, ")) {
            let (_, road) = line.split_once(" nodes, ").expect("it is a kernel's");
            *roads.entry(format!("{place} {road}")).or_insert(0) += 1;
        }
        let plans = plans.iter().fold(String::new(), |text, (names, plan)| format!("{text}{names}: {plan}"));
        let text = format!("{plans}{}", observed(case));
        wrong += &compare(&folder.join(format!("{}.txt", case.name)), &text).unwrap_or_default();
    }
    assert!(wrong.is_empty(), "{wrong}SQUEEZE_UPDATE=1 accepts what is there now");
    for path in squeeze_tests::files(&folder, &["txt"]) {
        let name = path.file_stem().expect("a name").to_string_lossy();
        let known = name == "instructions" || cases.iter().any(|case| case.name == name);
        assert!(known, "nobody makes {} any more; delete it", path.display());
    }
    counts::have_not_shrunk("roads", &roads);
}

#[cfg(all(target_arch = "x86_64", unix))]
#[test]
fn machine_instructions_are_as_they_were() {
    use squeeze_codegen::ColumnOrder;
    use squeeze_codegen::machine::fingerprint;
    let mut text = String::new();
    for case in Case::all() {
        write!(text, "{}:", case.name).expect("text");
        for isa in Isa::ALL {
            let target = case.cpu(isa);
            let compiled = case.compiled(&target);
            let (shape, order) = match &compiled.plan.storage.geometry {
                Geometry::Rows(grid) => (grid.shape, ColumnOrder::Rows),
                Geometry::Replicas(layout) => (Shape::of(layout), column_order_of(&compiled.plan, layout)),
            };
            let kernels = case.kernels(compiled);
            // A kernel that does not fit is a result as well.
            let own = |body: &Body| fingerprint(body, shape, order, isa).unwrap_or(1);
            let all = kernels
                .iter()
                .flat_map(Ready::bodies)
                .fold(0u64, |sum, body| (sum ^ own(body)).wrapping_mul(0x0100_0000_01b3));
            write!(text, " {} {all:016x}", isa.name()).expect("text");
        }
        text += "\n";
    }
    let wrong = compare(&squeeze_tests::root().join("tests/plans/instructions.txt"), &text);
    assert!(wrong.is_none(), "{}SQUEEZE_UPDATE=1 accepts what is there now", wrong.unwrap_or_default());

    /// As the engine walks over a fractal's superblocks: two megabytes of states stay in caches.
    fn column_order_of(plan: &Plan, layout: &Layout) -> ColumnOrder {
        let bytes =
            |state: &squeeze::compiler::plan::StateMemory| state.columns.block as u64 * u64::from(layout.superblocks());
        if plan.states().iter().map(bytes).sum::<u64>() <= 1 << 21 {
            ColumnOrder::Cached
        } else {
            ColumnOrder::Superblocks
        }
    }
}

/// Every test by its name, and how many inputs there are for those that take files.
/// The files whose constants are figures of models of speed, by their paths in `crates`.
const MODELS: [&str; 24] = [
    "compiler/src/emit/cuda/draws.rs",
    "compiler/src/emit/cuda/repeats.rs",
    "compiler/src/emit/cuda/threads.rs",
    "compiler/src/ir/kept.rs",
    "compiler/src/layout/rows.rs",
    "compiler/src/plan/judge.rs",
    "compiler/src/plan/march.rs",
    "compiler/src/plan/members.rs",
    "compiler/src/plan/mod.rs",
    "compiler/src/plan/near.rs",
    "compiler/src/plan/rows.rs",
    "compiler/src/plan/window.rs",
    "compiler/src/plan/work.rs",
    "compiler/src/target/hardware.rs",
    "engine/src/cpu/activity.rs",
    "engine/src/cpu/reduce/mod.rs",
    "engine/src/cpu/rows/band.rs",
    "engine/src/cpu/rows/lines.rs",
    "engine/src/cpu/rows/storage.rs",
    "engine/src/cuda/activity.rs",
    "engine/src/cuda/launch.rs",
    "engine/src/cuda/reduce/added.rs",
    "engine/src/cuda/reduce/folded.rs",
    "engine/src/simulation/crew.rs",
];

/// Their constants that are so by definition.
const EXACT: [&str; 8] = ["BUFFERS", "ELEMENT", "END", "EXCHANGES", "FOLDED", "LINE", "MOST_COLUMNS", "OVERLAPPING"];

/// A constant without a doc is of the group whose doc is above.
#[test]
fn constants_of_models_say_whether_they_were_measured() {
    let mut told = String::new();
    for path in MODELS {
        let text = std::fs::read_to_string(squeeze_tests::root().join("crates").join(path)).expect("it is there");
        let (mut doc, mut is_doc, mut found) = (String::new(), false, 0);
        for line in text.lines().map(str::trim).take_while(|line| *line != "mod tests {") {
            let declared = line.split_once("const ").and_then(|(before, after)| {
                let visible = before.is_empty() || before.starts_with("pub");
                after.split_once(": ").filter(|(name, ty)| visible && !name.contains(' ') && !ty.starts_with('&'))
            });
            if let Some(line) = line.strip_prefix("///") {
                doc = if is_doc { doc + line } else { line.to_owned() };
            } else if let Some((name, _)) = declared {
                found += 1;
                if !EXACT.contains(&name) && !doc.contains("Measured: ") && !doc.contains("Guess: ") {
                    told += &format!("\n    {path}: {name}");
                }
            } else if !line.starts_with('#') {
                doc.clear();
            }
            is_doc = line.starts_with("///");
        }
        assert!(found > 0, "{path} has no constants: take it out of the list");
    }
    assert!(told.is_empty(), "say `Measured:` with the device and what, or `Guess:`, in the docs of{told}");
}

#[test]
fn no_test_is_lost() {
    let root = squeeze_tests::root();
    let (mut tests, mut inputs) = (BTreeMap::new(), BTreeMap::new());
    let mut folders = vec![root.join("crates"), root.join("tests")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("it can be listed") {
            let path = entry.expect("it can be listed").path();
            if path.is_dir() && !path.is_symlink() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let text = std::fs::read_to_string(&path).expect("it can be read");
                let mut lines = text.lines().map(str::trim);
                while lines.any(|line| line == "#[test]") {
                    let name = lines.clone().find_map(|line| line.split_once("fn ")?.1.split_once('('));
                    // A macro's tests have their names where it is called.
                    if let Some((name, _)) = name.filter(|(name, _)| !name.starts_with('$')) {
                        *tests.entry(name.to_owned()).or_insert(0) += 1;
                    }
                }
            } else if let Ok(within) = folder.strip_prefix(root.join("tests"))
                && within.components().count() > 0
            {
                *inputs.entry(within.display().to_string()).or_insert(0) += 1;
            }
        }
    }
    counts::have_not_shrunk("tests", &tests);
    counts::have_not_shrunk("inputs", &inputs);
}
