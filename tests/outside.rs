//! The packages as they are published, and a separate crate that depends on them.

use squeeze::{Backend, FieldError, Member, ParamError, Simulation, SimulationError, StateId};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// The packages that are published.
const PACKAGES: [&str; 15] = [
    "squeeze-host",
    "squeeze-drawing",
    "squeeze-compiler",
    "squeeze-golly",
    "squeeze-codegen",
    "squeeze-engine",
    "squeeze-records",
    "squeeze-macros",
    "squeeze-fractals",
    "squeeze-bench",
    "squeeze-papers",
    "squeeze-overlap",
    "squeeze-packing",
    "squeeze-view",
    "squeeze-fractals-cli",
];

/// The crate's own fractal and rule.
const MAIN: &str = r#####"
squeeze::simulation! {
    /// A plus made of pluses.
    fractal plus {
        scale 3
        pattern {
            ".#."
            "###"
            ".#."
        }
    }
    rule majority {
        state up: bit
        init up = random(0.5)
        next up = 2 * count(moore, nb.up) > degree(moore)
        observe ups = sum(up)
    }
    pub mod votes: majority on plus at level 5;
}

fn main() -> Result<(), squeeze::Error> {
    assert_eq!(plus::lambda(2, 7), Some([1, 4]));
    assert_eq!((plus::lambda(2, 25), plus::lambda(u32::MAX, 0), plus::nu(u32::MAX, [0, 0])), (None, None, None));
    assert!(votes::builder().level(u32::MAX).build().is_err() && votes::builder().set("p=1").build().is_err());
    assert!(votes::builder().members([]).build().is_err() && majority::on(plus::fractal()).level(99).build().is_err());
    let mut simulation = votes::builder().level(5).seed(1).backend(squeeze::Backend::Cpu).build()?;
    simulation.step(10)?;
    println!("{:016x} {}", simulation.digests().unwrap()[0].1, simulation.execution().map_or("", |e| e.compiler));
    Ok(())
}
"#####;

/// The same rule for the oracle, here.
const RULE: &str =
    "rule majority { state up: bit init up = random(0.5) next up = 2 * count(moore, nb.up) > degree(moore) }";

/// The build folder that this test lies in: what the packages depend on was built there.
fn target() -> PathBuf {
    let program = std::env::current_exe().unwrap();
    program.ancestors().nth(3).expect("target/PROFILE/deps/NAME").to_owned()
}

fn cargo(folder: &Path, arguments: &[&str]) -> Output {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    let output = cargo.args(arguments).current_dir(folder).env("CARGO_TARGET_DIR", target()).output().unwrap();
    assert!(output.status.success(), "cargo {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    output
}

/// Unpacks the packages that have changed into a folder.
fn unpack(folder: &Path) {
    let mut arguments = vec!["package", "--no-verify", "--allow-dirty", "--offline", "--quiet"];
    arguments.extend(PACKAGES.iter().flat_map(|name| ["-p", name]));
    cargo(squeeze_tests::root(), &arguments);
    for name in PACKAGES {
        let packed = target().join(format!("package/{name}-{}.crate", env!("CARGO_PKG_VERSION")));
        let (packed, kept) = (std::fs::read(packed).unwrap(), folder.join(format!("{name}.crate")));
        if std::fs::read(&kept).is_ok_and(|kept| kept == packed) {
            continue;
        }
        _ = std::fs::remove_dir_all(folder.join(name));
        std::fs::create_dir_all(folder.join(name)).unwrap();
        std::fs::write(&kept, packed).unwrap();
        // With the present time, or cargo would not see that they changed.
        let arguments = ["-x", "-z", "-m", "--strip-components=1", "-C", name, "-f"];
        let status = Command::new("tar").args(arguments).arg(&kept).current_dir(folder).status().unwrap();
        assert!(status.success());
    }
}

/// Compares the outside crate's output with the oracle.
fn check(printed: &[u8], folder: &Path) {
    let file = folder.join("majority.rule");
    std::fs::write(&file, RULE).unwrap();
    let rule = squeeze::resolve::rule(file.to_str().unwrap()).unwrap();
    let builder = Simulation::builder(squeeze::resolve::fractal("vicsek").unwrap(), rule).level(5).seed(1);
    let mut oracle = builder.backend(Backend::Reference).build().unwrap();
    oracle.step(10).unwrap();
    let printed = String::from_utf8_lossy(printed);
    assert!(printed.starts_with(&format!("{:016x} rustc", oracle.digests().unwrap()[0].1)), "{printed}");
}

/// The features of the facade that others get unless they say otherwise. Tests switch on `unstable` as well.
const FEATURES: [&str; 6] = ["cuda", "files", "jit", "macros", "pictures", "standalone"];

/// The libraries of a crate that were built beside this test, the newest first.
fn libraries_of(name: &str) -> Vec<PathBuf> {
    let folder = std::env::current_exe().unwrap().parent().expect("it lies in a folder").to_owned();
    let is_one = |path: &PathBuf| {
        let file = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        file.strip_prefix(&format!("lib{name}-")).is_some_and(|rest| rest.ends_with(".rlib") || rest.ends_with(".so"))
    };
    let files = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).filter(is_one);
    let mut libraries: Vec<PathBuf> = files.collect();
    libraries.sort_by_key(|path| std::cmp::Reverse(path.metadata().unwrap().modified().unwrap()));
    libraries
}

