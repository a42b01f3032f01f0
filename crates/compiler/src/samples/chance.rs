//! Rules made by chance, to compare kernels with the oracle on what nobody thought of.

use super::Code;
use crate::ir::{
    Aggregate, AggregateKind, BinaryOp, Body, CompareOp, EnumId, EnumType, MathFn, Neighbourhood, NodeId, Observable,
    ObservableKind, Op, Param, Rule, State, StateId, Step, Type, UnaryOp, Value,
};
use crate::numerics::digest::mix;

const SMALL: EnumId = EnumId(0);
const LARGE: EnumId = EnumId(1);
const TYPES: [Type; 8] =
    [Type::Bit, Type::U8, Type::I32, Type::U32, Type::F32, Type::F64, Type::Enum(SMALL), Type::Enum(LARGE)];

/// A source of choices.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 += 1;
        (mix(self.0) % n as u64) as usize
    }

    fn one_of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }
}

/// The rule with a number. Odd numbers give rules that draw in their steps.
pub fn rule(number: u64) -> Rule {
    let dice = &mut Dice(mix(number));
    let variants = |n: usize| EnumType { variants: (0..n).map(|i| format!("v{i}")).collect() };
    let states: Vec<State> =
        (0..1 + dice.below(3)).map(|i| State { name: format!("s{i}"), ty: dice.one_of(&TYPES) }).collect();
    let params: Vec<Param> = [Type::Bit, Type::F32, Type::I32, Type::Enum(LARGE)]
        .into_iter()
        .enumerate()
        .map(|(i, ty)| Param { name: format!("p{i}"), ty, default: value(dice, ty) })
        .collect();
    let listed = Neighbourhood::Listed {
        name: "knight".to_owned(),
        offsets: vec![[1, 2, 0], [0, 0, 0], [-2, 1, 0], [2, -2, 0]],
    };
    let mut rule = Rule {
        name: format!("chance_{number}"),
        doc: String::new(),
        enums: vec![variants(3), variants(5)],
        params,
        states,
        neighbourhoods: vec![Neighbourhood::Moore(1), Neighbourhood::VonNeumann(2), listed],
        init: Body::default(),
        steps: Vec::new(),
        observables: Vec::new(),
        needs_three_dimensions: false,
        names_coordinates: true,
    };
    rule.init = init(&rule);
    let mut draws = 0;
    for i in 0..1 + dice.below(2) {
        let mut writer = Writer::new(&rule, dice, (number % 2 == 1).then_some(draws));
        for _ in 0..6 + writer.dice.below(18) {
            writer.cell_node();
        }
        let guard = (writer.dice.below(3) == 0).then(|| writer.any(Type::Bit));
        for index in 0..rule.states.len() {
            if writer.dice.below(4) > 0 || (i == 0 && index == 0) {
                let result = writer.any(rule.states[index].ty);
                writer.code.0.results.push((StateId(index as u16), result));
            }
        }
        draws = writer.draws.unwrap_or(0);
        rule.steps.push(Step { name: Some(format!("step{i}")), guard, body: writer.code.0 });
    }
    let mut writer = Writer::new(&rule, dice, None);
    (0..10).for_each(|_| writer.cell_node());
    let term = writer.any(Type::F32);
    let body = writer.code.0;
    let observable = Observable { name: "o".to_owned(), kind: ObservableKind::Sum, ty: Type::F32, term, body };
    rule.observables.push(observable);
    rule
}

/// Every state by chance.
fn init(rule: &Rule) -> Body {
    let mut code = Code::default();
    for (index, state) in rule.states.iter().enumerate() {
        let draw = index as u32;
        let word = code.node(Type::U32, Op::RandomBits { draw });
        let node = match state.ty {
            Type::Bit => code.node(Type::Bit, Op::Cast(word)),
            Type::Enum(id) => {
                let mut chosen = code.constant(Value::Enum(id, 0));
                for variant in 1..rule.enum_type(id).variants.len() as u8 {
                    let limit = code.constant(Value::U32(u32::from(variant) << 29));
                    let above = code.node(Type::Bit, Op::Compare(CompareOp::Greater, word, limit));
                    let then = code.constant(Value::Enum(id, variant));
                    let choice = Op::Select { condition: above, then, otherwise: chosen };
                    chosen = code.node(state.ty, choice);
                }
                chosen
            }
            Type::F32 | Type::F64 => {
                let uniform = code.node(Type::F32, Op::RandomUniform { draw });
                let half = code.constant(Value::F32(0.5));
                let centred = code.node(Type::F32, Op::Binary(BinaryOp::Subtract, uniform, half));
                code.node(state.ty, Op::Cast(centred))
            }
            ty => {
                let small = code.constant(Value::U32(28));
                let few = code.node(Type::U32, Op::Shift { left: false, value: word, count: small });
                code.node(ty, Op::Cast(few))
            }
        };
        code.0.results.push((StateId(index as u16), node));
    }
    code.0
}

