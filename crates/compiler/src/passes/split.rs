//! A kernel cut where its random bits are decided, for targets that decide those of many columns together.
//!
//! A part stores the classes of some random bits to states that exist while a superblock is computed alone. Then the bits are decided,
//! and put into more such states, which the parts behind it load. The last part stores what the kernel stores.

use super::Ready;
use super::schedule::schedule;
use crate::ir::kernel::evaluate::evaluate;
use crate::ir::kernel::{Direction, Kernel, LaneType, Node, Op, Planes, ValueId, Variable};
use crate::ir::value::Value;
use crate::numerics::philox;
use std::collections::BTreeMap;

/// A part of a kernel.
#[derive(Clone, Debug)]
pub struct Part {
    /// What is computed: with the states of the kernel, and those of the random bits of all parts behind them.
    pub kernel: Ready,
    /// The random bits that are decided after it.
    pub random: Vec<RandomBits>,
}

/// Random bits of some micro cells with the same classes.
#[derive(Clone, Debug)]
pub struct RandomBits {
    /// The draw's number.
    pub draw: u32,
    /// The micro cells, ascending.
    pub micro: Vec<u32>,
    /// The state whose planes are the classes.
    pub classes: usize,
    /// The state that takes the bits.
    pub results: usize,
    /// The probabilities of the classes.
    pub probabilities: Probabilities,
}

/// Numbers that are the same everywhere, and the operations that make them.
#[derive(Clone, Debug)]
pub struct Probabilities {
    flush: bool,
    nodes: Vec<Node>,
    results: Vec<ValueId>,
}

/// What such numbers are made of.
#[derive(Clone, Copy, Debug)]
pub struct GlobalInputs<'a> {
    /// Each parameter as [`Value::bits`].
    pub params: &'a [u64],
    /// The first time that is computed.
    pub time: u32,
    /// The level.
    pub level: i32,
    /// The side.
    pub side: i32,
}

impl Probabilities {
    fn of(Kernel { nodes, flush, .. }: &Kernel, wanted: &[ValueId]) -> Probabilities {
        let mut needed = vec![false; nodes.len()];
        wanted.iter().for_each(|id| needed[id.0 as usize] = true);
        for (index, node) in nodes.iter().enumerate().rev() {
            if needed[index] {
                node.op.operands().into_iter().for_each(|id| needed[id.0 as usize] = true);
            }
        }
        let mut new = vec![ValueId(u32::MAX); nodes.len()];
        let mut kept = Vec::new();
        for (index, node) in nodes.iter().enumerate().filter(|(index, _)| needed[*index]) {
            let op = node.op.clone().map_operands(&mut |id| new[id.0 as usize]);
            new[index] = ValueId(kept.len() as u32);
            kept.push(Node { op, ..node.clone() });
        }
        Probabilities { flush: *flush, nodes: kept, results: wanted.iter().map(|id| new[id.0 as usize]).collect() }
    }

    /// Whether they change with time.
    pub fn reads_time(&self) -> bool {
        self.nodes.iter().any(|node| matches!(node.op, Op::Time { .. }))
    }

    /// The thresholds of the probabilities: ⌊p · 2^32⌋.
    pub fn thresholds(&self, inputs: GlobalInputs<'_>) -> Vec<u64> {
        let mut values: Vec<Value> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let ty = node.ty.unwrap_or(LaneType::Bits);
            values.push(match node.op {
                Op::Param { param, plane } => Value::from_bits(ty.scalar(), inputs.params[usize::from(param)] >> plane),
                Op::Level => Value::I32(inputs.level),
                Op::Side => Value::I32(inputs.side),
                Op::Time { ahead } => Value::U32(inputs.time.wrapping_add(ahead)),
                ref op => {
                    evaluate(self.flush, ty, op, &mut |id| Some(values[id.0 as usize])).expect("verified: it is global")
                }
            });
        }
        let threshold = |id: &ValueId| match values[id.0 as usize] {
            Value::F64(p) => philox::threshold(p),
            _ => unreachable!("verified: probabilities are f64"),
        };
        self.results.iter().map(threshold).collect()
    }
}