/// Lets rustc or rustdoc read the facade with these features; gives what the tool was called with to find its libraries.
fn read_facade(tool: &str, features: &[&str], arguments: &[&str]) -> Vec<String> {
    let mut said = String::new();
    // There are two libraries of the compiler: macros have one of their own.
    for compiler in libraries_of("squeeze_compiler") {
        let mut found = vec!["-L".to_owned(), format!("dependency={}", compiler.parent().unwrap().display())];
        for name in ["squeeze_codegen", "squeeze_engine", "squeeze_host", "squeeze_macros", "squeeze_records"] {
            found.extend(["--extern".to_owned(), format!("{name}={}", libraries_of(name)[0].display())]);
        }
        found.extend(["--extern".to_owned(), format!("squeeze_compiler={}", compiler.display())]);
        let mut command = Command::new(tool);
        command.args(["--edition", "2024", "--crate-name", "squeeze"]).args(&found).args(arguments);
        command.args(features.iter().flat_map(|name| ["--cfg".to_owned(), format!("feature=\"{name}\"")]));
        let output = command.arg(squeeze_tests::root().join("crates/squeeze/src/lib.rs")).output().unwrap();
        if output.status.success() {
            return found;
        }
        said = String::from_utf8_lossy(&output.stderr).into_owned();
    }
    panic!("{said}");
}

/// The library of the facade, made once, and what rustc is called with to find those behind it.
fn facade() -> &'static (PathBuf, Vec<String>) {
    static FACADE: OnceLock<(PathBuf, Vec<String>)> = OnceLock::new();
    FACADE.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("facade");
        std::fs::create_dir_all(&folder).unwrap();
        let library = folder.join("libsqueeze.rlib");
        let mut found = read_facade("rustc", &FEATURES, &["--crate-type", "rlib", "-o", library.to_str().unwrap()]);
        found.extend(["-L".to_owned(), format!("dependency={}", folder.display())]);
        (library, found)
    })
}

#[test]
fn a_crate_outside_needs_nothing_but_the_facade() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("outside");
    std::fs::create_dir_all(&folder).unwrap();
    let (facade, found) = facade();
    let (source, program) = (folder.join("votes.rs"), folder.join("votes"));
    std::fs::write(&source, MAIN).unwrap();
    let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or("rustc".into()));
    rustc.args(["--edition", "2024", "--extern"]).arg(format!("squeeze={}", facade.display()));
    rustc.args(found).arg("-o").args([&program, &source]);
    for optimised in [false, true] {
        let output = if optimised { rustc.args(["-C", "opt-level=1"]) } else { &mut rustc }.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let output = Command::new(&program).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
        let notes = said.matches("note: kernels of `simulation!` were compiled without optimisation").count();
        assert_eq!(notes, usize::from(!optimised), "{said}");
        check(&output.stdout, &folder);
    }
}

/// Whether a call of a simulation refused a state, cells or bytes in this way.
macro_rules! refuses {
    ($call:expr, FieldError::$($error:tt)+) => {
        match $call {
            Err(SimulationError::Field(error)) => assert!(matches!(*error, FieldError::$($error)+), "{error}"),
            other => panic!("{other:?}"),
        }
    };
    ($call:expr, $($error:tt)+) => {
        match $call.map(|_| ()) {
            Err($($error)+) => {}
            other => panic!("{other:?}"),
        }
    };
}

