//! Sums over all cells, without a column of terms: the terms of integer observables as weighted bits that are counted.
//!
//! A sum over all cells does not ask what each cell's term is. Where a term is a number made of bits, `if up { 1 } else { -1 }` or how many
//! neighbours differ, it is a sum of bits with weights and a constant, and so is the sum over all cells: an engine counts the lanes
//! of each bit. Integers wrap in the sum as anywhere, but a term must not: its values are exact as long as its type holds all of them.

use crate::ir::{Combine, RuleParts};
use crate::kernel::graph::{KernelBuilder, remade};
use crate::kernel::schedule::schedule;
use crate::kernel::{Kernel, LaneType, Op, Planes, ValueId, Variable, condition, draw, input, logic};
use crate::numbers::operators::{BinaryOp, UnaryOp};
use crate::numbers::value::Value;

/// The most bits of a cell's term.
const MOST_BITS: usize = 64;

/// How the terms of a reduction come to its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WeightedBits {
    /// How terms are combined.
    pub kind: Combine,
    /// The values that the kernel stores for each cell: planes of bits that are counted, or integers.
    pub planes: Planes,
    /// The weight of each plane: a set bit adds it. Integers have none.
    pub weights: Vec<i64>,
    /// The sum of the constants of all micro cells of a superblock, for each of its lanes, beside the planes.
    pub constant: i64,
}

impl WeightedBits {
    /// The weights, each once, in the order of the planes.
    pub(crate) fn distinct_weights(&self) -> Vec<i64> {
        let mut distinct = Vec::new();
        for weight in &self.weights {
            if !distinct.contains(weight) {
                distinct.push(*weight);
            }
        }
        distinct
    }
}

/// Whether a reduction's value is the same in whatever order its terms come, so that any method may sum them up.
pub fn is_exact(rule: &RuleParts, index: usize) -> bool {
    let reduction = &rule.reductions[index];
    reduction.is_whole_at_once() && !reduction.ty.is_float()
}

/// From the kernel that stores the terms of all observables, each of which [`is_exact`], at `times` times, to the kernel that stores them as
/// [`WeightedBits`]. Its other stores stay.
pub(crate) fn of_terms(rule: &RuleParts, times: usize, kernel: Kernel) -> (Kernel, Vec<WeightedBits>) {
    let count = times * rule.reductions.len();
    let first = kernel.states.len() - count;
    let reductions = rule.reductions.iter().cycle().take(count);
    let mut totals = Vec::new();
    let mut stores: Vec<Vec<(u8, u32, ValueId)>> = vec![Vec::new(); count];
    let mut graph = remade(&kernel.nodes, kernel.flush, |graph, node, new| match node.op {
        Op::Store { state, plane, micro, value } if usize::from(state) >= first => {
            stores[usize::from(state) - first].push((plane, micro, new[value.0 as usize]));
            ValueId(u32::MAX)
        }
        _ => graph.copy(node, new),
    });
    let mut states = kernel.states.clone();
    for (index, (reduction, stored)) in reductions.zip(stores).enumerate() {
        let state = first + index;
        let planes = states[state].planes;
        let total = match planes {
            Planes::Number(_) if reduction.kind.adds() => weighted(&mut graph, &stored).map(|(columns, constant)| {
                let weights: Vec<i64> = columns.iter().map(|column| column.weight).collect();
                for (plane, column) in columns.into_iter().enumerate() {
                    for (micro, bit) in column.bits {
                        graph.store(state as u16, plane as u8, micro, bit);
                    }
                }
                WeightedBits { kind: reduction.kind, planes: Planes::Bits(weights.len() as u8), weights, constant }
            }),
            // For the least and the greatest a bit is the number 0 or 1.
            Planes::Bits(_) if !reduction.kind.adds() => {
                for (plane, micro, bit) in &stored {
                    let number = graph.add(LaneType::U8, Op::Widen(vec![*bit]));
                    graph.store(state as u16, *plane, *micro, number);
                }
                let planes = Planes::Number(LaneType::U8);
                Some(WeightedBits { kind: reduction.kind, planes, weights: Vec::new(), constant: 0 })
            }
            Planes::Number(_) | Planes::Bits(_) => None,
        };
        let total = total.unwrap_or_else(|| {
            stored.iter().for_each(|(plane, micro, value)| graph.store(state as u16, *plane, *micro, *value));
            let weights = match planes {
                Planes::Bits(count) => (0..count).map(|plane| 1 << plane).collect(),
                Planes::Number(_) => Vec::new(),
            };
            WeightedBits { kind: reduction.kind, planes, weights, constant: 0 }
        });
        states[state] = Variable { planes: total.planes, ..states[state].clone() };
        totals.push(total);
    }
    (Kernel { nodes: schedule(graph.into_nodes()), states, ..kernel }, totals)
}

