//! Cells that pages draw, and strokes that are taken back.

use crate::message::PencilMark;
use squeeze_compiler::ir::{Rule, StateId, Type, Value};
use squeeze_engine::Simulation;
use squeeze_engine::failure::{Message, Result};
use squeeze_engine::packed;

/// The most cells of all strokes that can be taken back.
const MOST_KEPT: usize = 1 << 20;

/// The strokes since the last step.
#[derive(Default)]
pub(crate) struct Pencil {
    strokes: Vec<Vec<Replaced>>,
}

/// A value that was drawn over.
struct Replaced {
    state: StateId,
    cell: u64,
    bits: u64,
}

impl Pencil {
    /// Draws; places that are no cells are left out.
    ///
    /// # Errors
    /// If there is no such state, the value is none of its type, or the machine fails.
    pub(crate) fn draw(&mut self, simulation: &mut Simulation, drawn: &PencilMark) -> Result<()> {
        let state = StateId(drawn.state);
        let rule = simulation.rule();
        let definition =
            rule.states.get(usize::from(drawn.state)).ok_or_else(|| Message::users("there is no such state"))?;
        let value = read(rule, definition.ty, drawn.value.trim()).ok_or_else(|| {
            let (name, ty) = (&definition.name, rule.type_name(definition.ty));
            Message::users(format!("`{}` is no value of `{name}`, which is of the type {ty}", drawn.value))
        })?;
        if !drawn.goes_on || self.strokes.is_empty() {
            self.strokes.push(Vec::new());
        }
        for place in &drawn.places {
            if let Some(cell) = simulation.domain().nu(*place) {
                let bits = replace(simulation, state, cell, value.bits())?;
                self.strokes.last_mut().into_iter().for_each(|stroke| stroke.push(Replaced { state, cell, bits }));
            }
        }
        while self.strokes.iter().map(Vec::len).sum::<usize>() > MOST_KEPT {
            self.strokes.remove(0);
        }
        Ok(())
    }

    /// Takes the last stroke back; false if there is none.
    ///
    /// # Errors
    /// If the machine fails.
    pub(crate) fn undo(&mut self, simulation: &mut Simulation) -> Result<bool> {
        let Some(stroke) = self.strokes.pop() else { return Ok(false) };
        for Replaced { state, cell, bits } in stroke.into_iter().rev() {
            replace(simulation, state, cell, bits)?;
        }
        Ok(true)
    }

    /// Forgets all strokes: a step was computed of them.
    pub(crate) fn forget(&mut self) {
        self.strokes.clear();
    }
}

/// Gives a cell the value of these bits; gives those that it had.
fn replace(simulation: &mut Simulation, state: StateId, cell: u64, bits: u64) -> Result<u64> {
    let ty = simulation.rule().state(state).ty;
    let cells = match ty {
        Type::Bit => cell / 8 * 8..simulation.domain().cells().min((cell / 8 + 1) * 8),
        _ => cell..cell + 1,
    };
    let mut bytes = vec![0; packed::bytes(ty, cells.end - cells.start) as usize];
    simulation.read(state, cells.clone(), &mut bytes)?;
    let before = packed::bits(ty, &bytes, cell - cells.start);
    packed::replace(ty, &mut bytes, cell - cells.start, bits);
    simulation.write(state, cells, &bytes)?;
    Ok(before)
}

/// The value of a type that a text says.
fn read(rule: &Rule, ty: Type, text: &str) -> Option<Value> {
    Some(match ty {
        Type::Bit => Value::Bit(match text {
            "0" | "false" => false,
            "1" | "true" => true,
            _ => return None,
        }),
        Type::Enum(id) => {
            let variant = rule.enum_type(id).variants.iter().position(|variant| variant == text)?;
            Value::Enum(id, variant.try_into().ok()?)
        }
        Type::U8 => Value::U8(text.parse().ok()?),
        Type::U16 => Value::U16(text.parse().ok()?),
        Type::I32 => Value::I32(text.parse().ok()?),
        Type::U32 => Value::U32(text.parse().ok()?),
        Type::I64 => Value::I64(text.parse().ok()?),
        Type::F32 => Value::F32(text.parse().ok().filter(|value: &f32| value.is_finite())?),
        Type::F64 => Value::F64(text.parse().ok().filter(|value: &f64| value.is_finite())?),
    })
}
