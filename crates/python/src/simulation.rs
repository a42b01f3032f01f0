//! Simulations, each behind a lock: threads take turns. The interpreter's lock is released while one works.

use crate::array::{ArrayBytes, PyArray, format_of};
use crate::errors::guarded;
use crate::texts::{PyFractal, PyRule};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyKeyError, PyOverflowError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use squeeze::picture::{Format, Style, of_simulation};
use squeeze::{Backend, Element, ObservedValue, SimulationBuilder, StateId, Type, Value, Wavefront};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// A piece of work should take between these: long enough to cost nothing, short enough that an interrupt does not wait.
const SHORT: Duration = Duration::from_millis(25);
const LONG: Duration = Duration::from_millis(100);

/// The name of a type in the language; that of any enum is `enum`.
pub(crate) fn type_name(ty: Type) -> &'static str {
    match ty {
        Type::Bit => "bit",
        Type::U8 => "u8",
        Type::U16 => "u16",
        Type::I32 => "i32",
        Type::U32 => "u32",
        Type::I64 => "i64",
        Type::F32 => "f32",
        Type::F64 => "f64",
        Type::Enum(_) => "enum",
    }
}

/// A value as a number of Python: an f32 as the float that is written with as few digits.
pub(crate) fn number(py: Python<'_>, value: Value) -> PyResult<Py<PyAny>> {
    Ok(match value {
        Value::Bit(bit) => bit.into_pyobject(py)?.to_owned().into_any().unbind(),
        Value::F32(value) => {
            let shortest = value.to_string().parse().unwrap_or(f64::from(value));
            shortest.into_pyobject(py)?.into_any().unbind()
        }
        Value::F64(value) => value.into_pyobject(py)?.into_any().unbind(),
        whole => whole.as_i128().unwrap_or_default().into_pyobject(py)?.into_any().unbind(),
    })
}

fn observed(py: Python<'_>, value: &ObservedValue) -> PyResult<Py<PyAny>> {
    Ok(match value {
        ObservedValue::Integer(value) => value.into_pyobject(py)?.into_any().unbind(),
        ObservedValue::Float(value) => value.into_pyobject(py)?.into_any().unbind(),
        ObservedValue::List(values) => {
            let numbers = values.iter().map(|value| observed(py, value)).collect::<PyResult<Vec<_>>>()?;
            PyList::new(py, numbers)?.into_any().unbind()
        }
    })
}

/// The value of this name among `all`.
fn of_name<T: Copy, const N: usize>(
    kind: &str,
    name: &str,
    all: [T; N],
    name_of: fn(T) -> &'static str,
) -> PyResult<T> {
    all.into_iter().find(|one| name_of(*one) == name).ok_or_else(|| {
        PyValueError::new_err(format!("there is no {kind} {name:?}: write one of {}", all.map(name_of).join(", ")))
    })
}

/// Calls `$work` with the type of Rust that holds the values of a type of the language.
macro_rules! with_type {
    ($ty:expr, $work:ident ( $($argument:expr),* )) => {
        match $ty {
            Type::Bit => $work::<bool>($($argument),*),
            Type::U8 | Type::Enum(_) => $work::<u8>($($argument),*),
            Type::U16 => $work::<u16>($($argument),*),
            Type::I32 => $work::<i32>($($argument),*),
            Type::U32 => $work::<u32>($($argument),*),
            Type::I64 => $work::<i64>($($argument),*),
            Type::F32 => $work::<f32>($($argument),*),
            Type::F64 => $work::<f64>($($argument),*),
        }
    };
}

/// A type whose values come and go as bytes.
trait PyNumber: Element + Sync + Default {
    /// The value of its bytes.
    fn of(bytes: &[u8]) -> Self;
    /// Puts its bytes to a place.
    fn put(self, place: &mut [u8]);
}

macro_rules! number {
    ($($ty:ty)*) => {
        $(impl PyNumber for $ty {
            fn of(bytes: &[u8]) -> Self {
                Self::from_ne_bytes(bytes.try_into().unwrap_or_default())
            }

            fn put(self, place: &mut [u8]) {
                place.copy_from_slice(&self.to_ne_bytes());
            }
        })*
    };
}

number!(u8 u16 i32 u32 i64 f32 f64);

impl PyNumber for bool {
    fn of(bytes: &[u8]) -> Self {
        bytes.first().is_some_and(|byte| *byte != 0)
    }

    fn put(self, place: &mut [u8]) {
        place.fill(self.into());
    }
}

fn numbers<T: PyNumber>(bytes: &[u8]) -> Vec<T> {
    bytes.chunks_exact(size_of::<T>()).map(T::of).collect()
}

