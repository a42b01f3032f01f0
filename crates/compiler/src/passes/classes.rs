//! Numbers that take few values become classes of lanes.
//!
//! The probability of a random bit is often a function of few things: how many neighbours are up, which phase a cell is in. Then it is
//! computed once for each value that these take, and not for each cell: every number that it is made of is held as a list of
//! *classes*, each with a value that is the same everywhere and the bits of the lanes that have it. An operation on two such numbers is
//! done for each pair of classes; equal values become one class. Only [`Op::RandomBit`] remains.
//!
//! In the same way a comparison of numbers of few values becomes bits of lanes ([`KernelPass::Classes`](crate::target::KernelPass::Classes)), for targets whose kernels of bits
//! may hold numbers that are the same in all lanes.
//!
//! A random number below a bound of few values is one of few values, too ([`Op::Below`]): that it is at least k is known from the first planes of
//! its word, as a random bit is. So numbers that are drawn, and numbers that are compared with them or chosen by them, become bits on
//! targets that decide random bits.
//!
//! Values are made by the operations themselves, so that each is bit for bit what its lanes would have computed.
//!
//! A bound of more than [`MOST_RESULTS`] values stays a number: `legalise` makes products of words of it. Kernels are cut where
//! random bits are decided ([`split`](super::split)).

use super::needed::where_needed;
use crate::kernel::graph::{KernelBuilder, remade};
use crate::kernel::schedule::schedule;
use crate::kernel::{
    Kernel, LaneType, LogicOp, Node, Op, ValueId, condition, draw, forward, input, logic, scalar_input,
};
use crate::numbers::operators::CompareOp;
use crate::numbers::scalar;
use crate::numbers::value::Value;
use crate::target::MOST_RESULTS;
use std::collections::HashMap;

/// More classes than these are no few values.
pub const MOST_CLASSES: usize = 32;

/// Lanes with one value.
#[derive(Clone, Copy, Debug)]
struct Class {
    /// The same in all lanes of all superblocks.
    value: ValueId,
    /// Bits: the lanes that have it.
    lanes: ValueId,
}

/// Says random bits of few probabilities as such, and comparisons of few values if they are wanted; in rows, random bits are decided where they matter alone.
pub(crate) fn classify(kernel: &mut Kernel, comparisons: bool, in_rows: bool) {
    let nodes = classified(&kernel.nodes, kernel.flush, comparisons);
    kernel.nodes = schedule(if in_rows { where_needed(&nodes, kernel.flush) } else { nodes });
}

fn classified(nodes: &[Node], flush: bool, comparisons: bool) -> Vec<Node> {
    let drawn = drawn(nodes);
    let wanted = wanted_numbers(nodes, comparisons, &drawn);
    let mut classes: Vec<Option<Vec<Class>>> = Vec::with_capacity(nodes.len());
    let graph = remade(nodes, flush, |graph, node, new| {
        let Some(ty) = node.ty else {
            classes.push(None);
            return graph.copy(node, new);
        };
        if let Some((number, results)) = results(graph, nodes, node, &classes) {
            classes.push(Some(results));
            return number;
        }
        let compared = comparison(graph, nodes, node, &classes, (comparisons, &drawn));
        let id = compared.unwrap_or_else(|| {
            let random_bit = random_bit(nodes, node, &classes);
            let op = random_bit.unwrap_or_else(|| node.op.clone().map_operands(&mut |id| new[id.0 as usize]));
            graph.add(ty, op)
        });
        let found = if wanted[new.len()] { classes_of(graph, node, id, new, &classes) } else { None };
        classes.push(found);
        id
    });
    guarded(graph.into_nodes(), flush)
}

