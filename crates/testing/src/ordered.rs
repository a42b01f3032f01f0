//! Random rules with ordered steps.

/// Whole numbers by chance.
pub struct Chance(pub u64);

impl Chance {
    /// One below a bound.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    fn within(&mut self, reach: i32) -> i32 {
        self.below(2 * reach as usize + 1) as i32 - reach
    }
}

/// An expression of whole numbers. `near` is a let of the rule that is read at neighbours.
#[derive(Clone, Debug)]
pub enum OrderedNumber {
    /// A number.
    Constant(i32),
    /// A state's value in the cell.
    Own(usize),
    /// A coordinate of the cell.
    Coordinate(usize),
    /// The input in the cell.
    Given,
    /// The input at an offset, or 7.
    GivenAt([i32; 3]),
    /// A state at an offset, or 1.
    Read(usize, [i32; 3]),
    /// The let at an offset, or 4.
    Near([i32; 3]),
    /// The sum over neighbours of a state and dx.
    Sum(usize, &'static str),
    /// The least of the neighbours, or 5.
    Least(usize, &'static str),
    /// Four random bits.
    Draw,
    /// A sum that wraps.
    Add(Box<OrderedNumber>, Box<OrderedNumber>),
    /// The larger one.
    Larger(Box<OrderedNumber>, Box<OrderedNumber>),
    /// The second if the first is positive, else the third.
    If(Box<OrderedNumber>, Box<OrderedNumber>, Box<OrderedNumber>),
}

/// The order of a step.
#[derive(Clone, Debug)]
pub enum RandomOrder {
    /// None.
    AtOnce,
    /// `from all`
    All,
    /// Along these axes, backwards or not, the last one slowest.
    Along(Vec<(usize, bool)>),
}

/// A step, which gives some of the states new values.
#[derive(Clone, Debug)]
pub struct RandomStep {
    /// Its order.
    pub turns: RandomOrder,
    /// It changes cells where this is positive.
    pub guard: Option<OrderedNumber>,
    /// The states that it sets.
    pub next: Vec<(usize, OrderedNumber)>,
}

/// The type of a state; numbers of 32 bits fit in the last three.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RandomType {
    /// Of a number the lowest bit.
    Bit,
    /// The lowest eight bits.
    Byte,
    /// `i32`
    Int,
    /// `i64`
    Long,
    /// `f64`
    Double,
}

impl RandomType {
    const ALL: [RandomType; 5] =
        [RandomType::Bit, RandomType::Byte, RandomType::Int, RandomType::Long, RandomType::Double];

    fn name(self) -> &'static str {
        ["bit", "u8", "i32", "i64", "f64"][self as usize]
    }
}

/// The values of the input `a` along x.
pub fn given(x: i64) -> i32 {
    (7 * x as i32 + 3) % 11 - 4
}

/// A rule with ordered steps. States are `s0`, `s1`, … and `still`, a number of 32 bits that no ordered step sets.
pub struct OrderedProgram {
    axes: usize,
    /// The types of the states.
    pub states: Vec<RandomType>,
    /// The steps behind the one that sets `still`.
    pub steps: Vec<RandomStep>,
    /// Whether each state keeps its last line alone. Then there is one step, and `still` keeps its value.
    pub rolling: Vec<bool>,
}

impl OrderedProgram {
    /// One in so many dimensions; it reads a let at neighbours if `fields`.
    pub fn by_chance(chance: &mut Chance, axes: usize, fields: bool) -> OrderedProgram {
        let states = (0..1 + chance.below(2)).map(|_| RandomType::ALL[chance.below(5)]).collect();
        let mut program = OrderedProgram { axes, states, steps: Vec::new(), rolling: Vec::new() };
        for _ in 0..1 + chance.below(3) {
            let turns = match chance.below(5) {
                0 => RandomOrder::All,
                1 => RandomOrder::AtOnce,
                _ => {
                    let mut along: Vec<(usize, bool)> = Vec::new();
                    for _ in 0..1 + chance.below(axes) {
                        let axis = chance.below(axes);
                        if !along.iter().any(|(known, _)| *known == axis) {
                            along.push((axis, chance.below(2) == 1));
                        }
                    }
                    RandomOrder::Along(along)
                }
            };
            let guard = (chance.below(3) == 0).then(|| program.number(chance, 2, (false, false)));
            let mut next = Vec::new();
            for state in 0..program.states.len() {
                if next.is_empty() || chance.below(2) == 1 {
                    next.push((state, program.number(chance, 3, (true, fields))));
                }
            }
            program.steps.push(RandomStep { turns, guard, next });
        }
        program
    }