fn begun_with<T: PyNumber>(builder: SimulationBuilder, state: &str, bytes: &[u8], of_grid: bool) -> SimulationBuilder {
    let values = numbers::<T>(bytes);
    if of_grid { builder.initial_grid(state, values) } else { builder.initial(state, values) }
}

fn set<T: PyNumber>(simulation: &mut squeeze::Simulation, state: &str, bytes: &[u8]) -> Result<(), squeeze::Error> {
    Ok(simulation.set_field(state, 0, &numbers::<T>(bytes))?)
}

/// The values in a box of the grid, those of holes 0, and which places are cells.
fn window<T: PyNumber>(
    simulation: &squeeze::Simulation,
    state: &str,
    corner: [u64; 3],
    size: [usize; 3],
) -> Result<(ArrayBytes, ArrayBytes), squeeze::Error> {
    let found = simulation.window::<T>(state, corner, size)?.values;
    let mut values = ArrayBytes::new(found.len() * size_of::<T>());
    for (place, value) in values.bytes_mut().chunks_exact_mut(size_of::<T>()).zip(&found) {
        value.unwrap_or_default().put(place);
    }
    Ok((values, ArrayBytes::of(found.iter().map(|value| [u8::from(value.is_some())]))))
}

/// The values of one observable over time.
#[derive(Default)]
struct ObservedColumn {
    values: Vec<[u8; 8]>,
    /// The numbers of a list; 0 if it is none.
    width: usize,
    is_float: bool,
}

impl ObservedColumn {
    fn add(&mut self, value: &ObservedValue) {
        if let ObservedValue::List(values) = value {
            self.width = values.len();
            values.iter().for_each(|value| self.add_number(value));
        } else {
            self.add_number(value);
        }
    }

    fn add_number(&mut self, value: &ObservedValue) {
        match value {
            ObservedValue::Integer(value) => self.values.push(value.to_ne_bytes()),
            ObservedValue::Float(value) => {
                self.is_float = true;
                self.values.push(value.to_ne_bytes());
            }
            ObservedValue::List(_) => {}
        }
    }

    fn into_array(self, rows: usize) -> PyArray {
        let shape = if self.width > 0 { vec![rows, self.width] } else { vec![rows] };
        let ty = if self.is_float { Type::F64 } else { Type::I64 };
        PyArray::new(ArrayBytes::of(self.values.into_iter()), ty, &shape)
    }
}

/// A rule on a fractal.
#[pyclass(frozen, subclass, name = "Simulation", module = "squeeze._native")]
pub(crate) struct PySimulation {
    inner: Mutex<squeeze::Simulation>,
    /// How often states or parameters were changed from Python.
    changes: AtomicU64,
    states: Vec<(String, Type)>,
    cells: usize,
}

impl PySimulation {
    /// Works with the simulation, without the interpreter's lock.
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut squeeze::Simulation) -> Result<T, squeeze::Error> + Send,
    ) -> PyResult<T> {
        guarded(py, || work(&mut self.locked()))
    }

    /// Looks at something of the simulation that takes no time.
    fn told<T: Send>(&self, py: Python<'_>, look: impl Fn(&squeeze::Simulation) -> T + Sync + Send) -> T {
        match self.inner.try_lock() {
            Ok(inner) => look(&inner),
            // Whoever has it may wait for the interpreter's lock.
            Err(_) => py.detach(|| look(&self.locked())),
        }
    }

    fn locked(&self) -> MutexGuard<'_, squeeze::Simulation> {
        // After a panic the states are those of some step; the engine says itself if it cannot go on.
        self.inner.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Works with the simulation and changes it.
    fn change<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut squeeze::Simulation) -> Result<T, squeeze::Error> + Send,
    ) -> PyResult<T> {
        self.with(py, |inner| {
            let done = work(inner);
            self.changes.fetch_add(1, Ordering::Relaxed);
            done
        })
    }

    /// Counts a change by a view; gives how many there were.
    #[cfg(feature = "view")]
    pub(crate) fn count_change(&self) -> u64 {
        self.changes.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// The simulation, and how often it was changed from Python.
    #[cfg(feature = "view")]
    pub(crate) fn locked_with_changes(&self) -> (MutexGuard<'_, squeeze::Simulation>, u64) {
        (self.locked(), self.changes.load(Ordering::Relaxed))
    }

    fn state(&self, name: &str) -> PyResult<(StateId, Type)> {
        let found = self.states.iter().position(|(state, _)| state == name);
        let found = found.ok_or_else(|| PyKeyError::new_err(name.to_owned()))?;
        Ok((StateId(found as u16), self.states[found].1))
    }

    /// Does `work` on pieces of `all`, of `unit` and then of twice as many until one takes long enough, and looks at signals between them.
    fn in_pieces(
        &self,
        py: Python<'_>,
        (all, unit): (u64, u64),
        mut work: impl FnMut(u64) -> PyResult<()>,
    ) -> PyResult<()> {
        let (mut left, mut piece) = (all, unit);
        while left > 0 {
            let now = piece.min(left);
            let begin = Instant::now();
            work(now)?;
            left -= now;
            let took = begin.elapsed();
            if took < SHORT {
                piece = piece.saturating_mul(2);
            } else if took > LONG {
                piece = (piece / unit / 2).max(1) * unit;
            }
            if left > 0 {
                py.check_signals()?;
            }
        }
        Ok(())
    }
}

