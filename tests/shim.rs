//! The CUDA C that is printed, run with no GPU and compared with the oracle: `shim/` holds a driver and an NVRTC of the host, which
//! take the place of NVIDIA's. They are built with the system's C++ compiler; then this program starts itself again, with these
//! libraries before all others, and runs the tests of [`on_the_shim`], whose bodies stand in [`shim`].
//!
//! Threads are fibres here, so a read beside an array, a shift that is too wide and an access that is not aligned are faults, in shared memory too. `SQUEEZE_NVRTC`
//! and `LD_LIBRARY_PATH` set to the folder in `target/shim` give any program this device. A function that emitters or the engine begin to use is added to `kernel.h`
//! or `cuda.cpp`.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};

/// Says to the second process that the shim is there.
const MARK: &str = "SQUEEZE_SHIM";
const COMPILER: &str = "c++";

/// The comparisons, by subject.
mod shim {
    pub(crate) mod activity;
    pub(crate) mod ahead;
    pub(crate) mod cases;
    pub(crate) mod clusters;
    pub(crate) mod disorder;
    pub(crate) mod draws;
    #[cfg(feature = "papers")]
    pub(crate) mod full;
    pub(crate) mod layouts;
    pub(crate) mod looks;
    pub(crate) mod masks;
    pub(crate) mod members;
    #[cfg(feature = "papers")]
    pub(crate) mod mistakes;
    pub(crate) mod ordered;
    #[cfg(feature = "overlap")]
    pub(crate) mod overlaps;
    #[cfg(feature = "packing")]
    pub(crate) mod packing;
    #[cfg(feature = "papers")]
    pub(crate) mod papers;
    pub(crate) mod parts;
    pub(crate) mod ranks;
    pub(crate) mod rounds;
    pub(crate) mod skips;
    pub(crate) mod sweeps;
}

/// The folder of the libraries, built unless they are there. `None` where there is no C++ compiler; under CI it is required.
fn built() -> Option<PathBuf> {
    let version = Command::new(COMPILER).arg("--version").output().ok().filter(|version| version.status.success());
    let Some(version) = version else {
        assert!(std::env::var("CI").as_deref() != Ok("true"), "under CI a C++ compiler is required");
        println!("SKIPPED: there is no C++ compiler, so no kernel of CUDA C is run");
        return None;
    };
    let sources = squeeze_tests::root().join("tests/shim");
    let mut hasher = DefaultHasher::new();
    (version.stdout, &sources).hash(&mut hasher);
    for path in squeeze_tests::files(&sources, &["cpp", "h"]) {
        std::fs::read(path).unwrap().hash(&mut hasher);
    }
    // Builds and kernels of other sources are of no use.
    let all = squeeze_tests::root().join("target/shim");
    let folder = all.join(format!("{:016x}", hasher.finish()));
    if !folder.exists() {
        _ = std::fs::remove_dir_all(&all);
        let building = all.join(format!("building-{}", std::process::id()));
        std::fs::create_dir_all(&building).unwrap();
        for name in ["cuda", "nvrtc"] {
            let mut compile = Command::new(COMPILER);
            compile.args(["-std=c++17", "-O2", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared"]);
            compile.arg(format!("-DSHIM_FOLDER=\"{}\"", sources.display()));
            compile.arg(format!("-DSHIM_COMPILER=\"{COMPILER}\""));
            compile.arg("-o").arg(building.join(format!("lib{name}.so"))).arg(sources.join(format!("{name}.cpp")));
            let done = compile.arg("-ldl").output().unwrap();
            assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        }
        std::fs::rename(&building, &folder).unwrap();
    }
    Some(folder)
}

/// Runs this program's tests of one name with the shim as the driver.
fn run(folder: &Path, name: &str) {
    let mut tests = Command::new(std::env::current_exe().unwrap());
    tests.args(["--ignored", "--exact", "--nocapture", &format!("on_the_shim::{name}")]);
    tests.env(MARK, "1").env("SQUEEZE_SHIM_DEVICES", "2").env("LD_LIBRARY_PATH", folder).env("SQUEEZE_NVRTC", folder);
    let done = tests.env("SQUEEZE_CACHE", folder.join("cache")).output().unwrap();
    let said = String::from_utf8_lossy(&done.stdout);
    print!("{said}");
    assert!(done.status.success(), "{} {said}{}", done.status, String::from_utf8_lossy(&done.stderr));
    assert!(said.contains("agree"), "nothing was compared: {said}");
}

/// The shim, which tests of one process build once.
fn built_once() -> Option<PathBuf> {
    static BUILT: OnceLock<Option<PathBuf>> = OnceLock::new();
    BUILT.get_or_init(built).clone()
}

/// Makes two tests of each function: one that runs the other on the shim.
macro_rules! without_a_gpu {
    ($($file:ident: $($(#[$when:meta])? $name:ident)*;)*) => {
        $($($(#[$when])?
        #[test]
        fn $name() {
            if let Some(folder) = built_once() {
                run(&folder, stringify!($name));
            }
        })*)*

        mod on_the_shim {
            $($($(#[$when])?
            #[test]
            #[ignore = "the other test of this name runs it on the shim"]
            fn $name() {
                if crate::shim::cases::is_here() {
                    crate::shim::$file::$name();
                }
            })*)*
        }
    };
}

without_a_gpu! {
    layouts: lanes far lets numbered programs_by_chance;
    looks: looks little_is_copied;
    draws: draws ties filled_members;
    ahead: ahead graphs kernels;
    members: members member_lanes crowds members_by_chance copies;
    sweeps: sweeps;
    overlaps: #[cfg(feature = "overlap")] overlaps;
    masks: masks packed marches;
    packing: #[cfg(feature = "packing")] packing;
    activity: activity;
    papers: #[cfg(feature = "papers")] papers #[cfg(feature = "papers")] maps;
    parts: parts;
    ranks: ranks;
    rounds: rounds;
    skips: skips;
    disorder: disorder;
    clusters: clusters;
    ordered: ordered_programs ordered_rules last_lines;
    mistakes: #[cfg(feature = "papers")] wrong_kernels_are_found #[cfg(feature = "papers")] loaded_code_is_for_what_it_says;
    full: #[cfg(feature = "papers")] full_devices_say_so #[cfg(feature = "papers")] members_without_room_for_others_stay;
}

/// The cases that `tests/gpu/all.sh` runs first: they take all roads of the emitter and of the engine.
#[test]
#[ignore = "it takes minutes: .ci/nightly runs it"]
fn all_roads() {
    matrix(&["roads"]);
}

/// The same, of which every tenth by turns, with specialities switched off, so that any two of them are on and off together.
#[test]
#[ignore = "it takes minutes: .ci/nightly runs it"]
fn pairs() {
    let day = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() / (24 * 3600);
    matrix(&["roads", "--off", "--part", &format!("{}/10", 1 + day % 10)]);
}

/// Runs the program that compares a GPU with the CPU on the shim.
fn matrix(arguments: &[&str]) {
    let Some(folder) = built_once() else { return };
    let mut matrix = Command::new(env!("CARGO_BIN_EXE_matrix"));
    matrix.args(arguments).env("LD_LIBRARY_PATH", &folder).env("SQUEEZE_NVRTC", &folder);
    let done = matrix.env("SQUEEZE_CACHE", folder.join("cache")).output().unwrap();
    assert!(
        done.status.success(),
        "{}{}",
        String::from_utf8_lossy(&done.stdout),
        String::from_utf8_lossy(&done.stderr)
    );
}