#[test]
fn wrong_numbers_of_what_is_given_are_refused_and_change_nothing() {
    let (fractal, rule) = (squeeze::resolve::fractal("vicsek").unwrap(), squeeze::resolve::rule("gray_scott").unwrap());
    let builder = Simulation::builder(fractal.clone(), rule.clone()).level(3).seed(1);
    let all = 125;
    for backend in [Backend::Reference, Backend::Cpu] {
        let builder = builder.clone().backend(backend);
        refuses!(builder.clone().set("feed=0.1").set("feed=0.2").build(), SimulationError::Param(ParamError::Twice(_)));
        refuses!(builder.clone().set("feed").build(), SimulationError::Param(ParamError::Form(_)));
        refuses!(builder.clone().param("food", 1).build(), SimulationError::Param(ParamError::Unknown { .. }));
        refuses!(builder.clone().level(u32::MAX).build(), SimulationError::Level(_));

        let mut one = builder.clone().build().unwrap();
        one.step(3).unwrap();
        let before: Vec<u64> = one.digests().unwrap().iter().map(|(_, digest)| *digest).collect();
        refuses!(one.restart(2, &["feed=0.1", "feed=0.2"]), SimulationError::Param(ParamError::Twice(_)));
        refuses!(one.set_param("food", 1), SimulationError::Param(ParamError::Unknown { .. }));
        let mut bytes = [0; 40];
        refuses!(one.read(StateId(2), 0..10, &mut bytes), FieldError::Number { number: 2, states: 2, .. });
        refuses!(one.write(StateId(u16::MAX), 0..10, &bytes), FieldError::Number { number: u16::MAX, .. });
        refuses!(one.read(StateId(1), 0..11, &mut bytes), FieldError::Bytes { needed: 44, given: 40 });
        refuses!(one.write(StateId(1), 0..9, &bytes), FieldError::Bytes { needed: 36, given: 40 });
        refuses!(one.read(StateId(0), all - 9..all + 1, &mut bytes), FieldError::Cells { cells: 125, .. });
        #[allow(clippy::reversed_empty_ranges, reason = "it is what is refused")]
        let reversed = one.write(StateId(0), 10..0, &bytes);
        refuses!(reversed, FieldError::Cells { first: 10, end: 0, .. });
        refuses!(one.set_field("u", 120, &[0.5f32; 6]), FieldError::Cells { first: 120, end: 126, .. });
        refuses!(one.set_field("u", u64::MAX, &[0.5f32; 2]), FieldError::Cells { .. });
        refuses!(one.value("u", all), FieldError::Cells { .. });
        refuses!(one.value("w", 0), FieldError::Unknown { .. });
        refuses!(one.init_from(&["u", "w"]), FieldError::Unknown { .. });
        refuses!(one.step(1 << 32), SimulationError::Time { time: 3, .. });
        refuses!(one.step_observing(u32::MAX, u32::MAX), SimulationError::Time { time: 3, .. });
        assert_eq!(one.digests().unwrap().iter().map(|(_, digest)| *digest).collect::<Vec<_>>(), before);

        let members = |count: u64| (0..count).map(Member::new).collect::<Vec<Member>>();
        refuses!(builder.clone().members([]).build().map(|_| ()), SimulationError::NoMembers);
        let unknown = Member::new(1).param("food", 1);
        refuses!(builder.clone().members([unknown.clone()]).build().map(|_| ()), SimulationError::Param(_));
        let mut three = builder.members(members(3)).build().unwrap();
        three.step(3).unwrap();
        let before = format!("{:?}", three.digests().unwrap());
        for count in [0, 2, 4] {
            let given = three.restart(&members(count));
            refuses!(given, SimulationError::Members { expected: 3, given: 0 | 2 | 4 });
        }
        refuses!(three.restart(&[Member::new(0), unknown, Member::new(2)]), SimulationError::Param(_));
        refuses!(three.set_field(3, "u", 0, &[0.5f32]), SimulationError::Member { member: 3, members: 3 });
        refuses!(three.set_field(2, "u", all, &[0.5f32]), FieldError::Cells { .. });
        refuses!(three.init_from(usize::MAX, &["u"]), SimulationError::Member { .. });
        refuses!(three.step(1 << 32), SimulationError::Time { time: 3, .. });
        assert_eq!(format!("{:?}", three.digests().unwrap()), before);
    }
    let life = squeeze::resolve::rule("life").unwrap();
    let mut life = Simulation::builder(fractal, life).level(3).backend(Backend::Cpu).build().unwrap();
    refuses!(life.read(StateId(0), 3..8, &mut [0]), FieldError::Parted { first: 3, end: 8 });
    refuses!(life.write(StateId(0), 0..12, &[0; 2]), FieldError::Parted { .. });
    life.write(StateId(0), 120..all, &[31]).unwrap();
    let two = squeeze::resolve::rule("life_3d").unwrap();
    refuses!(Simulation::builder(life.domain().fractal().clone(), two).build(), SimulationError::Misfit(_));
}