/// The numbers of GPUs that `devices` names.
fn numbers_of_devices(py: Python<'_>, devices: &Bound<'_, PyAny>) -> PyResult<Vec<u32>> {
    if devices.extract::<&str>().is_ok_and(|word| word == "all") {
        return Ok((0..guarded(py, || Ok(squeeze::cuda::device_count()?))?).collect());
    }
    match devices.extract::<Vec<u32>>() {
        Ok(numbers) if !numbers.is_empty() => Ok(numbers),
        _ => {
            let given = devices.repr()?;
            Err(PyValueError::new_err(format!(
                "devices={given} names no GPUs: valid are \"all\" and lists of their numbers, such as [0, 1]"
            )))
        }
    }
}

#[pymethods]
impl PySimulation {
    /// `settings` are `name=value`; `initial` are names of states, the bytes of their values, and whether these are of all places of the grid.
    #[new]
    #[allow(clippy::too_many_arguments, reason = "the package's Python calls it, with names")]
    #[pyo3(signature = (fractal, rule, *, level, seed, disorder, backend, threads, devices, wavefront, settings, initial))]
    fn new(
        py: Python<'_>,
        fractal: &PyFractal,
        rule: &PyRule,
        level: u32,
        seed: u64,
        disorder: Option<u64>,
        backend: &str,
        threads: Option<usize>,
        devices: Option<Bound<'_, PyAny>>,
        wavefront: Option<&str>,
        settings: Vec<String>,
        initial: Vec<(String, PyBuffer<u8>, bool)>,
    ) -> PyResult<Self> {
        let backend = of_name("backend", backend, Backend::ALL, Backend::name)?;
        let of_dimension = rule.0.in_dimension(fractal.0.dimension);
        let states = of_dimension.states.iter().map(|state| (state.name.clone(), state.ty));
        let states: Vec<(String, Type)> = states.collect();
        let mut builder =
            squeeze::Simulation::builder(fractal.0.clone(), rule.0.clone()).level(level).seed(seed).backend(backend);
        if let Some(disorder) = disorder {
            builder = builder.disorder(disorder);
        }
        if let Some(threads) = threads {
            builder = builder.threads(threads);
        }
        if let Some(devices) = devices {
            builder = builder.devices(&numbers_of_devices(py, &devices)?);
        }
        if let Some(name) = wavefront {
            let wavefront = of_name("wavefront", name, Wavefront::ALL, Wavefront::name)?;
            if let Some(why) = backend.why_no_waves(&rule.0) {
                return Err(PyValueError::new_err(format!("wavefront={name:?} has no effect: {why}")));
            }
            builder = builder.wavefront(wavefront);
        }
        builder = settings.into_iter().fold(builder, SimulationBuilder::set);
        for (state, values, of_grid) in initial {
            let ty = states.iter().find(|(name, _)| *name == state).map(|(_, ty)| *ty);
            let ty = ty.ok_or_else(|| PyKeyError::new_err(state.clone()))?;
            let bytes = values.to_vec(py)?;
            builder = with_type!(ty, begun_with(builder, &state, &bytes, of_grid));
        }
        let inner = guarded(py, || Ok(builder.build()?))?;
        let cells = usize::try_from(inner.domain().cells()).map_err(|_| PyOverflowError::new_err("too many cells"))?;
        Ok(PySimulation { inner: Mutex::new(inner), changes: AtomicU64::new(0), states, cells })
    }

    /// Computes time steps. An interrupt ends it between two of them, and raises KeyboardInterrupt; the simulation goes on from there. Raises `squeeze.Error`
    /// beyond step 2^32 − 1, in a child after a fork, and if the machine fails.
    #[pyo3(signature = (steps=1))]
    fn step(&self, py: Python<'_>, steps: u64) -> PyResult<()> {
        if steps <= 1 {
            return self.change(py, |inner| Ok(inner.step(steps)?));
        }
        // A pass over the memory computes several steps at once.
        let pass = self.told(py, squeeze::Simulation::steps_of_pass);
        self.in_pieces(py, (steps, pass.max(1).into()), |now| self.change(py, |inner| Ok(inner.step(now)?)))
    }

