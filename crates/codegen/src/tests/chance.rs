//! Kernels made by chance.

use super::operations::{BITWISE, FLOATS, INTEGERS, Maker, NUMBERS, arithmetic, planes};
use super::world::{Dice, Harness};
use squeeze_compiler::ir::{Axes, BinaryOp, CompareOp, Dimension, MathFn, MathFn2, UnaryOp, Value};
use squeeze_compiler::kernel::{
    Direction, Kernel, LaneType, Load, LogicOp, MicroFractal, Node, Op, Planes, ValueId, Variable,
};

/// A verified kernel: of bits alone if `bits`.
fn kernel(dice: &mut Dice, bits: bool) -> Kernel {
    let cells = vec![[0, 0, 0], [1, 0, 0], [0, 1, 0]];
    let dimension = dice.one_of(&[Dimension::Two, Dimension::Three]);
    let mut maker = Maker::new(MicroFractal { dimension, sides: dimension.scales(2), cells });
    let types: &[LaneType] = if bits { &[LaneType::Bits] } else { LaneType::ALL };
    for ty in types {
        let planes = if *ty == LaneType::Bits { Planes::Bits(1 + dice.below(3) as u8) } else { planes(*ty) };
        maker.state(planes);
        maker.kernel.params.push(Variable { name: format!("p{}", ty.name()), planes });
    }
    for _ in 0..20 + dice.below(100) {
        node(&mut maker, dice, types);
    }
    for state in 0..types.len() as u16 {
        for micro in 0..3 {
            for plane in 0..maker.kernel.states[usize::from(state)].planes.count() {
                let value = any(&mut maker, dice, types, types[usize::from(state)]);
                let value = maker.canonical(types[usize::from(state)], value);
                let op = Op::Store { state, plane, micro, value };
                maker.kernel.nodes.push(Node { name: String::new(), ty: None, op });
            }
        }
    }
    maker.kernel
}

/// Some node of the type, a new one if there is none.
fn any(maker: &mut Maker, dice: &mut Dice, types: &[LaneType], ty: LaneType) -> ValueId {
    let nodes = &maker.kernel.nodes;
    let fitting: Vec<u32> = (0..nodes.len() as u32).filter(|id| nodes[*id as usize].ty == Some(ty)).collect();
    if !fitting.is_empty() && dice.below(8) > 0 {
        // Late ones more often.
        let place = dice.below(fitting.len()).max(dice.below(fitting.len()));
        return ValueId(fitting[place]);
    }
    let index = types.iter().position(|other| *other == ty).expect("a type of the kernel") as u16;
    let planes = maker.kernel.states[usize::from(index)].planes;
    let plane = dice.below(usize::from(planes.count())) as u8;
    let directions = Direction::all(maker.kernel.micro.dimension);
    let direction = if dice.below(2) == 0 { Direction::CENTRE } else { dice.one_of(&directions) };
    let op = match dice.below(5) {
        0 => Op::Const(dice.value(ty)),
        1 => Op::Param { param: index, plane },
        2 if ty == LaneType::Bits => Op::Presence(dice.one_of(&directions)),
        3 if ty == LaneType::Bits && dice.below(2) == 0 => Op::OddCorner(Axes([true, dice.below(2) == 0, false])),
        2 if ty == LaneType::I32 => Op::LaneCorner(dice.below(2) as u8),
        2 if ty == LaneType::U32 => Op::Random { draw: dice.below(9) as u32, micro: dice.below(3) as u32 },
        _ => Op::Load(Load { state: index, plane, direction, micro: dice.below(3) as u32 }),
    };
    maker.node(ty, op)
}

fn node(maker: &mut Maker, dice: &mut Dice, types: &[LaneType]) {
    use LaneType::{Bits, F64, I32, U8, U32};
    let mut get = |dice: &mut Dice, ty: LaneType| any(maker, dice, types, ty);
    let kinds = if types.len() == 1 { 3 } else { 15 };
    let (number, integer, float) = (dice.one_of(&NUMBERS), dice.one_of(&INTEGERS), dice.one_of(&FLOATS));
    let (ty, op) = match dice.below(kinds) {
        0 => (Bits, Op::Not(get(dice, Bits))),
        1 => (Bits, Op::Logic(dice.one_of(LogicOp::ALL), get(dice, Bits), get(dice, Bits))),
        2 => {
            let operands = [get(dice, Bits), get(dice, Bits), get(dice, Bits)];
            (Bits, Op::Table { table: dice.word() as u8, operands })
        }
        3 => {
            let bit = dice.below(integer.width() as usize) as u8;
            (Bits, Op::Digit { value: get(dice, integer), bit })
        }
        4 => {
            let count = 1 + dice.below(if number == U8 { 8 } else { 16 });
            (number, Op::Widen((0..count).map(|_| get(dice, Bits)).collect()))
        }
        5 => (I32, Op::Count((0..dice.below(9)).map(|_| get(dice, Bits)).collect())),
        6 => (number, Op::Unary(dice.one_of(&[UnaryOp::Negate, UnaryOp::Abs]), get(dice, number))),
        7 => (integer, Op::Binary(dice.one_of(&BITWISE), get(dice, integer), get(dice, integer))),
        8 | 9 => (number, Op::Binary(dice.one_of(&arithmetic()), get(dice, number), get(dice, number))),
        10 => {
            let count = dice.one_of(&INTEGERS);
            (integer, Op::Shift { left: dice.below(2) == 0, value: get(dice, integer), count: get(dice, count) })
        }
        11 => (Bits, Op::Compare(dice.one_of(CompareOp::ALL), get(dice, number), get(dice, number))),
        12 => {
            let condition = get(dice, Bits);
            (number, Op::Select { condition, then: get(dice, number), otherwise: get(dice, number) })
        }
        13 => {
            let from = dice.one_of(&NUMBERS);
            (number, Op::Cast(get(dice, from)))
        }
        _ => match dice.below(5) {
            4 => {
                // No sum is −0.0.
                let (condition, term) = (get(dice, Bits), get(dice, float));
                let zero = maker.node(float, Op::Const(Value::zero(float.scalar())));
                let sum = maker.node(float, Op::Binary(BinaryOp::Add, zero, term));
                maker.node(float, Op::AddWhere { condition, sum, term });
                return;
            }
            0 => {
                let probability = get(dice, F64);
                let (draw, micro) = (dice.below(9) as u32, dice.below(3) as u32);
                let word = maker.node(U32, Op::Random { draw, micro });
                (Bits, Op::Chance { word, probability })
            }
            1 => (float, Op::Math2(dice.one_of(MathFn2::ALL), get(dice, float), get(dice, float))),
            _ => (float, Op::Math(dice.one_of(MathFn::ALL), get(dice, float))),
        },
    };
    maker.node(ty, op);
}

#[test]
fn kernels_by_chance() {
    for seed in 0..200 {
        let dice = &mut Dice(seed << 32);
        let kernel = kernel(dice, seed % 4 == 0);
        let lanes = dice.one_of(&[1, 3, 9, 27, 40, 64, 81, 125, 243]);
        Harness::new(&kernel, lanes, dice).check();
    }
}
