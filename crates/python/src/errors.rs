//! Errors of the library, and panics, as exceptions of the module `squeeze.errors`.

use pyo3::prelude::*;
use squeeze::resolve::TextErrors;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The error as an exception: errors of texts with their places.
pub(crate) fn raised(py: Python<'_>, error: &squeeze::Error) -> PyErr {
    match error.find::<TextErrors>() {
        Some(texts) => of_texts(py, texts),
        None => made(py, "Error", |class| class.call1((error.to_string(), error.help()))),
    }
}

/// The errors of a text as an exception.
pub(crate) fn of_texts(py: Python<'_>, texts: &TextErrors) -> PyErr {
    let findings = serde_json::to_string(&texts.findings()).unwrap_or_default();
    made(py, "CompileError", |class| class.call1((texts.render(false), findings)))
}

/// An exception of the package.
fn made<'py>(
    py: Python<'py>,
    class: &str,
    call: impl FnOnce(Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>>,
) -> PyErr {
    let made = py.import("squeeze.errors").and_then(|module| module.getattr(class)).and_then(call);
    made.map_or_else(|failure| failure, PyErr::from_value)
}

/// Does some work without the interpreter's lock. A panic is an exception, and not the end of the process.
pub(crate) fn guarded<T: Send>(py: Python<'_>, work: impl FnOnce() -> Result<T, squeeze::Error> + Send) -> PyResult<T> {
    match py.detach(|| catch_unwind(AssertUnwindSafe(work))) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(raised(py, &error)),
        Err(panic) => Err(made(py, "InternalError", |class| class.call1((words(&*panic),)))),
    }
}

fn words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("a panic without words").to_owned()
}

/// Panics: tests look at what becomes of it.
#[pyfunction(name = "_panic")]
pub(crate) fn panic(py: Python<'_>, words: &str) -> PyResult<()> {
    guarded(py, || panic!("{words}"))
}
