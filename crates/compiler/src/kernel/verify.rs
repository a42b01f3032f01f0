//! Checks that a kernel means something. Back ends take verified kernels only and then cannot fail.

use super::{
    Direction, Kernel, LaneType, Load, LogicOp, Neighbours, Node, Op, Planes, ValueId, Variable, arithmetic, global,
    logic,
};

use crate::numbers::operators::{BinaryOp, UnaryOp};
use std::collections::HashSet;

/// The error in a kernel, in words: a bug of a pass, or a mistake in an edited dump.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct VerifyError(String);

/// An error in the whole kernel.
fn wrong(what: &str) -> VerifyError {
    VerifyError(what.to_owned())
}

/// An error in a node, a store or a state.
fn wrong_at(name: &str, what: &str) -> VerifyError {
    VerifyError(format!("`{name}`: {what}"))
}

/// The errors of types that several checks share, and that of directions.
const TYPE: &str = "the type of the result or of an operand does not fit the operation";
const HALO: &str = "no such direction in this dimension, or a halo where the superblock is the whole fractal";

impl Kernel {
    /// Checks everything that the module's text says.
    ///
    /// # Errors
    /// The first error.
    pub(crate) fn verify(&self) -> Result<(), VerifyError> {
        self.verify_micro_fractal()?;
        if self.steps == 0 {
            return Err(wrong("a kernel covers at least one step"));
        }
        if self.neighbours == Neighbours::Anywhere && self.micro.sides != [1; 3] {
            return Err(wrong("only kernels of one cell look anywhere"));
        }
        for Variable { name, planes } in self.states.iter().chain(&self.params) {
            if *planes == Planes::Number(LaneType::Bits) {
                return Err(VerifyError(format!("`{name}` is of bits, but as a number")));
            }
        }
        let mut names = HashSet::new();
        for (place, node) in self.nodes.iter().enumerate() {
            let shown = || if node.name.is_empty() { format!("store at {place}") } else { node.name.clone() };
            let word = !node.name.is_empty() && node.name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            let is_store = matches!(node.op, Op::Store { .. });
            if node.ty.is_some() == is_store {
                return Err(wrong_at(&shown(), TYPE));
            }
            if if is_store { !node.name.is_empty() } else { !word || !names.insert(node.name.as_str()) } {
                return Err(wrong_at(&shown(), "the name is empty, taken, or not made of letters, digits and `_`"));
            }
            let before = |id: &ValueId| (id.0 as usize) < place && self.node(*id).ty.is_some();
            if !node.op.operands().iter().all(before) {
                return Err(wrong_at(&shown(), "an operand does not stand before its user, or is a store"));
            }
            self.verify_inputs(node, &shown)?;
            if !self.types_fit(node) {
                return Err(wrong_at(&shown(), TYPE));
            }
        }
        let global = global(self);
        for node in &self.nodes {
            if let Op::RandomBit { probabilities, .. } = &node.op
                && !probabilities.iter().all(|id| global[id.0 as usize])
            {
                return Err(wrong_at(&node.name, "a probability is not the same everywhere"));
            }
        }
        self.verify_stores()
    }

    /// [`verify`](Kernel::verify), and that the kernel works on columns, and that no operation is left that only passes know.
    ///
    /// # Errors
    /// The first error.
    pub(crate) fn verify_for_execution(&self) -> Result<(), VerifyError> {
        self.verify()?;
        if self.neighbours == Neighbours::Anywhere {
            return Err(wrong("the kernel of one cell cannot be executed on columns"));
        }
        match self.nodes.iter().find(|node| matches!(node.op, Op::Count(_) | Op::Below { .. })) {
            Some(node) => {
                Err(wrong_at(&node.name, "counts and numbers below others are for passes and cannot be executed"))
            }
            None => Ok(()),
        }
    }

    fn verify_micro_fractal(&self) -> Result<(), VerifyError> {
        let flat = self.micro.sides[self.micro.dimension.axes()..].iter().all(|side| *side == 1);
        let inside = |cell: &[u32; 3]| cell.iter().zip(self.micro.sides).all(|(v, side)| *v < side);
        let distinct: HashSet<_> = self.micro.cells.iter().collect();
        let fine = flat && !self.micro.cells.is_empty() && distinct.len() == self.micro.cells.len();
        if fine && self.micro.cells.iter().all(inside) {
            Ok(())
        } else {
            Err(wrong("the micro-fractal has no cells, equal cells, or cells outside its sides"))
        }
    }

    /// Everything that an operation names besides its operands.
    fn verify_inputs(&self, node: &Node, shown: &dyn Fn() -> String) -> Result<(), VerifyError> {
        let has = |variables: &[Variable], index: u16, plane: u8| {
            variables.get(usize::from(index)).is_some_and(|variable| plane < variable.planes.count())
        };
        let cell = |micro: u32| (micro as usize) < self.micro.cells.len();
        let (there, direction) = match node.op {
            Op::Load(Load { state, plane, direction, micro }) => {
                (has(&self.states, state, plane) && cell(micro), Some(direction))
            }
            Op::Store { state, plane, micro, .. } => (has(&self.states, state, plane) && cell(micro), None),
            Op::Presence(Direction::CENTRE) => return Err(wrong_at(&shown(), HALO)),
            Op::Presence(direction) => (true, Some(direction)),
            Op::LaneCorner(axis) | Op::SuperblockCorner(axis) => {
                (usize::from(axis) < self.micro.dimension.axes(), None)
            }
            Op::OddCorner(axes) => (axes.0[self.micro.dimension.axes()..].iter().all(|is| !is), None),
            Op::Param { param, plane } => (has(&self.params, param, plane), None),
            Op::Time { ahead } => (ahead < self.steps, None),
            Op::Random { micro, .. } | Op::RandomBit { micro, .. } => (cell(micro), None),
            Op::Level | Op::Side | Op::Const(_) | logic!() | arithmetic!() => (true, None),
        };
        if !there {
            return Err(wrong_at(&shown(), "no such state, parameter, plane, micro cell, axis or time"));
        }
        let leads = |direction: Direction| match self.neighbours {
            _ if direction == Direction::CENTRE => true,
            Neighbours::None => false,
            Neighbours::Beside => direction.index(self.micro.dimension).is_some(),
            Neighbours::Far | Neighbours::Anywhere => direction.is_within(self.micro.dimension),
        };
        if direction.is_none_or(leads) { Ok(()) } else { Err(wrong_at(&shown(), HALO)) }
    }

