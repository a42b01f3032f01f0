//! Each operation on the values at which it changes its ways.

use super::world::{Dice, Harness, edges};
use squeeze_compiler::ir::{Axes, BinaryOp, CompareOp, Dimension, MathFn, MathFn2, UnaryOp, Value};
use squeeze_compiler::kernel::{
    Direction, Kernel, LaneType, Load, LogicOp, MicroFractal, Neighbours, Node, Op, Planes, ValueId, Variable,
};
use squeeze_compiler::numbers::scalar;
use squeeze_compiler::numbers::table::ConstTable;

pub(super) const INTEGERS: [LaneType; 5] = [LaneType::U8, LaneType::U16, LaneType::I32, LaneType::U32, LaneType::I64];
pub(crate) const FLOATS: [LaneType; 2] = [LaneType::F32, LaneType::F64];
pub(super) const NUMBERS: [LaneType; 7] =
    [LaneType::U8, LaneType::U16, LaneType::I32, LaneType::U32, LaneType::I64, LaneType::F32, LaneType::F64];
pub(crate) const BITWISE: [BinaryOp; 3] = [BinaryOp::And, BinaryOp::Or, BinaryOp::Xor];

/// The operations that all numbers have.
pub(super) fn arithmetic() -> Vec<BinaryOp> {
    BinaryOp::ALL.iter().copied().filter(|op| !BITWISE.contains(op)).collect()
}

/// A kernel in the making.
pub(crate) struct Maker {
    pub kernel: Kernel,
}

impl Maker {
    /// Without nodes, states or parameters.
    pub(super) fn new(micro: MicroFractal) -> Maker {
        let (states, params, nodes) = (Vec::new(), Vec::new(), Vec::new());
        Maker {
            kernel: Kernel {
                name: "made".to_owned(),
                micro,
                neighbours: Neighbours::Beside,
                steps: 3,
                flush: false,
                states,
                params,
                nodes,
            },
        }
    }

    /// Of one cell.
    pub(super) fn small() -> Maker {
        Maker::new(MicroFractal { dimension: Dimension::Two, sides: [1; 3], cells: vec![[0, 0, 0]] })
    }

    pub(super) fn state(&mut self, planes: Planes) -> u16 {
        let name = format!("s{}", self.kernel.states.len());
        self.kernel.states.push(Variable { name, planes });
        self.kernel.states.len() as u16 - 1
    }

    pub(super) fn node(&mut self, ty: LaneType, op: Op) -> ValueId {
        let id = self.kernel.nodes.len() as u32;
        self.kernel.nodes.push(Node { name: format!("n{id}"), ty: Some(ty), op });
        ValueId(id)
    }

    /// A state of the type, loaded.
    pub(super) fn input(&mut self, ty: LaneType) -> ValueId {
        let state = self.state(planes(ty));
        self.node(ty, Op::Load(Load { state, plane: 0, direction: Direction::CENTRE, micro: 0 }))
    }

    /// Stores a node's value in a state of its own.
    pub(super) fn output(&mut self, value: ValueId) {
        let ty = self.kernel.node(value).ty.expect("no store");
        let state = self.state(planes(ty));
        let value = self.canonical(ty, value);
        let op = Op::Store { state, plane: 0, micro: 0, value };
        self.kernel.nodes.push(Node { name: String::new(), ty: None, op });
    }

    /// The value as it may be stored, which passes see to elsewhere.
    pub(super) fn canonical(&mut self, ty: LaneType, value: ValueId) -> ValueId {
        if FLOATS.contains(&ty) { self.node(ty, Op::Canonical(value)) } else { value }
    }

    pub(super) fn result(&mut self, ty: LaneType, op: Op) {
        let value = self.node(ty, op);
        self.output(value);
    }
}

pub(super) fn planes(ty: LaneType) -> Planes {
    if ty == LaneType::Bits { Planes::Bits(1) } else { Planes::Number(ty) }
}

/// All that is computed of one number of this type.
fn of_one(maker: &mut Maker, ty: LaneType, a: ValueId) {
    for to in NUMBERS {
        maker.result(to, Op::Cast(a));
    }
    maker.result(ty, Op::Unary(UnaryOp::Negate, a));
    maker.result(ty, Op::Unary(UnaryOp::Abs, a));
    if INTEGERS.contains(&ty) {
        maker.result(ty, Op::Unary(UnaryOp::Not, a));
        for bit in 0..ty.width() as u8 {
            maker.result(LaneType::Bits, Op::Digit { value: a, bit });
        }
    } else {
        for &function in MathFn::ALL {
            maker.result(ty, Op::Math(function, a));
        }
    }
}

