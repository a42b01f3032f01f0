//! Cells that pages draw, and strokes that are taken back.

use crate::message::{DrawnShape, PencilMark};
use squeeze_compiler::ir::{Rule, StateId, Type, Value};
use squeeze_engine::Simulation;
use squeeze_engine::failure::{Error, Message, Result};
use squeeze_engine::packed;
use squeeze_engine::simulation::{StateView, Window};
use squeeze_records::pattern;

/// The most cells of all strokes that can be taken back.
const MOST_KEPT: usize = 1 << 20;

/// The most places of a rectangle or a pattern.
const MOST_PLACES: u64 = 1 << 18;
/// How far from its place a fill reaches along each axis.
const FILLED: u64 = 255;

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
    /// Draws; places that are no cells are left out. It gives whether a stroke begins with that: the one that would go on may lie before a step.
    ///
    /// # Errors
    /// If there is no such state, the value is none of its type, the shape is too large, its pattern is none or does not fit the state, or the machine fails.
    pub(crate) fn draw(&mut self, simulation: &mut Simulation, drawn: &PencilMark) -> Result<bool> {
        let state = StateId(drawn.state);
        let rule = simulation.rule();
        let definition =
            rule.states.get(usize::from(drawn.state)).ok_or_else(|| Message::users("there is no such state"))?;
        let value = read(rule, definition.ty, drawn.value.trim()).ok_or_else(|| {
            let (name, ty) = (&definition.name, rule.type_name(definition.ty));
            Message::users(format!("`{}` is no value of `{name}`, which is of the type {ty}", drawn.value))
        })?;
        // Places and patterns are looked up before anything is changed.
        let cells = cells(simulation, state, &drawn.shape, value)?;
        let begins = !drawn.goes_on || self.strokes.is_empty();
        if begins {
            self.strokes.push(Vec::new());
        }
        for (cell, bits) in cells {
            let bits = replace(simulation, state, cell, bits)?;
            self.strokes.last_mut().into_iter().for_each(|stroke| stroke.push(Replaced { state, cell, bits }));
        }
        while self.strokes.iter().map(Vec::len).sum::<usize>() > MOST_KEPT {
            self.strokes.remove(0);
        }
        Ok(begins)
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

impl DrawnShape {
    /// Its bytes.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            DrawnShape::Places(places) => size_of_val(&places[..]),
            DrawnShape::Stamp(_, text) => text.len(),
            DrawnShape::Rectangle(_) | DrawnShape::Fill(_) => 0,
        }
    }
}

/// The cells of a shape, and the bits that each gets.
fn cells(simulation: &Simulation, state: StateId, shape: &DrawnShape, value: Value) -> Result<Vec<(u64, u64)>> {
    let (domain, bits) = (simulation.domain(), value.bits());
    let of = |places: &mut dyn Iterator<Item = [u64; 3]>| {
        places.filter_map(|place| Some((domain.nu(place)?, bits))).collect()
    };
    Ok(match shape {
        DrawnShape::Places(places) => of(&mut places.iter().copied()),
        DrawnShape::Rectangle([a, b]) => {
            let least: [u64; 3] = std::array::from_fn(|i| a[i].min(b[i]));
            let greatest: [u64; 3] = std::array::from_fn(|i| a[i].max(b[i]).min(domain.extent()[i] - 1));
            let size = std::array::from_fn(|i| (greatest[i] + 1).saturating_sub(least[i]));
            if (Window { origin: least, size }).places().is_none_or(|places| places > MOST_PLACES) {
                return Err(too_many());
            }
            let [xs, ys, zs] = std::array::from_fn(|i| least[i]..=greatest[i]);
            of(&mut zs.flat_map(|z| {
                let xs = xs.clone();
                ys.clone().flat_map(move |y| xs.clone().map(move |x| [x, y, z]))
            }))
        }
        DrawnShape::Fill(place) => of(&mut filled(simulation, state, *place)?.into_iter()),
        DrawnShape::Stamp([x, y, z], text) => {
            let pattern = pattern::of_text(text, MOST_PLACES)?;
            let ty = simulation.rule().state(state).ty;
            let mut stamped = Vec::new();
            for (([column, row], count), number) in pattern.runs.into_iter().zip(pattern.states) {
                let bits = of_number(simulation.rule(), ty, number).ok_or_else(|| {
                    Message::users(format!("the pattern has the state {number}, which is no value of this state"))
                })?;
                let cells = (0..count).filter_map(|i| {
                    let place = [x.checked_add(column + i)?, y.checked_add(row)?, *z];
                    Some((domain.nu(place)?, bits))
                });
                stamped.extend(cells);
            }
            stamped
        }
    })
}

fn too_many() -> Error {
    Message::users(format!("{MOST_PLACES} places at once can be drawn, and these are more")).into()
}

/// The bits of a value by its number in a pattern: 1 and more.
fn of_number(rule: &Rule, ty: Type, number: u8) -> Option<u64> {
    let most = match ty {
        Type::Bit => 1,
        Type::U8 => u8::MAX.into(),
        Type::Enum(id) => rule.enum_type(id).variants.len() - 1,
        _ => return None,
    };
    (usize::from(number) <= most).then_some(number.into())
}

/// The places that hang together with one along the axes of its layer, have its value, and lie within some distance of it.
fn filled(simulation: &Simulation, state: StateId, place: [u64; 3]) -> Result<Vec<[u64; 3]>> {
    let domain = simulation.domain();
    if domain.nu(place).is_none() {
        return Ok(Vec::new());
    }
    let extent = domain.extent();
    let origin: [u64; 3] = [place[0].saturating_sub(FILLED), place[1].saturating_sub(FILLED), place[2]];
    let size = [0, 1, 2].map(|a| if a < 2 { (place[a] + FILLED + 1).min(extent[a]) - origin[a] } else { 1 });
    let window = Window { origin, size };
    let mut values = vec![None; (size[0] * size[1]) as usize];
    StateView::numbered(simulation, state)?.expand(&window, &mut values, Some)?;
    let wanted = values[window.index(place) as usize];
    let (mut waiting, mut found) = (vec![place], Vec::new());
    while let Some(here @ [x, y, z]) = waiting.pop() {
        let value = &mut values[window.index(here) as usize];
        if *value != wanted {
            continue;
        }
        // No value is wanted again.
        *value = None;
        found.push(here);
        let beside = [[x.wrapping_sub(1), y, z], [x + 1, y, z], [x, y.wrapping_sub(1), z], [x, y + 1, z]];
        waiting.extend(beside.into_iter().filter(|place| window.contains(*place)));
    }
    Ok(found)
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
