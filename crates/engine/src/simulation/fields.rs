//! States as Rust values: in canonical order, by place in the expanded grid, and as windows of that grid.

use super::Simulation;
use super::error::{FieldError, Result};
use crate::packed;
use crate::sample::Sample;
use crate::{EngineError, MemberInputs};
use squeeze_compiler::ir::{StateId, Type, Value};
use squeeze_compiler::numbers::mode::DefaultMode;
use std::ops::{ControlFlow, Range};

/// A type of Rust that values of states come as: `bool` for bits, `u8` for `u8` and for the numbers of an enum's variants, `i32`,
/// `u32`, `f32` and `f64` for themselves.
pub trait Element: Copy + Send + 'static {
    /// Its name in messages.
    const NAME: &'static str;

    /// Whether values of this type of the language are elements of this type.
    #[doc(hidden)]
    fn is(ty: Type) -> bool;

    /// The element of a value's [bits](Value::bits).
    #[doc(hidden)]
    fn from_bits(bits: u64) -> Self;

    /// The [bits](Value::bits) of the element's value.
    #[doc(hidden)]
    fn bits(self) -> u64;
}

macro_rules! elements {
    ($($ty:ty, $pattern:pat, $name:literal, $bits:ident => $from:expr, $v:ident => $to:expr;)*) => {$(
        impl Element for $ty {
            const NAME: &'static str = $name;
            fn is(ty: Type) -> bool {
                matches!(ty, $pattern)
            }
            fn from_bits($bits: u64) -> Self {
                $from
            }
            fn bits(self) -> u64 {
                let $v = self;
                $to
            }
        }
    )*};
}

elements! {
    bool, Type::Bit, "bool", bits => bits == 1, v => u64::from(v);
    u8, Type::U8 | Type::Enum(_), "u8", bits => bits as u8, v => u64::from(v);
    u16, Type::U16, "u16", bits => bits as u16, v => u64::from(v);
    i32, Type::I32, "i32", bits => bits as u32 as i32, v => u64::from(v as u32);
    u32, Type::U32, "u32", bits => bits as u32, v => u64::from(v);
    i64, Type::I64, "i64", bits => bits as i64, v => v as u64;
    f32, Type::F32, "f32", bits => f32::from_bits(bits as u32), v => u64::from(v.to_bits());
    f64, Type::F64, "f64", bits => f64::from_bits(bits), v => v.to_bits();
}

/// A box of the expanded grid.
#[derive(Clone, Debug, PartialEq)]
pub struct Window<T> {
    /// Its corner with the smallest coordinates (x, y, z); z is 0 in two dimensions.
    pub corner: [u64; 3],
    /// Places along x, y and z.
    pub size: [usize; 3],
    /// The values in reading order: x fastest, then y, then z. `None` for holes and for places outside the grid.
    pub values: Vec<Option<T>>,
}

impl<T: Copy> Window<T> {
    /// The value at a place of the window, counted from its corner; `None` for holes and outside of it.
    pub fn get(&self, [x, y, z]: [usize; 3]) -> Option<T> {
        let inside = [x, y, z].iter().zip(self.size).all(|(v, size)| *v < size);
        if inside { self.values[(z * self.size[1] + y) * self.size[0] + x] } else { None }
    }
}

/// Cells that are moved at once: a multiple of 8, so that bits stay whole bytes.
const PIECE: u64 = 1 << 22;

/// A list with room for `values` values.
fn room<T>(values: u128) -> Result<Vec<T>> {
    let mut list = Vec::new();
    let count = usize::try_from(values).map_err(|_| FieldError::TooMany { values })?;
    let bytes = values.saturating_mul(size_of::<T>() as u128);
    if bytes > u128::from(squeeze_host::memory::available()) {
        return Err(FieldError::TooMany { values }.into());
    }
    list.try_reserve_exact(count).map_err(|_| FieldError::TooMany { values })?;
    Ok(list)
}

/// Ranges of cells, each within a piece.
pub(super) fn pieces(cells: Range<u64>) -> impl Iterator<Item = Range<u64>> {
    let mut at = cells.start;
    std::iter::from_fn(move || {
        let piece = at..cells.end.min((at / PIECE + 1) * PIECE);
        at = piece.end;
        (piece.start < piece.end).then_some(piece)
    })
}

impl Simulation {
    /// The state of this name.
    pub(super) fn state(&self, name: &str) -> Result<StateId> {
        self.rule().state_named(name).ok_or_else(|| {
            let known: Vec<String> = self.rule().states.iter().map(|state| state.name.clone()).collect();
            FieldError::Unknown { rule: self.rule().name.clone(), name: name.to_owned(), known }.into()
        })
    }