/// Random bits that are asked for where a guard is true alone are decided there alone: the guard is taken into the classes. Where a draw has
/// several, they are decided together and have the same classes.
fn guarded(nodes: Vec<Node>, flush: bool) -> Vec<Node> {
    let mut of_draw: HashMap<(u32, u32), u32> = HashMap::new();
    for node in &nodes {
        if let Op::RandomBit { draw, micro, .. } = node.op {
            *of_draw.entry((draw, micro)).or_default() += 1;
        }
    }
    let mut users = vec![0u32; nodes.len()];
    nodes.iter().flat_map(|node| node.op.operands()).for_each(|id| users[id.0 as usize] += 1);
    let random = |id: ValueId| match &nodes[id.0 as usize].op {
        Op::RandomBit { draw, micro, classes, probabilities }
            if users[id.0 as usize] == 1 && of_draw[&(*draw, *micro)] == 1 =>
        {
            Some((*draw, *micro, classes, probabilities))
        }
        _ => None,
    };
    let graph = remade(&nodes, flush, |graph, node, new| {
        let of = |id: ValueId| new[id.0 as usize];
        let guarded = match node.op {
            Op::Logic(LogicOp::And, a, b) => {
                random(a).map(|bit| (bit, b, LogicOp::And)).or_else(|| random(b).map(|bit| (bit, a, LogicOp::And)))
            }
            Op::Logic(LogicOp::AndNot, a, b) => random(a).map(|bit| (bit, b, LogicOp::AndNot)),
            _ => None,
        };
        match guarded {
            Some(((draw, micro, classes, probabilities), guard, logic)) => {
                let classes = classes.iter().map(|class| graph.logic(logic, of(*class), of(guard))).collect();
                let probabilities = probabilities.iter().map(|id| of(*id)).collect();
                graph.call("chance");
                graph.add(LaneType::Bits, Op::RandomBit { draw, micro, classes, probabilities })
            }
            None => graph.copy(node, new),
        }
    });
    graph.into_nodes()
}

/// The numbers that are made of draws below bounds.
fn drawn(nodes: &[Node]) -> Vec<bool> {
    forward(nodes, |node, drawn| {
        let is_number = node.ty.is_some_and(|ty| ty != LaneType::Bits);
        let made_of = || node.op.operands().iter().any(|id| drawn[id.0 as usize]);
        is_number && (matches!(node.op, Op::Below { .. }) || made_of())
    })
}

/// The numbers that probabilities and the bounds of draws are made of, and the operands of comparisons: of all, or of those with drawn numbers.
fn wanted_numbers(nodes: &[Node], comparisons: bool, drawn: &[bool]) -> Vec<bool> {
    let mut wanted = vec![false; nodes.len()];
    for (index, node) in nodes.iter().enumerate().rev() {
        if let Op::Chance { probability, .. } = node.op {
            wanted[probability.0 as usize] = true;
        }
        if let Op::Compare(_, a, b) = node.op
            && (comparisons || drawn[a.0 as usize] || drawn[b.0 as usize])
        {
            [a, b].into_iter().for_each(|id| wanted[id.0 as usize] = true);
        }
        if wanted[index] || matches!(node.op, Op::Below { .. }) {
            node.op.operands().into_iter().for_each(|id| wanted[id.0 as usize] = true);
        }
    }
    wanted
}

/// A draw below a bound of few values: the number, and its classes. That it is at least k is asked of its word for each k with the same classes,
/// so that all can be decided together.
fn results(
    graph: &mut KernelBuilder,
    nodes: &[Node],
    node: &Node,
    classes: &[Option<Vec<Class>>],
) -> Option<(ValueId, Vec<Class>)> {
    let Op::Below { word, bound } = node.op else { return None };
    let Op::Random { draw, micro } = nodes[word.0 as usize].op else { return None };
    let always = graph.bit(true);
    // A draw below 0 or 1 is 0.
    let (mut bounds, mut none): (Vec<(u32, ValueId)>, ValueId) = (Vec::new(), graph.bit(false));
    for class in classes[bound.0 as usize].as_ref()? {
        match graph.constant(class.value)? {
            Value::U32(0 | 1) => none = graph.or(none, class.lanes),
            Value::U32(bound) if bound <= MOST_RESULTS => bounds.push((bound, class.lanes)),
            _ => return None,
        }
    }
    let most = bounds.iter().map(|(bound, _)| *bound).max().unwrap_or(1);
    if graph.constant(none) != Some(Value::Bit(false)) {
        bounds.push((1, none));
    }
    let probability = |number: u32, bound: u32| match number < bound {
        // The words below it make a product below number · 2^32. Each of these is a number of 32 bits, so that the division is exact.
        true => (u64::from(number) << 32).div_ceil(u64::from(bound)) as f64 / 32f64.exp2(),
        false => 1.0,
    };
    let mut below = Vec::new();
    for number in 1..most {
        let values = bounds.iter().map(|(bound, _)| graph.value(Value::F64(probability(number, *bound))));
        let probabilities = values.collect();
        let classes = bounds.iter().map(|(_, lanes)| *lanes).collect();
        graph.call("below");
        below.push(graph.add(LaneType::Bits, Op::RandomBit { draw, micro, classes, probabilities }));
    }
    let mut results = Vec::new();
    for number in 0..most {
        let under = |number: u32| below.get(number as usize).copied();
        let lanes = under(number).unwrap_or(always);
        let lanes = if number == 0 { lanes } else { graph.and_not(lanes, below[number as usize - 1]) };
        results.push(Class { value: graph.value(Value::U32(number)), lanes });
    }
    let mut planes = Vec::new();
    for bit in 0..u32::BITS - (most - 1).leading_zeros() {
        let mut plane = graph.bit(false);
        for (_, class) in (0..most).zip(&results).filter(|(number, _)| number >> bit & 1 == 1) {
            plane = graph.or(plane, class.lanes);
        }
        planes.push(plane);
    }
    let number = match planes.is_empty() {
        true => results[0].value,
        false => graph.add(LaneType::U32, Op::Widen(planes)),
    };
    Some((number, results))
}