/// Code that safe Rust must refuse, each with its error: it could crash a program that has no `unsafe`.
const HARMFUL: [(&str, &str, &str); 28] = [
    (
        "kernels of another rule",
        "E0133",
        "pub fn f(b: squeeze::SimulationBuilder, k: squeeze::expansion::AheadOfTime) { b.kernels(k); }",
    ),
    (
        "kernels of another rule, as an engine's options",
        "E0616",
        "pub fn f(o: &mut squeeze_engine::EngineOptions) { o.ahead_of_time = None; }",
    ),
    ("CUDA C, as an engine's options", "E0616", "pub fn f(o: &mut squeeze_engine::EngineOptions) { o.code = None; }"),
    (
        "CUDA C",
        "E0133",
        "pub fn f(b: squeeze::SimulationBuilder, c: squeeze_engine::cuda::LoadedCode) { b.load_cuda(c); }",
    ),
    (
        "an instruction set that is not there",
        "E0423",
        "pub const F: squeeze_codegen::AvailableIsa = squeeze_codegen::AvailableIsa(squeeze_codegen::Isa::Avx512);",
    ),
    (
        "machine code with pointers to anywhere",
        "E0133",
        "pub fn f(code: &squeeze_codegen::Code, call: &squeeze_codegen::Call) { code.run(call); }",
    ),
    (
        "a kernel that no pass has checked",
        "E0451",
        "pub fn f(r: squeeze_compiler::passes::Ready) -> squeeze_compiler::passes::Ready { squeeze_compiler::passes::Ready { ..r } }",
    ),
    ("a member that takes steps of its own", "E0596", "pub fn f(e: squeeze::Ensemble) { _ = e.members()[0].step(1); }"),
    ("a rule without the state of its steps", "E0596", "pub fn f(r: &mut squeeze::Rule) { r.states.pop(); }"),
    (
        "a rule that others have, changed",
        "E0596",
        "pub fn f(mut r: std::sync::Arc<squeeze::Rule>) { std::sync::Arc::make_mut(&mut r).steps.clear(); }",
    ),
    (
        "a rule of parts that nobody checked",
        "E0308",
        "pub fn f(r: &squeeze::Rule) -> squeeze::Rule { let mut all = (**r).clone(); all.states.clear(); all }",
    ),
    ("a rule made of parts", "E0423", "pub fn f(r: &squeeze::Rule) -> squeeze::Rule { squeeze::Rule((**r).clone()) }"),
    (
        "the rule of a later round, whose numbers nobody gives",
        "E0308",
        "pub fn f(r: &squeeze::Rule) -> Option<squeeze::Rule> { squeeze_compiler::ir::rounds::later(r) }",
    ),
    (
        "reductions of states that others have",
        "E0133",
        "use squeeze_engine::{MemberInputs, cuda::kit::{Prepared, States}, reduce::{Question, Take}}; \
         pub fn f(p: &Prepared, s: &States, i: &MemberInputs, q: &Question<'_>, t: Take<'_>) { \
         _ = p.partials(s, (i, 0), q, 1, t); }",
    ),
    (
        "a question about other reductions than its own",
        "E0616",
        "pub fn f<'a>(q: &mut squeeze_engine::reduce::Question<'a>, which: &'a [usize]) { q.which = which; }",
    ),
    (
        "a fractal whose cells lie outside of it",
        "E0596",
        "pub fn f(f: &mut squeeze::Fractal) { std::sync::Arc::make_mut(&mut f.patterns[0]).replicas[0] = [9; 3]; }",
    ),
    (
        "a parameter of a rule",
        "E0639",
        "pub fn f(p: squeeze::Param) -> squeeze::Param { squeeze::Param { range: None, ..p } }",
    ),
    (
        "options in full",
        "E0639",
        "pub fn f() -> squeeze::picture::Style { squeeze::picture::Style { axes: true, ..Default::default() } }",
    ),
    ("what stands behind the facade", "E0432", "use squeeze::compiler;"),
    (
        "parameters of no rule",
        "E0308",
        "pub fn f() -> squeeze_engine::MemberInputs { squeeze_engine::MemberInputs { seed: 0, params: Vec::new() } }",
    ),
    (
        "parameters that are changed behind their rule",
        "E0594",
        "pub fn f(p: &mut squeeze_engine::params::Params) { p[0] = squeeze::Value::U8(9); }",
    ),
    (
        "another simulation in the place of a member",
        "E0596",
        "pub fn f(e: &mut squeeze::Ensemble, s: &mut squeeze::Simulation) { \
         if let Ok(mut member) = e.member_mut(0) { std::mem::swap(&mut *member, s) } }",
    ),
    ("members in each other's places", "E0596", "pub fn f(e: &mut squeeze::Ensemble) { e.members().swap(0, 1); }"),
    (
        "values that no rule has looked at",
        "E0616",
        "pub fn f(v: &mut squeeze_engine::packed::StateValues<'_>) { v.bytes = vec![200].into(); }",
    ),
    (
        "a kernel that another module starts",
        "E0599",
        "use squeeze_engine::cuda::kit::{Blocks, Function, Module}; \
         pub fn f(m: &Module, k: Function, b: Blocks) { unsafe { _ = m.launch(k, b, 1u32); } }",
    ),
    (
        "machine code that no compiler has made",
        "E0603",
        "pub fn f() -> squeeze_engine::cuda::MachineCode { squeeze_engine::cuda::MachineCode(vec![0; 64]) }",
    ),
    (
        "the same, by way of the cache",
        "E0133",
        "pub fn f(c: &squeeze_engine::cuda::KernelCache) { _ = c.get_or(\"\", || Ok::<_, ()>(vec![0; 64])); }",
    ),
    (
        "a library that may be any",
        "E0133",
        "pub fn f(folder: &std::path::Path) { _ = squeeze_engine::cuda::Nvrtc::in_folder(folder); }",
    ),
];