fn value(dice: &mut Dice, ty: Type) -> Value {
    match ty {
        Type::Bit => Value::Bit(dice.below(2) == 1),
        Type::U8 => Value::U8(dice.one_of(&[0, 1, 2, 7, 255])),
        Type::I32 => Value::I32(dice.one_of(&[0, 1, 2, 3, 4, 5, -1, i32::MIN])),
        Type::U32 => Value::U32(dice.one_of(&[0, 1, 2, 3, 31, u32::MAX])),
        Type::F32 => Value::F32(dice.one_of(&[0.0, -0.0, 1.0, -1.5, 0.1, 1e30, f32::INFINITY])),
        Type::F64 => Value::F64(dice.one_of(&[0.0, -0.0, 1.0, -1.5, 0.1, 1e300, f64::NAN])),
        Type::Enum(id) => Value::Enum(id, dice.below(if id == SMALL { 3 } else { 5 }) as u8),
    }
}

/// Writes a body by chance.
struct Writer<'a> {
    rule: &'a Rule,
    dice: &'a mut Dice,
    code: Code,
    /// The number of the next draw, if draws are allowed.
    draws: Option<u32>,
    /// Nodes that may be used.
    usable: Vec<NodeId>,
    in_term: bool,
}

impl<'a> Writer<'a> {
    fn new(rule: &'a Rule, dice: &'a mut Dice, draws: Option<u32>) -> Self {
        Writer { rule, dice, code: Code::default(), draws, usable: Vec::new(), in_term: false }
    }

    fn push(&mut self, ty: Type, op: Op) -> NodeId {
        let id = self.code.node(ty, op);
        self.usable.push(id);
        id
    }

    /// A node of a type: mostly one that is there, else a new one.
    fn any(&mut self, ty: Type) -> NodeId {
        let fitting: Vec<NodeId> = self.usable.iter().copied().filter(|id| self.code.0.node(*id).ty == ty).collect();
        if !fitting.is_empty() && self.dice.below(5) > 0 {
            // Rather a late one, so that code grows deep.
            let from = self.dice.below(fitting.len());
            return fitting[from.max(self.dice.below(fitting.len()))];
        }
        let states: Vec<u16> =
            (0..self.rule.states.len() as u16).filter(|i| self.rule.states[usize::from(*i)].ty == ty).collect();
        let params: Vec<u16> =
            (0..self.rule.params.len() as u16).filter(|i| self.rule.params[usize::from(*i)].ty == ty).collect();
        match self.dice.below(4) {
            0 if !params.is_empty() => {
                let param = self.dice.one_of(&params);
                self.push(ty, Op::Param(param))
            }
            1 | 2 if !states.is_empty() => {
                let state = StateId(self.dice.one_of(&states));
                self.push(ty, if self.in_term { Op::Neighbour(state) } else { Op::State(state) })
            }
            _ => {
                let value = value(self.dice, ty);
                self.push(ty, Op::Const(value))
            }
        }
    }

    /// An operation outside of terms: an aggregate, a read, a draw or one that terms know as well.
    fn cell_node(&mut self) {
        match self.dice.below(6) {
            0 | 1 => self.aggregate(),
            2 => {
                let state = self.dice.below(self.rule.states.len());
                let ty = self.rule.states[state].ty;
                let otherwise = self.any(ty);
                let offset = self.dice.one_of(&[[1, 0, 0], [0, -1, 0], [-2, 2, 0], [0, 0, 0], [1, 1, 0]]);
                self.push(ty, Op::Read { state: StateId(state as u16), offset, otherwise });
            }
            3 if self.draws.is_some() => {
                let draw = self.draws.unwrap_or(0);
                self.draws = Some(draw + 1);
                match self.dice.below(3) {
                    0 => self.push(Type::U32, Op::RandomBits { draw }),
                    1 => self.push(Type::F32, Op::RandomUniform { draw }),
                    _ => {
                        let ty = self.dice.one_of(&[Type::F32, Type::F64]);
                        let probability = self.any(ty);
                        self.push(Type::Bit, Op::RandomBit { draw, probability })
                    }
                };
            }
            _ => self.plain(),
        }
    }