/// All that is computed of two numbers of this type.
fn of_two(maker: &mut Maker, ty: LaneType, a: ValueId, b: ValueId) {
    let bitwise: &[BinaryOp] = if INTEGERS.contains(&ty) { &BITWISE } else { &[] };
    for op in arithmetic().iter().chain(bitwise) {
        maker.result(ty, Op::Binary(*op, a, b));
    }
    for &op in CompareOp::ALL {
        let condition = maker.node(LaneType::Bits, Op::Compare(op, a, b));
        maker.output(condition);
        maker.result(ty, Op::Select { condition, then: a, otherwise: b });
        maker.result(LaneType::F64, Op::Widen(vec![condition]));
        for to in [LaneType::U8, LaneType::U16, LaneType::I64] {
            maker.result(to, Op::Widen(vec![condition, condition]));
        }
    }
    if FLOATS.contains(&ty) {
        for &function in MathFn2::ALL {
            maker.result(ty, Op::Math2(function, a, b));
        }
    }
}

/// All pairs of two lists.
fn pairs(a: &[Value], b: &[Value]) -> (Vec<Value>, Vec<Value>) {
    a.iter().flat_map(|a| b.iter().map(|b| (*a, *b))).unzip()
}

#[test]
fn numbers() {
    for ty in NUMBERS {
        let mut maker = Maker::small();
        let (a, b) = (maker.input(ty), maker.input(ty));
        of_one(&mut maker, ty, a);
        of_two(&mut maker, ty, a, b);
        let (left, right) = pairs(&edges(ty), &edges(ty));
        let mut world = Harness::new(&maker.kernel, left.len(), &mut Dice(2));
        world.set(0, &left);
        world.set(1, &right);
        world.check();
    }
}

#[test]
fn numbers_with_a_constant() {
    for ty in NUMBERS {
        for constant in edges(ty) {
            let mut maker = Maker::small();
            let a = maker.input(ty);
            let constant = maker.node(ty, Op::Const(constant));
            of_two(&mut maker, ty, a, constant);
            of_two(&mut maker, ty, constant, a);
            of_one(&mut maker, ty, constant);
            let condition = maker.input(LaneType::Bits);
            maker.result(ty, Op::Select { condition, then: a, otherwise: constant });
            maker.result(ty, Op::Select { condition, then: constant, otherwise: a });
            let list = edges(ty);
            let mut world = Harness::new(&maker.kernel, list.len(), &mut Dice(3));
            world.set(0, &list);
            world.check();
        }
    }
}

#[test]
fn shifts() {
    for (ty, count_ty) in INTEGERS.into_iter().flat_map(|ty| INTEGERS.map(|count| (ty, count))) {
        let mut maker = Maker::small();
        let (value, count) = (maker.input(ty), maker.input(count_ty));
        let constants: Vec<ValueId> =
            edges(count_ty).into_iter().map(|count| maker.node(count_ty, Op::Const(count))).collect();
        for count in constants.into_iter().chain([count]) {
            maker.result(ty, Op::Shift { left: true, value, count });
            maker.result(ty, Op::Shift { left: false, value, count });
        }
        let (left, right) = pairs(&edges(ty), &edges(count_ty));
        let mut world = Harness::new(&maker.kernel, left.len(), &mut Dice(4));
        world.set(0, &left);
        world.set(1, &right);
        world.check();
    }
}

/// Numbers before the first and behind the last as well, and of tables of one value.
#[test]
fn values_of_tables() {
    for ty in NUMBERS {
        for length in [1, 2, 300] {
            let values: Vec<Value> = edges(ty).into_iter().cycle().take(length).collect();
            let mut maker = Maker::small();
            let index = maker.input(LaneType::I32);
            let table = ConstTable::new(&values);
            maker.result(ty, Op::LookUp { table, index });
            let mut indices = edges(LaneType::I32);
            indices.extend((-2..length as i32 + 2).map(Value::I32));
            let mut world = Harness::new(&maker.kernel, indices.len(), &mut Dice(8));
            world.set(0, &indices);
            world.check();
        }
    }
}