    /// A program with rolling states.
    pub fn rolling_by_chance(chance: &mut Chance, axes: usize) -> OrderedProgram {
        let mut program = OrderedProgram::by_chance(chance, axes, false);
        program.rolling = program.states.iter().map(|_| chance.below(4) > 0).collect();
        program.rolling[0] = true;
        let mut along: Vec<(usize, bool)> = (0..axes).map(|axis| (axis, chance.below(2) == 1)).collect();
        for last in (1..axes).rev() {
            along.swap(last, chance.below(last + 1));
        }
        let mut next = Vec::new();
        for state in 0..program.states.len() {
            let mut number = program.number(chance, 3, (true, false));
            number.look_back(&program.rolling, &along, axes);
            next.push((state, number));
        }
        program.steps = vec![RandomStep { turns: RandomOrder::Along(along), guard: None, next }];
        program
    }

    fn number(&self, chance: &mut Chance, depth: usize, (draws, fields): (bool, bool)) -> OrderedNumber {
        let any = chance.below(self.states.len() + 1);
        let offset = |chance: &mut Chance| {
            let mut offset = [0; 3];
            offset[..self.axes].fill_with(|| chance.within(2));
            offset
        };
        let around = ["von_neumann", "moore", "von_neumann(2)"][chance.below(3)];
        let inner = |chance: &mut Chance| Box::new(self.number(chance, depth - 1, (draws, fields)));
        match chance.below(if depth > 0 { 12 } else { 8 }) {
            0 => OrderedNumber::Constant(chance.within(9)),
            1 => OrderedNumber::Own(any),
            2 => OrderedNumber::Coordinate(chance.below(self.axes)),
            3 => OrderedNumber::Sum(any, around),
            4 => OrderedNumber::Least(any, around),
            5 if draws => OrderedNumber::Draw,
            6 if fields => OrderedNumber::Near(offset(chance)),
            7 if fields && chance.below(2) == 1 => OrderedNumber::GivenAt(offset(chance)),
            7 if chance.below(2) == 1 => OrderedNumber::Given,
            5..=7 => OrderedNumber::Read(any, offset(chance)),
            8 | 9 => OrderedNumber::Add(inner(chance), inner(chance)),
            10 => OrderedNumber::Larger(inner(chance), inner(chance)),
            _ => OrderedNumber::If(inner(chance), inner(chance), inner(chance)),
        }
    }

    /// The name of a state.
    pub fn name(&self, state: usize) -> String {
        if state == self.states.len() { "still".to_owned() } else { format!("s{state}") }
    }

    fn type_of(&self, state: usize) -> RandomType {
        self.states.get(state).copied().unwrap_or(RandomType::Int)
    }

    /// What a state keeps of a number.
    pub fn kept(&self, state: usize, value: i32) -> i32 {
        match self.type_of(state) {
            RandomType::Bit => value & 1,
            RandomType::Byte => value & 255,
            RandomType::Int | RandomType::Long | RandomType::Double => value,
        }
    }

    /// The same as text.
    fn keep(&self, state: usize, value: &str) -> String {
        match self.type_of(state) {
            RandomType::Bit => format!("({value} & 1) == 1"),
            RandomType::Byte => format!("u8({value} & 255)"),
            RandomType::Int => value.to_owned(),
            ty => format!("{}({value})", ty.name()),
        }
    }

    fn write(&self, number: &OrderedNumber) -> String {
        let at = |offset: &[i32; 3]| {
            let offset: Vec<String> = offset[..self.axes.max(2)].iter().map(i32::to_string).collect();
            offset.join(", ")
        };
        match number {
            OrderedNumber::Constant(value) => format!("({value})"),
            OrderedNumber::Own(state) => format!("i32({})", self.name(*state)),
            OrderedNumber::Coordinate(axis) => ["x", "y", "z"][*axis].to_owned(),
            OrderedNumber::Read(state, offset) => {
                let other = self.keep(*state, "1");
                format!("i32({}[{}] else ({other}))", self.name(*state), at(offset))
            }
            OrderedNumber::Given => "a".to_owned(),
            OrderedNumber::GivenAt(offset) => format!("(a[{}] else 7)", at(offset)),
            OrderedNumber::Near(offset) => format!("(near[{}] else 4)", at(offset)),
            OrderedNumber::Sum(state, around) => format!("sum({around}, i32(nb.{}) + dx)", self.name(*state)),
            OrderedNumber::Least(state, around) => format!("(min({around}, i32(nb.{})) else 5)", self.name(*state)),
            OrderedNumber::Draw => "(i32(bits()) & 15)".to_owned(),
            OrderedNumber::Add(a, b) => format!("({} + {})", self.write(a), self.write(b)),
            OrderedNumber::Larger(a, b) => format!("max({}, {})", self.write(a), self.write(b)),
            OrderedNumber::If(a, b, c) => {
                format!("(if {} > 0 {{ {} }} else {{ {} }})", self.write(a), self.write(b), self.write(c))
            }
        }
    }

