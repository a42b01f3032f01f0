//! Cuts a kernel into parts, for targets that decide the random bits of many columns together, between parts.
//!
//! A part stores the classes of some random bits in temporary states, which exist only while a superblock is computed. The decided bits come into
//! further temporary states, which later parts load. The last part stores the kernel's results.

use super::Body;
use crate::kernel::evaluate::{GlobalInputs, evaluate_global};
use crate::kernel::schedule::schedule;
use crate::kernel::{Direction, Kernel, LaneType, Load, Node, Op, Planes, ValueId, Variable, depths};
use crate::numbers::scalar;
use crate::numbers::value::Value;
use crate::target::MOST_RESULTS;
use std::collections::BTreeMap;

/// Random bits of some micro cells with the same classes: one of each, or several of one draw, whose words are made once.
#[derive(Clone, Debug, PartialEq)]
pub struct RandomBits {
    /// The draw's number.
    pub draw: u32,
    /// By micro cell, ascending.
    pub bits: Vec<RandomBit>,
    /// The state that has the classes' lanes.
    pub classes: usize,
    /// The state that takes the bits.
    pub results: usize,
    /// The probabilities of the classes: of each as many as there are bits of a micro cell.
    pub probabilities: Probabilities,
    /// How many random bits a micro cell has.
    pub each: usize,
}

/// Where the random bits of a micro cell stand. The columns of the states are filled one after the other, whatever micro cell they belong to: most
/// micro cells have no random bit, or fewer classes than others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RandomBit {
    /// The micro cell.
    pub micro: u32,
    /// The number of the first class's column in its state's block; the other classes' columns follow.
    pub classes: usize,
    /// The number of the first result's column; the other results' columns follow.
    pub result: usize,
}

/// The most random bits of a micro cell that are decided together.
pub const MOST_EACH: usize = MOST_RESULTS as usize - 1;
/// The most planes of a state.
const MOST_PLANES: usize = u8::MAX as usize;

/// By micro cell the nodes of its random bits, and their classes.
type Classified = BTreeMap<u32, (Vec<usize>, Vec<ValueId>)>;
/// The key of random bits that are decided together: a stage, a draw, by class the probabilities of each random bit, and a number that tells apart
/// those of one micro cell.
type Together = (u32, u32, Vec<Vec<ValueId>>, usize);

/// The random bits that are decided after a part, and the states that hold them.
#[derive(Default)]
struct Decided {
    bits: Vec<RandomBits>,
    memory: Vec<DecisionStates>,
}

/// Two states, of classes and of results, and their columns.
struct DecisionStates {
    classes: usize,
    results: usize,
    /// By column of the classes, the stored value.
    stored: Vec<ValueId>,
    /// How many results there are.
    decided: usize,
}

impl Decided {
    /// Memory with room for `room` more classes and results; new states are made where there is none.
    fn memory_for(&mut self, room: (usize, usize), cells: usize, states: &mut Vec<Variable>) -> &mut DecisionStates {
        if !self.memory.last().is_some_and(|memory| memory.has_room(room, cells)) {
            let number = states.len();
            // How many planes they have is known when all is in them.
            states.extend(
                ["classes", "bits"]
                    .map(|name| Variable { name: format!("random_{name}_{number}"), planes: Planes::Bits(1) }),
            );
            self.memory.push(DecisionStates { classes: number, results: number + 1, stored: Vec::new(), decided: 0 });
        }
        self.memory.last_mut().expect("there is one")
    }
}

impl DecisionStates {
    fn has_room(&self, (classes, results): (usize, usize), cells: usize) -> bool {
        let most = MOST_PLANES * cells;
        self.stored.len() + classes <= most && self.decided + results <= most
    }
}

/// Numbers that are the same everywhere, and the operations that make them.
#[derive(Clone, Debug, PartialEq)]
pub struct Probabilities {
    flush: bool,
    nodes: Vec<Node>,
    results: Vec<ValueId>,
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

    /// How many there are.
    pub fn count(&self) -> usize {
        self.results.len()
    }

    /// Their values.
    pub fn values(&self, inputs: GlobalInputs<'_>) -> Vec<f64> {
        let values = evaluate_global(self.flush, &self.nodes, inputs);
        self.results.iter().map(|id| scalar::probability(values[id.0 as usize])).collect()
    }
}

