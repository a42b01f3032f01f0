//! The items that expanded macros name. Not for use by hand: it may change at any time.

/// The functions of emitted kernels.
///
/// Making a vector is `unsafe`, since the processor must have its instructions; without that word it does not compile:
///
/// ```compile_fail,E0133
/// use squeeze::expansion::native::{Bits, Portable};
/// let ones = Portable::splat(true);
/// ```
///
/// ```compile_fail,E0133
/// use squeeze::expansion::native::{F32, Portable, Set};
/// let one = F32::<Portable>::splat(1.0);
/// ```
///
/// ```compile_fail,E0133
/// use squeeze::expansion::native::{Portable, Set};
/// let sum = Portable::i_add(1, 2);
/// ```
#[cfg(feature = "jit")]
pub mod native {
    use squeeze_codegen::Call;

    include!("../templates/native.rs");
    include!("../templates/set.rs");
    include!("../templates/numbers.rs");
    include!("../templates/portable.rs");
    include!("../templates/x86.rs");
}

#[cfg(feature = "jit")]
pub use squeeze_codegen::{Call, KernelFn};
#[cfg(feature = "jit")]
pub use squeeze_engine::cpu::AheadOfTime;

pub use squeeze_macros as macros;

use squeeze_compiler::ir::{Fractal, Rule};
use squeeze_compiler::text::source::{Source, Sources};
use squeeze_compiler::{Library, Loaded, Loader, check};
use std::sync::Arc;

/// Says once in a process that kernels of `simulation!` were compiled without optimisation.
#[cfg(feature = "jit")]
pub fn tell_of_slow_kernels() {
    static TOLD: std::sync::Once = std::sync::Once::new();
    TOLD.call_once(|| {
        eprintln!(
            "note: kernels of `simulation!` were compiled without optimisation and are slow; two lines of Cargo.toml cure it: \
             `[profile.dev]` and `opt-level = 3`"
        );
    });
}

/// One answer of the loader when the macro was expanded.
#[derive(Clone, Copy, Debug)]
pub struct Used {
    /// The text that uses a file.
    pub from: &'static str,
    /// The path as written there.
    pub path: &'static str,
    /// The name of the file.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
}

/// Gives the texts that the macro read.
struct Replay(&'static [Used]);

impl Loader for Replay {
    fn load(&mut self, path: &str, from: &Source) -> Result<Loaded, String> {
        let used = self.0.iter().find(|used| used.from == from.name && used.path == path);
        used.map(|used| Loaded { name: used.name.to_owned(), bytes: used.text.as_bytes().to_vec() })
            .ok_or_else(|| "the macro did not read this file".to_owned())
    }
}

fn library(name: &str, text: &str, used: &'static [Used]) -> Library {
    let mut sources = Sources::new();
    let root = sources.add(name, text);
    check(&mut sources, root, &mut Replay(used)).expect("the macro checked this text")
}

/// A fractal of a text that a macro has checked.
pub fn fractal(source: &str, text: &str, used: &'static [Used], name: &str) -> Arc<Fractal> {
    Arc::clone(library(source, text, used).fractal(Some(name)).expect("the macro found this fractal"))
}

/// A rule of a text that a macro has checked.
pub fn rule(source: &str, text: &str, used: &'static [Used], name: &str) -> Arc<Rule> {
    Arc::clone(library(source, text, used).rule(Some(name)).expect("the macro found this rule"))
}

/// A fractal that ships.
pub fn shipped_fractal(name: &str) -> Arc<Fractal> {
    squeeze_records::resolve::fractal(name).expect("the macro found this fractal")
}

/// A rule that ships.
pub fn shipped_rule(name: &str) -> Arc<Rule> {
    squeeze_records::resolve::rule(name).expect("the macro found this rule")
}