#[test]
fn draws() {
    const DRAWS: [u32; 4] = [0, 1, 6, (1 << 27) - 1];
    let mut maker = Maker::small();
    let (single, probability) = (maker.input(LaneType::F32), maker.input(LaneType::F64));
    let widened = maker.node(LaneType::F64, Op::Cast(single));
    let constant = maker.node(LaneType::F64, Op::Const(Value::F64(0.1)));
    for draw in DRAWS {
        let word = maker.node(LaneType::U32, Op::Random { draw, micro: 0 });
        maker.output(word);
        for probability in [probability, widened, constant] {
            maker.result(LaneType::Bits, Op::Chance { word, probability });
        }
    }
    let edges = edges(LaneType::F64);
    for lanes in [5, 64, 243] {
        let mut world = Harness::new(&maker.kernel, lanes, &mut Dice(5));
        // Next to the words' own places, between them and the next, and so small that only a lane whose word is 0 may ask for more.
        for more in [0.0, -0.25, 0.25, 0.5, 0.999, 1.0] {
            for draw in DRAWS {
                let near = |lane: usize| match lane % 7 {
                    0 => scalar::probability(edges[lane % edges.len()]),
                    1 => 1e-12,
                    _ => (f64::from(world.word((draw, 0, lane))) + more) / 4_294_967_296.0,
                };
                let values: Vec<f64> = (0..lanes).map(near).collect();
                world.set(0, &values.iter().map(|p| Value::F32(*p as f32)).collect::<Vec<_>>());
                world.set(1, &values.iter().map(|p| Value::F64(*p)).collect::<Vec<_>>());
                world.check();
            }
        }
    }
}

/// A chance of a constant that begins with the word of a lane.
#[test]
fn chances_of_constants() {
    for lane in [0, 6, 17, 63] {
        let mut maker = Maker::small();
        let word = maker.node(LaneType::U32, Op::Random { draw: 3, micro: 0 });
        maker.output(word);
        let drawn = Harness::new(&maker.kernel, 64, &mut Dice(5)).word((3, 0, lane));
        for more in [0.1, 0.3, 0.5, 0.7, 0.9] {
            let p = (f64::from(drawn) + more) / 4_294_967_296.0;
            let probability = maker.node(LaneType::F64, Op::Const(Value::F64(p)));
            maker.result(LaneType::Bits, Op::Chance { word, probability });
        }
        Harness::new(&maker.kernel, 64, &mut Dice(5)).check();
    }
}

/// A kernel of bits; with a number in it if `numbers`, so that it takes the other form.
fn bits(numbers: bool) -> Kernel {
    let mut maker = Maker::small();
    let inputs = [0; 3].map(|_| maker.input(LaneType::Bits));
    let [a, b, c] = inputs;
    maker.kernel.params.push(Variable { name: "p".to_owned(), planes: Planes::Bits(5) });
    for &op in LogicOp::ALL {
        maker.result(LaneType::Bits, Op::Logic(op, a, b));
    }
    for table in 0..=255 {
        maker.result(LaneType::Bits, Op::Table { table, operands: [a, b, c] });
    }
    maker.result(LaneType::Bits, Op::Not(a));
    for plane in 0..5 {
        let param = maker.node(LaneType::Bits, Op::Param { param: 0, plane });
        maker.output(param);
        maker.result(LaneType::Bits, Op::Logic(LogicOp::Xor, param, a));
    }
    for bit in [false, true] {
        let constant = maker.node(LaneType::Bits, Op::Const(Value::Bit(bit)));
        maker.output(constant);
        maker.result(LaneType::Bits, Op::Table { table: 0b1001_0110, operands: [constant, b, a] });
    }
    for direction in Direction::all(Dimension::Two) {
        maker.result(LaneType::Bits, Op::Presence(direction));
        maker.result(LaneType::Bits, Op::Load(Load { state: 0, plane: 0, direction, micro: 0 }));
    }
    for axes in [[true, false, false], [false, true, false], [true, true, false]] {
        maker.result(LaneType::Bits, Op::OddCorner(Axes(axes)));
    }
    if numbers {
        for ty in NUMBERS {
            for count in [1, 3, 8] {
                maker.result(ty, Op::Widen((0..count).map(|i| inputs[i % 3]).collect()));
            }
        }
        maker.result(LaneType::F32, Op::Widen((0..16).map(|i| inputs[i % 3]).collect()));
        maker.result(LaneType::I32, Op::Count((0..20).map(|i| inputs[i % 3]).collect()));
    }
    maker.kernel
}

#[test]
fn bits_in_columns_of_every_width() {
    for numbers in [false, true] {
        let kernel = bits(numbers);
        for lanes in [1, 7, 8, 9, 31, 32, 33, 64, 65, 96, 97, 128, 129, 160, 200, 255, 256, 257, 384, 1000] {
            Harness::new(&kernel, lanes, &mut Dice(lanes as u64)).check();
        }
    }
}

