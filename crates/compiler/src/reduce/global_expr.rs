//! Evaluates observables and globals from the values of reductions.

use super::fold::ObservedValue;
use crate::ir::{Global, GlobalExpr, GlobalShape, MathFn, Random, RuleParts, Type, UnaryOp, Value};
use crate::numbers::{philox, scalar};

/// The inputs of an evaluation.
#[derive(Clone, Copy, Debug)]
pub struct ObservedInputs<'a> {
    /// The values of the rule's parameters.
    pub params: &'a [Value],
    /// K_0 to K_r: the number of cells in a replica of each level, from 0 to that of the domain.
    pub cells: &'a [u64],
    /// Width, height and depth of the expanded grid, in places.
    pub extent: [u64; 3],
    /// The time of the observed state; for globals, of the state being computed.
    pub time: u32,
    /// The seed of draws.
    pub seed: u64,
    /// The values of [`Rule::reductions`](crate::ir::RuleParts::reductions).
    pub reductions: &'a [ObservedValue],
}

/// The observables of a rule, in the order of the text.
pub fn observables(rule: &RuleParts, inputs: &ObservedInputs<'_>) -> Vec<ObservedValue> {
    let mut values = Vec::with_capacity(rule.observables.len());
    for observable in &rule.observables {
        let value = evaluate(&observable.value, inputs, &values);
        values.push(value);
    }
    values
}

/// How many numbers a value of this shape has; `cells` as in [`ObservedInputs`].
pub fn length(shape: GlobalShape, cells: &[u64]) -> u64 {
    match shape {
        GlobalShape::One => 1,
        GlobalShape::List(length) => u64::from(length),
        GlobalShape::Replicas(level) => {
            // A level above the domain's has no replica.
            let of_replica = cells.get(level as usize).copied().unwrap_or(u64::MAX);
            cells.last().map_or(1, |all| all / of_replica)
        }
    }
}

/// The value of an expression; `above` holds the observables above it in the rule.
pub fn evaluate(expr: &GlobalExpr, inputs: &ObservedInputs<'_>, above: &[ObservedValue]) -> ObservedValue {
    let of = |operand: &GlobalExpr| evaluate(operand, inputs, above);
    let integer = |number: u64| ObservedValue::Integer(number as i64);
    match expr {
        GlobalExpr::Integer(value) => ObservedValue::Integer(*value),
        GlobalExpr::Float(value) => ObservedValue::Float(*value),
        GlobalExpr::Param(index) => match inputs.params[usize::from(*index)] {
            Value::F32(value) => ObservedValue::Float(f64::from(value)),
            Value::F64(value) => ObservedValue::Float(value),
            value => ObservedValue::Integer(super::fold::integer(value)),
        },
        GlobalExpr::Cells(level) => {
            let level = level.map_or(inputs.cells.len() - 1, |level| level as usize);
            integer(inputs.cells.get(level).copied().unwrap_or(0))
        }
        GlobalExpr::Side => integer(inputs.extent.into_iter().fold(1, u64::max)),
        GlobalExpr::Extent(axis) => integer(inputs.extent[usize::from(*axis)]),
        GlobalExpr::Level => integer(inputs.cells.len() as u64 - 1),
        GlobalExpr::Time => integer(u64::from(inputs.time)),
        GlobalExpr::Reduction(index) => inputs.reductions[*index as usize].clone(),
        GlobalExpr::Observable(index) => above[*index as usize].clone(),
        GlobalExpr::ToFloat(a) => each([of(a)], |[a]| ObservedValue::Float(float(a))),
        GlobalExpr::ToInteger(a) => each([of(a)], |[a]| ObservedValue::Integer(float(a) as i64)),
        GlobalExpr::Cast(ty, a) => each([of(a)], |[a]| match scalar::cast(*ty, value(a)) {
            float @ (Value::F32(_) | Value::F64(_)) => ObservedValue::Float(float.as_f64()),
            value => ObservedValue::Integer(super::fold::integer(value)),
        }),
        GlobalExpr::Unary(op, a) => each([of(a)], |[a]| unary(*op, a)),
        GlobalExpr::Binary(op, operands) => {
            each(operands.each_ref().map(of), |[a, b]| observed(scalar::binary(*op, value(a), value(b))))
        }
        GlobalExpr::Compare(op, operands) => each(operands.each_ref().map(of), |[a, b]| {
            ObservedValue::Integer(i64::from(scalar::compare(*op, value(a), value(b))))
        }),
        GlobalExpr::Select(operands) => {
            let [condition, then, otherwise] = &**operands;
            each([of(condition), of(then), of(otherwise)], |[condition, then, otherwise]| {
                if *condition == ObservedValue::Integer(0) { otherwise.clone() } else { then.clone() }
            })
        }
        GlobalExpr::Math(function, a) => each([of(a)], |[a]| observed(scalar::math(*function, Value::F64(float(a))))),
        GlobalExpr::Math2(function, operands) => each(operands.each_ref().map(of), |[a, b]| {
            observed(scalar::math2(*function, Value::F64(float(a)), Value::F64(float(b))))
        }),
        GlobalExpr::Random { draw, of: random, operands } => drawn(*random, *draw, inputs, operands.iter().map(of)),
        GlobalExpr::List(elements) => ObservedValue::List(elements.iter().map(of).collect()),
    }
}