    /// The state of this name, whose values are of this type.
    fn state_of<T: Element>(&self, name: &str) -> Result<(StateId, Type)> {
        let id = self.state(name)?;
        let ty = self.rule().state(id).ty;
        if T::is(ty) {
            return Ok((id, ty));
        }
        Err(FieldError::Type { state: name.to_owned(), ty: self.rule().type_name(ty), asked: T::NAME }.into())
    }

    pub(super) fn existing(&self, cells: &Range<u64>) -> Result<()> {
        let all = self.domain().cells();
        if cells.start <= cells.end && cells.end <= all {
            return Ok(());
        }
        Err(FieldError::Cells { first: cells.start, end: cells.end, cells: all }.into())
    }

    /// The cells around these that fill whole bytes, if the state is of bits.
    fn whole_bytes(&self, ty: Type, cells: &Range<u64>) -> Range<u64> {
        match ty {
            Type::Bit => cells.start / 8 * 8..self.domain().cells().min(cells.end.next_multiple_of(8)),
            _ => cells.clone(),
        }
    }

    /// The values of a state in all cells, by canonical index.
    ///
    /// # Errors
    /// [`FieldError`], or if the machine fails.
    pub fn field<T: Element>(&self, state: &str) -> Result<Vec<T>> {
        self.field_part(state, 0..self.domain().cells())
    }

    /// The values of a state in some cells, by canonical index.
    ///
    /// # Errors
    /// [`FieldError`], or if the machine fails.
    pub(crate) fn field_part<T: Element>(&self, state: &str, cells: Range<u64>) -> Result<Vec<T>> {
        let (id, ty) = self.state_of::<T>(state)?;
        self.existing(&cells)?;
        let mut values = room(u128::from(cells.end - cells.start))?;
        for piece in pieces(cells) {
            let whole = self.whole_bytes(ty, &piece);
            let mut bytes = vec![0; packed::bytes(ty, whole.end - whole.start) as usize];
            self.read(id, whole.clone(), &mut bytes)?;
            values.extend(piece.map(|c| T::from_bits(packed::bits(ty, &bytes, c - whole.start))));
        }
        Ok(values)
    }

    /// The sum over each block of `K_mu` cells, in canonical order, of what `sample` makes of the values of a state.
    ///
    /// # Errors
    /// If the machine fails.
    #[doc(hidden)]
    pub fn block_sums(&self, state: StateId, mu: u32, sample: Sample<'_>) -> Result<Vec<[f64; 3]>, EngineError> {
        let _mode = DefaultMode::enter();
        let blocks = 0..self.domain().cells() / self.domain().cell_product(mu);
        if let Some(sums) = self.engine()?.block_sums(self.member, state, mu, blocks, sample)? {
            return Ok(sums);
        }
        let (ty, cells, block) = (self.rule().state(state).ty, self.domain().cells(), self.domain().cell_product(mu));
        let mut sums = vec![[0.0; 3]; (cells / block) as usize];
        for piece in pieces(0..cells) {
            let mut bytes = vec![0; packed::bytes(ty, piece.end - piece.start) as usize];
            self.engine()?.read(self.member, state, piece.clone(), &mut bytes)?;
            sample.add_range(ty, piece, &bytes, block, &mut sums);
        }
        Ok(sums)
    }

    /// Gives a state these values in the cells from `first` on, by canonical index. Every NaN becomes the one quiet NaN. Other states keep
    /// theirs, also before the first step: [`init_from`](Self::init_from) computes what their `init` makes of these.
    ///
    /// # Errors
    /// [`FieldError`] (then nothing is written), or if the machine fails.
    pub fn set_field<T: Element>(&mut self, state: &str, first: u64, values: &[T]) -> Result<()> {
        let (id, ty) = self.state_of::<T>(state)?;
        let cells = first..first.saturating_add(values.len() as u64);
        self.existing(&cells)?;
        packed::check_values(self.rule(), id, first, values.iter().map(|value| value.bits()))?;
        for piece in pieces(cells) {
            let whole = self.whole_bytes(ty, &piece);
            let mut bytes = vec![0; packed::bytes(ty, whole.end - whole.start) as usize];
            if whole != piece {
                self.read(id, whole.clone(), &mut bytes)?;
            }
            for c in piece {
                packed::replace(ty, &mut bytes, c - whole.start, values[(c - first) as usize].bits());
            }
            self.write(id, whole, &bytes)?;
        }
        Ok(())
    }

    /// The value of a state at a place (x, y, z) of the expanded grid, z = 0 in two dimensions; `None` for a hole or a place outside.
    ///
    /// # Errors
    /// [`FieldError::Unknown`], or if the machine fails.
    pub fn value_at(&self, state: &str, point: [u64; 3]) -> Result<Option<Value>> {
        let id = self.state(state)?;
        self.domain().nu(point).map(|c| self.value_of(id, c)).transpose()
    }