    fn aggregate(&mut self) {
        use AggregateKind::{All, Any, Count, Max, Min, Sum};
        let kind = self.dice.one_of(&[Sum, Sum, Count, Count, Count, Any, All, Min, Max]);
        let number = self.dice.one_of(&[Type::I32, Type::F32, Type::U8, Type::F64, Type::U32]);
        let (term_ty, ty) = match kind {
            Any | All => (Type::Bit, Type::Bit),
            Count => (Type::Bit, Type::I32),
            Sum if self.dice.below(2) == 0 => (Type::Bit, Type::I32),
            Sum | Min | Max => (number, number),
        };
        let otherwise = matches!(kind, Min | Max).then(|| self.any(ty));
        let (from, usable) = (self.code.0.nodes.len() as u32, self.usable.len());
        self.in_term = true;
        for _ in 0..self.dice.below(4) {
            self.plain();
        }
        let value = self.any(term_ty);
        self.in_term = false;
        self.usable.truncate(usable);
        let term = from..self.code.0.nodes.len() as u32;
        let neighbourhood = self.dice.below(self.rule.neighbourhoods.len()) as u16;
        self.push(ty, Op::Aggregate(Aggregate { kind, neighbourhood, term, value, otherwise }));
    }

    fn plain(&mut self) {
        use BinaryOp::{Add, And, Divide, Max, Min, Multiply, Or, Remainder, Subtract, Xor};
        let number = self.dice.one_of(&[Type::I32, Type::U8, Type::U32, Type::F32, Type::F64]);
        let integer = self.dice.one_of(&[Type::I32, Type::U8, Type::U32]);
        let float = self.dice.one_of(&[Type::F32, Type::F64]);
        let any_type = self.dice.one_of(&TYPES);
        match self.dice.below(13) {
            0 => {
                let op = self.dice.one_of(&[UnaryOp::Negate, UnaryOp::Abs]);
                let a = self.any(number);
                self.push(number, Op::Unary(op, a))
            }
            1 => {
                let ty = self.dice.one_of(&[Type::Bit, integer]);
                let a = self.any(ty);
                self.push(ty, Op::Unary(UnaryOp::Not, a))
            }
            2 | 3 => {
                let op = self.dice.one_of(&[Add, Subtract, Multiply, Divide, Remainder, Min, Max]);
                let (a, b) = (self.any(number), self.any(number));
                self.push(number, Op::Binary(op, a, b))
            }
            4 | 5 => {
                let ty = self.dice.one_of(&[Type::Bit, Type::Bit, integer]);
                let op = self.dice.one_of(&[And, Or, Xor]);
                let (a, b) = (self.any(ty), self.any(ty));
                self.push(ty, Op::Binary(op, a, b))
            }
            6 => {
                let left = self.dice.below(2) == 0;
                let (value, count) = (self.any(integer), self.any(Type::I32));
                self.push(integer, Op::Shift { left, value, count })
            }
            7 => {
                use CompareOp::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
                let op = self.dice.one_of(&[Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual]);
                let (a, b) = (self.any(number), self.any(number));
                self.push(Type::Bit, Op::Compare(op, a, b))
            }
            8 => {
                let op = self.dice.one_of(&[CompareOp::Equal, CompareOp::NotEqual]);
                let (a, b) = (self.any(any_type), self.any(any_type));
                self.push(Type::Bit, Op::Compare(op, a, b))
            }
            9 => {
                let condition = self.any(Type::Bit);
                let (then, otherwise) = (self.any(any_type), self.any(any_type));
                self.push(any_type, Op::Select { condition, then, otherwise })
            }
            10 => {
                let from = self.any(any_type);
                let to = self.dice.one_of(&[number, Type::Bit]);
                self.push(to, Op::Cast(from))
            }
            11 => {
                let function = self.dice.one_of(&[MathFn::Sqrt, MathFn::Floor, MathFn::Round, MathFn::Exp]);
                let a = self.any(float);
                self.push(float, Op::Math(function, a))
            }
            _ => {
                let op = match self.dice.below(5) {
                    0 if self.in_term => Op::Offset(0),
                    1 if self.in_term => Op::Offset(1),
                    0 => Op::Coordinate(0),
                    1 => Op::Coordinate(1),
                    2 => Op::Level,
                    3 => Op::Side,
                    _ => {
                        self.push(Type::U32, Op::Time);
                        return;
                    }
                };
                self.push(Type::I32, op)
            }
        };
    }
}