/// A random value that all cells share: it is drawn as cell 0 would draw it.
fn drawn(
    random: Random,
    draw: u32,
    inputs: &ObservedInputs<'_>,
    mut operands: impl Iterator<Item = ObservedValue>,
) -> ObservedValue {
    let word = |draw| philox::draw(inputs.seed, 0, inputs.time, draw);
    let math = |function, value: f32| match scalar::math(function, Value::F32(value)) {
        Value::F32(value) => value,
        value => unreachable!("{value:?} of an f32"),
    };
    let log_of = |word: u32| math(MathFn::Log, ((word >> 8) + 1) as f32 * (-24f32).exp2());
    match (random, operands.next(), operands.next()) {
        (Random::Bits, ..) => ObservedValue::Integer(i64::from(word(draw))),
        (Random::Uniform, Some(low), Some(high)) => {
            let (low, high) = (float(&low) as f32, float(&high) as f32);
            ObservedValue::Float(f64::from(philox::uniform_between(word(draw), low, high)))
        }
        (Random::Uniform, ..) => ObservedValue::Float(f64::from(philox::uniform(word(draw)))),
        (Random::Normal, ..) => {
            // Box and Muller's method. The uniform value is above 0, for the logarithm.
            let radius = (-2.0 * log_of(word(draw))).sqrt();
            let angle = std::f32::consts::TAU * philox::uniform(word(draw + 1));
            ObservedValue::Float(f64::from(radius * math(MathFn::Cos, angle)))
        }
        (Random::Exponential, ..) => ObservedValue::Float(f64::from(-log_of(word(draw)))),
        (Random::Below, Some(ObservedValue::Integer(bound)), _) => {
            ObservedValue::Integer(i64::from(philox::below(word(draw), bound as u32)))
        }
        (Random::Chance, Some(probability), _) => {
            let happens = philox::is_below(inputs.seed, 0, inputs.time, draw, float(&probability));
            ObservedValue::Integer(i64::from(happens))
        }
        (random, ..) => unreachable!("the rule was checked: {random:?} has what it needs"),
    }
}

/// The values of the reductions `which`, at their numbers in a list of all for [`ObservedInputs::reductions`]. Nothing may read the others.
pub fn in_their_places(rule: &RuleParts, which: &[usize], values: Vec<ObservedValue>) -> Vec<ObservedValue> {
    let mut all = vec![ObservedValue::List(Vec::new()); rule.reductions.len()];
    for (index, value) in which.iter().zip(values) {
        all[*index] = value;
    }
    all
}

/// A global's value in the type in which cells read it.
pub fn as_value(value: &ObservedValue, ty: Type) -> Value {
    match (value, ty) {
        (ObservedValue::Integer(value), Type::Bit) => Value::Bit(*value != 0),
        (ObservedValue::Integer(value), Type::I64) => Value::I64(*value),
        (value, _) => Value::F64(float(value)),
    }
}

/// The globals of a rule before any step.
pub fn initial_globals(rule: &RuleParts, inputs: &ObservedInputs<'_>) -> Vec<Value> {
    let of = |global: &Global| as_value(&evaluate(&global.initial, inputs, &[]), global.ty);
    rule.globals.iter().map(of).collect()
}

/// Applies an operation to numbers, or to lists of equal length element by element; a number among lists is paired with every element.
fn each<const N: usize>(
    operands: [ObservedValue; N],
    operation: impl Fn([&ObservedValue; N]) -> ObservedValue,
) -> ObservedValue {
    let length = operands.iter().filter_map(|operand| match operand {
        ObservedValue::List(list) => Some(list.len()),
        _ => None,
    });
    let Some(length) = length.min() else { return operation(operands.each_ref()) };
    let element = |index: usize| {
        operation(operands.each_ref().map(|operand| match operand {
            ObservedValue::List(list) => &list[index],
            one => one,
        }))
    };
    ObservedValue::List((0..length).map(element).collect())
}

fn float(value: &ObservedValue) -> f64 {
    match value {
        ObservedValue::Integer(value) => *value as f64,
        ObservedValue::Float(value) => *value,
        ObservedValue::List(_) => unreachable!("operations take the elements of lists"),
    }
}

/// A number as an operand of [`scalar`]'s functions: i64 or f64.
fn value(number: &ObservedValue) -> Value {
    match number {
        ObservedValue::Integer(value) => Value::I64(*value),
        other => Value::F64(float(other)),
    }
}

fn observed(value: Value) -> ObservedValue {
    match value {
        Value::I64(value) => ObservedValue::Integer(value),
        float => ObservedValue::Float(float.as_f64()),
    }
}

fn unary(op: UnaryOp, a: &ObservedValue) -> ObservedValue {
    match (op, a) {
        (UnaryOp::Not, ObservedValue::Integer(a)) => ObservedValue::Integer(i64::from(*a == 0)),
        (op, a) => observed(scalar::unary(op, value(a))),
    }
}