#[test]
fn what_could_crash_a_program_without_unsafe_does_not_compile() {
    let folder = tempfile::tempdir().unwrap();
    let (facade, found) = facade();
    let source = folder.path().join("harm.rs");
    let errors_of = |text: &str| {
        std::fs::write(&source, text).unwrap();
        let mut rustc = Command::new("rustc");
        rustc.args(["--edition", "2024", "--crate-type", "lib", "--emit", "metadata", "--out-dir"]).arg(folder.path());
        rustc.args(found).arg("--extern").arg(format!("squeeze={}", facade.display())).arg(&source);
        String::from_utf8_lossy(&rustc.output().unwrap().stderr).into_owned()
    };
    assert_eq!(errors_of("pub fn f(b: squeeze::SimulationBuilder) { _ = b.level(1).build(); }"), "");
    for (what, code, text) in HARMFUL {
        let said = errors_of(text);
        let codes: Vec<&str> = said.matches("error[").collect();
        assert!(codes.len() == 1 && said.contains(&format!("error[{code}]")), "{what}: {said}");
    }
}

/// The most public functions and macros that others find in the facade, those of `expansion` left out, into which macros expand.
const MOST_FUNCTIONS: usize = 300;

/// Visits the facade's pages; types that it does not name are linked to the crates behind it.
fn documentation(visit: &mut dyn FnMut(&str, &str, &str, &str)) {
    let folder = tempfile::tempdir().unwrap();
    for krate in ["squeeze_codegen", "squeeze_compiler", "squeeze_drawing", "squeeze_engine", "squeeze_records"] {
        // rustdoc links to the crates that have a folder beside it.
        std::fs::create_dir(folder.path().join(krate)).unwrap();
    }
    read_facade("rustdoc", &FEATURES, &["--out-dir", folder.path().to_str().unwrap()]);
    pages(&folder.path().join("squeeze"), "squeeze", visit);
}

