//! The part that the printers of kernels share, wherever cells stand: texts of nodes, loads, stores, and the use of results.

use super::expression::{Corner, RandomClass};
use super::helpers::Helper;
use super::literal::literal;
use super::names::Namer;
use super::operations::UsedFunctions;
use super::text::{Entry, KernelArgument};
use super::totals::{Adding, Taken};
use super::words::{ALONE, c_type};
use crate::ir::Axes;
use crate::kernel::{Direction, Interface, Kernel, LaneType, Node, Op, Planes, ValueId};
use crate::numbers::philox::{PLANES, planes};
use crate::numbers::value::Value;
use crate::passes::Ready;
use crate::target::warps::Takes;

/// A kernel that is being printed, for cells of which `cells` knows where they stand.
#[doc(hidden)]
pub struct Printer<'a, C> {
    pub kernel: &'a Kernel,
    pub(crate) interface: &'a Interface,
    /// The lanes of a thread: one lane, whose bits are conditions, or words of lanes.
    pub(crate) takes: Takes,
    /// Whether a stored value is compared with the old one.
    pub(crate) compares: bool,
    /// The totals that are added up instead of stored.
    pub(crate) adding: Option<Adding<'a>>,
    /// The helpers and functions that the program uses.
    pub used: &'a mut UsedFunctions,
    /// Text of each node: its name, or its literal, so that no operand needs parentheses.
    pub values: Vec<String>,
    pub states: Vec<StateNames>,
    pub names: Namer,
    pub lines: Vec<String>,
    pub cells: C,
}

/// The names of a state's memory: of the buffer that is read, and of the one that is written.
#[doc(hidden)]
pub struct StateNames {
    pub old: String,
    pub new: String,
}