/// A plane of bits with one weight: its bit in each micro cell.
struct Column {
    weight: i64,
    bits: Vec<(u32, ValueId)>,
}

/// The planes of the terms of all micro cells, and the sum of their constants; `None` if one of them is not made of a few bits.
fn weighted(graph: &mut KernelBuilder, stored: &[(u8, u32, ValueId)]) -> Option<(Vec<Column>, i64)> {
    let mut columns: Vec<Column> = Vec::new();
    let mut constant = 0i64;
    let forms = forms(graph, stored.iter().map(|(_, _, value)| *value));
    for (_, micro, value) in stored {
        let form = forms[value.0 as usize].clone()?;
        constant = constant.wrapping_add(i64::try_from(form.constant).ok()?);
        for (weight, bit) in form.bits {
            let weight = i64::try_from(weight).ok()?;
            // The next plane of this weight that has no bit of this cell yet.
            let free =
                |column: &&mut Column| column.weight == weight && column.bits.last().is_none_or(|(of, _)| of != micro);
            match columns.iter_mut().find(free) {
                Some(column) => column.bits.push((*micro, bit)),
                None => columns.push(Column { weight, bits: vec![(*micro, bit)] }),
            }
        }
    }
    if columns.is_empty() {
        // A state has a plane, if only of zeros.
        columns.push(Column { weight: 1, bits: Vec::new() });
    }
    if columns.len() > MOST_BITS {
        return None;
    }
    let zero = graph.bit(false);
    for column in &mut columns {
        let of = |column: &Column, micro: &u32| column.bits.iter().any(|(of, _)| of == micro);
        let missing: Vec<u32> = stored.iter().map(|(_, micro, _)| *micro).filter(|micro| !of(column, micro)).collect();
        column.bits.extend(missing.into_iter().map(|micro| (micro, zero)));
    }
    Some((columns, constant))
}

/// For each node, its value as a weighted sum of bits; `None` if it is none, or if these values do not depend on it.
fn forms(graph: &mut KernelBuilder, values: impl Iterator<Item = ValueId>) -> Vec<Option<Form>> {
    let mut needed = vec![false; graph.nodes().len()];
    values.for_each(|id| needed[id.0 as usize] = true);
    for place in (0..needed.len()).rev().filter(|place| graph.nodes()[*place].ty != Some(LaneType::Bits)) {
        if needed[place] {
            graph.nodes()[place].op.operands().iter().for_each(|id| needed[id.0 as usize] = true);
        }
    }
    let mut forms: Vec<Option<Form>> = Vec::with_capacity(needed.len());
    for (place, needed) in needed.into_iter().enumerate() {
        let form = if needed { Form::of(graph, ValueId(place as u32), &forms) } else { None };
        forms.push(form);
    }
    forms
}

/// A number as a constant and bits with weights.
#[derive(Clone, Debug, Default, PartialEq)]
struct Form {
    constant: i128,
    /// No bit twice, no weight 0.
    bits: Vec<(i128, ValueId)>,
}