/// So it is, and each type of a signature has a name in it.
#[test]
fn the_facade_is_small() {
    let (mut functions, mut named, mut unnamed) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
    documentation(&mut |module, kind, item, page| {
        named.insert(item.to_owned());
        if kind == "fn" || kind == "macro" {
            functions.push(format!("{module}::{item}"));
        }
        for head in ["<section id=\"method.", "<section id=\"tymethod."] {
            let methods = page.split(head).skip(1).map(|rest| rest.split('"').next().unwrap());
            functions.extend(methods.map(|method| format!("{module}::{item}::{method}")));
        }
        let declarations = [("<pre class=\"rust item-decl\">", "</pre>"), ("class=\"code-header\">", "</h")];
        for (begin, end) in declarations.into_iter().chain([("class=\"structfield", "</span>")]) {
            for declaration in page.split(begin).skip(1).map(|rest| rest.split(end).next().unwrap()) {
                let titles = declaration.split("title=\"").skip(1).map(|rest| rest.split('"').next().unwrap());
                let foreign = titles.filter(|title| title.contains(" squeeze_"));
                unnamed.extend(foreign.map(|title| format!("{title} in {module}::{item}")));
            }
        }
    });
    // Several builds of a crate may lie side by side, so types are known by their names.
    unnamed.retain(|title: &String| {
        let path = title.split(" in ").next().unwrap();
        !named.contains(path.rsplit("::").next().unwrap())
    });
    functions.sort();
    let (count, listed) = (functions.len(), functions.join("\n"));
    assert!(count > 100 && count < MOST_FUNCTIONS, "{count} functions:\n{listed}");
    assert!(unnamed.is_empty(), "the facade names none of these: {unnamed:#?}");
}

#[test]
fn unstable_only_adds_names() {
    let folder = tempfile::tempdir().unwrap();
    let mut uses = String::new();
    documentation(&mut |module, _, item, _| {
        if item != "index" {
            uses += &format!("pub use {module}::{item} as n{};\n", uses.lines().count());
        }
    });
    assert!(uses.lines().count() > 100, "{uses}");
    let (source, library) = (folder.path().join("names.rs"), folder.path().join("libsqueeze.rmeta"));
    std::fs::write(&source, uses).unwrap();
    let mut rustc = Command::new("rustc");
    let features: Vec<&str> = FEATURES.into_iter().chain(["unstable"]).collect();
    let found = read_facade(
        "rustc",
        &features,
        &["--crate-type", "rlib", "--emit", "metadata", "-o", library.to_str().unwrap()],
    );
    rustc.args(["--edition", "2024", "--crate-type", "rlib", "--emit", "metadata", "--out-dir"]).arg(folder.path());
    rustc.args(found).arg("--extern").arg(format!("squeeze={}", library.display())).arg(source);
    let output = rustc.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// By day every third set.
#[test]
fn each_set_of_features_is_a_facade() {
    let folder = tempfile::tempdir().unwrap();
    let library = folder.path().join("libsqueeze.rmeta");
    let kernels = [&[][..], &["jit"], &["jit", "standalone"], &["jit", "cuda"], &["jit", "standalone", "cuda"]];
    let records = [&[][..], &["pictures"], &["pictures", "files"]];
    let others = [&[][..], &["macros"], &["unstable"], &["macros", "unstable"]];
    let numbers = (0..kernels.len()).flat_map(|k| (0..records.len()).flat_map(move |r| (0..4).map(move |o| [k, r, o])));
    for [k, r, o] in numbers.filter(|numbers| squeeze_tests::is_chosen(numbers.iter().sum(), 3)) {
        let features = [kernels[k], records[r], others[o]].concat();
        read_facade(
            "rustc",
            &features,
            &["--crate-type", "rlib", "--emit", "metadata", "-D", "warnings", "-o", library.to_str().unwrap()],
        );
    }
}

/// Visits rustdoc's pages of items: the path of the module, the kind and name of the item, and the page without what a type has of traits.
fn pages(folder: &Path, module: &str, visit: &mut dyn FnMut(&str, &str, &str, &str)) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if path.is_dir() {
            // Pages of private modules lead on to those of the public ones.
            if name != "expansion" && name != "modules" {
                pages(&path, &format!("{module}::{name}"), visit);
            }
        } else if let Some((kind, item)) = name.strip_suffix(".html").and_then(|name| name.split_once('.')) {
            let text = std::fs::read_to_string(&path).unwrap();
            // Methods of other types and of traits follow, from the first of these heads on.
            let heads = [
                "deref-methods",
                "trait-implementations",
                "synthetic-implementations",
                "blanket-implementations",
                "foreign-impls",
                "implementors",
            ];
            let traits = heads.map(|head| text.find(&format!("id=\"{head}")));
            let own = &text[..traits.into_iter().flatten().min().unwrap_or(text.len())];
            // Macros have a second page under an old name.
            if !item.ends_with('!') {
                visit(module, kind, item, own);
            }
        }
    }
}