/// Live numbers and bits that take several pages of stack, across calls of helpers.
#[test]
fn deep_stacks_of_numbers() {
    let mut maker = Maker::small();
    let inputs = [LaneType::F32, LaneType::F64, LaneType::I32].map(|ty| maker.input(ty));
    let mut live = Vec::new();
    for (i, a) in (0..150).flat_map(|i| inputs.map(|a| (i, a))) {
        let ty = maker.kernel.node(a).ty.expect("it is loaded");
        let constant = scalar::cast(ty.scalar(), Value::I32(i));
        let constant = maker.node(ty, Op::Const(constant));
        let sum = maker.node(ty, Op::Binary(BinaryOp::Add, a, constant));
        let below = maker.node(LaneType::Bits, Op::Compare(CompareOp::Less, sum, a));
        live.push((ty, sum, below));
    }
    let [mut sums, mut any] = [inputs, inputs.map(|a| maker.node(LaneType::Bits, Op::Compare(CompareOp::Less, a, a)))];
    for (i, (ty, value, below)) in live.into_iter().enumerate().rev() {
        let place = i % 3;
        let then = maker.node(ty, Op::Binary(BinaryOp::Subtract, sums[place], value));
        any[place] = maker.node(LaneType::Bits, Op::Logic(LogicOp::Xor, any[place], below));
        sums[place] = maker.node(ty, Op::Select { condition: any[place], then, otherwise: value });
        if i % 64 == 0 && ty != LaneType::I32 {
            sums[place] = maker.node(ty, Op::Math(MathFn::Sin, sums[place]));
        }
    }
    sums.into_iter().chain(any).for_each(|value| maker.output(value));
    for lanes in [5, 8, 16, 40] {
        Harness::new(&maker.kernel, lanes, &mut Dice(7)).check();
    }
}

#[test]
fn inputs_of_all_kinds() {
    let mut maker = Maker::small();
    for (index, ty) in NUMBERS.into_iter().enumerate() {
        maker.kernel.params.push(Variable { name: format!("p{index}"), planes: Planes::Number(ty) });
        maker.result(ty, Op::Param { param: index as u16, plane: 0 });
    }
    for axis in 0..2 {
        maker.result(LaneType::I32, Op::LaneCorner(axis));
        maker.result(LaneType::I32, Op::SuperblockCorner(axis));
    }
    maker.result(LaneType::I32, Op::Level);
    maker.result(LaneType::I32, Op::Side);
    (0..3).for_each(|ahead| maker.result(LaneType::U32, Op::Time { ahead }));
    for lanes in [1, 8, 100] {
        Harness::new(&maker.kernel, lanes, &mut Dice(6)).check();
    }
}

/// All of it once more with results that are flushed, by the processor or by operations, and near the least normal numbers.
#[test]
fn flushed_numbers() {
    for ty in FLOATS {
        for functions in [false, true] {
            let mut maker = Maker::small();
            maker.kernel.flush = true;
            let (a, b) = (maker.input(ty), maker.input(ty));
            if functions {
                of_one(&mut maker, ty, a);
                of_two(&mut maker, ty, a, b);
            } else {
                for op in [BinaryOp::Add, BinaryOp::Subtract, BinaryOp::Multiply, BinaryOp::Divide] {
                    maker.result(ty, Op::Binary(op, a, b));
                }
                let condition = maker.input(LaneType::Bits);
                maker.result(ty, Op::AddWhere { condition, sum: a, term: b });
                maker.result(LaneType::F32, Op::Cast(a));
                maker.result(ty, Op::Math(MathFn::Sqrt, a));
            }
            let least = if ty == LaneType::F32 { f64::from(f32::MIN_POSITIVE) } else { f64::MIN_POSITIVE };
            let part = |n: i32| Value::F64(least * (1.0 + f64::from(n) * f64::from(-25).exp2()));
            let near = (0..40).map(part).chain([0.0, -0.0, 0.5, 1.0, -1.5, 2.0, 3e-5, f64::NAN].map(Value::F64));
            let near = near.chain([0.999_999_97, 0.999_999_94, 0.5, 1e-19, -1.3e-19, 1e-154, 1e30].map(Value::F64));
            let near = near.chain(
                [least / 0.75, -least * 1.5, f64::INFINITY, f64::from(f32::MIN_POSITIVE) * 0.999_999_98]
                    .map(Value::F64),
            );
            let values: Vec<Value> = near.map(|v| scalar::canonical(scalar::cast(ty.scalar(), v))).collect();
            let (left, right) = pairs(&values, &values);
            let mut world = Harness::new(&maker.kernel, left.len(), &mut Dice(2));
            world.set(0, &left);
            world.set(1, &right);
            world.check();
        }
    }
}
