//! Cellular automata, PDEs and spin models on huge discrete fractals, in compact memory.
//!
//! A fractal and a rule are texts in a small language. A simulation runs a rule on a fractal at a level and gives the
//! same result, bit for bit, whatever executes it:
//!
//! ```
//! let fractal = squeeze::resolve::fractal("sierpinski_triangle")?;
//! let rule = squeeze::resolve::rule("life")?;
//! let mut simulation = squeeze::Simulation::builder(fractal, rule).level(6).seed(1).build()?;
//! simulation.step(10)?;
//! for (name, value) in simulation.observe()? {
//!     println!("{name} = {value}");
//! }
//! # Ok::<(), squeeze::Error>(())
//! ```
//!
//! A fractal or a rule can stand in Rust source; what is wrong with it is reported when the crate is compiled:
//!
//! ```
//! squeeze::fractal! {
//!     /// A plus made of pluses.
//!     fractal plus {
//!         scale 3
//!         pattern {
//!             ".#."
//!             "###"
//!             ".#."
//!         }
//!     }
//! }
//!
//! assert_eq!((plus::S, plus::K), (3, 5));
//! assert_eq!(plus::lambda(2, 7), Some([1, 4]));
//! assert_eq!(plus::nu(2, [0, 0]), None, "a hole");
//! const MIDDLE: Option<u64> = plus::Level::<2>::nu([4, 4]);
//! assert_eq!(MIDDLE, Some(12));
//! ```
//!
//! ```
//! squeeze::rule! {
//!     rule majority {
//!         state up: bit
//!         init up = random(0.5)
//!         next up = 2 * count(moore, nb.up) > degree(moore)
//!         observe ups = sum(up)
//!     }
//! }
//!
//! let fractal = squeeze::resolve::fractal("vicsek")?;
//! let mut simulation = majority::on(fractal).level(4).seed(1).build()?;
//! simulation.step(10)?;
//! println!("{:?}", simulation.observe()?);
//! # Ok::<(), squeeze::Error>(())
//! ```
//!
//! And a rule on a fractal can be compiled with the crate itself, so that nothing is compiled when it runs:
//!
//! ```
//! squeeze::simulation! {
//!     /// Growth on a triangle, as both ship.
//!     pub mod growth: life on sierpinski_triangle at level 8;
//! }
//!
//! let mut simulation = growth::builder().level(8).seed(1).backend(squeeze::Backend::Cpu).build()?;
//! simulation.step(10)?;
//! let alive: Vec<bool> = simulation.field("alive")?;
//! assert_eq!(alive.len(), 6561);
//! # Ok::<(), squeeze::Error>(())
//! ```
//!
//! Between steps, [`Simulation::field`] and [`Simulation::window`] read states, [`Simulation::set_field`] and
//! [`Simulation::set_param`] change them and the parameters, and [`Simulation::step_with`] tells of progress. The folder `examples` of
//! this crate runs files, defines rules, sweeps parameters, compares compiled kernels, and runs emitted CUDA in a program in C++.
//!
//! The parts: [`resolve`] finds and checks texts, [`Simulation`] runs them, [`picture`] draws, [`geometry`] holds the
//! maps between compact and expanded space, [`ir`] is the checked program, and [`compiler`] is all that stands behind.
//!
//! # Features
//!
//! All are on unless `default-features = false` is said. What is left then is the language, the geometry and the oracle.
//!
//! | feature | what it adds |
//! |---|---|
//! | `jit` | the backend `cpu`, which compiles kernels when they are needed |
//! | `macros` | `fractal!`, `rule!`, `include_fractal!`, `include_rule!` and, with `jit`, `simulation!` |
//! | `cuda` | the backend `cuda`; it takes `jit` along, whose kernels measure states on the host |
//! | `standalone` | `cpu::program`: a rule on a fractal as a program that needs nothing but rustc; it takes `jit` along |
//! | `pictures` | pictures of fractals and states |
//! | `files` | run folders, saved states, exports and initial values from files; it takes `pictures` along |

#[cfg(feature = "macros")]
#[doc(hidden)]
pub mod expansion;
#[cfg(feature = "macros")]
mod macros;

/// Reading texts and writing results: never a hang, never a half-written file.
pub mod files {
    pub use squeeze_host::files::{
        File, FileError, PendingFile, TEXT_LIMIT, read_standard_input, read_text_bytes, write_atomically,
    };
}

/// The examples of the manual are tests.
#[cfg(doctest)]
#[doc = include_str!("../docs/rust.md")]
pub mod manual {}

pub use squeeze_compiler as compiler;
pub use squeeze_compiler::geometry::{self, Domain};
pub use squeeze_compiler::ir::{self, Fractal, Rule, Value};
pub use squeeze_compiler::reduce::fold::ObservedValue;
pub use squeeze_engine as engine;
#[cfg(feature = "jit")]
pub use squeeze_engine::cpu;
#[cfg(feature = "cuda")]
pub use squeeze_engine::cuda;
pub use squeeze_engine::failure::{Error, Failure, Result};
pub use squeeze_engine::simulation::{
    self, Backend, Element, Ensemble, EnsembleBuilder, FieldError, Member, Observed, Simulation, SimulationBuilder,
    Window,
};
pub use squeeze_engine::strategy::{self, Strategy, StrategyChoice};
pub use squeeze_engine::{packed, params, totals};
pub use squeeze_host::{memory, numbers, threads};
pub use squeeze_records::state::{self, window};
#[cfg(feature = "files")]
pub use squeeze_records::state::{export, initial, store};
#[cfg(feature = "files")]
pub use squeeze_records::{analysis, hardware, lists, observation_times, run, sweep};
#[cfg(feature = "pictures")]
pub use squeeze_records::{chart, drawing, picture};
pub use squeeze_records::{pattern, resolve, statistics, texts};