/// A crate that hands the facade on.
const AGAIN: &str = "pub use sim as engine; pub use sim::rule;";

/// No prelude, no unsafe code, and the facade under other names.
const RENAMED: &str = r#####"
#![no_implicit_prelude]
#![forbid(unsafe_code)]
::sim::fractal! { fractal plus { scale 3 pattern { ".#." "###" ".#." } } }
mod handed_on {
    ::again::engine::fractal! { fractal edge { scale 2 pattern { "#." "##" } } }
    ::again::rule! { rule spread { state up: bit init up = random(0.5) next up = any(moore, nb.up) observe ups = sum(up) } }
}
fn main() {
    ::std::assert_eq!(plus::lambda(2, 7), ::std::option::Option::Some([1, 4]));
    let built = handed_on::spread::on(handed_on::edge::fractal()).level(3).build();
    ::std::assert!(built.is_ok());
}
"#####;

/// Kernels, where there is no prelude.
const KERNELS: &str = r#####"
#![no_implicit_prelude]
::again::engine::simulation! { pub mod growth: life on sierpinski_triangle at level 4; }
fn main() {
    ::std::assert!(growth::builder().level(4).build().is_ok());
}
"#####;

#[test]
fn macros_find_the_facade_under_another_name() {
    let folder = tempfile::tempdir().unwrap();
    let (facade, found) = facade();
    let again = folder.path().join("libagain.rlib");
    for (name, text, kind) in [("again", AGAIN, "lib"), ("renamed", RENAMED, "bin"), ("kernels", KERNELS, "bin")] {
        let source = folder.path().join(format!("{name}.rs"));
        std::fs::write(&source, text).unwrap();
        let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or("rustc".into()));
        rustc.args(["--edition", "2024", "--crate-type", kind, "--extern"]).arg(format!("sim={}", facade.display()));
        if kind == "bin" {
            rustc.arg("--extern").arg(format!("again={}", again.display()));
        }
        let out = if kind == "lib" { again.clone() } else { folder.path().join(name) };
        rustc.args(found).arg("-o").args([&out, &source]);
        let output = rustc.output().unwrap();
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        if kind == "bin" {
            assert!(Command::new(&out).status().unwrap().success(), "{name}");
        }
    }
}