/// The parts of a kernel, to be run in turn: one if it has no random bits.
pub fn split(ready: &Ready) -> Vec<Part> {
    let kernel = ready.kernel();
    let stages = stages(&kernel.nodes);
    let last = kernel.nodes.iter().zip(&stages).filter(|(node, _)| is_random(&node.op)).map(|(_, stage)| *stage).max();
    let Some(last) = last else { return vec![Part { kernel: ready.clone(), random: Vec::new() }] };
    // By stage, draw and classes' probabilities: the micro cells, each with its node.
    let mut groups: BTreeMap<(u32, u32, Vec<ValueId>), BTreeMap<u32, usize>> = BTreeMap::new();
    for (index, node) in kernel.nodes.iter().enumerate() {
        if let Op::RandomBit { draw, micro, probabilities, .. } = &node.op {
            groups.entry((stages[index], *draw, probabilities.clone())).or_default().insert(*micro, index);
        }
    }
    let mut states = kernel.states.clone();
    // Of each random bit the state of its result; of each stage what is decided.
    let mut results = vec![None; kernel.nodes.len()];
    let mut decided: Vec<Vec<(RandomBits, Vec<usize>)>> = (0..last).map(|_| Vec::new()).collect();
    for ((stage, draw, probabilities), micro) in groups {
        let number = states.len() - kernel.states.len();
        let state = |name: String, planes| Variable { name, planes: Planes::Bits(planes) };
        let (classes, result) = (states.len(), states.len() + 1);
        states.push(state(format!("random_{number}_classes"), probabilities.len().max(1) as u8));
        states.push(state(format!("random_{number}"), 1));
        micro.values().for_each(|index| results[*index] = Some(result));
        let bits = RandomBits {
            draw,
            micro: micro.keys().copied().collect(),
            classes,
            results: result,
            probabilities: Probabilities::of(kernel, &probabilities),
        };
        decided[stage as usize - 1].push((bits, micro.into_values().collect()));
    }
    let part = |stage: u32, stores: Vec<Node>| {
        let random = |(index, node): (usize, &Node)| match (&node.op, results[index]) {
            (Op::RandomBit { micro, .. }, Some(state)) if stages[index] <= stage => {
                let op = Op::Load { state: state as u16, plane: 0, direction: Direction::CENTRE, micro: *micro };
                Node { op, ..node.clone() }
            }
            // Nothing that this part stores needs it.
            (Op::RandomBit { .. }, _) => Node { op: Op::Const(Value::Bit(false)), ..node.clone() },
            // Positions stay: stores of other parts become values that nobody needs.
            (Op::Store { .. }, _) if stage < last => {
                Node { name: "none".to_owned(), ty: Some(LaneType::Bits), op: Op::Const(Value::Bit(false)) }
            }
            _ => node.clone(),
        };
        let mut nodes: Vec<Node> = kernel.nodes.iter().enumerate().map(random).collect();
        nodes.extend(stores);
        let name = if stage < last { format!("{}_classes_{stage}", kernel.name) } else { kernel.name.clone() };
        super::part(Kernel { name, states: states.clone(), nodes: schedule(nodes), ..kernel.clone() })
    };
    let mut parts = Vec::new();
    for (stage, decided) in (0..).zip(&decided) {
        let mut stores =
            vec![Node { name: "no_lanes".to_owned(), ty: Some(LaneType::Bits), op: Op::Const(Value::Bit(false)) }];
        let none = ValueId(kernel.nodes.len() as u32);
        for (bits, nodes) in decided {
            for index in nodes {
                let Op::RandomBit { micro, classes, .. } = &kernel.nodes[*index].op else { continue };
                let store = |(plane, value): (usize, &ValueId)| Node {
                    name: String::new(),
                    ty: None,
                    op: Op::Store { state: bits.classes as u16, plane: plane as u8, micro: *micro, value: *value },
                };
                stores.extend(classes.iter().enumerate().map(store));
            }
            // Whatever is stored is stored for all micro cells: the others have no lanes of any class.
            let missing = (0..kernel.micro.cells.len() as u32).filter(|micro| bits.micro.binary_search(micro).is_err());
            for micro in missing {
                let state = bits.classes as u16;
                let store =
                    |plane| Node { name: String::new(), ty: None, op: Op::Store { state, plane, micro, value: none } };
                stores.extend((0..states[bits.classes].planes.count()).map(store));
            }
        }
        let random = decided.iter().map(|(bits, _)| bits.clone()).collect();
        parts.push(Part { kernel: part(stage, stores), random });
    }
    parts.push(Part { kernel: part(last, Vec::new()), random: Vec::new() });
    parts
}

fn is_random(op: &Op) -> bool {
    matches!(op, Op::RandomBit { .. })
}

/// After how many decisions each value is known.
fn stages(nodes: &[Node]) -> Vec<u32> {
    let mut stages: Vec<u32> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let known = node.op.operands().iter().map(|id| stages[id.0 as usize]).max().unwrap_or(0);
        stages.push(known + u32::from(is_random(&node.op)));
    }
    stages
}
