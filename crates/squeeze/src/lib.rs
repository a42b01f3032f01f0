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
//! A fractal or a rule can stand in Rust source; the compiler reports its errors. `S` and `K` are the fractal's scale and its cells per pattern,
//! `lambda(level, index)` is the place of a cell, and `nu` its inverse:
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
//! The kernels of a rule on a fractal can be compiled with the crate:
//!
//! ```
//! squeeze::simulation! {
//!     /// The shipped rule on the shipped fractal.
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
//! [`Simulation::set_param`] change them and the parameters, and [`Simulation::step_with`] reports progress. The folder `examples` of
//! this crate runs files, defines rules, sweeps parameters, compares compiled kernels, and runs emitted CUDA in a program in C++.
//!
//! The parts: [`resolve`] finds and checks texts in files and in memory, [`Simulation`] and [`Ensemble`] run them, [`Domain`] maps cells' indices to places in
//! the grid and back, [`picture`] draws, [`run`] and [`sweep`] record results in folders, [`statistics`] and [`analysis`] estimate means and errors, and
//! [`state`] reads and writes files of other programs.
//!
//! # Features
//!
//! All but `unstable` are on by default. With `default-features = false` the language, the geometry and the backend `reference` are left.
//!
//! | feature | adds |
//! |---|---|
//! | `jit` | the backend `cpu`, which compiles kernels when they are needed |
//! | `macros` | `fractal!`, `rule!`, `include_fractal!`, `include_rule!` and, with `jit`, `simulation!` |
//! | `cuda` | the backend `cuda`; implies `jit`, whose kernels compute some observables of a GPU's states on the host |
//! | `standalone` | `cpu::program`: a rule on a fractal as a program that needs nothing but rustc; implies `jit` |
//! | `pictures` | pictures of fractals and states |
//! | `files` | run folders, saved states, exports and initial values from files; implies `pictures` |
//! | `unstable` | the compiler, the engines and other parts within, which may change with any version; off by default |

#[cfg(feature = "macros")]
#[doc(hidden)]
pub mod expansion;
#[cfg(feature = "macros")]
mod macros;

/// The manual of the library, whose examples are tests.
#[cfg(doctest)]
#[doc = include_str!("../docs/rust.md")]
pub mod manual {}

pub use squeeze_compiler::geometry::{Domain, FittedRule, LevelError, RuleMisfit, Sizes};
pub use squeeze_compiler::ir::{
    Axes, Dimension, EnumId, EnumType, Fractal, Neighbourhood, Param, Rule, State, StateId, Type, Value,
};
pub use squeeze_compiler::reduce::fold::ObservedValue;
#[doc(hidden)]
pub use squeeze_compiler::target::Wavefront;
pub use squeeze_compiler::target::{CpuHardware, GpuHardware, Hardware, RankLink};
pub use squeeze_engine::failure::{Error, Failure, Message, Result};
pub use squeeze_engine::params::ParamError;
pub use squeeze_engine::sample::Sample;
pub use squeeze_engine::simulation::{
    Backend, Element, Ensemble, EnsembleBuilder, FieldError, Fields, Member, MemberMut, Observed, Simulation,
    SimulationBuilder, SimulationError, StateView, Window, WindowValues,
};
pub use squeeze_engine::{EngineError, Execution};

mod modules;
#[cfg(feature = "unstable")]
mod unstable;
pub use modules::*;
#[cfg(feature = "unstable")]
pub use unstable::*;