#[test]
#[ignore = "it compiles everything a second time: `.ci/nightly` runs it"]
fn packages_compile_by_themselves_and_serve_a_crate_outside_the_workspace() {
    let folder = target().join("outside");
    std::fs::create_dir_all(folder.join("votes/src")).unwrap();
    unpack(&folder);
    // The same versions of everything, compiled in the same way, which are there already; our own as fast as it goes.
    let patches = PACKAGES.map(|name| format!("{name} = {{ path = {name:?} }}\n")).concat();
    let workspace = format!(
        "[workspace]\nresolver = \"3\"\nmembers = [\"votes\", \"squeeze*\"]\nexclude = [\"*.crate\"]\n\n\
         [patch.crates-io]\n{patches}\n[profile.dev]\nopt-level = 0\ndebug = false\nincremental = false\n\
         codegen-units = 4\nlto = \"off\"\n\n[profile.dev.package.\"*\"]\nopt-level = 2\ndebug = false\n"
    );
    let manifest = "[package]\nname = \"votes\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
         [dependencies]\nsqueeze = { package = \"squeeze-fractals\", path = \"../squeeze-fractals\" }\n";
    std::fs::write(folder.join("Cargo.toml"), workspace).unwrap();
    std::fs::write(folder.join("votes/Cargo.toml"), manifest).unwrap();
    std::fs::write(folder.join("votes/src/main.rs"), MAIN).unwrap();
    std::fs::copy(squeeze_tests::root().join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    let output = cargo(&folder, &["run", "--quiet", "--offline", "-p", "votes"]);
    check(&output.stdout, &folder);
    // The command too, as a program of tests: under its own name it would replace the one that other tests run.
    cargo(&folder, &["test", "--quiet", "--offline", "--no-run", "-p", "squeeze-fractals-cli", "--bin", "squeeze"]);
}

/// The files of a package as `cargo publish` would send it.
fn package(name: &str) -> Vec<String> {
    let arguments = ["package", "--list", "--allow-dirty", "--offline", "-p", name];
    let output = cargo(squeeze_tests::root(), &arguments);
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn packages_hold_all_that_they_read() {
    let names = |folder: &str, extension| {
        let files = squeeze_tests::files(&squeeze_tests::root().join(folder), &[extension]);
        let name = |path: &PathBuf| format!("{folder}/{}", path.file_name().unwrap().to_str().unwrap());
        files.iter().map(name).collect::<Vec<String>>()
    };
    let compiler = package("squeeze-compiler");
    let grammars = compiler.iter().filter(|file| file.ends_with(".pest")).count();
    assert!(grammars >= 1, "the grammar is in the package");
    let rules = ["rules", "rules/ordered", "rules/bonds", "rules/vectors"].map(|folder| names(folder, "rule"));
    let mut wanted = [names("fractals", "fractal"), rules.concat()].concat();
    wanted.extend(names("templates", "cu").into_iter().chain(names("templates", "rs")));
    for file in wanted {
        assert!(compiler.contains(&file), "squeeze-compiler holds {file}");
    }
    for name in ["squeeze-compiler", "squeeze-codegen"] {
        assert!(package(name).contains(&"templates/call.rs".to_owned()), "{name}");
    }
    for part in ["native", "set", "numbers", "portable", "x86"] {
        assert!(package("squeeze-fractals").contains(&format!("templates/{part}.rs")));
    }
    for part in ["mma", "popc", "wgmma"] {
        assert!(package("squeeze-overlap").contains(&format!("templates/{part}.cu")));
    }
    for part in ["pack", "encodings"] {
        assert!(package("squeeze-packing").contains(&format!("templates/{part}.cu")));
    }
    for name in PACKAGES {
        assert!(package(name).iter().any(|file| file.starts_with("src/")), "{name}");
    }
    // Nothing is read from outside of its package.
    for krate in [
        "host", "drawing", "compiler", "golly", "codegen", "engine", "records", "macros", "squeeze", "bench", "papers",
        "overlap", "packing", "cli",
    ] {
        sources(&squeeze_tests::root().join("crates").join(krate).join("src"), &mut |path, text| {
            for (number, line) in text.lines().enumerate().filter(|(_, line)| line.contains("include_")) {
                let Some((_, named)) = line.split_once("include_str!(\"").or(line.split_once("include_bytes!(\""))
                else {
                    continue;
                };
                let named = named.split('"').next().unwrap();
                let up = named.matches("../").count();
                let depth =
                    path.strip_prefix(squeeze_tests::root().join("crates").join(krate)).unwrap().components().count();
                assert!(up < depth, "{}:{}: {named} lies outside of the package", path.display(), number + 1);
            }
        });
    }
}

/// Each package is made as `cargo publish` makes it, says what a registry asks for, and has a name that no other package has.
#[test]
fn packages_can_be_published() {
    let mut arguments = vec!["package", "--no-verify", "--allow-dirty", "--offline", "--quiet"];
    arguments.extend(PACKAGES.iter().flat_map(|name| ["-p", name]));
    cargo(squeeze_tests::root(), &arguments);
    let listed = cargo(squeeze_tests::root(), &["metadata", "--offline", "--no-deps", "--format-version", "1"]);
    let listed: serde_json::Value = serde_json::from_slice(&listed.stdout).unwrap();
    let published = listed["packages"].as_array().unwrap().iter().filter(|package| package["publish"].is_null());
    let mut names: Vec<&str> = published
        .map(|package| {
            for field in ["description", "license", "readme", "keywords"] {
                assert!(package[field][0].is_string() || package[field].is_string(), "{}: {field}", package["name"]);
            }
            package["name"].as_str().unwrap()
        })
        .collect();
    names.sort_unstable();
    let mut wanted = PACKAGES;
    wanted.sort_unstable();
    assert_eq!(names, wanted);
    // Others have these.
    assert!(!names.contains(&"squeeze") && !names.contains(&"squeeze-cli"));
}

/// Visits all Rust sources below a folder.
fn sources(folder: &Path, visit: &mut dyn FnMut(&Path, &str)) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, visit);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            visit(&path, &std::fs::read_to_string(&path).unwrap());
        }
    }
}