    /// Its text.
    pub fn text(&self) -> String {
        let mut text = "rule r {\n    input a: i32 along x\n".to_owned();
        for state in 0..=self.states.len() {
            let (name, ty) = (self.name(state), self.type_of(state).name());
            let first = self.keep(state, &format!("(3 * x - y * {state} + 1)"));
            match self.rolling.get(state) {
                Some(true) => text += &format!("    state {name}: {ty} rolling\n"),
                _ => text += &format!("    state {name}: {ty}\n    init {name} = {first}\n"),
            }
        }
        if self.rolling.is_empty() {
            text += "    let near = still * 3 + sum(von_neumann, nb.still) + (i32(bits()) & 15)\n";
            text += "    step calm { next still = still + i32(s0) }\n";
        } else {
            text += "    observe all = [sum(i32(s0)), min(i32(s0) + x), max(f64(s0) - 1.0), count(i32(s0) > 0)]\n";
            text += "    observe middle = mean(i32(s0) + still)\n    observe share = histogram(i32(s0), 0, 9, 3)\n";
        }
        for (index, step) in self.steps.iter().enumerate() {
            text += &format!("    step t{index} ");
            match &step.turns {
                RandomOrder::AtOnce => {}
                RandomOrder::All => text += "from all ",
                RandomOrder::Along(axes) => {
                    let name = |(axis, back): &(usize, bool)| {
                        format!("{}{}", if *back { "-" } else { "+" }, ["x", "y", "z"][*axis])
                    };
                    let axes: Vec<String> = axes.iter().map(name).collect();
                    text += &format!("from ({}) ", axes.join(", "));
                }
            }
            if let Some(guard) = &step.guard {
                text += &format!("when {} > 0 ", self.write(guard));
            }
            text += "{\n";
            for (state, number) in &step.next {
                text += &format!("        next {} = {}\n", self.name(*state), self.keep(*state, &self.write(number)));
            }
            text += "    }\n";
        }
        text + "}\n"
    }
}

impl OrderedNumber {
    /// Reads rolling states at earlier cells alone.
    fn look_back(&mut self, rolling: &[bool], along: &[(usize, bool)], axes: usize) {
        let earlier = |mut offset: [i32; 3]| {
            let slowest = along.iter().rev().find(|(axis, _)| offset[*axis] != 0);
            match slowest {
                Some((axis, back)) if (offset[*axis] > 0) != *back => {
                    offset[..axes].iter_mut().for_each(|v| *v = -*v);
                }
                Some(_) => {}
                None => offset[along[0].0] = if along[0].1 { 1 } else { -1 },
            }
            offset
        };
        let is_rolling = |state: usize| rolling.get(state) == Some(&true);
        match self {
            OrderedNumber::Own(state) | OrderedNumber::Sum(state, _) | OrderedNumber::Least(state, _)
                if is_rolling(*state) =>
            {
                *self = OrderedNumber::Read(*state, earlier([0; 3]));
            }
            OrderedNumber::Read(state, offset) if is_rolling(*state) => *offset = earlier(*offset),
            OrderedNumber::Add(a, b) | OrderedNumber::Larger(a, b) => {
                [a, b].into_iter().for_each(|inner| inner.look_back(rolling, along, axes));
            }
            OrderedNumber::If(a, b, c) => {
                [a, b, c].into_iter().for_each(|inner| inner.look_back(rolling, along, axes));
            }
            _ => {}
        }
    }

    /// Shows it and all inside of it.
    pub fn visit(&self, see: &mut dyn FnMut(&OrderedNumber)) {
        see(self);
        match self {
            OrderedNumber::Add(a, b) | OrderedNumber::Larger(a, b) => [a, b].iter().for_each(|inner| inner.visit(see)),
            OrderedNumber::If(a, b, c) => [a, b, c].iter().for_each(|inner| inner.visit(see)),
            _ => {}
        }
    }
}