impl Form {
    /// A number as a weighted sum of bits, if it is an integer that never leaves its type's range and the forms of its operands are known.
    fn of(graph: &mut KernelBuilder, id: ValueId, known: &[Option<Form>]) -> Option<Form> {
        let ty = graph.ty(id);
        let known = |id: ValueId| known[id.0 as usize].as_ref();
        if ty == LaneType::Bits || !ty.scalar().is_integer() {
            return None;
        }
        let form = match graph.op(id).clone() {
            Op::Const(value) => Form::constant(value.as_i128()?),
            Op::Count(bits) => Form::count(graph, id, &bits),
            Op::Widen(planes) => {
                let weighted = planes.into_iter().enumerate().map(|(plane, bit)| (1i128 << plane, bit));
                Form { constant: 0, bits: weighted.collect() }.simplified(graph)
            }
            Op::Select { condition, then, otherwise } => {
                let (then, otherwise) = (known(then)?, known(otherwise)?);
                let chosen = Form { constant: 0, bits: vec![(1, condition)] };
                let not = graph.not(condition);
                let rest = Form { constant: 0, bits: vec![(1, not)] };
                let (then, otherwise) = (chosen.times(graph, then)?, rest.times(graph, otherwise)?);
                then.plus(graph, &otherwise, 1)
            }
            Op::Unary(UnaryOp::Negate, a) => Form::constant(0).plus(graph, known(a)?, -1),
            Op::Binary(BinaryOp::Add, a, b) => known(a)?.clone().plus(graph, known(b)?, 1),
            Op::Binary(BinaryOp::Subtract, a, b) => known(a)?.clone().plus(graph, known(b)?, -1),
            Op::Binary(BinaryOp::Multiply, a, b) => known(a)?.times(graph, known(b)?)?,
            // The operand of a cast is an integer too, or has no form.
            Op::Cast(a) => known(a)?.clone(),
            Op::SuperblockCorner(_) | Op::Param { .. } | Op::Level | Op::Side | Op::Time { .. } => return None,
            Op::Unary(UnaryOp::Not | UnaryOp::Abs, _) | Op::Binary(..) | Op::Shift { .. } => return None,
            Op::Math(..) | Op::Math2(..) | Op::LookUp { .. } | Op::Below { .. } => return None,
            Op::AddWhere { .. } | Op::Canonical(_) => return None,
            input!() | draw!() | logic!() | condition!() | Op::Store { .. } => return None,
        };
        let width = ty.width();
        let signed = matches!(ty, LaneType::I32 | LaneType::I64);
        let (least, most) =
            if signed { (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1) } else { (0, (1i128 << width) - 1) };
        let below: i128 = form.bits.iter().map(|(weight, _)| *weight.min(&0)).sum();
        let above: i128 = form.bits.iter().map(|(weight, _)| *weight.max(&0)).sum();
        let fits = form.constant + below >= least && form.constant + above <= most;
        (fits && form.bits.len() <= MOST_BITS).then_some(form)
    }

    fn constant(constant: i128) -> Form {
        Form { constant, bits: Vec::new() }
    }

    /// How many of some bits are true: two by themselves, more as the digits of their sum.
    fn count(graph: &mut KernelBuilder, count: ValueId, bits: &[ValueId]) -> Form {
        if bits.len() <= 2 {
            return Form { constant: 0, bits: bits.iter().map(|bit| (1, *bit)).collect() }.simplified(graph);
        }
        let digits = usize::BITS - bits.len().leading_zeros();
        let digit = |bit: u32| {
            let value = graph.add(LaneType::Bits, Op::Digit { value: count, bit: bit as u8 });
            (1i128 << bit, value)
        };
        Form { constant: 0, bits: (0..digits).map(digit).collect() }.simplified(graph)
    }

    /// Constant bits joined to the constant, and equal ones to each other; a bit and its negation become one.
    fn simplified(self, graph: &KernelBuilder) -> Form {
        let mut constant = self.constant;
        let mut bits: Vec<(i128, ValueId)> = Vec::new();
        for (weight, bit) in self.bits {
            let (weight, bit) = match graph.op(bit) {
                Op::Const(Value::Bit(is)) => {
                    constant += if *is { weight } else { 0 };
                    continue;
                }
                Op::Not(inner) => {
                    constant += weight;
                    (-weight, *inner)
                }
                _ => (weight, bit),
            };
            match bits.iter_mut().find(|(_, of)| *of == bit) {
                Some((sum, _)) => *sum += weight,
                None => bits.push((weight, bit)),
            }
        }
        bits.retain(|(weight, _)| *weight != 0);
        Form { constant, bits }
    }

    /// `self + factor * other`
    fn plus(mut self, graph: &KernelBuilder, other: &Form, factor: i128) -> Form {
        self.constant += factor * other.constant;
        self.bits.extend(other.bits.iter().map(|(weight, bit)| (factor * weight, *bit)));
        self.simplified(graph)
    }

    /// The product, whose bits are those that two bits have in common; `None` if they are many.
    fn times(&self, graph: &mut KernelBuilder, other: &Form) -> Option<Form> {
        if (self.bits.len() + 1) * (other.bits.len() + 1) > MOST_BITS {
            return None;
        }
        let mut bits = Vec::new();
        for (weight, bit) in &self.bits {
            bits.push((weight * other.constant, *bit));
            for (other_weight, other_bit) in &other.bits {
                bits.push((weight * other_weight, graph.and(*bit, *other_bit)));
            }
        }
        bits.extend(other.bits.iter().map(|(weight, bit)| (weight * self.constant, *bit)));
        Some(Form { constant: self.constant * other.constant, bits }.simplified(graph))
    }
}