    /// The values of a state in a box of the expanded grid.
    ///
    /// # Errors
    /// [`FieldError`], or if the machine fails.
    pub fn window<T: Element>(&self, state: &str, corner: [u64; 3], size: [usize; 3]) -> Result<Window<T>> {
        let (id, _) = self.state_of::<T>(state)?;
        let places = size.iter().fold(1u128, |product, v| product.saturating_mul(*v as u128));
        let mut values = room(places)?;
        let place = |axis: usize, v: usize| corner[axis].checked_add(v as u64);
        for (z, y) in (0..size[2]).flat_map(|z| (0..size[1]).map(move |y| (z, y))) {
            for x in 0..size[0] {
                let point = place(0, x).zip(place(1, y)).zip(place(2, z));
                let cell = point.and_then(|((x, y), z)| self.domain().nu([x, y, z]));
                let value = cell.map(|c| self.value_of(id, c)).transpose()?;
                values.push(value.map(|value| T::from_bits(value.bits())));
            }
        }
        Ok(Window { corner, size, values })
    }

    /// Sets a parameter for the steps from here on: a number, `true` or `false`, or the name of an enum's variant. Parameters computed
    /// from it change with it, unless they were set themselves.
    ///
    /// # Errors
    /// [`ParamError`](crate::params::ParamError) if there is no such parameter, the value does not fit its type, or the parameter or one that
    /// follows from it would lie outside its range; or if the machine fails. The parameters are then as before.
    pub fn set_param(&mut self, name: &str, value: impl std::fmt::Display) -> Result<()> {
        let _mode = DefaultMode::enter();
        let params = self.params.with(self.rule(), &format!("{name}={value}"))?;
        let inputs = MemberInputs::new(&self.rule, self.seed, &params);
        self.engine_mut()?.set_params(&[inputs.params])?;
        self.params = params;
        Ok(())
    }

