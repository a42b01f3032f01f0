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
//! The parts: [`resolve`] finds and checks texts, [`Simulation`] runs them, [`picture`] draws, [`geometry`] holds the
//! maps between compact and expanded space, [`ir`] is the checked program, and [`compiler`] is all that stands behind.

pub use squeeze_compiler as compiler;
pub use squeeze_compiler::geometry::{self, Domain};
pub use squeeze_compiler::ir::{self, Fractal, Rule, Value};
pub use squeeze_compiler::numerics::fold::ObservedValue;
pub use squeeze_runtime::simulation::{self, Backend, Simulation, SimulationBuilder};
pub use squeeze_runtime::{Error, Result, bench, cpu, cuda, error, files, memory, packed, params, picture, resolve};