/// A comparison of numbers by their classes: the lanes of the pairs for which it holds. Unless `all` are wanted, one of the numbers must be drawn. Tests of
/// counts against constants are left to their own passes.
fn comparison(
    graph: &mut KernelBuilder,
    nodes: &[Node],
    node: &Node,
    classes: &[Option<Vec<Class>>],
    (all, drawn): (bool, &[bool]),
) -> Option<ValueId> {
    let Op::Compare(op, a, b) = node.op else { return None };
    if !(all || drawn[a.0 as usize] || drawn[b.0 as usize]) {
        return None;
    }
    let (first, second) = (classes[a.0 as usize].as_ref()?, classes[b.0 as usize].as_ref()?);
    let is = |id: ValueId, is: &dyn Fn(&Op) -> bool| is(&nodes[id.0 as usize].op);
    let tests_count = [(a, b), (b, a)].into_iter().any(|(count, constant)| {
        is(count, &|op| matches!(op, Op::Count(_) | Op::Widen(_))) && is(constant, &|op| matches!(op, Op::Const(_)))
    });
    if tests_count || first.len() == 1 && second.len() == 1 {
        return None;
    }
    if first.len() * second.len() > MOST_CLASSES * MOST_CLASSES / 4 {
        return None;
    }
    let mut found = graph.bit(false);
    for a in first {
        for b in second {
            let holds = graph.add(LaneType::Bits, Op::Compare(op, a.value, b.value));
            match graph.constant(holds) {
                Some(Value::Bit(false)) => continue,
                // Numbers that are the same everywhere are compared as they stand.
                None if !all => return None,
                _ => {}
            }
            let lanes = graph.and(a.lanes, b.lanes);
            let both = graph.and(lanes, holds);
            found = graph.or(found, both);
        }
    }
    Some(found)
}

/// A chance whose probability has classes, on the new nodes.
fn random_bit(nodes: &[Node], node: &Node, classes: &[Option<Vec<Class>>]) -> Option<Op> {
    let Op::Chance { word, probability } = node.op else { return None };
    let Op::Random { draw, micro } = nodes[word.0 as usize].op else { return None };
    let classes = classes[probability.0 as usize].as_ref()?;
    Some(Op::RandomBit {
        draw,
        micro,
        classes: classes.iter().map(|class| class.lanes).collect(),
        probabilities: classes.iter().map(|class| class.value).collect(),
    })
}