/// Where the cells of a kernel stand: the inputs of its nodes besides other nodes, and how its results are stored.
#[doc(hidden)]
pub trait CellPlacement<'a>: Sized {
    /// Prints a node in a way of its own, or nothing if it is there already; whether that was done.
    fn prints(printer: &mut Printer<'a, Self>, place: usize) -> bool;

    /// How a value is stored.
    fn store(printer: &mut Printer<'a, Self>, state: usize, plane: u8, micro: u32, value: &str) -> String;

    /// Which of a thread's cells exist.
    fn taken(_: &Printer<'a, Self>) -> Taken {
        Taken { bitwise: false, there: None }
    }

    /// Whether a neighbour exists.
    fn presence(printer: &mut Printer<'a, Self>, direction: Direction) -> String;

    /// The coordinate on an axis of the corner of the lane, or of the superblock in it.
    fn corner(printer: &mut Printer<'a, Self>, of: Corner, axis: u8) -> String;

    /// Whether the coordinates of the superblock's corner in the lane have an odd sum on these axes.
    fn odd_corner(printer: &mut Printer<'a, Self>, axes: Axes) -> String;

    /// A plane of a parameter.
    fn parameter(printer: &mut Printer<'a, Self>, param: u16, plane: u8, ty: LaneType) -> String;

    /// The level.
    fn level(printer: &Printer<'a, Self>) -> String;

    /// The side of the expanded grid.
    fn side(printer: &Printer<'a, Self>) -> String;

    /// The first time that is computed.
    fn time(printer: &Printer<'a, Self>) -> &'static str;

    /// The random word of an own cell.
    fn random(printer: &mut Printer<'a, Self>, draw: u32, micro: u32) -> String;

    /// The seed of an own cell, and the number by which it draws.
    fn drawn_by(printer: &mut Printer<'a, Self>, micro: u32) -> [String; 2];

    /// Where the bits of parameters stand.
    fn parameters(printer: &Printer<'a, Self>) -> &'static str;

    /// The random bits of an own cell, with the lanes and the probability of each class.
    fn random_bits(printer: &mut Printer<'a, Self>, draw: u32, micro: u32, classes: &[RandomClass]) -> String;
}

/// A constant of a type, of which a thread takes so much.
pub(super) fn constant(value: Value, ty: Option<LaneType>, takes: Takes) -> String {
    match (ty, takes, value.bits() == 1) {
        (Some(LaneType::Bits), Takes::Quad, true) => "Quad(0xffffffff)".to_owned(),
        (Some(LaneType::Bits), Takes::Quad, false) => "Quad(0)".to_owned(),
        (Some(LaneType::Bits), Takes::Word, true) => "0xffffffff".to_owned(),
        (Some(LaneType::Bits), Takes::Word, false) => "0u".to_owned(),
        _ => literal(value),
    }
}

/// The text of each node of a kernel, where `name` names the nodes that are neither constants nor stores.
pub(super) fn texts_of_nodes(kernel: &Kernel, takes: Takes, mut name: impl FnMut(&Node) -> String) -> Vec<String> {
    let text = |node: &Node| match &node.op {
        Op::Const(value) => constant(*value, node.ty, takes),
        Op::Store { .. } => String::new(),
        _ => name(node),
    };
    kernel.nodes.iter().map(text).collect()
}

impl<C> Printer<'_, C> {
    /// Whether bits are words of 32 lanes.
    pub(super) fn bitwise(&self) -> bool {
        self.takes != Takes::Lane
    }

    /// Whether they are four of them.
    pub(super) fn quads(&self) -> bool {
        self.takes == Takes::Quad
    }

    /// The text of a node.
    pub(super) fn value(&self, id: ValueId) -> &str {
        &self.values[id.0 as usize]
    }

    /// The type of a node.
    pub(super) fn ty(&self, id: ValueId) -> LaneType {
        self.kernel.node(id).ty.unwrap_or(LaneType::Bits)
    }

    /// The type of a value in CUDA C.
    pub(super) fn type_of(&self, ty: LaneType) -> &'static str {
        if self.quads() && ty == LaneType::Bits { "Quad" } else { c_type(ty, self.bitwise()) }
    }

    /// The type of the elements of a state's memory.
    pub(super) fn element(&self, state: usize) -> &'static str {
        match self.kernel.states[state].planes {
            Planes::Bits(_) if self.quads() => "Quad",
            Planes::Bits(_) => "u32",
            Planes::Number(ty) => c_type(ty, false),
        }
    }

    /// How many planes of bits a state has; `None` of a number.
    pub(super) fn planes(&self, state: usize) -> Option<u8> {
        match self.kernel.states[state].planes {
            Planes::Bits(planes) => Some(planes),
            Planes::Number(_) => None,
        }
    }

    pub(super) fn line(&mut self, text: &str) {
        self.lines.push(text.to_owned());
    }

    /// The name of a helper that the program then holds.
    pub(super) fn uses(&mut self, helper: Helper) -> &'static str {
        self.used.helper(helper)
    }

    /// Whether a state is loaded.
    pub(super) fn is_read(&self, state: usize) -> bool {
        self.interface.own.contains(&state) || self.interface.halo.iter().any(|halo| halo.state == state)
    }

    /// Whether a state is stored, and not added up.
    pub(super) fn is_written(&self, state: usize) -> bool {
        let adds = self.adding.as_ref().is_some_and(|adding| adding.takes(state));
        self.interface.writes.contains(&state) && !adds
    }

    /// Pointers to the states, as arguments of the kernel and of its entry. They are not followed before the pass before has ended.
    pub(super) fn arguments(&mut self, entry: &mut Entry) -> Vec<String> {
        let mut arguments = Vec::new();
        for state in 0..self.kernel.states.len() {
            let (element, StateNames { old, new }) = (self.element(state), &self.states[state]);
            let mut waiting = Vec::new();
            if self.is_read(state) {
                // Not restricted: the compiler would read it through a cache that does not wait for the pass before.
                arguments.push(format!("const {element} *{old}"));
                entry.arguments.push(KernelArgument::Old(state as u16));
                waiting.push(format!("{old} += none;"));
            }
            if self.is_written(state) {
                arguments.push(format!("{element} *{ALONE} {new}"));
                entry.arguments.push(KernelArgument::New(state as u16));
                waiting.push(format!("{new} += none;"));
            }
            self.lines.extend(waiting);
        }
        arguments
    }

    /// Stores a word or a number over an old one; `before` is the expression of the old one's loaded value.
    pub(super) fn store_at(&self, place: &str, before: &str, value: &str) -> String {
        match self.compares {
            true => format!("store_watched({place}, {before}, {value}, changed);"),
            false => format!("{place} = {value};"),
        }
    }
}

impl<'a, C: CellPlacement<'a>> Printer<'a, C> {
    /// The random bits of a word of a draw: `beside` threads with words beside each other make planes together, whose blocks hold whole words if `aligned`;
    /// the seed, the number of the word's first cell, and which cells the word has are texts.
    pub(super) fn random_bits_of(
        &mut self,
        (beside, aligned): (usize, bool),
        [seed, first, own]: [&str; 3],
        draw: u32,
        classes: &[RandomClass],
    ) -> String {
        let (random_bits, all, list) = (self.uses(Helper::RandomBits), classes.len(), self.classes(classes));
        format!("{random_bits}<{beside}, {aligned}, {all}>({seed}, {first}, {own}, time, {draw}, {list})")
    }

    /// The list of the classes of a random bit.
    pub(super) fn classes(&mut self, classes: &[RandomClass]) -> String {
        let threshold_of = self.uses(Helper::Threshold);
        let class = |class: &RandomClass| {
            let (lanes, threshold) = (self.value(class.lanes), self.value(class.probability));
            format!("{{{lanes}, {threshold_of}({threshold}), {}}}", self.probability(class.probability))
        };
        format!("{{{}}}", classes.iter().map(class).collect::<Vec<_>>().join(", "))
    }

    /// A probability as further planes are compared with it.
    pub(super) fn probability(&self, id: ValueId) -> String {
        let node = self.kernel.node(id);
        match (&node.op, node.ty) {
            (Op::Const(Value::F64(p)), _) if planes(*p) <= PLANES => "{}".to_owned(),
            (Op::Param { param, .. }, ty) => {
                let behind = u16::from(ty == Some(LaneType::I64));
                format!("{{{}, {}, 0.0}}", C::parameters(self), param + behind)
            }
            _ => format!("{{nullptr, 0, {}}}", self.value(id)),
        }
    }
}

impl<'a, C: CellPlacement<'a>> Printer<'a, C> {
    /// The operations of the rule, on loaded values.
    pub(super) fn rule(&mut self) {
        self.line("");
        self.line("// the rule");
        (0..self.kernel.nodes.len()).for_each(|place| self.node(place));
    }

    /// A kernel of a single cell ([`compile_cell`](crate::pipeline::compile_cell)), for programs whose skeletons others have. Its values get names that are left
    /// of `names`.
    pub fn of_cell(
        kernel: &'a Ready,
        states: Vec<StateNames>,
        used: &'a mut UsedFunctions,
        mut names: Namer,
        cells: C,
    ) -> Printer<'a, C> {
        let values = texts_of_nodes(kernel, Takes::Lane, |node| names.name(&node.name));
        let (interface, takes, lines) = (kernel.interface(), Takes::Lane, Vec::new());
        Printer { kernel, interface, takes, compares: false, adding: None, used, values, states, names, lines, cells }
    }

    /// One node.
    pub fn node(&mut self, place: usize) {
        if C::prints(self, place) {
            return;
        }
        let kernel = self.kernel;
        let node = &kernel.nodes[place];
        let ty = node.ty.unwrap_or(LaneType::Bits);
        let line = match &node.op {
            Op::Const(_) => return,
            op if op.load().is_some() => return,
            Op::Store { state, plane, micro, value } => {
                let (state, text) = (usize::from(*state), self.value(*value).to_owned());
                match self.adding.as_ref().filter(|adding| adding.takes(state)) {
                    // Bits that are false everywhere add nothing.
                    Some(_) if matches!(kernel.node(*value).op, Op::Const(Value::Bit(false))) => return,
                    Some(adding) => adding.add_up(C::taken(self), state, *plane, &text),
                    None => C::store(self, state, *plane, *micro, &text),
                }
            }
            op => {
                let expression = self.expression(op, ty);
                format!("const {} {} = {expression};", self.type_of(ty), self.values[place])
            }
        };
        self.line(&line);
    }
}