/// The parts of a kernel, in the order in which they run. Behind its states stand the temporary ones of all parts. Without random bits it is one part.
pub(super) fn split(kernel: &Kernel) -> Vec<Body> {
    // After how many decisions each value is known.
    let stages = depths(&kernel.nodes, is_random);
    let last = kernel.nodes.iter().zip(&stages).filter(|(node, _)| is_random(&node.op)).map(|(_, stage)| *stage).max();
    let Some(last) = last else { return vec![Body::new(kernel.clone(), Vec::new())] };
    let groups = groups(kernel, &stages);
    let cells = kernel.micro.cells.len();
    let mut states = kernel.states.clone();
    // Of each random bit the state and the column of its result; of each stage its random bits, and their memory.
    let mut results = vec![None; kernel.nodes.len()];
    let mut decided: Vec<Decided> = (0..last).map(|_| Decided::default()).collect();
    for ((stage, draw, probabilities, _), micro) in groups {
        let decided = &mut decided[stage as usize - 1];
        let mut waiting = micro.into_iter().peekable();
        while let Some((_, (nodes, classes))) = waiting.peek() {
            let (room, each) = ((classes.len(), nodes.len()), nodes.len());
            let memory = decided.memory_for(room, cells, &mut states);
            let mut bits = Vec::new();
            while let Some((micro, (nodes, classes))) = waiting.next_if(|_| memory.has_room(room, cells)) {
                let bit = RandomBit { micro, classes: memory.stored.len(), result: memory.decided };
                for (node, result) in nodes.into_iter().zip(bit.result..) {
                    results[node] = Some((memory.results, result));
                }
                memory.stored.extend(classes);
                memory.decided += each;
                bits.push(bit);
            }
            let (classes, results) = (memory.classes, memory.results);
            let probabilities = Probabilities::of(kernel, &probabilities.concat());
            decided.bits.push(RandomBits { draw, bits, classes, results, probabilities, each });
        }
    }
    for memory in decided.iter().flat_map(|decided| &decided.memory) {
        let planes = |columns: usize| Planes::Bits(columns.div_ceil(cells).max(1) as u8);
        states[memory.classes].planes = planes(memory.stored.len());
        states[memory.results].planes = planes(memory.decided);
    }
    let place = |states: &[Variable], state: usize, column: usize| {
        let planes = usize::from(states[state].planes.count());
        (state as u16, (column % planes) as u8, (column / planes) as u32)
    };
    let part = |stage: u32, stores: Vec<Node>| {
        let random = |(index, node): (usize, &Node)| match (&node.op, results[index]) {
            (Op::RandomBit { .. }, Some((state, column))) if stages[index] <= stage => {
                let (state, plane, micro) = place(&states, state, column);
                Node { op: Op::Load(Load { state, plane, direction: Direction::CENTRE, micro }), ..node.clone() }
            }
            // Nothing that this part stores needs it.
            (Op::RandomBit { .. }, _) => Node { op: Op::Const(Value::Bit(false)), ..node.clone() },
            // Positions stay: stores of other parts become values that no operation needs.
            (Op::Store { .. }, _) if stage < last => {
                Node { name: "none".to_owned(), ty: Some(LaneType::Bits), op: Op::Const(Value::Bit(false)) }
            }
            _ => node.clone(),
        };
        let mut nodes: Vec<Node> = kernel.nodes.iter().enumerate().map(random).collect();
        nodes.extend(stores);
        let name = if stage < last { format!("{}_classes_{stage}", kernel.name) } else { kernel.name.clone() };
        Kernel { name, states: states.clone(), nodes: schedule(nodes), ..kernel.clone() }
    };
    let mut parts = Vec::new();
    for (stage, decided) in (0..).zip(&decided) {
        let mut stores =
            vec![Node { name: "no_lanes".to_owned(), ty: Some(LaneType::Bits), op: Op::Const(Value::Bit(false)) }];
        let none = ValueId(kernel.nodes.len() as u32);
        for DecisionStates { classes, stored, .. } in &decided.memory {
            // Stores cover all micro cells: columns behind the last have no lanes.
            let all = cells * usize::from(states[*classes].planes.count());
            let values = stored.iter().chain(std::iter::repeat(&none)).take(all);
            stores.extend(values.enumerate().map(|(column, value)| {
                let (state, plane, micro) = place(&states, *classes, column);
                Node { name: String::new(), ty: None, op: Op::Store { state, plane, micro, value: *value } }
            }));
        }
        parts.push(Body::new(part(stage, stores), decided.bits.clone()));
    }
    parts.push(Body::new(part(last, Vec::new()), Vec::new()));
    parts
}

/// The random bits of a kernel as they are decided together.
fn groups(kernel: &Kernel, stages: &[u32]) -> BTreeMap<Together, Classified> {
    // The key of random bits of one draw and one micro cell with the same classes. The map holds each node, and its probabilities.
    type Same<'a> = (u32, u32, u32, &'a [ValueId]);
    let mut same: BTreeMap<Same<'_>, Vec<(usize, &[ValueId])>> = BTreeMap::new();
    for (index, node) in kernel.nodes.iter().enumerate() {
        if let Op::RandomBit { draw, micro, probabilities, classes } = &node.op {
            same.entry((stages[index], *draw, *micro, classes)).or_default().push((index, probabilities));
        }
    }
    let mut groups: BTreeMap<Together, Classified> = BTreeMap::new();
    for ((stage, draw, micro, classes), mut bits) in same {
        bits.sort_unstable_by_key(|(_, probabilities)| *probabilities);
        for bits in bits.chunks(MOST_EACH) {
            // Cells that have the same probabilities have them in any order.
            let of_class = |class: usize| bits.iter().map(|(_, probabilities)| probabilities[class]).collect();
            let mut both: Vec<(Vec<ValueId>, ValueId)> =
                classes.iter().enumerate().map(|(class, lanes)| (of_class(class), *lanes)).collect();
            both.sort_unstable();
            let (probabilities, classes): (Vec<Vec<ValueId>>, Vec<ValueId>) = both.into_iter().unzip();
            let nodes: Vec<usize> = bits.iter().map(|(index, _)| *index).collect();
            let place = |copy: usize| (stage, draw, probabilities.clone(), copy);
            let is_free = |copy: &usize| !groups.get(&place(*copy)).is_some_and(|group| group.contains_key(&micro));
            let copy = (0..).find(is_free).expect("there are as many as random bits");
            groups.entry(place(copy)).or_default().insert(micro, (nodes, classes));
        }
    }
    groups
}

fn is_random(op: &Op) -> bool {
    matches!(op, Op::RandomBit { .. })
}