/// The classes of a number, if it is made of few values.
fn classes_of(
    graph: &mut KernelBuilder,
    node: &Node,
    itself: ValueId,
    new: &[ValueId],
    classes: &[Option<Vec<Class>>],
) -> Option<Vec<Class>> {
    let of = |id: &ValueId| classes[id.0 as usize].as_deref();
    let ty = graph.ty(itself);
    if ty == LaneType::Bits {
        return None;
    }
    match &node.op {
        // A corner is the same in all lanes of one superblock alone.
        op @ scalar_input!() => {
            (!matches!(op, Op::SuperblockCorner(_))).then(|| vec![Class { value: itself, lanes: graph.bit(true) }])
        }
        Op::Widen(planes) => {
            let mut found = vec![(0u32, graph.bit(true))];
            for (place, plane) in planes.iter().enumerate() {
                if 2 * found.len() > MOST_CLASSES {
                    return None;
                }
                let plane = new[plane.0 as usize];
                let with: Vec<_> = found.iter().map(|(v, lanes)| (v | 1 << place, graph.and(*lanes, plane))).collect();
                found.iter_mut().for_each(|(_, lanes)| *lanes = graph.and_not(*lanes, plane));
                found.extend(with);
            }
            let mut merged = Vec::new();
            for (number, lanes) in found {
                let value = graph.value(scalar::cast(ty.scalar(), Value::U32(number)));
                merge(graph, &mut merged, Class { value, lanes })?;
            }
            Some(merged)
        }
        Op::Count(terms) if terms.len() < MOST_CLASSES => {
            let mut found = Vec::new();
            let is = |id: &&ValueId, bit: bool| graph.constant(new[id.0 as usize]) == Some(Value::Bit(bit));
            let least = terms.iter().filter(|id| is(id, true)).count() as i32;
            let most = terms.iter().filter(|id| !is(id, false)).count() as i32;
            for number in least..=most {
                let value = graph.value(Value::I32(number));
                let lanes = graph.add(LaneType::Bits, Op::Compare(CompareOp::Equal, itself, value));
                merge(graph, &mut found, Class { value, lanes })?;
            }
            Some(found)
        }
        Op::Select { condition, then, otherwise } => {
            let condition = new[condition.0 as usize];
            let mut found = Vec::new();
            for class in of(then)? {
                let lanes = graph.and(class.lanes, condition);
                merge(graph, &mut found, Class { lanes, ..*class })?;
            }
            for class in of(otherwise)? {
                let lanes = graph.and_not(class.lanes, condition);
                merge(graph, &mut found, Class { lanes, ..*class })?;
            }
            Some(found)
        }
        Op::Unary(_, a) | Op::Cast(a) | Op::Math(_, a) | Op::LookUp { index: a, .. } => {
            combined(graph, ty, &node.op, &[of(a)?])
        }
        Op::Binary(_, a, b) | Op::Math2(_, a, b) | Op::Shift { value: a, count: b, .. } => {
            combined(graph, ty, &node.op, &[of(a)?, of(b)?])
        }
        Op::Count(_) | Op::AddWhere { .. } | Op::Canonical(_) | Op::Below { .. } | Op::Store { .. } => None,
        input!() | draw!() | logic!() | condition!() => None,
    }
}

/// An operation on one or two numbers, for each combination of their classes.
fn combined(graph: &mut KernelBuilder, ty: LaneType, op: &Op, operands: &[&[Class]]) -> Option<Vec<Class>> {
    let always = [Class { value: ValueId(u32::MAX), lanes: graph.bit(true) }];
    let (first, second) = (operands[0], operands.get(1).copied().unwrap_or(&always));
    if first.len() * second.len() > MOST_CLASSES * MOST_CLASSES / 4 {
        return None;
    }
    let mut found = Vec::new();
    for a in first {
        for b in second {
            let lanes = graph.and(a.lanes, b.lanes);
            let mut values = [a.value, b.value].into_iter();
            let op = op.clone().map_operands(&mut |_| values.next().expect("one or two operands"));
            let value = graph.add(ty, op);
            merge(graph, &mut found, Class { value, lanes })?;
        }
    }
    Some(found)
}

/// Adds a class to others: lanes of one value are one class. `None` if there are too many.
fn merge(graph: &mut KernelBuilder, classes: &mut Vec<Class>, class: Class) -> Option<()> {
    if graph.constant(class.lanes) == Some(Value::Bit(false)) {
        return Some(());
    }
    match classes.iter_mut().find(|known| known.value == class.value) {
        Some(known) => known.lanes = graph.or(known.lanes, class.lanes),
        None => classes.push(class),
    }
    (classes.len() <= MOST_CLASSES).then_some(())
}
