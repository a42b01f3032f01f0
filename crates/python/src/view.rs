//! Views in notebooks: messages that the package's Python carries between a widget's page and a simulation.

use crate::errors::guarded;
use crate::simulation::PySimulation;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use squeeze::run::{Drawing, params_as_settings};
use squeeze_view::{CarriedAnswer, CarriedView, PAGE_FILE, RunCommand, STYLE_FILE, Subject, widget_module};
use std::sync::{Mutex, MutexGuard};

/// A view of a simulation.
#[pyclass(frozen, name = "View", module = "squeeze._native")]
pub(crate) struct PyView {
    simulation: Py<PySimulation>,
    inner: Mutex<OpenView>,
}

/// The view, how often the simulation had been changed by others when it was looked at last, and an interrupt that came meanwhile.
struct OpenView {
    view: CarriedView,
    changes: u64,
    interrupt: Option<PyErr>,
}

/// Does some work with what a view shows.
fn with_subject<T>(work: impl FnOnce(&Subject<'_>) -> T) -> T {
    work(&Subject {
        drawing: &Drawing::default(),
        about_params: &[],
        command: &RunCommand::default(),
        members: None,
        text: None,
        rewrite: &|_, _| Ok(Vec::new()),
        restart: &|simulation, seed| {
            let follows: Vec<String> = simulation.following().map(str::to_owned).collect();
            let mut settings = params_as_settings(simulation.rule(), simulation.params());
            settings.retain(|setting| !follows.iter().any(|name| setting.split('=').next() == Some(name)));
            Ok(simulation.restart(seed, &settings)?)
        },
    })
}

#[pymethods]
impl PyView {
    #[new]
    fn new(py: Python<'_>, simulation: Py<PySimulation>, playing: bool) -> PyResult<PyView> {
        let inner = guarded(py, || {
            let (mut inner, changes) = simulation.get().locked_with_changes();
            let view = with_subject(|subject| CarriedView::of(&mut inner, subject, playing))?;
            Ok(Mutex::new(OpenView { view, changes, interrupt: None }))
        })?;
        Ok(PyView { simulation, inner })
    }

    /// Takes a message of a page, as JSON, and gives the answers: a text of JSON each, and bytes beside it.
    fn hear<'py>(&self, py: Python<'py>, message: &str) -> PyResult<Vec<(String, Option<Bound<'py, PyBytes>>)>> {
        let interrupt = Mutex::new(None);
        let stop = || {
            let mut interrupt = interrupt.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            *interrupt = interrupt.take().or_else(|| Python::attach(|py| py.check_signals().err()));
            interrupt.is_some()
        };
        let answers = guarded(py, || {
            let mut open = self.locked();
            let (mut inner, changes) = self.simulation.get().locked_with_changes();
            let changed = std::mem::replace(&mut open.changes, changes) != changes;
            let before = open.view.changes();
            let answers = with_subject(|subject| open.view.hear(&mut inner, subject, message, changed, &stop));
            if open.view.changes() != before {
                // Other views of the simulation know it by this.
                open.changes = self.simulation.get().count_change();
            }
            answers
        });
        if let Some(error) = interrupt.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()) {
            self.locked().interrupt = Some(error);
        }
        let answers = answers?;
        let given = |CarriedAnswer { content, bytes, .. }: CarriedAnswer| {
            (content, bytes.map(|bytes| PyBytes::new(py, &bytes)))
        };
        Ok(answers.into_iter().map(given).collect())
    }

    /// Raises the interrupt that ended what a message asked for, if one did.
    fn end(&self) -> PyResult<()> {
        self.locked().interrupt.take().map_or(Ok(()), Err)
    }
}

impl PyView {
    fn locked(&self) -> MutexGuard<'_, OpenView> {
        self.inner.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// The module of a widget, the page, and its style.
#[pyfunction]
pub(crate) fn view_files() -> (String, &'static str, &'static str) {
    let body = PAGE_FILE.split_once("<body>").and_then(|(_, rest)| rest.split_once("</body>"));
    (widget_module(), body.map_or("", |(body, _)| body), STYLE_FILE)
}