    /// The values of all observables at the present step, by name: an int of whole numbers and bits, a float of floats, a list of an observable that is one.
    fn observe<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let values = self.with(py, |inner| {
            let values = inner.observe()?;
            Ok(values.into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<Vec<_>>())
        })?;
        let all = PyDict::new(py);
        for (name, value) in values {
            all.set_item(name, observed(py, &value)?)?;
        }
        Ok(all)
    }

    /// Computes time steps, and the observables every so many: now, then after each of these, and at the end. Columns by name, `step` first.
    fn _observe_steps<'py>(&self, py: Python<'py>, steps: u32, every: u32) -> PyResult<Bound<'py, PyDict>> {
        let mut names = Vec::new();
        let (mut times, mut columns): (Vec<u32>, Vec<ObservedColumn>) = (Vec::new(), Vec::new());
        let mut observe_after = |every: u32, rows: u32| {
            self.change(py, |inner| {
                let begin = inner.time();
                let all = if every == 0 { vec![inner.observe()?] } else { inner.step_observing(every, rows)? };
                for (row, values) in (1..).zip(all) {
                    times.push(begin + every * row);
                    columns.resize_with(values.len(), ObservedColumn::default);
                    columns.iter_mut().zip(&values).for_each(|(column, (_, value))| column.add(value));
                    if names.is_empty() {
                        names.extend(values.iter().map(|(name, _)| (*name).to_owned()));
                    }
                }
                Ok(())
            })
        };
        observe_after(0, 1)?;
        let rows = steps.checked_div(every).unwrap_or_default();
        // The steps to a row may take long: the first are computed in pieces, and so are the others unless they were few.
        let mut row = |steps: u32| {
            let begin = Instant::now();
            self.step(py, u64::from(steps - 1))?;
            observe_after(1, 1)?;
            Ok::<_, PyErr>(begin.elapsed())
        };
        let mut done = 0;
        while done < rows {
            done += 1;
            if row(every)? < LONG {
                break;
            }
        }
        self.in_pieces(py, ((rows - done).into(), 1), |now| observe_after(every, now as u32))?;
        let left = steps - rows * every;
        if left > 0 {
            self.step(py, u64::from(left - 1))?;
            observe_after(1, 1)?;
        }
        let (rows, all) = (times.len(), PyDict::new(py));
        let times = ArrayBytes::of(times.into_iter().map(|time| i64::from(time).to_ne_bytes()));
        all.set_item("step", PyArray::new(times, Type::I64, &[rows]))?;
        for (name, column) in names.into_iter().zip(columns) {
            all.set_item(name, column.into_array(rows))?;
        }
        Ok(all)
    }

    /// The digests of all states, by name, 16 hexadecimal digits as the command prints them: equal states have equal digests on every backend and machine.
    fn digest<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let digests = self.with(py, |inner| {
            let digests = inner.digests()?;
            Ok(digests.into_iter().map(|(name, digest)| (name.to_owned(), digest)).collect::<Vec<_>>())
        })?;
        let all = PyDict::new(py);
        for (name, digest) in digests {
            all.set_item(name, format!("{digest:016x}"))?;
        }
        Ok(all)
    }

    /// The values of a state in all cells, in canonical order.
    fn _read(&self, py: Python<'_>, state: &str) -> PyResult<PyArray> {
        let (id, ty) = self.state(state)?;
        let cells = self.cells;
        let bytes = self.with(py, |inner| {
            let mut values = ArrayBytes::new(if ty == Type::Bit { cells.div_ceil(8) } else { cells * format_of(ty).1 });
            inner.read(id, 0..cells as u64, values.bytes_mut())?;
            Ok(if ty == Type::Bit { ArrayBytes::of_bits(values.bytes(), cells) } else { values })
        })?;
        Ok(PyArray::new(bytes, ty, &[cells]))
    }

    /// Gives a state these values, the bytes of one for each cell.
    fn _write(&self, py: Python<'_>, state: &str, values: PyBuffer<u8>) -> PyResult<()> {
        let (_, ty) = self.state(state)?;
        let bytes = values.to_vec(py)?;
        if bytes.len() != self.cells * format_of(ty).1 {
            let (given, cells) = (bytes.len() / format_of(ty).1, self.cells);
            return Err(PyValueError::new_err(format!("{given} values for {cells} cells")));
        }
        self.change(py, |inner| with_type!(ty, set(inner, state, &bytes)))
    }

    /// The values in a box of the grid, x first, and which of its places are cells; both with z first.
    fn _window(&self, py: Python<'_>, state: &str, corner: [u64; 3], size: [usize; 3]) -> PyResult<(PyArray, PyArray)> {
        let (_, ty) = self.state(state)?;
        let (values, cells) = self.with(py, |inner| with_type!(ty, window(inner, state, corner, size)))?;
        let shape = [size[2], size[1], size[0]];
        Ok((PyArray::new(values, ty, &shape), PyArray::new(cells, Type::Bit, &shape)))
    }

    /// A picture of the state that the rule's picture shows, or of its first one, as PNG; `None` of more cells than `most`.
    fn _picture<'py>(&self, py: Python<'py>, most: usize) -> PyResult<Option<Bound<'py, PyBytes>>> {
        if self.cells > most {
            return Ok(None);
        }
        let drawn = self.with(py, |inner| {
            let state =
                inner.rule().picture.as_ref().map_or_else(|| inner.rule().first_state(), |picture| picture.state);
            let picture = of_simulation(inner, state, None, &Style::default())?;
            Ok(picture.sheet.bytes(Format::Png))
        })?;
        Ok(Some(PyBytes::new(py, &drawn)))
    }

    /// The places of all cells, x first.
    fn _places(&self, py: Python<'_>) -> PyResult<PyArray> {
        let cells = self.cells;
        let bytes = self.with(py, |inner| {
            let mut places = ArrayBytes::new(cells * 24);
            for (c, place) in (0..).zip(places.bytes_mut().chunks_exact_mut(24)) {
                let [x, y, z] = inner.domain().lambda(c).map(u64::to_ne_bytes);
                place.copy_from_slice([x, y, z].as_flattened());
            }
            Ok(places)
        })?;
        Ok(PyArray::new(bytes, Type::I64, &[cells, 3]))
    }

    /// The value of a parameter.
    fn _param(&self, py: Python<'_>, name: &str) -> PyResult<Py<PyAny>> {
        let value = self.told(py, |inner| {
            let found = inner.rule().params.iter().position(|param| param.name == name);
            found.map(|found| inner.params()[found])
        });
        number(py, value.ok_or_else(|| PyKeyError::new_err(name.to_owned()))?)
    }

    /// Sets a parameter to a value as the language writes it.
    fn _set_param(&self, py: Python<'_>, name: &str, value: &str) -> PyResult<()> {
        self.change(py, |inner| Ok(inner.set_param(name, value)?))
    }

    /// The time of the present state, in steps since the beginning.
    #[getter]
    fn time(&self, py: Python<'_>) -> u32 {
        self.told(py, squeeze::Simulation::time)
    }

    /// The number of cells.
    #[getter]
    fn cells(&self) -> usize {
        self.cells
    }

    /// The sides of the grid, x first.
    #[getter]
    fn _extent(&self, py: Python<'_>) -> [u64; 3] {
        self.told(py, |inner| inner.domain().extent())
    }

    /// The dimension of the grid.
    #[getter]
    fn dimension(&self, py: Python<'_>) -> usize {
        self.told(py, |inner| inner.domain().dimension().axes())
    }

    /// The level of the fractal; `None` on masks and boxes.
    #[getter]
    fn level(&self, py: Python<'_>) -> Option<u32> {
        self.told(py, |inner| inner.domain().levels())
    }

    /// The seed.
    #[getter]
    fn seed(&self, py: Python<'_>) -> u64 {
        self.told(py, squeeze::Simulation::seed)
    }

    /// The seed of disorder.
    #[getter]
    fn disorder(&self, py: Python<'_>) -> u64 {
        self.told(py, squeeze::Simulation::disorder)
    }

    /// The backend that executes it.
    #[getter]
    fn backend(&self, py: Python<'_>) -> &'static str {
        self.told(py, |inner| inner.backend().name())
    }

    /// A readable name of the device.
    #[getter]
    fn device(&self, py: Python<'_>) -> String {
        self.told(py, squeeze::Simulation::device)
    }

    /// Why the backend is not the fastest that there might be; `None` if it is.
    #[getter]
    fn notice(&self, py: Python<'_>) -> Option<String> {
        self.told(py, |inner| inner.notice().map(str::to_owned))
    }

    /// Bytes of all states in memory, padding included.
    #[getter]
    fn nbytes(&self, py: Python<'_>) -> u64 {
        self.told(py, squeeze::Simulation::state_bytes)
    }
}
