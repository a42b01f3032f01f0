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
//! A fractal or a rule can stand in Rust source; its errors are reported when the crate is compiled:
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
//! And the kernels of a rule's time steps on a fractal can be compiled with the crate itself:
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
//! The parts: [`resolve`] finds and checks texts in files and in memory, [`Simulation`] and [`Ensemble`] run them, [`Domain`] holds the maps between compact and
//! expanded space, [`picture`] draws, [`run`] and [`sweep`] keep what is computed in folders, [`statistics`] and [`analysis`] estimate, and
//! [`state`] reads and writes the files of others.
//!
//! # Features
//!
//! All but `unstable` are on unless `default-features = false` is said. The language, the geometry and the oracle are left then.
//!
//! | feature | what it adds |
//! |---|---|
//! | `jit` | the backend `cpu`, which compiles kernels when they are needed |
//! | `macros` | `fractal!`, `rule!`, `include_fractal!`, `include_rule!` and, with `jit`, `simulation!` |
//! | `cuda` | the backend `cuda`; it takes `jit` along, whose kernels measure states on the host |
//! | `standalone` | `cpu::program`: a rule on a fractal as a program that needs nothing but rustc; it takes `jit` along |
//! | `pictures` | pictures of fractals and states |
//! | `files` | run folders, saved states, exports and initial values from files; it takes `pictures` along |
//! | `unstable` | the compiler, the engines and what else stands behind, which may change with any version; it is off unless it is asked for |

#[cfg(feature = "macros")]
#[doc(hidden)]
pub mod expansion;
#[cfg(feature = "macros")]
mod macros;

/// The examples of the manual are tests.
#[cfg(doctest)]
#[doc = include_str!("../docs/rust.md")]
pub mod manual {}

pub use squeeze_compiler::geometry::{Domain, FittedRule, LevelError, RuleMisfit, Sizes};
pub use squeeze_compiler::ir::{
    Axes, Dimension, EnumId, EnumType, Fractal, Neighbourhood, Param, Rule, State, StateId, Type, Value,
};
pub use squeeze_compiler::reduce::fold::ObservedValue;
pub use squeeze_compiler::target::{CpuHardware, GpuHardware, Hardware};
pub use squeeze_engine::failure::{Error, Failure, Message, Result};
pub use squeeze_engine::params::ParamError;
pub use squeeze_engine::simulation::{
    Backend, Element, Ensemble, EnsembleBuilder, FieldError, Member, MemberMut, Observed, Simulation,
    SimulationBuilder, SimulationError, Window,
};
pub use squeeze_engine::{EngineError, Execution};

mod modules;
#[cfg(feature = "unstable")]
mod unstable;
pub use modules::*;
#[cfg(feature = "unstable")]
pub use unstable::*;
