//! The version of this build.

use squeeze::run::Build;
use std::sync::LazyLock;

/// The text that `--version` prints behind the name.
pub(crate) static VERSION: LazyLock<String> = LazyLock::new(|| {
    let Build { commit, date, features } = build();
    let known = [commit, date].into_iter().flatten().chain([features.join(" ")]).filter(|part| !part.is_empty());
    format!("{} ({})", env!("CARGO_PKG_VERSION"), known.collect::<Vec<_>>().join(", "))
});

/// The commit, date and features that the build script found.
pub(crate) fn build() -> Build {
    let commit = Some(env!("SQUEEZE_COMMIT")).filter(|commit| !commit.is_empty());
    let seconds: Option<u64> = env!("SQUEEZE_SECONDS").parse().ok();
    let features = env!("SQUEEZE_FEATURES").split_whitespace().map(str::to_owned).collect();
    Build { commit: commit.map(str::to_owned), date: seconds.map(Build::day), features }
}