    fn types_fit(&self, node: &Node) -> bool {
        use LaneType::{Bits, F32, F64, I32, I64, U8, U16, U32};
        let Some(ty) = node.ty else {
            let Op::Store { state, value, .. } = node.op else { return false };
            return self.node(value).ty == Some(self.states[usize::from(state)].planes.ty());
        };
        let of = |id: ValueId| self.node(id).ty.unwrap_or(Bits);
        let all = |ids: &[ValueId], wanted: LaneType| ids.iter().all(|id| of(*id) == wanted);
        let number = |ty: LaneType| ty != Bits;
        let integer = |ty: LaneType| matches!(ty, U8 | U16 | I32 | U32 | I64);
        let float = |ty: LaneType| matches!(ty, F32 | F64);
        match &node.op {
            Op::Load(Load { state, .. }) => ty == self.states[usize::from(*state)].planes.ty(),
            Op::Param { param, .. } => ty == self.params[usize::from(*param)].planes.ty(),
            Op::Presence(_) | Op::OddCorner(_) => ty == Bits,
            Op::LaneCorner(_) | Op::SuperblockCorner(_) | Op::Level | Op::Side => ty == I32,
            Op::Time { .. } | Op::Random { .. } => ty == U32,
            Op::RandomBit { classes, probabilities, .. } => {
                let chances = probabilities.iter().all(|id| matches!(of(*id), F64 | I64));
                ty == Bits && classes.len() == probabilities.len() && all(classes, Bits) && chances
            }
            Op::Const(value) => LaneType::of(value.ty()) == Some(ty),
            Op::Not(a) => ty == Bits && of(*a) == Bits,
            Op::Logic(LogicOp::And | LogicOp::Or | LogicOp::Xor | LogicOp::AndNot, a, b) => {
                ty == Bits && all(&[*a, *b], Bits)
            }
            Op::Table { operands, .. } => ty == Bits && all(operands, Bits),
            Op::Count(terms) => ty == I32 && all(terms, Bits),
            Op::Digit { value, bit } => ty == Bits && integer(of(*value)) && u32::from(*bit) < of(*value).width(),
            Op::Widen(planes) => {
                let most = if ty == U8 { 8 } else { 16 };
                number(ty) && (1..=most).contains(&planes.len()) && all(planes, Bits)
            }
            Op::Unary(op, a) => of(*a) == ty && if *op == UnaryOp::Not { integer(ty) } else { number(ty) },
            Op::Binary(BinaryOp::And | BinaryOp::Or | BinaryOp::Xor, a, b) => integer(ty) && all(&[*a, *b], ty),
            Op::Binary(_, a, b) => number(ty) && all(&[*a, *b], ty),
            Op::Shift { value, count, .. } => integer(ty) && of(*value) == ty && integer(of(*count)),
            Op::Compare(_, a, b) => ty == Bits && number(of(*a)) && of(*a) == of(*b),
            Op::Select { condition, then, otherwise } => {
                number(ty) && of(*condition) == Bits && all(&[*then, *otherwise], ty)
            }
            Op::Cast(a) => number(ty) && number(of(*a)),
            Op::Math(_, a) => float(ty) && of(*a) == ty,
            Op::Math2(_, a, b) => float(ty) && all(&[*a, *b], ty),
            Op::LookUp { table, index } => LaneType::of_table(table) == ty && of(*index) == I32,
            Op::AddWhere { condition, sum, term } => float(ty) && of(*condition) == Bits && all(&[*sum, *term], ty),
            Op::Canonical(a) => float(ty) && of(*a) == ty,
            Op::Chance { word, probability } => {
                ty == Bits && matches!(self.node(*word).op, Op::Random { .. }) && of(*probability) == F64
            }
            Op::Below { word, bound } => ty == U32 && all(&[*word, *bound], U32),
            Op::Store { .. } => false,
        }
    }

    /// Every plane of every own column of a stored state is stored once.
    fn verify_stores(&self) -> Result<(), VerifyError> {
        let mut stored = HashSet::new();
        for node in &self.nodes {
            if let Op::Store { state, plane, micro, .. } = node.op
                && !stored.insert((state, plane, micro))
            {
                let state = &self.states[usize::from(state)].name;
                return Err(VerifyError(format!("`{state}`, plane {plane}, micro cell {micro}: stored twice")));
            }
        }
        for (index, variable) in self.states.iter().enumerate() {
            let wanted = usize::from(variable.planes.count()) * self.micro.cells.len();
            let count = stored.iter().filter(|(state, ..)| usize::from(*state) == index).count();
            if count > 0 && count != wanted {
                return Err(wrong_at(&variable.name, "stored, but not every plane of every own column"));
            }
        }
        Ok(())
    }
}
