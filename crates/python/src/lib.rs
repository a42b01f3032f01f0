//! The extension module behind the Python package `squeeze`. It is thin: the package's Python (`python/squeeze`) checks arguments and gives arrays
//! their shapes; here objects hold simulations, release the interpreter's lock while they work, and look at signals between pieces of it.

mod array;
mod dlpack;
mod errors;
mod simulation;
mod texts;
#[cfg(feature = "view")]
mod view;

use pyo3::prelude::*;
use std::ffi::OsString;
use std::process::ExitCode;

/// Does what the command does with these arguments, the name of the program first; returns its exit code.
#[pyfunction]
fn main_of(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    let code = py.detach(|| squeeze_fractals_cli::main_of(arguments));
    (0..=u8::MAX).find(|number| ExitCode::from(*number) == code).unwrap_or(1)
}

#[pymodule(gil_used = false)]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<array::PyArray>()?;
    module.add_class::<simulation::PySimulation>()?;
    module.add_class::<texts::PyFractal>()?;
    module.add_class::<texts::PyRule>()?;
    #[cfg(feature = "view")]
    module.add_class::<view::PyView>()?;
    module.add_function(wrap_pyfunction!(main_of, module)?)?;
    #[cfg(feature = "view")]
    module.add_function(wrap_pyfunction!(view::view_files, module)?)?;
    module.add_function(wrap_pyfunction!(errors::panic, module)?)?;
    module.add_function(wrap_pyfunction!(texts::format, module)?)?;
    module.add_function(wrap_pyfunction!(texts::shipped, module)?)?;
    module.add_function(wrap_pyfunction!(texts::shipped_text, module)?)
}
