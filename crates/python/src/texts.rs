//! Rules and fractals of names, paths and texts.

use crate::errors::{guarded, of_texts};
use crate::simulation::{number, type_name};
use pyo3::prelude::*;
use squeeze::resolve::{self, Edges, Kind};
use squeeze::state::initial;
use squeeze::{Axes, Message, Type, Value};
use std::path::Path;
use std::sync::Arc;

/// A state: its name, the name of its type, and the variants if that is an enum.
type StateOf = (String, &'static str, Option<Vec<String>>);
/// An input: its name, the name of its type, and its axis.
type InputOf = (String, &'static str, &'static str);
/// A parameter: its name, the name of its type, its default, and its range.
type ParamOf = (String, &'static str, Py<PyAny>, Option<(Py<PyAny>, Py<PyAny>)>);

/// The names, types and variants of a rule's states.
fn states_of(rule: &squeeze::Rule) -> Vec<StateOf> {
    let variants = |ty| match ty {
        Type::Enum(id) => Some(rule.enums[usize::from(id.0)].variants.clone()),
        _ => None,
    };
    rule.states.iter().map(|state| (state.name.clone(), type_name(state.ty), variants(state.ty))).collect()
}

/// A checked rule.
#[pyclass(frozen, name = "Rule", module = "squeeze._native")]
pub(crate) struct PyRule(pub(crate) Arc<squeeze::Rule>);

#[pymethods]
impl PyRule {
    /// The rule that a name, a path or a notation such as B3/S23 stands for.
    #[staticmethod]
    fn named(py: Python<'_>, spec: &str) -> PyResult<PyRule> {
        guarded(py, || resolve::rule(spec)).map(PyRule)
    }

    /// The last rule of a text. `name` is how messages call the text.
    #[staticmethod]
    fn of_text(py: Python<'_>, name: &str, text: &str) -> PyResult<PyRule> {
        guarded(py, || Ok(PyRule(resolve::rule_of_text(name, text, None)?.0)))
    }

    /// The rule with the values of its inputs, from files as `name=file`, and the sides of a domain that is as long as these, x first.
    fn with_inputs(&self, py: Python<'_>, settings: Vec<String>) -> PyResult<(PyRule, Vec<u64>)> {
        guarded(py, || {
            let given = initial::with_inputs(&self.0, &settings)?;
            let sides = given.extent_of_inputs().map_err(Message::users)?;
            Ok((PyRule(given), sides))
        })
    }

    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    /// The inputs: their names, the names of their types, and their axes.
    #[getter]
    fn inputs(&self) -> Vec<InputOf> {
        let axis = |axis: u8| Axes::NAMES[usize::from(axis)];
        self.0
            .named_inputs()
            .map(|(input, state)| (state.name.clone(), type_name(state.ty), axis(input.axis)))
            .collect()
    }

    #[getter]
    fn doc(&self) -> &str {
        &self.0.doc
    }

    #[getter]
    fn states(&self) -> Vec<StateOf> {
        states_of(&self.0)
    }

    /// The states on a domain, where bonds that are kept are those of their offsets.
    fn states_in(&self, domain: &PyFractal) -> Vec<StateOf> {
        states_of(&self.0.in_dimension(domain.0.dimension))
    }

    #[getter]
    fn params(&self, py: Python<'_>) -> PyResult<Vec<ParamOf>> {
        let value = |value: Value| number(py, value);
        let params = self.0.params.iter().map(|param| {
            let range = param.range.map(|(low, high)| Ok::<_, PyErr>((value(low)?, value(high)?))).transpose()?;
            Ok((param.name.clone(), type_name(param.ty), value(param.default)?, range))
        });
        params.collect()
    }

    #[getter]
    fn observables(&self) -> Vec<String> {
        self.0.observables.iter().map(|observable| observable.name.clone()).collect()
    }
}

fn of_sides(sides: Option<Vec<u64>>) -> Edges {
    let mut edges = Edges::default();
    edges.sides = sides;
    edges
}

/// A checked fractal or domain.
#[pyclass(frozen, name = "Fractal", module = "squeeze._native")]
pub(crate) struct PyFractal(pub(crate) Arc<squeeze::Fractal>);

#[pymethods]
impl PyFractal {
    /// The fractal or domain that a name, a path or a notation such as T100,50 stands for. `sides` are those of a domain that is as long as the inputs of a
    /// rule.
    #[staticmethod]
    #[pyo3(signature = (spec, sides=None))]
    fn named(py: Python<'_>, spec: &str, sides: Option<Vec<u64>>) -> PyResult<PyFractal> {
        guarded(py, || resolve::domain(spec, &of_sides(sides))).map(PyFractal)
    }

    /// The last fractal of a text, with sides as `named` takes them. `name` is how messages call the text.
    #[staticmethod]
    #[pyo3(signature = (name, text, sides=None))]
    fn of_text(py: Python<'_>, name: &str, text: &str, sides: Option<Vec<u64>>) -> PyResult<PyFractal> {
        guarded(py, || Ok(PyFractal(resolve::fractal_of_text(name, text, None, &of_sides(sides))?.0)))
    }

    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    #[getter]
    fn dimension(&self) -> usize {
        self.0.dimension.axes()
    }

    /// Whether it has levels: masks and boxes have none.
    #[getter]
    fn has_levels(&self) -> bool {
        self.0.extent.is_none()
    }
}

/// A text, laid out as `squeeze fmt` does. `name` is how messages call it.
#[pyfunction]
pub(crate) fn format(py: Python<'_>, name: &str, text: &str) -> PyResult<String> {
    let formatted = py.detach(|| resolve::format(Path::new(name), text.as_bytes()));
    formatted.map_err(|errors| of_texts(py, &errors))
}

/// The text of a rule or a fractal that ships.
#[pyfunction]
pub(crate) fn shipped_text(name: &str) -> Option<&'static str> {
    resolve::shipped_text(name).map(|(_, text)| text)
}

/// The names of the fractals and of the rules that ship.
#[pyfunction]
pub(crate) fn shipped() -> (Vec<&'static str>, Vec<&'static str>) {
    (resolve::shipped_names(Kind::Fractal), resolve::shipped_names(Kind::Rule))
}