    /// Computes this many time steps and calls `progress` after each `every` of them, and after the last, until it breaks.
    /// Returns how many were computed.
    ///
    /// # Errors
    /// As of [`step`](Self::step).
    pub fn step_with(
        &mut self,
        steps: u64,
        every: u64,
        mut progress: impl FnMut(&Simulation) -> ControlFlow<()>,
    ) -> Result<u64> {
        self.steps_to_come(steps)?;
        let mut done = 0;
        while done < steps {
            let now = every.max(1).min(steps - done);
            self.step(now)?;
            done += now;
            if progress(self).is_break() {
                break;
            }
        }
        Ok(done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Failure;
    use crate::params::ParamError;
    use crate::simulation::SimulationError;
    use crate::{Backend, samples};

    fn simulation(fractal: &str, rule: &str, level: u32, backend: Backend) -> Simulation {
        Simulation::builder(samples::fractal(fractal), samples::rule(rule))
            .level(level)
            .seed(3)
            .backend(backend)
            .build()
            .expect("it fits")
    }

    #[test]
    fn simulations_can_be_sent() {
        fn sent<T: Send>() {}
        sent::<Simulation>();
        sent::<super::super::SimulationBuilder>();
        sent::<crate::Error>();
    }

    #[test]
    fn fields_windows_and_values_agree() {
        for backend in [Backend::Cpu, Backend::Reference] {
            let mut life = simulation("sierpinski_carpet", "life", 3, backend);
            life.step(2).expect("time is left");
            let alive: Vec<bool> = life.field("alive").expect("a bit");
            assert!(alive.iter().any(|v| *v) && alive.len() == 512);
            assert_eq!(life.field_part::<bool>("alive", 3..77).expect("inside"), alive[3..77]);
            let window = life.window::<bool>("alive", [0; 3], [28, 28, 1]).expect("small");
            for (c, v) in (0..).zip(&alive) {
                let point = life.domain().lambda(c);
                assert_eq!(window.get(point.map(|v| v as usize)), Some(*v));
                assert_eq!(life.value_at("alive", point).expect("a state"), Some(Value::Bit(*v)));
            }
            assert_eq!(window.values.iter().flatten().count(), 512);
            assert_eq!(life.value_at("alive", [1, 1, 0]).expect("a state"), None, "a hole");

            let before = life.digests().expect("it is there")[0].1;
            let flipped: Vec<bool> = alive[5..300].iter().map(|v| !v).collect();
            life.set_field("alive", 5, &flipped).expect("inside");
            assert_eq!(life.field_part::<bool>("alive", 5..300).expect("inside"), flipped);
            assert_eq!(life.field_part::<bool>("alive", 300..512).expect("inside"), alive[300..]);
            life.set_field("alive", 5, &alive[5..300]).expect("inside");
            assert_eq!(life.digests().expect("it is there")[0].1, before);
        }
    }

    #[test]
    fn parameters_change_between_steps() {
        let run = |backend| {
            let mut heat = simulation("vicsek", "heat", 3, backend);
            heat.step(3).expect("time is left");
            heat.set_param("alpha", 0.2).expect("a parameter");
            let before = heat.digests().expect("it is there")[0].1;
            heat.step(3).expect("time is left");
            assert_ne!(heat.digests().expect("it is there")[0].1, before);
            assert!(heat.set_param("alpha", "much").is_err_and(|error| error.is_users()));
            assert_eq!(heat.params()[0], Value::F32(0.2), "as it was set");
            heat.digests().expect("it is there")[0].1
        };
        assert_eq!(run(Backend::Cpu), run(Backend::Reference));
    }

    #[test]
    fn parameters_that_follow_from_one_that_is_set_follow() {
        let text = "rule r {
            param a: f32 = 1.0
            param b: f32 in 0.0..=4.0 = 2.0 * a
            state u: f32
            init u = b
            next u = u + b
        }";
        let rule = samples::library("r", text).rules.remove(0);
        for backend in [Backend::Cpu, Backend::Reference] {
            let builder = Simulation::builder(samples::fractal("vicsek"), rule.clone()).level(2).backend(backend);
            let mut one = builder.clone().build().expect("it fits");
            let all = |one: &Simulation| one.field::<f32>("u").expect("a number")[24];
            one.set_param("a", 1.5).expect("b is 3");
            one.step(1).expect("time is left");
            assert_eq!(all(&one), 5.0);
            let beyond = one.set_param("a", 3).unwrap_err();
            assert!(matches!(beyond, SimulationError::Param(ParamError::Range { follows: true, .. })), "{beyond}");
            assert_eq!(one.params(), [Value::F32(1.5), Value::F32(3.0)], "as before");
            one.set_param("b", 1).expect("a parameter");
            one.set_param("a", 3).expect("b does not follow any more");
            one.step(1).expect("time is left");
            assert_eq!(all(&one), 6.0);
            one.restart(0, &["a=0.5"]).expect("b follows anew");
            assert_eq!((all(&one), one.following().collect::<Vec<_>>()), (1.0, vec!["b"]));
            one.set_param("a", 2).expect("b is 4");
            one.step(1).expect("time is left");
            assert_eq!(all(&one), 5.0);
            let own = crate::Member::new(1).set("a=0.25");
            let both = [own.clone(), own.set("b=3.5")];
            let members = builder.set("a=2").members(both).build().expect("it fits");
            assert_eq!(members.field::<f32>("u").expect("a number")[24..26], [0.5, 3.5]);
        }
    }

    #[test]
    fn progress_is_told_and_can_end_the_run() {
        let mut life = simulation("vicsek", "life", 3, Backend::Cpu);
        let mut times = Vec::new();
        let go_on = |times: &mut Vec<u32>, life: &Simulation| {
            times.push(life.time());
            if life.time() < 9 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        assert_eq!(life.step_with(7, 3, |life| go_on(&mut times, life)).expect("time is left"), 7);
        assert_eq!(life.step_with(7, 0, |life| go_on(&mut times, life)).expect("time is left"), 2);
        assert_eq!(times, [3, 6, 7, 8, 9]);
        let endless = life.step_with(1 << 32, 1, |_| ControlFlow::Break(()));
        assert!(matches!(endless, Err(SimulationError::Time { time: 9, .. })));
    }

    #[test]
    fn what_does_not_fit_is_said() {
        let mut voter = simulation("vicsek", "greenberg_hastings", 2, Backend::Cpu);
        let name = voter.rule().states[0].name.clone();
        let wrong = |error: SimulationError| match error {
            SimulationError::Field(error) => *error,
            other => panic!("{other}"),
        };
        assert!(matches!(wrong(voter.field::<f32>(&name).unwrap_err()), FieldError::Type { asked: "f32", .. }));
        assert!(matches!(wrong(voter.field::<u8>("phas").unwrap_err()), FieldError::Unknown { .. }));
        assert!(matches!(
            wrong(voter.field_part::<u8>(&name, 3..26).unwrap_err()),
            FieldError::Cells { cells: 25, .. }
        ));
        let large = voter.window::<u8>(&name, [0; 3], [usize::MAX; 3]).unwrap_err();
        assert!(matches!(wrong(large), FieldError::TooMany { .. }));
        let digest = voter.digests().expect("it is there")[0].1;
        assert!(matches!(
            voter.set_field(&name, 0, &[0u8, 200]),
            Err(SimulationError::Field(error)) if matches!(*error, FieldError::Variant { cell: 1, number: 200, .. })
        ));
        assert_eq!(voter.digests().expect("it is there")[0].1, digest, "nothing was written");
        let unknown = voter.set_param("alpa", 1).unwrap_err();
        assert!(matches!(unknown, SimulationError::Param(ParamError::Unknown { .. })));
    }
}
